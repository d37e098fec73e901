// SPDX-License-Identifier: MIT
/* One BGP connection: its socket, its timers, and the messages that drive its state machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bgp/internal.h"
#include "util/cleanup.h"

#define IN_SIZE (FG_BGP_MAX_EXTENDED + 1)
#define CONNECT_SECONDS 15
#define OPEN_HOLD_SECONDS 240 /* RFC 4271 section 8: "a large value" until the OPEN is there */

static void step(struct fg_session *s, enum fg_fsm_event event,
		 const struct fg_bgp_notification *notification);

static struct timeval seconds(const struct fg_session *s, unsigned n)
{
	return fg_milliseconds((uint64_t)n * s->peer->speaker->options.second_ms);
}

/* Messages are short and few: what a full socket buffer refuses whole is a KEEPALIVE to a peer that has not read
 * for long, and may be left out. A part sent would be garbage to the peer: then the connection is lost. */
static void send_octets(struct fg_session *s, const uint8_t *data, size_t len)
{
	ssize_t n = send(s->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n == (ssize_t)len)
		s->peer->report.messages_out++;
	else if (n >= 0 || errno != EAGAIN || data[FG_BGP_HEADER - 1] != FG_BGP_KEEPALIVE)
		s->broken = true;
}

static void send_keepalive(struct fg_session *s)
{
	uint8_t out[FG_BGP_MAX];

	send_octets(s, out, fg_bgp_keepalive_encode(out));
}

static void send_open(struct fg_session *s)
{
	uint8_t out[FG_BGP_MAX];

	send_octets(s, out, fg_bgp_open_encode(&s->mine, out));
}

static void send_notification(struct fg_session *s, const struct fg_bgp_notification *n)
{
	uint8_t out[FG_BGP_MAX];

	send_octets(s, out, fg_bgp_notification_encode(n, out));
	/* close() with octets unread resets the connection, and the peer would never see why. */
	shutdown(s->fd, SHUT_WR);
	for (int i = 0; i < 16 && recv(s->fd, out, sizeof(out), MSG_DONTWAIT) > 0; i++)
		;
}

static void arm_hold(struct fg_session *s)
{
	unsigned hold = s->state == FG_PEER_OPENSENT ? OPEN_HOLD_SECONDS : s->hold_time;
	struct timeval tv = seconds(s, hold);

	if (hold)
		event_add(s->hold, &tv);
	else
		event_del(s->hold);
}

static void free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

void fg_session_free(struct fg_session *s)
{
	free_event(&s->io);
	free_event(&s->hold);
	free_event(&s->keepalive);
	fg_closep(&s->fd);
	fg_idset_free(&s->rules);
	free(s->in);
	free(s);
}

/* Its callers up the stack still look at it, so it is freed when the loop's turn is over. */
static void close_session(struct fg_session *s, enum fg_peer_state was)
{
	struct fg_speaker *speaker = s->peer->speaker;

	free_event(&s->io);
	free_event(&s->hold);
	free_event(&s->keepalive);
	fg_closep(&s->fd);
	s->peer->sessions[s->side] = NULL;
	s->next_dead = speaker->dead;
	speaker->dead = s;
	fg_peer_down(s, was);
}

static void note_error(struct fg_session *s, const char *who, const struct fg_bgp_notification *n)
{
	char text[80];

	(void)snprintf(s->peer->report.last_error, sizeof(s->peer->report.last_error),
		       "%s: %s%s%.40s", who,
		       fg_bgp_notification_text(n->code, n->subcode, text, sizeof(text)),
		       n->reason[0] ? ", " : "", n->reason);
}

static void do_notify(struct fg_session *s, const struct fg_fsm_step *todo,
		      const struct fg_bgp_notification *notification)
{
	struct fg_bgp_notification own = { .code = todo->code, .subcode = todo->subcode };

	if (todo->code)
		notification = &own;
	note_error(s, "sent", notification);
	send_notification(s, notification);
}

static void start_keepalive(struct fg_session *s)
{
	uint64_t third = (uint64_t)s->hold_time * s->peer->speaker->options.second_ms / 3;
	struct timeval tv = fg_speaker_jitter(s->peer->speaker, third);

	if (s->hold_time)
		event_add(s->keepalive, &tv);
}

/* One step of the machine. @notification: what to send when the table leaves it to the event. */
static void step(struct fg_session *s, enum fg_fsm_event event,
		 const struct fg_bgp_notification *notification)
{
	enum fg_peer_state was = s->state;
	struct fg_fsm_step todo = fg_fsm_step(was, event);

	s->state = todo.next;
	if (todo.actions & FG_DO_NOTIFY)
		do_notify(s, &todo, notification);
	if (todo.actions & FG_DO_CLOSE) {
		close_session(s, was);
		return;
	}
	if (todo.actions & FG_DO_OPEN)
		send_open(s);
	if (todo.actions & FG_DO_KEEPALIVE) {
		send_keepalive(s);
		start_keepalive(s);
	}
	if (todo.actions & FG_DO_HOLD)
		arm_hold(s);
	if (todo.actions & FG_DO_UP)
		fg_peer_up(s);
	if (s->broken)
		step(s, FG_EV_LOST, NULL);
	else if (s->state != was)
		fg_peer_report(s->peer, false);
}

