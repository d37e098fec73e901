// SPDX-License-Identifier: MIT
/* The BGP codec: hand-made octets in, what they mean or which NOTIFICATION they earn out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bgp/msg.h"
#include "util/buf.h"

struct octets {
	size_t len;
	uint8_t data[8192];
};

/* Hexadecimal text, blanks allowed. */
static void add_hex(struct octets *out, const char *hex)
{
	while (*hex) {
		unsigned value;

		if (*hex == ' ') {
			hex++;
			continue;
		}
		assert_int_equal(sscanf(hex, "%2x", &value), 1);
		out->data[out->len++] = value;
		hex += 2;
	}
}

static struct octets hex(const char *text)
{
	struct octets out = { 0 };

	add_hex(&out, text);
	return out;
}

static void log_rule(void *arg, enum fg_family family, const uint8_t *nlri, size_t len,
		     const struct fg_actions *actions, const struct fg_path *path)
{
	assert_true(!actions == !path);
	fg_buf_printf(arg, "%c%c ", actions ? '+' : '-', family == FG_INET ? '4' : '6');
	for (size_t i = 0; i < len; i++)
		fg_buf_printf(arg, "%02x", nlri[i]);
	if (actions) {
		fg_buf_printf(arg, " ");
		fg_actions_print(actions, arg);
		fg_buf_printf(arg, "%s%s", actions->redirect[0] ? " to " : "", actions->redirect);
	}
	fg_buf_printf(arg, "\n");
}

static void log_unicast(void *arg, enum fg_family family, const uint8_t *addr, unsigned len,
			const struct fg_path *path)
{
	fg_buf_printf(arg, "%c%c ", path ? '=' : '~', family == FG_INET ? '4' : '6');
	for (unsigned i = 0; i < (len + 7) / 8; i++)
		fg_buf_printf(arg, "%02x", addr[i]);
	fg_buf_printf(arg, "/%u", len);
	if (path)
		fg_buf_printf(arg, " as %u length %u origin %u pref %u id %x%s", path->as,
			      path->length, path->origin, path->local_pref, ntohl(path->originator),
			      path->external ? " external" : "");
	fg_buf_printf(arg, "\n");
}

static void log_end_of_rib(void *arg, enum fg_bgp_family family)
{
	fg_buf_printf(arg, "end %s\n", (const char *[]){ "4", "6", "u4", "u6" }[family]);
}

static void log_malformed(void *arg, size_t rules, const char *reason)
{
	assert_true(reason[0]);
	fg_buf_printf(arg, "malformed %zu\n", rules);
}

static void log_ignored(void *arg, uint16_t afi, uint8_t safi, size_t octets)
{
	fg_buf_printf(arg, "ignored %u/%u %zu\n", afi, safi, octets);
}

static const struct fg_bgp_update_events log_events = { log_rule, log_unicast, log_end_of_rib,
							log_malformed, log_ignored };

#define ORIGIN "40010100"
#define AS_PATH "400206 0201 0000fde8"
#define BASE ORIGIN AS_PATH
#define DISCARD "c01008 8006000000000000"
#define RULE "0b 0118c00002038106048119"
#define RULE2 "03 038111"
/* MP_REACH of RULE, next-hop length 0. */
#define REACH "800e11 0001850000" RULE
#define ADDED "+4 0118c00002038106048119 discard;\n"
#define REMOVED "-4 0118c00002038106048119\n"

struct update_case {
	const char *name, *attributes;
	const char *want; /* NULL: a NOTIFICATION 3/@subcode */
	uint8_t subcode;
};

