// SPDX-License-Identifier: MIT
/* The text form of rules: exact words and octets, what is refused, and octets -> text -> octets on random rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flowspec/flowspec.h"
#include "oracle/gen.h"
#include "oracle/text.h"
#include "util/cleanup.h"

#define RANDOM_RULES 20000

static struct fg_flow flow;

/* Adds "keyword value; keyword value;" as the configuration would, word by word. */
static int add_statements(struct fg_flow *out, const char *text, struct fg_error *err)
{
	FG_AUTO_FREE char *copy = strdup(text);
	char *save = NULL;

	assert_non_null(copy);
	for (char *s = strtok_r(copy, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
		char *value;
		int ret;

		s += strspn(s, " ");
		value = s + strcspn(s, " ");
		if (*value)
			*value++ = '\0';
		ret = fg_flow_add_text(out, s, value, err);
		if (ret)
			return ret;
	}
	return 0;
}

static void check_octets(const struct fg_flow *from, const uint8_t *want, size_t want_len,
			 const char *text)
{
	uint8_t out[FG_NLRI_MAX];
	int len = fg_flow_encode(from, out, sizeof(out));

	if (len == (int)want_len && !memcmp(out, want, want_len))
		return;
	fprintf(stderr, "# %s\n# expected ", text);
	fgo_print_hex(want, want_len);
	fprintf(stderr, "\n# found    ");
	fgo_print_hex(out, len < 0 ? 0 : (size_t)len);
	fprintf(stderr, "\n");
	fail();
}

/* Text that is also what gets printed, and its octets. */
static const struct form {
	enum fg_family family;
	const char *text, *value;
} forms[] = {
	/* The two rules of the MX301 article, word for word. */
	{ FG_INET, "protocol udp; destination-port 40795; destination 25.151.12.56/32;",
	  "012019970c38 038111 05919f5b" },
	{ FG_INET,
	  "protocol udp; destination-port 40795; packet-length 978-3626; destination 25.151.12.56/32; "
	  "source 20.150.0.0/16;",
	  "012019970c38 02101496 038111 05919f5b 0a1303d2d50e2a" },
	{ FG_INET, "port [ 137-139 8080 ];", "040389458b911f90" }, /* R2: RFC 8955 4.3.2 */
	{ FG_INET, "fragment any(dont-fragment+first-fragment);", "0c8005" },
	{ FG_INET, "fragment not-a-fragment;", "0c8202" },
	{ FG_INET, "fragment !is-fragment;", "0c8302" },
	{ FG_INET, "fragment [ not-a-fragment any(is-fragment) ];", "0c02028002" },
	{ FG_INET, "fragment any(0x00);", "0c8000" },
	{ FG_INET, "fragment [ is-fragment last-fragment ];", "0c01028108" },
	{ FG_INET6, "fragment first-fragment;", "0c8104" },
	{ FG_INET, "tcp-flags any(syn);", "098002" },
	{ FG_INET, "tcp-flags any(syn+ack);", "098012" },
	{ FG_INET, "tcp-flags syn+ack;", "098112" },
	{ FG_INET, "tcp-flags syn&ack;", "090102c110" },
	{ FG_INET, "tcp-flags syn&!ack;", "090102c310" },
	{ FG_INET, "tcp-flags [ syn&!any(rst+ack) fin ];", "090102 4214 8101" },
	{ FG_INET, "tcp-flags !rst;", "098304" },
	{ FG_INET, "tcp-flags fin+push+urgent;", "098129" },
	{ FG_INET, "tcp-flags ns;", "09910100" },
	{ FG_INET, "tcp-flags 0x0fff;", "09910fff" },
	{ FG_INET, "tcp-flags 0x0002;", "09910002" },
	{ FG_INET, "tcp-flags 0x00;", "098100" },
	{ FG_INET, "destination-port !=80;", "058650" },
	{ FG_INET, "destination-port <80;", "058450" },
	{ FG_INET, "destination-port >80;", "058250" },
	{ FG_INET, "destination-port <=80;", "058550" },
	{ FG_INET, "destination-port >=80;", "058350" },
	{ FG_INET, "destination-port true;", "058700" },
	{ FG_INET, "destination-port false;", "058000" },
	{ FG_INET, "destination-port true:0x50;", "058750" },
	{ FG_INET, "destination-port false:0x0000;", "05900000" },
	{ FG_INET, "destination-port >10&<20;", "05020ac414" },
	{ FG_INET, "destination-port >=20&<=10;", "050314c50a" },
	{ FG_INET, "destination-port >=10&<=20&!=15;", "05030a4514c60f" },
	{ FG_INET, "destination-port 80&81;", "050150c151" },
	{ FG_INET, "destination-port 0x0050;", "05910050" },
	{ FG_INET, "destination-port 0x00000050;", "05a100000050" },
	{ FG_INET, "destination-port 0x0000000000000050;", "05b10000000000000050" },
	{ FG_INET, "destination-port 0x0050-0x005a;", "05130050d5005a" },
	{ FG_INET, "destination-port 80-8080;", "050350d51f90" },
	{ FG_INET, "source-port 53;", "068135" },
	{ FG_INET, "protocol [ tcp udp 253 ];", "0301060111 81fd" },
	{ FG_INET, "protocol !=icmp;", "038601" },
	{ FG_INET, "protocol 6-17;", "030306c511" },
	{ FG_INET, "icmp-type 8; icmp-code 0;", "078108 088100" },
	{ FG_INET, "packet-length 0x00018683-0x00018691;", "0a2300018683e500018691" }, /* C32 */
	{ FG_INET, "dscp 46;", "0b812e" },
	{ FG_INET, "destination 0.0.0.0/0;", "0100" },
	{ FG_INET6, "destination ::/0;", "010000" },
	{ FG_INET6, "destination 2001:db8::/32; source ::1234:5678:9a00:0/104 offset 64;",
	  "01200020010db8 026840123456789a" }, /* R4 */
	{ FG_INET6, "destination 2001:db8::/32; source ::1234:5678:9a00:0/104 offset 65;",
	  "01200020010db8 0268412468acf134" }, /* R5 */
	{ FG_INET6, "source ::1/128 offset 127;", "02807f80" },
	{ FG_INET6, "flow-label 74565;", "0da100012345" },
	{ FG_INET6, "flow-label 0x00112345;", "0da100112345" },
	{ FG_INET6, "protocol icmp6; icmp-type 135;", "03813a 078187" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(forms); i++) {
		FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
		uint8_t value[64];
		int len = fgo_hex(forms[i].value, value, sizeof(value));
		struct fg_error err = { 0 };

		assert_true(len > 0);
		fg_flow_init(&flow, forms[i].family);
		if (add_statements(&flow, forms[i].text, &err))
			fail_msg("%s: %s", forms[i].text, err.what);
		check_octets(&flow, value, (size_t)len, forms[i].text);
		assert_int_equal(fg_flow_decode(forms[i].family, value, (size_t)len, &flow, NULL),
				 0);
		fg_flow_print(&flow, &text);
		assert_string_equal(fg_buf_text(&text), forms[i].text);
	}
}

/* Other ways to write a rule; what is printed is the form above. */
static void test_other_spellings(void **state)
{
	static const struct form spellings[] = {
		{ FG_INET,
		  "destination 25.151.12.56/32; packet-length 978-3626; source 20.150.1.2/16; protocol 17;"
		  "destination-port 40795;",
		  "012019970c38 02101496 038111 05919f5b 0a1303d2d50e2a" },
		{ FG_INET, "destination 192.0.2.1;", "0120c0000201" },
		{ FG_INET, "tcp-flags (syn & ack);", "090102c110" },
		{ FG_INET, "tcp-flags \"(syn & ack) | rst\";", "090102 4110 8104" },
		{ FG_INET, "tcp-flags syn | fin;", "0901028101" },
		{ FG_INET, "tcp-flags urg+psh;", "098128" },
		{ FG_INET, "port http;", "048150" },
		{ FG_INET, "port [ ftp-data ftp 8000-8100 ];", "0401140115131f40d51fa4" },
		{ FG_INET, "port =80|!=81;", "0401508651" },
		{ FG_INET, "port >= 80 & <= 90;", "040350c55a" },
		{ FG_INET, "icmp-type echo-request;", "078108" },
		{ FG_INET6, "icmp6-type echo-request;", "078180" },
		{ FG_INET6, "next-header tcp;", "038106" },
		{ FG_INET, "dscp ef;", "0b812e" },
		{ FG_INET, "destination-port 0x50;", "058150" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(spellings); i++) {
		uint8_t value[64];
		int len = fgo_hex(spellings[i].value, value, sizeof(value));
		struct fg_error err = { 0 };

		assert_true(len > 0);
		fg_flow_init(&flow, spellings[i].family);
		if (add_statements(&flow, spellings[i].text, &err))
			fail_msg("%s: %s", spellings[i].text, err.what);
		check_octets(&flow, value, (size_t)len, spellings[i].text);
	}
}

static void test_refused(void **state)
{
	static const struct {
		enum fg_family family;
		const char *text, *part; /* of the message */
	} cases[] = {
		{ FG_INET, "destnation 1.2.3.4;", "is not a match condition" },
		{ FG_INET, "flow-label 1;", "inet6 only" },
		{ FG_INET, "protocol tcp; protocol udp;", "given twice" },
		{ FG_INET, "protocol tpc;", "neither a number nor a known name" },
		{ FG_INET, "protocol ;", "ends where a value is expected" },
		{ FG_INET, "protocol 256;", "above the greatest value" },
		{ FG_INET, "destination-port 65536;", "above the greatest value" },
		{ FG_INET, "destination-port 99999999999999999999999;", "is too large" },
		{ FG_INET, "destination-port 80-;", "ends where a value is expected" },
		{ FG_INET, "destination-port 90-80;", "range 90-80 is empty" },
		{ FG_INET, "destination-port 80a;", "is not a value" },
		{ FG_INET, "destination-port 0x;", "hexadecimal" },
		{ FG_INET, "destination-port 0x12345678123456781;", "hexadecimal" },
		{ FG_INET, "destination-port 80 &;", "ends where a value is expected" },
		{ FG_INET, "destination-port 80 |;", "ends where a value is expected" },
		{ FG_INET, "destination-port (80 | 81);", "')' is expected" },
		{ FG_INET, "destination-port syn;", "neither a number nor a known name" },
		{ FG_INET, "dscp 64;", "above the greatest value" },
		{ FG_INET, "dscp 0xee;", "has bits that no packet has" },
		{ FG_INET, "dscp 0x002e;", "2 octets is not allowed" },
		{ FG_INET, "tcp-flags 0x00000002;", "4 octets is not allowed" },
		{ FG_INET, "tcp-flags any(syn;", "')' is expected" },
		{ FG_INET, "tcp-flags !(syn & ack);", "negates a list" },
		{ FG_INET, "tcp-flags syn+;", "ends where a value is expected" },
		{ FG_INET6, "fragment dont-fragment;", "neither a number nor a known name" },
		{ FG_INET, "destination 1.2.3.4/33;", "length 0 to 32" },
		{ FG_INET, "destination 1.2.3.4/;", "is not a prefix" },
		{ FG_INET, "destination 1.2.3.4/24x;", "is not a prefix" },
		{ FG_INET, "destination 2001:db8::/32;", "is not an IPv4 address" },
		{ FG_INET, "destination 1.2.3.4/24 offset 8;", "is not a prefix" },
		{ FG_INET6, "destination 1.2.3.4;", "is not an IPv6 address" },
		{ FG_INET6, "destination ::/64 offset 64;", "offset 64 is not below" },
		{ FG_INET6, "destination ::/129;", "length 0 to 128" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_error err = { 0 };

		fg_flow_init(&flow, cases[i].family);
		if (add_statements(&flow, cases[i].text, &err) != -EINVAL)
			fail_msg("%s is accepted", cases[i].text);
		if (!strstr(err.what, cases[i].part))
			fail_msg("%s: expected '%s' in '%s'", cases[i].text, cases[i].part,
				 err.what);
	}
}

/* A failed statement leaves the rule as it was. */
static void test_refused_leaves_rule(void **state)
{
	static const uint8_t want[] = { 3, 0x81, 17, 5, 0x81, 53 };

	(void)state;
	fg_flow_init(&flow, FG_INET);
	assert_int_equal(fg_flow_add_text(&flow, "protocol", "udp", NULL), 0);
	assert_int_equal(fg_flow_add_text(&flow, "destination-port", "[ 80 81 nonsense ]", NULL),
			 -EINVAL);
	assert_int_equal(fg_flow_add_text(&flow, "destination-port", "53", NULL), 0);
	check_octets(&flow, want, sizeof(want), "after a refused statement");
}

static void test_keywords(void **state)
{
	size_t n = 0;

	(void)state;
	for (const char *keyword; (keyword = fg_flow_keyword(n)); n++)
		assert_true(strlen(keyword) > 2);
	assert_int_equal(n, FG_FLOW_TYPES - 1);
}

/* Octets -> text -> octets, on rules with everything the RFC allows. */
static void test_round_trip(void **state)
{
	static struct fg_flow again;
	struct fgo_rng rng = { 0 };
	const char *seed = getenv("FG_SEED");
	uint8_t field[FG_NLRI_MAX + 2], value[FG_NLRI_MAX];

	(void)state;
	rng.state = seed ? strtoul(seed, NULL, 0) : (unsigned long)time(NULL);
	printf("# FG_SEED=%lu\n", (unsigned long)rng.state);
	for (int i = 0; i < RANDOM_RULES; i++) {
		FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
		enum fg_family family = i % 2 ? FG_INET6 : FG_INET;
		size_t len = fgo_gen_nlri(&rng, FGO_WILD, family == FG_INET6 ? 6 : 4, field),
		       used = 0;
		struct fg_error err = { 0 };
		int value_len;

		assert_int_equal(fg_flow_decode_field(family, field, len, &flow, &used, NULL), 0);
		value_len = fg_flow_encode(&flow, value, sizeof(value));
		assert_true(value_len > 0);
		fg_flow_print(&flow, &text);
		fg_flow_init(&again, family);
		if (add_statements(&again, fg_buf_text(&text), &err))
			fail_msg("%s: %s", fg_buf_text(&text), err.what);
		check_octets(&again, value, (size_t)value_len, fg_buf_text(&text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),    cmocka_unit_test(test_other_spellings),
		cmocka_unit_test(test_refused),  cmocka_unit_test(test_refused_leaves_rule),
		cmocka_unit_test(test_keywords), cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
