#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests selftests/run itself: what must count as passed, failed and skipped, and its exit status.

set -u
. selftests/lib/check.sh

# Writes a test script with the given body and prints its path.
script() {
	printf '#!/bin/bash\n%s\n' "$2" >"$TEST_TMP/$1.sh"
	chmod +x "$TEST_TMP/$1.sh"
	echo "$TEST_TMP/$1.sh"
}

# $1 expected exit status, $2 expected last line, $3 the body of the test.
judged() {
	local file out status
	file=$(script inner "$3")
	out=$(BUILD=$TEST_TMP/build selftests/run "$file" 2>&1)
	status=$?
	[ "$status" -eq "$1" ] && [ "$(tail -n 1 <<<"$out")" = "$2" ] && return
	echo "exit status $status, output:"
	echo "$out"
	return 1
}

check 'a script that exits 0 passes' judged 0 '1 passed, 0 failed, 0 skipped' 'exit 0'
check 'a script that exits 1 fails' judged 1 '0 passed, 1 failed, 0 skipped' 'exit 1'
check 'TAP cases are counted' judged 0 '2 passed, 0 failed, 0 skipped' 'echo 1..2; echo ok 1 - a; echo ok 2 - b'
check 'a failed TAP case fails' judged 1 '1 passed, 1 failed, 0 skipped' 'echo 1..2; echo ok 1; echo not ok 2; exit 1'
check 'a failed TAP case fails in spite of exit 0' judged 1 '1 passed, 1 failed, 0 skipped' 'echo 1..2; echo ok 1; echo not ok 2'
check 'a crash after good cases fails' judged 1 '2 passed, 1 failed, 0 skipped' 'echo 1..2; echo ok 1; echo ok 2; kill -SEGV $$'
check 'fewer cases than planned fail' judged 1 '1 passed, 1 failed, 0 skipped' 'echo 1..2; echo ok 1'
check 'more cases than planned fail' judged 1 '2 passed, 1 failed, 0 skipped' 'echo 1..1; echo ok 1; echo ok 2'
check 'bail out fails' judged 1 '1 passed, 1 failed, 0 skipped' 'echo 1..1; echo ok 1; echo "Bail out! no"'
check 'a skipped TAP case is skipped' judged 0 '1 passed, 0 failed, 1 skipped' 'echo 1..2; echo ok 1; echo "ok 2 # SKIP no NIC"'
check 'a skipped cmocka case is skipped' judged 0 '1 passed, 0 failed, 1 skipped' 'echo 1..2; echo ok 1; echo "not ok 2 # SKIP t"'
check 'a run of nothing but skips is not a pass' judged 1 '0 passed, 0 failed, 1 skipped' 'echo SKIP: no NIC; exit 77'
check 'a timeout fails' judged 1 '0 passed, 1 failed, 0 skipped' '# timeout: 1
sleep 60'
check 'an unmet need skips' judged 1 '0 passed, 0 failed, 1 skipped' '# needs: no-such-command
exit 0'

reason_shown() { BUILD=$TEST_TMP/build selftests/run "$(script why 'echo SKIP: no NIC; exit 77')" | grep -q '^skipped: .*: no NIC$'; }
check 'the reason of a skip is printed' reason_shown

tail_shown() { BUILD=$TEST_TMP/build selftests/run "$(script noisy 'echo the cause; exit 3')" | grep -q '^    | the cause$'; }
check 'the log of a failed test is shown' tail_shown

unknown_refused() { ! BUILD=$TEST_TMP/build selftests/run no/such/test 2>/dev/null; }
check 'an unknown name is an error' unknown_refused

finish
