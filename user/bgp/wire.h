/* SPDX-License-Identifier: MIT */
/* Bounds-checked reading and plain writing of big-endian octets, for the BGP codec. */
#ifndef FG_BGP_WIRE_H
#define FG_BGP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The octets not yet read. Every fg_read*() returns false, and takes nothing, when too few are left. */
struct fg_reader {
	const uint8_t *p;
	size_t left;
};

static inline uint16_t fg_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t fg_get32(const uint8_t *p)
{
	return (uint32_t)fg_get16(p) << 16 | fg_get16(p + 2);
}

static inline uint8_t *fg_put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
	return p + 2;
}

static inline uint8_t *fg_put32(uint8_t *p, uint32_t value)
{
	return fg_put16(fg_put16(p, value >> 16), value);
}

/* @n not above what is left. */
static inline void fg_skip(struct fg_reader *r, size_t n)
{
	r->p += n;
	r->left -= n;
}

static inline bool fg_read(struct fg_reader *r, void *out, size_t n)
{
	if (r->left < n)
		return false;
	memcpy(out, r->p, n);
	fg_skip(r, n);
	return true;
}

static inline bool fg_read8(struct fg_reader *r, uint8_t *out)
{
	return fg_read(r, out, 1);
}

static inline bool fg_read16(struct fg_reader *r, uint16_t *out)
{
	uint8_t octets[2];

	if (!fg_read(r, octets, sizeof(octets)))
		return false;
	*out = fg_get16(octets);
	return true;
}

/* Splits the next @n octets off. */
static inline bool fg_take(struct fg_reader *r, size_t n, struct fg_reader *out)
{
	if (r->left < n)
		return false;
	*out = (struct fg_reader){ r->p, n };
	fg_skip(r, n);
	return true;
}

#endif
