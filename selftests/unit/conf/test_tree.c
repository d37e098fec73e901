// SPDX-License-Identifier: MIT
/* Tests of the parser: both spellings give one tree, merging, deleting, and every error at its exact place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lexer.h"
#include "conf/statements.h"
#include "util/cleanup.h"

/* The text of a configuration as `set` lines, secrets included; the caller frees it. */
static char *set_lines(const char *text)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;
	struct fg_buf out = { 0 };

	if (fg_tree_parse("f", text, strlen(text), &tree, &err) < 0)
		fail_msg("%s", err.what);
	fg_tree_print(tree, true, true, &out);
	fg_tree_free(tree);
	return fg_buf_take(&out);
}

static void expect_set(const char *text, const char *expected)
{
	FG_AUTO_FREE char *lines = set_lines(text);

	assert_string_equal(lines, expected);
}

static void test_spellings(void **state)
{
	static const char *const same[] = {
		"protocols { bgp { group g { neighbor 192.0.2.9 { peer-as 1; family inet { flow; } } } } }",
		"protocols bgp group g { neighbor 192.0.2.9 { peer-as 1; family inet flow; } }",
		"set protocols bgp group g neighbor 192.0.2.9 peer-as 1 family inet flow",
		"set protocols bgp group g neighbor 192.0.2.9 peer-as 1\n"
		"set protocols bgp group g neighbor 192.0.2.9 family inet flow;",
		"protocols { bgp { group g { neighbor 192.0.2.9 { peer-as 1; } } } }\n"
		"set protocols bgp group g neighbor 192.0.2.9 family inet flow # x\n"
		"protocols { bgp { group g; } }",
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(same); i++)
		expect_set(same[i],
			   "set protocols bgp group g neighbor 192.0.2.9 peer-as 1\n"
			   "set protocols bgp group g neighbor 192.0.2.9 family inet flow\n");
}

static void test_rules(void **state)
{
	(void)state;
	expect_set("routing-options { flow { route A { match { protocol udp; port >=64 & <=128; }\n"
		   "then discard; } } }",
		   "set routing-options flow route A match protocol udp\n"
		   "set routing-options flow route A match port [ >=64 & <=128 ]\n"
		   "set routing-options flow route A then discard\n");
	expect_set(
		"set routing-options flow route A match protocol udp destination-port [ 80 443 ]\n"
		"set routing-options flow route A match protocol tcp\n"
		"set routing-options flow route A match protocol udp\n"
		"set routing-options flow route A then rate-limit 1m sample",
		"set routing-options flow route A match protocol [ udp tcp ]\n"
		"set routing-options flow route A match destination-port [ 80 443 ]\n"
		"set routing-options flow route A then rate-limit 1m\n"
		"set routing-options flow route A then sample\n");
}

static void test_merge(void **state)
{
	(void)state;
	expect_set(
		"interfaces { eth0 { role trust; } }\ninterfaces { eth1; eth0 { role trust; mode native; } }",
		"set interfaces eth0 role trust\nset interfaces eth0 mode native\nset interfaces eth1\n");
	expect_set(
		"set system guard management-prefixes [ 192.0.2.0/24 10.0.0.0/8 ]\n"
		"set system guard management-prefixes 10.0.0.0/8\n"
		"set system guard management-prefixes 2001:db8::/32",
		"set system guard management-prefixes [ 192.0.2.0/24 10.0.0.0/8 2001:db8::/32 ]\n");
}

static void test_delete(void **state)
{
	(void)state;
	expect_set("set interfaces eth0 role trust\nset interfaces eth1\ndelete interfaces eth0\n"
		   "set interfaces eth0 mode generic",
		   "set interfaces eth1\nset interfaces eth0 mode generic\n");
	expect_set("set interfaces eth0 role trust mode generic\ndelete interfaces eth0 role\n",
		   "set interfaces eth0 mode generic\n");
	expect_set("set system rule-capacity 100\ndelete system rule-capacity 100\n",
		   "set system\n");
	expect_set("set system guard management-prefixes [ 10.0.0.0/8 192.0.2.1 ]\n"
		   "delete system guard management-prefixes 10.0.0.0/8\n",
		   "set system guard management-prefixes 192.0.2.1\n");
	expect_set("set system guard management-prefixes 10.0.0.0/8\n"
		   "delete system guard management-prefixes 10.0.0.0/8\n",
		   "set system guard\n");
	expect_set("set interfaces eth0\ndelete interfaces\n", "");
}

/* A thousand routes, deleted from both ends: the index and the lists must stay right. */
static void test_many(void **state)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		fg_buf_printf(&text, "set routing-options flow route r%d then discard\n", i);
	for (int i = 0; i < 499; i++)
		fg_buf_printf(&text,
			      "delete routing-options flow route r%d\n"
			      "delete routing-options flow route r%d\n",
			      i, 999 - i);
	expect_set(fg_buf_text(&text), "set routing-options flow route r499 then discard\n"
				       "set routing-options flow route r500 then discard\n");
}

