/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* The tables of one generation: the compiler emits them, the stages look them up. All are arrays. */
#ifndef FLTGATE_TABLES_H
#define FLTGATE_TABLES_H

#include <linux/bpf.h>

#include "fltgate/packet.h"

/* X(NAME, name, element type). The outer map `t_<name>` holds, per family, two generations. */
#define FG_TABLES(X)                          \
	X(META, meta, struct fg_meta)         \
	X(RULES, rules, struct fg_rule)       \
	X(CHECKS, checks, struct fg_check)    \
	X(SETS, sets, __u64)                  \
	X(FILTER, filter, __u64)              \
	X(BUCKETS, buckets, struct fg_bucket) \
	X(CHAINS, chains, __u32)

enum fg_table {
#define FG_TABLE_ENUM(NAME, name, type) FG_TABLE_##NAME,
	FG_TABLES(FG_TABLE_ENUM)
#undef FG_TABLE_ENUM
		FG_TABLE_MAX,
};

/* Slot of a family's generation in the outer maps: family * FG_GENERATIONS + (0 or 1). */
#define FG_GENERATIONS 2
#define FG_TABLE_SLOTS (FG_FAMILIES * FG_GENERATIONS)

/* Value of the map `active`, key = family: which slot of the outer maps judges packets; written in one
 * store. FG_SLOT_NONE: no rules of this family, everything passes. */
struct fg_active {
	__u32 slot;
	__u32 token; /* number of the generation, for people */
};
#define FG_SLOT_NONE 0xffffffffU

/* Value of the map `instance`, key 0: what loaded the pinned programs, so that a restart can adopt them. */
struct fg_instance {
	__u64 object_hash; /* of the BPF object; another one means an upgrade */
	__u32 abi;
	__u32 capacity;
};

/* How the first stage finds candidates. */
enum fg_mode {
	FG_MODE_DMEM = 0, /* the whole match in the residual program, by destination first */
	FG_MODE_FLT = 1,  /* 5-tuple stage first */
};

/* The words of a 5-tuple key: addresses, then ports (source << 16 | destination), then protocol. */
#define FG_KEY_WORDS 10
enum fg_key_word {
	FG_KEY_DST = 0,
	FG_KEY_SRC = 4,
	FG_KEY_PORTS = 8,
	FG_KEY_PROTOCOL = 9,
};

/* One tuple: the mask that all its rules share. */
struct fg_tuple {
	__u32 mask[FG_KEY_WORDS];
	__u32 seed; /* of this tuple's hashes */
	__u32 n_keys;
};

/* One per generation. */
struct fg_meta {
	__u32 mode; /* enum fg_mode */
	__u32 n_rules;
	__u32 n_tuples;
	__u32 filter_mask; /* bits in the filter - 1 */
	__u32 bucket_mask; /* buckets - 1 */
	__u32 token;
	__u32 pad[2];
	struct fg_tuple tuple[FG_TUPLES_MAX];
};

/* One cache line: up to eight keys. @tag 0 = empty. @chain: a rule index with FG_CHAIN_SINGLE set, or an
 * index into chains, where a count is followed by that many rule indexes in rank order. */
#define FG_BUCKET_KEYS 8
#define FG_CHAIN_SINGLE 0x80000000U
struct fg_bucket {
	__u32 tag[FG_BUCKET_KEYS];
	__u32 chain[FG_BUCKET_KEYS];
};

enum fg_check_kind {
	FG_CHECK_MASKED, /* (x & b) == a */
	FG_CHECK_RANGE,  /* a <= x <= b */
	FG_CHECK_RANGES, /* x in one of n sorted, disjoint ranges sets[a..a+n): low << 32 | high */
	FG_CHECK_BITMAP, /* bit x of the n-bit map in sets[a..] */
};

