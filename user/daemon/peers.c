// SPDX-License-Identifier: MIT
/* BGP neighbours: their numbers, what the bgp process tells of them, and the life of their rules
 * while they are away. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bgp/socket.h"
#include "daemon/daemon.h"
#include "util/text.h"

/* Many speakers (GoBGP without graceful restart) send no End-of-RIB (RFC 4724 section 2): this long
 * without a rule after the session came up means the same. */
#define QUIET_MS 10000

struct fg_peer *fg_peer_by_number(const struct fg_daemon *daemon, uint32_t number)
{
	for (size_t i = 0; i < daemon->n_peers; i++)
		if (daemon->peers[i]->number == number)
			return daemon->peers[i];
	return NULL;
}

struct fg_peer *fg_peer_by_name(const struct fg_daemon *daemon, const char *name)
{
	for (size_t i = 0; i < daemon->n_peers; i++)
		if (!strcmp(daemon->peers[i]->name, name))
			return daemon->peers[i];
	return NULL;
}

const char *fg_source_name(const struct fg_daemon *daemon, uint32_t source)
{
	const struct fg_peer *peer = fg_peer_by_number(daemon, source);

	return source == FG_RIB_STATIC ? "static" : peer ? peer->name : "unknown";
}

/* --- stale rules ------------------------------------------------------------------------------ */

static void sweep(struct fg_peer *peer, int family)
{
	struct fg_daemon *daemon = peer->daemon;
	size_t n = fg_rib_sweep_stale(daemon->rib, peer->number, family);

	if (!n)
		return;
	fg_log(FG_LOG_NOTICE, "peer %s: %zu stale rules removed", peer->name, n);
	for (int f = 0; f < FG_FAMILIES; f++)
		if (family < 0 || family == f)
			fg_rules_changed(daemon, (enum fg_family)f);
	fg_state_changed(daemon);
}

static void on_stale(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	sweep(arg, -1);
}

void fg_peer_await(struct fg_peer *peer)
{
	const struct timeval wait = { peer->daemon->conf->stale_time, 0 };

	/* A flapping peer does not stretch the time of rules that it never confirms. */
	if (!evtimer_pending(peer->stale_timer, NULL))
		(void)event_add(peer->stale_timer, &wait);
}

static void went_down(struct fg_peer *peer)
{
	size_t n = fg_rib_mark_stale(peer->daemon->rib, peer->number);

	peer->end_of_rib = 0;
	(void)event_del(peer->quiet_timer);
	fg_log(FG_LOG_WARNING, "peer %s down%s%s: its %zu rules stay for at most %u s", peer->name,
	       peer->state.last_error[0] ? ": " : "", peer->state.last_error, n,
	       peer->daemon->conf->stale_time);
	if (n)
		fg_peer_await(peer);
	fg_state_changed(peer->daemon);
}

static void await_quiet(struct fg_peer *peer, int64_t ms)
{
	const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };

	(void)event_add(peer->quiet_timer, &wait);
}

static bool all_heard(const struct fg_peer *peer)
{
	uint8_t wanted = peer->state.families ? peer->state.families : peer->conf->families;

	return peer->state.state == FG_PEER_ESTABLISHED && (peer->end_of_rib & wanted) == wanted;
}

static void end_of_rib(struct fg_peer *peer, uint32_t family)
{
	struct fg_daemon *daemon = peer->daemon;
	bool all = true;

	peer->end_of_rib |= (uint8_t)(1U << family);
	fg_log(FG_LOG_INFO, "peer %s: all %s rules received", peer->name,
	       family == FG_INET ? "inet" : "inet6");
	sweep(peer, (int)family);
	if (all_heard(peer)) {
		(void)event_del(peer->stale_timer);
		(void)event_del(peer->quiet_timer);
	}
	for (size_t i = 0; i < daemon->n_peers; i++)
		all = all && all_heard(daemon->peers[i]);
	if (all)
		fg_rules_release(daemon);
}

static void on_quiet(evutil_socket_t fd, short what, void *arg)
{
	struct fg_peer *peer = arg;
	int64_t quiet = fg_now_ms() - peer->heard_ms;
	uint8_t families = peer->state.families ? peer->state.families : peer->conf->families;

	(void)fd;
	(void)what;
	if (quiet < QUIET_MS) {
		await_quiet(peer, QUIET_MS - quiet);
		return;
	}
	for (uint32_t f = 0; f < FG_FAMILIES; f++)
		if (families & ~peer->end_of_rib & (1U << f))
			end_of_rib(peer, f);
}

