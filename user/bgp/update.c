// SPDX-License-Identifier: MIT
/* Decodes UPDATE messages with FlowSpec in them; errors are handled by RFC 7606, not by resets. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdarg.h>

#include "bgp/msg.h"
#include "bgp/wire.h"
#include "util/error.h"

#define FLAG_OPTIONAL 0x80
#define FLAG_TRANSITIVE 0x40
#define FLAG_EXTENDED 0x10 /* two octets of length */

enum attribute {
	ATTR_ORIGIN = 1,
	ATTR_AS_PATH = 2,
	ATTR_NEXT_HOP = 3,
	ATTR_LOCAL_PREF = 5,
	ATTR_ORIGINATOR_ID = 9,
	ATTR_MP_REACH = 14,
	ATTR_MP_UNREACH = 15,
	ATTR_EXT_COMMUNITIES = 16,
	ATTR_EXT_COMMUNITIES6 = 25,
	ATTR_KNOWN = 26,
};

#define AS_SEQUENCE 2 /* RFC 4271 section 4.3; 1 is a set, 3 and 4 are RFC 5065's */

struct update {
	const struct fg_bgp_update_context *context;
	const struct fg_bgp_update_events *events;
	void *arg;
	struct fg_bgp_notification *fault;
	size_t attributes; /* octets of them */
	bool seen[256];
	struct fg_reader value[ATTR_KNOWN]; /* of the first of each type */
	char bad[96]; /* why the announced rules must be treated as withdrawn; empty: they are fine */
};

/* One MP_REACH or MP_UNREACH; @nlri is left untouched when @family is not ours. */
struct nlri_field {
	bool present;
	int family; /* enum fg_family, -1: of no concern */
	bool unicast;
	uint16_t afi;
	uint8_t safi;
	struct fg_reader next_hop, nlri;
};

__attribute__((format(printf, 2, 3))) static void bad(struct update *u, const char *format, ...)
{
	va_list ap;

	if (u->bad[0])
		return;
	va_start(ap, format);
	(void)vsnprintf(u->bad, sizeof(u->bad), format, ap);
	va_end(ap);
}

static bool good_origin(const struct fg_reader *v, bool as4)
{
	(void)as4;
	return v->left == 1 && *v->p <= 2;
}

static uint32_t as_at(const struct fg_reader *segment, size_t at, bool as4)
{
	return as4 ? fg_get32(segment->p + at * 4) : fg_get16(segment->p + at * 2);
}

/* RFC 7606 section 7.2; RFC 7607: nobody has AS 0. */
static bool good_as_path(const struct fg_reader *v, bool as4)
{
	struct fg_reader r = *v;

	while (r.left) {
		uint8_t type, count;
		struct fg_reader segment;

		if (!fg_read8(&r, &type) || !fg_read8(&r, &count) || type < 1 || type > 4 || !count)
			return false;
		if (!fg_take(&r, count * (as4 ? 4U : 2U), &segment))
			return false;
		for (size_t i = 0; i < count; i++)
			if (!as_at(&segment, i, as4))
				return false;
	}
	return true;
}

static bool multiple_of(size_t len, size_t unit)
{
	return len && len % unit == 0;
}

static bool good_4(const struct fg_reader *v, bool as4)
{
	(void)as4;
	return v->left == 4;
}

static bool good_4s(const struct fg_reader *v, bool as4)
{
	(void)as4;
	return multiple_of(v->left, 4);
}

static bool good_8s(const struct fg_reader *v, bool as4)
{
	(void)as4;
	return multiple_of(v->left, 8);
}

static bool good_20s(const struct fg_reader *v, bool as4)
{
	(void)as4;
	return multiple_of(v->left, 20);
}

/* Attributes whose errors mean treat-as-withdraw (RFC 7606 section 7); those without a check are discarded when
 * malformed, which for us is the same as reading past them. @internal: ignored from an external peer. */
