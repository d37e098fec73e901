#!/bin/bash
# SPDX-License-Identifier: MIT
# The rules of CONTRIBUTING.md that no other tool checks: head of file, length, names.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

bad=0
complain() { echo "$1" && bad=1; }

# The first two lines (after #! in scripts): licence, then one sentence that says what the file is for.
check_head() {
	local file=$1 licence=$2 head
	head=$(sed -n '/^#!/d; /^# shellcheck/d; p; 4q' "$file")
	grep -qF "SPDX-License-Identifier: $licence" <<<"$(head -n 1 <<<"$head")" ||
		complain "$file:1: no 'SPDX-License-Identifier: $licence'"
	[[ $(sed -n 2p <<<"$head") =~ ^(/\*|\ \*|//|\#)\ .+ || $(sed -n 3p <<<"$head") =~ ^\ \*\ .+ ]] ||
		complain "$file:2: no sentence that says what the file is for"
}

check_length() {
	local lines
	lines=$(wc -l <"$1")
	[ "$lines" -le "$2" ] || complain "$1: $lines lines, more than $2"
}

# Prints file:line of every line of C code that matches, comments and strings taken out.
grep_code() {
	local pattern=$1
	shift
	awk -v pattern="$pattern" '{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line); gsub(/\/\*.*\*\//, "", line); sub(/\/\/.*/, "", line)
		if (line !~ /^ *\*/ && line ~ pattern) print FILENAME ":" FNR ": " $0
	}' "$@"
}

forbid() { # why, pattern, files...
	local why=$1 found
	shift
	found=$(grep_code "$@")
	[ -z "$found" ] || complain "$found"$'\n'"    $why"
}

mapfile -t product < <(find include bpf user -name '*.[ch]' | sort)
mapfile -t user < <(find user -name '*.[ch]' | sort)
mapfile -t library < <(find user/util user/flowspec user/compile user/conf user/dp -name '*.c' ! -name log.c | sort)
mapfile -t tests < <(find selftests -name '*.[ch]' | sort)
mapfile -t oracle < <(find selftests/oracle -name '*.[ch]' | sort)
mapfile -t scripts < <(find selftests deploy .ci -name '*.sh' -o -path selftests/run -o -path selftests/lint/run -o -path .ci/run | sort)

for file in "${product[@]}"; do
	case $file in
	user/*) check_head "$file" MIT ;;
	*) check_head "$file" '(MIT OR GPL-2.0-only)' ;;
	esac
done
for file in "${tests[@]}" "${scripts[@]}" Makefile mk/*.mk; do check_head "$file" MIT; done
for file in "${product[@]}" "${tests[@]}"; do
	case $file in
	*.h) check_length "$file" 300 ;;
	*) check_length "$file" 600 ;;
	esac
done

forbid 'user space uses uint8_t, the ABI __u8' '(^|[^_[:alnum:]])[us](8|16|32|64)([^_[:alnum:]]|$)' "${product[@]}"
forbid 'no unbounded string function' '(^|[^_[:alnum:]])(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol)\(' "${product[@]}"
forbid 'the product runs no shell' '(^|[^_[:alnum:]])(system|popen)\(' "${product[@]}"
forbid 'library code does not log: it fills struct fg_error' '(^|[^_[:alnum:]])(fg_log[_a-z]*|fprintf|printf|perror)\(' "${library[@]}"
forbid 'nothing sleeps to synchronise: wait on a condition' '(^|[^_[:alnum:]])(u|nano)?sleep\(' "${user[@]}" "${tests[@]}"
forbid 'the oracle shares no code with the product' '#include [<"](fltgate|util|flowspec|compile|dp|bgp|conf)/' "${oracle[@]}"

marks=$(grep -nE '\<(TODO|FIXME|XXX|HACK)\>' "${product[@]}" "${tests[@]}")
[ -z "$marks" ] || complain "$marks"$'\n    an unfinished thing is an issue, not a comment'

exit $bad
