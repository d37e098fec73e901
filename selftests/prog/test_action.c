// SPDX-License-Identifier: MIT
/* Group B of the issue-drawn cases (what is done to a matched packet, octet by octet) through the real programs. */
/* needs: root */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lib/cases.h"
#include "oracle/text.h"

#define MARK_46 "800900000000002e"
#define GO_ON "8007000000000001"
#define HOST "0120c6336401" /* 198.51.100.1 */
#define EACH_MODE(mode) for (enum fg_mode mode = FG_MODE_DMEM; mode <= FG_MODE_FLT; mode++)
#define RULES(...) ((const struct case_rule[]){ __VA_ARGS__, { NULL, NULL } })

#define CONFORMS(i) ((struct case_expect){ XDP_PASS, FG_REASON_RATE_CONFORM, (i), FG_NOTE_NONE })
#define EXCEEDS(i) ((struct case_expect){ XDP_DROP, FG_REASON_RATE_LIMIT, (i), FG_NOTE_NONE })

/* The frame that came out is the one that went in, with @n octets at @at replaced. */
static void check_octets(const struct gate_answer *a, const struct fgo_model *m, size_t at,
			 const char *hex)
{
	uint8_t want[FGO_MAX_FRAME];
	size_t len = fgo_frame_build(m, want, sizeof(want));
	int n = fgo_hex(hex, want + at, sizeof(want) - at);

	assert_true(n > 0);
	assert_int_equal(a->out_len, len);
	assert_memory_equal(a->out, want, len);
}

/* B1: DSCP 46 in place of 0; ECN stays; the checksum is mended by RFC 1624, not recomputed wrongly. */
static void test_b1_mark_v4(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(6);

		case_rules(FG_INET, mode, RULES({ HOST, MARK_46 }));
		m.tos = 1;
		check_octets(case_frame(&m, CASE_PASS(0)), &m, 14,
			     "45b9 0028 0001 4000 4006 4de0 c0000201 c6336401");
		m.tos = 0;
		check_octets(case_frame(&m, CASE_PASS(0)), &m, 14,
			     "45b8 0028 0001 4000 4006 4de1 c0000201 c6336401");
		m.tos = 0xb8; /* marked already: nothing changes */
		check_octets(case_frame(&m, CASE_PASS(0)), &m, 14, "45b8 0028 0001 4000 4006 4de1");
		m.dst[3] = 2;
		m.tos = 1;
		case_frame(&m, CASE_MISS); /* not matched, not marked */
	}
}

/* Every old DSCP and ECN: the checksum of what comes out sums to zero (RFC 1071). */
static void test_mark_checksum(void **state)
{
	(void)state;
	case_rules(FG_INET, FG_MODE_FLT, RULES({ HOST, MARK_46 }));
	for (unsigned int tos = 0; tos < 256; tos++) {
		struct fgo_model m = fgo_model_v4(17);
		const struct gate_answer *a;
		size_t l3 = 14 + (size_t)(tos % 3) * 4;

		m.tos = (uint8_t)tos;
		m.options = (uint8_t)(tos % 11);
		m.n_tags = (uint8_t)(tos % 3);
		m.tag_type[0] = m.tag_type[1] = 0x8100;
		a = case_frame(&m, CASE_PASS(0));
		assert_int_equal(a->out[l3 + 1], 0xb8 | (tos & 3));
		assert_int_equal(fgo_csum(a->out + l3, 20 + (size_t)m.options * 4), 0);
	}
}

/* B3: the traffic class lies across two octets; version and flow label stay. */
static void test_b3_mark_v6(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v6(17);

		case_rules(FG_INET6, mode, RULES({ "038111", MARK_46 }));
		m.tos = 1;
		m.flow_label = 0xabcde;
		check_octets(case_frame(&m, CASE_PASS(0)), &m, 14, "6b9abcde");
		m.tos = 0xfe;
		check_octets(case_frame(&m, CASE_PASS(0)), &m, 14, "6baabcde");
	}
}

