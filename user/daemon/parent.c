// SPDX-License-Identifier: MIT
/* The parent process: brings everything up in the right order, runs the event loop, and leaves the
 * datapath running. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

int64_t fg_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

int64_t fg_now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* --- signals ---------------------------------------------------------------------------------- */

static void on_stop(evutil_socket_t signal_number, short what, void *arg)
{
	struct fg_daemon *daemon = arg;

	(void)what;
	fg_notify("STOPPING=1");
	fg_log(FG_LOG_NOTICE, "%s: stopping; the datapath goes on filtering",
	       strsignal(signal_number));
	(void)event_base_loopbreak(daemon->base);
}

/* systemd wants the moment of the request with RELOADING=1 (sd_notify(3)). */
static void notify_reloading(void)
{
	char text[64];
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	(void)snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%lld",
		       (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	fg_notify(text);
}

static void on_reload(evutil_socket_t signal_number, short what, void *arg)
{
	struct fg_daemon *daemon = arg;
	struct fg_error err = { 0 };

	(void)signal_number;
	(void)what;
	notify_reloading();
	if (fg_reload(daemon, daemon->options->config, NULL, 0, &err) < 0) {
		(void)fg_log_error(&err);
		fg_log(FG_LOG_ERROR, "nothing changed: the configuration of before runs on");
	}
	fg_notify("READY=1");
}

static void on_child(evutil_socket_t signal_number, short what, void *arg)
{
	(void)signal_number;
	(void)what;
	fg_bgp_child_reap(arg);
}

static int init_signals(struct fg_daemon *daemon)
{
	static const struct {
		int number;
		event_callback_fn fn;
	} signals[FG_SIGNALS] = {
		{ SIGTERM, on_stop },
		{ SIGINT, on_stop },
		{ SIGHUP, on_reload },
		{ SIGCHLD, on_child },
	};

	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < FG_SIGNALS; i++) {
		daemon->signals[i] =
			evsignal_new(daemon->base, signals[i].number, signals[i].fn, daemon);
		if (!daemon->signals[i] || event_add(daemon->signals[i], NULL) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* --- paths ------------------------------------------------------------------------------------ */

static void choose_paths(struct fg_daemon *daemon)
{
	const struct fg_daemon_options *o = daemon->options;
	char *slash;

	if (o->socket)
		(void)snprintf(daemon->socket_path, sizeof(daemon->socket_path), "%s", o->socket);
	else if (!strcmp(o->instance, FG_INSTANCE_DEFAULT))
		(void)snprintf(daemon->socket_path, sizeof(daemon->socket_path), FG_SOCKET);
	else
		(void)snprintf(daemon->socket_path, sizeof(daemon->socket_path),
			       FG_RUN_DIR "/control-%s.sock", o->instance);
	if (o->empty_dir) {
		(void)snprintf(daemon->empty_dir, sizeof(daemon->empty_dir), "%s", o->empty_dir);
		return;
	}
	slash = strrchr(daemon->socket_path, '/');
	(void)snprintf(daemon->empty_dir, sizeof(daemon->empty_dir), "%.*s/empty",
		       (int)(slash ? slash - daemon->socket_path : 1),
		       slash ? daemon->socket_path : ".");
}

static int make_dir(const char *path, mode_t mode, struct fg_error *err)
{
	if (mkdir(path, mode) < 0 && errno != EEXIST) {
		int r = -errno;

		(void)fg_error_set(err, r, "%s: cannot make the directory: %s", path, strerror(-r));
		return fg_error_fix(
			err, "mkdir -p %s, or another --socket PATH and --empty-dir DIR", path);
	}
	return 0;
}

static int make_dirs(struct fg_daemon *daemon, struct fg_error *err)
{
	char run[PATH_MAX];
	char *slash;
	int r = 0;

	(void)snprintf(run, sizeof(run), "%s", daemon->socket_path);
	slash = strrchr(run, '/');
	if (slash && slash != run) {
		*slash = '\0';
		r = make_dir(run, 0755, err);
	}
	return r < 0 ? r : make_dir(daemon->empty_dir, 0555, err);
}

/* --- up and down ------------------------------------------------------------------------------ */

static int open_datapath(struct fg_daemon *daemon, struct fg_error *err)
{
	const struct fg_dp_options options = {
		.instance = daemon->options->instance,
		.capacity = daemon->conf->rule_capacity,
	};
	char pins[PATH_MAX];
	int r;

	(void)snprintf(pins, sizeof(pins), FG_PIN_ROOT "/" FG_ABI_DIR "/%s", options.instance);
	daemon->adopted = access(pins, F_OK) == 0;
	r = fg_dp_open(&options, &daemon->dp, err);
	if (r == 0)
		fg_log(FG_LOG_NOTICE, "datapath %s in %s", daemon->adopted ? "adopted" : "loaded",
		       fg_dp_pin_dir(daemon->dp));
	return r;
}

/* Rules received before the restart come back from the state file, so that the first generation of
 * this process is never emptier than the one it replaces. */
static int restore_rules(struct fg_daemon *daemon, struct fg_error *err)
{
	int r = fg_state_read(daemon, err);

	if (r < 0 && r != -ENOENT)
		(void)fg_log_error(err);
	if (r < 0 && daemon->adopted && daemon->n_peers)
		fg_rules_hold(daemon);
	*err = (struct fg_error){ 0 };
	return 0;
}

static int allocate(struct fg_daemon *daemon, struct fg_error *err)
{
	daemon->base = event_base_new();
	daemon->rib = fg_rib_new();
	if (!daemon->base || !daemon->rib || init_signals(daemon) < 0 ||
	    fg_rules_init(daemon) < 0 || fg_notify_init(daemon) < 0 ||
	    fg_interfaces_init(daemon) < 0)
		return fg_error_set(err, -ENOMEM, "out of memory");
	return fg_bgp_child_new(daemon, err);
}

/* The order matters: rules before interfaces, all of it before peers are heard and the service is
 * ready. */
static int start(struct fg_daemon *daemon, struct fg_error *err)
{
	static int (*const steps[])(struct fg_daemon * daemon, struct fg_error * err) = {
		make_dirs,     allocate,       open_datapath,
		fg_state_init, fg_peers_apply, fg_rules_apply_static,
		restore_rules, fg_guard_apply,
	};

	for (size_t i = 0; i < FG_ARRAY_SIZE(steps); i++) {
		int r = steps[i](daemon, err);

		if (r < 0)
			return r;
	}
	fg_rules_flush(daemon);
	fg_state_changed(
		daemon); /* even without rules: the next start then knows that there were none */
	if (daemon->adopted)
		fg_interfaces_adopt(daemon);
	fg_interfaces_apply(daemon, NULL);
	return fg_control_new(daemon, err);
}

static int start_bgp(struct fg_daemon *daemon, struct fg_error *err)
{
	int r;

	fg_sockets_apply(daemon, NULL);
	r = fg_privsep_limit_parent(err);
	if (r < 0)
		return r;
	fg_bgp_child_start(daemon);
	return 0;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

static void stop(struct fg_daemon *daemon)
{
	struct fg_error err = { 0 };

	fg_control_free(daemon);
	if (daemon->state_changed && fg_state_write(daemon, &err) < 0)
		(void)fg_log_error(&err);
	fg_bgp_child_free(daemon);
	fg_sockets_close(daemon);
	fg_peers_free(daemon);
	fg_dp_close(daemon->dp);
	fg_rib_free(daemon->rib);
	for (size_t i = 0; i < FG_SIGNALS; i++)
		free_event(daemon->signals[i]);
	free_event(daemon->install_timer);
	free_event(daemon->hold_timer);
	free_event(daemon->state_timer);
	free_event(daemon->attach_timer);
	free_event(daemon->watchdog_timer);
	if (daemon->base)
		event_base_free(daemon->base);
	free(daemon->interfaces);
	fg_configuration_free(&daemon->configuration);
}

int fg_parent_run(const struct fg_daemon_options *options)
{
	struct fg_daemon daemon = { .options = options,
				    .started = fg_now(),
				    .listen_fd = { -1, -1 } };
	struct fg_error err = { 0 };
	int status = FG_EXIT_OK;

	if (fg_configuration_load(options->config, NULL, 0, &daemon.configuration, &err) < 0) {
		(void)fg_log_error(&err);
		return FG_EXIT_USAGE;
	}
	daemon.conf = daemon.configuration.conf;
	choose_paths(&daemon);
	if (start(&daemon, &err) < 0 || start_bgp(&daemon, &err) < 0) {
		(void)fg_log_error(&err);
		status = FG_EXIT_FAILED;
	} else {
		fg_log(FG_LOG_NOTICE, "ready, instance %s, control socket %s", options->instance,
		       daemon.socket_path);
		fg_notify("READY=1");
		(void)event_base_dispatch(daemon.base);
	}
	stop(&daemon);
	return status;
}
