// SPDX-License-Identifier: MIT
/* fltgate: the command line of the gateway. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

#define WORDS_MAX 64

static void free_buffer(char **text)
{
	free(*text);
}

/* Runs the command with its output in memory, then lets the pipe through. */
static int run_piped(struct fg_cli *cli, const struct fg_command *command, int argc, char **argv)
{
	FG_CLEANUP(free_buffer) char *text = NULL;
	struct fg_error err = { 0 };
	size_t len = 0;
	int status, r;

	cli->out = open_memstream(&text, &len);
	if (!cli->out)
		return FG_EXIT_FAILED;
	status = command->fn(cli, argc, argv);
	(void)fclose(cli->out);
	r = fg_cli_filter(cli->pipe, text, stdout, &err);
	if (r == -EINVAL) {
		(void)fg_cli_error(&err);
		return FG_EXIT_USAGE;
	}
	return status == FG_EXIT_OK && r == -ENOENT ? FG_EXIT_NO_MATCH : status;
}

static int run(struct fg_cli *cli, int argc, char **argv)
{
	const struct fg_command *command = NULL;
	struct fg_error err = { 0 };
	int used = 0;

	if (fg_command_find(fg_commands, argc, argv, &command, &used, &err) < 0) {
		(void)fg_cli_error(&err);
		return FG_EXIT_USAGE;
	}
	if (cli->help) {
		fg_cli_help(stdout, command);
		return FG_EXIT_OK;
	}
	if (cli->pipe)
		return run_piped(cli, command, argc - used, argv + used);
	return command->fn(cli, argc - used, argv + used);
}

int main(int argc, char **argv)
{
	struct fg_cli cli = { .out = stdout };
	struct fg_error err = { 0 };
	char *words[WORDS_MAX + 1];
	int n = argc - 1, status;

	if (n == 1 && strchr(argv[1], ' ')) {
		n = fg_cli_split(argv[1], words, WORDS_MAX);
		argv = words;
	} else {
		argv++;
	}
	cli.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	if (fg_cli_options(&cli, &n, argv, &err) < 0) {
		(void)fg_cli_error(&err);
		return FG_EXIT_USAGE;
	}
	if (cli.version)
		return fg_cmd_own_version(&cli);
	if (n == 0) {
		if (cli.help)
			fg_cli_help(stdout, NULL);
		else
			fg_cli_overview(stderr);
		return cli.help ? FG_EXIT_OK : FG_EXIT_USAGE;
	}
	status = run(&cli, n, argv);
	return fflush(stdout) == 0 ? status : FG_EXIT_FAILED;
}