static const struct update_case update_cases[] = {
	{ "one rule", BASE REACH DISCARD, ADDED, 0 },
	{ "MP_REACH last", BASE DISCARD REACH, ADDED, 0 },
	{ "extended attribute length", BASE "900e0011 0001850000" RULE DISCARD, ADDED, 0 },
	{ "C51 next hop of 4", BASE DISCARD "800e15 00018504c000020100" RULE, ADDED, 0 },
	{ "C51 next hop of 16",
	  BASE DISCARD "800e21 00018510 20010db8000000000000000000000001 00" RULE, ADDED, 0 },
	{ "C52 two rules", BASE DISCARD "800e15 0001850000" RULE RULE2,
	  ADDED "+4 038111 discard;\n", 0 },
	{ "other spelling, same key", BASE DISCARD "800e0d 0001850000 f006 038906048119",
	  "+4 038106048119 discard;\n", 0 },
	{ "IPv6", BASE DISCARD "800e09 0002850000 03 03813a", "+6 03813a discard;\n", 0 },
	{ "withdraw", "800f0f 000185" RULE, REMOVED, 0 },
	{ "withdraw and announce: announced", BASE DISCARD "800f0f 000185" RULE REACH,
	  REMOVED ADDED, 0 },
	{ "end of rib", "800f03 000185", "end 4\n", 0 },
	{ "end of rib, extended length", "900f0003 000285", "end 6\n", 0 },
	{ "not an end of rib: MP_REACH beside it", BASE REACH DISCARD "800f03 000185", ADDED, 0 },
	{ "empty: unicast end of rib", "", "", 0 },
	{ "no action", BASE REACH, "+4 0118c00002038106048119 accept;\n", 0 },
	{ "unknown community is no error", BASE REACH "c01010 4302000000000001 8006000000000000",
	  ADDED, 0 },
	{ "C42 Simpson redirect",
	  BASE "c01008 0800000000000000"
	       "800e15 00018504c000026300" RULE,
	  "+4 0118c00002038106048119 redirect 192.0.2.99; to 192.0.2.99\n", 0 },

	{ "C22 empty NLRI", BASE DISCARD "800e06 0001850000 00", "malformed 1\n", 0 },
	{ "C22 empty NLRI, then a good one", BASE DISCARD "800e12 0001850000 00" RULE,
	  "malformed 1\n" ADDED, 0 },
	{ "C3 wrong order, then a good one",
	  BASE DISCARD "800e1f 0001850000 0d 038106 01180a0002 0218140000" RULE,
	  "malformed 1\n" ADDED, 0 },
	{ "bad withdraw", "800f05 000185 01 03", "malformed 1\n", 0 },
	{ "C46 communities of 7", BASE REACH "c01007 80060000000000", REMOVED "malformed 1\n", 0 },
	{ "communities of 0", BASE REACH "c01000", REMOVED "malformed 1\n", 0 },
	{ "IPv6 communities of 19", BASE REACH "c01913 00000000000000000000000000000000000000",
	  REMOVED "malformed 1\n", 0 },
	{ "rate is NaN", BASE REACH "c01008 800600007fc00000", REMOVED "malformed 1\n", 0 },
	{ "bad attribute, two rules",
	  BASE "c01007 80060000000000"
	       "800e15 0001850000" RULE RULE2,
	  REMOVED "-4 038111\n"
		  "malformed 2\n",
	  0 },
	{ "bad ORIGIN", "40010103" AS_PATH REACH DISCARD, REMOVED "malformed 1\n", 0 },
	{ "ORIGIN of 2", "4001020000" AS_PATH REACH DISCARD, REMOVED "malformed 1\n", 0 },
	{ "ORIGIN optional", "c0010100" AS_PATH REACH DISCARD, REMOVED "malformed 1\n", 0 },
	{ "AS_PATH cut off", ORIGIN "400205 0201 0000fd" REACH DISCARD, REMOVED "malformed 1\n",
	  0 },
	{ "AS_PATH segment 9", ORIGIN "400206 0901 0000fde8" REACH DISCARD, REMOVED "malformed 1\n",
	  0 },
	{ "AS_PATH segment empty", ORIGIN "400202 0200" REACH DISCARD, REMOVED "malformed 1\n", 0 },
	{ "AS_PATH empty: from inside", ORIGIN "400200" REACH DISCARD, ADDED, 0 },
	{ "C50 MP_REACH alone", REACH, REMOVED "malformed 1\n", 0 },
	{ "second ORIGIN is discarded", BASE "40010109" REACH DISCARD, ADDED, 0 },
	{ "cut off after MP_REACH", BASE REACH DISCARD "c008ff 00", REMOVED "malformed 1\n", 0 },
	{ "LOCAL_PREF from outside is not looked at", BASE REACH DISCARD "40050100", ADDED, 0 },
	{ "unknown optional", BASE REACH DISCARD "e0630400000000", ADDED, 0 },

	{ "C54 SAFI 134", BASE DISCARD "800e13 0001860000 0d 0000fde800000001 0118c00002",
	  "ignored 1/134 14\n", 0 },
	{ "SAFI 134 withdraw", "800f11 000186 0d 0000fde800000001 0118c00002", "ignored 1/134 14\n",
	  0 },
	{ "IPv6 unicast", BASE "800e0a 0002010000 20 20010db8", "ignored 2/1 5\n", 0 },

	{ "C23 second length octet missing", BASE DISCARD "800e12 0001850000" RULE "f0", NULL, 10 },
	{ "C23 NLRI longer than the field",
	  BASE DISCARD "800e11 0001850000 0c 0118c00002038106048119", NULL, 10 },
	{ "framing lost in withdraw", "800f05 000185 0c03", NULL, 10 },
	{ "MP_REACH twice", BASE REACH REACH, NULL, 1 },
	{ "MP_UNREACH twice", "800f03000185 800f03000185", NULL, 1 },
	{ "MP_REACH of 4", BASE "800e04 00018500", NULL, 9 },
	{ "MP_UNREACH of 2", "800f02 0001", NULL, 9 },
	{ "next hop longer than the attribute", BASE "800e06 00018510 0000", NULL, 9 },
	{ "cut off before any MP attribute", BASE "c010ff 00", NULL, 1 },
	{ "attribute header cut off", "40", NULL, 1 },
	{ "unknown well-known", BASE "40630100" REACH, NULL, 2 },
};

