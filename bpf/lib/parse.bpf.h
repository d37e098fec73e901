/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* From an Ethernet frame to the packet record: tags, IPv4 with options, IPv6 with extension headers, ports. */
#ifndef FG_PARSE_BPF_H
#define FG_PARSE_BPF_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>

#include "maps.bpf.h"

#define FG_VLAN_TAGS 2
#define FG_EXTENSION_HEADERS 8

/* Not a reason to leave: the packet is parsed and goes on to the lookup. */
#define FG_PARSED FG_REASON_MAX

#define FG_BIT(field) (1U << FG_FIELD_##field)
#define FG_IP_FIELDS \
	(FG_BIT(DST0) | FG_BIT(SRC0) | FG_BIT(LENGTH) | FG_BIT(DSCP) | FG_BIT(FRAGMENT))
#define FG_IP6_FIELDS                                                                              \
	(FG_IP_FIELDS | FG_BIT(DST1) | FG_BIT(DST2) | FG_BIT(DST3) | FG_BIT(SRC1) | FG_BIT(SRC2) | \
	 FG_BIT(SRC3) | FG_BIT(FLOW_LABEL))

struct fg_vlan {
	__be16 tci;
	__be16 protocol;
};

/* What is left to read: @pos walks, @end is the end of the linear data, @limit the octets that belong to the
 * IP packet from @pos on (Ethernet padding is not part of it). */
struct fg_cursor {
	void *pos;
	void *end;
	__u32 limit;
};

/* RFC 8955 4.2.2.4-6: ports exist for TCP and UDP only. */
static __always_inline void fg_parse_ports(struct fg_packet *packet, const struct fg_cursor *at)
{
	__be16 *port = at->pos;

	if (at->limit < 4 || (void *)(port + 2) > at->end) {
		packet->note = FG_NOTE_L4_TRUNCATED;
		return;
	}
	packet->field[FG_FIELD_SPORT] = bpf_ntohs(port[0]);
	packet->field[FG_FIELD_DPORT] = bpf_ntohs(port[1]);
	packet->present |= FG_BIT(SPORT) | FG_BIT(DPORT);
}

/* Octets 13 and 14 of the header; the data offset reads as 0 (RFC 8955 4.2.2.9). */
static __always_inline void fg_parse_tcp(struct fg_packet *packet, const struct fg_cursor *at)
{
	__u8 *octet = at->pos;

	fg_parse_ports(packet, at);
	if (at->limit < 14 || (void *)(octet + 14) > at->end) {
		packet->note = FG_NOTE_L4_TRUNCATED;
		return;
	}
	packet->field[FG_FIELD_TCP_FLAGS] = (octet[12] & 0x0f) << 8 | octet[13];
	packet->present |= FG_BIT(TCP_FLAGS);
}

static __always_inline void fg_parse_icmp(struct fg_packet *packet, const struct fg_cursor *at)
{
	__u8 *octet = at->pos;

	if (at->limit < 1 || (void *)(octet + 1) > at->end) {
		packet->note = FG_NOTE_L4_TRUNCATED;
		return;
	}
	packet->field[FG_FIELD_ICMP_TYPE] = octet[0];
	packet->present |= FG_BIT(ICMP_TYPE);
	if (at->limit < 2 || (void *)(octet + 2) > at->end) {
		packet->note = FG_NOTE_L4_TRUNCATED;
		return;
	}
	packet->field[FG_FIELD_ICMP_CODE] = octet[1];
	packet->present |= FG_BIT(ICMP_CODE);
}

/* @icmp: the protocol number that is ICMP in this family. */
static __always_inline void fg_parse_l4(struct fg_packet *packet, const struct fg_cursor *at,
					__u8 protocol, __u8 icmp)
{
	packet->field[FG_FIELD_PROTOCOL] = protocol;
	packet->present |= FG_BIT(PROTOCOL);
	if (packet->field[FG_FIELD_FRAGMENT] & FG_FRAG_ISF)
		packet->note = FG_NOTE_FRAG_NO_L4;
	else if (protocol == IPPROTO_TCP)
		fg_parse_tcp(packet, at);
	else if (protocol == IPPROTO_UDP)
		fg_parse_ports(packet, at);
	else if (protocol == icmp)
		fg_parse_icmp(packet, at);
}

