/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* The one way out of every stage: counts the reason and turns it into an XDP verdict. */
#ifndef FG_EXIT_BPF_H
#define FG_EXIT_BPF_H

#include "maps.bpf.h"

extern const volatile __u32 fg_tracing;

_Static_assert(__builtin_offsetof(struct fg_if_counters, no_rule) == 0, "reasons come first");
_Static_assert(__builtin_offsetof(struct fg_if_counters, frag_no_l4) ==
		       FG_REASON_MAX * sizeof(__u64),
	       "notes follow the reasons");

static const struct fg_if_counters fg_no_counters;

/* Counters of an interface on this CPU; made on first sight, since `ip link` attaches without a daemon. Key 0
 * takes what no longer fits. */
static __always_inline struct fg_if_counters *fg_interface(__u32 ifindex)
{
	struct fg_if_counters *counters = bpf_map_lookup_elem(&if_counters, &ifindex);
	__u32 other = 0;

	if (counters)
		return counters;
	bpf_map_update_elem(&if_counters, &ifindex, &fg_no_counters, BPF_NOEXIST);
	counters = bpf_map_lookup_elem(&if_counters, &ifindex);
	return counters ? counters : bpf_map_lookup_elem(&if_counters, &other);
}

static __always_inline int fg_verdict(enum fg_reason reason)
{
	switch (reason) {
#define FG_REASON_VERDICT(name, field, class, text) \
	case FG_REASON_##name:                      \
		return FG_CLASS_##class == FG_CLASS_PASS ? XDP_PASS : XDP_DROP;
		FG_REASONS(FG_REASON_VERDICT)
#undef FG_REASON_VERDICT
	default:
		return XDP_DROP;
	}
}

static __always_inline int fg_discards(enum fg_reason reason)
{
	return reason == FG_REASON_RULE_DISCARD || reason == FG_REASON_RATE_LIMIT;
}

static __always_inline void fg_trace_exit(const struct fg_packet *packet, enum fg_reason reason)
{
	__u32 zero = 0;
	struct fg_trace *record = bpf_map_lookup_elem(&trace, &zero);

	if (!record)
		return;
	record->reason = reason;
	record->note = packet->note;
	record->got = packet->got;
}

/* The mask is for verifiers before 6.18: they do not keep the bound of a comparison that the compiler made on another
 * register. It reaches past the notes into the events, never past the structure. */
#define FG_NOTE_MASK 7
_Static_assert(FG_NOTE_MAX <= FG_NOTE_MASK + 1 && (FG_REASON_MAX + FG_NOTE_MASK) * sizeof(__u64) <=
							  sizeof(struct fg_if_counters),
	       "a masked note stays inside the counters");

static __always_inline __u32 fg_note_index(__u32 note)
{
	barrier_var(note);
	return note & FG_NOTE_MASK;
}

/* Counts and ends the packet. */
static __always_inline int fg_exit(struct xdp_md *ctx, struct fg_packet *packet,
				   enum fg_reason reason)
{
	struct fg_if_counters *counters = fg_interface(ctx->ingress_ifindex);
	__u32 note = packet->note;

	if (counters) {
		__u64 *slot = (__u64 *)counters;

		if (reason < FG_REASON_MAX)
			slot[reason]++;
		if (note)
			slot[FG_REASON_MAX - 1 + fg_note_index(note)]++;
		counters->rx_bytes += packet->frame_len;
		if (fg_discards(reason))
			counters->discard_bytes += packet->frame_len;
	}
	if (fg_tracing)
		fg_trace_exit(packet, reason);
	return fg_verdict(reason);
}

#endif
