// SPDX-License-Identifier: MIT
/* Generates the rules of the MX301 article, seeded and unique, with the packets that must and must not match. */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UDP 17
#define TCP 6
#define RULES_MAX 32768
#define SET_SIZE (RULES_MAX * 4)
#define DISCARD "8006000000000000" /* RFC 8955 section 7.1: traffic-rate 0 */
#define MTU 1500

struct rule {
	uint32_t dst; /* host byte order, like all below */
	uint16_t dport;
	uint8_t proto;
	bool complex; /* with a source /16 and a range of lengths */
	uint32_t src;
	uint16_t low, high;
};

struct options {
	uint64_t seed;
	unsigned int simple, complex, others;
	const char *form;
};

static uint64_t state;

/* splitmix64: the same numbers everywhere. */
static uint32_t draw(uint32_t below)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (uint32_t)((z ^ (z >> 31)) % below);
}

/* A public-looking host: first octet 11 to 99, last octet never 0 or 255. */
static uint32_t draw_host(void)
{
	return (11 + draw(89)) << 24 | draw(65536) << 8 | (1 + draw(254));
}

/* False when the host was drawn before. */
static bool host_is_new(uint32_t host)
{
	static uint32_t seen[SET_SIZE];
	uint32_t at = (host * 2654435761U) % SET_SIZE;

	for (; seen[at]; at = (at + 1) % SET_SIZE)
		if (seen[at] == host)
			return false;
	seen[at] = host;
	return true;
}

static uint32_t draw_new_host(void)
{
	uint32_t host;

	do {
		host = draw_host();
	} while (!host_is_new(host));
	return host;
}

static struct rule draw_rule(bool complex)
{
	struct rule rule = {
		.dst = draw_new_host(),
		.dport = (uint16_t)(1024 + draw(64000)),
		.proto = draw(2) ? UDP : TCP,
		.complex = complex,
	};

	if (complex) {
		rule.src = draw_host() & 0xffff0000U;
		rule.low = (uint16_t)(100 + draw(1200));
		rule.high = (uint16_t)(rule.low + 50 + draw(3000));
	}
	return rule;
}

static const char *proto_name(const struct rule *rule)
{
	return rule->proto == UDP ? "udp" : "tcp";
}

static const char *host(uint32_t addr)
{
	static char text[4][16];
	static unsigned int turn;
	char *out = text[turn++ % 4];

	(void)snprintf(out, sizeof(text[0]), "%u.%u.%u.%u", addr >> 24, addr >> 16 & 255,
		       addr >> 8 & 255, addr & 255);
	return out;
}

/* --- the forms of a rule -------------------------------------------------------------------- */

static void print_conf(const struct rule *rule, unsigned int i)
{
	printf("\t\troute %s-%u { match { protocol %s; destination-port %u;",
	       rule->complex ? "complex" : "simple", i, proto_name(rule), rule->dport);
	if (rule->complex)
		printf(" packet-length %u-%u; source %s/16;", rule->low, rule->high,
		       host(rule->src));
	printf(" destination %s/32; } then { discard; } }\n", host(rule->dst));
}

/* NLRI of RFC 8955 section 4.2 with its length octet, components in order of type. */
static void print_tsv(const struct rule *rule, unsigned int i)
{
	char nlri[64];
	int len = snprintf(nlri, sizeof(nlri), "0120%08x", rule->dst);

	(void)i;
	if (rule->complex)
		len += snprintf(nlri + len, sizeof(nlri) - (size_t)len, "0210%04x",
				rule->src >> 16);
	len += snprintf(nlri + len, sizeof(nlri) - (size_t)len, "0381%02x0591%04x", rule->proto,
			rule->dport);
	if (rule->complex)
		len += snprintf(nlri + len, sizeof(nlri) - (size_t)len, "0a13%04xd5%04x", rule->low,
				rule->high);
	printf("inet\t%02x%s\t" DISCARD "\n", len / 2, nlri);
}

