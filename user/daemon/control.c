// SPDX-License-Identifier: MIT
/* The control socket: accepts root and the group fltgate, reads a request a line, writes an answer
 * a line. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control_request.h"
#include "daemon/views.h"
#include "fltgate/names.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/text.h"

#define CLIENTS_MAX 32
#define IDLE_S 30

struct client {
	struct client *next;
	struct fg_control *control;
	struct bufferevent *stream;
	bool closing; /* gone once its answer is written */
};

struct fg_control {
	struct fg_daemon *daemon;
	struct evconnlistener *listener;
	struct client *clients;
	size_t n_clients;
	gid_t group; /* (gid_t)-1: only root */
};

static fg_view_fn *const answers[FG_REQUEST_KINDS] = {
	[FG_REQUEST_VERSION] = fg_view_version,
	[FG_REQUEST_STATUS] = fg_view_status,
	[FG_REQUEST_ROUTE_TABLE] = fg_view_route_table,
	[FG_REQUEST_FIREWALL] = fg_view_firewall,
	[FG_REQUEST_PFE_FIREWALL] = fg_view_pfe_firewall,
	[FG_REQUEST_INTERFACES] = fg_view_interfaces,
	[FG_REQUEST_BGP_SUMMARY] = fg_view_bgp_summary,
	[FG_REQUEST_LOAD] = fg_do_load,
	[FG_REQUEST_ATTACH] = fg_do_attach,
	[FG_REQUEST_DETACH] = fg_do_detach,
};

static void client_free(struct client *client)
{
	struct client **link = &client->control->clients;

	while (*link != client)
		link = &(*link)->next;
	*link = client->next;
	client->control->n_clients--;
	bufferevent_free(client->stream);
	free(client);
}

/* --- answering -------------------------------------------------------------------------------- */

static void set_error(json_t *answer, int status, const struct fg_error *err)
{
	json_t *error = json_object();

	(void)json_object_set_new(error, "exit", json_integer(status));
	(void)json_object_set_new(error, "code", json_integer(err->code));
	(void)json_object_set_new(error, "what", json_string(err->what));
	(void)json_object_set_new(error, "fix", json_string(err->fix));
	(void)json_object_set_new(answer, "error", error);
}

/* A new document for every request; NULL without memory. */
static json_t *answer_line(struct fg_daemon *daemon, const char *line, size_t len)
{
	struct fg_request request;
	struct fg_error err = { 0 };
	json_t *answer = fg_json_document();
	int status = FG_EXIT_USAGE;

	if (fg_request_parse(line, len, &request, &err) == 0) {
		fg_rules_flush(daemon); /* an answer never lags behind what was received */
		status = answers[request.kind](daemon, &request, answer, &err);
		fg_request_free(&request);
	}
	if (status != FG_EXIT_OK)
		set_error(answer, status, &err);
	return answer;
}

static int add_text(const char *text, size_t len, void *arg)
{
	return evbuffer_add(arg, text, len);
}

static void write_answer(struct client *client, json_t *answer)
{
	struct evbuffer *out = bufferevent_get_output(client->stream);

	if (!answer || json_dump_callback(answer, add_text, out, JSON_COMPACT) < 0)
		(void)evbuffer_add_printf(
			out,
			"{\"schema\":\"%s\",\"error\":{\"exit\":1,\"what\":\"out of memory\"}}",
			FG_JSON_SCHEMA);
	(void)evbuffer_add(out, "\n", 1);
	json_decref(answer);
}

/* No newline within the limit: told, then closed. */
static void refuse_long(struct client *client)
{
	struct fg_error err = { 0 };
	json_t *answer = fg_json_document();

	(void)fg_error_set(&err, -EMSGSIZE, "the request is longer than %u octets", FG_REQUEST_MAX);
	set_error(answer, FG_EXIT_USAGE, &err);
	write_answer(client, answer);
	client->closing = true;
	(void)bufferevent_disable(client->stream, EV_READ);
}

static void on_read(struct bufferevent *stream, void *arg)
{
	struct client *client = arg;
	struct evbuffer *in = bufferevent_get_input(stream);
	char *line;
	size_t len;

	while ((line = evbuffer_readln(in, &len, EVBUFFER_EOL_LF))) {
		write_answer(client, answer_line(client->control->daemon, line, len));
		free(line);
	}
	if (evbuffer_get_length(in) > FG_REQUEST_MAX)
		refuse_long(client);
}

