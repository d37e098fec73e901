// SPDX-License-Identifier: MIT
/* Oracle: which of two rules comes first (RFC 8955 section 5.1, RFC 8956 section 4). */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static int bit(const uint8_t *p, unsigned int i)
{
	return (p[i / 8] >> (7 - i % 8)) & 1;
}

static int cmp_prefix(const struct fgo_comp *a, const struct fgo_comp *b)
{
	unsigned int common = a->plen < b->plen ? a->plen : b->plen;

	if (a->poff != b->poff)
		return a->poff < b->poff ? -1 : 1;
	for (unsigned int i = 0; i + a->poff < common; i++) {
		if (bit(a->pattern, i) != bit(b->pattern, i))
			return bit(a->pattern, i) < bit(b->pattern, i) ? -1 : 1;
	}
	if (a->plen != b->plen)
		return a->plen > b->plen ? -1 : 1;
	return 0;
}

static int cmp_octets(const struct fgo_rule *ra, const struct fgo_comp *a,
		      const struct fgo_rule *rb, const struct fgo_comp *b)
{
	size_t common = a->data_len < b->data_len ? a->data_len : b->data_len;
	int c = memcmp(ra->value + a->at, rb->value + b->at, common);

	if (c)
		return c < 0 ? -1 : 1;
	if (a->data_len != b->data_len)
		return a->data_len > b->data_len ? -1 : 1;
	return 0;
}

int fgo_cmp(const struct fgo_rule *a, const struct fgo_rule *b)
{
	unsigned int i;

	for (i = 0; i < a->n_comps && i < b->n_comps; i++) {
		const struct fgo_comp *ca = &a->comps[i], *cb = &b->comps[i];
		int c;

		if (ca->type != cb->type)
			return ca->type < cb->type ? -1 : 1;
		if (ca->type == FGO_DST || ca->type == FGO_SRC)
			c = cmp_prefix(ca, cb);
		else
			c = cmp_octets(a, ca, b, cb);
		if (c)
			return c;
	}
	/* the one that still has a component comes first */
	return (int)b->n_comps - (int)a->n_comps;
}

static int cmp_entry(const void *a, const void *b)
{
	const struct fgo_entry *ea = a, *eb = b;

	return fgo_cmp(&ea->rule, &eb->rule);
}

void fgo_sort(struct fgo_entry *list, size_t n)
{
	qsort(list, n, sizeof(*list), cmp_entry);
}
