// SPDX-License-Identifier: MIT
/* The checked configuration: defaults, the values of a tree, what contradicts itself, what looks like a mistake. */
#include "conf/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lexer.h"
#include "conf/tree.h"
#include "util/cleanup.h"

void *fg_grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? n * 2 : 1, size);
}

int fg_check_memory(struct fg_checker *check)
{
	return fg_error_set(check->err, -ENOMEM, "out of memory");
}

int fg_check_warn(struct fg_checker *check, const struct fg_place *place, const char *format, ...)
{
	char text[448];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (fg_warn(&check->conf->warnings, &check->conf->n_warnings, place, "%s", text) < 0)
		return fg_check_memory(check);
	return 0;
}

void fg_get_uint(const struct fg_node *node, const char *word, uint32_t *ret)
{
	const struct fg_node *child = fg_node_child(node, word);

	if (child)
		(void)fg_value_uint(child->words[1], ret);
}

int fg_add_prefixes(struct fg_checker *check, const struct fg_node *list,
		    struct fg_conf_address **array, size_t *n)
{
	for (size_t i = 1; list && i < list->n_words; i++) {
		struct fg_conf_address *more = fg_grow(*array, *n, sizeof(*more));

		if (!more)
			return fg_check_memory(check);
		*array = more;
		(void)fg_value_address(list->words[i], true, &more[(*n)++]);
	}
	return 0;
}

static int check_system(struct fg_checker *check, const struct fg_node *system)
{
	const struct fg_node *guard = fg_node_child(system, "guard");
	struct fg_conf *conf = check->conf;

	fg_get_uint(system, "rule-capacity", &conf->rule_capacity);
	conf->protect_pmtu = !fg_node_child(guard, "no-protect-pmtu");
	conf->protect_nd = !fg_node_child(guard, "no-protect-nd");
	conf->protect_dhcp = !fg_node_child(guard, "no-protect-dhcp");
	return fg_add_prefixes(check, fg_node_child(guard, "management-prefixes"),
			       &conf->management, &conf->n_management);
}

static int contradiction(struct fg_checker *check, const struct fg_node *second,
			 const struct fg_node *first)
{
	return fg_place_error(check->err, &second->place, "`%s` contradicts `%s` at %s:%u:%u",
			      second->words[0], first->words[0], first->place.file,
			      first->place.line, first->place.column);
}

/* The limit may stand beside the switch or inside it. */
static int check_maximum(struct fg_checker *check, const struct fg_node *flow,
			 enum fg_family family)
{
	const struct fg_node *outer = fg_node_child(flow, "maximum-rules");
	const struct fg_node *inner =
		fg_node_child(fg_node_child(flow, "fast-lookup-filter"), "maximum-rules");
	const struct fg_node *limit = outer ? outer : inner;

	if (outer && inner && !fg_node_same_words(outer, inner))
		return contradiction(check, inner, outer);
	if (limit)
		(void)fg_value_uint(limit->words[1], &check->conf->flt_maximum[family]);
	if (limit && !check->conf->flt[family])
		return fg_check_warn(check, &limit->place,
				     "`maximum-rules` has no effect with `no-fast-lookup-filter`");
	return 0;
}

static int check_flow(struct fg_checker *check, const struct fg_node *flow, enum fg_family family)
{
	const struct fg_node *on = fg_node_child(flow, "fast-lookup-filter");
	const struct fg_node *off = fg_node_child(flow, "no-fast-lookup-filter");
	int r;

	if (on && off)
		return contradiction(check, off, on);
	check->conf->flt[family] = !off;
	r = check_maximum(check, flow, family);
	return r < 0 ? r : fg_check_routes(check, flow, family);
}

/* One time for both families, wherever it is written. */
static int check_stale_time(struct fg_checker *check, const struct fg_node *flow,
			    const struct fg_node *flow6)
{
	const struct fg_node *a = fg_node_child(flow, "stale-time"),
			     *b = fg_node_child(flow6, "stale-time");

	if (a && b && !fg_node_same_words(a, b))
		return contradiction(check, b, a);
	fg_get_uint(a ? flow : flow6, "stale-time", &check->conf->stale_time);
	return 0;
}

static int check_routing(struct fg_checker *check, const struct fg_node *routing)
{
	const struct fg_node *as = fg_node_child(routing, "autonomous-system");
	const struct fg_node *id = fg_node_child(routing, "router-id");
	const struct fg_node *flow = fg_node_child(routing, "flow");
	const struct fg_node *flow6 = fg_node_child(fg_node_child(routing, "rib"), "flow");
	struct fg_conf_address address;
	int r;

	if (as)
		(void)fg_value_as(as->words[1], &check->conf->as);
	if (id && fg_value_address(id->words[1], false, &address) == 0)
		memcpy(&check->conf->router_id, address.addr, sizeof(check->conf->router_id));
	r = check_stale_time(check, flow, flow6);
	if (r == 0)
		r = check_flow(check, flow, FG_INET);
	if (r == 0)
		r = check_flow(check, flow6, FG_INET6);
	return r < 0 ? r : fg_check_duplicates(check);
}

