// SPDX-License-Identifier: MIT
/* The event loop of the bgp process: the link to the parent, the listening sockets, the peers. */
#define _GNU_SOURCE
#include "bgp/speaker.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "bgp/internal.h"
#include "util/cleanup.h"

#define RETRY_MIN_MS 1000
#define RETRY_MAX_MS 60000
#define SECOND_MS 1000
#define ACCEPT_AT_ONCE 16

struct timeval fg_milliseconds(uint64_t ms)
{
	return (struct timeval){ .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
}

struct timeval fg_speaker_jitter(struct fg_speaker *speaker, uint64_t ms)
{
	/* Knuth's MMIX generator; its high bits are the good ones. */
	speaker->random = speaker->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return fg_milliseconds(ms * (75 + (speaker->random >> 33) % 26) / 100);
}

bool fg_speaker_paused(const struct fg_speaker *speaker)
{
	return speaker->queue.head != NULL;
}

static void finish(struct fg_speaker *speaker, int result)
{
	/* The parent closing its end is how it says goodbye. */
	speaker->result = result == -EPIPE || result == -ECONNRESET ? 0 : result;
	speaker->done = true;
}

static void pause_peers(struct fg_speaker *speaker)
{
	for (struct fg_peer *peer = speaker->peers; peer; peer = peer->next)
		for (int side = 0; side < FG_SIDES; side++)
			if (peer->sessions[side])
				fg_session_pause(peer->sessions[side]);
}

static void resume_peers(struct fg_speaker *speaker)
{
	for (struct fg_peer *peer = speaker->peers; peer; peer = peer->next)
		for (int side = 0; side < FG_SIDES; side++)
			if (peer->sessions[side] && !fg_speaker_paused(speaker))
				fg_session_resume(peer->sessions[side]);
}

void fg_speaker_send(struct fg_speaker *speaker, const struct fg_link_header *message)
{
	bool was_paused = fg_speaker_paused(speaker);
	int err;

	if (speaker->done)
		return;
	err = fg_link_queue_send(&speaker->queue, speaker->link_fd, message, -1);
	if (err) {
		finish(speaker, fg_error_set(speaker->err, err, "link: %s", strerror(-err)));
		return;
	}
	if (was_paused || !fg_speaker_paused(speaker))
		return;
	event_add(speaker->link_write, NULL);
	pause_peers(speaker);
}

void fg_speaker_log(struct fg_speaker *speaker, enum fg_log_level level, const char *format, ...)
{
	struct fg_link_log message = { .level = level };
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(message.text, sizeof(message.text), format, ap);
	va_end(ap);
	fg_link_init(&message.header, FG_LINK_LOG, sizeof(message));
	fg_speaker_send(speaker, &message.header);
}

static void on_link_writable(evutil_socket_t fd, short what, void *arg)
{
	struct fg_speaker *speaker = arg;
	int err = fg_link_queue_flush(&speaker->queue, fd);

	(void)what;
	if (err == -EAGAIN)
		event_add(speaker->link_write, NULL);
	else if (err)
		finish(speaker, fg_error_set(speaker->err, err, "link: %s", strerror(-err)));
	else
		resume_peers(speaker);
}

static struct fg_peer *find_peer(const struct fg_speaker *speaker, uint32_t number)
{
	struct fg_peer *peer = speaker->peers;

