#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests attaching: idempotent, foreign programs named and kept, no quiet fallback, jumbo frames (cases D1 D2 D8 D9 D11 D17).
# needs: root ip nsenter bpftool clang
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh

foreign=/sys/fs/bpf/$gw_instance-foreign

# Loads a program that passes everything, named `other`.
load_foreign() {
	clang -target bpf -O2 -c -x c - -o "$RUN/other.o" <<-'END' || return 1
		__attribute__((section("xdp"), used)) int other(void *ctx) { return 2; }
		char _license[] __attribute__((section("license"), used)) = "GPL";
	END
	mkdir -p "$foreign" && bpftool prog load "$RUN/other.o" "$foreign/prog"
}

# The id of the program on an interface, nothing when there is none.
program_on() { in_ns gw ip link show dev "$1" | sed -n 's,.*prog/xdp id \([0-9]*\).*,\1,p'; }
has_program() { [ -n "$(program_on "$1")" ]; }
mode_of() { in_ns gw ip link show dev "$1" | grep -o 'xdp[a-z]*/id\|prog/xdp\|xdpgeneric' | head -n 1; }

# refused STATUS PATTERN COMMAND...: the command exits so, and says so.
refused() {
	local out status
	out=$("${@:3}" 2>&1)
	status=$?
	[ $status -eq "$1" ] && grep -Eq -- "$2" <<<"$out" && return
	printf 'status %s\n%s\n' "$status" "$out"
	return 1
}

idempotence() {
	local first
	check 'attaches' fg attach in0
	first=$(program_on in0)
	check 'attaches again' fg attach in0
	check_equal 'the same program' "$first" "$(program_on in0)"
	check 'attaches to a second interface' fg attach out0
	check_equal 'one program for both' "$first" "$(program_on out0)"
	check 'changes the mode when asked' fg attach out0 mode generic
	check 'it is generic' grep -q xdpgeneric <(in_ns gw ip link show dev out0)
	check 'detaches' fg detach in0
	check_not 'the interface is bare' has_program in0
	check 'a second detach says that nothing was there' refused 1 'in0: our program is not attached' \
		fg detach in0
	check 'detaches all' fg detach --all
	check_not 'the other is bare, too' has_program out0
	check 'an unknown interface: those that exist are named' refused 1 'no interface "eth7".*in0' \
		fg attach eth7
}

by_ip_link() {
	in_ns gw ip link set dev in0 xdp pinned "$gw_pins/gate"
	check 'an attachment by ip link is recognised' fg attach in0
	check_not 'and kept: no link of ours took its place' compgen -G "$gw_pins/links/*"
	check 'and detached' fg detach in0
	check_not 'the interface is bare' has_program in0
}

# Case D1: somebody's program by netlink.
foreign_program() {
	local id
	in_ns gw ip link set dev in0 xdp pinned "$foreign/prog"
	id=$(program_on in0)
	check 'D1: a foreign program is named, with its mode' \
		refused 1 "in0: program id $id \"other\" is attached .native mode" fg attach in0
	check 'D1: and the command that removes it' refused 1 'ip link set dev in0 xdp off' fg attach in0
	check_equal 'D1: it is untouched' "$id" "$(program_on in0)"
	check 'D1: detach does not touch it' refused 1 'our program is not attached' fg detach in0
	check_equal 'D1: it is still there' "$id" "$(program_on in0)"
	check 'D1: replaced when asked' fg attach in0 --replace
	check_not 'D1: it is another one now' fg_equal "$id" "$(program_on in0)"
	check 'D1: detaches' fg detach in0
	in_ns gw ip link set dev in0 xdpgeneric pinned "$foreign/prog"
	check 'D1: a generic one needs another command' refused 1 'ip link set dev in0 xdpgeneric off' \
		fg attach in0
	check 'D1: which works' in_ns gw ip link set dev in0 xdpgeneric off
}

# Case D2: somebody's link.
foreign_link() {
	local link
	in_ns gw "$tools/xdplink" in0 "$foreign/prog" "$foreign/link" || fail 'xdplink'
	link=$(bpftool -j link show pinned "$foreign/link" | number id)
	check 'D2: ip link cannot remove it' refused 2 "Can't replace active BPF XDP link" \
		in_ns gw ip link set dev in0 xdp off
	check 'D2: the link and its pin are named' \
		refused 1 "held by bpf_link id $link, pinned at $foreign/link" fg attach in0
	check 'D2: and the command that removes it' refused 1 "bpftool link detach id $link" fg attach in0
	check 'D2: it cannot be replaced' refused 1 'cannot be replaced' fg attach in0 --replace
	check 'D2: the command works' bpftool link detach id "$link"
	check 'D2: then ours attaches' fg attach in0
	check 'D2: detaches' fg detach in0
}

