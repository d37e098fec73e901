/* SPDX-License-Identifier: MIT */
/* JSON of the project: every document carries the schema; integers above 2^53 are strings, which
 * survive any reader. */
#ifndef FG_UTIL_JSON_H
#define FG_UTIL_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A new object with "schema" set; NULL without memory. */
json_t *fg_json_document(void);

/* A number, or a decimal string above 2^53. */
json_t *fg_json_u64(uint64_t value);

/* The value of either form, 0 for anything else. */
uint64_t fg_json_u64_value(const json_t *value);

/* A member that is such a number, 0 when it is not there. */
uint64_t fg_json_get_u64(const json_t *object, const char *key);

/* A member that is a plain integer, 0 when it is not there. */
json_int_t fg_json_get_int(const json_t *object, const char *key);

/* Sets a member to such a number. */
void fg_json_set_u64(json_t *object, const char *key, uint64_t value);

/* A member that is a string, "" when it is not there or something else. */
const char *fg_json_text(const json_t *object, const char *key);

#endif
