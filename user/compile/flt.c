// SPDX-License-Identifier: MIT
/* Hashes every rule's key, sorts by bucket and writes chains, buckets and filter. Keys that collide in bucket and tag
 * share a chain: the residual stage checks every condition, so that costs time, never a verdict. */
#include "compile/flt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fltgate/hash.h"
#include "util/cleanup.h"
#include "util/hash.h"

#define FG_FILTER_BITS_PER_KEY 16
#define FG_KEYS_PER_BUCKET 2 /* aimed at; more than FG_BUCKET_KEYS in one doubles the table */
#define FG_BUCKETS_MAX (1U << 26)

struct key_entry {
	uint32_t bucket;
	uint32_t tag;
	uint32_t rule;
	uint32_t low; /* the low half of the hash: bucket under a larger mask, filter bit */
	uint32_t filter;
};

static int entry_compare(const void *a, const void *b)
{
	const struct key_entry *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->rule < y->rule ? -1 : 1;
}

static size_t power_of_two(size_t at_least)
{
	size_t size = 1;

	while (size < at_least)
		size *= 2;
	return size;
}

static void hash_entries(struct key_entry *entry, const struct fg_region *regions, size_t n,
			 const struct fg_tuple_plan *plan, const struct fg_meta *meta,
			 enum fg_family family)
{
	for (size_t i = 0; i < n; i++) {
		/* The tuple's mask is a subset of the rule's: its value covers the key. */
		uint64_t h = fg_key_hash(regions[i].value, &meta->tuple[plan->tuple_of[i]],
					 family == FG_INET ? 1 : 4);

		entry[i] = (struct key_entry){ .tag = fg_hash_tag(h),
					       .rule = (uint32_t)i,
					       .low = fg_hash_bucket(h),
					       .filter = fg_hash_filter(h) };
	}
}

static bool same_key(const struct key_entry *a, const struct key_entry *b)
{
	return a->bucket == b->bucket && a->tag == b->tag;
}

/* Sorts by bucket under @mask. The number of keys, or 0 when a bucket would overflow. */
static size_t place_entries(struct key_entry *entry, size_t n, uint32_t mask)
{
	size_t keys = 0, in_bucket = 0;

	for (size_t i = 0; i < n; i++)
		entry[i].bucket = entry[i].low & mask;
	qsort(entry, n, sizeof(*entry), entry_compare);
	for (size_t i = 0; i < n; i++) {
		if (i && same_key(&entry[i], &entry[i - 1]))
			continue;
		in_bucket = i && entry[i].bucket == entry[i - 1].bucket ? in_bucket + 1 : 1;
		if (in_bucket > FG_BUCKET_KEYS)
			return 0;
		keys++;
	}
	return keys;
}

/* Writes a run of rules with one key; returns what the bucket stores. */
static int chain_write(struct fg_image_table *chains, size_t *capacity,
		       const struct key_entry *entry, size_t n, uint32_t *ret_chain)
{
	uint32_t *room;

	if (n == 1) {
		*ret_chain = entry->rule | FG_CHAIN_SINGLE;
		return 0;
	}
	room = fg_table_grow(chains, capacity, n + 1);
	if (!room)
		return -ENOMEM;
	room[0] = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		room[i + 1] = entry[i].rule;
	*ret_chain = (uint32_t)chains->n;
	chains->n += n + 1;
	return 0;
}

static void bucket_add(struct fg_bucket *bucket, uint32_t tag, uint32_t chain)
{
	for (unsigned i = 0; i < FG_BUCKET_KEYS; i++) {
		if (bucket->tag[i])
			continue;
		bucket->tag[i] = tag;
		bucket->chain[i] = chain;
		return;
	}
}

static int write_tables(struct fg_image *image, struct fg_meta *meta, const struct key_entry *entry,
			size_t n)
{
	struct fg_bucket *buckets = image->table[FG_TABLE_BUCKETS].data;
	uint64_t *filter = image->table[FG_TABLE_FILTER].data;
	size_t capacity = 0, run;

	for (size_t i = 0; i < n; i += run) {
		uint32_t chain;

		for (run = 1; i + run < n && same_key(&entry[i], &entry[i + run]); run++)
			;
		if (chain_write(&image->table[FG_TABLE_CHAINS], &capacity, &entry[i], run, &chain))
			return -ENOMEM;
		bucket_add(&buckets[entry[i].bucket], entry[i].tag, chain);
		for (size_t j = i; j < i + run; j++) {
			uint32_t bit = entry[j].filter & meta->filter_mask;

			filter[bit / 64] |= 1ULL << (bit % 64);
		}
		if (run > image->footprint.chain_max)
			image->footprint.chain_max = run;
	}
	return 0;
}

static int table_alloc(struct fg_image *image, enum fg_table table, size_t n)
{
	image->table[table].data = calloc(n, image->table[table].element);
	image->table[table].n = n;
	return image->table[table].data ? 0 : -ENOMEM;
}

int fg_flt_emit(struct fg_image *image, struct fg_meta *meta, const struct fg_region *regions,
		size_t n, const struct fg_tuple_plan *plan, uint32_t seed)
{
	FG_AUTO_FREE struct key_entry *entry = calloc(n ? n : 1, sizeof(*entry));
	size_t buckets = power_of_two(n / FG_KEYS_PER_BUCKET + 1), keys = 0;
	size_t bits = power_of_two(n * FG_FILTER_BITS_PER_KEY + 64);

	if (!entry)
		return -ENOMEM;
	meta->n_tuples = (__u32)plan->n_tuples;
	for (size_t i = 0; i < plan->n_tuples; i++) {
		meta->tuple[i] = plan->tuple[i];
		meta->tuple[i].seed = (__u32)fg_hash64(&i, sizeof(i), seed);
	}
	hash_entries(entry, regions, n, plan, meta, image->family);
	for (; n && !(keys = place_entries(entry, n, (uint32_t)buckets - 1)); buckets *= 2)
		if (buckets >= FG_BUCKETS_MAX)
			return -E2BIG;
	meta->bucket_mask = (__u32)buckets - 1;
	meta->filter_mask = (__u32)bits - 1;
	image->footprint.keys = keys;
	if (table_alloc(image, FG_TABLE_BUCKETS, buckets) ||
	    table_alloc(image, FG_TABLE_FILTER, bits / 64))
		return -ENOMEM;
	return write_tables(image, meta, entry, n);
}
