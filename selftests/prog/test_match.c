// SPDX-License-Identifier: MIT
/* Group A of the issue-drawn cases (what matches, and what must not) through the real programs. */
/* needs: root */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lib/cases.h"

#define ALL4 "0100"
#define ALL6 "010000"
#define R0 "0118c63364 038111 058135" /* 198.51.100.0/24, UDP, destination port 53 */

/* Every case holds in both modes. */
#define EACH_MODE(mode) for (enum fg_mode mode = FG_MODE_DMEM; mode <= FG_MODE_FLT; mode++)
#define RULES(...) ((const struct case_rule[]){ __VA_ARGS__, { NULL, NULL } })

static struct case_expect with_note(struct case_expect want, enum fg_note note)
{
	want.note = note;
	return want;
}

static struct fgo_model v4_ports(uint8_t proto, uint16_t sport, uint16_t dport)
{
	struct fgo_model m = fgo_model_v4(proto);

	m.sport = sport;
	m.dport = dport;
	return m;
}

static struct fgo_model v6_ports(uint8_t proto, uint16_t sport, uint16_t dport)
{
	struct fgo_model m = fgo_model_v6(proto);

	m.sport = sport;
	m.dport = dport;
	return m;
}

/* A1: the payload of a later fragment is not read as ports. */
static void test_a1_late_fragment(void **state)
{
	static const uint8_t looks_like_22[] = { 0x00, 0x50, 0x00, 0x16 };

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(6, 80, 22);

		case_rules(FG_INET, mode, RULES({ "038106 058116", CASE_DISCARD }));
		m.df = false;
		m.frag_off = 185;
		m.payload = looks_like_22;
		m.payload_len = sizeof(looks_like_22);
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_FRAG_NO_L4));
		m.frag_off = 0;
		m.payload_len = 0;
		m.mf = true;
		case_frame(&m, CASE_DROP(0));
		m.dport = 23;
		case_frame(&m, CASE_MISS);
	}
}

/* A2: a first fragment of 8 octets has ports and no flags. */
static void test_a2_short_first_fragment(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(6, 80, 22);

		m.df = false;
		m.mf = true;
		m.tcp_flags = 0x5002;
		case_rules(FG_INET, mode, RULES({ "098102", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0)); /* whole header: SYN is seen */
		m.l4_len = 8;
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_L4_TRUNCATED));
		case_rules(FG_INET, mode, RULES({ "038106 058116", CASE_DISCARD }));
		case_frame(&m, with_note(CASE_DROP(0), FG_NOTE_L4_TRUNCATED));
		m.l4_len = 3;
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_L4_TRUNCATED));
	}
}

/* A4: is-fragment with a destination drops only there. */
static void test_a4_fragment_scope(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);

		case_rules(FG_INET, mode, RULES({ "0120c6336401 0c8002", CASE_DISCARD }));
		case_frame(&m, CASE_MISS);
		m.df = false;
		m.frag_off = 10;
		case_frame(&m, with_note(CASE_DROP(0), FG_NOTE_FRAG_NO_L4));
		m.dst[3] = 2;
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_FRAG_NO_L4));
	}
}

