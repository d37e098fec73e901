#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the control socket: rubbish, floods and strangers are refused, and the daemon goes on answering.
# needs: root ip nsenter setpriv
# timeout: 90

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

say() { "$tools/ctlsend" "$RUN/control.sock"; }
# answers PATTERN: the answer to stdin holds it.
answers() {
	local out
	out=$(say | head -c 2000)
	grep -q -- "$1" <<<"$out" && return
	echo "$out"
	return 1
}
alive() { fg show version && kill -0 "$daemon"; }
sockets() { find "/proc/$daemon/fd" -lname 'socket:*' | wc -l; }
sockets_above() { [ "$(sockets)" -gt "$1" ]; }
sockets_below() { [ "$(sockets)" -lt "$1" ]; }

rubbish() {
	check 'not JSON' answers 'not JSON' <<<'show version'
	check 'no object' answers 'a JSON object' <<<'[1,2]'
	check 'an unknown request' answers 'unknown request .reboot' <<<'{"request":"reboot"}'
	check 'a field that is none' answers 'has no field .x' <<<'{"request":"status","x":1}'
	check 'a path for an interface' answers 'bad value of .interface' \
		<<<'{"request":"attach","interface":"../x"}'
	check 'deep nesting' answers 'not JSON' < <(head -c 100000 /dev/zero | tr '\0' '[' && echo)
	check 'NUL octets' answers 'not JSON' < <(printf '{"request":"sta\0tus"}\n')
	check 'noise' answers 'not JSON' < <(head -c 200000 /dev/urandom && echo)
	check 'a line without an end: 17 MiB of it' answers 'longer than' < <(head -c 17825792 /dev/zero | tr '\0' ' ')
	check_equal 'half a request and no more: no answer' '' "$(printf '{"request":' | say)"
	check_equal 'two requests, two answers' 2 "$(printf '{"request":"status"}\n{"request":"version"}\n' | say | wc -l)"
	check 'the daemon is well' alive
}

# More connections than are served: later ones are closed, none stays open. The clients read from a pipe that stays
# open as long as this script has it.
flood() {
	local pids=() before
	before=$(sockets)
	mkfifo "$RUN/quiet" && exec 9<>"$RUN/quiet"
	for _ in $(seq 60); do
		"$tools/ctlsend" "$RUN/control.sock" <"$RUN/quiet" >/dev/null 2>&1 9>&- &
		pids+=($!)
	done
	check 'sixty idle clients: some are served' wait_for 5 sockets_above $((before + 25))
	check 'but no more than the limit' sockets_below $((before + 34))
	check 'a further one is closed without an answer' refused_now
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	exec 9>&-
	check 'once they are gone: it answers' wait_for 5 alive
	check 'and has closed them' wait_for 5 sockets_below $((before + 2))
}
refused_now() { [ -z "$(echo '{"request":"version"}' | say)" ]; }

strangers() {
	chmod 755 "$RUN"
	check_not 'another user cannot connect' setpriv --reuid 65534 --clear-groups --regid 65534 \
		"$tools/ctlsend" "$RUN/control.sock" <<<'{"request":"version"}'
	chmod 666 "$RUN/control.sock"
	check_equal 'nor speak when the file mode lets him' '' "$(setpriv --reuid 65534 --clear-groups --regid 65534 \
		"$tools/ctlsend" "$RUN/control.sock" <<<'{"request":"version"}' 2>/dev/null)"
	check 'root can' answers '"version"' <<<'{"request":"version"}'
}

gateway_topology 1 || fail 'topology'
gateway_config 'passive;' >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
rubbish
flood
strangers
finish
