// SPDX-License-Identifier: MIT
/* Tests of the oracle itself: NLRI vectors, order, operators, actions, and what its generators make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/gen.h"
#include "oracle/oracle.h"
#include "oracle/text.h"

static const char *const status_names[] = { "VALID", "MALFORMED", "FRAMING" };

static struct fgo_rule decode(uint8_t family, const char *hex)
{
	uint8_t buf[FGO_MAX_VALUE + 2];
	int len = fgo_hex(hex, buf, sizeof(buf));
	struct fgo_rule r = { 0 };
	size_t used = 0;

	assert_true(len > 0);
	assert_int_equal(fgo_decode(family, buf, (size_t)len, &used, &r), FGO_VALID);
	assert_int_equal(used, len);
	return r;
}

/* Calls @check with the first five columns of each data line. */
static int each_line(const char *path, void (*check)(char **col))
{
	FILE *f = fopen(path, "r");
	char line[20000];
	int n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *col[5] = { 0 }, *rest = line;

		if (line[0] == '#')
			continue;
		for (int i = 0; i < 5; i++)
			col[i] = strsep(&rest, "\t\n");
		assert_non_null(col[4]);
		check(col);
		n++;
	}
	fclose(f);
	return n;
}

static void check_vector(char **col)
{
	uint8_t buf[FGO_MAX_VALUE + 2];
	int len = fgo_hex(col[2], buf, sizeof(buf));
	enum fgo_status s;
	struct fgo_rule r;
	size_t used = 0;

	assert_true(len > 0);
	s = fgo_decode(col[1][0] == '2' ? 6 : 4, buf, (size_t)len, &used, &r);
	if (strcmp(status_names[s], col[3]) != 0)
		fail_msg("%s: %s, expected %s", col[0], status_names[s], col[3]);
	if (s != FGO_FRAMING)
		assert_int_equal(used, len);
}

static void test_vectors(void **state)
{
	(void)state;
	assert_int_equal(each_line("selftests/data/flowspec-vectors.tsv", check_vector), 46);
}

static void check_order(char **col)
{
	struct fgo_rule r[2];

	for (int i = 0; i < 2; i++) {
		uint8_t buf[FGO_MAX_VALUE];
		int len = fgo_hex(col[2 + i], buf, sizeof(buf));

		assert_true(len > 0);
		assert_int_equal(fgo_decode_value(col[1][0] == '2' ? 6 : 4, buf, (size_t)len,
						  &r[i]),
				 FGO_VALID);
	}
	if (fgo_cmp(&r[0], &r[1]) >= 0 || fgo_cmp(&r[1], &r[0]) <= 0)
		fail_msg("%s: A does not come first", col[0]);
	assert_int_equal(fgo_cmp(&r[0], &r[0]), 0);
}

static void test_order(void **state)
{
	(void)state;
	assert_int_equal(each_line("selftests/data/flowspec-order.tsv", check_order), 14);
}

/* Consumed octets, so that the field behind a malformed one is still found. */
static void test_boundaries(void **state)
{
	static const uint8_t two[] = { 0x03, 0x03, 0x89, 0x11, 0x03, 0x03, 0x81, 0x06, 0xf0 };
	static const uint8_t empty[] = { 0x00, 0x03, 0x03, 0x81, 0x06 };
	struct fgo_rule r;
	size_t used = 0;

	(void)state;
	assert_int_equal(fgo_decode(4, two, sizeof(two), &used, &r), FGO_VALID);
	assert_int_equal(used, 4);
	assert_int_equal(fgo_decode(4, two + 4, sizeof(two) - 4, &used, &r), FGO_VALID);
	assert_int_equal(fgo_decode(4, two + 8, 1, &used, &r), FGO_FRAMING);
	assert_int_equal(fgo_decode(4, empty, sizeof(empty), &used, &r), FGO_MALFORMED);
	assert_int_equal(used, 1);
}

