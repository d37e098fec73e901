// SPDX-License-Identifier: MIT
/* Cost of a packet in the loaded programs over an empty program, by BPF_PROG_TEST_RUN, interleaved in one run. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dp/dp.h"
#include "util/cleanup.h"

#define ROUNDS 15
#define REPEAT 20000
#define FRAME_LEN 114 /* 14 + 100: inside no packet-length range below 101 */
#define FLOWS 16      /* packets of each class, so that one lucky cache line decides nothing */
#define NLRI_MAX 32

/* What one rule of the MX301 article says. */
struct rule {
	uint8_t protocol;
	uint32_t destination, source;
	uint16_t port;
	bool complex;
	uint8_t nlri[NLRI_MAX];
	size_t len;
};

static struct fg_actions discard = { .set = FG_ACTION_RATE_BYTES };

static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ULL;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void put(struct rule *rule, const void *octets, size_t n)
{
	memcpy(rule->nlri + rule->len, octets, n);
	rule->len += n;
}

static void put_prefix(struct rule *rule, uint8_t type, uint8_t length, uint32_t address)
{
	uint8_t head[] = { type, length };
	uint32_t wire = htonl(address);

	put(rule, head, sizeof(head));
	put(rule, &wire, length / 8);
}

/* proto, host /32, port; every fifth also a source /16 and a packet-length range that holds FRAME_LEN. */
static void rule_make(struct rule *rule, size_t i, unsigned complex_percent)
{
	*rule = (struct rule){ .protocol = next_random() & 1 ? 6 : 17,
			       .destination = 0x0a000000 | ((uint32_t)i * 2654435761U & 0x00ffffff),
			       .source = 0x14960000 | ((uint32_t)next_random() & 0xffff),
			       .port = (uint16_t)(1 + next_random() % 65000),
			       .complex = i % 100 < complex_percent };
	put_prefix(rule, 1, 32, rule->destination);
	if (rule->complex)
		put_prefix(rule, 2, 16, rule->source);
	put(rule, (uint8_t[]){ 3, 0x81, rule->protocol }, 3);
	put(rule, (uint8_t[]){ 5, 0x91, (uint8_t)(rule->port >> 8), (uint8_t)rule->port }, 4);
	if (rule->complex)
		put(rule, (uint8_t[]){ 10, 0x03, 80, 0xd5, 0x05, 0xdc }, 6); /* 80-1500 */
}

static int rule_order(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	return fg_flow_compare(FG_INET, x->nlri, x->len, y->nlri, y->len);
}

static void frame_make(uint8_t *frame, const struct rule *rule, uint16_t port)
{
	uint32_t source = htonl(rule->source), destination = htonl(rule->destination);
	uint16_t total = htons(FRAME_LEN - 14), wire_port = htons(port);

	memset(frame, 0, FRAME_LEN);
	frame[12] = 8;
	frame[14] = 0x45;
	memcpy(frame + 16, &total, 2);
	frame[22] = 64;
	frame[23] = rule->protocol;
	memcpy(frame + 26, &source, 4);
	memcpy(frame + 30, &destination, 4);
	memcpy(frame + 36, &wire_port, 2);
}

/* An XDP program of two instructions. */
static int empty_program(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
					  { .code = BPF_JMP | BPF_EXIT } };

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "empty", "MIT", insns, 2, NULL);
}

static uint32_t run_ns(int program, const uint8_t *frame, uint32_t expect)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = FRAME_LEN,
		    .repeat = REPEAT);

	if (bpf_prog_test_run_opts(program, &run) || run.retval != expect) {
		(void)fprintf(stderr, "classify: the verdict is %u, not %u\n", run.retval, expect);
		exit(1);
	}
	return run.duration;
}

