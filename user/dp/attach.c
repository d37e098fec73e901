// SPDX-License-Identifier: MIT
/* Attaches the gate to interfaces and takes it off: own links are pinned and updated in place. */
#define _GNU_SOURCE
#include "dp/attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dp/attach_find.h"
#include "dp/attach_words.h"
#include "dp/rtnl.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

static uint32_t mode_flag(enum fg_attach_mode mode)
{
	return mode == FG_ATTACH_GENERIC ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
}

static int attachment_read(struct fg_dp *dp, int ifindex, const char *ifname,
			   struct fg_attachment *ret, struct fg_error *err)
{
	char pin[FG_PIN_PATH];
	bool private = fg_attach_pin_path(dp, ifindex, pin, NULL) < 0;
	int r = fg_attach_read(fg_dp_gate_fd(dp), private ? NULL : pin, ifindex, ret);

	if (r < 0)
		return fg_error_set(err, r, "%s: XDP state: %s", ifname, strerror(-r));
	(void)snprintf(ret->ifname, sizeof(ret->ifname), "%s", ifname);
	return 0;
}

int fg_attachment_get(struct fg_dp *dp, const char *ifname, struct fg_attachment *ret,
		      struct fg_error *err)
{
	unsigned int ifindex = if_nametoindex(ifname);
	struct fg_attachment found;
	int r;

	if (!ifindex)
		return fg_attach_no_interface(ifname, err);
	r = attachment_read(dp, (int)ifindex, ifname, &found, err);
	if (!r)
		*ret = found;
	return r;
}

/* A pin left by an interface that is gone cannot be in the way: its name is never used again. */
static int pin_link(struct fg_dp *dp, int link_fd, int ifindex, struct fg_error *err)
{
	char path[FG_PIN_PATH];
	char *slash;
	int r = fg_attach_pin_path(dp, ifindex, path, err);

	if (r < 0)
		return r;
	slash = strrchr(path, '/');
	*slash = '\0';
	if (mkdir(path, 0700) < 0 && errno != EEXIST) {
		r = -errno;
		return fg_error_set(err, r, "%s: %s", path, strerror(-r));
	}
	*slash = '/';
	(void)unlink(path);
	r = bpf_obj_pin(link_fd, path);
	if (r < 0)
		return fg_error_set(err, r, "%s: %s", path, strerror(-r));
	return 0;
}

/* A free hook: a link of ours. The kernel gives no words for a refused link, so the same is tried by netlink, which
 * fails for the same reason and says it; should it succeed, the gate is attached all the same. */
static int attach_fresh(struct fg_dp *dp, int ifindex, const char *ifname, enum fg_attach_mode mode,
			struct fg_error *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = mode_flag(mode));
	FG_AUTO_CLOSE int link_fd = bpf_link_create(fg_dp_gate_fd(dp), ifindex, BPF_XDP, &options);
	char words[FG_RTNL_WORDS];
	int r;

	if (link_fd >= 0)
		return pin_link(dp, link_fd, ifindex, err);
	r = fg_rtnl_xdp(ifindex, fg_dp_gate_fd(dp), mode_flag(mode) | XDP_FLAGS_UPDATE_IF_NOEXIST,
			-1, words);
	return r < 0 ? fg_attach_refused(ifname, mode, r, words, err) : 0;
}

/* 0 when it cannot be told. */
static uint32_t gate_id(struct fg_dp *dp)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fg_dp_gate_fd(dp), &info, &len) < 0 ? 0 : info.id;
}

