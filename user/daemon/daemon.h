/* SPDX-License-Identifier: MIT */
/* The parts of the daemon's parent process and what they share. */
#ifndef FG_DAEMON_DAEMON_H
#define FG_DAEMON_DAEMON_H

#include <event2/event.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bgp/link.h"
#include "bgp/rib.h"
#include "conf/conf.h"
#include "dp/attach.h"
#include "dp/dp.h"
#include "util/log.h"

/* What the command line says. */
struct fg_daemon_options {
	bool foreground, check_only;
	const char *config;    /* -c */
	const char *instance;  /* --instance */
	const char *socket;    /* --socket; NULL: by the instance */
	const char *state_dir; /* --state-dir */
	enum fg_log_level level;
	const char *role;      /* internal: NULL is the parent */
	const char *empty_dir; /* root of unprivileged processes; NULL: beside the socket */
};

struct fg_daemon;

/* A configured BGP neighbour. @number is its source in the rib and on the link; never used twice in
 * a run. */
struct fg_peer {
	struct fg_daemon *daemon;
	uint32_t number;
	char name[64]; /* its address: names it in the state file and in views */
	const struct fg_conf_neighbor *conf; /* in the running configuration */
	struct fg_link_peer_state state;
	int64_t since;             /* CLOCK_REALTIME seconds of the last change of state */
	uint8_t end_of_rib;        /* bit per enum fg_family, of this session */
	struct event *stale_timer; /* pending while it has stale rules */
	struct event *quiet_timer; /* pending until all rules of a session are known */
	int64_t heard_ms;          /* CLOCK_MONOTONIC: its last rule */
};

/* The running rules of one family. */
struct fg_family_state {
	bool changed;      /* the rib differs from the running generation */
	int64_t first_ms;  /* when it began to differ, CLOCK_MONOTONIC */
	int64_t cost_ms;   /* time that the last installation took */
	enum fg_mode mode; /* of the running generation */
	bool reclaimed;    /* slots of an adopted datapath are settled */
	bool fallback;     /* FLT was asked for, DMEM runs: more rules than flt_maximum */
	uint32_t token;    /* of the running generation, 0: none by this process */
	struct fg_footprint footprint;
	int64_t installed;     /* CLOCK_REALTIME seconds */
	struct fg_error error; /* of the last attempt; code 0: it worked */
};

/* A configured interface that is to be filtered. */
struct fg_interface_state {
	struct fg_error error; /* of the last attempt; code 0: none */
	bool off; /* detached by request: left alone until attached or a configuration is loaded */
};

/* A configuration with where it came from. */
struct fg_configuration {
	struct fg_tree *tree;
	struct fg_conf *conf;
	char source[PATH_MAX];
	int64_t since; /* CLOCK_REALTIME seconds */
};

struct fg_bgp_child;
struct fg_control;

#define FG_SIGNALS 4

struct fg_daemon {
	const struct fg_daemon_options *options;
	char socket_path[PATH_MAX], empty_dir[PATH_MAX], state_path[PATH_MAX];
	struct event_base *base;
	int64_t started; /* CLOCK_REALTIME seconds */
	struct fg_configuration configuration;
	const struct fg_conf *conf; /* = configuration.conf */
	struct fg_dp *dp;
	bool adopted; /* the instance ran before; its programs may be of another version */
	struct fg_rib *rib;
	struct fg_family_state family[FG_FAMILIES];
	struct event *install_timer, *hold_timer;
	bool hold; /* adopted without a state file: the old rules stay until the peers are heard */
	struct fg_peer **peers;
	size_t n_peers;
	uint32_t last_number;
	int listen_fd[FG_FAMILIES]; /* -1: none */
	struct fg_bgp_child *bgp;
	struct fg_control *control;
	struct event *state_timer, *attach_timer, *watchdog_timer, *signals[FG_SIGNALS];
	struct fg_interface_state *interfaces; /* per configured interface */
	bool state_changed;
	int64_t state_cost_ms; /* time that the last write of the state took */
};

int64_t fg_now(void);    /* CLOCK_REALTIME seconds */
int64_t fg_now_ms(void); /* CLOCK_MONOTONIC milliseconds */

