/* SPDX-License-Identifier: MIT */
/* What every command of `fltgate` builds on: options, output (text, table, JSON), errors, the
 * control socket. */
#ifndef FG_CLI_CLI_H
#define FG_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/buf.h"
#include "util/error.h"

/* One run of the program. @out is where answers go (never stdout itself: `| match` stands in
 * between). */
struct fg_cli {
	bool json, pretty, statistics, no_names, help, version;
	bool colour;          /* stdout is a terminal and NO_COLOR is not set */
	const char *socket;   /* --socket, or what --instance implies */
	const char *instance; /* --instance */
	const char *pipe;     /* "match WORD", NULL if none */
	FILE *out;
};

/* A command gets the arguments behind its own words (argv[0] is the first of them; argv[argc] is
 * NULL), global options already taken out, and returns an enum fg_exit. */
typedef int fg_command_fn(struct fg_cli *cli, int argc, char **argv);

struct fg_command {
	const char *words; /* "show route table" */
	fg_command_fn *fn;
	const char *usage; /* what follows the words: "inetflow.0|inet6flow.0 [detail|extensive]" */
	const char *help;  /* one sentence */
};

/* The table, ended by an entry without words. */
extern const struct fg_command fg_commands[];

/* --- options.c -------------------------------------------------------------------------------- */

/* Takes the global options, and a trailing `| ...`, out of argv (any place before "--"); argv stays
 * NULL-ended. 0; -EINVAL with @err. */
int fg_cli_options(struct fg_cli *cli, int *argc, char **argv, struct fg_error *err);

/* Splits one line into words at blanks, up to @max; the words point into @line. Returns their
 * number. */
int fg_cli_split(char *line, char **words, int max);

/* --- find.c ----------------------------------------------------------------------------------- */

/* Finds the command whose words the first arguments abbreviate. 0, *ret and *ret_used (arguments
 * taken); -ENOENT or -EINVAL (ambiguous, incomplete) with @err. */
int fg_command_find(const struct fg_command *table, int argc, char **argv,
		    const struct fg_command **ret, int *ret_used, struct fg_error *err);

/* True when @text abbreviates @word: a non-empty prefix of it. */
bool fg_abbreviates(const char *text, const char *word);

/* The short lesson printed for `fltgate` alone, and the whole list of --help. */
void fg_cli_overview(FILE *out);
void fg_cli_help(FILE *out, const struct fg_command *command);

/* --- output.c --------------------------------------------------------------------------------- */

/* Prints `fltgate: WHAT` and `  try: FIX` on stderr; returns FG_EXIT_FAILED. */
int fg_cli_error(const struct fg_error *err);
/* The same for wrong usage: adds the command's usage line; returns FG_EXIT_USAGE. */
int fg_cli_usage(const char *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a document (compact, or indented with -p) and a newline. Steals the reference. */
void fg_cli_print_json(struct fg_cli *cli, json_t *document);

/* Copies @text to @out, changed by the pipe "match X", "except X", "count". 0, -ENOENT: nothing
 * matched, -EINVAL with @err. */
int fg_cli_filter(const char *pipe, const char *text, FILE *out, struct fg_error *err);

/* Colour escapes, "" without a terminal. */
const char *fg_cli_red(const struct fg_cli *cli);
const char *fg_cli_green(const struct fg_cli *cli);
const char *fg_cli_plain(const struct fg_cli *cli);

/* A table: rows of cells separated by tabs, columns as wide as their widest cell. @align: 'l' or
 * 'r' per column. */
struct fg_grid {
	const char *align;
	struct fg_buf text;
};
void fg_grid_row(struct fg_grid *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints the rows, each behind @indent, and empties the table. */
void fg_grid_print(struct fg_grid *grid, const char *indent, FILE *out);

/* "3d 04:05:06" or "04:05:06" of a number of seconds, as Junos writes ages. */
const char *fg_cli_age(json_int_t seconds, char buf[static 32]);

/* --- client.c --------------------------------------------------------------------------------- */

/* Sends a request ({"request": NAME} and more) to the daemon; steals @request. 0 and the answer in
 * *ret (json_decref() it); otherwise the exit code, the error being printed. */
int fg_cli_ask(struct fg_cli *cli, json_t *request, json_t **ret);

/* The common look: asks, prints the answer with -j, or calls @text with it. */
int fg_cli_look(struct fg_cli *cli, json_t *request,
		int (*text)(struct fg_cli *cli, json_t *answer));

/* True when a daemon accepts connections. */
bool fg_cli_daemon_there(const struct fg_cli *cli);

#endif
