/* SPDX-License-Identifier: MIT */
/* Hex text for tests that read data files or print what went wrong. */
#ifndef FGO_TEXT_H
#define FGO_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** fgo_hex - decode hex digits, blanks allowed; returns octets, -1 for text that is no hex or too long. */
int fgo_hex(const char *text, uint8_t *out, size_t cap);

/** fgo_print_hex - print octets to stderr without a line end. */
void fgo_print_hex(const uint8_t *p, size_t len);

#endif /* FGO_TEXT_H */
