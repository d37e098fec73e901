#!/bin/bash
# SPDX-License-Identifier: MIT
# Compiles headers alone: each must include what it uses; those of the ABI also as C++ and as BPF.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

clang=${CLANG:-clang}
host=(gcc -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE= -Iuser -Iinclude -Iselftests -I/usr/include/libnl3)
bad=0

compiles() { # header, compiler...
	local header=$1
	shift
	"$@" -include "$header" - </dev/null || { echo "$header does not compile alone: $*" && bad=1; }
}

# Headers of cmocka tests follow cmocka's own preamble and are left out.
for header in $(find user include selftests -name '*.h' ! -path 'selftests/unit/*' ! -path 'selftests/prog/*' | sort); do
	compiles "$header" "${host[@]}" -x c
done
for header in $(find include -name '*.h' | sort); do
	compiles "$header" g++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -Iinclude -x c++
	compiles "$header" "$clang" -target bpf -fsyntax-only -Wall -Wextra -Werror -Iinclude \
		-idirafter "/usr/include/$(uname -m)-linux-gnu" -x c
done
exit $bad
