// SPDX-License-Identifier: MIT
/* Unit tests of the unicast table and of validation against it (RFC 8955 section 6, RFC 9117). */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bgp/unicast.h"

enum { A = 1, B = 2, INTERNAL = 3 };

static struct fg_path path(uint32_t as)
{
	return (struct fg_path){ .as = as,
				 .local_pref = 100,
				 .length = as != 0,
				 .external = as != 0 };
}

static unsigned parse(const char *prefix, uint8_t addr[16], enum fg_family *family)
{
	char text[64];
	char *slash;

	(void)snprintf(text, sizeof(text), "%s", prefix);
	slash = strchr(text, '/');
	assert_non_null(slash);
	*slash = '\0';
	memset(addr, 0, 16);
	*family = strchr(text, ':') ? FG_INET6 : FG_INET;
	assert_int_equal(inet_pton(*family == FG_INET6 ? AF_INET6 : AF_INET, text, addr), 1);
	return (unsigned)atoi(slash + 1);
}

static bool add_path(struct fg_unicast *t, const char *prefix, uint32_t source, struct fg_path p)
{
	enum fg_family family;
	uint8_t addr[16];
	unsigned len = parse(prefix, addr, &family);
	bool changed = false;

	assert_int_equal(fg_unicast_add(t, family, addr, len, source, &p, &changed), 0);
	return changed;
}

static bool add(struct fg_unicast *t, const char *prefix, uint32_t source, uint32_t as)
{
	return add_path(t, prefix, source, path(as));
}

static bool withdraw(struct fg_unicast *t, const char *prefix, uint32_t source)
{
	enum fg_family family;
	uint8_t addr[16];
	unsigned len = parse(prefix, addr, &family);

	return fg_unicast_withdraw(t, family, addr, len, source);
}

static const char *validate(const struct fg_unicast *t, const char *dst, uint32_t source,
			    struct fg_path p)
{
	struct fg_flow flow;
	enum fg_family family = FG_INET;
	uint8_t addr[16] = { 0 };
	unsigned len = dst ? parse(dst, addr, &family) : 0;

	fg_flow_init(&flow, family);
	if (dst) {
		flow.present = 1U << FG_FLOW_DST;
		flow.dst.length = (uint8_t)len;
		memcpy(flow.dst.addr, addr, sizeof(addr));
	}
	return fg_unicast_validate(t, &flow, source, &p);
}

static void refused(const char *reason, const char *part)
{
	assert_non_null(reason);
	assert_non_null(strstr(reason, part));
}

static void originator_and_as(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	struct fg_path p = path(65001);
	(void)state;

	refused(validate(t, "203.0.113.7/32", A, p), "no unicast route");
	assert_true(add(t, "203.0.113.0/24", A, 65001));
	assert_false(add(t, "203.0.113.0/24", A, 65001));
	assert_null(validate(t, "203.0.113.7/32", A, p));
	assert_null(validate(t, "203.0.113.0/24", A, p));
	refused(validate(t, "203.0.112.0/23", A, p), "no unicast route");
	refused(validate(t, NULL, A, p), "no destination");
	refused(validate(t, "203.0.113.7/32", B, path(65002)), "another originator");
	/* The right peer with a route of somebody else's: RFC 9117 section 4.2. */
	refused(validate(t, "203.0.113.7/32", A, path(65009)), "of another AS");
	/* The longest prefix decides. */
	assert_true(add(t, "203.0.113.0/28", B, 65002));
	refused(validate(t, "203.0.113.7/32", A, p), "another originator");
	assert_null(validate(t, "203.0.113.7/32", B, path(65002)));
	assert_null(validate(t, "203.0.113.99/32", A, p));
	assert_true(withdraw(t, "203.0.113.0/28", B));
	assert_false(withdraw(t, "203.0.113.0/28", B));
	assert_null(validate(t, "203.0.113.7/32", A, p));
	fg_unicast_free(t);
}

static void originator_id(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	struct fg_path p = { .as = 65001, .originator = 7, .local_pref = 100, .length = 1 };
	(void)state;

	/* From two route reflectors of ours, but of one router behind them. */
	add_path(t, "203.0.113.0/24", A, p);
	assert_null(validate(t, "203.0.113.7/32", B, p));
	p.originator = 8;
	refused(validate(t, "203.0.113.7/32", A, p), "another originator");
	p.originator = 0;
	refused(validate(t, "203.0.113.7/32", A, p), "another originator");
	fg_unicast_free(t);
}

static void more_specific(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	(void)state;

	add(t, "203.0.113.0/24", A, 65001);
	add(t, "203.0.113.128/25", A, 65001);
	assert_null(validate(t, "203.0.113.0/24", A, path(65001)));
	add(t, "203.0.113.192/26", B, 65002);
	refused(validate(t, "203.0.113.0/24", A, path(65001)), "more specific");
	refused(validate(t, "203.0.113.128/25", A, path(65001)), "more specific");
	assert_null(validate(t, "203.0.113.0/25", A, path(65001)));
	/* Beside it, and above. */
	add(t, "203.0.112.0/24", B, 65002);
	add(t, "203.0.0.0/16", B, 65002);
	withdraw(t, "203.0.113.192/26", B);
	assert_null(validate(t, "203.0.113.0/24", A, path(65001)));
	fg_unicast_free(t);
}

