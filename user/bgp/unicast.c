// SPDX-License-Identifier: MIT
/* The table of unicast routes as a path-compressed binary trie, and the validation of rules against it. */
#include "bgp/unicast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct route {
	struct route *next; /* of the same prefix, best first */
	uint32_t source;
	bool stale;
	struct fg_path path;
};

/* A node without routes is there because two prefixes part below it. */
struct node {
	struct node *child[2];
	struct route *routes;
	uint8_t len;
	uint8_t addr[16]; /* bits behind @len are 0 */
};

struct fg_unicast {
	struct node *root[FG_FAMILIES];
	size_t n[FG_FAMILIES]; /* routes */
};

struct fg_unicast *fg_unicast_new(void)
{
	return calloc(1, sizeof(struct fg_unicast));
}

static unsigned bit(const uint8_t *addr, unsigned at)
{
	return addr[at / 8] >> (7 - at % 8) & 1;
}

/* How many leading bits are equal, at most @max. */
static unsigned common_bits(const uint8_t *a, const uint8_t *b, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		unsigned differ = a[n / 8] ^ b[n / 8];

		if (differ) {
			n += (unsigned)__builtin_clz(differ) - 24;
			break;
		}
		n += 8;
	}
	return n < max ? n : max;
}

static struct node *new_node(const uint8_t *addr, unsigned len)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->len = (uint8_t)len;
	memcpy(node->addr, addr, (len + 7) / 8);
	if (len % 8)
		node->addr[len / 8] &= (uint8_t)(0xff << (8 - len % 8));
	return node;
}

/* The link where the node of the prefix is, or where it belongs: then what is there parts from the prefix or lies
 * below it. */
static struct node **find_link(struct node **link, const uint8_t *addr, unsigned len)
{
	struct node *node;

	while ((node = *link) && node->len < len &&
	       common_bits(node->addr, addr, node->len) == node->len)
		link = &node->child[bit(addr, node->len)];
	return link;
}

static struct node *find(const struct fg_unicast *table, enum fg_family family, const uint8_t *addr,
			 unsigned len)
{
	struct node *root = table->root[family], *node = *find_link(&root, addr, len);

	return node && node->len == len && common_bits(node->addr, addr, len) == len ? node : NULL;
}

/* Puts a node for the prefix in at @link, above what parts from it there. */
static struct node *insert(struct node **link, const uint8_t *addr, unsigned len)
{
	struct node *old = *link, *node, *fork;
	unsigned same = old ? common_bits(old->addr, addr, old->len < len ? old->len : len) : len;

	node = new_node(addr, len);
	if (!node || !old || same == len) {
		if (node && old)
			node->child[bit(old->addr, len)] = old;
		if (node)
			*link = node;
		return node;
	}
	fork = new_node(addr, same);
	if (!fork) {
		free(node);
		return NULL;
	}
	fork->child[bit(addr, same)] = node;
	fork->child[bit(old->addr, same)] = old;
	*link = fork;
	return node;
}

/* Takes a node that serves nothing any more out of its link. */
static void prune(struct node **link)
{
	struct node *node = *link;

	if (!node || node->routes || (node->child[0] && node->child[1]))
		return;
	*link = node->child[0] ? node->child[0] : node->child[1];
	free(node);
}

/* RFC 4271 section 9.1 as far as it matters for who is asked: MED and the cost to the next hop are not known or
 * compared here. Negative: @a is better. */
static int64_t compare(const struct route *a, const struct route *b)
{
	if (a->path.local_pref != b->path.local_pref)
		return (int64_t)b->path.local_pref - a->path.local_pref;
	if (a->path.length != b->path.length)
		return (int64_t)a->path.length - b->path.length;
	if (a->path.origin != b->path.origin)
		return (int64_t)a->path.origin - b->path.origin;
	if (a->path.external != b->path.external)
		return (int64_t)b->path.external - a->path.external;
	return (int64_t)a->source - b->source;
}

static struct route *unlink_route(struct node *node, uint32_t source)
{
	struct route **link = &node->routes, *route;

	while ((route = *link) && route->source != source)
		link = &route->next;
	if (route)
		*link = route->next;
	return route;
}

static void link_route(struct node *node, struct route *route)
{
	struct route **link = &node->routes;

	while (*link && compare(*link, route) < 0)
		link = &(*link)->next;
	route->next = *link;
	*link = route;
}

static bool same_path(const struct fg_path *a, const struct fg_path *b)
{
	return a->as == b->as && a->originator == b->originator && a->local_pref == b->local_pref &&
	       a->length == b->length && a->origin == b->origin && a->external == b->external;
}

int fg_unicast_add(struct fg_unicast *table, enum fg_family family, const uint8_t *addr,
		   unsigned len, uint32_t source, const struct fg_path *path, bool *ret_changed)
{
	struct node *node = find(table, family, addr, len);
	struct route *route = node ? unlink_route(node, source) : NULL;
	bool is_new = !route;

	if (is_new && table->n[family] >= FG_UNICAST_MAX)
		return -ENOSPC;
	if (is_new)
		route = calloc(1, sizeof(*route));
	if (route && !node)
		node = insert(find_link(&table->root[family], addr, len), addr, len);
	if (!route || !node) {
		free(route);
		return -ENOMEM;
	}
	*ret_changed = is_new || !same_path(&route->path, path);
	*route = (struct route){ .source = source, .path = *path };
	link_route(node, route);
	table->n[family] += is_new;
	return 0;
}

