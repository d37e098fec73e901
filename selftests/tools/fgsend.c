// SPDX-License-Identifier: MIT
/* Sends the packets of a list from an interface at a steady rate, each signed for fgrecv; prints counts as JSON. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/signature.h"

#define BATCH 32
#define LINE_MAX_BYTES 256
#define NS 1000000000ULL

/* One line of the list, e.g. "hit 7 proto=udp src=192.0.2.1 dst=198.51.100.1 sport=1 dport=53 len=100". Further:
 * dscp, flags (TCP), frag (offset in units of 8), mf, df, type, code (ICMP). len: of the whole IP packet. */
struct packet {
	enum fg_traffic_class class;
	uint32_t index;
	bool v6;
	uint8_t src[16], dst[16];
	unsigned int proto, sport, dport, len, dscp, flags, frag, mf, df, type, code;
	uint8_t *frame;
	size_t frame_len;
};

struct options {
	const char *dev, *list;
	struct ether_addr dst_mac, src_mac;
	const char *only;
	uint64_t rate, count, ns;
	int cpu;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/* --- the list ------------------------------------------------------------------------------------ */

#define NUMBER(field)                                  \
	{                                              \
#field, offsetof(struct packet, field) \
	}
static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	NUMBER(sport), NUMBER(dport), NUMBER(len), NUMBER(dscp), NUMBER(flags),
	NUMBER(frag),  NUMBER(mf),    NUMBER(df),  NUMBER(type), NUMBER(code),
};

static const struct {
	const char *name;
	unsigned int number;
} protocols[] = {
	{ "udp", IPPROTO_UDP },
	{ "tcp", IPPROTO_TCP },
	{ "icmp", IPPROTO_ICMP },
	{ "icmp6", IPPROTO_ICMPV6 },
};

static bool set_number(struct packet *packet, const char *name, const char *value)
{
	unsigned int number = (unsigned int)strtoul(value, NULL, 0);
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(numbers[i].name, name)) {
			memcpy((char *)packet + numbers[i].offset, &number, sizeof(number));
			return true;
		}
	return false;
}

static bool set_protocol(struct packet *packet, const char *value)
{
	size_t i;

	packet->proto = (unsigned int)strtoul(value, NULL, 0);
	for (i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (!strcmp(protocols[i].name, value))
			packet->proto = protocols[i].number;
	return packet->proto != 0;
}

static bool set_address(struct packet *packet, uint8_t out[static 16], const char *value)
{
	packet->v6 = strchr(value, ':') != NULL;
	return inet_pton(packet->v6 ? AF_INET6 : AF_INET, value, out) == 1;
}

static bool set_field(struct packet *packet, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(word, "proto"))
		return set_protocol(packet, value);
	if (!strcmp(word, "src"))
		return set_address(packet, packet->src, value);
	if (!strcmp(word, "dst"))
		return set_address(packet, packet->dst, value);
	return set_number(packet, word, value);
}

static bool set_class(struct packet *packet, const char *word)
{
	unsigned int i;

	for (i = 0; word && i < FG_TRAFFIC_MAX; i++)
		if (!strcmp(fg_traffic_names[i], word)) {
			packet->class = i;
			return true;
		}
	return false;
}

static bool parse_line(char *line, struct packet *ret)
{
	struct packet packet = { 0 };
	char *save, *word = strtok_r(line, " \n", &save);

	if (!set_class(&packet, word))
		return false;
	word = strtok_r(NULL, " \n", &save);
	packet.index = word ? (uint32_t)strtoul(word, NULL, 0) : FG_SIGNATURE_INDEX_MAX;
	while ((word = strtok_r(NULL, " \n", &save)))
		if (!set_field(&packet, word))
			return false;
	if (packet.index >= FG_SIGNATURE_INDEX_MAX)
		return false;
	*ret = packet;
	return true;
}

/* --- the frame ------------------------------------------------------------------------------------ */

static uint32_t sum_words(const void *data, size_t len, uint32_t sum)
{
	const uint8_t *at = data;

	for (; len > 1; at += 2, len -= 2)
		sum += (uint32_t)at[0] << 8 | at[1];
	return len ? sum + ((uint32_t)at[0] << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static size_t put_ip4(const struct packet *packet, uint8_t *at)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.tos = (uint8_t)(packet->dscp << 2),
		.tot_len = htons((uint16_t)packet->len),
		.id = htons(1),
		.frag_off = htons((uint16_t)(packet->frag | packet->mf << 13 | packet->df << 14)),
		.ttl = 64,
		.protocol = (uint8_t)packet->proto,
	};

	memcpy(&ip.saddr, packet->src, 4);
	memcpy(&ip.daddr, packet->dst, 4);
	ip.check = fold(sum_words(&ip, sizeof(ip), 0));
	memcpy(at, &ip, sizeof(ip));
	return sizeof(ip);
}

