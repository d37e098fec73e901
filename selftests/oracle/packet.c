// SPDX-License-Identifier: MIT
/* Oracle: what a raw Ethernet frame shows to the FlowSpec components (RFC 8955 4.2.2, RFC 8956 3). */
#include "oracle.h"

#include <string.h>

#define MAX_TAGS 2
#define MAX_EXT_HEADERS 8

#define FRAG_DF 1
#define FRAG_ISF 2
#define FRAG_FF 4
#define FRAG_LF 8

/* An octet string with an end; every read is checked by the caller through has(). */
struct view {
	const uint8_t *p;
	size_t end;
};

static bool has(const struct view *v, size_t at, size_t n)
{
	return at <= v->end && v->end - at >= n;
}

static uint32_t be16(const struct view *v, size_t at)
{
	return (uint32_t)v->p[at] << 8 | v->p[at + 1];
}

static void set_fragment(struct fgo_packet *k, uint32_t offset, bool more)
{
	if (offset)
		k->fragment |= FRAG_ISF | (more ? 0 : FRAG_LF);
	else if (more)
		k->fragment |= FRAG_FF;
	k->later_fragment = offset != 0;
}

static void parse_l4(struct fgo_packet *k, const struct view *v, size_t at)
{
	bool icmp = k->proto == (k->family == 4 ? 1 : 58);

	if (!k->has_proto || k->later_fragment)
		return;
	if ((k->proto == 6 || k->proto == 17) && has(v, at, 4)) {
		k->has_ports = true;
		k->sport = (uint16_t)be16(v, at);
		k->dport = (uint16_t)be16(v, at + 2);
	}
	if (icmp && has(v, at, 1)) {
		k->has_icmp_type = true;
		k->icmp_type = v->p[at];
	}
	if (icmp && has(v, at, 2)) {
		k->has_icmp_code = true;
		k->icmp_code = v->p[at + 1];
	}
	if (k->proto == 6 && has(v, at, 14)) {
		k->has_tcp_flags = true;
		k->tcp_flags = (uint16_t)(be16(v, at + 12) & 0x0fff);
	}
}

static enum fgo_outcome parse_v4(struct fgo_packet *k, struct view v, size_t at)
{
	size_t ihl, tot;
	uint32_t frag;

	if (!has(&v, at, 20) || v.p[at] >> 4 != 4)
		return FGO_PKT_MALFORMED;
	ihl = (size_t)(v.p[at] & 0x0f) * 4;
	tot = be16(&v, at + 2);
	if (ihl < 20 || tot < ihl || !has(&v, at, ihl))
		return FGO_PKT_MALFORMED;
	if (at + tot < v.end)
		v.end = at + tot;
	frag = be16(&v, at + 6);
	k->family = 4;
	k->l3 = at;
	k->dscp = v.p[at + 1] >> 2;
	k->length = (uint32_t)tot;
	k->fragment = frag & 0x4000 ? FRAG_DF : 0;
	set_fragment(k, frag & 0x1fff, frag & 0x2000);
	k->has_proto = true;
	k->proto = v.p[at + 9];
	memcpy(k->src, v.p + at + 12, 4);
	memcpy(k->dst, v.p + at + 16, 4);
	parse_l4(k, &v, at + ihl);
	return FGO_PKT_IP;
}

/* Extension headers that are walked: RFC 8200 4, RFC 4302, RFC 6275, RFC 7401, RFC 5533. */
static bool is_extension(uint8_t nh)
{
	static const uint8_t walked[] = { 0, 43, 44, 51, 60, 135, 139, 140 };

	return memchr(walked, nh, sizeof(walked)) != NULL;
}

static size_t extension_len(const struct view *v, uint8_t nh, size_t at)
{
	if (nh == 44)
		return 8;
	if (nh == 51)
		return ((size_t)v->p[at + 1] + 2) * 4;
	return ((size_t)v->p[at + 1] + 1) * 8;
}

/* Leaves has_proto false when the chain is cut before the upper header. */
static enum fgo_outcome walk_v6(struct fgo_packet *k, const struct view *v, uint8_t nh, size_t at)
{
	unsigned int n = 0;

	while (is_extension(nh)) {
		uint8_t self = nh;
		size_t len;

		if (n++ == MAX_EXT_HEADERS)
			return FGO_PKT_EXTHDR_LIMIT;
		if (!has(v, at, 8))
			return FGO_PKT_IP;
		len = extension_len(v, self, at);
		if (!has(v, at, len))
			return FGO_PKT_IP;
		nh = v->p[at];
		if (self == 44)
			set_fragment(k, be16(v, at + 2) >> 3, be16(v, at + 2) & 1);
		at += len;
		if (k->later_fragment)
			break;
	}
	k->has_proto = true;
	k->proto = nh;
	parse_l4(k, v, at);
	return FGO_PKT_IP;
}

static enum fgo_outcome parse_v6(struct fgo_packet *k, struct view v, size_t at)
{
	size_t payload;

	if (!has(&v, at, 40) || v.p[at] >> 4 != 6)
		return FGO_PKT_MALFORMED;
	payload = be16(&v, at + 4);
	if (payload && at + 40 + payload < v.end)
		v.end = at + 40 + payload;
	k->family = 6;
	k->l3 = at;
	k->dscp = (uint8_t)((be16(&v, at) >> 6) & 0x3f);
	k->flow_label = (v.p[at + 1] & 0x0fu) << 16 | be16(&v, at + 2);
	k->length = (uint32_t)(40 + payload);
	memcpy(k->src, v.p + at + 8, 16);
	memcpy(k->dst, v.p + at + 24, 16);
	return walk_v6(k, &v, v.p[at + 6], at + 40);
}

static enum fgo_outcome parse_frame(struct fgo_packet *k, const struct view *v)
{
	unsigned int tags = 0;
	size_t at = 12;

	for (;;) {
		uint32_t type;

		if (!has(v, at, 2))
			return FGO_PKT_NON_IP;
		type = be16(v, at);
		if (type == 0x0800)
			return parse_v4(k, *v, at + 2);
		if (type == 0x86dd)
			return parse_v6(k, *v, at + 2);
		if (type != 0x8100 && type != 0x88a8)
			return FGO_PKT_NON_IP;
		if (tags++ == MAX_TAGS)
			return FGO_PKT_VLAN_DEPTH;
		at += 4;
	}
}

void fgo_packet_parse(const uint8_t *frame, size_t len, struct fgo_packet *ret_pkt)
{
	struct fgo_packet k = { 0 };
	struct view v = { frame, len };

	k.outcome = parse_frame(&k, &v);
	*ret_pkt = k;
}
