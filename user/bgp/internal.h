/* SPDX-License-Identifier: MIT */
/* What the parts of the speaker know of each other: the loop, its peers and their connections. */
#ifndef FG_BGP_INTERNAL_H
#define FG_BGP_INTERNAL_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "bgp/fsm.h"
#include "bgp/idset.h"
#include "bgp/link.h"
#include "bgp/msg.h"
#include "bgp/speaker.h"
#include "util/log.h"

#define FG_LISTENERS_MAX 16
#define FG_PEERS_MAX 1024

/* Who dialled; also the index in fg_peer.sessions. */
enum fg_side {
	FG_SIDE_IN,
	FG_SIDE_OUT,
	FG_SIDES,
};

/* One TCP connection with a peer. */
struct fg_session {
	struct fg_peer *peer;
	struct fg_session *next_dead;
	enum fg_side side;
	enum fg_peer_state state;
	int fd;      /* -1: closed, freed at the end of the loop's turn */
	bool broken; /* a write failed: lost as soon as the current step is done */
	struct event *io, *hold, *keepalive;
	struct fg_bgp_open mine, remote;
	uint16_t hold_time; /* agreed, seconds */
	uint8_t families;   /* agreed */
	uint8_t *in;        /* octets read and not yet used */
	size_t in_len;
	struct fg_idset rules; /* announced in this session and handed over */
	bool told_limit, told_ignored;
	time_t up_since; /* CLOCK_MONOTONIC */
};

struct fg_peer {
	struct fg_peer *next;
	struct fg_speaker *speaker;
	struct fg_link_peer config;
	struct fg_session *sessions[FG_SIDES];
	struct event *retry;
	unsigned fails;                         /* attempts in a row without a lasting session */
	bool wanting;                           /* asked the parent for a socket */
	bool named;                             /* in the configuration being read */
	unsigned logged;                        /* lines in this second */
	struct fg_link_peer_state report, sent; /* the second is what the parent knows */
};

struct fg_speaker {
	struct event_base *base;
	int link_fd;
	struct event *link_read, *link_write, *tick;
	struct fg_link_queue
		queue; /* not empty: no peer is read, so it stays as short as one UPDATE */
	struct fg_speaker_options options;
	struct fg_link_speaker config;
	struct fg_peer *peers;
	struct fg_session *dead;
	struct {
		int fd;
		struct event *event;
	} listeners[FG_LISTENERS_MAX];
	unsigned n_listeners;
	uint64_t random;
	bool done;
	int result;
	struct fg_error *err;
};

/* speaker.c */
/* Sends to the parent, or keeps it and stops reading peers until there is room. */
void fg_speaker_send(struct fg_speaker *speaker, const struct fg_link_header *message);
void fg_speaker_log(struct fg_speaker *speaker, enum fg_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool fg_speaker_paused(const struct fg_speaker *speaker);
/* 75 to 100 % of @ms (RFC 4271 section 10). */
struct timeval fg_speaker_jitter(struct fg_speaker *speaker, uint64_t ms);
struct timeval fg_milliseconds(uint64_t ms);

/* peer.c */
struct fg_peer *fg_peer_new(struct fg_speaker *speaker, const struct fg_link_peer *config);
/* Ends its sessions with a Cease and frees it. */
void fg_peer_free(struct fg_peer *peer, enum fg_bgp_cease why);
/* A socket for one attempt came from the parent; taken over. */
void fg_peer_dial(struct fg_peer *peer, int fd);
/* The peer connected; @fd is taken over. */
void fg_peer_accept(struct fg_peer *peer, int fd);
/* Tells the parent about a change; @always: also when nothing changed. */
void fg_peer_report(struct fg_peer *peer, bool always);
/* A log line with the peer's name, few a second. */
void fg_peer_log(struct fg_peer *peer, enum fg_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Connection collision (RFC 4271 section 6.8): false when @session must go. */
bool fg_peer_wins(struct fg_session *session, const struct fg_bgp_open *open);
void fg_peer_up(struct fg_session *session);
/* @session is closed and unlinked; @was: its last state. */
void fg_peer_down(struct fg_session *session, enum fg_peer_state was);

/* rules.c */
extern const struct fg_bgp_update_events fg_rule_events; /* arg: struct fg_session */

/* session.c */
/* Takes @fd over in any case. NULL without memory, or when it is lost at once. */
struct fg_session *fg_session_new(struct fg_peer *peer, enum fg_side side, int fd);
void fg_session_stop(struct fg_session *session, enum fg_bgp_cease why);
/* Stops or goes on reading; going on uses what was read before. */
void fg_session_pause(struct fg_session *session);
void fg_session_resume(struct fg_session *session);
void fg_session_free(struct fg_session *session);

#endif