/* A descriptor of the attached program. The gate itself needs no search by number (CAP_SYS_ADMIN). */
static int program_fd(struct fg_dp *dp, const struct fg_attachment *seen)
{
	int fd;

	if (gate_id(dp) != seen->program_id)
		return bpf_prog_get_fd_by_id(seen->program_id);
	fd = fcntl(fg_dp_gate_fd(dp), F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* Exchanges a program set by netlink in one step. It fails when that is no longer the one that was seen; without
 * CAP_SYS_ADMIN a foreign one cannot be opened to say so, then whatever is there is exchanged. */
static int exchange(struct fg_dp *dp, const struct fg_attachment *seen, int new_fd,
		    enum fg_attach_mode mode, struct fg_error *err)
{
	FG_AUTO_CLOSE int old_fd = program_fd(dp, seen);
	uint32_t flags = mode_flag(mode) | (old_fd < 0 ? 0 : XDP_FLAGS_REPLACE);
	char words[FG_RTNL_WORDS];
	int r;

	if (old_fd < 0 && old_fd != -EPERM)
		return fg_error_set(err, old_fd, "%s: program id %u: %s", seen->ifname,
				    seen->program_id, strerror(-old_fd));
	r = fg_rtnl_xdp(seen->ifindex, new_fd, flags, old_fd, words);
	return r < 0 ? fg_attach_refused(seen->ifname, mode, r, words, err) : 0;
}

static int own_link_fd(struct fg_dp *dp, const struct fg_attachment *seen)
{
	char pin[FG_PIN_PATH];

	return fg_attach_link_fd(fg_attach_pin_path(dp, seen->ifindex, pin, NULL) < 0 ? NULL : pin,
				 seen);
}

/* Pins it again too: the pin may have been removed by hand. */
static int update_link(struct fg_dp *dp, const struct fg_attachment *seen, struct fg_error *err)
{
	FG_AUTO_CLOSE int link_fd = own_link_fd(dp, seen);
	int r;

	if (link_fd < 0)
		return fg_error_set(err, link_fd, "%s: own link id %u: %s", seen->ifname,
				    seen->link_id, strerror(-link_fd));
	r = bpf_link_update(link_fd, fg_dp_gate_fd(dp), NULL);
	if (r < 0)
		return fg_error_set(err, r, "%s: update of link id %u: %s", seen->ifname,
				    seen->link_id, strerror(-r));
	return pin_link(dp, link_fd, seen->ifindex, err);
}

static int update_own(struct fg_dp *dp, const struct fg_attachment *seen, struct fg_error *err)
{
	if (seen->how == FG_ATTACHED_LINK)
		return update_link(dp, seen, err);
	if (seen->program_id == gate_id(dp))
		return 0;
	return exchange(dp, seen, fg_dp_gate_fd(dp), seen->mode, err);
}

static int detach_link(struct fg_dp *dp, const struct fg_attachment *seen, struct fg_error *err)
{
	FG_AUTO_CLOSE int link_fd = own_link_fd(dp, seen);
	char path[FG_PIN_PATH];
	int r = link_fd < 0 ? link_fd : bpf_link_detach(link_fd);

	if (r < 0)
		return fg_error_set(err, r, "%s: detaching link id %u: %s", seen->ifname,
				    seen->link_id, strerror(-r));
	if (!fg_attach_pin_path(dp, seen->ifindex, path, NULL))
		(void)unlink(path);
	return 0;
}

static int detach_own(struct fg_dp *dp, const struct fg_attachment *seen, struct fg_error *err)
{
	if (seen->how == FG_ATTACHED_LINK)
		return detach_link(dp, seen, err);
	return exchange(dp, seen, -1, seen->mode, err);
}

/* The kernel has no way to change the mode in place. What worked before is put back when the new mode is refused. */
static int change_mode(struct fg_dp *dp, const struct fg_attachment *seen, enum fg_attach_mode mode,
		       struct fg_error *err)
{
	int r = detach_own(dp, seen, err);

	if (r < 0)
		return r;
	r = attach_fresh(dp, seen->ifindex, seen->ifname, mode, err);
	if (r < 0)
		(void)attach_fresh(dp, seen->ifindex, seen->ifname, seen->mode, NULL);
	return r;
}

/* Without CAP_SYS_ADMIN the link that holds a hook is not to be found, but the kernel tells its own from other
 * programs when it refuses an attempt that would only take a free hook. */
static bool link_suspected(struct fg_dp *dp, const struct fg_attachment *seen)
{
	char words[FG_RTNL_WORDS];
	int r = fg_rtnl_xdp(seen->ifindex, fg_dp_gate_fd(dp),
			    mode_flag(seen->mode) | XDP_FLAGS_UPDATE_IF_NOEXIST, -1, words);

	return r == -EBUSY && strstr(words, "link");
}

static int attach_over_foreign(struct fg_dp *dp, const struct fg_attachment *seen,
			       enum fg_attach_mode mode, bool replace, struct fg_error *err)
{
	bool by_link = seen->link_id || (!seen->program[0] && link_suspected(dp, seen));

	if (!replace || by_link || seen->mode != mode)
		return fg_attach_foreign(seen, mode, by_link, replace, err);
	return exchange(dp, seen, fg_dp_gate_fd(dp), mode, err);
}

int fg_attach(struct fg_dp *dp, const char *ifname, enum fg_attach_mode mode, bool replace,
	      struct fg_error *err)
{
	struct fg_attachment seen;
	int r = fg_attachment_get(dp, ifname, &seen, err);

	if (r < 0)
		return r;
	switch (seen.how) {
	case FG_ATTACHED_NOT:
		return attach_fresh(dp, seen.ifindex, ifname, mode, err);
	case FG_ATTACHED_FOREIGN:
		return attach_over_foreign(dp, &seen, mode, replace, err);
	default:
		return seen.mode == mode ? update_own(dp, &seen, err)
					 : change_mode(dp, &seen, mode, err);
	}
}

int fg_detach(struct fg_dp *dp, const char *ifname, struct fg_error *err)
{
	struct fg_attachment seen;
	int r = fg_attachment_get(dp, ifname, &seen, err);

	if (r < 0)
		return r;
	if (seen.how == FG_ATTACHED_LINK || seen.how == FG_ATTACHED_IP_LINK)
		return detach_own(dp, &seen, err);
	return fg_error_set(err, -ENOENT, "%s: our program is not attached", ifname);
}

/* An interface that goes away while the list is walked is passed over. */
static int each_of(struct fg_dp *dp, const struct if_nameindex *list,
		   int (*fn)(const struct fg_attachment *attachment, void *arg), void *arg)
{
	struct fg_attachment seen;
	int r = 0;

	for (; list->if_index && !r; list++) {
		if (attachment_read(dp, (int)list->if_index, list->if_name, &seen, NULL) < 0)
			continue;
		if (seen.how == FG_ATTACHED_LINK || seen.how == FG_ATTACHED_IP_LINK)
			r = fn(&seen, arg);
	}
	return r;
}

int fg_attached_each(struct fg_dp *dp, int (*fn)(const struct fg_attachment *attachment, void *arg),
		     void *arg, struct fg_error *err)
{
	struct if_nameindex *list = if_nameindex();
	int r;

	if (!list) {
		r = -errno;
		return fg_error_set(err, r, "list of interfaces: %s", strerror(-r));
	}
	r = each_of(dp, list, fn, arg);
	if_freenameindex(list);
	return r;
}

int fg_attach_holder(const char *instance, const char *ifname, enum fg_attach_mode mode,
		     bool replace, struct fg_error *err)
{
	char path[FG_PIN_PATH];
	FG_AUTO_CLOSE int gate_fd = -1;
	unsigned int ifindex = if_nametoindex(ifname);
	struct fg_attachment seen;

	(void)snprintf(path, sizeof(path), FG_PIN_ROOT "/" FG_ABI_DIR "/%s/" FG_PROGRAM_GATE,
		       instance);
	gate_fd = bpf_obj_get(path);
	if (!ifindex || gate_fd < 0 || fg_attach_read(gate_fd, NULL, (int)ifindex, &seen) < 0)
		return 0;
	(void)snprintf(seen.ifname, sizeof(seen.ifname), "%s", ifname);
	if (seen.how != FG_ATTACHED_FOREIGN || (replace && !seen.link_id && seen.mode == mode))
		return 0;
	return fg_attach_foreign(&seen, mode, seen.link_id != 0, replace, err);
}
