// SPDX-License-Identifier: MIT
/* The parent's BGP sockets: bound, keyed, and with an error that names the mending command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bgp/socket.h"

static struct fg_link_address address(const char *text)
{
	struct fg_link_address ret;

	assert_int_equal(fg_bgp_address_parse(text, &ret, NULL), 0);
	return ret;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	return ntohs(sin.sin_port);
}

static void addresses(void **state)
{
	static const char *const good[] = { "192.0.2.1", "2001:db8::1", "::" };
	static const char *const bad[] = { "", "192.0.2", "192.0.2.1/32", "2001:db8::1::", "peer" };
	char text[INET6_ADDRSTRLEN];
	(void)state;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct fg_link_address a = address(good[i]);

		assert_string_equal(fg_bgp_address_text(&a, text, sizeof(text)), good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fg_link_address a = { .family = 99 };
		struct fg_error err = { 0 };

		assert_int_equal(fg_bgp_address_parse(bad[i], &a, &err), -EINVAL);
		assert_non_null(strstr(err.what, "is not an IP address"));
		assert_int_equal(a.family, 99);
	}
}

static void listens_once(void **state)
{
	struct fg_link_address local = address("127.0.0.1");
	struct fg_error err = { 0 };
	int fd = fg_bgp_listen(FG_INET, &local, 0, &err);
	(void)state;

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fg_bgp_listen(FG_INET, &local, port_of(fd), &err), -EADDRINUSE);
	assert_non_null(strstr(err.what, "127.0.0.1 port"));
	assert_non_null(strstr(err.fix, "ss -ltnp"));
	local = address("192.0.2.77");
	assert_int_equal(fg_bgp_listen(FG_INET, &local, 0, &err), -EADDRNOTAVAIL);
	assert_non_null(strstr(err.fix, "ip address"));
	close(fd);
}

/* 1 when a connection from a socket with @key reaches a listener that wants "secret". */
static int reaches(const char *key, int wait_ms)
{
	struct fg_bgp_dial dial = { .remote = address("127.0.0.1"),
				    .local = address("127.0.0.1"),
				    .has_local = 1,
				    .ttl = 255,
				    .min_ttl = 255,
				    .key = key };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int listener = fg_bgp_listen(FG_INET, &dial.local, 0, NULL);
	struct pollfd p = { .fd = listener, .events = POLLIN };
	struct fg_error err = { 0 };
	int fd = fg_bgp_dial(&dial, &err), got;

	if (fd == -ENOPROTOOPT || fg_bgp_socket_key(listener, &dial.local, "secret", &err)) {
		print_message("no TCP MD5 here: %s\n", err.what);
		close(listener);
		skip();
	}
	assert_true(fd >= 0);
	to.sin_port = htons(port_of(listener));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EINPROGRESS);
	got = poll(&p, 1, wait_ms);
	close(fd);
	close(listener);
	return got;
}

static void keyed(void **state)
{
	(void)state;
	assert_int_equal(reaches("secret", 10000), 1);
	/* A segment without or with another key is dropped: nothing arrives, however long one waits. */
	assert_int_equal(reaches("other", 200), 0);
	assert_int_equal(reaches(NULL, 200), 0);
}

static void bad_keys(void **state)
{
	struct fg_link_address local = address("127.0.0.1"), peer = address("192.0.2.9");
	char key[FG_BGP_KEY_MAX + 2];
	struct fg_error err = { 0 };
	int fd = fg_bgp_listen(FG_INET, &local, 0, NULL);
	(void)state;

	memset(key, 'k', sizeof(key));
	key[sizeof(key) - 1] = '\0';
	assert_int_equal(fg_bgp_socket_key(fd, &peer, key, &err), -EINVAL);
	assert_non_null(strstr(err.what, "192.0.2.9"));
	assert_null(strstr(err.what, "kkk"));
	close(fd);
}

static void dial_from_elsewhere(void **state)
{
	struct fg_bgp_dial dial = { .remote = address("127.0.0.1"),
				    .local = address("192.0.2.77"),
				    .has_local = 1 };
	struct fg_error err = { 0 };
	(void)state;

	assert_int_equal(fg_bgp_dial(&dial, &err), -EADDRNOTAVAIL);
	assert_non_null(strstr(err.what, "192.0.2.77"));
	dial.local = address("::1");
	assert_int_equal(fg_bgp_dial(&dial, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(listens_once),
		cmocka_unit_test(keyed),
		cmocka_unit_test(bad_keys),
		cmocka_unit_test(dial_from_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
