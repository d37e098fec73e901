# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Two hosts and a gateway between them, with the daemon, a gobgpd and traffic; for tests and the demo.
#
#   src (198.18.0.0/15 and more) s0 --- in0 gw out0 --- d0 dst (everything else)
#                                          ctl0
#                                           |
#                                          c0 ctl (gobgpd, 10.3.0.2, AS 65000)
#
# The caller has BUILD and a folder RUN for sockets, logs and state.
# shellcheck disable=SC2034,SC2120 # variables and arguments are for the caller

# shellcheck source=topology.sh
. "$(dirname "${BASH_SOURCE[0]}")/topology.sh"

gw_instance=fg$$
gw_pins=/sys/fs/bpf/fltgate/v1/$gw_instance
tools=$BUILD/test/tools

# gateway_topology [QUEUES]: the namespaces above, addressed and routed; QUEUES of the link to src.
gateway_topology() {
	need_bpffs && new_ns src gw dst ctl || return 1
	gateway_link "${1:-1}" && veth gw out0 dst d0 && veth ctl c0 gw ctl0 || return 1
	addr src s0 10.1.0.2/24 fd00:1::2/64 && addr gw in0 10.1.0.1/24 fd00:1::1/64 &&
		addr gw out0 10.2.0.1/24 fd00:2::1/64 && addr dst d0 10.2.0.2/24 fd00:2::2/64 &&
		addr ctl c0 10.3.0.2/24 && addr gw ctl0 10.3.0.1/24 || return 1
	neigh gw in0 10.1.0.2 src s0 && neigh gw in0 fd00:1::2 src s0 || return 1
	neigh gw out0 10.2.0.2 dst d0 && neigh gw out0 fd00:2::2 dst d0 || return 1
	# The packets come from anywhere: no filter by the way back.
	in_ns gw sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.in0.rp_filter=0 || return 1
	in_ns gw ip route add default via 10.2.0.2 dev out0 &&
		in_ns gw ip route add default via fd00:2::2 dev out0 || return 1
	wait_for 5 link_up gw in0 && wait_for 5 link_up dst d0
}

# With several queues, packets sent on several CPUs are judged on several CPUs at once.
gateway_link() {
	fg_pairs=$((fg_pairs + 1))
	gw_mac=02:fc:00:00:01:0b
	ip link add s0 address 02:fc:00:00:01:0a numtxqueues "$1" numrxqueues "$1" \
		netns "$(ns_name src)" type veth peer name in0 address $gw_mac \
		numtxqueues "$1" numrxqueues "$1" netns "$(ns_name gw)" || return 1
	in_ns src ip link set s0 up && in_ns gw ip link set in0 up
}

# daemon_start CONFIG: in the gateway, waits until it answers. Its pid is in $daemon.
daemon_start() {
	own_pins "$gw_pins"
	daemon_spawn "$1" && wait_for 20 fg show bgp summary
}

daemon_spawn() {
	spawn gw "$RUN/fltgated.log" "$BUILD/fltgated" -f -c "$1" --instance "$gw_instance" \
		--socket "$RUN/control.sock" --state-dir "$RUN/state"
	daemon=$spawned
}

# The CLI, asking the daemon above. It runs in the gateway too: who holds an interface is seen from there only.
fg() { in_ns gw "$BUILD/fltgate" --socket "$RUN/control.sock" --instance "$gw_instance" "$@"; }

# gobgpd_start [CONFIG LINES FOR THE NEIGHBOR]: the controller; its pid is in $gobgpd. Rules may be given to it
# before the gateway connects.
gobgpd_start() {
	gobgpd_config "$@" >"$RUN/gobgpd.toml"
	rm -f "$RUN/gobgp.sock"
	GOMAXPROCS=2 spawn ctl "$RUN/gobgpd.log" gobgpd -t toml -f "$RUN/gobgpd.toml" \
		--api-hosts "unix://$RUN/gobgp.sock" --pprof-disable -l error
	gobgpd=$spawned
	wait_for 10 gobgp_ global
}

# In gobgpd_more: further statements, as of a second neighbor.
gobgpd_config() {
	cat <<-END
		[global.config]
		  as = 65000
		  router-id = "10.3.0.2"
		[[neighbors]]
		  [neighbors.config]
		    neighbor-address = "10.3.0.1"
		    peer-as = 65010
		    $(printf '%s\n    ' "$@")
		  [neighbors.transport.config]
		    passive-mode = true
		  [neighbors.timers.config]
		    hold-time = 30
		    keepalive-interval = 10
		    connect-retry = 1
		  [[neighbors.afi-safis]]
		    [neighbors.afi-safis.config]
		      afi-safi-name = "ipv4-flowspec"
		  [[neighbors.afi-safis]]
		    [neighbors.afi-safis.config]
		      afi-safi-name = "ipv6-flowspec"
		${gobgpd_more:-}
	END
}

