// SPDX-License-Identifier: MIT
/* From ordered rules to an image: conditions, actions, tuple plan, tables. */
#include "compile/compile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/checks.h"
#include "compile/flt.h"
#include "compile/tuples.h"
#include "util/cleanup.h"

#define FG_SEED_DEFAULT 0x6c746766

static const size_t elements[FG_TABLE_MAX] = {
#define FG_TABLE_SIZE(NAME, name, type) [FG_TABLE_##NAME] = sizeof(type),
	FG_TABLES(FG_TABLE_SIZE)
#undef FG_TABLE_SIZE
};

struct compilation {
	struct fg_image *image;
	struct fg_check_builder *builder;
	struct fg_region *regions; /* of the rules in the image */
	struct fg_rule *rules;
	size_t n_rules;
};

size_t fg_table_element(enum fg_table table)
{
	return elements[table];
}

const char *fg_actions_unsupported(const struct fg_actions *actions)
{
	if (actions->set & FG_ACTION_REDIRECT_RT)
		return "redirect to a VRF is not supported";
	if (actions->set & FG_ACTION_REDIRECT_IP)
		return "redirect to a next hop is not supported";
	return NULL;
}

/* Nanoseconds << FG_COST_SHIFT that one unit takes at @rate. The cap keeps cost times the largest packet in 64 bits; it
 * raises rates below a quarter unit per second to that. */
static uint64_t rate_cost(float rate)
{
	const double cap = 18446744073709551615.0 / 65576.0;
	double cost = 1e9 * (double)(1U << FG_COST_SHIFT) / (double)rate;

	return (uint64_t)(cost < cap ? cost : cap);
}

static void rule_actions(const struct fg_actions *actions, struct fg_rule *rule)
{
	if (fg_actions_discard(actions))
		rule->flags |= FG_RULE_DISCARD;
	if (actions->set & FG_ACTION_CONTINUE)
		rule->flags |= FG_RULE_CONTINUE;
	if (actions->set & FG_ACTION_SAMPLE)
		rule->flags |= FG_RULE_SAMPLE;
	if (actions->set & FG_ACTION_MARK) {
		rule->flags |= FG_RULE_MARK;
		rule->dscp = actions->dscp & 0x3f;
	}
	if (rule->flags & FG_RULE_DISCARD)
		return;
	if (actions->set & FG_ACTION_RATE_BYTES && !isinf(actions->rate_bytes)) {
		rule->flags |= FG_RULE_RATE_BYTES;
		rule->byte_cost = rate_cost(actions->rate_bytes);
	}
	if (actions->set & FG_ACTION_RATE_PACKETS && !isinf(actions->rate_packets)) {
		rule->flags |= FG_RULE_RATE_PACKETS;
		rule->packet_cost = rate_cost(actions->rate_packets);
	}
}

/* Compiles one source; its state says whether it went into the image. */
static int rule_add(struct compilation *c, const struct fg_rule_source *source, size_t index,
		    struct fg_error *err)
{
	struct fg_rule *rule = &c->rules[c->n_rules];
	struct fg_flow_fault fault;
	size_t first = c->builder->checks->n, n_checks;
	int failed;

	if (fg_actions_unsupported(source->actions)) {
		c->image->state[index] = FG_RULE_UNSUPPORTED;
		return 0;
	}
	if (fg_flow_decode(c->image->family, source->nlri, source->nlri_len, &c->builder->flow,
			   &fault))
		return fg_error_set(err, -EINVAL, "rule %zu: %s at octet %zu", index, fault.reason,
				    fault.octet);
	failed = fg_checks_build(c->builder, &n_checks, &c->regions[c->n_rules]);
	if (failed < 0)
		return failed;
	if (failed) {
		c->image->state[index] = FG_RULE_NEVER_MATCHES;
		return 0;
	}
	*rule = (struct fg_rule){ .checks = (__u32)first,
				  .n_checks = (__u16)n_checks,
				  .counter = source->counter };
	rule_actions(source->actions, rule);
	c->image->state[index] = FG_RULE_INSTALLED;
	c->image->source_of[c->n_rules++] = (uint32_t)index;
	return 0;
}

/* FG_HEAD's rule index and the single-chain mark share a word. */
#define FG_RULES_MAX (FG_CHAIN_SINGLE - 1)

/* DMEM: rules are told apart by their destination alone, with few masks; the rest is the residual program's. */
#define FG_DMEM_TUPLES 8

static size_t by_destination(struct compilation *c, size_t max)
{
	for (size_t i = 0; i < c->n_rules; i++)
		memset(&c->regions[i].mask[FG_KEY_SRC], 0,
		       (FG_KEY_WORDS - FG_KEY_SRC) * sizeof(c->regions[i].mask[0]));
	return max < FG_DMEM_TUPLES ? max : FG_DMEM_TUPLES;
}

