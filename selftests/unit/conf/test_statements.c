// SPDX-License-Identifier: MIT
/* Tests of the statement table: it is whole, every row can be reached, and completion and reference show all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "conf/statements.h"
#include "util/cleanup.h"

static void test_rows(void **state)
{
	const struct fg_statement *row;
	uint32_t opened = 1U << FG_IN_ROOT;
	size_t n = 0;

	(void)state;
	for (; (row = fg_conf_statement(n)); n++) {
		bool refused = row->refuse && !row->refuse_choice;

		assert_int_not_equal(row->in, 0);
		assert_true(refused || (row->help && *row->help));
		assert_true(refused || row->value == FG_VALUE_NONE || row->name);
		assert_int_equal(row->value == FG_VALUE_CHOICE, row->choices != NULL);
		assert_true(row->value != FG_VALUE_UINT || row->max > row->min);
		assert_true(row->value != FG_VALUE_TEXT || row->max > 0);
		assert_true(row->word || row->value >= FG_VALUE_INTERFACE);
		opened |= row->opens != FG_IN_NONE ? 1U << row->opens : 0;
		for (int in = FG_IN_ROOT; in < FG_CONTEXTS; in++)
			if (row->word && row->in & 1U << in)
				assert_ptr_equal(fg_statement_find((enum fg_context)in, row->word),
						 row);
	}
	assert_true(n > 100);
	for (int in = FG_IN_ROOT; in < FG_CONTEXTS; in++)
		assert_true(opened & 1U << in);
}

static void test_find(void **state)
{
	(void)state;
	assert_non_null(fg_statement_find(FG_IN_MATCH, "destination-port"));
	assert_null(fg_statement_find(FG_IN_MATCH, "discard"));
	assert_non_null(fg_statement_find(FG_IN_THEN, "discard"));
	assert_null(fg_statement_find(FG_IN_THEN, "destination-port"));
	assert_non_null(fg_statement_find(FG_IN_INTERFACES, "anything"));
	assert_null(fg_statement_find(FG_IN_ROOT, "anything"));
}

static void test_nearest(void **state)
{
	char near[32];

	(void)state;
	assert_string_equal(fg_statement_nearest(FG_IN_ROOT, "interface"), "interfaces");
	assert_string_equal(fg_statement_nearest(FG_IN_ROOT, "pRotocols"), "protocols");
	assert_string_equal(fg_statement_nearest(FG_IN_NEIGHBOR, "per-as"), "peer-as");
	assert_string_equal(fg_statement_nearest(FG_IN_NEIGHBOR, "hodl-time"), "hold-time");
	assert_null(fg_statement_nearest(FG_IN_ROOT, "xyz"));
	/* What is refused is never suggested. */
	assert_null(fg_statement_nearest(FG_IN_ROOT, "firewal"));
	assert_true(fg_nearest_choice("inet inet6", "inte6", near, sizeof(near)));
	assert_string_equal(near, "inet6");
	assert_false(fg_nearest_choice("native generic", "zzz", near, sizeof(near)));
}

static void expect_completion(const char *const *words, size_t n, const char *word, bool there)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 }, line = { 0 };

	fg_conf_complete(words, n, &out);
	fg_buf_printf(&line, "%s\t", word);
	assert_int_equal(strstr(fg_buf_text(&out), fg_buf_text(&line)) != NULL, there);
}

static void test_completion(void **state)
{
	static const char *const path[] = { "routing-options", "flow", "route", "x", "match" };
	static const char *const family[] = { "protocols", "bgp",       "group", "g",
					      "neighbor",  "192.0.2.1", "family" };

	(void)state;
	expect_completion(NULL, 0, "protocols", true);
	expect_completion(NULL, 0, "firewall", false);
	expect_completion(path, 2, "route", true);
	expect_completion(path, 3, "NAME", true);
	expect_completion(path, 4, "match", true);
	expect_completion(path, 5, "destination-port", true);
	expect_completion(path, 5, "discard", false);
	expect_completion(family, 6, "peer-as", true);
	expect_completion(family, 7, "inet6", true);
}

/* Every word of the table is in the manual. */
static void test_reference(void **state)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
	const struct fg_statement *row;
	const char *text;

	(void)state;
	fg_conf_reference(&out);
	text = fg_buf_text(&out);
	for (size_t i = 0; (row = fg_conf_statement(i)); i++) {
		if (row->word)
			assert_non_null(strstr(text, row->word));
		if (row->man)
			assert_non_null(strstr(text, row->man));
		if (row->refuse)
			assert_non_null(strstr(text, row->refuse));
	}
	assert_non_null(strstr(text, "\n*protocols bgp group NAME neighbor ADDRESS port PORT*\n"));
	assert_non_null(strstr(text, "*destination-port*"));
	assert_non_null(strstr(text, "*rate-limit*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),      cmocka_unit_test(test_find),
		cmocka_unit_test(test_nearest),   cmocka_unit_test(test_completion),
		cmocka_unit_test(test_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