static size_t put_ip6(const struct packet *packet, uint8_t *at)
{
	struct ip6_hdr ip = {
		.ip6_flow = htonl(6U << 28 | packet->dscp << 22),
		.ip6_plen = htons((uint16_t)(packet->len - sizeof(ip))),
		.ip6_nxt = (uint8_t)packet->proto,
		.ip6_hlim = 64,
	};

	memcpy(&ip.ip6_src, packet->src, 16);
	memcpy(&ip.ip6_dst, packet->dst, 16);
	memcpy(at, &ip, sizeof(ip));
	return sizeof(ip);
}

/* Returns the length of the header and where its checksum stands. */
static size_t put_l4(const struct packet *packet, uint8_t *at, size_t len, size_t *ret_check)
{
	struct udphdr udp = {
		.source = htons((uint16_t)packet->sport),
		.dest = htons((uint16_t)packet->dport),
		.len = htons((uint16_t)len),
	};
	struct tcphdr tcp = { .source = udp.source,
			      .dest = udp.dest,
			      .doff = 5,
			      .seq = htonl(1),
			      .window = htons(1024) };
	struct icmphdr icmp = { .type = (uint8_t)packet->type, .code = (uint8_t)packet->code };

	switch (packet->proto) {
	case IPPROTO_UDP:
		memcpy(at, &udp, sizeof(udp));
		*ret_check = offsetof(struct udphdr, check);
		return sizeof(udp);
	case IPPROTO_TCP:
		memcpy(at, &tcp, sizeof(tcp));
		at[13] = (uint8_t)packet->flags;
		*ret_check = offsetof(struct tcphdr, check);
		return sizeof(tcp);
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		memcpy(at, &icmp, sizeof(icmp));
		*ret_check = offsetof(struct icmphdr, checksum);
		return sizeof(icmp);
	default:
		*ret_check = 0;
		return 0;
	}
}

static void sign(const struct packet *packet, uint32_t sequence)
{
	struct fg_signature signature = { htonl(FG_SIGNATURE_MAGIC), htonl(packet->class),
					  htonl(packet->index), htonl(sequence) };

	memcpy(packet->frame + packet->frame_len - sizeof(signature), &signature,
	       sizeof(signature));
}

static void put_checksum(const struct packet *packet, uint8_t *l4, size_t len, size_t check)
{
	size_t addr_len = packet->v6 ? 16 : 4;
	uint32_t sum = 0;
	uint16_t value;

	if (packet->proto != IPPROTO_ICMP) {
		sum = sum_words(packet->src, addr_len, packet->proto + (uint32_t)len);
		sum = sum_words(packet->dst, addr_len, sum);
	}
	value = fold(sum_words(l4, len, sum));
	memcpy(l4 + check, &value, sizeof(value));
}

/* A later fragment has no layer-4 header; the first has one, whose checksum covers parts not sent. */
static bool build(struct packet *packet, const struct options *options)
{
	size_t ip_len = packet->v6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr), check = 0;
	size_t l4_len = 0, rest = packet->len - ip_len;
	uint8_t *l4;

	if (packet->len < ip_len + sizeof(struct tcphdr) + sizeof(struct fg_signature) ||
	    packet->len > 9000)
		return false;
	packet->frame_len = ETH_HLEN + packet->len;
	packet->frame = calloc(1, packet->frame_len);
	if (!packet->frame)
		return false;
	memcpy(packet->frame, &options->dst_mac, ETH_ALEN);
	memcpy(packet->frame + ETH_ALEN, &options->src_mac, ETH_ALEN);
	packet->frame[12] = packet->v6 ? 0x86 : 0x08;
	packet->frame[13] = packet->v6 ? 0xdd : 0x00;
	l4 = packet->frame + ETH_HLEN + ip_len;
	if (packet->v6)
		put_ip6(packet, packet->frame + ETH_HLEN);
	else
		put_ip4(packet, packet->frame + ETH_HLEN);
	if (!packet->frag)
		l4_len = put_l4(packet, l4, rest, &check);
	sign(packet, 0);
	if (l4_len)
		put_checksum(packet, l4, rest, check);
	return true;
}

/* The built packets of the chosen class. */
static struct packet *load(const struct options *options, size_t *ret_n)
{
	FILE *file = strcmp(options->list, "-") ? fopen(options->list, "r") : stdin;
	struct packet *packets = calloc(FG_SIGNATURE_INDEX_MAX, sizeof(*packets));
	char line[LINE_MAX_BYTES], copy[LINE_MAX_BYTES];
	size_t n = 0;

	while (file && packets && n < FG_SIGNATURE_INDEX_MAX && fgets(line, sizeof(line), file)) {
		memcpy(copy, line, sizeof(copy));
		if (!parse_line(copy, &packets[n]) || !build(&packets[n], options)) {
			fprintf(stderr, "fgsend: %s: not a packet: %s", options->list, line);
			exit(2);
		}
		if (!options->only || !strcmp(options->only, fg_traffic_names[packets[n].class]))
			n++;
		else
			free(packets[n].frame);
	}
	if (file)
		(void)fclose(file);
	*ret_n = n;
	return packets;
}

