/* SPDX-License-Identifier: MIT */
/* The text of the state file: a version line, a line per received rule, a closing line with their
 * number. Pure. */
#ifndef FG_DAEMON_STATE_TEXT_H
#define FG_DAEMON_STATE_TEXT_H

#include <stdio.h>

#include "bgp/rib.h"

/* One line, fields separated by tabs: family, NLRI in hex (normalised), peer, seconds since 1970,
 * action bits, bytes/s and packets/s (C99 hex floats, exact), DSCP, redirect target or "-". */
struct fg_state_rule {
	enum fg_family family;
	const uint8_t *nlri;
	size_t nlri_len;
	const char *peer;
	int64_t since;
	struct fg_actions actions;
};

void fg_state_print_begin(FILE *out);
void fg_state_print(FILE *out, enum fg_family family, const struct fg_dest *dest,
		    const struct fg_route *route, const char *peer);
void fg_state_print_end(FILE *out, size_t n);

/* Checks the whole text and calls @fn for each rule until it returns non-zero. A truncated or
 * damaged file is refused: -EBADMSG with "FILE:LINE: what" in @err. */
int fg_state_parse(const char *file, const char *text, size_t len,
		   int (*fn)(const struct fg_state_rule *rule, void *arg), void *arg,
		   struct fg_error *err);

#endif
