// SPDX-License-Identifier: MIT
/* Opens the datapath: adopts what is pinned, or loads the embedded object around the pinned maps. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/internal.h"
#include "fltgate.skel.h"
#include "fltgate/names.h"
#include "util/cleanup.h"
#include "util/hash.h"

const struct fg_map_name fg_map_names[FG_MAP_MAX] = {
#define FG_TABLE_MAP_NAME(NAME, name, type) [FG_MAP_t_##name] = { "t_" #name, true },
	FG_TABLES(FG_TABLE_MAP_NAME)
#undef FG_TABLE_MAP_NAME
#define FG_MAP_NAME(name, pinned) [FG_MAP_##name] = { #name, pinned },
		FG_MAPS(FG_MAP_NAME)
#undef FG_MAP_NAME
};

const struct fg_program_name fg_program_names[FG_PROGRAM_MAX] = {
	{ FG_PROGRAM_GATE, -1 },
	{ "residual", FG_STAGE_RESIDUAL },
};

/* What libbpf complained of first, and the verifier's reason: better than the errno. */
static char libbpf_words[256], verifier_words[160];

/* The last line of a verifier log that is not its statistics. */
static void keep_verdict(char *log)
{
	static const char *const statistics[] = { "processed ", "verification time", "stack depth",
						  "-- " };
	char *state = NULL;

	for (char *line = strtok_r(log, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		bool skip = false;

		for (size_t i = 0; i < FG_ARRAY_SIZE(statistics); i++)
			skip = skip || strstr(line, statistics[i]) == line;
		if (!skip)
			(void)snprintf(verifier_words, sizeof(verifier_words), "%s", line);
	}
}

__attribute__((format(printf, 2, 0))) static int keep_words(enum libbpf_print_level level,
							    const char *format, va_list ap)
{
	FG_AUTO_FREE char *text = NULL;

	if (level != LIBBPF_WARN || vasprintf(&text, format, ap) < 0)
		return 0;
	if (strstr(text, "BEGIN PROG LOAD LOG"))
		keep_verdict(text);
	else if (!libbpf_words[0]) /* what follows only repeats that loading failed */
		(void)snprintf(libbpf_words, sizeof(libbpf_words), "%.*s", (int)strcspn(text, "\n"),
			       text);
	return 0;
}

static int load_failed(int code, struct fg_error *err)
{
	fg_error_set(err, code, "cannot load the datapath: %s (%s%s%s)", strerror(-code),
		     libbpf_words[0] ? libbpf_words : "no further word",
		     verifier_words[0] ? "; verifier: " : "", verifier_words);
	if (code == -EPERM || (code == -EACCES && geteuid() != 0))
		return fg_error_fix(err,
				    "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON");
	if (code == -E2BIG || code == -EINVAL || code == -EACCES)
		return fg_error_fix(err,
				    "report this with `uname -r`; kernel 6.1 or later is needed");
	return code;
}

uint64_t fg_dp_object_hash(void)
{
	size_t size;
	const void *object = fltgate__elf_bytes(&size);

	return fg_hash64(object, size, FG_ABI_VERSION);
}

static int size_maps(struct bpf_object *object, uint32_t capacity)
{
	static const char *const per_rule[] = { "rule_counters", "rule_ids", "policers" };
	int err = 0;

	for (size_t i = 0; !err && i < FG_ARRAY_SIZE(per_rule); i++)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, per_rule[i]),
					       capacity);
	return err;
}

/* libbpf reuses a map whose pin path exists and pins it otherwise. */
static int name_pins(const struct fg_dp *dp, struct bpf_object *object)
{
	char path[PATH_MAX];

	for (int i = 0; dp->dir[0] && i < FG_MAP_MAX; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, fg_map_names[i].name);
		int err;

		if (!fg_map_names[i].pinned)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", dp->dir, fg_map_names[i].name) >=
		    (int)sizeof(path))
			return -ENAMETOOLONG;
		err = bpf_map__set_pin_path(map, path);
		if (err)
			return err;
	}
	return 0;
}

