// SPDX-License-Identifier: MIT
/* Rules that look like mistakes: those that no packet, or every packet, can match. Guesses only where it is sure. */
#include <netinet/in.h>

#include "conf/check.h"
#include "util/cleanup.h"

/* Longer lists are not looked at: the work grows with their square. */
#define OPS_MAX 256

/* Fragment bits of a packet (RFC 8955 section 4.2.2.12). */
enum fragment_bits { DF = 1, ISF = 2, FF = 4, LF = 8 };

static bool has(const struct fg_flow *flow, enum fg_flow_type type)
{
	return flow->present & 1U << type;
}

static bool compare(const struct fg_flow_op *op, uint64_t value)
{
	return ((op->bits & FG_OP_LT) && value < op->value) ||
	       ((op->bits & FG_OP_GT) && value > op->value) ||
	       ((op->bits & FG_OP_EQ) && value == op->value);
}

/* A one-octet operator looks at the low octet (RFC 8955 section 4.2.2.9). */
static bool test_bits(const struct fg_flow_op *op, uint64_t value)
{
	uint64_t seen = value & op->value;
	bool holds = op->bits & FG_OP_MATCH ? seen == op->value : seen != 0;

	return op->bits & FG_OP_NOT ? !holds : holds;
}

/* OR of groups joined by AND; the first operator's AND counts as unset (RFC 8955 section 4.2.1). */
static bool holds(const struct fg_flow *flow, enum fg_flow_type type, uint64_t value)
{
	const struct fg_flow_op *ops = &flow->op[flow->first[type]];
	bool bits = type == FG_FLOW_TCP_FLAGS || type == FG_FLOW_FRAGMENT, group = false;

	for (unsigned i = 0; i < flow->count[type]; i++) {
		bool one = bits ? test_bits(&ops[i], value) : compare(&ops[i], value);

		if (i && ops[i].bits & FG_OP_AND)
			group = group && one;
		else if (group)
			return true;
		else
			group = one;
	}
	return group;
}

/* A list changes its mind only beside the values it names. */
static bool can_hold(const struct fg_flow *flow, enum fg_flow_type type, uint64_t min, uint64_t max)
{
	const struct fg_flow_op *ops = &flow->op[flow->first[type]];

	if (flow->count[type] > OPS_MAX || holds(flow, type, min) || holds(flow, type, max))
		return true;
	for (unsigned i = 0; i < flow->count[type]; i++)
		for (int beside = -1; beside <= 1; beside++) {
			uint64_t value = ops[i].value + (uint64_t)(int64_t)beside;

			if (value >= min && value <= max && holds(flow, type, value))
				return true;
		}
	return false;
}

static bool flags_can_hold(const struct fg_flow *flow)
{
	if (flow->count[FG_FLOW_TCP_FLAGS] > OPS_MAX)
		return true;
	for (uint64_t flags = 0; flags < 0x1000; flags++)
		if (holds(flow, FG_FLOW_TCP_FLAGS, flags))
			return true;
	return false;
}

/* Components that only the first fragment, or a whole packet, can have. */
static bool needs_header(const struct fg_flow *flow)
{
	return flow->present &
	       (1U << FG_FLOW_PORT | 1U << FG_FLOW_DPORT | 1U << FG_FLOW_SPORT |
		1U << FG_FLOW_ICMP_TYPE | 1U << FG_FLOW_ICMP_CODE | 1U << FG_FLOW_TCP_FLAGS);
}

static bool fragment_can_hold(const struct fg_flow *flow)
{
	static const uint8_t states[] = { 0, FF, ISF, ISF | LF };
	size_t n = needs_header(flow) ? 2 : FG_ARRAY_SIZE(states);

	for (size_t i = 0; i < n; i++) {
		if (holds(flow, FG_FLOW_FRAGMENT, states[i]))
			return true;
		if (flow->family == FG_INET && holds(flow, FG_FLOW_FRAGMENT, states[i] | DF))
			return true;
	}
	return false;
}