static int emit_candidates(struct compilation *c, const struct fg_compile_options *options,
			   struct fg_meta *meta)
{
	uint32_t seed = options->seed ? options->seed : FG_SEED_DEFAULT;
	size_t max = options->tuples_max ? options->tuples_max : FG_TUPLES_MAX;
	struct fg_tuple_plan plan;
	int err;

	if (options->mode == FG_MODE_DMEM)
		max = by_destination(c, max);
	err = fg_tuple_plan(c->regions, c->n_rules, max, &plan);
	if (err)
		return err;
	c->image->footprint.tuples = plan.n_tuples;
	c->image->footprint.level = plan.level;
	err = fg_flt_emit(c->image, meta, c->regions, c->n_rules, &plan, seed);
	fg_tuple_plan_free(&plan);
	return err;
}

static int emit(struct compilation *c, const struct fg_compile_options *options)
{
	struct fg_image *image = c->image;
	struct fg_meta *meta = calloc(1, sizeof(*meta));
	int err;

	if (!meta)
		return -ENOMEM;
	meta->mode = options->mode;
	meta->n_rules = (__u32)c->n_rules;
	meta->token = options->token;
	image->table[FG_TABLE_META].data = meta;
	image->table[FG_TABLE_META].n = 1;
	image->table[FG_TABLE_RULES].data = FG_TAKE_PTR(c->rules);
	image->table[FG_TABLE_RULES].n = c->n_rules;
	err = emit_candidates(c, options, meta);
	image->footprint.rules = c->n_rules;
	image->footprint.prefixes = c->builder->prefixes.n;
	image->footprint.ranges = c->builder->ranges.n;
	for (int i = 0; i < FG_TABLE_MAX; i++)
		image->footprint.bytes += image->table[i].n * image->table[i].element;
	return err;
}

static struct fg_image *image_new(enum fg_family family, size_t n)
{
	struct fg_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->family = family;
	image->n_sources = n;
	image->source_of = calloc(n ? n : 1, sizeof(*image->source_of));
	image->state = calloc(n ? n : 1, sizeof(*image->state));
	for (int i = 0; i < FG_TABLE_MAX; i++)
		image->table[i].element = fg_table_element(i);
	if (image->source_of && image->state)
		return image;
	fg_image_free(image);
	return NULL;
}

static void compilation_clean(struct compilation *c)
{
	fg_image_free(c->image);
	if (c->builder) {
		fg_idmap_free(&c->builder->sets.index);
		fg_idmap_free(&c->builder->prefixes);
		fg_idmap_free(&c->builder->ranges);
	}
	free(c->builder);
	free(c->regions);
	free(c->rules);
}

static int compilation_begin(struct compilation *c, enum fg_family family, size_t n)
{
	c->image = image_new(family, n);
	c->builder = calloc(1, sizeof(*c->builder));
	c->regions = calloc(n ? n : 1, sizeof(*c->regions));
	c->rules = calloc(n ? n : 1, sizeof(*c->rules));
	if (!c->image || !c->builder || !c->regions || !c->rules)
		return -ENOMEM;
	c->builder->checks = &c->image->table[FG_TABLE_CHECKS];
	c->builder->sets.table = &c->image->table[FG_TABLE_SETS];
	return 0;
}

int fg_compile(enum fg_family family, const struct fg_rule_source *rules, size_t n,
	       const struct fg_compile_options *options, struct fg_image **ret_image,
	       struct fg_error *err)
{
	FG_CLEANUP(compilation_clean) struct compilation c = { 0 };
	int failed;

	if (n > FG_RULES_MAX)
		return fg_error_set(err, -E2BIG, "%zu rules are more than one table holds", n);
	failed = compilation_begin(&c, family, n);
	for (size_t i = 0; !failed && i < n; i++)
		failed = rule_add(&c, &rules[i], i, err);
	if (!failed)
		failed = emit(&c, options);
	if (failed == -ENOMEM)
		return fg_error_set(err, failed, "no memory to compile %zu rules", n);
	if (failed == -E2BIG)
		return fg_error_set(err, failed, "%zu rules do not fit the 5-tuple tables", n);
	if (failed)
		return failed;
	*ret_image = FG_TAKE_PTR(c.image);
	return 0;
}

void fg_image_free(struct fg_image *image)
{
	if (!image)
		return;
	for (int i = 0; i < FG_TABLE_MAX; i++)
		free(image->table[i].data);
	free(image->source_of);
	free(image->state);
	free(image);
}
