// SPDX-License-Identifier: MIT
/* Counter slots of rules that an earlier process knew and this one does not: given back after
 * adopting its datapath. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "util/cleanup.h"

/* A flag per slot: a destination of @family counts there. */
static bool *slots_in_use(struct fg_daemon *daemon, enum fg_family family)
{
	uint32_t capacity = fg_dp_capacity(daemon->dp);
	bool *used = calloc(capacity + 1, sizeof(*used));
	size_t n = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);

	for (size_t i = 0; used && i < n; i++)
		if (all[i]->slot < capacity)
			used[all[i]->slot] = true;
	return used;
}

size_t fg_slots_reclaim(struct fg_daemon *daemon, enum fg_family family)
{
	FG_AUTO_FREE bool *used = slots_in_use(daemon, family);
	int ids = fg_dp_map_fd(daemon->dp, "rule_ids");
	size_t n = 0;

	for (uint32_t slot = 0; used && ids >= 0 && slot < fg_dp_capacity(daemon->dp); slot++) {
		struct fg_rule_id owner = { 0 };

		if (used[slot] || bpf_map_lookup_elem(ids, &slot, &owner) || !owner.id ||
		    owner.family != (uint32_t)family)
			continue;
		n += fg_dp_slot_put(daemon->dp, family, owner.id) == 0;
	}
	return n;
}
