// SPDX-License-Identifier: MIT
/* Turns operator lists into sets of values, so that the datapath needs no operator interpreter. */
#include "compile/sets.h"

#include <stdlib.h>

#include "fltgate/packet.h"

#define FG_TCP_FLAGS_VALUES 4096
#define FG_FRAGMENT_VALUES 16

/* Adds [low, high] at the end; joins it to its predecessor when they touch. */
static void set_append(struct fg_set *set, uint32_t low, uint32_t high)
{
	struct fg_range *last = set->n ? &set->range[set->n - 1] : NULL;

	if (last && low <= last->high + 1) {
		if (high > last->high)
			last->high = high;
		return;
	}
	if (set->n < FG_SET_RANGES_MAX)
		set->range[set->n++] = (struct fg_range){ low, high };
}

/* The at most two ranges of [low, high] that one numeric operator leaves; returns their number. */
static size_t op_ranges(const struct fg_flow_op *op, uint32_t low, uint32_t high,
			struct fg_range ret[2])
{
	uint64_t v = op->value;
	size_t n = 0;
	bool below = op->bits & FG_OP_LT, equal = op->bits & FG_OP_EQ, above = op->bits & FG_OP_GT;
	/* Below v (and v itself), then above v (and v itself): at most two pieces, joined by v. */
	uint64_t first_high = below ? (equal ? v : v - 1) : v;
	uint64_t second_low = above ? (equal ? v : v + 1) : v;

	if (below && equal && above) {
		ret[n++] = (struct fg_range){ low, high };
		return n;
	}
	if (below && (v > 0 || equal) && first_high >= low)
		ret[n++] =
			(struct fg_range){ low, first_high < high ? (uint32_t)first_high : high };
	if (above && second_low <= high && (equal || v < UINT64_MAX))
		ret[n++] = (struct fg_range){ second_low > low ? (uint32_t)second_low : low, high };
	if (equal && !below && !above && v >= low && v <= high)
		ret[n++] = (struct fg_range){ (uint32_t)v, (uint32_t)v };
	return n;
}

static void set_intersect(const struct fg_set *set, const struct fg_range *other, size_t n,
			  struct fg_set *ret)
{
	ret->n = 0;
	for (size_t i = 0, j = 0; i < set->n && j < n;) {
		const struct fg_range *a = &set->range[i], *b = &other[j];
		uint32_t low = a->low > b->low ? a->low : b->low;
		uint32_t high = a->high < b->high ? a->high : b->high;

		if (low <= high)
			set_append(ret, low, high);
		if (a->high < b->high)
			i++;
		else
			j++;
	}
}

static int range_compare(const void *a, const void *b)
{
	const struct fg_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Sorts and joins what the groups added in any order. */
static void set_normalise(struct fg_set *set)
{
	size_t n = set->n;

	qsort(set->range, n, sizeof(set->range[0]), range_compare);
	set->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct fg_range range = set->range[i];

		set_append(set, range.low, range.high);
	}
}

void fg_set_numeric(const struct fg_flow_op *ops, size_t n, uint32_t low, uint32_t high,
		    struct fg_set *ret)
{
	struct fg_set group, next;
	struct fg_range pieces[2];
	size_t i = 0;

	ret->n = 0;
	while (i < n) {
		group.n = 1;
		group.range[0] = (struct fg_range){ low, high };
		do { /* the first operator's AND bit was cleared by the decoder */
			set_intersect(&group, pieces, op_ranges(&ops[i], low, high, pieces), &next);
			group.n = next.n;
			for (size_t j = 0; j < next.n; j++)
				group.range[j] = next.range[j];
		} while (++i < n && ops[i].bits & FG_OP_AND);
		for (size_t j = 0; j < group.n && ret->n < FG_SET_RANGES_MAX; j++)
			ret->range[ret->n++] = group.range[j];
	}
	set_normalise(ret);
}

/* RFC 8955 section 4.2.1.2: match: all bits of the value; else any of them; then NOT. */
static bool bitmask_holds(const struct fg_flow_op *op, uint64_t data, uint64_t value)
{
	bool holds = op->bits & FG_OP_MATCH ? (data & value) == value : (data & value) != 0;

	return op->bits & FG_OP_NOT ? !holds : holds;
}

/* @narrow, @wide: the data and value bits that a one-octet and a wider operator see. */
static bool bitmask_list(const struct fg_flow_op *ops, size_t n, uint32_t data, uint64_t narrow,
			 uint64_t ignore)
{
	bool group = false;

	for (size_t i = 0; i < n; i++) {
		uint64_t seen = ops[i].width == 1 ? data & narrow : data;
		bool holds = bitmask_holds(&ops[i], seen, ops[i].value & ~ignore);

		if (i && ops[i].bits & FG_OP_AND) {
			group = group && holds;
			continue;
		}
		if (group)
			return true;
		group = holds;
	}
	return group;
}

void fg_set_tcp_flags(const struct fg_flow_op *ops, size_t n, struct fg_set *ret)
{
	ret->n = 0;
	for (uint32_t value = 0; value < FG_TCP_FLAGS_VALUES; value++)
		if (bitmask_list(ops, n, value, 0xff, 0))
			set_append(ret, value, value);
}

/* Whether a packet can carry these bits. IPv4: FF and LF exclude each other and depend on the offset (IsF). IPv6: no DF,
 * but a chain may hold several Fragment headers whose bits add up. */
static bool fragment_possible(enum fg_family family, uint32_t bits)
{
	bool later = bits & FG_FRAG_ISF;

	if (family == FG_INET6)
		return !(bits & FG_FRAG_DF);
	return later ? !(bits & FG_FRAG_FF) : !(bits & FG_FRAG_LF);
}

void fg_set_fragment(enum fg_family family, const struct fg_flow_op *ops, size_t n,
		     struct fg_set *ret)
{
	/* Bits that must be ignored: RFC 8955 4.2.2.12; RFC 8956 3.6 adds DF. */
	uint64_t ignore = family == FG_INET6 ? 0xf1 : 0xf0;

	ret->n = 0;
	for (uint32_t value = 0; value < FG_FRAGMENT_VALUES; value++)
		if (fragment_possible(family, value) && bitmask_list(ops, n, value, 0x0f, ignore))
			set_append(ret, value, value);
}

bool fg_set_has(const struct fg_set *set, uint32_t value)
{
	for (size_t i = 0; i < set->n; i++)
		if (value >= set->range[i].low && value <= set->range[i].high)
			return true;
	return false;
}