/* @offset in units of 8 octets as in both headers, @more and @dont 0 or 1. Without branches: BPF has no
 * conditional set, and every branch doubles the paths the verifier walks. */
static __always_inline __u32 fg_fragment_bits(__u32 offset, __u32 more, __u32 dont)
{
	__u32 later = (offset + 0x1fff) >> 13;

	return dont * FG_FRAG_DF | later * FG_FRAG_ISF | (more & ~later) * FG_FRAG_FF |
	       (later & ~more) * FG_FRAG_LF;
}

static __always_inline __u32 fg_min(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

static __always_inline enum fg_reason fg_parse_ip(struct fg_packet *packet, struct fg_cursor *at)
{
	struct iphdr *ip = at->pos;
	__u32 total, header, offset;

	if ((void *)(ip + 1) > at->end || ip->version != 4)
		return FG_REASON_IP_MALFORMED;
	if (ip->ihl < 5)
		return FG_REASON_BAD_IHL;
	header = ip->ihl * 4;
	total = bpf_ntohs(ip->tot_len);
	if (total < header || at->pos + header > at->end)
		return FG_REASON_IP_MALFORMED;
	offset = bpf_ntohs(ip->frag_off);
	packet->family = FG_INET;
	packet->present = FG_IP_FIELDS;
	packet->hop_limit = ip->ttl;
	packet->field[FG_FIELD_DST0] = bpf_ntohl(ip->daddr);
	packet->field[FG_FIELD_SRC0] = bpf_ntohl(ip->saddr);
	packet->field[FG_FIELD_LENGTH] = total;
	packet->field[FG_FIELD_DSCP] = ip->tos >> 2;
	packet->field[FG_FIELD_FRAGMENT] =
		fg_fragment_bits(offset & 0x1fff, offset >> 13 & 1, offset >> 14 & 1);
	at->pos += header;
	at->limit = fg_min(at->limit, total) - header;
	fg_parse_l4(packet, at, ip->protocol, IPPROTO_ICMP);
	return FG_PARSED;
}

/* How to step over an IPv6 header; octets = ((length field & length_mask) + add) * unit. */
struct fg_extension {
	__u8 known; /* stands before the upper-layer header (RFC 8956 3.3) */
	__u8 length_mask;
	__u8 add;
	__u8 unit;
	__u8 fragment_mask; /* of the bits to take from a Fragment header */
	__u8 pad[3];
};

#define FG_EXTENSION_OCTETS 2048 /* the longest; the verifier cannot see it in the table */
#define FG_EXTENSION              \
	{                         \
		1, 0xff, 1, 8, 0, \
		{                 \
		}                 \
	}

/* ESP and "no next header" are not here: the walk ends at them and they are the protocol. */
static const struct fg_extension fg_extensions[256] = {
	[IPPROTO_HOPOPTS] = FG_EXTENSION,
	[IPPROTO_ROUTING] = FG_EXTENSION,
	[IPPROTO_FRAGMENT] = { 1, 0, 1, 8, 0xff, {} },
	[IPPROTO_AH] = { 1, 0xff, 2, 4, 0, {} },
	[IPPROTO_DSTOPTS] = FG_EXTENSION,
	[IPPROTO_MH] = FG_EXTENSION,
	[139] = FG_EXTENSION, /* HIP */
	[140] = FG_EXTENSION, /* shim6 */
};

/* Walks the extension headers; *next becomes the upper-layer protocol. 0 when it was not reached. */
static __always_inline int fg_walk_extensions(struct fg_packet *packet, struct fg_cursor *at,
					      __u8 *next, enum fg_reason *failed)
{
	for (int i = 0; i <= FG_EXTENSION_HEADERS; i++) {
		const struct fg_extension *header = &fg_extensions[*next];
		__u8 *octet = at->pos;
		__u32 offset, bits;
		__u64 size; /* 64 bits: kernel 6.1 loses the bounds of a 32-bit product */

		if (!header->known)
			return 1;
		if (i == FG_EXTENSION_HEADERS) {
			*failed = FG_REASON_EXTHDR_LIMIT;
			return 0;
		}
		if (at->limit < 8 || (void *)(octet + 8) > at->end)
			break;
		offset = octet[2] << 8 | octet[3];
		bits = fg_fragment_bits(offset >> 3, offset & 1, 0) & header->fragment_mask;
		packet->field[FG_FIELD_FRAGMENT] |= bits;
		size = (__u64)((octet[1] & header->length_mask) + header->add) * header->unit;
		*next = octet[0];
		if (bits & FG_FRAG_ISF)
			return 1; /* what follows is not a header */
		if (size > at->limit || size > FG_EXTENSION_OCTETS)
			break;
		at->pos += size;
		at->limit -= size;
	}
	packet->note = FG_NOTE_IP6_TRUNCATED;
	return 0;
}

static __always_inline void fg_parse_address6(__u32 *word, const struct in6_addr *address)
{
	word[0] = bpf_ntohl(address->in6_u.u6_addr32[0]);
	word[1] = bpf_ntohl(address->in6_u.u6_addr32[1]);
	word[2] = bpf_ntohl(address->in6_u.u6_addr32[2]);
	word[3] = bpf_ntohl(address->in6_u.u6_addr32[3]);
}

static __always_inline enum fg_reason fg_parse_ip6(struct fg_packet *packet, struct fg_cursor *at)
{
	struct ipv6hdr *ip6 = at->pos;
	enum fg_reason failed = FG_PARSED;
	__u32 first, payload;
	__u8 next;

	if ((void *)(ip6 + 1) > at->end || ip6->version != 6)
		return FG_REASON_IP_MALFORMED;
	first = bpf_ntohl(*(__be32 *)at->pos);
	payload = bpf_ntohs(ip6->payload_len);
	packet->family = FG_INET6;
	packet->present = FG_IP6_FIELDS;
	packet->hop_limit = ip6->hop_limit;
	fg_parse_address6(&packet->field[FG_FIELD_DST0], &ip6->daddr);
	fg_parse_address6(&packet->field[FG_FIELD_SRC0], &ip6->saddr);
	packet->field[FG_FIELD_LENGTH] = sizeof(*ip6) + payload;
	packet->field[FG_FIELD_DSCP] = first >> 22 & 0x3f;
	packet->field[FG_FIELD_FLOW_LABEL] = first & 0xfffff;
	packet->field[FG_FIELD_FRAGMENT] = 0;
	next = ip6->nexthdr;
	at->limit -= sizeof(*ip6);
	if (payload) /* 0: a jumbogram, the frame is the only bound */
		at->limit = fg_min(at->limit, payload);
	at->pos += sizeof(*ip6);
	if (fg_walk_extensions(packet, at, &next, &failed))
		fg_parse_l4(packet, at, next, IPPROTO_ICMPV6);
	return failed;
}

static __always_inline int fg_is_vlan(__be16 protocol)
{
	return protocol == bpf_htons(ETH_P_8021Q) || protocol == bpf_htons(ETH_P_8021AD);
}

/* Fills the record. FG_PARSED, or the reason to leave. */
static __always_inline enum fg_reason fg_parse(struct xdp_md *ctx, struct fg_packet *packet)
{
	void *data = (void *)(long)ctx->data;
	struct fg_cursor at = { .end = (void *)(long)ctx->data_end };
	struct ethhdr *eth = data;
	__u32 offset = sizeof(*eth);
	enum fg_reason reason;
	__be16 protocol;

	if ((void *)(eth + 1) > at.end)
		return FG_REASON_NON_IP;
	protocol = eth->h_proto;
	for (int i = 0; i < FG_VLAN_TAGS && fg_is_vlan(protocol); i++) {
		struct fg_vlan *tag = data + offset;

		if ((void *)(tag + 1) > at.end)
			return FG_REASON_NON_IP;
		protocol = tag->protocol;
		offset += sizeof(*tag);
	}
	if (fg_is_vlan(protocol))
		return FG_REASON_VLAN_DEPTH;
	packet->l3_offset = offset;
	at.pos = data + offset;
	at.limit = packet->frame_len - offset;
	if (protocol == bpf_htons(ETH_P_IP))
		reason = fg_parse_ip(packet, &at);
	else if (protocol == bpf_htons(ETH_P_IPV6))
		reason = fg_parse_ip6(packet, &at);
	else
		return FG_REASON_NON_IP;
	/* A header that is cut by the first buffer, not by the frame, must not look like a missing one. */
	if ((packet->note > FG_NOTE_FRAG_NO_L4 || reason == FG_REASON_IP_MALFORMED) &&
	    packet->frame_len > (__u32)(ctx->data_end - ctx->data))
		return FG_REASON_HEADER_SPLIT;
	return reason;
}

#endif
