// SPDX-License-Identifier: MIT
/* Fuzzes the NLRI codec: the first octet chooses the family, the rest is an NLRI field and also the text of a statement.
 * What is accepted must keep its octets through encode, decode, print and parse, and compare equal to itself only. */
#include <stdlib.h>
#include <string.h>

#include "flowspec/flowspec.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct rule {
	uint8_t value[FG_NLRI_MAX];
	size_t len;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void encode(const struct fg_flow *flow, struct rule *ret)
{
	int len = fg_flow_encode(flow, ret->value, sizeof(ret->value));

	require(len > 0);
	ret->len = (size_t)len;
}

static void require_same(enum fg_family family, const struct rule *a, const struct rule *b)
{
	require(a->len == b->len && !memcmp(a->value, b->value, a->len));
	require(fg_flow_compare(family, a->value, a->len, b->value, b->len) == 0);
}

/* What is printed, statement by statement, is the same rule again. */
static void check_text(const struct fg_flow *flow, const struct rule *rule)
{
	static struct fg_flow again;
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
	FG_AUTO_FREE char *text = NULL;
	struct rule parsed;
	char *save = NULL;

	fg_flow_print(flow, &out);
	text = fg_buf_take(&out);
	require(text != NULL);
	fg_flow_init(&again, flow->family);
	for (char *s = strtok_r(text, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
		char *value;

		s += strspn(s, " ");
		value = strchr(s, ' ');
		require(value != NULL);
		*value++ = '\0';
		require(fg_flow_add_text(&again, s, value, NULL) == 0);
	}
	encode(&again, &parsed);
	require_same(flow->family, rule, &parsed);
}

static void check_rule(const struct fg_flow *flow, struct rule *ret)
{
	static struct fg_flow again;
	struct rule second;

	encode(flow, ret);
	require(fg_flow_decode(flow->family, ret->value, ret->len, &again, NULL) == 0);
	encode(&again, &second);
	require_same(flow->family, ret, &second);
	check_text(flow, ret);
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

static void check_pair(enum fg_family family, const struct rule *a, const struct rule *b)
{
	int ab = fg_flow_compare(family, a->value, a->len, b->value, b->len);
	int ba = fg_flow_compare(family, b->value, b->len, a->value, a->len);

	require(sign(ab) == -sign(ba));
	require((ab == 0) == (a->len == b->len && !memcmp(a->value, b->value, a->len)));
}

/* Any text may be the value of a statement; what is accepted is a rule like any other. */
static void any_value(enum fg_family family, const uint8_t *data, size_t size)
{
	static struct fg_flow flow;
	static struct rule rule;
	FG_AUTO_FREE char *value = calloc(1, size + 1);

	require(value != NULL);
	memcpy(value, data, size);
	for (size_t i = 0; fg_flow_keyword(i); i++) {
		struct fg_error err = { 0 };

		fg_flow_init(&flow, family);
		if (fg_flow_add_text(&flow, fg_flow_keyword(i), value, &err))
			require(err.what[0] != '\0');
		else if (fg_flow_encode(&flow, rule.value, sizeof(rule.value)) > 0)
			check_rule(&flow, &rule);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fg_flow flow;
	static struct rule rule, last;
	struct fg_flow_fault fault;
	enum fg_family family;
	size_t pos = 1;

	if (!size)
		return 0;
	family = data[0] & 1 ? FG_INET6 : FG_INET;
	last.len = 0;
	any_value(family, data + 1, size - 1);
	/* Any octets may be compared without a read past their end. */
	(void)fg_flow_compare(family, data + 1, (size - 1) / 2, data + 1 + (size - 1) / 2,
			      (size - 1) - (size - 1) / 2);
	while (pos < size) {
		size_t used = 0;
		int ret =
			fg_flow_decode_field(family, data + pos, size - pos, &flow, &used, &fault);

		require(ret == 0 || (fault.octet <= size - pos && fault.reason[0]));
		if (!used) /* framing lost */
			break;
		if (ret == 0) {
			check_rule(&flow, &rule);
			if (last.len)
				check_pair(family, &rule, &last);
			last = rule;
		}
		pos += used;
	}
	return 0;
}