static const struct {
	uint8_t flags; /* 0: not known */
	bool internal;
	bool (*good)(const struct fg_reader *value, bool as4);
} known[ATTR_KNOWN] = {
	[ATTR_ORIGIN] = { FLAG_TRANSITIVE, false, good_origin },
	[ATTR_AS_PATH] = { FLAG_TRANSITIVE, false, good_as_path },
	[ATTR_NEXT_HOP] = { FLAG_TRANSITIVE, false, good_4 },
	[4] = { FLAG_OPTIONAL, false, good_4 }, /* MULTI_EXIT_DISC */
	[ATTR_LOCAL_PREF] = { FLAG_TRANSITIVE, true, good_4 },
	[6] = { FLAG_TRANSITIVE, false, NULL },                    /* ATOMIC_AGGREGATE */
	[7] = { FLAG_OPTIONAL | FLAG_TRANSITIVE, false, NULL },    /* AGGREGATOR */
	[8] = { FLAG_OPTIONAL | FLAG_TRANSITIVE, false, good_4s }, /* COMMUNITIES */
	[ATTR_ORIGINATOR_ID] = { FLAG_OPTIONAL, true, good_4 },
	[10] = { FLAG_OPTIONAL, true, good_4s }, /* CLUSTER_LIST */
	[ATTR_MP_REACH] = { FLAG_OPTIONAL, false, NULL },
	[ATTR_MP_UNREACH] = { FLAG_OPTIONAL, false, NULL },
	[ATTR_EXT_COMMUNITIES] = { FLAG_OPTIONAL | FLAG_TRANSITIVE, false, good_8s },
	[ATTR_EXT_COMMUNITIES6] = { FLAG_OPTIONAL | FLAG_TRANSITIVE, false, good_20s },
};

static bool is_mp(uint8_t type)
{
	return type == ATTR_MP_REACH || type == ATTR_MP_UNREACH;
}

static int note_unknown(struct update *u, uint8_t flags, uint8_t type)
{
	if (flags & FLAG_OPTIONAL)
		return 0;
	return fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 2, "well-known attribute %u is not known",
			    type);
}

static int note_attribute(struct update *u, uint8_t flags, uint8_t type,
			  const struct fg_reader *value)
{
	if (type >= ATTR_KNOWN || !known[type].flags)
		return note_unknown(u, flags, type);
	/* RFC 7606 section 3 (g): a second MP attribute resets, any other is discarded. */
	if (u->seen[type])
		return is_mp(type) ? fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 1,
						  "attribute %u twice", type)
				   : 0;
	u->seen[type] = true;
	u->value[type] = *value;
	if (known[type].internal && u->context->external)
		return 0;
	if ((flags ^ known[type].flags) & (FLAG_OPTIONAL | FLAG_TRANSITIVE))
		bad(u, "attribute %u has flags 0x%02x", type, flags);
	else if (known[type].good && !known[type].good(value, u->context->as4))
		bad(u, "attribute %u of %zu octets is malformed", type, value->left);
	return 0;
}

static bool read_attribute(struct fg_reader *r, uint8_t *flags, uint8_t *type,
			   struct fg_reader *value)
{
	uint16_t len;
	uint8_t len8 = 0;

	if (!fg_read8(r, flags) || !fg_read8(r, type))
		return false;
	if (!(*flags & FLAG_EXTENDED ? fg_read16(r, &len) : fg_read8(r, &len8)))
		return false;
	return fg_take(r, *flags & FLAG_EXTENDED ? len : len8, value);
}

static int scan_attributes(struct update *u, struct fg_reader r)
{
	while (r.left) {
		struct fg_reader value;
		uint8_t flags, type;
		int err;

		if (!read_attribute(&r, &flags, &type, &value)) {
			/* RFC 7606 section 4: withdraw what was announced; but section 3 (j): without
			 * knowing all of it, only a reset is safe. */
			if (!u->seen[ATTR_MP_REACH] && !u->seen[ATTR_MP_UNREACH])
				return fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 1,
						    "attribute is cut off");
			bad(u, "an attribute is cut off");
			return 0;
		}
		err = note_attribute(u, flags, type, &value);
		if (err)
			return err;
	}
	return 0;
}

