/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* The keyed hash of a masked 5-tuple key, computed alike by the compiler and by the FLT stage. */
#ifndef FLTGATE_HASH_H
#define FLTGATE_HASH_H

#include "fltgate/tables.h"

/* Folds one word into the state; a multiply with a 64-bit odd constant and a xor-shift spread every bit. */
static inline __u64 fg_key_mix(__u64 h, __u32 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

static inline __u64 fg_key_end(__u64 h)
{
	h *= 0xbf58476d1ce4e5b9ULL;
	return h ^ (h >> 32);
}

/* Hash of @key under @tuple's mask. IPv4 keys have one word per address, IPv6 four. Constant @words
 * lets the compiler unroll. */
static inline __u64 fg_key_hash(const __u32 *key, const struct fg_tuple *tuple, int words)
{
	__u64 h = tuple->seed;
	int i;

	for (i = 0; i < words; i++)
		h = fg_key_mix(h, key[FG_KEY_DST + i] & tuple->mask[FG_KEY_DST + i]);
	for (i = 0; i < words; i++)
		h = fg_key_mix(h, key[FG_KEY_SRC + i] & tuple->mask[FG_KEY_SRC + i]);
	h = fg_key_mix(h, key[FG_KEY_PORTS] & tuple->mask[FG_KEY_PORTS]);
	h = fg_key_mix(h, key[FG_KEY_PROTOCOL] & tuple->mask[FG_KEY_PROTOCOL]);
	return fg_key_end(h);
}

/* Parts of the hash: bucket and filter bit from the low half, tag (never 0) from the high half. */
static inline __u32 fg_hash_bucket(__u64 h)
{
	return (__u32)h;
}

static inline __u32 fg_hash_filter(__u64 h)
{
	return (__u32)(h >> 16);
}

static inline __u32 fg_hash_tag(__u64 h)
{
	return (__u32)(h >> 32) | 1;
}

#endif
