// SPDX-License-Identifier: MIT
/* The words for NOTIFICATION codes (RFC 4271 section 4.5, RFC 4486, 6608, 7313, 8538). */
#include <stdio.h>

#include "bgp/msg.h"
#include "util/cleanup.h"

static const char *const code_text[] = {
	NULL,
	"Message Header Error",
	"OPEN Message Error",
	"UPDATE Message Error",
	"Hold Timer Expired",
	"Finite State Machine Error",
	"Cease",
	"ROUTE-REFRESH Message Error",
};

static const char *const subcode_text[][12] = {
	[FG_BGP_ERR_HEADER] = { NULL, "Connection Not Synchronized", "Bad Message Length",
				"Bad Message Type" },
	[FG_BGP_ERR_OPEN] = { NULL, "Unsupported Version Number", "Bad Peer AS",
			      "Bad BGP Identifier", "Unsupported Optional Parameter", NULL,
			      "Unacceptable Hold Time", "Unsupported Capability" },
	[FG_BGP_ERR_UPDATE] = { NULL, "Malformed Attribute List",
				"Unrecognized Well-known Attribute", "Missing Well-known Attribute",
				"Attribute Flags Error", "Attribute Length Error",
				"Invalid ORIGIN Attribute", NULL, "Invalid NEXT_HOP Attribute",
				"Optional Attribute Error", "Invalid Network Field",
				"Malformed AS_PATH" },
	[FG_BGP_ERR_FSM] = { NULL, "Unexpected Message in OpenSent",
			     "Unexpected Message in OpenConfirm",
			     "Unexpected Message in Established" },
	[FG_BGP_ERR_CEASE] = { NULL, "Maximum Number of Prefixes Reached",
			       "Administrative Shutdown", "Peer De-configured",
			       "Administrative Reset", "Connection Rejected",
			       "Other Configuration Change", "Connection Collision Resolution",
			       "Out of Resources", "Hard Reset" },
};

const char *fg_bgp_notification_text(uint8_t code, uint8_t subcode, char *out, size_t size)
{
	const char *text = code < FG_ARRAY_SIZE(code_text) ? code_text[code] : NULL;
	const char *sub = NULL;

	if (code < FG_ARRAY_SIZE(subcode_text) && subcode < FG_ARRAY_SIZE(subcode_text[0]))
		sub = subcode_text[code][subcode];
	if (text && sub)
		(void)snprintf(out, size, "%s: %s", text, sub);
	else if (text && subcode)
		(void)snprintf(out, size, "%s (subcode %u)", text, subcode);
	else if (text)
		(void)snprintf(out, size, "%s", text);
	else
		(void)snprintf(out, size, "code %u, subcode %u", code, subcode);
	return out;
}
