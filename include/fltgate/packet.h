/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* The packet record: what the gate parsed, one 32-bit word per matchable field, handed from stage to stage. */
#ifndef FLTGATE_PACKET_H
#define FLTGATE_PACKET_H

#include <linux/types.h>

/* Address families of FlowSpec rules; also the index of a family's tables. */
enum fg_family {
	FG_INET = 0,
	FG_INET6 = 1,
	FG_FAMILIES = 2,
};

/* Matchable fields of a packet: X(NAME, text used by explain). Addresses are four words, most significant
 * first; IPv4 uses word 0 only. Every word holds the field in host byte order. */
#define FG_FIELDS(X)                 \
	X(DST0, "destination")       \
	X(DST1, "destination")       \
	X(DST2, "destination")       \
	X(DST3, "destination")       \
	X(SRC0, "source")            \
	X(SRC1, "source")            \
	X(SRC2, "source")            \
	X(SRC3, "source")            \
	X(PROTOCOL, "protocol")      \
	X(SPORT, "source-port")      \
	X(DPORT, "destination-port") \
	X(ICMP_TYPE, "icmp-type")    \
	X(ICMP_CODE, "icmp-code")    \
	X(TCP_FLAGS, "tcp-flags")    \
	X(LENGTH, "packet-length")   \
	X(DSCP, "dscp")              \
	X(FRAGMENT, "fragment")      \
	X(FLOW_LABEL, "flow-label")

enum fg_field {
#define FG_FIELD_ENUM(name, text) FG_FIELD_##name,
	FG_FIELDS(FG_FIELD_ENUM)
#undef FG_FIELD_ENUM
		FG_FIELD_MAX,
};

/* Room for the fields, a power of two so that BPF can bound an index by a mask. */
#define FG_FIELD_SLOTS 32

/* Bits of FG_FIELD_FRAGMENT, as RFC 8955 section 4.2.2.12 numbers them. */
enum fg_fragment {
	FG_FRAG_DF = 1,  /* don't fragment, IPv4 only */
	FG_FRAG_ISF = 2, /* is a fragment: offset != 0 */
	FG_FRAG_FF = 4,  /* first: offset == 0 and MF */
	FG_FRAG_LF = 8,  /* last: offset != 0 and not MF */
};

/* One chain of candidate rules, walked in rank order. @next is the rule to try, FG_NO_RULE at the end. */
struct fg_head {
	__u32 next;
	__u32 pos; /* index into the chains table; FG_HEAD_SEQUENTIAL: the rule index itself */
	__u32 end; /* one past the last position */
	__u32 sequential;
};

#define FG_NO_RULE 0xffffffffU
#define FG_TUPLES_MAX 64

/* Most policers one packet passes through when rules with the T bit are collected. */
#define FG_POLICERS_MAX 8

/* What the matched rules asked for, collected in rank order. */
struct fg_collected {
	__u32 rule;    /* first matched rule (index in its generation), FG_NO_RULE if none */
	__u32 counter; /* counter slot of that rule */
	__u8 discard;
	__u8 sample;
	__u8 has_dscp;
	__u8 dscp;
	__u32 n_policers;
	__u32 policers[FG_POLICERS_MAX]; /* rule indexes that police, applied in this order */
};

/* Per-CPU, rewritten for every packet; never packet metadata (libxdp's dispatcher may forbid it). */
struct fg_packet {
	__u32 field[FG_FIELD_SLOTS];
	__u32 present; /* bit per enum fg_field: the packet carries it */
	__u32 family;  /* enum fg_family */
	__u32 table;   /* index into the outer maps: family and generation */
	__u32 frame_len;
	__u32 l3_offset;
	__u32 note;      /* enum fg_note or 0 */
	__u32 hop_limit; /* TTL / hop limit, for the guard */
	__u32 n_heads;
	__u32 deferred;   /* DMEM: the residual program looks for the candidates */
	struct fg_collected got;
	struct fg_head head[FG_TUPLES_MAX];
};

#endif
