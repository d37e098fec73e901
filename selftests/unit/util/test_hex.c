// SPDX-License-Identifier: MIT
/* Hexadecimal text: what is read, what is refused, and that nothing is written past the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "util/cleanup.h"
#include "util/hex.h"

static void test_parse(void **state)
{
	static const uint8_t want[] = { 0x0a, 0xbc, 0xff };
	uint8_t out[4] = { 0, 0, 0, 0xee };

	(void)state;
	assert_int_equal(fg_hex_parse("0aBCff", out, 3), 3);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(fg_hex_parse(" 0a:bc FF\n", out, 3), 3);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(fg_hex_parse("", out, 3), 0);
	assert_int_equal(fg_hex_parse("0abcff00", out, 3), -EMSGSIZE);
	assert_int_equal(out[3], 0xee);
}

static void test_refused(void **state)
{
	static const char *const texts[] = { "0", "0abcf", "0g", "g0", "0 a", "0x0a", "0a-bc" };
	uint8_t out[8];

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(texts); i++)
		assert_int_equal(fg_hex_parse(texts[i], out, sizeof(out)), -EINVAL);
}

static void test_print(void **state)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
	static const uint8_t octets[] = { 0, 0x0a, 0xff };

	(void)state;
	fg_hex_print(octets, sizeof(octets), &text);
	assert_string_equal(fg_buf_text(&text), "000aff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
