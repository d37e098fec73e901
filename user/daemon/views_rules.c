// SPDX-License-Identifier: MIT
/* Answers about rules: the route tables, the counters, the filters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/views.h"
#include "util/cleanup.h"
#include "util/json.h"

const char *fg_view_table_name(enum fg_family family)
{
	return family == FG_INET ? "inetflow.0" : "inet6flow.0";
}

const char *fg_view_family_name(enum fg_family family)
{
	return family == FG_INET ? "inet" : "inet6";
}

const char *fg_view_dest_state(const struct fg_dest *dest)
{
	static const char *const names[] = {
		[FG_DEST_PENDING] = "pending",
		[FG_DEST_ACTIVE] = "active",
		[FG_DEST_NEVER_MATCHES] = "never-matches",
		[FG_DEST_NOT_INSTALLED] = "not-installed",
		[FG_DEST_HOLDDOWN] = "holddown",
	};

	return dest->routes && !fg_dest_best(dest) ? "hidden" : names[dest->state];
}

/* Sets a malloc'd text, which it frees. */
static void set_text(json_t *object, const char *key, char *text)
{
	(void)json_object_set_new(object, key, json_string(text ? text : ""));
	free(text);
}

static char *match_text(const struct fg_dest *dest)
{
	static struct fg_flow flow;
	struct fg_flow_fault fault;
	struct fg_buf out = { 0 };

	if (fg_flow_decode(dest->family, dest->nlri, dest->nlri_len, &flow, &fault) == 0)
		fg_flow_print(&flow, &out);
	return fg_buf_take(&out);
}

static char *then_text(const struct fg_actions *actions)
{
	struct fg_buf out = { 0 };

	fg_actions_print(actions, &out);
	return fg_buf_take(&out);
}

static char *hex_text(const uint8_t *data, size_t len)
{
	struct fg_buf out = { 0 };

	for (size_t i = 0; i < len; i++)
		fg_buf_printf(&out, "%02x", data[i]);
	return fg_buf_take(&out);
}

static void set_id(json_t *object, uint64_t id)
{
	char text[20];

	(void)snprintf(text, sizeof(text), "%016llx", (unsigned long long)id);
	(void)json_object_set_new(object, "id", json_string(text));
}

static void set_counters(struct fg_daemon *daemon, json_t *object, const struct fg_dest *dest)
{
	struct fg_rule_counter counter = { 0 };

	if (dest->slot != FG_NO_RULE)
		(void)fg_dp_rule_counter(daemon->dp, dest->slot, &counter);
	fg_json_set_u64(object, "packets", counter.packets);
	fg_json_set_u64(object, "bytes", counter.bytes);
}

/* --- show route table ------------------------------------------------------------------------- */

static json_t *route_json(const struct fg_daemon *daemon, const struct fg_dest *dest,
			  const struct fg_route *route)
{
	const struct fg_peer *peer = fg_peer_by_number(daemon, route->source);
	json_t *out = json_object();

	(void)json_object_set_new(out, "source", json_string(route->source ? "bgp" : "static"));
	(void)json_object_set_new(out, "from", json_string(fg_source_name(daemon, route->source)));
	if (peer)
		(void)json_object_set_new(out, "as", json_integer(peer->conf->peer_as));
	if (route->name[0])
		(void)json_object_set_new(out, "name", json_string(route->name));
	if (route->line)
		(void)json_object_set_new(out, "line", json_integer(route->line));
	(void)json_object_set_new(out, "age", json_integer(fg_now() - route->since));
	(void)json_object_set_new(out, "best", json_boolean(route == fg_dest_best(dest)));
	(void)json_object_set_new(out, "stale", json_boolean(route->flags & FG_ROUTE_STALE));
	(void)json_object_set_new(out, "hidden", json_boolean(route->flags & FG_ROUTE_HIDDEN));
	if (route->reason[0])
		(void)json_object_set_new(out, "reason", json_string(route->reason));
	set_text(out, "then", then_text(&route->actions));
	return out;
}

static json_t *dest_json(struct fg_daemon *daemon, const struct fg_dest *dest)
{
	json_t *out = json_object(), *routes = json_array();

	set_id(out, dest->id);
	set_text(out, "name", fg_junos_name(dest->family, dest->nlri, dest->nlri_len));
	set_text(out, "match", match_text(dest));
	set_text(out, "nlri", hex_text(dest->nlri, dest->nlri_len));
	(void)json_object_set_new(out, "state", json_string(fg_view_dest_state(dest)));
	if (dest->reason)
		(void)json_object_set_new(out, "reason", json_string(dest->reason));
	if (dest->slot != FG_NO_RULE)
		(void)json_object_set_new(out, "counter", json_integer(dest->slot));
	set_counters(daemon, out, dest);
	for (const struct fg_route *route = dest->routes; route; route = route->next)
		(void)json_array_append_new(routes, route_json(daemon, dest, route));
	(void)json_object_set_new(out, "routes", routes);
	return out;
}

