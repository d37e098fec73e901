// SPDX-License-Identifier: MIT
/* `show route table`: the rules received and configured, in order of precedence. */
#include <inttypes.h>
#include <string.h>

#include "cli/commands.h"
#include "util/cleanup.h"
#include "util/json.h"

enum level {
	LEVEL_TERSE,
	LEVEL_DETAIL,
	LEVEL_EXTENSIVE,
};

static void print_header(struct fg_cli *cli, const json_t *answer)
{
	const json_t *c = json_object_get(answer, "counts");

	fprintf(cli->out,
		"%s: %" JSON_INTEGER_FORMAT " destinations, %" JSON_INTEGER_FORMAT
		" routes (%" JSON_INTEGER_FORMAT " active, %" JSON_INTEGER_FORMAT
		" holddown, %" JSON_INTEGER_FORMAT " hidden)\n"
		"+ = Active Route, - = Last Active, * = Both\n",
		fg_json_text(answer, "table"), fg_json_get_int(c, "destinations"),
		fg_json_get_int(c, "routes"), fg_json_get_int(c, "active"),
		fg_json_get_int(c, "holddown"), fg_json_get_int(c, "hidden"));
}

/* Junos's preferences: configured flow routes 5, BGP 170. */
static const char *protocol(const json_t *route)
{
	return strcmp(fg_json_text(route, "source"), "static") ? "BGP/170" : "Flow/5";
}

static bool flag(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* `*[BGP/170] 00:01:23, from 192.0.2.9`, then what is special about it. */
static void print_route(struct fg_cli *cli, const json_t *rule, const json_t *route,
			struct fg_grid *grid, bool first)
{
	bool active = flag(route, "best") && !strcmp(fg_json_text(rule, "state"), "active");
	const char *state = flag(route, "best") ? fg_json_text(rule, "state") : "not best";
	char age[32];

	if (flag(route, "hidden"))
		state = "hidden";
	fg_grid_row(grid, "%s\t%s[%s] %s, from %s\t%s%s%s%s",
		    first ? fg_json_text(rule, "name") : "", active ? "*" : " ", protocol(route),
		    fg_cli_age(fg_json_get_int(route, "age"), age), fg_json_text(route, "from"),
		    active ? fg_cli_green(cli) : fg_cli_red(cli), state, fg_cli_plain(cli),
		    flag(route, "stale") ? ", stale" : "");
}

static void print_terse(struct fg_cli *cli, const json_t *rules)
{
	struct fg_grid grid = { .align = "lll" };
	const json_t *rule, *route;
	size_t i, k;

	json_array_foreach(rules, i, rule)
	{
		json_array_foreach(json_object_get(rule, "routes"), k, route)
			print_route(cli, rule, route, &grid, k == 0);
		if (k == 0)
			fg_grid_row(&grid, "%s\t-[withdrawn]\t%s", fg_json_text(rule, "name"),
				    fg_json_text(rule, "state"));
	}
	fg_grid_print(&grid, "", cli->out);
}

static void print_sources(struct fg_cli *cli, const json_t *rule)
{
	const json_t *route;
	char age[32];
	size_t i;

	json_array_foreach(json_object_get(rule, "routes"), i, route)
	{
		fprintf(cli->out, "    %s[%s] %s, from %s", flag(route, "best") ? "*" : " ",
			protocol(route), fg_cli_age(fg_json_get_int(route, "age"), age),
			fg_json_text(route, "from"));
		if (*fg_json_text(route, "name"))
			fprintf(cli->out, ", route %s, line %" JSON_INTEGER_FORMAT,
				fg_json_text(route, "name"), fg_json_get_int(route, "line"));
		if (json_object_get(route, "as"))
			fprintf(cli->out, ", AS %" JSON_INTEGER_FORMAT,
				fg_json_get_int(route, "as"));
		fprintf(cli->out, "%s%s\n      then { %s }\n",
			flag(route, "stale") ? ", stale" : "",
			flag(route, "hidden") ? ", hidden" : "", fg_json_text(route, "then"));
		if (*fg_json_text(route, "reason"))
			fprintf(cli->out, "      hidden: %s\n", fg_json_text(route, "reason"));
	}
}

static void print_rule(struct fg_cli *cli, const json_t *rule, enum level level)
{
	const char *reason = fg_json_text(rule, "reason");

	fprintf(cli->out, "\n%s (%s)\n    match { %s }\n", fg_json_text(rule, "name"),
		fg_json_text(rule, "state"), fg_json_text(rule, "match"));
	print_sources(cli, rule);
	if (*reason)
		fprintf(cli->out, "    not installed: %s\n", reason);
	if (level < LEVEL_EXTENSIVE)
		return;
	fprintf(cli->out, "    NLRI: %s\n    id: %s", fg_json_text(rule, "nlri"),
		fg_json_text(rule, "id"));
	if (json_object_get(rule, "counter"))
		fprintf(cli->out, ", counter %" JSON_INTEGER_FORMAT,
			fg_json_get_int(rule, "counter"));
	fprintf(cli->out, "\n    packets: %" PRIu64 ", bytes: %" PRIu64 "\n",
		fg_json_get_u64(rule, "packets"), fg_json_get_u64(rule, "bytes"));
}

static int print(struct fg_cli *cli, const json_t *answer, enum level level)
{
	const json_t *rules = json_object_get(answer, "rules"), *rule;
	size_t i;

	fputc('\n', cli->out);
	print_header(cli, answer);
	if (level == LEVEL_TERSE) {
		fputc('\n', cli->out);
		print_terse(cli, rules);
		return FG_EXIT_OK;
	}
	json_array_foreach(rules, i, rule) print_rule(cli, rule, level);
	return FG_EXIT_OK;
}

static int print_level_terse(struct fg_cli *cli, json_t *answer)
{
	return print(cli, answer, LEVEL_TERSE);
}

static int print_level_detail(struct fg_cli *cli, json_t *answer)
{
	return print(cli, answer, LEVEL_DETAIL);
}

static int print_level_extensive(struct fg_cli *cli, json_t *answer)
{
	return print(cli, answer, LEVEL_EXTENSIVE);
}

static const char *table_name(const char *text)
{
	static const char *const names[] = { "inetflow.0", "inet6flow.0" };

	for (size_t i = 0; text && i < FG_ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]) || (strlen(text) > 4 && fg_abbreviates(text, names[i])))
			return names[i];
	return NULL;
}

int fg_cmd_route_table(struct fg_cli *cli, int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*text)(struct fg_cli *cli, json_t *answer);
	} levels[] = {
		{ "terse", print_level_terse },
		{ "detail", print_level_detail },
		{ "extensive", print_level_extensive },
	};
	int (*text)(struct fg_cli * cli, json_t * answer) =
		cli->statistics ? print_level_extensive : print_level_terse;
	const char *table = table_name(argc ? argv[0] : NULL);
	bool known = argc < 2;

	if (!table)
		return fg_cli_usage("show route table", "which table?");
	for (size_t i = 0; argc == 2 && i < FG_ARRAY_SIZE(levels); i++) {
		if (!fg_abbreviates(argv[1], levels[i].word))
			continue;
		text = levels[i].text;
		known = true;
	}
	if (!known)
		return fg_cli_usage("show route table", "unknown word `%s`", argv[argc - 1]);
	return fg_cli_look(cli, json_pack("{s:s, s:s}", "request", "route-table", "table", table),
			   text);
}
