// SPDX-License-Identifier: MIT
/* Oracle: read the traffic filtering actions (RFC 8955 section 7) out of extended communities. */
#include "oracle.h"

#include <math.h>
#include <string.h>

/* The IEEE-754 single in the last four octets of a rate community. */
static float rate_of(const uint8_t *com)
{
	uint32_t bits =
		(uint32_t)com[4] << 24 | (uint32_t)com[5] << 16 | (uint32_t)com[6] << 8 | com[7];
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* False for NaN. A rate of zero or below discards; +Inf limits nothing. The lowest of several rules. */
static bool rate(const uint8_t *com, bool *discard, bool *has, float *value)
{
	float f = rate_of(com);

	if (isnan(f))
		return false;
	if (f <= 0) {
		*discard = true;
	} else if (!isinf(f) && (!*has || f < *value)) {
		*has = true;
		*value = f;
	}
	return true;
}

static bool one(const uint8_t *com, struct fgo_actions *a)
{
	switch (com[0] << 8 | com[1]) {
	case 0x8006:
		return rate(com, &a->discard, &a->has_bytes, &a->rate_bytes);
	case 0x800c:
		return rate(com, &a->discard, &a->has_packets, &a->rate_packets);
	case 0x8007:
		a->go_on |= (com[7] & 1) != 0;
		a->sample |= (com[7] & 2) != 0;
		return true;
	case 0x8009:
		a->has_mark = true;
		a->mark = com[7] & 0x3f;
		return true;
	case 0x8008:
	case 0x8108:
	case 0x8208:
	case 0x800b:
	case 0x0800:
	case 0x010c:
		a->redirect = true;
		return true;
	default:
		return true; /* unknown is not an error */
	}
}

bool fgo_actions_decode(const uint8_t *buf, size_t len, struct fgo_actions *ret_act)
{
	struct fgo_actions a = { 0 };

	if (len % 8)
		return false;
	for (size_t i = 0; i < len; i += 8) {
		if (!one(buf + i, &a))
			return false;
	}
	*ret_act = a;
	return true;
}
