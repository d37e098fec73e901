/* SPDX-License-Identifier: MIT */
/* Macros of libraries, as cppcheck needs to see them: it is given no system headers. */
#define LIBBPF_OPTS(type, name, ...) struct type name = { __VA_ARGS__ }
#define json_array_foreach(array, i, value) \
	for (i = 0; (value = json_array_get(array, i)) != 0; i++)
#define json_object_foreach(object, key, value)                                \
	for (key = next_key(object); key && (value = next_value(object)) != 0; \
	     key = next_key(object))
#define json_object_foreach_safe(object, next, key, value) json_object_foreach(object, key, value)
