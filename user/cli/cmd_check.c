// SPDX-License-Identifier: MIT
/* `check`: is a configuration right? Needs no daemon and no privileges; also prints it in its normal form. */
#include <errno.h>
#include <string.h>

#include "cli/commands.h"
#include "conf/conf.h"
#include "conf/statements.h"
#include "fltgate/names.h"
#include "util/cleanup.h"
#include "util/json.h"

struct check {
	const char *file;
	bool print, set, reference;
	struct fg_tree *tree;
	struct fg_conf *conf;
};

static void clean_check(struct check *check)
{
	fg_tree_free(check->tree);
	fg_conf_free(check->conf);
}

/* 0, or an exit code with the usage printed. */
static int parse_arguments(struct check *check, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--print"))
			check->print = true;
		else if (!strcmp(argv[i], "--set"))
			check->print = check->set = true;
		else if (!strcmp(argv[i], "--reference"))
			check->reference = true;
		else if (argv[i][0] == '-' && argv[i][1])
			return fg_cli_usage("check", "unknown option `%s`", argv[i]);
		else if (check->file)
			return fg_cli_usage("check", "`%s` is too much", argv[i]);
		else
			check->file = argv[i];
	}
	if (!check->file)
		check->file = FG_CONFIG_FILE;
	return 0;
}

/* The place comes first, as editors and CI expect it of compilers. */
static int print_error(struct fg_cli *cli, const struct check *check, const struct fg_error *err)
{
	fprintf(stderr, "%s\n", err->what);
	if (err->fix[0])
		fprintf(stderr, "  try: %s\n", err->fix);
	if (cli->json) {
		json_t *document = fg_json_document();

		(void)json_object_set_new(document, "file", json_string(check->file));
		(void)json_object_set_new(document, "valid", json_false());
		(void)json_object_set_new(document, "error", json_string(err->what));
		(void)json_object_set_new(document, "fix", json_string(err->fix));
		fg_cli_print_json(cli, document);
	}
	return err->code == -EINVAL ? FG_EXIT_USAGE : FG_EXIT_FAILED;
}

static void print_json(struct fg_cli *cli, const struct check *check)
{
	const struct fg_conf *conf = check->conf;
	json_t *document = fg_json_document(), *warnings = json_array();

	for (size_t i = 0; i < conf->n_warnings; i++)
		(void)json_array_append_new(warnings, json_string(conf->warnings[i]));
	(void)json_object_set_new(document, "file", json_string(check->file));
	(void)json_object_set_new(document, "valid", json_true());
	fg_json_set_u64(document, "interfaces", conf->n_interfaces);
	fg_json_set_u64(document, "neighbors", conf->n_neighbors);
	fg_json_set_u64(document, "routes", conf->n_routes);
	(void)json_object_set_new(document, "warnings", warnings);
	fg_cli_print_json(cli, document);
}

static int print_tree(struct fg_cli *cli, const struct check *check)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };

	fg_tree_print(check->tree, check->set, false, &text);
	if (!fg_buf_text(&text))
		return FG_EXIT_FAILED;
	fputs(fg_buf_text(&text), cli->out);
	return FG_EXIT_OK;
}

static int print_reference(struct fg_cli *cli)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };

	fg_conf_reference(&text);
	if (!fg_buf_text(&text))
		return FG_EXIT_FAILED;
	fputs(fg_buf_text(&text), cli->out);
	return FG_EXIT_OK;
}

static int print_result(struct fg_cli *cli, const struct check *check)
{
	const struct fg_conf *conf = check->conf;

	for (size_t i = 0; i < conf->n_warnings; i++)
		fprintf(stderr, "%s [warning]\n", conf->warnings[i]);
	if (check->print)
		return print_tree(cli, check);
	if (cli->json)
		print_json(cli, check);
	else
		fprintf(cli->out,
			"%s: ok: %zu interfaces, %zu neighbors, %zu flow routes, %zu warnings\n",
			check->file, conf->n_interfaces, conf->n_neighbors, conf->n_routes,
			conf->n_warnings);
	return FG_EXIT_OK;
}

int fg_cmd_check(struct fg_cli *cli, int argc, char **argv)
{
	FG_CLEANUP(clean_check) struct check check = { 0 };
	struct fg_error err = { 0 };
	int r = parse_arguments(&check, argc, argv);

	if (r)
		return r;
	if (check.reference)
		return print_reference(cli);
	r = fg_tree_load(check.file, &check.tree, &err);
	if (r == 0)
		r = fg_conf_check(check.tree, &check.conf, &err);
	return r < 0 ? print_error(cli, &check, &err) : print_result(cli, &check);
}
