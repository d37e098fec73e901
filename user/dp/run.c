// SPDX-License-Identifier: MIT
/* Runs one frame through the loaded programs, and tells what the programs and maps cost. */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <string.h>

#include "dp/internal.h"
#include "util/cleanup.h"

static int trace_reset(struct fg_dp *dp)
{
	static const struct fg_trace empty = { .got.rule = FG_NO_RULE };
	__u32 zero = 0;

	/* Pinned instances do not trace. */
	if (dp->dir[0])
		return 0;
	return bpf_map_update_elem(dp->map[FG_MAP_trace], &zero, &empty, BPF_ANY) ? -errno : 0;
}

int fg_dp_run(struct fg_dp *dp, const void *frame, size_t len, unsigned repeat,
	      uint32_t *ret_action, void *out, size_t *out_len, uint32_t *ret_ns,
	      struct fg_error *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = (__u32)len,
		    .data_out = out, .data_size_out = out ? (__u32)*out_len : 0,
		    .repeat = (int)(repeat ? repeat : 1));
	int failed;

	if (len < ETH_HLEN)
		return fg_error_set(err, -EINVAL, "a frame of %zu octets has no Ethernet header",
				    len);
	failed = trace_reset(dp);
	if (!failed && bpf_prog_test_run_opts(dp->program[0], &run))
		failed = -errno;
	if (failed)
		return fg_error_set(err, failed, "cannot run a frame of %zu octets: %s", len,
				    strerror(-failed));
	*ret_action = run.retval;
	if (out)
		*out_len = run.data_size_out;
	if (ret_ns)
		*ret_ns = run.duration;
	return 0;
}

int fg_dp_trace(struct fg_dp *dp, struct fg_trace *ret, struct fg_error *err)
{
	__u32 zero = 0;

	if (dp->map[FG_MAP_trace] < 0)
		return fg_error_set(err, -ENOENT, "a pinned instance records no trace");
	if (bpf_map_lookup_elem(dp->map[FG_MAP_trace], &zero, ret))
		return fg_error_set(err, -errno, "cannot read the trace: %s", strerror(errno));
	return 0;
}

int fg_dp_program(struct fg_dp *dp, size_t i, struct fg_dp_program_info *ret)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (i >= FG_PROGRAM_MAX)
		return -ENOENT;
	if (bpf_obj_get_info_by_fd(dp->program[i], &info, &len))
		return -errno;
	*ret = (struct fg_dp_program_info){ .id = info.id,
					    .verified = info.verified_insns,
					    .jited = info.jited_prog_len };
	(void)snprintf(ret->name, sizeof(ret->name), "%s", info.name);
	return 0;
}

/* The kernel's own figure; 0 when it gives none. */
static uint64_t map_bytes(int fd)
{
	char path[64], line[128];
	uint64_t bytes = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	if (file)
		(void)fclose(file);
	return bytes;
}

static uint64_t inner_bytes(int outer)
{
	uint64_t sum = 0;

	for (__u32 slot = 0; slot < FG_TABLE_SLOTS; slot++) {
		FG_AUTO_CLOSE int fd = -1;
		__u32 id;

		if (bpf_map_lookup_elem(outer, &slot, &id))
			continue;
		fd = bpf_map_get_fd_by_id(id);
		if (fd >= 0)
			sum += map_bytes(fd);
	}
	return sum;
}

uint64_t fg_dp_memory(struct fg_dp *dp)
{
	uint64_t sum = 0;

	for (int i = 0; i < FG_MAP_MAX; i++)
		if (dp->map[i] >= 0)
			sum += map_bytes(dp->map[i]) +
			       (i < FG_TABLE_MAX ? inner_bytes(dp->map[i]) : 0);
	return sum;
}
