// SPDX-License-Identifier: MIT
/* `show interfaces`: how each is attached, what became of its packets, and why any was dropped. */
#include <inttypes.h>
#include <string.h>

#include "cli/commands.h"
#include "fltgate/counters.h"
#include "util/cleanup.h"
#include "util/json.h"

/* The same lists that make the BPF side's counters: nothing counted can be missing here. */
static const struct {
	const char *field;
	enum fg_reason_class class;
	const char *text;
} reasons[] = {
#define REASON(name, field, class, text) { #field, FG_CLASS_##class, text },
	FG_REASONS(REASON)
#undef REASON
};

static const struct {
	const char *field, *text;
} notes[] = {
#define NOTE(name, field, text) { #field, text },
	FG_NOTES(NOTE)
#undef NOTE
}, events[] = {
#define EVENT(field, text) { #field, text },
	FG_EVENTS(EVENT)
#undef EVENT
};

static const char *const class_names[] = {
	[FG_CLASS_PASS] = "pass",
	[FG_CLASS_DISCARD] = "discard",
	[FG_CLASS_RESOURCE] = "limit",
};

static void print_how(struct fg_cli *cli, const json_t *i)
{
	const char *attached = fg_json_text(i, "attached");

	fprintf(cli->out, "  Role: %s, ", fg_json_text(i, "role"));
	if (!strcmp(attached, "not")) {
		fprintf(cli->out, "not filtered: no XDP program\n");
		return;
	}
	fprintf(cli->out, "%s: program %s, id %" PRIu64 ", %s mode, attached by %s\n",
		strcmp(attached, "foreign") ? "filtered" : "NOT FILTERED, foreign program",
		fg_json_text(i, "program"), fg_json_get_u64(i, "program_id"),
		fg_json_text(i, "mode"), attached);
}

static void print_head(struct fg_cli *cli, const json_t *i)
{
	bool up = json_is_true(json_object_get(i, "up"));
	const char *oper = fg_json_text(i, "oper");
	/* Devices without a carrier of their own say "unknown" (RFC 2863 ifOperStatus). */
	bool carrier = up && (!strcmp(oper, "up") || !strcmp(oper, "unknown"));

	fprintf(cli->out, "Physical interface: %s, %s, Physical link is %s\n",
		fg_json_text(i, "name"), up ? "Enabled" : "Administratively down",
		carrier ? "Up" : "Down");
	fprintf(cli->out, "  Interface index: %" PRIu64 ", MTU: %" PRIu64 ", Current address: %s\n",
		fg_json_get_u64(i, "index"), fg_json_get_u64(i, "mtu"), fg_json_text(i, "address"));
	print_how(cli, i);
}

static void print_verdicts(struct fg_cli *cli, const json_t *i)
{
	fprintf(cli->out,
		"  Verdicts: %" PRIu64 " received, %" PRIu64 " passed, %" PRIu64
		" discarded by rules, %" PRIu64 " dropped at a limit\n",
		fg_json_get_u64(i, "received"), fg_json_get_u64(i, "passed"),
		fg_json_get_u64(i, "discarded"), fg_json_get_u64(i, "resource_drops"));
}

static void print_traffic(struct fg_cli *cli, const json_t *s)
{
	fprintf(cli->out,
		"  Traffic statistics:\n   Input  bytes  : %20" PRIu64
		"\n   Output bytes  : %20" PRIu64 "\n   Input  packets: %20" PRIu64
		"\n   Output packets: %20" PRIu64 "\n",
		fg_json_get_u64(s, "rx_bytes"), fg_json_get_u64(s, "tx_bytes"),
		fg_json_get_u64(s, "rx_packets"), fg_json_get_u64(s, "tx_packets"));
}

