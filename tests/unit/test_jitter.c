// SPDX-License-Identifier: GPL-2.0-only
/* Cycles of a timer: how they are counted, and threads on the machine that the test runs on.
 * Nothing is asserted of how late they run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/wait.h"
#include "instruments/jitter.h"

static void test_bins(void **state)
{
	static const struct {
		uint64_t ns;
		size_t bin;
	} vectors[] = {
		{ 0, 0 },           { 999, 0 },       { 1000, 1 },      { 1999, 1 },
		{ 2000, 2 },        { 4999, 2 },      { 5000, 3 },      { 9999, 3 },
		{ 10000, 4 },       { 50000000, 15 }, { 99999999, 15 }, { 100000000, 16 },
		{ UINT64_MAX, 16 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct jitter_figures figures = { 0 };

		print_message("row %zu\n", i);
		jitter_add(&figures, vectors[i].ns, 0);
		assert_int_equal(figures.bins[vectors[i].bin], 1);
		assert_true(vectors[i].ns < jitter_bin_end_ns(vectors[i].bin) ||
			    vectors[i].bin + 1 == JITTER_BINS);
	}
}

static void test_figures(void **state)
{
	struct jitter_figures figures = { 0 };

	(void)state;
	/* 7, 14, ..., 91, 98, 4, ...: each of 1 to 100 once */
	for (uint64_t i = 1; i <= 100; i++)
		jitter_add(&figures, i * 7 % 101, i);
	assert_int_equal(figures.cycles, 100);
	assert_int_equal(figures.total_ns, 5050);
	assert_int_equal(figures.least_ns, 1);
	assert_int_equal(figures.most_ns, 100);
	assert_int_equal(figures.n_worst, JITTER_WORST);
	for (size_t i = 0; i < JITTER_WORST; i++) {
		assert_int_equal(figures.worst[i].latency_ns, 100 - i);
		assert_int_equal(figures.worst[i].at_ns * 7 % 101, 100 - i);
	}
}

/* Quantiles against sorted latencies, of numbers that do not fit any bin. */
static void test_quantiles(void **state)
{
	static const unsigned int of_10000[] = { 1, 5000, 9900, 9990 };
	enum { COUNT = 20000 };
	struct jitter_figures figures = { 0 };

	(void)state;
	/* a permutation of 7, 20, 33, ... */
	for (uint64_t i = 0; i < COUNT; i++)
		jitter_add(&figures, 7 + 13 * (i * 7919 % COUNT), i);
	for (size_t i = 0; i < ARRAY_SIZE(of_10000); i++) {
		const uint64_t rank = (uint64_t)COUNT * of_10000[i] / 10000;
		const uint64_t exact = 7 + 13 * (rank - 1);
		const uint64_t found = jitter_quantile_ns(&figures, of_10000[i]);

		print_message("%u: %lu\n", of_10000[i], (unsigned long)found);
		assert_in_range(found, exact, exact + exact / 32);
	}
	/* 2 of 20,000 are above it */
	assert_true(jitter_quantile_ns(&figures, 9999) == UINT64_MAX);
	/* never above the largest one */
	figures = (struct jitter_figures){ 0 };
	for (uint64_t i = 0; i < 100; i++)
		jitter_add(&figures, 1000001, i);
	assert_int_equal(jitter_quantile_ns(&figures, 5000), 1000001);
	/* beyond all bins */
	figures = (struct jitter_figures){ 0 };
	for (uint64_t i = 0; i < 100; i++)
		jitter_add(&figures, UINT64_MAX / 256, i);
	assert_true(jitter_quantile_ns(&figures, 5000) <= UINT64_MAX / 256);
}

/* The first latencies are kept in their order. */
static void test_kept(void **state)
{
	uint64_t kept[3] = { 0 };
	struct jitter_figures figures = { .latencies_ns = kept,
					  .most_latencies = ARRAY_SIZE(kept) };

	(void)state;
	for (uint64_t i = 5; i > 0; i--)
		jitter_add(&figures, i * i % 7, i);
	assert_int_equal(figures.n_latencies, 3);
	assert_int_equal(kept[0], 4);
	assert_int_equal(kept[1], 2);
	assert_int_equal(kept[2], 2);
}

