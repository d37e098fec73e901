// SPDX-License-Identifier: MIT
/* Output of the commands: errors, JSON, tables, colours, and the `| match` filter. */
#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "util/cleanup.h"

#define COLUMNS_MAX 16

int fg_cli_error(const struct fg_error *err)
{
	(void)fflush(stdout);
	fprintf(stderr, "fltgate: %s\n", err->what);
	if (err->fix[0])
		fprintf(stderr, "  try: %s\n", err->fix);
	return FG_EXIT_FAILED;
}

int fg_cli_usage(const char *words, const char *format, ...)
{
	va_list ap;

	fputs("fltgate: ", stderr);
	va_start(ap, format);
	(void)vfprintf(stderr, format, ap);
	va_end(ap);
	for (const struct fg_command *c = fg_commands; c->words; c++)
		if (!strcmp(c->words, words))
			fprintf(stderr, "\n  try: fltgate %s %s", words, c->usage);
	fputc('\n', stderr);
	return FG_EXIT_USAGE;
}

void fg_cli_print_json(struct fg_cli *cli, json_t *document)
{
	size_t flags = cli->pretty ? JSON_INDENT(2) : JSON_COMPACT;

	(void)json_dumpf(document, cli->out, flags);
	fputc('\n', cli->out);
	json_decref(document);
}

const char *fg_cli_red(const struct fg_cli *cli)
{
	return cli->colour ? "\033[31m" : "";
}

const char *fg_cli_green(const struct fg_cli *cli)
{
	return cli->colour ? "\033[32m" : "";
}

const char *fg_cli_plain(const struct fg_cli *cli)
{
	return cli->colour ? "\033[0m" : "";
}

/* --- tables ----------------------------------------------------------------------------------- */

void fg_grid_row(struct fg_grid *grid, const char *format, ...)
{
	char *row = NULL;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&row, format, ap);
	va_end(ap);
	if (len < 0)
		return;
	fg_buf_add(&grid->text, row, (size_t)len);
	fg_buf_add(&grid->text, "\n", 1);
	free(row);
}

/* Escape sequences and UTF-8 continuation octets take no room on the screen. */
static int shown_width(const char *cell, size_t len)
{
	int width = 0;

	for (size_t i = 0; i < len; i++) {
		if (cell[i] == '\033')
			i += strcspn(cell + i, "m");
		else if (((unsigned char)cell[i] & 0xc0) != 0x80)
			width++;
	}
	return width;
}

/* Calls @fn for every cell of the text. */
static void each_cell(const char *text,
		      void (*fn)(size_t column, const char *cell, size_t len, bool last, void *arg),
		      void *arg)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, "\t\n");
		bool last = text[len] == '\n';

		fn(column, text, len, last, arg);
		column = last ? 0 : column + 1;
		text += len + 1;
	}
}

struct layout {
	int width[COLUMNS_MAX];
	const char *align, *indent;
	FILE *out;
};

static void measure_cell(size_t column, const char *cell, size_t len, bool last, void *arg)
{
	struct layout *layout = arg;
	int width = shown_width(cell, len);

	(void)last;
	if (column < COLUMNS_MAX && width > layout->width[column])
		layout->width[column] = width;
}

static void print_cell(size_t column, const char *cell, size_t len, bool last, void *arg)
{
	struct layout *layout = arg;
	int pad = (column < COLUMNS_MAX ? layout->width[column] : 0) - shown_width(cell, len);
	bool right = column < strlen(layout->align) && layout->align[column] == 'r';

	fputs(column ? "  " : layout->indent, layout->out);
	fprintf(layout->out, "%*s%.*s", right && pad > 0 ? pad : 0, "", (int)len, cell);
	if (last)
		fputc('\n', layout->out);
	else
		fprintf(layout->out, "%*s", !right && pad > 0 ? pad : 0, "");
}

void fg_grid_print(struct fg_grid *grid, const char *indent, FILE *out)
{
	struct layout layout = { .align = grid->align, .indent = indent, .out = out };
	const char *text = fg_buf_text(&grid->text);

	if (text) {
		each_cell(text, measure_cell, &layout);
		each_cell(text, print_cell, &layout);
	}
	fg_buf_free(&grid->text);
}

const char *fg_cli_age(json_int_t seconds, char buf[static 32])
{
	long long days = seconds / 86400, s = seconds % 86400;

	if (days)
		(void)snprintf(buf, 32, "%lldd %02lld:%02lld:%02lld", days, s / 3600, s / 60 % 60,
			       s % 60);
	else
		(void)snprintf(buf, 32, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	return buf;
}

/* --- the pipe --------------------------------------------------------------------------------- */

struct filter {
	regex_t regex;
	bool match, except, count;
};

/* As in Junos the expression is extended and upper and lower case are the same. */
static int parse_pipe(const char *pipe, struct filter *filter, struct fg_error *err)
{
	size_t len = strcspn(pipe, " ");
	const char *expression = pipe + len + strspn(pipe + len, " ");

	*filter = (struct filter){
		.match = len && !strncmp(pipe, "match", len),
		.except = len && !strncmp(pipe, "except", len),
		.count = len && !strncmp(pipe, "count", len),
	};
	if (filter->count)
		return 0;
	if (!(filter->match || filter->except) || !*expression) {
		(void)fg_error_set(err, -EINVAL, "cannot do `| %s`", pipe);
		(void)fg_error_fix(err, "| match WORD, | except WORD or | count");
		return -EINVAL;
	}
	if (regcomp(&filter->regex, expression, REG_EXTENDED | REG_ICASE | REG_NOSUB))
		return fg_error_set(err, -EINVAL, "`%s` is no regular expression", expression);
	return 0;
}

int fg_cli_filter(const char *pipe, const char *text, FILE *out, struct fg_error *err)
{
	struct filter filter;
	size_t lines = 0;
	int r = parse_pipe(pipe, &filter, err);

	if (r < 0)
		return r;
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		FG_AUTO_FREE char *line = NULL;

		len = strcspn(text, "\n");
		line = strndup(text, len);
		if (!line)
			break;
		if (!filter.count &&
		    (regexec(&filter.regex, line, 0, NULL, 0) == 0) != filter.match)
			continue;
		lines++;
		if (!filter.count)
			fprintf(out, "%s\n", line);
	}
	if (filter.count)
		fprintf(out, "Count: %zu lines\n", lines);
	else
		regfree(&filter.regex);
	return lines ? 0 : -ENOENT;
}
