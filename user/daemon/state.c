// SPDX-License-Identifier: MIT
/* The state file: received rules written beside the datapath, so that a restart never opens the
 * filter. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/daemon.h"
#include "daemon/state_text.h"
#include "util/cleanup.h"

#define WRITE_MS 1000 /* between a change and the writing of it */
#define STATE_MAX (1U << 30)

static void close_file(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

/* --- writing ---------------------------------------------------------------------------------- */

static size_t write_family(const struct fg_daemon *daemon, enum fg_family family, FILE *out)
{
	size_t n = 0, written = 0;
	struct fg_dest **all = fg_rib_ordered(daemon->rib, family, &n);

	for (size_t i = 0; i < n; i++) {
		for (const struct fg_route *route = all[i]->routes; route; route = route->next) {
			const struct fg_peer *peer = fg_peer_by_number(daemon, route->source);

			if (!peer) /* configured ones are in the configuration */
				continue;
			fg_state_print(out, family, all[i], route, peer->name);
			written++;
		}
	}
	return written;
}

static int write_file(const struct fg_daemon *daemon, const char *path)
{
	FG_CLEANUP(close_file) FILE *out = fopen(path, "we");
	size_t n = 0;

	if (!out)
		return -errno;
	(void)fchmod(fileno(out), 0600);
	fg_state_print_begin(out);
	for (int f = 0; f < FG_FAMILIES; f++)
		n += write_family(daemon, (enum fg_family)f, out);
	fg_state_print_end(out, n);
	if (fflush(out) != 0 || ferror(out) || fsync(fileno(out)) < 0)
		return -EIO;
	return 0;
}

int fg_state_write(struct fg_daemon *daemon, struct fg_error *err)
{
	char temporary[PATH_MAX + 8];
	int64_t begin = fg_now_ms();
	int r;

	daemon->state_changed = false;
	if (daemon->hold) /* what is known is less than what runs: a file would say otherwise */
		return 0;
	(void)snprintf(temporary, sizeof(temporary), "%s.new", daemon->state_path);
	r = write_file(daemon, temporary);
	if (r == 0 && rename(temporary, daemon->state_path) < 0)
		r = -errno;
	daemon->state_cost_ms = fg_now_ms() - begin;
	if (r < 0) {
		(void)fg_error_set(err, r, "%s: cannot write: %s", daemon->state_path,
				   strerror(-r));
		return fg_error_fix(err, "df %s; or --state-dir DIR", daemon->state_path);
	}
	return 0;
}

static void on_write(evutil_socket_t fd, short what, void *arg)
{
	struct fg_error err = { 0 };

	(void)fd;
	(void)what;
	if (fg_state_write(arg, &err) < 0)
		(void)fg_log_error(&err);
}

void fg_state_changed(struct fg_daemon *daemon)
{
	/* A file that takes long is written more rarely: at most a tenth of the time goes into
	 * it. */
	int64_t ms = daemon->state_cost_ms * 10 > WRITE_MS ? daemon->state_cost_ms * 10 : WRITE_MS;
	const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };

	if (daemon->state_changed)
		return;
	daemon->state_changed = true;
	(void)event_add(daemon->state_timer, &wait);
}

/* --- reading ---------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *ret_len, struct fg_error *err)
{
	FG_CLEANUP(close_file) FILE *in = fopen(path, "re");
	FG_AUTO_FREE char *text = NULL;
	struct stat st;

	if (!in || fstat(fileno(in), &st) < 0) {
		(void)fg_error_set(err, -errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > STATE_MAX) {
		(void)fg_error_set(err, -EFBIG, "%s is no state file", path);
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		(void)fg_error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	*ret_len = fread(text, 1, (size_t)st.st_size, in);
	text[*ret_len] = '\0';
	return FG_TAKE_PTR(text);
}

struct reading {
	struct fg_daemon *daemon;
	size_t kept, dropped;
};

static int take_rule(const struct fg_state_rule *rule, void *arg)
{
	struct reading *reading = arg;
	struct fg_peer *peer = fg_peer_by_name(reading->daemon, rule->peer);

	if (!peer) {
		reading->dropped++;
		return 0;
	}
	fg_rules_add(reading->daemon, peer, rule->family, rule->nlri, rule->nlri_len,
		     &rule->actions, rule->since, FG_ROUTE_STALE);
	fg_peer_await(peer);
	reading->kept++;
	return 0;
}

static int count_rule(const struct fg_state_rule *rule, void *arg)
{
	(void)rule;
	(void)arg;
	return 0;
}

int fg_state_read(struct fg_daemon *daemon, struct fg_error *err)
{
	struct reading reading = { .daemon = daemon };
	size_t len = 0;
	FG_AUTO_FREE char *text = read_file(daemon->state_path, &len, err);
	int r;

	if (!text)
		return err->code;
	/* Checked whole before anything of it counts. */
	r = fg_state_parse(daemon->state_path, text, len, count_rule, NULL, err);
	if (r == 0)
		r = fg_state_parse(daemon->state_path, text, len, take_rule, &reading, err);
	if (r < 0)
		return r;
	if (reading.kept || reading.dropped)
		fg_log(FG_LOG_NOTICE,
		       "%zu received rules taken over from %s, marked stale; %zu of peers no longer configured",
		       reading.kept, daemon->state_path, reading.dropped);
	return 0;
}

static int make_dirs(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

int fg_state_init(struct fg_daemon *daemon, struct fg_error *err)
{
	int r;

	(void)snprintf(daemon->state_path, sizeof(daemon->state_path), "%s/%s/rules.state",
		       daemon->options->state_dir, daemon->options->instance);
	daemon->state_timer = evtimer_new(daemon->base, on_write, daemon);
	if (!daemon->state_timer)
		return fg_error_set(err, -ENOMEM, "out of memory");
	r = make_dirs(daemon->state_path);
	if (r < 0) {
		(void)fg_error_set(err, r, "%s: cannot make the directory: %s", daemon->state_path,
				   strerror(-r));
		return fg_error_fix(err, "--state-dir DIR");
	}
	return 0;
}
