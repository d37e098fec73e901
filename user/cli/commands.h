/* SPDX-License-Identifier: MIT */
/* The commands of `fltgate`, one file each: cmd_*.c. */
#ifndef FG_CLI_COMMANDS_H
#define FG_CLI_COMMANDS_H

#include "cli/cli.h"

fg_command_fn fg_cmd_attach;
fg_command_fn fg_cmd_bgp_summary;
fg_command_fn fg_cmd_check;
fg_command_fn fg_cmd_decode;
fg_command_fn fg_cmd_detach;
fg_command_fn fg_cmd_explain;
fg_command_fn fg_cmd_firewall;
fg_command_fn fg_cmd_interfaces;
fg_command_fn fg_cmd_load;
fg_command_fn fg_cmd_pfe_firewall;
fg_command_fn fg_cmd_route_table;
fg_command_fn fg_cmd_status;
fg_command_fn fg_cmd_version;

/* -V: of this program alone. */
int fg_cmd_own_version(struct fg_cli *cli);

#endif
