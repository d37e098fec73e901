// SPDX-License-Identifier: MIT
/* The NLRI codec on the golden files drawn from the RFCs and from bug reports, on lengths, and through its text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flowspec/flowspec.h"
#include "oracle/gen.h"
#include "oracle/oracle.h"
#include "oracle/text.h"

static struct fg_flow flow, again;

static enum fg_family family_of(const char *afi)
{
	return afi[0] == '2' ? FG_INET6 : FG_INET;
}

/* Calls @check with the first five columns of each data line. */
static int each_line(const char *path, void (*check)(char **col))
{
	FILE *f = fopen(path, "r");
	static char line[20000];
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

static int decode(enum fg_family family, const uint8_t *p, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1); /* a read past the end is a read past the block */
	struct fg_flow_fault fault = { 0 };
	size_t used = 0;
	int res;

	assert_non_null(exact);
	memcpy(exact, p, len);
	res = fg_flow_decode_field(family, exact, len, &flow, &used, &fault);
	free(exact);
	if (res != -EPROTO)
		assert_in_range(used, 1, len);
	assert_int_equal(fault.reason[0] != '\0', res != 0);
	return res;
}

static void check_vector(char **col)
{
	uint8_t buf[FG_NLRI_MAX + 2];
	int len = fgo_hex(col[2], buf, sizeof(buf)), res;

	assert_true(len > 0);
	res = decode(family_of(col[1]), buf, (size_t)len);
	if (strcmp(col[3], res == 0 ? "VALID" : res == -EBADMSG ? "MALFORMED" : "FRAMING") != 0)
		fail_msg("%s: %d, expected %s", col[0], res, col[3]);
}

static void test_vectors(void **state)
{
	(void)state;
	assert_int_equal(each_line("selftests/data/flowspec-vectors.tsv", check_vector), 46);
}

static void check_order(char **col)
{
	uint8_t a[FG_NLRI_MAX], b[FG_NLRI_MAX];
	int a_len = fgo_hex(col[2], a, sizeof(a)), b_len = fgo_hex(col[3], b, sizeof(b));
	enum fg_family family = family_of(col[1]);

	assert_true(a_len > 0 && b_len > 0);
	if (fg_flow_compare(family, a, (size_t)a_len, b, (size_t)b_len) >= 0 ||
	    fg_flow_compare(family, b, (size_t)b_len, a, (size_t)a_len) <= 0)
		fail_msg("%s: A does not come first", col[0]);
	assert_int_equal(fg_flow_compare(family, a, (size_t)a_len, a, (size_t)a_len), 0);
}

static void test_order(void **state)
{
	(void)state;
	assert_int_equal(each_line("selftests/data/flowspec-order.tsv", check_order), 14);
}

/* C2: every length form decodes; one octet short is framing lost. */
static void test_lengths(void **state)
{
	static const size_t lengths[] = { 3, 239, 240, 241, 255, 256, 4095 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		uint8_t buf[FG_NLRI_MAX + 3];
		size_t n = lengths[i], head = fg_flow_encode_length(n, buf);

		assert_int_equal(head, n < 240 ? 1 : 2);
		assert_int_equal(head == 1 ? buf[0] : (buf[0] & 0x0f) << 8 | buf[1], n);
		buf[head] =
			5; /* destination ports, two octets a term, three where the count is odd */
		for (size_t at = head + 1; at < head + n; at += 2) {
			bool wide = (head + n - at) % 2;

			buf[at] = wide ? 0x11 : 0x01;
			buf[at + 1] = buf[at + 2] = 7;
			at += wide;
		}
		buf[head + n - 2] |= 0x80;
		assert_int_equal(decode(FG_INET, buf, head + n), 0);
		assert_int_equal(decode(FG_INET, buf, head + n - 1), -EPROTO);
	}
}