/* The next prefix; its bits behind @len are cleared. */
static bool read_prefix(struct fg_reader *r, enum fg_family family, uint8_t addr[16], uint8_t *len)
{
	if (!fg_read8(r, len) || *len > (family == FG_INET ? 32 : 128))
		return false;
	memset(addr, 0, 16);
	if (!fg_read(r, addr, (*len + 7U) / 8))
		return false;
	if (*len % 8)
		addr[*len / 8] &= (uint8_t)(0xff << (8 - *len % 8));
	return true;
}

/* A field of unicast prefixes must be one, wanted or not (RFC 7606 section 5.3). */
static int check_prefixes(struct update *u, enum fg_family family, struct fg_reader r)
{
	while (r.left) {
		uint8_t addr[16], len;

		if (!read_prefix(&r, family, addr, &len))
			return fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 10,
					    "unicast prefix is malformed");
	}
	return 0;
}

/* Walks the NLRI once without effect: a rule may be believed only when all boundaries are good. */
static int check_boundaries(struct update *u, const struct nlri_field *field, struct fg_flow *flow)
{
	struct fg_reader r = field->nlri;
	struct fg_flow_fault why;
	size_t used;

	while (r.left) {
		int err = fg_flow_decode_field(field->family, r.p, r.left, flow, &used, &why);

		if (err && err != -EBADMSG)
			return fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 10, "NLRI: %s",
					    why.reason);
		fg_skip(&r, used);
	}
	return 0;
}

static bool wants_unicast(const struct update *u, enum fg_family family)
{
	return u->context->families & (1U << FG_BGP_UNICAST(family));
}

static int parse_field(struct update *u, uint8_t type, struct nlri_field *field,
		       struct fg_flow *flow)
{
	struct fg_reader r = u->value[type];
	uint8_t next_hop_len = 0, reserved;
	bool good;

	field->present = u->seen[type];
	if (!field->present)
		return 0;
	good = fg_read16(&r, &field->afi) && fg_read8(&r, &field->safi);
	if (good && type == ATTR_MP_REACH)
		good = fg_read8(&r, &next_hop_len) && fg_take(&r, next_hop_len, &field->next_hop) &&
		       fg_read8(&r, &reserved);
	if (!good)
		return fg_bgp_fault(u->fault, FG_BGP_ERR_UPDATE, 9, "attribute %u is cut off",
				    type);
	field->nlri = r;
	field->family = -1;
	if (field->afi < 1 || field->afi > FG_FAMILIES)
		return 0;
	field->unicast = field->safi == FG_BGP_SAFI_UNICAST &&
			 wants_unicast(u, (enum fg_family)(field->afi - 1));
	if (field->safi == FG_BGP_SAFI_FLOW || field->unicast)
		field->family = field->afi - 1;
	if (field->unicast)
		return check_prefixes(u, (enum fg_family)field->family, r);
	return field->family < 0 ? 0 : check_boundaries(u, field, flow);
}

/* Simpson's redirect draft names no target: it is the next hop of the announcement. */
static void resolve_next_hop(struct fg_actions *actions, const struct fg_reader *next_hop)
{
	char text[INET6_ADDRSTRLEN];
	int af = next_hop->left == 4 ? AF_INET : AF_INET6;

	if (strcmp(actions->redirect, "next-hop") != 0)
		return;
	/* 32: the global address stands before the link-local one (RFC 2545 section 3). */
	if (next_hop->left != 4 && next_hop->left != 16 && next_hop->left != 32)
		return;
	if (inet_ntop(af, next_hop->p, text, sizeof(text)))
		(void)snprintf(actions->redirect, sizeof(actions->redirect), "%s", text);
}

/* RFC 7606 section 3 (d). LOCAL_PREF has a default, and NEXT_HOP is for the classic field only (RFC 4760). */
static void check_mandatory(struct update *u, bool classic)
{
	if (!u->seen[ATTR_ORIGIN] || !u->seen[ATTR_AS_PATH])
		bad(u, "ORIGIN or AS_PATH is missing");
	else if (classic && !u->seen[ATTR_NEXT_HOP])
		bad(u, "NEXT_HOP is missing");
}

