/* SPDX-License-Identifier: MIT */
/* The independent judge: RFC 8955/8956 rules evaluated one by one on raw frames, sharing no code with the product. */
#ifndef FGO_ORACLE_H
#define FGO_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FGO_MAX_VALUE 4095 /* RFC 8955 4.1: 12-bit length */
#define FGO_MAX_COMPS 13

enum fgo_status {
	FGO_VALID,
	FGO_MALFORMED, /* content bad, boundaries intact: treat-as-withdraw */
	FGO_FRAMING,   /* the length points past the buffer, nothing after it can be found */
};

enum fgo_type {
	FGO_DST = 1,
	FGO_SRC,
	FGO_PROTO,
	FGO_PORT,
	FGO_DPORT,
	FGO_SPORT,
	FGO_ICMP_TYPE,
	FGO_ICMP_CODE,
	FGO_TCP_FLAGS,
	FGO_LENGTH,
	FGO_DSCP,
	FGO_FRAGMENT,
	FGO_FLOW_LABEL,
};

/* One component. Prefixes: pattern starts at bit poff of the address; others: ops[0..ops_len) as on the wire. */
struct fgo_comp {
	uint8_t type;
	uint8_t plen;
	uint8_t poff;
	uint8_t pattern[16];
	uint16_t at;       /* offset of the data (after the type octet) in fgo_rule.value */
	uint16_t data_len; /* octets of data */
};

/* A decoded rule; value[] is normalised: every must-ignore bit and the first AND bit are cleared. */
struct fgo_rule {
	uint8_t family; /* 4 or 6 */
	uint16_t len;   /* octets in value */
	uint8_t n_comps;
	struct fgo_comp comps[FGO_MAX_COMPS];
	uint8_t value[FGO_MAX_VALUE + 1];
};

/* What the extended communities of a rule ask for. */
struct fgo_actions {
	bool discard;       /* a rate of 0, -0.0 or below */
	bool has_bytes;     /* rate_bytes is a real limit */
	bool has_packets;   /* rate_packets is a real limit */
	float rate_bytes;   /* octets per second */
	float rate_packets; /* packets per second */
	bool has_mark;
	uint8_t mark;  /* DSCP, 0..63 */
	bool go_on;    /* T bit: evaluate further rules */
	bool sample;   /* S bit */
	bool redirect; /* any form of redirect is present */
};

enum fgo_outcome {
	FGO_PKT_IP,           /* rules apply */
	FGO_PKT_NON_IP,       /* passes untouched */
	FGO_PKT_MALFORMED,    /* IP header unusable: passes, no rules */
	FGO_PKT_VLAN_DEPTH,   /* more than two tags: passes, no rules */
	FGO_PKT_EXTHDR_LIMIT, /* more than 8 IPv6 extension headers: resource drop */
};

/* A packet as the components see it; has_x false makes every condition on x false. */
struct fgo_packet {
	enum fgo_outcome outcome;
	uint8_t family;
	size_t l3; /* where the IP header starts in the frame */
	uint8_t src[16];
	uint8_t dst[16];
	bool has_proto;
	bool has_ports;
	bool has_icmp_type;
	bool has_icmp_code;
	bool has_tcp_flags;
	uint8_t proto;
	uint16_t sport;
	uint16_t dport;
	uint8_t icmp_type;
	uint8_t icmp_code;
	uint16_t tcp_flags; /* octets 13-14, data offset nibble cleared */
	uint32_t length;    /* IP total length, header included */
	uint8_t dscp;
	uint8_t fragment; /* DF 1, IsF 2, FF 4, LF 8 */
	uint32_t flow_label;
	bool later_fragment; /* offset != 0 */
};

/* One entry of an ordered rule list. */
struct fgo_entry {
	struct fgo_rule rule;
	struct fgo_actions act;
	uint32_t tag; /* caller's own number */
};

#define FGO_MAX_MATCHED 64

struct fgo_verdict {
	enum fgo_outcome outcome;
	int first;              /* index of the first matching rule, -1 none */
	unsigned int n_matched; /* matched rules in order, up to the first without T */
	int matched[FGO_MAX_MATCHED];
	bool discard;
	bool sample;
	bool has_mark;
	uint8_t mark;
	unsigned int n_policers; /* matched rules that limit a rate */
};

/**
 * fgo_decode - decode one NLRI field, length octets included.
 * @family: 4 or 6.
 * @ret_used: octets of the field, set also for FGO_MALFORMED; untouched for FGO_FRAMING.
 * @ret_rule: filled only for FGO_VALID.
 */
enum fgo_status fgo_decode(uint8_t family, const uint8_t *buf, size_t len, size_t *ret_used,
			   struct fgo_rule *ret_rule);

/** fgo_decode_value - decode an NLRI value without its length octets; same results, never FGO_FRAMING. */
enum fgo_status fgo_decode_value(uint8_t family, const uint8_t *buf, size_t len,
				 struct fgo_rule *ret_rule);

/** fgo_cmp - RFC 8955 5.1 / 8956 4: below 0 when @a comes first, above 0 when @b does, 0 for the same rule. */
int fgo_cmp(const struct fgo_rule *a, const struct fgo_rule *b);

/** fgo_sort - bring a list into matching order. */
void fgo_sort(struct fgo_entry *list, size_t n);

/**
 * fgo_actions_decode - read extended communities, 8 octets each.
 * Returns false when they are unusable (length no multiple of 8, a NaN rate): treat-as-withdraw.
 */
bool fgo_actions_decode(const uint8_t *buf, size_t len, struct fgo_actions *ret_act);

/** fgo_packet_parse - what a raw Ethernet frame shows to the components. */
void fgo_packet_parse(const uint8_t *frame, size_t len, struct fgo_packet *ret_pkt);

/** fgo_list_holds - evaluate the operator list of @c (not a prefix) on one field value. */
bool fgo_list_holds(const struct fgo_rule *rule, const struct fgo_comp *c, uint64_t data);

/** fgo_rule_matches - all components hold. */
bool fgo_rule_matches(const struct fgo_rule *rule, const struct fgo_packet *pkt);

/** fgo_evaluate - judge a frame by an ordered list of rules (both families may be mixed). */
void fgo_evaluate(const struct fgo_entry *list, size_t n, const uint8_t *frame, size_t len,
		  struct fgo_verdict *ret_verdict);

/** fgo_evaluate_packet - the same for a parsed packet. */
void fgo_evaluate_packet(const struct fgo_entry *list, size_t n, const struct fgo_packet *pkt,
			 struct fgo_verdict *ret_verdict);

#endif /* FGO_ORACLE_H */