/* One condition on one field; @either also tries FG_FIELD_DPORT where @field is FG_FIELD_SPORT (type 4). */
struct fg_check {
	__u8 field; /* enum fg_field */
	__u8 kind;  /* enum fg_check_kind */
	__u8 either;
	__u8 pad;
	__u32 n;
	__u32 a;
	__u32 b;
};

#define FG_CHECKS_PER_RULE 20 /* 8 address words and one per other field, rounded up */
#define FG_RANGES_LOG2 12     /* a 4095-octet NLRI holds fewer than 2^12 ranges */

enum fg_rule_flags {
	FG_RULE_DISCARD = 1,
	FG_RULE_CONTINUE = 2, /* T bit: go on with the next rule, collect actions */
	FG_RULE_SAMPLE = 4,
	FG_RULE_MARK = 8,
	FG_RULE_RATE_BYTES = 16,
	FG_RULE_RATE_PACKETS = 32,
};

/* A rule in rank order. Costs are nanoseconds << FG_COST_SHIFT that one byte / packet takes at the rate. */
#define FG_COST_SHIFT 16
struct fg_rule {
	__u32 checks; /* first of n_checks in the checks table */
	__u16 n_checks;
	__u8 flags; /* enum fg_rule_flags */
	__u8 dscp;
	__u32 counter; /* slot in rule_counters and policers */
	__u32 pad;
	__u64 byte_cost;
	__u64 packet_cost;
};

/* State of a rule's two rate limits, key = counter slot; survives generations. Times as in fg_rule. */
struct fg_policer {
	struct bpf_spin_lock lock;
	__u32 pad;
	__u64 last; /* CLOCK_MONOTONIC ns of the last packet judged */
	__u64 byte_backlog;
	__u64 packet_backlog;
};

/* A limit passes a packet while its backlog is below this: the documented burst, in time. */
#define FG_BURST_NS 50000000ULL

/* Candidates tried for one packet before it is dropped as `lookup_bound`. */
#define FG_TRIES_MAX (1U << 20)

/* Slots of rule_counters, rule_ids and policers unless configured otherwise. */
#define FG_RULE_CAPACITY 65536

/* Tail-call slots of the map `stages`. */
enum fg_stage {
	FG_STAGE_RESIDUAL,
	FG_STAGE_MAX,
};

/* Value of the map `guard_config`, key 0. */
enum fg_guard_flags {
	FG_GUARD_ND = 1, /* ICMPv6 133-137 with hop limit 255 */
	FG_GUARD_DHCP = 2,
	FG_GUARD_PMTU = 4,    /* ICMP 3/4, ICMPv6 2 */
	FG_GUARD_SOURCES = 8, /* the map guard_sources holds entries */
};
struct fg_guard_config {
	__u32 flags;
	__u32 pad;
};

/* Key of guard_sources (LPM): the family in the first word, then the address, network byte order. */
struct fg_guard_key {
	__u32 prefix_len; /* 32 + length of the prefix */
	__u32 family;
	__u8 addr[16];
};
enum fg_guard_class {
	FG_GUARD_BGP = 1,        /* TCP port 179 from a configured peer */
	FG_GUARD_MANAGEMENT = 2, /* anything from the operator's management prefixes */
};

/* One tried rule, for explain: @check is the index (within the rule) that failed, FG_NO_RULE: it matched. */
#define FG_TRACE_MAX 4096
struct fg_trace {
	__u32 reason; /* enum fg_reason */
	__u32 note;
	__u32 n_tried;
	__u32 pad;
	struct fg_collected got;
	struct {
		__u32 rule;
		__u32 check;
	} tried[FG_TRACE_MAX];
};

/* Event in the ring buffer `samples`. */
#define FG_SAMPLE_BYTES 128
struct fg_sample {
	__u64 time; /* CLOCK_MONOTONIC ns */
	__u32 ifindex;
	__u32 counter;
	__u32 reason;
	__u32 frame_len;
	__u32 captured;
	__u32 pad;
	__u8 data[FG_SAMPLE_BYTES];
};

#endif
