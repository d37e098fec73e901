// SPDX-License-Identifier: MIT
/* Interfaces: what the configuration wants filtered is attached, and attached again when it comes
 * back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "util/text.h"

#define LOOK_EVERY_S 2

const struct fg_conf_interface *fg_interface_conf(const struct fg_conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->n_interfaces; i++)
		if (!strcmp(conf->interfaces[i].name, name))
			return &conf->interfaces[i];
	return NULL;
}

static bool wanted(const struct fg_conf_interface *interface)
{
	return interface && interface->role == FG_ROLE_UNTRUST;
}

static bool is_ours(struct fg_daemon *daemon, const char *name)
{
	struct fg_attachment now;
	struct fg_error err = { 0 };

	return fg_attachment_get(daemon->dp, name, &now, &err) == 0 &&
	       (now.how == FG_ATTACHED_LINK || now.how == FG_ATTACHED_IP_LINK);
}

/* The last failure of each wanted interface; the same one is not logged again. */
static void note_error(struct fg_daemon *daemon, size_t i, const struct fg_error *err)
{
	struct fg_error *last = &daemon->interfaces[i].error;

	if (err->code && strcmp(last->what, err->what) != 0)
		(void)fg_log_error(err);
	*last = *err;
}

/* @all: attached ones, too, so that they get the mode of the configuration. */
static void attach_wanted(struct fg_daemon *daemon, bool all)
{
	for (size_t i = 0; i < daemon->conf->n_interfaces; i++) {
		const struct fg_conf_interface *interface = &daemon->conf->interfaces[i];
		enum fg_attach_mode mode =
			interface->generic ? FG_ATTACH_GENERIC : FG_ATTACH_NATIVE;
		struct fg_error err = { 0 };
		bool before;

		if (!wanted(interface) || daemon->interfaces[i].off)
			continue;
		before = is_ours(daemon, interface->name);
		if (before && !all)
			continue;
		if (fg_attach(daemon->dp, interface->name, mode, false, &err) == 0 && !before)
			fg_log(FG_LOG_NOTICE, "%s is filtered (%s mode)", interface->name,
			       fg_attach_mode_name(mode));
		note_error(daemon, i, &err);
	}
}

static void detach_one(struct fg_daemon *daemon, const char *name, const char *why)
{
	struct fg_error err = { 0 };

	if (!is_ours(daemon, name))
		return;
	if (fg_detach(daemon->dp, name, &err) < 0)
		(void)fg_log_error(&err);
	else
		fg_log(FG_LOG_NOTICE, "%s is no longer filtered: %s", name, why);
}

void fg_interfaces_apply(struct fg_daemon *daemon, const struct fg_conf *old)
{
	const struct fg_conf *conf = daemon->conf;

	free(daemon->interfaces);
	daemon->interfaces = calloc(conf->n_interfaces + 1, sizeof(*daemon->interfaces));
	if (!daemon->interfaces)
		abort();
	for (size_t i = 0; old && i < old->n_interfaces; i++)
		if (wanted(&old->interfaces[i]) &&
		    !wanted(fg_interface_conf(conf, old->interfaces[i].name)))
			detach_one(daemon, old->interfaces[i].name, "the configuration changed");
	for (size_t i = 0; i < conf->n_interfaces; i++)
		if (!wanted(&conf->interfaces[i]))
			detach_one(daemon, conf->interfaces[i].name, "its role forbids it");
	attach_wanted(daemon, true);
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	attach_wanted(arg, false);
}

int fg_interfaces_init(struct fg_daemon *daemon)
{
	const struct timeval every = { LOOK_EVERY_S, 0 };

	daemon->attach_timer = event_new(daemon->base, -1, EV_PERSIST, on_look, daemon);
	return daemon->attach_timer && event_add(daemon->attach_timer, &every) == 0 ? 0 : -ENOMEM;
}

static void set_off(struct fg_daemon *daemon, const char *name, bool off)
{
	for (size_t i = 0; i < daemon->conf->n_interfaces; i++)
		if (!strcmp(daemon->conf->interfaces[i].name, name))
			daemon->interfaces[i] = (struct fg_interface_state){ .off = off };
}

int fg_interface_attach(struct fg_daemon *daemon, const char *name, enum fg_attach_mode mode,
			bool replace, struct fg_error *err)
{
	const struct fg_conf_interface *interface = fg_interface_conf(daemon->conf, name);
	int r;

	if (interface && interface->role == FG_ROLE_MANAGEMENT) {
		(void)fg_error_set(err, -EPERM,
				   "%s is a management interface: it never gets a program", name);
		return fg_error_fix(err, "remove `role management` of %s in the configuration",
				    name);
	}
	r = fg_attach(daemon->dp, name, mode, replace, err);
	if (r < 0)
		return r;
	set_off(daemon, name, false);
	fg_log(FG_LOG_NOTICE, "%s is filtered (%s mode), by request", name,
	       fg_attach_mode_name(mode));
	return 0;
}

int fg_interface_detach(struct fg_daemon *daemon, const char *name, struct fg_error *err)
{
	int r = fg_detach(daemon->dp, name, err);

	if (r < 0)
		return r;
	set_off(daemon, name, true);
	fg_log(FG_LOG_NOTICE, "%s is no longer filtered, by request", name);
	return 0;
}

/* Names first: changing an attachment while walking would change what is walked. */
struct attachments {
	struct fg_attachment *list;
	size_t n;
};

static int collect(const struct fg_attachment *attachment, void *arg)
{
	struct attachments *all = arg;
	void *list = reallocarray(all->list, all->n + 1, sizeof(*all->list));

	if (!list)
		return -ENOMEM;
	all->list = list;
	all->list[all->n++] = *attachment;
	return 0;
}

int fg_interface_detach_all(struct fg_daemon *daemon, size_t *ret_n, struct fg_error *err)
{
	struct attachments all = { 0 };
	int r = fg_attached_each(daemon->dp, collect, &all, err);

	for (size_t i = 0; r == 0 && i < all.n; i++)
		r = fg_interface_detach(daemon, all.list[i].ifname, err);
	if (r == 0)
		*ret_n = all.n;
	free(all.list);
	return r;
}

void fg_interfaces_adopt(struct fg_daemon *daemon)
{
	struct attachments all = { 0 };
	struct fg_error err = { 0 };
	int r = fg_attached_each(daemon->dp, collect, &all, &err);

	for (size_t i = 0; r == 0 && i < all.n; i++) {
		r = fg_attach(daemon->dp, all.list[i].ifname, all.list[i].mode, false, &err);
		if (r == 0)
			fg_log(FG_LOG_NOTICE, "%s is filtered as before (%s mode)",
			       all.list[i].ifname, fg_attach_mode_name(all.list[i].mode));
	}
	if (r < 0)
		(void)fg_log_error(&err);
	free(all.list);
}
