// SPDX-License-Identifier: MIT
/* The table of received and configured rules: which sources announce a rule, and which of them decides. */
#include "bgp/rib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "bgp/table.h"

struct fg_rib {
	struct fg_table tables[FG_FAMILIES];
};

struct fg_rib *fg_rib_new(void)
{
	struct fg_rib *rib = calloc(1, sizeof(*rib));
	uint64_t seed;

	if (!rib)
		return NULL;
	/* Peers choose the keys; a seed they do not know keeps them from choosing collisions. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)rib;
	for (int family = 0; family < FG_FAMILIES; family++)
		fg_table_init(&rib->tables[family], family, seed);
	return rib;
}

static void free_dest(struct fg_dest *dest)
{
	while (dest->routes) {
		struct fg_route *route = dest->routes;

		dest->routes = route->next;
		free(route);
	}
	free(dest);
}

void fg_rib_free(struct fg_rib *rib)
{
	if (!rib)
		return;
	for (int family = 0; family < FG_FAMILIES; family++) {
		struct fg_table *table = &rib->tables[family];

		for (size_t i = 0; i < table->n; i++)
			free_dest(table->order[i]);
		fg_table_free(table);
	}
	free(rib);
}

const struct fg_route *fg_dest_best(const struct fg_dest *dest)
{
	const struct fg_route *route = dest->routes;

	while (route && (route->flags & FG_ROUTE_HIDDEN))
		route = route->next;
	return route;
}

static bool same_actions(const struct fg_actions *a, const struct fg_actions *b)
{
	return a->set == b->set && a->dscp == b->dscp && !strcmp(a->redirect, b->redirect) &&
	       (!(a->set & FG_ACTION_RATE_BYTES) || a->rate_bytes == b->rate_bytes) &&
	       (!(a->set & FG_ACTION_RATE_PACKETS) || a->rate_packets == b->rate_packets);
}

static bool same_route(const struct fg_route *a, const struct fg_route *b)
{
	return !((a->flags ^ b->flags) & FG_ROUTE_HIDDEN) && same_actions(&a->actions, &b->actions);
}

/* Where the route of @source is linked, or where it belongs. */
static struct fg_route **route_link(struct fg_dest *dest, uint32_t source)
{
	struct fg_route **link = &dest->routes;

	while (*link && (*link)->source < source)
		link = &(*link)->next;
	return link;
}

static struct fg_dest *new_dest(struct fg_table *table, const uint8_t *nlri, size_t len)
{
	struct fg_dest *dest = calloc(1, sizeof(*dest) + len);

