// SPDX-License-Identifier: MIT
/* Plays another XDP user: attaches a pinned program by a bpf_link and pins that. */
#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	int prog, link;

	if (argc != 4) {
		fprintf(stderr, "usage: xdplink DEV PROGRAM-PIN LINK-PIN\n");
		return 2;
	}
	prog = bpf_obj_get(argv[2]);
	if (prog < 0) {
		fprintf(stderr, "xdplink: %s: %s\n", argv[2], strerror(-prog));
		return 1;
	}
	link = bpf_link_create(prog, (int)if_nametoindex(argv[1]), BPF_XDP, &options);
	if (link < 0 || bpf_obj_pin(link, argv[3]) < 0) {
		perror("xdplink");
		return 1;
	}
	return 0;
}
