/* SPDX-License-Identifier: MIT */
/* Messages between the privileged parent and the bgp process: small, checked by the one that receives them. */
#ifndef FG_BGP_LINK_H
#define FG_BGP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bgp/path.h"
#include "flowspec/actions.h"
#include "flowspec/flowspec.h"
#include "util/error.h"

/* Sent over a SOCK_SEQPACKET socketpair, one message a packet; descriptors travel as SCM_RIGHTS. */
enum fg_link_type {
	/* parent -> bgp */
	FG_LINK_CONFIG_BEGIN, /* struct fg_link_speaker: a new configuration begins */
	FG_LINK_CONFIG_PEER,  /* struct fg_link_peer */
	FG_LINK_CONFIG_END, /* header only: peers not named since BEGIN close, unchanged ones stay up */
	FG_LINK_LISTEN_FD, /* struct fg_link_fd + a listening socket (keys set); stays until the end */
	FG_LINK_CONNECT_FD, /* struct fg_link_fd + an unconnected socket, bound and keyed, for one attempt */
	/* bgp -> parent */
	FG_LINK_WANT_FD,  /* struct fg_link_fd: please send a socket to connect to this peer */
	FG_LINK_ROUTE,    /* struct fg_link_route + NLRI */
	FG_LINK_WITHDRAW, /* struct fg_link_route (actions unused) + NLRI */
	FG_LINK_UNICAST,  /* struct fg_link_unicast */
	FG_LINK_UNICAST_WITHDRAW, /* the same, path unused */
	FG_LINK_END_OF_RIB,       /* struct fg_link_peer_state */
	FG_LINK_PEER_STATE, /* the same: on every change, and once a second when counters moved */
	FG_LINK_LOG,        /* struct fg_link_log: one line for the log */
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
	uint8_t families; /* bit per enum fg_bgp_family */
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
	struct fg_path path;
	struct fg_actions actions;
	uint16_t nlri_len;
	uint16_t pad;
	uint8_t nlri[]; /* normalised value */
};

/* A unicast prefix: @addr in network byte order, bits behind @len are 0. */
struct fg_link_unicast {
	struct fg_link_header header;
	uint32_t peer;
	uint32_t family; /* enum fg_family */
	uint8_t addr[16];
	uint8_t len;
	uint8_t pad[3];
	struct fg_path path;
};

enum fg_peer_state {
	FG_PEER_IDLE,
	FG_PEER_CONNECT,
	FG_PEER_ACTIVE,
	FG_PEER_OPENSENT,
	FG_PEER_OPENCONFIRM,
	FG_PEER_ESTABLISHED,
	FG_PEER_STATES,
};

struct fg_link_peer_state {
	struct fg_link_header header;
	uint32_t peer;
	uint32_t state;  /* enum fg_peer_state */
	uint32_t family; /* END_OF_RIB: enum fg_bgp_family */
	uint32_t flaps;
	uint32_t remote_as;     /* of the last OPEN, 0 before */
	uint32_t remote_id;     /* router id of the last OPEN, network byte order */
	uint16_t hold_time;     /* agreed, seconds; 0: none */
	uint8_t families;       /* agreed: bit per enum fg_bgp_family; 0 while not established */
	uint8_t prefix_limited; /* at the limit: some rules were refused in this session */
	uint32_t rules;         /* announced and handed over in this session */
	uint16_t restart_time;  /* seconds the peer asks for (RFC 4724), 0: none */
	uint16_t pad;
	uint64_t updates, withdraws; /* NLRI counted */
	uint64_t malformed;          /* NLRI treated as withdraw (RFC 7606) */
	uint64_t refused;            /* NLRI beyond the prefix limit, not handed over */
	uint64_t ignored;            /* NLRI of another SAFI, e.g. FlowSpec VPN (134) */
	uint64_t messages_in, messages_out;
	char last_error[128];
};

struct fg_link_log {
	struct fg_link_header header;
	uint32_t level; /* enum fg_log_level */
	char text[256];
};

/* Room for any message. */
#define FG_LINK_MESSAGE_MAX (sizeof(struct fg_link_route) + FG_NLRI_MAX)

/* A received message; @fd: the descriptor that came with it, -1 if none, owned by the receiver. */
struct fg_link_message {
	int fd;
	union {
		struct fg_link_header header;
		struct fg_link_speaker speaker;
		struct fg_link_peer peer;
		struct fg_link_fd with_fd; /* LISTEN_FD, CONNECT_FD, WANT_FD */
		struct fg_link_route route;
		struct fg_link_unicast unicast;
		struct fg_link_peer_state state; /* PEER_STATE, END_OF_RIB */
		struct fg_link_log log;
		uint8_t bytes[FG_LINK_MESSAGE_MAX];
	};
};

enum fg_link_side {
	FG_LINK_PARENT,
	FG_LINK_BGP,
};

/* A connected pair, non-blocking and close-on-exec: *ret_parent and *ret_bgp. 0 or negative errno. */
int fg_link_pair(int *ret_parent, int *ret_bgp);

/* Fills the header of a message of a fixed size. @message: zeroed by the caller. */
void fg_link_init(struct fg_link_header *message, enum fg_link_type type, size_t length);

/* Sends a message, with @pass_fd when it is >= 0 (the caller keeps its copy). 0; -EAGAIN: the link is full,
 * nothing was sent; other negative errno. */
int fg_link_send(int link_fd, const struct fg_link_header *message, int pass_fd);

/* Messages that wait for room, in order. Zero-initialise. */
struct fg_link_queue {
	struct fg_link_item *head, *tail;
};

/* Sends at once when nothing waits and there is room, else keeps a copy (and a dup of @pass_fd) for
 * fg_link_queue_flush(). 0, also when queued; -ENOMEM or what the link says. */
int fg_link_queue_send(struct fg_link_queue *queue, int link_fd,
		       const struct fg_link_header *message, int pass_fd);
/* Sends what waits. 0: all gone; -EAGAIN: full again; other negative errno. */
int fg_link_queue_flush(struct fg_link_queue *queue, int link_fd);
void fg_link_queue_free(struct fg_link_queue *queue);

/* Receives and checks one message that @from may send. 1: *ret holds it; 0: the other end is closed; -EAGAIN:
 * nothing there; -EPROTO with @err: not a message of this protocol (a descriptor that came is closed). Below 1
 * the content of *ret is undefined. */
int fg_link_recv(int link_fd, enum fg_link_side from, struct fg_link_message *ret,
		 struct fg_error *err);

/* The check that fg_link_recv() makes of @len octets and the descriptor: lengths, enums, text ends, numbers, NLRI
 * (decoded again and canonical). Pure. 0 or -EPROTO with @err. */
int fg_link_check(const struct fg_link_message *message, size_t len, enum fg_link_side from,
		  struct fg_error *err);

/* "Established" and so on, as `show bgp summary` writes it. */
const char *fg_peer_state_text(enum fg_peer_state state);

#endif
