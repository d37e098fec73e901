/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* Rate limits: one backlog per rule for all CPUs, in time, so that any rate and packet size keeps its precision. */
#ifndef FG_POLICE_BPF_H
#define FG_POLICE_BPF_H

#include "maps.bpf.h"

#define FG_ELAPSED_MAX (1ULL << 47) /* ns; shifted by FG_COST_SHIFT it still fits */

static __always_inline __u64 fg_drain(__u64 backlog, __u64 elapsed)
{
	__u64 drained = elapsed << FG_COST_SHIFT;

	return backlog > drained ? backlog - drained : 0;
}

static __always_inline __u64 fg_charge(__u64 backlog, __u64 cost)
{
	__u64 sum = backlog + cost;

	return sum < backlog ? ~0ULL : sum;
}

/* A packet passes while both backlogs are below the burst, and then adds its cost to both: a large packet may
 * overdraw, so that every size passes and the long-run rate is exact. 1: conforms. */
static __always_inline int fg_police(const struct fg_rule *rule, __u32 bytes)
{
	__u64 now = bpf_ktime_get_ns(), burst = FG_BURST_NS << FG_COST_SHIFT;
	__u64 byte_cost = rule->byte_cost * bytes, packet_cost = rule->packet_cost;
	__u32 slot = rule->counter;
	struct fg_policer *state = bpf_map_lookup_elem(&policers, &slot);
	__u64 elapsed;
	int conforms;

	if (!state)
		return 0;
	bpf_spin_lock(&state->lock);
	/* Another CPU's clock reading may be a little ahead: time never runs backwards here. */
	elapsed = now > state->last ? now - state->last : 0;
	if (elapsed > FG_ELAPSED_MAX)
		elapsed = FG_ELAPSED_MAX;
	state->last += now > state->last ? now - state->last : 0;
	state->byte_backlog = fg_drain(state->byte_backlog, elapsed);
	state->packet_backlog = fg_drain(state->packet_backlog, elapsed);
	conforms = state->byte_backlog <= burst && state->packet_backlog <= burst;
	if (conforms) {
		state->byte_backlog = fg_charge(state->byte_backlog, byte_cost);
		state->packet_backlog = fg_charge(state->packet_backlog, packet_cost);
	}
	bpf_spin_unlock(&state->lock);
	return conforms;
}

#endif
