// SPDX-License-Identifier: MIT
/* `protocols bgp`: neighbors with the settings of their group inherited, and what those must agree on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/check.h"
#include "conf/lexer.h"
#include "util/cleanup.h"

static const char *const family_names[FG_FAMILIES] = { [FG_INET] = "inet", [FG_INET6] = "inet6" };

/* A neighbor being checked. @flow: what it asks for of each family, NULL when it does not. */
struct peer {
	const struct fg_node *group, *node;
	const struct fg_node *flow[FG_FAMILIES], *group_flow[FG_FAMILIES];
	struct fg_conf_neighbor *to;
};

/* The neighbor's own statement, else its group's. */
static const struct fg_node *setting(const struct peer *peer, const char *word)
{
	const struct fg_node *own = fg_node_child(peer->node, word);

	return own ? own : fg_node_child(peer->group, word);
}

static uint32_t uint_setting(const struct peer *peer, const char *word, uint32_t value)
{
	const struct fg_node *node = setting(peer, word);

	if (node)
		(void)fg_value_uint(node->words[1], &value);
	return value;
}

static const struct fg_node *family_flow(const struct fg_node *node, const char *family)
{
	for (const struct fg_node *n = node->children; n; n = n->next)
		if (!strcmp(n->words[0], "family") && !strcmp(n->words[1], family))
			return fg_node_child(n, "flow");
	return NULL;
}

static void find_flows(struct peer *peer)
{
	for (int f = 0; f < FG_FAMILIES; f++) {
		peer->flow[f] = family_flow(peer->node, family_names[f]);
		peer->group_flow[f] = family_flow(peer->group, family_names[f]);
		if (peer->flow[f] || peer->group_flow[f])
			peer->to->families |= (uint8_t)(1U << f);
	}
}

static int add_neighbor(struct fg_checker *check, struct peer *peer)
{
	struct fg_conf *conf = check->conf;
	struct fg_conf_neighbor *more = fg_grow(conf->neighbors, conf->n_neighbors, sizeof(*more));

	if (!more)
		return fg_check_memory(check);
	conf->neighbors = more;
	peer->to = &more[conf->n_neighbors++];
	memset(peer->to, 0, sizeof(*peer->to));
	(void)snprintf(peer->to->group, sizeof(peer->to->group), "%s", peer->group->words[1]);
	(void)fg_value_address(peer->node->words[1], false, &peer->to->address);
	return 0;
}

static bool same_address(const struct fg_conf_address *a, const struct fg_conf_address *b)
{
	return a->family == b->family && !memcmp(a->addr, b->addr, sizeof(a->addr));
}

static int check_unique(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_conf *conf = check->conf;

	for (size_t i = 0; i + 1 < conf->n_neighbors; i++)
		if (same_address(&conf->neighbors[i].address, &peer->to->address))
			return fg_place_error(check->err, &peer->node->place,
					      "neighbor %s is in group `%s` already",
					      peer->node->words[1], conf->neighbors[i].group);
	return 0;
}

/* --- autonomous systems ----------------------------------------------------------------------------------- */

/* Numbers that are valid in form and never somebody's own: RFC 6793 section 9, RFC 7300. */
static bool is_reserved_as(uint32_t as)
{
	return as == 23456 || as == 65535 || as == UINT32_MAX;
}

static int check_type(struct fg_checker *check, const struct peer *peer, uint32_t own)
{
	const struct fg_node *type = fg_node_child(peer->group, "type");
	bool internal = peer->to->peer_as == own;

	if (!type || internal == !strcmp(type->words[1], "internal"))
		return 0;
	return fg_place_error(check->err, &peer->node->place,
			      "neighbor %s: AS %u is %s, but its group is of `type %s`",
			      peer->node->words[1], peer->to->peer_as,
			      internal ? "our own" : "not our own", type->words[1]);
}

