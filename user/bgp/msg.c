// SPDX-License-Identifier: MIT
/* Codec of the BGP header, OPEN, KEEPALIVE and NOTIFICATION (RFC 4271, 5492, 6793, 9072). */
#include "bgp/msg.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bgp/wire.h"
#include "util/cleanup.h"

#define OPTION_CAPABILITIES 2
#define OPTION_EXTENDED 255 /* RFC 9072 */

enum capability {
	CAP_MULTIPROTOCOL = 1,
	CAP_REFRESH = 2,
	CAP_EXTENDED = 6,
	CAP_GRACEFUL = 64,
	CAP_AS4 = 65,
};

int fg_bgp_fault(struct fg_bgp_notification *fault, uint8_t code, uint8_t subcode,
		 const char *format, ...)
{
	va_list ap;

	*fault = (struct fg_bgp_notification){ .code = code, .subcode = subcode };
	va_start(ap, format);
	(void)vsnprintf(fault->reason, sizeof(fault->reason), format, ap);
	va_end(ap);
	return -EPROTO;
}

/* Lengths of a whole message by type (RFC 4271 section 4, RFC 2918). */
static const struct {
	uint16_t min, max;
} lengths[FG_BGP_TYPES] = {
	[FG_BGP_OPEN] = { 29, FG_BGP_MAX },
	[FG_BGP_UPDATE] = { 23, FG_BGP_MAX_EXTENDED },
	[FG_BGP_NOTIFICATION] = { 21, FG_BGP_MAX_EXTENDED },
	[FG_BGP_KEEPALIVE] = { FG_BGP_HEADER, FG_BGP_HEADER },
	[FG_BGP_REFRESH] = { 23, FG_BGP_MAX_EXTENDED },
};

static int bad_length(uint16_t length, uint8_t type, struct fg_bgp_notification *fault)
{
	fg_bgp_fault(fault, FG_BGP_ERR_HEADER, 2, "length %u in message type %u", length, type);
	fault->data_len = sizeof(length);
	fg_put16(fault->data, length);
	return -EPROTO;
}

int fg_bgp_header_decode(const uint8_t *data, size_t len, size_t max, struct fg_bgp_header *ret,
			 struct fg_bgp_notification *fault)
{
	uint16_t length;
	uint8_t type;

	if (len < FG_BGP_HEADER)
		return -EAGAIN;
	for (int i = 0; i < 16; i++)
		if (data[i] != 0xff)
			return fg_bgp_fault(fault, FG_BGP_ERR_HEADER, 1, "marker octet %d", i);
	length = fg_get16(data + 16);
	type = data[18];
	if (length < FG_BGP_HEADER || length > max)
		return bad_length(length, type, fault);
	if (!type || type >= FG_BGP_TYPES) {
		fg_bgp_fault(fault, FG_BGP_ERR_HEADER, 3, "message type %u", type);
		fault->data_len = 1;
		fault->data[0] = type;
		return -EPROTO;
	}
	if (length < lengths[type].min || length > lengths[type].max)
		return bad_length(length, type, fault);
	*ret = (struct fg_bgp_header){ length, type };
	return 0;
}

static size_t finish(uint8_t *out, uint8_t type, size_t length)
{
	memset(out, 0xff, 16);
	fg_put16(out + 16, length);
	out[18] = type;
	return length;
}

static uint8_t *put_capability(uint8_t *p, uint8_t code, uint8_t len)
{
	*p++ = code;
	*p++ = len;
	return p;
}

static uint8_t family_safi(unsigned family)
{
	return family < FG_FAMILIES ? FG_BGP_SAFI_FLOW : FG_BGP_SAFI_UNICAST;
}

/* Bit of the family, 0 when it is none of ours. */
static unsigned family_bit(unsigned afi, uint8_t safi)
{
	for (unsigned family = 0; family < FG_BGP_FAMILIES; family++)
		if (afi == family % FG_FAMILIES + 1 && safi == family_safi(family))
			return 1U << family;
	return 0;
}

static uint8_t *put_capabilities(uint8_t *p, const struct fg_bgp_open *open)
{
	for (unsigned family = 0; family < FG_BGP_FAMILIES; family++) {
		if (!(open->families & (1U << family)))
			continue;
		p = put_capability(p, CAP_MULTIPROTOCOL, 4);
		p = fg_put16(p, family % FG_FAMILIES + 1); /* AFI 1 and 2 */
		*p++ = 0;
		*p++ = family_safi(family);
	}
	if (open->refresh)
		p = put_capability(p, CAP_REFRESH, 0);
	if (open->extended)
		p = put_capability(p, CAP_EXTENDED, 0);
	if (open->graceful) {
		/* Without families: we keep no forwarding state for them, but understand End-of-RIB and
		 * the peer's restart (RFC 4724 section 3). */
		p = put_capability(p, CAP_GRACEFUL, 2);
		p = fg_put16(p, open->restart_time & 0xfff);
	}
	if (open->as4) {
		p = put_capability(p, CAP_AS4, 4);
		p = fg_put32(p, open->as);
	}
	return p;
}