static int take_fd(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

static int take_fds(struct fg_dp *dp, struct bpf_object *object)
{
	for (int i = 0; i < FG_MAP_MAX; i++) {
		dp->map[i] = take_fd(bpf_object__find_map_fd_by_name(object, fg_map_names[i].name));
		if (dp->map[i] < 0)
			return dp->map[i];
	}
	for (int i = 0; i < FG_PROGRAM_MAX; i++) {
		dp->program[i] = take_fd(bpf_program__fd(
			bpf_object__find_program_by_name(object, fg_program_names[i].name)));
		if (dp->program[i] < 0)
			return dp->program[i];
	}
	return 0;
}

static int no_rules_yet(struct fg_dp *dp)
{
	struct fg_active none = { .slot = FG_SLOT_NONE };
	int err = 0;

	for (__u32 family = 0; !err && family < FG_FAMILIES; family++)
		err = bpf_map_update_elem(dp->map[FG_MAP_active], &family, &none, BPF_ANY) ? -errno
											   : 0;
	return err;
}

/* Stages before the gate: a gate never finds its next stage missing. */
static int publish(struct fg_dp *dp, bool fresh, uint32_t capacity, struct fg_error *err)
{
	struct fg_instance instance = { fg_dp_object_hash(), FG_ABI_VERSION, capacity };
	__u32 zero = 0;
	int failed = fresh ? no_rules_yet(dp) : 0;

	for (int i = FG_PROGRAM_MAX - 1; !failed && i >= 0; i--) {
		__u32 stage = (__u32)fg_program_names[i].stage;

		if (fg_program_names[i].stage >= 0 &&
		    bpf_map_update_elem(dp->map[FG_MAP_stages], &stage, &dp->program[i], BPF_ANY))
			failed = -errno;
		if (!failed && dp->dir[0])
			failed = fg_pin_replace(dp, dp->program[i], fg_program_names[i].name, err);
	}
	if (failed)
		return failed;
	return bpf_map_update_elem(dp->map[FG_MAP_instance], &zero, &instance, BPF_ANY) ? -errno
											: 0;
}

static void destroy_skeleton(struct fltgate **skeleton)
{
	fltgate__destroy(*skeleton);
}

int fg_dp_load(struct fg_dp *dp, const struct fg_dp_options *options, struct fg_error *err)
{
	FG_CLEANUP(destroy_skeleton) struct fltgate *skeleton = NULL;
	uint32_t pinned = dp->dir[0] ? fg_pins_capacity(dp) : 0, capacity;
	libbpf_print_fn_t before;
	int failed;

	capacity = pinned ? pinned : options->capacity ? options->capacity : FG_RULE_CAPACITY;
	libbpf_words[0] = verifier_words[0] = '\0';
	before = libbpf_set_print(keep_words);
	skeleton = fltgate__open();
	failed = skeleton ? size_maps(skeleton->obj, capacity) : -errno;
	if (!failed) {
		skeleton->rodata->fg_tracing = options->trace;
		failed = name_pins(dp, skeleton->obj);
	}
	if (!failed)
		failed = fltgate__load(skeleton);
	libbpf_set_print(before);
	if (failed)
		return load_failed(failed, err);
	failed = take_fds(dp, skeleton->obj);
	return failed ? failed : publish(dp, !pinned, capacity, err);
}

static struct fg_dp *dp_new(void)
{
	struct fg_dp *dp = calloc(1, sizeof(*dp));

	for (int i = 0; dp && i < FG_MAP_MAX; i++)
		dp->map[i] = -1;
	for (int i = 0; dp && i < FG_PROGRAM_MAX; i++)
		dp->program[i] = -1;
	return dp;
}

static void dp_closep(struct fg_dp **dp)
{
	fg_dp_close(*dp);
}

static void close_fds(struct fg_dp *dp)
{
	for (int i = 0; i < FG_MAP_MAX; i++)
		fg_closep(&dp->map[i]);
	for (int i = 0; i < FG_PROGRAM_MAX; i++)
		fg_closep(&dp->program[i]);
}

int fg_dp_open(const struct fg_dp_options *options, struct fg_dp **ret_dp, struct fg_error *err)
{
	FG_CLEANUP(dp_closep) struct fg_dp *dp = dp_new();
	int failed = 0;

	if (!dp)
		return fg_error_set(err, -ENOMEM, "no memory for the datapath handle");
	if (options->instance)
		failed = fg_pins_prepare(dp, options->instance, err);
	if (failed)
		return failed;
	dp->adopted = options->instance && !fg_pins_adopt(dp, fg_dp_object_hash());
	if (!dp->adopted) {
		close_fds(dp);
		failed = fg_dp_load(dp, options, err);
	}
	if (!failed)
		failed = fg_slots_open(&dp->slots, dp->map[FG_MAP_rule_ids], err);
	if (failed)
		return failed;
	*ret_dp = FG_TAKE_PTR(dp);
	return 0;
}

void fg_dp_close(struct fg_dp *dp)
{
	if (!dp)
		return;
	fg_slots_close(&dp->slots);
	close_fds(dp);
	free(dp);
}

bool fg_dp_adopted(const struct fg_dp *dp)
{
	return dp->adopted;
}

uint32_t fg_dp_capacity(const struct fg_dp *dp)
{
	return dp->slots.capacity;
}

int fg_dp_map_fd(struct fg_dp *dp, const char *name)
{
	for (int i = 0; i < FG_MAP_MAX; i++)
		if (!strcmp(fg_map_names[i].name, name))
			return dp->map[i] < 0 ? -ENOENT : dp->map[i];
	return -ENOENT;
}

int fg_dp_gate_fd(struct fg_dp *dp)
{
	return dp->program[0];
}

const char *fg_dp_pin_dir(const struct fg_dp *dp)
{
	return dp->dir[0] ? dp->dir : NULL;
}
