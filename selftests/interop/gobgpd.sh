#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the main job with Debian's gobgpd as the peer, with and without a TCP MD5 key.
# needs: root ip nsenter gobgpd gobgp
# timeout: 180

. selftests/lib/netns.sh
RUN=$TEST_TMP
. selftests/lib/gateway.sh
. selftests/lib/peers.sh
. selftests/lib/acceptance.sh

peer=gobgpd
cannot['::1234/128-64']='3.10 sends the whole pattern behind an offset, a malformed rule'

peer_start() { gobgpd_start; }
peer_stop() { stop "$gobgpd" "$1"; }
add_rule() { gobgp_rule add "$@"; }
del_rule() { gobgp_rule del "$@"; }
peer_announce() { acceptance_rules add_rule; }
peer_withdraw() { acceptance_rules del_rule; }

# What it cannot express is refused alone: the session stays.
malformed_offset() {
	flow6 add destination ::1234/128 64 'then' discard
	check 'malformed offset: told' wait_for 10 grep -q '1 rule treated as withdrawn' "$RUN/fltgated.log"
	check 'malformed offset: the session is up' established
	check 'malformed offset: no rule of it' none_active
}

with_key() {
	stop "$gobgpd"
	check 'MD5: the session without key goes down' wait_for 10 fg_not established
	gobgpd_start 'auth-password = "seventeen"' || fail "gobgpd: $(cat "$RUN/gobgpd.log")"
	gateway_config 'authentication-key "eighteen";' >"$RUN/conf"
	check 'MD5: a configuration with the wrong key loads' fg load "$RUN/conf"
	check_not 'MD5: with the wrong key there is no session' wait_for 3 established
	gateway_config 'authentication-key "seventeen";' >"$RUN/conf"
	check 'MD5: the right key loads' fg load "$RUN/conf"
	check 'MD5: the session comes up' wait_for 40 established
	announced_and_withdrawn MD5
}

acceptance_story
malformed_offset
with_key
acceptance_end
