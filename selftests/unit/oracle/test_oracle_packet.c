// SPDX-License-Identifier: MIT
/* Tests of the oracle's packet side: what frames show, and whole verdicts, on hand-made octets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "oracle/frame.h"
#include "oracle/oracle.h"
#include "oracle/text.h"

static struct fgo_packet parse(const struct fgo_model *m)
{
	uint8_t frame[FGO_MAX_FRAME];
	struct fgo_packet k;

	fgo_packet_parse(frame, fgo_frame_build(m, frame, sizeof(frame)), &k);
	return k;
}

/* Does a one-component rule (type octet and list, hex) hold for the packet? */
static bool holds(const struct fgo_packet *k, const char *value)
{
	uint8_t buf[64];
	int n = fgo_hex(value, buf, sizeof(buf));
	struct fgo_rule r;

	assert_true(n > 0);
	assert_int_equal(fgo_decode_value(k->family, buf, (size_t)n, &r), FGO_VALID);
	return fgo_rule_matches(&r, k);
}

/* The builder itself against octets written by hand. */
static void test_builder(void **state)
{
	static const char tcp[] = "020000000002 020000000001 0800"
				  "4501 0028 0001 4000 4006 4e98 c0000201 c6336401"
				  "0064 0016 11223344 00000000 5002 ffff 0000 0000";
	static const char six[] = "020000000002 020000000001 8100 0003 86dd"
				  "601abcde 0018 00 40 20010db8000000000000000000000001"
				  "20010db8000000000000000000000002"
				  "3c00 000000000000 1100 000000000000 0035 0035 0008 0000";
	uint8_t want[FGO_MAX_FRAME], got[FGO_MAX_FRAME];
	struct fgo_model m = fgo_model_v4(6);

	(void)state;
	m.tos = 1;
	m.sport = 100;
	m.dport = 22;
	m.tcp_flags = 0x5002;
	assert_int_equal(fgo_frame_build(&m, got, sizeof(got)), fgo_hex(tcp, want, sizeof(want)));
	assert_memory_equal(got, want, 54);
	m = fgo_model_v6(17);
	m.n_tags = 1;
	m.tag_type[0] = 0x8100;
	m.tci[0] = 3;
	m.tos = 1;
	m.flow_label = 0xabcde;
	m.sport = m.dport = 53;
	m.n_ext = 2;
	m.ext[1].type = 60;
	assert_int_equal(fgo_frame_build(&m, got, sizeof(got)), fgo_hex(six, want, sizeof(want)));
	assert_memory_equal(got, want, 14 + 4 + 64);
}

static void test_v4_lengths(void **state)
{
	struct fgo_model m = fgo_model_v4(17);
	struct fgo_packet k;

	(void)state;
	m.padding = 18; /* a 60-octet frame */
	k = parse(&m);
	assert_true(holds(&k, "0a 811c") && !holds(&k, "0a 812e"));
	assert_true(k.has_ports);
	m.ip_len_delta = -5; /* the ports' octets are there, but only three belong to the packet */
	k = parse(&m);
	assert_int_equal(k.length, 23);
	assert_false(k.has_ports);
	m.ip_len_delta = -4;
	k = parse(&m);
	assert_true(k.has_ports);
	m.ip_len_delta = 1000; /* longer than the frame: the field counts */
	k = parse(&m);
	assert_int_equal(k.length, 1028);
	assert_true(k.has_ports);
	m.ip_len_delta = -9;
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_MALFORMED);
}

static void test_v4_header(void **state)
{
	struct fgo_model m = fgo_model_v4(17);
	struct fgo_packet k;

	(void)state;
	m.dport = 53;
	m.options = 1; /* IHL 6 */
	k = parse(&m);
	assert_true(holds(&k, "05 8135") && holds(&k, "0a 8120"));
	m.options = 2; /* A13: IHL 7 */
	k = parse(&m);
	assert_true(holds(&k, "05 8135"));
	m.options = 0;
	m.ihl_delta = -1; /* IHL 4 */
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_MALFORMED);
	m.ihl_delta = 5; /* options run past the frame */
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_MALFORMED);
	m.ihl_delta = 0;
	m.version = 6;
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_MALFORMED);
	m.version = 4;
	m.cut = 9;
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_MALFORMED);
}