	if (!dest)
		return NULL;
	dest->id = fg_flow_id(table->family, nlri, len);
	dest->family = table->family;
	dest->state = FG_DEST_PENDING;
	dest->slot = FG_NO_RULE;
	dest->nlri_len = len;
	memcpy(dest->nlri, nlri, len);
	if (fg_table_insert(table, dest)) {
		free(dest);
		return NULL;
	}
	return dest;
}

static void replace_route(struct fg_route *old, const struct fg_route *route)
{
	struct fg_route *next = old->next;
	int64_t since = same_route(old, route) ? old->since : route->since;

	*old = *route;
	old->next = next;
	old->since = since;
}

/* Links a copy of @route into *dest, which is made when NULL. */
static int insert_route(struct fg_table *table, struct fg_dest **dest, const uint8_t *nlri,
			size_t len, const struct fg_route *route)
{
	struct fg_route *copy = malloc(sizeof(*copy));
	struct fg_route **link;

	if (!copy)
		return -ENOMEM;
	if (!*dest)
		*dest = new_dest(table, nlri, len);
	if (!*dest) {
		free(copy);
		return -ENOMEM;
	}
	if (!(*dest)->routes)
		(*dest)->state = FG_DEST_PENDING;
	link = route_link(*dest, route->source);
	*copy = *route;
	copy->next = *link;
	*link = copy;
	return 0;
}

/* The deciding actions before and after a change; true when they differ. Then the destination is pending. */
static bool note_change(struct fg_dest *dest, bool had_best, const struct fg_actions *before)
{
	const struct fg_route *best = fg_dest_best(dest);

	if (!best ? !had_best : had_best && same_actions(before, &best->actions))
		return false;
	dest->state = FG_DEST_PENDING;
	return true;
}

int fg_rib_add(struct fg_rib *rib, enum fg_family family, const uint8_t *nlri, size_t len,
	       const struct fg_route *route, bool *ret_changed)
{
	struct fg_table *table = &rib->tables[family];
	struct fg_dest *dest = fg_table_find(table, nlri, len);
	const struct fg_route *best = dest ? fg_dest_best(dest) : NULL;
	bool had_best = best;
	struct fg_actions before = best ? best->actions : (struct fg_actions){ 0 };
	struct fg_route *old = dest ? *route_link(dest, route->source) : NULL;
	int err = 0;

	if (len > FG_NLRI_MAX)
		return -EMSGSIZE;
	if (old && old->source == route->source)
		replace_route(old, route);
	else
		err = insert_route(table, &dest, nlri, len, route);
	if (err)
		return err;
	*ret_changed = note_change(dest, had_best, &before);
	return 0;
}

/* Unlinks and frees *@link; true when the datapath must change or the destination waits to be reaped. */
static bool remove_route(struct fg_table *table, struct fg_dest *dest, struct fg_route **link)
{
	const struct fg_route *best = fg_dest_best(dest);
	bool had_best = best;
	struct fg_actions before = best ? best->actions : (struct fg_actions){ 0 };
	struct fg_route *gone = *link;

	*link = gone->next;
	free(gone);
	if (dest->routes)
		return note_change(dest, had_best, &before);
	dest->state = FG_DEST_HOLDDOWN;
	fg_table_hold(table, dest);
	return true;
}

bool fg_rib_withdraw(struct fg_rib *rib, enum fg_family family, uint32_t source,
		     const uint8_t *nlri, size_t len)
{
	struct fg_table *table = &rib->tables[family];
	struct fg_dest *dest = fg_table_find(table, nlri, len);
	struct fg_route **link = dest ? route_link(dest, source) : NULL;

	if (!link || !*link || (*link)->source != source)
		return false;
	return remove_route(table, dest, link);
}

size_t fg_rib_mark_stale(struct fg_rib *rib, uint32_t source)
{
	size_t touched = 0;

	for (int family = 0; family < FG_FAMILIES; family++) {
		struct fg_table *table = &rib->tables[family];

		for (size_t i = 0; i < table->n; i++) {
			struct fg_route *route = *route_link(table->order[i], source);

			if (!route || route->source != source)
				continue;
			route->flags |= FG_ROUTE_STALE;
			touched++;
		}
	}
	return touched;
}

/* Removes the routes of @source that have all of @flags. */
static size_t remove_all(struct fg_table *table, uint32_t source, uint32_t flags)
{
	size_t touched = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct fg_route **link = route_link(table->order[i], source);

		if (!*link || (*link)->source != source || ((*link)->flags & flags) != flags)
			continue;
		(void)remove_route(table, table->order[i], link);
		touched++;
	}
	return touched;
}

size_t fg_rib_sweep_stale(struct fg_rib *rib, uint32_t source, int family)
{
	size_t touched = 0;

	for (int f = 0; f < FG_FAMILIES; f++)
		if (family < 0 || family == f)
			touched += remove_all(&rib->tables[f], source, FG_ROUTE_STALE);
	return touched;
}

size_t fg_rib_withdraw_source(struct fg_rib *rib, uint32_t source)
{
	return remove_all(&rib->tables[FG_INET], source, 0) +
	       remove_all(&rib->tables[FG_INET6], source, 0);
}

void fg_rib_reap(struct fg_rib *rib, enum fg_family family,
		 void (*fn)(struct fg_dest *dest, void *arg), void *arg)
{
	fg_table_reap(&rib->tables[family], fn, arg);
}

struct fg_dest **fg_rib_ordered(struct fg_rib *rib, enum fg_family family, size_t *ret_n)
{
	struct fg_table *table = &rib->tables[family];

	fg_table_sort(table);
	*ret_n = table->n;
	return table->order;
}

static void count_dest(const struct fg_dest *dest, struct fg_rib_counts *counts)
{
	counts->destinations++;
	counts->active += fg_dest_best(dest) != NULL;
	counts->holddown += !dest->routes;
	for (const struct fg_route *route = dest->routes; route; route = route->next) {
		counts->routes++;
		counts->hidden += (route->flags & FG_ROUTE_HIDDEN) != 0;
	}
}

void fg_rib_count(struct fg_rib *rib, enum fg_family family, struct fg_rib_counts *ret)
{
	const struct fg_table *table = &rib->tables[family];

	*ret = (struct fg_rib_counts){ 0 };
	for (size_t i = 0; i < table->n; i++)
		count_dest(table->order[i], ret);
}
