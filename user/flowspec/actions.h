/* SPDX-License-Identifier: MIT */
/* FlowSpec actions: extended communities of RFC 8955 section 7 and RFC 8956, to and from Junos `then` text. */
#ifndef FG_FLOWSPEC_ACTIONS_H
#define FG_FLOWSPEC_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

enum fg_action_bits {
	FG_ACTION_RATE_BYTES = 1,   /* 0x8006 */
	FG_ACTION_RATE_PACKETS = 2, /* 0x800c */
	FG_ACTION_CONTINUE = 4,     /* 0x8007 T: go on with the next rule */
	FG_ACTION_SAMPLE = 8,       /* 0x8007 S */
	FG_ACTION_MARK = 16,        /* 0x8009 */
	FG_ACTION_REDIRECT_RT = 32, /* 0x8008, 0x8108, 0x8208, attribute 25 000d / 800b */
	FG_ACTION_REDIRECT_IP = 64, /* 0x0800 with next hop, 0x010c, attribute 25 000c */
	FG_ACTION_COPY = 128,       /* redirect-to-IP's copy bit */
	FG_ACTION_ACCEPT = 256,     /* written out in configuration text; the same as no action */
};

/* Rates: bytes or packets per second, >= 0; INFINITY = no limit; 0 = discard (negative and -0 became 0).
 * The lowest rate counts when a kind is given twice. */
struct fg_actions {
	uint32_t set; /* enum fg_action_bits */
	float rate_bytes;
	float rate_packets;
	uint8_t dscp;
	char redirect[64]; /* text of the target: "65000:100", "65536L:100", "192.0.2.1", "2001:db8::1", or
			    * "next-hop": the one of MP_REACH (Simpson draft) */
};

/* Decodes attribute 16 (@len a multiple of 8) and attribute 25 (@v6_len a multiple of 20; NULL, 0 if none).
 * Unknown communities are ignored (RFC 8955 section 7). 0; -EBADMSG with @err: bad attribute length or a rate
 * that is NaN -> treat-as-withdraw (RFC 7606 section 7.14; NaN is our decision). */
int fg_actions_decode(const uint8_t *ext, size_t len, const uint8_t *v6_ext, size_t v6_len,
		      struct fg_actions *ret, struct fg_error *err);

/* True when a rate of 0 was asked for: the packet is dropped. */
bool fg_actions_discard(const struct fg_actions *actions);

/* Appends statements of a Junos `then` block: "discard;", "rate-limit 1m;", "accept;" when nothing is set. */
void fg_actions_print(const struct fg_actions *actions, struct fg_buf *out);

/* Adds one statement of a `then` block: keyword (see fg_actions_keyword()) and value ("" if none).
 * "rate-limit 1m" is bits per second as in Junos (k, m, g decimal; "unlimited"), "rate-limit-packets 1k" packets per
 * second, "mark ef", "redirect target:65000:100", "redirect 192.0.2.1 [copy]". -EINVAL with @err: nothing to rely
 * on in @actions then. Start from a zeroed struct. */
int fg_actions_add_text(struct fg_actions *actions, const char *keyword, const char *value,
			struct fg_error *err);

/* Then keyword number @i, NULL past the end. */
const char *fg_actions_keyword(size_t i);

#endif
