// SPDX-License-Identifier: MIT
/* The link: what one end sends the other gets whole, and what nobody should send is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bgp/link.h"
#include "util/log.h"

struct ends {
	int parent, bgp;
};

static struct ends new_ends(void)
{
	struct ends e;

	assert_int_equal(fg_link_pair(&e.parent, &e.bgp), 0);
	return e;
}

static void close_ends(struct ends *e)
{
	close(e->parent);
	close(e->bgp);
}

static struct fg_link_message route_message(void)
{
	static const uint8_t nlri[] = { 0x03, 0x81, 0x11 };
	struct fg_link_message m = { .fd = -1 };

	m.route.peer = 3;
	m.route.family = FG_INET;
	m.route.actions.set = FG_ACTION_RATE_BYTES | FG_ACTION_MARK;
	m.route.actions.rate_bytes = INFINITY;
	m.route.actions.dscp = 46;
	m.route.nlri_len = sizeof(nlri);
	memcpy(m.route.nlri, nlri, sizeof(nlri));
	fg_link_init(&m.header, FG_LINK_ROUTE, sizeof(m.route) + sizeof(nlri));
	return m;
}

static struct fg_link_message peer_message(void)
{
	struct fg_link_message m = { .fd = -1 };

	m.peer = (struct fg_link_peer){ .peer = 1,
					.as = 65000,
					.local_as = 65010,
					.port = 179,
					.hold_time = 90,
					.families = 3,
					.name = "p" };
	fg_link_init(&m.header, FG_LINK_CONFIG_PEER, sizeof(m.peer));
	return m;
}

static void sent_is_received(void **state)
{
	struct ends e = new_ends();
	struct fg_link_message sent = route_message(), got;
	(void)state;

	assert_int_equal(fg_link_recv(e.parent, FG_LINK_BGP, &got, NULL), -EAGAIN);
	assert_int_equal(fg_link_send(e.bgp, &sent.header, -1), 0);
	assert_int_equal(fg_link_recv(e.parent, FG_LINK_BGP, &got, NULL), 1);
	assert_memory_equal(got.bytes, sent.bytes, sent.header.length);
	assert_int_equal(got.fd, -1);
	close(e.bgp);
	assert_int_equal(fg_link_recv(e.parent, FG_LINK_BGP, &got, NULL), 0);
	close(e.parent);
}

static void descriptor_travels(void **state)
{
	struct ends e = new_ends();
	struct fg_link_message m = { .fd = -1 }, got;
	int pipe_fds[2];
	char c = 0;
	(void)state;

	assert_int_equal(pipe(pipe_fds), 0);
	m.with_fd.peer = 1;
	fg_link_init(&m.header, FG_LINK_CONNECT_FD, sizeof(m.with_fd));
	assert_int_equal(fg_link_send(e.parent, &m.header, pipe_fds[1]), 0);
	assert_int_equal(fg_link_recv(e.bgp, FG_LINK_PARENT, &got, NULL), 1);
	assert_true(got.fd >= 0);
	assert_true(fcntl(got.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(got.fd, "x", 1), 1);
	assert_int_equal(read(pipe_fds[0], &c, 1), 1);
	assert_int_equal(c, 'x');
	close(got.fd);

	/* A descriptor where none belongs is closed again, and one that lacks is noticed. */
	m.header.type = FG_LINK_CONFIG_END;
	m.header.length = sizeof(m.header);
	assert_int_equal(fg_link_send(e.parent, &m.header, pipe_fds[1]), 0);
	close(pipe_fds[1]);
	assert_int_equal(fg_link_recv(e.bgp, FG_LINK_PARENT, &got, NULL), -EPROTO);
	assert_int_equal(read(pipe_fds[0], &c, 1), 0);
	fg_link_init(&m.header, FG_LINK_CONNECT_FD, sizeof(m.with_fd));
	assert_int_equal(fg_link_send(e.parent, &m.header, -1), 0);
	assert_int_equal(fg_link_recv(e.bgp, FG_LINK_PARENT, &got, NULL), -EPROTO);
	close(pipe_fds[0]);
	close_ends(&e);
}

