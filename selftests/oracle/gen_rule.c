// SPDX-License-Identifier: MIT
/* Seeded random FlowSpec rules: realistic ones, everything the RFC allows, and worst cases. */
#include "gen.h"

#include "gen_internal.h"

#include <string.h>

#define OP_END 0x80
#define OP_AND 0x40
#define OP_LT 4
#define OP_GT 2
#define OP_EQ 1

struct value {
	uint8_t p[FGO_MAX_VALUE + 64];
	size_t n;
};

uint64_t fgo_rand(struct fgo_rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t fgo_below(struct fgo_rng *r, uint32_t n)
{
	return (uint32_t)((fgo_rand(r) >> 32) * n >> 32);
}

bool fgo_chance(struct fgo_rng *r, unsigned int percent)
{
	return fgo_below(r, 100) < percent;
}

void fgo_pool_addr(struct fgo_rng *r, uint8_t family, bool dst, uint8_t *out)
{
	static const uint8_t v4[2][4] = { { 203, 0, 113, 0 }, { 198, 51, 100, 0 } };
	static const uint8_t v6[8] = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0 };

	memset(out, 0, 16);
	if (family == 4) {
		memcpy(out, v4[dst], 4);
		if (!dst)
			out[1] = (uint8_t)fgo_below(r, 4);
		out[3] = (uint8_t)fgo_below(r, 24);
		return;
	}
	memcpy(out, v6, sizeof(v6));
	out[5] = (uint8_t)(dst ? 1 : fgo_below(r, 4));
	out[11] = (uint8_t)(fgo_below(r, 3) * 0x41);
	out[15] = (uint8_t)fgo_below(r, 24);
}

static void put8(struct value *v, uint32_t octet)
{
	v->p[v->n++] = (uint8_t)octet;
}

static void put_op(struct value *v, uint32_t op, unsigned int width_code, uint64_t value)
{
	put8(v, op | width_code << 4);
	for (int i = (1 << width_code) - 1; i >= 0; i--)
		put8(v, (uint8_t)(value >> (8 * i)));
}

static unsigned int least_width(uint64_t value)
{
	return value < 0x100 ? 0 : value < 0x10000 ? 1 : value < 0x100000000u ? 2 : 3;
}

static void put_num(struct value *v, uint32_t op, uint64_t value)
{
	put_op(v, op, least_width(value), value);
}

static void put_eq(struct value *v, uint32_t type, uint64_t value)
{
	put8(v, type);
	put_num(v, OP_END | OP_EQ, value);
}

static void put_range(struct value *v, uint64_t lo, uint64_t hi, bool last)
{
	put_num(v, OP_GT | OP_EQ, lo);
	put_num(v, (last ? OP_END : 0) | OP_AND | OP_LT | OP_EQ, hi);
}

/* Copies bits [off, plen) of @addr; the pad bits of the last octet are zero. */
static void put_prefix(struct value *v, uint8_t family, uint32_t type, const uint8_t *addr,
		       unsigned int plen, unsigned int off)
{
	put8(v, type);
	put8(v, plen);
	if (family == 6)
		put8(v, off);
	for (unsigned int i = off; i < plen; i += 8) {
		uint32_t octet = 0;

		for (unsigned int j = i; j < i + 8; j++)
			octet = octet << 1 | (j < plen ? (addr[j / 8] >> (7 - j % 8)) & 1u : 0);
		put8(v, octet);
	}
}

static void put_host(struct fgo_rng *r, struct value *v, uint8_t family)
{
	uint8_t a[16];

	fgo_pool_addr(r, family, true, a);
	put_prefix(v, family, FGO_DST, a, family == 6 ? 128 : 32, 0);
}

static uint32_t some_port(struct fgo_rng *r)
{
	static const uint16_t known[] = { 19, 53, 80, 123, 137, 161, 389, 443, 1900, 8080, 11211 };

	if (fgo_chance(r, 60))
		return known[fgo_below(r, sizeof(known) / sizeof(*known))];
	return fgo_chance(r, 10) ? fgo_below(r, 2) * 65535 : fgo_below(r, 65536);
}

static void simple(struct fgo_rng *r, struct value *v, uint8_t family)
{
	put_host(r, v, family);
	put_eq(v, FGO_PROTO, fgo_chance(r, 50) ? 6 : 17);
	put_eq(v, FGO_DPORT, some_port(r));
}

