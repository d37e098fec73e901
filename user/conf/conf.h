/* SPDX-License-Identifier: MIT */
/* The configuration: Junos text to a tree, the tree to a checked struct, and back to text. Pure but for reading files. */
#ifndef FG_CONF_CONF_H
#define FG_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flowspec/actions.h"
#include "flowspec/flowspec.h"
#include "util/buf.h"
#include "util/error.h"

/* --- the tree: what was written, checked against the statement table ----------------------------------- */

/* A place in a file, from 1. */
struct fg_place {
	const char *file; /* owned by the tree */
	unsigned line;
	unsigned column;
};

struct fg_statement;

/* `words` [ `{ children }` ]: e.g. { "neighbor", "192.0.2.9" } with children. Lists `[ a b ]` are words.
 * @places: where each word stands (places[0] is @place). */
struct fg_node {
	struct fg_node *parent, *next, *children, *last_child;
	const struct fg_statement *statement; /* its row of the statement table; NULL for the root */
	struct fg_place place;
	size_t n_words;
	char **words;
	struct fg_place *places;
	bool block;
};

struct fg_tree;

/* Parses text (braces, `set` and `delete` lines, comments # and slash-star). Errors: "FILE:LINE:COLUMN: message",
 * code -EINVAL, with the nearest known word. Unknown statements are refused. @file is used in messages only. */
int fg_tree_parse(const char *file, const char *text, size_t len, struct fg_tree **ret_tree,
		  struct fg_error *err);

/* Reads @file, what it includes (`include "other";`, relative to it) and, when it is named fltgate.conf, the files
 * conf.d/<name>.conf beside it in order of their names. Also negative errno of the file system, with @err. */
int fg_tree_load(const char *file, struct fg_tree **ret_tree, struct fg_error *err);
void fg_tree_free(struct fg_tree *tree); /* wipes keys; NULL is fine */
const struct fg_node *fg_tree_root(const struct fg_tree *tree);
/* The first child whose first word is @word, NULL if none (also for a NULL @node). */
const struct fg_node *fg_node_child(const struct fg_node *node, const char *word);

/* Prints the tree so that it parses to the same tree: braces or `set` lines. Secrets are shown as SECRET-DATA unless
 * @secrets. */
void fg_tree_print(const struct fg_tree *tree, bool set_lines, bool secrets, struct fg_buf *out);

/* --- the checked configuration ---------------------------------------------------------------------------- */

struct fg_conf_address {
	enum fg_family family;
	uint8_t addr[16]; /* network byte order, inet in the first four octets */
	uint8_t prefix_len;
};

/* routing-options [rib inet6.0] flow route NAME { match {...} then {...} } */
struct fg_conf_route {
	char name[64];
	enum fg_family family;
	struct fg_place place;
	struct fg_actions actions;
	uint16_t nlri_len;
	uint8_t *nlri; /* normalised */
};

/* protocols bgp group G neighbor A, group settings already inherited. */
struct fg_conf_neighbor {
	char group[64];
	char description[64];
	struct fg_conf_address address, local_address; /* local: prefix_len 0 = not set */
	uint32_t peer_as, local_as;
	uint16_t port;      /* default 179 */
	uint16_t hold_time; /* default 90 */
	bool passive;
	char *key;             /* TCP MD5 authentication-key, NULL: none. Never print. */
	uint8_t families;      /* bit per enum fg_family: family inet|inet6 { flow } */
	uint32_t prefix_limit; /* 0: none */
	bool no_validate;
	struct fg_conf_address *allowed; /* allowed-destinations, NULL: all */
	size_t n_allowed;
};

enum fg_conf_role {
	FG_ROLE_UNTRUST,    /* filtered */
	FG_ROLE_TRUST,      /* not filtered */
	FG_ROLE_MANAGEMENT, /* never gets a program */
};

struct fg_conf_interface {
	char name[16];
	struct fg_place place;
	enum fg_conf_role role; /* default untrust */
	bool generic;           /* mode generic; default native */
};

struct fg_conf {
	uint32_t as;
	uint32_t router_id;    /* network byte order, 0: not set */
	uint16_t bgp_port;     /* protocols bgp listen-port N; 0 no listening; default 179 */
	bool flt[FG_FAMILIES]; /* fast-lookup-filter; default on */
	uint32_t flt_maximum[FG_FAMILIES]; /* maximum-rules N; 0: none */
	uint32_t stale_time;               /* routing-options flow stale-time; default 600 s */
	uint32_t rule_capacity;            /* system rule-capacity; 0: default */
	bool protect_pmtu, protect_nd, protect_dhcp; /* system guard ...; default on */
	struct fg_conf_address *management;          /* system guard management-prefixes */
	size_t n_management;
	struct fg_conf_route *routes;
	size_t n_routes;
	struct fg_conf_neighbor *neighbors;
	size_t n_neighbors;
	struct fg_conf_interface *interfaces;
	size_t n_interfaces;
	char **warnings; /* "FILE:LINE:COLUMN: text" each: lints that do not refuse */
	size_t n_warnings;
};

/* Checks values and references of a parsed tree. -EINVAL with "FILE:LINE:COLUMN: message". */
int fg_conf_check(const struct fg_tree *tree, struct fg_conf **ret_conf, struct fg_error *err);
void fg_conf_free(struct fg_conf *conf); /* wipes keys; NULL is fine */

#endif