/* Junos's line of the MX301 article, letter for letter. */
static void print_errors(struct fg_cli *cli, const json_t *i, const json_t *s)
{
	fprintf(cli->out,
		"  Input errors:\n    Errors: %" PRIu64 ", Drops: %" PRIu64
		", Framing errors: %" PRIu64 ", CRC errors: %" PRIu64 ", Length errors: %" PRIu64
		", Missed: %" PRIu64 "\n",
		fg_json_get_u64(s, "rx_errors"), fg_json_get_u64(s, "rx_dropped"),
		fg_json_get_u64(s, "rx_frame_errors"), fg_json_get_u64(s, "rx_crc_errors"),
		fg_json_get_u64(s, "rx_length_errors"), fg_json_get_u64(s, "rx_missed_errors"));
	fprintf(cli->out,
		"    L2 mismatch timeouts: %" PRIu64 ", FIFO errors: %" PRIu64
		", Resource errors: %" PRIu64 "\n",
		fg_json_get_u64(i, "l2_mismatch_timeouts"), fg_json_get_u64(i, "fifo_errors"),
		fg_json_get_u64(i, "resource_errors"));
	fprintf(cli->out,
		"  Output errors:\n    Errors: %" PRIu64 ", Drops: %" PRIu64
		", Collisions: %" PRIu64 ", Carrier errors: %" PRIu64 ", FIFO errors: %" PRIu64
		"\n",
		fg_json_get_u64(s, "tx_errors"), fg_json_get_u64(s, "tx_dropped"),
		fg_json_get_u64(s, "collisions"), fg_json_get_u64(s, "tx_carrier_errors"),
		fg_json_get_u64(s, "tx_fifo_errors"));
}

static void print_counters(struct fg_cli *cli, const json_t *i)
{
	struct fg_grid grid = { .align = "lrll" };
	const json_t *r = json_object_get(i, "reasons"), *n = json_object_get(i, "notes"),
		     *e = json_object_get(i, "events");

	for (size_t k = 0; k < FG_ARRAY_SIZE(reasons); k++)
		fg_grid_row(&grid, "%s\t%" PRIu64 "\t%s\t%s", reasons[k].field,
			    fg_json_get_u64(r, reasons[k].field), class_names[reasons[k].class],
			    reasons[k].text);
	for (size_t k = 0; k < FG_ARRAY_SIZE(notes); k++)
		fg_grid_row(&grid, "%s\t%" PRIu64 "\tnote\t%s", notes[k].field,
			    fg_json_get_u64(n, notes[k].field), notes[k].text);
	for (size_t k = 0; k < FG_ARRAY_SIZE(events); k++)
		fg_grid_row(&grid, "%s\t%" PRIu64 "\tevent\t%s", events[k].field,
			    fg_json_get_u64(e, events[k].field), events[k].text);
	fprintf(cli->out, "  Gate counters:\n");
	fg_grid_print(&grid, "    ", cli->out);
}

static int print_brief(struct fg_cli *cli, json_t *answer)
{
	const json_t *i;
	size_t k;

	json_array_foreach(json_object_get(answer, "interfaces"), k, i)
	{
		print_head(cli, i);
		print_verdicts(cli, i);
	}
	return FG_EXIT_OK;
}

static int print_extensive(struct fg_cli *cli, json_t *answer)
{
	const json_t *i;
	size_t k;

	json_array_foreach(json_object_get(answer, "interfaces"), k, i)
	{
		const json_t *s = json_object_get(i, "statistics");

		print_head(cli, i);
		print_traffic(cli, s);
		print_errors(cli, i, s);
		print_verdicts(cli, i);
		print_counters(cli, i);
	}
	return FG_EXIT_OK;
}

int fg_cmd_interfaces(struct fg_cli *cli, int argc, char **argv)
{
	bool extensive = cli->statistics;
	json_t *request;

	if (argc && strlen(argv[argc - 1]) > 1 && fg_abbreviates(argv[argc - 1], "extensive")) {
		extensive = true;
		argc--;
	}
	if (argc > 1)
		return fg_cli_usage("show interfaces", "unknown word `%s`", argv[1]);
	request = json_pack("{s:s}", "request", "interfaces");
	if (argc)
		(void)json_object_set_new(request, "interface", json_string(argv[0]));
	return fg_cli_look(cli, request, extensive ? print_extensive : print_brief);
}
