/* SPDX-License-Identifier: MIT */
/* The table of received and configured rules: inetflow.0 and inet6flow.0, destinations against routes, in rank order. */
#ifndef FG_BGP_RIB_H
#define FG_BGP_RIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flowspec/actions.h"
#include "flowspec/flowspec.h"
#include "util/error.h"

/* Source 0 is the configuration; BGP peers have other numbers given by the caller. */
#define FG_RIB_STATIC 0

enum fg_route_flags {
	FG_ROUTE_STALE = 1,  /* its source is gone; kept until swept */
	FG_ROUTE_HIDDEN = 2, /* refused: never a candidate for the datapath; @reason says why */
};

/* One source's announcement of a rule. */
struct fg_route {
	struct fg_route *next; /* other sources of the same rule, best (lowest source) first */
	uint32_t source;
	uint32_t flags;
	int64_t since; /* CLOCK_REALTIME seconds when it came or changed */
	struct fg_actions actions;
	char name[64];    /* configured rules: their name */
	uint32_t line;    /* configured rules: line in the configuration */
	char reason[128]; /* why hidden */
};

/* What the datapath made of a destination; written by the daemon. */
enum fg_dest_state {
	FG_DEST_PENDING, /* changed since the last generation */
	FG_DEST_ACTIVE,  /* in the running generation */
	FG_DEST_NEVER_MATCHES,
	FG_DEST_NOT_INSTALLED, /* @reason */
	FG_DEST_HOLDDOWN,      /* withdrawn by all sources, still in the running generation */
};

/* One distinct rule (NLRI). */
struct fg_dest {
	uint64_t id;
	enum fg_family family;
	enum fg_dest_state state;
	const char *reason;      /* static text, NOT_INSTALLED only */
	uint32_t slot;           /* counter slot, FG_NO_RULE when it has none */
	struct fg_route *routes; /* best first; NULL while in holddown */
	bool held;               /* private to the rib: queued for fg_rib_reap() */
	uint16_t nlri_len;
	uint8_t nlri[]; /* normalised value */
};

struct fg_rib;

struct fg_rib *fg_rib_new(void);
void fg_rib_free(struct fg_rib *rib);

/* Adds or replaces one source's route for a normalised NLRI; @route is copied (its source, flags, actions, name,
 * line and reason; @since only when the route is new or differs). *ret_changed: the rules of the datapath must be
 * rebuilt. 0, -ENOMEM, -EMSGSIZE above FG_NLRI_MAX. */
int fg_rib_add(struct fg_rib *rib, enum fg_family family, const uint8_t *nlri, size_t len,
	       const struct fg_route *route, bool *ret_changed);

/* Withdraws one source's route; unknown is not an error. A destination left without routes goes to holddown until
 * fg_rib_reap(). Returns true when the datapath must be rebuilt or a destination waits to be reaped. */
bool fg_rib_withdraw(struct fg_rib *rib, enum fg_family family, uint32_t source,
		     const uint8_t *nlri, size_t len);

/* Everything of a source: mark stale, unmark nothing; remove stale ones; remove all. Each returns the number of
 * routes touched. fg_rib_add() of a stale route makes it fresh. */
size_t fg_rib_mark_stale(struct fg_rib *rib, uint32_t source);
size_t fg_rib_sweep_stale(struct fg_rib *rib, uint32_t source, int family); /* family -1: both */
size_t fg_rib_withdraw_source(struct fg_rib *rib, uint32_t source);

/* Frees destinations in holddown of a family (they left the datapath with the last generation); calls @fn (may be NULL)
 * for each before it goes. */
void fg_rib_reap(struct fg_rib *rib, enum fg_family family,
		 void (*fn)(struct fg_dest *dest, void *arg), void *arg);

/* Destinations of a family in order of precedence (RFC 8955 5.1), holddown included. The array stays owned by the rib and
 * valid until the next change. */
struct fg_dest **fg_rib_ordered(struct fg_rib *rib, enum fg_family family, size_t *ret_n);

/* The route that decides: best not hidden, NULL if none. */
const struct fg_route *fg_dest_best(const struct fg_dest *dest);

/* The numbers of the header line of `show route table`: "N destinations, N routes (N active, N holddown, N hidden)".
 * Active: destinations with a route that is not hidden; holddown: destinations; hidden: routes. */
struct fg_rib_counts {
	size_t destinations, routes, active, holddown, hidden;
};
void fg_rib_count(struct fg_rib *rib, enum fg_family family, struct fg_rib_counts *ret);

#endif
