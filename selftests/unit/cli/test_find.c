// SPDX-License-Identifier: MIT
/* Tests how commands are found: abbreviations, ambiguity, what is missing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"

static int nothing(struct fg_cli *cli, int argc, char **argv)
{
	(void)cli;
	(void)argc;
	(void)argv;
	return 0;
}

static const struct fg_command table[] = {
	{ "attach", nothing, "", "" },
	{ "detach", nothing, "", "" },
	{ "show", nothing, "", "" },
	{ "show bgp summary", nothing, "", "" },
	{ "show route table", nothing, "", "" },
	{ "show route", nothing, "", "" },
	{ "show security mka", nothing, "", "" },
	{ "show security macsec", nothing, "", "" },
	{ 0 },
};

/* Finds the words of @line; -1 or the number of words taken. */
static int find(const char *line, const struct fg_command **ret, struct fg_error *err)
{
	char copy[128];
	char *words[16];
	int used = -1;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	return fg_command_find(table, fg_cli_split(copy, words, 15), words, ret, &used, err) < 0
		       ? -1
		       : used;
}

static void check_found(const char *line, const char *words, int used)
{
	const struct fg_command *command = NULL;
	struct fg_error err = { 0 };

	assert_int_equal(find(line, &command, &err), used);
	assert_string_equal(command->words, words);
}

static void check_refused(const char *line, int code, const char *what, const char *fix)
{
	const struct fg_command *command = NULL;
	struct fg_error err = { 0 };

	assert_int_equal(find(line, &command, &err), -1);
	assert_null(command);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.what, what));
	assert_non_null(strstr(err.fix, fix));
}

static void test_whole_words(void **state)
{
	(void)state;
	check_found("attach eth0", "attach", 1);
	check_found("show bgp summary", "show bgp summary", 3);
	check_found("show route table inetflow.0 detail", "show route table", 3);
}

static void test_abbreviations(void **state)
{
	(void)state;
	check_found("sh b s", "show bgp summary", 3);
	check_found("a eth0", "attach", 1);
	check_found("sh sec mk", "show security mka", 3);
}

/* A word that continues a command wins over taking it as an argument; any other is an argument. */
static void test_commands_that_begin_others(void **state)
{
	(void)state;
	check_found("show route", "show route", 2);
	check_found("show route t", "show route table", 3);
	check_found("show route x", "show route", 2);
	check_found("show x", "show", 1);
}

static void test_refusals(void **state)
{
	(void)state;
	check_refused("frobnicate", -ENOENT, "unknown word `frobnicate`", "attach detach show");
	check_refused("show security m", -EINVAL, "`m` is ambiguous", "mka macsec");
	check_refused("show security", -EINVAL, "incomplete", "mka macsec");
	check_refused("show security x", -ENOENT, "unknown word `x`", "mka macsec");
	check_refused("attachx", -ENOENT, "unknown word", "attach");
}

static void test_real_table_has_no_duplicates(void **state)
{
	(void)state;
	for (const struct fg_command *a = fg_commands; a->words; a++) {
		assert_non_null(a->fn);
		assert_non_null(a->usage);
		assert_true(a->help && *a->help);
		for (const struct fg_command *b = a + 1; b->words; b++)
			assert_string_not_equal(a->words, b->words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_words),
		cmocka_unit_test(test_abbreviations),
		cmocka_unit_test(test_commands_that_begin_others),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_real_table_has_no_duplicates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
