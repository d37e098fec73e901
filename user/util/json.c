// SPDX-License-Identifier: MIT
/* The few JSON conventions of the project, on top of jansson. */
#include "util/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fltgate/names.h"

#define EXACT_MAX (1ULL << 53)

json_t *fg_json_document(void)
{
	return json_pack("{s:s}", "schema", FG_JSON_SCHEMA);
}

json_t *fg_json_u64(uint64_t value)
{
	char text[24];

	if (value <= EXACT_MAX)
		return json_integer((json_int_t)value);
	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_string(text);
}

uint64_t fg_json_u64_value(const json_t *value)
{
	if (json_is_string(value))
		return strtoull(json_string_value(value), NULL, 10);
	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
}

uint64_t fg_json_get_u64(const json_t *object, const char *key)
{
	return fg_json_u64_value(json_object_get(object, key));
}

json_int_t fg_json_get_int(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

void fg_json_set_u64(json_t *object, const char *key, uint64_t value)
{
	(void)json_object_set_new(object, key, fg_json_u64(value));
}

const char *fg_json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
