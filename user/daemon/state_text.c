// SPDX-License-Identifier: MIT
/* Prints and parses the state file; every NLRI is decoded again, so a damaged file cannot feed the
 * compiler. */
#include "daemon/state_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/text.h"

#define VERSION_LINE "fltgate-rules 1"
#define FIELDS 9

void fg_state_print_begin(FILE *out)
{
	fputs(VERSION_LINE "\n", out);
}

void fg_state_print(FILE *out, enum fg_family family, const struct fg_dest *dest,
		    const struct fg_route *route, const char *peer)
{
	const struct fg_actions *a = &route->actions;

	fputs(family == FG_INET ? "inet\t" : "inet6\t", out);
	for (size_t i = 0; i < dest->nlri_len; i++)
		fprintf(out, "%02x", dest->nlri[i]);
	fprintf(out, "\t%s\t%" PRId64 "\t%x\t%a\t%a\t%u\t%s\n", peer, route->since, a->set,
		(double)a->rate_bytes, (double)a->rate_packets, a->dscp,
		a->redirect[0] ? a->redirect : "-");
}

void fg_state_print_end(FILE *out, size_t n)
{
	fprintf(out, "end\t%zu\n", n);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the number of octets, -1 when @text is not hex or too long. */
static int parse_hex(const char *text, uint8_t *out, size_t size)
{
	size_t len = strlen(text);

	if (len % 2 || len / 2 > size)
		return -1;
	for (size_t i = 0; i < len; i += 2) {
		int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		out[i / 2] = (uint8_t)(high << 4 | low);
	}
	return (int)(len / 2);
}

static bool parse_number(const char *text, int base, uint64_t max, uint64_t *ret)
{
	char *end = NULL;
	unsigned long long value;

	if (*text == '-' || *text == '\0')
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_rate(const char *text, float *ret)
{
	char *end = NULL;
	double value = strtod(text, &end);

	if (end == text || *end || isnan(value) || value < 0)
		return false;
	*ret = (float)value;
	return true;
}

static bool parse_actions(char **field, struct fg_actions *actions)
{
	uint64_t set = 0, dscp = 0;

	if (!parse_number(field[4], 16, 0x1ff, &set) ||
	    !parse_rate(field[5], &actions->rate_bytes) ||
	    !parse_rate(field[6], &actions->rate_packets) ||
	    !parse_number(field[7], 10, 63, &dscp) || strlen(field[8]) >= sizeof(actions->redirect))
		return false;
	actions->set = (uint32_t)set;
	actions->dscp = (uint8_t)dscp;
	if (strcmp(field[8], "-") != 0)
		fg_text_copy(actions->redirect, sizeof(actions->redirect), field[8]);
	return true;
}

/* Accepts only what fg_flow_encode() would give. */
static bool normalised(enum fg_family family, const uint8_t *nlri, size_t len)
{
	static struct fg_flow flow;
	static uint8_t again[FG_NLRI_MAX];
	struct fg_flow_fault fault;

	return fg_flow_decode(family, nlri, len, &flow, &fault) == 0 &&
	       fg_flow_encode(&flow, again, sizeof(again)) == (int)len &&
	       memcmp(again, nlri, len) == 0;
}

/* NULL, or what is wrong with the line. */
static const char *parse_rule(char *line, uint8_t *nlri, struct fg_state_rule *rule)
{
	char *field[FIELDS + 1];
	uint64_t since = 0;
	int n = 0, len;

	for (char *f = strsep(&line, "\t"); f && n <= FIELDS; f = strsep(&line, "\t"))
		field[n++] = f;
	if (n != FIELDS)
		return "a rule has 9 fields";
	*rule = (struct fg_state_rule){ .nlri = nlri, .peer = field[2] };
	if (strcmp(field[0], "inet") != 0 && strcmp(field[0], "inet6") != 0)
		return "the family is inet or inet6";
	rule->family = strcmp(field[0], "inet") ? FG_INET6 : FG_INET;
	len = parse_hex(field[1], nlri, FG_NLRI_MAX);
	if (len < 0 || !normalised(rule->family, nlri, (size_t)len))
		return "not a normalised NLRI";
	rule->nlri_len = (size_t)len;
	if (!parse_number(field[3], 10, INT64_MAX, &since))
		return "not a time";
	rule->since = (int64_t)since;
	return parse_actions(field, &rule->actions) ? NULL : "not actions";
}

static int bad(const char *file, unsigned line, const char *what, struct fg_error *err)
{
	return fg_error_set(err, -EBADMSG, "%s:%u: %s", file, line, what);
}

int fg_state_parse(const char *file, const char *text, size_t len,
		   int (*fn)(const struct fg_state_rule *rule, void *arg), void *arg,
		   struct fg_error *err)
{
	static uint8_t nlri[FG_NLRI_MAX];
	FG_AUTO_FREE char *copy = strndup(text, len);
	char *rest = copy;
	size_t n = 0;

	if (!copy)
		return fg_error_set(err, -ENOMEM, "out of memory");
	for (unsigned number = 1;; number++) {
		char *line = strsep(&rest, "\n");
		struct fg_state_rule rule;
		const char *what;
		uint64_t count = 0;
		int r;

		if (!line || !rest) /* the last line ends with a newline too */
			return bad(file, number, "the file is cut off", err);
		if (number == 1) {
			if (strcmp(line, VERSION_LINE) != 0)
				return bad(file, number, "not a file of version 1", err);
			continue;
		}
		if (!strncmp(line, "end\t", 4))
			return parse_number(line + 4, 10, SIZE_MAX, &count) && count == n && !*rest
				       ? 0
				       : bad(file, number, "the number of rules is wrong", err);
		what = parse_rule(line, nlri, &rule);
		if (what)
			return bad(file, number, what, err);
		n++;
		r = fn(&rule, arg);
		if (r)
			return r;
	}
}