static void complex_rule(struct fgo_rng *r, struct value *v, uint8_t family)
{
	uint32_t lo = 40 + fgo_below(r, 700);
	uint8_t a[16];

	put_host(r, v, family);
	fgo_pool_addr(r, family, false, a);
	put_prefix(v, family, FGO_SRC, a, family == 6 ? 48 : 16, 0);
	put_eq(v, FGO_PROTO, fgo_chance(r, 50) ? 6 : 17);
	put_eq(v, FGO_DPORT, some_port(r));
	put8(v, FGO_LENGTH);
	put_range(v, lo, lo + fgo_below(r, 700), true);
}

/* Amplification source ports with the lengths that the answers have (facts/flowspec.md section 3). */
static void amplification(struct fgo_rng *r, struct value *v)
{
	static const struct {
		uint16_t port, lo, hi;
	} amp[] = {
		{ 19, 0, 0 },         { 123, 77, 550 }, { 53, 768, 65535 }, { 389, 200, 1500 },
		{ 1900, 0, 0 },       { 11211, 0, 0 },  { 111, 0, 0 },      { 1434, 0, 0 },
		{ 1701, 500, 65535 }, { 161, 0, 0 },
	};
	size_t i = fgo_below(r, sizeof(amp) / sizeof(*amp));

	put_eq(v, FGO_PROTO, 17);
	put_eq(v, FGO_SPORT, amp[i].port);
	if (amp[i].hi) {
		put8(v, FGO_LENGTH);
		put_range(v, amp[i].lo, amp[i].hi, true);
	}
}

static void syn_flood(struct fgo_rng *r, struct value *v)
{
	put_eq(v, FGO_PROTO, 6);
	if (fgo_chance(r, 60))
		put_eq(v, FGO_DPORT, some_port(r));
	put8(v, FGO_TCP_FLAGS);
	if (fgo_chance(r, 50)) {
		put_op(v, OP_END | 1, 0, fgo_chance(r, 50) ? 0x02 : 0x12);
	} else {
		put_op(v, 1, 0, 0x02);
		put_op(v, OP_END | OP_AND | 2, 0, 0x10);
	}
}

static void ddos(struct fgo_rng *r, struct value *v, uint8_t family)
{
	uint8_t a[16];

	fgo_pool_addr(r, family, true, a);
	if (fgo_chance(r, 75))
		put_host(r, v, family);
	else
		put_prefix(v, family, FGO_DST, a, family == 6 ? 64 : 24, 0);
	switch (fgo_below(r, 4)) {
	case 0:
		amplification(r, v);
		break;
	case 1:
		syn_flood(r, v);
		break;
	case 2:
		if (fgo_chance(r, 50))
			put_eq(v, FGO_PROTO, 17);
		put8(v, FGO_FRAGMENT);
		put_op(v, OP_END, 0, 2);
		break;
	default: /* the whole host */
		break;
	}
}

/* Upper bound of what a component compares, and where interesting values lie. */
static uint64_t wild_value(struct fgo_rng *r, uint32_t type)
{
	if (fgo_chance(r, 3))
		return fgo_rand(r) >> fgo_below(r, 60);
	switch (type) {
	case FGO_PROTO: {
		static const uint8_t known[] = { 1, 6, 17, 58, 47, 50, 44, 132, 0, 59 };

		return fgo_chance(r, 85) ? known[fgo_below(r, sizeof(known))] : fgo_below(r, 256);
	}
	case FGO_PORT:
	case FGO_DPORT:
	case FGO_SPORT:
		return some_port(r);
	case FGO_ICMP_TYPE:
		return fgo_chance(r, 70) ? fgo_below(r, 14) : 128 + fgo_below(r, 10);
	case FGO_ICMP_CODE:
		return fgo_below(r, 6);
	case FGO_LENGTH:
		return 20 + fgo_below(r, 1500);
	case FGO_FLOW_LABEL:
		return fgo_chance(r, 50) ? fgo_below(r, 1u << 20) : 0x12345;
	default:
		return fgo_below(r, 64);
	}
}

