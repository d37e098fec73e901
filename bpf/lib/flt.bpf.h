/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What the other stages ask of the FLT stage. */
#ifndef FG_FLT_BPF_H
#define FG_FLT_BPF_H

#include "maps.bpf.h"

/* Fills the heads of the walk: the chains of candidate rules. In DMEM mode the first call only sets
 * packet->deferred: the lookup is the residual program's, which calls again. 0, or the reason that ends the packet. */
int fg_candidates(struct fg_packet *packet);

#endif
