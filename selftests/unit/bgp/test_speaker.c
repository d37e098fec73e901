// SPDX-License-Identifier: MIT
/* The speaker as a whole: the test is both the parent behind the link and the peer behind TCP on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bgp/msg.h"
#include "unit/bgp/bench.h"

/* ---- the peer's side ---- */

/* One whole message; returns its type, -1 at the end of the connection. */
static int read_message(int fd, uint8_t *body, size_t *len)
{
	struct fg_bgp_notification fault;
	struct fg_bgp_header header;
	uint8_t message[FG_BGP_MAX];
	size_t got = 0, want = FG_BGP_HEADER;

	while (got < want) {
		ssize_t n;

		await_readable(fd);
		n = recv(fd, message + got, want - got, 0);
		if (n <= 0)
			return -1;
		got += n;
		if (got == FG_BGP_HEADER) {
			assert_int_equal(
				fg_bgp_header_decode(message, got, FG_BGP_MAX, &header, &fault), 0);
			want = header.length;
		}
	}
	*len = want - FG_BGP_HEADER;
	memcpy(body, message + FG_BGP_HEADER, *len);
	return header.type;
}

static void expect_message(int fd, int type)
{
	uint8_t body[FG_BGP_MAX];
	size_t len;

	assert_int_equal(read_message(fd, body, &len), type);
}

/* The next message but KEEPALIVE is this NOTIFICATION, then the connection ends. */
static void expect_notification(int fd, uint8_t code, uint8_t subcode)
{
	uint8_t body[FG_BGP_MAX];
	size_t len;
	int type;

	do
		type = read_message(fd, body, &len);
	while (type == FG_BGP_KEEPALIVE || type == FG_BGP_OPEN);
	assert_int_equal(type, FG_BGP_NOTIFICATION);
	assert_int_equal(body[0], code);
	assert_int_equal(body[1], subcode);
	assert_int_equal(read_message(fd, body, &len), -1);
	close(fd);
}

static void send_all(int fd, const uint8_t *data, size_t len)
{
	assert_int_equal(send(fd, data, len, MSG_NOSIGNAL), len);
}

static void send_keepalive(int fd)
{
	uint8_t out[FG_BGP_MAX];

	send_all(fd, out, fg_bgp_keepalive_encode(out));
}

static void send_open(int fd, uint32_t as, uint32_t id, uint16_t hold)
{
	struct fg_bgp_open open = { .as = as,
				    .router_id = htonl(id),
				    .hold_time = hold,
				    .version = 4,
				    .families = 3,
				    .as4 = true };
	uint8_t out[FG_BGP_MAX];

	send_all(fd, out, fg_bgp_open_encode(&open, out));
}

/* An UPDATE around an MP attribute: @reach announces (with discard) else withdraws @nlri. */
static size_t make_update(uint8_t *out, bool reach, const uint8_t *nlri, size_t len)
{
	static const uint8_t attributes[] = { 0x40, 1,    1, 0, 0x40, 2, 0, 0xc0, 16,
					      8,    0x80, 6, 0, 0,    0, 0, 0,    0 };
	uint8_t *p = out + FG_BGP_HEADER + 4;
	size_t total;

	if (reach) {
		memcpy(p, attributes, sizeof(attributes));
		p += sizeof(attributes);
	}
	len += reach ? 5 : 3;
	memcpy(p, (uint8_t[]){ 0x90, reach ? 14 : 15, len >> 8, len, 0, 1, 133, 0, 0 }, 9);
	p += reach ? 9 : 7;
	len -= reach ? 5 : 3;
	if (len)
		memcpy(p, nlri, len);
	p += len;
	total = p - out;
	memset(out, 0xff, 16);
	memcpy(out + 16, (uint8_t[]){ total >> 8, total, FG_BGP_UPDATE, 0, 0 }, 5);
	out[21] = (total - 23) >> 8;
	out[22] = total - 23;
	return total;
}

static void send_rule(int fd, bool reach, uint8_t protocol)
{
	uint8_t out[FG_BGP_MAX];

	send_all(fd, out, make_update(out, reach, (uint8_t[]){ 3, 3, 0x81, protocol }, 4));
}

/* Answers the speaker's wish for a socket and takes its connection. */
static int take_connection(struct bench *b)
{
	struct fg_bgp_dial dial = { .remote = loopback() };

	await(b, FG_LINK_WANT_FD);
	assert_int_equal(b->message.with_fd.peer, PEER);
	send_fd(b, FG_LINK_CONNECT_FD, PEER, fg_bgp_dial(&dial, NULL));
	await_readable(b->listener);
	return accept(b->listener, NULL, NULL);
}

