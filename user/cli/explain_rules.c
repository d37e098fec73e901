// SPDX-License-Identifier: MIT
/* Installs the rules of a file into a private, tracing datapath, and finds them again by what it recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"
#include "util/cleanup.h"

static int out_of_memory(struct fg_error *err)
{
	return fg_error_set(err, -ENOMEM, "out of memory");
}

void fg_explain_clean(struct fg_explain *explain)
{
	for (int f = 0; f < FG_FAMILIES; f++) {
		free(explain->family[f].sources);
		fg_image_free(explain->family[f].image);
	}
	fg_dp_close(explain->dp);
	fg_rule_file_clean(&explain->file);
}

/* Of several lines with one rule the first counts, as in a table keyed by the rule. */
static void drop_duplicates(struct fg_rule_file *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->n; i++) {
		struct fg_rule_line *rule = &file->rules[i];

		if (kept && fg_rule_line_same(&file->rules[kept - 1], rule)) {
			fprintf(stderr, "%s:%u: the same rule as line %u, which counts [warning]\n",
				file->name, rule->line, file->rules[kept - 1].line);
			free(rule->nlri);
			free(rule->text);
		} else {
			file->rules[kept++] = *rule;
		}
	}
	file->n = kept;
}

static void report_states(struct fg_explain *explain, const struct fg_explain_family *family)
{
	for (size_t i = 0; i < family->n; i++) {
		const struct fg_rule_line *rule = &explain->file.rules[family->first + i];
		const char *why = fg_actions_unsupported(&rule->actions);

		if (family->image->state[i] != FG_RULE_UNSUPPORTED)
			continue;
		fprintf(stderr, "%s:%u: not enforced: %s\n", explain->file.name, rule->line,
			why ? why : "unsupported");
		explain->partly = true;
	}
}

static int install_family(struct fg_explain *explain, enum fg_family id, struct fg_error *err)
{
	struct fg_explain_family *family = &explain->family[id];
	struct fg_compile_options options = { .mode = explain->mode };
	int ret;

	family->sources = calloc(family->n + 1, sizeof(*family->sources));
	if (!family->sources)
		return out_of_memory(err);
	for (size_t i = 0; i < family->n; i++) {
		const struct fg_rule_line *rule = &explain->file.rules[family->first + i];

		family->sources[i] = (struct fg_rule_source){
			.nlri = rule->nlri,
			.nlri_len = rule->nlri_len,
			.actions = &rule->actions,
			.counter = (uint32_t)(family->first + i),
		};
	}
	ret = fg_compile(id, family->sources, family->n, &options, &family->image, err);
	if (ret)
		return ret;
	report_states(explain, family);
	return fg_dp_install(explain->dp, family->image, err);
}

/* --- the control-plane guard ---------------------------------------------------------------------------- */

static void add_source(struct fg_guard_source *sources, size_t *n,
		       const struct fg_conf_address *address, uint8_t prefix_len, uint32_t classes)
{
	struct fg_guard_source *source = &sources[(*n)++];

	*source = (struct fg_guard_source){
		.family = address->family,
		.prefix_len = prefix_len,
		.classes = classes,
	};
	memcpy(source->addr, address->addr, sizeof(source->addr));
}

/* As the daemon would set it for this configuration. */
static int guard_by_configuration(struct fg_dp *dp, const struct fg_conf *conf,
				  struct fg_error *err)
{
	FG_AUTO_FREE struct fg_guard_source *sources =
		calloc(conf->n_neighbors + conf->n_management + 1, sizeof(*sources));
	uint32_t flags = (conf->protect_nd ? FG_GUARD_ND : 0) |
			 (conf->protect_dhcp ? FG_GUARD_DHCP : 0) |
			 (conf->protect_pmtu ? FG_GUARD_PMTU : 0);
	size_t n = 0;

	if (!sources)
		return out_of_memory(err);
	for (size_t i = 0; i < conf->n_neighbors; i++) {
		const struct fg_conf_address *address = &conf->neighbors[i].address;

		add_source(sources, &n, address, address->family == FG_INET ? 32 : 128,
			   FG_GUARD_BGP);
	}
	for (size_t i = 0; i < conf->n_management; i++)
		add_source(sources, &n, &conf->management[i], conf->management[i].prefix_len,
			   FG_GUARD_MANAGEMENT);
	return fg_dp_guard(dp, flags | (n ? FG_GUARD_SOURCES : 0), sources, n, err);
}

/* NLRI lines are judged by the RFC alone unless asked otherwise. */
static int set_guard(struct fg_explain *explain, struct fg_error *err)
{
	const uint32_t all = FG_GUARD_ND | FG_GUARD_DHCP | FG_GUARD_PMTU;

	if (explain->file.conf && !explain->no_guard)
		return guard_by_configuration(explain->dp, explain->file.conf, err);
	return fg_dp_guard(explain->dp, explain->guard ? all : 0, NULL, 0, err);
}

int fg_explain_install(struct fg_explain *explain, struct fg_error *err)
{
	struct fg_rule_file *file = &explain->file;
	struct fg_dp_options options = { .trace = true };
	int ret;

	fg_rule_file_sort(file);
	drop_duplicates(file);
	if (file->n > FG_RULE_CAPACITY)
		options.capacity = (uint32_t)file->n;
	ret = fg_dp_open(&options, &explain->dp, err);
	if (!ret)
		ret = set_guard(explain, err);
	for (size_t i = 0; i < file->n; i++)
		explain->family[file->rules[i].family].n++;
	explain->family[FG_INET6].first = explain->family[FG_INET].n;
	for (int f = 0; !ret && f < FG_FAMILIES; f++)
		ret = install_family(explain, f, err);
	return ret;
}

/* --- from the trace back to the file -------------------------------------------------------------------- */

const struct fg_rule_line *fg_explain_rule(const struct fg_explain *explain, enum fg_family family,
					   uint32_t index)
{
	const struct fg_explain_family *in = &explain->family[family];

	if (index == FG_NO_RULE || index >= in->image->footprint.rules)
		return NULL;
	return &explain->file.rules[in->first + in->image->source_of[index]];
}

const char *fg_explain_field(const struct fg_explain *explain, enum fg_family family,
			     uint32_t index, uint32_t check)
{
	static const char *const names[] = {
#define FG_FIELD_TEXT(name, text) [FG_FIELD_##name] = (text),
		FG_FIELDS(FG_FIELD_TEXT)
#undef FG_FIELD_TEXT
	};
	const struct fg_image *image = explain->family[family].image;
	const struct fg_rule *rules = image->table[FG_TABLE_RULES].data;
	const struct fg_check *checks = image->table[FG_TABLE_CHECKS].data;
	size_t at;

	if (index >= image->footprint.rules)
		return "unknown";
	at = (size_t)rules[index].checks + check;
	if (at >= image->table[FG_TABLE_CHECKS].n || checks[at].field >= FG_FIELD_MAX)
		return "unknown";
	return checks[at].either ? "port" : names[checks[at].field];
}
