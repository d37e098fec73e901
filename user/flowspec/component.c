// SPDX-License-Identifier: MIT
/* The component table: types of RFC 8955 section 4.2.2 and RFC 8956 section 3, their words and limits. */
#include "flowspec/component.h"

#include <string.h>

#include "util/cleanup.h"

#define INET (1U << FG_INET)
#define INET6 (1U << FG_INET6)
#define BOTH (INET | INET6)

static const struct fg_name protocols[] = {
	{ "icmp", BOTH, 1 },      { "igmp", BOTH, 2 },    { "ipip", BOTH, 4 },
	{ "tcp", BOTH, 6 },       { "egp", BOTH, 8 },     { "udp", BOTH, 17 },
	{ "dccp", BOTH, 33 },     { "ipv6", BOTH, 41 },   { "rsvp", BOTH, 46 },
	{ "gre", BOTH, 47 },      { "esp", BOTH, 50 },    { "ah", BOTH, 51 },
	{ "icmp6", BOTH, 58 },    { "icmpv6", BOTH, 58 }, { "ospf", BOTH, 89 },
	{ "pim", BOTH, 103 },     { "vrrp", BOTH, 112 },  { "sctp", BOTH, 132 },
	{ "udplite", BOTH, 136 },
};

static const struct fg_name ports[] = {
	{ "ftp-data", BOTH, 20 },    { "ftp", BOTH, 21 },          { "ssh", BOTH, 22 },
	{ "telnet", BOTH, 23 },      { "smtp", BOTH, 25 },         { "domain", BOTH, 53 },
	{ "bootps", BOTH, 67 },      { "bootpc", BOTH, 68 },       { "dhcp", BOTH, 67 },
	{ "tftp", BOTH, 69 },        { "http", BOTH, 80 },         { "kerberos-sec", BOTH, 88 },
	{ "pop3", BOTH, 110 },       { "sunrpc", BOTH, 111 },      { "ntp", BOTH, 123 },
	{ "netbios-ns", BOTH, 137 }, { "netbios-dgm", BOTH, 138 }, { "netbios-ssn", BOTH, 139 },
	{ "imap", BOTH, 143 },       { "snmp", BOTH, 161 },        { "snmptrap", BOTH, 162 },
	{ "bgp", BOTH, 179 },        { "ldap", BOTH, 389 },        { "https", BOTH, 443 },
	{ "syslog", BOTH, 514 },     { "ldp", BOTH, 646 },         { "radius", BOTH, 1812 },
	{ "radacct", BOTH, 1813 },
};

static const struct fg_name icmp_types[] = {
	{ "echo-reply", INET, 0 },           { "unreachable", INET, 3 },
	{ "source-quench", INET, 4 },        { "redirect", INET, 5 },
	{ "echo-request", INET, 8 },         { "router-advertisement", INET, 9 },
	{ "router-solicit", INET, 10 },      { "time-exceeded", INET, 11 },
	{ "parameter-problem", INET, 12 },   { "timestamp", INET, 13 },
	{ "timestamp-reply", INET, 14 },     { "info-request", INET, 15 },
	{ "info-reply", INET, 16 },          { "mask-request", INET, 17 },
	{ "mask-reply", INET, 18 },          { "destination-unreachable", INET6, 1 },
	{ "packet-too-big", INET6, 2 },      { "time-exceeded", INET6, 3 },
	{ "parameter-problem", INET6, 4 },   { "echo-request", INET6, 128 },
	{ "echo-reply", INET6, 129 },        { "membership-query", INET6, 130 },
	{ "membership-report", INET6, 131 }, { "membership-termination", INET6, 132 },
	{ "router-solicit", INET6, 133 },    { "router-advertisement", INET6, 134 },
	{ "neighbor-solicit", INET6, 135 },  { "neighbor-advertisement", INET6, 136 },
	{ "redirect", INET6, 137 },
};

static const struct fg_name dscps[] = {
	{ "be", BOTH, 0 },    { "cs0", BOTH, 0 },   { "cs1", BOTH, 8 },  { "af11", BOTH, 10 },
	{ "af12", BOTH, 12 }, { "af13", BOTH, 14 }, { "cs2", BOTH, 16 }, { "af21", BOTH, 18 },
	{ "af22", BOTH, 20 }, { "af23", BOTH, 22 }, { "cs3", BOTH, 24 }, { "af31", BOTH, 26 },
	{ "af32", BOTH, 28 }, { "af33", BOTH, 30 }, { "cs4", BOTH, 32 }, { "af41", BOTH, 34 },
	{ "af42", BOTH, 36 }, { "af43", BOTH, 38 }, { "cs5", BOTH, 40 }, { "ef", BOTH, 46 },
	{ "cs6", BOTH, 48 },  { "cs7", BOTH, 56 },
};

static const struct fg_name tcp_flags[] = {
	{ "fin", BOTH, 0x01 },  { "syn", BOTH, 0x02 }, { "rst", BOTH, 0x04 },
	{ "push", BOTH, 0x08 }, { "ack", BOTH, 0x10 }, { "urgent", BOTH, 0x20 },
	{ "ece", BOTH, 0x40 },  { "cwr", BOTH, 0x80 }, { "ns", BOTH, 0x100 },
	{ "psh", BOTH, 0x08 },  { "urg", BOTH, 0x20 },
};

static const struct fg_name fragments[] = {
	{ "dont-fragment", INET, FG_FRAG_DF },
	{ "is-fragment", BOTH, FG_FRAG_ISF },
	{ "first-fragment", BOTH, FG_FRAG_FF },
	{ "last-fragment", BOTH, FG_FRAG_LF },
};

