# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# TAP for test scripts: check, check_not, check_equal, skip_case, skip, fail, finish; to be sourced.
#
# A script that ends without `finish` fails: the exit function sees to it.

[ -z "${fg_cases+set}" ] || return 0
# shellcheck source=cleanup.sh
. "$(dirname "${BASH_SOURCE[0]}")/cleanup.sh"

fg_cases=0 fg_bad=0 fg_finished=0

fg_unfinished() {
	[ "$fg_finished" -eq 0 ] || return 0
	[ "$fg_status" -ne 0 ] || fg_status=1
	echo "Bail out! the script ended before finish (status $fg_status)"
}
at_exit fg_unfinished

fg_case() { # "ok"/"not ok", description
	fg_cases=$((fg_cases + 1))
	[ "$1" = ok ] || fg_bad=$((fg_bad + 1))
	echo "$1 $fg_cases - $2"
}

# check DESCRIPTION COMMAND...: one TAP case; the output of a failing command becomes its diagnosis.
check() {
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then fg_case ok "$text"; else
		fg_case 'not ok' "$text"
		printf '# %s\n' "failed: $*"
		# shellcheck disable=SC2001 # every line, not only the first
		[ -z "$out" ] || sed 's/^/# /' <<<"$out"
		return 1
	fi
}

# check_not DESCRIPTION COMMAND...: the command must fail.
check_not() {
	local text=$1
	shift
	check "$text" fg_not "$@"
}
fg_not() { ! "$@"; }

# check_equal DESCRIPTION EXPECTED ACTUAL
check_equal() { check "$1" fg_equal "$2" "$3"; }
fg_equal() { [ "$1" = "$2" ] || { printf 'expected: %s\nfound:    %s\n' "$1" "$2" && return 1; }; }

skip_case() { # DESCRIPTION REASON
	fg_cases=$((fg_cases + 1))
	echo "ok $fg_cases - $1 # SKIP $2"
}

# The whole script cannot run here.
skip() {
	fg_finished=1
	echo "SKIP: $*"
	exit 77
}

# Ends the script: something it cannot go on without has failed.
fail() {
	echo "# $*"
	exit 1
}

finish() {
	fg_finished=1
	echo "1..$fg_cases"
	[ "$fg_bad" -eq 0 ]
	exit
}
