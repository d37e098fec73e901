# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The acceptance set (what detectors push in practice), its packets, and the story every BGP peer is taken through.
#
# The caller has sourced gateway.sh, sets $peer (the name for descriptions) and the array cannot (KEY=reason), and
# defines peer_start, peer_stop SIGNAL, peer_announce and peer_withdraw. A peer that starts announces nothing.
# shellcheck disable=SC2034,SC2154 # variables are shared with the caller

each=10 # packets of every line
limit_rate=100000
declare -A cannot=()

# KEY | family | what it matches | what is done. KEY is one element of the rule's name in `show route`. In the words of
# the peers: peers.sh.
acceptance_table() {
	cat <<-'END'
		srcport=123|inet|proto=17 sport=123 len=1-75,77-550|discard
		srcport=53|inet|proto=17 sport=53 len=768-|discard
		srcport=19|inet|proto=17 sport=19|discard
		srcport=389|inet|proto=17 sport=389|discard
		srcport=1900|inet|proto=17 sport=1900|discard
		srcport=11211|inet|proto=17 sport=11211|discard
		203.0.113.0/24|inet|dst=203.0.113.0/24 fragment|discard
		198.51.100.7|inet|dst=198.51.100.7/32|discard
		203.0.113.10|inet|dst=203.0.113.10/32 proto=6 syn|discard
		203.0.113.80|inet|dst=203.0.113.80/32 proto=6 dport=80,443,8000-8100 sport=1-1000|discard
		203.0.113.50|inet|dst=203.0.113.50/32 proto=17|rate=100000
		203.0.113.60|inet|dst=203.0.113.60/32|mark=46
		203.0.113.70|inet|dst=203.0.113.70/32|redirect=65000:100
		2001:db8:1::/64|inet6|dst=2001:db8:1::/64 proto=17 dport=53|discard
		::1234/128-64|inet6|dst=::1234/128-64|discard
	END
}

# KEY | hit (the rule drops it) or miss (it just fails the rule, or the rule is not installed) | the packet
acceptance_packets() {
	local udp='proto=udp src=192.0.2.1 dst=203.0.113.1 dport=4000'
	local tcp='proto=tcp src=192.0.2.1 len=100'
	cat <<-END
		srcport=123|hit|$udp sport=123 len=75
		srcport=123|miss|$udp sport=123 len=76
		srcport=123|hit|$udp sport=123 len=77
		srcport=123|hit|$udp sport=123 len=550
		srcport=123|miss|$udp sport=123 len=551
		srcport=53|miss|$udp sport=53 len=767
		srcport=53|hit|$udp sport=53 len=768
		srcport=19|hit|$udp sport=19 len=100
		srcport=19|miss|$udp sport=18 len=100
		srcport=389|hit|$udp sport=389 len=100
		srcport=389|miss|$udp sport=390 len=100
		srcport=1900|hit|$udp sport=1900 len=100
		srcport=1900|miss|$tcp dst=203.0.113.1 sport=1900 dport=4000
		srcport=11211|hit|$udp sport=11211 len=100
		srcport=11211|miss|$tcp dst=203.0.113.1 sport=11211 dport=4000
		203.0.113.0/24|hit|proto=udp src=192.0.2.1 dst=203.0.113.9 frag=185 len=100
		203.0.113.0/24|miss|proto=udp src=192.0.2.1 dst=203.0.113.9 sport=9 dport=9 len=100
		198.51.100.7|hit|proto=icmp src=192.0.2.1 dst=198.51.100.7 type=8 len=100
		198.51.100.7|miss|proto=icmp src=192.0.2.1 dst=198.51.100.8 type=8 len=100
		203.0.113.10|hit|$tcp dst=203.0.113.10 sport=4000 dport=80 flags=0x02
		203.0.113.10|miss|$tcp dst=203.0.113.10 sport=4000 dport=80 flags=0x12
		203.0.113.80|hit|$tcp dst=203.0.113.80 sport=1000 dport=8100
		203.0.113.80|miss|$tcp dst=203.0.113.80 sport=1001 dport=8100
		203.0.113.80|miss|$tcp dst=203.0.113.80 sport=1000 dport=8101
		203.0.113.70|miss|proto=udp src=192.0.2.1 dst=203.0.113.70 sport=1 dport=2 len=100
		2001:db8:1::/64|hit|proto=udp src=2001:db8:9::1 dst=2001:db8:1::1 sport=1 dport=53 len=100
		2001:db8:1::/64|miss|proto=udp src=2001:db8:9::1 dst=2001:db8:2::1 sport=1 dport=53 len=100
		::1234/128-64|hit|proto=udp src=2001:db8:9::1 dst=2001:db8:3::1234 sport=1 dport=2 len=100
		::1234/128-64|miss|proto=udp src=2001:db8:9::1 dst=2001:db8:3::1235 sport=1 dport=2 len=100
	END
}