#define NAMES(table) .names = (table), .n_names = FG_ARRAY_SIZE(table)
#define ANY_WIDTH (1 | 2 | 4 | 8)
#define ALL                            \
	{                              \
		UINT64_MAX, UINT64_MAX \
	}
#define MAX(value) .keep = ALL, .max = { (value), (value) }
#define PORT(word)                                                                                \
	{                                                                                         \
		.keyword = (word), .kind = FG_KIND_NUMBER, .families = BOTH, .widths = ANY_WIDTH, \
		MAX(0xffff), NAMES(ports)                                                         \
	}

/* Widths: only types 9, 11 and 12 say MUST (RFC 8955 4.2.2.9, .11, .12), the others SHOULD. */
static const struct fg_component components[FG_FLOW_TYPES] = {
	[FG_FLOW_DST] = { .keyword = "destination", .kind = FG_KIND_PREFIX, .families = BOTH },
	[FG_FLOW_SRC] = { .keyword = "source", .kind = FG_KIND_PREFIX, .families = BOTH },
	[FG_FLOW_PROTOCOL] = { .keyword = "protocol",
			       .alias = "next-header",
			       .kind = FG_KIND_NUMBER,
			       .families = BOTH,
			       .widths = ANY_WIDTH,
			       MAX(0xff),
			       NAMES(protocols),
			       .print_names = true },
	[FG_FLOW_PORT] = PORT("port"),
	[FG_FLOW_DPORT] = PORT("destination-port"),
	[FG_FLOW_SPORT] = PORT("source-port"),
	[FG_FLOW_ICMP_TYPE] = { .keyword = "icmp-type",
				.alias = "icmp6-type",
				.kind = FG_KIND_NUMBER,
				.families = BOTH,
				.widths = ANY_WIDTH,
				MAX(0xff),
				NAMES(icmp_types) },
	[FG_FLOW_ICMP_CODE] = { .keyword = "icmp-code",
				.alias = "icmp6-code",
				.kind = FG_KIND_NUMBER,
				.families = BOTH,
				.widths = ANY_WIDTH,
				MAX(0xff) },
	[FG_FLOW_TCP_FLAGS] = { .keyword = "tcp-flags",
				.kind = FG_KIND_BITS,
				.families = BOTH,
				.widths = 1 | 2,
				MAX(0xfff),
				NAMES(tcp_flags),
				.print_names = true },
	/* An IPv6 packet's length is 40 + payload length (RFC 8956 keeps the definition of RFC 8955). */
	[FG_FLOW_LENGTH] = { .keyword = "packet-length",
			     .kind = FG_KIND_NUMBER,
			     .families = BOTH,
			     .widths = ANY_WIDTH,
			     .keep = ALL,
			     .max = { 0xffff, 0xffff + 40 } },
	[FG_FLOW_DSCP] = { .keyword = "dscp",
			   .kind = FG_KIND_NUMBER,
			   .families = BOTH,
			   .widths = 1,
			   .keep = { 0x3f, 0x3f },
			   .max = { 0x3f, 0x3f },
			   NAMES(dscps) },
	/* IPv6 has no DF bit: RFC 8956 section 3.6 makes its place one to be ignored. */
	[FG_FLOW_FRAGMENT] = { .keyword = "fragment",
			       .kind = FG_KIND_BITS,
			       .families = BOTH,
			       .widths = 1,
			       .keep = { 0x0f, 0x0e },
			       .max = { 0x0f, 0x0e },
			       NAMES(fragments),
			       .print_names = true },
	[FG_FLOW_LABEL] = { .keyword = "flow-label",
			    .kind = FG_KIND_NUMBER,
			    .families = INET6,
			    .widths = ANY_WIDTH,
			    MAX(0xfffff) },
};

const struct fg_component *fg_component(enum fg_family family, unsigned type)
{
	if (type >= FG_FLOW_TYPES || !(components[type].families & (1U << family)))
		return NULL;
	return &components[type];
}

unsigned fg_component_type(const char *keyword)
{
	for (unsigned type = FG_FLOW_DST; type < FG_FLOW_TYPES; type++) {
		const struct fg_component *c = &components[type];

		if (!strcmp(keyword, c->keyword) || (c->alias && !strcmp(keyword, c->alias)))
			return type;
	}
	return 0;
}

/* As the MX301 article prints its rules: prefixes last. */
unsigned fg_component_printed(size_t i)
{
	static const uint8_t order[] = {
		FG_FLOW_PROTOCOL,  FG_FLOW_PORT,      FG_FLOW_DPORT,     FG_FLOW_SPORT,
		FG_FLOW_ICMP_TYPE, FG_FLOW_ICMP_CODE, FG_FLOW_TCP_FLAGS, FG_FLOW_LENGTH,
		FG_FLOW_DSCP,      FG_FLOW_FRAGMENT,  FG_FLOW_LABEL,     FG_FLOW_DST,
		FG_FLOW_SRC,
	};

	return i < FG_ARRAY_SIZE(order) ? order[i] : 0;
}

const char *fg_flow_keyword(size_t i)
{
	unsigned type = fg_component_printed(i);

	return type ? components[type].keyword : NULL;
}

bool fg_name_value(const struct fg_component *component, enum fg_family family, const char *word,
		   size_t len, uint64_t *ret_value)
{
	for (size_t i = 0; i < component->n_names; i++) {
		const struct fg_name *name = &component->names[i];

		if (!(name->families & (1U << family)) || strlen(name->text) != len ||
		    memcmp(name->text, word, len) != 0)
			continue;
		*ret_value = name->value;
		return true;
	}
	return false;
}
