#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the capabilities which the systemd unit leaves are enough: the daemon loads, attaches, speaks, restarts.
# needs: root setpriv

. selftests/lib/netns.sh

instance=unit$$
socket=$TEST_TMP/socket
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' deploy/systemd/fltgated.service | tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')

ask() { in_ns gw "$BUILD/fltgate" --instance "$instance" --socket "$socket" "$@"; }
answers() { ask status | grep "$1"; }

start() {
	spawn gw "$TEST_TMP/log" setpriv --bounding-set="-all,$capabilities" --no-new-privs \
		"$BUILD/fltgated" -f -c "$TEST_TMP/fltgate.conf" --instance "$instance" --socket "$socket" --state-dir "$TEST_TMP"
}

cat >"$TEST_TMP/fltgate.conf" <<'CONF'
routing-options {
	autonomous-system 65010;
	router-id 192.0.2.1;
	flow { route discard { match { protocol udp; destination-port 9; } then discard; } }
}
protocols {
	bgp {
		listen-port 179;
		group g { neighbor 127.0.0.2 { peer-as 65000; passive; authentication-key "k"; family inet { flow { no-validate; } } } }
	}
}
interfaces { v0 { role untrust; } }
CONF
chmod 600 "$TEST_TMP/fltgate.conf"

need_bpffs
own_pins "/sys/fs/bpf/fltgate/v1/$instance"
new_ns gw host
veth gw v0 host v1

check 'the unit names capabilities' test -n "$capabilities"
start
check 'the daemon comes up' wait_for 20 answers '^enforced'
check 'the interface is filtered' grep -q native <(ask show interfaces v0)
check 'it listens to port 179' grep -q :179 <(in_ns gw ss -Hltn)
# shellcheck disable=SC2154 # spawn sets it
stop "$spawned"
check 'it stops by itself' grep -q 'the datapath goes on' "$TEST_TMP/log"
start
check 'it takes its datapath over again' wait_for 20 answers '^enforced'
check 'detaching works' ask detach v0
check_not 'after that it is not filtered' grep -q native <(ask show interfaces v0)
finish
