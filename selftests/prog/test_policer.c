// SPDX-License-Identifier: MIT
/* Rate limits in real time: accuracy over five seconds and the burst after a pause, on one CPU and on two at once. */
/* needs: root
 * timeout: 60
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/ruleset.h"

#define CPUS 2
#define SECOND 1000000000ULL
#define RUN_NS (5 * SECOND)
#define SHORT_RUN_NS (SECOND / 20)
#define TOLERANCE 0.02 /* issue 4 asks for 0.05 */
#define SIZE_MAX_IP 9000
#define OFFERED 1.5   /* of the rate, by every CPU */
#define RATE_MIN 1000 /* packets/s that even the slowest limit gets */
#define ATTEMPTS 3    /* at a run that a busy machine may spoil */

/* One rule, one bucket. All run at the same time, so that all of them take five seconds. */
struct limit {
	const char *name;
	bool bytes;       /* the rate is in bytes/s, else in packets/s */
	float rate;       /* as on the wire (RFC 8955 section 7.1) */
	uint32_t size[3]; /* of the IP packets, in turn; 0 ends the list */
};

static const struct limit limits[] = {
	{ "10 kbit/s, 64", true, 1250, { 64 } },
	{ "10 kbit/s, 1500", true, 1250, { 1500 } },
	{ "10 kbit/s, 9000", true, 1250, { 9000 } },
	{ "1 Mbit/s, 64", true, 125000, { 64 } },
	{ "1 Mbit/s, 1500", true, 125000, { 1500 } },
	{ "1 Mbit/s, 9000", true, 125000, { 9000 } },
	{ "1 Mbit/s, all sizes", true, 125000, { 64, 1500, 9000 } },
	{ "1 kpps", false, 1000, { 64, 1500, 9000 } },
	{ "100 kpps", false, 100000, { 64, 1500, 9000 } },
};
#define LIMITS (sizeof(limits) / sizeof(*limits))
#define RULES (CPUS * LIMITS) /* rule i: limit i % LIMITS on 1 + i / LIMITS CPUs */

/* Of one rule in one run, written by all threads. */
struct tally {
	_Atomic uint64_t tried, passed, passed_bytes;
	_Atomic uint64_t last; /* when a packet was last tried */
	_Atomic uint64_t
		idle; /* ns in which the machine sent nothing and the limit could not give what it may */
};

struct worker {
	pthread_t thread;
	unsigned int cpu;
	uint64_t tried[RULES];
	uint8_t frame[ETH_HLEN + SIZE_MAX_IP];
};

static struct {
	struct fg_dp *dp;
	struct ruleset *set;
	int program;
	struct worker worker[CPUS];
	pthread_barrier_t start;
	uint64_t length; /* ns of a run */
	uint64_t begin, end;
	struct tally tally[RULES];
	_Atomic unsigned int failed; /* test runs */
} rig;

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static uint32_t destination(size_t rule)
{
	return 0xc6336400U + (uint32_t)rule; /* 198.51.100.x */
}

static void install(void)
{
	struct ruleset_wire wire[RULES];
	uint8_t nlri[RULES][7], com[RULES][8];
	struct fg_error err = { 0 };

	for (size_t i = 0; i < RULES; i++) {
		const struct limit *l = &limits[i % LIMITS];
		uint32_t dst = htonl(destination(i)), rate;

		memcpy(&rate, &l->rate, sizeof(rate));
		rate = htonl(rate);
		memcpy(nlri[i], (const uint8_t[]){ 6, 1, 32 }, 3);
		memcpy(nlri[i] + 3, &dst, sizeof(dst));
		memcpy(com[i], (const uint8_t[]){ 0x80, l->bytes ? 0x06 : 0x0c, 0, 0 }, 4);
		memcpy(com[i] + 4, &rate, sizeof(rate));
		wire[i] = (struct ruleset_wire){ nlri[i], sizeof(nlri[i]), com[i], sizeof(com[i]) };
	}
	if (ruleset_new(FG_INET, wire, RULES, &rig.set, &err) ||
	    ruleset_install(rig.set, rig.dp, FG_MODE_FLT, &err))
		fail_msg("%s", err.what);
}

/* ---- packets -------------------------------------------------------------------------------- */

static void frame_init(uint8_t *frame)
{
	struct iphdr ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = 17 };

	frame[12] = ETH_P_IP >> 8;
	memcpy(frame + ETH_HLEN, &ip, sizeof(ip));
}

