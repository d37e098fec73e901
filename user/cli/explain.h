/* SPDX-License-Identifier: MIT */
/* The parts of `explain`: a private, tracing datapath with the rules of a file, and what it says about a packet. */
#ifndef FG_CLI_EXPLAIN_H
#define FG_CLI_EXPLAIN_H

#include "cli/cli.h"
#include "cli/rulefile.h"
#include "compile/compile.h"
#include "dp/dp.h"

/* The rules of one family: rules[first .. first + n) of the sorted file, and what they were compiled to. */
struct fg_explain_family {
	size_t first, n;
	struct fg_rule_source *sources;
	struct fg_image *image;
};

struct fg_explain {
	struct fg_cli *cli;
	struct fg_rule_file file;
	const char *pcap;
	enum fg_mode mode;
	bool guard, no_guard; /* asked for; neither: what the file says */
	bool partly;          /* a rule is not enforced */
	struct fg_dp *dp;
	struct fg_explain_family family[FG_FAMILIES];
	struct fg_trace trace;
};

/* --- explain_rules.c ------------------------------------------------------------------------------------ */

/* Opens the datapath and installs file.rules in order of precedence. Warnings go to stderr. */
int fg_explain_install(struct fg_explain *explain, struct fg_error *err);
void fg_explain_clean(struct fg_explain *explain);

/* The file's rule behind rule @index of the family's tables. */
const struct fg_rule_line *fg_explain_rule(const struct fg_explain *explain, enum fg_family family,
					   uint32_t index);

/* The field on which a tried rule failed. */
const char *fg_explain_field(const struct fg_explain *explain, enum fg_family family,
			     uint32_t index, uint32_t check);

/* --- explain_print.c ------------------------------------------------------------------------------------ */

/* Prints what explain->trace says about packet @number, a frame of @family. */
void fg_explain_print(const struct fg_explain *explain, unsigned long number,
		      enum fg_family family);

#endif
