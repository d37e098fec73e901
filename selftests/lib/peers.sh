# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# exabgp, bird and FRR's bgpd as private daemons in the namespace ctl, and the acceptance set in their words.
#
# The caller has sourced gateway.sh (gobgpd is there).
# shellcheck disable=SC2034,SC2154 # variables are for the caller or from topology.sh

# ---- rules in a peer's words ------------------------------------------------------------------

# words FUNCTION MATCH: calls FUNCTION name value for every word of a match of acceptance.sh.
words() {
	local word
	for word in $2; do "$1" "${word%%=*}" "${word#*=}"; done
}

# numbers EQUAL LIST: "1-75,77-" in operators, as exabgp and gobgp have them.
numbers() {
	local part out=()
	for part in ${2//,/ }; do
		case $part in
		*-) out+=(">=${part%-}") ;;
		*-*) out+=(">=${part%-*}&<=${part#*-}") ;;
		*) out+=("$1$part") ;;
		esac
	done
	echo "${out[*]}"
}

exabgp_word() {
	case $1 in
	dst) echo "destination ${2/-//};" ;;
	proto) echo "$([ "$family" = inet ] && echo protocol || echo next-header) =$2;" ;;
	sport) echo "source-port [ $(numbers '=' "$2") ];" ;;
	dport) echo "destination-port [ $(numbers '=' "$2") ];" ;;
	len) echo "packet-length [ $(numbers '=' "$2") ];" ;;
	fragment) echo 'fragment [ is-fragment ];' ;;
	syn) echo 'tcp-flags [ syn&!ack ];' ;;
	esac
}
exabgp_action() {
	case $1 in
	rate=*) echo "rate-limit ${1#*=};" ;;
	*) echo "${1/=/ };" ;;
	esac
}

gobgp_word() {
	case $1 in
	dst) printf '%s\n' destination "$2" ;;
	proto) printf '%s\n' protocol "==$2" ;;
	sport) printf '%s\n' source-port "$(numbers '==' "$2")" ;;
	dport) printf '%s\n' destination-port "$(numbers '==' "$2")" ;;
	len) printf '%s\n' packet-length "$(numbers '==' "$2")" ;;
	fragment) printf '%s\n' fragment =is-fragment ;;
	syn) printf '%s\n' tcp-flags '=S&!=A' ;;
	esac
}
gobgp_action() {
	case $1 in
	rate=*) printf '%s\n' rate-limit "${1#*=}" ;;
	*=*) printf '%s\n' "${1%%=*}" "${1#*=}" ;;
	*) echo "$1" ;;
	esac
}

bird_numbers() {
	case $1 in
	*-) echo ">= ${1%-}" ;;
	*) echo "${1//-/..}" ;;
	esac
}
bird_word() {
	case $1 in
	dst) echo "dst ${2/-/ offset };" ;;
	proto) echo "$([ "$family" = inet ] && echo proto || echo 'next header') = $2;" ;;
	sport | dport) echo "$1 $(bird_numbers "$2");" ;;
	len) echo "length $(bird_numbers "$2");" ;;
	fragment) echo 'fragment is_fragment;' ;;
	syn) echo 'tcp flags 0x02/0x12;' ;; # value/mask: SYN set, ACK not
	esac
}
# bird has no names for them: RFC 8955 section 7 in two 32-bit words. The only rate is 100000, 0x47c35000 as a float.
bird_action() {
	case $1 in
	discard) echo '0x80060000, 0' ;;
	rate=100000) echo '0x80060000, 0x47c35000' ;;
	mark=*) echo "0x80090000, ${1#*=}" ;;
	redirect=65000:*) echo "0x8008fde8, ${1#*:}" ;;
	esac
}

# ---- gobgp ------------------------------------------------------------------------------------

gobgp_rule() { # add|del family match action
	local args
	mapfile -t args < <(words gobgp_word "$3" && echo 'then' && gobgp_action "$4")
	if [ "$2" = inet ]; then flow "$1" "${args[@]}"; else flow6 "$1" "${args[@]}"; fi
}

# ---- exabgp -----------------------------------------------------------------------------------