/* Attributes that passed their checks. @ret_looped: our own AS is in the path. */
static struct fg_path read_path(const struct update *u, bool *ret_looped)
{
	struct fg_reader r = u->value[ATTR_AS_PATH];
	const struct fg_bgp_update_context *context = u->context;
	struct fg_path path = { .local_pref = 100, .external = context->external };
	struct fg_reader segment;
	uint8_t type, count;
	bool first = true;

	path.origin = *u->value[ATTR_ORIGIN].p;
	if (!context->external && u->seen[ATTR_LOCAL_PREF])
		path.local_pref = fg_get32(u->value[ATTR_LOCAL_PREF].p);
	if (!context->external && u->seen[ATTR_ORIGINATOR_ID])
		memcpy(&path.originator, u->value[ATTR_ORIGINATOR_ID].p, sizeof(path.originator));
	while (fg_read8(&r, &type) && fg_read8(&r, &count) &&
	       fg_take(&r, count * (context->as4 ? 4U : 2U), &segment)) {
		for (size_t i = 0; i < count; i++)
			*ret_looped |= as_at(&segment, i, context->as4) == context->local_as;
		if (type > AS_SEQUENCE) /* of a confederation: our own AS to the others */
			continue;
		path.length += type == AS_SEQUENCE ? count : 1;
		if (first)
			path.as = type == AS_SEQUENCE ? as_at(&segment, 0, context->as4)
						      : FG_AS_UNKNOWN;
		first = false;
	}
	return path;
}

static void decode_actions(struct update *u, const struct nlri_field *reach,
			   struct fg_actions *actions)
{
	const struct fg_reader *ext = &u->value[ATTR_EXT_COMMUNITIES];
	const struct fg_reader *ext6 = &u->value[ATTR_EXT_COMMUNITIES6];
	struct fg_error err = { 0 };

	if (u->bad[0])
		return;
	if (fg_actions_decode(ext->p, ext->left, ext6->p, ext6->left, actions, &err))
		bad(u, "%.90s", err.what);
	else
		resolve_next_hop(actions, &reach->next_hop);
}

/* Hands the rules of a field over; @actions and @path NULL: withdrawn. Returns how many there were. */
static size_t emit_rules(const struct update *u, const struct nlri_field *field,
			 struct fg_flow *flow, const struct fg_actions *actions,
			 const struct fg_path *path)
{
	struct fg_reader r = field->nlri;
	uint8_t nlri[FG_NLRI_MAX];
	struct fg_flow_fault why = { .reason = "longer than the RFC allows" };
	size_t used, n = 0;

	for (; r.left; fg_skip(&r, used), n++) {
		int len = fg_flow_decode_field(field->family, r.p, r.left, flow, &used, &why);

		if (!len)
			len = fg_flow_encode(flow, nlri, sizeof(nlri));
		/* A malformed rule has no key, so there is nothing that could be withdrawn. */
		if (len < 0)
			u->events->malformed(u->arg, 1, why.reason);
		else
			u->events->rule(u->arg, field->family, nlri, len, actions, path);
	}
	return n;
}

/* The same of unicast prefixes. */
static size_t emit_prefixes(const struct update *u, enum fg_family family, struct fg_reader r,
			    const struct fg_path *path)
{
	uint8_t addr[16], len;
	size_t n = 0;

	for (; read_prefix(&r, family, addr, &len); n++)
		u->events->unicast(u->arg, family, addr, len, path);
	return n;
}

static void emit_unreach(const struct update *u, const struct nlri_field *unreach,
			 struct fg_flow *flow)
{
	if (unreach->family < 0)
		u->events->ignored(u->arg, unreach->afi, unreach->safi, unreach->nlri.left);
	else if (unreach->nlri.left && unreach->unicast)
		(void)emit_prefixes(u, (enum fg_family)unreach->family, unreach->nlri, NULL);
	else if (unreach->nlri.left)
		(void)emit_rules(u, unreach, flow, NULL, NULL);
	else if (!u->seen[ATTR_MP_REACH])
		u->events->end_of_rib(u->arg, unreach->unicast ? FG_BGP_UNICAST(unreach->family)
							       : unreach->family);
}

