// SPDX-License-Identifier: MIT
/* The service manager's protocol (sd_notify(3)) by hand: one datagram to $NOTIFY_SOCKET. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/daemon.h"
#include "util/cleanup.h"

void fg_notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	FG_AUTO_CLOSE int fd = -1;
	size_t len;

	if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(address.sun_path))
		return;
	len = strlen(path);
	memcpy(address.sun_path, path, len);
	if (path[0] == '@') /* abstract */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

static void feed_watchdog(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	fg_notify("WATCHDOG=1");
}

int fg_notify_init(struct fg_daemon *daemon)
{
	const char *text = getenv("WATCHDOG_USEC");
	unsigned long long usec = text ? strtoull(text, NULL, 10) / 2 : 0;
	const struct timeval every = { (time_t)(usec / 1000000), (suseconds_t)(usec % 1000000) };

	if (!usec)
		return 0;
	daemon->watchdog_timer = event_new(daemon->base, -1, EV_PERSIST, feed_watchdog, NULL);
	if (!daemon->watchdog_timer || event_add(daemon->watchdog_timer, &every) < 0)
		return -ENOMEM;
	return 0;
}
