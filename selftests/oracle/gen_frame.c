// SPDX-License-Identifier: MIT
/* Seeded random frames: built to satisfy a rule, then bent in a field or two. */
#include "gen.h"

#include "gen_internal.h"

#include <string.h>

#define FULL_FRAME 1600 /* longer packets are written only in part */
#define PART_FRAME 200
#define ETH_HEADER 14

static uint32_t field_mask(const struct fgo_comp *c)
{
	static const uint32_t masks[FGO_FLOW_LABEL + 1] = {
		[FGO_PROTO] = 0xff,      [FGO_PORT] = 0xffff,        [FGO_DPORT] = 0xffff,
		[FGO_SPORT] = 0xffff,    [FGO_ICMP_TYPE] = 0xff,     [FGO_ICMP_CODE] = 0xff,
		[FGO_TCP_FLAGS] = 0xfff, [FGO_LENGTH] = 0xffff,      [FGO_DSCP] = 0x3f,
		[FGO_FRAGMENT] = 0xf,    [FGO_FLOW_LABEL] = 0xfffff,
	};

	return masks[c->type];
}

/* A field value near one of the rule's own values: it satisfies the list if 24 tries find such a one. */
static uint32_t solve(struct fgo_rng *r, const struct fgo_rule *rule, const struct fgo_comp *c)
{
	const uint8_t *ops = rule->value + c->at;
	uint32_t v = 0, mask = field_mask(c);

	for (int i = 0; i < 24; i++) {
		size_t at = fgo_below(r, c->data_len), width;

		/* any place in the list will do: mostly the octets before it end in a value */
		width = c->data_len - at < 3 ? c->data_len - at : 1 + fgo_below(r, 2);
		v = 0;
		for (size_t j = 0; j < width; j++)
			v = v << 8 | ops[at + j];
		v += fgo_below(r, 3) - 1;
		if (fgo_chance(r, 15))
			v = (uint32_t)fgo_rand(r);
		v &= mask;
		if (fgo_list_holds(rule, c, v))
			break;
	}
	return v;
}

static void set_bits(const struct fgo_comp *c, uint8_t *addr)
{
	for (unsigned int i = c->poff; i < c->plen; i++) {
		unsigned int j = i - c->poff;
		uint8_t m = (uint8_t)(0x80 >> (i % 8));

		if (c->pattern[j / 8] & (0x80 >> (j % 8)))
			addr[i / 8] |= m;
		else
			addr[i / 8] &= (uint8_t)~m;
	}
}

static void set_fragment(struct fgo_rng *r, struct fgo_model *m, uint32_t bits)
{
	m->df = m->family == 4 && (bits & 1);
	if (bits & 0xa) {
		m->frag_off = (uint16_t)(1 + fgo_below(r, 0x1fff));
		m->mf = !(bits & 8);
	} else {
		m->frag_off = 0;
		m->mf = (bits & 4) != 0;
	}
}

static struct fgo_model random_model(struct fgo_rng *r, uint8_t family)
{
	static const uint8_t protos[] = { 6, 6, 6, 17, 17, 17, 1, 58, 47, 50, 132, 59 };
	uint8_t proto = protos[fgo_below(r, sizeof(protos))];
	struct fgo_model m = family == 6 ? fgo_model_v6(proto) : fgo_model_v4(proto);

	fgo_pool_addr(r, family, false, m.src);
	fgo_pool_addr(r, family, true, m.dst);
	m.sport = (uint16_t)fgo_below(r, 65536);
	m.dport = (uint16_t)(fgo_chance(r, 50) ? 80 : fgo_below(r, 65536));
	m.icmp_type = (uint8_t)fgo_below(r, 16);
	m.icmp_code = (uint8_t)fgo_below(r, 6);
	m.tcp_flags = (uint16_t)(0x5000 | fgo_below(r, 512));
	m.tos = (uint8_t)fgo_below(r, 256);
	m.flow_label = family == 6 ? fgo_below(r, 1u << 20) : 0;
	m.df = fgo_chance(r, 50) && family == 4;
	m.fill = (uint8_t)fgo_below(r, 256);
	m.l4_len = (uint16_t)(m.l4_len + fgo_below(r, 80));
	return m;
}

