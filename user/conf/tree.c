// SPDX-License-Identifier: MIT
/* The parser: braces, `set` and `delete` lines to one tree. Every statement is a path through the statement table, so
 * `family inet { flow; }`, `family inet flow;` and the `set` line build the same nodes; nothing can nest deeper than
 * the table does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lexer.h"
#include "conf/tree.h"
#include "util/cleanup.h"

#define INCLUDE_DEPTH_MAX 8

/* @line: of a `set` or `delete` line, which ends with it; 0 among braces, where `;` ends a statement.
 * @behind: the place just behind the last token, where a missing `;` belongs. */
struct parser {
	struct fg_tree *tree;
	struct fg_lexer lexer;
	struct fg_token token;
	struct fg_place behind;
	unsigned line;
	const char *file;
	fg_include_fn *include;
	unsigned depth; /* of includes */
	struct fg_error *err;
};

static void free_nodep(struct fg_node **node)
{
	fg_node_free(*node);
}

static int out_of_memory(struct parser *p)
{
	return fg_error_set(p->err, -ENOMEM, "%s: out of memory", p->file);
}

static int advance(struct parser *p)
{
	p->behind = p->token.end;
	return fg_lexer_next(&p->lexer, &p->token, p->err);
}

static bool at_word(const struct parser *p)
{
	return p->token.kind == FG_TOKEN_WORD && (!p->line || p->token.place.line == p->line);
}

/* The statement is over: at `;`, or where its line ends. */
static bool at_end(const struct parser *p)
{
	return p->token.kind == FG_TOKEN_SEMICOLON || p->token.kind == FG_TOKEN_END ||
	       (p->line && p->token.place.line != p->line);
}

/* --- errors about words ---------------------------------------------------------------------------------- */

/* The seeds print `setsecurity zones`: says what is missing. */
static const char *glued_verb(const struct fg_token *token)
{
	static const char *const verbs[] = { "set", "delete" };

	for (size_t i = 0; i < FG_ARRAY_SIZE(verbs); i++) {
		size_t len = strlen(verbs[i]);

		if (!strncmp(token->text, verbs[i], len) &&
		    fg_statement_find(FG_IN_ROOT, token->text + len))
			return verbs[i];
	}
	return NULL;
}

static void list_known(struct parser *p, enum fg_context in)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf words = { 0 };
	const struct fg_statement *row;

	for (size_t i = 0; (row = fg_conf_statement(i)); i++)
		if (row->in & 1U << in && row->word && (!row->refuse || row->refuse_choice))
			fg_buf_printf(&words, " %s", row->word);
	if (words.len && fg_buf_text(&words))
		(void)fg_error_fix(p->err, "one of:%s", fg_buf_text(&words));
}

static int unknown_word(struct parser *p, enum fg_context in)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf path = { 0 };
	const char *word = p->token.text, *verb = in == FG_IN_ROOT ? glued_verb(&p->token) : NULL;
	const char *near = fg_statement_nearest(in, word);

	if (verb)
		return fg_place_error(p->err, &p->token.place, "a blank is missing: `%s %.64s`",
				      verb, word + strlen(verb));
	if (near)
		(void)fg_place_error(p->err, &p->token.place,
				     "unknown statement `%.64s`, did you mean `%s`?", word, near);
	else if (fg_statement_elsewhere(word, &path) && fg_buf_text(&path))
		(void)fg_place_error(p->err, &p->token.place,
				     "`%.64s` does not belong here but under `%.200s`", word,
				     fg_buf_text(&path));
	else
		(void)fg_place_error(p->err, &p->token.place, "unknown statement `%.64s`", word);
	list_known(p, in);
	return -EINVAL;
}

static int lookup(struct parser *p, enum fg_context in, const struct fg_statement **ret)
{
	const struct fg_statement *row = fg_statement_find(in, p->token.text);

	if (!row)
		return unknown_word(p, in);
	if (row->refuse && !row->refuse_choice)
		return fg_place_error(p->err, &p->token.place, "`%s`: %s", row->word, row->refuse);
	*ret = row;
	return 0;
}

/* --- the words of one statement --------------------------------------------------------------------------- */

