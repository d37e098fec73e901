/* SPDX-License-Identifier: MIT */
/* Wire rules through the whole product (decode, order, compile, install) and frames through the gate, for tests. */
#ifndef SELFTESTS_LIB_RULESET_H
#define SELFTESTS_LIB_RULESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compile/compile.h"
#include "dp/dp.h"

/* As a peer sends it: the NLRI field with its length octets, extended communities of 8 octets each. */
struct ruleset_wire {
	const uint8_t *nlri;
	size_t nlri_len;
	const uint8_t *com;
	size_t com_len;
};

/* One family's rules, decoded and in rank order. */
struct ruleset {
	enum fg_family family;
	size_t n;
	struct ruleset_rule *rule;     /* [n] in rank order */
	struct fg_rule_source *source; /* [n] for the compiler, points into rule */
	struct fg_image *image;        /* what was installed last, NULL before */
};

/* Decodes and sorts @n rules; all must be valid. Free with ruleset_free(). 0 or a negative errno with @err. */
int ruleset_new(enum fg_family family, const struct ruleset_wire *wire, size_t n,
		struct ruleset **ret_set, struct fg_error *err);
void ruleset_free(struct ruleset *set);

/* Compiles for @mode and installs; rule @i of the rank order counts in slot @i. */
int ruleset_install(struct ruleset *set, struct fg_dp *dp, enum fg_mode mode, struct fg_error *err);

/* Index into the wire array of rule @i of the rank order. */
size_t ruleset_wire_index(const struct ruleset *set, size_t i);

/* What the gate did with one frame. */
struct gate_answer {
	uint32_t action; /* XDP_PASS, XDP_DROP */
	uint32_t reason; /* enum fg_reason */
	uint32_t note;   /* enum fg_note */
	int rule;        /* index into the wire array of the first matching rule, -1 none */
	bool discard;
	bool sample;
	bool has_mark;
	uint8_t mark;
	uint32_t n_policers;
	size_t out_len;
	uint8_t out[4096]; /* the frame afterwards */
};

/* Runs a frame through a tracing instance that has @v4 and @v6 (either may be NULL) installed. */
int gate_run(struct fg_dp *dp, const struct ruleset *v4, const struct ruleset *v6,
	     const uint8_t *frame, size_t len, struct gate_answer *ret, struct fg_error *err);

#endif
