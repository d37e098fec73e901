// SPDX-License-Identifier: MIT
/* Actions: extended communities to struct and `then` text (cases C37-C48), and text back to the same actions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "flowspec/actions.h"
#include "oracle/text.h"
#include "util/cleanup.h"

static int decode(const char *ext, const char *v6_ext, struct fg_actions *ret, struct fg_error *err)
{
	uint8_t octets[128], v6[128];
	int len = fgo_hex(ext, octets, sizeof(octets)), v6_len = fgo_hex(v6_ext, v6, sizeof(v6));

	assert_true(len >= 0 && v6_len >= 0);
	return fg_actions_decode(octets, (size_t)len, v6, (size_t)v6_len, ret, err);
}

/* Adds "keyword value; keyword;" */
static int add_statements(struct fg_actions *out, const char *text, struct fg_error *err)
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
		ret = fg_actions_add_text(out, s, value, err);
		if (ret)
			return ret;
	}
	return 0;
}

static void check_same(const struct fg_actions *a, const struct fg_actions *b, const char *text)
{
	/* "accept;" is printed for no action at all. */
	if ((a->set & ~FG_ACTION_ACCEPT) != (b->set & ~FG_ACTION_ACCEPT) ||
	    a->rate_bytes != b->rate_bytes || a->rate_packets != b->rate_packets ||
	    a->dscp != b->dscp || strcmp(a->redirect, b->redirect) != 0)
		fail_msg("%s does not parse to the same actions", text);
}

static void test_decode(void **state)
{
	static const struct {
		const char *ext, *v6_ext, *text;
		bool discard;
	} cases[] = {
		{ "", "", "accept;", false }, /* C48 */
		{ "8006 0000 00000000", "", "discard;", true },
		{ "8006 0000 c7f42400", "", "discard;", true },               /* C37: negative */
		{ "8006 0000 80000000", "", "discard;", true },               /* -0.0 */
		{ "8006 0000 7f800000", "", "rate-limit unlimited;", false }, /* +Inf */
		{ "8006 0000 ff800000", "", "discard;", true },               /* -Inf */
		{ "8006 0000 47f42400", "", "rate-limit 1m;", false },        /* C38 */
		{ "8006 fde8 47f42400", "", "rate-limit 1m;",
		  false }, /* C47: id is information only */
		{ "8006 0000 3f800000", "", "rate-limit 8;", false },
		{ "8006 0000 3dcccccd", "", "rate-limit 0.80000001192092896;", false },
		{ "8006 0000 7f7fffff", "", "rate-limit 2.7222587731082309e+39;", false },
		{ "800c 0000 447a0000", "", "rate-limit-packets 1k;", false }, /* C39 */
		{ "800c 0000 00000000", "", "rate-limit-packets 0;", true },
		{ "8006 0000 47f42400 800c 0000 447a0000", "",
		  "rate-limit 1m; rate-limit-packets 1k;", false },
		{ "8006 0000 48742400 8006 0000 47f42400", "", "rate-limit 1m;",
		  false },                                        /* the lowest */
		{ "8007 000000000001", "", "next-term;", false }, /* C40 */
		{ "8007 000000000002", "", "sample;", false },
		{ "8007 000000000003", "", "sample; next-term;", false },
		{ "8007 000000000000", "", "accept;", false },
		{ "8108 c0000201 0064", "", "redirect target:192.0.2.1:100;", false }, /* C41 */
		{ "8008 fde8 00000064", "", "redirect target:65000:100;", false },
		{ "8208 00010000 0064", "", "redirect target:65536L:100;", false },
		{ "0800 000000000000", "", "redirect next-hop;", false }, /* C42 */
		{ "0800 000000000001", "", "redirect next-hop copy;", false },
		{ "010c c0000201 0000", "", "redirect 192.0.2.1;", false },
		{ "010c c0000201 0001", "", "redirect 192.0.2.1 copy;", false },
		{ "", "000c 20010db8000000000000000000000001 0001", "redirect 2001:db8::1 copy;",
		  false },
		{ "", "000d 20010db8000000000000000000000001 0064",
		  "redirect target:2001:db8::1:100;", false },
		{ "", "800b 20010db8000000000000000000000001 0064",
		  "redirect target:2001:db8::1:100;", false },
		{ "010c c0000201 0000 010c c0000202 0000", "", "redirect 192.0.2.1;",
		  false },                                       /* the first */
		{ "8009 0000 000000ee", "", "mark 46;", false }, /* C45 */
		{ "0002 fde8 00000064", "", "accept;", false },  /* C46: unknown is no error */
		{ "8006 0000 00000000 8009 0000 0000002e 8007 000000000001", "",
		  "discard; mark 46; next-term;", true },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
		struct fg_actions actions, again = { 0 };
		struct fg_error err = { 0 };

		assert_int_equal(decode(cases[i].ext, cases[i].v6_ext, &actions, NULL), 0);
		assert_int_equal(fg_actions_discard(&actions), cases[i].discard);
		fg_actions_print(&actions, &text);
		assert_string_equal(fg_buf_text(&text), cases[i].text);
		if (add_statements(&again, cases[i].text, &err))
			fail_msg("%s: %s", cases[i].text, err.what);
		check_same(&actions, &again, cases[i].text);
	}
}

