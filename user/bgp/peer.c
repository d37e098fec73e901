// SPDX-License-Identifier: MIT
/* A configured peer: when to connect, which of two connections stays, and what the parent is told. */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bgp/internal.h"
#include "util/cleanup.h"

#define LOG_LINES 10    /* of one peer in a second */
#define WANT_SECONDS 15 /* how long the parent may take to send a socket */

static enum fg_peer_state state_of(const struct fg_session *s)
{
	return s ? s->state : FG_PEER_IDLE;
}

static const struct fg_session *leading(const struct fg_peer *peer)
{
	const struct fg_session *in = peer->sessions[FG_SIDE_IN],
				*out = peer->sessions[FG_SIDE_OUT];

	return state_of(in) >= state_of(out) ? in : out;
}

void fg_peer_report(struct fg_peer *peer, bool always)
{
	const struct fg_session *s = leading(peer);

	peer->report.peer = peer->config.peer;
	peer->report.state = s ? s->state : peer->wanting ? FG_PEER_CONNECT : FG_PEER_ACTIVE;
	peer->report.families = state_of(s) == FG_PEER_ESTABLISHED ? s->families : 0;
	/* Differing padding would cost a needless message, no more.
	 * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
	if (!always && !memcmp(&peer->report, &peer->sent, sizeof(peer->sent)))
		return;
	fg_link_init(&peer->report.header, FG_LINK_PEER_STATE, sizeof(peer->report));
	peer->sent = peer->report;
	fg_speaker_send(peer->speaker, &peer->report.header);
}

void fg_peer_log(struct fg_peer *peer, enum fg_log_level level, const char *format, ...)
{
	char text[192];
	va_list ap;

	if (++peer->logged > LOG_LINES)
		return;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fg_speaker_log(peer->speaker, level, "peer %s: %s", peer->config.name, text);
}

static bool established(const struct fg_peer *peer)
{
	return state_of(peer->sessions[FG_SIDE_IN]) == FG_PEER_ESTABLISHED ||
	       state_of(peer->sessions[FG_SIDE_OUT]) == FG_PEER_ESTABLISHED;
}

/* The next attempt: waits double up to the limit (RFC 4271 section 8.1.1, DampPeerOscillations). */
static void schedule(struct fg_peer *peer)
{
	const struct fg_speaker_options *options = &peer->speaker->options;
	unsigned doublings = peer->fails > 1 ? peer->fails - 1 : 0;
	uint64_t wait = options->retry_max_ms;
	struct timeval tv;

	if (peer->config.passive || established(peer))
		return;
	if (doublings < 32 && ((uint64_t)options->retry_min_ms << doublings) < wait)
		wait = (uint64_t)options->retry_min_ms << doublings;
	tv = fg_speaker_jitter(peer->speaker, wait);
	event_add(peer->retry, &tv);
}

static void want(struct fg_peer *peer)
{
	struct timeval tv =
		fg_milliseconds((uint64_t)WANT_SECONDS * peer->speaker->options.second_ms);
	struct fg_link_fd message = { .peer = peer->config.peer };

	fg_link_init(&message.header, FG_LINK_WANT_FD, sizeof(message));
	peer->wanting = true;
	event_add(peer->retry, &tv);
	fg_peer_report(peer, false);
	fg_speaker_send(peer->speaker, &message.header);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct fg_peer *peer = arg;

	(void)fd;
	(void)what;
	if (peer->wanting) {
		/* The parent has no socket for us; it has said why in its own log. */
		peer->wanting = false;
		peer->fails++;
		schedule(peer);
	} else if (state_of(peer->sessions[FG_SIDE_IN]) >= FG_PEER_OPENSENT) {
		schedule(peer); /* the peer was faster; only if that fails */
	} else if (!peer->sessions[FG_SIDE_OUT]) {
		want(peer);
	}
}

struct fg_peer *fg_peer_new(struct fg_speaker *speaker, const struct fg_link_peer *config)
{
	struct fg_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->speaker = speaker;
	peer->config = *config;
	peer->named = true;
	peer->retry = evtimer_new(speaker->base, on_retry, peer);
	if (!peer->retry) {
		free(peer);
		return NULL;
	}
	fg_peer_report(peer, true);
	if (!config->passive)
		want(peer);
	return peer;
}

void fg_peer_free(struct fg_peer *peer, enum fg_bgp_cease why)
{
	for (int side = 0; side < FG_SIDES; side++)
		if (peer->sessions[side])
			fg_session_stop(peer->sessions[side], why);
	event_free(peer->retry);
	free(peer);
}

void fg_peer_dial(struct fg_peer *peer, int fd)
{
	if (!peer->wanting || peer->sessions[FG_SIDE_OUT] || established(peer)) {
		close(fd);
		return;
	}
	peer->wanting = false;
	event_del(peer->retry);
	if (!fg_session_new(peer, FG_SIDE_OUT, fd))
		schedule(peer);
	fg_peer_report(peer, false);
}

/* RFC 4486 section 4: refused before any OPEN. */
static void refuse(int fd)
{
	struct fg_bgp_notification cease = { .code = FG_BGP_ERR_CEASE,
					     .subcode = FG_BGP_CEASE_REJECTED };
	uint8_t out[FG_BGP_MAX];

	(void)!write(fd, out, fg_bgp_notification_encode(&cease, out));
	close(fd);
}

void fg_peer_accept(struct fg_peer *peer, int fd)
{
	struct fg_session *old = peer->sessions[FG_SIDE_IN];

	if (state_of(old) > FG_PEER_OPENSENT) {
		refuse(fd);
		return;
	}
	/* A peer that connects again has given up its earlier attempt. */
	if (old)
		fg_session_stop(old, FG_BGP_CEASE_COLLISION);
	(void)fg_session_new(peer, FG_SIDE_IN, fd);
}

/* Does the connection that the peer dialled stay? RFC 4271 section 6.8; equal ids: RFC 6286 section 2.3. */
static bool incoming_stays(const struct fg_session *s, const struct fg_bgp_open *open)
{
	uint32_t mine = ntohl(s->mine.router_id), theirs = ntohl(open->router_id);

	return mine == theirs ? s->mine.as < open->as : mine < theirs;
}

bool fg_peer_wins(struct fg_session *session, const struct fg_bgp_open *open)
{
	struct fg_session *other = session->peer->sessions[!session->side];

	if (state_of(other) == FG_PEER_ESTABLISHED)
		return false;
	if (state_of(other) != FG_PEER_OPENCONFIRM)
		return true;
	if (incoming_stays(session, open) != (session->side == FG_SIDE_IN))
		return false;
	fg_session_stop(other, FG_BGP_CEASE_COLLISION);
	return true;
}

static void log_up(struct fg_peer *peer, const struct fg_session *s)
{
	static const char *const names[FG_BGP_FAMILIES] = { "inet flow", "inet6 flow",
							    "inet unicast", "inet6 unicast" };

	fg_peer_log(peer, FG_LOG_NOTICE, "established, AS %u, hold time %u s", s->remote.as,
		    s->hold_time);
	for (unsigned family = 0; family < FG_BGP_FAMILIES; family++)
		if (peer->config.families & ~s->families & (1U << family))
			fg_peer_log(peer, FG_LOG_WARNING, "does not offer family %s",
				    names[family]);
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

void fg_peer_up(struct fg_session *session)
{
	struct fg_peer *peer = session->peer;
	struct fg_session *out = peer->sessions[FG_SIDE_OUT];

	session->up_since = now();
	event_del(peer->retry);
	peer->wanting = false;
	peer->report.rules = 0;
	peer->report.prefix_limited = 0;
	log_up(peer, session);
	/* An attempt that has not even connected is not needed any more. */
	if (out && out->state == FG_PEER_CONNECT)
		fg_session_stop(out, FG_BGP_CEASE_COLLISION);
}

void fg_peer_down(struct fg_session *session, enum fg_peer_state was)
{
	struct fg_peer *peer = session->peer;
	time_t lasted = was == FG_PEER_ESTABLISHED ? now() - session->up_since : 0;

	if (was == FG_PEER_ESTABLISHED) {
		peer->report.flaps++;
		peer->report.rules = 0;
		peer->report.prefix_limited = 0;
		fg_peer_log(peer, FG_LOG_WARNING, "session lost: %s", peer->report.last_error);
	}
	/* Only a session that lasted ends the backoff: one that dies of its first UPDATE would not. */
	if ((uint64_t)lasted * 1000 >= peer->speaker->options.retry_max_ms)
		peer->fails = 0;
	else if (session->side == FG_SIDE_OUT || was == FG_PEER_ESTABLISHED)
		peer->fails++;
	fg_peer_report(peer, false);
	if (!peer->wanting)
		schedule(peer);
}
