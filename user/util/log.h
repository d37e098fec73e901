/* SPDX-License-Identifier: MIT */
/* Logging for programs (never for libraries): `<N>` priorities that journald reads, plain text on a terminal. */
#ifndef FG_UTIL_LOG_H
#define FG_UTIL_LOG_H

#include "util/error.h"

enum fg_log_level {
	FG_LOG_ERROR = 3,
	FG_LOG_WARNING = 4,
	FG_LOG_NOTICE = 5,
	FG_LOG_INFO = 6,
	FG_LOG_DEBUG = 7,
};

/* Names the program in every line; lines above @max_level are not printed. */
void fg_log_init(const char *program, enum fg_log_level max_level);

/* One line to stderr. */
void fg_log(enum fg_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Logs an error record with its fix and returns its code. */
int fg_log_error(const struct fg_error *err);

#endif
