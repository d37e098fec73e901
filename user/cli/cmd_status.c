// SPDX-License-Identifier: MIT
/* `status`: is everything that was received and configured enforced? If not: what, why, and what
 * mends it. */
#include "cli/commands.h"
#include "util/json.h"

static void print_list(struct fg_cli *cli, const json_t *list, const char *colour, const char *mark)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		fprintf(cli->out, "%s%s%s %s\n", colour, mark, fg_cli_plain(cli),
			fg_json_text(item, "what"));
		if (*fg_json_text(item, "fix"))
			fprintf(cli->out, "    try: %s\n", fg_json_text(item, "fix"));
	}
}

static void print_tables(struct fg_cli *cli, json_t *tables)
{
	const char *name;
	json_t *t;

	json_object_foreach(tables, name, t)
	{
		fprintf(cli->out,
			"%s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " rules installed",
			name, fg_json_get_int(t, "installed"), fg_json_get_int(t, "rules"));
		if (fg_json_get_int(t, "never_matches"))
			fprintf(cli->out, ", %" JSON_INTEGER_FORMAT " can never match",
				fg_json_get_int(t, "never_matches"));
		if (fg_json_get_int(t, "pending"))
			fprintf(cli->out, ", %" JSON_INTEGER_FORMAT " pending",
				fg_json_get_int(t, "pending"));
		fputc('\n', cli->out);
	}
}

static void print_status(struct fg_cli *cli, const json_t *answer)
{
	bool enforced = json_is_true(json_object_get(answer, "enforced"));
	char age[32];

	fprintf(cli->out, "%s%s%s\n", enforced ? fg_cli_green(cli) : fg_cli_red(cli),
		enforced ? "enforced" : "partly enforced", fg_cli_plain(cli));
	print_tables(cli, json_object_get(answer, "tables"));
	print_list(cli, json_object_get(answer, "problems"), fg_cli_red(cli), "problem:");
	print_list(cli, json_object_get(answer, "notes"), "", "note:");
	fprintf(cli->out, "configuration %s, running for %s\n",
		fg_json_text(answer, "configuration"),
		fg_cli_age(fg_json_get_int(answer, "configuration_age"), age));
}

int fg_cmd_status(struct fg_cli *cli, int argc, char **argv)
{
	json_t *answer = NULL;
	int status;

	if (argc)
		return fg_cli_usage("status", "`%s` is too much", argv[0]);
	status = fg_cli_ask(cli, json_pack("{s:s}", "request", "status"), &answer);
	if (status)
		return status;
	status = json_is_true(json_object_get(answer, "enforced")) ? FG_EXIT_OK : FG_EXIT_PARTLY;
	if (cli->json) {
		fg_cli_print_json(cli, answer);
		return status;
	}
	print_status(cli, answer);
	json_decref(answer);
	return status;
}