/* --- sending ------------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NS), (long)(ns % NS) };

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int open_device(struct options *options)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = 0 };
	struct ifreq request = { 0 };
	int sock = socket(AF_PACKET, SOCK_RAW, 0), bypass = 1;

	addr.sll_ifindex = (int)if_nametoindex(options->dev);
	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", options->dev);
	if (sock < 0 || !addr.sll_ifindex || ioctl(sock, SIOCGIFHWADDR, &request) < 0)
		return -1;
	memcpy(&options->src_mac, request.ifr_hwaddr.sa_data, ETH_ALEN);
	(void)setsockopt(sock, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof(bypass));
	return bind(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -1 : sock;
}

struct totals {
	uint64_t sent, class[FG_TRAFFIC_MAX], refused;
};

/* Sends @n packets from the list, starting at number @from; what the device refuses is not sent again. */
static void send_batch(int sock, struct packet *packets, size_t n_packets, uint64_t from, size_t n,
		       struct totals *totals)
{
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	struct packet *packet;
	size_t i;
	int done;

	for (i = 0; i < n; i++) {
		packet = &packets[(from + i) % n_packets];
		parts[i] = (struct iovec){ packet->frame, packet->frame_len };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	}
	done = sendmmsg(sock, messages, (unsigned int)n, 0);
	done = done < 0 ? 0 : done;
	for (i = 0; i < (size_t)done; i++)
		totals->class[packets[(from + i) % n_packets].class]++;
	totals->sent += (uint64_t)done;
	totals->refused += n - (uint64_t)done;
}

/* Small batches at even distances: a veth queue holds 256 packets. */
static void run(int sock, const struct options *options, struct packet *packets, size_t n_packets,
		struct totals *totals)
{
	uint64_t start = now_ns(), now = start, from = 0, due;

	while (!stopped && (!options->ns || now - start < options->ns) &&
	       (!options->count || from < options->count)) {
		due = options->rate ? (now - start) * options->rate / NS + 1 : from + BATCH;
		if (options->count && due > options->count)
			due = options->count;
		if (due > from + BATCH)
			due = from + BATCH;
		if (due > from)
			send_batch(sock, packets, n_packets, from, (size_t)(due - from), totals);
		from = due > from ? due : from;
		if (options->rate)
			sleep_until(start + from * NS / options->rate);
		now = now_ns();
	}
}

static void print_totals(const struct totals *totals, uint64_t ns)
{
	int i;

	printf("{\"sent\":%llu,", (unsigned long long)totals->sent);
	for (i = 0; i < FG_TRAFFIC_MAX; i++)
		printf("\"%s\":%llu,", fg_traffic_names[i], (unsigned long long)totals->class[i]);
	printf("\"refused\":%llu,\"seconds\":%.3f}\n", (unsigned long long)totals->refused,
	       (double)ns / (double)NS);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: fgsend --dev DEV --to MAC [--only hit|miss|other] [--rate PPS]\n"
		"              [--count N] [--seconds S] [--cpu N] LIST\n"
		"LIST: a file of `genrules packets`, - for standard input. Without a count and a time\n"
		"it sends until SIGTERM.\n");
	return 2;
}

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "dev", required_argument, NULL, 'd' },
		{ "to", required_argument, NULL, 't' },
		{ "only", required_argument, NULL, 'o' },
		{ "rate", required_argument, NULL, 'r' },
		{ "count", required_argument, NULL, 'n' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "seconds", required_argument, NULL, 's' },
		{ 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (opt == 'd')
			options->dev = optarg;
		else if (opt == 'o')
			options->only = optarg;
		else if (opt == 'r')
			options->rate = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			options->count = strtoull(optarg, NULL, 0);
		else if (opt == 'c')
			options->cpu = atoi(optarg);
		else if (opt == 's')
			options->ns = (uint64_t)(strtod(optarg, NULL) * (double)NS);
		else if (opt == '?' || (opt == 't' && !ether_aton_r(optarg, &options->dst_mac)))
			return -EINVAL;
	}
	if (optind != argc - 1 || !options->dev)
		return -EINVAL;
	options->list = argv[optind];
	return 0;
}

static void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		perror("fgsend: cpu");
}

int main(int argc, char **argv)
{
	struct options options = { .cpu = -1 };
	struct totals totals = { 0 };
	struct packet *packets;
	uint64_t start;
	size_t n, i;
	int sock;

	if (parse_options(argc, argv, &options) < 0)
		return usage();
	sock = open_device(&options);
	if (sock < 0) {
		fprintf(stderr, "fgsend: %s: %s\n", options.dev, strerror(errno));
		return 1;
	}
	packets = load(&options, &n);
	if (!packets || !n) {
		fprintf(stderr, "fgsend: %s: no packets\n", options.list);
		return 1;
	}
	(void)signal(SIGTERM, stop);
	(void)signal(SIGINT, stop);
	pin_to_cpu(options.cpu);
	start = now_ns();
	run(sock, &options, packets, n, &totals);
	print_totals(&totals, now_ns() - start);
	for (i = 0; i < n; i++)
		free(packets[i].frame);
	free(packets);
	return close(sock) ? 1 : 0;
}