/* RFC 9117 section 4.1: rules of our own AS need no route at all, others of internal peers do. */
static void local_rules(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	struct fg_path foreign = { .as = 65001, .local_pref = 100, .length = 1 };
	(void)state;

	assert_null(validate(t, "203.0.113.7/32", INTERNAL, path(0)));
	refused(validate(t, NULL, INTERNAL, path(0)), "no destination");
	refused(validate(t, "203.0.113.7/32", INTERNAL, foreign), "no unicast route");
	add_path(t, "203.0.113.0/24", INTERNAL, foreign);
	assert_null(validate(t, "203.0.113.7/32", INTERNAL, foreign));
	fg_unicast_free(t);
}

static void best_of_one_prefix(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	struct fg_path longer = path(65001);
	(void)state;

	longer.length = 2;
	add_path(t, "203.0.113.0/24", A, longer);
	assert_null(validate(t, "203.0.113.7/32", A, path(65001)));
	add(t, "203.0.113.0/24", B, 65002);
	refused(validate(t, "203.0.113.7/32", A, path(65001)), "another originator");
	longer.local_pref = 200;
	assert_true(add_path(t, "203.0.113.0/24", A, longer));
	assert_null(validate(t, "203.0.113.7/32", A, path(65001)));
	assert_int_equal(fg_unicast_count(t, FG_INET), 2);
	fg_unicast_free(t);
}

static void stale_routes(void **state)
{
	struct fg_unicast *t = fg_unicast_new();
	(void)state;

	add(t, "203.0.113.0/24", A, 65001);
	add(t, "198.51.100.0/24", A, 65001);
	add(t, "198.51.100.0/24", B, 65002);
	add(t, "2001:db8::/32", A, 65001);
	assert_int_equal(fg_unicast_mark_stale(t, A), 3);
	assert_null(validate(t, "203.0.113.7/32", A, path(65001)));
	assert_false(add(t, "203.0.113.0/24", A, 65001)); /* again: fresh */
	assert_int_equal(fg_unicast_sweep_stale(t, A, FG_INET), 1);
	assert_null(validate(t, "203.0.113.7/32", A, path(65001)));
	refused(validate(t, "198.51.100.7/32", A, path(65001)), "another originator");
	assert_null(validate(t, "2001:db8::1/128", A, path(65001)));
	refused(validate(t, "2001:db9::1/128", A, path(65001)), "no unicast route");
	assert_int_equal(fg_unicast_sweep_stale(t, A, -1), 1);
	refused(validate(t, "2001:db8::1/128", A, path(65001)), "no unicast route");
	assert_int_equal(fg_unicast_withdraw_source(t, B), 1);
	assert_int_equal(fg_unicast_count(t, FG_INET), 1);
	assert_int_equal(fg_unicast_count(t, FG_INET6), 0);
	fg_unicast_free(t);
}

/* Against a list that is searched through: what covers, and what goes. */
static void random_prefixes(void **state)
{
	enum { N = 2000 };
	static struct {
		uint32_t addr;
		unsigned len;
		bool there;
	} all[N];
	struct fg_unicast *t = fg_unicast_new();
	uint32_t random = 1;
	size_t n = 0;
	(void)state;

	for (int round = 0; round < 20000; round++) {
		uint8_t addr[16] = { 0 };
		struct fg_flow flow;
		struct fg_path p = path(65001);
		bool changed, covered = false;
		unsigned at;

		random = random * 1664525 + 1013904223;
		at = (random >> 8) % N;
		if (!all[at].len) {
			all[at].len = 12 + (random >> 20) % 21;
			all[at].addr = (0x0a000000 | (at * 2654435761U >> 12 << 2)) &
				       ~0U << (32 - all[at].len);
			for (unsigned k = 0; k < N; k++) /* each prefix once */
				if (k != at && all[k].len == all[at].len &&
				    all[k].addr == all[at].addr)
					all[at].len = 0;
			if (!all[at].len)
				continue;
		}
		for (int k = 0; k < 4; k++)
			addr[k] = (uint8_t)(all[at].addr >> (24 - 8 * k));
		if (all[at].there)
			assert_true(fg_unicast_withdraw(t, FG_INET, addr, all[at].len, A));
		else
			assert_int_equal(
				fg_unicast_add(t, FG_INET, addr, all[at].len, A, &p, &changed), 0);
		all[at].there = !all[at].there;
		n += all[at].there ? 1 : (size_t)-1;
		assert_int_equal(fg_unicast_count(t, FG_INET), n);
		for (unsigned k = 0; k < N; k++)
			covered |= all[k].there && all[k].len <= all[at].len &&
				   !((all[k].addr ^ all[at].addr) >> (32 - all[k].len));
		fg_flow_init(&flow, FG_INET);
		flow.present = 1U << FG_FLOW_DST;
		flow.dst.length = (uint8_t)all[at].len;
		memcpy(flow.dst.addr, addr, sizeof(addr));
		assert_int_equal(!fg_unicast_validate(t, &flow, A, &p), covered);
	}
	fg_unicast_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(originator_and_as),  cmocka_unit_test(originator_id),
		cmocka_unit_test(more_specific),      cmocka_unit_test(local_rules),
		cmocka_unit_test(best_of_one_prefix), cmocka_unit_test(stale_routes),
		cmocka_unit_test(random_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
