/* SPDX-License-Identifier: MIT */
/* The families that sessions are about, and what of the path attributes outlives its UPDATE. */
#ifndef FG_BGP_PATH_H
#define FG_BGP_PATH_H

#include <stdint.h>

#include "flowspec/flowspec.h"

/* Bits of `families` everywhere in bgp/; the flow families have the numbers of enum fg_family. */
enum fg_bgp_family {
	FG_BGP_INET_FLOW = FG_INET,
	FG_BGP_INET6_FLOW = FG_INET6,
	FG_BGP_INET_UNICAST,
	FG_BGP_INET6_UNICAST,
	FG_BGP_FAMILIES,
};

#define FG_BGP_FLOW_BITS ((1U << FG_FAMILIES) - 1)
#define FG_BGP_ALL_BITS ((1U << FG_BGP_FAMILIES) - 1)
/* The unicast family of an enum fg_family. */
#define FG_BGP_UNICAST(family) ((family) + FG_FAMILIES)

#define FG_AS_UNKNOWN \
	UINT32_MAX /* the path begins with a set (RFC 9774); RFC 7300: nobody's number */

/* What validation and the choice of the best route want to know of an announcement's attributes. */
struct fg_path {
	uint32_t as;         /* leftmost AS of AS_PATH, confederation left out; 0: our own AS */
	uint32_t originator; /* ORIGINATOR_ID, network byte order; 0: the peer itself */
	uint32_t local_pref;
	uint16_t length;  /* of AS_PATH (RFC 4271 section 9.1.2.2) */
	uint8_t origin;   /* 0 IGP, 1 EGP, 2 incomplete */
	uint8_t external; /* 1: of a peer in another AS */
};

#endif
