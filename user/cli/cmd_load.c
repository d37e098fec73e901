// SPDX-License-Identifier: MIT
/* `load FILE`: the running configuration is replaced by FILE, whole or not at all. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "util/cleanup.h"
#include "util/json.h"

#define FILE_MAX (8U << 20)

static void close_file(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

/* Read here and not by the daemon: the caller's rights decide what may be read. */
static int read_file(const char *path, struct fg_buf *text, struct fg_error *err)
{
	FG_CLEANUP(close_file) FILE *in = strcmp(path, "-") ? fopen(path, "re") : fdopen(0, "r");
	char chunk[65536];
	size_t n;

	if (!in)
		return fg_error_set(err, -errno, "%s: %s", path, strerror(errno));
	while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
		fg_buf_add(text, chunk, n);
		if (text->len > FILE_MAX)
			return fg_error_set(err, -EFBIG, "%s is longer than %u octets", path,
					    FILE_MAX);
	}
	if (ferror(in))
		return fg_error_set(err, -EIO, "%s: %s", path, strerror(errno));
	return fg_buf_text(text) ? 0 : fg_error_set(err, -ENOMEM, "out of memory");
}

static int print_loaded(struct fg_cli *cli, json_t *answer)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(answer, "warnings"), i, warning)
		fprintf(stderr, "%s\n", json_string_value(warning));
	fprintf(cli->out,
		"load complete: %" JSON_INTEGER_FORMAT " static rules, %" JSON_INTEGER_FORMAT
		" neighbors\n",
		fg_json_get_int(answer, "static_rules"), fg_json_get_int(answer, "neighbors"));
	fprintf(cli->out, "a restart or SIGHUP reads %s again\n",
		fg_json_text(answer, "reload_file"));
	return FG_EXIT_OK;
}

int fg_cmd_load(struct fg_cli *cli, int argc, char **argv)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
	struct fg_error err = { 0 };
	json_t *content, *request;

	if (argc != 1)
		return fg_cli_usage("load", argc ? "one file at a time" : "which file?");
	if (read_file(argv[0], &text, &err) < 0) {
		(void)fg_cli_error(&err);
		return FG_EXIT_USAGE;
	}
	content = json_stringn(text.data, text.len);
	if (!content) {
		(void)fg_error_set(&err, -EINVAL, "%s is not UTF-8 text", argv[0]);
		(void)fg_cli_error(&err);
		return FG_EXIT_USAGE;
	}
	request = json_pack("{s:s, s:s, s:o}", "request", "load", "file", argv[0], "text", content);
	return fg_cli_look(cli, request, print_loaded);
}
