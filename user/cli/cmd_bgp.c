// SPDX-License-Identifier: MIT
/* `show bgp summary`: the neighbours and what each has given. */
#include <inttypes.h>
#include <string.h>

#include "cli/commands.h"
#include "util/json.h"

static bool established(const json_t *peer)
{
	return !strcmp(fg_json_text(peer, "state"), "Established");
}

/* Junos shortens the state of a working session; active/received/accepted/stale per table
 * follow. */
static void print_tables(struct fg_cli *cli, json_t *peer)
{
	const char *table;
	json_t *c;

	json_object_foreach(json_object_get(peer, "tables"), table, c)
		fprintf(cli->out,
			"  %s: %" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT
			"/%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT "\n",
			table, fg_json_get_int(c, "active"), fg_json_get_int(c, "received"),
			fg_json_get_int(c, "accepted"), fg_json_get_int(c, "stale"));
}

static void print_peer(struct fg_cli *cli, json_t *peer)
{
	char age[32];

	fprintf(cli->out,
		"%-24s %10" JSON_INTEGER_FORMAT " %10" PRIu64 " %10" PRIu64
		" %7" JSON_INTEGER_FORMAT " %14s %s\n",
		fg_json_text(peer, "peer"), fg_json_get_int(peer, "as"),
		fg_json_get_u64(peer, "messages_in"), fg_json_get_u64(peer, "messages_out"),
		fg_json_get_int(peer, "flaps"), fg_cli_age(fg_json_get_int(peer, "since"), age),
		established(peer) ? "Establ" : fg_json_text(peer, "state"));
	print_tables(cli, peer);
	if (cli->statistics)
		fprintf(cli->out,
			"  updates %" PRIu64 ", withdraws %" PRIu64 ", malformed %" PRIu64
			", over the limit %" PRIu64 ", other families %" PRIu64
			", hold time %" JSON_INTEGER_FORMAT " s, router id %s\n",
			fg_json_get_u64(peer, "updates"), fg_json_get_u64(peer, "withdraws"),
			fg_json_get_u64(peer, "malformed"), fg_json_get_u64(peer, "refused"),
			fg_json_get_u64(peer, "ignored"), fg_json_get_int(peer, "hold_time"),
			fg_json_text(peer, "router_id"));
	if (!established(peer) && *fg_json_text(peer, "last_error"))
		fprintf(cli->out, "  last error: %s\n", fg_json_text(peer, "last_error"));
}

static int print_summary(struct fg_cli *cli, json_t *answer)
{
	const json_t *peers = json_object_get(answer, "peers");
	json_t *peer;
	size_t i, down = 0;

	json_array_foreach(peers, i, peer) down += !established(peer);
	fprintf(cli->out, "Local AS: %" JSON_INTEGER_FORMAT "  Peers: %zu  Down peers: %zu\n",
		fg_json_get_int(answer, "as"), json_array_size(peers), down);
	fprintf(cli->out, "%-24s %10s %10s %10s %7s %14s %s\n", "Peer", "AS", "InPkt", "OutPkt",
		"Flaps", "Last Up/Dwn", "State|#Active/Received/Accepted/Stale");
	json_array_foreach(peers, i, peer) print_peer(cli, peer);
	return FG_EXIT_OK;
}

int fg_cmd_bgp_summary(struct fg_cli *cli, int argc, char **argv)
{
	if (argc)
		return fg_cli_usage("show bgp summary", "`%s` is too much", argv[0]);
	return fg_cli_look(cli, json_pack("{s:s}", "request", "bgp-summary"), print_summary);
}
