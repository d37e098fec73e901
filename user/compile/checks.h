/* SPDX-License-Identifier: MIT */
/* One rule as conditions on packet fields, and as the 5-tuple key that its packets share. */
#ifndef FG_COMPILE_CHECKS_H
#define FG_COMPILE_CHECKS_H

#include "compile/pool.h"
#include "compile/sets.h"

/* Where a rule stands in tuple space: a packet that matches has (key & mask) == value. */
struct fg_region {
	uint32_t mask[FG_KEY_WORDS];
	uint32_t value[FG_KEY_WORDS];
};

/* Scratch space and shared pools of one compilation. */
struct fg_check_builder {
	struct fg_image_table *checks;
	size_t checks_capacity;
	struct fg_set_pool sets;
	struct fg_idmap prefixes, ranges; /* distinct ones, for the footprint */
	struct fg_set set;
	struct fg_flow flow;
};

/* Appends the conditions of builder->flow. *ret_n conditions were added and *ret_region is set on 0.
 * 1: no packet can match, nothing was added. -ENOMEM. */
int fg_checks_build(struct fg_check_builder *builder, size_t *ret_n, struct fg_region *ret_region);

#endif
