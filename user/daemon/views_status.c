// SPDX-License-Identifier: MIT
/* Answers about the whole: version, what is not enforced and why, the BGP neighbours. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/views.h"
#include "fltgate/names.h"
#include "util/cleanup.h"
#include "util/json.h"

int fg_view_version(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		    struct fg_error *err)
{
	json_t *programs = json_array();
	struct fg_dp_program_info info;

	(void)request;
	(void)err;
	for (size_t i = 0; fg_dp_program(daemon->dp, i, &info) == 0; i++)
		(void)json_array_append_new(
			programs, json_pack("{s:s, s:I, s:I, s:I}", "name", info.name, "id",
					    (json_int_t)info.id, "verified_instructions",
					    (json_int_t)info.verified, "jited_bytes",
					    (json_int_t)info.jited));
	(void)json_object_set_new(answer, "version", json_string(FG_VERSION));
	(void)json_object_set_new(answer, "abi", json_string(FG_ABI_DIR));
	(void)json_object_set_new(answer, "instance", json_string(daemon->options->instance));
	(void)json_object_set_new(answer, "pid", json_integer(getpid()));
	(void)json_object_set_new(answer, "bgp_pid", json_integer(fg_bgp_child_pid(daemon)));
	(void)json_object_set_new(answer, "uptime", json_integer(fg_now() - daemon->started));
	(void)json_object_set_new(answer, "configuration",
				  json_string(daemon->configuration.source));
	(void)json_object_set_new(answer, "pins", json_string(fg_dp_pin_dir(daemon->dp)));
	(void)json_object_set_new(answer, "rule_capacity",
				  json_integer(fg_dp_capacity(daemon->dp)));
	fg_json_set_u64(answer, "map_bytes", fg_dp_memory(daemon->dp));
	(void)json_object_set_new(answer, "programs", programs);
	return FG_EXIT_OK;
}

/* --- status ----------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 3, 4)))
problem(json_t *list, const char *fix, const char *format, ...)
{
	char text[640];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	(void)json_array_append_new(list, json_pack("{s:s, s:s}", "what", text, "fix", fix));
}

/* What became of a family's rules. Reasons are static texts, so pointers tell them apart. */
#define REASONS_MAX 16
struct tally {
	size_t rules, installed, never_matches, pending, hidden, left_out;
	const char *reason[REASONS_MAX];
	size_t count[REASONS_MAX];
};

static void tally_reason(struct tally *tally, const char *reason)
{
	tally->left_out++;
	for (size_t i = 0; i < REASONS_MAX; i++) {
		if (tally->reason[i] && tally->reason[i] != reason)
			continue;
		tally->reason[i] = reason;
		tally->count[i]++;
		return;
	}
}

static void tally_rule(struct tally *tally, const struct fg_dest *dest)
{
	if (!dest->routes) /* withdrawn, on its way out */
		return;
	tally->rules++;
	if (!fg_dest_best(dest))
		tally->hidden++;
	else if (dest->state == FG_DEST_ACTIVE)
		tally->installed++;
	else if (dest->state == FG_DEST_NEVER_MATCHES)
		tally->never_matches++;
	else if (dest->state == FG_DEST_NOT_INSTALLED)
		tally_reason(tally, dest->reason ? dest->reason : "unknown");
	else
		tally->pending++;
}

static json_t *tally_json(const struct tally *t)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "rules", (json_int_t)t->rules,
			 "installed", (json_int_t)t->installed, "never_matches",
			 (json_int_t)t->never_matches, "pending", (json_int_t)t->pending, "hidden",
			 (json_int_t)t->hidden, "not_installed", (json_int_t)t->left_out);
}