/* C1 and another spelling of it: same normalised octets, same identity. */
static void test_identity(void **state)
{
	static const uint8_t golden[] = { 0x01, 0x18, 0xc0, 0, 2, 3, 0x81, 0x11, 5, 0x81, 0x35 };
	static const uint8_t spelled[] = { 0x01, 0x18, 0xc0, 0, 2, 3, 0x89, 0x11, 5, 0xc1, 0x35 };
	uint8_t value[FG_NLRI_MAX];
	struct fg_flow_fault fault;

	(void)state;
	assert_int_equal(fg_flow_decode(FG_INET, golden, sizeof(golden), &flow, &fault), 0);
	assert_int_equal(fg_flow_encode(&flow, value, sizeof(value)), sizeof(golden));
	assert_memory_equal(value, golden, sizeof(golden));
	assert_int_equal(fg_flow_decode(FG_INET, spelled, sizeof(spelled), &flow, &fault), 0);
	assert_int_equal(fg_flow_encode(&flow, value, sizeof(value)), sizeof(golden));
	assert_memory_equal(value, golden, sizeof(golden));
	assert_int_equal(fg_flow_encode(&flow, value, sizeof(golden) - 1), -EMSGSIZE);
	assert_int_not_equal(fg_flow_id(FG_INET, golden, sizeof(golden)), 0);
	assert_int_not_equal(fg_flow_id(FG_INET, golden, sizeof(golden)),
			     fg_flow_id(FG_INET6, golden, sizeof(golden)));
}

/* Parses "keyword value; keyword value;" back into a rule. */
static int parse_text(enum fg_family family, char *text)
{
	char *statement;

	fg_flow_init(&again, family);
	while ((statement = strsep(&text, ";"))) {
		char *keyword;
		struct fg_error err = { 0 };

		statement += strspn(statement, " \n");
		if (!*statement)
			continue;
		keyword = strsep(&statement, " ");
		if (fg_flow_add_text(&again, keyword, statement ? statement : "", &err)) {
			fprintf(stderr, "# %s %s: %s\n", keyword, statement, err.what);
			return -EINVAL;
		}
	}
	return 0;
}

/* A5: what is printed reads back as the same octets. */
static void check_round_trip(enum fg_family family, const struct fgo_rule *rule)
{
	uint8_t value[FG_NLRI_MAX];
	struct fg_flow_fault fault;
	struct fg_buf buf = { 0 };
	char *copy;
	int n;

	assert_int_equal(fg_flow_decode(family, rule->value, rule->len, &flow, &fault), 0);
	fg_flow_print(&flow, &buf);
	copy = strdup(fg_buf_text(&buf));
	assert_non_null(copy);
	n = parse_text(family, copy);
	free(copy);
	n = n ? n : fg_flow_encode(&again, value, sizeof(value));
	if (n != rule->len || memcmp(value, rule->value, rule->len) != 0) {
		fprintf(stderr, "# %s\n# ", fg_buf_text(&buf));
		fgo_print_hex(rule->value, rule->len);
		fprintf(stderr, "\n");
		fail_msg("printed and parsed: %d octets, other ones", n);
	}
	fg_buf_free(&buf);
}

static void test_round_trip(void **state)
{
	struct fgo_rng r = { 3 };

	(void)state;
	for (int i = 0; i < 5000; i++) {
		uint8_t nlri[FGO_MAX_VALUE + 2], family = i % 2 ? 6 : 4;
		static struct fgo_rule rule;
		size_t used, len = fgo_gen_nlri(&r, (enum fgo_kind)(i % FGO_KINDS), family, nlri);

		assert_int_equal(fgo_decode(family, nlri, len, &used, &rule), FGO_VALID);
		check_round_trip(family == 6 ? FG_INET6 : FG_INET, &rule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),    cmocka_unit_test(test_order),
		cmocka_unit_test(test_lengths),    cmocka_unit_test(test_identity),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests_name("flowspec vectors", tests, NULL, NULL);
}
