/* SPDX-License-Identifier: MIT */
/* Inside of the tree: building nodes and finding them again; for the files of user/conf only. */
#ifndef FG_CONF_TREE_H
#define FG_CONF_TREE_H

#include "conf/statements.h"

/* Nodes by (parent, first word, key): open addressing, so that ten thousand routes do not take a scan each. */
struct fg_node_index {
	struct fg_node **slots;
	size_t n_slots, used; /* @used: slots that are not NULL, removed ones included */
};

struct fg_tree {
	struct fg_node root;
	struct fg_node_index index;
	char **files; /* names that places point to */
	size_t n_files;
	char **warnings;
	size_t n_warnings;
	bool has_secrets; /* a secret was read since this was last cleared */
};

/* --- node.c: ownership and position ---------------------------------------------------------------------- */

struct fg_tree *fg_tree_new(void);
/* A copy of @file that lives as long as the tree. */
const char *fg_tree_file(struct fg_tree *tree, const char *file);
/* "FILE:LINE:COLUMN: text", kept for fg_conf.warnings. -ENOMEM. */
int fg_warn(char ***warnings, size_t *n, const struct fg_place *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void fg_warnings_free(char **warnings, size_t n);

/* Wipes secrets. NULL is fine. */
void fg_node_free(struct fg_node *node);
int fg_node_add_word(struct fg_node *node, const char *word, const struct fg_place *place);
bool fg_node_has_word(const struct fg_node *node, const char *word); /* among the values */
void fg_node_drop_word(struct fg_node *node, const char *word);
bool fg_node_same_words(const struct fg_node *a, const struct fg_node *b);

/* True when the second word is the node's key (`route NAME`). */
bool fg_node_is_keyed(const struct fg_node *node);
/* The node of @parent with @like's first word and key, NULL if none. */
struct fg_node *fg_tree_find(const struct fg_tree *tree, const struct fg_node *parent,
			     const struct fg_node *like);
/* Appends @node (owned by the tree on success) to @parent. -ENOMEM. */
int fg_tree_append(struct fg_tree *tree, struct fg_node *parent, struct fg_node *node);
/* Takes @node and all below it out of the tree and frees it. */
void fg_tree_remove(struct fg_tree *tree, struct fg_node *node);

/* --- tree.c: the parser ---------------------------------------------------------------------------------- */

/* Reads another file into a tree: the `include` statement. NULL: includes are refused. */
typedef int fg_include_fn(struct fg_tree *tree, const char *from, const char *name, unsigned depth,
			  struct fg_error *err);

/* Merges text into @tree. On an error the tree holds part of it: free it. */
int fg_tree_merge_text(struct fg_tree *tree, const char *file, const char *text, size_t len,
		       fg_include_fn *include, unsigned depth, struct fg_error *err);

#endif