static void rule_problems(struct fg_daemon *daemon, enum fg_family family, json_t *tables,
			  json_t *problems)
{
	const struct fg_family_state *state = &daemon->family[family];
	const char *table = fg_view_table_name(family);
	struct tally tally = { 0 };
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);
	char fix[64];

	for (size_t i = 0; i < n; i++)
		tally_rule(&tally, all[i]);
	(void)json_object_set_new(tables, table, tally_json(&tally));
	(void)snprintf(fix, sizeof(fix), "fltgate show route table %s extensive", table);
	for (size_t i = 0; i < REASONS_MAX && tally.reason[i]; i++)
		problem(problems, fix, "%s: rules not enforced: %zu (%s)", table, tally.count[i],
			tally.reason[i]);
	if (tally.hidden)
		problem(problems, fix, "%s: rules hidden: %zu (refused by allowed-destinations)",
			table, tally.hidden);
	if (state->error.code)
		problem(problems, state->error.fix, "%s: the last change is not installed: %s",
			table, state->error.what);
}

static void interface_problems(struct fg_daemon *daemon, json_t *problems)
{
	for (size_t i = 0; i < daemon->conf->n_interfaces; i++) {
		const struct fg_conf_interface *interface = &daemon->conf->interfaces[i];
		struct fg_attachment now = { 0 };
		struct fg_error err = { 0 };

		if (interface->role != FG_ROLE_UNTRUST)
			continue;
		if (fg_attachment_get(daemon->dp, interface->name, &now, &err) == 0 &&
		    (now.how == FG_ATTACHED_LINK || now.how == FG_ATTACHED_IP_LINK))
			continue;
		if (daemon->interfaces[i].error.code)
			err = daemon->interfaces[i].error;
		else if (err.code == 0)
			(void)fg_error_set(&err, -ENOENT, "%s",
					   daemon->interfaces[i].off ? "detached by request"
								     : "the gate is not attached");
		if (!err.fix[0])
			(void)fg_error_fix(&err, "fltgate attach %s", interface->name);
		problem(problems, err.fix, "%s is not filtered: %s", interface->name, err.what);
	}
}

/* Worth knowing, but everything received is enforced. */
static void add_notes(struct fg_daemon *daemon, json_t *notes)
{
	for (int f = 0; f < FG_FAMILIES; f++)
		if (daemon->family[f].fallback)
			problem(notes, "raise or remove maximum-rules",
				"%s runs in DMEM mode: more rules than maximum-rules %u",
				fg_view_family_name((enum fg_family)f),
				daemon->conf->flt_maximum[f]);
	for (size_t i = 0; i < daemon->n_peers; i++) {
		const struct fg_peer *peer = daemon->peers[i];

		if (peer->state.state != FG_PEER_ESTABLISHED)
			problem(notes, "fltgate show bgp summary", "peer %s is %s%s%s%s",
				peer->name,
				fg_peer_state_text((enum fg_peer_state)peer->state.state),
				peer->state.last_error[0] ? ": " : "", peer->state.last_error,
				evtimer_pending(peer->stale_timer, NULL)
					? "; its rules are kept, stale"
					: "");
	}
}

int fg_view_status(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		   struct fg_error *err)
{
	json_t *problems = json_array(), *notes = json_array(), *tables = json_object();

	(void)request;
	(void)err;
	for (int f = 0; f < FG_FAMILIES; f++)
		rule_problems(daemon, (enum fg_family)f, tables, problems);
	if (daemon->hold)
		problem(problems, "",
			"the generation of before the restart still runs, until all peers have sent their rules");
	interface_problems(daemon, problems);
	add_notes(daemon, notes);
	(void)json_object_set_new(answer, "enforced", json_boolean(json_array_size(problems) == 0));
	(void)json_object_set_new(answer, "tables", tables);
	(void)json_object_set_new(answer, "problems", problems);
	(void)json_object_set_new(answer, "notes", notes);
	(void)json_object_set_new(answer, "configuration",
				  json_string(daemon->configuration.source));
	(void)json_object_set_new(answer, "configuration_age",
				  json_integer(fg_now() - daemon->configuration.since));
	return FG_EXIT_OK;
}

/* --- show bgp summary ------------------------------------------------------------------------- */

struct peer_counts {
	size_t received, accepted, active, stale;
};

