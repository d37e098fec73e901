#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the helpers of the netns tests: two namespaces reach each other, and nothing stays behind.
# needs: root ip nsenter

# a (10.9.0.1, fd00:9::1) --- veth --- b (10.9.0.2, fd00:9::2)

. selftests/lib/netns.sh

inner() {
	bash -c '. selftests/lib/netns.sh
		need_bpffs && own_pins /sys/fs/bpf/fg$$-probe && mkdir /sys/fs/bpf/fg$$-probe
		new_ns x && spawn x /dev/null sleep 300 && echo "$$ $spawned" >"$TEST_TMP/inner"
		'"$1"
}

# $1: how the inner script ends.
leaves_nothing() {
	local script pid
	inner "$1" >/dev/null
	read -r script pid <"$TEST_TMP/inner"
	[ -n "$pid" ] && [ ! -e "/run/netns/fg$script-x" ] && [ ! -e "/sys/fs/bpf/fg$script-probe" ] &&
		! kill -0 "$pid" 2>/dev/null
}

new_ns a b
veth a one b two
addr a one 10.9.0.1/24 fd00:9::1/64
addr b two 10.9.0.2/24 fd00:9::2/64
for end in "a one b two 2" "b two a one 1"; do
	read -r ns dev other peer host <<<"$end"
	neigh "$ns" "$dev" "10.9.0.$host" "$other" "$peer"
	neigh "$ns" "$dev" "fd00:9::$host" "$other" "$peer"
done
check 'the link comes up' wait_for 5 link_up a one
check 'a address of b is permanent' grep -q PERMANENT <(in_ns a ip neigh show dev one)
check_equal 'MAC addresses are the announced ones' 02:fc:00:00:01:0b "$(mac_of b two)"
for address in 10.9.0.2 fd00:9::2; do
	spawn a "$TEST_TMP/tcp.log" timeout 20 bash -c "exec 3<>/dev/tcp/$address/9" # refused: nobody listens
	check "b answers a at $address" wait_for 5 grep -q refused "$TEST_TMP/tcp.log"
done
check_not 'a has no route elsewhere' in_ns a bash -c 'exec 3<>/dev/tcp/192.0.2.1/9'
check 'a finished script leaves nothing' leaves_nothing finish
check 'a failed script leaves nothing' leaves_nothing 'fail "on purpose"'
# shellcheck disable=SC2016 # $$ is the inner one's
check 'a terminated script leaves nothing' leaves_nothing 'kill -TERM $$; sleep 60'
finish
