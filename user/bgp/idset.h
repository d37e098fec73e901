/* SPDX-License-Identifier: MIT */
/* A set of rule identities: what one session has announced, for the prefix limit. */
#ifndef FG_BGP_IDSET_H
#define FG_BGP_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, or set @seed so that a peer cannot choose collisions. Identity 0 cannot be a member. */
struct fg_idset {
	uint64_t *slots;
	size_t n_slots, n;
	uint64_t seed;
};

bool fg_idset_has(const struct fg_idset *set, uint64_t id);
/* 0 or -ENOMEM. A member already there is fine. */
int fg_idset_add(struct fg_idset *set, uint64_t id);
void fg_idset_remove(struct fg_idset *set, uint64_t id);
void fg_idset_free(struct fg_idset *set);

#endif
