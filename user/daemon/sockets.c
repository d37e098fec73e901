// SPDX-License-Identifier: MIT
/* The BGP sockets that need a capability: made here, keyed, and handed to the bgp process. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "bgp/socket.h"
#include "daemon/daemon.h"
#include "util/cleanup.h"

struct fg_link_address fg_link_address_of(const struct fg_conf_address *address)
{
	struct fg_link_address out = { .family = address->family };

	memcpy(out.addr, address->addr, sizeof(out.addr));
	return out;
}

static bool has_family(const struct fg_conf *conf, enum fg_family family)
{
	for (size_t i = 0; i < conf->n_neighbors; i++)
		if (conf->neighbors[i].address.family == family)
			return true;
	return false;
}

/* Keys of gone neighbours are removed, those of the others set again: the kernel replaces them. */
static void set_keys(int fd, enum fg_family family, const struct fg_conf *conf, bool remove)
{
	for (size_t i = 0; i < conf->n_neighbors; i++) {
		const struct fg_conf_neighbor *neighbor = &conf->neighbors[i];
		const struct fg_link_address remote = fg_link_address_of(&neighbor->address);
		struct fg_error err = { 0 };

		if (neighbor->address.family != family || !neighbor->key)
			continue;
		if (fg_bgp_socket_key(fd, &remote, remove ? NULL : neighbor->key, &err) < 0 &&
		    !remove)
			(void)fg_log_error(&err);
	}
}

static void open_family(struct fg_daemon *daemon, enum fg_family family)
{
	struct fg_error err = { 0 };
	int fd = fg_bgp_listen(family, NULL, daemon->conf->bgp_port, &err);

	if (fd < 0)
		(void)fg_log_error(&err);
	else
		daemon->listen_fd[family] = fd;
}

void fg_sockets_apply(struct fg_daemon *daemon, const struct fg_conf *old)
{
	const struct fg_conf *conf = daemon->conf;
	bool moved = old && old->bgp_port != conf->bgp_port;

	if (moved)
		fg_sockets_close(daemon);
	for (int f = 0; f < FG_FAMILIES; f++) {
		int *fd = &daemon->listen_fd[f];

		if (*fd < 0 && conf->bgp_port && has_family(conf, (enum fg_family)f))
			open_family(daemon, (enum fg_family)f);
		if (*fd < 0)
			continue;
		if (old)
			set_keys(*fd, (enum fg_family)f, old, true);
		set_keys(*fd, (enum fg_family)f, conf, false);
	}
	if (moved) /* the process holds the old sockets */
		fg_bgp_child_restart(daemon);
}

void fg_sockets_send(struct fg_daemon *daemon)
{
	for (int f = 0; f < FG_FAMILIES; f++) {
		struct fg_link_fd message = { .peer = 0 };

		if (daemon->listen_fd[f] < 0)
			continue;
		fg_link_init(&message.header, FG_LINK_LISTEN_FD, sizeof(message));
		fg_bgp_child_send(daemon, &message.header,
				  fcntl(daemon->listen_fd[f], F_DUPFD_CLOEXEC, 0));
	}
}

void fg_sockets_close(struct fg_daemon *daemon)
{
	for (int f = 0; f < FG_FAMILIES; f++)
		fg_closep(&daemon->listen_fd[f]);
}

void fg_sockets_dial(struct fg_daemon *daemon, const struct fg_peer *peer)
{
	const struct fg_conf_neighbor *conf = peer->conf;
	const struct fg_bgp_dial dial = {
		.remote = fg_link_address_of(&conf->address),
		.local = fg_link_address_of(&conf->local_address),
		.has_local = conf->local_address.prefix_len != 0,
		.key = conf->key,
	};
	struct fg_link_fd message = { .peer = peer->number };
	struct fg_error err = { 0 };
	int fd = fg_bgp_dial(&dial, &err);

	if (fd < 0) {
		(void)fg_log_error(&err);
		return;
	}
	fg_link_init(&message.header, FG_LINK_CONNECT_FD, sizeof(message));
	fg_bgp_child_send(daemon, &message.header, fd);
}