static void test_v4_fragments(void **state)
{
	static const uint8_t likes_22[] = { 0, 80, 0, 22 };
	struct fgo_model m = fgo_model_v4(6);
	struct fgo_packet k;

	(void)state;
	m.df = false;
	m.frag_off = 185; /* A1 */
	m.payload = likes_22;
	m.payload_len = sizeof(likes_22);
	m.l4_len = 40;
	k = parse(&m);
	assert_true(holds(&k, "03 8106") && !holds(&k, "05 8116") && !holds(&k, "05 8616"));
	assert_false(holds(&k, "05 8700") || holds(&k, "09 8000") || holds(&k, "09 8100"));
	assert_true(holds(&k, "0c 8002") && holds(&k, "0c 8008") && !holds(&k, "0c 8005"));
	m.mf = true;
	k = parse(&m);
	assert_true(holds(&k, "0c 8002") && !holds(&k, "0c 8008") && !holds(&k, "0c 8004"));
	m.frag_off = 0; /* first fragment with its header */
	m.payload_len = 0;
	m.dport = 22;
	k = parse(&m);
	assert_true(holds(&k, "05 8116") && holds(&k, "0c 8004") && !holds(&k, "0c 800b"));
	m.l4_len = 8; /* A2: ports are there, flags are not */
	k = parse(&m);
	assert_true(holds(&k, "05 8116") && !holds(&k, "09 8002") && !holds(&k, "09 8202"));
	m.l4_len = 14;
	m.tcp_flags = 0x5002;
	k = parse(&m);
	assert_true(holds(&k, "09 8102") && !holds(&k, "09 8202"));
	m = fgo_model_v4(6); /* DF, no fragment */
	k = parse(&m);
	assert_true(holds(&k, "0c 8001") && holds(&k, "0c 8202") && !holds(&k, "0c 800e"));
}

static void test_v6_chain(void **state)
{
	struct fgo_model m = fgo_model_v6(6);
	struct fgo_packet k;

	(void)state;
	m.dport = 22; /* A9: hop-by-hop, destination options of 16 octets, TCP */
	m.n_ext = 2;
	m.ext[1] = (struct fgo_ext){ 60, 1 };
	k = parse(&m);
	assert_true(holds(&k, "03 8106") && holds(&k, "05 8116"));
	m.n_ext = 1;
	m.ext[0] = (struct fgo_ext){ 51, 4 }; /* AH: 24 octets */
	k = parse(&m);
	assert_true(holds(&k, "03 8106") && holds(&k, "05 8116"));
	m.ext[0] = (struct fgo_ext){ 50, 0 }; /* ESP is where the walk ends */
	k = parse(&m);
	assert_true(holds(&k, "03 8132") && !holds(&k, "05 8116") && !holds(&k, "03 8106"));
	m.n_ext = 8;
	for (int i = 0; i < 8; i++)
		m.ext[i] = (struct fgo_ext){ 60, 0 };
	k = parse(&m);
	assert_true(k.outcome == FGO_PKT_IP && holds(&k, "05 8116"));
	m.n_ext = 9;
	m.ext[8] = (struct fgo_ext){ 60, 0 };
	k = parse(&m);
	assert_int_equal(k.outcome, FGO_PKT_EXTHDR_LIMIT);
	m.n_ext = 1;
	m.l4_len = 0;
	m.ext[0] =
		(struct fgo_ext){ 60,
				  1 }; /* cut inside the header: nothing known of the upper one */
	m.cut = 4;
	k = parse(&m);
	assert_true(k.outcome == FGO_PKT_IP && !holds(&k, "03 8106") && !holds(&k, "03 8700"));
	assert_true(holds(&k, "0a 8138")); /* the length is in the fixed header */
}

