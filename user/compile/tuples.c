// SPDX-License-Identifier: MIT
/* Groups rules by mask; while there are more masks than tuples, the rare ones lose bits and join others. */
#include "compile/tuples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/hash.h"

#define FG_UNASSIGNED 0xff

/* One distinct mask at the current level. */
struct mask_group {
	uint32_t mask[FG_KEY_WORDS];
	uint32_t count;
	uint32_t first; /* its best rule */
	uint8_t tuple;
};

struct planner {
	const struct fg_region *regions;
	size_t n;
	struct fg_tuple_plan *plan;
	uint32_t *group_of;           /* [n] */
	struct fg_image_table groups; /* struct mask_group */
	size_t groups_capacity;
	struct fg_idmap index;
};

/* What a level keeps of a mask. Addresses lose bits below a multiple of @step (in a 128-bit address; a quarter of it in
 * IPv4's one word), ports and protocol become whole or nothing. */
struct mask_level {
	unsigned address_step; /* 1: exact */
	bool whole_ports;
	bool keep_source;
	bool keep_addresses;
	bool keep_rest;
};

static const struct mask_level levels[] = {
	{ 1, false, true, true, true },   { 1, true, true, true, true },
	{ 8, true, true, true, true },    { 16, true, true, true, true },
	{ 16, true, false, true, true },  { 32, true, false, true, true },
	{ 32, true, false, true, false }, { 32, true, false, false, false },
};

static uint32_t whole_field(uint32_t mask, uint32_t field)
{
	return (mask & field) == field ? field : 0;
}

/* Keeps the pieces of @step bits that are set completely. */
static uint32_t coarse_word(uint32_t mask, unsigned step)
{
	uint32_t kept = 0;

	if (step == 1)
		return mask;
	for (unsigned at = 0; at < 32; at += step) {
		uint32_t piece = (uint32_t)(((1ULL << step) - 1) << at);

		kept |= whole_field(mask, piece);
	}
	return kept;
}

static void mask_at_level(const struct fg_region *region, const struct mask_level *level,
			  uint32_t *mask)
{
	uint32_t ports = region->mask[FG_KEY_PORTS], protocol = region->mask[FG_KEY_PROTOCOL];

	memset(mask, 0, FG_KEY_WORDS * sizeof(*mask));
	for (unsigned i = 0; i < 4; i++) {
		if (level->keep_addresses)
			mask[FG_KEY_DST + i] =
				coarse_word(region->mask[FG_KEY_DST + i], level->address_step);
		if (level->keep_source)
			mask[FG_KEY_SRC + i] =
				coarse_word(region->mask[FG_KEY_SRC + i], level->address_step);
	}
	if (!level->keep_rest)
		return;
	mask[FG_KEY_PROTOCOL] = whole_field(protocol, 0xff);
	mask[FG_KEY_PORTS] =
		level->whole_ports ? whole_field(ports, 0xffff0000) | whole_field(ports, 0x0000ffff)
				   : ports;
}

/* Finds or makes the group of @mask; equal hashes of different masks would only coarsen, but are told apart. */
static int group_get(struct planner *planner, const uint32_t *mask, uint32_t *ret_group)
{
	uint64_t hash = fg_hash64(mask, FG_KEY_WORDS * sizeof(*mask), 0);

	for (;; hash = fg_hash64(&hash, sizeof(hash), 1)) {
		struct mask_group *groups;
		uint32_t *at;
		int added;

		if (fg_idmap_get(&planner->index, hash, &at, &added))
			return -ENOMEM;
		if (added) {
			struct mask_group *group =
				fg_table_grow(&planner->groups, &planner->groups_capacity, 1);

			if (!group)
				return -ENOMEM;
			*group = (struct mask_group){ .tuple = FG_UNASSIGNED };
			memcpy(group->mask, mask, sizeof(group->mask));
			*at = (uint32_t)planner->groups.n++;
		}
		groups = planner->groups.data;
		if (!memcmp(groups[*at].mask, mask, sizeof(groups[*at].mask))) {
			*ret_group = *at;
			return 0;
		}
	}
}

