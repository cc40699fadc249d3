// SPDX-License-Identifier: GPL-2.0-only
/* Loads and the pipe on the machine that the test runs on: they are pinned, they count what they
 * do, and they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/wait.h"
#include "instruments/workload.h"

#define MILLISECOND UINT64_C(1000000)

static int setup(void **state)
{
	struct workload *workload = NULL;
	int err = workload_open_real(&workload);

	*state = workload;
	return err;
}

static int teardown(void **state)
{
	struct workload *workload = *state;

	workload_close_real(&workload);
	return workload != NULL;
}

/* The CPUs that the test may use, the first ones. Returns how many, at most size. */
static size_t find_cpus(uint32_t *cpus, size_t size)
{
	cpu_set_t *allowed = CPU_ALLOC(8192);
	const size_t bytes = CPU_ALLOC_SIZE(8192);
	size_t count = 0;

	assert_int_equal(sched_getaffinity(0, bytes, allowed), 0);
	for (uint32_t cpu = 0; cpu < 8192 && count < size; cpu++) {
		if (CPU_ISSET_S(cpu, bytes, allowed))
			cpus[count++] = cpu;
	}
	CPU_FREE(allowed);
	return count;
}

static void test_clock(void **state)
{
	struct workload *workload = *state;
	uint64_t begin = workload->ops->now_ns(workload);

	assert_false(workload->ops->wait_ns(workload, 2 * MILLISECOND, NULL));
	assert_true(workload->ops->now_ns(workload) - begin >= 19 * MILLISECOND / 10);
}

/* Waits until the load of a CPU has worked for some CPU time, 30 s at most. */
static struct load_figures wait_for_work(struct workload *workload, uint32_t cpu)
{
	for (int i = 0; i < 3000; i++) {
		_cleanup_load_readings_ struct load_readings readings = { 0 };
		const struct load_figures *figures;

		assert_int_equal(workload->ops->read_loads(workload, &readings), 0);
		figures = load_readings_find(&readings, cpu);
		assert_non_null(figures);
		if (figures->cpu_ns > 5 * MILLISECOND &&
		    (figures->add_ns || figures->operations || !figures->has_chains))
			return *figures;
		workload->ops->wait_ns(workload, 10 * MILLISECOND, NULL);
	}
	fail_msg("no work on CPU %u", cpu);
	return (struct load_figures){ 0 };
}

/* Of each chain in a plausible frequency, 0.3 to 10 GHz. */
static void check_chains(const struct workload *workload, const struct load_figures *figures)
{
	if (!figures->has_chains || workload->is_emulated || getenv("VALGRIND"))
		return;
	assert_in_range(figures->multiply_cycles * 1000 / figures->multiply_ns, 300, 10000);
	assert_in_range(figures->add_cycles * 1000 / figures->add_ns, 300, 10000);
}

static void test_loads(void **state)
{
	struct workload *workload = *state;
	uint32_t cpus[2], failed = CPUSET_NONE;
	const size_t n_cpus = find_cpus(cpus, ARRAY_SIZE(cpus));

	for (enum load_kind kind = LOAD_SCALAR; kind < LOAD_PIPE; kind++) {
		_cleanup_cpuset_ struct cpuset set = { 0 };
		int err = workload->ops->check_load(workload, kind);

		for (size_t i = 0; i < n_cpus; i++)
			assert_int_equal(cpuset_add(&set, cpus[i]), 0);
		assert_int_equal(workload->ops->start_load(workload, kind, &set, &failed), err);
		assert_true(err == 0 || err == -EOPNOTSUPP);
		for (size_t i = 0; i < n_cpus && !err; i++) {
			struct load_figures figures = wait_for_work(workload, cpus[i]);

			assert_int_equal(figures.kind, kind);
			assert_int_equal(figures.cpu, cpus[i]);
			check_chains(workload, &figures);
		}
		workload->ops->stop_loads(workload);
	}
	assert_int_equal(workload->ops->check_load(workload, LOAD_SCALAR), 0);
	assert_int_equal(workload->ops->check_load(workload, LOAD_TDP), -EOPNOTSUPP);
}

