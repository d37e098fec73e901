/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* One rule against one packet: its conditions in turn, each on one field of the packet record. */
#ifndef FG_MATCH_BPF_H
#define FG_MATCH_BPF_H

#include "maps.bpf.h"

#define FG_MATCHED FG_NO_RULE
#define FG_MATCH_BROKEN (FG_NO_RULE - 1) /* a table is missing */

/* The sorted ranges sets[first..first + n): is @value in one? 1, 0, or -1: table missing. */
static __always_inline int fg_in_ranges(__u32 table, __u32 first, __u32 n, __u32 value)
{
	__u32 low = 0,
	      high = n; /* the last range that starts at or below value is in [low, high) */

	for (int i = 0; i < FG_RANGES_LOG2 + 1 && low + 1 < high; i++) {
		__u32 middle = (low + high) / 2;
		__u64 *range = fg_table_element(t_sets, table, first + middle);

		if (!range)
			return -1;
		if (*range >> 32 <= value)
			low = middle;
		else
			high = middle;
	}
	__u64 *range = fg_table_element(t_sets, table, first + low);

	if (!range)
		return -1;
	return *range >> 32 <= value && value <= (__u32)*range;
}

static __always_inline int fg_in_bitmap(__u32 table, __u32 first, __u32 n, __u32 value)
{
	__u64 *word;

	if (value >= n)
		return 0;
	word = fg_table_element(t_sets, table, first + (value >> 6));
	return word ? *word >> (value & 63) & 1 : -1;
}

/* Set kinds of a check; apart, so that the common kinds stay free of a call. */
__noinline int fg_in_set(__u32 table, __u32 kind, __u32 first, __u32 n, __u32 value)
{
	return kind == FG_CHECK_BITMAP ? fg_in_bitmap(table, first, n, value)
				       : fg_in_ranges(table, first, n, value);
}

static __always_inline int fg_check_value(const struct fg_packet *packet,
					  const struct fg_check *check, __u32 value)
{
	switch (check->kind) {
	case FG_CHECK_MASKED:
		return (value & check->b) == check->a;
	case FG_CHECK_RANGE:
		return value - check->a <= check->b - check->a;
	default:
		return fg_in_set(packet->table, check->kind, check->a, check->n, value);
	}
}

/* A field the packet does not carry fails every condition, also != and true (RFC 8955 4.2.2). */
static __always_inline int fg_check_field(const struct fg_packet *packet,
					  const struct fg_check *check, __u32 field)
{
	field &= FG_FIELD_SLOTS - 1;
	if (!(packet->present >> field & 1))
		return 0;
	return fg_check_value(packet, check, packet->field[field]);
}

/* FG_MATCHED, the index of the first condition that failed, or FG_MATCH_BROKEN. */
__noinline __u32 fg_match(const struct fg_packet *packet, __u32 index)
{
	struct fg_rule *rule;
	void *checks;
	__u32 slot;

	if (!packet)
		return FG_MATCH_BROKEN;
	slot = packet->table;
	rule = fg_table_element(t_rules, slot, index);
	checks = bpf_map_lookup_elem(&t_checks, &slot);
	if (!rule || !checks)
		return FG_MATCH_BROKEN;
	for (__u32 i = 0; i < FG_CHECKS_PER_RULE; i++) {
		__u32 at = rule->checks + i;
		struct fg_check *check;
		int holds;

		if (i >= rule->n_checks)
			break;
		check = bpf_map_lookup_elem(checks, &at);
		if (!check)
			return FG_MATCH_BROKEN;
		holds = fg_check_field(packet, check, check->field);
		if (!holds && check->either)
			holds = fg_check_field(packet, check, FG_FIELD_DPORT);
		if (holds < 0)
			return FG_MATCH_BROKEN;
		if (!holds)
			return i;
	}
	return FG_MATCHED;
}

#endif
