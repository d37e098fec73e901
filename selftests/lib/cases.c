// SPDX-License-Identifier: MIT
/* A gate under test: rules as hex, frames by field, and one expectation that checks verdict, bytes and counters. */
#include "lib/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "oracle/text.h"

#define CASE_RULES 16

static struct {
	struct fg_dp *dp;
	struct ruleset *set[FG_FAMILIES];
	struct fgo_entry list[FG_FAMILIES][CASE_RULES]; /* the oracle's, in its order */
	size_t n[FG_FAMILIES];
} rig;

static const enum fg_reason_class reason_classes[] = {
#define REASON_CLASS(name, field, class, text) [FG_REASON_##name] = FG_CLASS_##class,
	FG_REASONS(REASON_CLASS)
#undef REASON_CLASS
};

static const char *const reason_names[] = {
#define REASON_NAME(name, field, class, text) [FG_REASON_##name] = #name,
	FG_REASONS(REASON_NAME)
#undef REASON_NAME
};

int case_open(void **state)
{
	struct fg_dp_options options = { .trace = true };
	struct fg_error err = { 0 };

	(void)state;
	if (fg_dp_open(&options, &rig.dp, &err) == 0)
		return 0;
	fprintf(stderr, "# %s\n# %s\n", err.what, err.fix);
	return -1;
}

int case_close(void **state)
{
	(void)state;
	for (int f = 0; f < FG_FAMILIES; f++)
		ruleset_free(rig.set[f]);
	fg_dp_close(rig.dp);
	memset(&rig, 0, sizeof(rig));
	return 0;
}

static size_t wire_rule(enum fg_family family, const struct case_rule *rule, uint8_t *nlri,
			uint8_t *com, size_t *com_len, struct fgo_entry *e)
{
	int n = fgo_hex(rule->value, nlri + 1, 200), c = fgo_hex(rule->com, com, 64);

	assert_true(n > 0 && c >= 0);
	nlri[0] = (uint8_t)n;
	*com_len = (size_t)c;
	assert_int_equal(fgo_decode_value(family == FG_INET6 ? 6 : 4, nlri + 1, (size_t)n,
					  &e->rule),
			 FGO_VALID);
	assert_true(fgo_actions_decode(com, (size_t)c, &e->act));
	return (size_t)n + 1;
}

void case_rules(enum fg_family family, enum fg_mode mode, const struct case_rule *rules)
{
	struct ruleset_wire wire[CASE_RULES];
	uint8_t nlri[CASE_RULES][256], com[CASE_RULES][64];
	struct fg_error err = { 0 };
	size_t n = 0;

	for (; rules[n].value; n++) {
		struct fgo_entry *e = &rig.list[family][n];

		assert_true(n < CASE_RULES);
		wire[n].nlri_len =
			wire_rule(family, &rules[n], nlri[n], com[n], &wire[n].com_len, e);
		wire[n].nlri = nlri[n];
		wire[n].com = com[n];
		e->tag = (uint32_t)n;
	}
	rig.n[family] = n;
	fgo_sort(rig.list[family], n);
	ruleset_free(rig.set[family]);
	rig.set[family] = NULL;
	if (ruleset_new(family, wire, n, &rig.set[family], &err) ||
	    ruleset_install(rig.set[family], rig.dp, mode, &err))
		fail_msg("%s", err.what);
}

void case_guard(uint32_t flags, const struct fg_guard_source *sources, size_t n)
{
	struct fg_error err = { 0 };

	if (fg_dp_guard(rig.dp, flags, sources, n, &err))
		fail_msg("guard: %s", err.what);
}

/* ---- counters ------------------------------------------------------------------------------- */

union if_counters {
	struct fg_if_counters c;
	uint64_t number[sizeof(struct fg_if_counters) / 8]; /* reasons, then notes, then events */
};

struct counted {
	union if_counters ifc;
	struct fg_rule_counter rule[FG_FAMILIES][CASE_RULES]; /* by wire index */
};

static void read_counters(struct counted *c)
{
	if (fg_dp_if_counters(rig.dp, if_nametoindex("lo"), &c->ifc.c)) /* where test runs arrive */
		memset(&c->ifc, 0, sizeof(c->ifc));
	for (int f = 0; f < FG_FAMILIES; f++) {
		for (size_t i = 0; rig.set[f] && i < rig.set[f]->n; i++) {
			size_t w = ruleset_wire_index(rig.set[f], i);

			assert_int_equal(fg_dp_rule_counter(rig.dp, (uint32_t)i, &c->rule[f][w]),
					 0);
		}
	}
}

