/* SPDX-License-Identifier: MIT */
/* BGP messages: bytes to structs and back (RFC 4271, 4760, 5492, 6793, 7606, 8654, 9072). Pure, never logs. */
#ifndef FG_BGP_MSG_H
#define FG_BGP_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bgp/path.h"
#include "flowspec/actions.h"
#include "flowspec/flowspec.h"

#define FG_BGP_HEADER 19
#define FG_BGP_MAX 4096           /* octets of a message, RFC 4271 section 4.1 */
#define FG_BGP_MAX_EXTENDED 65535 /* the same once both sides have RFC 8654 */
#define FG_BGP_VERSION 4
#define FG_BGP_AS_TRANS 23456
#define FG_BGP_SAFI_UNICAST 1
#define FG_BGP_SAFI_FLOW 133
#define FG_BGP_SAFI_FLOW_VPN 134

enum fg_bgp_type {
	FG_BGP_OPEN = 1,
	FG_BGP_UPDATE,
	FG_BGP_NOTIFICATION,
	FG_BGP_KEEPALIVE,
	FG_BGP_REFRESH, /* RFC 2918 */
	FG_BGP_TYPES,
};

/* Error codes, RFC 4271 section 4.5; subcodes stand as numbers where they are used, with their text. */
enum fg_bgp_code {
	FG_BGP_ERR_HEADER = 1,
	FG_BGP_ERR_OPEN,
	FG_BGP_ERR_UPDATE,
	FG_BGP_ERR_HOLD,
	FG_BGP_ERR_FSM,
	FG_BGP_ERR_CEASE,
};

enum fg_bgp_cease { /* RFC 4486 */
		    FG_BGP_CEASE_SHUTDOWN = 2,
		    FG_BGP_CEASE_DECONFIGURED = 3,
		    FG_BGP_CEASE_REJECTED = 5,
		    FG_BGP_CEASE_CHANGED = 6,
		    FG_BGP_CEASE_COLLISION = 7,
};

/* A NOTIFICATION: received, or the one to send because of a fault. */
struct fg_bgp_notification {
	uint8_t code, subcode;
	uint8_t data_len;
	uint8_t data[64];
	char reason[96]; /* ours only: what exactly was wrong; not on the wire */
};

struct fg_bgp_header {
	uint16_t length; /* header included */
	uint8_t type;    /* enum fg_bgp_type */
};

struct fg_bgp_open {
	uint32_t as;
	uint32_t router_id;    /* network byte order */
	uint16_t hold_time;    /* seconds */
	uint16_t restart_time; /* seconds, of the graceful restart capability */
	uint8_t version;
	uint8_t families; /* bit per enum fg_bgp_family */
	bool as4, refresh, extended, graceful;
};

/* Checks the header at the start of @data. @max: the longest message allowed now. 0; -EAGAIN: fewer than 19 octets are
 * there; -EPROTO: *fault is the NOTIFICATION to send. */
int fg_bgp_header_decode(const uint8_t *data, size_t len, size_t max, struct fg_bgp_header *ret,
			 struct fg_bgp_notification *fault);

/* Each writes a whole message and returns its length. @out has room for FG_BGP_MAX. */
size_t fg_bgp_open_encode(const struct fg_bgp_open *open, uint8_t *out);
size_t fg_bgp_keepalive_encode(uint8_t *out);
size_t fg_bgp_notification_encode(const struct fg_bgp_notification *notification, uint8_t *out);

/* @body is what follows the header. 0, or -EPROTO with the NOTIFICATION to send. Unknown capabilities are skipped. */
int fg_bgp_open_decode(const uint8_t *body, size_t len, struct fg_bgp_open *ret,
		       struct fg_bgp_notification *fault);

/* Is this OPEN what our peer should send (RFC 4271 section 6.2)? @mine: our own. */
int fg_bgp_open_check(const struct fg_bgp_open *open, const struct fg_bgp_open *mine,
		      uint32_t want_as, struct fg_bgp_notification *fault);

/* A NOTIFICATION body always decodes; data beyond the room is cut off. */
void fg_bgp_notification_decode(const uint8_t *body, size_t len, struct fg_bgp_notification *ret);

/* "OPEN Message Error: Bad Peer AS"; static text of the pair in @out. Returns @out. */
const char *fg_bgp_notification_text(uint8_t code, uint8_t subcode, char *out, size_t size);

/* Fills a fault: returns -EPROTO. */
int fg_bgp_fault(struct fg_bgp_notification *fault, uint8_t code, uint8_t subcode,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What an UPDATE says, one call each, in the order of their effect. @nlri is the normalised value. */
struct fg_bgp_update_events {
	/* A rule; @actions and @path NULL: withdrawn, also because attributes of its UPDATE were malformed (RFC 7606). */
	void (*rule)(void *arg, enum fg_family family, const uint8_t *nlri, size_t len,
		     const struct fg_actions *actions, const struct fg_path *path);
	/* A unicast prefix of a family that the context names; @path NULL: withdrawn. @addr: 16 octets. */
	void (*unicast)(void *arg, enum fg_family family, const uint8_t *addr, unsigned len,
			const struct fg_path *path);
	void (*end_of_rib)(void *arg, enum fg_bgp_family family);
	/* @rules NLRI were treated as withdrawn, @reason says why (RFC 7606 section 2). */
	void (*malformed)(void *arg, size_t rules, const char *reason);
	/* @octets of NLRI of an AFI/SAFI that we do not speak were left alone. */
	void (*ignored)(void *arg, uint16_t afi, uint8_t safi, size_t octets);
};

/* What the session knows that an UPDATE does not say. */
struct fg_bgp_update_context {
	bool as4;      /* AS_PATH has 4-octet AS numbers (RFC 6793) */
	bool external; /* the peer is of another AS: attributes of IBGP only are not looked at */
	uint32_t local_as; /* unicast routes that went through it are looped: not believed */
	uint8_t families;  /* agreed; matters for the unicast ones */
};

/* Decodes the body of an UPDATE. Nothing is called when it returns -EPROTO with the NOTIFICATION to send:
 * boundaries are lost. */
int fg_bgp_update_decode(const uint8_t *body, size_t len,
			 const struct fg_bgp_update_context *context,
			 const struct fg_bgp_update_events *events, void *arg,
			 struct fg_bgp_notification *fault);

#endif
