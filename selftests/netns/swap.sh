#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that 10,000 rules are exchanged under load without one packet judged by half a table (case D5).
# needs: root ip nsenter
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

n_rules=10000
rate=${SWAP_RATE:-50000}

cat >"$RUN/packets" <<-'END'
	hit 0 proto=udp src=198.18.0.1 dst=203.0.113.9 sport=1000 dport=53 len=100
	miss 0 proto=udp src=198.18.0.1 dst=203.0.113.9 sport=1000 dport=54 len=100
END

# config SEED: rules of their own, and one that all sets have.
config() {
	"$tools/genrules" --seed "$1" --simple $((n_rules - 1)) conf
	cat <<-'END'
		routing-options {
		    autonomous-system 65010; router-id 10.3.0.1;
		    flow {
		        route common { match { destination 203.0.113.9/32; protocol udp; destination-port 53; } then { discard; } }
		    }
		}
		interfaces { in0 { role untrust; mode native; } }
	END
}
active() { fg show route table inetflow.0 | grep -q "($n_rules active, 0 holddown"; }
running() { kill -0 "$sender"; }

gateway_topology 2 || fail 'topology'
for seed in 1 2; do config $seed >"$RUN/conf$seed"; done
daemon_start "$RUN/conf1" || fail "daemon: $(cat "$RUN/fltgated.log")"
wait_for 30 active || fail "rules: $(fg show route table inetflow.0 | head -n 3)"

before=$(verdicts)
receive_start --interval 0 || fail 'receiver'
spawn src "$RUN/sent" "$tools/fgsend" --dev s0 --to "$gw_mac" --rate "$rate" "$RUN/packets"
sender=$spawned
for seed in 2 1 2; do
	check "set $seed loads" fg load "$RUN/conf$seed"
	check "set $seed is active" wait_for 30 active
done
check 'it was all under traffic' running
stop "$sender"
receive_stop
check_equal 'dropped by all sets: none passed' 0 "$(received hit)"
sent=$(cat "$RUN/sent")
balance "$before"
check 'passed by all sets: none dropped' others_passed
check 'it was a load' test "$(received miss)" -gt $((rate / 5))
check 'the gate dropped nothing for want of resources' \
	grep -q 'Resource errors: 0' <(fg show interfaces in0 extensive)
finish
