#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests `fltgate decode`: exact text and JSON, every vector of selftests/data, precedence with --sort.

set -u
. selftests/lib/check.sh
fltgate=$BUILD/fltgate

# What a command prints on stdout, then its exit status.
answer() {
	"$@" 2>/dev/null
	echo "exit $?"
}

check_equal 'the rule of the MX301 article, word for word' 'match {
    protocol udp;
    destination-port 40795;
    packet-length 978-3626;
    destination 25.151.12.56/32;
    source 20.150.0.0/16;
}
then discard;
exit 0' "$(answer "$fltgate" decode 18012019970c380210149603811105919f5b0a1303d2d50e2a \
	--communities 8006000000000000)"
check_equal 'several actions make a block' 'match {
    source ::1234:5678:9a00:0/104 offset 64;
}
then {
    rate-limit 1m;
    mark 46;
    next-term;
}
exit 0' "$(answer "$fltgate" decode --family inet6 08026840123456789a \
	--communities 8006000047f42400800900000000002e8007000000000001)"
check_equal 'JSON of a rule: the NLRI is normalised' \
	'{"family":"inet","nlri":"0b0120c0000201040350c55a","match":"port 80-90; destination 192.0.2.1/32;","then":"accept;"}
exit 0' "$(answer "$fltgate" decode -j f00b0120c0000201044b50c55a)"
check_equal 'two NLRIs back to back (C52)' \
	'{"family":"inet","nlri":"03038106","match":"protocol tcp;","then":"accept;"}
{"family":"inet","nlri":"03038111","match":"protocol udp;","then":"accept;"}
exit 0' "$(answer "$fltgate" decode -j 0303810603038111)"
check_equal 'a malformed one does not hide the next' 'MALFORMED: component type 2 twice at octet 6
match {
    protocol tcp;
}
then accept;
exit 1' "$(answer "$fltgate" decode 0a0218cb00710218c6336403038106)"
check_equal 'lost framing' 'FRAMING: length is 12, but 3 octets are left at octet 0
exit 1' "$(answer "$fltgate" decode 0c038106)"
check_equal 'octets count from the start of the field' \
	'{"family":"inet","error":"MALFORMED","reason":"unknown component type 14","octet":11}
exit 1' "$(answer "$fltgate" decode -j 03038106090120c00002010e8101 | tail -n 2)"
check_equal 'communities of 7 octets' 'MALFORMED: extended communities have 7 octets, not a multiple of 8
exit 1' "$(answer "$fltgate" decode 03038106 --communities 80060000000000)"
check_equal 'no hexadecimal is wrong usage' 'exit 2' "$(answer "$fltgate" decode 03zz)"
check_equal 'half an octet is wrong usage' 'exit 2' "$(answer "$fltgate" decode 038)"
check_equal 'no octets are wrong usage' 'exit 2' "$(answer "$fltgate" decode)"
check_equal 'an unknown family is wrong usage' 'exit 2' "$(answer "$fltgate" decode --family ipx 03038106)"

# ---- the vectors ----------------------------------------------------------------------------

# VALID: exit 0, and the NLRIs given back decode to themselves. Others: exit 1 and the named kind.
vector() {
	local family=inet out again
	[ "$2" = 1 ] || family=inet6
	out=$("$fltgate" decode -j --family "$family" "$3")
	case $?-$4 in
	0-VALID)
		again=$("$fltgate" decode -j --family "$family" "$(sed 's/.*"nlri":"//; s/".*//' <<<"$out" | tr -d '\n')")
		[ "$out" = "$again" ] && return
		;;
	1-MALFORMED | 1-FRAMING) grep -q "\"error\":\"$4\"" <<<"$out" && return ;;
	esac
	echo "$1 ($5): $out"
	return 1
}
vectors=0
while IFS=$'\t' read -r id afi hex want note; do
	[[ $id == \#* ]] && continue
	vectors=$((vectors + 1))
	check "vector $id: $want" vector "$id" "$afi" "$hex" "$want" "$note"
done <selftests/data/flowspec-vectors.tsv
check 'there are vectors' test "$vectors" -gt 40

# ---- precedence -----------------------------------------------------------------------------

# The value as a field: its length in front.
field() { printf '%02x%s' $((${#1} / 2)) "$1"; }
orders=0
while IFS=$'\t' read -r id afi a b winner _; do
	[[ $id == \#* ]] && continue
	orders=$((orders + 1))
	family=inet
	[ "$afi" = 1 ] || family=inet6
	a="$family"$'\t'$(field "$a") b="$family"$'\t'$(field "$b")
	[ "$winner" = A ] || { other=$a a=$b b=$other; }
	check_equal "order $id" "$a"$'\n'"$b" "$(printf '%s\n%s\n' "$a" "$b" | "$fltgate" decode --sort)"
	check_equal "order $id, given the other way round" "$a"$'\n'"$b" \
		"$(printf '%s\n%s\n' "$b" "$a" | "$fltgate" decode --sort)"
done <selftests/data/flowspec-order.tsv
check 'there are order cases' test "$orders" -gt 10
check_equal 'a bad line is named' 'fltgate: stdin:2: MALFORMED: component type 2 twice at octet 6' \
	"$(printf 'inet\t03038106\ninet\t0a0218cb00710218c63364\n' | "$fltgate" decode --sort 2>&1)"
finish
