// SPDX-License-Identifier: MIT
/* Words the failures of attaching: the kernel's reason, then the command that mends it. */
#include "dp/attach_words.h"

#include <cap-ng.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "dp/attach_find.h"
#include "util/buf.h"
#include "util/cleanup.h"

const char *fg_attach_mode_name(enum fg_attach_mode mode)
{
	return mode == FG_ATTACH_GENERIC ? "generic" : "native";
}

/* Names starting like the wanted one come first: those are the likely slips. */
static void list_interfaces(const struct if_nameindex *list, const char *like, bool alike,
			    struct fg_buf *out)
{
	for (; list->if_index; list++)
		if ((list->if_name[0] == like[0]) == alike)
			fg_buf_printf(out, "%s%s", out->len ? ", " : "", list->if_name);
}

int fg_attach_no_interface(const char *ifname, struct fg_error *err)
{
	struct if_nameindex *list = if_nameindex();
	struct fg_buf names = { 0 };

	if (list) {
		list_interfaces(list, ifname, true, &names);
		list_interfaces(list, ifname, false, &names);
		if_freenameindex(list);
	}
	fg_error_set(err, -ENODEV,
		     "no interface \"%s\" in this network namespace; there are: %.400s", ifname,
		     names.len ? names.data : "none");
	fg_error_fix(err, "ip link show");
	fg_buf_free(&names);
	return -ENODEV;
}

#define TRY_GENERIC "fltgate attach @ mode generic (slower: the kernel builds its packet first)"
#define FEWER_QUEUES "ethtool -l @; then with fewer queues: ethtool -L @ combined N"

/* What mends a refusal; @ stands for the interface. The first line that fits counts: by a part of the kernel's words,
 * or by the code when @words is NULL. */
static const struct {
	int code;
	const char *words;
	const char *fix;
} cures[] = {
	{ 0, "XDP in native mode", TRY_GENERIC },
	{ 0, "eer MTU",
	  "a smaller mtu on both ends of @ (ip link set dev @ mtu 1500), or: " TRY_GENERIC },
	{ 0, "MTU", "ip link set dev @ mtu 1500, or: " TRY_GENERIC },
	{ 0, "mtu", "ip link set dev @ mtu 1500, or: " TRY_GENERIC },
	{ 0, "ring", FEWER_QUEUES },
	{ 0, "queue", FEWER_QUEUES },
	{ 0, "LRO", "ethtool -K @ lro off" },
	{ 0, "upper device", "detach from the device above @, attach to @, then above again" },
	{ 0, "active at the same time", "ip link set dev @ xdp off" },
	{ -EOPNOTSUPP, NULL, TRY_GENERIC },
	{ -ENOMEM, NULL, FEWER_QUEUES },
	{ -EBUSY, NULL, "bpftool net show dev @" },
	{ -EEXIST, NULL, "bpftool net show dev @" },
};

/* The cure with the interface's name in it. */
static void cure(int code, const char *words, const char *ifname, struct fg_error *err)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf text = { 0 };
	const char *at = "";
	size_t i;

	for (i = 0; i < FG_ARRAY_SIZE(cures) && !*at; i++)
		if (cures[i].words ? !!strstr(words, cures[i].words) : cures[i].code == code)
			at = cures[i].fix;
	for (; *at; at++)
		fg_buf_printf(&text, "%.*s", *at == '@' ? IFNAMSIZ : 1, *at == '@' ? ifname : at);
	if (text.len)
		fg_error_fix(err, "%s", text.data);
}

/* The capabilities that attaching needs and the process lacks. */
static void missing_capabilities(struct fg_buf *out)
{
	static const unsigned int needed[] = { CAP_NET_ADMIN, CAP_BPF };
	size_t i;

	capng_get_caps_process();
	for (i = 0; i < FG_ARRAY_SIZE(needed); i++)
		if (!capng_have_capability(CAPNG_EFFECTIVE, needed[i]))
			fg_buf_printf(out, "%scap_%s", out->len ? ", " : "",
				      capng_capability_to_name(needed[i]));
}

static int not_permitted(const char *ifname, int code, struct fg_error *err)
{
	FG_CLEANUP(fg_buf_free) struct fg_buf missing = { 0 };

	missing_capabilities(&missing);
	fg_error_set(err, code, "%s: not permitted%s%s", ifname, missing.len ? "; missing: " : "",
		     missing.len ? missing.data : "");
	fg_error_fix(err, "run as root, or give the service these capabilities");
	return code;
}

int fg_attach_refused(const char *ifname, enum fg_attach_mode mode, int code, const char *words,
		      struct fg_error *err)
{
	if ((code == -EPERM || code == -EACCES) && !*words)
		return not_permitted(ifname, code, err);
	fg_error_set(err, code, "%s: %s mode refused: %s", ifname, fg_attach_mode_name(mode),
		     *words ? words : strerror(-code));
	cure(code, words, ifname, err);
	return code;
}

/* libxdp puts this program in front of those it was given. */
#define DISPATCHER "xdp_dispatcher"

static void name_link(const struct fg_attachment *attachment, char *text, size_t size)
{
	char pins[192];

	if (!attachment->link_id) {
		(void)snprintf(text, size, ", held by a bpf_link");
		return;
	}
	fg_attach_link_pins(attachment->link_id, pins, sizeof(pins));
	(void)snprintf(text, size, ", held by bpf_link id %u, %s%s", attachment->link_id,
		       *pins ? "pinned at " : "not pinned", pins);
}

/* The command that takes it off. */
static void fix_foreign(const struct fg_attachment *attachment, bool by_link, struct fg_error *err)
{
	const char *dev = attachment->ifname;

	if (attachment->link_id)
		fg_error_fix(err, "bpftool link detach id %u", attachment->link_id);
	else if (by_link)
		fg_error_fix(err, "bpftool link show, then: bpftool link detach id N");
	else if (!strcmp(attachment->program, DISPATCHER))
		fg_error_fix(err, "xdp-loader unload %s --all (or fltgate attach %s --replace)",
			     dev, dev);
	else
		fg_error_fix(err, "ip link set dev %s %s off (or fltgate attach %s --replace)", dev,
			     attachment->mode == FG_ATTACH_GENERIC ? "xdpgeneric" : "xdp", dev);
}

int fg_attach_foreign(const struct fg_attachment *attachment, enum fg_attach_mode mode,
		      bool by_link, bool replace, struct fg_error *err)
{
	char link[256] = "", name[32] = "";
	const char *why = "";

	if (by_link)
		name_link(attachment, link, sizeof(link));
	if (*attachment->program)
		(void)snprintf(name, sizeof(name), " \"%s\"", attachment->program);
	if (replace && by_link)
		why = "; a link's program cannot be replaced";
	else if (replace && attachment->mode != mode)
		why = "; it can be replaced in its own mode only";
	fg_error_set(err, -EBUSY, "%s: program id %u%s is attached (%s mode)%s%s%s",
		     attachment->ifname, attachment->program_id, name,
		     fg_attach_mode_name(attachment->mode), link,
		     strcmp(attachment->program, DISPATCHER) ? "" : ": programs of libxdp", why);
	fix_foreign(attachment, by_link, err);
	return -EBUSY;
}