/* The body of an UPDATE; unicast fields as given. */
static struct octets update(const char *withdrawn, const char *attributes, const char *nlri)
{
	struct octets out = { .len = 2 };
	size_t at;

	add_hex(&out, withdrawn);
	out.data[1] = out.len - 2;
	at = out.len;
	out.len += 2;
	add_hex(&out, attributes);
	out.data[at] = (out.len - at - 2) >> 8;
	out.data[at + 1] = out.len - at - 2;
	add_hex(&out, nlri);
	return out;
}

/* What the cases are decoded with. */
static struct fg_bgp_update_context context = { .as4 = true, .external = true, .families = 3 };

static int decode(const struct octets *body, struct fg_buf *log, struct fg_bgp_notification *fault)
{
	uint8_t *exact = malloc(body->len + 1); /* so that a sanitizer sees one octet too many */
	int ret;

	memcpy(exact, body->data, body->len);
	ret = fg_bgp_update_decode(exact, body->len, &context, &log_events, log, fault);
	free(exact);
	return ret;
}

static void expect_update(const struct update_case *c, const struct octets *body)
{
	struct fg_bgp_notification fault = { 0 };
	struct fg_buf log = { 0 };
	int ret = decode(body, &log, &fault);

	if (strcmp(fg_buf_text(&log), c->want ? c->want : "") || ret != (c->want ? 0 : -EPROTO))
		print_error("in case \"%s\": %d %s %u/%u\n", c->name, ret, fault.reason, fault.code,
			    fault.subcode);
	assert_string_equal(fg_buf_text(&log), c->want ? c->want : "");
	assert_int_equal(ret, c->want ? 0 : -EPROTO);
	assert_int_equal(fault.code, c->want ? 0 : FG_BGP_ERR_UPDATE);
	assert_int_equal(fault.subcode, c->subcode);
	fg_buf_free(&log);
}

static void updates(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(update_cases) / sizeof(update_cases[0]); i++) {
		struct octets body = update("", update_cases[i].attributes, "");

		expect_update(&update_cases[i], &body);
	}
}

