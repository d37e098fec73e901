#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the main job with Debian's bird2 as the peer; it can express the whole acceptance set.
# needs: root ip nsenter bird birdc
# timeout: 120

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh
. selftests/lib/peers.sh
. selftests/lib/acceptance.sh

peer=bird

peer_start() {
	bird_no_rules
	bird_start 10.3.0.2 10.3.0.1 65010 'passive;'
}
peer_stop() { stop "$bird" "$1"; }
peer_announce() { bird_no_rules && acceptance_rules bird_rule && bird_configure; }
peer_withdraw() { bird_no_rules && bird_configure; }

acceptance_story
acceptance_end
