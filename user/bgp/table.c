// SPDX-License-Identifier: MIT
/* One family's destinations: a hash table over the NLRI and an array in rank order that is sorted late. */
#define _GNU_SOURCE
#include "bgp/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/hash.h"

#define TABLE_MIN 64

void fg_table_init(struct fg_table *table, enum fg_family family, uint64_t seed)
{
	*table = (struct fg_table){ .family = family, .seed = seed };
}

void fg_table_free(struct fg_table *table)
{
	free(table->slots);
	free(table->order);
	free(table->hold);
}

/* The slot where @nlri is, or the empty one where it belongs. Half of the slots are always empty. */
static size_t slot_of(const struct fg_table *table, uint64_t hash, const uint8_t *nlri, size_t len)
{
	size_t mask = table->n_slots - 1;
	size_t i = hash & mask;

	for (; table->slots[i].dest; i = (i + 1) & mask) {
		const struct fg_dest *dest = table->slots[i].dest;

		if (table->slots[i].hash == hash && dest->nlri_len == len &&
		    !memcmp(dest->nlri, nlri, len))
			break;
	}
	return i;
}

struct fg_dest *fg_table_find(const struct fg_table *table, const uint8_t *nlri, size_t len)
{
	if (!table->n_slots)
		return NULL;
	return table->slots[slot_of(table, fg_hash64(nlri, len, table->seed), nlri, len)].dest;
}

static int grow_slots(struct fg_table *table, size_t n_slots)
{
	struct fg_table_slot *old = table->slots;
	size_t n_old = table->n_slots;

	table->slots = calloc(n_slots, sizeof(*table->slots));
	if (!table->slots) {
		table->slots = old;
		return -ENOMEM;
	}
	table->n_slots = n_slots;
	for (size_t i = 0; i < n_old; i++) {
		const struct fg_dest *dest = old[i].dest;

		if (dest)
			table->slots[slot_of(table, old[i].hash, dest->nlri, dest->nlri_len)] =
				old[i];
	}
	free(old);
	return 0;
}

static int grow_array(struct fg_dest ***array, size_t cap)
{
	struct fg_dest **grown = reallocarray(*array, cap, sizeof(**array));

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

static int reserve(struct fg_table *table)
{
	size_t cap = table->cap ? table->cap * 2 : TABLE_MIN;

	if (table->n < table->cap)
		return 0;
	if (grow_array(&table->order, cap) || grow_array(&table->hold, cap) ||
	    grow_slots(table, cap * 2))
		return -ENOMEM;
	table->cap = cap;
	return 0;
}

int fg_table_insert(struct fg_table *table, struct fg_dest *dest)
{
	uint64_t hash = fg_hash64(dest->nlri, dest->nlri_len, table->seed);
	int err = reserve(table);

	if (err)
		return err;
	table->slots[slot_of(table, hash, dest->nlri, dest->nlri_len)] =
		(struct fg_table_slot){ hash, dest };
	table->order[table->n++] = dest;
	return 0;
}

void fg_table_hold(struct fg_table *table, struct fg_dest *dest)
{
	if (dest->held)
		return;
	dest->held = true;
	table->hold[table->n_hold++] = dest;
}

static int compare(const struct fg_table *table, const struct fg_dest *a, const struct fg_dest *b)
{
	return fg_flow_compare(table->family, a->nlri, a->nlri_len, b->nlri, b->nlri_len);
}

static int compare_items(const void *a, const void *b, void *table)
{
	return compare(table, *(struct fg_dest *const *)a, *(struct fg_dest *const *)b);
}

/* How many of the first @n sorted destinations stand before @dest. */
static size_t rank_of(const struct fg_table *table, size_t n, const struct fg_dest *dest)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (compare(table, table->order[mid], dest) < 0)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* Merges the sorted @tail from its end, moving the run between two of its members in one step: a few additions
 * to many rules cost a few searches and one pass of memmove. */
static void merge(struct fg_table *table, struct fg_dest **tail, size_t n_tail)
{
	size_t end = table->n_sorted;

	for (size_t left = n_tail; left; left--) {
		size_t at = rank_of(table, end, tail[left - 1]);

		memmove(&table->order[at + left], &table->order[at],
			(end - at) * sizeof(*table->order));
		table->order[at + left - 1] = tail[left - 1];
		end = at;
	}
}

void fg_table_sort(struct fg_table *table)
{
	size_t n_tail = table->n - table->n_sorted;
	FG_AUTO_FREE struct fg_dest **tail = NULL;

	if (!n_tail)
		return;
	tail = malloc(n_tail * sizeof(*tail));
	if (tail && table->n_sorted) {
		memcpy(tail, table->order + table->n_sorted, n_tail * sizeof(*tail));
		qsort_r(tail, n_tail, sizeof(*tail), compare_items, table);
		merge(table, tail, n_tail);
	} else {
		qsort_r(table->order, table->n, sizeof(*table->order), compare_items, table);
	}
	table->n_sorted = table->n;
}

/* Empties a slot and moves the followers that probed past it back (Knuth 6.4, algorithm R). */
static void remove_slot(struct fg_table *table, const struct fg_dest *dest)
{
	size_t mask = table->n_slots - 1;
	size_t hole = slot_of(table, fg_hash64(dest->nlri, dest->nlri_len, table->seed), dest->nlri,
			      dest->nlri_len);

	for (size_t i = (hole + 1) & mask; table->slots[i].dest; i = (i + 1) & mask) {
		size_t home = table->slots[i].hash & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			table->slots[hole] = table->slots[i];
			hole = i;
		}
	}
	table->slots[hole] = (struct fg_table_slot){ 0 };
}

/* Keeps those queued that are still without a route; the others came back and leave the queue. */
static size_t filter_hold(struct fg_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_hold; i++) {
		struct fg_dest *dest = table->hold[i];

		dest->held = !dest->routes;
		if (dest->held)
			table->hold[n++] = dest;
	}
	table->n_hold = 0;
	return n;
}

/* Takes the @n queued destinations, sorted by rank, out of the order: what stands between two of them moves
 * down in one step. */
static void remove_order(struct fg_table *table, size_t n)
{
	size_t at = rank_of(table, table->n, table->hold[0]);
	size_t to = at;

	for (size_t i = 1; i <= n; i++) {
		size_t next = i < n ? rank_of(table, table->n, table->hold[i]) : table->n;

		memmove(&table->order[to], &table->order[at + 1],
			(next - at - 1) * sizeof(*table->order));
		to += next - at - 1;
		at = next;
	}
	table->n = table->n_sorted = to;
}

void fg_table_reap(struct fg_table *table, void (*fn)(struct fg_dest *dest, void *arg), void *arg)
{
	size_t n = filter_hold(table);

	if (!n)
		return;
	fg_table_sort(table);
	qsort_r(table->hold, n, sizeof(*table->hold), compare_items, table);
	remove_order(table, n);
	for (size_t i = 0; i < n; i++) {
		remove_slot(table, table->hold[i]);
		if (fn)
			fn(table->hold[i], arg);
		free(table->hold[i]);
	}
}
