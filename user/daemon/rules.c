// SPDX-License-Identifier: MIT
/* From the rib to the datapath: changes are gathered for a moment, compiled, and installed as one
 * generation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "daemon/daemon.h"
#include "util/cleanup.h"
#include "util/text.h"

#define COALESCE_MS 10 /* quiet time that ends a burst of changes */
#define COALESCE_MAX_MS \
	100 /* a change waits no longer than this (and twice the time an installation takes) */
#define RETRY_MS 1000 /* after an installation that failed */
#define HOLD_S 30     /* an adopted generation without a state file waits so long for the peers */

static const char *const family_names[FG_FAMILIES] = { "inet", "inet6" };

/* --- one generation --------------------------------------------------------------------------- */

/* What goes into a compilation: the rules that have a route and a counter slot, and the destination
 * of each. */
struct selection {
	struct fg_rule_source *rules;
	struct fg_dest **dests;
	size_t n;
};

static void selection_free(struct selection *s)
{
	free(s->rules);
	free(s->dests);
}

/* A rule without a slot cannot be counted or limited: it is left out and says so. */
static bool give_slot(struct fg_daemon *daemon, struct fg_dest *dest)
{
	struct fg_error err = { 0 };

	if (dest->slot != FG_NO_RULE)
		return true;
	if (fg_dp_slot_get(daemon->dp, dest->family, dest->id, &dest->slot, &err) == 0)
		return true;
	dest->state = FG_DEST_NOT_INSTALLED;
	dest->reason = "no counter slot is free: raise system rule-capacity";
	return false;
}

static int select_rules(struct fg_daemon *daemon, enum fg_family family, struct selection *s)
{
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);

	s->rules = calloc(n + 1, sizeof(*s->rules));
	s->dests = calloc(n + 1, sizeof(struct fg_dest *));
	if (!s->rules || !s->dests)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct fg_route *best = fg_dest_best(all[i]);

		if (!best || !give_slot(daemon, all[i]))
			continue;
		s->dests[s->n] = all[i];
		s->rules[s->n++] = (struct fg_rule_source){
			.nlri = all[i]->nlri,
			.nlri_len = all[i]->nlri_len,
			.actions = &best->actions,
			.counter = all[i]->slot,
		};
	}
	return 0;
}

/* Above maximum-rules the whole family is matched without the FLT stage, as the MX301 does above
 * 3,500. */
static enum fg_mode choose_mode(struct fg_daemon *daemon, enum fg_family family, size_t n)
{
	const struct fg_conf *conf = daemon->conf;
	struct fg_family_state *state = &daemon->family[family];
	bool fallback =
		conf->flt[family] && conf->flt_maximum[family] && n > conf->flt_maximum[family];

	if (fallback && !state->fallback)
		fg_log(FG_LOG_WARNING,
		       "%s: %zu rules, maximum-rules is %u: the family falls back from FLT to DMEM",
		       family_names[family], n, conf->flt_maximum[family]);
	if (!fallback && state->fallback)
		fg_log(FG_LOG_NOTICE, "%s: %zu rules fit again: back from DMEM to FLT",
		       family_names[family], n);
	state->fallback = fallback;
	return conf->flt[family] && !fallback ? FG_MODE_FLT : FG_MODE_DMEM;
}

static void set_states(const struct selection *s, const struct fg_image *image)
{
	for (size_t i = 0; i < s->n; i++) {
		struct fg_dest *dest = s->dests[i];

		dest->reason = NULL;
		switch (image->state[i]) {
		case FG_RULE_INSTALLED:
			dest->state = FG_DEST_ACTIVE;
			break;
		case FG_RULE_NEVER_MATCHES:
			dest->state = FG_DEST_NEVER_MATCHES;
			break;
		case FG_RULE_UNSUPPORTED:
			dest->state = FG_DEST_NOT_INSTALLED;
			dest->reason = fg_actions_unsupported(s->rules[i].actions);
			break;
		}
	}
}

static void put_slot(struct fg_dest *dest, void *arg)
{
	struct fg_daemon *daemon = arg;

	if (dest->slot != FG_NO_RULE)
		(void)fg_dp_slot_put(daemon->dp, dest->family, dest->id);
	dest->slot = FG_NO_RULE;
}

/* Destinations that left the datapath with this generation give their slots back. */
static void release_unused(struct fg_daemon *daemon, enum fg_family family)
{
	size_t n = 0;
	struct fg_dest **all;

	fg_rib_reap(daemon->rib, family, put_slot, daemon);
	all = fg_rib_ordered(daemon->rib, family, &n);
	for (size_t i = 0; i < n; i++)
		if (!fg_dest_best(all[i]))
			put_slot(all[i], daemon);
}

