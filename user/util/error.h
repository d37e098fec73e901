/* SPDX-License-Identifier: MIT */
/* The one error record that library code fills: what went wrong, where, and the command that mends it. */
#ifndef FG_UTIL_ERROR_H
#define FG_UTIL_ERROR_H

/* Exit codes of every program of the project (design.md section 7). */
enum fg_exit {
	FG_EXIT_OK = 0,
	FG_EXIT_FAILED = 1,
	FG_EXIT_USAGE = 2, /* usage or syntax */
	FG_EXIT_NO_MATCH = 3,
	FG_EXIT_PARTLY = 4, /* something received or configured is not enforced */
	FG_EXIT_NO_DAEMON = 5,
	FG_EXIT_GUARD = 6, /* refused by the guard */
};

/* @code: negative errno. @what: one line, with the place (file:line:column, interface, map). @fix: a
 * command or an action the operator can take, or empty. Zero-initialise before use. */
struct fg_error {
	int code;
	char what[512];
	char fix[256];
};

/* Fills @err (which may be NULL) and returns @code, so that a caller can `return fg_error_set(...)`.
 * @code is a negative errno. Clears @fix. */
int fg_error_set(struct fg_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the mending command to an error already set. Returns err->code (or -EINVAL when @err is NULL). */
int fg_error_fix(struct fg_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
