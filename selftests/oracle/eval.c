// SPDX-License-Identifier: MIT
/* Oracle: evaluate rules on a packet exactly as the RFC text reads, operator by operator. */
#include "oracle.h"

#include <string.h>

static uint64_t value_of(const uint8_t *p, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width; i++)
		v = v << 8 | p[i];
	return v;
}

/* RFC 8955 4.2.1.1: lt, gt and eq are tested and OR-ed; none is false, all three are true. */
static bool numeric_holds(uint8_t op, uint64_t data, uint64_t value)
{
	return ((op & 0x04) && data < value) || ((op & 0x02) && data > value) ||
	       ((op & 0x01) && data == value);
}

/* RFC 8955 4.2.1.2: m asks for all bits of the value, otherwise any; not inverts. */
static bool bitmask_holds(uint8_t op, uint64_t data, uint64_t value)
{
	bool r = op & 0x01 ? (data & value) == value : (data & value) != 0;

	return op & 0x02 ? !r : r;
}

static bool op_holds(const struct fgo_comp *c, const uint8_t *op, size_t width, uint64_t data)
{
	uint64_t value = value_of(op + 1, width);

	if (c->type == FGO_FRAGMENT)
		return bitmask_holds(*op, data, value);
	if (c->type == FGO_TCP_FLAGS)
		return bitmask_holds(*op, width == 1 ? data & 0xff : data, value);
	return numeric_holds(*op, data, value);
}

bool fgo_list_holds(const struct fgo_rule *rule, const struct fgo_comp *c, uint64_t data)
{
	const uint8_t *p = rule->value + c->at, *end = p + c->data_len;
	bool any = false, group = false;

	while (p < end) {
		size_t width = (size_t)1 << ((*p >> 4) & 3);
		bool r = op_holds(c, p, width, data);

		if (*p & 0x40) {
			group = group && r; /* AND binds tighter than OR */
		} else {
			any |= group;
			group = r;
		}
		p += 1 + width;
	}
	return any || group;
}

static bool prefix_holds(const struct fgo_comp *c, const uint8_t *addr)
{
	for (unsigned int i = c->poff; i < c->plen; i++) {
		unsigned int j = i - c->poff;

		if (((addr[i / 8] >> (7 - i % 8)) ^ (c->pattern[j / 8] >> (7 - j % 8))) & 1)
			return false;
	}
	return true;
}

static bool comp_holds(const struct fgo_rule *r, const struct fgo_comp *c,
		       const struct fgo_packet *k)
{
	switch (c->type) {
	case FGO_DST:
		return prefix_holds(c, k->dst);
	case FGO_SRC:
		return prefix_holds(c, k->src);
	case FGO_PROTO:
		return k->has_proto && fgo_list_holds(r, c, k->proto);
	case FGO_PORT: /* the whole list for one of the two ports, never a mix */
		return k->has_ports &&
		       (fgo_list_holds(r, c, k->sport) || fgo_list_holds(r, c, k->dport));
	case FGO_DPORT:
		return k->has_ports && fgo_list_holds(r, c, k->dport);
	case FGO_SPORT:
		return k->has_ports && fgo_list_holds(r, c, k->sport);
	case FGO_ICMP_TYPE:
		return k->has_icmp_type && fgo_list_holds(r, c, k->icmp_type);
	case FGO_ICMP_CODE:
		return k->has_icmp_code && fgo_list_holds(r, c, k->icmp_code);
	case FGO_TCP_FLAGS:
		return k->has_tcp_flags && fgo_list_holds(r, c, k->tcp_flags);
	case FGO_LENGTH:
		return fgo_list_holds(r, c, k->length);
	case FGO_DSCP:
		return fgo_list_holds(r, c, k->dscp);
	case FGO_FRAGMENT:
		return fgo_list_holds(r, c, k->fragment);
	case FGO_FLOW_LABEL:
		return fgo_list_holds(r, c, k->flow_label);
	default:
		return false;
	}
}

bool fgo_rule_matches(const struct fgo_rule *rule, const struct fgo_packet *pkt)
{
	if (pkt->outcome != FGO_PKT_IP || pkt->family != rule->family)
		return false;
	for (unsigned int i = 0; i < rule->n_comps; i++) {
		if (!comp_holds(rule, &rule->comps[i], pkt))
			return false;
	}
	return true;
}

static void collect(struct fgo_verdict *v, const struct fgo_actions *a, int index)
{
	if (v->first < 0)
		v->first = index;
	if (v->n_matched < FGO_MAX_MATCHED)
		v->matched[v->n_matched++] = index;
	v->discard |= a->discard;
	v->sample |= a->sample;
	v->n_policers += a->has_bytes || a->has_packets;
	if (a->has_mark && !v->has_mark) {
		v->has_mark = true;
		v->mark = a->mark;
	}
}

void fgo_evaluate_packet(const struct fgo_entry *list, size_t n, const struct fgo_packet *pkt,
			 struct fgo_verdict *ret_verdict)
{
	struct fgo_verdict v = { .outcome = pkt->outcome, .first = -1 };

	for (size_t i = 0; i < n; i++) {
		if (!fgo_rule_matches(&list[i].rule, pkt))
			continue;
		collect(&v, &list[i].act, (int)i);
		if (!list[i].act.go_on) /* T clear or absent: this rule ends the evaluation */
			break;
	}
	*ret_verdict = v;
}

void fgo_evaluate(const struct fgo_entry *list, size_t n, const uint8_t *frame, size_t len,
		  struct fgo_verdict *ret_verdict)
{
	struct fgo_packet pkt;

	fgo_packet_parse(frame, len, &pkt);
	fgo_evaluate_packet(list, n, &pkt, ret_verdict);
}
