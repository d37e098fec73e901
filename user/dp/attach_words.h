/* SPDX-License-Identifier: MIT */
/* The words of attach.c: what failed, as the kernel says it, and the command that mends it. */
#ifndef FG_DP_ATTACH_WORDS_H
#define FG_DP_ATTACH_WORDS_H

#include "dp/attach.h"

/* "no interface ...", with those that exist. Returns -ENODEV. */
int fg_attach_no_interface(const char *ifname, struct fg_error *err);

/* An attempt in @mode failed with negative errno @code and the kernel's @words ("" if none). Returns @code. */
int fg_attach_refused(const char *ifname, enum fg_attach_mode mode, int code, const char *words,
		      struct fg_error *err);

/* Names a foreign program, what holds it and what removes it. @by_link: a bpf_link holds it, even if its number is not
 * known. @replace: it was to be replaced, in @mode. Returns -EBUSY. */
int fg_attach_foreign(const struct fg_attachment *attachment, enum fg_attach_mode mode,
		      bool by_link, bool replace, struct fg_error *err);

#endif
