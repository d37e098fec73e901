// SPDX-License-Identifier: MIT
/* The lexer of configuration text, and the one place that knows how a word is quoted. */
#include "conf/lexer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fg_place_error(struct fg_error *err, const struct fg_place *place, const char *format, ...)
{
	char text[448];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return fg_error_set(err, -EINVAL, "%s:%u:%u: %s", place->file, place->line, place->column,
			    text);
}

void fg_lexer_init(struct fg_lexer *lexer, const char *file, const char *text, size_t len)
{
	*lexer = (struct fg_lexer){
		.pos = text,
		.end = text + len,
		.place = { .file = file, .line = 1, .column = 1 },
	};
}

static int peek(const struct fg_lexer *lexer, size_t ahead)
{
	if ((size_t)(lexer->end - lexer->pos) <= ahead)
		return -1;
	return (unsigned char)lexer->pos[ahead];
}

/* Continuation octets of UTF-8 do not move the column: people count characters. */
static void step(struct fg_lexer *lexer)
{
	unsigned char c = (unsigned char)*lexer->pos++;

	if (c == '\n') {
		lexer->place.line++;
		lexer->place.column = 1;
	} else if ((c & 0xc0) != 0x80) {
		lexer->place.column++;
	}
}

static void steps(struct fg_lexer *lexer, size_t n)
{
	while (n--)
		step(lexer);
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool at_comment(const struct fg_lexer *lexer)
{
	return peek(lexer, 0) == '/' && peek(lexer, 1) == '*';
}

static int skip_comment(struct fg_lexer *lexer, struct fg_error *err)
{
	struct fg_place start = lexer->place;

	steps(lexer, 2);
	while (peek(lexer, 0) != '*' || peek(lexer, 1) != '/') {
		if (peek(lexer, 0) < 0)
			return fg_place_error(err, &start,
					      "this comment has no end: `*/` is missing");
		step(lexer);
	}
	steps(lexer, 2);
	return 0;
}

/* Skips blanks and comments. `#` starts one only at the beginning of a word. */
static int skip_space(struct fg_lexer *lexer, struct fg_error *err)
{
	int r;

	for (;;) {
		if (is_blank(peek(lexer, 0))) {
			step(lexer);
		} else if (at_comment(lexer)) {
			r = skip_comment(lexer, err);
			if (r < 0)
				return r;
		} else if (peek(lexer, 0) == '#') {
			while (peek(lexer, 0) >= 0 && peek(lexer, 0) != '\n')
				step(lexer);
		} else {
			return 0;
		}
	}
}

static int put(struct fg_token *token, int c, struct fg_error *err)
{
	if (token->len >= FG_CONF_WORD_MAX)
		return fg_place_error(err, &token->place, "word longer than %d octets",
				      FG_CONF_WORD_MAX);
	token->text[token->len++] = (char)c;
	return 0;
}

/* Octets of the UTF-8 character at the lexer, 0 when it is none (RFC 3629: shortest form, no surrogates). */
static size_t utf8_length(const struct fg_lexer *lexer)
{
	static const struct {
		unsigned char from, to, second_from, second_to;
		size_t len;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	int c = peek(lexer, 0), second = peek(lexer, 1);

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (c < forms[i].from || c > forms[i].to)
			continue;
		if (second < forms[i].second_from || second > forms[i].second_to)
			return 0;
		for (size_t n = 2; n < forms[i].len; n++)
			if (peek(lexer, n) < 0 || (peek(lexer, n) & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
}

static int put_character(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err)
{
	int c = peek(lexer, 0), r = 0;
	size_t n = c < 0x80 ? 1 : utf8_length(lexer);

	if (!n)
		return fg_place_error(err, &lexer->place, "octet 0x%02x is not UTF-8 text",
				      (unsigned)c);
	if ((c < 0x20 && c != '\t') || c == 0x7f)
		return fg_place_error(err, &lexer->place, "control character 0x%02x", (unsigned)c);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = put(token, peek(lexer, 0), err);
		step(lexer);
	}
	return r;
}

static int put_escape(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err)
{
	int c = peek(lexer, 1);

	if (c == 't')
		c = '\t';
	else if (c != '"' && c != '\\')
		return fg_place_error(err, &lexer->place,
				      "unknown escape: known are \\\" \\\\ \\t");
	steps(lexer, 2);
	return put(token, c, err);
}

static int read_string(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err)
{
	int r = 0;

	token->quoted = true;
	step(lexer);
	while (r == 0 && peek(lexer, 0) != '"') {
		if (peek(lexer, 0) < 0 || peek(lexer, 0) == '\n' || peek(lexer, 0) == '\r')
			return fg_place_error(err, &token->place,
					      "this string has no end: `\"` is missing");
		if (peek(lexer, 0) == '\\')
			r = put_escape(lexer, token, err);
		else
			r = put_character(lexer, token, err);
	}
	if (r == 0)
		step(lexer);
	return r;
}

static bool ends_word(const struct fg_lexer *lexer)
{
	int c = peek(lexer, 0);

	return c < 0 || is_blank(c) || (c && strchr("{};[]\"", c)) || at_comment(lexer);
}

static int read_word(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err)
{
	int r = 0;

	while (r == 0 && !ends_word(lexer)) {
		if (peek(lexer, 0) >= 0x80)
			return fg_place_error(
				err, &lexer->place,
				"a character that is not ASCII: put the text in \"quotes\"");
		r = put_character(lexer, token, err);
	}
	return r;
}

static enum fg_token_kind kind_of(int c)
{
	switch (c) {
	case -1:
		return FG_TOKEN_END;
	case '{':
		return FG_TOKEN_OPEN;
	case '}':
		return FG_TOKEN_CLOSE;
	case ';':
		return FG_TOKEN_SEMICOLON;
	case '[':
		return FG_TOKEN_LIST_OPEN;
	case ']':
		return FG_TOKEN_LIST_CLOSE;
	default:
		return FG_TOKEN_WORD;
	}
}

int fg_lexer_next(struct fg_lexer *lexer, struct fg_token *token, struct fg_error *err)
{
	int r = skip_space(lexer, err);

	if (r < 0)
		return r;
	token->kind = kind_of(peek(lexer, 0));
	token->place = lexer->place;
	token->quoted = false;
	token->len = 0;
	if (token->kind == FG_TOKEN_WORD)
		r = peek(lexer, 0) == '"' ? read_string(lexer, token, err)
					  : read_word(lexer, token, err);
	else if (token->kind != FG_TOKEN_END)
		step(lexer);
	token->text[token->len] = '\0';
	token->end = lexer->place;
	return r;
}

static bool needs_quotes(const char *word)
{
	if (!*word || *word == '#' || strstr(word, "/*"))
		return true;
	for (const char *c = word; *c; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f ||
		    strchr("{};[]\"\\", *c))
			return true;
	return false;
}

void fg_word_print(const char *word, struct fg_buf *out)
{
	if (!needs_quotes(word)) {
		fg_buf_printf(out, "%s", word);
		return;
	}
	fg_buf_add(out, "\"", 1);
	for (const char *c = word; *c; c++) {
		if (*c == '\t') {
			fg_buf_add(out, "\\t", 2);
			continue;
		}
		if (*c == '"' || *c == '\\')
			fg_buf_add(out, "\\", 1);
		fg_buf_add(out, c, 1);
	}
	fg_buf_add(out, "\"", 1);
}
