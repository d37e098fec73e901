/* SPDX-License-Identifier: MIT */
/* The datapath as user space sees it: load or adopt, install generations, attach, read counters, run a packet. */
#ifndef FG_DP_DP_H
#define FG_DP_DP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compile/compile.h"
#include "fltgate/counters.h"
#include "fltgate/tables.h"
#include "util/error.h"

struct fg_dp;

struct fg_dp_options {
	const char *
		instance; /* pinned under FG_PIN_ROOT/v1/<instance>; NULL: private, nothing pinned */
	uint32_t capacity; /* rule slots; 0: FG_RULE_CAPACITY. An adopted instance keeps its own */
	bool trace;        /* private only: stages record every rule tried */
};

/* Loads the programs and maps, or adopts those already pinned (programs are replaced in place, maps and
 * counters kept). Errors name the mending command: privileges, bpffs, verifier. */
int fg_dp_open(const struct fg_dp_options *options, struct fg_dp **ret_dp, struct fg_error *err);

/* Closes the file descriptors; pinned objects go on filtering. NULL is fine. */
void fg_dp_close(struct fg_dp *dp);

/* Removes every pin of the instance (after detaching its interfaces). */
int fg_dp_remove(struct fg_dp *dp, struct fg_error *err);

/* True when fg_dp_open() found a running instance. */
bool fg_dp_adopted(const struct fg_dp *dp);
uint32_t fg_dp_capacity(const struct fg_dp *dp);

/* Builds the image's tables beside the running ones and switches the family over in one store. Returns
 * after every packet judged by the old tables has left; the old tables are freed. On error the old generation
 * runs on. */
int fg_dp_install(struct fg_dp *dp, const struct fg_image *image, struct fg_error *err);

/* Counter slots: the slot of rule @id, allocated (and zeroed) when it has none. -ENOSPC with @err when full. */
int fg_dp_slot_get(struct fg_dp *dp, enum fg_family family, uint64_t id, uint32_t *ret_slot,
		   struct fg_error *err);
/* Gives a slot back; no generation may use it any more. */
int fg_dp_slot_put(struct fg_dp *dp, enum fg_family family, uint64_t id);

/* Sums over CPUs. */
int fg_dp_rule_counter(struct fg_dp *dp, uint32_t slot, struct fg_rule_counter *ret);
int fg_dp_if_counters(struct fg_dp *dp, uint32_t ifindex, struct fg_if_counters *ret);

/* Control-plane guard (design.md section 4). @sources is borrowed. Replaces the earlier set. */
struct fg_guard_source {
	enum fg_family family;
	uint8_t addr[16];
	uint8_t prefix_len;
	uint32_t classes; /* enum fg_guard_class */
};
int fg_dp_guard(struct fg_dp *dp, uint32_t flags, const struct fg_guard_source *sources, size_t n,
		struct fg_error *err);

/* Runs one frame through the gate with BPF_PROG_TEST_RUN. *ret_action: XDP_PASS, XDP_DROP... @out (may be NULL)
 * receives the frame after the run, *out_len its size on entry and length on return.
 * @ns (may be NULL): average of @repeat runs. */
int fg_dp_run(struct fg_dp *dp, const void *frame, size_t len, unsigned repeat,
	      uint32_t *ret_action, void *out, size_t *out_len, uint32_t *ret_ns,
	      struct fg_error *err);

/* What the last fg_dp_run() of a tracing instance recorded. */
int fg_dp_trace(struct fg_dp *dp, struct fg_trace *ret, struct fg_error *err);

/* Figures for people: bytes of all maps, verified instructions per program. */
struct fg_dp_program_info {
	char name[16];
	uint32_t id;
	uint32_t verified; /* instructions the verifier processed */
	uint32_t jited;    /* bytes of machine code */
};
int fg_dp_program(struct fg_dp *dp, size_t i,
		  struct fg_dp_program_info *ret); /* -ENOENT past the end */
uint64_t fg_dp_memory(struct fg_dp *dp);           /* bytes of all maps, inner ones included */

/* File descriptors for others of user/dp and for tests; owned by @dp. */
int fg_dp_map_fd(struct fg_dp *dp, const char *name); /* -ENOENT */
int fg_dp_gate_fd(struct fg_dp *dp);
const char *fg_dp_pin_dir(const struct fg_dp *dp); /* NULL when private */

#endif