static void unicast_fields(void **state)
{
	static const struct {
		const char *withdrawn, *nlri;
		struct update_case want;
	} cases[] = {
		{ "180a0000 00 200a000001", "10c000", { "well-formed", NULL, ADDED, 0 } },
		{ "21 0a00000000", "", { "length 33", NULL, NULL, 10 } },
		{ "180a00", "", { "withdrawn cut off", NULL, NULL, 10 } },
		{ "", "180a00", { "NLRI cut off", NULL, NULL, 10 } },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct octets body = update(cases[i].withdrawn, BASE REACH DISCARD, cases[i].nlri);

		expect_update(&cases[i].want, &body);
	}
}

#define NEXT_HOP "400304 c0000209"
#define SEEN " as 65000 length 1 origin 0 pref 100 id 0"

/* Sessions that have the unicast families: what validation needs to know (RFC 9117). */
static void unicast_routes(void **state)
{
	static const struct {
		bool internal;
		const char *withdrawn, *attributes, *nlri;
		const char *want;
		uint8_t subcode;
	} cases[] = {
		{ false, "", BASE NEXT_HOP, "180a0000 00 1f0a000001",
		  "=4 0a0000/24" SEEN " external\n=4 /0" SEEN " external\n"
		  "=4 0a000000/31" SEEN " external\n",
		  0 },
		{ false, "180a0000", "", "", "~4 0a0000/24\n", 0 },
		{ false, "", "", "", "end u4\n", 0 },
		{ false, "", "800f03 000201", "", "end u6\n", 0 },
		{ false, "", "800f08 000201 20 20010db8", "", "~6 20010db8/32\n", 0 },
		{ false, "",
		  BASE "800e1a 000201 10 20010db8000000000000000000000001 00 20 20010db8", "",
		  "=6 20010db8/32" SEEN " external\n", 0 },
		/* A rule and a prefix in one UPDATE. */
		{ false, "", BASE NEXT_HOP REACH DISCARD, "180a0000",
		  ADDED "=4 0a0000/24" SEEN " external\n", 0 },
		/* Treat-as-withdraw: no NEXT_HOP, no ORIGIN, AS 0, our own AS in the path. */
		{ false, "", BASE, "180a0000", "~4 0a0000/24\nmalformed 1\n", 0 },
		{ false, "", AS_PATH NEXT_HOP, "180a0000", "~4 0a0000/24\nmalformed 1\n", 0 },
		{ false, "", ORIGIN "400206 0201 00000000" NEXT_HOP, "180a0000",
		  "~4 0a0000/24\nmalformed 1\n", 0 },
		{ false, "", ORIGIN "40020a 0202 0000fde8 0000fdf2" NEXT_HOP, "180a0000",
		  "~4 0a0000/24\n", 0 },
		/* A set first; a confederation first, then a set behind a sequence of two. */
		{ false, "", ORIGIN "40020a 0102 0000fde8 0000fde9" NEXT_HOP, "180a0000",
		  "=4 0a0000/24 as 4294967295 length 1 origin 0 pref 100 id 0 external\n", 0 },
		{ true, "",
		  "40010102 40021a 0301 0000ffdc 0202 0000fde9 0000fdea 0102 0000fdeb 0000fdec" NEXT_HOP
		  "400504 000000c8 800904 0a000007",
		  "180a0000", "=4 0a0000/24 as 65001 length 3 origin 2 pref 200 id a000007\n", 0 },
		/* From another AS, ORIGINATOR_ID and LOCAL_PREF mean nothing. */
		{ false, "", BASE NEXT_HOP "400504 000000c8 800904 0a000007", "180a0000",
		  "=4 0a0000/24" SEEN " external\n", 0 },
		{ true, "", ORIGIN "400200" NEXT_HOP, "180a0000",
		  "=4 0a0000/24 as 0 length 0 origin 0 pref 100 id 0\n", 0 },
		{ false, "", BASE "800e16 000201 10 20010db8000000000000000000000001 00 81", "",
		  NULL, 10 },
		{ false, "", "800f04 000201 81", "", NULL, 10 },
	};
	const struct fg_bgp_update_context before = context;
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct octets body = update(cases[i].withdrawn, cases[i].attributes, cases[i].nlri);

		context = (struct fg_bgp_update_context){ .as4 = true,
							  .external = !cases[i].internal,
							  .local_as = 65010,
							  .families = 15 };
		expect_update(&(struct update_case){ cases[i].attributes, NULL, cases[i].want,
						     cases[i].subcode },
			      &body);
	}
	context = before;
}

