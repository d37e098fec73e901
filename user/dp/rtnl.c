// SPDX-License-Identifier: MIT
/* One rtnetlink request that sets an XDP program, and the reader of its extended ack. */
#include "dp/rtnl.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/cleanup.h"

#define ANSWER_SECONDS 30 /* some drivers restart their queues before they answer */

/* The request: IFLA_XDP { FD, FLAGS, EXPECTED_FD } of one interface. */
struct request {
	struct nlmsghdr header;
	struct ifinfomsg info;
	char attributes[64];
};

static void put(struct request *request, struct nlattr *attr, uint16_t type, const void *data,
		uint16_t len)
{
	attr->nla_type = type;
	attr->nla_len = (uint16_t)(NLA_HDRLEN + len);
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	request->header.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

/* Where the next attribute goes; the three that exist fit by construction. */
static struct nlattr *tail(struct request *request)
{
	return (void *)((char *)request + request->header.nlmsg_len);
}

static void build(struct request *request, int ifindex, int fd, uint32_t flags, int expected_fd)
{
	struct nlattr *nest;

	memset(request, 0, sizeof(*request));
	request->header.nlmsg_type = RTM_SETLINK;
	request->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request->header.nlmsg_len = NLMSG_LENGTH(sizeof(request->info));
	request->info.ifi_family = AF_UNSPEC;
	request->info.ifi_index = ifindex;
	nest = tail(request);
	nest->nla_type = IFLA_XDP | NLA_F_NESTED;
	request->header.nlmsg_len += NLA_HDRLEN;
	put(request, tail(request), IFLA_XDP_FD, &fd, sizeof(fd));
	put(request, tail(request), IFLA_XDP_FLAGS, &flags, sizeof(flags));
	if (flags & XDP_FLAGS_REPLACE)
		put(request, tail(request), IFLA_XDP_EXPECTED_FD, &expected_fd,
		    sizeof(expected_fd));
	nest->nla_len = (uint16_t)((char *)tail(request) - (char *)nest);
}

/* Copies the message attribute of the ack, if there is one. With NETLINK_CAP_ACK the attributes follow struct
 * nlmsgerr at once (Documentation/userspace-api/netlink/intro.rst). */
static void read_words(const struct nlmsghdr *header, char words[static FG_RTNL_WORDS])
{
	const char *at = (const char *)header + NLMSG_LENGTH(sizeof(struct nlmsgerr));
	const char *end = (const char *)header + header->nlmsg_len;
	struct nlattr attr;
	size_t len;

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; end - at >= NLA_HDRLEN; at += NLA_ALIGN(attr.nla_len)) {
		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > end - at)
			return;
		if ((attr.nla_type & NLA_TYPE_MASK) != NLMSGERR_ATTR_MSG)
			continue;
		len = strnlen(at + NLA_HDRLEN, (size_t)attr.nla_len - NLA_HDRLEN);
		len = len < FG_RTNL_WORDS ? len : FG_RTNL_WORDS - 1;
		memcpy(words, at + NLA_HDRLEN, len);
		words[len] = '\0';
	}
}

static int answer(int sock, char words[static FG_RTNL_WORDS])
{
	union {
		struct nlmsghdr header;
		char bytes[8192];
	} buf;
	ssize_t got = recv(sock, &buf, sizeof(buf), 0);
	const struct nlmsgerr *ack = NLMSG_DATA(&buf.header);

	if (got < 0)
		return -errno;
	if (!NLMSG_OK(&buf.header, (size_t)got) || buf.header.nlmsg_type != NLMSG_ERROR ||
	    buf.header.nlmsg_len < NLMSG_LENGTH(sizeof(*ack)))
		return -EPROTO;
	read_words(&buf.header, words);
	return ack->error;
}

static int open_socket(void)
{
	struct timeval timeout = { .tv_sec = ANSWER_SECONDS };
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), on = 1;

	if (sock < 0)
		return -errno;
	/* Without these two options the kernel answers by number alone. */
	(void)setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	(void)setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	return sock;
}

int fg_rtnl_xdp(int ifindex, int fd, uint32_t flags, int expected_fd,
		char words[static FG_RTNL_WORDS])
{
	FG_AUTO_CLOSE int sock = open_socket();
	struct request request;

	words[0] = '\0';
	if (sock < 0)
		return sock;
	build(&request, ifindex, fd, flags, expected_fd);
	if (send(sock, &request, request.header.nlmsg_len, 0) < 0)
		return -errno;
	return answer(sock, words);
}
