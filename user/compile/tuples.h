/* SPDX-License-Identifier: MIT */
/* Planning of tuple space: which mask each rule is looked up with, so that few lookups serve all rules. */
#ifndef FG_COMPILE_TUPLES_H
#define FG_COMPILE_TUPLES_H

#include "compile/checks.h"

/* @tuple_of[i] is the tuple of region i. */
struct fg_tuple_plan {
	size_t n_tuples;
	struct fg_tuple tuple[FG_TUPLES_MAX];
	uint8_t *tuple_of;
	unsigned level; /* the coarsest level that was needed */
};

/* Assigns every region a tuple whose mask is a subset of its own: popular masks are kept, rare ones are coarsened level by
 * level until they share tuples. At most @max tuples. 0 or -ENOMEM. Free with fg_tuple_plan_free(). */
int fg_tuple_plan(const struct fg_region *regions, size_t n, size_t max, struct fg_tuple_plan *ret);
void fg_tuple_plan_free(struct fg_tuple_plan *plan);

#endif
