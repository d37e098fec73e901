// SPDX-License-Identifier: MIT
/* Property: a random tree, made from the statement table, printed in either spelling parses to the same tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "conf/lexer.h"
#include "conf/statements.h"
#include "util/cleanup.h"

#define TREES 400
#define SEED 20260817U

static uint64_t rng_state;

/* xorshift64*: the same trees in every run. */
static uint32_t rng(uint32_t n)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (uint32_t)((rng_state * 0x2545f4914f6cdd1dULL) >> 33) % n;
}

/* Letters, and everything that needs quotes. */
static void random_text(struct fg_buf *out)
{
	static const char alphabet[] = "abcdefgh-019{};[]#\"\\ \t/*'";
	FG_CLEANUP(fg_buf_free) struct fg_buf word = { 0 };
	uint32_t len = 1 + rng(12);

	for (uint32_t i = 0; i < len; i++)
		fg_buf_add(&word, &alphabet[rng(sizeof(alphabet) - 1)], 1);
	fg_word_print(fg_buf_text(&word), out);
}

static void random_choice(const char *choices, struct fg_buf *out)
{
	const char *words[8];
	size_t n = 0;

	for (const char *c = choices; c && n < FG_ARRAY_SIZE(words);
	     c = strchr(c, ' ') ? strchr(c, ' ') + 1 : NULL)
		words[n++] = c;
	assert_true(n > 0);
	n = rng((uint32_t)n);
	fg_buf_add(out, words[n], strcspn(words[n], " "));
}

static void random_value(const struct fg_statement *row, struct fg_buf *out)
{
	switch (row->value) {
	case FG_VALUE_UINT:
		fg_buf_printf(out, "%u", row->min + rng(row->max - row->min));
		return;
	case FG_VALUE_AS:
		fg_buf_printf(out, "%u", 1 + rng(70000));
		return;
	case FG_VALUE_ADDRESS:
	case FG_VALUE_ROUTER_ID:
		fg_buf_printf(out, "192.0.2.%u", 1 + rng(9));
		return;
	case FG_VALUE_PREFIX:
		if (rng(2))
			fg_buf_printf(out, "10.%u.0.0/16", rng(9));
		else
			fg_buf_printf(out, "2001:db8:%u::/48", rng(9));
		return;
	case FG_VALUE_CHOICE:
		random_choice(row->choices, out);
		return;
	case FG_VALUE_MATCH:
		fg_buf_printf(out, "%u", rng(256));
		return;
	default:
		random_text(out);
	}
}

/* Rows of a block that were taken; a second value for one statement would be refused. */
struct taken {
	const struct fg_statement *rows[8];
	size_t n;
};

/* A row that may be written (again) in this block, NULL when the dice find none. */
static const struct fg_statement *random_row(enum fg_context in, struct taken *taken)
{
	const struct fg_statement *row;
	size_t n = 0;

	while (fg_conf_statement(n))
		n++;
	for (int tries = 0; tries < 2000; tries++) {
		bool free_row = true;

		row = fg_conf_statement(rng((uint32_t)n));
		if (!(row->in & 1U << in) || (row->refuse && !row->refuse_choice))
			continue;
		for (size_t i = 0; i < taken->n; i++)
			free_row &= taken->rows[i] != row;
		if (!free_row)
			continue;
		if (row->value != FG_VALUE_MATCH && row->value != FG_VALUE_INTERFACE &&
		    (row->value != FG_VALUE_TEXT || row->opens == FG_IN_NONE) &&
		    taken->n < FG_ARRAY_SIZE(taken->rows))
			taken->rows[taken->n++] = row;
		return row;
	}
	return NULL;
}

static void random_word(const struct fg_statement *row, struct fg_buf *out)
{
	if (row->value == FG_VALUE_MATCH)
		fg_buf_printf(out, "%s", fg_flow_keyword(rng(6)));
	else if (row->value == FG_VALUE_THEN)
		fg_buf_printf(out, "%s", fg_actions_keyword(rng(5)));
	else if (row->value == FG_VALUE_INTERFACE)
		fg_buf_printf(out, "eth%u", rng(50));
	else
		fg_buf_printf(out, "%s", row->word);
}

static void random_values(const struct fg_statement *row, struct fg_buf *out)
{
	uint32_t n = row->flags & FG_STATEMENT_LIST ? 1 + rng(4) : 1;

	if (row->value == FG_VALUE_NONE || row->value == FG_VALUE_INTERFACE ||
	    (row->value == FG_VALUE_THEN && rng(2)))
		return;
	fg_buf_printf(out, "%s", n > 1 ? " [" : "");
	for (uint32_t i = 0; i < n; i++) {
		fg_buf_printf(out, " ");
		random_value(row, out);
	}
	fg_buf_printf(out, "%s", n > 1 ? " ]" : "");
}

/* Recursion is as deep as the table nests. */
static void random_block(enum fg_context in, struct fg_buf *out)
{
	/* All that `security` may hold is refused. */
	uint32_t n = in == FG_IN_SECURITY ? 0 : rng(6);
	struct taken taken = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct fg_statement *row = random_row(in, &taken);

		if (!row)
			return;
		random_word(row, out);
		random_values(row, out);
		if (row->opens == FG_IN_NONE) {
			fg_buf_printf(out, ";\n");
			continue;
		}
		fg_buf_printf(out, " {\n");
		random_block(row->opens, out);
		fg_buf_printf(out, "}\n");
	}
}

static void expect_same(const struct fg_node *a, const struct fg_node *b)
{
	assert_int_equal(a->n_words, b->n_words);
	assert_ptr_equal(a->statement, b->statement);
	assert_int_equal(a->block, b->block);
	for (size_t i = 0; i < a->n_words; i++)
		assert_string_equal(a->words[i], b->words[i]);
	a = a->children;
	b = b->children;
	for (; a && b; a = a->next, b = b->next)
		expect_same(a, b);
	assert_true(!a && !b);
}

static void expect_round_trip(const struct fg_tree *tree, bool set_lines)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 }, again = { 0 };
	struct fg_error err = { 0 };
	struct fg_tree *parsed = NULL;

	fg_tree_print(tree, set_lines, true, &text);
	if (fg_tree_parse("printed", fg_buf_text(&text), text.len, &parsed, &err) < 0)
		fail_msg("%s\n%s", err.what, fg_buf_text(&text));
	expect_same(fg_tree_root(tree), fg_tree_root(parsed));
	fg_tree_print(parsed, set_lines, true, &again);
	assert_string_equal(fg_buf_text(&text), fg_buf_text(&again));
	fg_tree_free(parsed);
}

/* A random text may set a statement twice to different values, which is refused; enough must pass. */
static void test_round_trip(void **state)
{
	size_t nodes = 0, trees = 0;

	(void)state;
	rng_state = SEED;
	for (int i = 0; i < TREES; i++) {
		FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
		struct fg_error err = { 0 };
		struct fg_tree *tree = NULL;

		random_block(FG_IN_ROOT, &text);
		if (fg_tree_parse("random", fg_buf_text(&text), text.len, &tree, &err) < 0) {
			if (!strstr(err.what, "is set already, to another value"))
				fail_msg("%s\n%s", err.what, fg_buf_text(&text));
			continue;
		}
		trees++;
		expect_round_trip(tree, false);
		expect_round_trip(tree, true);
		for (size_t c = 0; c < text.len; c++)
			nodes += text.data[c] == ';';
		fg_tree_free(tree);
	}
	assert_true(trees > TREES / 4);
	assert_true(nodes > TREES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