	while (peer && peer->config.peer != number)
		peer = peer->next;
	return peer;
}

static void remove_peer(struct fg_speaker *speaker, struct fg_peer *peer, enum fg_bgp_cease why)
{
	struct fg_peer **link = &speaker->peers;

	while (*link != peer)
		link = &(*link)->next;
	*link = peer->next;
	fg_peer_free(peer, why);
}

/* What a session was opened with; the rest may change while it is up. */
static bool same_session(const struct fg_link_peer *a, const struct fg_link_peer *b)
{
	return a->as == b->as && a->local_as == b->local_as && a->port == b->port &&
	       a->hold_time == b->hold_time && a->families == b->families &&
	       a->passive == b->passive && a->remote.family == b->remote.family &&
	       !memcmp(a->remote.addr, b->remote.addr, sizeof(a->remote.addr));
}

static void config_peer(struct fg_speaker *speaker, const struct fg_link_peer *config)
{
	struct fg_peer *peer = find_peer(speaker, config->peer);
	unsigned n = 0;

	if (peer && same_session(&peer->config, config)) {
		peer->config = *config;
		peer->named = true;
		return;
	}
	if (peer)
		remove_peer(speaker, peer, FG_BGP_CEASE_CHANGED);
	for (peer = speaker->peers; peer; peer = peer->next)
		n++;
	peer = n < FG_PEERS_MAX ? fg_peer_new(speaker, config) : NULL;
	if (!peer) {
		fg_speaker_log(speaker, FG_LOG_ERROR, "peer %s: no room for it", config->name);
		return;
	}
	peer->next = speaker->peers;
	speaker->peers = peer;
}

static void config_begin(struct fg_speaker *speaker, const struct fg_link_speaker *config)
{
	bool changed =
		speaker->config.as != config->as || speaker->config.router_id != config->router_id;
	struct fg_peer *next;

	speaker->config = *config;
	for (struct fg_peer *peer = speaker->peers; peer; peer = next) {
		next = peer->next;
		peer->named = false;
		if (changed)
			remove_peer(speaker, peer, FG_BGP_CEASE_CHANGED);
	}
}

static void config_end(struct fg_speaker *speaker)
{
	struct fg_peer *next;

	for (struct fg_peer *peer = speaker->peers; peer; peer = next) {
		next = peer->next;
		if (!peer->named)
			remove_peer(speaker, peer, FG_BGP_CEASE_DECONFIGURED);
	}
}

static bool address_of(const struct sockaddr_storage *from, struct fg_link_address *ret)
{
	union {
		const struct sockaddr_storage *any;
		const struct sockaddr_in *inet;
		const struct sockaddr_in6 *inet6;
	} p = { from };

	*ret = (struct fg_link_address){ 0 };
	if (from->ss_family == AF_INET)
		memcpy(ret->addr, &p.inet->sin_addr, 4);
	else if (from->ss_family == AF_INET6)
		memcpy(ret->addr, &p.inet6->sin6_addr, 16);
	ret->family = from->ss_family == AF_INET6 ? FG_INET6 : FG_INET;
	return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

static struct fg_peer *peer_at(const struct fg_speaker *speaker,
			       const struct sockaddr_storage *from)
{
	struct fg_link_address address;

	if (!address_of(from, &address))
		return NULL;
	for (struct fg_peer *peer = speaker->peers; peer; peer = peer->next)
		if (peer->config.remote.family == address.family &&
		    !memcmp(peer->config.remote.addr, address.addr, sizeof(address.addr)))
			return peer;
	return NULL;
}

static void on_acceptable(evutil_socket_t listener, short what, void *arg)
{
	struct fg_speaker *speaker = arg;

	(void)what;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t len = sizeof(from);
		union {
			struct sockaddr_storage *storage;
			struct sockaddr *any;
		} p = { &from };
		int fd = accept4(listener, p.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct fg_peer *peer = fd < 0 ? NULL : peer_at(speaker, &from);

		if (fd < 0)
			return;
		if (peer)
			fg_peer_accept(peer, fd);
		else
			close(fd); /* not configured: nothing is owed to it, not even a log line */
	}
}

static void add_listener(struct fg_speaker *speaker, int fd)
{
	struct event *event = NULL;

	if (speaker->n_listeners < FG_LISTENERS_MAX)
		event = event_new(speaker->base, fd, EV_READ | EV_PERSIST, on_acceptable, speaker);
	if (!event) {
		fg_speaker_log(speaker, FG_LOG_ERROR, "no room for another listening socket");
		close(fd);
		return;
	}
	event_add(event, NULL);
	speaker->listeners[speaker->n_listeners].fd = fd;
	speaker->listeners[speaker->n_listeners++].event = event;
}

static void on_message(struct fg_speaker *speaker, struct fg_link_message *message)
{
	struct fg_peer *peer;

	switch (message->header.type) {
	case FG_LINK_CONFIG_BEGIN:
		config_begin(speaker, &message->speaker);
		break;
	case FG_LINK_CONFIG_PEER:
		config_peer(speaker, &message->peer);
		break;
	case FG_LINK_CONFIG_END:
		config_end(speaker);
		break;
	case FG_LINK_LISTEN_FD:
		add_listener(speaker, message->fd);
		break;
	case FG_LINK_CONNECT_FD:
		peer = find_peer(speaker, message->with_fd.peer);
		if (peer)
			fg_peer_dial(peer, message->fd);
		else
			close(message->fd);
		break;
	}
}

static void on_link_readable(evutil_socket_t fd, short what, void *arg)
{
	struct fg_speaker *speaker = arg;
	struct fg_link_message message;
	int got;

	(void)what;
	while (!speaker->done) {
		got = fg_link_recv(fd, FG_LINK_PARENT, &message, speaker->err);
		if (got == -EAGAIN)
			return;
		if (got <= 0)
			finish(speaker, got);
		else
			on_message(speaker, &message);
	}
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct fg_speaker *speaker = arg;

	(void)fd;
	(void)what;
	for (struct fg_peer *peer = speaker->peers; peer; peer = peer->next) {
		peer->logged = 0;
		if (!fg_speaker_paused(speaker))
			fg_peer_report(peer, false);
	}
}

static void free_dead(struct fg_speaker *speaker)
{
	while (speaker->dead) {
		struct fg_session *session = speaker->dead;

		speaker->dead = session->next_dead;
		fg_session_free(session);
	}
}

static int build(struct fg_speaker *speaker)
{
	struct timeval tv = fg_milliseconds(speaker->options.second_ms);
	int fd = speaker->link_fd;

	speaker->base = event_base_new();
	if (!speaker->base)
		return -ENOMEM;
	speaker->link_read =
		event_new(speaker->base, fd, EV_READ | EV_PERSIST, on_link_readable, speaker);
	speaker->link_write = event_new(speaker->base, fd, EV_WRITE, on_link_writable, speaker);
	speaker->tick = event_new(speaker->base, -1, EV_PERSIST, on_tick, speaker);
	if (!speaker->link_read || !speaker->link_write || !speaker->tick)
		return -ENOMEM;
	event_add(speaker->link_read, NULL);
	event_add(speaker->tick, &tv);
	return 0;
}

static void destroy(struct fg_speaker *speaker)
{
	struct event *events[] = { speaker->link_read, speaker->link_write, speaker->tick };

	speaker->done = true; /* nobody reads what peers say of their end */
	while (speaker->peers)
		remove_peer(speaker, speaker->peers, FG_BGP_CEASE_SHUTDOWN);
	free_dead(speaker);
	for (unsigned i = 0; i < speaker->n_listeners; i++) {
		event_free(speaker->listeners[i].event);
		close(speaker->listeners[i].fd);
	}
	for (size_t i = 0; i < FG_ARRAY_SIZE(events); i++)
		if (events[i])
			event_free(events[i]);
	if (speaker->base)
		event_base_free(speaker->base);
	fg_link_queue_free(&speaker->queue);
	close(speaker->link_fd);
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

int fg_speaker_run(int link_fd, const struct fg_speaker_options *options, struct fg_error *err)
{
	struct fg_speaker speaker = { .link_fd = link_fd, .err = err };

	if (options)
		speaker.options = *options;
	speaker.options.retry_min_ms = or_default(speaker.options.retry_min_ms, RETRY_MIN_MS);
	speaker.options.retry_max_ms = or_default(speaker.options.retry_max_ms, RETRY_MAX_MS);
	speaker.options.second_ms = or_default(speaker.options.second_ms, SECOND_MS);
	if (getrandom(&speaker.random, sizeof(speaker.random), GRND_NONBLOCK) < 0)
		speaker.random = (uintptr_t)&speaker; /* only spreads timers and hash tables */
	speaker.result = build(&speaker);
	if (speaker.result)
		fg_error_set(err, speaker.result, "bgp: cannot build the event loop");
	while (!speaker.result && !speaker.done) {
		if (event_base_loop(speaker.base, EVLOOP_ONCE) < 0)
			finish(&speaker, fg_error_set(err, -EIO, "bgp: the event loop failed"));
		free_dead(&speaker);
	}
	destroy(&speaker);
	return speaker.result;
}
