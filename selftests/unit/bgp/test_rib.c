// SPDX-License-Identifier: MIT
/* The rib: destinations against routes, who decides, stale and held rules, order of precedence, counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bgp/rib.h"

/* protocol = @n: one rule a number, ordered by number. */
struct rule {
	uint8_t nlri[3];
};

static struct rule rule(uint8_t n)
{
	return (struct rule){ { 0x03, 0x81, n } };
}

static struct fg_route discard_from(uint32_t source)
{
	return (struct fg_route){ .source = source,
				  .since = 100 + source,
				  .actions = { .set = FG_ACTION_RATE_BYTES } };
}

static bool add(struct fg_rib *rib, uint8_t n, const struct fg_route *route)
{
	struct rule r = rule(n);
	bool changed = false;

	assert_int_equal(fg_rib_add(rib, FG_INET, r.nlri, sizeof(r.nlri), route, &changed), 0);
	return changed;
}

static bool withdraw(struct fg_rib *rib, uint8_t n, uint32_t source)
{
	struct rule r = rule(n);

	return fg_rib_withdraw(rib, FG_INET, source, r.nlri, sizeof(r.nlri));
}

static void expect_counts(struct fg_rib *rib, size_t destinations, size_t routes, size_t active,
			  size_t holddown, size_t hidden)
{
	struct fg_rib_counts got;

	fg_rib_count(rib, FG_INET, &got);
	assert_int_equal(got.destinations, destinations);
	assert_int_equal(got.routes, routes);
	assert_int_equal(got.active, active);
	assert_int_equal(got.holddown, holddown);
	assert_int_equal(got.hidden, hidden);
}

static struct fg_dest *dest_of(struct fg_rib *rib, uint8_t n)
{
	struct rule r = rule(n);
	size_t count;
	struct fg_dest **dest = fg_rib_ordered(rib, FG_INET, &count);

	for (size_t i = 0; i < count; i++)
		if (dest[i]->nlri_len == 3 && !memcmp(dest[i]->nlri, r.nlri, 3))
			return dest[i];
	return NULL;
}

static void add_and_replace(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route route = discard_from(7);
	(void)state;

	assert_true(add(rib, 17, &route));
	expect_counts(rib, 1, 1, 1, 0, 0);
	assert_int_equal(dest_of(rib, 17)->state, FG_DEST_PENDING);
	assert_int_equal(dest_of(rib, 17)->slot, FG_NO_RULE);
	dest_of(rib, 17)->state = FG_DEST_ACTIVE;

	/* The same again: nothing to rebuild, and the rule keeps its age. */
	route.since = 999;
	assert_false(add(rib, 17, &route));
	assert_int_equal(fg_dest_best(dest_of(rib, 17))->since, 107);
	assert_int_equal(dest_of(rib, 17)->state, FG_DEST_ACTIVE);

	route.actions.rate_bytes = 1000;
	assert_true(add(rib, 17, &route));
	assert_int_equal(fg_dest_best(dest_of(rib, 17))->since, 999);
	assert_int_equal(dest_of(rib, 17)->state, FG_DEST_PENDING);
	expect_counts(rib, 1, 1, 1, 0, 0);
	fg_rib_free(rib);
}

static void two_sources(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route by_peer = discard_from(2), by_config = discard_from(FG_RIB_STATIC);
	(void)state;

	by_config.actions.set = FG_ACTION_ACCEPT;
	assert_true(add(rib, 6, &by_peer));
	assert_true(add(rib, 6, &by_config));
	expect_counts(rib, 1, 2, 1, 0, 0);
	assert_int_equal(fg_dest_best(dest_of(rib, 6))->source, FG_RIB_STATIC);

	/* A third source that does not decide changes nothing. */
	assert_false(add(rib, 6, &(struct fg_route){ .source = 3 }));
	assert_false(withdraw(rib, 6, 3));
	assert_false(withdraw(rib, 6, 3));

	assert_true(withdraw(rib, 6, FG_RIB_STATIC));
	assert_int_equal(fg_dest_best(dest_of(rib, 6))->source, 2);
	expect_counts(rib, 1, 1, 1, 0, 0);
	fg_rib_free(rib);
}

static void hidden_never_decides(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route hidden = discard_from(1), good = discard_from(2);
	(void)state;

	hidden.flags = FG_ROUTE_HIDDEN;
	strcpy(hidden.reason, "destination not allowed");
	assert_false(add(rib, 1, &hidden));
	expect_counts(rib, 1, 1, 0, 0, 1);
	assert_null(fg_dest_best(dest_of(rib, 1)));
	assert_true(add(rib, 1, &good));
	assert_int_equal(fg_dest_best(dest_of(rib, 1))->source, 2);
	expect_counts(rib, 1, 2, 1, 0, 1);

	/* The same actions, now allowed: another source decides, the datapath need not change. */
	hidden.flags = 0;
	assert_false(add(rib, 1, &hidden));
	assert_int_equal(fg_dest_best(dest_of(rib, 1))->source, 1);
	fg_rib_free(rib);
}

static void count_reaped(struct fg_dest *dest, void *arg)
{
	uint8_t *seen = arg;

	seen[dest->nlri[2]]++;
}