size_t fg_bgp_open_encode(const struct fg_bgp_open *open, uint8_t *out)
{
	uint8_t *p = out + FG_BGP_HEADER, *options;

	*p++ = open->version;
	p = fg_put16(p, open->as > UINT16_MAX ? FG_BGP_AS_TRANS : open->as);
	p = fg_put16(p, open->hold_time);
	memcpy(p, &open->router_id, 4);
	options = p + 4;
	p = put_capabilities(options + 3, open);
	options[0] = p - options - 1;
	options[1] = OPTION_CAPABILITIES;
	options[2] = p - options - 3;
	return finish(out, FG_BGP_OPEN, p - out);
}

size_t fg_bgp_keepalive_encode(uint8_t *out)
{
	return finish(out, FG_BGP_KEEPALIVE, FG_BGP_HEADER);
}

size_t fg_bgp_notification_encode(const struct fg_bgp_notification *notification, uint8_t *out)
{
	uint8_t *p = out + FG_BGP_HEADER;

	*p++ = notification->code;
	*p++ = notification->subcode;
	memcpy(p, notification->data, notification->data_len);
	return finish(out, FG_BGP_NOTIFICATION, FG_BGP_HEADER + 2 + notification->data_len);
}

static void decode_capability(uint8_t code, const uint8_t *value, size_t len,
			      struct fg_bgp_open *open)
{
	switch (code) {
	case CAP_MULTIPROTOCOL:
		if (len == 4)
			open->families |= family_bit(fg_get16(value), value[3]);
		break;
	case CAP_REFRESH:
		open->refresh = true;
		break;
	case CAP_EXTENDED:
		open->extended = true;
		break;
	case CAP_GRACEFUL:
		open->graceful = len >= 2;
		open->restart_time = len >= 2 ? fg_get16(value) & 0xfff : 0;
		break;
	case CAP_AS4:
		open->as4 = len == 4;
		open->as = len == 4 ? fg_get32(value) : open->as;
		break;
	}
}

static int decode_capabilities(struct fg_reader *r, struct fg_bgp_open *open,
			       struct fg_bgp_notification *fault)
{
	while (r->left) {
		uint8_t code, len;

		if (!fg_read8(r, &code) || !fg_read8(r, &len) || r->left < len)
			return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "capability is cut off");
		decode_capability(code, r->p, len, open);
		fg_skip(r, len);
	}
	return 0;
}

static int decode_options(struct fg_reader *r, bool extended, struct fg_bgp_open *open,
			  struct fg_bgp_notification *fault)
{
	while (r->left) {
		uint16_t len;
		uint8_t type, len8 = 0;
		struct fg_reader value;
		int err;

		if (!fg_read8(r, &type) || !(extended ? fg_read16(r, &len) : fg_read8(r, &len8)))
			return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "option is cut off");
		if (!extended)
			len = len8;
		if (!fg_take(r, len, &value))
			return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "option is cut off");
		if (type != OPTION_CAPABILITIES)
			return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 4, "optional parameter %u",
					    type);
		err = decode_capabilities(&value, open, fault);
		if (err)
			return err;
	}
	return 0;
}

int fg_bgp_open_decode(const uint8_t *body, size_t len, struct fg_bgp_open *ret,
		       struct fg_bgp_notification *fault)
{
	struct fg_reader r = { body, len };
	struct fg_bgp_open open = { 0 };
	uint16_t as, total;
	uint8_t options;
	bool extended;
	int err;

	if (!fg_read8(&r, &open.version) || !fg_read16(&r, &as) ||
	    !fg_read16(&r, &open.hold_time) || !fg_read(&r, &open.router_id, 4) ||
	    !fg_read8(&r, &options))
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "OPEN is cut off");
	/* RFC 9072 section 2: the type octet 255 right after the length announces two-octet lengths. */
	extended = options && r.left && *r.p == OPTION_EXTENDED;
	total = options;
	if (extended) {
		fg_skip(&r, 1);
		if (!fg_read16(&r, &total))
			return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "OPEN is cut off");
	}
	if (total != r.left)
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 0, "options of %u octets, %zu are left",
				    total, r.left);
	open.as = as;
	err = decode_options(&r, extended, &open, fault);
	if (!err)
		*ret = open;
	return err;
}

int fg_bgp_open_check(const struct fg_bgp_open *open, const struct fg_bgp_open *mine,
		      uint32_t want_as, struct fg_bgp_notification *fault)
{
	if (open->version != FG_BGP_VERSION) {
		fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 1, "version %u", open->version);
		fault->data_len = 2;
		fg_put16(fault->data, FG_BGP_VERSION);
		return -EPROTO;
	}
	if (open->as != want_as)
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 2, "AS %u, configured is %u", open->as,
				    want_as);
	/* RFC 6286: non-zero, and unique within one AS. */
	if (!open->router_id)
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 3, "router id is 0.0.0.0");
	if (open->router_id == mine->router_id && open->as == mine->as)
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 3, "router id is the same as ours");
	if (open->hold_time == 1 || open->hold_time == 2)
		return fg_bgp_fault(fault, FG_BGP_ERR_OPEN, 6, "hold time %u", open->hold_time);
	return 0;
}

void fg_bgp_notification_decode(const uint8_t *body, size_t len, struct fg_bgp_notification *ret)
{
	size_t data_len = len > 2 ? len - 2 : 0;

	*ret = (struct fg_bgp_notification){ 0 };
	if (len < 2)
		return;
	ret->code = body[0];
	ret->subcode = body[1];
	ret->data_len = data_len < sizeof(ret->data) ? data_len : sizeof(ret->data);
	memcpy(ret->data, body + 2, ret->data_len);
}
