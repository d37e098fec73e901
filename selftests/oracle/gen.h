/* SPDX-License-Identifier: MIT */
/* Seeded random FlowSpec rules, actions and frames for the differential tests. */
#ifndef FGO_GEN_H
#define FGO_GEN_H

#include "frame.h"
#include "oracle.h"

struct fgo_rng {
	uint64_t state;
};

enum fgo_kind {
	FGO_SIMPLE,      /* protocol, destination /32, port */
	FGO_COMPLEX,     /* simple, a source /16 and a packet length range */
	FGO_DDOS,        /* what mitigation systems announce */
	FGO_WILD,        /* everything the RFC allows */
	FGO_ADVERSARIAL, /* what hurts lookup structures */
	FGO_MIXED,       /* any of these */
	FGO_KINDS,
};

#define FGO_MAX_ACTIONS 48 /* octets of communities that a generated rule has at most */

/** fgo_rand - next 64 bits; equal seeds give equal sequences on every machine. */
uint64_t fgo_rand(struct fgo_rng *r);

/** fgo_below - 0..n-1, n > 0. */
uint32_t fgo_below(struct fgo_rng *r, uint32_t n);

/** fgo_chance - true in @percent of 100 calls. */
bool fgo_chance(struct fgo_rng *r, unsigned int percent);

/** fgo_gen_nlri - one valid rule with its length octets; returns octets written to @out (FGO_MAX_VALUE + 2). */
size_t fgo_gen_nlri(struct fgo_rng *r, enum fgo_kind kind, uint8_t family, uint8_t *out);

/** fgo_gen_actions - communities, a multiple of 8 octets, possibly 0; rates are far above any test's. */
size_t fgo_gen_actions(struct fgo_rng *r, enum fgo_kind kind, uint8_t *out);

/* A generated rule as a BGP speaker would send it. */
struct fgo_source {
	uint8_t nlri[FGO_MAX_VALUE +
		     2]; /* length octets included, possibly a non-canonical spelling */
	size_t nlri_len;
	uint8_t com[FGO_MAX_ACTIONS];
	size_t com_len;
};

/**
 * fgo_gen_list - @n distinct rules with actions; @list in matching order, @sources in order of generation.
 * list[i].tag is the index into @sources. Returns how many distinct rules were found, at most @n.
 */
size_t fgo_gen_list(struct fgo_rng *r, enum fgo_kind kind, uint8_t family, size_t n,
		    struct fgo_entry *list, struct fgo_source *sources);

/** fgo_reencode - another spelling of a valid NLRI field; returns octets written (FGO_MAX_VALUE + 2). */
size_t fgo_reencode(struct fgo_rng *r, uint8_t family, const uint8_t *nlri, size_t len,
		    uint8_t *out);

/** fgo_mutate - damage octets in place: flips, replacements, cuts; returns the new length. */
size_t fgo_mutate(struct fgo_rng *r, uint8_t *buf, size_t len);

/** fgo_gen_frame - a frame that nearly or fully satisfies a rule of the list, or a random one. */
size_t fgo_gen_frame(struct fgo_rng *r, const struct fgo_entry *list, size_t n, uint8_t family,
		     uint8_t *out, size_t cap);

#endif /* FGO_GEN_H */