static int connect_from(struct bench *b, const char *from)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, from, &sin.sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	inet_pton(AF_INET, "127.0.0.1", &sin.sin_addr);
	sin.sin_port = htons(b->speaker_port);
	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

static void finish_open(struct bench *b, int fd, uint16_t hold)
{
	expect_message(fd, FG_BGP_OPEN);
	send_open(fd, PEER_AS, 0x0a000009, hold);
	expect_message(fd, FG_BGP_KEEPALIVE);
	send_keepalive(fd);
	await_state(b, FG_PEER_ESTABLISHED);
}

static int establish(struct bench *b)
{
	int fd = take_connection(b);

	finish_open(b, fd, 900);
	return fd;
}

/* ---- tests ---- */

static void rules_come_and_go(void **state)
{
	struct bench *b = new_bench();
	uint8_t out[FG_BGP_MAX];
	int fd;
	(void)state;

	start(b);
	fd = establish(b);
	assert_int_equal(b->message.state.remote_as, PEER_AS);
	assert_int_equal(b->message.state.families, 3);
	assert_int_equal(b->message.state.hold_time, 900);

	send_rule(fd, true, 17);
	await(b, FG_LINK_ROUTE);
	assert_int_equal(b->message.route.peer, PEER);
	assert_int_equal(b->message.route.family, FG_INET);
	assert_int_equal(b->message.route.nlri_len, 3);
	assert_memory_equal(b->message.route.nlri, "\x03\x81\x11", 3);
	assert_true(fg_actions_discard(&b->message.route.actions));

	send_rule(fd, false, 17);
	await(b, FG_LINK_WITHDRAW);
	assert_memory_equal(b->message.route.nlri, "\x03\x81\x11", 3);

	send_all(fd, out, make_update(out, false, NULL, 0));
	await(b, FG_LINK_END_OF_RIB);
	assert_int_equal(b->message.state.family, FG_INET);
	assert_int_equal(b->message.state.updates, 1);
	assert_int_equal(b->message.state.withdraws, 1);

	/* The peer goes: told at once, and tried again. */
	close(fd);
	await(b, FG_LINK_PEER_STATE);
	assert_int_not_equal(b->message.state.state, FG_PEER_ESTABLISHED);
	assert_int_equal(b->message.state.flaps, 1);
	fd = establish(b);
	stop(b);
	expect_notification(fd, FG_BGP_ERR_CEASE, FG_BGP_CEASE_SHUTDOWN);
}

static void wrong_as(void **state)
{
	struct bench *b = new_bench();
	int fd;
	(void)state;

	start(b);
	fd = take_connection(b);
	expect_message(fd, FG_BGP_OPEN);
	send_open(fd, PEER_AS + 1, 0x0a000009, 90);
	expect_notification(fd, FG_BGP_ERR_OPEN, 2);
	do
		await(b, FG_LINK_PEER_STATE);
	while (!strstr(b->message.state.last_error, "Bad Peer AS"));
	assert_int_equal(b->message.state.flaps, 0);
	stop(b);
}

static void hold_time_runs_out(void **state)
{
	struct bench *b = new_bench();
	int64_t began;
	int fd;
	(void)state;

	start(b);
	fd = take_connection(b);
	finish_open(b, fd, 9); /* 180 ms, a keepalive every 60 */
	assert_int_equal(b->message.state.hold_time, 9);
	began = now_ms();
	/* Ours keep coming while the peer is silent. */
	expect_message(fd, FG_BGP_KEEPALIVE);
	expect_message(fd, FG_BGP_KEEPALIVE);
	expect_notification(fd, FG_BGP_ERR_HOLD, 0);
	assert_true(now_ms() - began >= 100);
	stop(b);
}

/* Every other connection of the pair must end with a Cease; the id decides which (RFC 4271 section 6.8). */
static void collide(uint32_t peer_id, bool incoming_stays)
{
	struct bench *b = new_bench();
	int out, in;

	start(b);
	out = take_connection(b);
	in = connect_from(b, "127.0.0.1");
	expect_message(out, FG_BGP_OPEN);
	expect_message(in, FG_BGP_OPEN);
	send_open(out, PEER_AS, peer_id, 90);
	expect_message(out, FG_BGP_KEEPALIVE);
	send_open(in, PEER_AS, peer_id, 90);
	expect_notification(incoming_stays ? out : in, FG_BGP_ERR_CEASE, FG_BGP_CEASE_COLLISION);
	send_keepalive(incoming_stays ? in : out);
	await_state(b, FG_PEER_ESTABLISHED);
	/* The one that stays works. */
	send_rule(incoming_stays ? in : out, true, 6);
	await(b, FG_LINK_ROUTE);
	stop(b);
	close(incoming_stays ? in : out);
}

