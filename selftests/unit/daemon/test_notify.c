// SPDX-License-Identifier: MIT
/* Tests the service manager's protocol against a socket that plays systemd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/daemon.h"

/* A datagram socket bound to @name ("@" first: abstract), named in the environment. */
static int manager(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	size_t len = strlen(name);

	memcpy(address.sun_path, name, len);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
			 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	return fd;
}

static void check_told(const char *name)
{
	int fd = manager(name);
	char text[64] = "";

	fg_notify("READY=1");
	assert_int_equal(recv(fd, text, sizeof(text) - 1, 0), strlen("READY=1"));
	assert_string_equal(text, "READY=1");
	(void)unsetenv("NOTIFY_SOCKET");
	fg_notify("READY=1");
	assert_int_equal(recv(fd, text, sizeof(text) - 1, 0), -1);
	(void)close(fd);
}

static void test_path_and_abstract(void **state)
{
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/fg-notify-%d", (int)getpid());
	check_told(path);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "@fg-notify-%d", (int)getpid());
	check_told(path);
}

/* Nobody there, or a name that is none: no harm. */
static void test_unusable(void **state)
{
	static const char *const names[] = { "/nonexistent/socket", "relative", "" };
	char longer[300];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)setenv("NOTIFY_SOCKET", names[i], 1);
		fg_notify("READY=1");
	}
	memset(longer, '/', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	(void)setenv("NOTIFY_SOCKET", longer, 1);
	fg_notify("READY=1");
	(void)unsetenv("NOTIFY_SOCKET");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_and_abstract),
		cmocka_unit_test(test_unusable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
