/* SPDX-License-Identifier: MIT */
/* What holds an interface's XDP hook: whose program, by which link, pinned where. Inner part of attach.c. */
#ifndef FG_DP_ATTACH_FIND_H
#define FG_DP_ATTACH_FIND_H

#include <stddef.h>

#include "dp/attach.h"

#define FG_PIN_PATH 256

/* Path of our link of an interface: <pin dir>/links/net<cookie>-if<index>. bpffs forbids dots, which names of VLAN
 * devices have, and an interface can be renamed: so neither name nor index alone would do. -EINVAL: private instance. */
int fg_attach_pin_path(struct fg_dp *dp, int ifindex, char path[static FG_PIN_PATH],
		       struct fg_error *err);

/* Reads the hook: all of @ret but ifname. @gate_fd: what is ours; @pin: path of our link of this interface, NULL: none.
 * 0 or a negative errno. */
int fg_attach_read(int gate_fd, const char *pin, int ifindex, struct fg_attachment *ret);

/* A descriptor of the link that holds the interface, looked for at @pin (may be NULL) and then everywhere; -ENOENT when
 * none does or it cannot be found out. */
int fg_attach_link_fd(const char *pin, const struct fg_attachment *attachment);

/* Writes where link @link_id is pinned below /sys/fs/bpf, "" if nowhere. */
void fg_attach_link_pins(uint32_t link_id, char *ret_text, size_t size);

#endif
