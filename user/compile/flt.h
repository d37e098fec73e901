/* SPDX-License-Identifier: MIT */
/* Emits the FLT stage's tables: the keys of all tuples in one table of buckets behind a one-bit filter. */
#ifndef FG_COMPILE_FLT_H
#define FG_COMPILE_FLT_H

#include "compile/tuples.h"

/* Fills filter, buckets, chains and the tuples of @meta. @regions[i] is the region of rule i in rank order. -ENOMEM, -E2BIG. */
int fg_flt_emit(struct fg_image *image, struct fg_meta *meta, const struct fg_region *regions,
		size_t n, const struct fg_tuple_plan *plan, uint32_t seed);

#endif
