#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests make install and uninstall: which files go where, that the administrator's configuration stays.
# needs: make scdoc

. selftests/lib/check.sh
unset MAKEFLAGS MAKELEVEL

root=$TEST_TMP/root
run_make() { make BUILD="$BUILD" DESTDIR="$root" PREFIX=/usr "$@"; }
files() { (cd "$root" && find . -type f | sort | sed 's,^\.,,'); }

expected='/etc/fltgate/fltgate.conf
/usr/lib/systemd/system/fltgated.service
/usr/lib/sysusers.d/fltgate.conf
/usr/lib/tmpfiles.d/fltgate.conf
/usr/sbin/fltgate
/usr/sbin/fltgated
/usr/share/bash-completion/completions/fltgate
/usr/share/man/man5/fltgate.conf.5
/usr/share/man/man8/fltgate.8
/usr/share/man/man8/fltgated.8'

check 'install works' run_make install
check_equal 'every file is in its place, and no other' "$expected" "$(files)"
check 'the unit starts the installed daemon' grep -qx 'ExecStart=/usr/sbin/fltgated' "$root/usr/lib/systemd/system/fltgated.service"
check 'the installed command runs' "$root/usr/sbin/fltgate" --version
check 'the installed configuration is valid' "$root/usr/sbin/fltgate" check "$root/etc/fltgate/fltgate.conf"
echo '# mine' >"$root/etc/fltgate/fltgate.conf"
check 'install again works' run_make install
check_equal 'a configuration that is there is kept' '# mine' "$(cat "$root/etc/fltgate/fltgate.conf")"
check 'uninstall works' run_make uninstall
check_equal 'uninstall leaves the configuration alone' '/etc/fltgate/fltgate.conf' "$(files)"
finish
