#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the gate goes on filtering and counting when the daemon is killed under traffic, and is adopted again (D4).
# needs: root ip nsenter bpftool
# timeout: 90

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

rate=50000 seconds=8
n_rules=1000

active() { fg show route table inetflow.0 | grep -q "($n_rules active"; }
gate_id() { in_ns gw ip link show dev in0 | sed -n 's,.*prog/xdp id \([0-9]*\).*,\1,p'; }
link_id() { bpftool -j link show pinned "$(echo "$gw_pins"/links/*)" | number id; }
arrived() { tail -n 1 "$RUN/received" | number miss; }
# more_than N: further packets of the passed class arrived since there were N.
more_than() { [ "$(arrived)" -gt "$1" ]; }
counted() { fg -j show interfaces in0 | number rule_discard; }

gateway_topology 2 || fail 'topology'
{
	"$tools/genrules" --simple $n_rules conf
	echo 'routing-options { autonomous-system 65010; router-id 10.3.0.1; }'
	echo 'interfaces { in0 { role untrust; mode native; } }'
} >"$RUN/conf"
"$tools/genrules" --simple $n_rules packets >"$RUN/packets"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
wait_for 20 active || fail "rules: $(fg show route table inetflow.0)"
program=$(gate_id) link=$(link_id)

before=$(verdicts)
receive_start --interval 50 || fail 'receiver'
spawn src "$RUN/sent" "$tools/fgsend" --dev s0 --to "$gw_mac" --rate $rate --seconds $seconds \
	"$RUN/packets"
sender=$spawned
check 'traffic crosses the gateway' wait_for 5 more_than 1000
counted_before=$(counted)
stop "$daemon" KILL
check_equal 'killed: the program stays attached' "$program" "$(gate_id)"
check 'killed: traffic goes on' wait_for 5 more_than $(($(arrived) + rate / 4))
daemon_spawn "$RUN/conf"
check 'restarted: it answers' wait_for 20 fg show bgp summary
check 'restarted: the rules are active' wait_for 20 active
check_equal 'restarted: the same link' "$link" "$(link_id)"
check 'restarted: the counters went on' test "$(counted)" -gt "$counted_before"
check 'restarted: traffic goes on' wait_for 5 more_than $(($(arrived) + rate / 10))
check 'it was all under traffic' kill -0 "$sender"
wait "$sender"
receive_stop
check_equal 'not one packet of a discarded class passed' 0 "$(received hit)"
sent=$(cat "$RUN/sent")
balance "$before"
check 'not one packet of the other class was dropped' others_passed
check 'the receiver was not idle' test "$(received miss)" -gt $((rate * seconds / 4))
check 'each discard is counted, and no other packet' hits_discarded
finish
