/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* Names and places that every program of the project and its users rely on. */
#ifndef FLTGATE_NAMES_H
#define FLTGATE_NAMES_H

/* Raised whenever a pinned map changes its layout: each version has a directory of its own. */
#define FG_ABI_VERSION 1
#define FG_ABI_DIR "v1"

#define FG_BPFFS "/sys/fs/bpf"
#define FG_PIN_ROOT FG_BPFFS "/fltgate"
#define FG_INSTANCE_DEFAULT "default"
#define FG_PROGRAM_GATE "gate"

#define FG_CONFIG_FILE "/etc/fltgate/fltgate.conf"
#define FG_STATE_DIR "/var/lib/fltgate"
#define FG_RUN_DIR "/run/fltgate"
#define FG_SOCKET FG_RUN_DIR "/control.sock"
#define FG_USER "fltgate"
#define FG_VERSION "0.1.0"
#define FG_JSON_SCHEMA "fltgate/v1"

#endif
