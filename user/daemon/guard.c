// SPDX-License-Identifier: MIT
/* The control-plane guard by the running configuration: what no rule may cut off. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "util/cleanup.h"

static void add(struct fg_guard_source *sources, size_t *n, const struct fg_conf_address *address,
		uint8_t prefix_len, uint32_t classes)
{
	struct fg_guard_source source = {
		.family = address->family,
		.prefix_len = prefix_len,
		.classes = classes,
	};

	memcpy(source.addr, address->addr, sizeof(source.addr));
	sources[(*n)++] = source;
}

static uint32_t flags_of(const struct fg_conf *conf, size_t n_sources)
{
	return (conf->protect_nd ? FG_GUARD_ND : 0) | (conf->protect_dhcp ? FG_GUARD_DHCP : 0) |
	       (conf->protect_pmtu ? FG_GUARD_PMTU : 0) | (n_sources ? FG_GUARD_SOURCES : 0);
}

int fg_guard_apply(struct fg_daemon *daemon, struct fg_error *err)
{
	const struct fg_conf *conf = daemon->conf;
	FG_AUTO_FREE struct fg_guard_source *sources =
		calloc(conf->n_neighbors + conf->n_management + 1, sizeof(*sources));
	size_t n = 0;

	if (!sources)
		return fg_error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < conf->n_neighbors; i++) {
		const struct fg_conf_address *address = &conf->neighbors[i].address;

		add(sources, &n, address, address->family == FG_INET ? 32 : 128, FG_GUARD_BGP);
	}
	for (size_t i = 0; i < conf->n_management; i++)
		add(sources, &n, &conf->management[i], conf->management[i].prefix_len,
		    FG_GUARD_MANAGEMENT);
	return fg_dp_guard(daemon->dp, flags_of(conf, n), sources, n, err);
}