static unsigned int wild_width(struct fgo_rng *r, uint32_t type, uint64_t value)
{
	unsigned int least = least_width(value);

	if (type == FGO_DSCP)
		return 0;
	return fgo_chance(r, 80) ? least : least + fgo_below(r, 4 - least);
}

static void wild_numeric(struct fgo_rng *r, struct value *v, uint32_t type)
{
	unsigned int terms = fgo_chance(r, 15) ? 1 + fgo_below(r, 12) : 1 + fgo_below(r, 3);

	put8(v, type);
	for (unsigned int i = 0; i < terms; i++) {
		uint64_t value = wild_value(r, type);
		uint32_t op = fgo_chance(r, 45) ? OP_EQ : fgo_below(r, 8);
		bool last = i + 1 == terms;

		if (type == FGO_DSCP)
			value &= 0x3f;
		if (fgo_chance(r, 30)) { /* a proper range, as controllers send it */
			uint64_t hi = value + fgo_below(r, type == FGO_LENGTH ? 400 : 16);

			if (type == FGO_DSCP)
				hi &= 0x3f;
			put_range(v, value, hi, last);
			continue;
		}
		put_op(v, op | (last ? OP_END : 0) | (i && fgo_chance(r, 35) ? OP_AND : 0),
		       wild_width(r, type, value), value);
	}
}

static void wild_bitmask(struct fgo_rng *r, struct value *v, uint32_t type)
{
	unsigned int terms = 1 + fgo_below(r, 3);

	put8(v, type);
	for (unsigned int i = 0; i < terms; i++) {
		bool wide = type == FGO_TCP_FLAGS && fgo_chance(r, 30);
		uint32_t value = fgo_chance(r, 70)
					 ? 1u << fgo_below(r, type == FGO_FRAGMENT ? 4 : 6)
					 : fgo_below(r, type == FGO_FRAGMENT ? 16 : 64);

		if (wide && fgo_chance(r, 40))
			value |= 1u << (8 + fgo_below(r, 5)); /* bit 12: data offset, never set */
		put_op(v,
		       fgo_below(r, 4) | (i + 1 == terms ? OP_END : 0) |
			       (i && fgo_chance(r, 35) ? OP_AND : 0),
		       wide, value);
	}
}

/* Any length, but seldom one that covers the whole address pool: such a rule hides all after it. */
static unsigned int long_prefix(struct fgo_rng *r, unsigned int bits)
{
	return fgo_chance(r, 5) ? fgo_below(r, bits + 1) : bits - fgo_below(r, 5);
}

static void wild_prefix(struct fgo_rng *r, struct value *v, uint8_t family, uint32_t type)
{
	unsigned int bits = family == 6 ? 128 : 32, off = 0;
	unsigned int plen = fgo_chance(r, 40) ? bits : long_prefix(r, bits);
	uint8_t a[16];

	fgo_pool_addr(r, family, type == FGO_DST, a);
	if (family == 6 && plen > 0 && fgo_chance(r, 30))
		off = fgo_chance(r, 90) ? plen * fgo_below(r, 100) / 110 : plen - 1;
	put_prefix(v, family, type, a, plen, off);
}

static void wild(struct fgo_rng *r, struct value *v, uint8_t family)
{
	static const uint8_t odds[FGO_FLOW_LABEL + 1] = { 0, 70, 30, 45, 10, 25, 15,
							  6, 6,  10, 15, 10, 15, 12 };
	uint32_t last = family == 6 ? FGO_FLOW_LABEL : FGO_FRAGMENT;

	for (uint32_t type = FGO_DST; type <= last; type++) {
		if (!fgo_chance(r, odds[type]) && !(type == last && v->n == 0))
			continue;
		if (type <= FGO_SRC)
			wild_prefix(r, v, family, type);
		else if (type == FGO_TCP_FLAGS || type == FGO_FRAGMENT)
			wild_bitmask(r, v, type);
		else
			wild_numeric(r, v, type);
	}
}

static void many_ranges(struct fgo_rng *r, struct value *v, uint32_t type)
{
	uint32_t base = fgo_below(r, 300);

	put8(v, type);
	for (uint32_t i = 0; i < 64; i++)
		put_range(v, base + i * 1000, base + i * 1000 + fgo_below(r, 500), i == 63);
}

