// SPDX-License-Identifier: MIT
/* Octets as hexadecimal text: a few digits at a time, no allocation but the buffer's. */
#include "util/hex.h"

#include <errno.h>
#include <string.h>

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p;

	if (c >= 'A' && c <= 'F')
		c += 'a' - 'A';
	p = c ? strchr(digits, c) : NULL;
	return p ? (int)(p - digits) : -1;
}

ssize_t fg_hex_parse(const char *text, uint8_t *out, size_t size)
{
	size_t len = 0;

	for (;;) {
		text += strspn(text, " \t\r\n:");
		if (!*text)
			return (ssize_t)len;
		if (digit(text[0]) < 0 || digit(text[1]) < 0)
			return -EINVAL;
		if (len == size)
			return -EMSGSIZE;
		out[len++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
		text += 2;
	}
}

void fg_hex_print(const uint8_t *data, size_t len, struct fg_buf *out)
{
	for (size_t i = 0; i < len; i++)
		fg_buf_printf(out, "%02x", data[i]);
}