# Filters lines that begin with a KEY: leaves out what the peer cannot express.
expressible() {
	local key rest
	while IFS='|' read -r key rest; do
		[ -n "${cannot[$key]:-}" ] || echo "$key|$rest"
	done
}

# acceptance_rules COMMAND: calls COMMAND family match action for every rule.
acceptance_rules() {
	local key family match action
	while IFS='|' read -r key family match action; do
		"$1" "$family" "$match" "$action" </dev/null || return 1
	done < <(acceptance_table | expressible)
}

acceptance_prepare() {
	local key
	for key in "${!cannot[@]}"; do echo "# $peer cannot express $key: ${cannot[$key]}"; done
	acceptance_packets | expressible | awk -F'|' '{ print $2, NR, $3 }' >"$RUN/packets"
	hits=$(grep -c ^hit "$RUN/packets") misses=$(grep -c ^miss "$RUN/packets")
	v4_rules=$(($(acceptance_table | expressible | grep -c '|inet|') - 1)) # but the redirect
	v6_rules=$(acceptance_table | expressible | grep -c '|inet6|')
	echo "hit 0 proto=udp src=192.0.2.1 dst=203.0.113.50 sport=1 dport=2 len=1000" >"$RUN/limited"
	cat >"$RUN/marked" <<-'END'
		hit 0 proto=udp src=192.0.2.1 dst=203.0.113.60 sport=1 dport=2 len=100
		miss 0 proto=udp src=192.0.2.1 dst=203.0.113.61 sport=1 dport=2 len=100
	END
}

active() { # TABLE N
	fg show route table "$1" | grep -q "($2 active"
}
established() { fg show bgp summary | grep -qi establ; }
all_active() { active inetflow.0 "$v4_rules" && active inet6flow.0 "$v6_rules"; }
none_active() { active inetflow.0 0 && active inet6flow.0 0; }
stale() { # how many routes of both tables
	{ fg show route table inetflow.0 && fg show route table inet6flow.0; } | grep -c ', stale$'
}
none_stale() { [ "$(stale)" -eq 0 ]; }