static size_t frame_set(uint8_t *frame, uint32_t dst, uint32_t size)
{
	uint16_t tot_len = htons((uint16_t)size);

	dst = htonl(dst);
	memcpy(frame + ETH_HLEN + offsetof(struct iphdr, tot_len), &tot_len, sizeof(tot_len));
	memcpy(frame + ETH_HLEN + offsetof(struct iphdr, daddr), &dst, sizeof(dst));
	return ETH_HLEN + size;
}

static uint32_t next_size(const struct limit *l, uint64_t n)
{
	size_t sizes = 0;

	while (sizes < 3 && l->size[sizes])
		sizes++;
	return l->size[n % sizes];
}

static void tally_time(struct tally *t)
{
	uint64_t now = now_ns(), last = atomic_exchange(&t->last, now);

	if (now > last && now - last > FG_BURST_NS)
		t->idle += now - last - FG_BURST_NS;
}

static void try_packet(struct worker *w, size_t rule)
{
	struct tally *t = &rig.tally[rule];
	uint32_t size = next_size(&limits[rule % LIMITS], t->tried++);
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = w->frame, .repeat = 1,
		    .data_size_in = (uint32_t)frame_set(w->frame, destination(rule), size));

	tally_time(t);
	if (bpf_prog_test_run_opts(rig.program, &run))
		rig.failed++; /* cmocka cannot fail a test from here */
	else if (run.retval == XDP_PASS) {
		t->passed++;
		t->passed_bytes += size;
	}
}

/* Packets of a limit that fill its bucket and then keep it full, until @ns after the begin. */
static uint64_t due(const struct limit *l, uint64_t ns)
{
	double packets = l->bytes ? l->rate / l->size[0] : l->rate;

	if (packets < RATE_MIN)
		packets = RATE_MIN;
	return (uint64_t)(OFFERED * packets * (double)(ns + 2 * FG_BURST_NS) / SECOND) + 2;
}

static void send_round(struct worker *w)
{
	for (size_t rule = w->cpu * LIMITS; rule < RULES; rule++) {
		uint64_t n = due(&limits[rule % LIMITS], now_ns() - rig.begin);

		for (; w->tried[rule] < n; w->tried[rule]++)
			try_packet(w, rule);
	}
}

static void *send_all(void *arg)
{
	struct worker *w = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	(void)pthread_barrier_wait(&rig.start);
	while (now_ns() < rig.begin + rig.length)
		send_round(w);
	return NULL;
}

/* All rules at once: those of one CPU from CPU 0, the others from both. */
static void run_for(uint64_t ns)
{
	memset(rig.tally, 0, sizeof(rig.tally));
	rig.length = ns;
	rig.begin = now_ns();
	for (size_t i = 0; i < RULES; i++)
		rig.tally[i].last = rig.begin;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		rig.worker[cpu].cpu = cpu;
		memset(rig.worker[cpu].tried, 0, sizeof(rig.worker[cpu].tried));
		assert_int_equal(pthread_create(&rig.worker[cpu].thread, NULL, send_all,
						&rig.worker[cpu]),
				 0);
	}
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		(void)pthread_join(rig.worker[cpu].thread, NULL);
	rig.end = now_ns();
	for (size_t i = 0; i < RULES; i++)
		tally_time(&rig.tally[i]);
	assert_int_equal(rig.failed, 0);
}

/* ---- what must be --------------------------------------------------------------------------- */

static double largest(const struct limit *l)
{
	uint32_t max = 1;

	for (int i = 0; l->bytes && i < 3; i++)
		if (max < l->size[i])
			max = l->size[i];
	return max;
}

static double burst_of(const struct limit *l)
{
	return (double)l->rate * FG_BURST_NS / SECOND;
}

static double passed_of(size_t rule)
{
	const struct tally *t = &rig.tally[rule];

	return (double)(limits[rule % LIMITS].bytes ? t->passed_bytes : t->passed);
}

/* Not more than the time gives, the burst, and the packet that overdraws the bucket; not less than @low, unless all
 * that was sent passed. Returns false and says so when not kept. */
