// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/* First stage: parses the frame and looks its 5-tuple up; only a candidate costs the tail call. */
#include "exit.bpf.h"
#include "flt.bpf.h"
#include "parse.bpf.h"

static __always_inline void fg_begin(struct xdp_md *ctx, struct fg_packet *packet)
{
	packet->frame_len = bpf_xdp_get_buff_len(ctx);
	packet->note = FG_NOTE_NONE;
	packet->n_heads = 0;
	packet->deferred = 0;
	packet->got = (struct fg_collected){ .rule = FG_NO_RULE };
}

/* FG_PARSED: there are candidates, or the residual program looks for them. */
static __always_inline enum fg_reason fg_judge(struct xdp_md *ctx, struct fg_packet *packet)
{
	enum fg_reason reason = fg_parse(ctx, packet);
	struct fg_active *running;
	int failed;

	if (reason != FG_PARSED && reason != FG_REASON_EXTHDR_LIMIT &&
	    reason != FG_REASON_HEADER_SPLIT)
		return reason;
	running = bpf_map_lookup_elem(&active, &packet->family);
	if (!running || running->slot == FG_SLOT_NONE)
		return FG_REASON_NO_RULE;
	if (reason != FG_PARSED)
		return reason;
	packet->table = running->slot;
	failed = fg_candidates(packet);
	if (failed)
		return failed;
	return packet->n_heads || packet->deferred ? FG_PARSED : FG_REASON_NO_RULE;
}

SEC("xdp.frags")
int gate(struct xdp_md *ctx)
{
	__u32 zero = 0;
	struct fg_packet *packet = bpf_map_lookup_elem(&packets, &zero);
	enum fg_reason reason;

	if (!packet) /* cannot be: a per-CPU array has its element; nothing to count it in */
		return XDP_DROP;
	fg_begin(ctx, packet);
	reason = fg_judge(ctx, packet);
	if (reason != FG_PARSED)
		return fg_exit(ctx, packet, reason);
	bpf_tail_call_static(ctx, &stages, FG_STAGE_RESIDUAL);
	return fg_exit(ctx, packet, FG_REASON_TAIL_CALL_MISSED);
}

char _license[] SEC("license") = "Dual MIT/GPL";
