// SPDX-License-Identifier: MIT
/* The table of statements for people: what may come next (completion), and the reference of fltgate.conf(5). */
#include <stdio.h>
#include <string.h>

#include "conf/statements.h"
#include "util/cleanup.h"

static bool is_refused(const struct fg_statement *row)
{
	return row->refuse && !row->refuse_choice;
}

static bool is_keyed(const struct fg_statement *row)
{
	return row->opens != FG_IN_NONE && row->value != FG_VALUE_NONE &&
	       row->value != FG_VALUE_INTERFACE;
}

/* Keyword @i of a row that stands for many, NULL past the end. */
static const char *keyword(const struct fg_statement *row, size_t i)
{
	return row->value == FG_VALUE_MATCH ? fg_flow_keyword(i) : fg_actions_keyword(i);
}

static bool has_keywords(const struct fg_statement *row)
{
	return row->value == FG_VALUE_MATCH || row->value == FG_VALUE_THEN;
}

/* --- completion --------------------------------------------------------------------------------------------- */

static void complete_row(const struct fg_statement *row, struct fg_buf *out)
{
	const char *word;

	if (has_keywords(row))
		for (size_t i = 0; (word = keyword(row, i)); i++)
			fg_buf_printf(out, "%s\t%s\n", word, row->help);
	else
		fg_buf_printf(out, "%s\t%s\n", row->word ? row->word : row->name, row->help);
}

static void complete_value(const struct fg_statement *row, struct fg_buf *out)
{
	const char *choice = row->choices;

	if (row->value != FG_VALUE_CHOICE) {
		fg_buf_printf(out, "%s\t%s\n", row->name, row->help);
		return;
	}
	while (choice) {
		int len = (int)strcspn(choice, " ");

		fg_buf_printf(out, "%.*s\t%s\n", len, choice, row->help);
		choice = choice[len] ? choice + len + 1 : NULL;
	}
}

void fg_conf_complete(const char *const *words, size_t n, struct fg_buf *out)
{
	enum fg_context in = FG_IN_ROOT;
	const struct fg_statement *row;

	for (size_t i = 0; i < n; i++) {
		row = fg_statement_find(in, words[i]);
		if (!row || is_refused(row))
			return;
		if (is_keyed(row) || row->opens == FG_IN_NONE)
			i++;
		if (i == n && row->value != FG_VALUE_NONE) {
			complete_value(row, out);
			return;
		}
		if (row->opens != FG_IN_NONE)
			in = row->opens;
	}
	for (size_t i = 0; (row = fg_conf_statement(i)); i++)
		if (row->in & 1U << in && !is_refused(row))
			complete_row(row, out);
}

/* --- reference ---------------------------------------------------------------------------------------------- */

struct reference {
	struct fg_buf *out;
	char path[FG_CONTEXTS][160]; /* how a block was first reached, "" before */
};

static void print_keywords(const struct fg_statement *row, struct fg_buf *out)
{
	const char *word;

	fg_buf_printf(out, "\n\tKeywords:");
	for (size_t i = 0; (word = keyword(row, i)); i++)
		fg_buf_printf(out, "%s *%s*", i ? "," : "", word);
	fg_buf_printf(out, ".\n");
}

static void print_entry(struct reference *ref, const struct fg_statement *row, const char *path)
{
	const char *first = row->opens != FG_IN_NONE ? ref->path[row->opens] : "";

	fg_buf_printf(ref->out, "*%s*\n\t%s.", path, row->help);
	if (row->man)
		fg_buf_printf(ref->out, " %s", row->man);
	if (*first)
		fg_buf_printf(ref->out, " Holds the same statements as *%s*.", first);
	fg_buf_printf(ref->out, "\n");
	if (has_keywords(row))
		print_keywords(row, ref->out);
	fg_buf_printf(ref->out, "\n");
}

static void path_of(const char *parent, const struct fg_statement *row, char *ret, size_t size)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };

	fg_buf_printf(&text, "%s%s", parent, *parent ? " " : "");
	fg_statement_usage(row, &text);
	(void)snprintf(ret, size, "%s", fg_buf_text(&text) ? fg_buf_text(&text) : "");
}

/* Depth first, each block once; recursion is as deep as the table nests. */
static void print_block(struct reference *ref, enum fg_context in, const char *parent)
{
	const struct fg_statement *row;

	for (size_t i = 0; (row = fg_conf_statement(i)); i++) {
		char path[160];

		if (!(row->in & 1U << in) || is_refused(row))
			continue;
		path_of(parent, row, path, sizeof(path));
		print_entry(ref, row, path);
		if (row->opens == FG_IN_NONE || *ref->path[row->opens])
			continue;
		(void)snprintf(ref->path[row->opens], sizeof(ref->path[0]), "%s", path);
		print_block(ref, row->opens, path);
	}
}

static void print_refused(struct reference *ref)
{
	const struct fg_statement *row;

	fg_buf_printf(ref->out, "# KNOWN AND REFUSED\n\n");
	for (size_t i = 0; (row = fg_conf_statement(i)); i++) {
		enum fg_context in = (enum fg_context)__builtin_ctz(row->in);
		const char *parent = ref->path[in],
			   *word = row->refuse_choice ? row->refuse_choice : "";

		if (!row->refuse)
			continue;
		fg_buf_printf(ref->out, "*%s%s%s%s%s*\n\t%s.\n\n", parent, *parent ? " " : "",
			      row->word, *word ? " " : "", word, row->refuse);
	}
}

void fg_conf_reference(struct fg_buf *out)
{
	struct reference ref = { .out = out };

	fg_buf_printf(out, "# STATEMENTS\n\n");
	print_block(&ref, FG_IN_ROOT, "");
	print_refused(&ref);
}
