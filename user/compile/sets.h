/* SPDX-License-Identifier: MIT */
/* Operator lists as sets of values: sorted ranges for numeric components, truth tables for bitmask ones. */
#ifndef FG_COMPILE_SETS_H
#define FG_COMPILE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flowspec/flowspec.h"

/* Inclusive, host byte order. */
struct fg_range {
	uint32_t low, high;
};

/* A list of n operators denotes at most 2n + 1 ranges. Sorted, disjoint, not adjacent. */
#define FG_SET_RANGES_MAX (2 * FG_FLOW_OPS_MAX + 2)
struct fg_set {
	size_t n;
	struct fg_range range[FG_SET_RANGES_MAX];
};

/* Values in [low, high] that satisfy an OR of AND groups (RFC 8955 section 4.2.1). */
void fg_set_numeric(const struct fg_flow_op *ops, size_t n, uint32_t low, uint32_t high,
		    struct fg_set *ret);

/* TCP flags: values 0..4095 (low nibble of octet 13, octet 14) that satisfy a bitmask list. A one-octet operator sees
 * octet 14 only. */
void fg_set_tcp_flags(const struct fg_flow_op *ops, size_t n, struct fg_set *ret);

/* Fragment bits: of the combinations a packet of @family can carry, those that satisfy a bitmask list. */
void fg_set_fragment(enum fg_family family, const struct fg_flow_op *ops, size_t n,
		     struct fg_set *ret);

bool fg_set_has(const struct fg_set *set, uint32_t value);

#endif
