// SPDX-License-Identifier: MIT
/* `attach` and `detach`: by the daemon; `detach --all` also without one, from what is pinned. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "dp/attach.h"
#include "fltgate/names.h"
#include "util/json.h"
#include "util/text.h"

static int print_attached(struct fg_cli *cli, json_t *answer)
{
	fprintf(cli->out, "%s is filtered, %s mode\n", fg_json_text(answer, "interface"),
		fg_json_text(answer, "mode"));
	return FG_EXIT_OK;
}

/* The daemon has not the rights to open the programs and links of others; who calls may have them,
 * and then learns the names of what is in the way. */
static bool in_the_way(const struct fg_cli *cli, const char *name, const char *mode, bool replace)
{
	enum fg_attach_mode wanted = *mode == 'g' ? FG_ATTACH_GENERIC : FG_ATTACH_NATIVE;
	struct fg_error err = { 0 };

	if (!fg_attach_holder(cli->instance, name, wanted, replace, &err))
		return false;
	(void)fg_cli_error(&err);
	return true;
}

int fg_cmd_attach(struct fg_cli *cli, int argc, char **argv)
{
	const char *name = NULL, *mode = "native";
	bool replace = false;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--replace"))
			replace = true;
		else if (!strcmp(argv[i], "mode") && i + 1 < argc)
			mode = argv[++i];
		else if (!name)
			name = argv[i];
		else
			return fg_cli_usage("attach", "unknown word `%s`", argv[i]);
	}
	if (!name)
		return fg_cli_usage("attach", "which interface?");
	if (fg_abbreviates(mode, "native"))
		mode = "native";
	else if (fg_abbreviates(mode, "generic"))
		mode = "generic";
	else
		return fg_cli_usage("attach", "unknown mode `%s`", mode);
	if (in_the_way(cli, name, mode, replace))
		return FG_EXIT_FAILED;
	return fg_cli_look(cli,
			   json_pack("{s:s, s:s, s:s, s:b}", "request", "attach", "interface", name,
				     "mode", mode, "replace", replace),
			   print_attached);
}

/* --- detach ----------------------------------------------------------------------------------- */

static int print_detached(struct fg_cli *cli, json_t *answer)
{
	fprintf(cli->out, "detached: %" JSON_INTEGER_FORMAT "\n",
		fg_json_get_int(answer, "detached"));
	return FG_EXIT_OK;
}

static bool something_pinned(const char *instance)
{
	char path[256];

	(void)snprintf(path, sizeof(path), FG_PIN_ROOT "/" FG_ABI_DIR "/%s", instance);
	return access(path, F_OK) == 0;
}

/* One at a time: detaching while walking would change what is walked. */
static int first_name(const struct fg_attachment *attachment, void *arg)
{
	fg_text_copy(arg, sizeof(attachment->ifname), attachment->ifname);
	return 1;
}

static int remove_all(struct fg_dp *dp, size_t *ret_n, struct fg_error *err)
{
	char name[16] = "";
	int r;

	for (*ret_n = 0;; (*ret_n)++) {
		r = fg_attached_each(dp, first_name, name, err);
		if (r < 0)
			return r;
		if (!name[0])
			return fg_dp_remove(dp, err);
		r = fg_detach(dp, name, err);
		if (r < 0)
			return r;
		name[0] = '\0';
	}
}

/* No daemon holds the instance: its interfaces and then its pins go. */
static int detach_without_daemon(struct fg_cli *cli)
{
	const struct fg_dp_options options = { .instance = cli->instance };
	struct fg_error err = { 0 };
	struct fg_dp *dp = NULL;
	json_t *document;
	size_t n = 0;
	int r = 0;

	if (something_pinned(cli->instance)) {
		r = fg_dp_open(&options, &dp, &err);
		if (r == 0)
			r = remove_all(dp, &n, &err);
		fg_dp_close(dp);
	}
	if (r < 0)
		return fg_cli_error(&err);
	document = fg_json_document();
	(void)json_object_set_new(document, "detached", json_integer((json_int_t)n));
	if (cli->json) {
		fg_cli_print_json(cli, document);
		return FG_EXIT_OK;
	}
	(void)print_detached(cli, document);
	json_decref(document);
	return FG_EXIT_OK;
}

int fg_cmd_detach(struct fg_cli *cli, int argc, char **argv)
{
	json_t *request;

	if (argc != 1)
		return fg_cli_usage("detach",
				    argc ? "one interface at a time" : "which interface?");
	if (strcmp(argv[0], "--all") != 0)
		request = json_pack("{s:s, s:s}", "request", "detach", "interface", argv[0]);
	else if (fg_cli_daemon_there(cli))
		request = json_pack("{s:s, s:b}", "request", "detach", "all", 1);
	else
		return detach_without_daemon(cli);
	return fg_cli_look(cli, request, print_detached);
}
