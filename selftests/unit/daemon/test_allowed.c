// SPDX-License-Identifier: MIT
/* Tests the allowed-destinations check and the Junos names of rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/views.h"

static struct fg_flow flow;

static void rule(enum fg_family family, const char *destination)
{
	struct fg_error err = { 0 };

	fg_flow_init(&flow, family);
	assert_int_equal(fg_flow_add_text(&flow, "protocol", "17", &err), 0);
	if (destination)
		assert_int_equal(fg_flow_add_text(&flow, "destination", destination, &err), 0);
}

static bool allowed(enum fg_family family, const char *destination)
{
	static const struct fg_conf_address list[] = {
		{ .family = FG_INET, .addr = { 203, 0, 113, 0 }, .prefix_len = 24 },
		{ .family = FG_INET, .addr = { 198, 51, 100, 64 }, .prefix_len = 27 },
		{ .family = FG_INET6, .addr = { 0x20, 0x01, 0x0d, 0xb8 }, .prefix_len = 32 },
	};

	rule(family, destination);
	return fg_destination_allowed(list, 3, family, &flow);
}

static void test_inside_and_outside(void **state)
{
	(void)state;
	assert_true(allowed(FG_INET, "203.0.113.0/24"));
	assert_true(allowed(FG_INET, "203.0.113.255/32"));
	assert_false(allowed(FG_INET, "203.0.112.0/23")); /* wider than the prefix */
	assert_false(allowed(FG_INET, "203.0.114.1/32"));
	assert_true(allowed(FG_INET, "198.51.100.95/32"));
	assert_false(allowed(FG_INET, "198.51.100.96/32"));
	assert_true(allowed(FG_INET6, "2001:db8:1::/48"));
	assert_false(allowed(FG_INET6, "2001:db9::/32"));
}

/* Such a rule is about everybody's traffic. */
static void test_without_destination(void **state)
{
	(void)state;
	assert_false(allowed(FG_INET, NULL));
	rule(FG_INET, NULL);
	assert_true(fg_destination_allowed(NULL, 0, FG_INET, &flow));
}

static void test_offset_is_never_inside(void **state)
{
	(void)state;
	rule(FG_INET6, "2001:db8::/48");
	flow.dst.offset = 8;
	assert_false(fg_destination_allowed(&(struct fg_conf_address){ .family = FG_INET6,
								       .addr = { 0x20, 0x01 },
								       .prefix_len = 16 },
					    1, FG_INET6, &flow));
}

static void check_name(enum fg_family family, const char *hex, const char *expected)
{
	uint8_t nlri[64];
	size_t len = strlen(hex) / 2;
	char *name;

	for (size_t i = 0; i < len; i++)
		nlri[i] = (uint8_t)strtoul((char[]){ hex[2 * i], hex[2 * i + 1], 0 }, NULL, 16);
	name = fg_junos_name(family, nlri, len);
	assert_string_equal(name, expected);
	free(name);
}

static void test_junos_names(void **state)
{
	(void)state;
	check_name(FG_INET,
		   "01201997"
		   "0c38"
		   "038111"
		   "05919f5b",
		   "25.151.12.56,*,proto=17,dstport=40795");
	check_name(FG_INET,
		   "0118c63364"
		   "02102096"
		   "038111"
		   "0a1303d2d50e2a",
		   "198.51.100.0/24,32.150.0.0/16,proto=17,len>=978&<=3626");
	check_name(FG_INET, "0501509101bb", "*,*,dstport=80,=443");
	check_name(FG_INET, "0c8002", "*,*,frag:2");
	check_name(FG_INET6, "01200020010db8", "2001:db8::/32,*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inside_and_outside),
		cmocka_unit_test(test_without_destination),
		cmocka_unit_test(test_offset_is_never_inside),
		cmocka_unit_test(test_junos_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
