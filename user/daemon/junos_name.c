// SPDX-License-Identifier: MIT
/* Names of rules as Junos writes them: destination, source, then each further component. */
#include <arpa/inet.h>
#include <inttypes.h>

#include "daemon/views.h"

static const char *const component_names[FG_FLOW_TYPES] = {
	[FG_FLOW_PROTOCOL] = "proto",      [FG_FLOW_PORT] = "port",
	[FG_FLOW_DPORT] = "dstport",       [FG_FLOW_SPORT] = "srcport",
	[FG_FLOW_ICMP_TYPE] = "icmp-type", [FG_FLOW_ICMP_CODE] = "icmp-code",
	[FG_FLOW_TCP_FLAGS] = "tcp-flag",  [FG_FLOW_LENGTH] = "len",
	[FG_FLOW_DSCP] = "dscp",           [FG_FLOW_FRAGMENT] = "frag",
	[FG_FLOW_LABEL] = "label",
};

static void add_prefix(struct fg_buf *out, const struct fg_flow *flow, enum fg_flow_type type)
{
	const struct fg_flow_prefix *prefix = type == FG_FLOW_DST ? &flow->dst : &flow->src;
	unsigned whole = flow->family == FG_INET ? 32 : 128;
	char text[INET6_ADDRSTRLEN] = "";

	if (!(flow->present & (1U << type))) {
		fg_buf_printf(out, "*");
		return;
	}
	(void)inet_ntop(flow->family == FG_INET ? AF_INET : AF_INET6, prefix->addr, text,
			sizeof(text));
	fg_buf_printf(out, "%s", text);
	if (prefix->length != whole || prefix->offset)
		fg_buf_printf(out, "/%u", prefix->length);
	if (prefix->offset)
		fg_buf_printf(out, "-%u", prefix->offset);
}

static bool is_bitmask(enum fg_flow_type type)
{
	return type == FG_FLOW_TCP_FLAGS || type == FG_FLOW_FRAGMENT;
}

static void add_op(struct fg_buf *out, enum fg_flow_type type, const struct fg_flow_op *op,
		   bool first)
{
	static const char *const compare[8] = { "false", "=", ">", ">=", "<", "<=", "!=", "true" };

	if (!first)
		fg_buf_printf(out, op->bits & FG_OP_AND ? "&" : ",");
	if (is_bitmask(type))
		fg_buf_printf(out, "%s:%s%" PRIx64, op->bits & FG_OP_NOT ? "!" : "",
			      op->bits & FG_OP_MATCH ? "=" : "", op->value);
	else
		fg_buf_printf(out, "%s%" PRIu64, compare[op->bits & 7], op->value);
}

char *fg_junos_name(enum fg_family family, const uint8_t *nlri, size_t len)
{
	static struct fg_flow flow;
	struct fg_flow_fault fault;
	struct fg_buf out = { 0 };

	if (fg_flow_decode(family, nlri, len, &flow, &fault) < 0) {
		fg_buf_printf(&out, "?");
		return fg_buf_take(&out);
	}
	add_prefix(&out, &flow, FG_FLOW_DST);
	fg_buf_printf(&out, ",");
	add_prefix(&out, &flow, FG_FLOW_SRC);
	for (unsigned type = FG_FLOW_PROTOCOL; type < FG_FLOW_TYPES; type++) {
		if (!(flow.present & (1U << type)))
			continue;
		fg_buf_printf(&out, ",%s", component_names[type]);
		for (unsigned i = 0; i < flow.count[type]; i++)
			add_op(&out, (enum fg_flow_type)type, &flow.op[flow.first[type] + i],
			       i == 0);
	}
	return fg_buf_take(&out);
}
