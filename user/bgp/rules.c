// SPDX-License-Identifier: MIT
/* Hands the rules of a session over to the parent, up to the peer's prefix limit. */
#include <string.h>

#include "bgp/internal.h"

static void send_rule(struct fg_session *s, enum fg_link_type type, enum fg_family family,
		      const uint8_t *nlri, size_t len, const struct fg_actions *actions,
		      const struct fg_path *path)
{
	union {
		struct fg_link_route route;
		uint8_t bytes[FG_LINK_MESSAGE_MAX];
	} message;

	message.route = (struct fg_link_route){
		.peer = s->peer->config.peer,
		.family = family,
		.path = path ? *path : (struct fg_path){ 0 },
		.actions = actions ? *actions : (struct fg_actions){ 0 },
		.nlri_len = len,
	};
	memcpy(message.route.nlri, nlri, len);
	fg_link_init(&message.route.header, type, sizeof(message.route) + len);
	fg_speaker_send(s->peer->speaker, &message.route.header);
}

/* False when the rule is one too many: it is counted, told once, and the session stays (a reset would only bring
 * it again). */
static bool within_limit(struct fg_session *s, uint64_t id)
{
	struct fg_peer *peer = s->peer;
	uint32_t limit = peer->config.prefix_limit;

	if (fg_idset_has(&s->rules, id))
		return true;
	if (!limit || s->rules.n < limit)
		return !fg_idset_add(&s->rules, id);
	peer->report.refused++;
	peer->report.prefix_limited = 1;
	if (!s->told_limit)
		fg_peer_log(peer, FG_LOG_WARNING,
			    "prefix limit of %u reached: further rules are refused", limit);
	s->told_limit = true;
	return false;
}

static void on_rule(void *arg, enum fg_family family, const uint8_t *nlri, size_t len,
		    const struct fg_actions *actions, const struct fg_path *path)
{
	struct fg_session *s = arg;
	struct fg_peer *peer = s->peer;
	uint64_t id = fg_flow_id(family, nlri, len);

	if (!(s->families & (1U << family))) {
		fg_rule_events.ignored(s, family + 1, FG_BGP_SAFI_FLOW, len);
		return;
	}
	if (actions) {
		if (!within_limit(s, id))
			return;
		peer->report.updates++;
		send_rule(s, FG_LINK_ROUTE, family, nlri, len, actions, path);
	} else {
		/* Passed on even when this session never announced it: it may be stale from the last one. */
		fg_idset_remove(&s->rules, id);
		peer->report.withdraws++;
		send_rule(s, FG_LINK_WITHDRAW, family, nlri, len, NULL, NULL);
	}
	peer->report.rules = s->rules.n;
}

/* Not counted against the prefix limit, which is about rules. */
static void on_unicast(void *arg, enum fg_family family, const uint8_t *addr, unsigned len,
		       const struct fg_path *path)
{
	struct fg_session *s = arg;
	struct fg_link_unicast message = {
		.peer = s->peer->config.peer,
		.family = family,
		.len = (uint8_t)len,
		.path = path ? *path : (struct fg_path){ 0 },
	};

	memcpy(message.addr, addr, sizeof(message.addr));
	fg_link_init(&message.header, path ? FG_LINK_UNICAST : FG_LINK_UNICAST_WITHDRAW,
		     sizeof(message));
	fg_speaker_send(s->peer->speaker, &message.header);
}

static void on_end_of_rib(void *arg, enum fg_bgp_family family)
{
	struct fg_session *s = arg;
	struct fg_link_peer_state message = s->peer->report;

	message.family = family;
	fg_link_init(&message.header, FG_LINK_END_OF_RIB, sizeof(message));
	fg_speaker_send(s->peer->speaker, &message.header);
}

static void on_malformed(void *arg, size_t rules, const char *reason)
{
	struct fg_session *s = arg;

	s->peer->report.malformed += rules;
	fg_peer_log(s->peer, FG_LOG_WARNING, "%zu rule%s treated as withdrawn: %s", rules,
		    rules == 1 ? "" : "s", reason);
}

static void on_ignored(void *arg, uint16_t afi, uint8_t safi, size_t octets)
{
	struct fg_session *s = arg;

	if (!octets)
		return;
	s->peer->report.ignored++;
	if (!s->told_ignored)
		fg_peer_log(s->peer, FG_LOG_WARNING, "routes of AFI %u, SAFI %u%s are refused", afi,
			    safi, safi == FG_BGP_SAFI_FLOW_VPN ? " (FlowSpec VPN)" : "");
	s->told_ignored = true;
}

const struct fg_bgp_update_events fg_rule_events = {
	.rule = on_rule,
	.unicast = on_unicast,
	.end_of_rib = on_end_of_rib,
	.malformed = on_malformed,
	.ignored = on_ignored,
};