/* Announced prefixes: of the classic field, or of MP_REACH. */
static void emit_unicast(struct update *u, enum fg_family family, struct fg_reader nlri)
{
	bool looped = false;
	struct fg_path path = u->bad[0] ? (struct fg_path){ 0 } : read_path(u, &looped);
	size_t n = emit_prefixes(u, family, nlri, u->bad[0] || looped ? NULL : &path);

	if (u->bad[0] && n)
		u->events->malformed(u->arg, n, u->bad);
}

static void emit_reach(struct update *u, const struct nlri_field *reach, struct fg_flow *flow)
{
	struct fg_actions actions = { 0 };
	struct fg_path path = { 0 };
	bool looped = false;
	size_t n;

	if (reach->family < 0) {
		u->events->ignored(u->arg, reach->afi, reach->safi, reach->nlri.left);
		return;
	}
	check_mandatory(u, false);
	if (reach->unicast) {
		emit_unicast(u, (enum fg_family)reach->family, reach->nlri);
		return;
	}
	decode_actions(u, reach, &actions);
	if (!u->bad[0])
		path = read_path(u, &looped);
	n = emit_rules(u, reach, flow, u->bad[0] ? NULL : &actions, u->bad[0] ? NULL : &path);
	if (u->bad[0])
		u->events->malformed(u->arg, n, u->bad);
}

/* The classic fields of IPv4 unicast; both empty and no attribute: its End-of-RIB (RFC 4724 section 2). */
static void emit_classic(struct update *u, struct fg_reader withdrawn, struct fg_reader nlri,
			 bool empty)
{
	if (!wants_unicast(u, FG_INET))
		return;
	if (empty)
		u->events->end_of_rib(u->arg, FG_BGP_INET_UNICAST);
	(void)emit_prefixes(u, FG_INET, withdrawn, NULL);
	if (!nlri.left)
		return;
	check_mandatory(u, true);
	emit_unicast(u, FG_INET, nlri);
}

/* Withdraws first: what stands in both fields is announced (RFC 4271 section 4.3). */
static void emit(struct update *u, const struct nlri_field *unreach, const struct nlri_field *reach,
		 struct fg_flow *flow, struct fg_reader withdrawn, struct fg_reader nlri)
{
	if (unreach->present)
		emit_unreach(u, unreach, flow);
	if (reach->present)
		emit_reach(u, reach, flow);
	emit_classic(u, withdrawn, nlri, !withdrawn.left && !nlri.left && !u->attributes);
}

int fg_bgp_update_decode(const uint8_t *body, size_t len,
			 const struct fg_bgp_update_context *context,
			 const struct fg_bgp_update_events *events, void *arg,
			 struct fg_bgp_notification *fault)
{
	struct update u = { .context = context, .events = events, .arg = arg, .fault = fault };
	struct fg_reader r = { body, len }, withdrawn, attributes;
	struct nlri_field reach = { 0 }, unreach = { 0 };
	struct fg_flow flow;
	uint16_t field_len;
	int err;

	if (!fg_read16(&r, &field_len) || !fg_take(&r, field_len, &withdrawn) ||
	    !fg_read16(&r, &field_len) || !fg_take(&r, field_len, &attributes))
		return fg_bgp_fault(fault, FG_BGP_ERR_UPDATE, 1, "field lengths do not fit");
	u.attributes = attributes.left;
	err = check_prefixes(&u, FG_INET, withdrawn);
	if (!err)
		err = check_prefixes(&u, FG_INET, r);
	if (!err)
		err = scan_attributes(&u, attributes);
	if (!err)
		err = parse_field(&u, ATTR_MP_UNREACH, &unreach, &flow);
	if (!err)
		err = parse_field(&u, ATTR_MP_REACH, &reach, &flow);
	if (err)
		return err;
	emit(&u, &unreach, &reach, &flow, withdrawn, r);
	return 0;
}