bool fg_unicast_withdraw(struct fg_unicast *table, enum fg_family family, const uint8_t *addr,
			 unsigned len, uint32_t source)
{
	struct node **link = &table->root[family], **above = NULL, *node;
	struct route *gone;

	while ((node = *link) && node->len < len &&
	       common_bits(node->addr, addr, node->len) == node->len) {
		above = link;
		link = &node->child[bit(addr, node->len)];
	}
	if (!node || node->len != len || common_bits(node->addr, addr, len) != len)
		return false;
	gone = unlink_route(node, source);
	if (!gone)
		return false;
	free(gone);
	table->n[family]--;
	prune(link);
	if (above)
		prune(above);
	return true;
}

/* --- walking: at most as deep as an address has bits ------------------------------------------------------- */

static size_t mark(struct node *node, uint32_t source)
{
	size_t touched = 0;

	if (!node)
		return 0;
	for (struct route *route = node->routes; route; route = route->next)
		if (route->source == source) {
			route->stale = true;
			touched++;
		}
	return touched + mark(node->child[0], source) + mark(node->child[1], source);
}

/* Removes the routes of @source, only stale ones if @stale. */
static size_t sweep(struct node **link, uint32_t source, bool stale)
{
	struct node *node = *link;
	struct route *gone;
	size_t touched;

	if (!node)
		return 0;
	touched = sweep(&node->child[0], source, stale) + sweep(&node->child[1], source, stale);
	gone = unlink_route(node, source);
	if (gone && stale && !gone->stale) {
		link_route(node, gone);
	} else if (gone) {
		free(gone);
		touched++;
	}
	prune(link);
	return touched;
}

static void free_nodes(struct node *node)
{
	if (!node)
		return;
	free_nodes(node->child[0]);
	free_nodes(node->child[1]);
	while (node->routes) {
		struct route *route = node->routes;

		node->routes = route->next;
		free(route);
	}
	free(node);
}

void fg_unicast_free(struct fg_unicast *table)
{
	for (int f = 0; table && f < FG_FAMILIES; f++)
		free_nodes(table->root[f]);
	free(table);
}

static size_t sweep_family(struct fg_unicast *table, int family, uint32_t source, bool stale)
{
	size_t n = sweep(&table->root[family], source, stale);

	table->n[family] -= n;
	return n;
}

size_t fg_unicast_mark_stale(struct fg_unicast *table, uint32_t source)
{
	return mark(table->root[FG_INET], source) + mark(table->root[FG_INET6], source);
}

size_t fg_unicast_sweep_stale(struct fg_unicast *table, uint32_t source, int family)
{
	size_t n = 0;

	for (int f = 0; f < FG_FAMILIES; f++)
		if (family < 0 || family == f)
			n += sweep_family(table, f, source, true);
	return n;
}

size_t fg_unicast_withdraw_source(struct fg_unicast *table, uint32_t source)
{
	return sweep_family(table, FG_INET, source, false) +
	       sweep_family(table, FG_INET6, source, false);
}

size_t fg_unicast_count(const struct fg_unicast *table, enum fg_family family)
{
	return table->n[family];
}

/* --- validation --------------------------------------------------------------------------------------------- */

/* The best route of the longest prefix that covers the destination. */
static const struct route *best_match(const struct node *node, const struct fg_flow_prefix *dst)
{
	const struct route *best = NULL;

	while (node && node->len <= dst->length &&
	       common_bits(node->addr, dst->addr, node->len) == node->len) {
		if (node->routes)
			best = node->routes;
		if (node->len == dst->length)
			break;
		node = node->child[bit(dst->addr, node->len)];
	}
	return best;
}

/* True when a prefix below the destination has its best route from another neighbouring AS. */
static bool other_below(const struct node *node, unsigned above, uint32_t as)
{
	if (!node)
		return false;
	if (node->len > above && node->routes && node->routes->path.as != as)
		return true;
	return other_below(node->child[0], above, as) || other_below(node->child[1], above, as);
}

static bool more_specific_of_other(const struct node *root, const struct fg_flow_prefix *dst,
				   uint32_t as)
{
	const struct node *node = root;

	while (node && node->len < dst->length &&
	       common_bits(node->addr, dst->addr, node->len) == node->len)
		node = node->child[bit(dst->addr, node->len)];
	if (!node || node->len < dst->length ||
	    common_bits(node->addr, dst->addr, dst->length) != dst->length)
		return false;
	return other_below(node, dst->length, as);
}

/* RFC 8955 section 6: ORIGINATOR_ID, or the peer when there is none. */
static bool same_originator(const struct route *route, uint32_t source, const struct fg_path *path)
{
	if (route->path.originator || path->originator)
		return route->path.originator == path->originator;
	return route->source == source;
}

const char *fg_unicast_validate(const struct fg_unicast *table, const struct fg_flow *flow,
				uint32_t source, const struct fg_path *path)
{
	const struct node *root = table->root[flow->family];
	const struct route *best;

	/* Section 6 a; RFC 8956 section 5: an offset names no destination. */
	if (!(flow->present & (1U << FG_FLOW_DST)) || flow->dst.offset)
		return "validate: no destination prefix";
	/* RFC 9117 section 4.1 b 2: made in our own AS, the operator's controller. */
	if (!path->external && !path->as)
		return NULL;
	best = best_match(root, &flow->dst);
	if (!best)
		return "validate: no unicast route to the destination";
	if (!same_originator(best, source, path))
		return "validate: the unicast route to the destination is of another originator";
	/* RFC 9117 section 4.2. */
	if (path->external && (path->as != best->path.as || path->as == FG_AS_UNKNOWN))
		return "validate: the unicast route to the destination is of another AS";
	if (more_specific_of_other(root, &flow->dst, best->path.as))
		return "validate: a more specific unicast route is of another AS";
	return NULL;
}
