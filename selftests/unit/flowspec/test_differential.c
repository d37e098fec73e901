// SPDX-License-Identifier: MIT
/* The product's NLRI decoder, normaliser, comparator and action decoder against the oracle, on random octets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flowspec/actions.h"
#include "flowspec/flowspec.h"
#include "oracle/gen.h"
#include "oracle/oracle.h"
#include "oracle/text.h"

#define LIST 150

static struct fgo_rng rng;
static struct fg_flow flow;

static int setup(void **state)
{
	const char *text = getenv("FG_SEED");
	unsigned long seed = text ? strtoul(text, NULL, 0) : (unsigned long)time(NULL);

	(void)state;
	printf("# FG_SEED=%lu\n", seed);
	fflush(stdout);
	rng.state = seed;
	return 0;
}

static void print_field(uint8_t family, const uint8_t *p, size_t len)
{
	fprintf(stderr, "# IPv%u field ", family);
	fgo_print_hex(p, len);
	fprintf(stderr, "\n");
}

static int product_status(enum fgo_status s)
{
	return s == FGO_VALID ? 0 : s == FGO_MALFORMED ? -EBADMSG : -EPROTO;
}

/* Same judgement, same octets consumed, same normalised value; returns the judgement. */
static enum fgo_status check_field(uint8_t family, const uint8_t *p, size_t len)
{
	enum fg_family f = family == 6 ? FG_INET6 : FG_INET;
	size_t used = 0, product_used = 0;
	struct fg_flow_fault fault = { 0 };
	uint8_t value[FG_NLRI_MAX];
	static struct fgo_rule rule;
	enum fgo_status s = fgo_decode(family, p, len, &used, &rule);
	int res = fg_flow_decode_field(f, p, len, &flow, &product_used, &fault);

	if (res != product_status(s)) {
		print_field(family, p, len);
		fail_msg("oracle %d, product %d (%s at octet %zu)", s, res, fault.reason,
			 fault.octet);
	}
	if (s != FGO_FRAMING && used != product_used) {
		print_field(family, p, len);
		fail_msg("oracle used %zu octets, product %zu", used, product_used);
	}
	if (s == FGO_VALID) {
		int n = fg_flow_encode(&flow, value, sizeof(value));

		if (n != rule.len || memcmp(value, rule.value, rule.len) != 0) {
			print_field(family, p, len);
			print_field(family, rule.value, rule.len);
			if (n >= 0)
				print_field(family, value, (size_t)n);
			fail_msg("normalised values differ (field, oracle, product above)");
		}
	} else {
		assert_true(fault.reason[0] != '\0');
	}
	return s;
}

static uint8_t some_family(void)
{
	return fgo_chance(&rng, 50) ? 4 : 6;
}

static enum fgo_kind some_kind(void)
{
	return fgo_chance(&rng, 70) ? FGO_WILD : (enum fgo_kind)fgo_below(&rng, FGO_KINDS);
}

static void test_valid(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint8_t buf[FGO_MAX_VALUE + 2], other[FGO_MAX_VALUE + 2];
		uint8_t family = some_family();
		size_t n = fgo_gen_nlri(&rng, some_kind(), family, buf);
		size_t m = fgo_reencode(&rng, family, buf, n, other);

		assert_int_equal(check_field(family, buf, n), FGO_VALID);
		assert_int_equal(check_field(family, other, m), FGO_VALID);
	}
}

static void test_mutated(void **state)
{
	unsigned int seen[3] = { 0 };

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint8_t buf[FGO_MAX_VALUE + 2];
		uint8_t family = some_family();
		size_t n = fgo_gen_nlri(&rng, some_kind(), family, buf);

		n = fgo_mutate(&rng, buf, n);
		/* the other family's decoder half of the time: it is a mutation too */
		seen[check_field(fgo_chance(&rng, 80) ? family : 10 - family, buf, n)]++;
	}
	for (int i = 0; i < 3; i++)
		assert_true(seen[i] > 1000);
}

static void test_random_octets(void **state)
{
	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint8_t buf[64];
		size_t n = 1 + fgo_below(&rng, sizeof(buf) - 1);

		for (size_t j = 0; j < n; j++)
			buf[j] = (uint8_t)(fgo_chance(&rng, 60) ? fgo_below(&rng, 16)
								: fgo_rand(&rng));
		if (fgo_chance(&rng, 70))
			buf[0] = (uint8_t)(n - 1);
		check_field(some_family(), buf, n);
	}
}

