// SPDX-License-Identifier: MIT
/* `show version` and -V: of this program, and of the daemon when one answers. */
#include "cli/commands.h"
#include "fltgate/names.h"
#include "util/json.h"

static int print_daemon(struct fg_cli *cli, json_t *answer)
{
	fprintf(cli->out, "fltgated %s, instance %s, pid %" JSON_INTEGER_FORMAT "\n", fg_json_text(answer, "version"),
		fg_json_text(answer, "instance"), json_integer_value(json_object_get(answer, "pid")));
	return FG_EXIT_OK;
}

int fg_cmd_version(struct fg_cli *cli, int argc, char **argv)
{
	json_t *answer = NULL;

	if (argc)
		return fg_cli_usage("show version", "`%s` is too much", argv[0]);
	if (!cli->json)
		fprintf(cli->out, "fltgate %s, ABI %s\n", FG_VERSION, FG_ABI_DIR);
	if (fg_cli_daemon_there(cli) && fg_cli_ask(cli, json_pack("{s:s}", "request", "version"), &answer))
		return FG_EXIT_FAILED;
	if (cli->json) {
		json_t *document = fg_json_document();

		(void)json_object_set_new(document, "version", json_string(FG_VERSION));
		(void)json_object_set_new(document, "abi", json_string(FG_ABI_DIR));
		(void)json_object_set_new(document, "daemon", answer ? answer : json_null());
		fg_cli_print_json(cli, document);
	} else if (answer) {
		(void)print_daemon(cli, answer);
		json_decref(answer);
	} else {
		fprintf(cli->out, "fltgated: not running (%s)\n", cli->socket);
	}
	return FG_EXIT_OK;
}
