// SPDX-License-Identifier: MIT
/* fltgated: the daemon of the gateway; one binary for all its processes, told apart by --role. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

enum {
	OPT_INSTANCE = 256,
	OPT_SOCKET,
	OPT_STATE_DIR,
	OPT_LOG_LEVEL,
	OPT_ROLE,
	OPT_EMPTY_DIR,
};

static const struct option long_options[] = {
	{ "foreground", no_argument, NULL, 'f' },
	{ "config", required_argument, NULL, 'c' },
	{ "check", no_argument, NULL, 'n' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "instance", required_argument, NULL, OPT_INSTANCE },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "state-dir", required_argument, NULL, OPT_STATE_DIR },
	{ "log-level", required_argument, NULL, OPT_LOG_LEVEL },
	{ "role", required_argument, NULL, OPT_ROLE },
	{ "empty-dir", required_argument, NULL, OPT_EMPTY_DIR },
	{ 0 },
};

static const char usage[] =
	"usage: fltgated [-f] [-c FILE] [OPTIONS]\n"
	"  -f, --foreground    stay in the foreground, log to stderr (systemd needs no option)\n"
	"  -c, --config FILE   configuration, default " FG_CONFIG_FILE "\n"
	"  -n, --check         check the configuration and stop: exit 0, or 2 with FILE:LINE:COLUMN\n"
	"      --instance NAME another gateway on this host: own pins, socket and state; default " FG_INSTANCE_DEFAULT
	"\n"
	"      --socket PATH   control socket, default " FG_SOCKET "\n"
	"      --state-dir DIR received rules are kept in DIR/INSTANCE, default " FG_STATE_DIR "\n"
	"      --empty-dir DIR root of the process without privileges, default: `empty` beside the socket\n"
	"      --log-level L   error, warning, notice, info or debug; default info\n"
	"  -V, --version       -h, --help\n"
	"SIGHUP reads the configuration again, SIGTERM stops; the datapath goes on filtering.\n";

static int parse_level(const char *text, enum fg_log_level *ret)
{
	static const struct {
		const char *name;
		enum fg_log_level level;
	} levels[] = {
		{ "error", FG_LOG_ERROR },   { "warning", FG_LOG_WARNING },
		{ "notice", FG_LOG_NOTICE }, { "info", FG_LOG_INFO },
		{ "debug", FG_LOG_DEBUG },
	};

	for (size_t i = 0; i < FG_ARRAY_SIZE(levels); i++) {
		if (strcmp(text, levels[i].name) != 0)
			continue;
		*ret = levels[i].level;
		return 0;
	}
	fprintf(stderr,
		"fltgated: unknown log level `%s`\n  try: error, warning, notice, info or debug\n",
		text);
	return -1;
}

/* An instance becomes part of paths. */
static int parse_instance(const char *text, const char **ret)
{
	size_t len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	if (!len || text[len] || len > 32) {
		fprintf(stderr,
			"fltgated: bad instance name `%s`\n  try: letters, digits, - and _, at most 32\n",
			text);
		return -1;
	}
	*ret = text;
	return 0;
}

/* Takes one option; -1: wrong, 0: go on, 1: answered, the program is done. */
static int take(int c, struct fg_daemon_options *o)
{
	switch (c) {
	case 'f':
		o->foreground = true;
		return 0;
	case 'c':
		o->config = optarg;
		return 0;
	case 'n':
		o->check_only = true;
		return 0;
	case OPT_INSTANCE:
		return parse_instance(optarg, &o->instance);
	case OPT_SOCKET:
		o->socket = optarg;
		return 0;
	case OPT_STATE_DIR:
		o->state_dir = optarg;
		return 0;
	case OPT_LOG_LEVEL:
		return parse_level(optarg, &o->level);
	case OPT_ROLE:
		o->role = optarg;
		return 0;
	case OPT_EMPTY_DIR:
		o->empty_dir = optarg;
		return 0;
	case 'V':
		printf("fltgated %s, ABI %s\n", FG_VERSION, FG_ABI_DIR);
		return 1;
	case 'h':
		fputs(usage, stdout);
		return 1;
	default:
		return -1;
	}
}

static int check_only(const char *path)
{
	struct fg_error err = { 0 };
	struct fg_tree *tree = NULL;
	struct fg_conf *conf = NULL;
	int r = fg_tree_load(path, &tree, &err);

	if (r == 0)
		r = fg_conf_check(tree, &conf, &err);
	for (size_t i = 0; r == 0 && i < conf->n_warnings; i++)
		fprintf(stderr, "%s\n", conf->warnings[i]);
	if (r < 0)
		fprintf(stderr, "%s%s%s\n", err.what, err.fix[0] ? "\n  try: " : "", err.fix);
	fg_conf_free(conf);
	fg_tree_free(tree);
	return r < 0 ? FG_EXIT_USAGE : FG_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct fg_daemon_options o = {
		.config = FG_CONFIG_FILE,
		.instance = FG_INSTANCE_DEFAULT,
		.state_dir = FG_STATE_DIR,
		.level = FG_LOG_INFO,
	};
	int c, r;

	while ((c = getopt_long(argc, argv, "fc:nVh", long_options, NULL)) != -1) {
		r = take(c, &o);
		if (r)
			return r > 0 ? FG_EXIT_OK : FG_EXIT_USAGE;
	}
	if (optind < argc) {
		fprintf(stderr, "fltgated: unexpected `%s`\n%s", argv[optind], usage);
		return FG_EXIT_USAGE;
	}
	if (o.check_only)
		return check_only(o.config);
	if (o.role)
		return fg_bgp_role_run(&o);
	if (!o.foreground && !getenv("NOTIFY_SOCKET")) {
		fputs("fltgated: not started by systemd\n  try: systemctl start fltgated, or fltgated -f\n",
		      stderr);
		return FG_EXIT_USAGE;
	}
	fg_log_init("fltgated", o.level);
	return fg_parent_run(&o);
}
