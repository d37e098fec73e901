// SPDX-License-Identifier: MIT
/* Encodes decoded rules to the one normalised NLRI value that keys and orders them. */
#include <errno.h>
#include <string.h>

#include "flowspec/component.h"
#include "util/hash.h"

struct writer {
	uint8_t *out;
	size_t size, len;
};

/* Counts on past the end, so that one check at the end finds every overflow. */
static void put(struct writer *w, uint8_t octet)
{
	if (w->len < w->size)
		w->out[w->len] = octet;
	w->len++;
}

static void put_prefix(struct writer *w, enum fg_family family, const struct fg_flow_prefix *prefix)
{
	unsigned shift = prefix->offset % 8, at = prefix->offset / 8;
	unsigned octets = (prefix->length - prefix->offset + 7U) / 8;

	put(w, prefix->length);
	if (family == FG_INET6)
		put(w, prefix->offset);
	for (unsigned i = 0; i < octets; i++, at++) {
		unsigned low = shift && at + 1 < sizeof(prefix->addr) ? prefix->addr[at + 1] : 0;

		put(w, (uint8_t)((prefix->addr[at] << 8 | low) >> (8 - shift)));
	}
}

static void put_op(struct writer *w, const struct fg_flow_op *op, bool first, bool last)
{
	unsigned bits = first ? op->bits & ~(unsigned)FG_OP_AND : op->bits;
	unsigned log2 = op->width == 8 ? 3 : op->width / 2;

	put(w, (uint8_t)(bits | log2 << 4 | (last ? FG_OP_END : 0)));
	for (unsigned i = op->width; i--;)
		put(w, (uint8_t)(op->value >> (8 * i)));
}

static void put_component(struct writer *w, const struct fg_flow *flow, unsigned type)
{
	unsigned count = flow->count[type];

	put(w, (uint8_t)type);
	if (type == FG_FLOW_DST || type == FG_FLOW_SRC) {
		put_prefix(w, flow->family, type == FG_FLOW_DST ? &flow->dst : &flow->src);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		put_op(w, &flow->op[flow->first[type] + i], i == 0, i + 1 == count);
}

int fg_flow_encode(const struct fg_flow *flow, uint8_t *out, size_t size)
{
	struct writer w = { .out = out, .size = size };

	for (unsigned type = FG_FLOW_DST; type < FG_FLOW_TYPES; type++) {
		if (flow->present & (1U << type))
			put_component(&w, flow, type);
	}
	return w.len <= size && w.len <= FG_NLRI_MAX ? (int)w.len : -EMSGSIZE;
}

size_t fg_flow_encode_length(size_t len, uint8_t out[2])
{
	if (len < 0xf0) {
		out[0] = (uint8_t)len;
		return 1;
	}
	out[0] = (uint8_t)(0xf0 | len >> 8);
	out[1] = (uint8_t)len;
	return 2;
}

uint64_t fg_flow_id(enum fg_family family, const uint8_t *value, size_t len)
{
	uint8_t octet = (uint8_t)family;
	uint64_t id = fg_hash64(value, len, fg_hash64(&octet, 1, 0));

	return id ? id : 1;
}
