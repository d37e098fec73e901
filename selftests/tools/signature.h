/* SPDX-License-Identifier: MIT */
/* What the sender writes into every payload and the receiver counts by. */
#ifndef FG_TOOLS_SIGNATURE_H
#define FG_TOOLS_SIGNATURE_H

#include <stdint.h>

/* X(NAME, text). Class of a packet: what the rules must do with it. */
#define FG_TRAFFIC_CLASSES(X)                     \
	X(HIT, "hit")     /* a rule matches */    \
	X(MISS, "miss")   /* a rule just fails */ \
	X(OTHER, "other") /* far from any rule */

enum fg_traffic_class {
#define FG_TRAFFIC_ENUM(name, text) FG_TRAFFIC_##name,
	FG_TRAFFIC_CLASSES(FG_TRAFFIC_ENUM)
#undef FG_TRAFFIC_ENUM
		FG_TRAFFIC_MAX,
};

static const char *const fg_traffic_names[] = {
#define FG_TRAFFIC_NAME(name, text) text,
	FG_TRAFFIC_CLASSES(FG_TRAFFIC_NAME)
#undef FG_TRAFFIC_NAME
};

#define FG_SIGNATURE_MAGIC 0x46475452U /* "FGTR" */
#define FG_SIGNATURE_INDEX_MAX 65536U  /* packets of a list */

/* Last octets of every frame, network byte order. */
struct fg_signature {
	uint32_t magic;
	uint32_t class;
	uint32_t index; /* line of the packet in its list, from 0 */
	uint32_t sequence;
};

#endif