static int check_as(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_node *peer_as = setting(peer, "peer-as"),
			     *local_as = setting(peer, "local-as");
	const struct fg_node *type = fg_node_child(peer->group, "type");
	struct fg_conf_neighbor *to = peer->to;
	uint32_t own;
	int r = 0;

	if (local_as)
		(void)fg_value_as(local_as->words[1], &to->local_as);
	own = to->local_as ? to->local_as : check->conf->as;
	if (!own)
		return fg_place_error(
			check->err, &peer->node->place,
			"neighbor %s needs our AS: `routing-options autonomous-system` is missing",
			peer->node->words[1]);
	if (peer_as)
		(void)fg_value_as(peer_as->words[1], &to->peer_as);
	else if (type && !strcmp(type->words[1], "internal"))
		to->peer_as = own;
	if (!to->peer_as)
		return fg_place_error(check->err, &peer->node->place,
				      "neighbor %s needs its AS: `peer-as` is missing",
				      peer->node->words[1]);
	if (is_reserved_as(to->peer_as))
		r = fg_check_warn(check, &peer->node->place,
				  "neighbor %s: AS %u is reserved, nobody has it",
				  peer->node->words[1], to->peer_as);
	return r < 0 ? r : check_type(check, peer, own);
}

/* --- the session -------------------------------------------------------------------------------------------- */

static int check_local_address(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_node *local = setting(peer, "local-address");

	if (!local)
		return 0;
	(void)fg_value_address(local->words[1], false, &peer->to->local_address);
	if (peer->to->local_address.family == peer->to->address.family)
		return 0;
	return fg_place_error(check->err, &local->places[1],
			      "local-address %s and neighbor %s are of different families",
			      local->words[1], peer->node->words[1]);
}

/* RFC 4271 section 4.2: zero or at least three seconds. */
static int check_hold_time(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_node *node = setting(peer, "hold-time");

	peer->to->hold_time = (uint16_t)uint_setting(peer, "hold-time", 90);
	if (peer->to->hold_time != 1 && peer->to->hold_time != 2)
		return 0;
	return fg_place_error(check->err, &node->places[1],
			      "hold-time `%s`: expected 0 or a number from 3 to 65535",
			      node->words[1]);
}

static int check_session(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_node *key = setting(peer, "authentication-key"),
			     *text = setting(peer, "description");
	struct fg_conf_neighbor *to = peer->to;
	int r;

	to->passive = setting(peer, "passive") != NULL;
	to->port = (uint16_t)uint_setting(peer, "port", 179);
	if (text)
		(void)snprintf(to->description, sizeof(to->description), "%s", text->words[1]);
	to->key = key ? strdup(key->words[1]) : NULL;
	if (key && !to->key)
		return fg_check_memory(check);
	r = check_hold_time(check, peer);
	return r < 0 ? r : check_local_address(check, peer);
}

/* --- families ----------------------------------------------------------------------------------------------- */

/* What is written for a family: by the neighbor, else by its group. */
static const struct fg_node *flow_setting(const struct peer *peer, int family, const char *word)
{
	const struct fg_node *own = fg_node_child(peer->flow[family], word);

	return own ? own : fg_node_child(peer->group_flow[family], word);
}

/* The speaker counts both families together. */
static int check_limit(struct fg_checker *check, const struct peer *peer)
{
	uint32_t limit[FG_FAMILIES] = { 0 };

	for (int f = 0; f < FG_FAMILIES; f++)
		fg_get_uint(flow_setting(peer, f, "prefix-limit"), "maximum", &limit[f]);
	peer->to->prefix_limit = limit[FG_INET] ? limit[FG_INET] : limit[FG_INET6];
	if (peer->to->families != 3 || limit[FG_INET] == limit[FG_INET6])
		return 0;
	return fg_place_error(
		check->err, &peer->node->place,
		"neighbor %s: both families need the same `prefix-limit maximum`, it counts them together",
		peer->node->words[1]);
}

static int check_list_family(struct fg_checker *check, const struct fg_node *list, int family)
{
	for (size_t i = 1; i < list->n_words; i++) {
		struct fg_conf_address address;

		(void)fg_value_address(list->words[i], true, &address);
		if ((int)address.family != family)
			return fg_place_error(check->err, &list->places[i],
					      "`%s` is no prefix of family %s", list->words[i],
					      family_names[family]);
		if (address.prefix_len == 0 &&
		    fg_check_warn(check, &list->places[i],
				  "`%s` lets the peer drop traffic to any destination",
				  list->words[i]) < 0)
			return fg_check_memory(check);
	}
	return 0;
}