# Case D8: our program takes frames of several buffers, so that a peer's MTU does not matter.
jumbo() {
	in_ns src ip link set s0 mtu 9000 && in_ns gw ip link set in0 mtu 9000
	check 'D8: attaches at MTU 9000' fg attach in0
	check 'D8: it is native' grep -q 'prog/xdp' <(in_ns gw ip link show dev in0)
	in_ns dst ip link set d0 mtu 9000 && in_ns gw ip link set out0 mtu 9000
	echo 'miss 0 proto=udp src=198.18.0.1 dst=192.0.2.1 sport=1 dport=2 len=9000' >"$RUN/jumbo"
	crossing "$RUN/jumbo" --count 100 --rate 1000
	check_equal 'D8: frames of 9014 octets pass' 100 "$(received miss)"
	check 'D8: detaches' fg detach in0
	check 'D8: a program without frags is refused by the kernel' \
		refused 2 'Peer MTU is too large' in_ns gw ip link set dev in0 xdpdrv pinned "$foreign/prog"
}

# Case D9: a bridge has no native XDP.
bridge() {
	in_ns gw ip link add br0 type bridge
	check 'D9: native mode on a bridge is refused in the words of the kernel' \
		refused 1 'br0: native mode refused: .*not support XDP in native mode' fg attach br0
	check 'D9: with what to do' refused 1 'fltgate attach br0 mode generic' fg attach br0
	check_not 'D9: nothing was attached' has_program br0
	check 'D9: the advice works' fg attach br0 mode generic
	check 'D9: in generic mode' grep -q xdpgeneric <(in_ns gw ip link show dev br0)
	check 'D9: detaches' fg detach br0
}

# A name that bpffs would refuse, and an interface that changes it.
renamed() {
	in_ns gw ip link set out0 down
	in_ns gw ip link set out0 name out0.5
	check 'attaches to a name with a dot' fg attach out0.5
	in_ns gw ip link set out0.5 name out1
	check 'known under its new name' fg detach out1
	check_not 'the interface is bare' has_program out1
}

# Case D11: another instance elsewhere, for an interface with the same number.
two_instances() {
	local other=$gw_instance-b
	own_pins "/sys/fs/bpf/fltgate/v1/$other"
	echo 'interfaces { d0 { role untrust; mode generic; } }' >"$RUN/conf-b"
	spawn dst "$RUN/b.log" "$BUILD/fltgated" -f -c "$RUN/conf-b" --instance "$other" \
		--socket "$RUN/b.sock" --state-dir "$RUN/state"
	check 'D11: a second instance filters' wait_for 20 on_d0
	check 'D11: attaches in the first' fg attach in0
	check 'D11: detaches all of the first' fg detach --all
	check_not 'D11: the first is bare' has_program in0
	check 'D11: the second still filters' on_d0
	stop "$spawned"
	check 'D11: even without its daemon' on_d0
	check 'D11: detach --all needs no daemon' in_ns dst "$BUILD/fltgate" --socket "$RUN/b.sock" \
		--instance "$other" detach --all
	check_not 'D11: the second is bare' on_d0
}
on_d0() { in_ns dst ip link show dev d0 | grep -q xdpgeneric; }

# Case D17: a stopped daemon leaves the filter; detach --all takes it away, pins and all.
stopped() {
	check 'D17: attaches' fg attach in0
	stop "$daemon"
	check 'D17: the daemon is gone, the program stays' has_program in0
	check 'D17: detaches all without a daemon' fg detach --all
	check_not 'D17: the interface is bare' has_program in0
	check_not 'D17: no pin is left' compgen -G "$gw_pins*/*"
}

gateway_topology 1 || fail 'topology'
own_pins "$foreign"
load_foreign || fail 'foreign program'
echo 'routing-options { autonomous-system 65010; router-id 10.3.0.1; }' >"$RUN/conf"
daemon_start "$RUN/conf" || fail "daemon: $(cat "$RUN/fltgated.log")"
idempotence
by_ip_link
foreign_program
foreign_link
jumbo
bridge
renamed
two_instances
stopped
finish
