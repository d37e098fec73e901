#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures the time from a BGP UPDATE on the wire to the first dropped packet: of one rule, of 2,400 rules at once.
#
# Usage (root, after `make tests`): BUILD=build selftests/bench/update.sh [ROUNDS]
# The end is the arrival of the last packet that a rule should drop: the answer is as fine as the packets of one rule
# are apart, which is printed.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(realpath -m "${BUILD:-build}")
export LC_ALL=C
rounds=${1:-7}
rate=100000

# shellcheck source=../lib/gateway.sh
. selftests/lib/gateway.sh
RUN=$(mktemp -d) || exit 1
remove_run() { rm -rf "$RUN"; }
fg_at_exit+=(remove_run)

die() {
	echo "bench: $*" >&2
	exit 1
}
active() { [[ $(fg show route table inetflow.0 | sed 3q) == *"($1 active, 0 holddown"* ]]; }

watch_begin() { # LIST
	receive_start --interval 0 || die 'receiver'
	spawn gw "$RUN/updates" "$tools/updatetime" ctl0
	watcher=$spawned
	spawn src "$RUN/sent" "$tools/fgsend" --dev s0 --to "$gw_mac" --rate $rate --only hit "$1"
	sender=$spawned
	wait_for 5 grep -q ready "$RUN/updates" || die 'watcher'
}
# Ends traffic and prints the milliseconds from the first UPDATE to the last packet that came through.
watch_end() {
	sleep 0.3 # nothing must come through any more; were it so, the result would show it
	stop "$sender"
	receive_stop
	stop "$watcher"
	awk -v from="$(number first_ns <"$RUN/updates")" -v to="$(received hit_last_ns)" \
		'BEGIN { printf "%.2f\n", (to - from) / 1e6 }'
}

spread() { sort -n | awk '{ v[NR] = $1 } END { printf "median %s ms, %s to %s\n", v[int((NR + 1) / 2)], v[1], v[NR] }'; }

one_rule() {
	echo 'hit 0 proto=udp src=198.18.0.1 dst=203.0.113.1 sport=1 dport=2 len=100' >"$RUN/one"
	local i
	for ((i = 0; i < rounds; i++)); do
		watch_begin "$RUN/one"
		flow add destination 203.0.113.1/32 protocol udp 'then' discard || die 'gobgp'
		wait_for 10 active 1 || die 'rule'
		watch_end
		gobgp_ global rib del all -a ipv4-flowspec
		wait_for 10 active 0 || die 'withdraw'
	done | spread
}

# The session comes up anew each time, and gobgpd sends all it has.
many_rules() {
	local i
	"$tools/genrules" --simple 2000 --complex 400 packets >"$RUN/packets"
	"$tools/genrules" --simple 2000 --complex 400 gobgp >"$RUN/rules"
	flows_begin "$RUN/rules"
	wait "$feeder" || die "gobgp: $(head -n 3 "$RUN/feeder.log")"
	for ((i = 0; i < rounds; i++)); do
		fg load "$RUN/alone" >/dev/null && wait_for 10 active 0 || die 'load'
		watch_begin "$RUN/packets"
		fg load "$RUN/with_peer" >/dev/null || die 'load'
		wait_for 60 active 2400 || die "rules: $(fg show bgp summary) $(tail -n 5 "$RUN/fltgated.log")"
		watch_end
	done | spread
}

gateway_topology 2 || die 'topology'
gateway_config >"$RUN/with_peer"
sed '/^protocols/,/^}/d' "$RUN/with_peer" >"$RUN/alone"
daemon_start "$RUN/with_peer" || die "$(cat "$RUN/fltgated.log")"
gobgpd_start || die "$(cat "$RUN/gobgpd.log")"
established() { [[ $(fg show bgp summary) == *Establ* ]]; }
wait_for 30 established || die 'no session'
echo "one rule, a packet each $((1000000 / rate)) us: $(one_rule)"
echo "2400 rules, each rule a packet each $((2400 * 1000 / rate)) ms: $(many_rules)"
