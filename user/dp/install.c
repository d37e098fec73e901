// SPDX-License-Identifier: MIT
/* Puts an image into the kernel: new inner arrays beside the running ones, one store to switch, then the old go. */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "dp/internal.h"
#include "util/cleanup.h"

/* One change of an outer map. @inner -1 removes the slot's table. */
struct outer_change {
	int outer;
	__u32 slot;
	int inner;
	int err;
};

static size_t stride_of(size_t element)
{
	return (element + 7) / 8 * 8; /* the kernel rounds array elements up */
}

static void fill(char *to, const struct fg_image_table *table)
{
	size_t stride = stride_of(table->element);

	if (stride == table->element && table->n) {
		memcpy(to, table->data, table->n * stride);
		return;
	}
	for (size_t i = 0; i < table->n; i++)
		memcpy(to + i * stride, (const char *)table->data + i * table->element,
		       table->element);
}

/* A frozen-in-use array with the content of @table; an empty table has one zero element. */
static int inner_new(const struct fg_image_table *table, const char *name)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	size_t n = table->n ? table->n : 1, size = n * stride_of(table->element);
	FG_AUTO_CLOSE int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(__u32),
					      (__u32)table->element, (__u32)n, &options);
	void *memory;

	if (fd < 0)
		return -errno;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	fill(memory, table);
	munmap(memory, size);
	return FG_TAKE_FD(fd);
}

static void *change_outer(void *arg)
{
	struct outer_change *change = arg;
	int failed = change->inner < 0 ? bpf_map_delete_elem(change->outer, &change->slot)
				       : bpf_map_update_elem(change->outer, &change->slot,
							     &change->inner, BPF_ANY);

	change->err = failed && !(change->inner < 0 && errno == ENOENT) ? -errno : 0;
	return NULL;
}

/* Each change of a map-in-map waits for an RCU grace period (milliseconds) in the kernel: together they wait for one. */
static int change_together(struct outer_change *change, size_t n)
{
	pthread_t thread[FG_TABLE_MAX];
	bool started[FG_TABLE_MAX] = { false };
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		started[i] = !pthread_create(&thread[i], NULL, change_outer, &change[i]);
		if (!started[i])
			change_outer(&change[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
		err = err ? err : change[i].err;
	}
	return err;
}

/* Points slot @slot of every outer map to inner[table], or empties it where that is -1. */
static int set_slot(struct fg_dp *dp, __u32 slot, const int *inner)
{
	struct outer_change change[FG_TABLE_MAX];

	for (int i = 0; i < FG_TABLE_MAX; i++)
		change[i] = (struct outer_change){ dp->map[i], slot, inner[i], 0 };
	return change_together(change, FG_TABLE_MAX);
}

static void close_all(int (*fds)[FG_TABLE_MAX])
{
	for (int i = 0; i < FG_TABLE_MAX; i++)
		fg_closep(&(*fds)[i]);
}

static int inner_all(const struct fg_image *image, int *fds)
{
	for (int i = 0; i < FG_TABLE_MAX; i++) {
		fds[i] = inner_new(&image->table[i], fg_map_names[i].name);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

/* Waits until no packet is judged by what `active` said before, then empties the old slot. */
static int retire(struct fg_dp *dp, __u32 old_slot, __u32 new_slot, const int *inner)
{
	static const int none[FG_TABLE_MAX] = { -1, -1, -1, -1, -1, -1, -1 };
	struct outer_change same = { dp->map[FG_MAP_t_meta], new_slot, inner[FG_TABLE_META], 0 };

	_Static_assert(FG_TABLE_MAX == 7, "one -1 per table");
	if (old_slot >= FG_TABLE_SLOTS)
		return 0;
	change_outer(&same); /* changes nothing, but returns after a grace period */
	return same.err ? same.err : set_slot(dp, old_slot, none);
}

int fg_dp_install(struct fg_dp *dp, const struct fg_image *image, struct fg_error *err)
{
	FG_CLEANUP(close_all) int inner[FG_TABLE_MAX] = { -1, -1, -1, -1, -1, -1, -1 };
	const struct fg_meta *meta = image->table[FG_TABLE_META].data;
	__u32 family = image->family, first = family * FG_GENERATIONS;
	struct fg_active old, next = { .token = meta->token };
	int failed;

	if (bpf_map_lookup_elem(dp->map[FG_MAP_active], &family, &old))
		return fg_error_set(err, -errno, "cannot read the running generation: %s",
				    strerror(errno));
	next.slot = old.slot == first ? first + 1 : first;
	failed = inner_all(image, inner);
	if (!failed)
		failed = set_slot(dp, next.slot, inner);
	if (failed)
		return fg_error_set(err, failed,
				    "cannot write the tables of %zu rules (%zu bytes): %s",
				    image->footprint.rules, image->footprint.bytes,
				    strerror(-failed));
	/* With no rule left the family is switched off: packets pay nothing. */
	if (!meta->n_rules)
		next.slot = FG_SLOT_NONE;
	if (bpf_map_update_elem(dp->map[FG_MAP_active], &family, &next, BPF_ANY))
		return fg_error_set(err, -errno, "cannot switch the generation: %s",
				    strerror(errno));
	failed = retire(dp, old.slot, old.slot == first ? first + 1 : first, inner);
	if (failed)
		return fg_error_set(err, failed, "cannot free the old tables: %s",
				    strerror(-failed));
	return 0;
}
