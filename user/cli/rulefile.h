/* SPDX-License-Identifier: MIT */
/* Rules from a file for the commands that need no daemon: NLRI lines or configuration text, each with its line. */
#ifndef FG_CLI_RULEFILE_H
#define FG_CLI_RULEFILE_H

#include <stdio.h>

#include "conf/conf.h"
#include "flowspec/actions.h"
#include "flowspec/flowspec.h"

struct fg_rule_line {
	enum fg_family family;
	unsigned line; /* from 1 */
	uint16_t nlri_len;
	uint8_t *nlri; /* normalised value, owned */
	char *text;    /* the line as it was written; NULL for configuration text */
	struct fg_actions actions;
};

/* Zero-initialise; free with fg_rule_file_clean(). */
struct fg_rule_file {
	const char *name; /* borrowed; stands in errors */
	struct fg_rule_line *rules;
	size_t n, capacity;
	struct fg_tree *tree;
	struct fg_conf *conf; /* NULL for NLRI lines */
};

void fg_rule_file_clean(struct fg_rule_file *file);

/* Adds the lines `inet|inet6 <blank> NLRI-hex [<blank> communities-hex]`; blank lines and # comments are skipped.
 * -EINVAL with @err "NAME:LINE: ...". */
int fg_rule_file_read_lines(struct fg_rule_file *file, FILE *in, struct fg_error *err);

/* Reads the file called file->name, which holds either such lines or configuration text. Errors name the line. */
int fg_rule_file_read(struct fg_rule_file *file, struct fg_error *err);

/* Order of precedence, inet before inet6; of equal rules the one written first. */
void fg_rule_file_sort(struct fg_rule_file *file);

/* True when the two are the same rule. */
bool fg_rule_line_same(const struct fg_rule_line *a, const struct fg_rule_line *b);

/* Appends the match statements of a rule. */
void fg_rule_line_match(const struct fg_rule_line *rule, struct fg_buf *out);

#endif
