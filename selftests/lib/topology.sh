# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Network namespaces, veth pairs, background processes and pins of a script, all removed when it ends.
#
# Names are unique to the script's process, so scripts run side by side. A script calls a namespace
# by its short name ("gw"); ns_name gives the real one ("fg1234-gw"). Nothing here uses `ip netns
# exec` or `ip -n`: they mount a new /sys in which the pins are not to be seen.

[ -z "${fg_pairs+set}" ] || return 0
# shellcheck source=cleanup.sh
. "$(dirname "${BASH_SOURCE[0]}")/cleanup.sh"

fg_namespaces=() fg_pids=() fg_pins=()

ns_name() { echo "fg$$-$1"; }
ns_path() { echo "/run/netns/fg$$-$1"; }

# new_ns NAME...: creates namespaces with the loopback up.
new_ns() {
	local name
	for name in "$@"; do
		# Noted first: a signal in between must not leave it unknown.
		fg_namespaces+=("$(ns_name "$name")")
		ip netns add "$(ns_name "$name")" || return 1
		in_ns "$name" ip link set lo up || return 1
	done
}

# in_ns NAME COMMAND...: runs the command there, with the host's file systems.
in_ns() {
	local path
	path=$(ns_path "$1")
	shift
	nsenter --net="$path" -- "$@"
}

# veth NS_A DEV_A NS_B DEV_B: a pair between two namespaces, both ends up. The MAC addresses follow
# from the count of pairs, so a test can write them into packets: 02:fc:00:00:NN:0a and :0b.
fg_pairs=0
veth() {
	local mac
	fg_pairs=$((fg_pairs + 1))
	mac=$(printf '02:fc:00:00:%02x' $fg_pairs)
	ip link add "$2" address "$mac:0a" netns "$(ns_name "$1")" type veth \
		peer name "$4" address "$mac:0b" netns "$(ns_name "$3")" || return 1
	in_ns "$1" ip link set "$2" up && in_ns "$3" ip link set "$4" up
}

mac_of() { in_ns "$1" ip -br link show dev "$2" | awk '{ print $3 }'; }

# addr NS DEV ADDRESS/LEN...: IPv6 without duplicate address detection, usable at once.
addr() {
	local ns=$1 dev=$2 address
	shift 2
	for address in "$@"; do
		case $address in
		*:*) in_ns "$ns" ip addr add "$address" dev "$dev" nodad ;;
		*) in_ns "$ns" ip addr add "$address" dev "$dev" ;;
		esac || return 1
	done
}

# neigh NS DEV ADDRESS OTHER_NS OTHER_DEV: a permanent neighbour, so that no test waits for ARP or ND.
neigh() {
	in_ns "$1" ip neigh replace "$3" lladdr "$(mac_of "$4" "$5")" dev "$2" nud permanent
}

# link_up NS DEV: true once the carrier is there; for wait_for.
link_up() { in_ns "$1" ip -br link show dev "$2" up | grep -q LOWER_UP; }

# spawn NS LOG COMMAND...: starts a process in the background with its output in the file LOG; its
# pid is in $spawned. Ended by stop or at exit.
spawn() {
	local path log=$2
	path=$(ns_path "$1")
	shift 2
	nsenter --net="$path" -- "$@" >"$log" 2>&1 </dev/null &
	spawned=$!
	fg_pids+=("$spawned")
}

# stop PID [SIGNAL]: waits until it is gone; SIGKILL after five seconds.
stop() {
	kill "-${2:-TERM}" "$1" 2>/dev/null
	wait_for 5 fg_gone "$1" >/dev/null || kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
# A process that ended but was not waited for is still in /proc, as a zombie.
fg_gone() { ! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null; }

need_bpffs() {
	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
}

# own_pins PATH...: files or folders below /sys/fs/bpf that go when the script ends.
own_pins() { fg_pins+=("$@"); }

fg_clear_topology() {
	local item
	# The shell's own list has those, too, that a signal kept from being noted.
	for item in "${fg_pids[@]}" $(jobs -p); do stop "$item"; done
	for item in "${fg_namespaces[@]}"; do
		[ ! -e "/run/netns/$item" ] || ip netns del "$item"
	done
	for item in "${fg_pins[@]}"; do
		[[ $item == /sys/fs/bpf/?* ]] && rm -rf "$item"
	done
}
at_exit fg_clear_topology
