#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that received rules outlive the daemon, the bgp process and the peer, and go when it is time.
# needs: root ip nsenter gobgpd gobgp
# timeout: 150

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

cat >"$RUN/packets" <<-'END'
	hit 0 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=123 dport=53 len=100
	miss 0 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=123 dport=54 len=100
END
each=50

# table ACTIVE STALE: so many rules are enforced, so many routes stale.
table() {
	local text
	text=$(fg show route table inetflow.0) && grep -q "($1 active" <<<"$text" &&
		[ "$(grep -c ', stale$' <<<"$text")" -eq "$2" ]
}
established() { fg show bgp summary | grep -qi establ; }
child() { fg -j show version | number bgp_pid; }
new_child() { [ "$(child)" -gt 0 ] && [ "$(child)" != "$1" ]; }
saved() { grep -q "^end	$1\$" "$RUN/state/$gw_instance/rules.state"; }

filtered() {
	crossing "$RUN/packets" --count $((2 * each)) --rate 10000
	check_equal "$1: the matching packets are dropped" 0 "$(received hit)"
	check_equal "$1: the others pass" $each "$(received miss)"
}

announce() { flow add destination 203.0.113.0/24 protocol udp destination-port '==53' 'then' discard; }

bgp_process_dies() {
	local pid
	pid=$(child)
	kill -KILL "$pid"
	check 'bgp process killed: another one comes' wait_for 10 new_child "$pid"
	filtered 'bgp process killed'
	check 'bgp process killed: the peer announces again, nothing is stale' wait_for 30 table 1 0
}

# Killed with its peer away: the new daemon knows the rules from its state file and filters from its first generation.
daemon_dies() {
	check 'the rule is in the state file' wait_for 5 saved 1
	stop "$gobgpd" KILL
	check 'the peer goes: its rule is stale, and active' wait_for 10 table 1 1
	stop "$daemon" KILL
	filtered 'daemon killed'
	daemon_spawn "$RUN/conf"
	check 'daemon restarted: the rule is active, and stale' wait_for 20 table 1 1
	filtered 'daemon restarted'
}

peer_returns_empty() {
	gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	check 'the peer returns' wait_for 30 established
	check 'what it does not announce goes' wait_for 30 table 0 0
	check 'from the state file, too' wait_for 5 saved 0
}

stale_time() {
	announce
	check 'a rule again' wait_for 10 table 1 0
	gateway_config | sed 's/router-id/flow { stale-time 3; } router-id/' >"$RUN/conf"
	check 'stale-time 3 loads' fg load "$RUN/conf"
	stop "$gobgpd" KILL
	check 'the peer goes: its rule is stale' wait_for 10 table 1 1
	check 'and gone after the stale-time' wait_for 6 table 0 0
}

# A damaged state file counts for nothing: the generation that runs stays until the peer was heard.
damaged_state() {
	gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	announce
	check 'a rule once more' wait_for 30 table 1 0
	check 'it is saved' wait_for 5 saved 1
	stop "$daemon" KILL
	echo more >>"$RUN/state/$gw_instance/rules.state"
	stop "$gobgpd"
	daemon_spawn "$RUN/conf"
	check 'damaged state: told' wait_for 10 grep -q 'rules.state:3: the number of rules is wrong' "$RUN/fltgated.log"
	filtered 'damaged state, no peer'
	gobgpd_start && announce
	check 'damaged state: the peer brings the rule' wait_for 30 table 1 0
	filtered 'damaged state, peer back'
}

gateway_topology 1 || fail 'topology'
gateway_config >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
announce
check 'the rule is active' wait_for 30 table 1 0
filtered 'first'
bgp_process_dies
daemon_dies
peer_returns_empty
stale_time
damaged_state
finish
