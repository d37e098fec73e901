// SPDX-License-Identifier: MIT
/* `explain`: runs the packets of a capture through the real programs and says what became of each, and why. */
#include <errno.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H /* it defines struct bpf_insn, as the kernel's own header does */
#include <pcap/pcap.h>
#include <pcap/dlt.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/explain.h"
#include "util/cleanup.h"

#define ETHER_TYPE 12
#define TAG_LEN 4

static void close_pcap(pcap_t **pcap)
{
	if (*pcap)
		pcap_close(*pcap);
}

/* 0, or an exit code with the usage printed. */
static int parse_option(struct fg_explain *explain, const char *name, const char *value)
{
	if (!value)
		return fg_cli_usage("explain", "%s needs a value", name);
	if (!strcmp(name, "--rules")) {
		explain->file.name = value;
	} else if (!strcmp(name, "--pcap")) {
		explain->pcap = value;
	} else {
		if (strcmp(value, "flt") != 0 && strcmp(value, "dmem") != 0)
			return fg_cli_usage("explain", "--mode is flt or dmem, not `%s`", value);
		explain->mode = strcmp(value, "flt") == 0 ? FG_MODE_FLT : FG_MODE_DMEM;
	}
	return 0;
}

static int parse_arguments(struct fg_explain *explain, int argc, char **argv)
{
	static const char *const with_value[] = { "--rules", "--pcap", "--mode" };

	for (int i = 0; i < argc; i++) {
		size_t o = 0, len = strcspn(argv[i], "=");
		int ret;

		if (!strcmp(argv[i], "--guard") || !strcmp(argv[i], "--no-guard")) {
			explain->guard = !strcmp(argv[i], "--guard");
			explain->no_guard = !explain->guard;
			continue;
		}
		while (o < FG_ARRAY_SIZE(with_value) &&
		       (strlen(with_value[o]) != len || strncmp(with_value[o], argv[i], len) != 0))
			o++;
		if (o == FG_ARRAY_SIZE(with_value))
			return fg_cli_usage("explain", "`%s` is not an option", argv[i]);
		ret = parse_option(explain, with_value[o],
				   argv[i][len] ? argv[i] + len + 1 : argv[++i]);
		if (ret)
			return ret;
	}
	if (!explain->file.name || !explain->pcap)
		return fg_cli_usage("explain", "both --rules and --pcap are needed");
	return 0;
}

static int open_pcap(const char *name, pcap_t **ret, struct fg_error *err)
{
	char text[PCAP_ERRBUF_SIZE] = "";
	pcap_t *pcap = pcap_open_offline(name, text);
	int link;

	if (!pcap)
		return fg_error_set(err, -EIO, "%s: %s", name, text);
	link = pcap_datalink(pcap);
	if (link != DLT_EN10MB) {
		const char *found = pcap_datalink_val_to_name(link);

		(void)fg_error_set(err, -EPROTONOSUPPORT, "%s: link type %s is not Ethernet", name,
				   found ? found : "unknown");
		(void)fg_error_fix(err, "capture on an Ethernet interface, not on 'any'");
		pcap_close(pcap);
		return -EPROTONOSUPPORT;
	}
	*ret = pcap;
	return 0;
}

/* The family whose tables judged the frame: the EtherType behind the VLAN tags. */
static enum fg_family frame_family(const uint8_t *frame, size_t len)
{
	size_t at = ETHER_TYPE;
	unsigned type = 0;

	for (; at + 2 <= len; at += TAG_LEN) {
		type = (unsigned)frame[at] << 8 | frame[at + 1];
		if (type != 0x8100 && type != 0x88a8)
			break;
	}
	return type == 0x86dd ? FG_INET6 : FG_INET;
}

static int explain_frame(struct fg_explain *explain, unsigned long number, const uint8_t *frame,
			 size_t len, struct fg_error *err)
{
	uint32_t action;
	int ret = fg_dp_run(explain->dp, frame, len, 1, &action, NULL, NULL, NULL, err);

	if (!ret)
		ret = fg_dp_trace(explain->dp, &explain->trace, err);
	if (!ret)
		fg_explain_print(explain, number, frame_family(frame, len));
	return ret;
}

/* Stops at the first packet that cannot be run: the numbering of the rest would be worth little. */
static int explain_packets(struct fg_explain *explain, pcap_t *pcap, struct fg_error *err)
{
	struct pcap_pkthdr *header;
	const u_char *frame;
	unsigned long number = 0;
	int more;

	while ((more = pcap_next_ex(pcap, &header, &frame)) == 1) {
		struct fg_error inner = { 0 };

		number++;
		if (header->caplen < header->len)
			fprintf(stderr,
				"packet %lu: only %u of %u octets were captured [warning]\n",
				number, header->caplen, header->len);
		if (explain_frame(explain, number, frame, header->caplen, &inner))
			return fg_error_set(err, inner.code, "%s: packet %lu: %.300s",
					    explain->pcap, number, inner.what);
	}
	if (more != PCAP_ERROR_BREAK)
		return fg_error_set(err, -EIO, "%s: %s", explain->pcap, pcap_geterr(pcap));
	return 0;
}

/* A bad rule is shown as a compiler shows it. */
static int read_rules(struct fg_explain *explain)
{
	struct fg_error err = { 0 };

	if (!fg_rule_file_read(&explain->file, &err))
		return FG_EXIT_OK;
	if (err.code != -EINVAL)
		return fg_cli_error(&err);
	fprintf(stderr, "%s\n", err.what);
	if (err.fix[0])
		fprintf(stderr, "  try: %s\n", err.fix);
	return FG_EXIT_USAGE;
}

static int run(struct fg_explain *explain)
{
	FG_CLEANUP(close_pcap) pcap_t *pcap = NULL;
	struct fg_error err = { 0 };
	int ret = open_pcap(explain->pcap, &pcap, &err);

	if (!ret)
		ret = fg_explain_install(explain, &err);
	if (!ret)
		ret = explain_packets(explain, pcap, &err);
	if (ret)
		return fg_cli_error(&err);
	return explain->partly ? FG_EXIT_PARTLY : FG_EXIT_OK;
}

int fg_cmd_explain(struct fg_cli *cli, int argc, char **argv)
{
	FG_CLEANUP(fg_explain_clean)
	struct fg_explain explain = { .cli = cli, .mode = FG_MODE_FLT };
	int ret = parse_arguments(&explain, argc, argv);

	if (!ret)
		ret = read_rules(&explain);
	return ret ? ret : run(&explain);
}
