// SPDX-License-Identifier: MIT
/* Counts, by class, the packets of fgsend that an interface receives; prints JSON lines. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/signature.h"

#define BATCH 64
#define FRAME_MAX 9216
#define BUFFER_BYTES (64 << 20)
#define POLL_MS 20
#define QUIET_MS 500 /* a busy machine may leave a queue alone for long */

struct tally {
	uint64_t packets;
	uint64_t last_ns; /* CLOCK_MONOTONIC of the last one */
	uint32_t distinct;
	bool seen[FG_SIGNATURE_INDEX_MAX];
};

static struct tally tallies[FG_TRAFFIC_MAX];
static uint64_t foreign, lost, marked;
static unsigned int wanted_dscp = 64; /* none */
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static int open_device(const char *dev)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int size = BUFFER_BYTES, ignore_outgoing = 1;
	int sock = socket(AF_PACKET, SOCK_RAW, 0);

	addr.sll_ifindex = (int)if_nametoindex(dev);
	if (sock < 0 || !addr.sll_ifindex)
		return -1;
	(void)setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	(void)setsockopt(sock, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ignore_outgoing,
			 sizeof(ignore_outgoing));
	return bind(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -1 : sock;
}

/* Six bits of the IPv4 TOS or the IPv6 traffic class, of an untagged frame. */
static unsigned int dscp(const uint8_t *frame, size_t len)
{
	const uint8_t *ip = frame + ETH_HLEN;

	if (len < ETH_HLEN + 2)
		return 0;
	return ip[0] >> 4 == 4 ? ip[1] >> 2 : (ip[0] & 0xfU) << 2 | ip[1] >> 6;
}

/* The signature ends the frame. */
static void count_frame(const uint8_t *frame, size_t len, uint64_t now)
{
	struct fg_signature signature;
	struct tally *tally;
	uint32_t class, index;

	if (len < sizeof(signature)) {
		foreign++;
		return;
	}
	memcpy(&signature, frame + len - sizeof(signature), sizeof(signature));
	class = ntohl(signature.class);
	index = ntohl(signature.index);
	if (ntohl(signature.magic) != FG_SIGNATURE_MAGIC || class >= FG_TRAFFIC_MAX ||
	    index >= FG_SIGNATURE_INDEX_MAX) {
		foreign++;
		return;
	}
	tally = &tallies[class];
	marked += dscp(frame, len) == wanted_dscp;
	tally->packets++;
	tally->last_ns = now;
	tally->distinct += !tally->seen[index];
	tally->seen[index] = true;
}

static void receive(int sock)
{
	static uint8_t frames[BATCH][FRAME_MAX];
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	uint64_t now;
	int i, n;

	for (i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ frames[i], FRAME_MAX };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	}
	n = recvmmsg(sock, messages, BATCH, MSG_DONTWAIT, NULL);
	now = now_ns();
	for (i = 0; i < n; i++)
		count_frame(frames[i], messages[i].msg_len, now);
}

/* Reading the statistics resets them. */
static void read_lost(int sock)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	if (!getsockopt(sock, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		lost += stats.tp_drops;
}

static void print_counts(int sock)
{
	int i;

	read_lost(sock);
	printf("{");
	for (i = 0; i < FG_TRAFFIC_MAX; i++)
		printf("\"%s\":%llu,\"%s_distinct\":%u,\"%s_last_ns\":%llu,", fg_traffic_names[i],
		       (unsigned long long)tallies[i].packets, fg_traffic_names[i],
		       tallies[i].distinct, fg_traffic_names[i],
		       (unsigned long long)tallies[i].last_ns);
	printf("\"marked\":%llu,\"foreign\":%llu,\"lost\":%llu}\n", (unsigned long long)marked,
	       (unsigned long long)foreign, (unsigned long long)lost);
	(void)fflush(stdout);
}

/* Counts until a signal comes or @seconds (0: no end) are over; a line every @interval_ms (0: only the last). */
static void run(int sock, uint64_t seconds, uint64_t interval_ms)
{
	uint64_t start = now_ns(), shown = start, now = start;
	struct pollfd ready = { .fd = sock, .events = POLLIN };

	while (!stopped && (!seconds || now - start < seconds * 1000000000ULL)) {
		if (poll(&ready, 1, POLL_MS) > 0)
			receive(sock);
		now = now_ns();
		if (interval_ms && now - shown >= interval_ms * 1000000ULL) {
			print_counts(sock);
			shown = now;
		}
	}
}

/* What is on its way when the signal comes still counts: the queues are empty when it stays quiet. */
static void drain(int sock)
{
	struct pollfd ready = { .fd = sock, .events = POLLIN };

	while (poll(&ready, 1, QUIET_MS) > 0)
		receive(sock);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: fgrecv --dev DEV [--seconds N] [--interval MS] [--dscp N]\n"
		"Counts until SIGTERM, as \"marked\" those with that DSCP; prints \"ready\" on stderr when it listens.\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "dev", required_argument, NULL, 'd' },
		{ "seconds", required_argument, NULL, 's' },
		{ "interval", required_argument, NULL, 'i' },
		{ "dscp", required_argument, NULL, 'm' },
		{ 0 },
	};
	uint64_t seconds = 0, interval = 0;
	const char *dev = NULL;
	int opt, sock;

	while ((opt = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (opt == 'd')
			dev = optarg;
		else if (opt == 's')
			seconds = strtoull(optarg, NULL, 0);
		else if (opt == 'i')
			interval = strtoull(optarg, NULL, 0);
		else if (opt == 'm')
			wanted_dscp = (unsigned int)strtoul(optarg, NULL, 0);
		else
			return usage();
	}
	if (!dev || optind != argc)
		return usage();
	sock = open_device(dev);
	if (sock < 0) {
		fprintf(stderr, "fgrecv: %s: %s\n", dev, strerror(errno));
		return 1;
	}
	(void)signal(SIGTERM, stop);
	(void)signal(SIGINT, stop);
	fprintf(stderr, "ready\n");
	run(sock, seconds, interval);
	drain(sock);
	print_counts(sock);
	return close(sock) ? 1 : 0;
}
