// SPDX-License-Identifier: MIT
/* The growing buffer: doubling allocation, sticky failure. */
#include "util/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool buf_reserve(struct fg_buf *buf, size_t extra)
{
	size_t need = buf->len + extra + 1;
	size_t cap = buf->cap ? buf->cap : 256;
	char *data;

	if (buf->failed)
		return false;
	if (need <= buf->cap)
		return true;
	while (cap < need)
		cap *= 2;
	data = realloc(buf->data, cap);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->cap = cap;
	return true;
}

void fg_buf_add(struct fg_buf *buf, const void *data, size_t len)
{
	if (!buf_reserve(buf, len))
		return;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void fg_buf_printf(struct fg_buf *buf, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (len < 0 || !buf_reserve(buf, (size_t)len))
		return;
	va_start(ap, format);
	(void)vsnprintf(buf->data + buf->len, (size_t)len + 1, format, ap);
	va_end(ap);
	buf->len += (size_t)len;
}

const char *fg_buf_text(struct fg_buf *buf)
{
	fg_buf_add(buf, "", 0);
	return buf->failed ? NULL : buf->data;
}

char *fg_buf_take(struct fg_buf *buf)
{
	char *text = NULL;

	if (fg_buf_text(buf)) {
		text = buf->data;
		buf->data = NULL;
	}
	fg_buf_free(buf);
	return text;
}

void fg_buf_free(struct fg_buf *buf)
{
	free(buf->data);
	*buf = (struct fg_buf){ 0 };
}