static int check_word(struct parser *p, const struct fg_node *node)
{
	const struct fg_statement *row = node->statement;
	const char *text = p->token.text;
	char why[160];

	if (row->refuse_choice && !strcmp(row->refuse_choice, text))
		return fg_place_error(p->err, &p->token.place, "`%s %s`: %s", row->word, text,
				      row->refuse);
	if (fg_statement_check(row, text, why, sizeof(why)) == 0)
		return 0;
	if (row->value == FG_VALUE_SECRET)
		return fg_place_error(p->err, &p->token.place, "%s: %s", row->word, why);
	if (row->value == FG_VALUE_INTERFACE)
		return fg_place_error(p->err, &p->token.place, "`%.64s`: %s", text, why);
	return fg_place_error(p->err, &p->token.place, "%s `%.64s`: %s",
			      node->n_words ? node->words[0] : row->word, text, why);
}

/* Takes the token as the node's next word. */
static int take_word(struct parser *p, struct fg_node *node, bool check)
{
	int r = check ? check_word(p, node) : 0;

	if (r < 0)
		return r;
	if (node->n_words >= FG_CONF_WORDS_MAX)
		return fg_place_error(p->err, &p->token.place,
				      "more than %d words in one statement", FG_CONF_WORDS_MAX);
	if (fg_node_add_word(node, p->token.text, &p->token.place) < 0)
		return out_of_memory(p);
	if (node->statement->value == FG_VALUE_SECRET && node->n_words > 1)
		p->tree->has_secrets = true;
	return advance(p);
}

static int take_list(struct parser *p, struct fg_node *node)
{
	struct fg_place open = p->token.place;
	int r = advance(p);

	while (r == 0 && at_word(p))
		r = take_word(p, node, true);
	if (r < 0)
		return r;
	if (p->token.kind != FG_TOKEN_LIST_CLOSE || (p->line && p->token.place.line != p->line))
		return fg_place_error(p->err, &p->behind, "`]` is missing; the list began at %u:%u",
				      open.line, open.column);
	if (node->n_words == 1)
		return fg_place_error(p->err, &open, "an empty list");
	return advance(p);
}

/* Without brackets the values of a match or then statement are the words on its line, up to the next statement of a
 * `set` line: `packet-length >=64 & <=128;`, `redirect 192.0.2.1 copy;`. */
static int take_phrase(struct parser *p, struct fg_node *node, enum fg_context in)
{
	int r = 0;

	while (r == 0 && at_word(p) && p->token.place.line == node->place.line &&
	       !fg_statement_find(in, p->token.text))
		r = take_word(p, node, true);
	return r;
}

static int need_value(struct parser *p, const struct fg_node *node)
{
	const struct fg_statement *row = node->statement;
	const char *name = row->name ? row->name : "";

	if (row->value == FG_VALUE_SECRET)
		return fg_place_error(p->err, &p->behind,
				      "`%s` needs a value (a printed configuration hides it)",
				      node->words[0]);
	return fg_place_error(p->err, &p->behind, "`%s` needs a value: %s", node->words[0], name);
}

static int take_values(struct parser *p, struct fg_node *node)
{
	const struct fg_statement *row = node->statement;
	bool list = row->flags & FG_STATEMENT_LIST || row->value == FG_VALUE_THEN;
	int r = 0;

	if (row->value == FG_VALUE_NONE || row->value == FG_VALUE_INTERFACE)
		return 0;
	if (p->token.kind == FG_TOKEN_LIST_OPEN && !at_end(p)) {
		if (!list)
			return fg_place_error(p->err, &p->token.place,
					      "`%s` takes one value, not a list", node->words[0]);
		return take_list(p, node);
	}
	if (row->value == FG_VALUE_MATCH || row->value == FG_VALUE_THEN)
		r = take_phrase(p, node, row->value == FG_VALUE_MATCH ? FG_IN_MATCH : FG_IN_THEN);
	else if (at_word(p))
		r = take_word(p, node, true);
	if (r == 0 && node->n_words == 1 && row->value != FG_VALUE_THEN)
		return need_value(p, node);
	return r;
}

/* @values: a leaf must have its value. */
static int read_statement(struct parser *p, enum fg_context in, bool values,
			  struct fg_node **ret_node)
{
	FG_CLEANUP(free_nodep) struct fg_node *node = calloc(1, sizeof(*node));
	int r;

	if (!node)
		return out_of_memory(p);
	r = lookup(p, in, &node->statement);
	if (r < 0)
		return r;
	node->block = node->statement->opens != FG_IN_NONE;
	r = take_word(p, node, node->statement->value == FG_VALUE_INTERFACE);
	if (r == 0 && (values || node->block || !at_end(p)))
		r = take_values(p, node);
	if (r == 0)
		*ret_node = FG_TAKE_PTR(node);
	return r;
}

/* --- merging ------------------------------------------------------------------------------------------------ */

