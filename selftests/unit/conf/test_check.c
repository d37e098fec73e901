// SPDX-License-Identifier: MIT
/* Tests of the check: defaults, values, inheritance, contradictions and lints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "util/cleanup.h"

static int check(const char *text, struct fg_conf **conf, struct fg_error *err)
{
	struct fg_tree *tree = NULL;
	int r = fg_tree_parse("f", text, strlen(text), &tree, err);

	if (r == 0)
		r = fg_conf_check(tree, conf, err);
	fg_tree_free(tree);
	return r;
}

static struct fg_conf *must_check(const char *text)
{
	struct fg_conf *conf = NULL;
	struct fg_error err = { 0 };

	if (check(text, &conf, &err) < 0)
		fail_msg("%s", err.what);
	return conf;
}

static void test_defaults(void **state)
{
	struct fg_conf *conf = must_check("");

	(void)state;
	assert_int_equal(conf->bgp_port, 179);
	assert_int_equal(conf->stale_time, 600);
	assert_int_equal(conf->as, 0);
	assert_int_equal(conf->rule_capacity, 0);
	assert_true(conf->flt[FG_INET] && conf->flt[FG_INET6]);
	assert_true(conf->protect_pmtu && conf->protect_nd && conf->protect_dhcp);
	assert_int_equal(conf->n_routes + conf->n_neighbors + conf->n_interfaces + conf->n_warnings,
			 0);
	fg_conf_free(conf);
	fg_conf_free(NULL);
}

static void test_system(void **state)
{
	struct fg_conf *conf = must_check(
		"system { rule-capacity 1000; guard { no-protect-nd; management-prefixes [ 10.0.0.0/8 "
		"2001:db8::1 ]; } }\n"
		"routing-options { autonomous-system 1.10; router-id 192.0.2.1; flow { no-fast-lookup-filter; "
		"stale-time 5; } rib inet6.0 { flow { fast-lookup-filter { maximum-rules 3500; } } } }\n"
		"protocols { bgp { listen-port 0; } }");

	(void)state;
	assert_int_equal(conf->rule_capacity, 1000);
	assert_true(conf->protect_pmtu && !conf->protect_nd && conf->protect_dhcp);
	assert_int_equal(conf->n_management, 2);
	assert_int_equal(conf->management[0].prefix_len, 8);
	assert_int_equal(conf->management[1].family, FG_INET6);
	assert_int_equal(conf->management[1].prefix_len, 128);
	assert_int_equal(conf->as, 65546);
	assert_int_equal(ntohl(conf->router_id), 0xc0000201);
	assert_true(!conf->flt[FG_INET] && conf->flt[FG_INET6]);
	assert_int_equal(conf->flt_maximum[FG_INET6], 3500);
	assert_int_equal(conf->stale_time, 5);
	assert_int_equal(conf->bgp_port, 0);
	fg_conf_free(conf);
}

static void test_inheritance(void **state)
{
	struct fg_conf *conf = must_check(
		"routing-options { autonomous-system 65010; }\n"
		"protocols { bgp { group g { peer-as 65000; hold-time 30; authentication-key k; passive; "
		"family inet { flow { prefix-limit { maximum 10; } allowed-destinations 203.0.113.0/24; } }\n"
		"neighbor 192.0.2.9 { description \"a b\"; }\n"
		"neighbor 2001:db8::9 { peer-as 65001; local-as 7; hold-time 0; port 1179; authentication-key l; "
		"local-address 2001:db8::1; family inet { flow { no-validate; } } } } } }\n"
		"interfaces { eth0; eth1 { role trust; } eth2 { role management; } eth3 { mode generic; } }");
	const struct fg_conf_neighbor *a = &conf->neighbors[0], *b = &conf->neighbors[1];

	(void)state;
	assert_int_equal(conf->n_neighbors, 2);
	assert_string_equal(a->group, "g");
	assert_string_equal(a->description, "a b");
	assert_int_equal(a->peer_as, 65000);
	assert_int_equal(a->local_as, 0);
	assert_int_equal(a->hold_time, 30);
	assert_int_equal(a->port, 179);
	assert_true(a->passive && b->passive);
	assert_string_equal(a->key, "k");
	assert_int_equal(a->families, 1U << FG_INET);
	assert_int_equal(a->prefix_limit, 10);
	assert_int_equal(a->n_allowed, 1);
	assert_false(a->no_validate);
	assert_int_equal(a->local_address.prefix_len, 0);
	assert_int_equal(b->address.family, FG_INET6);
	assert_int_equal(b->peer_as, 65001);
	assert_int_equal(b->local_as, 7);
	assert_int_equal(b->hold_time, 0);
	assert_int_equal(b->port, 1179);
	assert_string_equal(b->key, "l");
	assert_int_equal(b->local_address.prefix_len, 128);
	assert_int_equal(b->n_allowed, 0);
	assert_true(b->no_validate);
	assert_int_equal(b->prefix_limit, 10);
	assert_int_equal(conf->n_interfaces, 4);
	assert_int_equal(conf->interfaces[0].role, FG_ROLE_UNTRUST);
	assert_int_equal(conf->interfaces[1].role, FG_ROLE_TRUST);
	assert_int_equal(conf->interfaces[2].role, FG_ROLE_MANAGEMENT);
	assert_true(conf->interfaces[3].generic && !conf->interfaces[0].generic);
	assert_int_equal(conf->n_warnings, 0);
	fg_conf_free(conf);
}

/* A family without a list, beside one with a list, keeps "any". */
static void test_allowed_families(void **state)
{
	struct fg_conf *conf = must_check(
		"routing-options { autonomous-system 1; }\n"
		"protocols { bgp { group g { type internal; neighbor 192.0.2.9 { "
		"family inet { flow { allowed-destinations [ 203.0.113.0/24 198.51.100.0/24 ]; } } "
		"family inet6 { flow { no-validate; } } } } } }\ninterfaces { e; }");
	const struct fg_conf_neighbor *n = &conf->neighbors[0];

	(void)state;
	assert_int_equal(n->peer_as, 1);
	assert_int_equal(n->families, 3);
	assert_int_equal(n->n_allowed, 3);
	assert_int_equal(n->allowed[1].family, FG_INET);
	assert_int_equal(n->allowed[1].addr[0], 198);
	assert_int_equal(n->allowed[2].family, FG_INET6);
	assert_int_equal(n->allowed[2].prefix_len, 0);
	fg_conf_free(conf);
}