/* "active" means enforced: in the running generation, or known to match no packet. */
static json_t *counts_json(struct fg_daemon *daemon, enum fg_family family)
{
	struct fg_rib_counts counts = { 0 };
	size_t n = 0, active = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);

	for (size_t i = 0; i < n; i++)
		active += fg_dest_best(all[i]) && (all[i]->state == FG_DEST_ACTIVE ||
						   all[i]->state == FG_DEST_NEVER_MATCHES);
	fg_rib_count(daemon->rib, family, &counts);
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "destinations",
			 (json_int_t)counts.destinations, "routes", (json_int_t)counts.routes,
			 "active", (json_int_t)active, "holddown", (json_int_t)counts.holddown,
			 "hidden", (json_int_t)counts.hidden);
}

int fg_view_route_table(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
			struct fg_error *err)
{
	json_t *rules = json_array();
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, request->family, &n);

	(void)err;
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(rules, dest_json(daemon, all[i]));
	(void)json_object_set_new(answer, "table",
				  json_string(fg_view_table_name(request->family)));
	(void)json_object_set_new(answer, "counts", counts_json(daemon, request->family));
	(void)json_object_set_new(answer, "rules", rules);
	return FG_EXIT_OK;
}

/* --- show firewall ---------------------------------------------------------------------------- */

static json_t *filter_json(struct fg_daemon *daemon, enum fg_family family)
{
	json_t *counters = json_array();
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);
	char name[64];

	for (size_t i = 0; i < n; i++) {
		json_t *row;

		if (all[i]->slot == FG_NO_RULE)
			continue;
		row = json_object();
		set_text(row, "name", fg_junos_name(family, all[i]->nlri, all[i]->nlri_len));
		set_id(row, all[i]->id);
		(void)json_object_set_new(row, "counter", json_integer(all[i]->slot));
		set_counters(daemon, row, all[i]);
		(void)json_array_append_new(counters, row);
	}
	(void)snprintf(name, sizeof(name), "__flowspec_default_%s__", fg_view_family_name(family));
	return json_pack("{s:s, s:o}", "name", name, "counters", counters);
}

int fg_view_firewall(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		     struct fg_error *err)
{
	json_t *filters = json_array();

	(void)request;
	(void)err;
	for (int f = 0; f < FG_FAMILIES; f++)
		(void)json_array_append_new(filters, filter_json(daemon, (enum fg_family)f));
	(void)json_object_set_new(answer, "filters", filters);
	return FG_EXIT_OK;
}

/* --- show pfe firewall ------------------------------------------------------------------------ */

#define FILTER_INDEX 65025 /* Junos gives this one to __flowspec_default_inet__ */

static const char *mode_name(bool flt)
{
	return flt ? "FLT" : "DMEM";
}

int fg_view_pfe_firewall(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
			 struct fg_error *err)
{
	json_t *filters = json_array();

	(void)request;
	(void)err;
	for (int f = 0; f < FG_FAMILIES; f++) {
		const struct fg_family_state *state = &daemon->family[f];
		char name[64];
		json_t *row;

		(void)snprintf(name, sizeof(name), "__flowspec_default_%s__",
			       fg_view_family_name((enum fg_family)f));
		row = json_pack("{s:s, s:i, s:I, s:s, s:s}", "name", name, "index",
				FILTER_INDEX + f, "token", (json_int_t)state->token, "current",
				mode_name(state->mode == FG_MODE_FLT), "config",
				mode_name(daemon->conf->flt[f]));
		(void)json_object_set_new(row, "rules",
					  json_integer((json_int_t)state->footprint.rules));
		(void)json_object_set_new(row, "tuples",
					  json_integer((json_int_t)state->footprint.tuples));
		(void)json_object_set_new(row, "bytes",
					  json_integer((json_int_t)state->footprint.bytes));
		if (state->fallback)
			(void)json_object_set_new(row, "reason",
						  json_string("more rules than maximum-rules"));
		(void)json_array_append_new(filters, row);
	}
	(void)json_object_set_new(answer, "filters", filters);
	return FG_EXIT_OK;
}
