// SPDX-License-Identifier: MIT
/* Tests of the lexer: tokens and their places, quoting and back, every error at its exact place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "conf/lexer.h"
#include "util/cleanup.h"

struct expected {
	enum fg_token_kind kind;
	unsigned line, column;
	const char *text;
};

static void expect_tokens(const char *text, const struct expected *expected, size_t n)
{
	struct fg_lexer lexer;
	struct fg_token token;
	struct fg_error err = { 0 };

	fg_lexer_init(&lexer, "f", text, strlen(text));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(fg_lexer_next(&lexer, &token, &err), 0);
		assert_int_equal(token.kind, expected[i].kind);
		assert_int_equal(token.place.line, expected[i].line);
		assert_int_equal(token.place.column, expected[i].column);
		assert_string_equal(token.text, expected[i].text ? expected[i].text : "");
	}
}

static void test_tokens(void **state)
{
	static const struct expected expected[] = {
		{ FG_TOKEN_WORD, 1, 1, "a" },          { FG_TOKEN_OPEN, 1, 3, NULL },
		{ FG_TOKEN_WORD, 2, 2, "10.0.0.0/8" }, { FG_TOKEN_LIST_OPEN, 2, 13, NULL },
		{ FG_TOKEN_WORD, 2, 14, "x" },         { FG_TOKEN_LIST_CLOSE, 2, 15, NULL },
		{ FG_TOKEN_SEMICOLON, 2, 16, NULL },   { FG_TOKEN_CLOSE, 3, 1, NULL },
		{ FG_TOKEN_END, 3, 2, NULL },          { FG_TOKEN_END, 3, 2, NULL },
	};

	(void)state;
	expect_tokens("a {\n\t10.0.0.0/8 [x];\n}", expected, FG_ARRAY_SIZE(expected));
}

/* `#` inside a word is part of it, a comment ends a word, columns count characters. */
static void test_comments_and_columns(void **state)
{
	static const struct expected expected[] = {
		{ FG_TOKEN_WORD, 2, 1, "a#b" },
		{ FG_TOKEN_WORD, 3, 5, "c" },
		{ FG_TOKEN_WORD, 3, 6, "\xc3\xa4\t\"\\" },
		{ FG_TOKEN_WORD, 3, 17, "d" },
		{ FG_TOKEN_END, 3, 18, NULL },
	};

	(void)state;
	expect_tokens("# one { ; \"\na#b/* two\n */ c\"\xc3\xa4\\t\\\"\\\\\"  d", expected,
		      FG_ARRAY_SIZE(expected));
}

static void expect_error(const char *text, size_t len, const char *message)
{
	struct fg_lexer lexer;
	struct fg_token token;
	struct fg_error err = { 0 };
	int r;

	fg_lexer_init(&lexer, "f", text, len);
	do
		r = fg_lexer_next(&lexer, &token, &err);
	while (r == 0 && token.kind != FG_TOKEN_END);
	assert_int_equal(r, -EINVAL);
	assert_string_equal(err.what, message);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "a\n b \"x", "f:2:4: this string has no end: `\"` is missing" },
		{ "\"x\ny\"", "f:1:1: this string has no end: `\"` is missing" },
		{ "a /* b\n\n", "f:1:3: this comment has no end: `*/` is missing" },
		{ "a \"b\\n\"", "f:1:5: unknown escape: known are \\\" \\\\ \\t" },
		{ "a\xc2\xa0z",
		  "f:1:2: a character that is not ASCII: put the text in \"quotes\"" },
		{ "\"\xc0\x80\"", "f:1:2: octet 0xc0 is not UTF-8 text" },
		{ "\"\xed\xa0\x80\"", "f:1:2: octet 0xed is not UTF-8 text" },
		{ "\"a\xe2\x82", "f:1:3: octet 0xe2 is not UTF-8 text" },
		{ "ab\x01", "f:1:3: control character 0x01" },
		{ "\"a\x7f\"", "f:1:3: control character 0x7f" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, strlen(cases[i].text), cases[i].message);
	expect_error("x\0y", 3, "f:1:2: control character 0x00");
}

static void test_word_limit(void **state)
{
	char text[FG_CONF_WORD_MAX + 2];
	struct fg_lexer lexer;
	struct fg_token token;
	struct fg_error err = { 0 };

	(void)state;
	memset(text, 'w', sizeof(text));
	fg_lexer_init(&lexer, "f", text, FG_CONF_WORD_MAX);
	assert_int_equal(fg_lexer_next(&lexer, &token, &err), 0);
	assert_int_equal(token.len, FG_CONF_WORD_MAX);
	expect_error(text, FG_CONF_WORD_MAX + 1, "f:1:1: word longer than 1024 octets");
}

/* What is printed is read back as the same single word. */
static void test_quoting(void **state)
{
	static const char *const words[] = {
		"",   "plain", "a b", "#x",  "x#", "a;b",    "{",      "\"",
		"\\", "a/*b",  "\t",  "[x]", "ü",  "10.0/8", "a\\\"b", "!=80&>=10",
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(words); i++) {
		FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
		struct expected expected[] = {
			{ FG_TOKEN_WORD, 1, 1, words[i] },
		};
		struct fg_lexer lexer;
		struct fg_token token;

		fg_word_print(words[i], &out);
		expect_tokens(fg_buf_text(&out), expected, 1);
		fg_lexer_init(&lexer, "f", out.data, out.len);
		assert_int_equal(fg_lexer_next(&lexer, &token, NULL), 0);
		assert_int_equal(fg_lexer_next(&lexer, &token, NULL), 0);
		assert_int_equal(token.kind, FG_TOKEN_END);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),  cmocka_unit_test(test_comments_and_columns),
		cmocka_unit_test(test_errors),  cmocka_unit_test(test_word_limit),
		cmocka_unit_test(test_quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
