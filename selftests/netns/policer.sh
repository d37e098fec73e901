#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that a rate limit holds on one CPU and on several, by packets and by bytes (case B5).
# needs: root ip nsenter bpftool
# timeout: 90

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

seconds=5
burst_percent=5 # FG_BURST_NS: 50 ms

# 1: 1000 packets/s. 2: 8 Mbit/s of IP, that is 2000 packets of 500 octets a second.
for i in 1 2; do
	echo "hit $i proto=udp src=198.18.0.1 dst=203.0.113.$i sport=1 dport=2 len=500" >"$RUN/packets$i"
done
cat >"$RUN/conf" <<-'END'
	routing-options {
	    autonomous-system 65010; router-id 10.3.0.1;
	    flow {
	        route packets { match { destination 203.0.113.1/32; } then { rate-limit-packets 1000; } }
	        route bytes { match { destination 203.0.113.2/32; } then { rate-limit 8m; } }
	    }
	}
	interfaces { in0 { role untrust; mode native; } }
END
rules_active() { fg show route table inetflow.0 | grep -q '(2 active'; }

# within RATE SECONDS PASSED: RATE * SECONDS, 2 % more or less, and one burst.
within() {
	awk -v rate="$1" -v seconds="$2" -v passed="$3" -v burst=$burst_percent 'BEGIN {
		low = rate * seconds * 0.98; high = rate * seconds * 1.02 + rate * burst / 100 + 1
		printf "%d passed in %.3f s, allowed %d to %d\n", passed, seconds, low, high
		exit !(passed >= low && passed <= high) }'
}

# limited TEXT LIST RATE CPUS: every CPU of the list sends ten times the rate, for some seconds.
limited() {
	local text=$1 list=$2 rate=$3 cpu senders=() longest=0 took
	receive_start --interval 0 || return 1
	for cpu in $4; do
		spawn src "$RUN/sent$cpu" "$tools/fgsend" --dev s0 --to "$gw_mac" --cpu "$cpu" \
			--rate $((rate * 10)) --seconds $seconds "$list"
		senders+=("$spawned")
	done
	wait "${senders[@]}"
	receive_stop
	for cpu in $4; do
		took=$(number seconds <"$RUN/sent$cpu")
		longest=$(printf '%s\n%s\n' "$longest" "$took" | sort -n | tail -n 1)
		check "$text: CPU $cpu sent its share" \
			test "$(number sent <"$RUN/sent$cpu")" -ge $((rate * seconds * 9))
	done
	check "$text: the rate is kept" within "$rate" "$longest" "$(received hit)"
}

# After a pause one burst passes at once and no more: what is sent in 4 ms.
gap() {
	crossing "$RUN/packets1" --count 400 --rate 100000
	check 'after a pause: one burst' within 1000 "$(number seconds <<<"$sent")" "$(received hit)"
	check 'after a pause: a whole burst' test "$(received hit)" -ge $((1000 * burst_percent / 100))
}

cpus=$(seq -s ' ' 0 $(($(nproc) > 4 ? 3 : $(nproc) - 1)))
gateway_topology 4 || fail 'topology'
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
wait_for 10 rules_active || fail "rules: $(fg show route table inetflow.0)"
limited '1000 packets/s, one CPU' "$RUN/packets1" 1000 0
limited "1000 packets/s, CPUs $cpus" "$RUN/packets1" 1000 "$cpus"
limited '8 Mbit/s, one CPU' "$RUN/packets2" 2000 0
limited "8 Mbit/s, CPUs $cpus" "$RUN/packets2" 2000 "$cpus"
gap
finish
