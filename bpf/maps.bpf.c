// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/* Gives the maps of the datapath an object of their own, and the constants set at load time. */
#include "maps.bpf.h"

/* Set before loading: the stages record every rule tried (explain). */
const volatile __u32 fg_tracing = 0;

char _license[] SEC("license") = "Dual MIT/GPL";
