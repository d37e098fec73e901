#!/bin/bash
# SPDX-License-Identifier: MIT
# Shows the main job on real parts: gobgpd announces 2,400 rules, the gateway drops what they name, nothing else.
#
# Called by `make demo` (root). Leaves nothing behind, also when interrupted. Exits 1 when anything was not as claimed.

set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

# A shell that waits for its own commands may lose a Ctrl-C. So this one does nothing but wait for a second one, which
# does the work, ignores SIGINT as every background command does, and is ended by SIGTERM.
pass_on() {
	kill -TERM "$worker" 2>/dev/null
	wait "$worker"
	exit "$1"
}
if [ "${1:-}" != worker ]; then
	trap 'pass_on 129' HUP
	trap 'pass_on 130' INT
	trap 'pass_on 143' TERM
	deploy/demo.sh worker &
	worker=$!
	wait "$worker"
	exit
fi

BUILD=$(realpath -m "${BUILD:-build}")
export LC_ALL=C

# The article's numbers; smaller ones are for its test.
simple=${DEMO_SIMPLE:-2000} complex=${DEMO_COMPLEX:-400} others=600
rate=${DEMO_RATE:-20000}
seconds=${DEMO_SECONDS:-20}

# shellcheck source=../selftests/lib/gateway.sh
. selftests/lib/gateway.sh

# Its removal is the last thing of all: processes still write there. Named before it is made, so that no signal finds
# it unknown.
RUN=${TMPDIR:-/tmp}/fltgate-demo-$$
remove_run() {
	rm -rf "$RUN"
	rmdir /sys/fs/bpf/fltgate/v1 /sys/fs/bpf/fltgate 2>/dev/null # unless another gateway is pinned there
}
mkdir -m 700 "$RUN" && fg_at_exit+=(remove_run) || exit 1

rules=$((simple + complex))
bad=0
live=0
[ -t 1 ] && live=1

# ---- words -------------------------------------------------------------------------------------

step() { printf '\n[%3d s] %s\n' $SECONDS "$*"; }
say() { printf '        %s\n' "$*"; }
die() {
	printf '\ndemo: %s\n' "$*" >&2
	exit 1
}

# A line that the next one overwrites on a terminal; elsewhere one stays every few seconds.
shown=-9
moving() {
	if [ $live -eq 1 ]; then
		printf '\r\033[K        %s' "$*"
		return
	fi
	[ $((SECONDS - shown)) -ge 3 ] || return 0
	shown=$SECONDS
	say "$*"
}
moved() { [ $live -eq 0 ] || echo; }

# fact TEXT COMMAND...: what is claimed, and whether it is so.
fact() {
	local text=$1
	shift
	if "$@" >/dev/null 2>&1; then say "ok: $text"; else
		say "NOT SO: $text"
		bad=1
	fi
}

# show WORDS...: a command of the user's and what it prints (its first lines).
show() {
	say "# fltgate $*"
	fg "$@" | grep -v '^$' | head -n "${lines:-2}" | sed 's/^/        /'
}

thousands() { sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<<"$1"; }

# ---- looks -------------------------------------------------------------------------------------

header() { fg show route table inetflow.0 | grep -m 1 destinations; }
expected() { echo "inetflow.0: $1 destinations, $1 routes ($1 active, 0 holddown, 0 hidden)"; }
table_is() { [ "$(header)" = "$(expected "$1")" ]; }
resource_errors() { fg show interfaces in0 extensive | grep -o 'Resource errors: .*'; }
# How many rules counted at least one packet.
rules_hit() { fg -j show firewall | grep -o '"packets": *[1-9]' | wc -l; }

# ---- steps -------------------------------------------------------------------------------------

drawing() {
	cat <<-'END'

		        attackers and customers         gateway               the network behind
		       +-----------------+       +-------------------+       +-----------------+
		       | src             |       | fltgated, XDP     |       | dst             |
		       | 198.18.0.0/15.. s0 ---> in0  native     out0 ---> d0  counts what     |
		       | fgsend          |       |        ctl0       |       | arrives: fgrecv |
		       +-----------------+       +---------+---------+       +-----------------+
		                                           | BGP FlowSpec, AS 65000 - AS 65010
		                                 +---------+---------+
		                                 | ctl: gobgpd       |
		                                 +-------------------+
	END
}

generate() {
	local generator=("$tools/genrules" --simple "$simple" --complex "$complex")
	"${generator[@]}" gobgp >"$RUN/rules" && "${generator[@]}" --others $others packets >"$RUN/packets"
}

# The gateway has no neighbor yet, so that all rules come at once later, as from a controller that restarts.
start_gateway() {
	gateway_topology 2 || die 'could not build the network; is this root on a kernel with veth and bpffs?'
	gateway_config >"$RUN/with_peer"
	sed '/^protocols/,/^}/d' "$RUN/with_peer" >"$RUN/alone"
	daemon_start "$RUN/alone" || die "fltgated: $(cat "$RUN/fltgated.log")"
	fact 'in0 is filtered by native XDP' grep -q 'native mode' <(fg show interfaces in0)
}

