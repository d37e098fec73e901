// SPDX-License-Identifier: MIT
/* A new configuration: checked whole, then applied; whatever is wrong with it, the old one runs
 * on. */
#include <string.h>

#include "daemon/daemon.h"
#include "util/text.h"

int fg_configuration_load(const char *path, const char *text, size_t len,
			  struct fg_configuration *ret, struct fg_error *err)
{
	struct fg_configuration loaded = { .since = fg_now() };
	int r = text ? fg_tree_parse(path, text, len, &loaded.tree, err)
		     : fg_tree_load(path, &loaded.tree, err);

	if (r == 0)
		r = fg_conf_check(loaded.tree, &loaded.conf, err);
	if (r < 0) {
		fg_configuration_free(&loaded);
		return r;
	}
	fg_text_copy(loaded.source, sizeof(loaded.source), path);
	for (size_t i = 0; i < loaded.conf->n_warnings; i++)
		fg_log(FG_LOG_WARNING, "%s", loaded.conf->warnings[i]);
	*ret = loaded;
	return 0;
}

void fg_configuration_free(struct fg_configuration *configuration)
{
	fg_conf_free(configuration->conf);
	fg_tree_free(configuration->tree);
	*configuration = (struct fg_configuration){ 0 };
}

static void use(struct fg_daemon *daemon, struct fg_configuration configuration)
{
	daemon->configuration = configuration;
	daemon->conf = configuration.conf;
}

static int apply(struct fg_daemon *daemon, const struct fg_conf *old, struct fg_error *err)
{
	int r = fg_guard_apply(daemon, err); /* first: the only part that the kernel can refuse */

	if (r == 0)
		r = fg_peers_apply(daemon, err);
	if (r == 0)
		r = fg_rules_apply_static(daemon, err);
	if (r < 0)
		return r;
	fg_rules_recheck(daemon);
	for (int f = 0; f < FG_FAMILIES; f++)
		if (old->flt[f] != daemon->conf->flt[f] ||
		    old->flt_maximum[f] != daemon->conf->flt_maximum[f])
			fg_rules_changed(daemon, (enum fg_family)f);
	fg_rules_flush(daemon);
	fg_sockets_apply(daemon, old);
	fg_interfaces_apply(daemon, old);
	if (fg_bgp_child_pid(daemon))
		fg_peers_send(daemon);
	else
		fg_bgp_child_start(daemon);
	if (old->rule_capacity != daemon->conf->rule_capacity)
		fg_log(FG_LOG_WARNING,
		       "system rule-capacity takes effect when the instance is loaded anew: fltgate detach "
		       "--all, then restart fltgated");
	return 0;
}

int fg_reload(struct fg_daemon *daemon, const char *path, const char *text, size_t len,
	      struct fg_error *err)
{
	struct fg_configuration fresh = { 0 }, old = daemon->configuration;
	int r = fg_configuration_load(path, text, len, &fresh, err);

	if (r < 0)
		return r;
	use(daemon, fresh);
	r = apply(daemon, old.conf, err);
	if (r < 0) {
		struct fg_error ignored;

		use(daemon, old);
		(void)apply(daemon, fresh.conf, &ignored);
		fg_configuration_free(&fresh);
		return r;
	}
	fg_configuration_free(&old);
	fg_log(FG_LOG_NOTICE, "configuration %s is running", path);
	return 0;
}
