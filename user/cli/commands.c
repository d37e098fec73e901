// SPDX-License-Identifier: MIT
/* The command table: words, function, usage and help of everything `fltgate` can do. */
#include "cli/commands.h"

#include <stddef.h>

const struct fg_command fg_commands[] = {
	{ "show version", fg_cmd_version, "", "versions of program and daemon" },
	{ 0 },
};