/* --- parent.c --------------------------------------------------------------------------------- */

/* Runs until SIGTERM or SIGINT. Returns an enum fg_exit. */
int fg_parent_run(const struct fg_daemon_options *options);

/* --- bgp_role.c, privsep.c -------------------------------------------------------------------- */

/* The descriptor at which a role finds its link. */
#define FG_ROLE_LINK_FD 3

/* The process without privileges: gives everything up, then speaks BGP. Returns an enum fg_exit. */
int fg_bgp_role_run(const struct fg_daemon_options *options);

/* Root directory, user, capabilities and system calls are given up for good; verified. 0 or
 * negative errno with @err. @warning (may be empty after) tells what could not be had, e.g. the
 * missing user. */
int fg_privsep_drop(const char *empty_dir, char *warning, size_t size, struct fg_error *err);

/* The parent keeps the capabilities it needs to load, attach, listen and restart its children; 0 or
 * negative errno. */
int fg_privsep_limit_parent(struct fg_error *err);

/* --- bgp_child.c ------------------------------------------------------------------------------ */

int fg_bgp_child_new(struct fg_daemon *daemon, struct fg_error *err);
void fg_bgp_child_free(struct fg_daemon *daemon);
/* Starts the process when it is not there; on failure it is tried again later. */
void fg_bgp_child_start(struct fg_daemon *daemon);
/* Sends a message, as soon as there is room; @fd (-1: none) is closed. */
void fg_bgp_child_send(struct fg_daemon *daemon, const struct fg_link_header *message, int fd);
/* SIGCHLD. */
void fg_bgp_child_reap(struct fg_daemon *daemon);
/* Ends the process; it is started again. */
void fg_bgp_child_restart(struct fg_daemon *daemon);
pid_t fg_bgp_child_pid(const struct fg_daemon *daemon); /* 0: not running */

/* --- peers.c ---------------------------------------------------------------------------------- */

/* Takes the neighbours of the running configuration over: new ones get a number, rules of gone ones
 * are withdrawn. */
int fg_peers_apply(struct fg_daemon *daemon, struct fg_error *err);
void fg_peers_free(struct fg_daemon *daemon);
/* The whole configuration to the bgp process: speaker, peers, listening sockets. */
void fg_peers_send(struct fg_daemon *daemon);
/* A checked message of the bgp process. */
void fg_peers_message(struct fg_daemon *daemon, struct fg_link_message *message);
/* The bgp process is gone: all peers are down, their rules stale. */
void fg_peers_lost(struct fg_daemon *daemon);
struct fg_peer *fg_peer_by_number(const struct fg_daemon *daemon, uint32_t number);
struct fg_peer *fg_peer_by_name(const struct fg_daemon *daemon, const char *name);
/* "static" or the peer's address. */
const char *fg_source_name(const struct fg_daemon *daemon, uint32_t source);
/* Rules of a peer that are in the rib although it is not heard now: gives them a time to live. */
void fg_peer_await(struct fg_peer *peer);

/* --- sockets.c -------------------------------------------------------------------------------- */

/* The address as the bgp process takes it. */
struct fg_link_address fg_link_address_of(const struct fg_conf_address *address);
/* Listening sockets by the running configuration; keys renewed, those of @old (may be NULL)
 * removed. Errors are logged: active sessions work without. */
void fg_sockets_apply(struct fg_daemon *daemon, const struct fg_conf *old);
void fg_sockets_send(struct fg_daemon *daemon);
void fg_sockets_close(struct fg_daemon *daemon);
/* A socket for one attempt to connect to @peer, sent to the bgp process. */
void fg_sockets_dial(struct fg_daemon *daemon, const struct fg_peer *peer);

/* --- rules.c ---------------------------------------------------------------------------------- */