# A line "KEY packets" for every rule of the acceptance set that the gateway knows.
counters() {
	{
		acceptance_table | cut -d'|' -f1
		fg show route table inetflow.0 extensive
		fg show route table inet6flow.0 extensive
	} | awk '
		NF == 1 && !/^ / && !header { keys[$1]; next }
		/^inet/ { header = 1 }
		/^[^ ].* \(/ { n = split($1, part, ","); key = ""; for (i = 1; i <= n; i++) if (part[i] in keys) key = part[i] }
		/^ *packets:/ && key != "" { print key, $2 + 0 }' | sort
}

# What a round of packets adds to the counters: each packet of a hit line, once.
expected_counters() {
	acceptance_packets | expressible |
		awk -F'|' -v each=$each '{ n[$1] += each * ($2 == "hit") } END { for (key in n) print key, n[key] }' | sort
}

# counted FILE: what was added since counters wrote FILE, of rules that have packets.
counted() {
	counters | join "$1" - | awk '{ print $1, $3 - $2 }' | join - <(acceptance_packets | cut -d'|' -f1 | sort -u)
}

# Sends all packets, again where a busy machine lost some before or behind the gate. Leaves the counters before it in
# $RUN/counters, and in $dropped what the gate discarded.
send_all() {
	local try before after
	for try in 1 2 3; do
		counters >"$RUN/counters"
		read -r -a before <<<"$(verdicts)"
		crossing "$RUN/packets" --count $((each * (hits + misses))) --rate 5000
		read -r -a after <<<"$(verdicts)"
		dropped=$((after[1] - before[1]))
		[ "$(received miss)" -lt $((each * misses)) ] ||
			[ $((after[0] - before[0])) -lt $((each * (hits + misses))) ] || return 0
		echo "# round $try: packets did not reach the gate or the receiver"
	done
}

# filtered TEXT: what rules match is dropped and counted by the right rule, all else passes.
filtered() {
	send_all
	check_equal "$1: no matching packet passes" 0 "$(received hit)"
	check_equal "$1: every other packet passes" $((each * misses)) "$(received miss)"
	check_equal "$1: each rule counts its packets" "$(expected_counters)" "$(counted "$RUN/counters")"
}

flowing() {
	send_all
	check_equal "$1: matching packets pass" $((each * hits)) "$(received hit)"
	check_equal "$1: the others, too" $((each * misses)) "$(received miss)"
	check_equal "$1: none is discarded" 0 "$dropped"
}

announced() {
	peer_announce || fail "$peer: the rules cannot be announced"
	check "$1: the rules are active" wait_for 20 all_active
}
withdrawn() {
	peer_withdraw || fail "$peer: the rules cannot be withdrawn"
	check "$1: the rules are withdrawn" wait_for 20 none_active
}

# The whole story over one session.
announced_and_withdrawn() {
	flowing "$1, before"
	announced "$1"
	filtered "$1, announced"
	withdrawn "$1"
	flowing "$1, withdrawn"
}

limits_and_marks() {
	announced 'limit and mark'
	crossing "$RUN/limited" --rate 2000 --seconds 2
	# 100 packets a second and a burst of five.
	check 'the limit passes its rate' test "$(received hit)" -ge 190 -a "$(received hit)" -le 215
	marked
}

marked() {
	local try
	for try in 1 2 3; do # packets a busy machine lost say nothing
		receive_start --dscp 46
		send "$RUN/marked" --count 200 --rate 5000 >"$RUN/sent"
		receive_stop
		[ "$(received hit),$(received miss)" != 100,100 ] || break
		echo "# round $try: packets did not reach the gate or the receiver"
	done
	check_equal 'the mark is on every matching packet' 100 "$(received marked)"
	check_equal 'and on no other: all pass' 100,100 "$(received hit),$(received miss)"
}

redirect_told() {
	check 'the redirect is shown, and why it is not installed' grep -q 'not installed: redirect' \
		<(fg show route table inetflow.0 extensive | sed -n '/^203.0.113.70,/,/^$/p')
	fg status >"$RUN/status"
	check_equal 'status: partly enforced' 4 $?
}

# A session that ends does not take the rules along; they stop being stale when the peer announces them again.
peer_restarts() {
	peer_stop TERM
	check 'restart: the session goes down' wait_for 10 fg_not established
	filtered 'restart, peer away'
	peer_start || fail "$peer does not start again"
	check 'restart: it comes back' wait_for 40 established
	announced restart
	check 'restart: no rule is stale' wait_for 20 none_stale
	filtered 'restart, peer back'
}

# What the peer no longer announces after it was killed goes when it says that this was all.
peer_dies() {
	peer_stop KILL
	check 'killed: the session goes down' wait_for 10 fg_not established
	check_equal 'killed: all its rules are stale' $((v4_rules + 1 + v6_rules)) "$(stale)"
	filtered 'killed, stale rules'
	peer_start || fail "$peer does not start again"
	check 'killed: it comes back' wait_for 40 established
	check 'killed: what it does not announce goes' wait_for 40 none_active
	flowing 'killed, returned'
}

acceptance_story() {
	acceptance_prepare
	gateway_topology 1 || fail 'topology'
	gateway_config >"$RUN/conf"
	daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
	peer_start || fail "$peer does not start"
	check 'the session comes up' wait_for 40 established
	announced_and_withdrawn plain
	limits_and_marks
	redirect_told
	peer_restarts
	peer_dies
	announced_and_withdrawn 'back again'
}

acceptance_end() {
	check 'no packet was lost for want of resources' \
		grep -q 'Resource errors: 0' <(fg show interfaces in0 extensive)
	finish
}