static int group_regions(struct planner *planner, const struct mask_level *level)
{
	planner->groups.n = 0;
	fg_idmap_free(&planner->index);
	for (size_t i = 0; i < planner->n; i++) {
		uint32_t mask[FG_KEY_WORDS], group;
		struct mask_group *groups;

		if (planner->plan->tuple_of[i] != FG_UNASSIGNED)
			continue;
		mask_at_level(&planner->regions[i], level, mask);
		if (group_get(planner, mask, &group))
			return -ENOMEM;
		groups = planner->groups.data;
		if (!groups[group].count++)
			groups[group].first = (uint32_t)i;
		planner->group_of[i] = group;
	}
	return 0;
}

static int group_more_popular(const void *a, const void *b)
{
	const struct mask_group *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count < (*y)->count ? 1 : -1;
	return (*x)->first > (*y)->first ? 1 : -1;
}

/* The tuple of a group's mask: one that already has it, or a new one. */
static uint8_t tuple_for(struct fg_tuple_plan *plan, const struct mask_group *group)
{
	for (size_t i = 0; i < plan->n_tuples; i++)
		if (!memcmp(plan->tuple[i].mask, group->mask, sizeof(group->mask)))
			return (uint8_t)i;
	memcpy(plan->tuple[plan->n_tuples].mask, group->mask, sizeof(group->mask));
	return (uint8_t)plan->n_tuples++;
}

/* Turns the most popular groups into tuples: all of them when they fit into @room, else half of the room, so that the
 * coarser levels find some. Returns whether all were placed. */
static int place_groups(struct planner *planner, size_t room, bool *ret_all)
{
	struct mask_group *groups = planner->groups.data;
	size_t n = planner->groups.n, keep = n <= room ? n : room / 2;
	FG_AUTO_FREE struct mask_group **order = calloc(n ? n : 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = &groups[i];
	qsort(order, n, sizeof(*order), group_more_popular);
	for (size_t i = 0; i < keep; i++)
		order[i]->tuple = tuple_for(planner->plan, order[i]);
	for (size_t i = 0; i < planner->n; i++)
		if (planner->plan->tuple_of[i] == FG_UNASSIGNED)
			planner->plan->tuple_of[i] = groups[planner->group_of[i]].tuple;
	*ret_all = keep == n;
	return 0;
}

static int plan_levels(struct planner *planner, size_t max)
{
	struct fg_tuple_plan *plan = planner->plan;
	bool all = false;

	for (unsigned level = 0; !all && level < FG_ARRAY_SIZE(levels); level++) {
		int err = group_regions(planner, &levels[level]);

		if (!err)
			err = place_groups(planner, max - plan->n_tuples, &all);
		if (err)
			return err;
		plan->level = level;
	}
	/* The last level has one mask, all wild, and the halving of the room leaves it a place. */
	return all ? 0 : -E2BIG;
}

int fg_tuple_plan(const struct fg_region *regions, size_t n, size_t max, struct fg_tuple_plan *ret)
{
	struct planner planner = { .regions = regions, .n = n, .plan = ret };
	int err = -ENOMEM;

	*ret = (struct fg_tuple_plan){ 0 };
	planner.groups.element = sizeof(struct mask_group);
	planner.group_of = calloc(n ? n : 1, sizeof(*planner.group_of));
	ret->tuple_of = malloc(n ? n : 1);
	if (planner.group_of && ret->tuple_of) {
		memset(ret->tuple_of, FG_UNASSIGNED, n);
		err = plan_levels(&planner, max);
	}
	free(planner.group_of);
	free(planner.groups.data);
	fg_idmap_free(&planner.index);
	if (err)
		fg_tuple_plan_free(ret);
	return err;
}

void fg_tuple_plan_free(struct fg_tuple_plan *plan)
{
	free(plan->tuple_of);
	plan->tuple_of = NULL;
}