/* Another spelling of must-ignore bits is the same rule: RFC 8955 4.2. */
static void test_normalise(void **state)
{
	static const struct {
		uint8_t family;
		const char *plain, *other;
	} pairs[] = {
		{ 4, "03038106", "03038906" },             /* C33a */
		{ 4, "05 0114 050600", "05 0114 050607" }, /* C33b: /20 */
		{ 4, "05 04 0350 c55a", "05 04 4350 c55a" },
		{ 4, "0b0118c00002038106048119", "f00b0118c00002038106048119" }, /* C21d */
		{ 4, "03 0c8102", "03 0c8df2" },
		{ 4, "03 0b812e", "03 0b81ee" },                         /* C28 */
		{ 6, "08 0121 00 20010db880", "08 0121 00 20010db8ff" }, /* C17e */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		uint8_t text[64], other[64];
		struct fgo_rule a, b;
		size_t used;
		int n, m;

		n = fgo_hex(pairs[i].plain, text, sizeof(text));
		m = fgo_hex(pairs[i].other, other, sizeof(other));
		assert_int_equal(fgo_decode(pairs[i].family, text, (size_t)n, &used, &a),
				 FGO_VALID);
		assert_int_equal(fgo_decode(pairs[i].family, other, (size_t)m, &used, &b),
				 FGO_VALID);
		assert_int_equal(fgo_cmp(&a, &b), 0);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.value, b.value, a.len);
	}
}

