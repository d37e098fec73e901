// SPDX-License-Identifier: MIT
/* Hex text for tests that read data files or print what went wrong. */
#include "text.h"

#include <ctype.h>
#include <stdio.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int fgo_hex(const char *text, uint8_t *out, size_t cap)
{
	size_t n = 0;

	while (*text) {
		int hi, lo;

		if (isspace((unsigned char)*text)) {
			text++;
			continue;
		}
		hi = digit(text[0]);
		lo = hi < 0 ? -1 : digit(text[1]);
		if (lo < 0 || n == cap)
			return -1;
		out[n++] = (uint8_t)(hi << 4 | lo);
		text += 2;
	}
	return (int)n;
}

void fgo_print_hex(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(stderr, "%02x", p[i]);
}
