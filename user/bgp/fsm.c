// SPDX-License-Identifier: MIT
/* The table of RFC 4271 section 8.2.2 for a speaker that only receives. */
#include "bgp/fsm.h"

#include "bgp/msg.h"

#define END                                     \
	{                                       \
		FG_PEER_IDLE, FG_DO_CLOSE, 0, 0 \
	}
#define REFUSE                                                 \
	{                                                      \
		FG_PEER_IDLE, FG_DO_NOTIFY | FG_DO_CLOSE, 0, 0 \
	}
#define HOLD_OVER                                                            \
	{                                                                    \
		FG_PEER_IDLE, FG_DO_NOTIFY | FG_DO_CLOSE, FG_BGP_ERR_HOLD, 0 \
	}
/* RFC 6608: which message was not expected is told by the state. */
#define UNEXPECTED(subcode)                                                       \
	{                                                                         \
		FG_PEER_IDLE, FG_DO_NOTIFY | FG_DO_CLOSE, FG_BGP_ERR_FSM, subcode \
	}

/* Rows and fields not named are { Idle, nothing }: there is no connection left that could act. */
static const struct fg_fsm_step table[FG_PEER_STATES][FG_EVENTS] = {
	[FG_PEER_CONNECT] = {
		[FG_EV_CONNECTED] = { FG_PEER_OPENSENT, FG_DO_OPEN | FG_DO_HOLD, 0, 0 },
		[FG_EV_LOST] = END,
		[FG_EV_FAULT] = END,
		[FG_EV_STOP] = END,
	},
	[FG_PEER_ACTIVE] = {
		[FG_EV_CONNECTED] = { FG_PEER_OPENSENT, FG_DO_OPEN | FG_DO_HOLD, 0, 0 },
		[FG_EV_LOST] = END,
		[FG_EV_FAULT] = END,
		[FG_EV_STOP] = END,
	},
	[FG_PEER_OPENSENT] = {
		[FG_EV_CONNECTED] = { FG_PEER_OPENSENT, 0, 0, 0 },
		[FG_EV_LOST] = END,
		[FG_EV_HOLD_EXPIRED] = HOLD_OVER,
		[FG_EV_OPEN] = { FG_PEER_OPENCONFIRM, FG_DO_KEEPALIVE | FG_DO_HOLD, 0, 0 },
		[FG_EV_KEEPALIVE] = UNEXPECTED(1),
		[FG_EV_UPDATE] = UNEXPECTED(1),
		[FG_EV_REFRESH] = UNEXPECTED(1),
		[FG_EV_NOTIFICATION] = END,
		[FG_EV_FAULT] = REFUSE,
		[FG_EV_STOP] = REFUSE,
	},
	[FG_PEER_OPENCONFIRM] = {
		[FG_EV_CONNECTED] = { FG_PEER_OPENCONFIRM, 0, 0, 0 },
		[FG_EV_LOST] = END,
		[FG_EV_HOLD_EXPIRED] = HOLD_OVER,
		[FG_EV_OPEN] = UNEXPECTED(2),
		[FG_EV_KEEPALIVE] = { FG_PEER_ESTABLISHED, FG_DO_HOLD | FG_DO_UP, 0, 0 },
		[FG_EV_UPDATE] = UNEXPECTED(2),
		[FG_EV_REFRESH] = UNEXPECTED(2),
		[FG_EV_NOTIFICATION] = END,
		[FG_EV_FAULT] = REFUSE,
		[FG_EV_STOP] = REFUSE,
	},
	[FG_PEER_ESTABLISHED] = {
		[FG_EV_CONNECTED] = { FG_PEER_ESTABLISHED, 0, 0, 0 },
		[FG_EV_LOST] = END,
		[FG_EV_HOLD_EXPIRED] = HOLD_OVER,
		[FG_EV_OPEN] = UNEXPECTED(3),
		[FG_EV_KEEPALIVE] = { FG_PEER_ESTABLISHED, FG_DO_HOLD, 0, 0 },
		[FG_EV_UPDATE] = { FG_PEER_ESTABLISHED, FG_DO_HOLD | FG_DO_APPLY, 0, 0 },
		/* We announce nothing, so there is nothing to announce again. */
		[FG_EV_REFRESH] = { FG_PEER_ESTABLISHED, 0, 0, 0 },
		[FG_EV_NOTIFICATION] = END,
		[FG_EV_FAULT] = REFUSE,
		[FG_EV_STOP] = REFUSE,
	},
};

struct fg_fsm_step fg_fsm_step(enum fg_peer_state state, enum fg_fsm_event event)
{
	return table[state][event];
}
