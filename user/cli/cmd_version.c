// SPDX-License-Identifier: MIT
/* `show version` and -V: of this program, and of the daemon when one answers. */
#include "cli/commands.h"
#include "fltgate/names.h"
#include "util/json.h"

static int print_daemon(struct fg_cli *cli, json_t *answer)
{
	fprintf(cli->out, "fltgated %s, instance %s, pid %" JSON_INTEGER_FORMAT "\n",
		fg_json_text(answer, "version"), fg_json_text(answer, "instance"),
		fg_json_get_int(answer, "pid"));
	return FG_EXIT_OK;
}

static void print_own(struct fg_cli *cli)
{
	fprintf(cli->out, "fltgate %s, ABI %s\n", FG_VERSION, FG_ABI_DIR);
}

static json_t *own_json(json_t *daemon)
{
	json_t *document = fg_json_document();

	(void)json_object_set_new(document, "version", json_string(FG_VERSION));
	(void)json_object_set_new(document, "abi", json_string(FG_ABI_DIR));
	(void)json_object_set_new(document, "daemon", daemon ? daemon : json_null());
	return document;
}

int fg_cmd_own_version(struct fg_cli *cli)
{
	if (cli->json)
		fg_cli_print_json(cli, own_json(NULL));
	else
		print_own(cli);
	return FG_EXIT_OK;
}

/* Half an answer when no daemon runs, and its exit code says so: scripts wait for the daemon with
 * it. */
int fg_cmd_version(struct fg_cli *cli, int argc, char **argv)
{
	json_t *answer = NULL;
	int status = FG_EXIT_NO_DAEMON;

	if (argc)
		return fg_cli_usage("show version", "`%s` is too much", argv[0]);
	if (fg_cli_daemon_there(cli))
		status = fg_cli_ask(cli, json_pack("{s:s}", "request", "version"), &answer);
	if (cli->json) {
		fg_cli_print_json(cli, own_json(answer));
		return status;
	}
	print_own(cli);
	if (answer)
		(void)print_daemon(cli, answer);
	else
		fprintf(cli->out, "fltgated: not running (%s)\n", cli->socket);
	json_decref(answer);
	return status;
}
