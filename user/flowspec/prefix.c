// SPDX-License-Identifier: MIT
/* Address prefixes of rules: clipping and text, with RFC 8956 offsets. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "flowspec/component.h"

/* Mask of the first @n bits of an octet; any @n. */
static unsigned head_mask(int n)
{
	return n <= 0 ? 0 : n >= 8 ? 0xff : (0xff00U >> n) & 0xff;
}

void fg_prefix_clip(uint8_t addr[16], unsigned offset, unsigned length)
{
	for (int i = 0; i < 16; i++)
		addr[i] &=
			(uint8_t)(head_mask((int)length - 8 * i) & ~head_mask((int)offset - 8 * i));
}

static const char *skip_blank(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* A decimal of at most three digits; NULL when there is none. */
static const char *small_number(const char *p, unsigned *ret)
{
	unsigned value = 0, digits = 0;

	for (; *p >= '0' && *p <= '9' && digits < 3; p++, digits++)
		value = value * 10 + (unsigned)(*p - '0');
	if (!digits || (*p >= '0' && *p <= '9'))
		return NULL;
	*ret = value;
	return p;
}

/* "/length [offset N]" after the address. */
static const char *parse_bounds(enum fg_family family, const char *p, unsigned *length,
				unsigned *offset)
{
	if (*p == '/')
		p = small_number(p + 1, length);
	if (!p)
		return NULL;
	p = skip_blank(p);
	if (family == FG_INET6 && !strncmp(p, "offset", 6))
		p = small_number(skip_blank(p + 6), offset);
	return p ? skip_blank(p) : NULL;
}

int fg_prefix_parse(enum fg_family family, const char *text, struct fg_flow_prefix *ret,
		    struct fg_error *err)
{
	unsigned max = family == FG_INET ? 32 : 128, length = max, offset = 0;
	struct fg_flow_prefix prefix = { 0 };
	char address[INET6_ADDRSTRLEN];
	const char *start = skip_blank(text), *end;
	size_t len = strcspn(start, "/ \t");

	if (len >= sizeof(address))
		return fg_error_set(err, -EINVAL, "'%s' is not an address prefix", text);
	memcpy(address, start, len);
	address[len] = '\0';
	if (inet_pton(family == FG_INET ? AF_INET : AF_INET6, address, prefix.addr) != 1)
		return fg_error_set(err, -EINVAL, "'%s' is not an %s address", address,
				    family == FG_INET ? "IPv4" : "IPv6");
	end = parse_bounds(family, start + len, &length, &offset);
	if (!end || *end || length > max)
		return fg_error_set(err, -EINVAL,
				    "'%s' is not a prefix: expected ADDRESS/LENGTH, length 0 to %u",
				    text, max);
	if (offset >= length && (offset || length))
		return fg_error_set(err, -EINVAL, "offset %u is not below the prefix length %u",
				    offset, length);
	prefix.length = (uint8_t)length;
	prefix.offset = (uint8_t)offset;
	fg_prefix_clip(prefix.addr, offset, length);
	*ret = prefix;
	return 0;
}

void fg_prefix_print(enum fg_family family, const struct fg_flow_prefix *prefix, struct fg_buf *out)
{
	char address[INET6_ADDRSTRLEN];

	if (!inet_ntop(family == FG_INET ? AF_INET : AF_INET6, prefix->addr, address,
		       sizeof(address)))
		address[0] = '\0';
	fg_buf_printf(out, "%s/%u", address, prefix->length);
	if (prefix->offset)
		fg_buf_printf(out, " offset %u", prefix->offset);
}