static int add_values(struct parser *p, struct fg_node *node, const struct fg_node *more)
{
	bool match = node->statement->value == FG_VALUE_MATCH;

	if (fg_node_same_words(node, more))
		return 0;
	for (size_t i = 1; i < more->n_words; i++) {
		/* `&` and `|` stand between values of a match: there a word may come twice. */
		if ((!match || more->n_words == 2) && fg_node_has_word(node, more->words[i]))
			continue;
		if (node->n_words >= FG_CONF_WORDS_MAX)
			return fg_place_error(p->err, &more->places[i],
					      "more than %d words in one statement",
					      FG_CONF_WORDS_MAX);
		if (fg_node_add_word(node, more->words[i], &more->places[i]) < 0)
			return out_of_memory(p);
	}
	return 0;
}

static int merge_into(struct parser *p, struct fg_node *node, const struct fg_node *again)
{
	const struct fg_place *first = &node->place;

	if (node->block)
		return 0;
	if (node->statement->flags & FG_STATEMENT_LIST)
		return add_values(p, node, again);
	if (fg_node_same_words(node, again))
		return 0;
	return fg_place_error(p->err, &again->place,
			      "`%s` is set already, to another value, at %s:%u:%u", again->words[0],
			      first->file, first->line, first->column);
}

/* Puts @node (taken over) under @parent, or adds it to the one that is there. *ret_node: the one in the tree. */
static int merge(struct parser *p, struct fg_node *parent, struct fg_node *node,
		 struct fg_node **ret_node)
{
	FG_CLEANUP(free_nodep) struct fg_node *owned = node;
	struct fg_node *there = fg_tree_find(p->tree, parent, node);

	if (there) {
		*ret_node = there;
		return merge_into(p, there, node);
	}
	if (fg_tree_append(p->tree, parent, node) < 0)
		return out_of_memory(p);
	*ret_node = FG_TAKE_PTR(owned);
	return 0;
}

/* --- statements --------------------------------------------------------------------------------------------- */

static int statement(struct parser *p, struct fg_node *parent, enum fg_context in);

static int block(struct parser *p, struct fg_node *node)
{
	struct fg_place open = p->token.place;
	int r = advance(p);

	while (r == 0 && p->token.kind == FG_TOKEN_WORD)
		r = statement(p, node, node->statement->opens);
	if (r < 0)
		return r;
	if (p->token.kind == FG_TOKEN_END)
		return fg_place_error(p->err, &p->token.place,
				      "`}` is missing; the block began at %s:%u:%u", open.file,
				      open.line, open.column);
	if (p->token.kind != FG_TOKEN_CLOSE)
		return fg_place_error(p->err, &p->token.place, "expected a statement or `}`");
	return advance(p);
}

/* What stands behind a statement that is whole. */
static int statement_end(struct parser *p, const struct fg_node *node)
{
	if (p->token.kind == FG_TOKEN_SEMICOLON)
		return advance(p);
	if (p->line && at_end(p))
		return 0;
	if (p->token.kind == FG_TOKEN_OPEN && !p->line)
		return fg_place_error(p->err, &p->token.place, "`%s` is no block", node->words[0]);
	if (p->line)
		return fg_place_error(p->err, &p->token.place, "the line goes on behind `%s`",
				      node->words[0]);
	return fg_place_error(p->err, &p->behind, "`;` is missing behind `%s`", node->words[0]);
}

/* One statement from its first word to its end: a path of blocks, and what it leads to. On a `set` line several
 * statements of the last block may follow one another, as in Junos. */
static int statement(struct parser *p, struct fg_node *parent, enum fg_context in)
{
	struct fg_node *node;
	int r;

	for (;;) {
		r = read_statement(p, in, true, &node);
		if (r == 0)
			r = merge(p, parent, node, &node);
		if (r < 0)
			return r;
		if (node->block && p->token.kind == FG_TOKEN_OPEN && !p->line)
			return block(p, node);
		if (!at_word(p) || (!node->block && !p->line))
			return statement_end(p, node);
		if (node->block) {
			parent = node;
			in = node->statement->opens;
		}
	}
}

static int delete_values(struct parser *p, struct fg_node *node, const struct fg_node *named)
{
	for (size_t i = 1; i < named->n_words; i++) {
		if (!fg_node_has_word(node, named->words[i]))
			return fg_place_error(p->err, &named->places[i],
					      "nothing to delete: `%s` does not hold this value",
					      named->words[0]);
		fg_node_drop_word(node, named->words[i]);
	}
	if (named->n_words == 1 || node->n_words == 1)
		fg_tree_remove(p->tree, node);
	return 0;
}