/* B4: zero, -0.0 and negative rates drop everything; +Inf limits nothing; NaN never gets here. */
static void test_b4_rates(void **state)
{
	static const char *const dropping[] = {
		"8006fde800000000", "8006000080000000", "80060000bf800000",
		"800c000000000000", "800c0000c7f42400", "8006000049742400 800c000000000000",
	};
	static const uint8_t nan[] = { 0x80, 0x06, 0, 0, 0x7f, 0xc0, 0, 0 };
	struct fg_actions actions = { 0 };
	struct fg_error err = { 0 };

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);

		for (size_t i = 0; i < sizeof(dropping) / sizeof(*dropping); i++) {
			case_rules(FG_INET, mode, RULES({ HOST, dropping[i] }));
			for (int n = 0; n < 3; n++)
				case_frame(&m, CASE_DROP(0));
		}
		case_rules(FG_INET, mode, RULES({ HOST, "800600007f800000" }));
		for (int n = 0; n < 3; n++)
			case_frame(&m, CASE_PASS(0));
	}
	assert_int_not_equal(fg_actions_decode(nan, sizeof(nan), NULL, 0, &actions, &err), 0);
}

/* A limit far below one packet a second: the first fits the burst, the next ones are over it. */
static void check_limit(enum fg_mode mode, const char *value, const char *com)
{
	struct fgo_model m = fgo_model_v4(17);

	case_rules(FG_INET, mode, RULES({ value, com }));
	m.dst[3] = 9;
	case_frame(&m, CASE_MISS);
	m.dst[3] = 1;
	case_frame(&m, CONFORMS(0));
	case_frame(&m, EXCEEDS(0));
	case_frame(&m, EXCEEDS(0));
}

/* Each limit needs a policer that no earlier test used, or its burst is spent: rank order gives the slot. */
static void test_rate_exceeded(void **state)
{
	static const char *const slow[] = {
		"80060000 3dcccccd",                   /* 0.1 bytes/s */
		"800c0000 3a83126f",                   /* 0.001 packets/s */
		"80060000 501502f9 800c0000 3a83126f", /* 1e10 bytes/s and 0.001 packets/s: both count */
	};

	EACH_MODE(mode)
	{
		for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
			case_close(state);
			assert_int_equal(case_open(state), 0);
			check_limit(mode, HOST, slow[i]);
		}
	}
}

/* Discard wins over a rate in a later rule; the mark of the first rule that has one counts (8955 7.7). */
static void test_go_on(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);
		const struct gate_answer *a;

		m.dport = 53;
		case_rules(FG_INET, mode,
			   RULES({ HOST "038111 058135", GO_ON MARK_46 },
				 { HOST "038111", GO_ON "800900000000000a" }, { HOST, CASE_ACCEPT },
				 { "0118c63364", CASE_DISCARD }));
		a = case_frame(&m, CASE_PASS(0)); /* stops at rule 2 */
		assert_true(a->has_mark && a->mark == 46);
		m.dport = 54;
		a = case_frame(&m, CASE_PASS(1));
		assert_true(a->has_mark && a->mark == 10);
		case_rules(FG_INET, mode,
			   RULES({ HOST "038111 058135", GO_ON MARK_46 },
				 { "0118c63364", CASE_DISCARD }));
		m.dport = 53;
		case_frame(
			&m,
			CASE_DROP(
				0)); /* decided by the first match, dropped by what it collected */
		m.dport = 54;
		case_frame(&m, CASE_DROP(1));
		case_rules(FG_INET, mode,
			   RULES({ HOST "038111 058135", CASE_DISCARD GO_ON },
				 { HOST, CASE_ACCEPT }));
		m.dport = 53;
		case_frame(&m, CASE_DROP(0));
		m.dport = 54;
		case_frame(&m, CASE_PASS(1));
	}
}

/* No action at all: accept, and stop (C48). */
static void test_no_action(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);

		case_rules(FG_INET, mode,
			   RULES({ HOST, CASE_ACCEPT }, { "0118c63364", CASE_DISCARD }));
		case_frame(&m, CASE_PASS(0));
		m.dst[3] = 2;
		case_frame(&m, CASE_DROP(1));
	}
}

static void test_b7_per_source(void **state)
{
	(void)state;
	case_skip("per-source limits are not part of fltgate yet");
}

static void test_b9_redirect_target(void **state)
{
	(void)state;
	case_skip("redirect is not part of fltgate yet: such rules are refused with a reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_b1_mark_v4), CASE(test_mark_checksum), CASE(test_b3_mark_v6),
		CASE(test_b4_rates),   CASE(test_rate_exceeded), CASE(test_go_on),
		CASE(test_no_action),  CASE(test_b7_per_source), CASE(test_b9_redirect_target),
	};

	return cmocka_run_group_tests_name("action", tests, case_open, case_close);
}
