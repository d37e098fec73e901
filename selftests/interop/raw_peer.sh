#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that a peer which sends malformed rules loses those rules and nothing else, and that no octet of it ends the daemon.
# needs: root ip nsenter
# timeout: 90

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

cat >"$RUN/packets" <<-'END'
	hit 0 proto=udp src=192.0.2.1 dst=203.0.113.1 sport=1 dport=53 len=100
	miss 0 proto=udp src=192.0.2.1 dst=203.0.113.2 sport=1 dport=53 len=100
END

# ---- BGP by hand: hexadecimal text ---------------------------------------------------------------

octets() { echo $((${#1} / 2)); }
message() { # TYPE BODY
	printf 'ffffffffffffffffffffffffffffffff%04x%s%s' $((19 + $(octets "$2"))) "$1" "$2"
}
open() { # AS 65000, hold time 90, IPv4 and IPv6 FlowSpec, four-octet AS
	message 01 04fde8005a0a030002140212010400010085010400020085410400"00fde8"
}
keepalive() { message 04 ''; }
# One IPv4 rule to discard. FIELD: NLRI with its length; NEXT_HOP: with its length octet.
update() { # FIELD [NEXT_HOP]
	local next=${2:-00} reach attributes
	reach=000185${next}00$1
	attributes=40010100 # ORIGIN
	attributes+=4002060201"0000fde8"
	attributes+=c010088006000000000000
	attributes+=$(printf '800e%02x%s' "$(octets "$reach")" "$reach")
	message 02 "$(printf '0000%04x%s' "$(octets "$attributes")" "$attributes")"
}

# Connects and sends what comes down the pipe; ends when the pipe or the connection does.
connect() {
	rm -f "$RUN/pipe"
	mkfifo "$RUN/pipe"
	# shellcheck disable=SC2016 # the inner shell's own
	nsenter --net="$(ns_path ctl)" bash -c 'exec 3<>/dev/tcp/10.3.0.1/179 || exit 1
		while read -r line; do printf "$(sed "s/../\\\\x&/g" <<<"$line")" >&3; done' <"$RUN/pipe" &
	fg_pids+=($!)
	exec 4>"$RUN/pipe"
	hex "$(open)"
	hex "$(keepalive)"
}
hex() { echo "$1" >&4; }

established() { fg show bgp summary | grep -q Establ; }
active() { fg show route table inetflow.0 | grep -q "($1 active"; }
malformed() { [ "$(fg -j show bgp summary | number malformed)" = "$1" ]; }
passed() { # HITS MISSES
	crossing "$RUN/packets" --count 40 --rate 10000
	[ "$(received hit),$(received miss)" = "$1,$2" ]
}

gateway_topology 1 || fail 'topology'
gateway_config 'passive;' >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
connect
check 'the session comes up' wait_for 10 established
hex "$(update 060120cb007101)"
check 'a rule is active' wait_for 5 active 1
check 'it drops' passed 0 20
hex "$(update 060121cb007102)"
check 'prefix length 33: counted as malformed' wait_for 5 malformed 1
hex "$(update 0301200a)"
check 'prefix cut short: counted' wait_for 5 malformed 2
hex "$(update 0303017f)"
check 'a list without end: counted' wait_for 5 malformed 3
check 'the session stays' established
check 'the first rule stays' active 1
hex "$(update 060120cb007102 040a030002)"
check 'a good rule after them is active' wait_for 5 active 2
check 'both drop' passed 0 0
hex "$(update ef0120)"
check 'framing lost: the session ends' wait_for 5 fg_not established
check 'the rules filter on' passed 0 0
exec 4>&-
marker=ffffffffffffffffffffffffffffffff
for noise in 00000000000000000000000000000000001304 ${marker}000001 ${marker}001299 ${marker}ffff02 \
	"$(message 02 ffffffff)" "$(message 02 "0000000480")" "$(message 99 '')"; do
	connect
	wait_for 10 established || fail "no session before noise $noise"
	hex "$noise"
	check "noise $noise: the session ends" wait_for 5 fg_not established
	exec 4>&-
done
check 'after noise: the daemon answers' fg show bgp summary
connect
check 'after noise: the session comes up again' wait_for 30 established
check 'after noise: the rules filter on' passed 0 0
check 'the daemon is the one that was started' kill -0 "$daemon"
finish
