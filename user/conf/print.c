// SPDX-License-Identifier: MIT
/* The tree as text that parses to the same tree: braces as Junos indents them, or `set` lines. */
#include <string.h>

#include "conf/lexer.h"
#include "conf/tree.h"

static bool is_hidden(const struct fg_node *node, bool secrets)
{
	return node->statement->value == FG_VALUE_SECRET && !secrets;
}

/* Several values stand in brackets; the key of a block never does. */
static void print_words(const struct fg_node *node, bool secrets, struct fg_buf *out)
{
	bool list = !node->block && node->n_words > 2;

	fg_word_print(node->words[0], out);
	if (is_hidden(node, secrets)) {
		fg_buf_printf(out, " /* SECRET-DATA */");
		return;
	}
	if (list)
		fg_buf_printf(out, " [");
	for (size_t i = 1; i < node->n_words; i++) {
		fg_buf_printf(out, " ");
		fg_word_print(node->words[i], out);
	}
	if (list)
		fg_buf_printf(out, " ]");
}

/* `then discard;`: a block of one statement on one line. */
static bool is_inline(const struct fg_node *node)
{
	const struct fg_node *only = node->children;

	return node->statement->flags & FG_STATEMENT_INLINE && only && !only->next && !only->block;
}

/* Recursion is as deep as the statement table nests. */
static void print_braces(const struct fg_node *node, int indent, bool secrets, struct fg_buf *out)
{
	fg_buf_printf(out, "%*s", indent, "");
	print_words(node, secrets, out);
	if (is_inline(node)) {
		fg_buf_printf(out, " ");
		print_words(node->children, secrets, out);
	} else if (node->children) {
		fg_buf_printf(out, " {\n");
		for (const struct fg_node *child = node->children; child; child = child->next)
			print_braces(child, indent + 4, secrets, out);
		fg_buf_printf(out, "%*s}\n", indent, "");
		return;
	}
	fg_buf_printf(out, ";\n");
}

static void print_path(const struct fg_node *node, struct fg_buf *out)
{
	if (!node->parent)
		return;
	print_path(node->parent, out);
	fg_buf_printf(out, " ");
	print_words(node, false, out);
}

static void print_set(const struct fg_node *node, bool secrets, struct fg_buf *out)
{
	if (node->children) {
		for (const struct fg_node *child = node->children; child; child = child->next)
			print_set(child, secrets, out);
		return;
	}
	fg_buf_printf(out, "set");
	print_path(node->parent, out);
	fg_buf_printf(out, " ");
	print_words(node, secrets, out);
	fg_buf_printf(out, "\n");
}

void fg_tree_print(const struct fg_tree *tree, bool set_lines, bool secrets, struct fg_buf *out)
{
	for (const struct fg_node *node = fg_tree_root(tree)->children; node; node = node->next) {
		if (set_lines)
			print_set(node, secrets, out);
		else
			print_braces(node, 0, secrets, out);
	}
}
