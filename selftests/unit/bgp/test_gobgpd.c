// SPDX-License-Identifier: MIT
/* The speaker against a real gobgpd on loopback: session, rules of both families, withdraw, death and return. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "bgp/msg.h"
#include "unit/bgp/bench.h"

struct gobgpd {
	pid_t pid;
	unsigned port, api;
	char config[64];
};

static unsigned free_port(void)
{
	int fd = listen_on_loopback();
	unsigned port = port_of(fd);

	close(fd);
	return port;
}

static void write_config(struct gobgpd *g)
{
	int fd;
	FILE *file;

	strcpy(g->config, "/tmp/fltgate-gobgpd-XXXXXX.toml");
	fd = mkstemps(g->config, 5);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	fprintf(file,
		"[global.config]\nas = 65000\nrouter-id = \"10.0.0.9\"\nport = %u\n"
		"local-address-list = [\"127.0.0.1\"]\n"
		"[[neighbors]]\n[neighbors.config]\nneighbor-address = \"127.0.0.2\"\n"
		"peer-as = 65010\n[neighbors.transport.config]\npassive-mode = true\n"
		"[[neighbors.afi-safis]]\n[neighbors.afi-safis.config]\n"
		"afi-safi-name = \"ipv4-flowspec\"\n"
		"[[neighbors.afi-safis]]\n[neighbors.afi-safis.config]\n"
		"afi-safi-name = \"ipv6-flowspec\"\n",
		g->port);
	fclose(file);
}

/* Runs the gobgp client; its exit status. */
static int gobgp_status(const struct gobgpd *g, const char *rest)
{
	char command[512];

	(void)snprintf(command, sizeof(command), "gobgp -u 127.0.0.1 -p %u %s >/dev/null 2>&1",
		       g->api, rest);
	return system(command);
}

static void gobgp(const struct gobgpd *g, const char *rest)
{
	assert_int_equal(gobgp_status(g, rest), 0);
}

/* Returns when its API answers. */
static void start_gobgpd(struct gobgpd *g)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	char hosts[32];

	(void)snprintf(hosts, sizeof(hosts), "127.0.0.1:%u", g->api);
	g->pid = fork();
	assert_true(g->pid >= 0);
	if (!g->pid) {
		/* A test that fails leaves nothing behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execlp("gobgpd", "gobgpd", "-f", g->config, "--api-hosts", hosts, "--pprof-disable",
		       NULL);
		_exit(127);
	}
	while (gobgp_status(g, "global"))
		assert_true(now_ms() < deadline);
}

static void kill_gobgpd(struct gobgpd *g)
{
	kill(g->pid, SIGKILL);
	waitpid(g->pid, NULL, 0);
}

/* Answers one wish for a socket; the speaker dials from 127.0.0.2, as gobgpd takes no neighbour with its own address. */
static void answer_want(struct bench *b)
{
	struct fg_bgp_dial dial = { .remote = loopback(), .has_local = 1 };

	assert_int_equal(fg_bgp_address_parse("127.0.0.2", &dial.local, NULL), 0);
	send_fd(b, FG_LINK_CONNECT_FD, PEER, fg_bgp_dial(&dial, NULL));
}

static void await_established(struct bench *b)
{
	int64_t deadline = now_ms() + DEADLINE_MS;

	do {
		next_message(b);
		if (b->message.header.type == FG_LINK_WANT_FD)
			answer_want(b);
		assert_true(now_ms() < deadline);
	} while (b->message.header.type != FG_LINK_PEER_STATE ||
		 b->message.state.state != FG_PEER_ESTABLISHED);
}

#define RULE4 "destination 192.0.2.1/32 protocol udp source-port '==123' packet-length '>=1&<=75'"
#define RULE6 "destination 2001:db8::1/128 protocol tcp destination-port '==80'"

static const uint8_t nlri4[] = { 0x01, 0x20, 192,  0,    2,    1,    0x03, 0x81, 0x11,
				 0x06, 0x81, 0x7b, 0x0a, 0x03, 0x01, 0xc5, 0x4b };

/* Both rules, in any order. */
static void expect_rules(struct bench *b)
{
	unsigned seen = 0;

	while (seen != 3) {
		await(b, FG_LINK_ROUTE);
		seen |= 1U << b->message.route.family;
		if (b->message.route.family == FG_INET) {
			assert_int_equal(b->message.route.nlri_len, sizeof(nlri4));
			assert_memory_equal(b->message.route.nlri, nlri4, sizeof(nlri4));
			assert_true(fg_actions_discard(&b->message.route.actions));
		} else {
			assert_true(b->message.route.actions.set & FG_ACTION_RATE_BYTES);
			assert_true(b->message.route.actions.rate_bytes == 125000);
		}
	}
}

static void with_gobgpd(void **state)
{
	struct gobgpd g = { .port = free_port() };
	struct bench *b;
	(void)state;

	if (system("command -v gobgpd gobgp >/dev/null")) {
		print_message("SKIP: gobgpd is not installed\n");
		skip();
	}
	g.api = free_port();
	write_config(&g);
	start_gobgpd(&g);
	gobgp(&g, "global rib add -a ipv4-flowspec match " RULE4 " then discard");
	gobgp(&g, "global rib add -a ipv6-flowspec match " RULE6 " then rate-limit 125000");

	b = new_bench();
	b->options.second_ms = 1000;
	b->peer.port = g.port;
	b->peer.hold_time = 90;
	start(b);
	await_established(b);
	assert_int_equal(b->message.state.families, 3);
	assert_int_equal(b->message.state.remote_as, PEER_AS);
	expect_rules(b);

	gobgp(&g, "global rib del -a ipv4-flowspec match " RULE4);
	await(b, FG_LINK_WITHDRAW);
	assert_memory_equal(b->message.route.nlri, nlri4, sizeof(nlri4));

	kill_gobgpd(&g);
	do
		await(b, FG_LINK_PEER_STATE);
	while (b->message.state.state == FG_PEER_ESTABLISHED);
	assert_int_equal(b->message.state.flaps, 1);
	start_gobgpd(&g);
	gobgp(&g, "global rib add -a ipv4-flowspec match " RULE4 " then discard");
	await_established(b);
	await(b, FG_LINK_ROUTE);
	assert_memory_equal(b->message.route.nlri, nlri4, sizeof(nlri4));
	stop(b);
	kill_gobgpd(&g);
	unlink(g.config);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(with_gobgpd) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