int fg_rules_init(struct fg_daemon *daemon);
/* The rib of @family changed: a new generation follows within FG_COALESCE_MAX_MS. */
void fg_rules_changed(struct fg_daemon *daemon, enum fg_family family);
/* Installs at once what is pending. */
void fg_rules_flush(struct fg_daemon *daemon);
/* Adds a received rule, after the allowed-destinations check. */
void fg_rules_add(struct fg_daemon *daemon, const struct fg_peer *peer, enum fg_family family,
		  const uint8_t *nlri, size_t len, const struct fg_actions *actions, int64_t since,
		  uint32_t flags);
/* Brings the configured rules into the rib. */
int fg_rules_apply_static(struct fg_daemon *daemon, struct fg_error *err);
/* Judges all received rules again: the allowed destinations may have changed. */
void fg_rules_recheck(struct fg_daemon *daemon);
/* Begins and ends the time in which an adopted generation stays. */
void fg_rules_hold(struct fg_daemon *daemon);
void fg_rules_release(struct fg_daemon *daemon);

/* --- slots.c ---------------------------------------------------------------------------------- */

/* Frees the counter slots of @family that no rule of the rib has; the generation that used them
 * must be gone. Returns their number. */
size_t fg_slots_reclaim(struct fg_daemon *daemon, enum fg_family family);

/* --- allowed.c -------------------------------------------------------------------------------- */

/* True when the destination of the rule lies inside one of the prefixes; no prefixes: always.
 * Pure. */
bool fg_destination_allowed(const struct fg_conf_address *allowed, size_t n, enum fg_family family,
			    const struct fg_flow *flow);

/* --- state.c: rules that outlive the process -------------------------------------------------- */

/* Marks the file as old; written within a second. */
void fg_state_changed(struct fg_daemon *daemon);
int fg_state_write(struct fg_daemon *daemon, struct fg_error *err);
/* Reads the file: the rules come as stale ones of their peers. -ENOENT: no file. Bad lines are
 * refused as a whole. */
int fg_state_read(struct fg_daemon *daemon, struct fg_error *err);
/* Makes the directory. */
int fg_state_init(struct fg_daemon *daemon, struct fg_error *err);

/* --- reload.c --------------------------------------------------------------------------------- */

/* Loads and checks: file @path, or @text when not NULL (then @path names it). Warnings are
 * logged. */
int fg_configuration_load(const char *path, const char *text, size_t len,
			  struct fg_configuration *ret, struct fg_error *err);
void fg_configuration_free(struct fg_configuration *configuration);
/* The same, and applies it. On error nothing has changed. */
int fg_reload(struct fg_daemon *daemon, const char *path, const char *text, size_t len,
	      struct fg_error *err);

/* --- interfaces.c ----------------------------------------------------------------------------- */

/* Attaches what the configuration wants; detaches what @old (may be NULL) wanted and the new one
 * does not. Failures are logged and tried again. */
void fg_interfaces_apply(struct fg_daemon *daemon, const struct fg_conf *old);
int fg_interfaces_init(struct fg_daemon *daemon);
/* What an earlier process attached gets this process's program, without a gap. */
void fg_interfaces_adopt(struct fg_daemon *daemon);
const struct fg_conf_interface *fg_interface_conf(const struct fg_conf *conf, const char *name);
/* The `attach` and `detach` requests: -EPERM when the role forbids it. */
int fg_interface_attach(struct fg_daemon *daemon, const char *name, enum fg_attach_mode mode,
			bool replace, struct fg_error *err);
int fg_interface_detach(struct fg_daemon *daemon, const char *name, struct fg_error *err);
int fg_interface_detach_all(struct fg_daemon *daemon, size_t *ret_n, struct fg_error *err);

/* --- guard.c ---------------------------------------------------------------------------------- */

int fg_guard_apply(struct fg_daemon *daemon, struct fg_error *err);

/* --- control.c -------------------------------------------------------------------------------- */

int fg_control_new(struct fg_daemon *daemon, struct fg_error *err);
void fg_control_free(struct fg_daemon *daemon);

/* --- notify.c --------------------------------------------------------------------------------- */

/* Tells systemd "READY=1" etc.; nothing without NOTIFY_SOCKET. */
void fg_notify(const char *text);
/* Feeds the watchdog in time, if there is one. */
int fg_notify_init(struct fg_daemon *daemon);

#endif