static void expect_error(const char *text, const char *message)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;

	if (fg_tree_parse("f", text, strlen(text), &tree, &err) == 0)
		fail_msg("accepted: %s", text);
	assert_null(tree);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.what, message);
}

static void test_unknown(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "rotuing-options { }",
		  "f:1:1: unknown statement `rotuing-options`, did you mean `routing-options`?" },
		{ "\n  set routing-options rotuer-id 1.1.1.1",
		  "f:2:23: unknown statement `rotuer-id`, did you mean `router-id`?" },
		{ "zzzzzz;", "f:1:1: unknown statement `zzzzzz`" },
		{ "set protocols bgp hold-time 5",
		  "f:1:19: `hold-time` does not belong here but under `protocols bgp group NAME`" },
		{ "routing-options { flow { route x { match { destination-prot 80; } } } }",
		  "f:1:44: unknown statement `destination-prot`, did you mean `destination-port`?" },
		{ "set routing-options flow route x then discrad",
		  "f:1:39: unknown statement `discrad`, did you mean `discard`?" },
		{ "setsecurity zones", "f:1:1: a blank is missing: `set security`" },
		{ "deleteinterfaces eth0", "f:1:1: a blank is missing: `delete interfaces`" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, cases[i].message);
}

static void test_structure(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "routing-options {\n router-id 1.2.3.4\n flow;\n}",
		  "f:2:19: `;` is missing behind `router-id`" },
		{ "system { guard { no-protect-nd } }",
		  "f:1:31: `;` is missing behind `no-protect-nd`" },
		{ "protocols {\n bgp {", "f:2:7: `}` is missing; the block began at f:2:6" },
		{ "system { } }", "f:1:12: this `}` closes nothing" },
		{ "system { }; ;", "f:1:11: expected a statement" },
		{ "{ }", "f:1:1: expected a statement" },
		{ "system { { } }", "f:1:10: expected a statement or `}`" },
		{ "system { [ ] }", "f:1:10: expected a statement or `}`" },
		{ "routing-options { router-id 1.2.3.4 { } }", "f:1:37: `router-id` is no block" },
		{ "set system {", "f:1:12: the line goes on behind `system`" },
		{ "set", "f:1:4: `set` needs a statement" },
		{ "delete\nsystem;", "f:1:7: `delete` needs a statement" },
		{ "set system guard management-prefixes [ 10.0.0.0/8\n192.0.2.1 ]",
		  "f:1:50: `]` is missing; the list began at 1:38" },
		{ "system { guard { management-prefixes [ ]; } }", "f:1:38: an empty list" },
		{ "routing-options { router-id [ 1.2.3.4 ]; }",
		  "f:1:29: `router-id` takes one value, not a list" },
		{ "set routing-options router-id", "f:1:30: `router-id` needs a value: A.B.C.D" },
		{ "set routing-options flow route", "f:1:31: `route` needs a value: NAME" },
		{ "set routing-options flow route x match port",
		  "f:1:44: `port` needs a value: VALUES" },
		{ "include \"x\";", "f:1:9: `include` works in files only" },
		{ "include;", "f:1:8: `include` needs the name of a file" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, cases[i].message);
}

static void test_twice(void **state)
{
	(void)state;
	expect_error("interfaces { eth0 { role trust; } }\nset interfaces eth0 role untrust",
		     "f:2:21: `role` is set already, to another value, at f:1:21");
	expect_error("delete interfaces eth0", "f:1:8: nothing to delete: `interfaces` is not set");
	expect_error("set interfaces eth0\ndelete interfaces eth1",
		     "f:2:19: nothing to delete: `eth1` is not set");
	expect_error("set system rule-capacity 100\ndelete system rule-capacity 101",
		     "f:2:29: nothing to delete: `rule-capacity` does not hold this value");
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *start;
	} cases[] = {
		{ "firewall { family inet { filter edge { } } }",
		  "f:1:1: `firewall`: not in this version: " },
		{ "security { macsec { } }", "f:1:12: `macsec`: not in this version: " },
		{ "set routing-options static route 10.0.0.0/8 next-hop st0.0",
		  "f:1:21: `static`: not in this version: " },
		{ "set routing-options flow term-order legacy",
		  "f:1:37: `term-order legacy`: the order of old drafts" },
		{ "set routing-options rib inet.0 flow",
		  "f:1:25: `rib inet.0`: IPv4 flow routes stand directly under" },
		{ "set interfaces st0 unit 0",
		  "f:1:16: `st0`: not in this version: IPsec tunnels" },
		{ "set interfaces eth0 unit 0", "f:1:21: `unit`: not in this version: addresses" },
		{ "commit", "f:1:1: `commit`: a command, not a statement" },
	};
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		assert_int_equal(fg_tree_parse("f", cases[i].text, strlen(cases[i].text), &tree,
					       &err),
				 -EINVAL);
		if (strncmp(err.what, cases[i].start, strlen(cases[i].start)) != 0)
			fail_msg("%s", err.what);
	}
}

