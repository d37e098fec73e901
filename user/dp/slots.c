// SPDX-License-Identifier: MIT
/* Which rule counts in which slot: kept in the pinned map rule_ids, so that counters outlive the daemon. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dp/internal.h"
#include "util/cleanup.h"

static size_t ids_size(const struct fg_slots *slots)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (slots->capacity * sizeof(struct fg_rule_id) + page - 1) / page * page;
}

static uint32_t *bucket_of(struct fg_slots *slots, uint64_t id)
{
	return &slots->bucket[id & (slots->n_buckets - 1)];
}

static void slots_index(struct fg_slots *slots)
{
	for (uint32_t i = slots->capacity; i-- > 0;) {
		uint32_t *head =
			slots->ids[i].id ? bucket_of(slots, slots->ids[i].id) : &slots->free;

		slots->next[i] = *head;
		*head = i + 1;
	}
}

int fg_slots_open(struct fg_slots *slots, int rule_ids_fd, struct fg_error *err)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	void *ids;

	if (bpf_obj_get_info_by_fd(rule_ids_fd, &info, &len))
		return fg_error_set(err, -errno, "cannot read the size of rule_ids: %s",
				    strerror(errno));
	slots->capacity = info.max_entries;
	for (slots->n_buckets = 1; slots->n_buckets < slots->capacity;)
		slots->n_buckets *= 2;
	ids = mmap(NULL, ids_size(slots), PROT_READ | PROT_WRITE, MAP_SHARED, rule_ids_fd, 0);
	if (ids == MAP_FAILED)
		return fg_error_set(err, -errno, "cannot map rule_ids: %s", strerror(errno));
	slots->ids = ids;
	slots->bucket = calloc(slots->n_buckets, sizeof(*slots->bucket));
	slots->next = calloc(slots->capacity, sizeof(*slots->next));
	if (!slots->bucket || !slots->next)
		return fg_error_set(err, -ENOMEM, "no memory for %u rule slots", slots->capacity);
	slots_index(slots);
	return 0;
}

void fg_slots_close(struct fg_slots *slots)
{
	if (slots->ids)
		munmap(slots->ids, ids_size(slots));
	free(slots->bucket);
	free(slots->next);
	*slots = (struct fg_slots){ 0 };
}

/* The link (bucket or next entry) that points to the slot of @id, or to 0. */
static uint32_t *slot_link(struct fg_slots *slots, enum fg_family family, uint64_t id)
{
	uint32_t *link = bucket_of(slots, id);

	while (*link &&
	       (slots->ids[*link - 1].id != id || slots->ids[*link - 1].family != (__u32)family))
		link = &slots->next[*link - 1];
	return link;
}

/* New owner, new counters. */
static int slot_clear(struct fg_dp *dp, uint32_t slot)
{
	int cpus = libbpf_num_possible_cpus();
	FG_AUTO_FREE struct fg_rule_counter *zero =
		calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*zero));
	struct fg_policer idle = { .pad = 0 };

	if (!zero)
		return -ENOMEM;
	if (bpf_map_update_elem(dp->map[FG_MAP_rule_counters], &slot, zero, BPF_ANY) ||
	    bpf_map_update_elem(dp->map[FG_MAP_policers], &slot, &idle, BPF_ANY))
		return -errno;
	return 0;
}

int fg_dp_slot_get(struct fg_dp *dp, enum fg_family family, uint64_t id, uint32_t *ret_slot,
		   struct fg_error *err)
{
	struct fg_slots *slots = &dp->slots;
	uint32_t *link = slot_link(slots, family, id), slot;
	int failed;

	if (*link) {
		*ret_slot = *link - 1;
		return 0;
	}
	if (!slots->free) {
		fg_error_set(err, -ENOSPC, "all %u rule slots are in use", slots->capacity);
		return fg_error_fix(err,
				    "set system rule-capacity to more and load the datapath anew");
	}
	slot = slots->free - 1;
	failed = slot_clear(dp, slot);
	if (failed)
		return fg_error_set(err, failed, "cannot clear the counters of slot %u: %s", slot,
				    strerror(-failed));
	slots->free = slots->next[slot];
	slots->ids[slot] = (struct fg_rule_id){ .id = id, .family = family };
	slots->next[slot] = *bucket_of(slots, id);
	*bucket_of(slots, id) = slot + 1;
	*ret_slot = slot;
	return 0;
}

int fg_dp_slot_put(struct fg_dp *dp, enum fg_family family, uint64_t id)
{
	struct fg_slots *slots = &dp->slots;
	uint32_t *link = slot_link(slots, family, id), slot;

	if (!*link)
		return -ENOENT;
	slot = *link - 1;
	*link = slots->next[slot];
	slots->ids[slot] = (struct fg_rule_id){ 0 };
	slots->next[slot] = slots->free;
	slots->free = slot + 1;
	return 0;
}
