// SPDX-License-Identifier: MIT
/* The requests that change something: load, attach, detach. */
#include <errno.h>

#include "daemon/views.h"

/* The guard's refusals have an exit code of their own. */
static int status_of(int r)
{
	return r == 0 ? FG_EXIT_OK : r == -EPERM ? FG_EXIT_GUARD : FG_EXIT_FAILED;
}

int fg_do_load(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
	       struct fg_error *err)
{
	json_t *warnings = json_array();

	if (fg_reload(daemon, request->file, request->text, request->text_len, err) < 0) {
		json_decref(warnings);
		return err->code == -EINVAL ? FG_EXIT_USAGE : FG_EXIT_FAILED;
	}
	for (size_t i = 0; i < daemon->conf->n_warnings; i++)
		(void)json_array_append_new(warnings, json_string(daemon->conf->warnings[i]));
	(void)json_object_set_new(answer, "warnings", warnings);
	(void)json_object_set_new(answer, "static_rules",
				  json_integer((json_int_t)daemon->conf->n_routes));
	(void)json_object_set_new(answer, "neighbors",
				  json_integer((json_int_t)daemon->conf->n_neighbors));
	(void)json_object_set_new(answer, "reload_file", json_string(daemon->options->config));
	return FG_EXIT_OK;
}

int fg_do_attach(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		 struct fg_error *err)
{
	int r = fg_interface_attach(daemon, request->interface, request->mode, request->replace,
				    err);

	(void)json_object_set_new(answer, "interface", json_string(request->interface));
	(void)json_object_set_new(answer, "mode", json_string(fg_attach_mode_name(request->mode)));
	return status_of(r);
}

int fg_do_detach(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		 struct fg_error *err)
{
	size_t n = 1;
	int r = request->all ? fg_interface_detach_all(daemon, &n, err)
			     : fg_interface_detach(daemon, request->interface, err);

	(void)json_object_set_new(answer, "detached", json_integer((json_int_t)n));
	return status_of(r);
}
