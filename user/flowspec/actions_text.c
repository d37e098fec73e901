// SPDX-License-Identifier: MIT
/* Actions as statements of a Junos `then` block; whatever is printed parses back to the same actions. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flowspec/actions.h"
#include "flowspec/component.h"
#include "util/cleanup.h"

#define TARGET "target:"

/* --- printing ------------------------------------------------------------------------------------------ */

/* Rates with their decimal suffix. Every float times 8 is exact in a double, so nothing is lost. */
static void print_rate(struct fg_buf *out, const char *keyword, double rate)
{
	static const struct {
		double unit;
		const char *suffix;
	} units[] = { { 1e9, "g" }, { 1e6, "m" }, { 1e3, "k" }, { 1, "" } };

	if (isinf(rate)) {
		fg_buf_printf(out, "%s unlimited;", keyword);
		return;
	}
	for (size_t i = 0; i < FG_ARRAY_SIZE(units); i++) {
		if (rate < 1e15 && fmod(rate, units[i].unit) == 0 &&
		    (rate > 0 || units[i].unit <= 1)) {
			fg_buf_printf(out, "%s %.0f%s;", keyword, rate / units[i].unit,
				      units[i].suffix);
			return;
		}
	}
	fg_buf_printf(out, "%s %.17g;", keyword, rate);
}

static void space(struct fg_buf *out, size_t start)
{
	if (out->len > start)
		fg_buf_printf(out, " ");
}

static void print_rates(const struct fg_actions *actions, struct fg_buf *out, size_t start)
{
	if (actions->set & FG_ACTION_RATE_BYTES) {
		if (actions->rate_bytes <= 0)
			fg_buf_printf(out, "discard;");
		else
			print_rate(out, "rate-limit", (double)actions->rate_bytes * 8);
	}
	if (actions->set & FG_ACTION_RATE_PACKETS) {
		space(out, start);
		print_rate(out, "rate-limit-packets", (double)actions->rate_packets);
	}
}

static void print_redirect(const struct fg_actions *actions, struct fg_buf *out)
{
	fg_buf_printf(out, "redirect %s%s%s;", actions->set & FG_ACTION_REDIRECT_RT ? TARGET : "",
		      actions->redirect, actions->set & FG_ACTION_COPY ? " copy" : "");
}

void fg_actions_print(const struct fg_actions *actions, struct fg_buf *out)
{
	size_t start = out->len;

	print_rates(actions, out, start);
	if (actions->set & FG_ACTION_MARK) {
		space(out, start);
		fg_buf_printf(out, "mark %u;", actions->dscp);
	}
	if (actions->set & (FG_ACTION_REDIRECT_RT | FG_ACTION_REDIRECT_IP)) {
		space(out, start);
		print_redirect(actions, out);
	}
	if (actions->set & FG_ACTION_SAMPLE) {
		space(out, start);
		fg_buf_printf(out, "sample;");
	}
	if (actions->set & FG_ACTION_CONTINUE) {
		space(out, start);
		fg_buf_printf(out, "next-term;");
	}
	if (out->len == start || actions->set & FG_ACTION_ACCEPT) {
		space(out, start);
		fg_buf_printf(out, "accept;");
	}
}

/* --- parsing ------------------------------------------------------------------------------------------- */

static int no_value(const char *keyword, const char *value, struct fg_error *err)
{
	return *value ? fg_error_set(err, -EINVAL, "'%s' takes no value, found '%s'", keyword,
				     value)
		      : 0;
}

static int add_accept(struct fg_actions *a, const char *value, struct fg_error *err)
{
	if (fg_actions_discard(a))
		return fg_error_set(err, -EINVAL, "'accept' and 'discard' exclude each other");
	a->set |= FG_ACTION_ACCEPT;
	return no_value("accept", value, err);
}

static int add_discard(struct fg_actions *a, const char *value, struct fg_error *err)
{
	if (a->set & FG_ACTION_ACCEPT)
		return fg_error_set(err, -EINVAL, "'accept' and 'discard' exclude each other");
	if (a->set & FG_ACTION_RATE_BYTES && a->rate_bytes > 0)
		return fg_error_set(err, -EINVAL, "'rate-limit' and 'discard' exclude each other");
	a->set |= FG_ACTION_RATE_BYTES;
	a->rate_bytes = 0;
	return no_value("discard", value, err);
}

static double suffix_unit(char suffix)
{
	return suffix == 'k' ? 1e3 : suffix == 'm' ? 1e6 : suffix == 'g' ? 1e9 : 0;
}

/* A decimal number with k, m or g behind it, or "unlimited". */
static int parse_rate(const char *keyword, const char *value, double *ret, struct fg_error *err)
{
	double rate, unit;
	char *end;

	if (!strcmp(value, "unlimited")) {
		*ret = HUGE_VAL;
		return 0;
	}
	if (value[0] < '0' || value[0] > '9' || value[1] == 'x' || value[1] == 'X')
		return fg_error_set(err, -EINVAL,
				    "'%s' needs a rate such as 100k, 1m or 10g, found '%s'",
				    keyword, value);
	rate = strtod(value, &end);
	unit = suffix_unit(*end);
	if (unit > 0) {
		rate *= unit;
		end++;
	}
	if (*end || !isfinite(rate))
		return fg_error_set(err, -EINVAL,
				    "'%s' needs a rate such as 100k, 1m or 10g, found '%s'",
				    keyword, value);
	*ret = rate;
	return 0;
}

