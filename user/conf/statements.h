/* SPDX-License-Identifier: MIT */
/* The table of statements: the one place that says what may be written, in what range, and what it means. */
#ifndef FG_CONF_STATEMENTS_H
#define FG_CONF_STATEMENTS_H

#include "conf/conf.h"

/* Blocks that hold statements. Several statements may open the same one (`flow` of both families). */
enum fg_context {
	FG_IN_NONE, /* not a block */
	FG_IN_ROOT,
	FG_IN_SYSTEM,
	FG_IN_GUARD,
	FG_IN_ROUTING,
	FG_IN_RIB,
	FG_IN_FLOW,
	FG_IN_LOOKUP,
	FG_IN_ROUTE,
	FG_IN_MATCH,
	FG_IN_THEN,
	FG_IN_PROTOCOLS,
	FG_IN_BGP,
	FG_IN_GROUP,
	FG_IN_NEIGHBOR,
	FG_IN_FAMILY,
	FG_IN_FAMILY_FLOW,
	FG_IN_PREFIX_LIMIT,
	FG_IN_INTERFACES,
	FG_IN_INTERFACE,
	FG_IN_SECURITY,
	FG_CONTEXTS,
};

/* What stands behind the word. */
enum fg_value {
	FG_VALUE_NONE,
	FG_VALUE_TEXT,      /* up to @max octets */
	FG_VALUE_UINT,      /* @min to @max */
	FG_VALUE_AS,        /* 65010 or 1.10 */
	FG_VALUE_ADDRESS,   /* IPv4 or IPv6 */
	FG_VALUE_ROUTER_ID, /* dotted quad, not 0.0.0.0 */
	FG_VALUE_PREFIX,    /* ADDRESS/LENGTH, or an address alone */
	FG_VALUE_SECRET,    /* never printed */
	FG_VALUE_CHOICE,    /* one of @choices */
	FG_VALUE_INTERFACE, /* the word itself is the key: `eth0 { ... }` */
	FG_VALUE_MATCH,     /* the word is a match keyword of user/flowspec, its values follow */
	FG_VALUE_THEN,      /* the word is a then keyword, values may follow */
};

enum fg_statement_flags {
	FG_STATEMENT_LIST = 1, /* `[ a b ]`; written again it adds */
	FG_STATEMENT_INLINE =
		2, /* a block printed as `then discard;` when it holds one statement */
};

/* @in: bit per enum fg_context. @word: NULL when any word of the value's kind may stand there. A statement with
 * both a value and @opens is a keyed block (`route NAME { ... }`). @refuse: why this word is known and not taken,
 * and what to write instead; with @refuse_choice only that value is. */
struct fg_statement {
	uint32_t in;
	const char *word;
	enum fg_value value;
	enum fg_context opens;
	unsigned flags;
	uint32_t min, max;
	const char *choices; /* separated by blanks */
	const char *name;    /* of the value, for help: SECONDS */
	const char *help;    /* a few words */
	const char *man;     /* sentences for fltgate.conf(5); NULL: help says it all */
	const char *refuse;
	const char *refuse_choice;
};

/* Row @i of the table, NULL past the end. */
const struct fg_statement *fg_conf_statement(size_t i);

/* The row for @word in a block, NULL when it is not known there. */
const struct fg_statement *fg_statement_find(enum fg_context in, const char *word);

/* The known word of a block nearest to @word, NULL when none is near. */
const char *fg_statement_nearest(enum fg_context in, const char *word);

/* Appends where @word would be known, e.g. "protocols bgp group NAME"; false (nothing appended) when nowhere. */
bool fg_statement_elsewhere(const char *word, struct fg_buf *out);

/* The nearest of words separated by blanks, copied to @ret; false when none is near. */
bool fg_nearest_choice(const char *choices, const char *word, char *ret, size_t size);

/* Checks one value against its row: 0, or -EINVAL with the reason in @why. */
int fg_statement_check(const struct fg_statement *statement, const char *text, char *why,
		       size_t size);

/* Appends "WORD VALUE" as help shows it, e.g. "hold-time SECONDS". */
void fg_statement_usage(const struct fg_statement *statement, struct fg_buf *out);

/* Appends what may follow the words of a path: lines "word<TAB>help". Nothing for an unknown path. */
void fg_conf_complete(const char *const *words, size_t n, struct fg_buf *out);

/* Appends the statement reference of fltgate.conf(5) as scdoc text. */
void fg_conf_reference(struct fg_buf *out);

/* --- values: text that fg_statement_check() took, as numbers. 0 or -EINVAL. ------------------------------- */

int fg_value_uint(const char *text, uint32_t *ret);
int fg_value_as(const char *text, uint32_t *ret);
/* @prefix: ADDRESS/LENGTH is taken too, host bits must be zero; alone it is a host. */
int fg_value_address(const char *text, bool prefix, struct fg_conf_address *ret);

#endif
