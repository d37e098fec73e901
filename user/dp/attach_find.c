// SPDX-License-Identifier: MIT
/* Finds out what holds an interface's XDP hook: the program, whether it is ours, the link and its pins. */
#define _GNU_SOURCE
#include "dp/attach_find.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "fltgate/names.h"
#include "util/cleanup.h"

#define MAPS_MAX 64     /* maps of a program that are compared */
#define PIN_DEPTH_MAX 8 /* folders below /sys/fs/bpf */

/* Number of this network namespace, never used twice while the kernel runs (Linux 5.14). */
static int netns_cookie(uint64_t *ret)
{
	FG_AUTO_CLOSE int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	if (sock < 0 || getsockopt(sock, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return -errno;
	*ret = cookie;
	return 0;
}

int fg_attach_pin_path(struct fg_dp *dp, int ifindex, char path[static FG_PIN_PATH],
		       struct fg_error *err)
{
	const char *dir = fg_dp_pin_dir(dp);
	uint64_t cookie = 0;
	int r;

	if (!dir)
		return fg_error_set(err, -EINVAL, "a private datapath cannot be attached");
	r = netns_cookie(&cookie);
	if (r < 0)
		return fg_error_set(err, r, "network namespace: %s", strerror(-r));
	if (snprintf(path, FG_PIN_PATH, "%s/links/net%" PRIu64 "-if%d", dir, cookie, ifindex) >=
	    FG_PIN_PATH)
		return fg_error_set(err, -ENAMETOOLONG, "%s: path too long", dir);
	return 0;
}

static int program_info(int fd, struct bpf_prog_info *ret, uint32_t maps[static MAPS_MAX])
{
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)maps };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return -errno;
	if (info.nr_map_ids > MAPS_MAX)
		info.nr_map_ids = MAPS_MAX;
	*ret = info;
	return 0;
}

static bool share_a_map(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
	uint32_t i, j;

	for (i = 0; i < n_a; i++)
		for (j = 0; j < n_b; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* Ours: the gate itself, or an earlier gate that works on the same maps (an update replaces the program). Without
 * CAP_SYS_ADMIN a program cannot be opened by its number: then only the gate itself is known. */
static bool is_ours(int gate_fd, uint32_t id, char name[static 16])
{
	uint32_t own_maps[MAPS_MAX] = { 0 }, maps[MAPS_MAX] = { 0 };
	FG_AUTO_CLOSE int fd = -1;
	struct bpf_prog_info own, info;

	if (program_info(gate_fd, &own, own_maps) < 0)
		return false;
	if (own.id == id) {
		memcpy(name, own.name, sizeof(own.name));
		return true;
	}
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0 || program_info(fd, &info, maps) < 0)
		return false;
	memcpy(name, info.name, sizeof(info.name));
	return !strcmp(info.name, own.name) &&
	       share_a_map(own_maps, own.nr_map_ids, maps, info.nr_map_ids);
}

static bool link_holds(int fd, const struct fg_attachment *attachment, uint32_t *ret_id)
{
	struct bpf_link_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) < 0 || info.type != BPF_LINK_TYPE_XDP ||
	    (int)info.xdp.ifindex != attachment->ifindex || info.prog_id != attachment->program_id)
		return false;
	*ret_id = info.id;
	return true;
}

/* Needs CAP_SYS_ADMIN; our own links are found by their pin without. */
static int search_link(const struct fg_attachment *attachment, uint32_t *ret_id)
{
	uint32_t id = 0;
	int fd;

	while (!bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0)
			continue;
		if (link_holds(fd, attachment, ret_id))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

static int find_link(const char *pin, const struct fg_attachment *attachment, uint32_t *ret_id)
{
	int fd = pin ? bpf_obj_get(pin) : -1;

	if (fd >= 0 && link_holds(fd, attachment, ret_id))
		return fd;
	if (fd >= 0)
		close(fd);
	return search_link(attachment, ret_id);
}

int fg_attach_link_fd(const char *pin, const struct fg_attachment *attachment)
{
	uint32_t id;

	return find_link(pin, attachment, &id);
}

static uint32_t pick_program(const struct bpf_xdp_query_opts *query, enum fg_attach_mode *ret_mode)
{
	*ret_mode = query->skb_prog_id ? FG_ATTACH_GENERIC : FG_ATTACH_NATIVE;
	if (query->skb_prog_id)
		return query->skb_prog_id;
	return query->drv_prog_id ? query->drv_prog_id : query->hw_prog_id;
}

int fg_attach_read(int gate_fd, const char *pin, int ifindex, struct fg_attachment *ret)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	FG_AUTO_CLOSE int link_fd = -1;
	int r = bpf_xdp_query(ifindex, 0, &query);
	bool ours;

	if (r < 0)
		return r;
	*ret = (struct fg_attachment){ .ifindex = ifindex };
	ret->program_id = pick_program(&query, &ret->mode);
	if (!ret->program_id)
		return 0;
	ours = is_ours(gate_fd, ret->program_id, ret->program);
	link_fd = find_link(pin, ret, &ret->link_id);
	if (!ours)
		ret->how = FG_ATTACHED_FOREIGN;
	else
		ret->how = link_fd >= 0 ? FG_ATTACHED_LINK : FG_ATTACHED_IP_LINK;
	return 0;
}

/* True when the object pinned at @path is the link. The kernel fills the info by the kind of the object, so the kind
 * is asked first. */
static bool is_link(const char *path, uint32_t link_id)
{
	FG_AUTO_CLOSE int fd = bpf_obj_get(path);
	struct bpf_link_info info = { 0 };
	uint32_t len = sizeof(info);
	char self[32], kind[32] = "";

	if (fd < 0)
		return false;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (readlink(self, kind, sizeof(kind) - 1) < 0 || !strstr(kind, "bpf-link") ||
	    bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return false;
	return info.id == link_id;
}

void fg_attach_link_pins(uint32_t link_id, char *ret_text, size_t size)
{
	char root[] = FG_BPFFS, *roots[] = { root, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	size_t used = 0;
	FTSENT *entry;

	ret_text[0] = '\0';
	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_level > PIN_DEPTH_MAX)
			(void)fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F || !is_link(entry->fts_path, link_id))
			continue;
		used += (size_t)snprintf(ret_text + used, size - used, "%s%s", used ? ", " : "",
					 entry->fts_path);
		if (used >= size)
			break;
	}
	if (tree)
		(void)fts_close(tree);
}
