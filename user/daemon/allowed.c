// SPDX-License-Identifier: MIT
/* The allowed-destinations check: may this peer say anything about this destination? */
#include <string.h>

#include "daemon/daemon.h"

static bool first_bits_equal(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

bool fg_destination_allowed(const struct fg_conf_address *allowed, size_t n, enum fg_family family,
			    const struct fg_flow *flow)
{
	bool has_destination = flow->present & (1U << FG_FLOW_DST);

	if (n == 0)
		return true;
	/* Without a destination the rule is about everybody's traffic, and a pattern behind an
	 * offset (RFC 8956 section 3.1) does not fix the leading bits. */
	if (!has_destination || flow->dst.offset)
		return false;
	for (size_t i = 0; i < n; i++)
		if (allowed[i].family == family && flow->dst.length >= allowed[i].prefix_len &&
		    first_bits_equal(flow->dst.addr, allowed[i].addr, allowed[i].prefix_len))
			return true;
	return false;
}
