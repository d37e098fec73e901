// SPDX-License-Identifier: MIT
/* Builds raw Ethernet frames from a field-by-field description, right or deliberately wrong. */
#include "frame.h"

#include <string.h>

/* Output that silently stops at its capacity; n counts on, so that lengths stay right. */
struct out {
	uint8_t *p;
	size_t cap;
	size_t n;
};

static void put8(struct out *o, uint32_t v)
{
	if (o->n < o->cap)
		o->p[o->n] = (uint8_t)v;
	o->n++;
}

static void put16(struct out *o, uint32_t v)
{
	put8(o, v >> 8);
	put8(o, v);
}

static void put32(struct out *o, uint32_t v)
{
	put16(o, v >> 16);
	put16(o, v & 0xffff);
}

static void put(struct out *o, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put8(o, p[i]);
}

uint16_t fgo_csum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

size_t fgo_ext_len(const struct fgo_ext *e)
{
	if (e->type == 44)
		return 8;
	return e->type == 51 ? (e->len + 2u) * 4 : (e->len + 1u) * 8;
}

static void ethernet(struct out *o, const struct fgo_model *m)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };

	put(o, macs, sizeof(macs));
	for (unsigned int i = 0; i < m->n_tags; i++) {
		put16(o, m->tag_type[i]);
		put16(o, m->tci[i]);
	}
	put16(o, m->ethertype);
}

static void ipv4(struct out *o, const struct fgo_model *m)
{
	uint8_t h[60] = { 0 };
	size_t len = 20 + m->options * 4u;
	uint32_t tot = (uint32_t)((int32_t)(len + m->l4_len) + m->ip_len_delta);
	uint32_t frag = m->frag_off | (m->df ? 0x4000u : 0) | (m->mf ? 0x2000u : 0);
	struct out ho = { h, sizeof(h), 0 };
	uint16_t sum;

	put8(&ho, (uint32_t)(m->version << 4 | (((int)(len / 4) + m->ihl_delta) & 15)));
	put8(&ho, m->tos);
	put16(&ho, tot);
	put16(&ho, 1);
	put16(&ho, frag);
	put8(&ho, m->ttl);
	put8(&ho, m->proto);
	put16(&ho, 0);
	put(&ho, m->src, 4);
	put(&ho, m->dst, 4);
	while (ho.n < len)
		put8(&ho, 1); /* option "no operation" */
	sum = fgo_csum(h, len);
	h[10] = (uint8_t)(sum >> 8);
	h[11] = (uint8_t)sum;
	put(o, h, len);
}

static void extension(struct out *o, const struct fgo_model *m, const struct fgo_ext *e,
		      uint8_t next)
{
	size_t end = o->n + fgo_ext_len(e);

	put8(o, next);
	put8(o, e->type == 44 ? 0 : e->len);
	if (e->type == 44) {
		put16(o, e->len ? 1u : (uint32_t)m->frag_off << 3 | (m->mf ? 1u : 0));
		put32(o, 0x01020304);
	}
	while (o->n < end)
		put8(o, m->fill);
}

static void ipv6(struct out *o, const struct fgo_model *m)
{
	uint32_t len = m->l4_len;

	for (unsigned int i = 0; i < m->n_ext; i++)
		len += (uint32_t)fgo_ext_len(&m->ext[i]);
	len = m->zero_payload_len ? 0 : (uint32_t)((int32_t)len + m->ip_len_delta);
	put32(o, (uint32_t)m->version << 28 | (uint32_t)m->tos << 20 | m->flow_label);
	put16(o, len);
	put8(o, m->n_ext ? m->ext[0].type : m->proto);
	put8(o, m->ttl);
	put(o, m->src, 16);
	put(o, m->dst, 16);
	for (unsigned int i = 0; i < m->n_ext; i++)
		extension(o, m, &m->ext[i], i + 1 < m->n_ext ? m->ext[i + 1].type : m->proto);
}

/* The usual first octets of the upper header, whatever the length they are cut to later. */
static void l4_head(struct out *o, const struct fgo_model *m)
{
	switch (m->proto) {
	case 6:
		put16(o, m->sport);
		put16(o, m->dport);
		put32(o, 0x11223344);
		put32(o, 0);
		put16(o, m->tcp_flags);
		put16(o, 0xffff);
		put32(o, 0);
		break;
	case 17:
		put16(o, m->sport);
		put16(o, m->dport);
		put16(o, m->l4_len);
		put16(o, 0);
		break;
	case 1:
	case 58:
		put8(o, m->icmp_type);
		put8(o, m->icmp_code);
		put16(o, 0);
		put32(o, 0);
		break;
	default:
		break;
	}
}

static void upper(struct out *o, const struct fgo_model *m)
{
	uint8_t head[32] = { 0 };
	struct out ho = { head, sizeof(head), 0 };

	if (m->frag_off == 0)
		l4_head(&ho, m);
	for (size_t i = 0; i < m->l4_len; i++) {
		uint8_t octet = i < ho.n ? head[i] : (uint8_t)(m->fill + i * 37);

		put8(o, i < m->payload_len ? m->payload[i] : octet);
	}
}

size_t fgo_frame_build(const struct fgo_model *m, uint8_t *out, size_t cap)
{
	struct out o = { out, cap, 0 };

	ethernet(&o, m);
	if (m->family == 4)
		ipv4(&o, m);
	else if (m->family == 6)
		ipv6(&o, m);
	upper(&o, m);
	for (unsigned int i = 0; i < m->padding; i++)
		put8(&o, 0xee);
	o.n = m->cut < o.n ? o.n - m->cut : 0;
	return o.n < cap ? o.n : cap;
}

static uint16_t usual_len(uint8_t proto)
{
	return proto == 6 ? 20 : 8;
}

struct fgo_model fgo_model_v4(uint8_t proto)
{
	struct fgo_model m = {
		.family = 4,
		.ethertype = 0x0800,
		.version = 4,
		.ttl = 64,
		.proto = proto,
		.df = true,
		.src = { 192, 0, 2, 1 },
		.dst = { 198, 51, 100, 1 },
		.l4_len = usual_len(proto),
		.tcp_flags = 0x5000,
	};

	return m;
}

struct fgo_model fgo_model_v6(uint8_t proto)
{
	struct fgo_model m = {
		.family = 6,
		.ethertype = 0x86dd,
		.version = 6,
		.ttl = 64,
		.proto = proto,
		.src = { 0x20, 1, 0x0d, 0xb8, [15] = 1 },
		.dst = { 0x20, 1, 0x0d, 0xb8, [15] = 2 },
		.l4_len = usual_len(proto),
		.tcp_flags = 0x5000,
	};

	return m;
}