# exabgp_start LOCAL REMOTE REMOTE_AS [active]: waits for the connection, or makes it. Takes rules from
# $RUN/exabgp.rules; its pid is in $exabgp.
exabgp_start() {
	local listen=("exabgp.tcp.bind=$1" exabgp.tcp.port=179) passive=true
	[ -z "${4:-}" ] || listen=() passive=false
	rm -f "$RUN/exabgp.rules"
	mkfifo "$RUN/exabgp.rules" || return 1
	cat >"$RUN/exabgp.conf" <<-END
		process rules { run /bin/sh -c 'exec cat <>$RUN/exabgp.rules'; encoder text; }
		neighbor $2 {
			router-id $1; local-address $1; local-as 65000; peer-as $3; hold-time 30; passive $passive;
			family { ipv4 flow; ipv6 flow; }
			api { processes [ rules ]; }
		}
	END
	spawn ctl "$RUN/exabgp.log" env exabgp.daemon.user=root exabgp.daemon.drop=false exabgp.api.cli=false \
		exabgp.api.ack=false "${listen[@]}" exabgp.log.destination=stdout \
		exabgp "$RUN/exabgp.conf"
	exabgp=$spawned
	wait_for 20 grep -q 'loaded new configuration successfully' "$RUN/exabgp.log"
}

# Prints a rule as exabgp's commands announce|withdraw want it.
exabgp_rule() { # announce|withdraw family match action
	local family=$2
	echo "$1 flow route { match {" "$(words exabgp_word "$3")" '} then {' "$(exabgp_action "$4")" '} }' | tr '\n' ' '
	echo
}

# ---- bird -------------------------------------------------------------------------------------

# bird_start LOCAL REMOTE REMOTE_AS [SESSION STATEMENTS]: announces the rules of $RUN/bird.rules[46]; its pid is in $bird.
bird_start() {
	cat >"$RUN/bird.conf" <<-END
		log "$RUN/bird.log" all;
		router id $1;
		flow4 table flows4;
		flow6 table flows6;
		protocol device {}
		protocol static {
			flow4 { table flows4; };
			include "$RUN/bird.rules4";
		}
		protocol static {
			flow6 { table flows6; };
			include "$RUN/bird.rules6";
		}
		protocol bgp {
			local $1 as 65000; neighbor $2 as $3; strict bind; hold time 30; ${4:-}
			flow4 { table flows4; import none; export all; };
			flow6 { table flows6; import none; export all; };
		}
	END
	spawn ctl "$RUN/bird.out" bird -f -c "$RUN/bird.conf" -s "$RUN/bird.sock"
	bird=$spawned
	wait_for 10 bird_ show status
}
bird_() { birdc -s "$RUN/bird.sock" "$@" >"$RUN/birdc.out"; }
bird_configure() { bird_ configure && grep -q Reconfigur "$RUN/birdc.out"; }
bird_no_rules() { : >"$RUN/bird.rules4" && : >"$RUN/bird.rules6"; }

bird_rule() { # family match action
	local family=$1 version=4
	[ "$family" = inet ] || version=6
	echo "route flow$version {" "$(words bird_word "$2")" "} { bgp_ext_community.add((generic, $(bird_action "$3"))); };" |
		tr '\n' ' ' >>"$RUN/bird.rules$version"
}

# ---- FRR --------------------------------------------------------------------------------------

# bgpd cannot originate rules: it passes those of a bird at 10.3.1.2 on to the gateway. No zebra; its pid is in $bgpd.
bgpd_start() {
	in_ns ctl ip addr replace 10.3.1.1/32 dev lo && in_ns ctl ip addr replace 10.3.1.2/32 dev lo || return 1
	mkdir -p "$RUN/frr"
	cat >"$RUN/frr/bgpd.conf" <<-'END'
		log stdout
		router bgp 65000
		 bgp router-id 10.3.0.2
		 no bgp ebgp-requires-policy
		 no bgp default ipv4-unicast
		 neighbor 10.3.0.1 remote-as 65010
		 neighbor 10.3.0.1 passive
		 neighbor 10.3.0.1 timers 10 30
		 neighbor 10.3.1.2 remote-as 65000
		 neighbor 10.3.1.2 passive
		 neighbor 10.3.1.2 update-source 10.3.1.1
		 address-family ipv4 flowspec
		  neighbor 10.3.0.1 activate
		  neighbor 10.3.1.2 activate
		 exit-address-family
		 address-family ipv6 flowspec
		  neighbor 10.3.0.1 activate
		  neighbor 10.3.1.2 activate
		 exit-address-family
	END
	spawn ctl "$RUN/frr/log" /usr/lib/frr/bgpd -Z -n -S -f "$RUN/frr/bgpd.conf" -i "$RUN/frr/pid" \
		--vty_socket "$RUN/frr" -P 0 -l 10.3.0.2 -l 10.3.1.1 --log stdout
	bgpd=$spawned
	wait_for 10 bgpd_ show version
}
bgpd_() { vtysh --vty_socket "$RUN/frr" -c "$*" >"$RUN/vtysh.out" 2>&1; }
bgpd_feeder_start() {
	bird_start 10.3.1.2 10.3.1.1 65000 'multihop; connect delay time 1; connect retry time 1; error wait time 1, 2;'
}
