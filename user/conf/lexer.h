/* SPDX-License-Identifier: MIT */
/* Junos text to tokens: words, quoted strings, braces, brackets, semicolons; comments are skipped. */
#ifndef FG_CONF_LEXER_H
#define FG_CONF_LEXER_H

#include "conf/conf.h"

#define FG_CONF_WORD_MAX 1024        /* octets of one word */
#define FG_CONF_WORDS_MAX 4096       /* words of one statement */
#define FG_CONF_SIZE_MAX (64U << 20) /* octets of one file */

enum fg_token_kind {
	FG_TOKEN_END,
	FG_TOKEN_WORD,
	FG_TOKEN_OPEN,  /* { */
	FG_TOKEN_CLOSE, /* } */
	FG_TOKEN_SEMICOLON,
	FG_TOKEN_LIST_OPEN,  /* [ */
	FG_TOKEN_LIST_CLOSE, /* ] */
};

/* @end: the place just behind the token. @text: words only, escapes resolved. */
struct fg_token {
	enum fg_token_kind kind;
	struct fg_place place, end;
	bool quoted;
	size_t len;
	char text[FG_CONF_WORD_MAX + 1];
};

struct fg_lexer {
	const char *pos, *end;
	struct fg_place place; /* of @pos */
};

/* @file and @text are borrowed. */
void fg_lexer_init(struct fg_lexer *lexer, const char *file, const char *text, size_t len);

/* The next token; FG_TOKEN_END again and again at the end. -EINVAL with @err at the exact place. Columns count
 * characters (UTF-8), from 1. */
int fg_lexer_next(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err);

/* Fills @err with "FILE:LINE:COLUMN: message" and returns -EINVAL. */
int fg_place_error(struct fg_error *err, const struct fg_place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends @word as the lexer reads it back: in quotes when it needs them. */
void fg_word_print(const char *word, struct fg_buf *out);

#endif
