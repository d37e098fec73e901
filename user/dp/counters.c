// SPDX-License-Identifier: MIT
/* Reads what the datapath counted, summed over CPUs, and sets the control-plane guard. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dp/internal.h"
#include "util/cleanup.h"

/* Reads a per-CPU value of @words 64-bit words and sums it into @sum; the last @maxima words are maxima. */
static int sum_cpus(int fd, const void *key, size_t words, size_t maxima, __u64 *sum)
{
	int cpus = libbpf_num_possible_cpus();
	FG_AUTO_FREE __u64 *values =
		cpus > 0 ? calloc((size_t)cpus * words, sizeof(*values)) : NULL;

	if (!values)
		return -ENOMEM;
	if (bpf_map_lookup_elem(fd, key, values))
		return -errno;
	memset(sum, 0, words * sizeof(*sum));
	for (size_t cpu = 0; cpu < (size_t)cpus; cpu++)
		for (size_t i = 0; i < words; i++) {
			__u64 value = values[cpu * words + i];

			if (i < words - maxima)
				sum[i] += value;
			else if (value > sum[i])
				sum[i] = value;
		}
	return 0;
}

int fg_dp_rule_counter(struct fg_dp *dp, uint32_t slot, struct fg_rule_counter *ret)
{
	__u64 sum[sizeof(*ret) / sizeof(__u64)];
	int err = sum_cpus(dp->map[FG_MAP_rule_counters], &slot, FG_ARRAY_SIZE(sum), 1, sum);

	if (!err)
		memcpy(ret, sum, sizeof(*ret));
	return err;
}

int fg_dp_if_counters(struct fg_dp *dp, uint32_t ifindex, struct fg_if_counters *ret)
{
	__u64 sum[sizeof(*ret) / sizeof(__u64)];
	int err = sum_cpus(dp->map[FG_MAP_if_counters], &ifindex, FG_ARRAY_SIZE(sum), 0, sum);

	if (err && err != -ENOENT)
		return err;
	if (err)
		memset(sum, 0, sizeof(sum)); /* no packet seen yet */
	memcpy(ret, sum, sizeof(*ret));
	return 0;
}

/* A longer prefix hides a shorter one from the LPM lookup: it takes over the classes of all that cover it. */
static bool covers(const struct fg_guard_source *wide, const struct fg_guard_source *narrow)
{
	unsigned octets = wide->prefix_len / 8, bits = wide->prefix_len % 8;

	if (wide->family != narrow->family || wide->prefix_len > narrow->prefix_len)
		return false;
	if (memcmp(wide->addr, narrow->addr, octets))
		return false;
	return !bits || !((wide->addr[octets] ^ narrow->addr[octets]) & (0xff << (8 - bits)));
}

static int guard_source_set(int fd, const struct fg_guard_source *source, __u32 classes)
{
	struct fg_guard_key key = { .prefix_len = 32 + (__u32)source->prefix_len,
				    .family = source->family };

	memcpy(key.addr, source->addr, sizeof(key.addr));
	return bpf_map_update_elem(fd, &key, &classes, BPF_ANY) ? -errno : 0;
}

static bool guard_wanted(const struct fg_guard_key *key, const struct fg_guard_source *sources,
			 size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (key->family == (__u32)sources[i].family &&
		    key->prefix_len == 32 + (__u32)sources[i].prefix_len &&
		    !memcmp(key->addr, sources[i].addr, sizeof(key->addr)))
			return true;
	return false;
}

/* Removes what the new set does not have; the others were written before, so no source is ever without its guard. */
static void guard_prune(int fd, const struct fg_guard_source *sources, size_t n)
{
	struct fg_guard_key key, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &key);

	while (more) {
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!guard_wanted(&key, sources, n))
			(void)bpf_map_delete_elem(fd, &key); /* gone already: fine */
		key = next;
	}
}

int fg_dp_guard(struct fg_dp *dp, uint32_t flags, const struct fg_guard_source *sources, size_t n,
		struct fg_error *err)
{
	struct fg_guard_config config = { .flags = flags | (n ? FG_GUARD_SOURCES : 0) };
	int fd = dp->map[FG_MAP_guard_sources], failed = 0;
	__u32 zero = 0;

	for (size_t i = 0; !failed && i < n; i++) {
		__u32 classes = 0;

		for (size_t j = 0; j < n; j++)
			if (covers(&sources[j], &sources[i]))
				classes |= sources[j].classes;
		failed = guard_source_set(fd, &sources[i], classes);
	}
	if (failed)
		return fg_error_set(err, failed, "cannot write the guard's sources: %s",
				    strerror(-failed));
	guard_prune(fd, sources, n);
	if (bpf_map_update_elem(dp->map[FG_MAP_guard_config], &zero, &config, BPF_ANY))
		return fg_error_set(err, -errno, "cannot write the guard: %s", strerror(errno));
	return 0;
}
