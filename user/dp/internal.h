/* SPDX-License-Identifier: MIT */
/* The datapath handle as the files of user/dp share it. */
#ifndef FG_DP_INTERNAL_H
#define FG_DP_INTERNAL_H

#include <limits.h>

#include "dp/dp.h"

/* Maps that user space holds: X(name, pinned). The outer maps t_<name> come from FG_TABLES. */
#define FG_MAPS(X)             \
	X(active, true)        \
	X(packets, true)       \
	X(if_counters, true)   \
	X(rule_counters, true) \
	X(rule_ids, true)      \
	X(policers, true)      \
	X(guard_config, true)  \
	X(guard_sources, true) \
	X(samples, true)       \
	X(stages, true)        \
	X(instance, true)      \
	X(trace, false)

enum fg_map {
#define FG_TABLE_MAP_ENUM(NAME, name, type) FG_MAP_t_##name,
	FG_TABLES(FG_TABLE_MAP_ENUM)
#undef FG_TABLE_MAP_ENUM
#define FG_MAP_ENUM(name, pinned) FG_MAP_##name,
		FG_MAPS(FG_MAP_ENUM)
#undef FG_MAP_ENUM
			FG_MAP_MAX,
};
_Static_assert((int)FG_MAP_t_meta == (int)FG_TABLE_META,
	       "the outer maps come first, in table order");

struct fg_map_name {
	const char *name;
	bool pinned;
};
extern const struct fg_map_name fg_map_names[FG_MAP_MAX];

/* Programs: the gate, then one per stage. */
struct fg_program_name {
	const char *name;
	int stage; /* slot in `stages`, -1: the gate */
};
#define FG_PROGRAM_MAX 2
extern const struct fg_program_name fg_program_names[FG_PROGRAM_MAX];

/* Slots of rule counters: which rule has which. */
struct fg_slots {
	struct fg_rule_id *ids; /* the map rule_ids, mmap'ed, @capacity of them */
	uint32_t capacity;
	uint32_t *bucket; /* [n_buckets] first slot + 1 of a hash chain */
	uint32_t *next;   /* [capacity] next slot + 1, also of the free list */
	uint32_t free;    /* first free slot + 1 */
	uint32_t n_buckets;
};

struct fg_dp {
	char dir[PATH_MAX]; /* pin directory, "" when private */
	int map[FG_MAP_MAX];
	int program[FG_PROGRAM_MAX];
	bool adopted;
	struct fg_slots slots;
};

/* load.c: loads the object, reusing the pinned maps of @dp->dir, and replaces the pinned programs. */
int fg_dp_load(struct fg_dp *dp, const struct fg_dp_options *options, struct fg_error *err);
/* Hash of the embedded BPF object. */
uint64_t fg_dp_object_hash(void);

/* pins.c */
int fg_pins_prepare(struct fg_dp *dp, const char *instance,
		    struct fg_error *err); /* names and makes dp->dir */
int fg_pins_adopt(struct fg_dp *dp,
		  uint64_t object_hash); /* 0: all fds opened; -ENOENT: nothing (fitting) pinned */
uint32_t fg_pins_capacity(const struct fg_dp *dp); /* of the pinned maps, 0: none */
int fg_pin_replace(const struct fg_dp *dp, int fd, const char *name, struct fg_error *err);

/* slots.c */
int fg_slots_open(struct fg_slots *slots, int rule_ids_fd, struct fg_error *err);
void fg_slots_close(struct fg_slots *slots);

#endif