static void check_reasons(const struct counted *before, const struct counted *after,
			  const struct case_expect *want, size_t len)
{
	for (int r = 0; r < FG_REASON_MAX; r++) {
		uint64_t moved = after->ifc.number[r] - before->ifc.number[r];

		if (moved != (r == (int)want->reason))
			fail_msg("%s counted %llu times", reason_names[r],
				 (unsigned long long)moved);
	}
	for (int n = 1; n < FG_NOTE_MAX; n++) {
		int at = FG_REASON_MAX + n - 1;

		assert_int_equal(after->ifc.number[at] - before->ifc.number[at],
				 n == (int)want->note);
	}
	assert_int_equal(after->ifc.c.rx_bytes - before->ifc.c.rx_bytes, len);
	assert_int_equal(after->ifc.c.discard_bytes - before->ifc.c.discard_bytes,
			 reason_classes[want->reason] == FG_CLASS_DISCARD ? len : 0);
}

/* A rule counts whenever it matches, also when the T bit makes the evaluation go on. The other family shares
 * counter slots in these tests and is left out. */
static void check_rule_counters(const struct counted *before, const struct counted *after,
				enum fg_family f, const struct fgo_verdict *v, size_t len)
{
	bool matched[CASE_RULES] = { false };

	for (unsigned int i = 0; i < v->n_matched; i++)
		matched[rig.list[f][v->matched[i]].tag] = true;
	for (size_t w = 0; w < rig.n[f]; w++) {
		uint64_t packets = after->rule[f][w].packets - before->rule[f][w].packets;
		uint64_t bytes = after->rule[f][w].bytes - before->rule[f][w].bytes;

		assert_int_equal(packets, matched[w]);
		assert_int_equal(bytes, matched[w] ? len : 0);
	}
}

/* ---- one frame ------------------------------------------------------------------------------ */

/* The RFC's own answer; the guard and limits of ours come before rules, the RFC knows nothing of them. */
static struct fgo_verdict check_oracle(const struct case_expect *want, const uint8_t *frame,
				       size_t len, enum fg_family f)
{
	struct fgo_verdict v = { .first = -1 };

	bool resource = reason_classes[want->reason] == FG_CLASS_RESOURCE;

	if (want->reason == FG_REASON_GUARD || (resource && want->rule < 0))
		return v;
	fgo_evaluate(rig.list[f], rig.n[f], frame, len, &v);
	assert_int_equal(v.first < 0 ? -1 : (int)rig.list[f][v.first].tag, want->rule);
	if (want->reason != FG_REASON_RATE_LIMIT && !resource)
		assert_int_equal(v.discard, want->action == XDP_DROP);
	return v;
}

const struct gate_answer *case_frame(const struct fgo_model *m, struct case_expect want)
{
	static struct counted before, after;
	static struct gate_answer a;
	enum fg_family f = m->family == 6 ? FG_INET6 : FG_INET;
	uint8_t frame[FGO_MAX_FRAME];
	size_t len = fgo_frame_build(m, frame, sizeof(frame));
	struct fg_error err = { 0 };
	struct fgo_verdict v;

	read_counters(&before);
	if (gate_run(rig.dp, rig.set[FG_INET], rig.set[FG_INET6], frame, len, &a, &err))
		fail_msg("%s", err.what);
	read_counters(&after);
	if (a.action != want.action || a.reason != want.reason || a.rule != want.rule ||
	    a.note != want.note)
		fail_msg("action %u, reason %s, rule %d, note %u; expected %u, %s, %d, %u",
			 a.action, reason_names[a.reason], a.rule, a.note, want.action,
			 reason_names[want.reason], want.rule, want.note);
	check_reasons(&before, &after, &want, len);
	v = check_oracle(&want, frame, len, f);
	check_rule_counters(&before, &after, f, &v, len);
	assert_int_equal(a.out_len, len);
	if (!a.has_mark)
		assert_memory_equal(a.out, frame, len);
	return &a;
}

int case_map(const char *name)
{
	return fg_dp_map_fd(rig.dp, name);
}

int case_reset(void **state)
{
	static const struct case_rule none[] = { { NULL, NULL } };

	(void)state;
	case_guard(0, NULL, 0);
	case_rules(FG_INET, FG_MODE_FLT, none);
	case_rules(FG_INET6, FG_MODE_FLT, none);
	return 0;
}

void case_skip(const char *reason)
{
	printf("SKIP: %s\n", reason);
	fflush(stdout);
	skip();
}
