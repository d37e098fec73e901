#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that `ip link` alone attaches the pinned gate, natively and generically, and that bpftool reads its counters.
# needs: root ip nsenter bpftool
# timeout: 60

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

cat >"$RUN/packets" <<-'END'
	hit 0 proto=udp src=198.18.0.1 dst=203.0.113.9 sport=1000 dport=53 len=100
	miss 0 proto=udp src=198.18.0.1 dst=203.0.113.9 sport=1000 dport=54 len=100
END

# The counter of a field over all CPUs, from the pinned map as bpftool prints it with BTF.
# field MAP KEY FIELD
field() {
	bpftool -j map dump pinned "$gw_pins/$1" | tr -d ' \n' |
		sed 's/{"key":/\n&/g' | grep "\"formatted\":{\"key\":$2,\|\"key\":$2," |
		grep -o "\"$3\":[0-9]*" | sed 's/.*://' | awk '{ sum += $1 } END { print sum + 0 }'
}

# The daemon loads, installs one rule of its configuration, pins, and is killed: nothing of ours runs after that.
load_without_daemon() {
	cat >"$RUN/conf" <<-'END'
		routing-options {
		    autonomous-system 65010; router-id 10.3.0.1;
		    flow {
		        route dns { match { destination 203.0.113.9/32; protocol udp; destination-port 53; } then { discard; } }
		    }
		}
	END
	daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
	wait_for 10 rule_active || fail "rule: $(fg show route table inetflow.0)"
	stop "$daemon" KILL
}
rule_active() { fg show route table inetflow.0 | grep -q '(1 active'; }

# filters WORD: attaches by `ip link set dev in0 WORD pinned`.
filters() {
	local word=$1 before index hits
	index=$(in_ns gw ip -o link show dev in0 | sed 's/:.*//')
	before=$(field if_counters "$index" rule_discard)
	hits=$(rule_packets)
	check "$word: attaches" in_ns gw ip link set dev in0 "$word" pinned "$gw_pins/gate"
	check "$word: shown by ip link" grep -q 'prog/xdp' <(in_ns gw ip link show dev in0)
	crossing "$RUN/packets" --count 2000 --rate 20000
	check_equal "$word: nothing of the discarded class passes" 0 "$(received hit)"
	check_equal "$word: all of the other class passes" 1000 "$(received miss)"
	check_equal "$word: if_counters counts it as discarded by a rule" 1000 \
		"$(($(field if_counters "$index" rule_discard) - before))"
	check_equal "$word: rule_counters counts it" 1000 "$(($(rule_packets) - hits))"
	check "$word: detaches" in_ns gw ip link set dev in0 "${word/xdpdrv/xdp}" off
	crossing "$RUN/packets" --count 200 --rate 20000
	check_equal "$word: all passes once detached" 100 "$(received hit)"
}

# The only rule has the only counter slot that is not zero.
rule_packets() {
	bpftool -j map dump pinned "$gw_pins/rule_counters" | grep -o '"packets": *[0-9]*' |
		sed 's/.*: *//' | awk '{ sum += $1 } END { print sum + 0 }'
}

gateway_topology 1 || fail 'topology'
load_without_daemon
check_not 'no daemon runs' kill -0 "$daemon"
check 'bpftool shows the pinned program' \
	grep -q 'xdp.*name gate' <(bpftool prog show pinned "$gw_pins/gate")
check 'with its source types' grep -q btf_id <(bpftool prog show pinned "$gw_pins/gate")
filters xdp
filters xdpdrv
filters xdpgeneric
for name in rule_discard no_rule lookup_bound rx_bytes; do
	check "if_counters has the field $name" \
		grep -q "\"$name\":" <(bpftool map dump pinned "$gw_pins/if_counters")
done
for name in packets bytes last_hit; do
	check "rule_counters has the field $name" \
		grep -q "\"$name\":" <(bpftool map dump pinned "$gw_pins/rule_counters" 2>&1 | head -n 200)
done
finish