static void lost(struct fg_session *s, const char *why)
{
	(void)snprintf(s->peer->report.last_error, sizeof(s->peer->report.last_error), "%s", why);
	step(s, FG_EV_LOST, NULL);
}

void fg_session_stop(struct fg_session *s, enum fg_bgp_cease why)
{
	struct fg_bgp_notification cease = { .code = FG_BGP_ERR_CEASE, .subcode = why };

	step(s, FG_EV_STOP, &cease);
}

/* RFC 4271 section 4.2: the lower hold time counts. */
static void agree(struct fg_session *s, const struct fg_bgp_open *open)
{
	struct fg_peer *peer = s->peer;

	s->remote = *open;
	s->hold_time = open->hold_time < s->mine.hold_time ? open->hold_time : s->mine.hold_time;
	s->families = open->families & s->mine.families;
	peer->report.remote_as = open->as;
	peer->report.remote_id = open->router_id;
	peer->report.hold_time = s->hold_time;
	peer->report.restart_time = open->graceful ? open->restart_time : 0;
}

static void on_open(struct fg_session *s, const uint8_t *body, size_t len)
{
	struct fg_bgp_notification fault = { .code = FG_BGP_ERR_CEASE,
					     .subcode = FG_BGP_CEASE_COLLISION };
	struct fg_bgp_open open;

	if (s->state != FG_PEER_OPENSENT) {
		step(s, FG_EV_OPEN, NULL);
		return;
	}
	if (fg_bgp_open_decode(body, len, &open, &fault) ||
	    fg_bgp_open_check(&open, &s->mine, s->peer->config.as, &fault)) {
		step(s, FG_EV_FAULT, &fault);
		return;
	}
	if (!fg_peer_wins(s, &open)) {
		step(s, FG_EV_STOP, &fault);
		return;
	}
	agree(s, &open);
	step(s, FG_EV_OPEN, NULL);
}

static void on_update(struct fg_session *s, const uint8_t *body, size_t len)
{
	struct fg_bgp_update_context context = {
		.as4 = s->remote.as4,
		.external = s->remote.as != s->mine.as,
		.local_as = s->mine.as,
		.families = s->families,
	};
	struct fg_bgp_notification fault;
	bool apply = fg_fsm_step(s->state, FG_EV_UPDATE).actions & FG_DO_APPLY;

	step(s, FG_EV_UPDATE, NULL);
	if (apply && fg_bgp_update_decode(body, len, &context, &fg_rule_events, s, &fault))
		step(s, FG_EV_FAULT, &fault);
}

static void on_notification(struct fg_session *s, const uint8_t *body, size_t len)
{
	struct fg_bgp_notification notification;

	fg_bgp_notification_decode(body, len, &notification);
	note_error(s, "received", &notification);
	step(s, FG_EV_NOTIFICATION, NULL);
}

static void on_message(struct fg_session *s, uint8_t type, const uint8_t *body, size_t len)
{
	s->peer->report.messages_in++;
	switch (type) {
	case FG_BGP_OPEN:
		on_open(s, body, len);
		break;
	case FG_BGP_UPDATE:
		on_update(s, body, len);
		break;
	case FG_BGP_NOTIFICATION:
		on_notification(s, body, len);
		break;
	case FG_BGP_KEEPALIVE:
		step(s, FG_EV_KEEPALIVE, NULL);
		break;
	case FG_BGP_REFRESH:
		step(s, FG_EV_REFRESH, NULL);
		break;
	}
}

/* RFC 8654 section 4: extended messages only after both have said so. */
static size_t longest(const struct fg_session *s)
{
	return s->state > FG_PEER_OPENSENT && s->remote.extended && s->mine.extended
		       ? FG_BGP_MAX_EXTENDED
		       : FG_BGP_MAX;
}

/* Uses whole messages from the buffer until the link is full or the session ends. */
static void use_input(struct fg_session *s)
{
	struct fg_bgp_notification fault;
	struct fg_bgp_header header;
	size_t at = 0;

	while (s->fd >= 0 && !fg_speaker_paused(s->peer->speaker)) {
		int err = fg_bgp_header_decode(s->in + at, s->in_len - at, longest(s), &header,
					       &fault);

		if (err == -EPROTO) {
			step(s, FG_EV_FAULT, &fault);
			return;
		}
		if (err || s->in_len - at < header.length)
			break;
		on_message(s, header.type, s->in + at + FG_BGP_HEADER,
			   header.length - FG_BGP_HEADER);
		at += header.length;
	}
	s->in_len -= at;
	memmove(s->in, s->in + at, s->in_len);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct fg_session *s = arg;
	ssize_t n = recv(fd, s->in + s->in_len, IN_SIZE - s->in_len, MSG_DONTWAIT);

	(void)what;
	if (n > 0) {
		s->in_len += n;
		use_input(s);
	} else if (n == 0) {
		lost(s, "closed by the peer");
	} else if (errno != EAGAIN && errno != EINTR) {
		lost(s, strerror(errno));
	}
}

