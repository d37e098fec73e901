#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the demo leaves nothing behind: finished, interrupted at any step by any signal, or failed.
# needs: root ip nsenter gobgpd gobgp setsid ps pgrep
# timeout: 240

. selftests/lib/check.sh

export DEMO_SIMPLE=60 DEMO_COMPLEX=12 DEMO_SECONDS=3
mkdir "$TEST_TMP/tmp"

# Background commands ignore SIGINT, and a shell cannot undo that: env can.
demo_start() {
	TMPDIR=$TEST_TMP/tmp setsid env --default-signal=INT,TERM,HUP deploy/demo.sh \
		>"$TEST_TMP/out" 2>&1 &
	demo=$!
	at_exit demo_kill
	wait_for 5 worker_found
}
worker_found() { worker=$(pgrep -P "$demo") && [ -n "$worker" ]; }
demo_kill() { kill -TERM "$demo" 2>/dev/null; }

# Waits for it; its exit status in $status.
demo_wait() {
	wait "$demo"
	status=$?
}

# What is left of the demo, one line each. Its namespaces and pins have the worker's pid in their names, its processes
# are in its session or work in its folder.
remains() {
	compgen -G "/run/netns/fg$worker-*"
	compgen -G "/sys/fs/bpf/fltgate/v1/fg$worker*"
	ps -o pid=,args= -s "$demo"
	grep -slF "$TEST_TMP/tmp" /proc/[0-9]*/cmdline
	find "$TEST_TMP/tmp" -mindepth 1
}
nothing_remains() {
	local rest
	rest=$(remains)
	[ -z "$rest" ] || { echo "$rest" && return 1; }
}

# interrupted SIGNAL TEXT: at the line that contains the text.
interrupted() {
	demo_start
	wait_for 60 grep -q "$2" "$TEST_TMP/out" || cat "$TEST_TMP/out"
	kill "-$1" "$demo"
	demo_wait
	check_not "SIG$1 at '$2': it does not succeed" test "$status" -eq 0
	check_not "SIG$1 at '$2': it stops there" grep -q 'all as claimed' "$TEST_TMP/out"
	check "SIG$1 at '$2': nothing is left" nothing_remains
}

# The daemon dies under it.
failed() {
	demo_start
	wait_for 60 grep -q 'traffic, no rules' "$TEST_TMP/out"
	pid_of_daemon | xargs -r kill -KILL
	demo_wait
	check_not 'daemon dead: it does not succeed' test "$status" -eq 0
	check 'daemon dead: nothing is left' nothing_remains
}
pid_of_daemon() { ps -o pid=,args= -s "$demo" | sed -n 's/^ *\([0-9]*\) [^ ]*fltgated -f.*/\1/p'; }

demo_start
demo_wait
check_equal 'a whole run succeeds' 0 "$status" || sed 's/^/# /' "$TEST_TMP/out"
check 'a whole run says so' grep -q 'all as claimed' "$TEST_TMP/out"
check 'a whole run: nothing is left' nothing_remains
interrupted INT 'builds the network'
interrupted TERM 'gives gobgpd'
interrupted HUP 'rules given'
interrupted INT 'peers with gobgpd'
interrupted TERM 'packets a second'
interrupted INT 'withdraws'
failed
finish
