#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that building, testing, showing or linting fltgate needs; asks nothing.
#
# Usage: deploy/deps.sh [build|test|demo|lint]...   (default: build)
#
# Does nothing, and uses no network, when all is there. No package starts a service: for the time of
# the installation /usr/sbin/policy-rc.d forbids it, and the units of peers installed here for the
# tests are disabled so that the next boot does not start them either.

set -euo pipefail

build=(gcc libc6-dev make clang pkgconf libbpf-dev bpftool libjansson-dev libevent-dev
	libnl-3-dev libnl-route-3-dev libnl-genl-3-dev libcap-ng-dev libseccomp-dev libpcap-dev scdoc)
demo=(gobgpd iproute2 procps)
test=(libcmocka-dev libclang-rt-dev gobgpd exabgp frr bird2 iproute2 procps)
lint=(g++ clang-format clang-tidy cppcheck shellcheck libcmocka-dev)
# Units that packages above would enable.
declare -A peer_units=([gobgpd]=gobgpd.service [exabgp]=exabgp.service [frr]=frr.service [bird2]=bird.service)

policy=/usr/sbin/policy-rc.d
saved=$policy.before-fltgate

say() { echo "deps: $*"; }

installed() {
	# shellcheck disable=SC2016 # the ${...} are dpkg-query's own
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# An administrator's policy is moved aside, not lost; "none" marks that there was none.
forbid_services() {
	if "$policy" fltgate-probe start >/dev/null 2>&1; then :; else
		[ $? -eq 101 ] && return # the machine's own policy forbids it already
	fi
	if [ -e "$policy" ]; then mv "$policy" "$saved"; else echo none >"$saved"; fi
	printf '#!/bin/sh\n# Put here by fltgate deploy/deps.sh while it installs packages.\nexit 101\n' >"$policy"
	chmod 755 "$policy"
}

restore_services() {
	[ -e "$saved" ] || return 0
	if [ "$(head -c 5 "$saved" | tr -d '\0')" = "none" ]; then
		rm -f "$policy" "$saved"
	else
		mv "$saved" "$policy"
	fi
}

disable_peers() {
	local package unit
	for package in "$@"; do
		unit=${peer_units[$package]:-}
		[ -n "$unit" ] || continue
		if command -v systemctl >/dev/null && systemctl --quiet disable "$unit" 2>/dev/null; then :; else
			rm -f /etc/systemd/system/*.wants/"$unit" # all that disabling does, for a system without systemd
		fi
	done
}

lists_empty() { ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }

apt_install() {
	apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" >"$log" 2>&1
}

install_all() {
	if lists_empty; then
		say 'package lists are empty: apt-get update'
		apt-get -qq update
	elif apt_install "$@"; then
		return
	else
		say 'installation failed; once more with fresh package lists'
		apt-get -qq update
	fi
	apt_install "$@" || {
		tail -n 20 "$log" >&2
		return 1
	}
}

groups=("${@:-build}")
wanted=()
for group in "${groups[@]}"; do
	case $group in
	build) wanted+=("${build[@]}") ;;
	test) wanted+=("${build[@]}" "${test[@]}") ;;
	demo) wanted+=("${build[@]}" "${demo[@]}") ;;
	lint) wanted+=("${build[@]}" "${lint[@]}") ;;
	*)
		echo "deps: unknown group '$group'; one of: build test demo lint" >&2
		exit 2
		;;
	esac
done

if ! command -v dpkg-query >/dev/null; then
	say "not a Debian system: these packages are needed: ${wanted[*]}" >&2
	exit 1
fi

missing=()
for package in "${wanted[@]}"; do
	case " ${missing[*]} " in *" $package "*) continue ;; esac
	installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	{
		say "missing packages; as root run:"
		echo "    apt-get install --no-install-recommends ${missing[*]}"
		say "(or deploy/deps.sh ${groups[*]}, which starts no service)"
	} >&2
	exit 1
fi

say "installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
restore_services # what an interrupted run may have left
trap 'restore_services; rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
forbid_services
install_all "${missing[@]}"
disable_peers "${missing[@]}"
say 'done; no service was started'
