/* SPDX-License-Identifier: MIT */
/* Inside of the check: what its parts share; for the files of user/conf only. */
#ifndef FG_CONF_CHECK_H
#define FG_CONF_CHECK_H

#include "conf/statements.h"

struct fg_checker {
	struct fg_conf *conf;
	struct fg_error *err;
};

/* Room for one more element behind @n in an array that grows by doubling; NULL (array untouched) without memory.
 * `more = fg_grow(array, n, sizeof(*array))`. */
void *fg_grow(void *array, size_t n, size_t size);
int fg_check_memory(struct fg_checker *check); /* -ENOMEM, said in @err */
int fg_check_warn(struct fg_checker *check, const struct fg_place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The value of `word N` below @node to *ret, which stays when it is not written. */
void fg_get_uint(const struct fg_node *node, const char *word, uint32_t *ret);
/* Appends the prefixes of a list statement (NULL: none). */
int fg_add_prefixes(struct fg_checker *check, const struct fg_node *list,
		    struct fg_conf_address **array, size_t *n);

/* check_bgp.c, check_rules.c: the blocks, NULL when they are not written. */
int fg_check_bgp(struct fg_checker *check, const struct fg_node *bgp);
int fg_check_routes(struct fg_checker *check, const struct fg_node *flow, enum fg_family family);
int fg_check_duplicates(struct fg_checker *check);

/* lint.c: why no packet can match, NULL when one may. */
const char *fg_lint_never(const struct fg_flow *flow);
/* True when every packet of the family matches. */
bool fg_lint_everything(const struct fg_flow *flow);

#endif
