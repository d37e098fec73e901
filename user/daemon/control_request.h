/* SPDX-License-Identifier: MIT */
/* Requests of the control socket: one JSON object a line, decoded by one table. Pure. */
#ifndef FG_DAEMON_CONTROL_REQUEST_H
#define FG_DAEMON_CONTROL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "dp/attach.h"
#include "util/error.h"

/* Longest request line; a configuration travels inside one. */
#define FG_REQUEST_MAX (16U << 20)

/* Members that a request may have besides "request" and "schema". */
enum fg_request_member {
	FG_MEMBER_TABLE = 1,
	FG_MEMBER_INTERFACE = 2,
	FG_MEMBER_MODE = 4,
	FG_MEMBER_REPLACE = 8,
	FG_MEMBER_ALL = 16,
	FG_MEMBER_FILE = 32,
	FG_MEMBER_TEXT = 64,
};

/* X(NAME, word on the wire, members that may be there, members that must). */
#define FG_REQUEST_LIST(X)                                                                \
	X(VERSION, "version", 0, 0)                                                       \
	X(STATUS, "status", 0, 0)                                                         \
	X(ROUTE_TABLE, "route-table", FG_MEMBER_TABLE, FG_MEMBER_TABLE)                   \
	X(FIREWALL, "firewall", 0, 0)                                                     \
	X(PFE_FIREWALL, "pfe-firewall", 0, 0)                                             \
	X(INTERFACES, "interfaces", FG_MEMBER_INTERFACE, 0)                               \
	X(BGP_SUMMARY, "bgp-summary", 0, 0)                                               \
	X(LOAD, "load", FG_MEMBER_FILE | FG_MEMBER_TEXT, FG_MEMBER_FILE | FG_MEMBER_TEXT) \
	X(ATTACH, "attach", FG_MEMBER_INTERFACE | FG_MEMBER_MODE | FG_MEMBER_REPLACE,     \
	  FG_MEMBER_INTERFACE)                                                            \
	X(DETACH, "detach", FG_MEMBER_INTERFACE | FG_MEMBER_ALL, 0)

enum fg_request_kind {
#define FG_REQUEST_ENUM(name, word, may, must) FG_REQUEST_##name,
	FG_REQUEST_LIST(FG_REQUEST_ENUM)
#undef FG_REQUEST_ENUM
		FG_REQUEST_KINDS,
};

/* A checked request; the texts live as long as @json. */
struct fg_request {
	json_t *json;
	enum fg_request_kind kind;
	enum fg_family family;    /* "table": "inetflow.0" or "inet6flow.0" */
	const char *interface;    /* NULL: not given; at most 15 octets, no blank or slash */
	enum fg_attach_mode mode; /* "mode": "native" (default) or "generic" */
	bool replace, all;
	const char *file, *text;
	size_t text_len;
};

/* Decodes a line without its newline. 0 (fg_request_free() it) or -EINVAL with @err. */
int fg_request_parse(const char *line, size_t len, struct fg_request *ret, struct fg_error *err);
void fg_request_free(struct fg_request *request);

#endif
