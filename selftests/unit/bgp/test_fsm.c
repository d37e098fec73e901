// SPDX-License-Identifier: MIT
/* The table of the BGP state machine against RFC 4271 section 8.2.2, and the set behind the prefix limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bgp/fsm.h"
#include "bgp/idset.h"
#include "bgp/msg.h"

#define ENDS (FG_DO_NOTIFY | FG_DO_CLOSE)

static void expect(enum fg_peer_state state, enum fg_fsm_event event, struct fg_fsm_step want)
{
	struct fg_fsm_step got = fg_fsm_step(state, event);

	if (got.next != want.next || got.actions != want.actions)
		print_error("in %s, event %d\n", fg_peer_state_text(state), event);
	assert_int_equal(got.next, want.next);
	assert_int_equal(got.actions, want.actions);
	assert_int_equal(got.code, want.code);
	assert_int_equal(got.subcode, want.subcode);
}

static void way_up(void **state)
{
	const struct fg_fsm_step open = { FG_PEER_OPENSENT, FG_DO_OPEN | FG_DO_HOLD, 0, 0 };
	(void)state;

	expect(FG_PEER_CONNECT, FG_EV_CONNECTED, open);
	expect(FG_PEER_ACTIVE, FG_EV_CONNECTED, open);
	expect(FG_PEER_OPENSENT, FG_EV_OPEN,
	       (struct fg_fsm_step){ FG_PEER_OPENCONFIRM, FG_DO_KEEPALIVE | FG_DO_HOLD, 0, 0 });
	expect(FG_PEER_OPENCONFIRM, FG_EV_KEEPALIVE,
	       (struct fg_fsm_step){ FG_PEER_ESTABLISHED, FG_DO_HOLD | FG_DO_UP, 0, 0 });
	expect(FG_PEER_ESTABLISHED, FG_EV_UPDATE,
	       (struct fg_fsm_step){ FG_PEER_ESTABLISHED, FG_DO_HOLD | FG_DO_APPLY, 0, 0 });
	expect(FG_PEER_ESTABLISHED, FG_EV_KEEPALIVE,
	       (struct fg_fsm_step){ FG_PEER_ESTABLISHED, FG_DO_HOLD, 0, 0 });
}

/* RFC 6608: the subcode of a Finite State Machine Error names the state. */
static void unexpected_messages(void **state)
{
	static const struct {
		enum fg_peer_state state;
		enum fg_fsm_event event;
	} cases[] = {
		{ FG_PEER_OPENSENT, FG_EV_KEEPALIVE }, { FG_PEER_OPENSENT, FG_EV_UPDATE },
		{ FG_PEER_OPENSENT, FG_EV_REFRESH },   { FG_PEER_OPENCONFIRM, FG_EV_OPEN },
		{ FG_PEER_OPENCONFIRM, FG_EV_UPDATE }, { FG_PEER_OPENCONFIRM, FG_EV_REFRESH },
		{ FG_PEER_ESTABLISHED, FG_EV_OPEN },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i].state, cases[i].event,
		       (struct fg_fsm_step){ FG_PEER_IDLE, ENDS, FG_BGP_ERR_FSM,
					     cases[i].state - FG_PEER_OPENSENT + 1 });
}

static void ways_down(void **state)
{
	(void)state;
	for (enum fg_peer_state s = FG_PEER_CONNECT; s < FG_PEER_STATES; s++) {
		bool talking = s >= FG_PEER_OPENSENT;
		uint8_t told = talking ? ENDS : FG_DO_CLOSE;

		/* Nothing is sent to a peer that is gone, or that has said its last word. */
		expect(s, FG_EV_LOST, (struct fg_fsm_step){ FG_PEER_IDLE, FG_DO_CLOSE, 0, 0 });
		expect(s, FG_EV_STOP, (struct fg_fsm_step){ FG_PEER_IDLE, told, 0, 0 });
		expect(s, FG_EV_FAULT, (struct fg_fsm_step){ FG_PEER_IDLE, told, 0, 0 });
		if (!talking)
			continue;
		expect(s, FG_EV_NOTIFICATION,
		       (struct fg_fsm_step){ FG_PEER_IDLE, FG_DO_CLOSE, 0, 0 });
		expect(s, FG_EV_HOLD_EXPIRED,
		       (struct fg_fsm_step){ FG_PEER_IDLE, ENDS, FG_BGP_ERR_HOLD, 0 });
	}
	for (enum fg_fsm_event e = 0; e < FG_EVENTS; e++)
		expect(FG_PEER_IDLE, e, (struct fg_fsm_step){ FG_PEER_IDLE, 0, 0, 0 });
}

static void id_set(void **state)
{
	enum { IDS = 5000 };
	struct fg_idset set = { .seed = 42 };
	(void)state;

	fg_idset_remove(&set, 1);
	assert_false(fg_idset_has(&set, 1));
	for (uint64_t id = 1; id <= IDS; id++)
		assert_int_equal(fg_idset_add(&set, id << 32), 0);
	assert_int_equal(fg_idset_add(&set, 7ULL << 32), 0);
	assert_int_equal(set.n, IDS);
	for (uint64_t id = 1; id <= IDS; id += 2)
		fg_idset_remove(&set, id << 32);
	fg_idset_remove(&set, 1ULL << 32);
	assert_int_equal(set.n, IDS / 2);
	for (uint64_t id = 1; id <= IDS; id++)
		assert_int_equal(fg_idset_has(&set, id << 32), id % 2 == 0);
	fg_idset_free(&set);
	assert_int_equal(set.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(way_up),
		cmocka_unit_test(unexpected_messages),
		cmocka_unit_test(ways_down),
		cmocka_unit_test(id_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