static int add_any(struct fg_checker *check, struct fg_conf_neighbor *to, int family)
{
	struct fg_conf_address *more = fg_grow(to->allowed, to->n_allowed, sizeof(*more));

	if (!more)
		return fg_check_memory(check);
	to->allowed = more;
	more[to->n_allowed++] = (struct fg_conf_address){ .family = (enum fg_family)family };
	return 0;
}

/* The list that holds for a family: NULL with `no-validate` or without one. A neighbor's `no-validate` beats its
 * group's list, and its list the group's `no-validate`. */
static int allowed_list(struct fg_checker *check, const struct peer *peer, int family,
			const struct fg_node **ret)
{
	const struct fg_node *level[] = { peer->flow[family], peer->group_flow[family] };

	*ret = NULL;
	for (size_t i = 0; i < FG_ARRAY_SIZE(level); i++) {
		const struct fg_node *list = fg_node_child(level[i], "allowed-destinations");
		const struct fg_node *any = fg_node_child(level[i], "no-validate");

		if (list && any)
			return fg_place_error(
				check->err, &any->place,
				"`no-validate` and `allowed-destinations` exclude each other");
		if (any)
			peer->to->no_validate = true;
		*ret = list;
		if (list || any)
			return list ? check_list_family(check, list, family) : 0;
	}
	return fg_check_warn(
		check, &peer->node->place,
		"neighbor %s may drop traffic to any %s destination: add `allowed-destinations`, or "
		"`no-validate` to say that it is meant",
		peer->node->words[1], family_names[family]);
}

/* An empty list means any destination for both families, so a family without one next to a family with one gets the
 * prefix that holds everything. */
static int check_allowed(struct fg_checker *check, const struct peer *peer)
{
	const struct fg_node *list[FG_FAMILIES] = { NULL };
	int r = 0;

	for (int f = 0; f < FG_FAMILIES && r == 0; f++)
		if (peer->to->families & 1U << f)
			r = allowed_list(check, peer, f, &list[f]);
	for (int f = 0; f < FG_FAMILIES && r == 0; f++) {
		if (list[f])
			r = fg_add_prefixes(check, list[f], &peer->to->allowed,
					    &peer->to->n_allowed);
		else if (list[!f] && peer->to->families & 1U << f)
			r = add_any(check, peer->to, f);
	}
	return r;
}

static int check_families(struct fg_checker *check, struct peer *peer)
{
	int r;

	find_flows(peer);
	if (!peer->to->families)
		return fg_check_warn(check, &peer->node->place,
				     "neighbor %s asks for no rules: add `family inet { flow; }`",
				     peer->node->words[1]);
	r = check_limit(check, peer);
	return r < 0 ? r : check_allowed(check, peer);
}

/* --- walking ------------------------------------------------------------------------------------------------ */

static int check_neighbor(struct fg_checker *check, const struct fg_node *group,
			  const struct fg_node *node)
{
	struct peer peer = { .group = group, .node = node };
	int r = add_neighbor(check, &peer);

	if (r == 0)
		r = check_unique(check, &peer);
	if (r == 0)
		r = check_as(check, &peer);
	if (r == 0)
		r = check_session(check, &peer);
	return r < 0 ? r : check_families(check, &peer);
}

static int check_group(struct fg_checker *check, const struct fg_node *group)
{
	bool empty = true;
	int r = 0;

	for (const struct fg_node *n = group->children; n && r == 0; n = n->next) {
		if (strcmp(n->words[0], "neighbor") != 0)
			continue;
		empty = false;
		r = check_neighbor(check, group, n);
	}
	if (r == 0 && empty)
		r = fg_check_warn(check, &group->place, "group `%s` has no neighbor",
				  group->words[1]);
	return r;
}

int fg_check_bgp(struct fg_checker *check, const struct fg_node *bgp)
{
	uint32_t port = check->conf->bgp_port;
	int r = 0;

	fg_get_uint(bgp, "listen-port", &port);
	check->conf->bgp_port = (uint16_t)port;
	for (const struct fg_node *n = bgp ? bgp->children : NULL; n && r == 0; n = n->next)
		if (!strcmp(n->words[0], "group"))
			r = check_group(check, n);
	return r;
}
