/* SPDX-License-Identifier: MIT */
/* Unicast routes of peers, kept for one purpose: to validate rules against them (RFC 8955 section 6, RFC 9117). */
#ifndef FG_BGP_UNICAST_H
#define FG_BGP_UNICAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bgp/path.h"
#include "flowspec/flowspec.h"

/* Prefixes kept of one family; more is a peer gone mad. */
#define FG_UNICAST_MAX 2000000U

struct fg_unicast;

struct fg_unicast *fg_unicast_new(void);
void fg_unicast_free(struct fg_unicast *table); /* NULL is fine */

/* Adds or replaces the route of @source for a prefix (@addr: network byte order, inet in the first four octets; bits
 * behind @len do not matter). *ret_changed: verdicts may differ now. 0, -ENOMEM, -ENOSPC above FG_UNICAST_MAX. */
int fg_unicast_add(struct fg_unicast *table, enum fg_family family, const uint8_t *addr,
		   unsigned len, uint32_t source, const struct fg_path *path, bool *ret_changed);

/* Withdraws it; unknown is not an error. True when it was there. */
bool fg_unicast_withdraw(struct fg_unicast *table, enum fg_family family, const uint8_t *addr,
			 unsigned len, uint32_t source);

/* As in bgp/rib.h; @family -1: both. Each returns the number of routes touched. */
size_t fg_unicast_mark_stale(struct fg_unicast *table, uint32_t source);
size_t fg_unicast_sweep_stale(struct fg_unicast *table, uint32_t source, int family);
size_t fg_unicast_withdraw_source(struct fg_unicast *table, uint32_t source);

size_t fg_unicast_count(const struct fg_unicast *table, enum fg_family family); /* routes */

/* Is a rule of @source with @path feasible? NULL, else why not: static text. */
const char *fg_unicast_validate(const struct fg_unicast *table, const struct fg_flow *flow,
				uint32_t source, const struct fg_path *path);

#endif
