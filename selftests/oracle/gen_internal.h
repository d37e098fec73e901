/* SPDX-License-Identifier: MIT */
/* What the rule and the frame generator share: the address pools that make hits likely. */
#ifndef FGO_GEN_INTERNAL_H
#define FGO_GEN_INTERNAL_H

#include "gen.h"

/** fgo_pool_addr - one of a few dozen addresses; 16 octets written, IPv4 in the first four. */
void fgo_pool_addr(struct fgo_rng *r, uint8_t family, bool dst, uint8_t *out);

#endif /* FGO_GEN_INTERNAL_H */
