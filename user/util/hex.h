/* SPDX-License-Identifier: MIT */
/* Octets as hexadecimal text. */
#ifndef FG_UTIL_HEX_H
#define FG_UTIL_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/buf.h"

/* Reads pairs of digits; blanks and colons between pairs are skipped. Returns the number of octets; -EINVAL: no
 * hexadecimal, or half an octet; -EMSGSIZE: more than @size. */
ssize_t fg_hex_parse(const char *text, uint8_t *out, size_t size);

/* Appends two lower-case digits per octet. */
void fg_hex_print(const uint8_t *data, size_t len, struct fg_buf *out);

#endif
