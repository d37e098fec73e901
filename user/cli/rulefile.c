// SPDX-License-Identifier: MIT
/* Reads rules from NLRI lines or from configuration text, and brings them into the order of precedence. */
#include "cli/rulefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "util/cleanup.h"
#include "util/hex.h"

#define COMMUNITIES_MAX 4096

static void free_rule(struct fg_rule_line *rule)
{
	free(rule->nlri);
	free(rule->text);
}

void fg_rule_file_clean(struct fg_rule_file *file)
{
	for (size_t i = 0; i < file->n; i++)
		free_rule(&file->rules[i]);
	free(file->rules);
	fg_conf_free(file->conf);
	fg_tree_free(file->tree);
	*file = (struct fg_rule_file){ 0 };
}

static int out_of_memory(struct fg_error *err)
{
	return fg_error_set(err, -ENOMEM, "out of memory");
}

/* Takes the rule over; on failure it stays the caller's. */
static int append(struct fg_rule_file *file, const struct fg_rule_line *rule, struct fg_error *err)
{
	if (file->n == file->capacity) {
		size_t capacity = file->capacity ? 2 * file->capacity : 64;
		struct fg_rule_line *rules = realloc(file->rules, capacity * sizeof(*rules));

		if (!rules)
			return out_of_memory(err);
		file->rules = rules;
		file->capacity = capacity;
	}
	file->rules[file->n++] = *rule;
	return 0;
}

static int copy_nlri(struct fg_rule_line *rule, const uint8_t *nlri, size_t len)
{
	rule->nlri = malloc(len);
	if (!rule->nlri)
		return -ENOMEM;
	memcpy(rule->nlri, nlri, len);
	rule->nlri_len = (uint16_t)len;
	return 0;
}

/* --- NLRI lines ----------------------------------------------------------------------------------------- */

/* One NLRI, length octets included, and nothing behind it. @place: "NAME:LINE". */
static int parse_nlri(struct fg_rule_line *rule, const char *place, const char *hex,
		      struct fg_error *err)
{
	FG_AUTO_FREE struct fg_flow *flow = malloc(sizeof(*flow));
	uint8_t field[FG_NLRI_MAX + 2], value[FG_NLRI_MAX];
	ssize_t len = fg_hex_parse(hex, field, sizeof(field));
	struct fg_flow_fault fault = { 0 };
	size_t used = 0;
	int ret;

	if (!flow)
		return out_of_memory(err);
	if (len < 0)
		return fg_error_set(err, -EINVAL,
				    "%s: the NLRI is not hexadecimal or longer than %zu octets",
				    place, sizeof(field));
	ret = fg_flow_decode_field(rule->family, field, (size_t)len, flow, &used, &fault);
	if (ret)
		return fg_error_set(err, -EINVAL, "%s: %s: %s at octet %zu", place,
				    ret == -EPROTO ? "FRAMING" : "MALFORMED", fault.reason,
				    fault.octet);
	if (used != (size_t)len)
		return fg_error_set(err, -EINVAL,
				    "%s: the NLRI ends at octet %zu, but there are %zd", place,
				    used, len);
	ret = fg_flow_encode(flow, value, sizeof(value));
	if (ret < 0 || copy_nlri(rule, value, (size_t)ret))
		return out_of_memory(err);
	return 0;
}

static int parse_communities(struct fg_rule_line *rule, const char *place, const char *hex,
			     struct fg_error *err)
{
	uint8_t octets[COMMUNITIES_MAX];
	ssize_t len = hex ? fg_hex_parse(hex, octets, sizeof(octets)) : 0;
	struct fg_error inner = { 0 };

	if (len < 0)
		return fg_error_set(err, -EINVAL, "%s: the communities are not hexadecimal", place);
	if (fg_actions_decode(octets, (size_t)len, NULL, 0, &rule->actions, &inner))
		return fg_error_set(err, -EINVAL, "%s: MALFORMED: %.300s", place, inner.what);
	return 0;
}

static int parse_family(struct fg_rule_line *rule, const char *place, const char *word,
			struct fg_error *err)
{
	if (strcmp(word, "inet") != 0 && strcmp(word, "inet6") != 0)
		return fg_error_set(err, -EINVAL, "%s: '%.32s' is neither inet nor inet6", place,
				    word);
	rule->family = word[4] ? FG_INET6 : FG_INET;
	return 0;
}

