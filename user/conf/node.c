// SPDX-License-Identifier: MIT
/* Nodes of the tree: their words, their place among their siblings, and the index that finds them again. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/tree.h"
#include "util/cleanup.h"
#include "util/hash.h"

/* Stands in a slot whose node was removed, so that probing goes on behind it. */
static struct fg_node removed;

struct fg_tree *fg_tree_new(void)
{
	struct fg_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->root.block = true;
	return tree;
}

const char *fg_tree_file(struct fg_tree *tree, const char *file)
{
	char **files = reallocarray(tree->files, tree->n_files + 1, sizeof(*files));

	if (!files)
		return NULL;
	tree->files = files;
	files[tree->n_files] = strdup(file);
	return files[tree->n_files] ? files[tree->n_files++] : NULL;
}

int fg_warn(char ***warnings, size_t *n, const struct fg_place *place, const char *format, ...)
{
	char **more = reallocarray(*warnings, *n + 1, sizeof(*more));
	char text[512];
	va_list ap;

	if (!more)
		return -ENOMEM;
	*warnings = more;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (asprintf(&more[*n], "%s:%u:%u: %s", place->file, place->line, place->column, text) < 0)
		return -ENOMEM;
	(*n)++;
	return 0;
}

void fg_warnings_free(char **warnings, size_t n)
{
	while (n--)
		free(warnings[n]);
	free(warnings);
}

static void free_words(struct fg_node *node)
{
	bool secret = node->statement && node->statement->value == FG_VALUE_SECRET;

	for (size_t i = 0; i < node->n_words; i++) {
		if (secret)
			explicit_bzero(node->words[i], strlen(node->words[i]));
		free(node->words[i]);
	}
	free(node->words);
	free(node->places);
}

static void free_children(struct fg_node *node)
{
	struct fg_node *child = node->children;

	while (child) {
		struct fg_node *next = child->next;

		fg_node_free(child);
		child = next;
	}
	node->children = node->last_child = NULL;
}

/* Recursion is as deep as the statement table nests. */
void fg_node_free(struct fg_node *node)
{
	if (!node)
		return;
	free_children(node);
	free_words(node);
	free(node);
}

void fg_tree_free(struct fg_tree *tree)
{
	if (!tree)
		return;
	free_children(&tree->root);
	free(tree->index.slots);
	fg_warnings_free(tree->files, tree->n_files);
	fg_warnings_free(tree->warnings, tree->n_warnings);
	free(tree);
}

const struct fg_node *fg_tree_root(const struct fg_tree *tree)
{
	return &tree->root;
}

const struct fg_node *fg_node_child(const struct fg_node *node, const char *word)
{
	if (!node)
		return NULL;
	for (const struct fg_node *child = node->children; child; child = child->next)
		if (!strcmp(child->words[0], word))
			return child;
	return NULL;
}

int fg_node_add_word(struct fg_node *node, const char *word, const struct fg_place *place)
{
	size_t n = node->n_words;

	/* Room grows by doubling: the arrays are full when n is a power of two. */
	if ((n & (n - 1)) == 0) {
		size_t room = n ? n * 2 : 1;
		char **words = reallocarray(node->words, room, sizeof(*words));
		struct fg_place *places;

		if (!words)
			return -ENOMEM;
		node->words = words;
		places = reallocarray(node->places, room, sizeof(*places));
		if (!places)
			return -ENOMEM;
		node->places = places;
	}
	node->words[n] = strdup(word);
	if (!node->words[n])
		return -ENOMEM;
	node->places[n] = *place;
	if (n == 0)
		node->place = *place;
	node->n_words++;
	return 0;
}

static size_t find_word(const struct fg_node *node, const char *word)
{
	for (size_t i = 1; i < node->n_words; i++)
		if (!strcmp(node->words[i], word))
			return i;
	return 0;
}

bool fg_node_has_word(const struct fg_node *node, const char *word)
{
	return find_word(node, word) != 0;
}

