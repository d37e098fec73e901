// SPDX-License-Identifier: MIT
/* Global options and the trailing pipe, taken out of the arguments wherever they stand. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cli/cli.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

enum option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
};

static const struct option {
	char letter; /* 0: none */
	const char *name;
	enum option_kind kind;
	size_t field;
} options[] = {
	{ 'j', "--json", OPTION_FLAG, offsetof(struct fg_cli, json) },
	{ 'p', "--pretty", OPTION_FLAG, offsetof(struct fg_cli, pretty) },
	{ 's', "--statistics", OPTION_FLAG, offsetof(struct fg_cli, statistics) },
	{ 'n', "--no-names", OPTION_FLAG, offsetof(struct fg_cli, no_names) },
	{ 'h', "--help", OPTION_FLAG, offsetof(struct fg_cli, help) },
	{ 'V', "--version", OPTION_FLAG, offsetof(struct fg_cli, version) },
	{ 0, "--socket", OPTION_TEXT, offsetof(struct fg_cli, socket) },
	{ 0, "--instance", OPTION_TEXT, offsetof(struct fg_cli, instance) },
};

static const struct option *by_letter(char letter)
{
	for (size_t i = 0; i < FG_ARRAY_SIZE(options); i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* "--socket" and "--socket=PATH" are the same option. */
static const struct option *by_name(const char *arg)
{
	size_t len = strcspn(arg, "=");

	for (size_t i = 0; i < FG_ARRAY_SIZE(options); i++)
		if (strlen(options[i].name) == len && !strncmp(arg, options[i].name, len))
			return &options[i];
	return NULL;
}

static void set_flag(struct fg_cli *cli, const struct option *option)
{
	*(bool *)((char *)cli + option->field) = true;
}

/* A cluster such as -jp, all letters known; anything else belongs to the command. */
static bool take_letters(struct fg_cli *cli, const char *arg)
{
	for (const char *c = arg; *c; c++)
		if (!by_letter(*c))
			return false;
	for (; *arg; arg++)
		set_flag(cli, by_letter(*arg));
	return true;
}

/* Returns the number of arguments taken, 0 when argv[i] is none of ours. */
static int take_option(struct fg_cli *cli, char **argv, struct fg_error *err)
{
	const struct option *option;
	char *value;

	if (argv[0][0] != '-' || !argv[0][1])
		return 0;
	if (argv[0][1] != '-')
		return take_letters(cli, argv[0] + 1) ? 1 : 0;
	option = by_name(argv[0]);
	if (!option)
		return 0;
	value = strchr(argv[0], '=');
	if (option->kind == OPTION_FLAG) {
		set_flag(cli, option);
		return value ? fg_error_set(err, -EINVAL, "%s takes no value", option->name) : 1;
	}
	if (!value && !argv[1])
		return fg_error_set(err, -EINVAL, "%s needs a value", option->name);
	*(const char **)((char *)cli + option->field) = value ? value + 1 : argv[1];
	return value ? 1 : 2;
}

/* Joins `| match a b` into "match a b"; returns the number of arguments before it. */
static int take_pipe(struct fg_cli *cli, int argc, char **argv, struct fg_error *err)
{
	static char text[256];
	size_t len = 0;
	int first = 0;

	while (first < argc && argv[first][0] != '|')
		first++;
	for (int i = first; i < argc; i++) {
		int n = snprintf(text + len, sizeof(text) - len, "%s%s", i > first ? " " : "",
				 i == first ? argv[i] + 1 : argv[i]);

		if (n < 0 || (size_t)n >= sizeof(text) - len)
			return fg_error_set(err, -EINVAL, "what follows `|` is too long");
		len += (size_t)n;
	}
	if (first < argc)
		cli->pipe = text + strspn(text, " ");
	return first;
}

static const char *socket_of(const char *instance)
{
	static char path[sizeof(FG_RUN_DIR) + 64 + sizeof("/control-.sock")];

	if (!instance || !strcmp(instance, FG_INSTANCE_DEFAULT))
		return FG_SOCKET;
	(void)snprintf(path, sizeof(path), FG_RUN_DIR "/control-%.64s.sock", instance);
	return path;
}

int fg_cli_options(struct fg_cli *cli, int *argc, char **argv, struct fg_error *err)
{
	int n = take_pipe(cli, *argc, argv, err), kept = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n;) {
		int taken = 0;

		if (!strcmp(argv[i], "--")) {
			memmove(argv + kept, argv + i + 1, (size_t)(n - i - 1) * sizeof(*argv));
			kept += n - i - 1;
			break;
		}
		argv[n] = NULL; /* the pipe is no value of an option */
		taken = take_option(cli, argv + i, err);
		if (taken < 0)
			return taken;
		if (taken == 0)
			argv[kept++] = argv[i++];
		i += taken;
	}
	argv[kept] = NULL;
	*argc = kept;
	if (!cli->socket)
		cli->socket = socket_of(cli->instance);
	if (!cli->instance)
		cli->instance = FG_INSTANCE_DEFAULT;
	return 0;
}

int fg_cli_split(char *line, char **words, int max)
{
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(line, " \t\n", &save); w && n < max;
	     w = strtok_r(NULL, " \t\n", &save))
		words[n++] = w;
	words[n] = NULL;
	return n;
}
