#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the main job with Debian's gobgpd: announced rules drop, limit and mark real packets, withdrawn ones do not.
# needs: root ip nsenter gobgpd gobgp
# timeout: 180

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

each=20 # packets of every line

# Every rule's packet that must match, and the one that must not.
cat >"$RUN/packets" <<-'END'
	hit 0 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=123 dport=4000 len=468
	miss 0 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=123 dport=4000 len=467
	hit 1 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=53 dport=4000 len=768
	miss 1 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=53 dport=4000 len=767
	hit 2 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=11211 dport=4000 len=100
	miss 2 proto=tcp src=192.0.2.1 dst=203.0.113.1 sport=11211 dport=4000 len=100
	hit 3 proto=udp src=192.0.2.1 dst=203.0.113.9 frag=185 len=100
	miss 3 proto=udp src=192.0.2.1 dst=203.0.113.9 sport=9 dport=9 len=100
	hit 4 proto=icmp src=192.0.2.1 dst=198.51.100.7 type=8 len=100
	miss 4 proto=icmp src=192.0.2.1 dst=198.51.100.8 type=8 len=100
	hit 5 proto=tcp src=192.0.2.1 dst=203.0.113.10 sport=4000 dport=80 flags=0x02 len=100
	miss 5 proto=tcp src=192.0.2.1 dst=203.0.113.10 sport=4000 dport=80 flags=0x12 len=100
	hit 6 proto=udp src=2001:db8:9::1 dst=2001:db8:1::1 sport=1 dport=53 len=100
	miss 6 proto=udp src=2001:db8:9::1 dst=2001:db8:2::1 sport=1 dport=53 len=100
END
rules=7
announce() { # add|del
	flow "$1" protocol udp source-port '==123' packet-length '>=468&<=1500' 'then' discard &&
		flow "$1" protocol udp source-port '==53' packet-length '>=768' 'then' discard &&
		flow "$1" protocol udp source-port '==11211' 'then' discard &&
		flow "$1" destination 203.0.113.0/24 fragment =is-fragment 'then' discard &&
		flow "$1" destination 198.51.100.7/32 'then' discard &&
		flow "$1" destination 203.0.113.10/32 protocol tcp tcp-flags '=S&!=A' 'then' discard &&
		flow6 "$1" destination 2001:db8:1::/64 protocol udp destination-port '==53' 'then' discard
}
cat >"$RUN/limited" <<-'END'
	hit 0 proto=udp src=192.0.2.1 dst=203.0.113.50 sport=1 dport=2 len=1000
END
cat >"$RUN/marked" <<-'END'
	hit 0 proto=udp src=192.0.2.1 dst=203.0.113.60 sport=1 dport=2 len=100
	miss 0 proto=udp src=192.0.2.1 dst=203.0.113.61 sport=1 dport=2 len=100
END

active() { # TABLE N
	fg show route table "$1" | grep -q "($2 active"
}
established() { fg show bgp summary | grep -qi establ; }
all_active() { active inetflow.0 $((rules - 1)) && active inet6flow.0 1; }
none_active() { active inetflow.0 0 && active inet6flow.0 0; }

send_all() { crossing "$RUN/packets" --count $((each * 2 * rules)) --rate 10000; }

# filtered TEXT: all that rules match is dropped, all else passes.
filtered() {
	send_all
	check_equal "$1: no matching packet passes" 0 "$(received hit)"
	check_equal "$1: every other packet passes" $((each * rules)) "$(received miss)"
}

flowing() {
	send_all
	check_equal "$1: matching packets pass" $((each * rules)) "$(received hit)"
	check_equal "$1: the others, too" $((each * rules)) "$(received miss)"
}

# The whole story over one session.
announced_and_withdrawn() {
	flowing "$1, before"
	announce add || fail "gobgp: $(cat "$RUN/gobgpd.log")"
	check "$1: the rules are active" wait_for 10 all_active
	filtered "$1, announced"
	announce del
	check "$1: the rules are withdrawn" wait_for 10 none_active
	flowing "$1, withdrawn"
}

limits_and_marks() {
	flow add destination 203.0.113.50/32 protocol udp 'then' rate-limit 100000
	flow add destination 203.0.113.60/32 'then' mark 46
	check 'a limit and a mark are active' wait_for 10 active inetflow.0 2
	crossing "$RUN/limited" --rate 2000 --seconds 2
	# 100 packets a second and a burst of five.
	check 'the limit passes its rate' test "$(received hit)" -ge 190 -a "$(received hit)" -le 215
	receive_start --dscp 46
	send "$RUN/marked" --count 200 --rate 10000 >"$RUN/sent"
	receive_stop
	check_equal 'the mark is on every matching packet' 100 "$(received marked)"
	check_equal 'and on no other: all pass' 100,100 "$(received hit),$(received miss)"
	gobgp_ global rib del all -a ipv4-flowspec
	check 'both are withdrawn' wait_for 10 active inetflow.0 0
}

# A session that dies does not take the rules along; what the returning peer announces replaces them.
peer_dies() {
	announce add
	check 'killed peer: rules are active first' wait_for 10 all_active
	stop "$gobgpd" KILL
	check 'killed peer: the session goes down' wait_for 10 fg_not established
	filtered 'killed peer, stale rules'
	gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	check 'killed peer: it comes back' wait_for 30 established
	check 'killed peer: what it no longer announces goes' wait_for 30 none_active
	flowing 'killed peer, returned'
}

with_key() {
	stop "$gobgpd"
	check 'MD5: the session without key goes down' wait_for 10 fg_not established
	gobgpd_start 'auth-password = "seventeen"' || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	gateway_config 'authentication-key "eighteen";' >"$RUN/conf"
	check 'MD5: a configuration with the wrong key loads' fg load "$RUN/conf"
	check_not 'MD5: with the wrong key there is no session' wait_for 3 established
	gateway_config 'authentication-key "seventeen";' >"$RUN/conf"
	check 'MD5: the right key loads' fg load "$RUN/conf"
	check 'MD5: the session comes up' wait_for 40 established
	announced_and_withdrawn MD5
}

gateway_topology 1 || fail 'topology'
gateway_config >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
gobgpd_start || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
check 'the session comes up' wait_for 30 established
announced_and_withdrawn plain
limits_and_marks
peer_dies
with_key
check 'no packet was lost for want of resources' \
	grep -q 'Resource errors: 0' <(fg show interfaces in0 extensive)
finish