/* Ports are those of TCP and UDP, flags of TCP, types and codes of the family's ICMP. */
static bool protocol_can_hold(const struct fg_flow *flow)
{
	const uint8_t protocols[] = { IPPROTO_TCP, IPPROTO_UDP,
				      flow->family == FG_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6 };
	enum { TCP = 1, UDP = 2, ICMP = 4, ALL = 7 };
	unsigned may = ALL;

	if (has(flow, FG_FLOW_PORT) || has(flow, FG_FLOW_DPORT) || has(flow, FG_FLOW_SPORT))
		may &= TCP | UDP;
	if (has(flow, FG_FLOW_TCP_FLAGS))
		may &= TCP;
	if (has(flow, FG_FLOW_ICMP_TYPE) || has(flow, FG_FLOW_ICMP_CODE))
		may &= ICMP;
	if (may == ALL)
		return true;
	for (unsigned i = 0; i < FG_ARRAY_SIZE(protocols); i++)
		if (may & 1U << i &&
		    (!has(flow, FG_FLOW_PROTOCOL) || holds(flow, FG_FLOW_PROTOCOL, protocols[i])))
			return true;
	return false;
}

/* What each numeric component can be in a packet. */
static const struct {
	enum fg_flow_type type;
	uint64_t min[FG_FAMILIES], max[FG_FAMILIES];
	const char *never;
} ranges[] = {
	{ FG_FLOW_PROTOCOL, { 0, 0 }, { 255, 255 }, "no protocol holds its condition" },
	{ FG_FLOW_PORT, { 0, 0 }, { 65535, 65535 }, "no `port` holds its condition" },
	{ FG_FLOW_DPORT, { 0, 0 }, { 65535, 65535 }, "no `destination-port` holds its condition" },
	{ FG_FLOW_SPORT, { 0, 0 }, { 65535, 65535 }, "no `source-port` holds its condition" },
	{ FG_FLOW_ICMP_TYPE, { 0, 0 }, { 255, 255 }, "no `icmp-type` holds its condition" },
	{ FG_FLOW_ICMP_CODE, { 0, 0 }, { 255, 255 }, "no `icmp-code` holds its condition" },
	{ FG_FLOW_LENGTH,
	  { 20, 40 },
	  { 65535, 65575 },
	  "no packet has such a length (its IP header counts)" },
	{ FG_FLOW_DSCP, { 0, 0 }, { 63, 63 }, "no `dscp` holds its condition" },
	{ FG_FLOW_LABEL, { 0, 0 }, { 0xfffff, 0xfffff }, "no `flow-label` holds its condition" },
};

const char *fg_lint_never(const struct fg_flow *flow)
{
	for (size_t i = 0; i < FG_ARRAY_SIZE(ranges); i++)
		if (has(flow, ranges[i].type) &&
		    !can_hold(flow, ranges[i].type, ranges[i].min[flow->family],
			      ranges[i].max[flow->family]))
			return ranges[i].never;
	if (has(flow, FG_FLOW_TCP_FLAGS) && !flags_can_hold(flow))
		return "no `tcp-flags` hold its condition";
	if (!protocol_can_hold(flow))
		return "its protocol has no such fields (ports: TCP, UDP; tcp-flags: TCP; icmp: ICMP of the family)";
	if (has(flow, FG_FLOW_FRAGMENT) && !fragment_can_hold(flow))
		return needs_header(flow) ? "later fragments have no ports, ICMP types or TCP flags"
					  : "no fragment holds its condition";
	return NULL;
}

bool fg_lint_everything(const struct fg_flow *flow)
{
	const unsigned prefixes = 1U << FG_FLOW_DST | 1U << FG_FLOW_SRC;

	return !(flow->present & ~prefixes) && (!has(flow, FG_FLOW_DST) || flow->dst.length == 0) &&
	       (!has(flow, FG_FLOW_SRC) || flow->src.length == 0);
}