static void field_lengths(void **state)
{
	static const char *const bodies[] = { "",          "00",        "0000",     "000000",
					      "0004 0000", "0000 0001", "ffff 0000" };
	(void)state;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct octets body = hex(bodies[i]);

		expect_update(&(struct update_case){ bodies[i], NULL, NULL, 1 }, &body);
	}
}

/* C53: 40 rules of 118 octets; the attribute is larger than any one rule may be. */
static void many_long_rules(void **state)
{
	struct octets body = update("", BASE DISCARD "900e 0000 0001850000", "");
	size_t attribute = body.len - 5, rules = 0;
	struct fg_bgp_notification fault;
	struct fg_buf log = { 0 };
	const char *p;
	(void)state;

	for (int rule = 0; rule < 40; rule++) {
		add_hex(&body, "76 0120c0000201"); /* 118 octets: 6 + 1 + 37 * 3 */
		body.data[body.len - 1] = rule;
		add_hex(&body, "05");
		for (int i = 0; i < 37; i++) {
			add_hex(&body, i == 36 ? "910000" : "110000");
			body.data[body.len - 1] = i;
		}
	}
	body.data[attribute - 2] = (body.len - attribute) >> 8;
	body.data[attribute - 1] = body.len - attribute;
	body.data[2] = (body.len - 4) >> 8;
	body.data[3] = body.len - 4;
	assert_int_equal(decode(&body, &log, &fault), 0);
	for (p = fg_buf_text(&log); (p = strstr(p, "+4 0120")); p++)
		rules++;
	assert_int_equal(rules, 40);
	assert_null(strstr(fg_buf_text(&log), "malformed"));
	fg_buf_free(&log);
}

/* Every update, cut short everywhere and with every octet changed: no crash, and no rule out of a lost frame. */
static void cut_and_changed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(update_cases) / sizeof(update_cases[0]); i++) {
		struct octets whole = update("", update_cases[i].attributes, "");

		for (size_t at = 0; at < whole.len; at++) {
			struct octets cut = { .len = at }, changed = whole;
			struct fg_bgp_notification fault;
			struct fg_buf log = { 0 };

			memcpy(cut.data, whole.data, at);
			if (decode(&cut, &log, &fault))
				assert_int_equal(log.len, 0);
			fg_buf_free(&log);
			changed.data[at] ^= 0xff;
			if (decode(&changed, &log, &fault))
				assert_int_equal(log.len, 0);
			fg_buf_free(&log);
		}
	}
}

