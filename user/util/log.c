// SPDX-License-Identifier: MIT
/* Log lines on stderr: with a `<N>` priority for journald, without it on a terminal. */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char *log_program = "fltgate";
static enum fg_log_level log_max = FG_LOG_INFO;

void fg_log_init(const char *program, enum fg_log_level max_level)
{
	log_program = program;
	log_max = max_level;
}

void fg_log(enum fg_log_level level, const char *format, ...)
{
	char text[1024];
	va_list ap;

	if (level > log_max)
		return;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	/* One write per line: lines of the daemon's processes do not interleave. */
	if (isatty(STDERR_FILENO))
		dprintf(STDERR_FILENO, "%s: %s\n", log_program, text);
	else
		dprintf(STDERR_FILENO, "<%d>%s: %s\n", (int)level, log_program, text);
}

int fg_log_error(const struct fg_error *err)
{
	if (err->fix[0])
		fg_log(FG_LOG_ERROR, "%s; try: %s", err->what, err->fix);
	else
		fg_log(FG_LOG_ERROR, "%s", err->what);
	return err->code;
}