# pass TEXT: sends for a second; everything must arrive.
all_flows() {
	crossing "$RUN/packets" --rate 5000 --count $((rules * 2 + others)) || die 'traffic'
	say "$(thousands "$(number sent <<<"$sent")") packets sent, $(thousands "$(received hit)") of" \
		"$(thousands "$(number hit <<<"$sent")") attack packets arrived"
	fact "$1: every packet of the attack arrives" fg_same hit
	fact "$1: every other packet arrives" fg_same miss other
}
fg_same() {
	local class
	for class in "$@"; do
		[ "$(number "$class" <<<"$sent")" = "$(received "$class")" ] || return 1
	done
}

feed() {
	gobgpd_start || die "gobgpd: $(cat "$RUN/gobgpd.log")"
	flows_begin "$RUN/rules"
	while kill -0 "$feeder" 2>/dev/null; do
		moving "$(flows_known) of $rules rules given to gobgpd"
		sleep 0.5
	done
	wait "$feeder" || die "gobgp: $(head -n 3 "$RUN/feeder.log")"
	shown=-9
	moving "$(flows_known) of $rules rules given to gobgpd"
	moved
}

enforce() {
	local begin=$EPOCHREALTIME
	fg load "$RUN/with_peer" >/dev/null || die "fltgate load: $(fg load "$RUN/with_peer" 2>&1)"
	wait_for 30 table_is $rules || die "not all rules came: $(header)"
	say "$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $begin }") s from the new neighbor to $rules enforced rules"
	show show route table inetflow.0
	lines=3 show show bgp summary
	lines=3 show show pfe firewall
}

# Traffic at all rules and at others; the gate's counters while it runs.
attack() {
	local before now first until=$((SECONDS + seconds))
	before=$(verdicts)
	read -r -a first <<<"$before"
	receive_start --interval 0 || die 'receiver'
	spawn src "$RUN/sent" "$tools/fgsend" --dev s0 --to "$gw_mac" --rate "$rate" --seconds "$seconds" \
		"$RUN/packets"
	sender=$spawned
	while [ $SECONDS -lt $until ]; do
		read -r -a now <<<"$(verdicts)"
		moving "$(printf 'received %9s   discarded by rules %9s   passed %9s   %s' \
			"$(thousands $((now[0] - first[0])))" "$(thousands $((now[1] - first[1])))" \
			"$(thousands $((now[2] - first[2])))" "$(resource_errors)")"
		sleep 1
	done
	moved
	wait "$sender"
	receive_stop
	sent=$(cat "$RUN/sent")
	balance "$before"
}

share() { awk "BEGIN { printf \"%.3f %%\", 100 * $1 / $2 }"; }

judge() {
	local hits
	hits=$(number hit <<<"$sent")
	say "attack: $(thousands "$hits") packets at $rules rules, $(received hit) arrived: dropped" \
		"$(share $((hits - $(received hit))) "$hits")"
	say "others: $(thousands $(($(number miss <<<"$sent") + $(number other <<<"$sent")))) packets," \
		"$(thousands $(($(received miss) + $(received other)))) arrived"
	say "# fltgate show interfaces in0 extensive | match resource"
	say "$(fg show interfaces in0 extensive | grep -i 'resource errors' | sed 's/^ *//')"
	fact 'every packet of the attack is dropped' test "$(received hit)" = 0
	fact 'each of them is counted as discarded by a rule, and nothing else is' hits_discarded
	fact "each of the $rules rules counted some" test "$(rules_hit)" = $rules
	fact 'no other packet is dropped by the gate, near misses included' others_passed
	fact 'Resource errors: 0' grep -q 'Resource errors: 0$' <(resource_errors)
}

withdraw() {
	local begin=$EPOCHREALTIME
	gobgp_ global rib del all -a ipv4-flowspec || die 'gobgp del'
	wait_for 30 table_is 0 || die "rules stay: $(header)"
	say "$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $begin }") s until the last rule was gone"
	show show route table inetflow.0
}

[ "$(id -u)" -eq 0 ] || die 'needs root, for network namespaces and XDP: sudo make demo'
drawing
generate || die "generator: is $tools/genrules built?"
step 'builds the network and starts the gateway'
start_gateway
step 'traffic, no rules'
all_flows 'before'
step "gives gobgpd $simple rules (protocol, host, port) and $complex more with source and packet-length"
feed
step 'the gateway peers with gobgpd'
enforce
step "traffic at all $rules rules and beside them, $(thousands "$rate") packets a second"
attack
judge
step 'gobgpd withdraws all rules'
withdraw
all_flows 'after'
step "$([ $bad -eq 0 ] && echo 'all as claimed' || echo 'NOT all as claimed, see above')"
exit $bad