static void collision(void **state)
{
	(void)state;
	collide(0x0a000009, true); /* the peer's id is higher than 10.0.0.5 */
	collide(0x0a000001, false);
}

static void established_beats_new(void **state)
{
	struct bench *b = new_bench();
	int fd, in;
	(void)state;

	start(b);
	fd = establish(b);
	in = connect_from(b, "127.0.0.1");
	expect_message(in, FG_BGP_OPEN);
	send_open(in, PEER_AS, 0x0a000009, 90);
	expect_notification(in, FG_BGP_ERR_CEASE, FG_BGP_CEASE_COLLISION);
	send_rule(fd, true, 6);
	await(b, FG_LINK_ROUTE);
	close(fd);
	stop(b);
}

static void passive_waits(void **state)
{
	struct bench *b = new_bench();
	uint8_t body[FG_BGP_MAX];
	size_t len;
	int in, stranger;
	(void)state;

	b->peer.passive = 1;
	start(b);
	await_state(b, FG_PEER_ACTIVE);
	stranger = connect_from(b, "127.0.0.2");
	assert_int_equal(read_message(stranger, body, &len), -1);
	close(stranger);
	in = connect_from(b, "127.0.0.1");
	expect_message(in, FG_BGP_OPEN);
	send_open(in, PEER_AS, 0x0a000009, 900);
	expect_message(in, FG_BGP_KEEPALIVE);
	send_keepalive(in);
	do {
		next_message(b);
		assert_int_not_equal(b->message.header.type, FG_LINK_WANT_FD);
	} while (b->message.header.type != FG_LINK_PEER_STATE ||
		 b->message.state.state != FG_PEER_ESTABLISHED);
	close(in);
	stop(b);
}

/* Refused connections: the waits between attempts grow, 75 to 100 % of 20, 40, 80, 160, 160 ms. */
static void backoff(void **state)
{
	static const int least[] = { 15, 30, 60, 120, 120 };
	struct bench *b = new_bench();
	int64_t sent;
	(void)state;

	close(b->listener);
	start(b);
	await(b, FG_LINK_WANT_FD);
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		struct fg_bgp_dial dial = { .remote = loopback() };

		send_fd(b, FG_LINK_CONNECT_FD, PEER, fg_bgp_dial(&dial, NULL));
		sent = now_ms();
		await(b, FG_LINK_WANT_FD);
		assert_true(now_ms() - sent >= least[i]);
	}
	b->listener = -1;
	stop(b);
}

static void prefix_limit(void **state)
{
	struct bench *b = new_bench();
	int fd;
	(void)state;

	b->peer.prefix_limit = 2;
	start(b);
	fd = establish(b);
	for (int protocol = 1; protocol <= 3; protocol++)
		send_rule(fd, true, protocol);
	send_rule(fd, true, 1); /* again: is no new rule */
	send_rule(fd, false, 2);
	send_rule(fd, true, 4);
	for (const char *want = "\1\2\1\2\4"; *want; want++) {
		do
			next_message(b);
		while (b->message.header.type != FG_LINK_ROUTE &&
		       b->message.header.type != FG_LINK_WITHDRAW);
		assert_int_equal(b->message.route.nlri[2], *want);
	}
	do
		await(b, FG_LINK_PEER_STATE);
	while (!b->message.state.refused);
	assert_int_equal(b->message.state.refused, 1);
	assert_int_equal(b->message.state.prefix_limited, 1);
	assert_int_equal(b->message.state.rules, 2);
	assert_int_equal(b->message.state.state, FG_PEER_ESTABLISHED);
	close(fd);
	stop(b);
}

static void framing_lost(void **state)
{
	static const uint8_t nlri[] = { 3, 3, 0x81, 6, 12, 3, 0x81 };
	struct bench *b = new_bench();
	uint8_t out[FG_BGP_MAX];
	int fd;
	(void)state;

	start(b);
	fd = establish(b);
	send_all(fd, out, make_update(out, true, nlri, sizeof(nlri)));
	expect_notification(fd, FG_BGP_ERR_UPDATE, 10);
	/* Not even the good rule before it. */
	do {
		next_message(b);
		assert_int_not_equal(b->message.header.type, FG_LINK_ROUTE);
	} while (b->message.header.type != FG_LINK_WANT_FD);
	stop(b);
}

