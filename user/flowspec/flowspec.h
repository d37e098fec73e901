/* SPDX-License-Identifier: MIT */
/* FlowSpec rules: the NLRI codec, its text form, order and identity (RFC 8955, RFC 8956). Pure, never logs. */
#ifndef FG_FLOWSPEC_FLOWSPEC_H
#define FG_FLOWSPEC_FLOWSPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fltgate/packet.h"
#include "util/buf.h"
#include "util/error.h"

#define FG_NLRI_MAX 4095 /* octets of one NLRI value, RFC 8955 section 4.1 */
#define FG_FLOW_OPS_MAX 2048

/* Component types, RFC 8955 section 4.2.2 and RFC 8956 section 3. */
enum fg_flow_type {
	FG_FLOW_DST = 1,
	FG_FLOW_SRC = 2,
	FG_FLOW_PROTOCOL = 3,
	FG_FLOW_PORT = 4,
	FG_FLOW_DPORT = 5,
	FG_FLOW_SPORT = 6,
	FG_FLOW_ICMP_TYPE = 7,
	FG_FLOW_ICMP_CODE = 8,
	FG_FLOW_TCP_FLAGS = 9,
	FG_FLOW_LENGTH = 10,
	FG_FLOW_DSCP = 11,
	FG_FLOW_FRAGMENT = 12,
	FG_FLOW_LABEL = 13,
	FG_FLOW_TYPES = 14,
};

/* Operator bits as on the wire (RFC 8955 section 4.2.1). LT/GT/EQ: numeric types; NOT/MATCH: types 9, 12. */
enum fg_flow_op_bits {
	FG_OP_END = 0x80,
	FG_OP_AND = 0x40,
	FG_OP_LEN = 0x30,
	FG_OP_LT = 0x04,
	FG_OP_GT = 0x02,
	FG_OP_EQ = 0x01,
	FG_OP_NOT = 0x02,
	FG_OP_MATCH = 0x01,
};

/* @bits: AND and the comparison bits only. @width: octets of the value on the wire, 1, 2, 4 or 8. */
struct fg_flow_op {
	uint8_t bits;
	uint8_t width;
	uint64_t value; /* host byte order */
};

/* @addr: for IPv4 the first four octets; bits outside [offset, length) are zero. The pattern stands at its
 * place in the address (not shifted as on the wire). Network byte order. */
struct fg_flow_prefix {
	uint8_t length;
	uint8_t offset; /* IPv6 only */
	uint8_t addr[16];
};

/* A decoded rule. @present has bit (1 << type) per component. Ops of a list: op[first[type]] .. +count. */
struct fg_flow {
	enum fg_family family;
	uint16_t present;
	uint16_t n_ops;
	uint16_t first[FG_FLOW_TYPES];
	uint16_t count[FG_FLOW_TYPES];
	struct fg_flow_prefix dst, src;
	struct fg_flow_op op[FG_FLOW_OPS_MAX];
};

/* Where and why decoding stopped. @octet counts from 0 at the start of the decoded buffer. */
struct fg_flow_fault {
	size_t octet;
	char reason[96];
};

/* Decodes one NLRI, length octets included, at @field (RFC 8955 section 4.1; the two-octet form is accepted
 * for short rules too). *ret_used is set on 0 and -EBADMSG to the octets it occupies; *ret_flow is undefined
 * on failure. @fault may be NULL.
 * 0; -EBADMSG: content malformed, boundaries known (treat-as-withdraw, RFC 7606); -EPROTO: framing lost. */
int fg_flow_decode_field(enum fg_family family, const uint8_t *field, size_t len,
			 struct fg_flow *ret_flow, size_t *ret_used, struct fg_flow_fault *fault);

/* Decodes one NLRI value (no length octets). 0, or -EBADMSG and *ret_flow is undefined. */
int fg_flow_decode(enum fg_family family, const uint8_t *value, size_t len,
		   struct fg_flow *ret_flow, struct fg_flow_fault *fault);

/* Writes the normalised value: must-ignore bits, pad bits and the first AND cleared. Returns its length,
 * or -EMSGSIZE above @size. */
int fg_flow_encode(const struct fg_flow *flow, uint8_t *out, size_t size);

/* Writes the length octets (1 or 2) for a value of @len; returns their number. */
size_t fg_flow_encode_length(size_t len, uint8_t out[2]);

/* Order of precedence of two normalised values of one family: <0: a first. RFC 8955 5.1, RFC 8956 4. Total. */
int fg_flow_compare(enum fg_family family, const uint8_t *a, size_t a_len, const uint8_t *b,
		    size_t b_len);

/* Identity of a rule: hash of family and normalised value; the same in every process and version. Never 0. */
uint64_t fg_flow_id(enum fg_family family, const uint8_t *value, size_t len);

/* Appends the rule as statements of a Junos `match` block, e.g.
 * "protocol udp; destination-port 40795; destination 25.151.12.56/32;" (the keywords of flowspec/text.c). */
void fg_flow_print(const struct fg_flow *flow, struct fg_buf *out);

/* Adds one statement of a match block to a rule being built, in any order of statements.
 * @keyword e.g. "destination-port", @value e.g. "80", "468-1500", "[ 80 443 8000-8100 ]", "!=80&>=10",
 * "syn+ack" (one operator, both set), "syn&!ack", "any(syn+ack)", "2001:db8::/32", "::12:0/112 offset 96"; brackets
 * and quotes removed by the caller is fine too: values separated by blanks. The grammar is at the head of
 * text_parse.c. -EINVAL with @err otherwise. Start from fg_flow_init(). Ops are stored so that
 * fg_flow_encode() gives the canonical value. */
void fg_flow_init(struct fg_flow *flow, enum fg_family family);
int fg_flow_add_text(struct fg_flow *flow, const char *keyword, const char *value,
		     struct fg_error *err);

/* Match keyword number @i of the text form (for completion and nearest-word), NULL past the end. */
const char *fg_flow_keyword(size_t i);

#endif
