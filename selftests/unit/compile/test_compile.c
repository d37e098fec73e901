// SPDX-License-Identifier: MIT
/* The emitted tables without a kernel: every rule is found behind its own key, plans stay bounded, states are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "fltgate/hash.h"
#include "oracle/gen.h"

#define RULES 1500
#define SEED 7

struct set {
	struct fg_rule_source source[RULES];
	struct fg_actions actions[RULES];
	uint8_t nlri[RULES][FG_NLRI_MAX];
	size_t n;
};

static struct set set;

/* @n generated rules, as the compiler takes them; order does not matter here. */
static void generate(enum fgo_kind kind, enum fg_family family, size_t n)
{
	static struct fg_flow flow;
	struct fgo_rng rng = { SEED };
	uint8_t field[FGO_MAX_VALUE + 2];
	struct fg_flow_fault fault;
	size_t used;

	memset(&set, 0, sizeof(set));
	for (set.n = 0; set.n < n; set.n++) {
		size_t len = fgo_gen_nlri(&rng, kind, family == FG_INET ? 4 : 6, field);
		int nlri_len;

		assert_int_equal(fg_flow_decode_field(family, field, len, &flow, &used, &fault), 0);
		nlri_len = fg_flow_encode(&flow, set.nlri[set.n], FG_NLRI_MAX);
		assert_true(nlri_len > 0);
		set.source[set.n] = (struct fg_rule_source){ set.nlri[set.n], (uint16_t)nlri_len,
							     &set.actions[set.n], (uint32_t)set.n };
	}
}

static struct fg_image *compile(enum fg_family family, enum fg_mode mode, uint32_t tuples_max)
{
	struct fg_compile_options options = { .mode = mode, .tuples_max = tuples_max, .token = 3 };
	struct fg_error err = { 0 };
	struct fg_image *image = NULL;

	assert_int_equal(fg_compile(family, set.source, set.n, &options, &image, &err), 0);
	return image;
}

/* The first stage in user space: does the lookup of @key yield @rule as a candidate? */
static bool finds(const struct fg_image *image, const uint32_t *key, uint32_t rule)
{
	const struct fg_meta *meta = image->table[FG_TABLE_META].data;
	const struct fg_bucket *buckets = image->table[FG_TABLE_BUCKETS].data;
	const uint64_t *filter = image->table[FG_TABLE_FILTER].data;
	const uint32_t *chains = image->table[FG_TABLE_CHAINS].data;

	for (uint32_t t = 0; t < meta->n_tuples; t++) {
		uint64_t h = fg_key_hash(key, &meta->tuple[t], image->family == FG_INET ? 1 : 4);
		uint32_t bit = fg_hash_filter(h) & meta->filter_mask;
		const struct fg_bucket *bucket = &buckets[fg_hash_bucket(h) & meta->bucket_mask];

		if (!(filter[bit / 64] >> (bit % 64) & 1))
			continue;
		for (int i = 0; i < FG_BUCKET_KEYS; i++) {
			uint32_t chain = bucket->chain[i];

			if (bucket->tag[i] != fg_hash_tag(h))
				continue;
			if (chain & FG_CHAIN_SINGLE && (chain & ~FG_CHAIN_SINGLE) == rule)
				return true;
			for (uint32_t j = 1; !(chain & FG_CHAIN_SINGLE) && j <= chains[chain]; j++)
				if (chains[chain + j] == rule)
					return true;
		}
	}
	return false;
}

/* A key that satisfies the conditions of @rule on single-valued fields and ranges' lower ends. */
static void key_of(const struct fg_image *image, const struct fg_rule *rule, uint32_t *key)
{
	const struct fg_check *checks = image->table[FG_TABLE_CHECKS].data;
	const uint64_t *sets = image->table[FG_TABLE_SETS].data;

	memset(key, 0, FG_KEY_WORDS * sizeof(*key));
	for (uint32_t i = rule->checks; i < rule->checks + rule->n_checks; i++) {
		const struct fg_check *c = &checks[i];
		uint32_t value = c->a;

		if (c->kind == FG_CHECK_RANGES)
			value = (uint32_t)(sets[c->a] >> 32);
		for (value = c->kind == FG_CHECK_BITMAP ? 0 : value;
		     c->kind == FG_CHECK_BITMAP && !(sets[c->a + value / 64] >> (value % 64) & 1);
		     value++)
			;
		if (c->field <= FG_FIELD_SRC3)
			key[c->field] = value;
		else if (c->field == FG_FIELD_PROTOCOL)
			key[FG_KEY_PROTOCOL] = value;
		else if (c->field == FG_FIELD_DPORT)
			key[FG_KEY_PORTS] |= value;
		else if (c->field == FG_FIELD_SPORT && !c->either)
			key[FG_KEY_PORTS] |= value << 16;
	}
}

static void assert_all_found(const struct fg_image *image)
{
	const struct fg_rule *rules = image->table[FG_TABLE_RULES].data;

	for (uint32_t i = 0; i < image->table[FG_TABLE_RULES].n; i++) {
		uint32_t key[FG_KEY_WORDS];

		key_of(image, &rules[i], key);
		assert_true(finds(image, key, i));
	}
}

/* All kinds, both families, with plenty of tuples and with very few: nothing is ever lost. */
static void test_every_rule_is_found(void **state)
{
	static const uint32_t tuples[] = { 0, 7, 1 };

	(void)state;
	for (int kind = 0; kind < FGO_KINDS; kind++)
		for (int family = 0; family < FG_FAMILIES; family++) {
			generate((enum fgo_kind)kind, (enum fg_family)family, 400);
			for (size_t i = 0; i < 3; i++) {
				struct fg_image *image =
					compile((enum fg_family)family, FG_MODE_FLT, tuples[i]);

				assert_true(image->footprint.tuples <=
					    (tuples[i] ? tuples[i] : FG_TUPLES_MAX));
				assert_true(image->footprint.rules > 0);
				assert_all_found(image);
				fg_image_free(image);
			}
		}
}