/* A CPU that the machine lacks; one that has a load; nothing is left running. */
static void test_refused(void **state)
{
	_cleanup_cpuset_ struct cpuset set = { 0 }, one = { 0 };
	_cleanup_load_readings_ struct load_readings readings = { 0 };
	struct workload *workload = *state;
	uint32_t cpus[1], failed = CPUSET_NONE;

	assert_int_equal(find_cpus(cpus, ARRAY_SIZE(cpus)), 1);
	assert_int_equal(cpuset_add(&one, cpus[0]), 0);
	assert_int_equal(cpuset_add(&set, cpus[0]), 0);
	assert_int_equal(cpuset_add(&set, 100000), 0);
	assert_int_equal(workload->ops->start_load(workload, LOAD_SCALAR, &set, &failed), -EINVAL);
	assert_int_equal(failed, 100000);
	assert_int_equal(workload->ops->read_loads(workload, &readings), 0);
	assert_int_equal(readings.count, 0);
	assert_null(load_readings_find(&readings, 0));

	assert_int_equal(workload->ops->start_load(workload, LOAD_SCALAR, &one, &failed), 0);
	assert_int_equal(workload->ops->start_load(workload, LOAD_SCALAR, &one, &failed), -EBUSY);
	assert_int_equal(failed, cpus[0]);
	assert_int_equal(workload->ops->start_pipe(workload, cpus[0], 100000, &failed), -EBUSY);
	wait_for_work(workload, cpus[0]);
	workload->ops->stop_loads(workload);
	assert_int_equal(workload->ops->start_pipe(workload, cpus[0], cpus[0], &failed), -EBUSY);
	assert_int_equal(workload->ops->start_pipe(workload, cpus[0], 100000, &failed), -EINVAL);
	assert_int_equal(failed, 100000);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	assert_int_equal(errno, ECHILD);
}

static void test_pipe(void **state)
{
	struct workload *workload = *state;
	struct load_figures sides[2];
	uint32_t cpus[2], failed;

	if (find_cpus(cpus, ARRAY_SIZE(cpus)) < 2)
		skip();
	assert_int_equal(workload->ops->start_pipe(workload, cpus[1], cpus[0], &failed), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		sides[i] = wait_for_work(workload, cpus[i]);
		assert_int_equal(sides[i].kind, LOAD_PIPE);
		assert_true(sides[i].operations > 10);
		assert_false(sides[i].has_chains);
	}
	assert_true(sides[1].operations >= sides[0].operations);
	workload->ops->stop_loads(workload);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void note_cpu(void *data)
{
	*(int *)data = sched_getcpu();
}

static void test_run_on(void **state)
{
	struct workload *workload = *state;
	uint32_t cpus[2];
	const size_t n_cpus = find_cpus(cpus, ARRAY_SIZE(cpus));
	int seen = -1;

	for (size_t i = 0; i < n_cpus; i++) {
		assert_int_equal(workload->ops->run_on(workload, cpus[i], note_cpu, &seen), 0);
		assert_int_equal(seen, cpus[i]);
	}
	seen = -1;
	assert_int_equal(workload->ops->run_on(workload, 100000, note_cpu, &seen), -EINVAL);
	assert_int_equal(seen, -1);
}

static void test_words(void **state)
{
	enum load_kind kind;

	(void)state;
	assert_int_equal(load_kind_parse("avx512", &kind), 0);
	assert_int_equal(kind, LOAD_AVX512);
	assert_string_equal(load_kind_name(LOAD_TDP), "tdp");
	assert_int_equal(load_kind_parse("pipe", &kind), -EINVAL);
	assert_int_equal(load_kind_parse("", &kind), -EINVAL);
}

static void test_rounds(void **state)
{
	static const struct {
		struct wake_round round;
		bool counts;
	} rows[] = {
		{ { .usage = { 0, 0, 1 } }, true },
		{ { .usage = { 0, 1, 0 } }, false },
		{ { .usage = { 0, 0, 2 } }, false },
		{ { .usage = { 0, 1, 1 } }, false },
		{ { .usage = { 0, 0, 0 } }, false },
		{ { .usage = { 0, 0, 1 }, .rejected = { 0, 1 } }, false },
		{ { .usage = { 0, 0, 1 }, .was_late = true }, false },
		{ { .usage = { 0, 0, 1 }, .was_lost = true }, false },
		{ { .usage = { 0, 0, 1 }, .waker_was_delayed = true }, false },
	};
	const struct wake_job job = { .state = 2, .states = 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(wake_round_counts(&job, &rows[i].round), rows[i].counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_clock, setup, teardown),
		cmocka_unit_test_setup_teardown(test_loads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pipe, setup, teardown),
		cmocka_unit_test_setup_teardown(test_run_on, setup, teardown),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
