// SPDX-License-Identifier: MIT
/* Compiled images read by a plain model of the datapath, against the RFC oracle: the compiler without a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile/compile.h"
#include "fltgate/hash.h"
#include "oracle/gen.h"
#include "oracle/oracle.h"
#include "oracle/text.h"

#define RULES_MAX 400

static struct {
	uint64_t seed;
	uint8_t family;
	size_t n;
	struct fgo_entry list[RULES_MAX]; /* in rank order: source rule i is list[i] */
	struct fgo_source source[RULES_MAX];
	struct fg_actions actions[RULES_MAX];
	struct fg_image *image;
	uint32_t field[FG_FIELD_SLOTS]; /* the packet record */
	uint32_t present;
	uint32_t candidate[FG_TUPLES_MAX * RULES_MAX];
	size_t n_candidates;
} model;

static const void *table(enum fg_table t)
{
	return model.image->table[t].data;
}

/* ---- the packet record ---------------------------------------------------------------------- */

static void put(enum fg_field field, bool has, uint32_t value)
{
	model.field[field] = has ? value : 0;
	model.present |= has ? 1U << field : 0;
}

static void put_address(enum fg_field first, const uint8_t *addr)
{
	for (unsigned int i = 0; i < (model.family == 6 ? 4U : 1U); i++) {
		const uint8_t *p = addr + 4 * (size_t)i;

		put(first + i, true,
		    (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
	}
}

static void fill_record(const struct fgo_packet *k)
{
	memset(model.field, 0, sizeof(model.field));
	model.present = 0;
	put_address(FG_FIELD_DST0, k->dst);
	put_address(FG_FIELD_SRC0, k->src);
	put(FG_FIELD_PROTOCOL, k->has_proto, k->proto);
	put(FG_FIELD_SPORT, k->has_ports, k->sport);
	put(FG_FIELD_DPORT, k->has_ports, k->dport);
	put(FG_FIELD_ICMP_TYPE, k->has_icmp_type, k->icmp_type);
	put(FG_FIELD_ICMP_CODE, k->has_icmp_code, k->icmp_code);
	put(FG_FIELD_TCP_FLAGS, k->has_tcp_flags, k->tcp_flags);
	put(FG_FIELD_LENGTH, true, k->length);
	put(FG_FIELD_DSCP, true, k->dscp);
	put(FG_FIELD_FRAGMENT, true, k->fragment);
	put(FG_FIELD_FLOW_LABEL, model.family == 6, k->flow_label);
}

/* ---- conditions ----------------------------------------------------------------------------- */

static bool in_ranges(const struct fg_check *c, uint32_t x)
{
	const uint64_t *set = (const uint64_t *)table(FG_TABLE_SETS) + c->a;

	for (uint32_t i = 0; i < c->n; i++) {
		assert_true(i == 0 ||
			    set[i] >> 32 > (uint32_t)set[i - 1]); /* the datapath halves */
		if (set[i] >> 32 <= x && x <= (uint32_t)set[i])
			return true;
	}
	return false;
}

static bool value_holds(const struct fg_check *c, uint32_t x)
{
	const uint64_t *set = table(FG_TABLE_SETS);

	switch (c->kind) {
	case FG_CHECK_MASKED:
		return (x & c->b) == c->a;
	case FG_CHECK_RANGE:
		return c->a <= x && x <= c->b;
	case FG_CHECK_RANGES:
		return in_ranges(c, x);
	default:
		return x < c->n && (set[c->a + x / 64] >> (x % 64) & 1);
	}
}

static bool field_holds(const struct fg_check *c, unsigned int field)
{
	return (model.present >> field & 1) && value_holds(c, model.field[field]);
}

static bool rule_holds(const struct fg_rule *rule)
{
	const struct fg_check *c = (const struct fg_check *)table(FG_TABLE_CHECKS) + rule->checks;

	assert_in_range(rule->n_checks, 0, FG_CHECKS_PER_RULE);
	for (unsigned int i = 0; i < rule->n_checks; i++, c++) {
		if (!field_holds(c, c->field) && !(c->either && field_holds(c, FG_FIELD_DPORT)))
			return false;
	}
	return true;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void add_chain(uint32_t chain)
{
	const uint32_t *chains = table(FG_TABLE_CHAINS);

	if (chain & FG_CHAIN_SINGLE) {
		model.candidate[model.n_candidates++] = chain & ~FG_CHAIN_SINGLE;
		return;
	}
	chains += chain;
	for (uint32_t i = 1; i <= chains[0]; i++) {
		assert_true(i == 1 || chains[i] > chains[i - 1]); /* in rank order */
		model.candidate[model.n_candidates++] = chains[i];
	}
}

static void probe(const struct fg_meta *meta, const struct fg_tuple *tuple, const uint32_t *key)
{
	uint64_t hash = fg_key_hash(key, tuple, model.family == 6 ? 4 : 1);
	const uint64_t *filter = table(FG_TABLE_FILTER);
	const struct fg_bucket *bucket = table(FG_TABLE_BUCKETS);
	uint32_t bit = fg_hash_filter(hash) & meta->filter_mask;

	if (!(filter[bit / 64] >> (bit % 64) & 1))
		return;
	bucket += fg_hash_bucket(hash) & meta->bucket_mask;
	for (int i = 0; i < FG_BUCKET_KEYS; i++) {
		if (bucket->tag[i] == fg_hash_tag(hash)) {
			add_chain(bucket->chain[i]);
			return;
		}
	}
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void find_candidates(void)
{
	const struct fg_meta *meta = table(FG_TABLE_META);
	uint32_t key[FG_KEY_WORDS];

	model.n_candidates = 0;
	memcpy(key + FG_KEY_DST, model.field + FG_FIELD_DST0, 16);
	memcpy(key + FG_KEY_SRC, model.field + FG_FIELD_SRC0, 16);
	key[FG_KEY_PORTS] = model.field[FG_FIELD_SPORT] << 16 | model.field[FG_FIELD_DPORT];
	key[FG_KEY_PROTOCOL] = model.field[FG_FIELD_PROTOCOL];
	for (uint32_t i = 0; i < meta->n_tuples; i++)
		probe(meta, &meta->tuple[i], key);
	qsort(model.candidate, model.n_candidates, sizeof(*model.candidate), compare);
}

/* ---- one packet ----------------------------------------------------------------------------- */

/* The list indexes of the rules that match, up to the first without the T bit. */
static size_t walk(int *matched)
{
	const struct fg_rule *rules = table(FG_TABLE_RULES);
	size_t n = 0;

	find_candidates();
	for (size_t i = 0; i < model.n_candidates && n < FGO_MAX_MATCHED; i++) {
		const struct fg_rule *rule = &rules[model.candidate[i]];

		if (!rule_holds(rule))
			continue;
		matched[n++] = (int)model.image->source_of[model.candidate[i]];
		if (!(rule->flags & FG_RULE_CONTINUE))
			break;
	}
	return n;
}

static void print_list(const char *who, const int *matched, size_t n)
{
	fprintf(stderr, "# %s:", who);
	for (size_t i = 0; i < n; i++) {
		const struct fgo_source *s = &model.source[model.list[matched[i]].tag];

		fprintf(stderr, " ");
		fgo_print_hex(s->nlri, s->nlri_len);
	}
	fprintf(stderr, "\n");
}

static void judge(const uint8_t *frame, size_t len)
{
	int matched[FGO_MAX_MATCHED];
	struct fgo_verdict v;
	struct fgo_packet k;
	size_t n;

	fgo_packet_parse(frame, len, &k);
	if (k.outcome != FGO_PKT_IP || k.family != model.family)
		return;
	fgo_evaluate_packet(model.list, model.n, &k, &v);
	fill_record(&k);
	n = walk(matched);
	if (n == v.n_matched && memcmp(matched, v.matched, n * sizeof(*matched)) == 0)
		return;
	fprintf(stderr, "# frame ");
	fgo_print_hex(frame, len);
	fprintf(stderr, "\n");
	print_list("oracle", v.matched, v.n_matched);
	print_list("image", matched, n);
	fail_msg("FG_SEED=%llu differs", (unsigned long long)model.seed);
}

/* ---- one set -------------------------------------------------------------------------------- */

static void make_list(enum fgo_kind kind, size_t n)
{
	struct fgo_rng r = { model.seed };
	struct fg_error err = { 0 };

	model.n = fgo_gen_list(&r, kind, model.family, n, model.list, model.source);
	for (size_t i = 0; i < model.n; i++) {
		const struct fgo_source *s = &model.source[model.list[i].tag];

		memset(&model.actions[i], 0, sizeof(model.actions[i]));
		assert_int_equal(
			fg_actions_decode(s->com, s->com_len, NULL, 0, &model.actions[i], &err), 0);
	}
}

static void compile_list(enum fg_mode mode, uint32_t tuples_max, uint32_t seed)
{
	struct fg_compile_options options = { .mode = mode,
					      .tuples_max = tuples_max,
					      .seed = seed };
	struct fg_rule_source rules[RULES_MAX];
	struct fg_error err = { 0 };

	for (size_t i = 0; i < model.n; i++)
		rules[i] = (struct fg_rule_source){ .nlri = model.list[i].rule.value,
						    .nlri_len = model.list[i].rule.len,
						    .actions = &model.actions[i],
						    .counter = (uint32_t)i };
	fg_image_free(model.image);
	model.image = NULL;
	if (fg_compile(model.family == 6 ? FG_INET6 : FG_INET, rules, model.n, &options,
		       &model.image, &err))
		fail_msg("FG_SEED=%llu: %s", (unsigned long long)model.seed, err.what);
}

static void run_packets(unsigned int packets)
{
	struct fgo_rng r = { model.seed + 1 };

	for (unsigned int i = 0; i < packets; i++) {
		uint8_t frame[FGO_MAX_FRAME];
		size_t len =
			fgo_gen_frame(&r, model.list, model.n, model.family, frame, sizeof(frame));

		judge(frame, len);
	}
}

static uint64_t first_seed(void)
{
	const char *text = getenv("FG_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) << 8;

	printf("# FG_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

/* Every kind of set, in both modes, and with so few tuples that masks have to be coarsened. */
static void test_random_sets(void **state)
{
	static const uint32_t tuples[] = { 0, 2, 5 };
	uint64_t seed = first_seed();

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		model.seed = seed + i;
		model.family = i / FGO_KINDS % 2 ? 6 : 4;
		make_list((enum fgo_kind)(i % FGO_KINDS), i % 4 ? 30 : RULES_MAX);
		compile_list(FG_MODE_DMEM, 0, 0);
		run_packets(800);
		compile_list(FG_MODE_FLT, tuples[i % 3], 0);
		assert_in_range(model.image->footprint.tuples, 0,
				tuples[i % 3] ? tuples[i % 3] : FG_TUPLES_MAX);
		run_packets(800);
	}
}

/* Any seed of the keyed hash serves: none loses a rule. */
static void test_hash_seeds(void **state)
{
	(void)state;
	model.seed = 1;
	model.family = 4;
	make_list(FGO_MIXED, RULES_MAX);
	for (uint32_t seed = 1; seed < 40; seed++) {
		compile_list(FG_MODE_FLT, 0, seed);
		run_packets(300);
	}
}

static int teardown(void **state)
{
	(void)state;
	fg_image_free(model.image);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_sets),
		cmocka_unit_test(test_hash_seeds),
	};

	return cmocka_run_group_tests_name("compile model", tests, NULL, teardown);
}
