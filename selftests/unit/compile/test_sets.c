// SPDX-License-Identifier: MIT
/* Operator lists as sets, against a direct evaluation of every operator for every value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "compile/sets.h"
#include "util/cleanup.h"

#define SEED 20261130
#define LISTS 4000

/* RFC 8955 section 4.2.1.1, one operator. */
static bool numeric_holds(const struct fg_flow_op *op, uint64_t x)
{
	return (op->bits & FG_OP_LT && x < op->value) || (op->bits & FG_OP_GT && x > op->value) ||
	       (op->bits & FG_OP_EQ && x == op->value);
}

/* RFC 8955 section 4.2.1.2, one operator on TCP flags. */
static bool flags_hold(const struct fg_flow_op *op, uint64_t x)
{
	uint64_t data = op->width == 1 ? x & 0xff : x;
	bool holds = op->bits & FG_OP_MATCH ? (data & op->value) == op->value : data & op->value;

	return op->bits & FG_OP_NOT ? !holds : holds;
}

/* OR of AND groups: AND binds tighter. */
static bool list_holds(const struct fg_flow_op *ops, size_t n, uint64_t x,
		       bool (*holds)(const struct fg_flow_op *op, uint64_t x))
{
	for (size_t i = 0; i < n;) {
		bool group = true;

		do
			group = holds(&ops[i], x) && group;
		while (++i < n && ops[i].bits & FG_OP_AND);
		if (group)
			return true;
	}
	return false;
}

static void assert_canonical(const struct fg_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		assert_true(set->range[i].low <= set->range[i].high);
		if (i)
			assert_true(set->range[i].low > set->range[i - 1].high + 1);
	}
}

static size_t random_list(struct fg_flow_op *ops, uint64_t values)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	size_t n = 1 + (size_t)rand() % 7;

	for (size_t i = 0; i < n; i++) {
		ops[i].bits = (uint8_t)(rand() & (FG_OP_LT | FG_OP_GT | FG_OP_EQ));
		if (i && rand() & 1)
			ops[i].bits |= FG_OP_AND;
		ops[i].width = widths[rand() & 3];
		ops[i].value = (uint64_t)rand() % values;
		if (rand() % 20 == 0)
			ops[i].value = rand() & 1 ? UINT64_MAX : 0;
	}
	return n;
}

static void test_numeric_equals_operators(void **state)
{
	static struct fg_set set;
	struct fg_flow_op ops[8];

	(void)state;
	srand(SEED);
	for (int list = 0; list < LISTS; list++) {
		size_t n = random_list(ops, 300);
		uint32_t low = (uint32_t)rand() % 40;

		fg_set_numeric(ops, n, low, 255, &set);
		assert_canonical(&set);
		for (uint32_t x = 0; x < 300; x++)
			assert_int_equal(fg_set_has(&set, x),
					 x >= low && x <= 255 &&
						 list_holds(ops, n, x, numeric_holds));
	}
}

static void test_tcp_flags_equal_operators(void **state)
{
	static struct fg_set set;
	struct fg_flow_op ops[8];

	(void)state;
	srand(SEED);
	for (int list = 0; list < LISTS / 20; list++) {
		size_t n = random_list(ops, 0x1000);

		fg_set_tcp_flags(ops, n, &set);
		assert_canonical(&set);
		for (uint32_t x = 0; x < 4096; x++)
			assert_int_equal(fg_set_has(&set, x), list_holds(ops, n, x, flags_hold));
	}
}

/* Packet lengths above 65,535 must not wrap (the outage of 2013-03-03). */
static void test_impossible_length_is_empty(void **state)
{
	static struct fg_set set;
	const struct fg_flow_op impossible[] = { { FG_OP_GT | FG_OP_EQ, 4, 99971 },
						 { FG_OP_AND | FG_OP_LT | FG_OP_EQ, 4, 99985 } };
	const struct fg_flow_op possible = { FG_OP_GT | FG_OP_EQ, 2, 65535 };

	(void)state;
	fg_set_numeric(impossible, 2, 20, 65535, &set);
	assert_int_equal(set.n, 0);
	fg_set_numeric(&possible, 1, 20, 65535, &set);
	assert_int_equal(set.n, 1);
	assert_int_equal(set.range[0].low, 65535);
}

static void test_longest_list(void **state)
{
	static struct fg_set set;
	static struct fg_flow_op ops[FG_FLOW_OPS_MAX];

	(void)state;
	for (size_t i = 0; i < FG_FLOW_OPS_MAX; i++)
		ops[i] = (struct fg_flow_op){ FG_OP_AND | FG_OP_LT | FG_OP_GT, 2, 10 + 2 * i };
	ops[0].bits = FG_OP_LT | FG_OP_GT;
	fg_set_numeric(ops, FG_FLOW_OPS_MAX, 0, 65535, &set);
	assert_int_equal(set.n, FG_FLOW_OPS_MAX + 1);
	assert_false(fg_set_has(&set, 10));
	assert_true(fg_set_has(&set, 11));
	assert_false(fg_set_has(&set, 10 + 2 * (FG_FLOW_OPS_MAX - 1)));
}

static void test_fragment_combinations(void **state)
{
	static struct fg_set set;
	const struct fg_flow_op is_fragment = { FG_OP_MATCH, 1, FG_FRAG_ISF };
	const struct fg_flow_op first_and_later = { FG_OP_MATCH, 1, FG_FRAG_ISF | FG_FRAG_FF };
	const struct fg_flow_op dont = { FG_OP_MATCH, 1, FG_FRAG_DF };

	(void)state;
	fg_set_fragment(FG_INET, &is_fragment, 1, &set);
	assert_true(fg_set_has(&set, FG_FRAG_ISF | FG_FRAG_LF));
	assert_false(fg_set_has(&set, FG_FRAG_FF));
	fg_set_fragment(FG_INET, &first_and_later, 1, &set);
	assert_int_equal(set.n, 0);
	fg_set_fragment(FG_INET, &dont, 1, &set);
	assert_true(fg_set_has(&set, FG_FRAG_DF));
	assert_false(fg_set_has(&set, 0));
	fg_set_fragment(FG_INET6, &dont, 1, &set); /* DF is ignored: all bits of 0 are set */
	assert_true(fg_set_has(&set, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numeric_equals_operators),
		cmocka_unit_test(test_tcp_flags_equal_operators),
		cmocka_unit_test(test_impossible_length_is_empty),
		cmocka_unit_test(test_longest_list),
		cmocka_unit_test(test_fragment_combinations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