/* Where the proto is free but a rule reads fields that only some protocols have. */
static void choose_proto(struct fgo_rng *r, const struct fgo_rule *rule, struct fgo_model *m)
{
	bool ports = false, icmp = false, flags = false, proto = false;

	for (unsigned int i = 0; i < rule->n_comps; i++) {
		uint8_t t = rule->comps[i].type;

		ports |= t >= FGO_PORT && t <= FGO_SPORT;
		icmp |= t == FGO_ICMP_TYPE || t == FGO_ICMP_CODE;
		flags |= t == FGO_TCP_FLAGS;
		proto |= t == FGO_PROTO;
	}
	if (proto)
		return;
	if (flags)
		m->proto = 6;
	else if (icmp)
		m->proto = rule->family == 6 ? 58 : 1;
	else if (ports)
		m->proto = fgo_chance(r, 50) ? 6 : 17;
}

static size_t head_len(const struct fgo_model *m)
{
	size_t n = m->family == 6 ? 40 : 20 + m->options * 4u;

	for (unsigned int i = 0; i < m->n_ext; i++)
		n += fgo_ext_len(&m->ext[i]);
	return n;
}

static void add_headers(struct fgo_rng *r, struct fgo_model *m)
{
	static const uint8_t types[] = { 0, 60, 43, 51, 135, 139, 140, 60 };
	unsigned int n = fgo_chance(r, 20) ? 1 + fgo_below(r, 3) : 0;

	if (fgo_chance(r, 2))
		n = 7 + fgo_below(r, 4);
	if (m->family == 4) {
		m->options = (uint8_t)(n ? 1 + fgo_below(r, 10) : 0);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		m->ext[m->n_ext++] = (struct fgo_ext){ types[fgo_below(r, sizeof(types))],
						       (uint8_t)fgo_below(r, 3) };
	}
	if (fgo_chance(r, 3)) /* a first fragment of what may be a fragment itself */
		m->ext[m->n_ext++] = (struct fgo_ext){ 44, 1 };
	if (m->frag_off || m->mf || fgo_chance(r, 5)) /* the last: an atomic fragment */
		m->ext[m->n_ext++] = (struct fgo_ext){ 44, 0 };
	/* a second chain behind the Fragment header */
	if (m->n_ext && m->n_ext < 4 && fgo_chance(r, 30))
		m->ext[m->n_ext++] = (struct fgo_ext){ 60, (uint8_t)fgo_below(r, 2) };
}

static void solve_component(struct fgo_rng *r, const struct fgo_rule *rule,
			    const struct fgo_comp *c, struct fgo_model *m, uint32_t *length)
{
	uint32_t v;

	if (c->type == FGO_DST || c->type == FGO_SRC) {
		set_bits(c, c->type == FGO_DST ? m->dst : m->src);
		return;
	}
	v = solve(r, rule, c);
	switch (c->type) {
	case FGO_PROTO:
		m->proto = (uint8_t)v;
		break;
	case FGO_PORT:
		*(fgo_chance(r, 50) ? &m->sport : &m->dport) = (uint16_t)v;
		break;
	case FGO_DPORT:
		m->dport = (uint16_t)v;
		break;
	case FGO_SPORT:
		m->sport = (uint16_t)v;
		break;
	case FGO_ICMP_TYPE:
		m->icmp_type = (uint8_t)v;
		break;
	case FGO_ICMP_CODE:
		m->icmp_code = (uint8_t)v;
		break;
	case FGO_TCP_FLAGS:
		m->tcp_flags = (uint16_t)((m->tcp_flags & 0xf000) | v);
		break;
	case FGO_LENGTH:
		*length = v;
		break;
	case FGO_DSCP:
		m->tos = (uint8_t)(v << 2 | (m->tos & 3));
		break;
	case FGO_FRAGMENT:
		set_fragment(r, m, v);
		break;
	default:
		m->flow_label = v;
		break;
	}
}

/* Make the packet @length octets long by its header; the frame holds all of them only if they are few. */
static void set_length(struct fgo_rng *r, struct fgo_model *m, uint32_t length)
{
	size_t head = head_len(m);
	uint32_t l4 = length > head ? length - (uint32_t)head : 0;

	m->l4_len = (uint16_t)l4;
	if (head + l4 < length || head + l4 > length)
		m->ip_len_delta = (int32_t)length - (int32_t)(head + l4);
	if (l4 > FULL_FRAME || (l4 > PART_FRAME && fgo_chance(r, 70))) {
		m->ip_len_delta += (int32_t)l4 - PART_FRAME;
		m->l4_len = PART_FRAME;
	}
}

