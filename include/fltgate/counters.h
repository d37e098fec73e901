/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* Every way a packet leaves the gate, and what is counted: one list gives enum, text and counter field. */
#ifndef FLTGATE_COUNTERS_H
#define FLTGATE_COUNTERS_H

#include <linux/types.h>

/* What a reason means for the packet and for the operator. */
enum fg_reason_class {
	FG_CLASS_PASS,    /* goes on to the stack */
	FG_CLASS_DISCARD, /* a rule dropped it */
	FG_CLASS_RESOURCE, /* dropped because a limit of ours was hit: "Resource errors", never a rule's doing */
};

/* X(NAME, field and metric name, class, text). Exactly one per packet. Never renumber: append. */
#define FG_REASONS(X)                                                                          \
	X(NO_RULE, no_rule, PASS, "no rule matched")                                           \
	X(RULE_ACCEPT, rule_accept, PASS, "accepted by a rule")                                \
	X(RULE_DISCARD, rule_discard, DISCARD, "discarded by a rule")                          \
	X(RATE_LIMIT, rate_limit, DISCARD, "over a rule's rate limit")                         \
	X(RATE_CONFORM, rate_conform, PASS, "within a rule's rate limit")                      \
	X(GUARD, guard, PASS, "control-plane guard")                                           \
	X(NON_IP, non_ip, PASS, "not IP")                                                      \
	X(VLAN_DEPTH, vlan_depth, PASS, "more than two VLAN tags")                             \
	X(BAD_IHL, bad_ihl, PASS, "IPv4 header length below 20")                               \
	X(IP_MALFORMED, ip_malformed, PASS, "IP header truncated or inconsistent")             \
	X(EXTHDR_LIMIT, exthdr_limit, RESOURCE, "more IPv6 extension headers than parsed")     \
	X(LOOKUP_BOUND, lookup_bound, RESOURCE, "too many candidate rules tried")              \
	X(TAIL_CALL_MISSED, tail_call_missed, RESOURCE, "next stage not loaded")               \
	X(NO_PACKET_RECORD, no_packet_record, RESOURCE, "packet record missing")               \
	X(NO_TABLE, no_table, RESOURCE, "a lookup table of the generation is missing")         \
	X(MARK_FAILED, mark_failed, RESOURCE, "header to mark not reachable")                  \
	X(POLICERS_LIMIT, policers_limit, RESOURCE, "more rate limits collected than applied") \
	X(HEADER_SPLIT, header_split, RESOURCE, "headers not in the first buffer of the frame")

enum fg_reason {
#define FG_REASON_ENUM(name, field, class, text) FG_REASON_##name,
	FG_REASONS(FG_REASON_ENUM)
#undef FG_REASON_ENUM
		FG_REASON_MAX,
};

/* X(NAME, field, text). Observations beside the reason; a packet may carry one. 0 is "none". */
#define FG_NOTES(X)                                                    \
	X(FRAG_NO_L4, frag_no_l4, "later fragment: no layer-4 header") \
	X(L4_TRUNCATED, l4_truncated, "layer-4 header not complete")   \
	X(IP6_TRUNCATED, ip6_truncated, "IPv6 header chain ends before the upper header")

enum fg_note {
	FG_NOTE_NONE = 0,
#define FG_NOTE_ENUM(name, field, text) FG_NOTE_##name,
	FG_NOTES(FG_NOTE_ENUM)
#undef FG_NOTE_ENUM
		FG_NOTE_MAX,
};

/* X(field, text). Counted where it happens, beside the reason. */
#define FG_EVENTS(X)                                 \
	X(rx_bytes, "bytes received")                \
	X(discard_bytes, "bytes discarded by rules") \
	X(marked, "packets re-marked")               \
	X(sampled, "packets sampled")                \
	X(sample_lost, "samples lost, buffer full")

/* Value of the pinned map if_counters, key = ifindex, per CPU. The received packets are the sum of the
 * reasons. */
struct fg_if_counters {
#define FG_REASON_FIELD(name, field, class, text) __u64 field;
	FG_REASONS(FG_REASON_FIELD)
#undef FG_REASON_FIELD
#define FG_NOTE_FIELD(name, field, text) __u64 field;
	FG_NOTES(FG_NOTE_FIELD)
#undef FG_NOTE_FIELD
#define FG_EVENT_FIELD(field, text) __u64 field;
	FG_EVENTS(FG_EVENT_FIELD)
#undef FG_EVENT_FIELD
};

/* Value of the pinned map rule_counters, key = counter slot, per CPU. @last_hit: CLOCK_MONOTONIC ns. */
struct fg_rule_counter {
	__u64 packets;
	__u64 bytes;
	__u64 last_hit;
};

/* Value of the pinned map rule_ids, key = counter slot: whose counters the slot holds. @id 0 = free. */
struct fg_rule_id {
	__u64 id;     /* hash of family and normalised NLRI (fg_flow_id) */
	__u32 family; /* enum fg_family */
	__u32 pad;
};

/* Interfaces whose counters are kept apart; further ones share the key 0. */
#define FG_INTERFACES_MAX 256

#endif
