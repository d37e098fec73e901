// SPDX-License-Identifier: MIT
/* Decodes NLRI octets: tolerates what RFC 8955 says to tolerate, normalises, and names the octet that is wrong. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flowspec/component.h"

/* The octets not yet decoded. */
struct reader {
	const uint8_t *data;
	size_t len, pos;
	enum fg_family family;
	struct fg_flow_fault *fault;
};

__attribute__((format(printf, 4, 5))) static int bad(struct fg_flow_fault *fault, int code,
						     size_t octet, const char *format, ...)
{
	va_list ap;

	if (!fault)
		return code;
	fault->octet = octet;
	va_start(ap, format);
	(void)vsnprintf(fault->reason, sizeof(fault->reason), format, ap);
	va_end(ap);
	return code;
}

void fg_flow_init(struct fg_flow *flow, enum fg_family family)
{
	memset(flow, 0, offsetof(struct fg_flow, op));
	flow->family = family;
}

static int decode_inet_prefix(struct reader *r, const char *keyword, struct fg_flow_prefix *prefix)
{
	unsigned length, octets;

	if (r->pos >= r->len)
		return bad(r->fault, -EBADMSG, r->pos, "%s has no prefix length", keyword);
	length = r->data[r->pos];
	if (length > 32)
		return bad(r->fault, -EBADMSG, r->pos, "%s has prefix length %u, above 32", keyword,
			   length);
	r->pos++;
	octets = (length + 7) / 8;
	if (r->len - r->pos < octets)
		return bad(r->fault, -EBADMSG, r->pos, "%s is cut off", keyword);
	memcpy(prefix->addr, r->data + r->pos, octets);
	r->pos += octets;
	prefix->length = (uint8_t)length;
	fg_prefix_clip(prefix->addr, 0, length);
	return 0;
}

/* RFC 8956 section 3.1: the pattern starts at bit @offset of the address, whatever its alignment. */
static void place_pattern(uint8_t addr[16], unsigned offset, const uint8_t *pattern,
			  unsigned octets)
{
	unsigned shift = offset % 8;

	for (unsigned i = 0; i < octets; i++) {
		unsigned at = offset / 8 + i;

		addr[at] |= (uint8_t)(pattern[i] >> shift);
		if (shift && at + 1 < 16)
			addr[at + 1] |= (uint8_t)(pattern[i] << (8 - shift));
	}
}

static int decode_inet6_prefix(struct reader *r, const char *keyword, struct fg_flow_prefix *prefix)
{
	unsigned length, offset, octets;

	if (r->len - r->pos < 2)
		return bad(r->fault, -EBADMSG, r->pos, "%s has no prefix length and offset",
			   keyword);
	length = r->data[r->pos];
	offset = r->data[r->pos + 1];
	if (length > 128)
		return bad(r->fault, -EBADMSG, r->pos, "%s has prefix length %u, above 128",
			   keyword, length);
	if (offset >= length && (length || offset))
		return bad(r->fault, -EBADMSG, r->pos + 1, "%s has offset %u, not below length %u",
			   keyword, offset, length);
	r->pos += 2;
	octets = (length - offset + 7) / 8;
	if (r->len - r->pos < octets)
		return bad(r->fault, -EBADMSG, r->pos, "%s is cut off", keyword);
	place_pattern(prefix->addr, offset, r->data + r->pos, octets);
	r->pos += octets;
	prefix->length = (uint8_t)length;
	prefix->offset = (uint8_t)offset;
	fg_prefix_clip(prefix->addr, offset, length);
	return 0;
}

static uint64_t read_value(const uint8_t *p, unsigned width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | *p++;
	return value;
}

