/* SPDX-License-Identifier: MIT */
/* Builds raw Ethernet frames from a field-by-field description, right or deliberately wrong. */
#ifndef FGO_FRAME_H
#define FGO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FGO_MAX_TAGS 4
#define FGO_MAX_EXT 12
#define FGO_MAX_FRAME 2048

/* One IPv6 extension header: its number and the value of its length field. A Fragment header (44) has none: there
 * 0 takes offset and MF from the model, anything else makes it a first fragment. */
struct fgo_ext {
	uint8_t type;
	uint8_t len;
};

/* All zero is no valid frame: start from fgo_model_v4() or fgo_model_v6(). Numbers in host order. */
struct fgo_model {
	uint8_t family; /* 4, 6, 0 = payload right after the ethertype */
	uint8_t n_tags;
	uint16_t tag_type[FGO_MAX_TAGS];
	uint16_t tci[FGO_MAX_TAGS];
	uint16_t ethertype;
	uint8_t src[16];
	uint8_t dst[16];
	uint8_t version; /* IP version field */
	uint8_t tos;
	uint8_t ttl;
	uint8_t proto;
	uint8_t options;  /* IPv4: 4-octet option words */
	int8_t ihl_delta; /* IPv4: added to the IHL field only */
	bool df;
	bool mf;
	uint16_t frag_off; /* in 8-octet units; IPv6: goes into the ext header of type 44 */
	uint32_t flow_label;
	uint8_t n_ext;
	struct fgo_ext ext[FGO_MAX_EXT];
	uint16_t sport;
	uint16_t dport;
	uint8_t icmp_type;
	uint8_t icmp_code;
	uint16_t tcp_flags;     /* octets 13-14 with the data offset nibble */
	uint16_t l4_len;        /* octets after the last IP header */
	uint8_t fill;           /* seeds the octets that mean nothing */
	const uint8_t *payload; /* overrides the first l4 octets */
	uint16_t payload_len;
	int32_t ip_len_delta;  /* added to the IP length field only */
	bool zero_payload_len; /* IPv6: length field 0 */
	uint16_t padding;      /* Ethernet octets after the IP packet */
	uint16_t cut;          /* octets missing at the end of the frame */
};

/** fgo_model_v4 - 192.0.2.1 to 198.51.100.1, DF, TTL 64, @proto with its usual header and no data. */
struct fgo_model fgo_model_v4(uint8_t proto);

/** fgo_model_v6 - 2001:db8::1 to 2001:db8::2, hop limit 64. */
struct fgo_model fgo_model_v6(uint8_t proto);

/** fgo_frame_build - write the frame; returns its length, at most @cap. */
size_t fgo_frame_build(const struct fgo_model *m, uint8_t *out, size_t cap);

/** fgo_ext_len - octets that an extension header takes. */
size_t fgo_ext_len(const struct fgo_ext *e);

/** fgo_csum - the Internet checksum of @len octets. */
uint16_t fgo_csum(const uint8_t *p, size_t len);

#endif /* FGO_FRAME_H */
