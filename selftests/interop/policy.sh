#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests what becomes of received rules that may not or cannot be enforced, and of rules that two sources have (C8).
# needs: root ip nsenter gobgpd gobgp
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

refused() {
	local out status
	out=$("${@:3}" 2>&1)
	status=$?
	[ $status -eq "$1" ] && grep -Eq -- "$2" <<<"$out" && return
	printf 'status %s\n%s\n' "$status" "$out"
	return 1
}

header() { fg show route table inetflow.0 | grep -q "$1"; }
# line PATTERN: a line of the table.
line() { refused 0 "$1" fg show route table inetflow.0; }
established() { fg show bgp summary | grep -qi establ; }

# conf [FAMILY STATEMENTS]: the controller may only speak about these destinations.
conf() { gateway_config | sed "s,family inet { flow { no-validate; } },family inet { flow { $1 } },"; }

allowed_destinations() {
	flow add destination 203.0.113.7/32 'then' discard
	flow add destination 198.51.100.7/32 'then' discard
	flow add protocol udp source-port '==123' 'then' discard
	check 'three rules, two hidden' wait_for 10 header '3 destinations, 3 routes (1 active, 0 holddown, 2 hidden)'
	check 'inside the allowed destinations: active' line '^203.0.113.7,.*active$'
	check 'outside: hidden' line '^198.51.100.7,.* hidden$'
	check 'without a destination: hidden' line '^\*,\*,proto=17.* hidden$'
	check 'with the reason' refused 0 'hidden: .*allowed-destinations' fg show route table inetflow.0 extensive
	check 'status: exit 4' refused 4 'hidden: 2' fg status
	conf 'allowed-destinations [ 203.0.113.0/24 198.51.100.0/24 ];' >"$RUN/new"
	check 'a wider list loads' fg load "$RUN/new"
	check 'and is applied to what was received' header '(2 active, 0 holddown, 1 hidden)'
	check 'the session stayed up' refused 0 'Establ' fg show bgp summary
	check 'the old list loads' fg load "$RUN/conf"
	check 'and hides again' header '(1 active, 0 holddown, 2 hidden)'
	gobgp_ global rib del all -a ipv4-flowspec
	check 'all withdrawn' wait_for 10 header '^inetflow.0: 0 destinations'
	check 'status: exit 0' refused 0 '^enforced' fg status
}

unsupported_action() {
	flow add destination 203.0.113.8/32 'then' redirect 65000:100
	check 'C8: a redirect to a VRF: received' wait_for 10 header '1 destinations, 1 routes (0 active'
	check 'C8: not installed, the reason told' \
		refused 0 'not installed: redirect to a VRF is not supported' fg show route table inetflow.0 extensive
	check 'C8: status: exit 4' refused 4 'not enforced: 1' fg status
	check 'C8: the session is up' established
	gobgp_ global rib del all -a ipv4-flowspec
	check 'C8: withdrawn' wait_for 10 header '^inetflow.0: 0 destinations'
}

two_sources() {
	{
		cat "$RUN/conf"
		echo 'routing-options { flow { route mine { match { destination 203.0.113.9/32; } then accept; } } }'
	} >"$RUN/new"
	flow add destination 203.0.113.9/32 'then' discard
	check 'two sources: the rule of the peer' wait_for 10 line '^203.0.113.9,\* +\*\[BGP/170\].*active$'
	check 'two sources: the same rule in the configuration' fg load "$RUN/new"
	check 'two sources: one destination, two routes' header '1 destinations, 2 routes (1 active'
	check 'two sources: the configured one decides' line '^203.0.113.9,\* +\*\[Flow/5\].*active$'
	check 'two sources: the other waits' line '^ .*\[BGP/170\].*not best$'
	check 'two sources: without the configured one' fg load "$RUN/conf"
	check 'two sources: the peer decides again' line '^203.0.113.9,\* +\*\[BGP/170\].*active$'
}

# A neighbour taken out of the configuration takes its rules along.
neighbor_removed() {
	sed '/^protocols/,/^}/d' "$RUN/conf" >"$RUN/new"
	check 'neighbor removed: loads' fg load "$RUN/new"
	check 'neighbor removed: its rules are gone' header '^inetflow.0: 0 destinations'
	check 'neighbor removed: its session, too' refused 0 'Peers: 0' fg show bgp summary
	check 'neighbor back: loads' fg load "$RUN/conf"
	check 'neighbor back: its rules, too' wait_for 40 header '(1 active'
}

gateway_topology 1 || fail 'topology'
conf 'allowed-destinations [ 203.0.113.0/24 ];' >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
check 'the session comes up' wait_for 30 established
allowed_destinations
unsupported_action
two_sources
neighbor_removed
finish