/* The two rules of the MX301 article, as printed there. */
static void test_routes(void **state)
{
	static const char text[] =
		"routing-options { flow {\nroute simple {\nmatch {\n    protocol udp;\n"
		"    destination-port 40795;\n    destination 25.151.12.56/32;\n}\nthen discard;\n}\n"
		"route complex {\nmatch {\n    protocol udp;\n    destination-port 40795;\n"
		"    packet-length 978-3626;\n    destination 25.151.12.56/32;\n"
		"    source 20.150.0.0/16;\n}\nthen discard;\n} } rib inet6.0 { flow { route six {\n"
		"match { destination 2001:db8::/32; } } } } }\ninterfaces { e; }";
	static const uint8_t simple[] = { 1, 32, 25, 151, 12, 56, 3, 0x81, 17, 5, 0x91, 0x9f, 0x5b };
	static const uint8_t complex_[] = { 1,    32,  25,   151,  12,   56,   2,    16,
					    20,   150, 3,    0x81, 17,   5,    0x91, 0x9f,
					    0x5b, 10,  0x13, 0x03, 0xd2, 0xd5, 0x0e, 0x2a };
	struct fg_conf *conf = must_check(text);

	(void)state;
	assert_int_equal(conf->n_routes, 3);
	assert_string_equal(conf->routes[0].name, "simple");
	assert_int_equal(conf->routes[0].place.line, 2);
	assert_int_equal(conf->routes[0].nlri_len, sizeof(simple));
	assert_memory_equal(conf->routes[0].nlri, simple, sizeof(simple));
	assert_int_equal(conf->routes[1].nlri_len, sizeof(complex_));
	assert_memory_equal(conf->routes[1].nlri, complex_, sizeof(complex_));
	assert_true(fg_actions_discard(&conf->routes[0].actions));
	assert_int_equal(conf->routes[2].family, FG_INET6);
	assert_false(fg_actions_discard(&conf->routes[2].actions));
	assert_int_equal(conf->n_warnings, 0);
	fg_conf_free(conf);
}

