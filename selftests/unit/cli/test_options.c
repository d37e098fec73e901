// SPDX-License-Identifier: MIT
/* Tests global options, the pipe, the filter behind it, and the table output. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "fltgate/names.h"

static char line[512];
static char *words[32];

static int parse(struct fg_cli *cli, const char *text, struct fg_error *err)
{
	int argc, r;

	*cli = (struct fg_cli){ 0 };
	(void)snprintf(line, sizeof(line), "%s", text);
	argc = fg_cli_split(line, words, 31);
	r = fg_cli_options(cli, &argc, words, err);
	return r < 0 ? r : argc;
}

static void test_options_anywhere(void **state)
{
	struct fg_cli cli;
	struct fg_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&cli, "-j show --socket /tmp/s version -ps", &err), 2);
	assert_string_equal(words[0], "show");
	assert_string_equal(words[1], "version");
	assert_null(words[2]);
	assert_true(cli.json && cli.pretty && cli.statistics);
	assert_false(cli.no_names || cli.help || cli.version);
	assert_string_equal(cli.socket, "/tmp/s");
}

static void test_options_of_commands_stay(void **state)
{
	struct fg_cli cli;
	struct fg_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&cli, "attach eth0 --replace -x", &err), 4);
	assert_string_equal(words[2], "--replace");
	assert_string_equal(words[3], "-x");
	assert_int_equal(parse(&cli, "load -- -j", &err), 2);
	assert_string_equal(words[1], "-j");
	assert_false(cli.json);
	assert_int_equal(parse(&cli, "load -", &err), 2);
}

static void test_instance_gives_the_socket(void **state)
{
	struct fg_cli cli;
	struct fg_error err = { 0 };

	(void)state;
	(void)parse(&cli, "show", &err);
	assert_string_equal(cli.socket, FG_SOCKET);
	assert_string_equal(cli.instance, FG_INSTANCE_DEFAULT);
	(void)parse(&cli, "--instance=lab show", &err);
	assert_string_equal(cli.socket, FG_RUN_DIR "/control-lab.sock");
	(void)parse(&cli, "--instance lab --socket /x show", &err);
	assert_string_equal(cli.socket, "/x");
}

static void test_option_without_value(void **state)
{
	struct fg_cli cli;
	struct fg_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&cli, "show --socket", &err), -EINVAL);
	assert_non_null(strstr(err.what, "--socket needs a value"));
	assert_int_equal(parse(&cli, "show --socket | match x", &err), -EINVAL);
	assert_int_equal(parse(&cli, "show --json=1", &err), -EINVAL);
}

static void test_pipe(void **state)
{
	struct fg_cli cli;
	struct fg_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&cli, "show interfaces v0 | match resource errors", &err), 3);
	assert_string_equal(cli.pipe, "match resource errors");
	assert_int_equal(parse(&cli, "show |match x", &err), 1);
	assert_string_equal(cli.pipe, "match x");
	assert_int_equal(parse(&cli, "show", &err), 1);
	assert_null(cli.pipe);
}

static int filter(const char *pipe, char **ret_text, struct fg_error *err)
{
	static const char text[] = "one\nRESOURCE errors: 1\ntwo\n";
	size_t len;
	FILE *out = open_memstream(ret_text, &len);
	int r = fg_cli_filter(pipe, text, out, err);

	(void)fclose(out);
	return r;
}

static void check_filter(const char *pipe, int code, const char *expected)
{
	struct fg_error err = { 0 };
	char *text = NULL;

	assert_int_equal(filter(pipe, &text, &err), code);
	assert_string_equal(text, expected);
	free(text);
}

static void test_filter(void **state)
{
	(void)state;
	check_filter("match resource", 0, "RESOURCE errors: 1\n");
	check_filter("match ^t|^o", 0, "one\ntwo\n");
	check_filter("except resource", 0, "one\ntwo\n");
	check_filter("count", 0, "Count: 3 lines\n");
	check_filter("match nothing", -ENOENT, "");
	check_filter("grep one", -EINVAL, "");
	check_filter("match", -EINVAL, "");
	check_filter("match [", -EINVAL, "");
}

static void test_grid(void **state)
{
	struct fg_grid grid = { .align = "lr" };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	fg_grid_row(&grid, "name\t%d\tlast", 5);
	fg_grid_row(&grid, "n\t1000\t\033[31mred\033[0m");
	fg_grid_print(&grid, "> ", out);
	(void)fclose(out);
	assert_string_equal(text, "> name     5  last\n> n     1000  \033[31mred\033[0m\n");
	free(text);
}

static void test_age(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(fg_cli_age(0, text), "00:00:00");
	assert_string_equal(fg_cli_age(3661, text), "01:01:01");
	assert_string_equal(fg_cli_age(3 * 86400 + 59, text), "3d 00:00:59");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_anywhere),
		cmocka_unit_test(test_options_of_commands_stay),
		cmocka_unit_test(test_instance_gives_the_socket),
		cmocka_unit_test(test_option_without_value),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
