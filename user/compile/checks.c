// SPDX-License-Identifier: MIT
/* Writes a decoded rule as conditions, cheapest and most selective first, and derives its 5-tuple region. */
#include "compile/checks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/hash.h"

#define FG_NEVER 1

/* How a component becomes a condition: the field, its values, and its word of the 5-tuple key. */
struct component_plan {
	enum fg_flow_type type;
	enum fg_field field;
	uint32_t low[FG_FAMILIES], high[FG_FAMILIES]; /* values a packet can carry */
	int key_word;                                 /* -1: not part of the 5-tuple */
	unsigned key_shift, key_bits;
	bool always; /* every packet of the family carries it */
};

#define BOTH(value)              \
	{                        \
		(value), (value) \
	}

static const struct component_plan plans[] = {
	{ FG_FLOW_PROTOCOL, FG_FIELD_PROTOCOL, BOTH(0), BOTH(255), FG_KEY_PROTOCOL, 0, 8, false },
	{ FG_FLOW_DPORT, FG_FIELD_DPORT, BOTH(0), BOTH(65535), FG_KEY_PORTS, 0, 16, false },
	{ FG_FLOW_SPORT, FG_FIELD_SPORT, BOTH(0), BOTH(65535), FG_KEY_PORTS, 16, 16, false },
	{ FG_FLOW_PORT, FG_FIELD_SPORT, BOTH(0), BOTH(65535), -1, 0, 0, false },
	{ FG_FLOW_ICMP_TYPE, FG_FIELD_ICMP_TYPE, BOTH(0), BOTH(255), -1, 0, 0, false },
	{ FG_FLOW_ICMP_CODE, FG_FIELD_ICMP_CODE, BOTH(0), BOTH(255), -1, 0, 0, false },
	{ FG_FLOW_TCP_FLAGS, FG_FIELD_TCP_FLAGS, BOTH(0), BOTH(4095), -1, 0, 0, false },
	/* IPv4: a header is 20 octets; IPv6: 40 and a 16-bit payload length. */
	{ FG_FLOW_LENGTH, FG_FIELD_LENGTH, { 20, 40 }, { 65535, 65575 }, -1, 0, 0, true },
	{ FG_FLOW_DSCP, FG_FIELD_DSCP, BOTH(0), BOTH(63), -1, 0, 0, true },
	{ FG_FLOW_FRAGMENT, FG_FIELD_FRAGMENT, BOTH(0), BOTH(15), -1, 0, 0, true },
	{ FG_FLOW_LABEL, FG_FIELD_FLOW_LABEL, BOTH(0), BOTH(0xfffff), -1, 0, 0, true },
};

static int check_add(struct fg_check_builder *builder, const struct fg_check *check)
{
	struct fg_check *room = fg_table_grow(builder->checks, &builder->checks_capacity, 1);

	if (!room)
		return -ENOMEM;
	*room = *check;
	builder->checks->n++;
	return 0;
}

/* Ones at bits [from, to) of a 128-bit address, word @i, most significant bit first. */
static uint32_t mask_word(unsigned from, unsigned to, unsigned i)
{
	unsigned start = i * 32;
	uint64_t mask = 0xffffffffULL;

	if (to <= start || from >= start + 32)
		return 0;
	if (from > start)
		mask >>= from - start;
	if (to < start + 32)
		mask &= ~(0xffffffffULL >> (to - start));
	return (uint32_t)mask;
}

static int prefix_checks(struct fg_check_builder *builder, const struct fg_flow_prefix *prefix,
			 enum fg_field first_field, enum fg_key_word first_word,
			 struct fg_region *region)
{
	unsigned words = builder->flow.family == FG_INET ? 1 : 4;
	uint32_t *seen, word;
	int added;

	if (prefix->length &&
	    fg_idmap_get(&builder->prefixes, fg_hash64(prefix, sizeof(*prefix), first_field), &seen,
			 &added))
		return -ENOMEM;
	for (unsigned i = 0; i < words; i++) {
		struct fg_check check = { .field = (__u8)(first_field + i),
					  .kind = FG_CHECK_MASKED };

		memcpy(&word, prefix->addr + 4 * i, sizeof(word));
		check.b = mask_word(prefix->offset, prefix->length, i);
		check.a = ntohl(word) & check.b;
		region->mask[first_word + i] = check.b;
		region->value[first_word + i] = check.a;
		if (check.b && check_add(builder, &check))
			return -ENOMEM;
	}
	return 0;
}

