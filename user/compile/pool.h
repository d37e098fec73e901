/* SPDX-License-Identifier: MIT */
/* Growing arrays of the image being built, and a pool that stores equal runs of words once. */
#ifndef FG_COMPILE_POOL_H
#define FG_COMPILE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "compile/compile.h"

/* Makes room for @extra more elements; returns the first of them (not counted in table->n), NULL: no memory. */
void *fg_table_grow(struct fg_image_table *table, size_t *capacity, size_t extra);

/* A set of 64-bit values (hashes), for interning and for counting distinct things. Zero-initialise. */
struct fg_idmap {
	uint64_t *key; /* 0 = empty */
	uint32_t *value;
	size_t n, size;
};

/* The place of @key (0 is mapped to 1): *ret_value points to its value; *ret_new tells whether it was added, with value 0.
 * The pointer is valid until the next call. -ENOMEM. */
int fg_idmap_get(struct fg_idmap *map, uint64_t key, uint32_t **ret_value, int *ret_new);
void fg_idmap_free(struct fg_idmap *map);

/* The sets table: equal contents share their words. */
struct fg_set_pool {
	struct fg_image_table *table;
	size_t capacity;
	struct fg_idmap index;
};

/* Stores @n words, or finds them; *ret_first is their index. */
int fg_pool_words(struct fg_set_pool *pool, const uint64_t *words, size_t n, uint32_t *ret_first);

#endif
