// SPDX-License-Identifier: MIT
/* The process that reads BGP bytes: without privileges, with nothing but the link to the parent. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "bgp/speaker.h"
#include "daemon/daemon.h"
#include "util/text.h"

/* stderr is /dev/null here: words for people go over the link. */
static void say(enum fg_log_level level, const char *text)
{
	struct fg_link_log message = { .level = level };

	fg_link_init(&message.header, FG_LINK_LOG, sizeof(message));
	fg_text_copy(message.text, sizeof(message.text), text);
	(void)fg_link_send(FG_ROLE_LINK_FD, &message.header, -1);
}

int fg_bgp_role_run(const struct fg_daemon_options *options)
{
	char warning[256] = "";
	struct fg_error err = { 0 };

	(void)signal(SIGPIPE, SIG_IGN);
	/* Ctrl-C reaches the whole process group; the parent ends this process by closing the
	 * link. */
	(void)signal(SIGINT, SIG_IGN);
	if (strcmp(options->role, "bgp") != 0 || !options->empty_dir)
		return FG_EXIT_USAGE;
	if (fg_privsep_drop(options->empty_dir, warning, sizeof(warning), &err) < 0) {
		say(FG_LOG_ERROR, err.what);
		return FG_EXIT_FAILED;
	}
	if (warning[0])
		say(FG_LOG_WARNING, warning);
	return fg_speaker_run(FG_ROLE_LINK_FD, NULL, &err) < 0 ? FG_EXIT_FAILED : FG_EXIT_OK;
}
