/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* Every map of the datapath, defined once for all stages. */
#ifndef FG_MAPS_BPF_H
#define FG_MAPS_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "fltgate/counters.h"
#include "fltgate/tables.h"

/* Every stage's object carries the definitions; weak, so that linking keeps one. */
#define FG_MAP_SECTION __weak SEC(".maps")

/* Pages of an inner table are written through mmap() before the generation runs. */
#define FG_INNER_FLAGS (BPF_F_INNER_MAP | BPF_F_MMAPABLE)

/* One inner array type and one outer map per table of a generation; slot = family and generation. Sizes,
 * not types: clang leaves the types behind a map-in-map out of BTF. */
#define FG_TABLE_MAP(NAME, name, element)                 \
	struct fg_inner_##name {                          \
		__uint(type, BPF_MAP_TYPE_ARRAY);         \
		__uint(map_flags, FG_INNER_FLAGS);        \
		__uint(max_entries, 1);                   \
		__uint(key_size, sizeof(__u32));          \
		__uint(value_size, sizeof(element));      \
	};                                                \
	struct {                                          \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); \
		__uint(max_entries, FG_TABLE_SLOTS);      \
		__uint(key_size, sizeof(__u32));          \
		__array(values, struct fg_inner_##name);  \
	} t_##name FG_MAP_SECTION;
FG_TABLES(FG_TABLE_MAP)

#define FG_SIMPLE_MAP(name, map_type, entries, key_type, value_type) \
	struct {                                                     \
		__uint(type, map_type);                              \
		__uint(max_entries, entries);                        \
		__type(key, key_type);                               \
		__type(value, value_type);                           \
	} name FG_MAP_SECTION

FG_SIMPLE_MAP(active, BPF_MAP_TYPE_ARRAY, FG_FAMILIES, __u32, struct fg_active);
FG_SIMPLE_MAP(packets, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct fg_packet);
FG_SIMPLE_MAP(if_counters, BPF_MAP_TYPE_PERCPU_HASH, FG_INTERFACES_MAX, __u32,
	      struct fg_if_counters);
FG_SIMPLE_MAP(rule_counters, BPF_MAP_TYPE_PERCPU_ARRAY, FG_RULE_CAPACITY, __u32,
	      struct fg_rule_counter);
FG_SIMPLE_MAP(policers, BPF_MAP_TYPE_ARRAY, FG_RULE_CAPACITY, __u32, struct fg_policer);
FG_SIMPLE_MAP(guard_config, BPF_MAP_TYPE_ARRAY, 1, __u32, struct fg_guard_config);
FG_SIMPLE_MAP(instance, BPF_MAP_TYPE_ARRAY, 1, __u32, struct fg_instance);
FG_SIMPLE_MAP(trace, BPF_MAP_TYPE_ARRAY, 1, __u32, struct fg_trace);

/* Written by user space alone, through mmap(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FG_RULE_CAPACITY);
	__type(key, __u32);
	__type(value, struct fg_rule_id);
} rule_ids FG_MAP_SECTION;

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, struct fg_guard_key);
	__type(value, __u32);
} guard_sources FG_MAP_SECTION;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} samples FG_MAP_SECTION;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, FG_STAGE_MAX);
	__type(key, __u32);
	__type(value, __u32);
} stages FG_MAP_SECTION;

/* An element of a table of the generation that judges the packet; NULL: the table is missing or too short. */
#define fg_table_element(outer, table_slot, index)                    \
	({                                                            \
		__u32 _slot = (table_slot), _index = (index);         \
		void *_inner = bpf_map_lookup_elem(&(outer), &_slot); \
		_inner ? bpf_map_lookup_elem(_inner, &_index) : NULL; \
	})

#endif
