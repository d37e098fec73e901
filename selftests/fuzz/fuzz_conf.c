// SPDX-License-Identifier: MIT
/* Fuzzes the configuration: any text is refused with a place, or printed in both spellings and read back the same. */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct fg_tree *parse(const char *text, size_t len)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;

	if (fg_tree_parse("f", text, len, &tree, &err) == 0)
		return tree;
	require(err.code < 0 && !strncmp(err.what, "f:", 2) && !tree);
	return NULL;
}

static void check_print(const struct fg_tree *tree, bool set_lines)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf first = { 0 }, second = { 0 };
	struct fg_tree *again;

	fg_tree_print(tree, set_lines, true, &first);
	require(fg_buf_text(&first) != NULL);
	again = parse(fg_buf_text(&first), first.len);
	require(again != NULL);
	/* Across the spellings: what the `set` lines say is what the braces say. */
	fg_buf_free(&first);
	fg_tree_print(tree, true, true, &first);
	fg_tree_print(again, true, true, &second);
	require(fg_buf_text(&first) && fg_buf_text(&second));
	require(!strcmp(fg_buf_text(&first), fg_buf_text(&second)));
	fg_tree_free(again);
}

static void check_conf(const struct fg_tree *tree)
{
	struct fg_error err = { 0 };
	struct fg_conf *conf = NULL;

	if (fg_conf_check(tree, &conf, &err) < 0) {
		require(err.what[0] != '\0' && !conf);
		return;
	}
	for (size_t i = 0; i < conf->n_routes; i++)
		require(conf->routes[i].nlri_len > 0);
	fg_conf_free(conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fg_tree *tree = parse((const char *)data, size);

	if (!tree)
		return 0;
	check_print(tree, false);
	check_print(tree, true);
	check_conf(tree);
	fg_tree_free(tree);
	return 0;
}
