/* SPDX-License-Identifier: MIT */
/* A growing text/byte buffer that remembers an allocation failure instead of making every call check. */
#ifndef FG_UTIL_BUF_H
#define FG_UTIL_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. @data is NUL-terminated whenever @len > 0 or fg_buf_text() was called. */
struct fg_buf {
	char *data;
	size_t len;
	size_t cap;
	bool failed; /* an allocation failed: content is incomplete */
};

void fg_buf_add(struct fg_buf *buf, const void *data, size_t len);
void fg_buf_printf(struct fg_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The content as a C string ("" when empty); NULL after a failed allocation. Stays owned by @buf. */
const char *fg_buf_text(struct fg_buf *buf);
/* Gives the content away as a malloc'd C string, NULL after a failed allocation; @buf is left empty. */
char *fg_buf_take(struct fg_buf *buf);
void fg_buf_free(struct fg_buf *buf);

#endif
