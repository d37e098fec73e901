// SPDX-License-Identifier: MIT
/* Checks messages of the link before anybody believes them: the two ends trust each other with nothing else. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "bgp/link.h"
#include "util/cleanup.h"
#include "util/log.h"

#define ALL_ACTIONS (FG_ACTION_ACCEPT * 2U - 1)

static const char *const state_text[] = {
	[FG_PEER_IDLE] = "Idle",
	[FG_PEER_CONNECT] = "Connect",
	[FG_PEER_ACTIVE] = "Active",
	[FG_PEER_OPENSENT] = "OpenSent",
	[FG_PEER_OPENCONFIRM] = "OpenConfirm",
	[FG_PEER_ESTABLISHED] = "Established",
};
_Static_assert(FG_ARRAY_SIZE(state_text) == FG_PEER_STATES, "a text for each state");

const char *fg_peer_state_text(enum fg_peer_state state)
{
	return (unsigned)state < FG_PEER_STATES ? state_text[state] : "?";
}

static bool ended(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* Each check returns what is wrong, NULL when nothing is. */
static const char *check_nothing(const struct fg_link_message *m)
{
	(void)m;
	return NULL;
}

static const char *check_speaker(const struct fg_link_message *m)
{
	return m->speaker.as && m->speaker.router_id ? NULL : "AS number or router id is 0";
}

static const char *check_peer(const struct fg_link_message *m)
{
	const struct fg_link_peer *peer = &m->peer;

	if (!peer->peer || !peer->as || !peer->local_as || !peer->port)
		return "peer number, AS number or port is 0";
	if (peer->hold_time == 1 || peer->hold_time == 2)
		return "hold time is 1 or 2"; /* RFC 4271 section 4.2 */
	if (peer->remote.family >= FG_FAMILIES || peer->passive > 1)
		return "unknown address family or mode";
	if (!peer->families || (peer->families & ~FG_BGP_ALL_BITS))
		return "unknown families";
	return ended(peer->name, sizeof(peer->name)) ? NULL : "name has no end";
}

static const char *check_peer_fd(const struct fg_link_message *m)
{
	return m->with_fd.peer ? NULL : "peer number is 0";
}

static bool good_rate(float rate)
{
	return !isnan(rate) && rate >= 0;
}

static const char *check_actions(const struct fg_actions *actions)
{
	if (actions->set & ~ALL_ACTIONS)
		return "unknown action";
	if (!good_rate(actions->rate_bytes) || !good_rate(actions->rate_packets))
		return "rate is negative or not a number";
	if (actions->dscp > 63)
		return "DSCP above 63";
	return ended(actions->redirect, sizeof(actions->redirect)) ? NULL : "redirect has no end";
}

/* Rules of the datapath are made of this NLRI: it must be valid and the one spelling that keys the rib. */
static const char *check_nlri(const struct fg_link_route *route)
{
	struct fg_flow flow;
	uint8_t again[FG_NLRI_MAX];

	if (route->family >= FG_FAMILIES)
		return "unknown family";
	if (route->header.length != sizeof(*route) + route->nlri_len)
		return "NLRI length does not fit the message";
	if (fg_flow_decode(route->family, route->nlri, route->nlri_len, &flow, NULL))
		return "NLRI is malformed";
	if (fg_flow_encode(&flow, again, sizeof(again)) != route->nlri_len ||
	    memcmp(again, route->nlri, route->nlri_len))
		return "NLRI is not normalised";
	return NULL;
}

static const char *check_path(const struct fg_path *path)
{
	return path->origin > 2 || path->external > 1 ? "unknown origin or kind of path" : NULL;
}

static const char *check_withdraw(const struct fg_link_message *m)
{
	return m->route.peer ? check_nlri(&m->route) : "peer number is 0";
}

static const char *check_route(const struct fg_link_message *m)
{
	const char *bad = check_withdraw(m);

	if (!bad)
		bad = check_path(&m->route.path);
	return bad ? bad : check_actions(&m->route.actions);
}

