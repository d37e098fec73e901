// SPDX-License-Identifier: MIT
/* The NLRI codec: one key for every spelling of a rule, and the reason and octet of each fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "flowspec/flowspec.h"
#include "oracle/text.h"
#include "util/cleanup.h"

static struct fg_flow flow;

static size_t octets(const char *hex, uint8_t *out, size_t size)
{
	int len = fgo_hex(hex, out, size);

	assert_true(len >= 0);
	return (size_t)len;
}

/* What other spellings of a rule become: one key, so that a withdraw hits. */
static void test_normalised(void **state)
{
	static const struct {
		enum fg_family family;
		const char *spelling, *normal;
	} cases[] = {
		{ FG_INET, "038906", "038106" },         /* C33a: reserved numeric bit */
		{ FG_INET, "098c02", "098002" },         /* reserved bitmask bits */
		{ FG_INET, "0114050607", "0114050600" }, /* C33b: host bits */
		{ FG_INET, "044350c55a", "040350c55a" }, /* C08: first AND */
		{ FG_INET, "0b81ee", "0b812e" },         /* C28c: DSCP has six bits */
		{ FG_INET, "0c81ff", "0c810f" },         /* C35: fragment has four */
		{ FG_INET, "0991ff3a", "0991ff3a" },     /* C27b: tcp-flags keep theirs */
		{ FG_INET6, "0c810f", "0c810e" },        /* no DF in IPv6 */
		{ FG_INET6, "01210020010db8ff", "01210020010db880" }, /* C17e: pad bits */
		{ FG_INET6, "0268412468acf134", "0268412468acf134" }, /* R5: shifted pattern */
		{ FG_INET6, "0268412468acf135", "0268412468acf134" },
		{ FG_INET6, "018000ffffffffffffffffffffffffffffffff",
		  "018000ffffffffffffffffffffffffffffffff" },
		{ FG_INET6, "01807fff", "01807f80" }, /* one bit, the last */
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		uint8_t value[64], normal[64], out[64];
		size_t len = octets(cases[i].spelling, value, sizeof(value));
		size_t normal_len = octets(cases[i].normal, normal, sizeof(normal));

		assert_int_equal(fg_flow_decode(cases[i].family, value, len, &flow, NULL), 0);
		assert_int_equal(fg_flow_encode(&flow, out, sizeof(out)), normal_len);
		assert_memory_equal(out, normal, normal_len);
	}
}

/* Reason and octet of each fault, counted from the start of the field. */
static void test_faults(void **state)
{
	static const struct {
		enum fg_family family;
		const char *field;
		int ret;
		size_t octet;
		const char *reason;
	} cases[] = {
		{ FG_INET, "00", -EBADMSG, 0, "no component" },
		{ FG_INET, "0d03811101180a00020218140000", -EBADMSG, 4,
		  "component type 1 after type 3" },
		{ FG_INET, "0a0218cb00710218c63364", -EBADMSG, 6, "component type 2 twice" },
		{ FG_INET, "090120c00002010e8101", -EBADMSG, 7, "unknown component type 14" },
		{ FG_INET, "0c0120c00002010da100012345", -EBADMSG, 7, "unknown component type 13" },
		{ FG_INET, "03008101", -EBADMSG, 1, "unknown component type 0" },
		{ FG_INET, "060180c0000201", -EBADMSG, 2,
		  "destination has prefix length 128, above 32" },
		{ FG_INET, "0101", -EBADMSG, 2, "destination has no prefix length" },
		{ FG_INET, "0301180a", -EBADMSG, 3, "destination is cut off" },
		{ FG_INET6, "0401204000", -EBADMSG, 3,
		  "destination has offset 64, not below length 32" },
		{ FG_INET6, "03018100", -EBADMSG, 2,
		  "destination has prefix length 129, above 128" },
		{ FG_INET6, "020100", -EBADMSG, 2, "destination has no prefix length and offset" },
		{ FG_INET, "03050150", -EBADMSG, 4, "destination-port list has no end" },
		{ FG_INET, "0105", -EBADMSG, 2, "destination-port list has no end" },
		{ FG_INET, "03059150", -EBADMSG, 3, "destination-port value is cut off" },
		{ FG_INET, "0609a100000002", -EBADMSG, 2, "tcp-flags value has 4 octets" },
		{ FG_INET, "040b91002e", -EBADMSG, 2, "dscp value has 2 octets" },
		{ FG_INET, "040c910002", -EBADMSG, 2, "fragment value has 2 octets" },
		{ FG_INET, "f0", -EPROTO, 1, "second length octet is missing" },
		{ FG_INET, "0c038106", -EPROTO, 0, "length is 12, but 3 octets are left" },
		{ FG_INET, "f00338", -EPROTO, 0, "length is 3, but 1 octets are left" },
		{ FG_INET, "", -EPROTO, 0, "no length octet" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_flow_fault fault = { 0 };
		uint8_t field[64];
		size_t len = octets(cases[i].field, field, sizeof(field)), used = 0;

		assert_int_equal(fg_flow_decode_field(cases[i].family, field, len, &flow, &used,
						      &fault),
				 cases[i].ret);
		assert_string_equal(fault.reason, cases[i].reason);
		assert_int_equal(fault.octet, cases[i].octet);
		assert_int_equal(used, cases[i].ret == -EBADMSG ? len : 0);
	}
}

/* C21d: a short rule in the long form is the same rule. */
static void test_long_form(void **state)
{
	uint8_t field[32];
	size_t len = octets("f00b0118c00002038106048119", field, sizeof(field)), used = 0;

	(void)state;
	assert_int_equal(fg_flow_decode_field(FG_INET, field, len, &flow, &used, NULL), 0);
	assert_int_equal(used, len);
	assert_int_equal(flow.present,
			 1 << FG_FLOW_DST | 1 << FG_FLOW_PROTOCOL | 1 << FG_FLOW_PORT);
	assert_int_equal(flow.dst.length, 24);
}

/* A buffer of the exact size is enough, one octet less is not. */
static void test_encode_size(void **state)
{
	uint8_t value[32], out[32];
	size_t len = octets("0118c00002038106048119", value, sizeof(value));

	(void)state;
	assert_int_equal(fg_flow_decode(FG_INET, value, len, &flow, NULL), 0);
	assert_int_equal(fg_flow_encode(&flow, out, len), len);
	assert_memory_equal(out, value, len);
	memset(out, 0xee, sizeof(out));
	assert_int_equal(fg_flow_encode(&flow, out, len - 1), -EMSGSIZE);
	assert_int_equal(out[len - 1], 0xee);
}

/* The comparator is antisymmetric, and stays inside its octets, on what is no rule. */
static void test_compare_any(void **state)
{
	static const uint8_t any[] = { 1, 0x80, 0x7f, 5, 0x30, 2, 0xff, 0xff, 3 };

	(void)state;
	for (size_t a = 0; a <= sizeof(any); a++) {
		for (size_t b = 0; b <= sizeof(any); b++) {
			int ab = fg_flow_compare(FG_INET6, any + a, sizeof(any) - a, any + b,
						 sizeof(any) - b);
			int ba = fg_flow_compare(FG_INET6, any + b, sizeof(any) - b, any + a,
						 sizeof(any) - a);

			assert_int_equal((ab > 0) - (ab < 0), (ba < 0) - (ba > 0));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normalised),  cmocka_unit_test(test_faults),
		cmocka_unit_test(test_long_form),   cmocka_unit_test(test_encode_size),
		cmocka_unit_test(test_compare_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
