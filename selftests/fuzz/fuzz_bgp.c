// SPDX-License-Identifier: MIT
/* Fuzzes what reads octets of BGP peers and of the link: no crash, and nothing but normalised rules comes out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bgp/link.h"
#include "bgp/msg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void on_rule(void *arg, enum fg_family family, const uint8_t *nlri, size_t len,
		    const struct fg_actions *actions, const struct fg_path *path)
{
	static struct fg_flow flow;
	static uint8_t again[FG_NLRI_MAX];

	++*(size_t *)arg;
	require(!actions == !path && (!path || path->origin <= 2));
	require(!fg_flow_decode(family, nlri, len, &flow, NULL));
	require(fg_flow_encode(&flow, again, sizeof(again)) == (int)len);
	require(!memcmp(again, nlri, len));
	require(!actions || memchr(actions->redirect, '\0', sizeof(actions->redirect)));
	require(!actions || (actions->rate_bytes >= 0 && actions->rate_packets >= 0));
}

static void on_unicast(void *arg, enum fg_family family, const uint8_t *addr, unsigned len,
		       const struct fg_path *path)
{
	++*(size_t *)arg;
	require(len <= (family == FG_INET ? 32 : 128));
	require(len % 8 == 0 || !(addr[len / 8] & (0xff >> len % 8)));
	require(!path || path->origin <= 2);
}

static void on_end(void *arg, enum fg_bgp_family family)
{
	++*(size_t *)arg;
	require(family < FG_BGP_FAMILIES);
}

static void on_malformed(void *arg, size_t rules, const char *reason)
{
	(void)rules;
	++*(size_t *)arg;
	require(reason[0]);
}

static void on_ignored(void *arg, uint16_t afi, uint8_t safi, size_t octets)
{
	(void)octets;
	++*(size_t *)arg;
	require(safi != FG_BGP_SAFI_FLOW || afi < 1 || afi > 2);
}

static void fuzz_update(const uint8_t *data, size_t size, unsigned flags)
{
	static const struct fg_bgp_update_events events = { on_rule, on_unicast, on_end,
							    on_malformed, on_ignored };
	const struct fg_bgp_update_context context = { .as4 = flags & 1,
						       .external = flags & 2,
						       .local_as = 65000,
						       .families = flags & 8 ? 15 : 3 };
	struct fg_bgp_notification fault = { 0 };
	size_t calls = 0;
	int ret = fg_bgp_update_decode(data, size, &context, &events, &calls, &fault);

	require(!ret || (!calls && fault.code == FG_BGP_ERR_UPDATE && fault.reason[0]));
}

/* What was understood of an OPEN can be said again. */
static void fuzz_open(const uint8_t *data, size_t size)
{
	struct fg_bgp_notification fault = { 0 };
	struct fg_bgp_open open, again;
	uint8_t out[FG_BGP_MAX];
	size_t len;

	if (fg_bgp_open_decode(data, size, &open, &fault)) {
		require(fault.code == FG_BGP_ERR_OPEN);
		return;
	}
	len = fg_bgp_open_encode(&open, out);
	require(!fg_bgp_open_decode(out + FG_BGP_HEADER, len - FG_BGP_HEADER, &again, &fault));
	require(again.families == open.families && again.router_id == open.router_id);
	require(!open.as4 || again.as == open.as);
}

static void fuzz_notification(const uint8_t *data, size_t size)
{
	struct fg_bgp_notification got;
	char text[80];

	fg_bgp_notification_decode(data, size, &got);
	(void)fg_bgp_notification_text(got.code, got.subcode, text, sizeof(text));
}

static void fuzz_body(uint8_t type, const uint8_t *data, size_t size, unsigned flags)
{
	if (type == FG_BGP_OPEN)
		fuzz_open(data, size);
	else if (type == FG_BGP_UPDATE)
		fuzz_update(data, size, flags);
	else if (type == FG_BGP_NOTIFICATION)
		fuzz_notification(data, size);
}

static void fuzz_stream(const uint8_t *data, size_t size, unsigned flags)
{
	size_t max = flags & 4 ? FG_BGP_MAX_EXTENDED : FG_BGP_MAX;
	struct fg_bgp_notification fault;
	struct fg_bgp_header header;

	while (!fg_bgp_header_decode(data, size, max, &header, &fault) && header.length <= size) {
		require(header.length >= FG_BGP_HEADER);
		fuzz_body(header.type, data + FG_BGP_HEADER, header.length - FG_BGP_HEADER, flags);
		data += header.length;
		size -= header.length;
	}
}

static void fuzz_link(const uint8_t *data, size_t size, unsigned flags)
{
	static struct fg_link_message message;
	struct fg_error err = { 0 };

	message.fd = flags & 1 ? 0 : -1;
	size = size < sizeof(message.bytes) ? size : sizeof(message.bytes);
	memset(message.bytes, 0, sizeof(message.bytes));
	memcpy(message.bytes, data, size);
	if (size >= sizeof(message.header))
		message.header.length = size;
	if (fg_link_check(&message, size, flags & 2 ? FG_LINK_PARENT : FG_LINK_BGP, &err))
		require(err.what[0]);
	else
		require(message.header.type < FG_LINK_TYPE_MAX);
}

/* The first octet: what the rest is (two low bits), and flags. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned flags;

	if (!size)
		return 0;
	flags = data[0] >> 2;
	switch (data[0] & 3) {
	case 0:
		fuzz_stream(data + 1, size - 1, flags);
		break;
	case 1:
		fuzz_body(FG_BGP_OPEN, data + 1, size - 1, flags);
		break;
	case 2:
		fuzz_body(FG_BGP_UPDATE, data + 1, size - 1, flags);
		break;
	case 3:
		fuzz_link(data + 1, size - 1, flags);
		break;
	}
	return 0;
}
