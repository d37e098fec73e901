#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the main job with Debian's exabgp as the peer.
# needs: root ip nsenter exabgp
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh
. selftests/lib/peers.sh
. selftests/lib/acceptance.sh

peer=exabgp
# The pattern of a prefix with an offset is shorter by the offset (RFC 8956 section 3.1).
cannot['::1234/128-64']='4.2 sends the whole pattern behind an offset, a malformed rule'

peer_start() { exabgp_start 10.3.0.2 10.3.0.1 65010; }
peer_stop() { stop "$exabgp" "$1"; }
announce_rule() { exabgp_rule announce "$@" >"$RUN/exabgp.rules"; }
withdraw_rule() { exabgp_rule withdraw "$@" >"$RUN/exabgp.rules"; }
peer_announce() { acceptance_rules announce_rule; }
peer_withdraw() { acceptance_rules withdraw_rule; }

# What it cannot express is refused alone: the session stays, the other rules, too.
malformed_offset() {
	announced 'malformed offset'
	announce_rule inet6 'dst=::1234/128-64' discard
	check 'malformed offset: told' wait_for 10 grep -q '1 rule treated as withdrawn' "$RUN/fltgated.log"
	check 'malformed offset: the session is up' established
	check 'malformed offset: the other rules are active' all_active
}

acceptance_story
malformed_offset
acceptance_end
