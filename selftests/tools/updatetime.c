// SPDX-License-Identifier: MIT
/* Tells when BGP UPDATE messages pass an interface: the first and the last one until SIGTERM, as JSON. */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BGP_PORT 179
#define BGP_HEADER 19
#define BGP_UPDATE 2
#define UPDATE_MIN \
	24 /* longer than the End-of-RIB of IPv4 unicast; that of other families has 29 octets */
#define UPDATE_EOR 29
#define FRAME_MAX 65536
#define POLL_MS 20

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

/* The TCP payload of an IPv4 frame to or from the port of BGP. */
static const uint8_t *payload(const uint8_t *frame, size_t len, size_t *ret_len)
{
	const uint8_t *ip = frame + ETH_HLEN, *tcp;
	size_t ip_len, total, head;

	if (len < ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr) || frame[12] != 8 ||
	    frame[13] || ip[9] != IPPROTO_TCP)
		return NULL;
	ip_len = (ip[0] & 0xfU) * 4;
	total = (size_t)ip[2] << 8 | ip[3];
	tcp = ip + ip_len;
	if (ETH_HLEN + total > len || total < ip_len + sizeof(struct tcphdr))
		return NULL;
	head = ip_len + (tcp[12] >> 4) * 4U;
	if (total < head ||
	    ((tcp[0] << 8 | tcp[1]) != BGP_PORT && (tcp[2] << 8 | tcp[3]) != BGP_PORT))
		return NULL;
	*ret_len = total - head;
	return ip + head;
}

/* True when a message that begins in the segment is an UPDATE with something in it. */
static bool has_update(const uint8_t *at, size_t len)
{
	static const uint8_t marker[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	size_t i, size;

	for (i = 0; i + BGP_HEADER <= len; i++) {
		if (memcmp(at + i, marker, sizeof(marker)) != 0)
			continue;
		size = (size_t)at[i + 16] << 8 | at[i + 17];
		if (at[i + 18] == BGP_UPDATE && size > UPDATE_MIN && size != UPDATE_EOR)
			return true;
	}
	return false;
}

static int open_device(const char *dev)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int sock = socket(AF_PACKET, SOCK_RAW, 0);

	addr.sll_ifindex = (int)if_nametoindex(dev);
	if (sock < 0 || !addr.sll_ifindex)
		return -1;
	return bind(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -1 : sock;
}

int main(int argc, char **argv)
{
	static uint8_t frame[FRAME_MAX];
	uint64_t first = 0, last = 0, updates = 0;
	struct pollfd ready = { .events = POLLIN };
	const uint8_t *at;
	size_t len;
	ssize_t n;

	ready.fd = argc == 2 ? open_device(argv[1]) : -1;
	if (ready.fd < 0) {
		fprintf(stderr, "usage: updatetime DEV\n");
		return 2;
	}
	(void)signal(SIGTERM, stop);
	fprintf(stderr, "ready\n");
	while (!stopped) {
		if (poll(&ready, 1, POLL_MS) <= 0)
			continue;
		n = recv(ready.fd, frame, sizeof(frame), MSG_DONTWAIT);
		at = n > 0 ? payload(frame, (size_t)n, &len) : NULL;
		if (!at || !has_update(at, len))
			continue;
		last = now_ns();
		first = first ? first : last;
		updates++;
	}
	printf("{\"segments\":%llu,\"first_ns\":%llu,\"last_ns\":%llu}\n",
	       (unsigned long long)updates, (unsigned long long)first, (unsigned long long)last);
	return close(ready.fd) ? 1 : 0;
}