static void test_v6_fragments(void **state)
{
	struct fgo_model m = fgo_model_v6(17);
	struct fgo_packet k;

	(void)state;
	m.n_ext = 1;
	m.ext[0].type = 44;
	m.dport = 53;
	k = parse(&m); /* atomic: no bits, ports visible */
	assert_true(holds(&k, "05 8135") && holds(&k, "0c 820e") && !holds(&k, "0c 800e"));
	m.mf = true; /* A12 */
	k = parse(&m);
	assert_true(holds(&k, "05 8135") && holds(&k, "0c 8004"));
	m.frag_off = 10;
	k = parse(&m);
	assert_true(holds(&k, "03 8111") && !holds(&k, "05 8135") && holds(&k, "0c 8002"));
	m.mf = false;
	m.proto = 60; /* a later fragment is not walked further, whatever its number */
	k = parse(&m);
	assert_true(holds(&k, "03 813c") && holds(&k, "0c 8008"));
	m = fgo_model_v6(17); /* DF does not exist: its value bit is ignored (RFC 8956 3.6) */
	k = parse(&m);
	assert_true(holds(&k, "0c 8101") && !holds(&k, "0c 8001"));
}

static void test_other_protocols(void **state)
{
	static const uint8_t looks_like_udp[] = {
		17, 0, 0, 0, 0, 0, 0, 0, 0, 53, 0, 53, 0, 8, 0, 0
	};
	struct fgo_model m = fgo_model_v6(132); /* A10: SCTP is an upper header */
	struct fgo_packet k;

	(void)state;
	m.payload = looks_like_udp;
	m.payload_len = m.l4_len = sizeof(looks_like_udp);
	k = parse(&m);
	assert_true(holds(&k, "03 81 84") && !holds(&k, "03 8111") && !holds(&k, "05 8700"));
	m = fgo_model_v4(47); /* A20: GRE, the inner packet is not looked at */
	m.payload = looks_like_udp;
	m.payload_len = m.l4_len = sizeof(looks_like_udp);
	k = parse(&m);
	assert_true(holds(&k, "03 812f") && !holds(&k, "04 8700"));
	m = fgo_model_v6(58);
	m.icmp_type = 135;
	k = parse(&m);
	assert_true(holds(&k, "07 8187") && !holds(&k, "07 8180") && holds(&k, "08 8100"));
	m.l4_len = 1; /* type present, code not */
	k = parse(&m);
	assert_true(holds(&k, "07 8187") && !holds(&k, "08 8100") && !holds(&k, "08 8700"));
	m = fgo_model_v4(58); /* ICMPv6 inside IPv4 has no ICMP type */
	m.icmp_type = 8;
	k = parse(&m);
	assert_false(holds(&k, "07 8108") || holds(&k, "07 8700"));
	m = fgo_model_v4(1); /* A8: no ports, neither equal nor unequal */
	m.icmp_type = 8;
	k = parse(&m);
	assert_true(holds(&k, "07 8108") && !holds(&k, "05 8116") && !holds(&k, "05 8616"));
}

static void test_link_layer(void **state)
{
	static const uint16_t others[] = { 38, 0x88cc, 0x8809, 0x888e, 0x88e5, 0x0806 }; /* A15 */
	struct fgo_model m = fgo_model_v4(17);
	struct fgo_packet k;

	(void)state;
	m.dport = 53;
	for (m.n_tags = 0; m.n_tags <= 3; m.n_tags++) { /* A14 */
		m.tag_type[m.n_tags] = m.n_tags ? 0x8100 : 0x88a8;
		m.tci[m.n_tags] = 0xe003;
		k = parse(&m);
		assert_int_equal(k.outcome, m.n_tags <= 2 ? FGO_PKT_IP : FGO_PKT_VLAN_DEPTH);
		assert_int_equal(k.has_ports, m.n_tags <= 2);
	}
	m.n_tags = 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		m.ethertype = others[i];
		k = parse(&m);
		assert_int_equal(k.outcome, FGO_PKT_NON_IP);
	}
}

