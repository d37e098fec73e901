// SPDX-License-Identifier: MIT
/* Tests of loading files: conf.d in order, includes, modes of files with keys, files that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "util/cleanup.h"

static char dir[64];

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int make_dir(void **state)
{
	char sub[96];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/fg-conf-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(sub, sizeof(sub), "%s/conf.d", dir);
	return mkdir(sub, 0700);
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "fltgate.conf",
					     "other.conf",
					     "conf.d/10-a.conf",
					     "conf.d/9-b.conf",
					     "conf.d/skipped",
					     "conf.d",
					     "" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)remove(path);
	}
	return access(dir, F_OK) == 0 ? -1 : 0;
}

static int load(const char *name, struct fg_tree **tree, struct fg_error *err)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fg_tree_load(path, tree, err);
}

static void expect_lines(const char *name, const char *expected)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;

	if (load(name, &tree, &err) < 0)
		fail_msg("%s", err.what);
	fg_tree_print(tree, true, false, &out);
	assert_string_equal(fg_buf_text(&out), expected);
	fg_tree_free(tree);
}

/* By octets: "10" comes before "9"; only *.conf, and only beside a file of that name. */
static void test_conf_d(void **state)
{
	(void)state;
	write_file("fltgate.conf", "interfaces { eth0; }", 0644);
	write_file("other.conf", "interfaces { eth0; }", 0644);
	write_file("conf.d/9-b.conf", "set interfaces eth2\ndelete interfaces eth0", 0644);
	write_file("conf.d/10-a.conf", "set interfaces eth1", 0644);
	write_file("conf.d/skipped", "no configuration", 0644);
	expect_lines("fltgate.conf", "set interfaces eth1\nset interfaces eth2\n");
	expect_lines("other.conf", "set interfaces eth0\n");
}

static void test_include(void **state)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;
	char expected[256];

	(void)state;
	write_file("other.conf",
		   "interfaces { eth0; }\ninclude \"conf.d/9-b.conf\";\ninterfaces eth3;", 0644);
	write_file("conf.d/9-b.conf", "set interfaces eth1", 0644);
	expect_lines("other.conf",
		     "set interfaces eth0\nset interfaces eth1\nset interfaces eth3\n");
	write_file("conf.d/9-b.conf", "\n set interface eth1", 0644);
	assert_int_equal(load("other.conf", &tree, &err), -EINVAL);
	(void)snprintf(
		expected, sizeof(expected),
		"%s/conf.d/9-b.conf:2:6: unknown statement `interface`, did you mean `interfaces`?",
		dir);
	assert_string_equal(err.what, expected);
	write_file("other.conf", "include \"other.conf\";", 0644);
	assert_int_equal(load("other.conf", &tree, &err), -EINVAL);
	assert_non_null(strstr(err.what, "other.conf:1:9: includes are nested deeper than 8"));
	write_file("other.conf", "include \"absent.conf\";", 0644);
	assert_int_equal(load("other.conf", &tree, &err), -ENOENT);
	assert_non_null(strstr(err.what, "absent.conf: No such file or directory"));
	assert_null(tree);
}

static size_t mode_warnings(mode_t mode, const char *text)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;
	struct fg_conf *conf = NULL;
	size_t n = 0;

	write_file("other.conf", text, mode);
	if (load("other.conf", &tree, &err) < 0 || fg_conf_check(tree, &conf, &err) < 0)
		fail_msg("%s", err.what);
	for (size_t i = 0; i < conf->n_warnings; i++)
		n += strstr(conf->warnings[i], "holds keys but has mode") != NULL;
	fg_conf_free(conf);
	fg_tree_free(tree);
	return n;
}

static void test_modes(void **state)
{
	static const char secret[] = "set protocols bgp group g authentication-key s3cret";

	(void)state;
	assert_int_equal(mode_warnings(0600, secret), 0);
	assert_int_equal(mode_warnings(0640, secret), 0);
	assert_int_equal(mode_warnings(0644, secret), 1);
	assert_int_equal(mode_warnings(0660, secret), 1);
	assert_int_equal(mode_warnings(0644, "set protocols bgp group g passive"), 0);
}

static void test_absent(void **state)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;

	(void)state;
	assert_int_equal(load("absent.conf", &tree, &err), -ENOENT);
	assert_true(err.fix[0]);
	assert_int_equal(fg_tree_load(dir, &tree, &err), -EISDIR);
	assert_null(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conf_d, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_include, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_modes, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_absent, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