static int ascending(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

/* Packets of one kind: the @i-th of FLOWS, made from @rules. */
struct class
{
	const char *name;
	uint32_t expect;
	bool complex;  /* made from a complex rule */
	int port;      /* added to the rule's port: 0 hits */
	uint32_t away; /* xored into the destination */
};

static const struct class classes[] = {
	{ "miss-near", XDP_PASS, false, 1, 0 },
	{ "miss-far", XDP_PASS, false, 0, 0x60000000 },
	{ "hit-simple", XDP_DROP, false, 0, 0 },
	{ "hit-complex", XDP_DROP, true, 0, 0 },
};

static bool class_frame(const struct class *class, const struct rule *rules, size_t n, size_t i,
			uint8_t *frame)
{
	for (size_t at = (i * 7919) % n, tried = 0; tried < n; tried++, at = (at + 1) % n) {
		struct rule rule = rules[at];

		if (rule.complex != class->complex)
			continue;
		rule.destination ^= class->away;
		frame_make(frame, &rule, (uint16_t)(rule.port + class->port));
		return true;
	}
	return false;
}

/* Medians over rounds of the mean over flows; the empty program runs between. */
static bool measure(int gate, int empty, const struct class *class, const struct rule *rules,
		    size_t n, double *ret_gross, double *ret_empty)
{
	double gross[ROUNDS], base[ROUNDS];
	uint8_t frame[FRAME_LEN];

	for (size_t round = 0; round < ROUNDS; round++) {
		gross[round] = base[round] = 0;
		for (size_t i = 0; i < FLOWS; i++) {
			if (!class_frame(class, rules, n, i, frame))
				return false;
			gross[round] += run_ns(gate, frame, class->expect) / (double)FLOWS;
			base[round] += run_ns(empty, frame, XDP_PASS) / (double)FLOWS;
		}
	}
	qsort(gross, ROUNDS, sizeof(gross[0]), ascending);
	qsort(base, ROUNDS, sizeof(base[0]), ascending);
	*ret_gross = gross[ROUNDS / 2];
	*ret_empty = base[ROUNDS / 2];
	return true;
}

static void dp_closep(struct fg_dp **dp)
{
	fg_dp_close(*dp);
}

static int failed(const struct fg_error *err)
{
	(void)fprintf(stderr, "classify: %s\n", err->what);
	return 1;
}

static int bench(size_t n, unsigned complex_percent, enum fg_mode mode)
{
	FG_AUTO_FREE struct rule *rules = calloc(n, sizeof(*rules));
	FG_AUTO_FREE struct fg_rule_source *sources = calloc(n, sizeof(*sources));
	FG_CLEANUP(dp_closep) struct fg_dp *dp = NULL;
	struct fg_dp_options options = { .capacity = (uint32_t)n };
	struct fg_compile_options compile = { .mode = mode, .token = 1 };
	struct fg_dp_program_info program;
	struct fg_error err = { 0 };
	struct fg_image *image;
	FG_AUTO_CLOSE int empty = empty_program();
	double start, compiled, installed;

	if (!rules || !sources || empty < 0)
		return 1;
	for (size_t i = 0; i < n; i++)
		rule_make(&rules[i], i, complex_percent);
	qsort(rules, n, sizeof(*rules), rule_order);
	for (size_t i = 0; i < n; i++)
		sources[i] = (struct fg_rule_source){ rules[i].nlri, (uint16_t)rules[i].len,
						      &discard, (uint32_t)i };
	if (fg_dp_open(&options, &dp, &err))
		return failed(&err);
	start = seconds();
	if (fg_compile(FG_INET, sources, n, &compile, &image, &err))
		return failed(&err);
	compiled = seconds();
	if (fg_dp_install(dp, image, &err))
		return failed(&err);
	installed = seconds();
	printf("rules %zu (%u %% complex), %s: %zu tuples, %zu table bytes, compile %.1f ms, install %.1f ms\n",
	       n, complex_percent, mode == FG_MODE_FLT ? "FLT" : "DMEM", image->footprint.tuples,
	       image->footprint.bytes, 1e3 * (compiled - start), 1e3 * (installed - compiled));
	fg_image_free(image);
	for (size_t i = 0; !fg_dp_program(dp, i, &program); i++)
		printf("program %-10s %7u instructions verified, %6u bytes of machine code\n",
		       program.name, program.verified, program.jited);
	for (size_t i = 0; i < FG_ARRAY_SIZE(classes); i++) {
		double gross, base;

		if (measure(fg_dp_gate_fd(dp), empty, &classes[i], rules, n, &gross, &base))
			printf("%-12s %7.1f ns gross, %5.1f ns empty program, %7.1f ns net\n",
			       classes[i].name, gross, base, gross - base);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "rules", required_argument, NULL, 'r' },
						 { "complex", required_argument, NULL, 'c' },
						 { "dmem", no_argument, NULL, 'd' },
						 { 0 } };
	size_t rules = 2000;
	unsigned complex_percent = 20;
	enum fg_mode mode = FG_MODE_FLT;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			rules = strtoul(optarg, NULL, 10);
		else if (option == 'c')
			complex_percent = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'd')
			mode = FG_MODE_DMEM;
		else
			return 2;
	}
	if (!rules || rules > (1U << 24)) {
		(void)fprintf(stderr, "usage: classify [--rules N] [--complex PERCENT] [--dmem]\n");
		return 2;
	}
	return bench(rules, complex_percent, mode);
}