static void bend_shape(struct fgo_rng *r, struct fgo_model *m)
{
	switch (fgo_below(r, 8)) {
	case 0:
		m->cut = (uint16_t)fgo_below(r, 60);
		break;
	case 1:
		m->l4_len = (uint16_t)fgo_below(r, 24);
		break;
	case 2:
		m->ip_len_delta += (int32_t)fgo_below(r, 64) - 40;
		break;
	case 3:
		m->zero_payload_len = m->family == 6;
		break;
	case 4:
		m->version = (uint8_t)fgo_below(r, 16);
		break;
	case 5:
		m->ihl_delta = (int8_t)((int)fgo_below(r, 4) - 2);
		break;
	case 6:
		m->ethertype = (uint16_t)(fgo_chance(r, 50) ? 0x0806 : m->ethertype ^ 0x8edd);
		break;
	default: /* an extension header whose length runs past the end */
		if (m->n_ext)
			m->ext[m->n_ext - 1].len = (uint8_t)(1 + fgo_below(r, 40));
		m->l4_len = (uint16_t)fgo_below(r, 40);
		m->cut = (uint16_t)fgo_below(r, 40);
		break;
	}
}

static void bend_field(struct fgo_rng *r, struct fgo_model *m)
{
	uint16_t step = fgo_chance(r, 50) ? 1 : 0xffff;

	switch (fgo_below(r, 9)) {
	case 0:
		m->dst[m->family == 6 ? fgo_below(r, 16) : fgo_below(r, 4)] ^=
			(uint8_t)(1 << fgo_below(r, 8));
		break;
	case 1:
		m->src[m->family == 6 ? fgo_below(r, 16) : fgo_below(r, 4)] ^=
			(uint8_t)(1 << fgo_below(r, 8));
		break;
	case 2:
		m->dport = (uint16_t)(m->dport + step);
		break;
	case 3:
		m->sport = (uint16_t)(m->sport + step);
		break;
	case 4:
		m->proto = (uint8_t)(m->proto == 6 ? 17 : 6);
		break;
	case 5:
		m->tcp_flags ^= (uint16_t)(1 << fgo_below(r, 12));
		break;
	case 6:
		m->l4_len = (uint16_t)(m->l4_len ? m->l4_len + step : 1);
		break;
	case 7:
		m->tos ^= (uint8_t)(4 << fgo_below(r, 6));
		break;
	default:
		set_fragment(r, m, fgo_below(r, 16));
		break;
	}
}

static void add_tags(struct fgo_rng *r, struct fgo_model *m)
{
	m->n_tags = (uint8_t)(fgo_chance(r, 90) ? 1 + fgo_below(r, 2) : 3);
	for (unsigned int i = 0; i < m->n_tags; i++) {
		m->tag_type[i] = fgo_chance(r, 50) ? 0x8100 : 0x88a8;
		m->tci[i] = (uint16_t)fgo_below(r, 65536);
	}
}

size_t fgo_gen_frame(struct fgo_rng *r, const struct fgo_entry *list, size_t n, uint8_t family,
		     uint8_t *out, size_t cap)
{
	struct fgo_model m = random_model(r, family);
	const struct fgo_rule *rule = NULL;
	uint32_t length = 0;
	size_t len;

	if (n && fgo_chance(r, 85))
		rule = &list[fgo_below(r, (uint32_t)n)].rule;
	if (rule && rule->family == family) {
		choose_proto(r, rule, &m);
		for (unsigned int i = 0; i < rule->n_comps; i++)
			solve_component(r, rule, &rule->comps[i], &m, &length);
	}
	for (uint32_t i = fgo_chance(r, 40) ? 1 + fgo_below(r, 2) : 0; i; i--)
		bend_field(r, &m);
	add_headers(r, &m);
	if (length)
		set_length(r, &m, length);
	if (fgo_chance(r, 15))
		add_tags(r, &m);
	if (fgo_chance(r, 12))
		bend_shape(r, &m);
	if (fgo_chance(r, 15))
		m.padding = (uint16_t)fgo_below(r, 30);
	len = fgo_frame_build(&m, out, cap);
	return len < ETH_HEADER ? ETH_HEADER : len; /* nothing shorter exists on a wire */
}
