// SPDX-License-Identifier: MIT
/* The command table: words, function, usage and help of everything `fltgate` can do. */
#include "cli/commands.h"

#include <stddef.h>

const struct fg_command fg_commands[] = {
	{ "check", fg_cmd_check, "[FILE] [--print|--set|--reference]",
	  "is a configuration right? FILE:LINE:COLUMN of what is not; --print shows its normal form" },
	{ "load", fg_cmd_load, "FILE|-",
	  "replace the running configuration by FILE, whole or not at all" },
	{ "attach", fg_cmd_attach, "IFACE [mode native|generic] [--replace]",
	  "filter what an interface receives" },
	{ "detach", fg_cmd_detach, "IFACE|--all",
	  "stop filtering; --all also works without a daemon" },
	{ "status", fg_cmd_status, "", "is everything enforced? exit 4 and the reasons when not" },
	{ "show route table", fg_cmd_route_table, "inetflow.0|inet6flow.0 [detail|extensive]",
	  "the rules in order of precedence" },
	{ "show firewall", fg_cmd_firewall, "", "packets and bytes of each rule" },
	{ "show interfaces", fg_cmd_interfaces, "[IFACE] [extensive]",
	  "verdicts, drop reasons and errors" },
	{ "show bgp summary", fg_cmd_bgp_summary, "", "the neighbours and what each has given" },
	{ "show pfe firewall", fg_cmd_pfe_firewall, "", "which filter runs as FLT, which as DMEM" },
	{ "decode", fg_cmd_decode, "[--family inet|inet6] HEX [--communities HEX] | --sort",
	  "NLRI octets in words; --sort orders lines of `inet|inet6 HEX` from stdin by precedence" },
	{ "explain", fg_cmd_explain,
	  "--rules FILE --pcap FILE [--mode flt|dmem] [--guard|--no-guard]",
	  "which rule decides each packet of a capture, and why the others did not" },
	{ "show version", fg_cmd_version, "", "versions of program and daemon" },
	{ 0 },
};
