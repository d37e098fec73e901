/* SPDX-License-Identifier: MIT */
/* Setting an interface's XDP program by rtnetlink, with the kernel's own words (extended ack) on failure. */
#ifndef FG_DP_RTNL_H
#define FG_DP_RTNL_H

#include <stdint.h>

#define FG_RTNL_WORDS 160

/* One RTM_SETLINK. @fd: program, -1 removes; @flags: XDP_FLAGS_*; @expected_fd: the program that must be there now
 * (with XDP_FLAGS_REPLACE), -1 none. @words receives what the kernel said, "" if nothing. 0 or a negative errno. */
int fg_rtnl_xdp(int ifindex, int fd, uint32_t flags, int expected_fd,
		char words[static FG_RTNL_WORDS]);

#endif