static void malformed_rule_keeps_session(void **state)
{
	static const uint8_t nlri[] = { 3, 14, 0x81, 6, 3, 3, 0x81, 6 };
	struct bench *b = new_bench();
	uint8_t out[FG_BGP_MAX];
	int fd;
	(void)state;

	start(b);
	fd = establish(b);
	send_all(fd, out, make_update(out, true, nlri, sizeof(nlri)));
	await(b, FG_LINK_LOG);
	assert_non_null(strstr(b->message.log.text, "peer test: 1 rule treated as withdrawn"));
	await(b, FG_LINK_ROUTE);
	assert_int_equal(b->message.route.nlri[2], 6);
	await(b, FG_LINK_PEER_STATE);
	assert_int_equal(b->message.state.malformed, 1);
	assert_int_equal(b->message.state.state, FG_PEER_ESTABLISHED);
	close(fd);
	stop(b);
}

static void configuration_changes(void **state)
{
	struct bench *b = new_bench();
	int fd;
	(void)state;

	start(b);
	fd = establish(b);
	/* The same again, with another limit: stays up. */
	b->peer.prefix_limit = 1;
	configure(b, &b->peer);
	send_rule(fd, true, 1);
	send_rule(fd, true, 2);
	do
		await(b, FG_LINK_PEER_STATE);
	while (!b->message.state.refused);
	/* Another AS: the session is not what was asked for any more. */
	b->peer.as++;
	configure(b, &b->peer);
	expect_notification(fd, FG_BGP_ERR_CEASE, FG_BGP_CEASE_CHANGED);
	fd = take_connection(b);
	expect_message(fd, FG_BGP_OPEN);
	configure(b, NULL);
	expect_notification(fd, FG_BGP_ERR_CEASE, FG_BGP_CEASE_DECONFIGURED);
	stop(b);
}

/* A link that is full at once: nothing is lost, and the session lives although nobody reads for a while. */
static void full_link(void **state)
{
	enum { RULES = 20000, PER_UPDATE = 400 };
	struct bench *b = new_bench();
	static uint8_t stream[RULES * 8 + RULES / PER_UPDATE * 64];
	size_t len = 0, sent = 0;
	int size = 4096, fd;
	(void)state;

	assert_int_equal(setsockopt(b->bgp_link, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	start(b);
	fd = establish(b);
	for (int i = 0; i < RULES; i += PER_UPDATE) {
		uint8_t nlri[PER_UPDATE * 7];

		for (int k = 0; k < PER_UPDATE; k++)
			memcpy(nlri + k * 7, (uint8_t[]){ 6, 1, 32, 10, 0, (i + k) >> 8, i + k },
			       7);
		len += make_update(stream + len, true, nlri, sizeof(nlri));
	}
	for (int i = 0; i < RULES;) {
		if (sent < len) {
			ssize_t n =
				send(fd, stream + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

			assert_true(n > 0 || errno == EAGAIN);
			sent += n > 0 ? n : 0;
		}
		next_message(b);
		if (b->message.header.type != FG_LINK_ROUTE)
			continue;
		assert_int_equal(b->message.route.nlri[4] << 8 | b->message.route.nlri[5], i);
		i++;
	}
	await(b, FG_LINK_PEER_STATE);
	assert_int_equal(b->message.state.state, FG_PEER_ESTABLISHED);
	assert_int_equal(b->message.state.rules, RULES);
	assert_int_equal(b->message.state.updates, RULES);
	close(fd);
	stop(b);
}

static void link_speaks_nonsense(void **state)
{
	struct bench *b = new_bench();
	(void)state;

	start(b);
	await(b, FG_LINK_WANT_FD);
	assert_int_equal(send(b->link, "nonsense", 8, 0), 8);
	assert_int_equal(pthread_join(b->thread, NULL), 0);
	assert_int_equal(b->result, -EPROTO);
	close(b->link);
	close(b->listener);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_come_and_go),
		cmocka_unit_test(wrong_as),
		cmocka_unit_test(hold_time_runs_out),
		cmocka_unit_test(collision),
		cmocka_unit_test(established_beats_new),
		cmocka_unit_test(passive_waits),
		cmocka_unit_test(backoff),
		cmocka_unit_test(prefix_limit),
		cmocka_unit_test(framing_lost),
		cmocka_unit_test(malformed_rule_keeps_session),
		cmocka_unit_test(configuration_changes),
		cmocka_unit_test(full_link),
		cmocka_unit_test(link_speaks_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