/* The article's simple rules are one shape: one lookup per packet, one candidate per key. */
static void test_simple_rules_need_one_lookup(void **state)
{
	struct fg_image *image;
	uint32_t key[FG_KEY_WORDS] = { 0 }, wrong = 0;

	(void)state;
	generate(FGO_SIMPLE, FG_INET, RULES);
	image = compile(FG_INET, FG_MODE_FLT, 0);
	assert_int_equal(image->footprint.level, 0);
	assert_true(image->footprint.tuples <= 2); /* destination or source port */
	assert_int_equal(image->table[FG_TABLE_CHECKS].n, 3 * image->footprint.rules);
	for (uint32_t i = 0; i < image->footprint.rules; i++)
		wrong += finds(image, key, i); /* 0.0.0.0 port 0 is nobody's key */
	assert_int_equal(wrong, 0);
	fg_image_free(image);
}

/* DMEM: few lookups, by destination only; every rule is still found. */
static void test_dmem_looks_at_destinations(void **state)
{
	(void)state;
	for (int kind = 0; kind < FGO_KINDS; kind++) {
		const struct fg_meta *meta;
		struct fg_image *image;

		generate((enum fgo_kind)kind, FG_INET6, 200);
		image = compile(FG_INET6, FG_MODE_DMEM, 0);
		meta = image->table[FG_TABLE_META].data;
		assert_int_equal(meta->mode, FG_MODE_DMEM);
		assert_int_equal(meta->n_rules, image->footprint.rules);
		assert_true(meta->n_tuples <= 8);
		for (uint32_t t = 0; t < meta->n_tuples; t++)
			for (int word = FG_KEY_SRC; word < FG_KEY_WORDS; word++)
				assert_int_equal(meta->tuple[t].mask[word], 0);
		assert_all_found(image);
		fg_image_free(image);
	}
}

static void one_rule(const uint8_t *nlri, size_t len)
{
	memset(&set, 0, sizeof(set));
	memcpy(set.nlri[0], nlri, len);
	set.source[0] = (struct fg_rule_source){ set.nlri[0], (uint16_t)len, &set.actions[0], 0 };
	set.n = 1;
}

static void test_states(void **state)
{
	static const uint8_t impossible[] = { 10, 0xa1, 0, 1, 0x86, 0x83 }; /* packet-length 99971 */
	static const uint8_t tcp[] = { 3, 0x81, 6 };
	struct fg_image *image;

	(void)state;
	one_rule(impossible, sizeof(impossible));
	image = compile(FG_INET, FG_MODE_FLT, 0);
	assert_int_equal(image->state[0], FG_RULE_NEVER_MATCHES);
	assert_int_equal(image->footprint.rules, 0);
	fg_image_free(image);
	one_rule(tcp, sizeof(tcp));
	image = compile(FG_INET, FG_MODE_FLT, 0);
	assert_int_equal(image->state[0], FG_RULE_INSTALLED);
	fg_image_free(image);
	set.actions[0].set = FG_ACTION_REDIRECT_RT;
	image = compile(FG_INET, FG_MODE_FLT, 0);
	assert_int_equal(image->state[0], FG_RULE_UNSUPPORTED);
	assert_non_null(fg_actions_unsupported(&set.actions[0]));
	fg_image_free(image);
}

static void test_bad_source_is_refused(void **state)
{
	static const uint8_t cut[] = { 1, 32, 192, 0 };
	struct fg_compile_options options = { .mode = FG_MODE_FLT };
	struct fg_error err = { 0 };
	struct fg_image *image = NULL;

	(void)state;
	one_rule(cut, sizeof(cut));
	assert_int_equal(fg_compile(FG_INET, set.source, 1, &options, &image, &err), -EINVAL);
	assert_null(image);
	assert_non_null(strstr(err.what, "octet"));
}

/* Equal value sets share their words: 1,500 rules with one SYN test cost one bitmap. */
static void test_sets_are_shared(void **state)
{
	static const uint8_t ports[] = {
		5, 0x01, 80, 0x01, 90, 0x81, 99
	}; /* dport 80 or 90 or 99 */
	struct fg_image *image;

	(void)state;
	memset(&set, 0, sizeof(set));
	for (set.n = 0; set.n < 100; set.n++) {
		uint8_t prefix[] = { 1, 32, 192, 0, 2, (uint8_t)set.n };

		memcpy(set.nlri[set.n], prefix, sizeof(prefix));
		memcpy(set.nlri[set.n] + sizeof(prefix), ports, sizeof(ports));
		set.source[set.n] =
			(struct fg_rule_source){ set.nlri[set.n], sizeof(prefix) + sizeof(ports),
						 &set.actions[set.n], 0 };
	}
	image = compile(FG_INET, FG_MODE_FLT, 0);
	assert_int_equal(image->footprint.rules, 100);
	assert_int_equal(image->footprint.prefixes, 100);
	assert_int_equal(image->footprint.ranges, 3);
	assert_int_equal(image->table[FG_TABLE_SETS].n, 3);
	fg_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rule_is_found),
		cmocka_unit_test(test_simple_rules_need_one_lookup),
		cmocka_unit_test(test_dmem_looks_at_destinations),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_bad_source_is_refused),
		cmocka_unit_test(test_sets_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
