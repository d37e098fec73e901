#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ten thousand rules from Debian's gobgpd, and in full-size updates from bird2 and FRR (C6): every one enforced and counted.
# needs: root ip nsenter gobgpd gobgp exabgp bird birdc vtysh /usr/lib/frr/bgpd
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh
. selftests/lib/peers.sh

rules=10000

# Rule i and its packets: one host each, in UDP to one port. Forms: exabgp, bird, hit, miss.
generate() {
	awk -v form="$1" -v rules=$rules 'BEGIN {
		for (i = 0; i < rules; i++) {
			host = sprintf("20.1.%d.%d", i / 250, i % 250 + 1); port = 1024 + i
			if (form == "exabgp")
				printf "announce flow route { match { destination %s/32; protocol =17; " \
					"destination-port =%d; } then { discard; } }\n", host, port
			else if (form == "bird")
				printf "route flow4 { dst %s/32; proto = 17; dport = %d; } " \
					"{ bgp_ext_community.add((generic, 0x80060000, 0)); };\n", host, port
			else
				printf "%s %d proto=udp src=192.0.2.1 dst=%s sport=9 dport=%d len=60\n",
					form, i, host, port + (form == "miss")
		}
	}'
}

# gobgpd's command line takes one rule a process: exabgp tells it the rules over BGP, to be passed on.
gobgpd_more='
	[[neighbors]]
	  [neighbors.config]
	    neighbor-address = "10.3.1.2"
	    peer-as = 65000
	  [neighbors.transport.config]
	    passive-mode = true
	  [[neighbors.afi-safis]]
	    [neighbors.afi-safis.config]
	      afi-safi-name = "ipv4-flowspec"'

known() { [ "$(flows_known)" = "$1" ]; }
# table N: so many rules, all of them active.
table() { [[ $(fg show route table inetflow.0 | head -n 3) == *": $1 destinations, $1 routes ($1 active"* ]]; }
established() { fg show bgp summary | grep -qi establ; }
messages() { fg show bgp summary | awk '$1 == "10.3.0.2" { print $3 }'; }
heard() { [ "$(messages)" -gt 2 ]; } # the figure follows some time behind the rules
flaps() { fg show bgp summary | awk '$1 == "10.3.0.2" { print $5 }'; }
counted() { fg show route table inetflow.0 extensive | grep -c 'packets: [1-9]'; }

# Sends the packets of all rules, again where a busy machine lost some before or behind the gate.
send_all() {
	local try
	for try in 1 2 3; do
		crossing "$RUN/packets" --count $((2 * rules)) --rate 10000
		[ "$(received miss)" -lt $rules ] || [ "$(counted)" -lt $rules ] || break
		echo "# round $try: packets did not reach the gate or the receiver"
	done
}

# session NAME MOST: all rules come over one session, in MOST messages at most.
session() {
	check "$1: the neighbor loads" fg load "$RUN/with_peer"
	check "$1: all rules are active" wait_for 20 table $rules
	check "$1: the session is up" established
	send_all
	check_equal "$1: the packet of every rule is dropped" 0 "$(received hit)"
	check_equal "$1: a packet beside every rule passes" $rules "$(received miss)"
	check_equal "$1: every rule counted" $rules "$(counted)"
	check "$1: messages are counted" wait_for 20 heard
	check "$1: $(messages) messages, seconds later" test "$(messages)" -le "$2"
	check "$1: the session is still up" established
	check_equal "$1: and was never down" 0 "$(flaps)"
	check "$1: without the neighbor" fg load "$RUN/alone"
	check "$1: no rules" wait_for 10 table 0
}

with_bird() {
	generate bird >"$RUN/bird.rules4"
	: >"$RUN/bird.rules6"
	bird_start 10.3.0.2 10.3.0.1 65010 'passive;' || fail "bird: $(cat "$RUN/bird.out")"
	session bird 100 # of 4096 octets at most; 40 of them hold the rules
	stop "$bird"
}

# The bird above feeds bgpd, which packs the updates anew.
with_frr() {
	bgpd_start || fail "bgpd: $(cat "$RUN/frr/log")"
	bgpd_feeder_start || fail "bird: $(cat "$RUN/bird.out")"
	session frr 100
	stop "$bgpd" && stop "$bird"
}

# gobgpd 3.10 sends every rule in an UPDATE of its own.
with_gobgpd() {
	echo '# gobgpd cannot send full-size updates: it puts one rule into each'
	in_ns ctl ip addr replace 10.3.1.2/32 dev lo
	gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	exabgp_start 10.3.1.2 10.3.0.2 65000 active || fail "exabgp: $(tail "$RUN/exabgp.log")"
	generate exabgp >"$RUN/exabgp.rules"
	wait_for 60 known $rules || fail "gobgpd knows $(flows_known) rules"
	session gobgpd $((rules + 100))
}

{ generate hit && generate miss; } >"$RUN/packets"
gateway_topology 1 || fail 'topology'
gateway_config >"$RUN/with_peer"
sed '/^protocols/,/^}/d' "$RUN/with_peer" >"$RUN/alone"
daemon_start "$RUN/alone" || fail "daemon: $(cat "$RUN/fltgated.log")"
with_bird
with_frr
with_gobgpd
finish