static bool kept(size_t rule, double low)
{
	const struct limit *l = &limits[rule % LIMITS];
	const struct tally *t = &rig.tally[rule];
	double seconds = (double)(rig.end - rig.begin) / SECOND, passed = passed_of(rule);
	double high = l->rate * seconds * (1 + TOLERANCE) + burst_of(l) + largest(l);
	bool ok = (passed >= low || t->passed == t->tried) && passed <= high;

	printf("# %s%s, %zu CPUs: tried %llu, passed %.0f of %.0f to %.0f %s\n",
	       ok ? "" : "WRONG: ", l->name, 1 + rule / LIMITS, (unsigned long long)t->tried,
	       passed, low > 0 ? low : 0, high, l->bytes ? "octets" : "packets");
	return ok;
}

/* Where nothing was sent for longer than a burst, the time beyond it is lost. */
static double low_in_run(size_t rule)
{
	const struct limit *l = &limits[rule % LIMITS];
	double idle = (double)rig.tally[rule].idle;

	return l->rate * ((double)(rig.end - rig.begin) - idle) / SECOND * (1 - TOLERANCE) -
	       largest(l);
}

static double low_after_pause(size_t rule)
{
	return burst_of(&limits[rule % LIMITS]);
}

static void check_all(double (*low)(size_t rule))
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < RULES; i++)
		wrong += !kept(i, low(i));
	fflush(stdout);
	assert_int_equal(wrong, 0);
}

/* Limits that were not limiting would prove nothing. */
static bool loaded(void)
{
	for (size_t i = 0; i < RULES; i++)
		if (rig.tally[i].tried < due(&limits[i % LIMITS], rig.end - rig.begin) * 4 / 5)
			return false;
	return true;
}

static void test_rate(void **state)
{
	int attempts = 0;

	(void)state;
	do
		run_for(RUN_NS);
	while (!loaded() && ++attempts < ATTEMPTS);
	check_all(low_in_run);
	assert_true(attempts < ATTEMPTS);
}

/* When rule @rule's bucket was last seen to; the slot follows the rank order, that of the destinations. */
static void set_last(size_t rule, uint64_t last)
{
	int policers = fg_dp_map_fd(rig.dp, "policers");
	uint32_t slot = (uint32_t)rule;
	struct fg_policer policer;

	assert_int_equal(bpf_map_lookup_elem(policers, &slot, &policer), 0);
	policer.last = last;
	assert_int_equal(bpf_map_update_elem(policers, &slot, &policer, BPF_ANY), 0);
}

/* An idle bucket gives its burst, whole, and nothing more, even when it was idle since the machine started. */
static void test_after_pause(void **state)
{
	(void)state;
	for (size_t i = 0; i < RULES; i++)
		set_last(i, 0);
	run_for(SHORT_RUN_NS);
	check_all(low_after_pause);
}

/* Another CPU's clock was ahead when it judged a packet: no time passes until ours is there, none is given back. */
static void test_clock_ahead(void **state)
{
	const size_t kpps = LIMITS - 2;

	(void)state;
	assert_false(limits[kpps].bytes);
	set_last(kpps, 0);
	run_for(SHORT_RUN_NS); /* leaves a full bucket */
	set_last(kpps, now_ns() + 3600 * SECOND);
	run_for(SHORT_RUN_NS);
	assert_int_equal(rig.tally[kpps].passed, 0);
	set_last(kpps, 0);
	run_for(SHORT_RUN_NS);
	assert_true(kept(kpps, burst_of(&limits[kpps])));
}

static int setup(void **state)
{
	struct fg_dp_options options = { .capacity = 1024 };
	struct fg_dp_program_info info;
	struct fg_error err = { 0 };

	(void)state;
	if (fg_dp_open(&options, &rig.dp, &err) || fg_dp_program(rig.dp, 0, &info)) {
		fprintf(stderr, "# %s\n# %s\n", err.what, err.fix);
		return -1;
	}
	rig.program = bpf_prog_get_fd_by_id(info.id);
	if (rig.program < 0 || pthread_barrier_init(&rig.start, NULL, CPUS))
		return -1;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		frame_init(rig.worker[cpu].frame);
	install();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)pthread_barrier_destroy(&rig.start);
	ruleset_free(rig.set);
	(void)close(rig.program);
	fg_dp_close(rig.dp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_after_pause),
		cmocka_unit_test(test_clock_ahead),
	};

	return cmocka_run_group_tests_name("policer", tests, setup, teardown);
}