/* One operator and its value; the END bit is left in @ret->bits. */
static int decode_op(struct reader *r, const struct fg_component *c, struct fg_flow_op *ret)
{
	unsigned compare =
		c->kind == FG_KIND_BITS ? FG_OP_NOT | FG_OP_MATCH : FG_OP_LT | FG_OP_GT | FG_OP_EQ;
	unsigned op, width;

	if (r->pos >= r->len)
		return bad(r->fault, -EBADMSG, r->pos, "%s list has no end", c->keyword);
	op = r->data[r->pos];
	width = 1U << ((op & FG_OP_LEN) >> 4);
	if (!(c->widths & width))
		return bad(r->fault, -EBADMSG, r->pos, "%s value has %u octets", c->keyword, width);
	r->pos++;
	if (r->len - r->pos < width)
		return bad(r->fault, -EBADMSG, r->pos, "%s value is cut off", c->keyword);
	ret->bits = (uint8_t)(op & (FG_OP_END | FG_OP_AND | compare));
	ret->width = (uint8_t)width;
	ret->value = read_value(r->data + r->pos, width) & c->keep[r->family];
	r->pos += width;
	return 0;
}

static int decode_list(struct reader *r, const struct fg_component *c, unsigned type,
		       struct fg_flow *flow)
{
	uint16_t first = flow->n_ops;
	bool end;

	do {
		struct fg_flow_op *op = &flow->op[flow->n_ops];
		int ret = decode_op(r, c, op);

		if (ret)
			return ret;
		end = op->bits & FG_OP_END;
		op->bits &= (uint8_t)~FG_OP_END;
		/* RFC 8955 4.2.1.1: in the first operator the AND bit MUST be treated as unset. */
		if (flow->n_ops == first)
			op->bits &= (uint8_t)~FG_OP_AND;
		flow->n_ops++;
	} while (!end);
	flow->first[type] = first;
	flow->count[type] = (uint16_t)(flow->n_ops - first);
	return 0;
}

static int decode_component(struct reader *r, unsigned type, struct fg_flow *flow)
{
	const struct fg_component *c = fg_component(r->family, type);
	struct fg_flow_prefix *prefix = type == FG_FLOW_DST ? &flow->dst : &flow->src;

	/* The length of an unknown component cannot be known: the rule must not be enforced without it. */
	if (!c)
		return bad(r->fault, -EBADMSG, r->pos, "unknown component type %u", type);
	r->pos++;
	if (c->kind != FG_KIND_PREFIX)
		return decode_list(r, c, type, flow);
	if (r->family == FG_INET)
		return decode_inet_prefix(r, c->keyword, prefix);
	return decode_inet6_prefix(r, c->keyword, prefix);
}

int fg_flow_decode(enum fg_family family, const uint8_t *value, size_t len,
		   struct fg_flow *ret_flow, struct fg_flow_fault *fault)
{
	struct reader r = { .data = value, .len = len, .family = family, .fault = fault };
	unsigned last = 0;

	fg_flow_init(ret_flow, family);
	if (!len)
		return bad(fault, -EBADMSG, 0, "no component");
	if (len > FG_NLRI_MAX)
		return bad(fault, -EBADMSG, 0, "longer than %d octets", FG_NLRI_MAX);
	while (r.pos < len) {
		unsigned type = value[r.pos];
		int ret;

		if (type && type == last)
			return bad(fault, -EBADMSG, r.pos, "component type %u twice", type);
		if (type && type < last)
			return bad(fault, -EBADMSG, r.pos, "component type %u after type %u", type,
				   last);
		ret = decode_component(&r, type, ret_flow);
		if (ret)
			return ret;
		ret_flow->present |= (uint16_t)(1U << type);
		last = type;
	}
	return 0;
}

int fg_flow_decode_field(enum fg_family family, const uint8_t *field, size_t len,
			 struct fg_flow *ret_flow, size_t *ret_used, struct fg_flow_fault *fault)
{
	size_t head = 1, value_len;
	int ret;

	if (!len)
		return bad(fault, -EPROTO, 0, "no length octet");
	value_len = field[0];
	if (value_len >= 0xf0) {
		if (len < 2)
			return bad(fault, -EPROTO, 1, "second length octet is missing");
		value_len = (value_len & 0x0f) << 8 | field[1];
		head = 2;
	}
	if (len - head < value_len)
		return bad(fault, -EPROTO, 0, "length is %zu, but %zu octets are left", value_len,
			   len - head);
	*ret_used = head + value_len;
	ret = fg_flow_decode(family, field + head, value_len, ret_flow, fault);
	if (ret && fault)
		fault->octet += value_len ? head : 0;
	return ret;
}