/* The peer is alive when octets of it are still waiting, or when it is we who do not read. */
static void on_hold(evutil_socket_t fd, short what, void *arg)
{
	struct fg_session *s = arg;
	uint8_t octet;

	(void)fd;
	(void)what;
	if (s->state != FG_PEER_OPENSENT && (fg_speaker_paused(s->peer->speaker) ||
					     recv(s->fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT) > 0))
		arm_hold(s);
	else
		step(s, FG_EV_HOLD_EXPIRED, NULL);
}

static void on_keepalive(evutil_socket_t fd, short what, void *arg)
{
	struct fg_session *s = arg;

	(void)fd;
	(void)what;
	send_keepalive(s);
	if (s->broken)
		step(s, FG_EV_LOST, NULL);
}

static void connected(struct fg_session *s)
{
	int one = 1;

	(void)setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	event_del(s->io);
	event_assign(s->io, s->peer->speaker->base, s->fd, EV_READ | EV_PERSIST, on_readable, s);
	if (!fg_speaker_paused(s->peer->speaker))
		event_add(s->io, NULL);
	step(s, FG_EV_CONNECTED, NULL);
}

static void on_connect(evutil_socket_t fd, short what, void *arg)
{
	struct fg_session *s = arg;
	int err = 0;
	socklen_t len = sizeof(err);

	if (what & EV_TIMEOUT)
		err = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		err = errno;
	if (err)
		lost(s, strerror(err));
	else
		connected(s);
}

static void dial(struct fg_session *s)
{
	const struct fg_link_peer *config = &s->peer->config;
	struct timeval tv = seconds(s, CONNECT_SECONDS);
	union {
		struct sockaddr any;
		struct sockaddr_in inet;
		struct sockaddr_in6 inet6;
	} to = { 0 };
	socklen_t len = sizeof(to.inet);

	if (config->remote.family == FG_INET) {
		to.inet.sin_family = AF_INET;
		to.inet.sin_port = htons(config->port);
		memcpy(&to.inet.sin_addr, config->remote.addr, sizeof(to.inet.sin_addr));
	} else {
		len = sizeof(to.inet6);
		to.inet6.sin6_family = AF_INET6;
		to.inet6.sin6_port = htons(config->port);
		memcpy(&to.inet6.sin6_addr, config->remote.addr, sizeof(to.inet6.sin6_addr));
	}
	if (connect(s->fd, &to.any, len) < 0 && errno != EINPROGRESS)
		lost(s, strerror(errno));
	else
		event_add(s->io, &tv);
}

static void fill_open(const struct fg_peer *peer, struct fg_bgp_open *open)
{
	*open = (struct fg_bgp_open){
		.version = FG_BGP_VERSION,
		.as = peer->config.local_as,
		.router_id = peer->speaker->config.router_id,
		.hold_time = peer->config.hold_time,
		.families = peer->config.families,
		.as4 = true,
		.refresh = true,
		.extended = true,
		.graceful = true,
	};
}

struct fg_session *fg_session_new(struct fg_peer *peer, enum fg_side side, int fd)
{
	struct event_base *base = peer->speaker->base;
	struct fg_session *s = calloc(1, sizeof(*s));

	if (!s) {
		close(fd);
		return NULL;
	}
	s->peer = peer;
	s->side = side;
	s->state = side == FG_SIDE_OUT ? FG_PEER_CONNECT : FG_PEER_ACTIVE;
	s->fd = fd;
	s->in = malloc(IN_SIZE);
	s->io = event_new(base, fd, EV_WRITE, on_connect, s);
	s->hold = evtimer_new(base, on_hold, s);
	s->keepalive = event_new(base, -1, EV_PERSIST, on_keepalive, s);
	s->rules.seed = peer->speaker->random;
	fill_open(peer, &s->mine);
	if (!s->in || !s->io || !s->hold || !s->keepalive) {
		fg_session_free(s);
		return NULL;
	}
	peer->sessions[side] = s;
	if (side == FG_SIDE_OUT)
		dial(s);
	else
		connected(s);
	return s->fd >= 0 ? s : NULL;
}

void fg_session_pause(struct fg_session *s)
{
	if (s->state >= FG_PEER_OPENSENT)
		event_del(s->io);
}

void fg_session_resume(struct fg_session *s)
{
	if (s->state < FG_PEER_OPENSENT)
		return;
	use_input(s);
	if (s->fd >= 0 && !fg_speaker_paused(s->peer->speaker))
		event_add(s->io, NULL);
}