void fg_peers_lost(struct fg_daemon *daemon)
{
	for (size_t i = 0; i < daemon->n_peers; i++) {
		struct fg_peer *peer = daemon->peers[i];
		bool was_up = peer->state.state == FG_PEER_ESTABLISHED;

		peer->state.state = FG_PEER_IDLE;
		peer->state.families = 0;
		if (was_up) {
			fg_text_copy(peer->state.last_error, sizeof(peer->state.last_error),
				     "the bgp process ended");
			peer->since = fg_now();
			went_down(peer);
		}
	}
}

/* --- messages --------------------------------------------------------------------------------- */

static void peer_state(struct fg_peer *peer, const struct fg_link_peer_state *state)
{
	uint32_t old = peer->state.state;

	peer->state = *state;
	if (old == state->state)
		return;
	peer->since = fg_now();
	if (state->state == FG_PEER_ESTABLISHED) {
		peer->end_of_rib = 0;
		peer->heard_ms = fg_now_ms();
		await_quiet(peer, QUIET_MS);
	} else if (old == FG_PEER_ESTABLISHED) {
		went_down(peer);
	}
}

static void withdraw(struct fg_daemon *daemon, const struct fg_link_route *route)
{
	enum fg_family family = (enum fg_family)route->family;

	if (fg_rib_withdraw(daemon->rib, family, route->peer, route->nlri, route->nlri_len))
		fg_rules_changed(daemon, family);
	fg_state_changed(daemon);
}

/* Text of the bgp process may come from a peer (RFC 9003): no newline forges a log line, no escape
 * a terminal. */
static void clean(char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
}

void fg_peers_message(struct fg_daemon *daemon, struct fg_link_message *message)
{
	struct fg_peer *peer;

	if (message->header.type == FG_LINK_LOG) {
		clean(message->log.text);
		fg_log((enum fg_log_level)message->log.level, "bgp: %s", message->log.text);
		return;
	}
	/* All others carry the peer's number at the same place. */
	peer = fg_peer_by_number(daemon, message->with_fd.peer);
	if (!peer) /* gone from the configuration while the message was under way */
		return;
	switch (message->header.type) {
	case FG_LINK_ROUTE:
		peer->heard_ms = fg_now_ms();
		fg_rules_add(daemon, peer, (enum fg_family)message->route.family,
			     message->route.nlri, message->route.nlri_len, &message->route.actions,
			     fg_now(), 0);
		fg_state_changed(daemon);
		break;
	case FG_LINK_WITHDRAW:
		withdraw(daemon, &message->route);
		break;
	case FG_LINK_END_OF_RIB:
		end_of_rib(peer, message->state.family);
		break;
	case FG_LINK_PEER_STATE:
		clean(message->state.last_error);
		peer_state(peer, &message->state);
		break;
	case FG_LINK_WANT_FD:
		fg_sockets_dial(daemon, peer);
		break;
	default:
		break;
	}
}

_Static_assert(offsetof(struct fg_link_route, peer) == offsetof(struct fg_link_fd, peer),
	       "peer stands first");
_Static_assert(offsetof(struct fg_link_peer_state, peer) == offsetof(struct fg_link_fd, peer),
	       "peer stands first");

/* --- configuration ---------------------------------------------------------------------------- */

static void peer_free(struct fg_peer *peer)
{
	if (peer->stale_timer)
		event_free(peer->stale_timer);
	if (peer->quiet_timer)
		event_free(peer->quiet_timer);
	free(peer);
}

static struct fg_peer *peer_new(struct fg_daemon *daemon, const char *name)
{
	struct fg_peer *peer = calloc(1, sizeof(*peer));
	struct fg_peer **peers = reallocarray(daemon->peers, daemon->n_peers + 1, sizeof(*peers));

	if (peers)
		daemon->peers = peers;
	if (!peer || !peers) {
		free(peer);
		return NULL;
	}
	peer->daemon = daemon;
	peer->stale_timer = evtimer_new(daemon->base, on_stale, peer);
	peer->quiet_timer = evtimer_new(daemon->base, on_quiet, peer);
	if (!peer->stale_timer || !peer->quiet_timer) {
		peer_free(peer);
		return NULL;
	}
	peer->number = ++daemon->last_number;
	peer->since = fg_now();
	fg_text_copy(peer->name, sizeof(peer->name), name);
	daemon->peers[daemon->n_peers++] = peer;
	return peer;
}

