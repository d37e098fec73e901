// SPDX-License-Identifier: MIT
/* `decode`: NLRI octets to Junos text or JSON, and lines of NLRIs into their order of precedence. No daemon needed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/rulefile.h"
#include "util/cleanup.h"
#include "util/hex.h"

#define FIELD_MAX 65536

struct decode {
	enum fg_family family;
	const char *hex, *communities;
	bool sort;
	struct fg_actions actions;
};

/* Value of the option argv[*i], behind it or after `=`; NULL when it is not this option. */
static const char *option_value(char **argv, int *i, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(argv[*i], name, len) != 0)
		return NULL;
	if (argv[*i][len] == '=')
		return argv[*i] + len + 1;
	if (argv[*i][len] || !argv[*i + 1])
		return NULL;
	return argv[++*i];
}

static int set_family(struct decode *decode, const char *word)
{
	if (strcmp(word, "inet") != 0 && strcmp(word, "inet6") != 0)
		return fg_cli_usage("decode", "`%s` is neither inet nor inet6", word);
	decode->family = word[4] ? FG_INET6 : FG_INET;
	return 0;
}

/* 0, or an exit code with the usage printed. */
static int parse_arguments(struct decode *decode, int argc, char **argv)
{
	int ret = 0;

	for (int i = 0; !ret && i < argc; i++) {
		const char *value;

		if (!strcmp(argv[i], "--sort"))
			decode->sort = true;
		else if ((value = option_value(argv, &i, "--family")))
			ret = set_family(decode, value);
		else if ((value = option_value(argv, &i, "--communities")))
			decode->communities = value;
		else if (argv[i][0] == '-')
			ret = fg_cli_usage("decode", "unknown option or missing value: `%s`",
					   argv[i]);
		else if (decode->hex)
			ret = fg_cli_usage("decode", "`%s` is too much", argv[i]);
		else
			decode->hex = argv[i];
	}
	if (!ret && !decode->hex == !decode->sort)
		ret = fg_cli_usage("decode", decode->sort ? "--sort reads lines from stdin"
							  : "which octets?");
	return ret;
}

/* --- one NLRI ------------------------------------------------------------------------------------------- */

/* "a; b;" as statements of a block, one per line. */
static void print_statements(FILE *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ";") + 1;

		fprintf(out, "    %.*s\n", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
}

/* As Junos writes a route: a single action stands without a block. */
static void print_text(FILE *out, const char *match, const char *then)
{
	fputs("match {\n", out);
	print_statements(out, match);
	if (strchr(then, ';') == strrchr(then, ';')) {
		fprintf(out, "}\nthen %s\n", then);
		return;
	}
	fputs("}\nthen {\n", out);
	print_statements(out, then);
	fputs("}\n", out);
}

static int print_rule(struct fg_cli *cli, const struct decode *decode, const struct fg_flow *flow)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf match = { 0 }, then = { 0 }, hex = { 0 };
	uint8_t value[FG_NLRI_MAX], head[2];
	int len = fg_flow_encode(flow, value, sizeof(value));

	if (len < 0)
		return FG_EXIT_FAILED;
	fg_hex_print(head, fg_flow_encode_length((size_t)len, head), &hex);
	fg_hex_print(value, (size_t)len, &hex);
	fg_flow_print(flow, &match);
	fg_actions_print(&decode->actions, &then);
	if (!fg_buf_text(&match) || !fg_buf_text(&then) || !fg_buf_text(&hex))
		return FG_EXIT_FAILED;
	if (cli->json)
		fg_cli_print_json(cli,
				  json_pack("{s:s, s:s, s:s, s:s}", "family",
					    decode->family == FG_INET6 ? "inet6" : "inet", "nlri",
					    hex.data, "match", match.data, "then", then.data));
	else
		print_text(cli->out, match.data, then.data);
	return FG_EXIT_OK;
}

/* What is wrong is the answer: it goes where an answer goes. */
static int print_fault(struct fg_cli *cli, const struct decode *decode, const char *kind,
		       const char *reason, long octet)
{
	if (cli->json) {
		json_t *document = json_pack("{s:s, s:s, s:s}", "family",
					     decode->family == FG_INET6 ? "inet6" : "inet", "error",
					     kind, "reason", reason);

		if (octet >= 0)
			(void)json_object_set_new(document, "octet", json_integer(octet));
		fg_cli_print_json(cli, document);
	} else if (octet >= 0) {
		fprintf(cli->out, "%s: %s at octet %ld\n", kind, reason, octet);
	} else {
		fprintf(cli->out, "%s: %s\n", kind, reason);
	}
	return FG_EXIT_FAILED;
}

/* All NLRIs of the field; a malformed one leaves the others readable, lost framing does not. */
static int decode_field(struct fg_cli *cli, const struct decode *decode, const uint8_t *field,
			size_t len)
{
	FG_AUTO_FREE struct fg_flow *flow = malloc(sizeof(*flow));
	int status = FG_EXIT_OK;
	size_t pos = 0;

	if (!flow)
		return FG_EXIT_FAILED;
	do {
		struct fg_flow_fault fault = { 0 };
		size_t used = len - pos;
		int ret = fg_flow_decode_field(decode->family, field + pos, len - pos, flow, &used,
					       &fault);

		if (ret)
			status = print_fault(cli, decode, ret == -EPROTO ? "FRAMING" : "MALFORMED",
					     fault.reason, (long)(pos + fault.octet));
		else if (print_rule(cli, decode, flow))
			return FG_EXIT_FAILED;
		pos += used;
	} while (pos < len);
	return status;
}

static int decode_communities(struct fg_cli *cli, struct decode *decode)
{
	static uint8_t octets[FIELD_MAX];
	struct fg_error err = { 0 };
	ssize_t len = fg_hex_parse(decode->communities, octets, sizeof(octets));

	if (len < 0)
		return fg_cli_usage("decode", "the communities are not hexadecimal");
	if (fg_actions_decode(octets, (size_t)len, NULL, 0, &decode->actions, &err))
		return print_fault(cli, decode, "MALFORMED", err.what, -1);
	return 0;
}

static int decode_hex(struct fg_cli *cli, struct decode *decode)
{
	static uint8_t field[FIELD_MAX];
	ssize_t len = fg_hex_parse(decode->hex, field, sizeof(field));
	int ret;

	if (len < 0)
		return fg_cli_usage("decode", "`%.64s` is not hexadecimal, or too long",
				    decode->hex);
	ret = decode->communities ? decode_communities(cli, decode) : 0;
	return ret ? ret : decode_field(cli, decode, field, (size_t)len);
}

/* --- many ----------------------------------------------------------------------------------------------- */

static int sort_lines(struct fg_cli *cli)
{
	FG_CLEANUP(fg_rule_file_clean) struct fg_rule_file file = { .name = "stdin" };
	struct fg_error err = { 0 };
	int ret = fg_rule_file_read_lines(&file, stdin, &err);

	if (ret) {
		(void)fg_cli_error(&err);
		return ret == -EINVAL ? FG_EXIT_USAGE : FG_EXIT_FAILED;
	}
	fg_rule_file_sort(&file);
	for (size_t i = 0; i < file.n; i++)
		fprintf(cli->out, "%s\n", file.rules[i].text);
	return FG_EXIT_OK;
}

int fg_cmd_decode(struct fg_cli *cli, int argc, char **argv)
{
	struct decode decode = { .family = FG_INET };
	int ret = parse_arguments(&decode, argc, argv);

	if (ret)
		return ret;
	return decode.sort ? sort_lines(cli) : decode_hex(cli, &decode);
}