static void test_values(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "set interfaces eth0 role untrsut",
		  "f:1:26: role `untrsut`: did you mean `untrust`? (untrust|trust|management)" },
		{ "set interfaces eth0 mode xyzzy",
		  "f:1:26: mode `xyzzy`: expected native|generic" },
		{ "set interfaces ge-0/0/0",
		  "f:1:16: `ge-0/0/0`: not a Linux interface name: write the one that `ip link` shows, e.g. eth0" },
		{ "set interfaces a234567890123456",
		  "f:1:16: `a234567890123456`: longer than 15 octets" },
		{ "set interfaces ..", "f:1:16: `..`: not a Linux interface name" },
		{ "set routing-options autonomous-system 0",
		  "f:1:39: autonomous-system `0`: AS 0 is reserved (RFC 7607)" },
		{ "set routing-options autonomous-system 4294967296",
		  "f:1:39: autonomous-system `4294967296`: expected an AS number from 1 to 4294967295" },
		{ "set routing-options router-id 0.0.0.0",
		  "f:1:31: router-id `0.0.0.0`: expected an identifier such as 192.0.2.1" },
		{ "set routing-options router-id 2001:db8::1",
		  "f:1:31: router-id `2001:db8::1`: expected an identifier such as 192.0.2.1" },
		{ "set protocols bgp listen-port 65536",
		  "f:1:31: listen-port `65536`: expected a number from 0 to 65535" },
		{ "set protocols bgp listen-port -1",
		  "f:1:31: listen-port `-1`: expected a number from 0 to 65535" },
		{ "set routing-options flow maximum-rules 0",
		  "f:1:40: maximum-rules `0`: expected a number from 1 to 1048576" },
		{ "set protocols bgp group g neighbor host",
		  "f:1:36: neighbor `host`: expected an IPv4 or IPv6 address" },
		{ "set system guard management-prefixes [ 10.0.0.0/8 10.0.0.1/8 ]",
		  "f:1:51: management-prefixes `10.0.0.1/8`: bits are set behind the prefix length" },
		{ "set system guard management-prefixes 10.0.0.0/33",
		  "f:1:38: management-prefixes `10.0.0.0/33`: expected a prefix such as 192.0.2.0/24 or 2001:db8::/32" },
		{ "set protocols bgp group \"\"", "f:1:25: group ``: an empty text" },
		{ "set protocols bgp group a23456789012345678901234567890123456789012345678901234567890123x",
		  "f:1:25: group `a23456789012345678901234567890123456789012345678901234567890123x`: longer than 63 "
		  "octets" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, cases[i].message);
}

/* A key may be in the tree, never in an error or in what is printed. */
static void test_secrets(void **state)
{
	static const char text[] = "set protocols bgp group g authentication-key \"s3cret key\"";
	FG_CLEANUP(fg_buf_free) struct fg_buf braces = { 0 }, open = { 0 };
	struct fg_tree *tree = NULL;

	(void)state;
	assert_int_equal(fg_tree_parse("f", text, strlen(text), &tree, NULL), 0);
	fg_tree_print(tree, false, false, &braces);
	fg_tree_print(tree, true, true, &open);
	fg_tree_free(tree);
	assert_non_null(strstr(fg_buf_text(&braces), "authentication-key /* SECRET-DATA */;"));
	assert_null(strstr(fg_buf_text(&braces), "s3cret"));
	assert_non_null(strstr(fg_buf_text(&open), "authentication-key \"s3cret key\""));
	expect_error(
		fg_buf_text(&braces),
		"f:4:31: `authentication-key` needs a value (a printed configuration hides it)");
	expect_error(
		"set protocols bgp group g authentication-key $9$abc",
		"f:1:46: authentication-key: the obfuscated form of Junos ($9$) is not read: write the key itself");
	expect_error("set protocols bgp group g authentication-key s3cret\n"
		     "set protocols bgp group g authentication-key s4cret",
		     "f:2:27: `authentication-key` is set already, to another value, at f:1:27");
}

static void test_limits(void **state)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf deep = { 0 }, list = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		fg_buf_printf(&deep, "system { ");
	expect_error(fg_buf_text(&deep), "f:1:10: unknown statement `system`");
	fg_buf_printf(&list, "set routing-options flow route x match port [");
	for (int i = 0; i < FG_CONF_WORDS_MAX - 1; i++)
		fg_buf_printf(&list, " %d", 10000 + i);
	fg_buf_printf(&list, " ]");
	free(set_lines(fg_buf_text(&list)));
	list.len--;
	fg_buf_printf(&list, "7 ]");
	expect_error(fg_buf_text(&list), "f:1:24617: more than 4096 words in one statement");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_merge),     cmocka_unit_test(test_delete),
		cmocka_unit_test(test_many),      cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_structure), cmocka_unit_test(test_twice),
		cmocka_unit_test(test_refused),   cmocka_unit_test(test_values),
		cmocka_unit_test(test_secrets),   cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