static void remove_gone(struct fg_daemon *daemon)
{
	size_t kept = 0;

	for (size_t i = 0; i < daemon->n_peers; i++) {
		struct fg_peer *peer = daemon->peers[i];

		if (peer->conf) {
			daemon->peers[kept++] = peer;
			continue;
		}
		fg_log(FG_LOG_NOTICE, "peer %s is no longer configured: its rules are withdrawn",
		       peer->name);
		if (fg_rib_withdraw_source(daemon->rib, peer->number)) {
			fg_rules_changed(daemon, FG_INET);
			fg_rules_changed(daemon, FG_INET6);
			fg_state_changed(daemon);
		}
		peer_free(peer);
	}
	daemon->n_peers = kept;
}

int fg_peers_apply(struct fg_daemon *daemon, struct fg_error *err)
{
	for (size_t i = 0; i < daemon->n_peers; i++)
		daemon->peers[i]->conf = NULL;
	for (size_t i = 0; i < daemon->conf->n_neighbors; i++) {
		const struct fg_conf_neighbor *neighbor = &daemon->conf->neighbors[i];
		const struct fg_link_address address = fg_link_address_of(&neighbor->address);
		char name[64];
		struct fg_peer *peer;

		(void)fg_bgp_address_text(&address, name, sizeof(name));
		peer = fg_peer_by_name(daemon, name);
		if (!peer)
			peer = peer_new(daemon, name);
		if (!peer)
			return fg_error_set(err, -ENOMEM, "out of memory");
		peer->conf = neighbor;
	}
	remove_gone(daemon);
	return 0;
}

void fg_peers_free(struct fg_daemon *daemon)
{
	for (size_t i = 0; i < daemon->n_peers; i++)
		peer_free(daemon->peers[i]);
	free(daemon->peers);
	daemon->peers = NULL;
	daemon->n_peers = 0;
}

/* Without a configured router-id: the first IPv4 address of this host that is not its loopback (RFC
 * 4271 section 4.2 asks for one of the host's addresses). */
static uint32_t router_id(const struct fg_conf *conf)
{
	struct ifaddrs *all = NULL;
	uint32_t id = conf->router_id;

	if (id || getifaddrs(&all) < 0)
		return id;
	for (const struct ifaddrs *a = all; a && !id; a = a->ifa_next) {
		struct sockaddr_in address;

		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET)
			continue;
		memcpy(&address, a->ifa_addr, sizeof(address));
		if (ntohl(address.sin_addr.s_addr) >> 24 != 127)
			id = address.sin_addr.s_addr;
	}
	freeifaddrs(all);
	return id ? id : htonl(1);
}

static void send_peer(struct fg_daemon *daemon, const struct fg_peer *peer)
{
	const struct fg_conf_neighbor *conf = peer->conf;
	struct fg_link_peer message = {
		.peer = peer->number,
		.as = conf->peer_as,
		.local_as = conf->local_as ? conf->local_as : daemon->conf->as,
		.remote = fg_link_address_of(&conf->address),
		.port = conf->port,
		.hold_time = conf->hold_time,
		.passive = conf->passive,
		.families = conf->families,
		.prefix_limit = conf->prefix_limit,
	};

	fg_text_copy(message.name, sizeof(message.name), peer->name);
	fg_link_init(&message.header, FG_LINK_CONFIG_PEER, sizeof(message));
	fg_bgp_child_send(daemon, &message.header, -1);
}

void fg_peers_send(struct fg_daemon *daemon)
{
	struct fg_link_speaker begin = { .as = daemon->conf->as,
					 .router_id = router_id(daemon->conf) };
	struct fg_link_header end;

	fg_link_init(&begin.header, FG_LINK_CONFIG_BEGIN, sizeof(begin));
	fg_bgp_child_send(daemon, &begin.header, -1);
	for (size_t i = 0; i < daemon->n_peers; i++)
		send_peer(daemon, daemon->peers[i]);
	fg_link_init(&end, FG_LINK_CONFIG_END, sizeof(end));
	fg_bgp_child_send(daemon, &end, -1);
	fg_sockets_send(daemon);
}