static void on_written(struct bufferevent *stream, void *arg)
{
	struct client *client = arg;

	if (client->closing && evbuffer_get_length(bufferevent_get_output(stream)) == 0)
		client_free(client);
}

/* The other end may have closed its sending half only: what is owed to it is still written. */
static void on_event(struct bufferevent *stream, short what, void *arg)
{
	struct client *client = arg;

	if ((what & BEV_EVENT_EOF) && evbuffer_get_length(bufferevent_get_output(stream))) {
		client->closing = true;
		return;
	}
	client_free(client);
}

/* --- accepting -------------------------------------------------------------------------------- */

/* The file mode says the same; this holds when somebody changed it. */
static bool may_talk(const struct fg_control *control, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	gid_t groups[256];
	socklen_t groups_len = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	if (peer.uid == 0 || peer.uid == geteuid() || peer.gid == control->group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &groups_len) < 0)
		return false;
	for (size_t i = 0; i < groups_len / sizeof(*groups); i++)
		if (groups[i] == control->group)
			return true;
	return false;
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address,
		      int len, void *arg)
{
	struct fg_control *control = arg;
	const struct timeval idle = { IDLE_S, 0 };
	struct client *client;

	(void)listener;
	(void)address;
	(void)len;
	client = control->n_clients < CLIENTS_MAX && may_talk(control, fd)
			 ? calloc(1, sizeof(*client))
			 : NULL;
	if (client)
		client->stream =
			bufferevent_socket_new(control->daemon->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!client || !client->stream) {
		free(client);
		(void)close(fd);
		return;
	}
	client->control = control;
	client->next = control->clients;
	control->clients = client;
	control->n_clients++;
	bufferevent_setcb(client->stream, on_read, on_written, on_event, client);
	bufferevent_set_timeouts(client->stream, &idle, &idle);
	(void)bufferevent_enable(client->stream, EV_READ | EV_WRITE);
}

/* --- the socket ------------------------------------------------------------------------------- */

/* A socket file left by a daemon that died is replaced; one that answers is another daemon. */
static int bind_path(int fd, const char *path, struct fg_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	FG_AUTO_CLOSE int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return fg_error_set(err, -ENAMETOOLONG, "%s: the path is too long for a socket",
				    path);
	fg_text_copy(address.sun_path, sizeof(address.sun_path), path);
	if (probe >= 0 && connect(probe, (struct sockaddr *)&address, sizeof(address)) == 0) {
		(void)fg_error_set(err, -EADDRINUSE, "%s: another fltgated answers there", path);
		return fg_error_fix(
			err, "systemctl stop fltgated, or --instance NAME for a second gateway");
	}
	(void)unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		r = -errno;
		return fg_error_set(err, r, "%s: cannot bind the control socket: %s", path,
				    strerror(-r));
	}
	return 0;
}

static gid_t control_group(const char *path)
{
	const struct group *group = getgrnam(FG_USER);

	if (!group || chown(path, (uid_t)-1, group->gr_gid) < 0)
		return (gid_t)-1;
	return group->gr_gid;
}

int fg_control_new(struct fg_daemon *daemon, struct fg_error *err)
{
	struct fg_control *control = calloc(1, sizeof(*control));
	FG_AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask = umask(0117);
	int r = fd < 0 ? -errno : bind_path(fd, daemon->socket_path, err);

	(void)umask(mask);
	if (!control || r < 0) {
		free(control);
		return r < 0 ? r : fg_error_set(err, -ENOMEM, "out of memory");
	}
	control->daemon = daemon;
	control->group = control_group(daemon->socket_path);
	control->listener =
		evconnlistener_new(daemon->base, on_accept, control,
				   LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 16, fd);
	if (!control->listener) {
		free(control);
		return fg_error_set(err, -ENOMEM, "cannot listen at %s", daemon->socket_path);
	}
	(void)FG_TAKE_FD(fd);
	daemon->control = control;
	return 0;
}

void fg_control_free(struct fg_daemon *daemon)
{
	struct fg_control *control = daemon->control;

	if (!control)
		return;
	while (control->clients)
		client_free(control->clients);
	evconnlistener_free(control->listener);
	(void)unlink(daemon->socket_path);
	free(control);
	daemon->control = NULL;
}
