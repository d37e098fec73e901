// SPDX-License-Identifier: MIT
/* Moves messages and descriptors over the link between the parent and the bgp process. */
#define _GNU_SOURCE
#include "bgp/link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "util/cleanup.h"

/* Room for a few thousand rules on their way: a burst need not wait for the parent's compiler. */
#define LINK_BUFFER (4 << 20)

struct fg_link_item {
	struct fg_link_item *next;
	int fd;
	_Alignas(struct fg_link_message) uint8_t bytes[];
};

int fg_link_pair(int *ret_parent, int *ret_bgp)
{
	int fds[2], size = LINK_BUFFER;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return -errno;
	/* Above net.core.wmem_max only with CAP_NET_ADMIN; what the kernel grants is enough to work. */
	for (int i = 0; i < 2; i++)
		if (setsockopt(fds[i], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) < 0)
			(void)setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	*ret_parent = fds[0];
	*ret_bgp = fds[1];
	return 0;
}

void fg_link_init(struct fg_link_header *message, enum fg_link_type type, size_t length)
{
	message->type = type;
	message->length = length;
}

int fg_link_send(int link_fd, const struct fg_link_header *message, int pass_fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	union {
		const void *in;
		void *out;
	} base = {
		.in = message
	}; /* sendmsg() does not write, its iovec is shared with recvmsg() */
	struct iovec iov = { .iov_base = base.out, .iov_len = message->length };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (pass_fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.space);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &pass_fd, sizeof(int));
	}
	while (sendmsg(link_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void free_item(struct fg_link_item *item)
{
	fg_closep(&item->fd);
	free(item);
}

static int enqueue(struct fg_link_queue *queue, const struct fg_link_header *message, int pass_fd)
{
	struct fg_link_item *item = malloc(sizeof(*item) + message->length);

	if (!item)
		return -ENOMEM;
	item->next = NULL;
	item->fd = pass_fd < 0 ? -1 : fcntl(pass_fd, F_DUPFD_CLOEXEC, 0);
	if (pass_fd >= 0 && item->fd < 0) {
		int err = -errno;

		free_item(item);
		return err;
	}
	memcpy(item->bytes, message, message->length);
	if (queue->tail)
		queue->tail->next = item;
	else
		queue->head = item;
	queue->tail = item;
	return 0;
}

int fg_link_queue_send(struct fg_link_queue *queue, int link_fd,
		       const struct fg_link_header *message, int pass_fd)
{
	int err = queue->head ? -EAGAIN : fg_link_send(link_fd, message, pass_fd);

	return err == -EAGAIN ? enqueue(queue, message, pass_fd) : err;
}

static void drop_head(struct fg_link_queue *queue)
{
	struct fg_link_item *item = queue->head;

	queue->head = item->next;
	if (!queue->head)
		queue->tail = NULL;
	free_item(item);
}

int fg_link_queue_flush(struct fg_link_queue *queue, int link_fd)
{
	while (queue->head) {
		const struct fg_link_item *item = queue->head;
		int err = fg_link_send(link_fd, (const void *)item->bytes, item->fd);

		if (err)
			return err;
		drop_head(queue);
	}
	return 0;
}

void fg_link_queue_free(struct fg_link_queue *queue)
{
	while (queue->head)
		drop_head(queue);
}

/* Takes the descriptors out of @msg: the first into *ret_fd, more than one is not of this protocol. */
static int take_fds(struct msghdr *msg, int *ret_fd)
{
	int n_fds = 0;

	*ret_fd = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0);
		     at += sizeof(int)) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + at, sizeof(fd));
			if (n_fds++)
				close(fd);
			else
				*ret_fd = fd;
		}
	}
	return n_fds > 1 ? -EPROTO : 0;
}

int fg_link_recv(int link_fd, enum fg_link_side from, struct fg_link_message *ret,
		 struct fg_error *err)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = ret->bytes, .iov_len = sizeof(ret->bytes) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	FG_AUTO_CLOSE int fd = -1;
	ssize_t len;
	int code;

	do {
		len = recvmsg(link_fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return errno == ECONNRESET ? 0 : -errno;
	code = take_fds(&msg, &fd);
	if (!len && fd < 0)
		return 0;
	if (code || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return fg_error_set(err, -EPROTO, "link: message or descriptors cut off");
	ret->fd = fd;
	code = fg_link_check(ret, len, from, err);
	if (code)
		return code;
	ret->fd = FG_TAKE_FD(fd);
	return 1;
}
