#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the daemon's life: what it refuses to start with, its unprivileged process, stopping, adopting, leaving nothing.
# needs: root ip nsenter bpftool
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

fgd() {
	in_ns gw "$BUILD/fltgated" -c "$RUN/conf" --instance "$gw_instance" --socket "$RUN/control.sock" \
		--state-dir "$RUN/state" "$@"
}

# refused STATUS PATTERN COMMAND...: the command exits so, and says so.
refused() {
	local out status
	out=$("${@:3}" 2>&1)
	status=$?
	[ $status -eq "$1" ] && grep -Eq -- "$2" <<<"$out" && return
	printf 'status %s\n%s\n' "$status" "$out"
	return 1
}

program_on() { in_ns gw ip link show dev "$1" | sed -n 's,.*prog/xdp id \([0-9]*\).*,\1,p'; }
has_program() { [ -n "$(program_on "$1")" ]; }
child() { fg -j show version | number bgp_pid; }
field() { awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"; }
new_child() { [ "$(child)" -gt 0 ] && [ "$(child)" != "$1" ]; }
in_its_root() { ls -A "/proc/$1/root/"; }
descriptors() { find "/proc/$1/fd" -mindepth 1 -printf '%f %l\n' | sort | sed 's/:.*//' | tr '\n' ' '; }

refusals() {
	check 'not started by systemd: told so' refused 2 'try: .*fltgated -f' fgd
	check 'an unknown option' refused 2 'unrecognized option' fgd --frobnicate
	check 'a bad instance name' refused 2 'bad instance name' fgd -f --instance a/b
	check 'a bad log level' refused 2 'unknown log level' fgd -f --log-level loud
	check '-n: a good configuration' refused 0 '' fgd -n
	echo 'routing-options { autonomous-sytem 1; }' >"$RUN/bad"
	check '-n: a bad one, by place and with the nearest word' \
		refused 2 "$RUN/bad:1:19: .*autonomous-system" fgd -n -c "$RUN/bad"
	check 'started with a bad one' refused 2 "$RUN/bad:1:19: " fgd -f -c "$RUN/bad"
	check 'no such file' refused 2 "$RUN/none" fgd -f -c "$RUN/none"
	check 'without a daemon: exit 5 and what to do' refused 5 'try: systemctl start fltgated' fg status
}

# The process that reads BGP bytes: no capability, no files, no way back.
privileges() {
	local pid parent=$daemon
	wait_for 10 new_child 0 || fail "bgp process: $(cat "$RUN/fltgated.log")"
	pid=$(child)
	for set in CapInh CapPrm CapEff CapBnd CapAmb; do
		check_equal "bgp process: $set is empty" 0000000000000000 "$(field "$pid" "$set")"
	done
	check_equal 'bgp process: no new privileges' 1 "$(field "$pid" NoNewPrivs)"
	check_equal 'bgp process: system calls are filtered' 2 "$(field "$pid" Seccomp)"
	check_not 'bgp process: not root' test "$(field "$pid" Uid)" -eq 0
	check_not 'bgp process: not in the group of root' test "$(field "$pid" Gid)" -eq 0
	check_equal 'bgp process: no further groups' '' "$(field "$pid" Groups)"
	check_not 'bgp process: its root is not the root' test "/proc/$pid/root/" -ef /
	check_equal 'bgp process: its root is empty' '' "$(in_its_root "$pid")"
	check 'bgp process: nothing open but the link and its epoll' \
		grep -Eq '^0 /dev/null 1 /dev/null 2 /dev/null 3 socket( [0-9]+ (anon_inode|socket|pipe))* $' \
		<(descriptors "$pid")
	check_equal 'bgp process: no environment' 0 "$(wc -c <"/proc/$pid/environ")"
	# CAP_SYS_ADMIN is bit 21, CAP_DAC_OVERRIDE bit 1, CAP_SYS_MODULE bit 16.
	check_equal 'parent: neither administrator nor above file modes' 0 \
		$((0x$(field "$parent" CapEff) & (1 << 21 | 1 << 1 | 1 << 16)))
}

child_dies() {
	local pid
	pid=$(child)
	kill -KILL "$pid"
	check 'killed bgp process: another one comes' wait_for 10 new_child "$pid"
	check 'killed bgp process: the parent says so' \
		grep -q "bgp process $pid killed by signal 9" "$RUN/fltgated.log"
}

second_daemon() {
	check 'a second daemon on the same socket is refused' \
		refused 1 'another fltgated answers' fgd -f
	check 'the first one is not disturbed' fg show version
}

stopping() {
	local pid program
	pid=$(child) program=$(program_on in0)
	kill -TERM "$daemon"
	wait "$daemon"
	check_equal 'stopped: exit status 0' 0 $?
	check 'stopped: the bgp process is gone, too' fg_gone "$pid"
	check_not 'stopped: the socket is gone' test -e "$RUN/control.sock"
	check_equal 'stopped: the program stays' "$program" "$(program_on in0)"
	check 'stopped: the rules are in the state file' grep -q '^end' "$RUN/state/$gw_instance/rules.state"
	daemon_spawn "$RUN/conf"
	check 'started again: answers' wait_for 20 fg show version
	check 'started again: adopted' grep -q 'datapath adopted' "$RUN/fltgated.log"
	check 'started again: its rules are installed' refused 0 '1 of 1 rules installed' fg status
}

# Killed before it could tell: the slot of a rule that is no more is free again.
slots_used() { bpftool -j map dump pinned "$(find "$gw_pins" -name rule_ids)" | grep -o '"id":[1-9]' | wc -l; }
slots_reclaimed() {
	check_equal 'one rule, one counter slot' 1 "$(slots_used)"
	stop "$daemon" KILL
	sed -i 's/destination-port 53/destination-port 5353/' "$RUN/conf"
	daemon_spawn "$RUN/conf"
	check 'killed, another rule: answers' wait_for 20 fg show version
	check 'killed, another rule: it is installed' refused 0 '1 of 1 rules installed' fg status
	check_equal 'killed, another rule: still one counter slot' 1 "$(slots_used)"
}

leaving() {
	stop "$daemon"
	check 'detach --all works without a daemon' fg detach --all
	check_not 'nothing is attached' has_program in0
	check_not 'nothing is pinned' test -e "$gw_pins"
	check 'once more is no error' fg detach --all
}

gateway_topology 1 || fail 'topology'
{
	gateway_config 'passive;'
	echo 'routing-options { flow { route r { match { protocol udp; destination-port 53; } then { discard; } } } }'
} >"$RUN/conf"
refusals
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
check 'the interface is filtered' wait_for 5 has_program in0
privileges
child_dies
second_daemon
stopping
slots_reclaimed
leaving
finish