/* Arguments of `gobgp global rib`, as xargs reads them. */
static void print_gobgp(const struct rule *rule, unsigned int i)
{
	(void)i;
	printf("add -a ipv4-flowspec match destination %s/32 protocol %s destination-port '==%u'",
	       host(rule->dst), proto_name(rule), rule->dport);
	if (rule->complex)
		printf(" source %s/16 packet-length '>=%u&<=%u'", host(rule->src), rule->low,
		       rule->high);
	printf(" then discard\n");
}

static void print_packet(const char *class, unsigned int i, const struct rule *rule, uint32_t src,
			 unsigned int dport, unsigned int length)
{
	printf("%s %u proto=%s src=%s dst=%s sport=%u dport=%u len=%u\n", class, i,
	       proto_name(rule), host(src), host(rule->dst), 1024 + i % 60000, dport, length);
}

/* A packet that the rule matches, on the edge of its range, and one that differs in a single thing. */
static void print_packets(const struct rule *rule, unsigned int i)
{
	uint32_t src = rule->complex ? rule->src | (1 + i % 65000) : 0xc6120000U | (1 + i % 65000);
	unsigned int high = rule->high < MTU ? rule->high : MTU;
	unsigned int length = rule->complex ? (i & 1 ? rule->low : high) : 64 + i % 400;

	print_packet("hit", i, rule, src, rule->dport, length);
	if (!rule->complex)
		print_packet("miss", i, rule, src, rule->dport ^ 1, length);
	else if (i & 1)
		print_packet("miss", i, rule, src, rule->dport, rule->low - 1U);
	else
		print_packet("miss", i, rule, src ^ 0x10000, rule->dport, length);
}

static const struct form {
	const char *name;
	void (*print)(const struct rule *rule, unsigned int i);
	const char *before, *after;
} forms[] = {
	{ "conf", print_conf, "routing-options {\n\tflow {\n", "\t}\n}\n" },
	{ "tsv", print_tsv, "", "" },
	{ "gobgp", print_gobgp, "", "" },
	{ "packets", print_packets, "", "" },
};

static const struct form *find_form(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

static void print_others(unsigned int n)
{
	struct rule rule;
	unsigned int i;

	for (i = 0; i < n; i++) {
		rule = draw_rule(false);
		print_packet("other", i, &rule, draw_host(), rule.dport, 64 + draw(1400));
	}
}

/* Complex rules are spread evenly among the simple ones, as in a table that grew. */
static void generate(const struct options *options, const struct form *form)
{
	unsigned int total = options->simple + options->complex, i;
	struct rule rule;

	printf("%s", form->before);
	for (i = 0; i < total; i++) {
		rule = draw_rule((uint64_t)(i + 1) * options->complex / total >
				 (uint64_t)i * options->complex / total);
		form->print(&rule, i);
	}
	printf("%s", form->after);
	if (form->print == print_packets)
		print_others(options->others);
}

static int usage(void)
{
	fprintf(stderr, "usage: genrules [--seed N] [--simple N] [--complex N] [--others N] "
			"conf|tsv|gobgp|packets\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "simple", required_argument, NULL, 'p' },
		{ "complex", required_argument, NULL, 'c' },
		{ "others", required_argument, NULL, 'o' },
		{ 0 },
	};
	struct options options = { .seed = 301 };
	const struct form *form;
	int opt;

	while ((opt = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (opt == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (opt == 'p')
			options.simple = (unsigned int)strtoul(optarg, NULL, 0);
		else if (opt == 'c')
			options.complex = (unsigned int)strtoul(optarg, NULL, 0);
		else if (opt == 'o')
			options.others = (unsigned int)strtoul(optarg, NULL, 0);
		else
			return usage();
	}
	form = optind == argc - 1 ? find_form(argv[optind]) : NULL;
	if (!form || options.simple > RULES_MAX || options.complex > RULES_MAX ||
	    options.simple + options.complex + options.others > RULES_MAX)
		return usage();
	state = options.seed;
	generate(&options, form);
	return fflush(stdout) ? 1 : 0;
}
