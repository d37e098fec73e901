#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests `fltgate explain`: exact text and JSON of packets run through the real programs, in both modes.
# needs: root

set -u
. selftests/lib/check.sh
. selftests/lib/pcap.sh
fltgate=$BUILD/fltgate
rules=$TEST_TMP/rules
pcap=$TEST_TMP/packets.pcap

mac='020000000002 020000000001'
udp53='4500 0024 0001 4000 4011 0000 c0000201 c6336401 03e8 0035 0010 0000 0000000000000000'
tcp22='4500 0028 0001 4000 4006 0000 c0000201 c6336401 03e8 0016 00000000 00000000 5002 0000 0000 0000'
later_fragment='4500 0024 0001 00b9 4006 0000 c0000201 c6336401 0050 0016 0010 0000 0000000000000000'
arp='0806 0001 0800 0604 0001 020000000001 c0000201 000000000000 c6336401'
solicit='6000 0000 0018 3aff 20010db8000000000000000000000001 20010db8000000000000000000000002
8700 0000 00000000 20010db8000000000000000000000002'
solicit=${solicit//$'\n'/}
write_pcap "$pcap" 1 "$mac 0800 $udp53" "$mac 0800 $tcp22" "$mac 0800 $later_fragment" "$mac $arp" \
	"$mac 86dd $solicit" "$mac 88a8 0064 8100 0003 0800 $udp53"

# Columns are separated by tabs; the second rule of UDP is a duplicate.
cat >"$rules" <<END
# comment, then a blank line

inet	0b0118c63364038111058135	8006000000000000
inet	06038106058116
inet	06038106068116	8006000047f42400
inet6	0603813a078187	8006000000000000
inet	0b0118c63364038911058135	
END

answer() {
	"$@" 2>"$TEST_TMP/stderr"
	echo "exit $?"
}
explain() { answer "$fltgate" explain --rules "$rules" --pcap "$pcap" "$@"; }

check_equal 'the packets in text' "packet 1: discard by rule 3 { protocol udp; destination-port 53; destination 198.51.100.0/24; } then { discard; }; reason rule_discard; tried 3 matched
packet 2: accept by rule 4 { protocol tcp; destination-port 22; } then { accept; }; reason rule_accept; tried 4 matched
packet 3: accept by no rule; reason frag_no_l4; no rule tried
packet 4: accept by no rule; reason non_ip; no rule tried
packet 5: discard by rule 6 { protocol icmp6; icmp-type 135; } then { discard; }; reason rule_discard; tried 6 matched
packet 6: discard by rule 3 { protocol udp; destination-port 53; destination 198.51.100.0/24; } then { discard; }; reason rule_discard; tried 3 matched
exit 0" "$(explain)"
check_equal 'a duplicate is told' "$rules:7: the same rule as line 3, which counts [warning]" \
	"$(cat "$TEST_TMP/stderr")"
check_equal 'every rule tried, in JSON and without the 5-tuple stage' '{"packet":1,"verdict":"discard","rule":3,"reason":"rule_discard","tried":[{"rule":3,"matched":true,"failed":null}]}
{"packet":2,"verdict":"accept","rule":4,"reason":"rule_accept","tried":[{"rule":3,"matched":false,"failed":"protocol"},{"rule":4,"matched":true,"failed":null}]}
{"packet":3,"verdict":"accept","rule":null,"reason":"frag_no_l4","tried":[{"rule":3,"matched":false,"failed":"protocol"},{"rule":4,"matched":false,"failed":"destination-port"},{"rule":5,"matched":false,"failed":"source-port"}]}
{"packet":4,"verdict":"accept","rule":null,"reason":"non_ip","tried":[]}
{"packet":5,"verdict":"discard","rule":6,"reason":"rule_discard","tried":[{"rule":6,"matched":true,"failed":null}]}
{"packet":6,"verdict":"discard","rule":3,"reason":"rule_discard","tried":[{"rule":3,"matched":true,"failed":null}]}
exit 0' "$(explain --mode dmem -j)"
verdicts() { sed 's/,"tried".*//'; }
check_equal 'verdicts are the same in both modes' "$(explain --mode dmem -j | verdicts)" \
	"$(explain --mode flt -j | verdicts)"
check_equal 'the guard, when asked for, keeps neighbours' \
	'packet 5: accept by no rule; reason guard; no rule tried' "$(explain --guard | grep 'packet 5')"

# ---- collecting -----------------------------------------------------------------------------

printf 'inet\t%s\t%s\n' 0b0118c63364038111058135 80070000000000018009000000000012 \
	03038111 8006000047f42400 >"$rules"
check_equal 'the T bit goes on to the next rule' '{"packet":1,"verdict":"rate-limit","rule":1,"reason":"rate_conform","tried":[{"rule":1,"matched":true,"failed":null},{"rule":2,"matched":true,"failed":null}]}' \
	"$(explain -j | head -n 1)"

# ---- configuration text ---------------------------------------------------------------------

cat >"$rules" <<END
interfaces { eth0 { role untrust; } }
routing-options {
    flow {
        route syn {
            match { protocol tcp; tcp-flags "(syn & !ack)"; }
            then discard;
        }
        route away { match { protocol udp; } then { redirect 192.0.2.9; } }
    }
    rib inet6.0 { flow { route nd { match { protocol icmp6; } then discard; } } }
}
END
check_equal 'configuration text: lines of routes, its guard, exit 4 for what is not enforced' \
	'{"packet":1,"verdict":"accept","rule":null,"reason":"no_rule"
{"packet":2,"verdict":"discard","rule":4,"reason":"rule_discard"
{"packet":3,"verdict":"accept","rule":null,"reason":"frag_no_l4"
{"packet":4,"verdict":"accept","rule":null,"reason":"non_ip"
{"packet":5,"verdict":"accept","rule":null,"reason":"guard"
{"packet":6,"verdict":"accept","rule":null,"reason":"no_rule"
exit 4' "$(explain -j | verdicts)"
check 'the rule that is not enforced is named' grep -q "^$rules:8: not enforced: " "$TEST_TMP/stderr"
check_equal 'without the guard the rule decides' \
	'{"packet":5,"verdict":"discard","rule":10,"reason":"rule_discard"' "$(explain -j --no-guard | verdicts | grep '"packet":5')"

# ---- what is refused ------------------------------------------------------------------------

refused() { # EXIT STATUS, part of the message
	local out
	out=$(explain 2>&1)
	[ "$out" = "exit $1" ] && grep -qF "$2" "$TEST_TMP/stderr" && return
	echo "$out"
	cat "$TEST_TMP/stderr"
	return 1
}
printf 'inet\t03038106\ninet\t0a0218cb00710218c63364\n' >"$rules"
check 'a malformed NLRI: line and octet' refused 2 "$rules:2: MALFORMED: component type 2 twice at octet 6"
printf 'inet\t03038106ff\n' >"$rules"
check 'octets behind the NLRI' refused 2 "$rules:1: the NLRI ends at octet 4, but there are 5"
printf 'inet\t03038106\t800600007fc00000\n' >"$rules"
check 'a rate that is no number' refused 2 "$rules:1: MALFORMED: traffic rate is not a number"
printf 'inet 03038106\ninet7 03038106\n' >"$rules"
check 'a family that is none' refused 2 "$rules:2: 'inet7' is neither inet nor inet6"
printf 'routing-options {\n    flwo;\n}\n' >"$rules"
check 'a syntax error of configuration text' refused 2 "$rules:2:5: "
rm "$rules"
check 'no such file' refused 1 'No such file'
: >"$rules"
check_equal 'an empty file: no rules' 'packet 1: accept by no rule; reason no_rule; no rule tried' \
	"$(explain | head -n 1)"
write_pcap "$pcap" 113 "$mac 0800 $udp53"
check 'a capture that is not of Ethernet' refused 1 'is not Ethernet'
echo nonsense >"$pcap"
check 'a file that is no capture' refused 1 "$pcap: "
finish
