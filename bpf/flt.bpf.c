// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/* The FLT stage: 5-tuple -> chains of candidate rules. One hash and one filter bit per tuple on a miss. */
#include "flt.bpf.h"

#include "fltgate/hash.h"

static __always_inline void fg_key_fill(__u32 *key, const struct fg_packet *packet, int words)
{
	for (int i = 0; i < words; i++) {
		key[FG_KEY_DST + i] = packet->field[FG_FIELD_DST0 + i];
		key[FG_KEY_SRC + i] = packet->field[FG_FIELD_SRC0 + i];
	}
	/* A rule that wants ports or a protocol the packet lacks fails in the residual stage. */
	key[FG_KEY_PORTS] =
		packet->present & (1U << FG_FIELD_SPORT)
			? packet->field[FG_FIELD_SPORT] << 16 | packet->field[FG_FIELD_DPORT]
			: 0;
	key[FG_KEY_PROTOCOL] =
		packet->present & (1U << FG_FIELD_PROTOCOL) ? packet->field[FG_FIELD_PROTOCOL] : 0;
}

/* Adds the chain of a key to the heads of the walk. */
static __always_inline int fg_head_add(struct fg_packet *packet, __u32 chain)
{
	__u32 n = packet->n_heads, *word;
	struct fg_head *head;

	if (n >= FG_TUPLES_MAX)
		return FG_REASON_LOOKUP_BOUND;
	head = &packet->head[n];
	if (chain & FG_CHAIN_SINGLE) {
		head->next = chain & ~FG_CHAIN_SINGLE;
		head->pos = head->next;
		head->end = head->next + 1;
		head->sequential = 1;
	} else {
		word = fg_table_element(t_chains, packet->table, chain);
		if (!word)
			return FG_REASON_NO_TABLE;
		head->pos = chain + 1;
		head->end = chain + 1 + *word;
		head->sequential = 0;
		word = fg_table_element(t_chains, packet->table, chain + 1);
		if (!word)
			return FG_REASON_NO_TABLE;
		head->next = *word;
	}
	packet->n_heads = n + 1;
	return 0;
}

/* The filter said maybe: look into the bucket. Global, so that the verifier sees it once, not per tuple. */
__noinline int fg_flt_bucket(struct fg_packet *packet, __u32 index, __u32 tag)
{
	struct fg_bucket *bucket;

	if (!packet)
		return FG_REASON_NO_PACKET_RECORD;
	bucket = fg_table_element(t_buckets, packet->table, index);
	if (!bucket)
		return FG_REASON_NO_TABLE;
	for (int i = 0; i < FG_BUCKET_KEYS; i++)
		if (bucket->tag[i] == tag)
			return fg_head_add(packet, bucket->chain[i]);
	return 0;
}

/* 0, or the resource reason that ends the packet. Constant @words: the hash loop unrolls. */
static __always_inline int fg_flt_search(struct fg_packet *packet, const struct fg_meta *meta,
					 int words)
{
	__u32 key[FG_KEY_WORDS] = {}, slot = packet->table;
	void *filter = bpf_map_lookup_elem(&t_filter, &slot);

	if (!filter)
		return FG_REASON_NO_TABLE;
	fg_key_fill(key, packet, words);
	for (__u32 i = 0; i < FG_TUPLES_MAX; i++) {
		__u64 hash, *bits;
		__u32 bit, index;
		int failed;

		if (i >= meta->n_tuples)
			break;
		hash = fg_key_hash(key, &meta->tuple[i], words);
		bit = fg_hash_filter(hash) & meta->filter_mask;
		index = bit >> 6;
		bits = bpf_map_lookup_elem(filter, &index);
		if (!bits)
			return FG_REASON_NO_TABLE;
		if (!(*bits >> (bit & 63) & 1))
			continue;
		failed = fg_flt_bucket(packet, fg_hash_bucket(hash) & meta->bucket_mask,
				       fg_hash_tag(hash));
		if (failed)
			return failed;
	}
	return 0;
}

/* See flt.bpf.h. Global: verified once, not once for every path through the parser. */
__noinline int fg_candidates(struct fg_packet *packet)
{
	const struct fg_meta *meta;

	if (!packet)
		return FG_REASON_NO_PACKET_RECORD;
	meta = fg_table_element(t_meta, packet->table, 0);
	if (!meta)
		return FG_REASON_NO_TABLE;
	if (meta->mode == FG_MODE_DMEM && !packet->deferred) {
		packet->deferred = 1;
		return 0;
	}
	return packet->family == FG_INET ? fg_flt_search(packet, meta, 1)
					 : fg_flt_search(packet, meta, 4);
}

char _license[] SEC("license") = "Dual MIT/GPL";
