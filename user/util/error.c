// SPDX-License-Identifier: MIT
/* Fills error records; the only place that formats them. */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fg_error_set(struct fg_error *err, int code, const char *format, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->fix[0] = '\0';
	va_start(ap, format);
	(void)vsnprintf(err->what, sizeof(err->what), format, ap);
	va_end(ap);
	return code;
}

int fg_error_fix(struct fg_error *err, const char *format, ...)
{
	va_list ap;

	if (!err)
		return -EINVAL;
	va_start(ap, format);
	(void)vsnprintf(err->fix, sizeof(err->fix), format, ap);
	va_end(ap);
	return err->code;
}
