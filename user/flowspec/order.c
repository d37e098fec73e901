// SPDX-License-Identifier: MIT
/* Order of precedence of rules, on normalised octets: RFC 8955 section 5.1, RFC 8956 section 4. */
#include <string.h>

#include "flowspec/component.h"

/* One component of a value: its octets after the type. */
struct part {
	unsigned type;
	const uint8_t *data;
	size_t len;
};

static size_t list_length(const uint8_t *data, size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		uint8_t op = data[pos];

		pos += 1 + (1U << ((op & FG_OP_LEN) >> 4));
		if (op & FG_OP_END)
			break;
	}
	return pos < len ? pos : len;
}

static size_t prefix_length(enum fg_family family, const uint8_t *data, size_t len)
{
	size_t head = family == FG_INET6 ? 2 : 1;
	size_t bits;

	if (len < head)
		return len;
	bits = data[0] - (size_t)(family == FG_INET6 && data[1] <= data[0] ? data[1] : 0);
	return head + (bits + 7) / 8 < len ? head + (bits + 7) / 8 : len;
}

/* Splits the next component off @data; false at the end. Octets that are no NLRI stay within @len. */
static bool next_part(enum fg_family family, const uint8_t **data, size_t *len, struct part *ret)
{
	if (!*len)
		return false;
	ret->type = (*data)[0];
	ret->data = *data + 1;
	if (ret->type == FG_FLOW_DST || ret->type == FG_FLOW_SRC)
		ret->len = prefix_length(family, ret->data, *len - 1);
	else
		ret->len = list_length(ret->data, *len - 1);
	*data += 1 + ret->len;
	*len -= 1 + ret->len;
	return true;
}

static int compare_octets(const struct part *a, const struct part *b)
{
	int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

	if (order)
		return order;
	return a->len > b->len ? -1 : a->len < b->len; /* equal common part: the longer one wins */
}

/* Compares the first @bits bits. */
static int compare_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	int order = memcmp(a, b, whole);

	if (order || !rest)
		return order;
	return (a[whole] >> (8 - rest)) - (b[whole] >> (8 - rest));
}

/* Overlapping prefixes: the longer one wins; disjoint ones: the lower address. IPv6: a lower offset first. */
static int compare_prefixes(enum fg_family family, const struct part *a, const struct part *b)
{
	size_t head = family == FG_INET6 ? 2 : 1;
	unsigned offset = 0, shorter, common;
	int order;

	if (a->len < head || b->len < head)
		return compare_octets(a, b);
	if (family == FG_INET6) {
		if (a->data[1] != b->data[1])
			return a->data[1] - b->data[1];
		offset = a->data[1];
	}
	shorter = a->data[0] < b->data[0] ? a->data[0] : b->data[0];
	common = shorter > offset ? shorter - offset : 0;
	if (head + (common + 7) / 8 > a->len || head + (common + 7) / 8 > b->len)
		return compare_octets(a, b);
	order = compare_bits(a->data + head, b->data + head, common);
	return order ? order : b->data[0] - a->data[0];
}

int fg_flow_compare(enum fg_family family, const uint8_t *a, size_t a_len, const uint8_t *b,
		    size_t b_len)
{
	struct part pa, pb;

	for (;;) {
		bool more_a = next_part(family, &a, &a_len, &pa),
		     more_b = next_part(family, &b, &b_len, &pb);
		int order;

		if (!more_a || !more_b)
			return more_b - more_a;
		if (pa.type != pb.type)
			return pa.type < pb.type ? -1 : 1;
		if (pa.type == FG_FLOW_DST || pa.type == FG_FLOW_SRC)
			order = compare_prefixes(family, &pa, &pb);
		else
			order = compare_octets(&pa, &pb);
		if (order)
			return order;
	}
}
