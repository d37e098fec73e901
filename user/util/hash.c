// SPDX-License-Identifier: MIT
/* FNV-1a with the murmur3 finaliser: short, stable, well spread in all bits. */
#include "util/hash.h"

uint64_t fg_hash64(const void *data, size_t len, uint64_t seed)
{
	const unsigned char *bytes = data;
	uint64_t h = 0xcbf29ce484222325ULL ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 0x100000001b3ULL;
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ (h >> 33);
}
