// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/* Second stage: walks the candidates in rank order, matches what the first stage left, and acts. */
#include "action.bpf.h"
#include "flt.bpf.h"
#include "guard.bpf.h"
#include "match.bpf.h"

/* State of one walk, handed to the callback of bpf_loop(). */
struct fg_walk {
	struct fg_packet *packet;
	enum fg_reason reason; /* FG_REASON_MAX: walk on */
};

/* The head whose next rule has the best rank. Rank and head are packed into one word and the smaller is taken
 * without a branch: a branch per head would double the verifier's paths 64 times. */
__noinline __u32 fg_best_head(const struct fg_packet *packet)
{
	__s64 best = (__s64)FG_NO_RULE << 8;

	if (!packet)
		return 0;
	for (__u32 i = 0; i < FG_TUPLES_MAX; i++) {
		__s64 closer;

		if (i >= packet->n_heads)
			break;
		closer = ((__s64)packet->head[i].next << 8 | i) - best;
		best += closer & closer >> 63;
	}
	return best & 0xff;
}

static __always_inline enum fg_reason fg_advance(struct fg_packet *packet, struct fg_head *head)
{
	__u32 *word;

	head->pos++;
	if (head->pos >= head->end) {
		head->next = FG_NO_RULE;
	} else if (head->sequential) {
		head->next = head->pos;
	} else {
		word = fg_table_element(t_chains, packet->table, head->pos);
		if (!word)
			return FG_REASON_NO_TABLE;
		head->next = *word;
	}
	return FG_REASON_MAX;
}

static __always_inline void fg_trace_tried(__u32 index, __u32 check)
{
	__u32 zero = 0, n;
	struct fg_trace *record = bpf_map_lookup_elem(&trace, &zero);

	if (!record)
		return;
	n = record->n_tried;
	record->n_tried = n + 1;
	if (n >= FG_TRACE_MAX)
		return;
	record->tried[n].rule = index;
	record->tried[n].check = check;
}

/* FG_REASON_MAX: go on with the next candidate. */
static __always_inline enum fg_reason fg_try(struct fg_packet *packet, __u32 index)
{
	__u32 check = fg_match(packet, index);
	struct fg_rule *rule;

	if (fg_tracing)
		fg_trace_tried(index, check);
	if (check == FG_MATCH_BROKEN)
		return FG_REASON_NO_TABLE;
	if (check != FG_MATCHED)
		return FG_REASON_MAX;
	rule = fg_table_element(t_rules, packet->table, index);
	if (!rule)
		return FG_REASON_NO_TABLE;
	fg_collect(packet, rule, index);
	return rule->flags & FG_RULE_CONTINUE ? FG_REASON_MAX : FG_REASON_RULE_ACCEPT;
}

static long fg_step(__u32 iteration __attribute__((unused)), struct fg_walk *walk)
{
	struct fg_packet *packet = walk->packet;
	__u32 at = packet->n_heads > 1 ? fg_best_head(packet) : 0, index;
	struct fg_head *head = &packet->head[at & (FG_TUPLES_MAX - 1)];

	index = head->next;
	if (index == FG_NO_RULE) {
		walk->reason = FG_REASON_RULE_ACCEPT; /* no candidate left; fg_act() decides */
		return 1;
	}
	walk->reason = fg_advance(packet, head);
	if (walk->reason == FG_REASON_MAX)
		walk->reason = fg_try(packet, index);
	return walk->reason != FG_REASON_MAX;
}

/* Ends with FG_REASON_RULE_ACCEPT when fg_act() decides, else with the reason the packet leaves with. */
static __always_inline enum fg_reason fg_walk(struct fg_packet *packet)
{
	struct fg_walk walk = { .packet = packet, .reason = FG_REASON_MAX };

	if (packet->deferred) {
		int failed = fg_candidates(packet);

		if (failed)
			return failed;
		if (!packet->n_heads)
			return FG_REASON_NO_RULE;
	}
	/* Most walks end at their first candidate: it is tried without the cost of a loop by callback. */
	if (!fg_step(0, &walk))
		bpf_loop(FG_TRIES_MAX - 1, fg_step, &walk, 0);
	return walk.reason == FG_REASON_MAX ? FG_REASON_LOOKUP_BOUND : walk.reason;
}

SEC("xdp.frags")
int residual(struct xdp_md *ctx)
{
	__u32 zero = 0;
	struct fg_packet *packet = bpf_map_lookup_elem(&packets, &zero);
	enum fg_reason reason;

	if (!packet)
		return XDP_DROP;
	if (fg_guard(packet))
		return fg_exit(ctx, packet, FG_REASON_GUARD);
	reason = fg_walk(packet);
	if (reason == FG_REASON_RULE_ACCEPT)
		reason = fg_act(ctx, packet);
	return fg_exit(ctx, packet, reason);
}

char _license[] SEC("license") = "Dual MIT/GPL";