static void queue_keeps_order(void **state)
{
	enum { MESSAGES = 500 };
	struct ends e = new_ends();
	struct fg_link_queue queue = { 0 };
	struct fg_link_message m = { .fd = -1 }, got;
	int size = 4096, received = 0;
	(void)state;

	assert_int_equal(setsockopt(e.bgp, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	m.log.level = FG_LOG_INFO;
	fg_link_init(&m.header, FG_LINK_LOG, sizeof(m.log));
	for (int i = 0; i < MESSAGES; i++) {
		(void)snprintf(m.log.text, sizeof(m.log.text), "%d", i);
		assert_int_equal(fg_link_queue_send(&queue, e.bgp, &m.header, -1), 0);
	}
	assert_non_null(queue.head);
	assert_int_equal(fg_link_queue_flush(&queue, e.bgp), -EAGAIN);
	while (received < MESSAGES) {
		char want[16];
		int ret = fg_link_recv(e.parent, FG_LINK_BGP, &got, NULL);

		if (ret == -EAGAIN) {
			(void)fg_link_queue_flush(&queue, e.bgp);
			continue;
		}
		assert_int_equal(ret, 1);
		(void)snprintf(want, sizeof(want), "%d", received++);
		assert_string_equal(got.log.text, want);
	}
	assert_int_equal(fg_link_queue_flush(&queue, e.bgp), 0);
	assert_null(queue.head);
	fg_link_queue_free(&queue);
	close_ends(&e);
}

static void refuse(const struct fg_link_message *m, size_t len, enum fg_link_side from,
		   const char *word)
{
	struct fg_error err = { 0 };

	assert_int_equal(fg_link_check(m, len, from, &err), -EPROTO);
	if (!strstr(err.what, word))
		print_error("\"%s\" lacks \"%s\"\n", err.what, word);
	assert_non_null(strstr(err.what, word));
}

/* Changes one field of a good message and expects it refused. */
#define REFUSE_ROUTE(change, word)                              \
	do {                                                    \
		struct fg_link_message m = route_message();     \
		change;                                         \
		refuse(&m, m.header.length, FG_LINK_BGP, word); \
	} while (0)
#define REFUSE_PEER(change, word)                                  \
	do {                                                       \
		struct fg_link_message m = peer_message();         \
		change;                                            \
		refuse(&m, m.header.length, FG_LINK_PARENT, word); \
	} while (0)

static void bad_routes(void **state)
{
	struct fg_link_message good = route_message();
	(void)state;

	assert_int_equal(fg_link_check(&good, good.header.length, FG_LINK_BGP, NULL), 0);
	refuse(&good, good.header.length, FG_LINK_PARENT, "unexpected message type");
	refuse(&good, good.header.length - 1, FG_LINK_BGP, "octets");
	refuse(&good, 4, FG_LINK_BGP, "octets");
	REFUSE_ROUTE(m.header.type = FG_LINK_TYPE_MAX, "unexpected message type");
	REFUSE_ROUTE(m.header.type = UINT32_MAX, "unexpected message type");
	REFUSE_ROUTE(m.header.length--, "NLRI length");
	REFUSE_ROUTE(m.fd = 0, "has a descriptor");
	REFUSE_ROUTE(m.route.peer = 0, "peer number");
	REFUSE_ROUTE(m.route.path.external = 2, "path");
	REFUSE_ROUTE(m.route.family = FG_FAMILIES, "family");
	REFUSE_ROUTE(m.route.nlri_len++, "NLRI length");
	REFUSE_ROUTE(m.route.nlri[1] = 0x01, "malformed");
	REFUSE_ROUTE(m.route.nlri[1] = 0xc1, "not normalised"); /* the first AND bit */
	REFUSE_ROUTE(m.route.actions.set = FG_ACTION_ACCEPT << 1, "unknown action");
	REFUSE_ROUTE(m.route.actions.rate_bytes = NAN, "rate");
	REFUSE_ROUTE(m.route.actions.rate_packets = -1, "rate");
	REFUSE_ROUTE(m.route.actions.dscp = 64, "DSCP");
	REFUSE_ROUTE(memset(m.route.actions.redirect, 'x', sizeof(m.route.actions.redirect)),
		     "redirect");
}

static void bad_peers(void **state)
{
	struct fg_link_message good = peer_message();
	(void)state;

	assert_int_equal(fg_link_check(&good, good.header.length, FG_LINK_PARENT, NULL), 0);
	REFUSE_PEER(m.peer.peer = 0, "is 0");
	REFUSE_PEER(m.peer.as = 0, "is 0");
	REFUSE_PEER(m.peer.port = 0, "is 0");
	REFUSE_PEER(m.peer.hold_time = 2, "hold time");
	REFUSE_PEER(m.peer.remote.family = 2, "family");
	REFUSE_PEER(m.peer.families = 16, "families");
	REFUSE_PEER(m.peer.families = 0, "families");
	REFUSE_PEER(memset(m.peer.name, 'x', sizeof(m.peer.name)), "name");
}

static void bad_prefixes(void **state)
{
	struct fg_link_message m = { .fd = -1 };
	(void)state;

	fg_link_init(&m.header, FG_LINK_UNICAST, sizeof(m.unicast));
	refuse(&m, sizeof(m.unicast), FG_LINK_BGP, "peer number");
	m.unicast.peer = 1;
	m.unicast.len = 32;
	assert_int_equal(fg_link_check(&m, sizeof(m.unicast), FG_LINK_BGP, NULL), 0);
	refuse(&m, sizeof(m.unicast), FG_LINK_PARENT, "unexpected message type");
	m.unicast.len = 33;
	refuse(&m, sizeof(m.unicast), FG_LINK_BGP, "too long");
	m.unicast.family = FG_INET6;
	assert_int_equal(fg_link_check(&m, sizeof(m.unicast), FG_LINK_BGP, NULL), 0);
	m.unicast.len = 129;
	refuse(&m, sizeof(m.unicast), FG_LINK_BGP, "too long");
	m.unicast.len = 0;
	m.unicast.path.origin = 3;
	refuse(&m, sizeof(m.unicast), FG_LINK_BGP, "origin");
}

static void bad_states_and_logs(void **state)
{
	struct fg_link_message m = { .fd = -1 };
	(void)state;

	fg_link_init(&m.header, FG_LINK_PEER_STATE, sizeof(m.state));
	refuse(&m, sizeof(m.state), FG_LINK_BGP, "peer number");
	m.state.peer = 1;
	assert_int_equal(fg_link_check(&m, sizeof(m.state), FG_LINK_BGP, NULL), 0);
	m.state.state = FG_PEER_STATES;
	refuse(&m, sizeof(m.state), FG_LINK_BGP, "state");
	m.state.state = FG_PEER_IDLE;
	memset(m.state.last_error, 'x', sizeof(m.state.last_error));
	refuse(&m, sizeof(m.state), FG_LINK_BGP, "end");

	memset(m.bytes, 0, sizeof(m.bytes));
	fg_link_init(&m.header, FG_LINK_LOG, sizeof(m.log));
	refuse(&m, sizeof(m.log), FG_LINK_BGP, "log level");
	m.log.level = FG_LOG_DEBUG;
	assert_int_equal(fg_link_check(&m, sizeof(m.log), FG_LINK_BGP, NULL), 0);
	memset(m.log.text, 'x', sizeof(m.log.text));
	refuse(&m, sizeof(m.log), FG_LINK_BGP, "end");
}

static void state_texts(void **state)
{
	(void)state;
	assert_string_equal(fg_peer_state_text(FG_PEER_IDLE), "Idle");
	assert_string_equal(fg_peer_state_text(FG_PEER_ESTABLISHED), "Established");
	assert_string_equal(fg_peer_state_text(FG_PEER_STATES), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sent_is_received),    cmocka_unit_test(descriptor_travels),
		cmocka_unit_test(queue_keeps_order),   cmocka_unit_test(bad_routes),
		cmocka_unit_test(bad_peers),           cmocka_unit_test(bad_prefixes),
		cmocka_unit_test(bad_states_and_logs), cmocka_unit_test(state_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
