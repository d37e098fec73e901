#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the bash completion against the built command.

. selftests/lib/check.sh
PATH=$BUILD:$PATH
. deploy/completion/fltgate

# Prints what is offered for the last of the words.
offered() {
	COMP_WORDS=(fltgate "$@") COMP_CWORD=$#
	_fltgate
	echo "${COMPREPLY[*]}"
}

check 'the first word is a command' grep -qw attach <(offered '')
check_equal 'a beginning is completed' 'inet6flow.0 inetflow.0' "$(offered show route table inet)"
check_equal 'abbreviations before it are understood' 'summary' "$(offered sh b '')"
check_equal 'what follows an argument' 'detail extensive' "$(offered show route table inetflow.0 '')"
check_equal 'interfaces by name' lo "$(offered attach lo)"
check_equal 'options' --json "$(offered --j)"
check_equal 'nothing behind nonsense' '' "$(offered nonsense '')"
finish