#define AS "set routing-options autonomous-system 65010\n"
#define N "set protocols bgp group g neighbor 192.0.2.9 "

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ N "peer-as 1",
		  "f:1:27: neighbor 192.0.2.9 needs our AS: `routing-options autonomous-system` is missing" },
		{ AS N, "f:2:27: neighbor 192.0.2.9 needs its AS: `peer-as` is missing" },
		{ AS N "peer-as 65010\nset protocols bgp group g type external",
		  "f:2:27: neighbor 192.0.2.9: AS 65010 is our own, but its group is of `type external`" },
		{ AS N "peer-as 1\nset protocols bgp group g type internal",
		  "f:2:27: neighbor 192.0.2.9: AS 1 is not our own, but its group is of `type internal`" },
		{ AS N "peer-as 1 hold-time 2",
		  "f:2:66: hold-time `2`: expected 0 or a number from 3 to 65535" },
		{ AS N "peer-as 1 local-address 2001:db8::1",
		  "f:2:70: local-address 2001:db8::1 and neighbor 192.0.2.9 are of different families" },
		{ AS N "peer-as 1\nset protocols bgp group h neighbor 192.0.2.9 peer-as 1",
		  "f:3:27: neighbor 192.0.2.9 is in group `g` already" },
		{ AS N
		  "peer-as 1 family inet flow allowed-destinations [ 10.0.0.0/8 2001:db8::/32 ]",
		  "f:2:107: `2001:db8::/32` is no prefix of family inet" },
		{ AS N "peer-as 1 family inet flow allowed-destinations 10.0.0.0/8 no-validate",
		  "f:2:105: `no-validate` and `allowed-destinations` exclude each other" },
		{ AS N "peer-as 1 family inet flow no-validate prefix-limit maximum 5\n" N
		       "family inet6 flow no-validate",
		  "f:2:27: neighbor 192.0.2.9: both families need the same `prefix-limit maximum`, it counts them "
		  "together" },
		{ "routing-options { flow { fast-lookup-filter; no-fast-lookup-filter; } }",
		  "f:1:46: `no-fast-lookup-filter` contradicts `fast-lookup-filter` at f:1:26" },
		{ "routing-options { flow { maximum-rules 5; fast-lookup-filter { maximum-rules 6; } } }",
		  "f:1:64: `maximum-rules` contradicts `maximum-rules` at f:1:26" },
		{ "routing-options { flow { stale-time 5; } rib inet6.0 { flow { stale-time 6; } } }",
		  "f:1:63: `stale-time` contradicts `stale-time` at f:1:26" },
		{ "set routing-options flow route x then discard",
		  "f:1:26: route `x` has no match: say what it is for (`destination 0.0.0.0/0` is everything)" },
		{ "set routing-options flow route x match protocol udp destination-prot 5",
		  "f:1:53: unknown statement `destination-prot`, did you mean `destination-port`?" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_conf *conf = NULL;
		struct fg_error err = { 0 };

		if (check(cases[i].text, &conf, &err) == 0)
			fail_msg("accepted: %s", cases[i].text);
		assert_null(conf);
		assert_int_equal(err.code, -EINVAL);
		assert_string_equal(err.what, cases[i].message);
	}
}

/* Errors of user/flowspec come at the place of the value; their words are tested there. */
static void test_rule_places(void **state)
{
	static const struct {
		const char *text, *start;
	} cases[] = {
		{ "set routing-options flow route x match protocol foo", "f:1:49: " },
		{ "set routing-options flow route x match destination 10.0.0.0/8\n"
		  "set routing-options flow route x match flow-label 5",
		  "f:2:51: " },
		{ "set routing-options flow route x match port 80\n"
		  "set routing-options flow route x then rate-limit much",
		  "f:2:50: " },
		{ "set routing-options flow route x match port 80\n"
		  "set routing-options flow route x then accept discard",
		  "f:2:46: " },
		{ "set routing-options rib inet6.0 flow route x match destination 10.0.0.0/8",
		  "f:1:64: " },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		struct fg_conf *conf = NULL;
		struct fg_error err = { 0 };

		assert_int_equal(check(cases[i].text, &conf, &err), -EINVAL);
		if (strncmp(err.what, cases[i].start, strlen(cases[i].start)) != 0)
			fail_msg("%s", err.what);
	}
}

