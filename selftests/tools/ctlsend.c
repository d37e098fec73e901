// SPDX-License-Identifier: MIT
/* Sends stdin to a stream socket as it is, ends its sending half, and prints what comes back. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int open_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { 10, 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path) + 1);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -1 : fd;
}

/* The other side may close before all is sent: what it said still counts. */
int main(int argc, char **argv)
{
	static char chunk[65536];
	int fd = argc == 2 ? open_socket(argv[1]) : -1;
	size_t n;
	ssize_t got;

	if (fd < 0) {
		perror("ctlsend");
		return 1;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), stdin)) > 0)
		if (send(fd, chunk, n, MSG_NOSIGNAL) < 0)
			break;
	(void)shutdown(fd, SHUT_WR);
	while ((got = recv(fd, chunk, sizeof(chunk), 0)) > 0)
		(void)fwrite(chunk, 1, (size_t)got, stdout);
	(void)close(fd);
	return 0;
}