static enum fg_conf_role role_of(const struct fg_node *interface)
{
	const struct fg_node *role = fg_node_child(interface, "role");

	if (role && !strcmp(role->words[1], "trust"))
		return FG_ROLE_TRUST;
	if (role && !strcmp(role->words[1], "management"))
		return FG_ROLE_MANAGEMENT;
	return FG_ROLE_UNTRUST;
}

static int check_interface(struct fg_checker *check, const struct fg_node *node)
{
	const struct fg_node *mode = fg_node_child(node, "mode");
	struct fg_conf *conf = check->conf;
	struct fg_conf_interface *more =
		fg_grow(conf->interfaces, conf->n_interfaces, sizeof(*more));
	struct fg_conf_interface *interface;

	if (!more)
		return fg_check_memory(check);
	conf->interfaces = more;
	interface = &more[conf->n_interfaces++];
	*interface = (struct fg_conf_interface){
		.place = node->place,
		.role = role_of(node),
		.generic = mode && !strcmp(mode->words[1], "generic"),
	};
	(void)snprintf(interface->name, sizeof(interface->name), "%s", node->words[0]);
	if (mode && interface->role != FG_ROLE_UNTRUST)
		return fg_check_warn(check, &mode->place,
				     "`mode` has no effect: `role %s` gets no program",
				     interface->role == FG_ROLE_TRUST ? "trust" : "management");
	return 0;
}

static int check_interfaces(struct fg_checker *check, const struct fg_node *interfaces)
{
	int r = 0;

	for (const struct fg_node *n = interfaces ? interfaces->children : NULL; n && r == 0;
	     n = n->next)
		r = check_interface(check, n);
	return r;
}

/* Rules without a port to apply them to. */
static int check_purpose(struct fg_checker *check, const struct fg_node *root)
{
	const struct fg_conf *conf = check->conf;

	if (!root->children || !(conf->n_routes || conf->n_neighbors))
		return 0;
	for (size_t i = 0; i < conf->n_interfaces; i++)
		if (conf->interfaces[i].role == FG_ROLE_UNTRUST)
			return 0;
	return fg_check_warn(check, &root->children->place,
			     "no interface is filtered: add `interfaces NAME role untrust`");
}

static int check_root(struct fg_checker *check, const struct fg_node *root)
{
	int r = check_system(check, fg_node_child(root, "system"));

	if (r == 0)
		r = check_routing(check, fg_node_child(root, "routing-options"));
	if (r == 0)
		r = fg_check_bgp(check, fg_node_child(fg_node_child(root, "protocols"), "bgp"));
	if (r == 0)
		r = check_interfaces(check, fg_node_child(root, "interfaces"));
	return r < 0 ? r : check_purpose(check, root);
}

static int copy_warnings(struct fg_checker *check, const struct fg_tree *tree)
{
	struct fg_conf *conf = check->conf;

	conf->warnings = calloc(tree->n_warnings + 1, sizeof(*conf->warnings));
	if (!conf->warnings)
		return fg_check_memory(check);
	for (size_t i = 0; i < tree->n_warnings; i++) {
		conf->warnings[i] = strdup(tree->warnings[i]);
		if (!conf->warnings[i])
			return fg_check_memory(check);
		conf->n_warnings++;
	}
	return 0;
}

static void free_confp(struct fg_conf **conf)
{
	fg_conf_free(*conf);
}

int fg_conf_check(const struct fg_tree *tree, struct fg_conf **ret_conf, struct fg_error *err)
{
	FG_CLEANUP(free_confp) struct fg_conf *conf = calloc(1, sizeof(*conf));
	struct fg_checker check = { .conf = conf, .err = err };
	int r;

	if (!conf)
		return fg_check_memory(&check);
	conf->bgp_port = 179;
	conf->stale_time = 600;
	r = copy_warnings(&check, tree);
	if (r == 0)
		r = check_root(&check, fg_tree_root(tree));
	if (r == 0)
		*ret_conf = FG_TAKE_PTR(conf);
	return r;
}

void fg_conf_free(struct fg_conf *conf)
{
	if (!conf)
		return;
	for (size_t i = 0; i < conf->n_routes; i++)
		free(conf->routes[i].nlri);
	for (size_t i = 0; i < conf->n_neighbors; i++) {
		struct fg_conf_neighbor *neighbor = &conf->neighbors[i];

		if (neighbor->key)
			explicit_bzero(neighbor->key, strlen(neighbor->key));
		free(neighbor->key);
		free(neighbor->allowed);
	}
	free(conf->management);
	free(conf->routes);
	free(conf->neighbors);
	free(conf->interfaces);
	fg_warnings_free(conf->warnings, conf->n_warnings);
	free(conf);
}
