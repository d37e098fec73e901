// SPDX-License-Identifier: MIT
/* Parses Junos `match` statements to operators as a router would send them. Grammar of a list's value:
 *   list   = group { [ "|" ] group }           alternatives: OR
 *   group  = term { "&" term } | "(" ... ")"   all hold: AND
 *   number = [ "=" "!=" "<" "<=" ">" ">=" ] value | value "-" value | "true" | "false" [ ":" value ]
 *   bits   = [ "!" ] flags | [ "!" ] "any(" flags ")"     flags = flag { "+" flag }: all of them set
 * Hexadecimal digits give the width on the wire (0x0050: two octets); else the narrowest is taken. */
#include <errno.h>
#include <string.h>

#include "flowspec/component.h"
#include "util/cleanup.h"

struct parser {
	const char *p;
	struct fg_flow *flow;
	const struct fg_component *component;
	struct fg_error *err;
	uint8_t and; /* FG_OP_AND inside a group after its first operator */
};

struct value {
	uint64_t number;
	unsigned width;
	bool hex;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Quotes and brackets only hold a value together for the configuration's own lexer. */
static void skip_blank(struct parser *ps)
{
	while (*ps->p && strchr(" \t\r\n\"[],", *ps->p))
		ps->p++;
}

static bool take(struct parser *ps, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(ps->p, text, len) != 0)
		return false;
	ps->p += len;
	return true;
}

/* The name the input stands at, of letters, digits and dashes. */
static size_t word_length(const char *p)
{
	size_t n = 0;

	if (!is_alpha(*p))
		return 0;
	while (is_alpha(p[n]) || is_digit(p[n]) || p[n] == '-')
		n++;
	return n;
}

static int refuse(struct parser *ps, const char *problem)
{
	int n = (int)strcspn(ps->p, " \t\r\n");

	return fg_error_set(ps->err, -EINVAL, "%s: '%.*s' %s", ps->component->keyword,
			    n > 64 ? 64 : n, ps->p, problem);
}

static int parse_hex(struct parser *ps, struct value *ret)
{
	const char *p = ps->p + 2;
	unsigned digits = 0;
	uint64_t number = 0;

	for (; hex_digit(*p) >= 0 && digits < 17; p++, digits++)
		number = number << 4 | (uint64_t)hex_digit(*p);
	if (!digits || digits > 16)
		return refuse(ps, "is not a hexadecimal number of 1 to 16 digits");
	ps->p = p;
	*ret = (struct value){ .number = number, .hex = true };
	ret->width = digits <= 2 ? 1 : digits <= 4 ? 2 : digits <= 8 ? 4 : 8;
	return 0;
}

static int parse_decimal(struct parser *ps, struct value *ret)
{
	const char *p = ps->p;
	uint64_t number = 0;

	for (; is_digit(*p); p++) {
		if (number > (UINT64_MAX - 9) / 10)
			return refuse(ps, "is too large");
		number = number * 10 + (uint64_t)(*p - '0');
	}
	if (number > ps->component->max[ps->flow->family])
		return refuse(ps, "is above the greatest value a packet can have");
	ps->p = p;
	*ret = (struct value){ .number = number, .width = fg_value_width(number) };
	return 0;
}

static int parse_name(struct parser *ps, struct value *ret)
{
	size_t len = word_length(ps->p);
	uint64_t number;

	if (!fg_name_value(ps->component, ps->flow->family, ps->p, len, &number))
		return refuse(ps, "is neither a number nor a known name");
	ps->p += len;
	*ret = (struct value){ .number = number, .width = fg_value_width(number) };
	return 0;
}

static int parse_value(struct parser *ps, struct value *ret)
{
	const char *start = ps->p;
	int err;

	if (is_alpha(*ps->p))
		err = parse_name(ps, ret);
	else if (ps->p[0] == '0' && (ps->p[1] | 0x20) == 'x')
		err = parse_hex(ps, ret);
	else if (is_digit(*ps->p))
		err = parse_decimal(ps, ret);
	else
		err = refuse(ps, *ps->p ? "is not a value" : "ends where a value is expected");
	if (err)
		return err;
	if (is_alpha(*ps->p) || is_digit(*ps->p)) {
		ps->p = start;
		return refuse(ps, "is not a value");
	}
	return 0;
}

static int add_op(struct parser *ps, unsigned bits, const struct value *value)
{
	struct fg_flow *flow = ps->flow;

	if (!(ps->component->widths & value->width))
		return fg_error_set(ps->err, -EINVAL, "%s: a value of %u octets is not allowed",
				    ps->component->keyword, value->width);
	if (value->number & ~ps->component->keep[flow->family])
		return fg_error_set(ps->err, -EINVAL,
				    "%s: value 0x%llx has bits that no packet has",
				    ps->component->keyword, (unsigned long long)value->number);
	if (flow->n_ops == FG_FLOW_OPS_MAX)
		return fg_error_set(ps->err, -EINVAL, "%s: more values than a rule can hold",
				    ps->component->keyword);
	flow->op[flow->n_ops++] = (struct fg_flow_op){
		.bits = (uint8_t)(bits | ps->and),
		.width = (uint8_t)value->width,
		.value = value->number,
	};
	ps->and = FG_OP_AND;
	return 0;
}

