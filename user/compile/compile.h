/* SPDX-License-Identifier: MIT */
/* The rule compiler: ordered rules in, the tables of one generation out. Pure: needs no kernel, never logs. */
#ifndef FG_COMPILE_COMPILE_H
#define FG_COMPILE_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "flowspec/actions.h"
#include "flowspec/flowspec.h"
#include "fltgate/tables.h"
#include "util/error.h"

/* One rule in rank order (first match wins); the arrays are borrowed for the call. */
struct fg_rule_source {
	const uint8_t *nlri; /* normalised value */
	uint16_t nlri_len;
	const struct fg_actions *actions;
	uint32_t counter; /* slot of its counters and policers */
};

/* What became of a rule. */
enum fg_rule_state {
	FG_RULE_INSTALLED,
	FG_RULE_NEVER_MATCHES, /* valid, but no packet can match: costs nothing, not in the tables */
	FG_RULE_UNSUPPORTED,   /* an action the datapath cannot do: not in the tables */
};

struct fg_compile_options {
	enum fg_mode mode;
	uint32_t seed;       /* of the keyed hashes; 0 picks a constant (tests) */
	uint32_t tuples_max; /* 0: FG_TUPLES_MAX */
	uint32_t token;
};

/* @data: n elements of the table's type, owned by the image. */
struct fg_image_table {
	void *data;
	size_t n;
	size_t element;
};

/* Figures of an image, for `show pfe` and commit warnings. */
struct fg_footprint {
	size_t rules;     /* installed */
	size_t tuples;    /* tuples looked up per packet */
	size_t keys;      /* distinct keys over all tuples */
	size_t chain_max; /* most candidates behind one key */
	size_t prefixes;  /* distinct source and destination prefixes, wildcard not counted */
	size_t ranges;    /* distinct protocol and port ranges */
	size_t bytes;     /* of all tables */
	unsigned level;   /* how far masks had to be coarsened: 0 = not at all */
};

struct fg_image {
	enum fg_family family;
	struct fg_image_table table[FG_TABLE_MAX];
	struct fg_footprint footprint;
	uint32_t *source_of;       /* [n_rules in the image] index of the source rule */
	enum fg_rule_state *state; /* [n source rules] */
	size_t n_sources;
};

/* Element size of a table, e.g. sizeof(struct fg_rule). */
size_t fg_table_element(enum fg_table table);

/* Compiles @n rules of one family. 0 and *ret_image (free with fg_image_free()), -ENOMEM, -E2BIG, -EINVAL with
 * @err when a source is not a normalised NLRI. */
int fg_compile(enum fg_family family, const struct fg_rule_source *rules, size_t n,
	       const struct fg_compile_options *options, struct fg_image **ret_image,
	       struct fg_error *err);

/* Frees an image; NULL is fine. */
void fg_image_free(struct fg_image *image);

/* Why the datapath cannot do @actions, NULL when it can. Static text. */
const char *fg_actions_unsupported(const struct fg_actions *actions);

#endif
