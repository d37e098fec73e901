# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Clean-up for scripts: `at_exit FUNCTION` runs it on every way out, last first; and wait_for.

[ -z "${fg_at_exit+set}" ] || return 0
fg_at_exit=()

at_exit() { fg_at_exit=("$1" "${fg_at_exit[@]}"); }

# The functions find the script's exit status in fg_status and may change it.
fg_on_exit() {
	fg_status=$?
	local job
	trap - EXIT
	trap '' HUP INT PIPE TERM # a second Ctrl-C must not stop the clean-up
	for job in "${fg_at_exit[@]}"; do "$job"; done
	exit "$fg_status"
}
trap fg_on_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# wait_for SECONDS COMMAND...: repeats the command until it succeeds, fails after the deadline.
wait_for() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $deadline ] || { echo "# not within the time: $*" && return 1; }
		sleep 0.05
	done
}
