// SPDX-License-Identifier: MIT
/* The client of the control socket: one JSON line out, one JSON line back. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cli/cli.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/text.h"

static int connect_to(const char *path, struct fg_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	FG_AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return fg_error_set(err, -ENAMETOOLONG, "%s: the path is too long for a socket",
				    path);
	fg_text_copy(address.sun_path, sizeof(address.sun_path), path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return FG_TAKE_FD(fd);
	r = -errno;
	(void)fg_error_set(err, r, "cannot reach the daemon at %s: %s", path, strerror(-r));
	if (r == -EACCES)
		return fg_error_fix(err,
				    "sudo fltgate ..., or become a member of the group fltgate");
	return fg_error_fix(
		err,
		"systemctl start fltgated, or by hand: fltgated -f (--socket PATH if it has another socket)");
}

static int send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Reads up to the newline or the end. */
static int receive_all(int fd, struct fg_buf *buf)
{
	char chunk[65536];
	ssize_t n;

	while ((n = recv(fd, chunk, sizeof(chunk), 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		fg_buf_add(buf, chunk, (size_t)n);
		if (chunk[n - 1] == '\n')
			break;
	}
	return fg_buf_text(buf) ? 0 : -ENOMEM;
}

static int exchange(const char *path, const char *request, json_t **ret, struct fg_error *err)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf buf = { 0 };
	FG_AUTO_CLOSE int fd = connect_to(path, err);
	json_t *answer;
	int r;

	if (fd < 0)
		return fd;
	r = send_all(fd, request, strlen(request));
	if (r == 0)
		r = send_all(fd, "\n", 1);
	if (r == 0)
		r = receive_all(fd, &buf);
	if (r < 0)
		return fg_error_set(err, r, "the daemon at %s broke off: %s", path, strerror(-r));
	answer = json_loads(fg_buf_text(&buf), 0, NULL);
	if (!json_is_object(answer)) {
		json_decref(answer);
		return fg_error_set(err, -EPROTO, "the daemon at %s did not answer", path);
	}
	*ret = answer;
	return 0;
}

/* The daemon's refusal, with the exit code it asks for. */
static int refused(json_t *answer)
{
	const json_t *error = json_object_get(answer, "error");
	int status = (int)fg_json_get_int(error, "exit");
	struct fg_error err = { 0 };

	(void)fg_error_set(&err, -EINVAL, "%s", fg_json_text(error, "what"));
	if (*fg_json_text(error, "fix"))
		(void)fg_error_fix(&err, "%s", fg_json_text(error, "fix"));
	(void)fg_cli_error(&err);
	json_decref(answer);
	return status ? status : FG_EXIT_FAILED;
}

int fg_cli_ask(struct fg_cli *cli, json_t *request, json_t **ret)
{
	FG_AUTO_FREE char *line = json_dumps(request, JSON_COMPACT);
	struct fg_error err = { 0 };
	json_t *answer = NULL;

	json_decref(request);
	if (!line)
		return FG_EXIT_FAILED;
	if (exchange(cli->socket, line, &answer, &err) < 0) {
		(void)fg_cli_error(&err);
		return FG_EXIT_NO_DAEMON;
	}
	if (json_object_get(answer, "error"))
		return refused(answer);
	*ret = answer;
	return 0;
}

int fg_cli_look(struct fg_cli *cli, json_t *request,
		int (*text)(struct fg_cli *cli, json_t *answer))
{
	json_t *answer = NULL;
	int status = fg_cli_ask(cli, request, &answer);

	if (status)
		return status;
	if (cli->json) {
		fg_cli_print_json(cli, answer);
		return FG_EXIT_OK;
	}
	status = text(cli, answer);
	json_decref(answer);
	return status;
}

bool fg_cli_daemon_there(const struct fg_cli *cli)
{
	FG_AUTO_CLOSE int fd = connect_to(cli->socket, NULL);

	return fd >= 0;
}
