/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What matched rules ask for: collected in rank order, then done: sample, discard, police, mark. */
#ifndef FG_ACTION_BPF_H
#define FG_ACTION_BPF_H

#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>

#include "exit.bpf.h"
#include "police.bpf.h"

_Static_assert((FG_SAMPLE_BYTES & (FG_SAMPLE_BYTES - 1)) == 0, "a power of two");

#define FG_L3_OFFSET_MAX 22 /* Ethernet and two tags */

static __always_inline void fg_count_rule(const struct fg_rule *rule, __u32 bytes)
{
	__u32 slot = rule->counter;
	struct fg_rule_counter *counter = bpf_map_lookup_elem(&rule_counters, &slot);

	if (!counter)
		return;
	counter->packets++;
	counter->bytes += bytes;
	counter->last_hit = bpf_ktime_get_coarse_ns(); /* a tick is fine enough, and much cheaper */
}

/* Adds one matched rule. Combination (our decision, RFC 8955 7.7 leaves it open): discard wins, every rate limit
 * applies, the first marking counts. */
static __always_inline void fg_collect(struct fg_packet *packet, const struct fg_rule *rule,
				       __u32 index)
{
	struct fg_collected *got = &packet->got;
	__u32 n = got->n_policers;

	fg_count_rule(rule, packet->frame_len);
	if (got->rule == FG_NO_RULE) {
		got->rule = index;
		got->counter = rule->counter;
	}
	got->discard |= rule->flags & FG_RULE_DISCARD ? 1 : 0;
	got->sample |= rule->flags & FG_RULE_SAMPLE ? 1 : 0;
	if (rule->flags & FG_RULE_MARK && !got->has_dscp) {
		got->has_dscp = 1;
		got->dscp = rule->dscp;
	}
	if (rule->flags & (FG_RULE_RATE_BYTES | FG_RULE_RATE_PACKETS)) {
		if (n < FG_POLICERS_MAX)
			got->policers[n & (FG_POLICERS_MAX - 1)] = index;
		got->n_policers = n + 1;
	}
}

static __always_inline int fg_police_all(struct fg_packet *packet, enum fg_reason *reason)
{
	for (__u32 i = 0; i < FG_POLICERS_MAX; i++) {
		struct fg_rule *rule;

		if (i >= packet->got.n_policers)
			return 1;
		rule = fg_table_element(t_rules, packet->table, packet->got.policers[i]);
		if (!rule) {
			*reason = FG_REASON_NO_TABLE;
			return 0;
		}
		/* The rate counts octets of the IP packet, as the field does in every router's policer. */
		if (!fg_police(rule, packet->field[FG_FIELD_LENGTH])) {
			*reason = FG_REASON_RATE_LIMIT;
			return 0;
		}
	}
	if (packet->got.n_policers <= FG_POLICERS_MAX)
		return 1;
	*reason = FG_REASON_POLICERS_LIMIT;
	return 0;
}

/* RFC 1624 equation 3, for the word that holds version, header length and TOS. */
static __always_inline void fg_mark_ip(struct iphdr *ip, __u8 dscp)
{
	__u16 *word = (__u16 *)ip, old = *word;
	__u32 sum;

	ip->tos = (__u8)(dscp << 2) | (ip->tos & 3);
	sum = (__u16)~ip->check + (__u32)(__u16)~old + *word;
	sum = (sum & 0xffff) + (sum >> 16);
	ip->check = (__u16) ~((sum & 0xffff) + (sum >> 16));
}

static __always_inline void fg_mark_ip6(struct ipv6hdr *ip6, __u8 dscp)
{
	__be32 *word = (__be32 *)ip6;

	*word = (*word & ~bpf_htonl(0x0fc00000)) | bpf_htonl((__u32)dscp << 22);
}

/* 0: the header is out of reach. */
static __always_inline int fg_mark(struct xdp_md *ctx, const struct fg_packet *packet)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 offset = packet->l3_offset;
	__u8 dscp = packet->got.dscp & 0x3f;
	void *l3;

	if (offset > FG_L3_OFFSET_MAX)
		return 0;
	l3 = data + offset;
	if (packet->family == FG_INET) {
		if (l3 + sizeof(struct iphdr) > end)
			return 0;
		fg_mark_ip(l3, dscp);
		return 1;
	}
	if (l3 + sizeof(struct ipv6hdr) > end)
		return 0;
	fg_mark_ip6(l3, dscp);
	return 1;
}

static __always_inline void fg_sample(struct xdp_md *ctx, const struct fg_packet *packet,
				      enum fg_reason reason)
{
	struct fg_if_counters *counters = fg_interface(ctx->ingress_ifindex);
	__u32 length = packet->frame_len;
	struct fg_sample *sample;

	if (!counters)
		return;
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample) {
		counters->sample_lost++;
		return;
	}
	if (length > FG_SAMPLE_BYTES)
		length = FG_SAMPLE_BYTES;
	barrier_var(length); /* 1..FG_SAMPLE_BYTES in a form that the verifier of 6.1 follows */
	length = ((length - 1) & (FG_SAMPLE_BYTES - 1)) + 1;
	sample->time = bpf_ktime_get_ns();
	sample->ifindex = ctx->ingress_ifindex;
	sample->counter = packet->got.counter;
	sample->reason = reason;
	sample->frame_len = packet->frame_len;
	sample->captured = length;
	sample->pad = 0;
	if (bpf_xdp_load_bytes(ctx, 0, sample->data, length))
		sample->captured = 0;
	counters->sampled++;
	bpf_ringbuf_submit(sample, 0);
}

static __always_inline enum fg_reason fg_mark_and_count(struct xdp_md *ctx,
							const struct fg_packet *packet,
							enum fg_reason reason)
{
	struct fg_if_counters *counters = fg_interface(ctx->ingress_ifindex);

	if (!fg_mark(ctx, packet))
		return FG_REASON_MARK_FAILED;
	if (counters)
		counters->marked++;
	return reason;
}

/* Does what was collected; returns the reason the packet leaves with. */
static __always_inline enum fg_reason fg_act(struct xdp_md *ctx, struct fg_packet *packet)
{
	enum fg_reason reason =
		packet->got.n_policers ? FG_REASON_RATE_CONFORM : FG_REASON_RULE_ACCEPT;

	if (packet->got.rule == FG_NO_RULE)
		return FG_REASON_NO_RULE;
	if (packet->got.discard)
		reason = FG_REASON_RULE_DISCARD;
	else if (fg_police_all(packet, &reason) && packet->got.has_dscp)
		reason = fg_mark_and_count(ctx, packet, reason);
	if (packet->got.sample)
		fg_sample(ctx, packet, reason);
	return reason;
}

#endif
