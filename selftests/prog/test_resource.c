// SPDX-License-Identifier: MIT
/* What limits of our own do to a packet: counted under its own reason, fails closed, never taken for a rule's doing. */
/* needs: root */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/bpf.h>

#include "lib/cases.h"

#define HOST "0120c6336401" /* 198.51.100.1 */
#define GO_ON "8007000000000001"
#define RATE "80060000501502f9" /* 1e10 bytes/s: never reached here */
#define EACH_MODE(mode) for (enum fg_mode mode = FG_MODE_DMEM; mode <= FG_MODE_FLT; mode++)
#define RULES(...) ((const struct case_rule[]){ __VA_ARGS__, { NULL, NULL } })
#define CONFORMS(i) ((struct case_expect){ XDP_PASS, FG_REASON_RATE_CONFORM, (i), FG_NOTE_NONE })
#define RESOURCE(reason, rule) ((struct case_expect){ XDP_DROP, (reason), (rule), FG_NOTE_NONE })

/* The second stage is missing: a packet with candidates is dropped and counted, one without is not concerned. */
static void test_tail_call_missed(void **state)
{
	struct fgo_model m = fgo_model_v4(17);
	uint32_t slot = FG_STAGE_RESIDUAL;

	case_rules(FG_INET, FG_MODE_FLT, RULES({ HOST, CASE_ACCEPT }));
	case_frame(&m, CASE_PASS(0));
	assert_int_equal(bpf_map_delete_elem(case_map("stages"), &slot), 0);
	case_frame(&m, RESOURCE(FG_REASON_TAIL_CALL_MISSED, -1));
	m.dst[3] = 2;
	case_frame(&m, CASE_MISS);
	case_close(state); /* the next test gets a whole gate */
	assert_int_equal(case_open(state), 0);
}

/* A table of the running generation is gone: dropped, and the operator sees why. */
static void test_no_table(void **state)
{
	static const char *const tables[] = { "t_rules", "t_checks" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		struct fgo_model m = fgo_model_v4(17);

		case_rules(FG_INET, FG_MODE_FLT, RULES({ HOST, CASE_ACCEPT }));
		case_frame(&m, CASE_PASS(0));
		for (uint32_t slot = 0; slot < FG_TABLE_SLOTS; slot++)
			(void)bpf_map_delete_elem(case_map(tables[i]), &slot);
		case_frame(&m, RESOURCE(FG_REASON_NO_TABLE, -1));
		case_close(state);
		assert_int_equal(case_open(state), 0);
	}
}

/* In rank order; all of them match the model packet to HOST: UDP, 28 octets, DSCP 0, DF. */
static const char *const limited[] = {
	HOST "038111 0a811c", HOST "038111 0a8701", HOST "038111 0b8100", HOST "038111 0b8701",
	HOST "038111 0c8001", HOST "038111 0c8101", HOST "038111",        HOST,
	"0118c63364",
};

/* Rate limits of eight rules are applied together; a ninth is more than one packet passes through. */
static void test_policers_limit(void **state)
{
	struct case_rule rules[10] = { 0 };

	(void)state;
	for (int i = 0; i < 9; i++)
		rules[i] = (struct case_rule){ limited[i], GO_ON RATE };
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);

		rules[7].com = RATE; /* the eighth match stops */
		case_rules(FG_INET, mode, rules);
		assert_int_equal(case_frame(&m, CONFORMS(0))->n_policers, 8);
		rules[7].com = GO_ON RATE;
		case_rules(FG_INET, mode, rules);
		case_frame(&m, RESOURCE(FG_REASON_POLICERS_LIMIT, 0));
		m.dst[3] = 2; /* the /24 only */
		case_frame(&m, CONFORMS(8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_tail_call_missed),
		CASE(test_no_table),
		CASE(test_policers_limit),
	};

	return cmocka_run_group_tests_name("resource", tests, case_open, case_close);
}
