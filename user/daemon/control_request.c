// SPDX-License-Identifier: MIT
/* Decodes requests: unknown words, wrong types and missing fields are refused by name. */
#include "daemon/control_request.h"

#include <errno.h>
#include <string.h>

#include "util/cleanup.h"

static const struct {
	const char *word;
	unsigned may, must;
} requests[FG_REQUEST_KINDS] = {
#define FG_REQUEST_ROW(name, wire, may_have, must_have) { wire, may_have, must_have },
	FG_REQUEST_LIST(FG_REQUEST_ROW)
#undef FG_REQUEST_ROW
};

static int take_table(struct fg_request *request, const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text || (strcmp(text, "inetflow.0") != 0 && strcmp(text, "inet6flow.0") != 0))
		return -EINVAL;
	request->family = strcmp(text, "inetflow.0") ? FG_INET6 : FG_INET;
	return 0;
}

/* The kernel's rule for names of network devices. */
static int take_interface(struct fg_request *request, const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text || !*text || json_string_length(value) > 15 ||
	    strlen(text) != json_string_length(value) || strpbrk(text, "/ \t\n") ||
	    !strcmp(text, ".") || !strcmp(text, ".."))
		return -EINVAL;
	request->interface = text;
	return 0;
}

static int take_mode(struct fg_request *request, const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text || (strcmp(text, "native") != 0 && strcmp(text, "generic") != 0))
		return -EINVAL;
	request->mode = strcmp(text, "native") ? FG_ATTACH_GENERIC : FG_ATTACH_NATIVE;
	return 0;
}

static int take_replace(struct fg_request *request, const json_t *value)
{
	request->replace = json_is_true(value);
	return json_is_boolean(value) ? 0 : -EINVAL;
}

static int take_all(struct fg_request *request, const json_t *value)
{
	request->all = json_is_true(value);
	return json_is_boolean(value) ? 0 : -EINVAL;
}

static int take_file(struct fg_request *request, const json_t *value)
{
	request->file = json_string_value(value);
	return request->file && *request->file && strlen(request->file) < 1024 ? 0 : -EINVAL;
}

static int take_text(struct fg_request *request, const json_t *value)
{
	request->text = json_string_value(value);
	request->text_len = json_string_length(value);
	return request->text ? 0 : -EINVAL;
}

static const struct {
	const char *name;
	enum fg_request_member bit;
	int (*take)(struct fg_request *request, const json_t *value);
} fields[] = {
	{ "table", FG_MEMBER_TABLE, take_table },
	{ "interface", FG_MEMBER_INTERFACE, take_interface },
	{ "mode", FG_MEMBER_MODE, take_mode },
	{ "replace", FG_MEMBER_REPLACE, take_replace },
	{ "all", FG_MEMBER_ALL, take_all },
	{ "file", FG_MEMBER_FILE, take_file },
	{ "text", FG_MEMBER_TEXT, take_text },
};

static int find_kind(const char *word, enum fg_request_kind *ret, struct fg_error *err)
{
	if (!word)
		return fg_error_set(err, -EINVAL, "a request has a string `request`");
	for (int i = 0; i < FG_REQUEST_KINDS; i++) {
		if (strcmp(word, requests[i].word) != 0)
			continue;
		*ret = (enum fg_request_kind)i;
		return 0;
	}
	return fg_error_set(err, -EINVAL, "unknown request `%.64s`", word);
}

/* Takes one member; *seen collects its bit. */
static int take_member(struct fg_request *request, const char *key, const json_t *value,
		       unsigned *seen, struct fg_error *err)
{
	if (!strcmp(key, "request") || !strcmp(key, "schema"))
		return 0;
	for (size_t i = 0; i < FG_ARRAY_SIZE(fields); i++) {
		if (strcmp(key, fields[i].name) != 0)
			continue;
		if (!(requests[request->kind].may & fields[i].bit))
			break;
		if (fields[i].take(request, value) < 0)
			return fg_error_set(err, -EINVAL, "bad value of `%s`", key);
		*seen |= fields[i].bit;
		return 0;
	}
	return fg_error_set(err, -EINVAL, "`%s` has no field `%.64s`", requests[request->kind].word,
			    key);
}

static int check(struct fg_request *request, struct fg_error *err)
{
	unsigned seen = 0, missing;
	const char *key;
	json_t *value;
	int r = find_kind(json_string_value(json_object_get(request->json, "request")),
			  &request->kind, err);

	if (r < 0)
		return r;
	json_object_foreach(request->json, key, value)
	{
		r = take_member(request, key, value, &seen, err);
		if (r < 0)
			return r;
	}
	missing = requests[request->kind].must & ~seen;
	for (size_t i = 0; i < FG_ARRAY_SIZE(fields); i++)
		if (missing & fields[i].bit)
			return fg_error_set(err, -EINVAL, "`%s` needs `%s`",
					    requests[request->kind].word, fields[i].name);
	if (request->kind == FG_REQUEST_DETACH && request->all == (request->interface != NULL))
		return fg_error_set(err, -EINVAL, "`detach` needs `interface` or `all`");
	return 0;
}

int fg_request_parse(const char *line, size_t len, struct fg_request *ret, struct fg_error *err)
{
	struct fg_request request = { 0 };
	json_error_t where;
	int r;

	if (len > FG_REQUEST_MAX)
		return fg_error_set(err, -EINVAL, "the request is longer than %u octets",
				    FG_REQUEST_MAX);
	request.json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
	if (!request.json)
		return fg_error_set(err, -EINVAL, "not JSON: %s at octet %d", where.text,
				    where.position);
	r = json_is_object(request.json) ? check(&request, err)
					 : fg_error_set(err, -EINVAL, "a request is a JSON object");
	if (r < 0)
		json_decref(request.json);
	else
		*ret = request;
	return r;
}

void fg_request_free(struct fg_request *request)
{
	json_decref(request->json);
	request->json = NULL;
}