static uint32_t hash_seed(void)
{
	uint32_t seed = 0;

	/* Keyed, so that nobody can choose packets that collide. */
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint32_t)fg_now_ms();
	return seed | 1;
}

static void free_image(struct fg_image **image)
{
	fg_image_free(*image);
}

static int build_and_switch(struct fg_daemon *daemon, enum fg_family family, struct fg_error *err)
{
	FG_CLEANUP(selection_free) struct selection s = { 0 };
	FG_CLEANUP(free_image) struct fg_image *image = NULL;
	struct fg_family_state *state = &daemon->family[family];
	struct fg_compile_options options = { .seed = hash_seed(), .token = state->token + 1 };
	int r = select_rules(daemon, family, &s);

	if (r < 0)
		return fg_error_set(err, r, "out of memory");
	options.mode = choose_mode(daemon, family, s.n);
	r = fg_compile(family, s.rules, s.n, &options, &image, err);
	if (r == 0)
		r = fg_dp_install(daemon->dp, image, err);
	if (r < 0)
		return r;
	set_states(&s, image);
	state->mode = options.mode;
	state->token = options.token;
	state->footprint = image->footprint;
	state->installed = fg_now();
	release_unused(daemon, family);
	if (daemon->adopted && !state->reclaimed)
		fg_log(FG_LOG_DEBUG, "%s: %zu counter slots of unknown rules freed",
		       family_names[family], fg_slots_reclaim(daemon, family));
	state->reclaimed = true;
	return 0;
}

/* --- gathering -------------------------------------------------------------------------------- */

static void schedule(struct fg_daemon *daemon, int64_t ms)
{
	const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };

	(void)event_add(daemon->install_timer, &wait);
}

static void install(struct fg_daemon *daemon, enum fg_family family)
{
	struct fg_family_state *state = &daemon->family[family];
	struct fg_error err = { 0 };
	int64_t begin = fg_now_ms();
	int r = build_and_switch(daemon, family, &err);

	state->cost_ms = fg_now_ms() - begin;
	if (r < 0) {
		if (strcmp(err.what, state->error.what) != 0) /* once, not every second */
			(void)fg_log_error(&err);
		state->error = err;
		schedule(daemon, RETRY_MS);
		return;
	}
	state->error = (struct fg_error){ 0 };
	state->changed = false;
	fg_log(FG_LOG_DEBUG, "%s: generation %u with %zu rules in %lld ms", family_names[family],
	       state->token, state->footprint.rules, (long long)state->cost_ms);
}

void fg_rules_flush(struct fg_daemon *daemon)
{
	if (daemon->hold)
		return;
	for (int f = 0; f < FG_FAMILIES; f++)
		if (daemon->family[f].changed)
			install(daemon, (enum fg_family)f);
}

void fg_rules_changed(struct fg_daemon *daemon, enum fg_family family)
{
	struct fg_family_state *state = &daemon->family[family];
	int64_t now = fg_now_ms(), patience, left;

	if (!state->changed)
		state->first_ms = now;
	state->changed = true;
	patience = state->cost_ms * 2 > COALESCE_MAX_MS ? state->cost_ms * 2 : COALESCE_MAX_MS;
	left = state->first_ms + patience - now;
	schedule(daemon, left < 0 ? 0 : left < COALESCE_MS ? left : COALESCE_MS);
}

static void on_install(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	fg_rules_flush(arg);
}

void fg_rules_release(struct fg_daemon *daemon)
{
	if (!daemon->hold)
		return;
	daemon->hold = false;
	(void)event_del(daemon->hold_timer);
	fg_rules_flush(daemon);
	fg_state_changed(daemon);
}

static void on_hold_end(evutil_socket_t fd, short what, void *arg)
{
	struct fg_daemon *daemon = arg;

	(void)fd;
	(void)what;
	fg_log(FG_LOG_WARNING,
	       "not all peers sent their rules within %d s: the adopted generation is replaced",
	       HOLD_S);
	fg_rules_release(daemon);
}

void fg_rules_hold(struct fg_daemon *daemon)
{
	const struct timeval wait = { HOLD_S, 0 };

	daemon->hold = true;
	(void)event_add(daemon->hold_timer, &wait);
	fg_log(FG_LOG_WARNING,
	       "adopted a running instance without its state file: its generation stays until all "
	       "peers have sent their rules, at most %d s",
	       HOLD_S);
}

int fg_rules_init(struct fg_daemon *daemon)
{
	daemon->install_timer = evtimer_new(daemon->base, on_install, daemon);
	daemon->hold_timer = evtimer_new(daemon->base, on_hold_end, daemon);
	if (!daemon->install_timer || !daemon->hold_timer)
		return -ENOMEM;
	/* Even an empty rib is installed once, so that what runs is what is known. */
	for (int f = 0; f < FG_FAMILIES; f++) {
		daemon->family[f].changed = true;
		daemon->family[f].first_ms = fg_now_ms();
		daemon->family[f].token = (uint32_t)fg_now() & 0xffffff;
	}
	return 0;
}

