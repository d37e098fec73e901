// SPDX-License-Identifier: MIT
/* Wire rules through the whole product (decode, order, compile, install) and frames through the gate, for tests. */
#include "lib/ruleset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

struct ruleset_rule {
	enum fg_family family;
	size_t wire;
	size_t len;
	uint8_t *value; /* normalised */
	struct fg_actions actions;
};

static int rule_init(struct ruleset_rule *r, const struct ruleset_wire *wire, struct fg_error *err)
{
	FG_AUTO_FREE struct fg_flow *flow = malloc(sizeof(*flow));
	struct fg_flow_fault fault = { 0 };
	uint8_t value[FG_NLRI_MAX];
	size_t used;
	int len, res;

	if (!flow)
		return -ENOMEM;
	res = fg_flow_decode_field(r->family, wire->nlri, wire->nlri_len, flow, &used, &fault);
	if (res)
		return fg_error_set(err, res, "decode: %s at octet %zu", fault.reason, fault.octet);
	len = fg_flow_encode(flow, value, sizeof(value));
	if (len < 0)
		return fg_error_set(err, len, "encode failed");
	r->value = malloc((size_t)len);
	if (!r->value)
		return -ENOMEM;
	memcpy(r->value, value, (size_t)len);
	r->len = (size_t)len;
	return fg_actions_decode(wire->com, wire->com_len, NULL, 0, &r->actions, err);
}

static int compare(const void *a, const void *b)
{
	const struct ruleset_rule *ra = a, *rb = b;

	return fg_flow_compare(ra->family, ra->value, ra->len, rb->value, rb->len);
}

void ruleset_free(struct ruleset *set)
{
	if (!set)
		return;
	for (size_t i = 0; set->rule && i < set->n; i++)
		free(set->rule[i].value);
	fg_image_free(set->image);
	free(set->rule);
	free(set->source);
	free(set);
}

static int set_fill(struct ruleset *set, const struct ruleset_wire *wire, struct fg_error *err)
{
	size_t n = set->n;

	set->rule = calloc(n + 1, sizeof(*set->rule));
	set->source = calloc(n + 1, sizeof(*set->source));
	if (!set->rule || !set->source)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int res;

		set->rule[i].family = set->family;
		set->rule[i].wire = i;
		res = rule_init(&set->rule[i], &wire[i], err);
		if (res)
			return res;
	}
	qsort(set->rule, n, sizeof(*set->rule), compare);
	for (size_t i = 0; i < n; i++)
		set->source[i] = (struct fg_rule_source){
			.nlri = set->rule[i].value,
			.nlri_len = (uint16_t)set->rule[i].len,
			.actions = &set->rule[i].actions,
			.counter = (uint32_t)i,
		};
	return 0;
}

int ruleset_new(enum fg_family family, const struct ruleset_wire *wire, size_t n,
		struct ruleset **ret_set, struct fg_error *err)
{
	struct ruleset *set = calloc(1, sizeof(*set));
	int res;

	if (!set)
		return -ENOMEM;
	set->family = family;
	set->n = n;
	res = set_fill(set, wire, err);
	if (res) {
		ruleset_free(set);
		return res;
	}
	*ret_set = set;
	return 0;
}

int ruleset_install(struct ruleset *set, struct fg_dp *dp, enum fg_mode mode, struct fg_error *err)
{
	struct fg_compile_options options = { .mode = mode };
	struct fg_image *image;
	int res;

	res = fg_compile(set->family, set->source, set->n, &options, &image, err);
	if (res)
		return res;
	fg_image_free(set->image);
	set->image = image;
	return fg_dp_install(dp, image, err);
}

size_t ruleset_wire_index(const struct ruleset *set, size_t i)
{
	return set->rule[i].wire;
}

/* The family that judged is known by the frame only; the traced rule index is valid in one of the sets. */
static int wire_of(const struct ruleset *v4, const struct ruleset *v6, const uint8_t *frame,
		   size_t len, uint32_t image_rule)
{
	const struct ruleset *set = v4;
	size_t at = 12;

	if (image_rule == FG_NO_RULE)
		return -1;
	while (at + 6 <= len && ((frame[at] == 0x81 && frame[at + 1] == 0) ||
				 (frame[at] == 0x88 && frame[at + 1] == 0xa8)))
		at += 4;
	if (frame[at] == 0x86)
		set = v6;
	return (int)ruleset_wire_index(set, set->image->source_of[image_rule]);
}

int gate_run(struct fg_dp *dp, const struct ruleset *v4, const struct ruleset *v6,
	     const uint8_t *frame, size_t len, struct gate_answer *ret, struct fg_error *err)
{
	static struct fg_trace trace;
	int res;

	ret->out_len = sizeof(ret->out);
	res = fg_dp_run(dp, frame, len, 1, &ret->action, ret->out, &ret->out_len, NULL, err);
	if (res)
		return res;
	res = fg_dp_trace(dp, &trace, err);
	if (res)
		return res;
	ret->reason = trace.reason;
	ret->note = trace.note;
	ret->discard = trace.got.discard;
	ret->sample = trace.got.sample;
	ret->has_mark = trace.got.has_dscp;
	ret->mark = trace.got.dscp;
	ret->n_policers = trace.got.n_policers;
	ret->rule = wire_of(v4, v6, frame, len, trace.got.rule);
	return 0;
}
