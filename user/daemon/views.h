/* SPDX-License-Identifier: MIT */
/* The answers of the control socket, one function a request. */
#ifndef FG_DAEMON_VIEWS_H
#define FG_DAEMON_VIEWS_H

#include <jansson.h>

#include "daemon/control_request.h"
#include "daemon/daemon.h"

/* Fills @answer (a document that has its schema). Returns FG_EXIT_OK, or another enum fg_exit with
 * @err. */
typedef int fg_view_fn(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		       struct fg_error *err);

fg_view_fn fg_view_version;
fg_view_fn fg_view_status;
fg_view_fn fg_view_route_table;
fg_view_fn fg_view_firewall;
fg_view_fn fg_view_pfe_firewall;
fg_view_fn fg_view_interfaces;
fg_view_fn fg_view_bgp_summary;
fg_view_fn fg_do_load;
fg_view_fn fg_do_attach;
fg_view_fn fg_do_detach;

/* "inetflow.0", "inet6flow.0"; "inet", "inet6". */
const char *fg_view_table_name(enum fg_family family);
const char *fg_view_family_name(enum fg_family family);

/* The rule as Junos names it in `show route table` and as a counter:
 * "25.151.12.56,*,proto=17,dstport=40795". Malloc'd; NULL without memory. Pure (junos_name.c). */
char *fg_junos_name(enum fg_family family, const uint8_t *nlri, size_t len);

/* "active", "pending" ... of a destination; "hidden" when no route of it may decide. */
const char *fg_view_dest_state(const struct fg_dest *dest);

#endif