static void headers(void **state)
{
#define MARKER "ffffffffffffffffffffffffffffffff"
	static const struct {
		const char *octets;
		int ret;
		uint8_t subcode;
		size_t max;
	} cases[] = {
		{ MARKER "001304", 0, 0, FG_BGP_MAX },
		{ MARKER "0013", -EAGAIN, 0, FG_BGP_MAX },
		{ "feffffffffffffffffffffffffffffff 001304", -EPROTO, 1, FG_BGP_MAX },
		{ MARKER "001204", -EPROTO, 2, FG_BGP_MAX },
		{ MARKER "001404", -EPROTO, 2, FG_BGP_MAX }, /* KEEPALIVE of 20 */
		{ MARKER "001c01", -EPROTO, 2, FG_BGP_MAX }, /* OPEN of 28 */
		{ MARKER "001602", -EPROTO, 2, FG_BGP_MAX }, /* UPDATE of 22 */
		{ MARKER "100002", 0, 0, FG_BGP_MAX },
		{ MARKER "100102", -EPROTO, 2, FG_BGP_MAX },
		{ MARKER "ffff02", 0, 0, FG_BGP_MAX_EXTENDED },
		{ MARKER "100101", -EPROTO, 2, FG_BGP_MAX_EXTENDED }, /* OPEN never is extended */
		{ MARKER "001300", -EPROTO, 3, FG_BGP_MAX },
		{ MARKER "001306", -EPROTO, 3, FG_BGP_MAX },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct octets in = hex(cases[i].octets);
		struct fg_bgp_notification fault = { 0 };
		struct fg_bgp_header header;

		assert_int_equal(fg_bgp_header_decode(in.data, in.len, cases[i].max, &header,
						      &fault),
				 cases[i].ret);
		assert_int_equal(fault.code, cases[i].ret == -EPROTO ? FG_BGP_ERR_HEADER : 0);
		assert_int_equal(fault.subcode, cases[i].subcode);
		if (!cases[i].ret)
			assert_int_equal(header.length, in.data[16] << 8 | in.data[17]);
	}
}

static const struct fg_bgp_open our_open = {
	.as = 4200000001,
	.hold_time = 90,
	.version = 4,
	.families = 15,
	.as4 = true,
	.refresh = true,
	.extended = true,
	.graceful = true,
};

static void open_round_trip(void **state)
{
	struct fg_bgp_open sent = our_open, got;
	struct fg_bgp_notification fault;
	struct fg_bgp_header header;
	uint8_t out[FG_BGP_MAX];
	size_t len;
	(void)state;

	sent.router_id = htonl(0xc0000201);
	len = fg_bgp_open_encode(&sent, out);
	assert_int_equal(fg_bgp_header_decode(out, len, FG_BGP_MAX, &header, &fault), 0);
	assert_int_equal(header.length, len);
	assert_int_equal(header.type, FG_BGP_OPEN);
	/* AS_TRANS stands where 4 octets do not fit (RFC 6793). */
	assert_memory_equal(out + FG_BGP_HEADER, "\x04\x5b\xa0\x00\x5a\xc0\x00\x02\x01", 9);
	assert_int_equal(fg_bgp_open_decode(out + FG_BGP_HEADER, len - FG_BGP_HEADER, &got, &fault),
			 0);
	assert_int_equal(got.as, sent.as);
	assert_int_equal(got.router_id, sent.router_id);
	assert_int_equal(got.hold_time, 90);
	assert_int_equal(got.families, 15);
	assert_true(got.as4 && got.refresh && got.extended && got.graceful);
}

