// SPDX-License-Identifier: MIT
/* `show firewall` and `show pfe firewall`: the counters of each rule, and how each filter runs. */
#include <inttypes.h>

#include "cli/commands.h"
#include "util/json.h"

static void print_filter(struct fg_cli *cli, const json_t *filter)
{
	struct fg_grid grid = { .align = "lrr" };
	const json_t *row;
	size_t i;

	fprintf(cli->out, "\nFilter: %s\nCounters:\n", fg_json_text(filter, "name"));
	fg_grid_row(&grid, "Name\tBytes\tPackets");
	json_array_foreach(json_object_get(filter, "counters"), i, row)
		fg_grid_row(&grid, "%s\t%" PRIu64 "\t%" PRIu64, fg_json_text(row, "name"),
			    fg_json_get_u64(row, "bytes"), fg_json_get_u64(row, "packets"));
	fg_grid_print(&grid, "", cli->out);
}

static int print_firewall(struct fg_cli *cli, json_t *answer)
{
	const json_t *filter;
	size_t i;

	json_array_foreach(json_object_get(answer, "filters"), i,
			   filter) if (json_array_size(json_object_get(filter, "counters")))
		print_filter(cli, filter);
	return FG_EXIT_OK;
}

int fg_cmd_firewall(struct fg_cli *cli, int argc, char **argv)
{
	if (argc)
		return fg_cli_usage("show firewall", "`%s` is too much", argv[0]);
	return fg_cli_look(cli, json_pack("{s:s}", "request", "firewall"), print_firewall);
}

/* The columns stand where Junos puts them. */
static int print_pfe(struct fg_cli *cli, json_t *answer)
{
	const json_t *filter;
	size_t i;

	fprintf(cli->out, "\nSlot 0\n%-39s%-20s%-19s%-17s%s\n", "Name", "Index", "Token", "Current",
		"Config");
	json_array_foreach(json_object_get(answer, "filters"), i, filter)
		fprintf(cli->out,
			"%-39s%-20" JSON_INTEGER_FORMAT "%-19" JSON_INTEGER_FORMAT "%-17s%s\n",
			fg_json_text(filter, "name"), fg_json_get_int(filter, "index"),
			fg_json_get_int(filter, "token"), fg_json_text(filter, "current"),
			fg_json_text(filter, "config"));
	json_array_foreach(json_object_get(answer, "filters"), i,
			   filter) if (*fg_json_text(filter, "reason"))
		fprintf(cli->out, "\n%s: %s\n", fg_json_text(filter, "name"),
			fg_json_text(filter, "reason"));
	return FG_EXIT_OK;
}

int fg_cmd_pfe_firewall(struct fg_cli *cli, int argc, char **argv)
{
	if (argc)
		return fg_cli_usage("show pfe firewall", "`%s` is too much", argv[0]);
	return fg_cli_look(cli, json_pack("{s:s}", "request", "pfe-firewall"), print_pfe);
}
