// SPDX-License-Identifier: MIT
/* Finds a command from abbreviated words, and prints help from the same table. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "util/text.h"

bool fg_abbreviates(const char *text, const char *word)
{
	return *text && !strncmp(text, word, strlen(text));
}

/* Word number @k of a command as [*ret_len] characters, NULL past its end. */
static const char *word_at(const struct fg_command *command, int k, size_t *ret_len)
{
	const char *w = command->words;

	for (; k > 0 && w; k--) {
		w = strchr(w, ' ');
		w = w ? w + 1 : NULL;
	}
	if (w)
		*ret_len = strcspn(w, " ");
	return w;
}

/* How well @text names word @k: 0 not, 1 abbreviates, 2 exactly. */
static int fits(const struct fg_command *command, int k, const char *text)
{
	size_t len = 0, n = strlen(text);
	const char *w = word_at(command, k, &len);

	if (!w || !n || n > len || strncmp(text, w, n))
		return 0;
	return n == len ? 2 : 1;
}

/* True when words 0..k-1 of both are the same. */
static bool same_words(const struct fg_command *a, const struct fg_command *b, int k)
{
	for (int i = 0; i < k; i++) {
		size_t na = 0, nb = 0;
		const char *wa = word_at(a, i, &na), *wb = word_at(b, i, &nb);

		if (!wa || !wb || na != nb || strncmp(wa, wb, na))
			return false;
	}
	return true;
}

/* The words that can stand at place @k behind those of @prefix, each once, into @err's fix. */
static void suggest(const struct fg_command *table, const struct fg_command *prefix, int k,
		    const char *text, struct fg_error *err)
{
	const char *last = NULL;
	size_t last_len = 0;

	fg_text_copy(err->fix, sizeof(err->fix), "one of:");
	for (const struct fg_command *c = table; c->words; c++) {
		size_t len = 0, used = strlen(err->fix);
		const char *w = word_at(c, k, &len);

		if (!w || (k && !same_words(c, prefix, k)) || (text && !fits(c, k, text)))
			continue;
		if (last && last_len == len && !strncmp(last, w, len))
			continue;
		last = w;
		last_len = len;
		(void)snprintf(err->fix + used, sizeof(err->fix) - used, " %.*s", (int)len, w);
	}
}

/* The command whose word @k is what @text means among those that share the first @k words of @at;
 * NULL when none, *ambiguous when several different words fit. */
static const struct fg_command *step(const struct fg_command *table, const struct fg_command *at,
				     int k, const char *text, bool *ambiguous)
{
	const struct fg_command *found = NULL;
	int best = 0;

	*ambiguous = false;
	for (const struct fg_command *c = table; c->words; c++) {
		int fit = k && !same_words(c, at, k) ? 0 : fits(c, k, text);

		if (!fit || fit < best)
			continue;
		if (found && fit == best && !same_words(c, found, k + 1))
			*ambiguous = true;
		if (fit > best)
			*ambiguous = false;
		if (!found || fit > best)
			found = c;
		best = fit;
	}
	return found;
}

/* The command that consists of exactly the first @k words of @at. */
static const struct fg_command *exactly(const struct fg_command *table, const struct fg_command *at,
					int k)
{
	size_t len;

	for (const struct fg_command *c = table; at && c->words; c++)
		if (same_words(c, at, k) && !word_at(c, k, &len))
			return c;
	return NULL;
}

int fg_command_find(const struct fg_command *table, int argc, char **argv,
		    const struct fg_command **ret, int *ret_used, struct fg_error *err)
{
	const struct fg_command *at = NULL, *next, *whole;
	bool ambiguous = false;
	int k;

	for (k = 0; k < argc; k++, at = next) {
		next = step(table, at, k, argv[k], &ambiguous);
		if (!next || ambiguous)
			break;
	}
	if (ambiguous) {
		(void)fg_error_set(err, -EINVAL, "`%s` is ambiguous", argv[k]);
		suggest(table, at, k, argv[k], err);
		return -EINVAL;
	}
	whole = exactly(table, at, k);
	if (!whole) {
		if (k < argc)
			(void)fg_error_set(err, -ENOENT, "unknown word `%s`", argv[k]);
		else
			(void)fg_error_set(err, -EINVAL, "incomplete command");
		suggest(table, at, k, NULL, err);
		return err->code;
	}
	*ret = whole;
	*ret_used = k;
	return 0;
}

void fg_cli_overview(FILE *out)
{
	fputs("fltgate: a FlowSpec filtering gateway. First steps:\n\n"
	      "  fltgate check FILE                    is this configuration right?\n"
	      "  fltgate attach eth0                   filter what eth0 receives\n"
	      "  fltgate show route table inetflow.0   the rules: from BGP and from the configuration\n"
	      "  fltgate show interfaces eth0 extensive   every verdict and drop reason, counted\n"
	      "  fltgate status                        is everything enforced? (exit 4: not)\n"
	      "  fltgate decode HEX                    what does this NLRI say?\n\n"
	      "Words may be abbreviated (`fltgate sh bgp sum`), -j gives JSON, `--help` lists all commands.\n"
	      "The daemon is fltgated; its configuration /etc/fltgate/fltgate.conf.\n",
	      out);
}

void fg_cli_help(FILE *out, const struct fg_command *command)
{
	struct fg_grid grid = { .align = "ll" };

	if (command) {
		fprintf(out, "usage: fltgate %s%s%s\n  %s\n", command->words,
			*command->usage ? " " : "", command->usage, command->help);
		return;
	}
	fputs("usage: fltgate [OPTIONS] COMMAND [ARGUMENTS] [| match WORD]\n\ncommands:\n", out);
	for (const struct fg_command *c = fg_commands; c->words; c++)
		fg_grid_row(&grid, "%s %s\t%s", c->words, c->usage, c->help);
	fg_grid_print(&grid, "  ", out);
	fputs("\noptions:\n"
	      "  -j, --json         answer as JSON      -p, --pretty       indented\n"
	      "  -s, --statistics   more figures        -n, --no-names     numbers instead of names\n"
	      "  --socket PATH      control socket      --instance NAME    another daemon of this host\n"
	      "  -h, --help         of a command        -V, --version\n\n"
	      "exit: 0 done, 1 failed, 2 usage or syntax, 3 no match, 4 partly enforced, 5 no daemon, 6 refused by guard\n",
	      out);
}