/* One list on one value: C02, C04, C06, C08, C09, C11, C18, C24, C27, C32, A5, A6. */
static void test_operators(void **state)
{
	static const struct {
		uint8_t family;
		const char *nlri;
		uint32_t data;
		bool holds;
	} t[] = {
		{ 4, "03098002", 0x02, true },
		{ 4, "03098002", 0x12, true },
		{ 4, "03098002", 0x10, false },
		{ 4, "03098012", 0x02, true },
		{ 4, "03098112", 0x02, false },
		{ 4, "03098112", 0x1a, true },
		{ 4, "03098109", 0x19, true },
		{ 4, "03098109", 0x01, false },
		{ 4, "03098109", 0x08, false },
		{ 4, "03098009", 0x01, true },
		{ 4, "0409910fff", 0xfff, true },
		{ 4, "040991ff3a", 0xf3a, false },
		{ 4, "0409900100", 0x100, true },
		{ 4, "03098100", 0x00, true },
		{ 4, "030c8000", 0, false },
		{ 4, "030c8000", 15, false },
		{ 4, "030c8202", 0, true },
		{ 4, "030c8202", 2, false },
		{ 4, "050c02028002", 0, true },
		{ 4, "050c02028002", 2, true },
		{ 4, "030c81ff", 7, false },
		{ 4, "030c81ff", 15, true },
		{ 4, "03058650", 79, true },
		{ 4, "03058650", 80, false },
		{ 4, "03058000", 0, false },
		{ 4, "03058000", 5, false },
		{ 4, "03058700", 0, true },
		{ 4, "03058700", 5, true },
		{ 4, "05054350c55a", 80, true },
		{ 4, "05054350c55a", 90, true },
		{ 4, "05054350c55a", 79, false },
		{ 4, "05054350c55a", 91, false },
		{ 4, "0705131f90d522b8", 8080, true },
		{ 4, "0705131f90d522b8", 8888, true },
		{ 4, "0705131f90d522b8", 8079, false },
		{ 4, "0705131f90d522b8", 8889, false },
		{ 4, "0b0501010102010301048105", 5, true },
		{ 4, "0b0501010102010301048105", 6, false },
		{ 4, "0605a100000050", 80, true },
		{ 4, "0a05b10000000000000050", 80, true },
		{ 4, "0a05b10000000100000050", 80, false },
		{ 4, "0b0a2300018683e500018691", 34435, false },
		{ 6, "060da100012345", 0x12345, true },
		{ 6, "060da100112345", 0x12345, false },
		{ 4, "030b81ee", 46, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct fgo_rule r = decode(t[i].family, t[i].nlri);

		if (fgo_list_holds(&r, &r.comps[0], t[i].data) != t[i].holds)
			fail_msg("%s on %u", t[i].nlri, t[i].data);
	}
}

/* AND binds tighter than OR: =1 && =2 || =3 && >2 || =9. */
static void test_groups(void **state)
{
	struct fgo_rule r = decode(4, "0b 05 0101 4102 0103 4202 8109");

	(void)state;
	for (uint32_t v = 0; v < 12; v++)
		assert_int_equal(fgo_list_holds(&r, &r.comps[0], v), v == 3 || v == 9);
}

static struct fgo_actions actions(const char *hex)
{
	struct fgo_actions a;
	uint8_t buf[64];
	int n = fgo_hex(hex, buf, sizeof(buf));

	assert_true(n >= 0);
	assert_true(fgo_actions_decode(buf, (size_t)n, &a));
	return a;
}

static void test_actions(void **state)
{
	static const uint8_t nan[] = { 0x80, 0x06, 0, 0, 0x7f, 0xc0, 0, 0 };
	struct fgo_actions a;

	(void)state;
	assert_true(actions("8006000000000000").discard);
	assert_true(actions("8006fde8bf800000").discard);
	assert_true(actions("800c000080000000").discard);
	assert_true(actions("80060000c7f42400").discard);
	a = actions("800600007f800000");
	assert_false(a.discard || a.has_bytes);
	a = actions("8006fde847f42400 800c0000447a0000");
	assert_true(a.has_bytes && a.rate_bytes == 125000.0f);
	assert_true(a.has_packets && a.rate_packets == 1000.0f);
	assert_false(a.discard);
	assert_true(actions("8007000000000001").go_on && !actions("8007000000000001").sample);
	assert_true(!actions("8007000000000002").go_on && actions("8007000000000002").sample);
	assert_true(actions("80090000000000ee").has_mark);
	assert_int_equal(actions("80090000000000ee").mark, 46);
	assert_true(actions("8108c00002010064").redirect && actions("8008fde800000064").redirect);
	a = actions("0002fde800000001");
	assert_false(a.discard || a.go_on || a.has_mark || a.redirect || a.sample);
	assert_false(fgo_actions_decode(nan, 8, &a));
	assert_false(fgo_actions_decode(nan, 7, &a));
	assert_true(fgo_actions_decode(nan, 0, &a));
}

/* The order is total: on random rules the sign turns with the arguments and chains stay sorted. */
static void test_order_total(void **state)
{
	struct fgo_entry *e = calloc(120, sizeof(*e));
	struct fgo_source *s = calloc(120, sizeof(*s));
	struct fgo_rng r = { 7 };

	(void)state;
	assert_true(e && s);
	for (int kind = 0; kind < FGO_KINDS; kind++) {
		size_t n = fgo_gen_list(&r, (enum fgo_kind)kind, kind % 2 ? 6 : 4, 120, e, s);

		assert_in_range(n, 60, 120);
		for (size_t i = 0; i < n; i++) {
			for (size_t j = 0; j < n; j++) {
				int c = fgo_cmp(&e[i].rule, &e[j].rule);

				assert_int_equal(c < 0, i < j);
				assert_int_equal(c > 0, i > j);
			}
		}
	}
	free(s);
	free(e);
}

/* What the generators make is worth testing with: valid, spelled in many ways, hit and missed. */
static void test_generators(void **state)
{
	unsigned int hits[FGO_KINDS] = { 0 }, respelled = 0;
	struct fgo_entry *e = calloc(100, sizeof(*e));
	struct fgo_source *s = calloc(100, sizeof(*s));
	struct fgo_rng r = { 11 };

	(void)state;
	assert_true(e && s);
	for (int kind = 0; kind < FGO_KINDS; kind++) {
		uint8_t family = kind % 2 ? 6 : 4, frame[FGO_MAX_FRAME];
		size_t n = fgo_gen_list(&r, (enum fgo_kind)kind, family, 100, e, s);

		for (size_t i = 0; i < n; i++)
			respelled += s[i].nlri[0] >= 0xf0 && s[i].nlri_len < 242;
		for (int i = 0; i < 4000; i++) {
			struct fgo_verdict v;
			size_t len = fgo_gen_frame(&r, e, n, family, frame, sizeof(frame));

			assert_in_range(len, 14, sizeof(frame));
			fgo_evaluate(e, n, frame, len, &v);
			hits[kind] += v.first >= 0;
		}
		/* neither all nor nothing */
		assert_in_range(hits[kind], 800, 3800);
	}
	assert_true(respelled > 5);
	free(s);
	free(e);
}

/* Equal seeds, equal output: a printed seed reproduces a failure. */
static void test_seed(void **state)
{
	uint8_t a[FGO_MAX_VALUE + 2], b[FGO_MAX_VALUE + 2];

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct fgo_rng ra = { seed }, rb = { seed };
		size_t n = fgo_gen_nlri(&ra, FGO_WILD, 6, a);

		assert_int_equal(n, fgo_gen_nlri(&rb, FGO_WILD, 6, b));
		assert_memory_equal(a, b, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),    cmocka_unit_test(test_order),
		cmocka_unit_test(test_boundaries), cmocka_unit_test(test_normalise),
		cmocka_unit_test(test_operators),  cmocka_unit_test(test_groups),
		cmocka_unit_test(test_actions),    cmocka_unit_test(test_order_total),
		cmocka_unit_test(test_generators), cmocka_unit_test(test_seed),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