static void test_malformed(void **state)
{
	static const struct {
		const char *ext, *v6_ext, *part;
	} cases[] = {
		{ "8006 0000 000000", "", "7 octets" }, /* C46 */
		{ "", "000c 20010db8000000000000000000000001 00", "19 octets" },
		{ "8006 0000 7fc00000", "", "not a number" },
		{ "8007 000000000001 800c 0000 ff800001", "", "not a number" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_actions actions = { .dscp = 7 };
		struct fg_error err = { 0 };

		assert_int_equal(decode(cases[i].ext, cases[i].v6_ext, &actions, &err), -EBADMSG);
		assert_non_null(strstr(err.what, cases[i].part));
		assert_int_equal(actions.dscp, 7); /* untouched */
	}
}

static void test_text_values(void **state)
{
	struct fg_actions actions = { 0 };

	(void)state;
	assert_int_equal(add_statements(&actions,
					"rate-limit 1500k; rate-limit-packets 2.5k; mark ef;",
					NULL),
			 0);
	assert_true(actions.rate_bytes == 187500.0F);
	assert_true(actions.rate_packets == 2500.0F);
	assert_int_equal(actions.dscp, 46);
	assert_false(fg_actions_discard(&actions));
	actions = (struct fg_actions){ 0 };
	assert_int_equal(add_statements(&actions, "rate-limit 0;", NULL), 0);
	assert_true(fg_actions_discard(&actions));
	actions = (struct fg_actions){ 0 };
	assert_int_equal(add_statements(&actions, "accept;", NULL), 0);
	assert_int_equal(actions.set, FG_ACTION_ACCEPT);
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "drop;", "is not an action" },
		{ "accept; discard;", "exclude each other" },
		{ "discard; accept;", "exclude each other" },
		{ "rate-limit 1m; discard;", "exclude each other" },
		{ "discard; rate-limit 1m;", "is enough" },
		{ "discard now;", "takes no value" },
		{ "next-term 1;", "takes no value" },
		{ "rate-limit;", "needs a rate" },
		{ "rate-limit -1;", "needs a rate" },
		{ "rate-limit nan;", "needs a rate" },
		{ "rate-limit 0x10;", "needs a rate" },
		{ "rate-limit 1t;", "needs a rate" },
		{ "rate-limit 1m5;", "needs a rate" },
		{ "rate-limit 1e999;", "needs a rate" },
		{ "mark 64;", "needs a DSCP" },
		{ "mark;", "needs a DSCP" },
		{ "mark gold;", "needs a DSCP" },
		{ "redirect;", "needs target" },
		{ "redirect target:;", "needs target" },
		{ "redirect target:65000;", "needs target" },
		{ "redirect target:65000:1x;", "needs target" },
		{ "redirect target:65,000:1;", "needs target" },
		{ "redirect 192.0.2;", "needs target" },
		{ "redirect 192.0.2.1 now;", "needs target" },
		{ "redirect 192.0.2.1; redirect 192.0.2.2;", "given twice" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_actions actions = { 0 };
		struct fg_error err = { 0 };

		if (add_statements(&actions, cases[i][0], &err) != -EINVAL)
			fail_msg("%s is accepted", cases[i][0]);
		if (!strstr(err.what, cases[i][1]))
			fail_msg("%s: expected '%s' in '%s'", cases[i][0], cases[i][1], err.what);
	}
}

static void test_keywords(void **state)
{
	size_t n = 0;

	(void)state;
	while (fg_actions_keyword(n))
		n++;
	assert_true(n >= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),      cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_text_values), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_keywords),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
