/* SPDX-License-Identifier: MIT */
/* Copying text into fields of fixed size. */
#ifndef FG_UTIL_TEXT_H
#define FG_UTIL_TEXT_H

#include <string.h>

/* Copies as much of @text as fits into @out of @size octets, always NUL-terminated. */
static inline void fg_text_copy(char *out, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len > size - 1)
		len = size - 1;
	memcpy(out, text, len);
	out[len] = '\0';
}

#endif