/* --- routes ----------------------------------------------------------------------------------- */

static void judge(const struct fg_peer *peer, enum fg_family family, const uint8_t *nlri,
		  size_t len, struct fg_route *route)
{
	static struct fg_flow flow;
	struct fg_flow_fault fault;
	bool allowed =
		fg_flow_decode(family, nlri, len, &flow, &fault) == 0 &&
		fg_destination_allowed(peer->conf->allowed, peer->conf->n_allowed, family, &flow);

	route->flags &= ~(uint32_t)FG_ROUTE_HIDDEN;
	route->reason[0] = '\0';
	if (allowed)
		return;
	route->flags |= FG_ROUTE_HIDDEN;
	fg_text_copy(route->reason, sizeof(route->reason),
		     "destination is not within the peer's allowed-destinations");
}

static void add_route(struct fg_daemon *daemon, enum fg_family family, const uint8_t *nlri,
		      size_t len, const struct fg_route *route)
{
	bool changed = false;
	int r = fg_rib_add(daemon->rib, family, nlri, len, route, &changed);

	if (r < 0)
		fg_log(FG_LOG_ERROR, "a rule of %s is lost: %s",
		       fg_source_name(daemon, route->source), strerror(-r));
	if (changed)
		fg_rules_changed(daemon, family);
}

void fg_rules_add(struct fg_daemon *daemon, const struct fg_peer *peer, enum fg_family family,
		  const uint8_t *nlri, size_t len, const struct fg_actions *actions, int64_t since,
		  uint32_t flags)
{
	struct fg_route route = { .source = peer->number,
				  .flags = flags,
				  .since = since,
				  .actions = *actions };

	judge(peer, family, nlri, len, &route);
	add_route(daemon, family, nlri, len, &route);
}

int fg_rules_apply_static(struct fg_daemon *daemon, struct fg_error *err)
{
	const struct fg_conf *conf = daemon->conf;

	(void)fg_rib_mark_stale(daemon->rib, FG_RIB_STATIC);
	for (size_t i = 0; i < conf->n_routes; i++) {
		const struct fg_conf_route *from = &conf->routes[i];
		struct fg_route route = {
			.source = FG_RIB_STATIC,
			.since = fg_now(),
			.actions = from->actions,
			.line = from->place.line,
		};
		bool changed = false;

		fg_text_copy(route.name, sizeof(route.name), from->name);
		if (fg_rib_add(daemon->rib, from->family, from->nlri, from->nlri_len, &route,
			       &changed) < 0)
			return fg_error_set(err, -ENOMEM, "out of memory");
		if (changed)
			fg_rules_changed(daemon, from->family);
	}
	if (fg_rib_sweep_stale(daemon->rib, FG_RIB_STATIC, -1)) {
		fg_rules_changed(daemon, FG_INET);
		fg_rules_changed(daemon, FG_INET6);
	}
	return 0;
}

/* --- after a reload: who is allowed what ------------------------------------------------------ */

/* A route whose judgement changed; kept apart because adding to the rib moves what is being
 * walked. */
struct verdict {
	struct verdict *next;
	struct fg_route route;
	uint16_t len;
	uint8_t nlri[];
};

static void recheck_dest(struct fg_daemon *daemon, const struct fg_dest *dest,
			 struct verdict **list)
{
	for (const struct fg_route *route = dest->routes; route; route = route->next) {
		const struct fg_peer *peer = fg_peer_by_number(daemon, route->source);
		struct fg_route copy = *route;
		struct verdict *v;

		if (!peer)
			continue;
		judge(peer, dest->family, dest->nlri, dest->nlri_len, &copy);
		if (copy.flags == route->flags)
			continue;
		v = malloc(sizeof(*v) + dest->nlri_len);
		if (!v)
			return;
		v->next = *list;
		v->route = copy;
		v->len = dest->nlri_len;
		memcpy(v->nlri, dest->nlri, dest->nlri_len);
		*list = v;
	}
}

void fg_rules_recheck(struct fg_daemon *daemon)
{
	for (int f = 0; f < FG_FAMILIES; f++) {
		struct verdict *list = NULL;
		size_t n = 0;
		struct fg_dest **all = fg_rib_ordered(daemon->rib, (enum fg_family)f, &n);

		for (size_t i = 0; i < n; i++)
			recheck_dest(daemon, all[i], &list);
		while (list) {
			FG_AUTO_FREE struct verdict *v = list;

			list = v->next;
			add_route(daemon, (enum fg_family)f, v->nlri, v->len, &v->route);
		}
	}
}
