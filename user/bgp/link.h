/* SPDX-License-Identifier: MIT */
/* Messages between the privileged parent and the bgp process: small, fixed headers, checked on both sides. */
#ifndef FG_BGP_LINK_H
#define FG_BGP_LINK_H

#include <stdint.h>

#include "flowspec/actions.h"
#include "flowspec/flowspec.h"

/* Sent over a SOCK_SEQPACKET socketpair, one message a packet; fd's travel as SCM_RIGHTS. */
enum fg_link_type {
	FG_LINK_CONFIG_BEGIN, /* parent -> bgp: struct fg_link_speaker follows: a new configuration begins */
	FG_LINK_CONFIG_PEER,  /* parent -> bgp: struct fg_link_peer */
	FG_LINK_CONFIG_END,   /* parent -> bgp: peers not named since BEGIN are closed, unchanged ones stay up */
	FG_LINK_LISTEN_FD,    /* parent -> bgp: struct fg_link_fd + a listening socket (keys already set) */
	FG_LINK_CONNECT_FD,   /* parent -> bgp: struct fg_link_fd + an unconnected socket, bound and keyed, for one attempt */
	FG_LINK_WANT_FD,      /* bgp -> parent: struct fg_link_fd: please send a socket to connect to this peer */
	FG_LINK_ROUTE,        /* bgp -> parent: struct fg_link_route + NLRI */
	FG_LINK_WITHDRAW,     /* bgp -> parent: struct fg_link_route (actions unused) + NLRI */
	FG_LINK_END_OF_RIB,   /* bgp -> parent: struct fg_link_peer_state */
	FG_LINK_PEER_STATE,   /* bgp -> parent: struct fg_link_peer_state, on every change and once a second when counters moved */
	FG_LINK_LOG,          /* bgp -> parent: struct fg_link_log: one line for the log */
	FG_LINK_TYPE_MAX,
};

/* First bytes of every message. @length: of the whole message, header included. */
struct fg_link_header {
	uint32_t type;
	uint32_t length;
};

struct fg_link_speaker {
	struct fg_link_header header;
	uint32_t as;
	uint32_t router_id; /* network byte order */
};

/* IP address, network byte order; inet in the first four octets. */
struct fg_link_address {
	uint32_t family; /* enum fg_family */
	uint8_t addr[16];
};

struct fg_link_peer {
	struct fg_link_header header;
	uint32_t peer; /* number, > 0: the source in the rib */
	uint32_t as;
	uint32_t local_as;
	struct fg_link_address remote;
	uint16_t port;
	uint16_t hold_time; /* seconds */
	uint8_t passive;
	uint8_t families; /* bit per enum fg_family */
	uint8_t pad[2];
	uint32_t prefix_limit; /* 0: none */
	char name[64];
};

struct fg_link_fd {
	struct fg_link_header header;
	uint32_t peer; /* 0 for listening sockets */
};

struct fg_link_route {
	struct fg_link_header header;
	uint32_t peer;
	uint32_t family;
	struct fg_actions actions;
	uint16_t nlri_len;
	uint16_t pad;
	uint8_t nlri[]; /* normalised value */
};

enum fg_peer_state {
	FG_PEER_IDLE,
	FG_PEER_CONNECT,
	FG_PEER_ACTIVE,
	FG_PEER_OPENSENT,
	FG_PEER_OPENCONFIRM,
	FG_PEER_ESTABLISHED,
};

struct fg_link_peer_state {
	struct fg_link_header header;
	uint32_t peer;
	uint32_t state;  /* enum fg_peer_state */
	uint32_t family; /* END_OF_RIB: which */
	uint32_t flaps;
	uint64_t updates, withdraws, malformed; /* NLRI counted; malformed: treated as withdraw (RFC 7606) */
	uint64_t messages_in, messages_out;
	char last_error[128];
};

struct fg_link_log {
	struct fg_link_header header;
	uint32_t level; /* enum fg_log_level */
	char text[256];
};

#endif
