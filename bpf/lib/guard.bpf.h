/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* The control-plane guard: what keeps the box reachable passes before any rule is tried. */
#ifndef FG_GUARD_BPF_H
#define FG_GUARD_BPF_H

#include <linux/in.h>

#include <bpf/bpf_endian.h>

#include "maps.bpf.h"

#define FG_HAS(packet, field) ((packet)->present & (1U << FG_FIELD_##field))
#define FG_FIELD_OF(packet, name) ((packet)->field[FG_FIELD_##name])

#define FG_PORT_BGP 179

/* Router and neighbour discovery comes from the link: hop limit 255 (RFC 4861 section 6.1). */
static __always_inline int fg_guard_nd(const struct fg_packet *packet)
{
	__u32 type = FG_FIELD_OF(packet, ICMP_TYPE);

	return packet->family == FG_INET6 && FG_HAS(packet, ICMP_TYPE) &&
	       packet->hop_limit == 255 && type >= 133 && type <= 137;
}

static __always_inline int fg_guard_dhcp(const struct fg_packet *packet)
{
	__u32 source = FG_FIELD_OF(packet, SPORT), destination = FG_FIELD_OF(packet, DPORT);

	if (!FG_HAS(packet, SPORT) || FG_FIELD_OF(packet, PROTOCOL) != IPPROTO_UDP)
		return 0;
	if (packet->family == FG_INET)
		return (source == 67 && destination == 68) || (source == 68 && destination == 67);
	return (source == 547 && destination == 546) || (source == 546 && destination == 547);
}

/* Path MTU discovery: ICMP 3/4 (RFC 1191), ICMPv6 2 (RFC 8201). */
static __always_inline int fg_guard_pmtu(const struct fg_packet *packet)
{
	if (!FG_HAS(packet, ICMP_CODE))
		return 0;
	if (packet->family == FG_INET6)
		return FG_FIELD_OF(packet, ICMP_TYPE) == 2;
	return FG_FIELD_OF(packet, ICMP_TYPE) == 3 && FG_FIELD_OF(packet, ICMP_CODE) == 4;
}

static __always_inline int fg_guard_source(const struct fg_packet *packet)
{
	struct fg_guard_key key = { .prefix_len = 160, .family = packet->family };
	__u32 *word = (__u32 *)key.addr, *classes;

	for (int i = 0; i < (packet->family == FG_INET ? 1 : 4); i++)
		word[i] = bpf_htonl(packet->field[FG_FIELD_SRC0 + i]);
	classes = bpf_map_lookup_elem(&guard_sources, &key);
	if (!classes)
		return 0;
	if (*classes & FG_GUARD_MANAGEMENT)
		return 1;
	return *classes & FG_GUARD_BGP && FG_HAS(packet, SPORT) &&
	       FG_FIELD_OF(packet, PROTOCOL) == IPPROTO_TCP &&
	       (FG_FIELD_OF(packet, SPORT) == FG_PORT_BGP ||
		FG_FIELD_OF(packet, DPORT) == FG_PORT_BGP);
}

/* Non-zero: the packet passes whatever the rules say. */
static __always_inline int fg_guard(const struct fg_packet *packet)
{
	__u32 zero = 0;
	struct fg_guard_config *config = bpf_map_lookup_elem(&guard_config, &zero);
	__u32 flags = config ? config->flags : 0;

	return (flags & FG_GUARD_ND && fg_guard_nd(packet)) ||
	       (flags & FG_GUARD_DHCP && fg_guard_dhcp(packet)) ||
	       (flags & FG_GUARD_PMTU && fg_guard_pmtu(packet)) ||
	       (flags & FG_GUARD_SOURCES && fg_guard_source(packet));
}

#endif
