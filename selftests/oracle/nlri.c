// SPDX-License-Identifier: MIT
/* Oracle: decode and normalise one FlowSpec NLRI (RFC 8955 section 4, RFC 8956 section 3). */
#include "oracle.h"

#include <string.h>

#define OP_END 0x80
#define OP_AND 0x40
#define NUMERIC_KEPT 0xf7 /* bit 0x08 is ignored, RFC 8955 4.2.1.1 */
#define BITMASK_KEPT 0xf3 /* bits 0x0c are ignored, RFC 8955 4.2.1.2 */

/* Which value octets a type allows and which of its bits count; 0 width = not an operator list. */
struct type_rule {
	bool bitmask;
	uint8_t max_width;
};

static const struct type_rule type_rules[FGO_FLOW_LABEL + 1] = {
	[FGO_PROTO] = { false, 8 },      [FGO_PORT] = { false, 8 },
	[FGO_DPORT] = { false, 8 },      [FGO_SPORT] = { false, 8 },
	[FGO_ICMP_TYPE] = { false, 8 },  [FGO_ICMP_CODE] = { false, 8 },
	[FGO_TCP_FLAGS] = { true, 2 },   [FGO_LENGTH] = { false, 8 },
	[FGO_DSCP] = { false, 1 },       [FGO_FRAGMENT] = { true, 1 },
	[FGO_FLOW_LABEL] = { false, 8 },
};

/* Keeps the first @bits bits of a bit string, clears the rest of its last octet. */
static void clear_pad(uint8_t *p, unsigned int bits)
{
	if (bits % 8)
		p[bits / 8] &= (uint8_t)(0xff << (8 - bits % 8));
}

/* RFC 8955 4.2.2.1: length octet, then just enough octets; trailing bits are irrelevant. */
static bool prefix4(struct fgo_rule *r, struct fgo_comp *c)
{
	uint8_t *p = r->value + c->at;
	size_t left = r->len - c->at, octets;

	if (left < 1 || p[0] > 32)
		return false;
	octets = (p[0] + 7u) / 8;
	if (left < 1 + octets)
		return false;
	c->plen = p[0];
	clear_pad(p + 1, c->plen);
	memcpy(c->pattern, p + 1, octets);
	c->data_len = (uint16_t)(1 + octets);
	return true;
}

/* RFC 8956 3.1: length, offset, then the pattern that starts at bit offset. */
static bool prefix6(struct fgo_rule *r, struct fgo_comp *c)
{
	uint8_t *p = r->value + c->at;
	size_t left = r->len - c->at, octets;

	if (left < 2)
		return false;
	c->plen = p[0];
	c->poff = p[1];
	if (c->plen > 128)
		return false;
	if (!(c->plen == 0 && c->poff == 0) && c->poff >= c->plen)
		return false;
	octets = (c->plen - c->poff + 7u) / 8;
	if (left < 2 + octets)
		return false;
	clear_pad(p + 2, c->plen - c->poff);
	memcpy(c->pattern, p + 2, octets);
	c->data_len = (uint16_t)(2 + octets);
	return true;
}

/*
 * Value bits that MUST (fragment: RFC 8955 4.2.2.12, and DF in RFC 8956 3.6) or SHOULD (DSCP: 4.2.2.11)
 * be ignored are cleared too, so that two spellings of one rule are one rule.
 */
static void clear_value_bits(uint8_t family, uint8_t type, uint8_t *value)
{
	if (type == FGO_FRAGMENT)
		*value &= family == 6 ? 0x0e : 0x0f;
	else if (type == FGO_DSCP)
		*value &= 0x3f;
}

static bool operators(struct fgo_rule *r, struct fgo_comp *c)
{
	const struct type_rule *t = &type_rules[c->type];
	size_t at = c->at;
	bool first = true;

	for (;;) {
		uint8_t *op = r->value + at;
		size_t width;

		if (at >= r->len)
			return false;
		width = (size_t)1 << ((*op >> 4) & 3);
		if (width > t->max_width || r->len - at < 1 + width)
			return false;
		*op &= t->bitmask ? BITMASK_KEPT : NUMERIC_KEPT;
		if (first)
			*op &= (uint8_t)~OP_AND;
		first = false;
		clear_value_bits(r->family, c->type, op + 1);
		at += 1 + width;
		if (*op & OP_END)
			break;
	}
	c->data_len = (uint16_t)(at - c->at);
	return true;
}

static bool component(struct fgo_rule *r, struct fgo_comp *c)
{
	if (c->type == FGO_DST || c->type == FGO_SRC)
		return r->family == 6 ? prefix6(r, c) : prefix4(r, c);
	return operators(r, c);
}

enum fgo_status fgo_decode_value(uint8_t family, const uint8_t *buf, size_t len,
				 struct fgo_rule *ret_rule)
{
	struct fgo_rule r = { .family = family };
	unsigned int last_type = family == 6 ? FGO_FLOW_LABEL : FGO_FRAGMENT;
	unsigned int prev = 0;
	size_t at = 0;

	if (len == 0 || len > FGO_MAX_VALUE)
		return FGO_MALFORMED;
	memcpy(r.value, buf, len);
	r.len = (uint16_t)len;
	while (at < len) {
		struct fgo_comp *c = &r.comps[r.n_comps];

		c->type = r.value[at];
		c->at = (uint16_t)(at + 1);
		/* strictly ascending, hence each at most once: RFC 8955 4.2 */
		if (c->type <= prev || c->type > last_type || !component(&r, c))
			return FGO_MALFORMED;
		prev = c->type;
		at += 1u + c->data_len;
		r.n_comps++;
	}
	*ret_rule = r;
	return FGO_VALID;
}

enum fgo_status fgo_decode(uint8_t family, const uint8_t *buf, size_t len, size_t *ret_used,
			   struct fgo_rule *ret_rule)
{
	size_t head = 1, value;

	if (len < 1)
		return FGO_FRAMING;
	value = buf[0];
	if (buf[0] >= 0xf0) {
		if (len < 2)
			return FGO_FRAMING;
		head = 2;
		value = ((size_t)(buf[0] & 0x0f) << 8) | buf[1];
	}
	if (len - head < value)
		return FGO_FRAMING;
	*ret_used = head + value;
	return fgo_decode_value(family, buf + head, value, ret_rule);
}
