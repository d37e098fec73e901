// SPDX-License-Identifier: MIT
/* Prints rules as Junos `match` statements; whatever is printed parses back to the same octets. */
#include <inttypes.h>

#include "flowspec/component.h"

#define RANGE_LOW (FG_OP_GT | FG_OP_EQ)
#define RANGE_HIGH (FG_OP_LT | FG_OP_EQ)
#define COMPARE_BITS (FG_OP_LT | FG_OP_GT | FG_OP_EQ)

struct printer {
	struct fg_buf *out;
	const struct fg_component *component;
	enum fg_family family;
};

static const char *value_name(const struct printer *p, uint64_t value)
{
	for (size_t i = 0; i < p->component->n_names; i++) {
		const struct fg_name *name = &p->component->names[i];

		if (name->value == value && name->families & (1U << p->family))
			return name->text;
	}
	return NULL;
}

/* Hexadecimal digits carry the width: two per octet. */
static void print_hex(const struct printer *p, const struct fg_flow_op *op)
{
	fg_buf_printf(p->out, "0x%0*" PRIx64, 2 * op->width, op->value);
}

/* Decimal only where the parser gives back the same width and accepts the value. */
static void print_value(const struct printer *p, const struct fg_flow_op *op, bool names)
{
	const char *name = names && p->component->print_names ? value_name(p, op->value) : NULL;

	if (op->width != fg_value_width(op->value) || op->value > p->component->max[p->family])
		print_hex(p, op);
	else if (name)
		fg_buf_printf(p->out, "%s", name);
	else
		fg_buf_printf(p->out, "%" PRIu64, op->value);
}

static void print_number(const struct printer *p, const struct fg_flow_op *op)
{
	static const char *const words[] = { "false", "", ">", ">=", "<", "<=", "!=", "true" };
	unsigned compare = op->bits & COMPARE_BITS;

	fg_buf_printf(p->out, "%s", words[compare]);
	if (compare && compare != COMPARE_BITS) {
		print_value(p, op, true);
	} else if (op->value || op->width > 1) { /* means nothing, but is part of the rule's key */
		fg_buf_printf(p->out, ":");
		print_hex(p, op);
	}
}

/* The value as names joined by +; false when names do not cover it or would parse to another width. */
static bool print_flags(const struct printer *p, const struct fg_flow_op *op)
{
	const struct fg_name *names = p->component->names;
	uint64_t rest = op->value, covered = 0;
	const char *plus = "";

	for (size_t i = 0; i < p->component->n_names; i++) {
		if (names[i].families & (1U << p->family))
			covered |= names[i].value;
	}
	if (!rest || rest & ~covered || op->width != fg_value_width(rest))
		return false;
	for (size_t i = 0; rest; i++) {
		if (!(rest & names[i].value))
			continue;
		fg_buf_printf(p->out, "%s%s", plus, names[i].text);
		rest &= ~(uint64_t)names[i].value;
		plus = "+";
	}
	return true;
}

static bool is_not_a_fragment(const struct printer *p, const struct fg_flow_op *op)
{
	return p->component == fg_component(p->family, FG_FLOW_FRAGMENT) &&
	       op->value == FG_FRAG_ISF && (op->bits & (FG_OP_NOT | FG_OP_MATCH)) == FG_OP_NOT;
}

static void print_bits(const struct printer *p, const struct fg_flow_op *op)
{
	if (is_not_a_fragment(p, op)) {
		fg_buf_printf(p->out, "not-a-fragment");
		return;
	}
	fg_buf_printf(p->out, "%s%s", op->bits & FG_OP_NOT ? "!" : "",
		      op->bits & FG_OP_MATCH ? "" : "any(");
	if (!print_flags(p, op))
		print_hex(p, op);
	if (!(op->bits & FG_OP_MATCH))
		fg_buf_printf(p->out, ")");
}

/* >=a AND <=b alone in its group, a not above b. */
static bool is_range(const struct printer *p, const struct fg_flow_op *op, unsigned n)
{
	return p->component->kind == FG_KIND_NUMBER && n == 2 &&
	       (op[0].bits & COMPARE_BITS) == RANGE_LOW &&
	       (op[1].bits & COMPARE_BITS) == RANGE_HIGH && op[0].value <= op[1].value;
}

/* One AND group of @n operators. */
static void print_group(const struct printer *p, const struct fg_flow_op *op, unsigned n)
{
	if (is_range(p, op, n)) {
		print_value(p, &op[0], false);
		fg_buf_printf(p->out, "-");
		print_value(p, &op[1], false);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		fg_buf_printf(p->out, "%s", i ? "&" : "");
		if (p->component->kind == FG_KIND_NUMBER)
			print_number(p, &op[i]);
		else
			print_bits(p, &op[i]);
	}
}

static unsigned group_length(const struct fg_flow_op *op, unsigned n)
{
	unsigned len = 1;

	while (len < n && op[len].bits & FG_OP_AND)
		len++;
	return len;
}

static void print_list(const struct printer *p, const struct fg_flow_op *op, unsigned n)
{
	unsigned len = group_length(op, n);
	bool brackets = len < n;

	fg_buf_printf(p->out, "%s", brackets ? "[ " : "");
	print_group(p, op, len);
	while (n -= len) {
		op += len;
		len = group_length(op, n);
		fg_buf_printf(p->out, " ");
		print_group(p, op, len);
	}
	fg_buf_printf(p->out, "%s", brackets ? " ]" : "");
}

static void print_component(const struct fg_flow *flow, unsigned type, struct fg_buf *out)
{
	struct printer p = { .out = out,
			     .component = fg_component(flow->family, type),
			     .family = flow->family };

	fg_buf_printf(out, "%s%s ", out->len ? " " : "", p.component->keyword);
	if (type == FG_FLOW_DST)
		fg_prefix_print(flow->family, &flow->dst, out);
	else if (type == FG_FLOW_SRC)
		fg_prefix_print(flow->family, &flow->src, out);
	else
		print_list(&p, &flow->op[flow->first[type]], flow->count[type]);
	fg_buf_printf(out, ";");
}

void fg_flow_print(const struct fg_flow *flow, struct fg_buf *out)
{
	unsigned type;

	for (size_t i = 0; (type = fg_component_printed(i)); i++) {
		if (flow->present & (1U << type))
			print_component(flow, type, out);
	}
}