static int delete_path(struct parser *p)
{
	struct fg_node *parent = &p->tree->root;
	enum fg_context in = FG_IN_ROOT;

	for (;;) {
		FG_CLEANUP(free_nodep) struct fg_node *named = NULL;
		int r = read_statement(p, in, false, &named);
		struct fg_node *node;

		if (r < 0)
			return r;
		node = fg_tree_find(p->tree, parent, named);
		if (!node)
			return fg_place_error(p->err, &named->place,
					      "nothing to delete: `%s` is not set",
					      named->words[0]);
		if (node->block && at_word(p)) {
			parent = node;
			in = node->statement->opens;
			continue;
		}
		r = statement_end(p, named);
		if (r == 0 && node->block)
			fg_tree_remove(p->tree, node);
		else if (r == 0)
			r = delete_values(p, node, named);
		return r;
	}
}

static int verb_line(struct parser *p, bool set)
{
	struct fg_place verb = p->token.place;
	int r = advance(p);

	if (r < 0)
		return r;
	p->line = verb.line;
	if (!at_word(p))
		return fg_place_error(p->err, &p->behind, "`%s` needs a statement",
				      set ? "set" : "delete");
	r = set ? statement(p, &p->tree->root, FG_IN_ROOT) : delete_path(p);
	p->line = 0;
	return r;
}

/* The name is copied: the included file has its own parser, but the token is needed for errors. */
static int include_file(struct parser *p)
{
	FG_AUTO_FREE char *name = NULL;
	struct fg_place place;
	int r = advance(p);

	if (r < 0)
		return r;
	place = p->token.place;
	if (!at_word(p) || !*p->token.text)
		return fg_place_error(p->err, &p->behind, "`include` needs the name of a file");
	if (!p->include)
		return fg_place_error(p->err, &place, "`include` works in files only");
	if (p->depth >= INCLUDE_DEPTH_MAX)
		return fg_place_error(p->err, &place, "includes are nested deeper than %d",
				      INCLUDE_DEPTH_MAX);
	name = strdup(p->token.text);
	if (!name)
		return out_of_memory(p);
	r = advance(p);
	if (r == 0 && p->token.kind != FG_TOKEN_SEMICOLON)
		r = fg_place_error(p->err, &p->behind, "`;` is missing behind `include`");
	if (r == 0)
		r = advance(p);
	return r < 0 ? r : p->include(p->tree, p->file, name, p->depth + 1, p->err);
}

static int top_word(struct parser *p)
{
	if (!p->token.quoted && !strcmp(p->token.text, "set"))
		return verb_line(p, true);
	if (!p->token.quoted && !strcmp(p->token.text, "delete"))
		return verb_line(p, false);
	if (!p->token.quoted && !strcmp(p->token.text, "include"))
		return include_file(p);
	return statement(p, &p->tree->root, FG_IN_ROOT);
}

int fg_tree_merge_text(struct fg_tree *tree, const char *file, const char *text, size_t len,
		       fg_include_fn *include, unsigned depth, struct fg_error *err)
{
	struct parser p = { .tree = tree, .include = include, .depth = depth, .err = err };
	int r;

	p.file = fg_tree_file(tree, file);
	if (!p.file)
		return fg_error_set(err, -ENOMEM, "%s: out of memory", file);
	if (len > FG_CONF_SIZE_MAX)
		return fg_error_set(err, -EINVAL, "%s:1:1: larger than %u octets", file,
				    FG_CONF_SIZE_MAX);
	fg_lexer_init(&p.lexer, p.file, text, len);
	r = advance(&p);
	while (r == 0 && p.token.kind == FG_TOKEN_WORD)
		r = top_word(&p);
	explicit_bzero(p.token.text, sizeof(p.token.text));
	if (r < 0 || p.token.kind == FG_TOKEN_END)
		return r;
	return fg_place_error(err, &p.token.place,
			      p.token.kind == FG_TOKEN_CLOSE ? "this `}` closes nothing"
							     : "expected a statement");
}

static void free_treep(struct fg_tree **tree)
{
	fg_tree_free(*tree);
}

int fg_tree_parse(const char *file, const char *text, size_t len, struct fg_tree **ret_tree,
		  struct fg_error *err)
{
	FG_CLEANUP(free_treep) struct fg_tree *tree = fg_tree_new();
	int r;

	if (!tree)
		return fg_error_set(err, -ENOMEM, "%s: out of memory", file);
	r = fg_tree_merge_text(tree, file, text, len, NULL, 0, err);
	if (r == 0)
		*ret_tree = FG_TAKE_PTR(tree);
	return r;
}
