// SPDX-License-Identifier: MIT
/* Decodes the extended communities that carry FlowSpec actions (RFC 8955 section 7, RFC 8956 section 6). */
#include "flowspec/actions.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

#define COMMUNITY 8     /* octets of one in attribute 16, RFC 4360 */
#define COMMUNITY_V6 20 /* octets of one in attribute 25, RFC 5701 */

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

/* IEEE-754 single. Negative MUST count as 0 (RFC 8955 section 7.1), and -0.0 is 0. */
static int decode_rate(const uint8_t *c, bool seen, float *rate, struct fg_error *err)
{
	uint32_t bits = be32(c + 4);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (isnan(value))
		return fg_error_set(err, -EBADMSG, "traffic rate is not a number (%02x%02x)", c[0],
				    c[1]);
	if (value <= 0)
		value = 0;
	if (!seen || value < *rate)
		*rate = value;
	return 0;
}

static int rate_bytes(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	int ret = decode_rate(c, a->set & FG_ACTION_RATE_BYTES, &a->rate_bytes, err);

	a->set |= FG_ACTION_RATE_BYTES;
	return ret;
}

static int rate_packets(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	int ret = decode_rate(c, a->set & FG_ACTION_RATE_PACKETS, &a->rate_packets, err);

	a->set |= FG_ACTION_RATE_PACKETS;
	return ret;
}

static int traffic_action(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	/* Section 7.3: T (last bit) set = go on with the next rule; S = sample. */
	a->set |= (c[7] & 1 ? FG_ACTION_CONTINUE : 0) | (c[7] & 2 ? FG_ACTION_SAMPLE : 0);
	return 0;
}

static int marking(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	a->set |= FG_ACTION_MARK;
	a->dscp = c[7] & 0x3f;
	return 0;
}

/* Notes where to redirect. Of several redirects the first counts: one packet can go one way only. */
__attribute__((format(printf, 4, 5))) static void redirect(struct fg_actions *a, unsigned kind,
							   bool copy, const char *format, ...)
{
	va_list ap;

	if (a->set & (FG_ACTION_REDIRECT_RT | FG_ACTION_REDIRECT_IP))
		return;
	a->set |= kind | (copy ? FG_ACTION_COPY : 0);
	va_start(ap, format);
	(void)vsnprintf(a->redirect, sizeof(a->redirect), format, ap);
	va_end(ap);
}

static int redirect_as2(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	redirect(a, FG_ACTION_REDIRECT_RT, false, "%u:%u", be16(c + 2), be32(c + 4));
	return 0;
}

static int redirect_ip4(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	redirect(a, FG_ACTION_REDIRECT_RT, false, "%u.%u.%u.%u:%u", c[2], c[3], c[4], c[5],
		 be16(c + 6));
	return 0;
}

/* Junos marks a four-octet AS number by L. */
static int redirect_as4(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	redirect(a, FG_ACTION_REDIRECT_RT, false, "%uL:%u", be32(c + 2), be16(c + 6));
	return 0;
}

static int redirect_to_next_hop(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	redirect(a, FG_ACTION_REDIRECT_IP, c[7] & 1, "next-hop");
	return 0;
}

static int redirect_to_ip4(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	(void)err;
	redirect(a, FG_ACTION_REDIRECT_IP, c[7] & 1, "%u.%u.%u.%u", c[2], c[3], c[4], c[5]);
	return 0;
}

static const char *address6(const uint8_t *addr, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(AF_INET6, addr, text, INET6_ADDRSTRLEN) ? text : "";
}

static int redirect_rt6(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	char text[INET6_ADDRSTRLEN];

	(void)err;
	redirect(a, FG_ACTION_REDIRECT_RT, false, "%s:%u", address6(c + 2, text), be16(c + 18));
	return 0;
}

static int redirect_to_ip6(const uint8_t *c, struct fg_actions *a, struct fg_error *err)
{
	char text[INET6_ADDRSTRLEN];

	(void)err;
	redirect(a, FG_ACTION_REDIRECT_IP, c[19] & 1, "%s", address6(c + 2, text));
	return 0;
}

/* What a community of a type (its first two octets) does. */
struct handler {
	unsigned type;
	int (*decode)(const uint8_t *community, struct fg_actions *actions, struct fg_error *err);
};

static const struct handler handlers[] = {
	{ 0x8006, rate_bytes },   { 0x800c, rate_packets },         { 0x8007, traffic_action },
	{ 0x8009, marking },      { 0x8008, redirect_as2 },         { 0x8108, redirect_ip4 },
	{ 0x8208, redirect_as4 }, { 0x0800, redirect_to_next_hop }, { 0x010c, redirect_to_ip4 },
};

/* 0x800b: older senders of RFC 8956's 0x000d. */
static const struct handler handlers_v6[] = {
	{ 0x000d, redirect_rt6 },
	{ 0x800b, redirect_rt6 },
	{ 0x000c, redirect_to_ip6 },
};

static int decode_one(const struct handler *table, size_t n, const uint8_t *community,
		      struct fg_actions *actions, struct fg_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].type == be16(community))
			return table[i].decode(community, actions, err);
	}
	return 0;
}

int fg_actions_decode(const uint8_t *ext, size_t len, const uint8_t *v6_ext, size_t v6_len,
		      struct fg_actions *ret, struct fg_error *err)
{
	struct fg_actions actions = { 0 };
	int code = 0;

	if (len % COMMUNITY)
		return fg_error_set(err, -EBADMSG,
				    "extended communities have %zu octets, not a multiple of 8",
				    len);
	if (v6_len % COMMUNITY_V6)
		return fg_error_set(
			err, -EBADMSG,
			"IPv6 extended communities have %zu octets, not a multiple of 20", v6_len);
	for (size_t i = 0; !code && i < len; i += COMMUNITY)
		code = decode_one(handlers, FG_ARRAY_SIZE(handlers), ext + i, &actions, err);
	for (size_t i = 0; !code && i < v6_len; i += COMMUNITY_V6)
		code = decode_one(handlers_v6, FG_ARRAY_SIZE(handlers_v6), v6_ext + i, &actions,
				  err);
	if (!code)
		*ret = actions;
	return code;
}

bool fg_actions_discard(const struct fg_actions *actions)
{
	return (actions->set & FG_ACTION_RATE_BYTES && actions->rate_bytes <= 0) ||
	       (actions->set & FG_ACTION_RATE_PACKETS && actions->rate_packets <= 0);
}
