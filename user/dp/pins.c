// SPDX-License-Identifier: MIT
/* The pin directory of an instance: made, adopted after a restart, exchanged without a gap, removed. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "dp/attach.h"
#include "dp/internal.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

static int pin_path(const struct fg_dp *dp, const char *name, char *path, size_t size)
{
	int len = snprintf(path, size, "%s/%s", dp->dir, name);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

static int make_dir(const char *path, struct fg_error *err)
{
	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	fg_error_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
	return fg_error_fix(
		err,
		"run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON and write access to %s",
		FG_BPFFS);
}

static bool instance_name_valid(const char *name)
{
	/* bpffs reserves dots; a slash would leave the directory. */
	return *name && strlen(name) < 64 && !strpbrk(name, "./ ");
}

int fg_pins_prepare(struct fg_dp *dp, const char *instance, struct fg_error *err)
{
	struct statfs fs;
	int failed;

	if (!instance_name_valid(instance))
		return fg_error_set(
			err, -EINVAL,
			"instance name \"%s\": 1-63 characters without dot, slash, blank",
			instance);
	if (statfs(FG_BPFFS, &fs) || fs.f_type != BPF_FS_MAGIC) {
		fg_error_set(err, -ENOENT, "no bpf file system at %s", FG_BPFFS);
		return fg_error_fix(err, "mount -t bpf bpf %s", FG_BPFFS);
	}
	(void)snprintf(dp->dir, sizeof(dp->dir), "%s/%s/%s", FG_PIN_ROOT, FG_ABI_DIR, instance);
	failed = make_dir(FG_PIN_ROOT, err);
	if (!failed)
		failed = make_dir(FG_PIN_ROOT "/" FG_ABI_DIR, err);
	return failed ? failed : make_dir(dp->dir, err);
}

static int get_pin(const struct fg_dp *dp, const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (pin_path(dp, name, path, sizeof(path)))
		return -ENAMETOOLONG;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static bool same_object(int instance_fd, uint64_t object_hash)
{
	struct fg_instance instance;
	__u32 zero = 0;

	return !bpf_map_lookup_elem(instance_fd, &zero, &instance) &&
	       instance.object_hash == object_hash;
}

int fg_pins_adopt(struct fg_dp *dp, uint64_t object_hash)
{
	FG_AUTO_CLOSE int instance = get_pin(dp, "instance");

	if (instance < 0 || !same_object(instance, object_hash))
		return -ENOENT;
	for (int i = 0; i < FG_MAP_MAX; i++) {
		if (!fg_map_names[i].pinned)
			continue;
		dp->map[i] = get_pin(dp, fg_map_names[i].name);
		if (dp->map[i] < 0)
			return -ENOENT;
	}
	for (int i = 0; i < FG_PROGRAM_MAX; i++) {
		dp->program[i] = get_pin(dp, fg_program_names[i].name);
		if (dp->program[i] < 0)
			return -ENOENT;
	}
	return 0;
}

uint32_t fg_pins_capacity(const struct fg_dp *dp)
{
	FG_AUTO_CLOSE int fd = get_pin(dp, "rule_ids");
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.max_entries;
}

/* Pins beside the old pin and renames over it: whoever opens the name finds one of the two. */
int fg_pin_replace(const struct fg_dp *dp, int fd, const char *name, struct fg_error *err)
{
	char path[PATH_MAX], fresh[PATH_MAX], fresh_name[64];

	(void)snprintf(fresh_name, sizeof(fresh_name), "%s_new", name);
	if (pin_path(dp, name, path, sizeof(path)) ||
	    pin_path(dp, fresh_name, fresh, sizeof(fresh)))
		return fg_error_set(err, -ENAMETOOLONG, "%s/%s: path too long", dp->dir, name);
	(void)unlink(fresh);
	if (bpf_obj_pin(fd, fresh) || rename(fresh, path))
		return fg_error_set(err, -errno, "cannot pin %s: %s", path, strerror(errno));
	return 0;
}

static int detach_one(const struct fg_attachment *attachment, void *arg)
{
	return fg_detach(arg, attachment->ifname, NULL);
}

int fg_dp_remove(struct fg_dp *dp, struct fg_error *err)
{
	char path[PATH_MAX];
	int failed;

	if (!dp->dir[0])
		return 0;
	failed = fg_attached_each(dp, detach_one, dp, err);
	if (failed)
		return failed;
	for (int i = 0; i < FG_MAP_MAX; i++)
		if (fg_map_names[i].pinned &&
		    !pin_path(dp, fg_map_names[i].name, path, sizeof(path)))
			(void)unlink(path);
	for (int i = 0; i < FG_PROGRAM_MAX; i++)
		if (!pin_path(dp, fg_program_names[i].name, path, sizeof(path)))
			(void)unlink(path);
	if (!pin_path(dp, "links", path, sizeof(path)))
		(void)rmdir(path);
	if (rmdir(dp->dir) && errno != ENOENT)
		return fg_error_set(err, -errno, "cannot remove %s: %s", dp->dir, strerror(errno));
	(void)rmdir(FG_PIN_ROOT "/" FG_ABI_DIR); /* stays while other instances are in it */
	(void)rmdir(FG_PIN_ROOT);
	return 0;
}
