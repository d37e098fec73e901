#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the Makefile: a second build does nothing, a change rebuilds what depends on it and no more.
# needs: gcc make

. selftests/lib/check.sh
unset MAKEFLAGS MAKELEVEL V

mkdir -p "$TEST_TMP/tree/user"
cp -r Makefile mk include "$TEST_TMP/tree"
cp -r user/util "$TEST_TMP/tree/user"
cd "$TEST_TMP/tree" || fail 'no copy of the tree'

# Prints what is compiled and packed, by name.
built() { make BUILD=out "$@" lib-util 2>&1 | sed -n 's,^  \([A-Z]*\) *out/.*/\([^/]*\)$,\1 \2,p' | sort | tr '\n' ' '; }
# Prints the objects that include a header, as built() would.
users_of() { grep -l "util/$1" out/obj/user/util/*.d | sed 's,.*/\(.*\)\.d,CC \1.o,' | sort | tr '\n' ' '; }

everything=$(printf 'CC %s\n' user/util/*.c | sed 's,user/util/,,; s,c$,o,' | sort | tr '\n' ' ')
check_equal 'the first build compiles every source' "AR libfg-util.a $everything" "$(built)"
check_equal 'the second build does nothing' '' "$(built)"
touch -d '+1 minute' user/util/buf.c
check_equal 'a changed source compiles alone' 'AR libfg-util.a CC buf.o ' "$(built)"
touch user/util/buf.c && built >/dev/null
touch -d '+1 minute' user/util/error.h
users=$(users_of error.h)
check 'some sources include the header of the next case, not all' test -n "$users" -a "$users" != "$everything"
check_equal 'a changed header compiles its users alone' "AR libfg-util.a $users" "$(built)"
touch user/util/error.h && built >/dev/null
check_equal 'another flag compiles everything' "AR libfg-util.a $everything" "$(built CFLAGS=-O0)"
check_equal 'the same flag again does nothing' '' "$(built CFLAGS=-O0)"
rm user/util/json.c
check_equal 'a removed source packs the archive anew' 'AR libfg-util.a ' "$(built CFLAGS=-O0)"
check_not 'a removed source is out of the archive' grep -q json.o <(ar t out/lib/libfg-util.a)
check 'an error of the compiler fails the build' bash -c 'echo broken >user/util/buf.c && ! make BUILD=out lib-util'
check 'clean leaves nothing' bash -c 'make BUILD=out clean && [ ! -e out ]'
finish