/* Several ranges: a bitmap for small fields, sorted ranges for others. */
static int check_set(struct fg_check_builder *builder, uint32_t high, struct fg_check *check)
{
	const struct fg_set *set = &builder->set;
	uint64_t words[FG_SET_RANGES_MAX] = { 0 };
	size_t n = set->n;

	if (high > 4095) {
		check->kind = FG_CHECK_RANGES;
		check->n = (__u32)n;
		for (size_t i = 0; i < n; i++)
			words[i] = (uint64_t)set->range[i].low << 32 | set->range[i].high;
	} else {
		uint32_t top = set->range[set->n - 1].high;

		check->kind = FG_CHECK_BITMAP;
		check->n = top + 1;
		n = top / 64 + 1;
		for (size_t i = 0; i < set->n; i++)
			for (uint32_t v = set->range[i].low; v <= set->range[i].high; v++)
				words[v / 64] |= 1ULL << (v % 64);
	}
	return fg_pool_words(&builder->sets, words, n, &check->a);
}

/* The leading bits that all values of the set share are what the 5-tuple key can use. */
static void region_narrow(const struct component_plan *plan, const struct fg_set *set,
			  struct fg_region *region)
{
	uint32_t low = set->range[0].low, differ = low ^ set->range[set->n - 1].high;
	uint32_t mask = (uint32_t)((1ULL << plan->key_bits) - 1);

	if (plan->key_word < 0)
		return;
	while (differ) {
		mask &= mask << 1;
		mask &= (uint32_t)((1ULL << plan->key_bits) - 1);
		differ >>= 1;
	}
	region->mask[plan->key_word] |= mask << plan->key_shift;
	region->value[plan->key_word] |= (low & mask) << plan->key_shift;
}

static int count_ranges(struct fg_check_builder *builder, const struct component_plan *plan)
{
	for (size_t i = 0; plan->key_word >= 0 && i < builder->set.n; i++) {
		uint64_t hash =
			fg_hash64(&builder->set.range[i], sizeof(struct fg_range), plan->type);
		uint32_t *seen;
		int added;

		if (fg_idmap_get(&builder->ranges, hash, &seen, &added))
			return -ENOMEM;
	}
	return 0;
}

static void list_values(struct fg_check_builder *builder, const struct component_plan *plan)
{
	const struct fg_flow *flow = &builder->flow;
	const struct fg_flow_op *ops = &flow->op[flow->first[plan->type]];
	size_t n = flow->count[plan->type];

	if (plan->type == FG_FLOW_TCP_FLAGS)
		fg_set_tcp_flags(ops, n, &builder->set);
	else if (plan->type == FG_FLOW_FRAGMENT)
		fg_set_fragment(flow->family, ops, n, &builder->set);
	else
		fg_set_numeric(ops, n, plan->low[flow->family], plan->high[flow->family],
			       &builder->set);
}

static int list_check(struct fg_check_builder *builder, const struct component_plan *plan,
		      struct fg_region *region)
{
	const struct fg_set *set = &builder->set;
	uint32_t high = plan->high[builder->flow.family];
	struct fg_check check = { .field = (__u8)plan->field,
				  .either = plan->type == FG_FLOW_PORT };
	int err;

	list_values(builder, plan);
	if (!set->n)
		return FG_NEVER;
	if (count_ranges(builder, plan))
		return -ENOMEM;
	region_narrow(plan, set, region);
	if (set->n == 1) {
		check.kind = FG_CHECK_RANGE;
		check.a = set->range[0].low;
		check.b = set->range[0].high;
		if (plan->always && check.a == plan->low[builder->flow.family] && check.b == high)
			return 0; /* holds for every packet */
		return check_add(builder, &check);
	}
	err = check_set(builder, high, &check);
	return err ? err : check_add(builder, &check);
}

static int flow_checks(struct fg_check_builder *builder, struct fg_region *region)
{
	const struct fg_flow *flow = &builder->flow;
	int err = 0;

	if (flow->present & 1U << FG_FLOW_DST)
		err = prefix_checks(builder, &flow->dst, FG_FIELD_DST0, FG_KEY_DST, region);
	if (!err && flow->present & 1U << FG_FLOW_SRC)
		err = prefix_checks(builder, &flow->src, FG_FIELD_SRC0, FG_KEY_SRC, region);
	for (size_t i = 0; !err && i < FG_ARRAY_SIZE(plans); i++)
		if (flow->present & 1U << plans[i].type)
			err = list_check(builder, &plans[i], region);
	return err;
}

int fg_checks_build(struct fg_check_builder *builder, size_t *ret_n, struct fg_region *ret_region)
{
	struct fg_region region = { 0 };
	size_t before = builder->checks->n;
	int err = flow_checks(builder, &region);

	if (err) {
		builder->checks->n = before;
		return err;
	}
	*ret_n = builder->checks->n - before;
	*ret_region = region;
	return 0;
}
