// SPDX-License-Identifier: MIT
/* Prints, at build time, the parts of the manual pages that the program's own tables say: statements or commands. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "conf/statements.h"
#include "util/buf.h"
#include "util/cleanup.h"

/* Characters that scdoc would take for markup. */
static void escape(const char *text, struct fg_buf *out)
{
	for (; *text; text++) {
		if (strchr("\\_*", *text))
			fg_buf_printf(out, "\\");
		fg_buf_printf(out, "%c", *text);
	}
}

static void commands(struct fg_buf *out)
{
	for (const struct fg_command *c = fg_commands; c->words; c++) {
		fg_buf_printf(out, "*%s* ", c->words);
		escape(c->usage, out);
		fg_buf_printf(out, "\n\t");
		escape(c->help, out);
		fg_buf_printf(out, "\n\n");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(struct fg_buf *out);
	} parts[] = { { "commands", commands }, { "statements", fg_conf_reference } };
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
	const char *text;

	for (size_t i = 0; argc == 2 && i < FG_ARRAY_SIZE(parts); i++)
		if (!strcmp(argv[1], parts[i].name))
			parts[i].print(&out);
	text = fg_buf_text(&out);
	return text && *text && fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
}