/* Bits per second as in Junos; bytes per second inside, as on the wire. */
static int add_rate_bytes(struct fg_actions *a, const char *value, struct fg_error *err)
{
	double rate;
	int ret;

	if (a->set & FG_ACTION_RATE_BYTES)
		return fg_error_set(err, -EINVAL, "one of 'rate-limit' and 'discard' is enough");
	ret = parse_rate("rate-limit", value, &rate, err);
	if (ret)
		return ret;
	a->set |= FG_ACTION_RATE_BYTES;
	a->rate_bytes = (float)(rate / 8);
	return 0;
}

static int add_rate_packets(struct fg_actions *a, const char *value, struct fg_error *err)
{
	double rate;
	int ret = parse_rate("rate-limit-packets", value, &rate, err);

	if (ret)
		return ret;
	a->set |= FG_ACTION_RATE_PACKETS;
	a->rate_packets = (float)rate;
	return 0;
}

/* A DSCP by number or by name. */
static int add_mark(struct fg_actions *a, const char *value, struct fg_error *err)
{
	const struct fg_component *dscp = fg_component(FG_INET, FG_FLOW_DSCP);
	uint64_t number;
	char *end;

	if (!fg_name_value(dscp, FG_INET, value, strlen(value), &number)) {
		number = strtoul(value, &end, 0);
		if (*value < '0' || *value > '9' || *end || number > dscp->max[FG_INET])
			return fg_error_set(
				err, -EINVAL,
				"'mark' needs a DSCP of 0 to 63 or its name, found '%s'", value);
	}
	a->set |= FG_ACTION_MARK;
	a->dscp = (uint8_t)number;
	return 0;
}

static int add_sample(struct fg_actions *a, const char *value, struct fg_error *err)
{
	a->set |= FG_ACTION_SAMPLE;
	return no_value("sample", value, err);
}

static int add_next_term(struct fg_actions *a, const char *value, struct fg_error *err)
{
	a->set |= FG_ACTION_CONTINUE;
	return no_value("next-term", value, err);
}

static bool is_address(const char *text)
{
	uint8_t addr[16];

	return inet_pton(AF_INET, text, addr) == 1 || inet_pton(AF_INET6, text, addr) == 1;
}

/* ADMINISTRATOR:NUMBER of RFC 4360: the part before the last colon is an AS number (L: of four octets) or an
 * address. */
static bool is_target(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon > text && strspn(text, "0123456789abcdefABCDEF.:L") == strlen(text) &&
	       colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

/* "target:65000:100", or an address or "next-hop", with "copy" behind it. */
static int add_redirect(struct fg_actions *a, const char *value, struct fg_error *err)
{
	size_t len = strcspn(value, " \t");
	const char *rest = value + len + strspn(value + len, " \t");
	bool target = !strncmp(value, TARGET, strlen(TARGET)), copy = !strcmp(rest, "copy");
	const char *start = target ? value + strlen(TARGET) : value;
	char text[sizeof(a->redirect)];

	len -= (size_t)(start - value);
	if (a->set & (FG_ACTION_REDIRECT_RT | FG_ACTION_REDIRECT_IP))
		return fg_error_set(err, -EINVAL, "'redirect' is given twice");
	if (!len || len >= sizeof(text) || (*rest && (!copy || target)))
		return fg_error_set(
			err, -EINVAL,
			"'redirect' needs target:AS:NUMBER or ADDRESS [copy], found '%s'", value);
	memcpy(text, start, len);
	text[len] = '\0';
	if (target ? !is_target(text) : !is_address(text) && strcmp(text, "next-hop") != 0)
		return fg_error_set(
			err, -EINVAL,
			"'redirect' needs target:AS:NUMBER or ADDRESS [copy], found '%s'", value);
	a->set |= (target ? FG_ACTION_REDIRECT_RT : FG_ACTION_REDIRECT_IP) |
		  (copy ? FG_ACTION_COPY : 0);
	memcpy(a->redirect, text, len + 1);
	return 0;
}

static const struct {
	const char *keyword;
	int (*add)(struct fg_actions *actions, const char *value, struct fg_error *err);
} statements[] = {
	{ "accept", add_accept },
	{ "discard", add_discard },
	{ "rate-limit", add_rate_bytes },
	{ "rate-limit-packets", add_rate_packets },
	{ "mark", add_mark },
	{ "redirect", add_redirect },
	{ "sample", add_sample },
	{ "next-term", add_next_term },
};

int fg_actions_add_text(struct fg_actions *actions, const char *keyword, const char *value,
			struct fg_error *err)
{
	for (size_t i = 0; i < FG_ARRAY_SIZE(statements); i++) {
		if (!strcmp(keyword, statements[i].keyword))
			return statements[i].add(actions, value, err);
	}
	return fg_error_set(err, -EINVAL, "'%s' is not an action", keyword);
}

const char *fg_actions_keyword(size_t i)
{
	return i < FG_ARRAY_SIZE(statements) ? statements[i].keyword : NULL;
}
