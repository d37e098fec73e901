#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests changing the configuration: applied whole or not at all, by `load` and by SIGHUP; roles; what status says.
# needs: root ip nsenter
# timeout: 90

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

has_program() { in_ns gw ip link show dev "$1" | grep -q prog/xdp; }
table() { fg -n show route table inetflow.0 | awk '/^[0-9*]/ { print $1 }'; }

# conf PORT...: a configuration with a rule a port, and in0 filtered.
conf() {
	gateway_config 'passive;'
	echo 'routing-options { flow {'
	local port
	for port in "$@"; do
		echo "route r$port { match { protocol udp; destination-port $port; } then { discard; } }"
	done
	echo '} }'
}

names() { printf '*,*,proto=17,dstport=%s\n' "$@"; }
rules_are() { [ "$(table)" = "$(names "$@")" ]; }

loading() {
	conf 53 123 >"$RUN/new"
	check 'load: replaces the rules' fg load "$RUN/new"
	check 'load: they are there' rules_are 53 123
	conf 53 11211 >"$RUN/bad"
	echo 'interfaces { in0 { rolle untrust; } }' >>"$RUN/bad"
	line=$(wc -l <"$RUN/bad")
	check 'load: a bad one is refused, by place and with the nearest word' \
		refused 2 "$RUN/bad:$line:20: .*role" fg load "$RUN/bad"
	check 'load: nothing changed' rules_are 53 123
	check 'load: from stdin' fg load - <"$RUN/new"
	check 'load: no such file' refused 2 "$RUN/none: No such file" fg load "$RUN/none"
	check 'load: no file at all' refused 2 'which file' fg load
	head -c 100000 /dev/urandom >"$RUN/noise"
	check 'load: noise' refused 2 '' fg load "$RUN/noise"
	check 'load: the daemon is well' rules_are 53 123
}

reloading() {
	conf 5353 >"$RUN/conf"
	kill -HUP "$daemon"
	check 'SIGHUP: reads the file again' wait_for 5 rules_are 5353
	echo 'nonsense' >>"$RUN/conf"
	kill -HUP "$daemon"
	check 'SIGHUP: a bad file is told' wait_for 5 grep -q 'nothing changed' "$RUN/fltgated.log"
	check 'SIGHUP: and changes nothing' rules_are 5353
}

roles() {
	check 'roles: an untrusted interface is filtered' has_program in0
	check_not 'roles: a trusted one is not' has_program out0
	check 'roles: a management interface never gets a program, exit 6' \
		refused 6 'ctl0 is a management interface' fg attach ctl0
	check_not 'roles: nor did it' has_program ctl0
	conf 53 | sed 's/in0 { role untrust; mode native; }/in0 { role trust; }/' >"$RUN/new"
	check 'roles: in0 becomes trusted' fg load "$RUN/new"
	check_not 'roles: and is no longer filtered' has_program in0
	conf 53 >"$RUN/new"
	check 'roles: in0 becomes untrusted again' fg load "$RUN/new"
	check 'roles: and is filtered' has_program in0
	in_ns gw ip link del in0
	check 'roles: a missing interface is told, exit 4' refused 4 'in0 is not filtered' fg status
	gateway_link 1
	check 'roles: one that comes back is filtered again' wait_for 10 has_program in0
	check 'roles: then all is well' refused 0 '^enforced' fg status
}

telling() {
	{
		conf 53
		echo 'routing-options { flow { route v { match { protocol udp; destination-port 54; }'
		echo 'then { redirect target:65000:1; } } } }'
	} >"$RUN/new"
	check 'status: a configuration with a rule that cannot be done' fg load "$RUN/new"
	check 'status: exit 4 and the reason' refused 4 'not enforced: 1 \(.*VRF' fg status
	check 'the rule says so itself' refused 0 'not installed: .*VRF' fg show route table inetflow.0 extensive
	check_equal 'the header counts what is enforced' \
		'inetflow.0: 2 destinations, 2 routes (1 active, 0 holddown, 0 hidden)' \
		"$(fg show route table inetflow.0 | grep destinations)"
	check_equal 'the line of the article' \
		'    L2 mismatch timeouts: 0, FIFO errors: 0, Resource errors: 0' \
		"$(fg show interfaces in0 extensive '|' match resource)"
	check_equal 'quoted whole, too' 1 "$("$BUILD/fltgate" \
		"--socket $RUN/control.sock show interfaces in0 extensive | match resource" | wc -l)"
	check 'match without a match: exit 3' refused 3 '^$' fg show version '|' match nowhere
}

filter_is() { fg show pfe firewall | grep -q "^__flowspec_default_inet__  *65025  *[0-9]*  *$1  *$2$"; }

# The limit of the MX301, as small as it goes: one rule more, and the whole family falls back.
capacity() {
	check 'maximum-rules: two rules run as FLT' fg load "$RUN/conf2"
	check 'maximum-rules: FLT asked, FLT runs' filter_is FLT FLT
	sed 's/router-id .*/& flow { fast-lookup-filter { maximum-rules 1; } }/' "$RUN/conf2" >"$RUN/new"
	check 'maximum-rules 1 loads' fg load "$RUN/new"
	check 'maximum-rules 1: FLT asked, DMEM runs' filter_is DMEM FLT
	check 'maximum-rules 1: told in the log' grep -q 'falls back from FLT to DMEM' "$RUN/fltgated.log"
	check 'maximum-rules 1: told by status, which is content' refused 0 'inet runs in DMEM mode' fg status
	check 'maximum-rules 1: both rules are there' rules_are 53 54
	check 'maximum-rules removed: loads' fg load "$RUN/conf2"
	check 'maximum-rules removed: back in FLT' filter_is FLT FLT
	sed 's/router-id .*/& flow { no-fast-lookup-filter; }/' "$RUN/conf2" >"$RUN/new"
	check 'no-fast-lookup-filter loads' fg load "$RUN/new"
	check 'no-fast-lookup-filter: DMEM asked, DMEM runs' filter_is DMEM DMEM
}

gateway_topology 1 || fail 'topology'
conf 53 >"$RUN/conf"
conf 53 54 >"$RUN/conf2"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
check 'starts with its rule' rules_are 53
loading
reloading
roles
capacity
telling
finish
