/* SPDX-License-Identifier: MIT */
/* One family's destinations, found by NLRI and listed by rank; the storage below the rib, private to it. */
#ifndef FG_BGP_TABLE_H
#define FG_BGP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "bgp/rib.h"

struct fg_table_slot {
	uint64_t hash;
	struct fg_dest *dest;
};

/* @order holds every destination once: the first @n_sorted by rank, those added since behind them.
 * @hold has room for all, so that a withdraw cannot fail. */
struct fg_table {
	enum fg_family family;
	uint64_t seed;
	struct fg_table_slot *slots; /* open addressing, @n_slots a power of two */
	size_t n_slots;
	struct fg_dest **order, **hold;
	size_t n, n_sorted, n_hold, cap;
};

void fg_table_init(struct fg_table *table, enum fg_family family, uint64_t seed);
/* Frees the storage, not the destinations. */
void fg_table_free(struct fg_table *table);

struct fg_dest *fg_table_find(const struct fg_table *table, const uint8_t *nlri, size_t len);

/* Adds a destination that is not there yet. 0 or -ENOMEM. */
int fg_table_insert(struct fg_table *table, struct fg_dest *dest);

/* Queues a destination for fg_table_reap(); again is harmless. */
void fg_table_hold(struct fg_table *table, struct fg_dest *dest);

/* Sorts what was added since the last call into the rest. */
void fg_table_sort(struct fg_table *table);

/* Takes the queued destinations that still have no route out, @fn (may be NULL) sees each, then frees them. */
void fg_table_reap(struct fg_table *table, void (*fn)(struct fg_dest *dest, void *arg), void *arg);

#endif
