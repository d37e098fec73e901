/* SPDX-License-Identifier: MIT */
/* The component table of user/flowspec: everything the codec and the text form know about a component type. */
#ifndef FG_FLOWSPEC_COMPONENT_H
#define FG_FLOWSPEC_COMPONENT_H

#include "flowspec/flowspec.h"

enum fg_component_kind {
	FG_KIND_PREFIX,
	FG_KIND_NUMBER, /* list of numeric operators, RFC 8955 section 4.2.1.1 */
	FG_KIND_BITS,   /* list of bitmask operators, section 4.2.1.2 */
};

/* A word for a value (numbers) or for bits (bitmasks). The first word of a value is the one printed. */
struct fg_name {
	const char *text;
	uint8_t families; /* bit per enum fg_family */
	uint16_t value;
};

struct fg_component {
	const char *keyword;
	const char *alias; /* second keyword accepted, or NULL */
	const struct fg_name *names;
	size_t n_names;
	enum fg_component_kind kind;
	uint8_t families; /* bit per enum fg_family */
	uint8_t widths;   /* sum of the value widths allowed, in octets: 1 | 2 | 4 | 8 */
	bool print_names;
	uint64_t keep[FG_FAMILIES]; /* value bits that are not to be ignored by a receiver */
	uint64_t max[FG_FAMILIES];  /* greatest value a packet can carry */
};

/* Component @type as @family has it, NULL when that family has no such type. */
const struct fg_component *fg_component(enum fg_family family, unsigned type);

/* Component type of a match keyword, 0 when unknown (in either family). */
unsigned fg_component_type(const char *keyword);

/* Types in the order in which the text form prints them, 0 past the end. */
unsigned fg_component_printed(size_t i);

/* Value of a word of @component, false when there is no such word. */
bool fg_name_value(const struct fg_component *component, enum fg_family family, const char *word,
		   size_t len, uint64_t *ret_value);

/* Clears the bits of a 16-octet address outside [offset, length). */
void fg_prefix_clip(uint8_t addr[16], unsigned offset, unsigned length);

/* Fewest octets (1, 2, 4, 8) that hold @value. */
static inline unsigned fg_value_width(uint64_t value)
{
	return value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
}

/* Parses and prints prefixes: "192.0.2.0/24", "2001:db8::/32", "::1234:0/112 offset 96". 0 or -EINVAL. */
int fg_prefix_parse(enum fg_family family, const char *text, struct fg_flow_prefix *ret,
		    struct fg_error *err);
void fg_prefix_print(enum fg_family family, const struct fg_flow_prefix *prefix,
		     struct fg_buf *out);

#endif