static void adversarial(struct fgo_rng *r, struct value *v, uint8_t family)
{
	static const uint8_t zero[16];
	uint8_t a[16];
	uint32_t lo = fgo_below(r, 65000);

	fgo_pool_addr(r, family, true, a);
	switch (fgo_below(r, 4)) {
	case 0: /* many on one host */
		a[family == 6 ? 15 : 3] = 7;
		put_prefix(v, family, FGO_DST, a, family == 6 ? 128 : 32, 0);
		put8(v, FGO_DPORT);
		put_range(v, lo, lo + fgo_below(r, 500), true);
		break;
	case 1: /* nested prefixes */
		put_prefix(v, family, FGO_DST, a, long_prefix(r, family == 6 ? 128 : 32), 0);
		break;
	case 2: /* no address at all */
		if (fgo_chance(r, 50))
			put_prefix(v, family, FGO_DST, zero, 0, 0);
		lo = fgo_below(r, 130) * 500;
		put8(v, fgo_chance(r, 50) ? FGO_PORT : FGO_SPORT);
		put_range(v, lo, lo + fgo_below(r, 300), true);
		break;
	default:
		put_prefix(v, family, FGO_DST, a, family == 6 ? 64 : 24, 0);
		many_ranges(r, v, FGO_DPORT);
		if (fgo_chance(r, 50))
			many_ranges(r, v, FGO_LENGTH);
		break;
	}
}

static size_t with_length(const struct value *v, bool long_form, uint8_t *out)
{
	size_t head = v->n < 240 && !long_form ? 1 : 2;

	out[0] = (uint8_t)(head == 1 ? v->n : 0xf0 | v->n >> 8);
	out[1] = (uint8_t)v->n;
	memcpy(out + head, v->p, v->n);
	return head + v->n;
}

size_t fgo_gen_nlri(struct fgo_rng *r, enum fgo_kind kind, uint8_t family, uint8_t *out)
{
	static void (*const make[FGO_MIXED])(struct fgo_rng *, struct value *, uint8_t) = {
		[FGO_SIMPLE] = simple, [FGO_COMPLEX] = complex_rule,    [FGO_DDOS] = ddos,
		[FGO_WILD] = wild,     [FGO_ADVERSARIAL] = adversarial,
	};
	struct value v = { .n = 0 };

	if (kind == FGO_MIXED)
		kind = (enum fgo_kind)fgo_below(r, FGO_MIXED);
	make[kind](r, &v, family);
	return with_length(&v, false, out);
}

/* Sets bits of one component that a receiver has to ignore. */
static void respell(struct fgo_rng *r, struct fgo_rule *rule, const struct fgo_comp *c)
{
	uint8_t *p = rule->value + c->at, *end = p + c->data_len;
	bool mask = c->type == FGO_TCP_FLAGS || c->type == FGO_FRAGMENT;

	if (c->type == FGO_DST || c->type == FGO_SRC) {
		unsigned int bits = c->plen - c->poff;

		if (bits % 8)
			end[-1] |= (uint8_t)(fgo_below(r, 256) & (0xffu >> (bits % 8)));
		return;
	}
	if (fgo_chance(r, 50))
		*p |= OP_AND;
	for (; p < end; p += 1 + (1 << ((*p >> 4) & 3))) {
		if (fgo_chance(r, 50))
			*p |= mask ? fgo_below(r, 4) << 2 : 0x08;
		if (c->type == FGO_FRAGMENT)
			p[1] |= (uint8_t)(fgo_below(r, 16) << 4 |
					  (rule->family == 6 ? fgo_below(r, 2) : 0));
		if (c->type == FGO_DSCP)
			p[1] |= (uint8_t)(fgo_below(r, 4) << 6);
	}
}

size_t fgo_reencode(struct fgo_rng *r, uint8_t family, const uint8_t *nlri, size_t len,
		    uint8_t *out)
{
	struct value v = { .n = 0 };
	struct fgo_rule rule;
	size_t used;

	if (fgo_decode(family, nlri, len, &used, &rule) != FGO_VALID)
		return 0;
	for (unsigned int i = 0; i < rule.n_comps; i++)
		respell(r, &rule, &rule.comps[i]);
	v.n = rule.len;
	memcpy(v.p, rule.value, rule.len);
	return with_length(&v, fgo_chance(r, 50), out);
}