void fg_node_drop_word(struct fg_node *node, const char *word)
{
	size_t i = find_word(node, word), behind;

	if (!i)
		return;
	behind = --node->n_words - i;
	free(node->words[i]);
	memmove(&node->words[i], &node->words[i + 1], behind * sizeof(*node->words));
	memmove(&node->places[i], &node->places[i + 1], behind * sizeof(*node->places));
}

bool fg_node_same_words(const struct fg_node *a, const struct fg_node *b)
{
	if (a->n_words != b->n_words)
		return false;
	for (size_t i = 0; i < a->n_words; i++)
		if (strcmp(a->words[i], b->words[i]) != 0)
			return false;
	return true;
}

bool fg_node_is_keyed(const struct fg_node *node)
{
	return node->block && node->n_words == 2;
}

static const char *node_key(const struct fg_node *node)
{
	return fg_node_is_keyed(node) ? node->words[1] : "";
}

static uint64_t hash_node(const struct fg_node *parent, const struct fg_node *like)
{
	uintptr_t number = (uintptr_t)parent;
	uint64_t hash = fg_hash64(&number, sizeof(number), 0);

	hash = fg_hash64(like->words[0], strlen(like->words[0]) + 1, hash);
	return fg_hash64(node_key(like), strlen(node_key(like)), hash);
}

struct fg_node *fg_tree_find(const struct fg_tree *tree, const struct fg_node *parent,
			     const struct fg_node *like)
{
	const struct fg_node_index *index = &tree->index;
	size_t mask = index->n_slots - 1;

	if (!index->n_slots)
		return NULL;
	for (size_t i = hash_node(parent, like) & mask; index->slots[i]; i = (i + 1) & mask) {
		struct fg_node *node = index->slots[i];

		if (node != &removed && node->parent == parent &&
		    !strcmp(node->words[0], like->words[0]) &&
		    !strcmp(node_key(node), node_key(like)))
			return node;
	}
	return NULL;
}

static void index_put(struct fg_node_index *index, struct fg_node *node)
{
	size_t mask = index->n_slots - 1, i = hash_node(node->parent, node) & mask;

	while (index->slots[i])
		i = (i + 1) & mask;
	index->slots[i] = node;
	index->used++;
}

/* Keeps a quarter of the slots free. */
static int index_reserve(struct fg_node_index *index)
{
	struct fg_node_index larger = { .n_slots = index->n_slots ? index->n_slots * 2 : 256 };

	if (index->used + 1 <= index->n_slots / 4 * 3)
		return 0;
	larger.slots = calloc(larger.n_slots, sizeof(struct fg_node *));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < index->n_slots; i++)
		if (index->slots[i] && index->slots[i] != &removed)
			index_put(&larger, index->slots[i]);
	free(index->slots);
	*index = larger;
	return 0;
}

static void index_drop(struct fg_node_index *index, const struct fg_node *node)
{
	size_t mask = index->n_slots - 1, i = hash_node(node->parent, node) & mask;

	while (index->slots[i] != node)
		i = (i + 1) & mask;
	index->slots[i] = &removed;
	for (const struct fg_node *child = node->children; child; child = child->next)
		index_drop(index, child);
}

int fg_tree_append(struct fg_tree *tree, struct fg_node *parent, struct fg_node *node)
{
	if (index_reserve(&tree->index) < 0)
		return -ENOMEM;
	node->parent = parent;
	index_put(&tree->index, node);
	if (parent->last_child)
		parent->last_child->next = node;
	else
		parent->children = node;
	parent->last_child = node;
	return 0;
}

void fg_tree_remove(struct fg_tree *tree, struct fg_node *node)
{
	struct fg_node *parent = node->parent, *before = NULL;

	index_drop(&tree->index, node);
	for (struct fg_node *child = parent->children; child != node; child = child->next)
		before = child;
	if (before)
		before->next = node->next;
	else
		parent->children = node->next;
	if (parent->last_child == node)
		parent->last_child = before;
	fg_node_free(node);
}