/* A7 and its trap: the whole list on one side, never one term on each. */
static void test_port_either(void **state)
{
	struct fgo_model m = fgo_model_v4(17);
	struct fgo_packet k;

	(void)state;
	m.sport = 56733;
	m.dport = 4242;
	k = parse(&m);
	assert_true(holds(&k, "04 911092") && holds(&k, "04 91dd9d") && !holds(&k, "04 911093"));
	m.sport = 5000;
	m.dport = 50;
	k = parse(&m);
	assert_false(holds(&k, "04 0364 d500c8"));
	m.dport = 150;
	k = parse(&m);
	assert_true(holds(&k, "04 0364 d500c8"));
}

static struct fgo_entry entry(const char *value, bool discard, bool go_on, int mark)
{
	struct fgo_entry e = { .act = { .discard = discard,
					.go_on = go_on,
					.has_mark = mark >= 0,
					.mark = (uint8_t)mark } };
	uint8_t buf[64];
	int n = fgo_hex(value, buf, sizeof(buf));

	assert_true(n > 0);
	assert_int_equal(fgo_decode_value(4, buf, (size_t)n, &e.rule), FGO_VALID);
	return e;
}

/* First match decides; T collects; nothing after a rule without T counts (C40, C48). */
static void test_verdict(void **state)
{
	struct fgo_entry e[] = {
		entry("0118c63364", true, false, -1), /* given out of order on purpose */
		entry("0120c6336401 058135", false, true, 10),
		entry("0120c6336401", false, true, 20),
		entry("0120c6336402", false, false, -1),
	};
	struct fgo_model m = fgo_model_v4(17);
	struct fgo_verdict v;
	struct fgo_packet k;

	(void)state;
	fgo_sort(e, 4);
	m.dport = 53;
	k = parse(&m);
	fgo_evaluate_packet(e, 4, &k, &v);
	assert_int_equal(v.first, 0);
	assert_int_equal(v.n_matched, 3);
	assert_int_equal(v.matched[2], 3);
	assert_true(v.discard && v.has_mark);
	assert_int_equal(v.mark, 10);
	m.dst[3] = 2; /* accepted and stopped before the discard of the /24 */
	k = parse(&m);
	fgo_evaluate_packet(e, 4, &k, &v);
	assert_int_equal(v.first, 2);
	assert_int_equal(v.n_matched, 1);
	assert_false(v.discard);
	m.dst[2] = 101;
	k = parse(&m);
	fgo_evaluate_packet(e, 4, &k, &v);
	assert_int_equal(v.first, -1);
	assert_false(v.discard);
}

/* Shifted IPv6 patterns: 8956 3.8.2, offset 65. */
static void test_v6_prefix_offset(void **state)
{
	struct fgo_model m = fgo_model_v6(17);
	struct fgo_packet k;

	(void)state;
	memcpy(m.dst + 8, (const uint8_t[]){ 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 }, 8);
	k = parse(&m);
	assert_true(holds(&k, "01 68 41 2468acf134")); /* bits 65..103 of ::1234:5678:9a.. */
	assert_false(holds(&k, "01 68 41 2468acf136"));
	m.dst[12] ^= 1; /* bit 103 */
	k = parse(&m);
	assert_false(holds(&k, "01 68 41 2468acf134"));
	m.dst[12] ^= 1;
	m.dst[13] ^= 0x80; /* bit 104: outside */
	m.dst[8] ^= 0x80;  /* bit 64: outside */
	k = parse(&m);
	assert_true(holds(&k, "01 68 41 2468acf134"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder),          cmocka_unit_test(test_v4_lengths),
		cmocka_unit_test(test_v4_header),        cmocka_unit_test(test_v4_fragments),
		cmocka_unit_test(test_v6_chain),         cmocka_unit_test(test_v6_fragments),
		cmocka_unit_test(test_other_protocols),  cmocka_unit_test(test_link_layer),
		cmocka_unit_test(test_port_either),      cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_v6_prefix_offset),
	};

	return cmocka_run_group_tests_name("oracle packets", tests, NULL, NULL);
}
