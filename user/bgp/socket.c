// SPDX-License-Identifier: MIT
/* BGP sockets that only the privileged parent can make: port 179, TCP MD5 keys, bound addresses. */
#define _GNU_SOURCE
#include "bgp/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "util/cleanup.h"

#define LISTEN_BACKLOG 64
#define TTL_MAX 255

union address {
	struct sockaddr any;
	struct sockaddr_in inet;
	struct sockaddr_in6 inet6;
	struct sockaddr_storage storage;
};

/* What differs between the families, by enum fg_family. */
static const struct {
	int af, level, ttl, min_ttl;
	socklen_t len;
} families[FG_FAMILIES] = {
	[FG_INET] = { AF_INET, IPPROTO_IP, IP_TTL, IP_MINTTL, sizeof(struct sockaddr_in) },
	[FG_INET6] = { AF_INET6, IPPROTO_IPV6, IPV6_UNICAST_HOPS, IPV6_MINHOPCOUNT,
		       sizeof(struct sockaddr_in6) },
};

/* @from NULL: any address of @family. */
static void fill_address(enum fg_family family, const struct fg_link_address *from, uint16_t port,
			 union address *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->any.sa_family = families[family].af;
	if (family == FG_INET) {
		ret->inet.sin_port = htons(port);
		if (from)
			memcpy(&ret->inet.sin_addr, from->addr, sizeof(ret->inet.sin_addr));
	} else {
		ret->inet6.sin6_port = htons(port);
		if (from)
			memcpy(&ret->inet6.sin6_addr, from->addr, sizeof(ret->inet6.sin6_addr));
	}
}

const char *fg_bgp_address_text(const struct fg_link_address *address, char *out, uint32_t size)
{
	if (!inet_ntop(families[address->family].af, address->addr, out, size) && size)
		out[0] = '\0';
	return out;
}

int fg_bgp_address_parse(const char *text, struct fg_link_address *ret, struct fg_error *err)
{
	for (int family = 0; family < FG_FAMILIES; family++) {
		struct fg_link_address address = { .family = family };

		if (inet_pton(families[family].af, text, address.addr) == 1) {
			*ret = address;
			return 0;
		}
	}
	return fg_error_set(err, -EINVAL, "%s is not an IP address", text);
}

static int open_socket(enum fg_family family, struct fg_error *err)
{
	int fd = socket(families[family].af, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? fg_error_set(err, -errno, "cannot open a TCP socket: %m") : fd;
}

static int set_number(int fd, int level, int name, int value, const char *what,
		      struct fg_error *err)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		return fg_error_set(err, -errno, "cannot set %s: %m", what);
	return 0;
}

static int bind_failed(int code, const char *text, uint16_t port, struct fg_error *err)
{
	fg_error_set(err, code, "cannot listen on %s port %u: %s", text, port, strerror(-code));
	switch (code) {
	case -EACCES:
		return fg_error_fix(err, "run fltgated as root or give it CAP_NET_BIND_SERVICE");
	case -EADDRINUSE:
		return fg_error_fix(err, "see who holds it: ss -ltnp 'sport = :%u'", port);
	case -EADDRNOTAVAIL:
		return fg_error_fix(err, "see the addresses of this machine: ip address");
	}
	return code;
}

int fg_bgp_listen(enum fg_family family, const struct fg_link_address *local, uint16_t port,
		  struct fg_error *err)
{
	FG_AUTO_CLOSE int fd = open_socket(family, err);
	char text[INET6_ADDRSTRLEN] = "any address,";
	union address address;
	int ret;

	if (fd < 0)
		return fd;
	if (local)
		fg_bgp_address_text(local, text, sizeof(text));
	fill_address(family, local, port, &address);
	ret = set_number(fd, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR", err);
	if (!ret && family == FG_INET6)
		ret = set_number(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY", err);
	/* Accepted connections inherit it: peers that guard by TTL (RFC 5082) take nothing lower. */
	if (!ret)
		ret = set_number(fd, families[family].level, families[family].ttl, TTL_MAX,
				 "the TTL", err);
	if (ret)
		return ret;
	if (bind(fd, &address.any, families[family].len) < 0 || listen(fd, LISTEN_BACKLOG) < 0)
		return bind_failed(-errno, text, port, err);
	return FG_TAKE_FD(fd);
}

int fg_bgp_socket_key(int fd, const struct fg_link_address *remote, const char *key,
		      struct fg_error *err)
{
	size_t len = key ? strlen(key) : 0;
	char text[INET6_ADDRSTRLEN];
	struct tcp_md5sig md5 = { .tcpm_keylen = len };
	union address address;
	int ret = 0;

	_Static_assert(FG_BGP_KEY_MAX == TCP_MD5SIG_MAXKEYLEN, "longest key");
	if (len > FG_BGP_KEY_MAX)
		return fg_error_set(err, -EINVAL, "TCP MD5 key of %s is longer than %d octets",
				    fg_bgp_address_text(remote, text, sizeof(text)),
				    FG_BGP_KEY_MAX);
	fill_address(remote->family, remote, 0, &address);
	memcpy(&md5.tcpm_addr, &address.storage, sizeof(md5.tcpm_addr));
	if (len)
		memcpy(md5.tcpm_key, key, len);
	if (setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &md5, sizeof(md5)) < 0)
		ret = -errno;
	explicit_bzero(&md5, sizeof(md5));
	/* Removing a key that is not there is what was wanted. */
	if (!ret || (!len && ret == -ENOENT))
		return 0;
	fg_error_set(err, ret, "cannot set the TCP MD5 key of %s: %s",
		     fg_bgp_address_text(remote, text, sizeof(text)), strerror(-ret));
	return ret == -ENOPROTOOPT
		       ? fg_error_fix(err, "use a kernel with CONFIG_TCP_MD5SIG=y, or remove the "
					   "authentication-key")
		       : ret;
}

static int bind_local(int fd, const struct fg_link_address *local, struct fg_error *err)
{
	char text[INET6_ADDRSTRLEN];
	union address address;
	int ret;

	fill_address(local->family, local, 0, &address);
	if (bind(fd, &address.any, families[local->family].len) == 0)
		return 0;
	ret = fg_error_set(err, -errno, "cannot connect from local address %s: %m",
			   fg_bgp_address_text(local, text, sizeof(text)));
	return ret == -EADDRNOTAVAIL
		       ? fg_error_fix(err, "see the addresses of this machine: ip address")
		       : ret;
}

int fg_bgp_dial(const struct fg_bgp_dial *dial, struct fg_error *err)
{
	enum fg_family family = dial->remote.family;
	FG_AUTO_CLOSE int fd = open_socket(family, err);
	int ret = 0;

	if (fd < 0)
		return fd;
	if (dial->has_local && dial->local.family != family)
		return fg_error_set(err, -EINVAL,
				    "local address is of another family than the peer's");
	if (dial->has_local)
		ret = bind_local(fd, &dial->local, err);
	if (!ret && dial->ttl)
		ret = set_number(fd, families[family].level, families[family].ttl, dial->ttl,
				 "the TTL", err);
	if (!ret && dial->min_ttl)
		ret = set_number(fd, families[family].level, families[family].min_ttl,
				 dial->min_ttl, "the least TTL (GTSM)", err);
	if (!ret && dial->key && *dial->key)
		ret = fg_bgp_socket_key(fd, &dial->remote, dial->key, err);
	return ret ? ret : FG_TAKE_FD(fd);
}
