#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the main job with Debian's FRR as the peer: bgpd passes on what bird feeds to it, for it originates no rules.
# needs: root ip nsenter /usr/lib/frr/bgpd vtysh bird birdc
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh
. selftests/lib/peers.sh
. selftests/lib/acceptance.sh

peer=frr
cannot['::1234/128-64']='bgpd 8.4 resets the session that brings a rule with an offset'

# The feeder stays: it connects again whenever bgpd is there.
peer_start() {
	bird_no_rules
	if [ -n "${bird:-}" ]; then bird_configure && bgpd_start; else
		bgpd_start && bgpd_feeder_start
	fi
}
peer_stop() { stop "$bgpd" "$1"; }
peer_announce() { bird_no_rules && acceptance_rules bird_rule && bird_configure; }
peer_withdraw() { bird_no_rules && bird_configure; }

acceptance_story
acceptance_end
