// SPDX-License-Identifier: MIT
/* `flow route`: the words of match and then to a rule and its actions, and rules that are written twice. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/check.h"
#include "conf/lexer.h"
#include "util/cleanup.h"

/* The values of a statement as one text. */
static char *join_values(const struct fg_node *node)
{
	struct fg_buf text = { 0 };

	for (size_t i = 1; i < node->n_words; i++)
		fg_buf_printf(&text, "%s%s", i > 1 ? " " : "", node->words[i]);
	return fg_buf_take(&text);
}

/* An error of user/flowspec at the place of the statement's value; a value that is nearly a statement
 * is taken for one: `protocol udp destination-prot 5`. */
static int at_value(struct fg_checker *check, const struct fg_node *node,
		    const struct fg_error *inner, enum fg_context in)
{
	for (size_t i = 2; i < node->n_words; i++) {
		const char *near = fg_statement_nearest(in, node->words[i]);

		if (near)
			return fg_place_error(check->err, &node->places[i],
					      "unknown statement `%.64s`, did you mean `%s`?",
					      node->words[i], near);
	}
	return fg_place_error(check->err, &node->places[node->n_words > 1], "%s", inner->what);
}

static int read_match(struct fg_checker *check, const struct fg_node *match, struct fg_flow *flow)
{
	for (const struct fg_node *n = match->children; n; n = n->next) {
		FG_AUTO_FREE char *value = join_values(n);
		struct fg_error inner = { 0 };

		if (!value)
			return fg_check_memory(check);
		if (fg_flow_add_text(flow, n->words[0], value, &inner) < 0)
			return at_value(check, n, &inner, FG_IN_MATCH);
	}
	return 0;
}

static int read_then(struct fg_checker *check, const struct fg_node *then,
		     struct fg_actions *actions)
{
	for (const struct fg_node *n = then ? then->children : NULL; n; n = n->next) {
		FG_AUTO_FREE char *value = join_values(n);
		struct fg_error inner = { 0 };

		if (!value)
			return fg_check_memory(check);
		if (fg_actions_add_text(actions, n->words[0], value, &inner) < 0)
			return at_value(check, n, &inner, FG_IN_THEN);
	}
	return 0;
}

static int lint_route(struct fg_checker *check, const struct fg_conf_route *route,
		      const struct fg_flow *flow)
{
	const char *never = fg_lint_never(flow);

	if (never)
		return fg_check_warn(check, &route->place, "route `%s` can never match: %s",
				     route->name, never);
	if (fg_lint_everything(flow) && fg_actions_discard(&route->actions))
		return fg_check_warn(check, &route->place, "route `%s` drops everything",
				     route->name);
	return 0;
}

static int encode(struct fg_checker *check, const struct fg_flow *flow, struct fg_conf_route *route)
{
	uint8_t nlri[FG_NLRI_MAX];
	int len = fg_flow_encode(flow, nlri, sizeof(nlri));

	if (len < 0)
		return fg_place_error(check->err, &route->place,
				      "route `%s` is longer than the %d octets of a rule",
				      route->name, FG_NLRI_MAX);
	route->nlri = malloc((size_t)len);
	if (!route->nlri)
		return fg_check_memory(check);
	memcpy(route->nlri, nlri, (size_t)len);
	route->nlri_len = (uint16_t)len;
	return 0;
}

static int check_route(struct fg_checker *check, const struct fg_node *node,
		       struct fg_conf_route *route)
{
	const struct fg_node *match = fg_node_child(node, "match");
	struct fg_flow flow;
	int r;

	fg_flow_init(&flow, route->family);
	if (!match || !match->children)
		return fg_place_error(
			check->err, &node->place,
			"route `%s` has no match: say what it is for (`destination %s` is everything)",
			node->words[1], route->family == FG_INET ? "0.0.0.0/0" : "::/0");
	r = read_match(check, match, &flow);
	if (r == 0)
		r = read_then(check, fg_node_child(node, "then"), &route->actions);
	if (r == 0)
		r = encode(check, &flow, route);
	return r < 0 ? r : lint_route(check, route, &flow);
}

int fg_check_routes(struct fg_checker *check, const struct fg_node *flow, enum fg_family family)
{
	struct fg_conf *conf = check->conf;
	int r = 0;

	for (const struct fg_node *n = flow ? flow->children : NULL; n && r == 0; n = n->next) {
		struct fg_conf_route *more;

		if (strcmp(n->words[0], "route") != 0)
			continue;
		more = fg_grow(conf->routes, conf->n_routes, sizeof(*more));
		if (!more)
			return fg_check_memory(check);
		conf->routes = more;
		more += conf->n_routes++;
		*more = (struct fg_conf_route){ .family = family, .place = n->place };
		(void)snprintf(more->name, sizeof(more->name), "%s", n->words[1]);
		r = check_route(check, n, more);
	}
	return r;
}

/* By rule; the order of writing decides between equal ones. */
static int by_rule(const void *a, const void *b)
{
	const struct fg_conf_route *x = *(const struct fg_conf_route *const *)a;
	const struct fg_conf_route *y = *(const struct fg_conf_route *const *)b;
	int order = (int)x->family - (int)y->family;

	if (!order)
		order = (int)x->nlri_len - (int)y->nlri_len;
	if (!order)
		order = memcmp(x->nlri, y->nlri, x->nlri_len);
	return order ? order : (x > y) - (x < y);
}

static bool same_rule(const struct fg_conf_route *a, const struct fg_conf_route *b)
{
	return a->family == b->family && a->nlri_len == b->nlri_len &&
	       !memcmp(a->nlri, b->nlri, a->nlri_len);
}

int fg_check_duplicates(struct fg_checker *check)
{
	size_t n = check->conf->n_routes;
	FG_AUTO_FREE const struct fg_conf_route **sorted =
		calloc(n + 1, sizeof(const struct fg_conf_route *));
	int r = 0;

	if (!sorted)
		return fg_check_memory(check);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &check->conf->routes[i];
	qsort(sorted, n, sizeof(const struct fg_conf_route *), by_rule);
	for (size_t i = 1; i < n && r == 0; i++)
		if (same_rule(sorted[i - 1], sorted[i]))
			r = fg_check_warn(
				check, &sorted[i]->place,
				"route `%s` matches exactly what route `%s` at %s:%u:%u does and replaces it",
				sorted[i]->name, sorted[i - 1]->name, sorted[i - 1]->place.file,
				sorted[i - 1]->place.line, sorted[i - 1]->place.column);
	return r;
}