/* Exactly one warning begins so. */
static void expect_warning(const char *text, const char *warning)
{
	struct fg_conf *conf = must_check(text);
	size_t n = 0;

	for (size_t i = 0; i < conf->n_warnings; i++)
		n += !strncmp(conf->warnings[i], warning, strlen(warning));
	if (n != 1)
		fail_msg("%zu warnings, first: %s\nnot: %s", conf->n_warnings,
			 conf->n_warnings ? conf->warnings[0] : "", warning);
	fg_conf_free(conf);
}

static void test_lints(void **state)
{
	static const struct {
		const char *text, *warning;
	} cases[] = {
		{ AS N "peer-as 1",
		  "f:2:27: neighbor 192.0.2.9 asks for no rules: add `family inet { flow; }`" },
		{ AS N "peer-as 1 family inet6 flow",
		  "f:2:27: neighbor 192.0.2.9 may drop traffic to any inet6 destination: add `allowed-destinations`" },
		{ AS N "peer-as 1 family inet flow allowed-destinations 0.0.0.0/0",
		  "f:2:94: `0.0.0.0/0` lets the peer drop traffic to any destination" },
		{ AS N "peer-as 23456",
		  "f:2:27: neighbor 192.0.2.9: AS 23456 is reserved, nobody has it" },
		{ AS N "peer-as 1",
		  "f:1:5: no interface is filtered: add `interfaces NAME role untrust`" },
		{ "set protocols bgp group g", "f:1:19: group `g` has no neighbor" },
		{ "set interfaces e role trust mode native",
		  "f:1:29: `mode` has no effect: `role trust` gets no program" },
		{ "set routing-options flow no-fast-lookup-filter maximum-rules 5",
		  "f:1:48: `maximum-rules` has no effect with `no-fast-lookup-filter`" },
		{ "set routing-options flow route x match destination 0.0.0.0/0\n"
		  "set routing-options flow route x then discard",
		  "f:1:26: route `x` drops everything" },
		{ "set routing-options flow route x match port 80\nset routing-options flow route y match port 80",
		  "f:2:26: route `y` matches exactly what route `x` at f:1:26 does and replaces it" },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++)
		expect_warning(cases[i].text, cases[i].warning);
}

/* Both sides: lists that no packet can satisfy, and their nearest neighbours that one can. */
static void test_never(void **state)
{
	static const struct {
		const char *match;
		bool six, never;
	} cases[] = {
		{ "port 80", false, false },
		{ "port >80&<81", false, true },
		{ "port >80&<82", false, false },
		{ "port >65535", false, true },
		{ "port >65534", false, false },
		{ "port false", false, true },
		{ "port true", false, false },
		{ "packet-length <20", false, true },
		{ "packet-length <=20", false, false },
		{ "packet-length 39", true, true },
		{ "packet-length 40", true, false },
		{ "protocol icmp port 80", false, true },
		{ "protocol [ icmp tcp ] port 80", false, false },
		{ "protocol udp tcp-flags syn", false, true },
		{ "protocol tcp tcp-flags syn", false, false },
		{ "tcp-flags syn&!syn", false, true },
		{ "tcp-flags syn&!ack", false, false },
		{ "tcp-flags syn icmp-type 8", false, true },
		{ "protocol icmp icmp-type 8", false, false },
		{ "protocol icmp icmp-type 8", true, true },
		{ "protocol icmp6 icmp-type 8", true, false },
		{ "fragment is-fragment port 80", false, true },
		{ "fragment first-fragment port 80", false, false },
		{ "fragment is-fragment", false, false },
		{ "fragment first-fragment&is-fragment", false, true },
		{ "dscp >63", false, true },
	};

	(void)state;
	for (size_t i = 0; i < FG_ARRAY_SIZE(cases); i++) {
		FG_AUTO_FREE char *text = NULL;
		struct fg_conf *conf;

		assert_true(
			asprintf(&text,
				 "set interfaces e\nset routing-options %sflow route x match %s",
				 cases[i].six ? "rib inet6.0 " : "", cases[i].match) > 0);
		conf = must_check(text);
		if (conf->n_warnings != cases[i].never)
			fail_msg("%s: %zu warnings", cases[i].match, conf->n_warnings);
		if (cases[i].never)
			assert_non_null(strstr(conf->warnings[0], "can never match"));
		fg_conf_free(conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),    cmocka_unit_test(test_system),
		cmocka_unit_test(test_inheritance), cmocka_unit_test(test_allowed_families),
		cmocka_unit_test(test_routes),      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_rule_places), cmocka_unit_test(test_lints),
		cmocka_unit_test(test_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
