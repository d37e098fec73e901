// SPDX-License-Identifier: MIT
/* Looking words up in the table of statements, and guessing the one that was meant. */
#include "conf/statements.h"

#include <string.h>

#include "util/cleanup.h"

/* Keyword @i of a row that stands for many words. */
static const char *row_word(const struct fg_statement *row, size_t i)
{
	if (row->value == FG_VALUE_MATCH)
		return fg_flow_keyword(i);
	if (row->value == FG_VALUE_THEN)
		return fg_actions_keyword(i);
	return i == 0 ? row->word : NULL;
}

static bool row_has(const struct fg_statement *row, const char *word)
{
	const char *known;

	if (!row->word && row->value == FG_VALUE_INTERFACE)
		return true;
	for (size_t i = 0; (known = row_word(row, i)); i++)
		if (!strcmp(known, word))
			return true;
	return false;
}

const struct fg_statement *fg_statement_find(enum fg_context in, const char *word)
{
	const struct fg_statement *row;

	for (size_t i = 0; (row = fg_conf_statement(i)); i++)
		if (row->in & 1U << in && row_has(row, word))
			return row;
	return NULL;
}

/* Edit distance with swapped neighbours counted once (optimal string alignment), words up to 40 octets. */
static unsigned distance(const char *a, const char *b)
{
	enum { MAX = 40 };
	unsigned d[MAX + 1][MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > MAX || lb > MAX)
		return MAX;
	for (size_t i = 0; i <= la; i++) {
		for (size_t j = 0; j <= lb; j++) {
			unsigned best;

			if (!i || !j) {
				d[i][j] = (unsigned)(i + j);
				continue;
			}
			best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[la][lb];
}

/* The best guess so far. A guess more than a third of the word away helps nobody. */
struct guess {
	const char *word;
	unsigned distance;
};

static void guess_init(struct guess *guess, const char *word)
{
	*guess = (struct guess){ .distance = (unsigned)(strlen(word) + 5) / 3 };
}

static void guess_try(struct guess *guess, const char *word, const char *known)
{
	unsigned d = distance(word, known);

	if (d < guess->distance)
		*guess = (struct guess){ .word = known, .distance = d };
}

const char *fg_statement_nearest(enum fg_context in, const char *word)
{
	const struct fg_statement *row;
	struct guess guess;
	const char *known;

	guess_init(&guess, word);
	for (size_t i = 0; (row = fg_conf_statement(i)); i++) {
		if (!(row->in & 1U << in) || (row->refuse && !row->refuse_choice))
			continue;
		for (size_t k = 0; (known = row_word(row, k)); k++)
			guess_try(&guess, word, known);
	}
	return guess.word;
}

bool fg_nearest_choice(const char *choices, const char *word, char *ret, size_t size)
{
	FG_AUTO_FREE char *copy = strdup(choices);
	struct guess guess;
	char *save = NULL;

	if (!copy)
		return false;
	guess_init(&guess, word);
	for (char *c = strtok_r(copy, " ", &save); c; c = strtok_r(NULL, " ", &save))
		guess_try(&guess, word, c);
	if (!guess.word || strlen(guess.word) >= size)
		return false;
	memcpy(ret, guess.word, strlen(guess.word) + 1);
	return true;
}

void fg_statement_usage(const struct fg_statement *row, struct fg_buf *out)
{
	const char *name = row->name ? row->name : "";

	if (row->value == FG_VALUE_MATCH || row->value == FG_VALUE_THEN)
		fg_buf_printf(out, "KEYWORD ");
	else if (row->word)
		fg_buf_printf(out, "%s%s", row->word, *name ? " " : "");
	if (row->flags & FG_STATEMENT_LIST)
		fg_buf_printf(out, "[ %s ... ]", name);
	else
		fg_buf_printf(out, "%s", name);
}

/* The row that opens a block first. */
static const struct fg_statement *opener(enum fg_context context)
{
	const struct fg_statement *row;

	for (size_t i = 0; (row = fg_conf_statement(i)); i++)
		if (row->opens == context)
			return row;
	return NULL;
}

static enum fg_context first_context(uint32_t in)
{
	return (enum fg_context)__builtin_ctz(in);
}

/* Recursion is as deep as the table nests. */
static void print_path(enum fg_context context, struct fg_buf *out)
{
	const struct fg_statement *row = opener(context);

	if (!row)
		return;
	if (first_context(row->in) != FG_IN_ROOT) {
		print_path(first_context(row->in), out);
		fg_buf_printf(out, " ");
	}
	fg_statement_usage(row, out);
}

bool fg_statement_elsewhere(const char *word, struct fg_buf *out)
{
	const struct fg_statement *row;

	for (size_t i = 0; (row = fg_conf_statement(i)); i++) {
		if (!row->word || strcmp(row->word, word) != 0 ||
		    (row->refuse && !row->refuse_choice) || row->in & 1U << FG_IN_ROOT)
			continue;
		print_path(first_context(row->in), out);
		return true;
	}
	return false;
}
