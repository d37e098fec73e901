/* SPDX-License-Identifier: MIT */
/* A gate under test: rules as hex, frames by field, and one expectation that checks verdict, bytes and counters. */
#ifndef SELFTESTS_LIB_CASES_H
#define SELFTESTS_LIB_CASES_H

#include <linux/bpf.h>

#include "lib/ruleset.h"
#include "oracle/frame.h"
#include "oracle/oracle.h"

/* An NLRI value (no length octets) and extended communities, both hex. Lists end with a NULL value. */
struct case_rule {
	const char *value;
	const char *com;
};

#define CASE_DISCARD "8006000000000000"
#define CASE_ACCEPT ""

/* What must happen. @rule: index in the family's case_rule list, -1 none. */
struct case_expect {
	uint32_t action;
	enum fg_reason reason;
	int rule;
	enum fg_note note;
};

#define CASE_DROP(i) ((struct case_expect){ XDP_DROP, FG_REASON_RULE_DISCARD, (i), FG_NOTE_NONE })
#define CASE_PASS(i) ((struct case_expect){ XDP_PASS, FG_REASON_RULE_ACCEPT, (i), FG_NOTE_NONE })
#define CASE_MISS ((struct case_expect){ XDP_PASS, FG_REASON_NO_RULE, -1, FG_NOTE_NONE })
#define CASE_UNJUDGED(reason) ((struct case_expect){ XDP_PASS, (reason), -1, FG_NOTE_NONE })

/* cmocka group setup and teardown: a private tracing instance. */
int case_open(void **state);
int case_close(void **state);

/* cmocka setup of one test: no rules, no guard. */
int case_reset(void **state);
#define CASE(function) cmocka_unit_test_setup(function, case_reset)

/* Installs the rules of one family (an empty list: none) for a mode; an earlier set is gone. */
void case_rules(enum fg_family family, enum fg_mode mode, const struct case_rule *rules);

/* Configures the control-plane guard; 0 flags and no sources switch it off. */
void case_guard(uint32_t flags, const struct fg_guard_source *sources, size_t n);

/* Runs the frame of a model and checks: action, reason, note, deciding rule; that exactly this reason and note
 * were counted on the interface and exactly the matching rules on their counters; that the oracle agrees (where
 * it knows the reason). Octets are checked to be unchanged unless the answer marked. Returns the answer. */
const struct gate_answer *case_frame(const struct fgo_model *m, struct case_expect want);

/* File descriptor of a map of the gate, for tests that break it. */
int case_map(const char *name);

/* Skips the running test with a reason that the runner reports. */
void case_skip(const char *reason);

#endif
