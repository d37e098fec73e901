// SPDX-License-Identifier: MIT
/* Answers about interfaces: how each is attached, every verdict and drop counter, the NIC's own
 * statistics. */
#include <errno.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/views.h"
#include "util/cleanup.h"
#include "util/json.h"

/* --- counters --------------------------------------------------------------------------------- */

/* Sums of the reasons by class; a rule's discard is never a resource drop (design.md section 4). */
struct verdict_sums {
	uint64_t by_class[3];
};

static void set_counters(json_t *out, const struct fg_if_counters *c, struct verdict_sums *sums)
{
	json_t *reasons = json_object(), *notes = json_object(), *events = json_object();

#define REASON(name, field, class, text)            \
	fg_json_set_u64(reasons, #field, c->field); \
	sums->by_class[FG_CLASS_##class] += c->field;
	FG_REASONS(REASON)
#undef REASON
#define NOTE(name, field, text) fg_json_set_u64(notes, #field, c->field);
	FG_NOTES(NOTE)
#undef NOTE
#define EVENT(field, text) fg_json_set_u64(events, #field, c->field);
	FG_EVENTS(EVENT)
#undef EVENT
	(void)json_object_set_new(out, "reasons", reasons);
	(void)json_object_set_new(out, "notes", notes);
	(void)json_object_set_new(out, "events", events);
	fg_json_set_u64(out, "received",
			sums->by_class[FG_CLASS_PASS] + sums->by_class[FG_CLASS_DISCARD] +
				sums->by_class[FG_CLASS_RESOURCE]);
	fg_json_set_u64(out, "passed", sums->by_class[FG_CLASS_PASS]);
	fg_json_set_u64(out, "discarded", sums->by_class[FG_CLASS_DISCARD]);
	fg_json_set_u64(out, "resource_drops", sums->by_class[FG_CLASS_RESOURCE]);
}

/* --- rtnetlink -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	rtnl_link_stat_id_t id;
} statistics[] = {
	{ "rx_packets", RTNL_LINK_RX_PACKETS },
	{ "tx_packets", RTNL_LINK_TX_PACKETS },
	{ "rx_bytes", RTNL_LINK_RX_BYTES },
	{ "tx_bytes", RTNL_LINK_TX_BYTES },
	{ "rx_errors", RTNL_LINK_RX_ERRORS },
	{ "tx_errors", RTNL_LINK_TX_ERRORS },
	{ "rx_dropped", RTNL_LINK_RX_DROPPED },
	{ "tx_dropped", RTNL_LINK_TX_DROPPED },
	{ "rx_missed_errors", RTNL_LINK_RX_MISSED_ERR },
	{ "rx_over_errors", RTNL_LINK_RX_OVER_ERR },
	{ "rx_fifo_errors", RTNL_LINK_RX_FIFO_ERR },
	{ "rx_crc_errors", RTNL_LINK_RX_CRC_ERR },
	{ "rx_frame_errors", RTNL_LINK_RX_FRAME_ERR },
	{ "rx_length_errors", RTNL_LINK_RX_LEN_ERR },
	{ "tx_carrier_errors", RTNL_LINK_TX_CARRIER_ERR },
	{ "tx_fifo_errors", RTNL_LINK_TX_FIFO_ERR },
	{ "collisions", RTNL_LINK_COLLISIONS },
	{ "multicast", RTNL_LINK_MULTICAST },
};

static void free_socket(struct nl_sock **socket)
{
	if (*socket)
		nl_socket_free(*socket);
}

static struct rtnl_link *read_link(const char *name)
{
	FG_CLEANUP(free_socket) struct nl_sock *socket = nl_socket_alloc();
	struct rtnl_link *link = NULL;

	if (!socket || nl_connect(socket, NETLINK_ROUTE) < 0 ||
	    rtnl_link_get_kernel(socket, 0, name, &link) < 0)
		return NULL;
	return link;
}

/* "Resource errors": our own limits plus frames that the NIC had no room for; "FIFO errors" apart,
 * as Junos does. */
static void set_errors(json_t *out, struct rtnl_link *link, const struct verdict_sums *sums)
{
	uint64_t missed = 0, fifo = 0;

	if (link) {
		missed = rtnl_link_get_stat(link, RTNL_LINK_RX_MISSED_ERR) +
			 rtnl_link_get_stat(link, RTNL_LINK_RX_OVER_ERR);
		fifo = rtnl_link_get_stat(link, RTNL_LINK_RX_FIFO_ERR);
	}
	fg_json_set_u64(out, "l2_mismatch_timeouts", 0); /* Linux has no such counter */
	fg_json_set_u64(out, "fifo_errors", fifo);
	fg_json_set_u64(out, "resource_errors", sums->by_class[FG_CLASS_RESOURCE] + missed);
}

static void set_link(json_t *out, struct rtnl_link *link)
{
	json_t *stats = json_object();
	const struct nl_addr *address = rtnl_link_get_addr(link);
	char text[64];

	for (size_t i = 0; i < FG_ARRAY_SIZE(statistics); i++)
		fg_json_set_u64(stats, statistics[i].name,
				rtnl_link_get_stat(link, statistics[i].id));
	(void)json_object_set_new(out, "statistics", stats);
	(void)json_object_set_new(out, "mtu", json_integer(rtnl_link_get_mtu(link)));
	(void)json_object_set_new(out, "up", json_boolean(rtnl_link_get_flags(link) & IFF_UP));
	(void)json_object_set_new(out, "oper",
				  json_string(rtnl_link_operstate2str(rtnl_link_get_operstate(link),
								      text, sizeof(text))));
	if (address)
		(void)json_object_set_new(out, "address",
					  json_string(nl_addr2str(address, text, sizeof(text))));
}

/* --- one interface ---------------------------------------------------------------------------- */

static const char *how_name(enum fg_attach_how how)
{
	static const char *const names[] = {
		[FG_ATTACHED_NOT] = "not",
		[FG_ATTACHED_LINK] = "link",
		[FG_ATTACHED_IP_LINK] = "ip-link",
		[FG_ATTACHED_FOREIGN] = "foreign",
	};

	return names[how];
}

static const char *role_name(const struct fg_conf_interface *interface)
{
	static const char *const names[] = {
		[FG_ROLE_UNTRUST] = "untrust",
		[FG_ROLE_TRUST] = "trust",
		[FG_ROLE_MANAGEMENT] = "management",
	};

	return interface ? names[interface->role] : "not configured";
}

static void set_attachment(struct fg_daemon *daemon, json_t *out,
			   const struct fg_attachment *attachment)
{
	(void)json_object_set_new(out, "index", json_integer(attachment->ifindex));
	(void)json_object_set_new(
		out, "role",
		json_string(role_name(fg_interface_conf(daemon->conf, attachment->ifname))));
	(void)json_object_set_new(out, "attached", json_string(how_name(attachment->how)));
	if (attachment->how == FG_ATTACHED_NOT)
		return;
	(void)json_object_set_new(out, "mode", json_string(fg_attach_mode_name(attachment->mode)));
	(void)json_object_set_new(out, "program", json_string(attachment->program));
	(void)json_object_set_new(out, "program_id", json_integer(attachment->program_id));
	if (attachment->link_id)
		(void)json_object_set_new(out, "link_id", json_integer(attachment->link_id));
}

static int append_interface(struct fg_daemon *daemon, const char *name, json_t *list,
			    struct fg_error *err)
{
	struct fg_attachment attachment = { 0 };
	struct fg_if_counters counters = { 0 };
	struct verdict_sums sums = { 0 };
	struct rtnl_link *link;
	json_t *out;
	int r = fg_attachment_get(daemon->dp, name, &attachment, err);

	if (r < 0)
		return r;
	out = json_pack("{s:s}", "name", name);
	set_attachment(daemon, out, &attachment);
	(void)fg_dp_if_counters(daemon->dp, (uint32_t)attachment.ifindex, &counters);
	set_counters(out, &counters, &sums);
	link = read_link(name);
	set_errors(out, link, &sums);
	if (link) {
		set_link(out, link);
		rtnl_link_put(link);
	}
	return json_array_append_new(list, out) < 0 ? -ENOMEM : 0;
}

/* --- all of them ------------------------------------------------------------------------------ */

struct walk {
	struct fg_daemon *daemon;
	json_t *list;
	struct fg_error *err;
};

/* Attached by request or by `ip link`, not in the configuration. */
static int append_unconfigured(const struct fg_attachment *attachment, void *arg)
{
	struct walk *walk = arg;

	if (fg_interface_conf(walk->daemon->conf, attachment->ifname))
		return 0;
	return append_interface(walk->daemon, attachment->ifname, walk->list, walk->err);
}

int fg_view_interfaces(struct fg_daemon *daemon, const struct fg_request *request, json_t *answer,
		       struct fg_error *err)
{
	struct walk walk = { daemon, json_array(), err };
	const struct fg_conf *conf = daemon->conf;

	(void)json_object_set_new(answer, "interfaces", walk.list);
	if (request->interface)
		return append_interface(daemon, request->interface, walk.list, err) < 0
			       ? FG_EXIT_FAILED
			       : FG_EXIT_OK;
	for (size_t i = 0; i < conf->n_interfaces; i++) {
		struct fg_error missing = { 0 };

		/* One that is not there now is told by `status`. */
		(void)append_interface(daemon, conf->interfaces[i].name, walk.list, &missing);
	}
	return fg_attached_each(daemon->dp, append_unconfigured, &walk, err) < 0 ? FG_EXIT_FAILED
										 : FG_EXIT_OK;
}
