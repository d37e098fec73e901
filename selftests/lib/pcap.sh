# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Captures written from hexadecimal frames, for tests that feed `fltgate explain`; to be sourced.

# Prints the octets of hexadecimal text, blanks allowed.
octets() {
	local hex=${*// /}
	# shellcheck disable=SC2059,SC2001 # the text is the format: that is what makes octets of it
	printf "$(sed 's/../\\x&/g' <<<"$hex")"
}

le32() { printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)); }

# write_pcap FILE LINKTYPE FRAME...: linktype 1 is Ethernet.
write_pcap() {
	local file=$1 link=$2 frame len
	shift 2
	{
		octets "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 $(le32 "$link")"
		for frame; do
			frame=${frame// /}
			len=$(le32 $((${#frame} / 2)))
			octets "0000000000000000 $len $len $frame"
		done
	} >"$file"
}
