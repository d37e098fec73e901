/* SPDX-License-Identifier: MIT */
/* The state machine of one BGP connection (RFC 4271 section 8) as a table: state and event in, actions out. */
#ifndef FG_BGP_FSM_H
#define FG_BGP_FSM_H

#include <stdint.h>

#include "bgp/link.h"

/* RFC 4271 section 8.1 has more: here a connection begins in Connect (we dial) or Active (the peer does), and the
 * peer's own waiting between connections is bgp/peer.c. */
enum fg_fsm_event {
	FG_EV_CONNECTED,
	FG_EV_LOST, /* closed by the peer, reset, or never connected */
	FG_EV_HOLD_EXPIRED,
	FG_EV_OPEN, /* checked, and the winner of any collision */
	FG_EV_KEEPALIVE,
	FG_EV_UPDATE,
	FG_EV_REFRESH,
	FG_EV_NOTIFICATION,
	FG_EV_FAULT, /* something we answer with a NOTIFICATION */
	FG_EV_STOP,  /* we end it: configuration, collision */
	FG_EVENTS,
};

/* What to do, in the order of the bits. */
enum fg_fsm_do {
	FG_DO_NOTIFY = 1, /* send @code, @subcode, or those of the event when @code is 0 */
	FG_DO_CLOSE = 2,
	FG_DO_OPEN = 4,
	FG_DO_KEEPALIVE = 8,
	FG_DO_HOLD = 16, /* start the hold timer again */
	FG_DO_UP = 32,
	FG_DO_APPLY = 64, /* use the content of the UPDATE */
};

struct fg_fsm_step {
	enum fg_peer_state next;
	uint8_t actions; /* enum fg_fsm_do */
	uint8_t code, subcode;
};

struct fg_fsm_step fg_fsm_step(enum fg_peer_state state, enum fg_fsm_event event);

#endif