static const char *check_prefix(const struct fg_link_message *m)
{
	const struct fg_link_unicast *unicast = &m->unicast;

	if (!unicast->peer || unicast->family >= FG_FAMILIES)
		return "peer number is 0 or unknown family";
	if (unicast->len > (unicast->family == FG_INET ? 32 : 128))
		return "prefix is too long";
	return check_path(&unicast->path);
}

static const char *check_state(const struct fg_link_message *m)
{
	const struct fg_link_peer_state *state = &m->state;

	if (!state->peer)
		return "peer number is 0";
	if (state->state >= FG_PEER_STATES || state->family >= FG_BGP_FAMILIES)
		return "unknown state or family";
	if ((state->families & ~FG_BGP_ALL_BITS) || state->prefix_limited > 1)
		return "unknown families or flag";
	return ended(state->last_error, sizeof(state->last_error)) ? NULL : "error has no end";
}

static const char *check_log(const struct fg_link_message *m)
{
	if (m->log.level < FG_LOG_ERROR || m->log.level > FG_LOG_DEBUG)
		return "unknown log level";
	return ended(m->log.text, sizeof(m->log.text)) ? NULL : "text has no end";
}

static const struct {
	enum fg_link_side from;
	bool fd, longer; /* comes with a descriptor; NLRI follows */
	size_t size;
	const char *(*check)(const struct fg_link_message *m);
} kinds[] = {
	[FG_LINK_CONFIG_BEGIN] = { FG_LINK_PARENT, false, false, sizeof(struct fg_link_speaker),
				   check_speaker },
	[FG_LINK_CONFIG_PEER] = { FG_LINK_PARENT, false, false, sizeof(struct fg_link_peer),
				  check_peer },
	[FG_LINK_CONFIG_END] = { FG_LINK_PARENT, false, false, sizeof(struct fg_link_header),
				 check_nothing },
	[FG_LINK_LISTEN_FD] = { FG_LINK_PARENT, true, false, sizeof(struct fg_link_fd),
				check_nothing },
	[FG_LINK_CONNECT_FD] = { FG_LINK_PARENT, true, false, sizeof(struct fg_link_fd),
				 check_peer_fd },
	[FG_LINK_WANT_FD] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_fd), check_peer_fd },
	[FG_LINK_ROUTE] = { FG_LINK_BGP, false, true, sizeof(struct fg_link_route), check_route },
	[FG_LINK_WITHDRAW] = { FG_LINK_BGP, false, true, sizeof(struct fg_link_route),
			       check_withdraw },
	[FG_LINK_UNICAST] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_unicast),
			      check_prefix },
	[FG_LINK_UNICAST_WITHDRAW] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_unicast),
				       check_prefix },
	[FG_LINK_END_OF_RIB] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_peer_state),
				 check_state },
	[FG_LINK_PEER_STATE] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_peer_state),
				 check_state },
	[FG_LINK_LOG] = { FG_LINK_BGP, false, false, sizeof(struct fg_link_log), check_log },
};
_Static_assert(FG_ARRAY_SIZE(kinds) == FG_LINK_TYPE_MAX, "a check for each type");

int fg_link_check(const struct fg_link_message *m, size_t len, enum fg_link_side from,
		  struct fg_error *err)
{
	bool has_fd = m->fd >= 0;
	const char *bad;
	uint32_t type;

	if (len < sizeof(m->header) || len > sizeof(m->bytes) || m->header.length != len)
		return fg_error_set(err, -EPROTO, "link: message of %zu octets", len);
	type = m->header.type;
	if (type >= FG_LINK_TYPE_MAX || kinds[type].from != from)
		return fg_error_set(err, -EPROTO, "link: unexpected message type %u", type);
	if (len < kinds[type].size || (len > kinds[type].size && !kinds[type].longer))
		return fg_error_set(err, -EPROTO, "link: type %u has %zu octets", type, len);
	if (has_fd != kinds[type].fd)
		return fg_error_set(err, -EPROTO, "link: type %u %s a descriptor", type,
				    has_fd ? "has" : "lacks");
	bad = kinds[type].check(m);
	return bad ? fg_error_set(err, -EPROTO, "link: type %u: %s", type, bad) : 0;
}
