// SPDX-License-Identifier: MIT
/* Says in text or JSON what became of a packet: verdict, deciding rule, reason, and every rule tried. */
#include "cli/explain.h"
#include "util/cleanup.h"

static const struct {
	const char *name;
	enum fg_reason_class class;
} reasons[] = {
#define FG_REASON_ROW(name, field, class, text) [FG_REASON_##name] = { #field, FG_CLASS_##class },
	FG_REASONS(FG_REASON_ROW)
#undef FG_REASON_ROW
};

static const char *const notes[] = { [FG_NOTE_NONE] = "",
#define FG_NOTE_ROW(name, field, text) [FG_NOTE_##name] = #field,
				     FG_NOTES(FG_NOTE_ROW)
#undef FG_NOTE_ROW
};

/* What the matched rules ask for; a limit of ours that was hit is no rule's doing. */
static const char *verdict_of(const struct fg_trace *trace)
{
	if (trace->reason < FG_REASON_MAX && reasons[trace->reason].class == FG_CLASS_RESOURCE)
		return "resource-drop";
	if (trace->got.discard)
		return "discard";
	return trace->got.n_policers ? "rate-limit" : "accept";
}

/* The counted reason; where no rule decided, what was seen of the packet says more. */
static const char *reason_of(const struct fg_trace *trace)
{
	if (trace->reason == FG_REASON_NO_RULE && trace->note && trace->note < FG_NOTE_MAX)
		return notes[trace->note];
	return trace->reason < FG_REASON_MAX ? reasons[trace->reason].name : "unknown";
}

static uint32_t tried_count(const struct fg_trace *trace)
{
	return trace->n_tried < FG_TRACE_MAX ? trace->n_tried : FG_TRACE_MAX;
}

static json_t *tried_json(const struct fg_explain *explain, enum fg_family family)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < tried_count(&explain->trace); i++) {
		uint32_t index = explain->trace.tried[i].rule,
			 check = explain->trace.tried[i].check;
		const struct fg_rule_line *rule = fg_explain_rule(explain, family, index);
		bool matched = check == FG_NO_RULE;

		if (rule)
			(void)json_array_append_new(
				list, json_pack("{s:i, s:b, s:s?}", "rule", (int)rule->line,
						"matched", matched, "failed",
						matched ? NULL
							: fg_explain_field(explain, family, index,
									   check)));
	}
	return list;
}

static void print_json(const struct fg_explain *explain, unsigned long number,
		       enum fg_family family, const struct fg_rule_line *rule)
{
	json_t *document =
		json_pack("{s:I, s:s, s:o, s:s, s:o}", "packet", (json_int_t)number, "verdict",
			  verdict_of(&explain->trace), "rule",
			  rule ? json_integer(rule->line) : json_null(), "reason",
			  reason_of(&explain->trace), "tried", tried_json(explain, family));

	fg_cli_print_json(explain->cli, document);
}

static void print_rule(FILE *out, const struct fg_rule_line *rule)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf match = { 0 }, then = { 0 };

	fg_rule_line_match(rule, &match);
	fg_actions_print(&rule->actions, &then);
	if (fg_buf_text(&match) && fg_buf_text(&then))
		fprintf(out, "rule %u { %s } then { %s }", rule->line, match.data, then.data);
}

static void print_tried(const struct fg_explain *explain, enum fg_family family)
{
	FILE *out = explain->cli->out;
	uint32_t n = tried_count(&explain->trace);

	fputs(n ? "; tried" : "; no rule tried", out);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t index = explain->trace.tried[i].rule,
			 check = explain->trace.tried[i].check;
		const struct fg_rule_line *rule = fg_explain_rule(explain, family, index);

		if (!rule)
			continue;
		fprintf(out, "%s %u", i ? "," : "", rule->line);
		if (check == FG_NO_RULE)
			fputs(" matched", out);
		else
			fprintf(out, " failed at %s",
				fg_explain_field(explain, family, index, check));
	}
	if (explain->trace.n_tried > n)
		fprintf(out, ", and %u more", explain->trace.n_tried - n);
}

void fg_explain_print(const struct fg_explain *explain, unsigned long number, enum fg_family family)
{
	const struct fg_rule_line *rule = fg_explain_rule(explain, family, explain->trace.got.rule);
	FILE *out = explain->cli->out;

	if (explain->cli->json) {
		print_json(explain, number, family, rule);
		return;
	}
	fprintf(out, "packet %lu: %s by ", number, verdict_of(&explain->trace));
	if (rule)
		print_rule(out, rule);
	else
		fputs("no rule", out);
	fprintf(out, "; reason %s", reason_of(&explain->trace));
	print_tried(explain, family);
	fputc('\n', out);
}