gobgp_() { GOMAXPROCS=1 gobgp --target "unix://$RUN/gobgp.sock" "$@"; }

# flow add|del RULE...: one IPv4 rule, in gobgp's words. flow6 for IPv6.
flow() { gobgp_ global rib "$1" -a ipv4-flowspec match "${@:2}"; }
flow6() { gobgp_ global rib "$1" -a ipv6-flowspec match "${@:2}"; }

# flows_begin FILE: gives gobgpd every line of `genrules gobgp`, in the background; the pid is in $feeder. Its command
# line takes one rule a process: three at a time hide their starts.
flows_begin() {
	GOMAXPROCS=1 setsid xargs -P3 -L1 gobgp --target "unix://$RUN/gobgp.sock" global rib \
		<"$1" >"$RUN/feeder.log" 2>&1 &
	feeder=$!
	at_exit flows_stop
}
flows_stop() { kill -TERM -- "-$feeder" 2>/dev/null; }
flows_known() { gobgp_ global rib summary -a ipv4-flowspec | sed -n 's/^Destination: \([0-9]*\).*/\1/p'; }

# gateway_config [NEIGHBOR STATEMENTS]: a configuration with the controller as neighbor and in0 filtered.
gateway_config() {
	cat <<-END
		routing-options {
		    autonomous-system 65010;
		    router-id 10.3.0.1;
		}
		protocols {
		    bgp {
		        group controllers {
		            neighbor 10.3.0.2 {
		                peer-as 65000;
		                ${1:-}
		                family inet { flow { no-validate; } }
		                family inet6 { flow { no-validate; } }
		            }
		        }
		    }
		}
		interfaces {
		    in0 { role untrust; mode native; }
		    out0 { role trust; }
		    ctl0 { role management; }
		}
	END
}

# send LIST [OPTIONS OF fgsend]: from src to the gateway; prints its counts.
send() { in_ns src "$tools/fgsend" --dev s0 --to "$gw_mac" "${@:2}" "$1"; }

# receive_start [OPTIONS OF fgrecv]: counts what arrives at dst into $RUN/received.
receive_start() {
	spawn dst "$RUN/received" "$tools/fgrecv" --dev d0 "$@"
	receiver=$spawned
	wait_for 5 grep -q ready "$RUN/received"
}
receive_stop() { stop "$receiver"; }

# number KEY <<<JSON: the value of the first such key anywhere in it.
number() { grep -o "\"$1\": *-\?[0-9.]*" | head -n 1 | sed 's/.*: *//'; }
received() { tail -n 1 "$RUN/received" | number "$1"; }

# crossing LIST [OPTIONS OF fgsend]: sends, then leaves what was sent in $sent and what arrived in $RUN/received.
# The receiver ends when it has become quiet.
crossing() {
	receive_start --interval 0 || return 1
	sent=$(send "$@") || return 1
	receive_stop
}

# Counters of in0, from one look: received, discarded by rules, passed.
verdicts() {
	local look
	look=$(fg -j show interfaces in0)
	echo "$(number received <<<"$look") $(number discarded <<<"$look") $(number passed <<<"$look")"
}

# balance BEFORE: what the gate did with $sent. BEFORE: verdicts before it was sent. Leaves in $discarded and $passed
# what it did, and in $unseen how many packets a busy machine lost in the queues before the gate (at most, for the hosts
# themselves send some frames, too).
balance() {
	local old new total noise=20
	read -r -a old <<<"$1"
	read -r -a new <<<"$(verdicts)"
	total=$(number sent <<<"$sent")
	discarded=$((new[1] - old[1])) passed=$((new[2] - old[2]))
	unseen=$((total - (new[0] - old[0])))
	unseen=$((unseen > 0 ? unseen + noise : 0))
}

# after balance: all of the class to drop that reached the gate is counted as discarded, and nothing else.
hits_discarded() {
	local hits
	hits=$(number hit <<<"$sent")
	echo "$hits sent, $discarded discarded, $unseen did not reach the gate"
	[ "$discarded" -le "$hits" ] && [ $((discarded + unseen)) -ge "$hits" ]
}

# after balance: all else arrived; or, where queues behind the gate lost some, it was at least passed.
others_passed() {
	local others
	others=$(($(number miss <<<"$sent") + $(number other <<<"$sent")))
	echo "$others sent, $passed passed, $unseen did not reach the gate"
	[ $(($(received miss) + $(received other))) -eq $others ] || [ $((passed + unseen)) -ge $others ]
}