static void holddown_and_reap(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route route = discard_from(1);
	uint8_t seen[256] = { 0 };
	size_t n;
	(void)state;

	for (int i = 0; i < 10; i++)
		add(rib, i, &route);
	for (int i = 0; i < 10; i += 3)
		assert_true(withdraw(rib, i, 1));
	assert_false(withdraw(rib, 0, 1));
	expect_counts(rib, 10, 6, 6, 4, 0);
	assert_int_equal(dest_of(rib, 3)->state, FG_DEST_HOLDDOWN);

	/* Comes back before it is reaped, goes again, and comes back: stays. */
	assert_true(add(rib, 3, &route));
	assert_true(withdraw(rib, 3, 1));
	assert_true(add(rib, 3, &route));
	assert_int_equal(dest_of(rib, 3)->state, FG_DEST_PENDING);

	fg_rib_reap(rib, FG_INET6, count_reaped, seen);
	assert_int_equal(seen[0], 0);
	fg_rib_reap(rib, FG_INET, count_reaped, seen);
	for (int i = 0; i < 10; i++)
		assert_int_equal(seen[i], i == 0 || i == 6 || i == 9);
	expect_counts(rib, 7, 7, 7, 0, 0);
	assert_null(dest_of(rib, 6));
	fg_rib_reap(rib, FG_INET, count_reaped, seen);
	assert_int_equal(seen[6], 1);

	/* Withdrawn for good after having come back once. */
	assert_true(withdraw(rib, 3, 1));
	fg_rib_reap(rib, FG_INET, NULL, NULL);
	fg_rib_ordered(rib, FG_INET, &n);
	assert_int_equal(n, 6);
	fg_rib_free(rib);
}

static void stale_and_sweep(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route route = discard_from(4), other = discard_from(5);
	struct rule r = rule(1);
	bool changed;
	(void)state;

	for (int i = 0; i < 4; i++)
		add(rib, i, &route);
	add(rib, 1, &other);
	assert_int_equal(fg_rib_add(rib, FG_INET6, r.nlri, 3, &route, &changed), 0);
	assert_int_equal(fg_rib_mark_stale(rib, 4), 5);
	assert_int_equal(fg_dest_best(dest_of(rib, 0))->flags, FG_ROUTE_STALE);
	expect_counts(rib, 4, 5, 4, 0, 0);

	/* Refreshed: no rebuild, no longer stale. */
	assert_false(add(rib, 0, &route));
	assert_int_equal(fg_dest_best(dest_of(rib, 0))->flags, 0);

	assert_int_equal(fg_rib_sweep_stale(rib, 4, FG_INET), 3);
	expect_counts(rib, 4, 2, 2, 2, 0);
	assert_int_equal(fg_dest_best(dest_of(rib, 1))->source, 5);
	assert_int_equal(fg_rib_sweep_stale(rib, 4, -1), 1);
	assert_int_equal(fg_rib_sweep_stale(rib, 4, -1), 0);
	assert_int_equal(fg_rib_withdraw_source(rib, 4), 1);
	assert_int_equal(fg_rib_withdraw_source(rib, 5), 1);
	expect_counts(rib, 4, 0, 0, 4, 0);
	fg_rib_free(rib);
}

static void expect_ordered(struct fg_rib *rib, size_t want)
{
	size_t n;
	struct fg_dest **dest = fg_rib_ordered(rib, FG_INET, &n);

	assert_int_equal(n, want);
	for (size_t i = 1; i < n; i++)
		assert_true(fg_flow_compare(FG_INET, dest[i - 1]->nlri, dest[i - 1]->nlri_len,
					    dest[i]->nlri, dest[i]->nlri_len) < 0);
}

/* Many rules in random order, in bursts and one at a time, against what qsort would say. */
static void order_of_many(void **state)
{
	enum { RULES = 20000 };
	struct fg_rib *rib = fg_rib_new();
	struct fg_route route = discard_from(1);
	size_t live = 0;
	bool changed;
	(void)state;

	for (uint32_t i = 0; i < RULES; i++) {
		uint32_t key = i * 2654435761U; /* a bijection: every key once */
		uint8_t nlri[] = { 0x01, 0x20, key >> 24, key >> 16, key >> 8, key };

		assert_int_equal(fg_rib_add(rib, FG_INET, nlri, sizeof(nlri), &route, &changed), 0);
		live++;
		if (i % 4999 == 0 || i > RULES - 5)
			expect_ordered(rib, live);
	}
	for (uint32_t i = 0; i < RULES; i += 2) {
		uint32_t key = i * 2654435761U;
		uint8_t nlri[] = { 0x01, 0x20, key >> 24, key >> 16, key >> 8, key };

		assert_true(fg_rib_withdraw(rib, FG_INET, 1, nlri, sizeof(nlri)));
		live--;
		if (i % 5000 == 0) {
			fg_rib_reap(rib, FG_INET, NULL, NULL);
			expect_ordered(rib, live);
		}
	}
	fg_rib_reap(rib, FG_INET, NULL, NULL);
	expect_ordered(rib, RULES / 2);
	/* The half that stayed is still found. */
	for (uint32_t i = 1; i < RULES; i += 2) {
		uint32_t key = i * 2654435761U;
		uint8_t nlri[] = { 0x01, 0x20, key >> 24, key >> 16, key >> 8, key };

		assert_true(fg_rib_withdraw(rib, FG_INET, 1, nlri, sizeof(nlri)));
	}
	fg_rib_free(rib);
}

static void refuses_too_long(void **state)
{
	struct fg_rib *rib = fg_rib_new();
	struct fg_route route = discard_from(1);
	uint8_t *nlri = calloc(1, FG_NLRI_MAX + 1);
	bool changed = false;
	(void)state;

	assert_int_equal(fg_rib_add(rib, FG_INET, nlri, FG_NLRI_MAX + 1, &route, &changed),
			 -EMSGSIZE);
	assert_false(changed);
	expect_counts(rib, 0, 0, 0, 0, 0);
	free(nlri);
	fg_rib_free(rib);
	fg_rib_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_and_replace),      cmocka_unit_test(two_sources),
		cmocka_unit_test(hidden_never_decides), cmocka_unit_test(holddown_and_reap),
		cmocka_unit_test(stale_and_sweep),      cmocka_unit_test(order_of_many),
		cmocka_unit_test(refuses_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
