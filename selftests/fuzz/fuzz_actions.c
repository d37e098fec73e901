// SPDX-License-Identifier: MIT
/* Fuzzes action decoding and action text: first octet = how many octets belong to attribute 16, the rest to
 * attribute 25; what decodes must print to statements that parse to the same actions. */
#include <stdlib.h>
#include <string.h>

#include "flowspec/actions.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const struct fg_actions *actions)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf out = { 0 };
	FG_AUTO_FREE char *text = NULL;
	struct fg_actions again = { 0 };
	char *save = NULL;

	fg_actions_print(actions, &out);
	text = fg_buf_take(&out);
	require(text != NULL);
	for (char *s = strtok_r(text, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
		char *value;

		s += strspn(s, " ");
		value = s + strcspn(s, " ");
		if (*value)
			*value++ = '\0';
		require(fg_actions_add_text(&again, s, value, NULL) == 0);
	}
	require((actions->set & ~FG_ACTION_ACCEPT) == (again.set & ~FG_ACTION_ACCEPT));
	require(actions->rate_bytes == again.rate_bytes &&
		actions->rate_packets == again.rate_packets);
	require(actions->dscp == again.dscp && !strcmp(actions->redirect, again.redirect));
}

/* Any text may be a value. */
static void any_value(const uint8_t *data, size_t size)
{
	FG_AUTO_FREE char *value = calloc(1, size + 1);

	require(value != NULL);
	memcpy(value, data, size);
	for (size_t i = 0; fg_actions_keyword(i); i++) {
		struct fg_actions actions = { 0 };
		struct fg_error err = { 0 };

		if (fg_actions_add_text(&actions, fg_actions_keyword(i), value, &err))
			require(err.what[0] != '\0');
		else
			check_text(&actions);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fg_actions actions;
	struct fg_error err = { 0 };
	size_t len;

	if (!size)
		return 0;
	len = data[0] < size - 1 ? data[0] : size - 1;
	if (fg_actions_decode(data + 1, len, data + 1 + len, size - 1 - len, &actions, &err))
		require(err.what[0] != '\0');
	else
		check_text(&actions);
	any_value(data + 1, size - 1);
	return 0;
}
