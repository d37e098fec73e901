/* SPDX-License-Identifier: MIT */
/* A speaker in a thread with the test as its parent: what the tests of the speaker share. Include after cmocka. */
#ifndef FG_TEST_BGP_BENCH_H
#define FG_TEST_BGP_BENCH_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bgp/socket.h"
#include "bgp/speaker.h"

#define PEER 7
#define PEER_AS 65000
#define OUR_AS 65010
#define DEADLINE_MS 20000

/* One speaker in a thread, and what the test holds of it. */
struct bench {
	int link, bgp_link; /* the second belongs to the speaker */
	int listener;       /* where the speaker connects to: the peer's port */
	int speaker_port;   /* where the speaker listens */
	struct fg_speaker_options options;
	struct fg_link_peer peer;
	pthread_t thread;
	struct fg_error err, speaker_err;
	int result;
	struct fg_link_message message; /* the last one received */
};

static inline int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static inline void await_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&p, 1, DEADLINE_MS), 1);
}

/* ---- the parent's side ---- */

static inline void next_message(struct bench *b)
{
	int got;

	do {
		await_readable(b->link);
		got = fg_link_recv(b->link, FG_LINK_BGP, &b->message, &b->err);
	} while (got == -EAGAIN);
	if (got != 1)
		print_error("link: %d %s; speaker: %s\n", got, b->err.what, b->speaker_err.what);
	assert_int_equal(got, 1);
}

/* Reads on until a message of @type. */
static inline void await(struct bench *b, enum fg_link_type type)
{
	do
		next_message(b);
	while (b->message.header.type != type);
}

static inline void await_state(struct bench *b, enum fg_peer_state state)
{
	do
		await(b, FG_LINK_PEER_STATE);
	while (b->message.state.state != state);
}

static inline void send_fd(struct bench *b, enum fg_link_type type, uint32_t peer, int fd)
{
	struct fg_link_fd message = { .peer = peer };

	assert_true(fd >= 0);
	fg_link_init(&message.header, type, sizeof(message));
	assert_int_equal(fg_link_send(b->link, &message.header, fd), 0);
	close(fd);
}

static inline int port_of(int fd)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	return ntohs(sin.sin_port);
}

static inline struct fg_link_address loopback(void)
{
	struct fg_link_address address;

	assert_int_equal(fg_bgp_address_parse("127.0.0.1", &address, NULL), 0);
	return address;
}

static inline int listen_on_loopback(void)
{
	struct fg_link_address local = loopback();
	int fd = fg_bgp_listen(FG_INET, &local, 0, NULL);

	assert_true(fd >= 0);
	return fd;
}

/* @peer NULL: a configuration without peers. */
static inline void configure(struct bench *b, struct fg_link_peer *peer)
{
	struct fg_link_speaker speaker = { .as = OUR_AS, .router_id = htonl(0x0a000005) };
	struct fg_link_header end = { 0 };

	fg_link_init(&speaker.header, FG_LINK_CONFIG_BEGIN, sizeof(speaker));
	assert_int_equal(fg_link_send(b->link, &speaker.header, -1), 0);
	if (peer) {
		fg_link_init(&peer->header, FG_LINK_CONFIG_PEER, sizeof(*peer));
		assert_int_equal(fg_link_send(b->link, &peer->header, -1), 0);
	}
	fg_link_init(&end, FG_LINK_CONFIG_END, sizeof(end));
	assert_int_equal(fg_link_send(b->link, &end, -1), 0);
}

static inline void *run_speaker(void *arg)
{
	struct bench *b = arg;

	b->result = fg_speaker_run(b->bgp_link, &b->options, &b->speaker_err);
	return NULL;
}

/* Fast timers: a "second" of hold times is 20 ms. Change b->peer and b->options before start(). */
static inline struct bench *new_bench(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->options = (struct fg_speaker_options){ 20, 160, 20 };
	b->listener = listen_on_loopback();
	b->peer = (struct fg_link_peer){
		.peer = PEER,
		.as = PEER_AS,
		.local_as = OUR_AS,
		.remote = loopback(),
		.port = port_of(b->listener),
		.hold_time = 900,
		.families = 3,
		.name = "test",
	};
	assert_int_equal(fg_link_pair(&b->link, &b->bgp_link), 0);
	return b;
}

static inline void start(struct bench *b)
{
	int fd = listen_on_loopback();

	b->speaker_port = port_of(fd);
	assert_int_equal(pthread_create(&b->thread, NULL, run_speaker, b), 0);
	send_fd(b, FG_LINK_LISTEN_FD, 0, fd);
	configure(b, &b->peer);
}

/* Closing the link ends the speaker, cleanly. */
static inline void stop(struct bench *b)
{
	close(b->link);
	assert_int_equal(pthread_join(b->thread, NULL), 0);
	assert_int_equal(b->result, 0);
	close(b->listener);
	free(b);
}

#endif