/* A cycle that ends too late for the next one skips to the next multiple. */
static void test_next(void **state)
{
	static const struct {
		uint64_t due, now, next, overruns;
	} vectors[] = {
		{ 1000, 1001, 1250, 0 }, { 1000, 1250, 1250, 0 }, { 1000, 1251, 1500, 1 },
		{ 1000, 1500, 1500, 1 }, { 1000, 1501, 1750, 2 }, { 1000, 900, 1250, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t overruns = 0;

		print_message("row %zu\n", i);
		assert_int_equal(jitter_next_ns(vectors[i].due, 250, vectors[i].now, &overruns),
				 vectors[i].next);
		assert_int_equal(overruns, vectors[i].overruns);
	}
}

/* Where this process may run, and the first of these CPUs. */
static uint32_t find_allowed(cpu_set_t *allowed)
{
	uint32_t cpu = 0;

	CPU_ZERO(allowed);
	assert_int_equal(sched_getaffinity(0, sizeof(*allowed), allowed), 0);
	while (!CPU_ISSET(cpu, allowed))
		cpu++;
	return cpu;
}

static void test_threads(void **state)
{
	const struct jitter_figures *figures;
	struct jitter *jitter = NULL;
	cpu_set_t allowed, after;
	const uint32_t cpu = find_allowed(&allowed);
	uint32_t wrong;
	uint64_t elapsed_ns, sum = 0;

	(void)state;
	assert_int_equal(jitter_start(&cpu, 1, 1000000, 3, &jitter, &wrong), 0);
	/* the caller runs where it may, as before */
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&allowed, &after));
	wait_us_or_stop(NULL, 200000);
	elapsed_ns = jitter_elapsed_ns(jitter);
	assert_false(jitter_has_given_up(jitter));
	figures = jitter_stop(jitter);
	assert_int_equal(figures->cpu, cpu);
	assert_true(figures->cycles > 0);
	/* no multiple of the interval is counted twice */
	assert_true(figures->cycles + figures->overruns <= elapsed_ns / 1000000 + 100);
	for (size_t i = 0; i < JITTER_BINS; i++)
		sum += figures->bins[i];
	assert_int_equal(sum, figures->cycles);
	assert_int_equal(figures->n_latencies, figures->cycles < 3 ? figures->cycles : 3);
	jitter_free(&jitter);
	assert_null(jitter);
}

/* Moves the threads of this process, all but the first, to a CPU. Returns how many. */
static size_t move_threads(uint32_t cpu)
{
	DIR *directory = opendir("/proc/self/task");
	size_t count = 0;
	cpu_set_t set;

	assert_non_null(directory);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	for (const struct dirent *entry; (entry = readdir(directory));) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

		if (thread > 0 && thread != getpid())
			count += sched_setaffinity(thread, sizeof(set), &set) == 0;
	}
	closedir(directory);
	return count;
}

/* Cycles on another CPU tell nothing of this one. */
static void test_moved(void **state)
{
	const struct jitter_figures *figures;
	struct jitter *jitter = NULL;
	cpu_set_t allowed;
	uint32_t cpu = 0, other, wrong;

	(void)state;
	CPU_ZERO(&allowed);
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	if (CPU_COUNT(&allowed) < 2)
		skip();
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	other = cpu + 1;
	while (!CPU_ISSET(other, &allowed))
		other++;
	assert_int_equal(jitter_start(&cpu, 1, 1000000, 0, &jitter, &wrong), 0);
	assert_true(move_threads(other) >= 1);
	wait_us_or_stop(NULL, 200000);
	figures = jitter_stop(jitter);
	assert_true(figures->was_moved);
	jitter_free(&jitter);
}

/* With an interval of 1 ns each cycle is late: its thread ends after 1000 of them. */
static void test_given_up(void **state)
{
	const struct jitter_figures *figures;
	struct jitter *jitter = NULL;
	cpu_set_t allowed;
	const uint32_t cpu = find_allowed(&allowed);
	uint32_t wrong;

	(void)state;
	assert_int_equal(jitter_start(&cpu, 1, 1, 0, &jitter, &wrong), 0);
	for (int i = 0; i < 3000 && !jitter_has_given_up(jitter); i++)
		wait_us_or_stop(NULL, 10000);
	assert_true(jitter_has_given_up(jitter));
	figures = jitter_stop(jitter);
	assert_true(figures->gave_up);
	assert_int_equal(figures->cycles, 1000);
	assert_true(figures->overruns >= 1000);
	jitter_free(&jitter);
}

static void test_wrong_cpu(void **state)
{
	const uint32_t cpus[] = { 8191 };
	struct jitter *jitter = NULL;
	uint32_t wrong = 0;

	(void)state;
	assert_int_equal(jitter_start(cpus, 1, 1000000, 0, &jitter, &wrong), -EINVAL);
	assert_int_equal(wrong, 8191);
	assert_null(jitter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),      cmocka_unit_test(test_figures),
		cmocka_unit_test(test_next),      cmocka_unit_test(test_threads),
		cmocka_unit_test(test_wrong_cpu), cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_kept),      cmocka_unit_test(test_moved),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
