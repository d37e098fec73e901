// SPDX-License-Identifier: MIT
/* Values of statements: checked against their row, and turned into numbers and addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/statements.h"
#include "util/cleanup.h"

int fg_value_uint(const char *text, uint32_t *ret)
{
	uint64_t value = 0;

	if (!*text || strlen(text) > 10)
		return -EINVAL;
	for (const char *c = text; *c; c++) {
		if (*c < '0' || *c > '9')
			return -EINVAL;
		value = value * 10 + (uint64_t)(*c - '0');
	}
	if (value > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)value;
	return 0;
}

/* asplain or asdot (RFC 5396). */
int fg_value_as(const char *text, uint32_t *ret)
{
	const char *dot = strchr(text, '.');
	uint32_t high, low;
	char part[8];

	if (!dot)
		return fg_value_uint(text, ret);
	if ((size_t)(dot - text) >= sizeof(part))
		return -EINVAL;
	memcpy(part, text, (size_t)(dot - text));
	part[dot - text] = '\0';
	if (fg_value_uint(part, &high) < 0 || fg_value_uint(dot + 1, &low) < 0 || high > 0xffff ||
	    low > 0xffff)
		return -EINVAL;
	*ret = high << 16 | low;
	return 0;
}

static bool host_bits(const struct fg_conf_address *address, size_t size)
{
	for (size_t bit = address->prefix_len; bit < size * 8; bit++)
		if (address->addr[bit / 8] & 0x80U >> bit % 8)
			return true;
	return false;
}

int fg_value_address(const char *text, bool prefix, struct fg_conf_address *ret)
{
	const char *slash = prefix ? strchr(text, '/') : NULL;
	struct fg_conf_address address = { 0 };
	char part[INET6_ADDRSTRLEN + 1];
	size_t len = slash ? (size_t)(slash - text) : strlen(text), size;
	uint32_t bits;

	if (len >= sizeof(part))
		return -EINVAL;
	memcpy(part, text, len);
	part[len] = '\0';
	address.family = strchr(part, ':') ? FG_INET6 : FG_INET;
	size = address.family == FG_INET6 ? 16 : 4;
	if (inet_pton(address.family == FG_INET6 ? AF_INET6 : AF_INET, part, address.addr) != 1)
		return -EINVAL;
	bits = (uint32_t)size * 8;
	if (slash && (fg_value_uint(slash + 1, &bits) < 0 || bits > size * 8))
		return -EINVAL;
	address.prefix_len = (uint8_t)bits;
	if (host_bits(&address, size))
		return -ERANGE;
	*ret = address;
	return 0;
}

static int why_not(char *why, size_t size, const char *reason)
{
	(void)snprintf(why, size, "%s", reason);
	return -EINVAL;
}

static int check_text(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	if (!*text)
		return why_not(why, size, "an empty text");
	if (strlen(text) <= row->max)
		return 0;
	(void)snprintf(why, size, "longer than %u octets", row->max);
	return -EINVAL;
}

static int check_secret(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	if (!strncmp(text, "$9$", 3))
		return why_not(
			why, size,
			"the obfuscated form of Junos ($9$) is not read: write the key itself");
	return check_text(row, text, why, size);
}

static int check_uint(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	uint32_t value;

	if (fg_value_uint(text, &value) == 0 && value >= row->min && value <= row->max)
		return 0;
	(void)snprintf(why, size, "expected a number from %u to %u", row->min, row->max);
	return -EINVAL;
}

static int check_as(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	uint32_t as;

	(void)row;
	if (fg_value_as(text, &as) < 0)
		return why_not(why, size, "expected an AS number from 1 to 4294967295");
	return as ? 0 : why_not(why, size, "AS 0 is reserved (RFC 7607)");
}

static int check_address(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	struct fg_conf_address address;

	(void)row;
	if (fg_value_address(text, false, &address) == 0)
		return 0;
	return why_not(why, size, "expected an IPv4 or IPv6 address");
}

static int check_router_id(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	struct fg_conf_address id;

	(void)row;
	if (fg_value_address(text, false, &id) == 0 && id.family == FG_INET &&
	    memcmp(id.addr, "\0\0\0\0", 4) != 0)
		return 0;
	return why_not(why, size, "expected an identifier such as 192.0.2.1");
}

static int check_prefix(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	struct fg_conf_address address;
	int r = fg_value_address(text, true, &address);

	(void)row;
	if (r == -ERANGE)
		return why_not(why, size, "bits are set behind the prefix length");
	return r == 0 ? 0
		      : why_not(why, size,
				"expected a prefix such as 192.0.2.0/24 or 2001:db8::/32");
}

static bool is_choice(const char *choices, const char *text)
{
	size_t len = strlen(text);

	for (const char *c = choices; c; c = strchr(c, ' ') ? strchr(c, ' ') + 1 : NULL)
		if (len && !strncmp(c, text, len) && (c[len] == ' ' || !c[len]))
			return true;
	return false;
}

static int check_choice(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	char near[32];

	if (is_choice(row->choices, text))
		return 0;
	if (fg_nearest_choice(row->choices, text, near, sizeof(near)))
		(void)snprintf(why, size, "did you mean `%s`? (%s)", near, row->name);
	else
		(void)snprintf(why, size, "expected %s", row->name);
	return -EINVAL;
}

/* What the kernel takes as a name (dev_valid_name()), without what needs quotes. */
static int check_interface(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	if (strchr(text, '/'))
		return why_not(
			why, size,
			"not a Linux interface name: write the one that `ip link` shows, e.g. eth0");
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || *c == ':')
			return why_not(why, size, "not a Linux interface name");
	if (!strcmp(text, ".") || !strcmp(text, ".."))
		return why_not(why, size, "not a Linux interface name");
	return check_text(row, text, why, size);
}

/* The words of rules are checked whole, where the family is known (rules.c). */
static int check_later(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	(void)row;
	return *text ? 0 : why_not(why, size, "an empty text");
}

int fg_statement_check(const struct fg_statement *row, const char *text, char *why, size_t size)
{
	static int (*const checks[])(const struct fg_statement *, const char *, char *, size_t) = {
		[FG_VALUE_NONE] = check_later,      [FG_VALUE_TEXT] = check_text,
		[FG_VALUE_UINT] = check_uint,       [FG_VALUE_AS] = check_as,
		[FG_VALUE_ADDRESS] = check_address, [FG_VALUE_ROUTER_ID] = check_router_id,
		[FG_VALUE_PREFIX] = check_prefix,   [FG_VALUE_SECRET] = check_secret,
		[FG_VALUE_CHOICE] = check_choice,   [FG_VALUE_INTERFACE] = check_interface,
		[FG_VALUE_MATCH] = check_later,     [FG_VALUE_THEN] = check_later,
	};

	return checks[row->value](row, text, why, size);
}
