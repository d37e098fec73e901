// SPDX-License-Identifier: MIT
/* Tests the decoder of control requests: what is taken, and that everything else is refused by
 * name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/control_request.h"

static void check_refused(const char *line, const char *what)
{
	struct fg_request request = { .kind = FG_REQUEST_KINDS };
	struct fg_error err = { 0 };

	assert_int_equal(fg_request_parse(line, strlen(line), &request, &err), -EINVAL);
	assert_int_equal(request.kind, FG_REQUEST_KINDS); /* untouched */
	if (!strstr(err.what, what))
		fail_msg("%s: %s", line, err.what);
}

static void take(const char *line, struct fg_request *request)
{
	struct fg_error err = { 0 };

	if (fg_request_parse(line, strlen(line), request, &err) < 0)
		fail_msg("%s: %s", line, err.what);
}

static void test_requests(void **state)
{
	struct fg_request request;

	(void)state;
	take("{\"request\":\"status\",\"schema\":\"fltgate/v1\"}", &request);
	assert_int_equal(request.kind, FG_REQUEST_STATUS);
	fg_request_free(&request);
	take("{\"request\":\"route-table\",\"table\":\"inet6flow.0\"}", &request);
	assert_int_equal(request.family, FG_INET6);
	fg_request_free(&request);
	take("{\"request\":\"attach\",\"interface\":\"eth0.5\",\"mode\":\"generic\",\"replace\":true}",
	     &request);
	assert_string_equal(request.interface, "eth0.5");
	assert_int_equal(request.mode, FG_ATTACH_GENERIC);
	assert_true(request.replace);
	fg_request_free(&request);
	take("{\"request\":\"interfaces\"}", &request);
	assert_null(request.interface);
	fg_request_free(&request);
	take("{\"request\":\"load\",\"file\":\"x\",\"text\":\"a\\u000ab\"}", &request);
	assert_int_equal(request.text_len, 3);
	fg_request_free(&request);
}

static void test_refusals(void **state)
{
	(void)state;
	check_refused("", "not JSON");
	check_refused("{\"request\":\"status\"", "not JSON");
	check_refused("[]", "a JSON object");
	check_refused("\"status\"", "not JSON");
	check_refused("{}", "a string `request`");
	check_refused("{\"request\":1}", "a string `request`");
	check_refused("{\"request\":\"reboot\"}", "unknown request `reboot`");
	check_refused("{\"request\":\"status\",\"request\":\"status\"}", "not JSON");
	check_refused("{\"request\":\"status\",\"table\":\"inetflow.0\"}",
		      "`status` has no field `table`");
	check_refused("{\"request\":\"status\",\"colour\":1}", "`status` has no field `colour`");
	check_refused("{\"request\":\"route-table\"}", "`route-table` needs `table`");
	check_refused("{\"request\":\"route-table\",\"table\":\"inet.0\"}", "bad value of `table`");
	check_refused("{\"request\":\"load\",\"file\":\"x\"}", "`load` needs `text`");
	check_refused("{\"request\":\"attach\",\"interface\":\"eth0\",\"replace\":1}",
		      "bad value of `replace`");
	check_refused("{\"request\":\"detach\"}", "needs `interface` or `all`");
	check_refused("{\"request\":\"detach\",\"interface\":\"eth0\",\"all\":true}",
		      "needs `interface` or `all`");
}

/* What the kernel would not take as a name must not reach a path or a netlink message. */
static void test_interface_names(void **state)
{
	static const char *const bad[] = { "",         ".", "..", "a/b", "a b", "0123456789abcdef",
					   "a\\u0000b" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		(void)snprintf(line, sizeof(line), "{\"request\":\"attach\",\"interface\":\"%s\"}",
			       bad[i]);
		/* NUL is refused by the JSON reader already. */
		check_refused(line, i == 6 ? "not JSON" : "bad value of `interface`");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_interface_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
