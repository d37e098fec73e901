// SPDX-License-Identifier: MIT
/* Tests the state file: what is printed comes back exactly, and a damaged file is refused whole. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state_text.h"

static const uint8_t nlri[] = {
	0x01, 0x18, 0xc6, 0x33, 0x64, 0x03, 0x81, 0x11
}; /* 198.51.100.0/24, udp */

/* A file of one rule; the caller frees it. */
static char *print(const struct fg_actions *actions, size_t n)
{
	struct fg_dest *dest = calloc(1, sizeof(*dest) + sizeof(nlri));
	struct fg_route route = { .since = 1234567890, .actions = *actions };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	dest->nlri_len = sizeof(nlri);
	memcpy(dest->nlri, nlri, sizeof(nlri));
	fg_state_print_begin(out);
	for (size_t i = 0; i < n; i++)
		fg_state_print(out, FG_INET, dest, &route, "192.0.2.9");
	fg_state_print_end(out, n);
	(void)fclose(out);
	free(dest);
	return text;
}

struct seen {
	size_t n;
	struct fg_actions actions;
};

static int take(const struct fg_state_rule *rule, void *arg)
{
	struct seen *seen = arg;

	assert_int_equal(rule->family, FG_INET);
	assert_int_equal(rule->nlri_len, sizeof(nlri));
	assert_memory_equal(rule->nlri, nlri, sizeof(nlri));
	assert_string_equal(rule->peer, "192.0.2.9");
	assert_int_equal(rule->since, 1234567890);
	seen->actions = rule->actions;
	seen->n++;
	return 0;
}

static void test_round_trip(void **state)
{
	static const struct fg_actions all[] = {
		{ .set = FG_ACTION_RATE_BYTES, .rate_bytes = 0 },
		{ .set = FG_ACTION_RATE_BYTES | FG_ACTION_RATE_PACKETS,
		  .rate_bytes = 123456.7f,
		  .rate_packets = 0.1f },
		{ .set = FG_ACTION_RATE_BYTES, .rate_bytes = INFINITY },
		{ .set = FG_ACTION_MARK | FG_ACTION_CONTINUE | FG_ACTION_SAMPLE, .dscp = 46 },
		{ .set = FG_ACTION_REDIRECT_RT, .redirect = "65000:100" },
		{ .set = 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char *text = print(&all[i], 2);
		struct seen seen = { 0 };
		struct fg_error err = { 0 };

		assert_int_equal(fg_state_parse("f", text, strlen(text), take, &seen, &err), 0);
		assert_int_equal(seen.n, 2);
		assert_int_equal(seen.actions.set, all[i].set);
		assert_true(seen.actions.rate_bytes == all[i].rate_bytes); /* exact */
		assert_true(seen.actions.rate_packets == all[i].rate_packets);
		assert_int_equal(seen.actions.dscp, all[i].dscp);
		assert_string_equal(seen.actions.redirect, all[i].redirect);
		free(text);
	}
}

static int count(const struct fg_state_rule *rule, void *arg)
{
	(void)rule;
	++*(size_t *)arg;
	return 0;
}

/* Cut off anywhere, the file is no file. */
static void test_truncation(void **state)
{
	const struct fg_actions actions = { .set = FG_ACTION_RATE_BYTES };
	char *text = print(&actions, 2);

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		struct fg_error err = { 0 };
		size_t n = 0;

		assert_int_equal(fg_state_parse("f", text, len, count, &n, &err), -EBADMSG);
	}
	free(text);
}

static void check_bad(const char *text, const char *what)
{
	struct fg_error err = { 0 };
	size_t n = 0;

	assert_int_equal(fg_state_parse("f", text, strlen(text), count, &n, &err), -EBADMSG);
	if (!strstr(err.what, what))
		fail_msg("%s: %s", text, err.what);
}

#define HEAD "fltgate-rules 1\n"
#define GOOD "inet\t0118c63364038111\t192.0.2.9\t1\t1\t0x0p+0\t0x0p+0\t0\t-\n"

static void test_damage(void **state)
{
	struct fg_error err = { 0 };
	size_t n = 0;

	(void)state;
	assert_int_equal(fg_state_parse("f", HEAD GOOD "end\t1\n", strlen(HEAD GOOD "end\t1\n"),
					count, &n, &err),
			 0);
	assert_int_equal(n, 1);
	check_bad("fltgate-rules 2\nend\t0\n", "f:1: not a file of version 1");
	check_bad(HEAD GOOD "end\t2\n", "f:3: the number of rules is wrong");
	check_bad(HEAD "end\t0\nmore\n", "the number of rules is wrong");
	check_bad(HEAD "inet\t01\n", "9 fields");
	check_bad(HEAD "inet7\t0118c63364038111\tp\t1\t1\t0\t0\t0\t-\nend\t1\n", "family");
	check_bad(HEAD "inet\t0118c633640381\tp\t1\t1\t0\t0\t0\t-\nend\t1\n",
		  "not a normalised NLRI");
	check_bad(HEAD "inet\t0118c63364ff\tp\t1\t1\t0\t0\t0\t-\nend\t1\n",
		  "not a normalised NLRI");
	check_bad(HEAD "inet\t0118c63364038111\tp\t-1\t1\t0\t0\t0\t-\nend\t1\n", "not a time");
	check_bad(HEAD "inet\t0118c63364038111\tp\t1\tffff\t0\t0\t0\t-\nend\t1\n", "not actions");
	check_bad(HEAD "inet\t0118c63364038111\tp\t1\t1\tnan\t0\t0\t-\nend\t1\n", "not actions");
	check_bad(HEAD "inet\t0118c63364038111\tp\t1\t1\t-1\t0\t0\t-\nend\t1\n", "not actions");
	check_bad(HEAD "inet\t0118c63364038111\tp\t1\t1\t0\t0\t64\t-\nend\t1\n", "not actions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
