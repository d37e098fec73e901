/* SPDX-License-Identifier: MIT */
/* Scope-bound cleanup and ownership transfer, so that one function can be checked without its callees. */
#ifndef FG_UTIL_CLEANUP_H
#define FG_UTIL_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

/* Runs @fn(&variable) when the variable leaves its scope; @fn accepts a pointer to a NULL / -1 variable. */
#define FG_CLEANUP(fn) __attribute__((cleanup(fn)))

/* Gives the value of an owning variable away: the variable is left empty. */
#define FG_TAKE(variable, empty)                        \
	({                                              \
		__typeof__(variable) *_p = &(variable); \
		__typeof__(variable) _v = *_p;          \
		*_p = (empty);                          \
		_v;                                     \
	})
#define FG_TAKE_PTR(variable) FG_TAKE(variable, NULL)
#define FG_TAKE_FD(variable) FG_TAKE(variable, -1)

#define FG_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void fg_freep(void *p)
{
	void **pp = p;

	free(*pp);
	*pp = NULL;
}

static inline void fg_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#define FG_AUTO_FREE FG_CLEANUP(fg_freep)
#define FG_AUTO_CLOSE FG_CLEANUP(fg_closep)

#endif