/* RFC 8955 5.1 and 8956 4: same sign on all pairs of a list in the oracle's order. */
static void test_order(void **state)
{
	struct fgo_entry *e = calloc(LIST, sizeof(*e));
	struct fgo_source *s = calloc(LIST, sizeof(*s));

	(void)state;
	assert_true(e && s);
	for (int round = 0; round < 12; round++) {
		uint8_t family = round % 2 ? 6 : 4;
		enum fgo_kind kind = round < 8 ? FGO_WILD : (enum fgo_kind)(round - 8);
		size_t n = fgo_gen_list(&rng, kind, family, LIST, e, s);

		for (size_t i = 0; i < n * n; i++) {
			const struct fgo_rule *a = &e[i / n].rule, *b = &e[i % n].rule;
			int c = fg_flow_compare(family == 6 ? FG_INET6 : FG_INET, a->value, a->len,
						b->value, b->len);
			int want = (int)(i / n > i % n) - (int)(i / n < i % n);

			if ((c > 0) - (c < 0) == want)
				continue;
			print_field(family, a->value, a->len);
			print_field(family, b->value, b->len);
			fail_msg("oracle %d, product %d", want, c);
		}
	}
	free(s);
	free(e);
}

static void print_communities(const uint8_t *p, size_t len)
{
	fprintf(stderr, "# communities ");
	fgo_print_hex(p, len);
	fprintf(stderr, "\n");
}

static bool actions_agree(const struct fgo_actions *o, const struct fg_actions *p)
{
	bool bytes = (p->set & FG_ACTION_RATE_BYTES) && p->rate_bytes > 0 && !isinf(p->rate_bytes);
	bool packets =
		(p->set & FG_ACTION_RATE_PACKETS) && p->rate_packets > 0 && !isinf(p->rate_packets);

	if (o->discard != fg_actions_discard(p))
		return false;
	if (!o->discard && (o->has_bytes != bytes || o->has_packets != packets))
		return false;
	if ((bytes && !o->discard && o->rate_bytes != p->rate_bytes) ||
	    (packets && !o->discard && o->rate_packets != p->rate_packets))
		return false;
	return o->go_on == !!(p->set & FG_ACTION_CONTINUE) &&
	       o->sample == !!(p->set & FG_ACTION_SAMPLE) &&
	       o->has_mark == !!(p->set & FG_ACTION_MARK) && (!o->has_mark || o->mark == p->dscp);
}

/* A list of communities, mostly of the kinds that mean something, with random content. */
static size_t random_communities(uint8_t *out)
{
	static const uint16_t codes[] = { 0x8006, 0x800c, 0x8007, 0x8009,
					  0x8006, 0x0002, 0x4306, 0x8005 };
	size_t n = fgo_below(&rng, 4);

	for (size_t i = 0; i < 8 * n; i++)
		out[i] = (uint8_t)fgo_rand(&rng);
	for (size_t i = 0; i < n; i++) {
		uint16_t code = codes[fgo_below(&rng, sizeof(codes) / sizeof(*codes))];

		for (size_t j = 0; j < i;
		     j++) { /* which of two equal ones counts is not the RFC's matter */
			if (out[8 * j] == code >> 8 && out[8 * j + 1] == (code & 0xff))
				code = 0x0002;
		}
		out[8 * i] = (uint8_t)(code >> 8);
		out[8 * i + 1] = (uint8_t)code;
		if (fgo_chance(&rng, 30))
			memset(out + 8 * i + 4, fgo_chance(&rng, 50) ? 0 : 0x7f, 4);
		if (fgo_chance(&rng, 10))
			memcpy(out + 8 * i + 4, (const uint8_t[]){ 0x7f, 0xc0, 0, 0 }, 4);
	}
	return 8 * n + (fgo_chance(&rng, 3) ? 1 + fgo_below(&rng, 7) : 0);
}

static void test_actions(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint8_t com[40] = { 0 };
		size_t len = random_communities(com);
		struct fgo_actions o = { 0 };
		struct fg_actions p = { 0 };
		struct fg_error err = { 0 };
		bool ok = fgo_actions_decode(com, len, &o);
		int res = fg_actions_decode(com, len, NULL, 0, &p, &err);

		bad += !ok;
		if (res != (ok ? 0 : -EBADMSG)) {
			print_communities(com, len);
			fail_msg("oracle %s, product %d", ok ? "good" : "bad", res);
		}
		if (ok && !actions_agree(&o, &p)) {
			print_communities(com, len);
			fail_msg("actions differ: product set %#x", p.set);
		}
	}
	assert_true(bad > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),         cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_random_octets), cmocka_unit_test(test_order),
		cmocka_unit_test(test_actions),
	};

	return cmocka_run_group_tests_name("flowspec differential", tests, setup, NULL);
}
