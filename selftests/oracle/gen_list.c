// SPDX-License-Identifier: MIT
/* Seeded random rule lists with actions, and damaged NLRI octets. */
#include "gen.h"

#include <string.h>

static void put_community(uint8_t *out, size_t *n, uint16_t code, uint16_t mid, uint32_t last)
{
	uint8_t *p = out + *n;

	p[0] = (uint8_t)(code >> 8);
	p[1] = (uint8_t)code;
	p[2] = (uint8_t)(mid >> 8);
	p[3] = (uint8_t)mid;
	for (int i = 0; i < 4; i++)
		p[4 + i] = (uint8_t)(last >> (24 - 8 * i));
	*n += 8;
}

static uint32_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static void put_discard(struct fgo_rng *r, uint8_t *out, size_t *n)
{
	/* 0, -0.0 and -1.0 all mean discard */
	static const uint32_t zeros[] = { 0, 0, 0, 0, 0x80000000, 0xbf800000 };

	put_community(out, n, fgo_chance(r, 90) ? 0x8006 : 0x800c, (uint16_t)fgo_below(r, 65536),
		      zeros[fgo_below(r, sizeof(zeros) / sizeof(*zeros))]);
}

static void put_rate(struct fgo_rng *r, uint8_t *out, size_t *n)
{
	float scale = (float)(1 + fgo_below(r, 9));

	if (fgo_chance(r, 50))
		put_community(out, n, 0x8006, 0, float_bits(scale * 1e10f));
	else
		put_community(out, n, 0x800c, 0, float_bits(scale * 1e8f));
}

size_t fgo_gen_actions(struct fgo_rng *r, enum fgo_kind kind, uint8_t *out)
{
	size_t n = 0;

	if (kind == FGO_SIMPLE || kind == FGO_COMPLEX || (kind == FGO_DDOS && fgo_chance(r, 80))) {
		put_discard(r, out, &n);
		return n;
	}
	if (kind == FGO_DDOS) {
		put_rate(r, out, &n);
		return n;
	}
	if (fgo_chance(r, 45))
		put_discard(r, out, &n);
	else if (fgo_chance(r, 25))
		put_rate(r, out, &n);
	if (fgo_chance(r, 60)) /* T and S bits in all combinations */
		put_community(out, &n, 0x8007, 0, fgo_below(r, 4));
	if (fgo_chance(r, 20))
		put_community(out, &n, 0x8009, 0, fgo_below(r, 256));
	if (fgo_chance(r, 5)) /* not ours: to be ignored */
		put_community(out, &n, 0x0002, 65000, 1);
	return n;
}

static bool known(const struct fgo_entry *list, size_t n, const struct fgo_rule *rule)
{
	for (size_t i = 0; i < n; i++) {
		if (fgo_cmp(&list[i].rule, rule) == 0)
			return true;
	}
	return false;
}

static bool gen_one(struct fgo_rng *r, enum fgo_kind kind, uint8_t family, struct fgo_entry *e,
		    struct fgo_source *s)
{
	size_t used;

	s->nlri_len = fgo_gen_nlri(r, kind, family, s->nlri);
	s->com_len = fgo_gen_actions(r, kind, s->com);
	if (fgo_chance(r, 10)) {
		uint8_t other[FGO_MAX_VALUE + 2];

		s->nlri_len = fgo_reencode(r, family, s->nlri, s->nlri_len, other);
		memcpy(s->nlri, other, s->nlri_len);
	}
	return fgo_decode(family, s->nlri, s->nlri_len, &used, &e->rule) == FGO_VALID &&
	       fgo_actions_decode(s->com, s->com_len, &e->act);
}

size_t fgo_gen_list(struct fgo_rng *r, enum fgo_kind kind, uint8_t family, size_t n,
		    struct fgo_entry *list, struct fgo_source *sources)
{
	size_t made = 0;

	for (size_t tries = 0; made < n && tries < 4 * n; tries++) {
		struct fgo_entry *e = &list[made];

		if (!gen_one(r, kind, family, e, &sources[made]) || known(list, made, &e->rule))
			continue;
		e->tag = (uint32_t)made++;
	}
	fgo_sort(list, made);
	return made;
}

size_t fgo_mutate(struct fgo_rng *r, uint8_t *buf, size_t len)
{
	for (uint32_t i = 1 + fgo_below(r, 3); i > 0 && len > 0; i--) {
		size_t at = fgo_below(r, (uint32_t)len);

		switch (fgo_below(r, 4)) {
		case 0:
			buf[at] ^= (uint8_t)(1u << fgo_below(r, 8));
			break;
		case 1:
			buf[at] = (uint8_t)fgo_below(r, 256);
			break;
		case 2:
			len = at + 1;
			break;
		default: /* lengths and counts: off by one */
			buf[0] = (uint8_t)(buf[0] + fgo_below(r, 3) - 1);
			break;
		}
	}
	return len;
}