/* @line is cut into words. */
static int parse_line(struct fg_rule_line *rule, const char *place, char *line,
		      struct fg_error *err)
{
	char *words[5];
	int n = fg_cli_split(line, words, 4), ret;

	if (n < 2 || n > 3)
		return fg_error_set(err, -EINVAL,
				    "%s: expected inet|inet6, NLRI and communities, found %d words",
				    place, n);
	ret = parse_family(rule, place, words[0], err);
	if (!ret)
		ret = parse_nlri(rule, place, words[1], err);
	return ret ? ret : parse_communities(rule, place, words[2], err);
}

static bool is_empty(const char *line)
{
	line += strspn(line, " \t\r");
	return !*line || *line == '#';
}

static int add_line(struct fg_rule_file *file, unsigned number, char *line, struct fg_error *err)
{
	struct fg_rule_line rule = { .line = number, .text = strdup(line) };
	char place[256];
	int ret;

	if (!rule.text)
		return out_of_memory(err);
	(void)snprintf(place, sizeof(place), "%.200s:%u", file->name, number);
	ret = parse_line(&rule, place, line, err);
	if (!ret)
		ret = append(file, &rule, err);
	if (ret)
		free_rule(&rule);
	return ret;
}

int fg_rule_file_read_lines(struct fg_rule_file *file, FILE *in, struct fg_error *err)
{
	FG_AUTO_FREE char *line = NULL;
	size_t size = 0;
	int ret = 0;

	for (unsigned number = 1; !ret && getline(&line, &size, in) >= 0; number++) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!is_empty(line))
			ret = add_line(file, number, line, err);
	}
	if (!ret && ferror(in))
		return fg_error_set(err, -EIO, "%s: %s", file->name, strerror(errno));
	return ret;
}

/* --- configuration text --------------------------------------------------------------------------------- */

static int add_route(struct fg_rule_file *file, const struct fg_conf_route *route,
		     struct fg_error *err)
{
	struct fg_rule_line rule = {
		.family = route->family,
		.line = route->place.line,
		.actions = route->actions,
	};
	int ret = copy_nlri(&rule, route->nlri, route->nlri_len);

	if (ret)
		return out_of_memory(err);
	ret = append(file, &rule, err);
	if (ret)
		free_rule(&rule);
	return ret;
}

static int read_configuration(struct fg_rule_file *file, struct fg_error *err)
{
	int ret = fg_tree_load(file->name, &file->tree, err);

	if (!ret)
		ret = fg_conf_check(file->tree, &file->conf, err);
	for (size_t i = 0; !ret && i < file->conf->n_routes; i++)
		ret = add_route(file, &file->conf->routes[i], err);
	return ret;
}

/* NLRI lines begin with a word that no configuration statement begins with. */
static bool holds_lines(FILE *in)
{
	FG_AUTO_FREE char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, in) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!is_empty(line))
			return !strncmp(line, "inet", 4) &&
			       (strchr(" \t", line[4]) || !strncmp(line, "inet6", 5));
	}
	return true;
}

int fg_rule_file_read(struct fg_rule_file *file, struct fg_error *err)
{
	FILE *in = fopen(file->name, "re");
	int ret;

	if (!in)
		return fg_error_set(err, -errno, "%s: %s", file->name, strerror(errno));
	if (holds_lines(in)) {
		rewind(in);
		ret = fg_rule_file_read_lines(file, in, err);
	} else {
		ret = read_configuration(file, err);
	}
	(void)fclose(in);
	return ret;
}

/* --- order ---------------------------------------------------------------------------------------------- */

static int compare(const struct fg_rule_line *a, const struct fg_rule_line *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return fg_flow_compare(a->family, a->nlri, a->nlri_len, b->nlri, b->nlri_len);
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct fg_rule_line *a = pa, *b = pb;
	int order = compare(a, b);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

void fg_rule_file_sort(struct fg_rule_file *file)
{
	if (file->n)
		qsort(file->rules, file->n, sizeof(*file->rules), compare_lines);
}

bool fg_rule_line_same(const struct fg_rule_line *a, const struct fg_rule_line *b)
{
	return compare(a, b) == 0;
}

void fg_rule_line_match(const struct fg_rule_line *rule, struct fg_buf *out)
{
	FG_AUTO_FREE struct fg_flow *flow = malloc(sizeof(*flow));

	if (!flow || fg_flow_decode(rule->family, rule->nlri, rule->nlri_len, flow, NULL))
		out->failed = true;
	else
		fg_flow_print(flow, out);
}