/* A5: one flags value with several bits is not a list. */
static void test_a5_tcp_flags(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(6, 1, 2);

		case_rules(FG_INET, mode, RULES({ "098109", CASE_DISCARD }));
		m.tcp_flags = 0x5019; /* FIN, PSH, ACK */
		case_frame(&m, CASE_DROP(0));
		m.tcp_flags = 0x5001;
		case_frame(&m, CASE_MISS);
		case_rules(FG_INET, mode, RULES({ "098009", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		m.tcp_flags = 0x5010;
		case_frame(&m, CASE_MISS);
		m = v4_ports(17, 1, 2);
		case_frame(&m, CASE_MISS);
	}
}

/* A6: a range by two operators; the first AND bit means nothing. */
static void test_a6_port_range(void **state)
{
	static const char *const spelled[] = { "05 131f90 d522b8", "05 531f90 d522b8" };
	static const struct {
		uint16_t port;
		bool in;
	} ports[] = {
		{ 8080, true }, { 8500, true }, { 8888, true }, { 8079, false }, { 8889, false },
	};

	(void)state;
	EACH_MODE(mode)
	{
		for (int s = 0; s < 2; s++) {
			case_rules(FG_INET, mode, RULES({ spelled[s], CASE_DISCARD }));
			for (size_t i = 0; i < sizeof(ports) / sizeof(*ports); i++) {
				struct fgo_model m = v4_ports(i % 2 ? 6 : 17, 9, ports[i].port);

				case_frame(&m, ports[i].in ? CASE_DROP(0) : CASE_MISS);
			}
		}
	}
}

/* A7 and its decision (facts 1.3): the whole list holds for one of the two ports. */
static void test_a7_port_either_side(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(17, 56733, 4242);

		case_rules(FG_INET, mode, RULES({ "04 911092", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		case_rules(FG_INET, mode, RULES({ "04 91dd9d", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		case_rules(FG_INET, mode,
			   RULES({ "04 111092 d1dd9d", CASE_DISCARD })); /* both at once: never */
		case_frame(&m, CASE_MISS);
		case_rules(FG_INET, mode, RULES({ "04 0364 d500c8", CASE_DISCARD })); /* 100..200 */
		m = v4_ports(17, 5000, 50);
		case_frame(&m, CASE_MISS); /* each term holds on another side */
		m.dport = 150;
		case_frame(&m, CASE_DROP(0));
	}
}

/* A8: no ports, no match: never "forward because ports are absent". */
static void test_a8_no_ports(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(1);

		case_rules(FG_INET, mode,
			   RULES({ ALL4 "058116", CASE_ACCEPT }, { ALL4, CASE_DISCARD }));
		m.icmp_type = 8;
		case_frame(&m, CASE_DROP(1));
		m = v4_ports(6, 1000, 22);
		case_frame(&m, CASE_PASS(0));
		m.dport = 23;
		case_frame(&m, CASE_DROP(1));
		case_rules(FG_INET, mode,
			   RULES({ "058616", CASE_DISCARD })); /* != 22 needs a port too */
		case_frame(&m, CASE_DROP(0));
		m = fgo_model_v4(1);
		case_frame(&m, CASE_MISS);
		m = fgo_model_v4(132);
		case_frame(&m, CASE_MISS);
	}
}

/* A9: hop-by-hop and destination options are walked over. */
static void test_a9_extension_headers(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v6_ports(6, 1000, 22);

		case_rules(FG_INET6, mode, RULES({ "038106 058116", CASE_DISCARD }));
		m.n_ext = 2;
		m.ext[1] = (struct fgo_ext){ 60, 1 };
		case_frame(&m, CASE_DROP(0));
		m.dport = 23;
		case_frame(&m, CASE_MISS);
		m.dport = 22;
		m.ext[0] = (struct fgo_ext){ 51, 4 }; /* AH counts in 4-octet units */
		case_frame(&m, CASE_DROP(0));
		m.n_ext = 8;
		for (int i = 0; i < 8; i++)
			m.ext[i] = (struct fgo_ext){ 60, 0 };
		case_frame(&m, CASE_DROP(0));
		m.ext[m.n_ext++] = (struct fgo_ext){ 60, 0 };
		case_frame(&m, (struct case_expect){ XDP_DROP, FG_REASON_EXTHDR_LIMIT, -1,
						     FG_NOTE_NONE });
	}
}

/* A10: SCTP is an upper header, whatever its first octets look like. */
static void test_a10_unknown_header(void **state)
{
	static const uint8_t sctp[16] = { 17, 0, [9] = 53, [11] = 53, [13] = 8 };

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v6(132);

		m.payload = sctp;
		m.payload_len = m.l4_len = sizeof(sctp);
		case_rules(FG_INET6, mode, RULES({ "038111 058135", CASE_DISCARD }));
		case_frame(&m, CASE_MISS);
		case_rules(FG_INET6, mode, RULES({ "038184", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
	}
}

/* A12: the IPv6 Fragment header, first, later, atomic. */
static void test_a12_ipv6_fragment(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v6_ports(17, 1000, 53);

		m.n_ext = 1;
		m.ext[0].type = 44;
		case_rules(FG_INET6, mode, RULES({ "038111 058135", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		m.mf = true;
		case_frame(&m, CASE_DROP(0));
		m.frag_off = 10;
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_FRAG_NO_L4));
		case_rules(FG_INET6, mode,
			   RULES({ "038111", CASE_DISCARD })); /* the protocol is still known */
		case_frame(&m, with_note(CASE_DROP(0), FG_NOTE_FRAG_NO_L4));
	}
}

/* A13: options are skipped; an impossible header length is counted and passes. */
static void test_a13_ipv4_options(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(17, 1000, 53);

		case_rules(FG_INET, mode, RULES({ R0, CASE_DISCARD }));
		m.options = 2;
		case_frame(&m, CASE_DROP(0));
		m.options = 10;
		case_frame(&m, CASE_DROP(0));
		m.options = 0;
		m.ihl_delta = -1;
		case_frame(&m, CASE_UNJUDGED(FG_REASON_BAD_IHL));
		m.ihl_delta = 5; /* past the end of the frame */
		case_frame(&m, CASE_UNJUDGED(FG_REASON_IP_MALFORMED));
		m.ihl_delta = 0;
		m.version = 5;
		case_frame(&m, CASE_UNJUDGED(FG_REASON_IP_MALFORMED));
	}
}

/* A14: one and two tags are skipped whatever their priority bits, three are counted. */
static void test_a14_vlan(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(17, 1000, 53);

		case_rules(FG_INET, mode, RULES({ R0, CASE_DISCARD }));
		m.n_tags = 1;
		m.tag_type[0] = 0x8100;
		m.tci[0] = 3;
		case_frame(&m, CASE_DROP(0));
		m.tci[0] = 0xf003;
		case_frame(&m, CASE_DROP(0));
		m.n_tags = 2;
		m.tag_type[0] = 0x88a8;
		m.tci[0] = 100;
		m.tag_type[1] = 0x8100;
		m.tci[1] = 3;
		case_frame(&m, CASE_DROP(0));
		m.dport = 54;
		case_frame(&m, CASE_MISS);
		m.dport = 53;
		m.n_tags = 3;
		m.tag_type[2] = 0x8100;
		case_frame(&m, CASE_UNJUDGED(FG_REASON_VLAN_DEPTH));
	}
}

static void test_a14_vlan_condition(void **state)
{
	(void)state;
	case_skip("FlowSpec has no VLAN component; a `vlan` match is not part of fltgate yet");
}

/* A15: what is not IP passes even when everything is to be dropped. */
static void test_a15_non_ip(void **state)
{
	static const uint16_t types[] = { 38, 0x88cc, 0x8809, 0x888e, 0x88e5, 0x0806 };

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(17);

		case_rules(FG_INET, mode, RULES({ ALL4, CASE_DISCARD }));
		case_rules(FG_INET6, mode, RULES({ ALL6, CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		m.family = 0;
		m.l4_len = 46;
		for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
			m.ethertype = types[i];
			case_frame(&m, CASE_UNJUDGED(FG_REASON_NON_IP));
		}
	}
}

static void guard_v6(void)
{
	static const uint8_t nd[] = { 134, 135, 136 };
	struct fgo_model m = fgo_model_v6(58);

	for (size_t i = 0; i < sizeof(nd); i++) {
		m.icmp_type = nd[i];
		m.ttl = 255;
		case_frame(&m, CASE_UNJUDGED(FG_REASON_GUARD));
		m.ttl = 64; /* came through a router: no neighbour discovery */
		case_frame(&m, CASE_DROP(0));
	}
	m.ttl = 255;
	m.icmp_type = 128;
	case_frame(&m, CASE_DROP(0));
}

static void guard_v4(void)
{
	struct fgo_model m = v4_ports(17, 68, 67);

	case_frame(&m, CASE_UNJUDGED(FG_REASON_GUARD));
	m.dport = 69;
	case_frame(&m, CASE_DROP(1));
	m = v4_ports(6, 50000, 179); /* from the configured peer */
	case_frame(&m, CASE_UNJUDGED(FG_REASON_GUARD));
	m.dport = 180;
	case_frame(&m, CASE_DROP(1));
	m.dport = 179;
	m.src[3] = 77;
	case_frame(&m, CASE_DROP(1));
	m = v4_ports(6, 50000, 22);
	memcpy(m.src, (const uint8_t[]){ 203, 0, 113, 9 }, 4);
	case_frame(&m, CASE_PASS(0));
}

/* A16: a deny-all policy keeps neighbours, addresses and BGP. */
static void test_a16_guard(void **state)
{
	static const struct fg_guard_source peer = { FG_INET, { 192, 0, 2, 1 }, 32, FG_GUARD_BGP };

	(void)state;
	EACH_MODE(mode)
	{
		case_rules(FG_INET, mode,
			   RULES({ ALL4 "0220cb007109", CASE_ACCEPT }, { ALL4, CASE_DISCARD }));
		case_rules(FG_INET6, mode, RULES({ ALL6, CASE_DISCARD }));
		case_guard(FG_GUARD_ND | FG_GUARD_DHCP | FG_GUARD_SOURCES, &peer, 1);
		guard_v4();
		guard_v6();
	}
}

/* A17: path MTU messages survive a rule against all ICMP. */
static void test_a17_path_mtu(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(1);

		case_rules(FG_INET, mode, RULES({ "0118c63364 038101", CASE_DISCARD }));
		case_rules(FG_INET6, mode, RULES({ ALL6 "03813a", CASE_DISCARD }));
		m.icmp_type = 3;
		m.icmp_code = 4;
		m.l4_len = 36;
		case_guard(0, NULL, 0);
		case_frame(&m, CASE_DROP(0)); /* not asked for: the rule counts */
		case_guard(FG_GUARD_PMTU, NULL, 0);
		case_frame(&m, CASE_UNJUDGED(FG_REASON_GUARD));
		m.icmp_code = 3;
		case_frame(&m, CASE_DROP(0));
		m.icmp_type = 8;
		m.icmp_code = 0;
		case_frame(&m, CASE_DROP(0));
		m = fgo_model_v6(58);
		m.icmp_type = 2;
		case_frame(&m, CASE_UNJUDGED(FG_REASON_GUARD));
		m.icmp_type = 128;
		case_frame(&m, CASE_DROP(0));
	}
}

/* A18: the RFC's order decides, never the order of arrival. */
static void test_a18_precedence(void **state)
{
	static const char host[] = "010000 028000 2a0104f8013071d20000000000000002";
	static const char wide[] = "010000 021000 2a01", narrow[] = "010000 022000 2a0104f8";
	static const uint8_t src[16] = { 0x2a, 1, 4, 0xf8, 1, 0x30, 0x71, 0xd2, [15] = 2 };

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v6_ports(6, 1, 2);

		memcpy(m.src, src, 16);
		case_rules(FG_INET6, mode, RULES({ host, CASE_ACCEPT }, { wide, CASE_DISCARD }));
		case_frame(&m, CASE_PASS(0));
		case_rules(FG_INET6, mode, RULES({ wide, CASE_DISCARD }, { host, CASE_ACCEPT }));
		case_frame(&m, CASE_PASS(1));
		m.src[15] = 3;
		case_frame(&m, CASE_DROP(0));
		case_rules(FG_INET6, mode, RULES({ wide, CASE_ACCEPT }, { narrow, CASE_DISCARD }));
		case_frame(&m, CASE_DROP(1));
	}
}

/* A20: the packet inside a tunnel is not looked at. */
static void test_a20_tunnel(void **state)
{
	static const uint8_t gre[40] = {
		0, 0, 8, 0, 0x45, 0, 0, 28, [12] = 64, 17, [20] = 198, 51, 100, 1, [26] = 0, 53
	};

	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = fgo_model_v4(47);

		m.payload = gre;
		m.payload_len = m.l4_len = sizeof(gre);
		case_rules(FG_INET, mode, RULES({ R0, CASE_DISCARD }));
		case_frame(&m, CASE_MISS);
		case_rules(FG_INET, mode, RULES({ "03812f", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
	}
}

static void test_a20_inspect_gre(void **state)
{
	(void)state;
	case_skip("`inspect gre` is not part of fltgate yet: outer headers only");
}

/* The length is the IP header's, not the frame's: 28 octets in a 60-octet frame. */
static void test_packet_length(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v4_ports(17, 1, 2);

		m.padding = 18;
		case_rules(FG_INET, mode, RULES({ "0a811c", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		case_rules(FG_INET, mode, RULES({ "0a812e", CASE_DISCARD }));
		case_frame(&m, CASE_MISS);
		case_rules(FG_INET, mode, RULES({ "058102", CASE_DISCARD }));
		case_frame(&m, CASE_DROP(0));
		m.ip_len_delta = -5; /* 23 octets: the last one of the ports is padding already */
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_L4_TRUNCATED));
		m.ip_len_delta = 0;
		case_rules(FG_INET, mode,
			   RULES({ "0a 2300018683 e500018691", CASE_DISCARD })); /* C32 */
		case_frame(&m, CASE_MISS);
	}
}

/* Damaged headers pass uncut by rules and are told apart. */
static void test_truncated(void **state)
{
	(void)state;
	EACH_MODE(mode)
	{
		struct fgo_model m = v6_ports(6, 1, 22);

		case_rules(FG_INET6, mode, RULES({ "038106", CASE_DISCARD }));
		m.l4_len = 0;
		m.n_ext = 1;
		m.ext[0] = (struct fgo_ext){ 60, 1 };
		m.cut = 12; /* not even the first 8 octets of the extension header */
		case_frame(&m, with_note(CASE_MISS, FG_NOTE_IP6_TRUNCATED));
		m.cut = 20; /* into the fixed header */
		case_frame(&m, CASE_UNJUDGED(FG_REASON_IP_MALFORMED));
		m.cut = 0;
		m.l4_len = 20;
		case_frame(&m, CASE_DROP(0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a1_late_fragment),   CASE(test_a2_short_first_fragment),
		CASE(test_a4_fragment_scope),  CASE(test_a5_tcp_flags),
		CASE(test_a6_port_range),      CASE(test_a7_port_either_side),
		CASE(test_a8_no_ports),        CASE(test_a9_extension_headers),
		CASE(test_a10_unknown_header), CASE(test_a12_ipv6_fragment),
		CASE(test_a13_ipv4_options),   CASE(test_a14_vlan),
		CASE(test_a14_vlan_condition), CASE(test_a15_non_ip),
		CASE(test_a16_guard),          CASE(test_a17_path_mtu),
		CASE(test_a18_precedence),     CASE(test_a20_tunnel),
		CASE(test_a20_inspect_gre),    CASE(test_packet_length),
		CASE(test_truncated),
	};

	return cmocka_run_group_tests_name("match", tests, case_open, case_close);
}
