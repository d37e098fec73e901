/* SPDX-License-Identifier: MIT */
/* BGP sockets that only the privileged parent can make: port 179, TCP MD5 keys, bound addresses. */
#ifndef FG_BGP_SOCKET_H
#define FG_BGP_SOCKET_H

#include <stdint.h>

#include "bgp/link.h"
#include "util/error.h"

#define FG_BGP_PORT 179
#define FG_BGP_KEY_MAX 80 /* octets of a TCP MD5 key, TCP_MD5SIG_MAXKEYLEN */

/* All sockets are non-blocking and close-on-exec. Functions return a descriptor or a negative errno with @err and
 * the mending command. */

/* A listening socket of one family; @local NULL: any address. An IPv6 one takes IPv6 only, so both stand side by
 * side. Accepted connections send with TTL 255 (RFC 5082). */
int fg_bgp_listen(enum fg_family family, const struct fg_link_address *local, uint16_t port,
		  struct fg_error *err);

/* Sets the TCP MD5 key (RFC 2385) of one remote address on a listening or unconnected socket; @key NULL or ""
 * removes it. May be called again at any time, also when the bgp process already holds the socket. 0 or negative
 * errno. */
int fg_bgp_socket_key(int fd, const struct fg_link_address *remote, const char *key,
		      struct fg_error *err);

/* What an outgoing socket needs besides its peer. */
struct fg_bgp_dial {
	struct fg_link_address remote;
	struct fg_link_address local; /* bound to when @has_local */
	uint8_t has_local;
	uint8_t ttl;     /* outgoing TTL / hop limit; 0: the system's */
	uint8_t min_ttl; /* GTSM (RFC 5082): lower ones are dropped by the kernel; 0: any */
	const char *key; /* TCP MD5, NULL or "": none */
};

/* An unconnected socket for one connection attempt (FG_LINK_CONNECT_FD); the bgp process connects it. */
int fg_bgp_dial(const struct fg_bgp_dial *dial, struct fg_error *err);

/* Parses "192.0.2.1" or "2001:db8::1". 0 or -EINVAL with @err. */
int fg_bgp_address_parse(const char *text, struct fg_link_address *ret, struct fg_error *err);

/* Text of an address; @size at least INET6_ADDRSTRLEN (46). Returns @out. */
const char *fg_bgp_address_text(const struct fg_link_address *address, char *out, uint32_t size);

#endif