static void opens(void **state)
{
	static const struct {
		const char *body;
		int ret;
		uint8_t subcode, families;
		uint32_t as;
	} cases[] = {
		/* No options at all. */
		{ "04 fde8 005a 0a000001 00", 0, 0, 0, 65000 },
		/* One option a capability, as many routers send it; unicast, too. */
		{ "04 5ba0 005a 0a000001 18 02 06 01 04 0001 00 85 02 06 01 04 0001 00 01 "
		  "02 06 41 04 0000fde8",
		  0, 0, 5, 65000 },
		/* The extended form of RFC 9072. */
		{ "04 fde8 005a 0a000001 ff ff 0009 02 0006 01 04 0002 00 85", 0, 0, 2, 65000 },
		/* Unknown capabilities are skipped, one of a strange length too. */
		{ "04 fde8 005a 0a000001 0a 02 08 c8 02 abcd 01 02 0001", 0, 0, 0, 65000 },
		{ "04 fde8 005a 0a000001 02 01 00", -EPROTO, 4, 0, 0 },
		{ "04 fde8 005a 0a000001 04 02 03 01 04", -EPROTO, 0, 0, 0 },
		{ "04 fde8 005a 0a000001 04 02 02 41 04", -EPROTO, 0, 0, 0 },
		{ "04 fde8 005a 0a000001 01", -EPROTO, 0, 0, 0 },
		{ "04 fde8 005a 0a000001 00 00", -EPROTO, 0, 0, 0 },
		{ "04 fde8 005a 0a0000", -EPROTO, 0, 0, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct octets in = hex(cases[i].body);
		struct fg_bgp_notification fault = { 0 };
		struct fg_bgp_open got = { 0 };

		assert_int_equal(fg_bgp_open_decode(in.data, in.len, &got, &fault), cases[i].ret);
		assert_int_equal(got.as, cases[i].as);
		assert_int_equal(got.families, cases[i].families);
		assert_int_equal(fault.code, cases[i].ret ? FG_BGP_ERR_OPEN : 0);
		assert_int_equal(fault.subcode, cases[i].subcode);
	}
}

static void open_checks(void **state)
{
	const struct fg_bgp_open mine = { .as = 65010, .router_id = 1 };
	static const struct {
		struct fg_bgp_open open;
		uint8_t subcode;
	} cases[] = {
		{ { .version = 4, .as = 65000, .router_id = 2, .hold_time = 90 }, 0 },
		{ { .version = 4, .as = 65000, .router_id = 2, .hold_time = 0 }, 0 },
		{ { .version = 4, .as = 65000, .router_id = 1, .hold_time = 3 }, 0 }, /* RFC 6286 */
		{ { .version = 3, .as = 65000, .router_id = 2, .hold_time = 90 }, 1 },
		{ { .version = 4, .as = 65001, .router_id = 2, .hold_time = 90 }, 2 },
		{ { .version = 4, .as = 65000, .router_id = 0, .hold_time = 90 }, 3 },
		{ { .version = 4, .as = 65000, .router_id = 2, .hold_time = 2 }, 6 },
	};
	struct fg_bgp_open same = cases[0].open;
	struct fg_bgp_notification fault = { 0 };
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fault = (struct fg_bgp_notification){ 0 };
		assert_int_equal(fg_bgp_open_check(&cases[i].open, &mine, 65000, &fault),
				 cases[i].subcode ? -EPROTO : 0);
		assert_int_equal(fault.subcode, cases[i].subcode);
	}
	same.as = 65010;
	same.router_id = 1;
	assert_int_equal(fg_bgp_open_check(&same, &mine, 65010, &fault), -EPROTO);
	assert_int_equal(fault.subcode, 3);
}

static void notifications(void **state)
{
	struct fg_bgp_notification sent = { .code = 6,
					    .subcode = 7,
					    .data_len = 2,
					    .data = { 1, 2 } };
	struct fg_bgp_notification got;
	uint8_t out[FG_BGP_MAX];
	char text[80];
	size_t len = fg_bgp_notification_encode(&sent, out);
	(void)state;

	assert_int_equal(len, FG_BGP_HEADER + 4);
	fg_bgp_notification_decode(out + FG_BGP_HEADER, len - FG_BGP_HEADER, &got);
	assert_int_equal(got.code, 6);
	assert_int_equal(got.data_len, 2);
	assert_string_equal(fg_bgp_notification_text(6, 7, text, sizeof(text)),
			    "Cease: Connection Collision Resolution");
	assert_string_equal(fg_bgp_notification_text(4, 0, text, sizeof(text)),
			    "Hold Timer Expired");
	assert_string_equal(fg_bgp_notification_text(2, 99, text, sizeof(text)),
			    "OPEN Message Error (subcode 99)");
	assert_string_equal(fg_bgp_notification_text(200, 3, text, sizeof(text)),
			    "code 200, subcode 3");
	memset(out, 0x41, sizeof(out));
	fg_bgp_notification_decode(out, sizeof(out), &got);
	assert_int_equal(got.data_len, sizeof(got.data));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates),         cmocka_unit_test(unicast_fields),
		cmocka_unit_test(unicast_routes),  cmocka_unit_test(field_lengths),
		cmocka_unit_test(many_long_rules), cmocka_unit_test(cut_and_changed),
		cmocka_unit_test(headers),         cmocka_unit_test(open_round_trip),
		cmocka_unit_test(opens),           cmocka_unit_test(open_checks),
		cmocka_unit_test(notifications),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