static void count_routes(struct fg_daemon *daemon, enum fg_family family,
			 struct peer_counts *counts)
{
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);

	for (size_t i = 0; i < n; i++) {
		const struct fg_route *best = fg_dest_best(all[i]);

		for (const struct fg_route *route = all[i]->routes; route; route = route->next) {
			struct peer_counts *c = route->source <= daemon->last_number
							? &counts[route->source]
							: NULL;

			if (!c)
				continue;
			c->received++;
			c->accepted += !(route->flags & FG_ROUTE_HIDDEN);
			c->stale += !!(route->flags & FG_ROUTE_STALE);
			c->active += route == best && all[i]->state == FG_DEST_ACTIVE;
		}
	}
}

static json_t *counts_json(const struct peer_counts *c)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "received", (json_int_t)c->received, "accepted",
			 (json_int_t)c->accepted, "active", (json_int_t)c->active, "stale",
			 (json_int_t)c->stale);
}

static void set_peer_state(json_t *out, const struct fg_peer *peer)
{
	const struct fg_link_peer_state *state = &peer->state;
	char id[INET_ADDRSTRLEN] = "";

	(void)inet_ntop(AF_INET, &state->remote_id, id, sizeof(id));
	(void)json_object_set_new(
		out, "state", json_string(fg_peer_state_text((enum fg_peer_state)state->state)));
	(void)json_object_set_new(out, "since", json_integer(fg_now() - peer->since));
	(void)json_object_set_new(out, "router_id", json_string(id));
	(void)json_object_set_new(out, "hold_time", json_integer(state->hold_time));
	(void)json_object_set_new(out, "flaps", json_integer(state->flaps));
	(void)json_object_set_new(out, "prefix_limited", json_boolean(state->prefix_limited));
	fg_json_set_u64(out, "messages_in", state->messages_in);
	fg_json_set_u64(out, "messages_out", state->messages_out);
	fg_json_set_u64(out, "updates", state->updates);
	fg_json_set_u64(out, "withdraws", state->withdraws);
	fg_json_set_u64(out, "malformed", state->malformed);
	fg_json_set_u64(out, "refused", state->refused);
	fg_json_set_u64(out, "ignored", state->ignored);
	(void)json_object_set_new(out, "last_error", json_string(state->last_error));
}

static json_t *peer_json(const struct fg_peer *peer, struct peer_counts *const counts[FG_FAMILIES])
{
	json_t *out = json_object(), *tables = json_object();

	(void)json_object_set_new(out, "peer", json_string(peer->name));
	(void)json_object_set_new(out, "group", json_string(peer->conf->group));
	(void)json_object_set_new(out, "description", json_string(peer->conf->description));
	(void)json_object_set_new(out, "as", json_integer(peer->conf->peer_as));
	set_peer_state(out, peer);
	for (int f = 0; f < FG_FAMILIES; f++)
		if (peer->conf->families & (1U << f))
			(void)json_object_set_new(tables, fg_view_table_name((enum fg_family)f),
						  counts_json(&counts[f][peer->number]));
	(void)json_object_set_new(out, "tables", tables);
	return out;
}

int fg_view_bgp_summary(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
			struct fg_error *err)
{
	FG_AUTO_FREE struct peer_counts *inet = calloc(daemon->last_number + 1, sizeof(*inet));
	FG_AUTO_FREE struct peer_counts *inet6 = calloc(daemon->last_number + 1, sizeof(*inet6));
	struct peer_counts *const counts[FG_FAMILIES] = { inet, inet6 };
	json_t *peers = json_array();

	(void)request;
	if (!inet || !inet6) {
		json_decref(peers);
		(void)fg_error_set(err, -1, "out of memory");
		return FG_EXIT_FAILED;
	}
	for (int f = 0; f < FG_FAMILIES; f++)
		count_routes(daemon, (enum fg_family)f, counts[f]);
	for (size_t i = 0; i < daemon->n_peers; i++)
		(void)json_array_append_new(peers, peer_json(daemon->peers[i], counts));
	(void)json_object_set_new(answer, "as", json_integer(daemon->conf->as));
	(void)json_object_set_new(answer, "peers", peers);
	return FG_EXIT_OK;
}
