/* SPDX-License-Identifier: MIT */
/* Attaching the gate to interfaces: by a pinned link updated in place; foreign programs are named, never lost. */
#ifndef FG_DP_ATTACH_H
#define FG_DP_ATTACH_H

#include "dp/dp.h"

enum fg_attach_mode {
	FG_ATTACH_NATIVE,
	FG_ATTACH_GENERIC,
};

enum fg_attach_how {
	FG_ATTACHED_NOT,     /* no XDP program */
	FG_ATTACHED_LINK,    /* ours, by our pinned link */
	FG_ATTACHED_IP_LINK, /* ours, attached by `ip link set dev X xdp pinned` */
	FG_ATTACHED_FOREIGN, /* somebody else's program */
};

/* How an interface stands. */
struct fg_attachment {
	int ifindex;
	char ifname[16];
	enum fg_attach_how how;
	enum fg_attach_mode mode;
	uint32_t program_id; /* 0: none */
	char program[16];
	uint32_t link_id; /* of a foreign or own bpf_link, 0: none */
};

/* Reads how @ifname stands. -ENODEV with @err when there is no such interface. */
int fg_attachment_get(struct fg_dp *dp, const char *ifname, struct fg_attachment *ret,
		      struct fg_error *err);

/* Attaches the gate. Idempotent: an own attachment in the same mode is updated in place; one made by `ip link` is
 * recognised and kept. A foreign program is refused (-EBUSY, named with the command that removes it) unless @replace,
 * which exchanges it atomically (the program of a foreign bpf_link cannot be: refused all the same). Another mode than
 * the own attachment has: taken off and attached anew, for the kernel has no step between; the old mode is put back when
 * the new one is refused. No native XDP: -EOPNOTSUPP with the kernel's words and what to do; never falls to
 * generic by itself. */
int fg_attach(struct fg_dp *dp, const char *ifname, enum fg_attach_mode mode, bool replace,
	      struct fg_error *err);

/* What would refuse fg_attach(), asked by a process that may see more than the daemon (CAP_SYS_ADMIN opens foreign
 * programs and links): -EBUSY with @err as of fg_attach(). 0: nothing is in the way, or it cannot be seen from here. */
int fg_attach_holder(const char *instance, const char *ifname, enum fg_attach_mode mode,
		     bool replace, struct fg_error *err);

/* Detaches ours (either way of attaching); -ENOENT when ours is not there. */
int fg_detach(struct fg_dp *dp, const char *ifname, struct fg_error *err);

/* Calls @fn for every interface of this network namespace that has our program, until it returns non-zero. */
int fg_attached_each(struct fg_dp *dp, int (*fn)(const struct fg_attachment *attachment, void *arg),
		     void *arg, struct fg_error *err);

/* "native", "generic". */
const char *fg_attach_mode_name(enum fg_attach_mode mode);

#endif
