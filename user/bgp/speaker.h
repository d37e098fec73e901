/* SPDX-License-Identifier: MIT */
/* The receive-only BGP speaker: the event loop of the unprivileged bgp process (RFC 4271, RFC 8955). */
#ifndef FG_BGP_SPEAKER_H
#define FG_BGP_SPEAKER_H

#include <stdint.h>

#include "util/error.h"

/* Timers that tests shorten; 0 takes the default. Waits double from retry_min to retry_max with jitter. */
struct fg_speaker_options {
	uint32_t retry_min_ms; /* first wait after a failed or lost session; default 1000 */
	uint32_t retry_max_ms; /* longest wait; default 60000 */
	uint32_t second_ms;    /* length of a "second" of hold and keepalive times; default 1000 */
};

/* Serves the link until its other end is closed; then all sessions are closed with a Cease (RFC 4486: peer
 * de-configured / administrative shutdown) and 0 is returned. Takes @link_fd over: it is closed in any case.
 * Configuration, sockets and rules go over the link (bgp/link.h); nothing is opened here, so that the caller can
 * drop every privilege before. System calls needed once it runs: reading, writing, epoll, timers, accept4,
 * connect, getpeername, getsockopt, sendmsg, recvmsg, fcntl, memory. Never logs: log lines go over the link.
 * @options may be NULL. Negative errno with @err when the loop cannot be built or the link speaks nonsense. */
int fg_speaker_run(int link_fd, const struct fg_speaker_options *options, struct fg_error *err);

#endif
