/* SPDX-License-Identifier: MIT */
/* Hash of byte strings, for tables and for identities that must stay the same over restarts. */
#ifndef FG_UTIL_HASH_H
#define FG_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit FNV-1a followed by a finaliser; stable over versions and machines. Chain calls by passing the
 * last result as @seed (0 to start). */
uint64_t fg_hash64(const void *data, size_t len, uint64_t seed);

#endif