/* The comparison the input stands at; 0 when none is written. */
static unsigned take_comparison(struct parser *ps)
{
	static const struct {
		const char *text;
		unsigned bits;
	} words[] = {
		{ "!=", FG_OP_LT | FG_OP_GT },
		{ "<=", FG_OP_LT | FG_OP_EQ },
		{ ">=", FG_OP_GT | FG_OP_EQ },
		{ "<", FG_OP_LT },
		{ ">", FG_OP_GT },
		{ "=", FG_OP_EQ },
	};

	for (size_t i = 0; i < FG_ARRAY_SIZE(words); i++) {
		if (!take(ps, words[i].text))
			continue;
		skip_blank(ps);
		return words[i].bits;
	}
	return 0;
}

/* "true" and "false"; the value they carry on the wire means nothing. */
static int parse_constant(struct parser *ps, unsigned bits)
{
	struct value value = { .width = 1 };
	int err = take(ps, ":") ? parse_value(ps, &value) : 0;

	return err ? err : add_op(ps, bits, &value);
}

static int parse_number(struct parser *ps)
{
	unsigned bits = take_comparison(ps);
	struct value low, high;
	int err;

	if (!bits && word_length(ps->p) == 4 && take(ps, "true"))
		return parse_constant(ps, FG_OP_LT | FG_OP_GT | FG_OP_EQ);
	if (!bits && word_length(ps->p) == 5 && take(ps, "false"))
		return parse_constant(ps, 0);
	err = parse_value(ps, &low);
	if (err || bits || *ps->p != '-')
		return err ? err : add_op(ps, bits ? bits : FG_OP_EQ, &low);
	ps->p++;
	err = parse_value(ps, &high);
	if (err)
		return err;
	if (low.number > high.number)
		return fg_error_set(ps->err, -EINVAL, "%s: the range %llu-%llu is empty",
				    ps->component->keyword, (unsigned long long)low.number,
				    (unsigned long long)high.number);
	err = add_op(ps, FG_OP_GT | FG_OP_EQ, &low);
	return err ? err : add_op(ps, FG_OP_LT | FG_OP_EQ, &high);
}

static int parse_flags(struct parser *ps, struct value *ret)
{
	struct value flag, sum = { .width = 1 };

	do {
		int err = parse_value(ps, &flag);

		if (err)
			return err;
		sum.number |= flag.number;
		sum.width = flag.width > sum.width ? flag.width : sum.width;
	} while (take(ps, "+"));
	*ret = sum;
	return 0;
}

static int parse_bits(struct parser *ps)
{
	unsigned bits = take(ps, "!") ? FG_OP_NOT : 0;
	struct value value;
	bool any;
	int err;

	if (ps->component == fg_component(ps->flow->family, FG_FLOW_FRAGMENT) && !bits &&
	    take(ps, "not-a-fragment"))
		return add_op(ps, FG_OP_NOT, &(struct value){ .number = FG_FRAG_ISF, .width = 1 });
	any = take(ps, "any(");
	if (!any && *ps->p == '(')
		return refuse(ps, "negates a list: write !a+b (not all) or !any(a+b) (none)");
	err = parse_flags(ps, &value);
	if (err)
		return err;
	if (any && !take(ps, ")"))
		return refuse(ps, "where ')' is expected");
	return add_op(ps, bits | (any ? 0 : FG_OP_MATCH), &value);
}

static int parse_group(struct parser *ps)
{
	bool paren = take(ps, "(");

	ps->and = 0;
	do {
		int err;

		skip_blank(ps);
		err = ps->component->kind == FG_KIND_BITS ? parse_bits(ps) : parse_number(ps);
		if (err)
			return err;
		skip_blank(ps);
	} while (take(ps, "&"));
	if (paren && !take(ps, ")"))
		return refuse(
			ps, "where ')' is expected: alternatives cannot stand inside parentheses");
	return 0;
}

static int parse_list(struct parser *ps)
{
	skip_blank(ps);
	do {
		int err = parse_group(ps);

		if (err)
			return err;
		skip_blank(ps);
		if (take(ps, "|")) {
			skip_blank(ps);
			if (!*ps->p)
				return refuse(ps, "ends where a value is expected");
		}
	} while (*ps->p);
	return 0;
}

static int add_list(struct fg_flow *flow, unsigned type, const struct fg_component *component,
		    const char *value, struct fg_error *err)
{
	struct parser ps = { .p = value, .flow = flow, .component = component, .err = err };
	uint16_t first = flow->n_ops;
	int ret = parse_list(&ps);

	if (ret) {
		flow->n_ops = first;
		return ret;
	}
	flow->first[type] = first;
	flow->count[type] = (uint16_t)(flow->n_ops - first);
	return 0;
}

int fg_flow_add_text(struct fg_flow *flow, const char *keyword, const char *value,
		     struct fg_error *err)
{
	unsigned type = fg_component_type(keyword);
	const struct fg_component *component = fg_component(flow->family, type);
	int ret;

	if (!type)
		return fg_error_set(err, -EINVAL, "'%s' is not a match condition", keyword);
	if (!component)
		return fg_error_set(err, -EINVAL, "'%s' exists for inet6 only", keyword);
	if (flow->present & (1U << type))
		return fg_error_set(err, -EINVAL,
				    "'%s' is given twice; use a list '[ a b ]' or two rules",
				    keyword);
	if (component->kind == FG_KIND_PREFIX)
		ret = fg_prefix_parse(flow->family, value,
				      type == FG_FLOW_DST ? &flow->dst : &flow->src, err);
	else
		ret = add_list(flow, type, component, value, err);
	if (!ret)
		flow->present |= (uint16_t)(1U << type);
	return ret;
}
