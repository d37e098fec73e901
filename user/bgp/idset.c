// SPDX-License-Identifier: MIT
/* A set of 64-bit identities by open addressing, at most half full. */
#include "bgp/idset.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hash.h"

#define IDSET_MIN 64

static size_t home_of(const struct fg_idset *set, uint64_t id)
{
	return fg_hash64(&id, sizeof(id), set->seed) & (set->n_slots - 1);
}

/* The slot where @id is, or the empty one where it belongs. */
static size_t slot_of(const struct fg_idset *set, uint64_t id)
{
	size_t i = home_of(set, id);

	while (set->slots[i] && set->slots[i] != id)
		i = (i + 1) & (set->n_slots - 1);
	return i;
}

bool fg_idset_has(const struct fg_idset *set, uint64_t id)
{
	return set->n_slots && set->slots[slot_of(set, id)];
}

static int grow(struct fg_idset *set)
{
	uint64_t *old = set->slots;
	size_t n_old = set->n_slots;

	if (set->n * 2 < n_old)
		return 0;
	set->slots = calloc(n_old ? n_old * 2 : IDSET_MIN, sizeof(*set->slots));
	if (!set->slots) {
		set->slots = old;
		return -ENOMEM;
	}
	set->n_slots = n_old ? n_old * 2 : IDSET_MIN;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			set->slots[slot_of(set, old[i])] = old[i];
	free(old);
	return 0;
}

int fg_idset_add(struct fg_idset *set, uint64_t id)
{
	int err = grow(set);
	size_t i;

	if (err)
		return err;
	i = slot_of(set, id);
	set->n += !set->slots[i];
	set->slots[i] = id;
	return 0;
}

void fg_idset_remove(struct fg_idset *set, uint64_t id)
{
	size_t mask = set->n_slots - 1, hole;

	if (!fg_idset_has(set, id))
		return;
	hole = slot_of(set, id);
	/* Followers that probed past the hole move back (Knuth 6.4, algorithm R). */
	for (size_t i = (hole + 1) & mask; set->slots[i]; i = (i + 1) & mask) {
		size_t home = home_of(set, set->slots[i]);

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			set->slots[hole] = set->slots[i];
			hole = i;
		}
	}
	set->slots[hole] = 0;
	set->n--;
}

void fg_idset_free(struct fg_idset *set)
{
	free(set->slots);
	*set = (struct fg_idset){ .seed = set->seed };
}
