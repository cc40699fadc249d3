// SPDX-License-Identifier: GPL-2.0-only
/* Rounds of sleeping and waking on the machine that the test runs on: how many there are, that they
 * sleep, and how they end. Nothing is asserted of how fast it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/wait.h"
#include "instruments/workload.h"

#define MILLISECOND UINT64_C(1000000)
#define MOST        40

static struct wake_round rounds[MOST];

static int setup(void **state)
{
	struct workload *workload = NULL;
	int err = workload_open_real(&workload);

	*state = workload;
	return err;
}

/* No process of ours is left. */
static int teardown(void **state)
{
	struct workload *workload = *state;

	workload_close_real(&workload);
	return waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
}

/* The first CPUs that the test may use. Returns whether there are two. */
static bool find_cpus(uint32_t *ret_first, uint32_t *ret_second)
{
	cpu_set_t allowed;
	uint32_t found = 0;

	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	for (uint32_t cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
		if (CPU_ISSET(cpu, &allowed))
			*(found++ ? ret_second : ret_first) = cpu;
	}
	return found == 2;
}

static void test_timer(void **state)
{
	struct workload *workload = *state;
	uint32_t cpu = 0, other = 0;
	uint64_t begin;
	size_t count;

	find_cpus(&cpu, &other);
	begin = workload->ops->now_ns(workload);
	assert_int_equal(workload->ops->wake_rounds(workload,
						    &(struct wake_job){
							    .cpu = cpu,
							    .gap_ns = 2 * MILLISECOND,
							    .state = WAKE_ANY_STATE,
							    .unrecorded = 5,
							    .wanted = 20,
							    .most = MOST,
						    },
						    NULL, rounds, &count),
			 0);
	assert_int_equal(count, 20);
	assert_true(workload->ops->now_ns(workload) - begin >= 50 * MILLISECOND);
	for (size_t i = 0; i < count; i++)
		assert_true(rounds[i].latency_ns > 0 && !rounds[i].was_late);
}

static void test_futex(void **state)
{
	struct workload *workload = *state;
	struct wake_job job = {
		.by_futex = true,
		.gap_ns = 2 * MILLISECOND,
		.state = WAKE_ANY_STATE,
		.unrecorded = 2,
		.wanted = 10,
		.most = MOST,
	};
	size_t count, counted = 0;
	uint64_t begin;

	if (!find_cpus(&job.cpu, &job.waker_cpu))
		skip();
	begin = workload->ops->now_ns(workload);
	assert_int_equal(workload->ops->wake_rounds(workload, &job, NULL, rounds, &count), 0);
	assert_true(workload->ops->now_ns(workload) - begin >= 24 * MILLISECOND);
	assert_true(count >= 10 && count <= MOST);
	for (size_t i = 0; i < count; i++)
		counted += wake_round_counts(&job, &rounds[i]);
	print_message("%zu of %zu rounds count\n", counted, count);
	/* the last one is lost if another process kept the CPU */
	assert_true(counted == 10 || count == MOST || rounds[count - 1].was_lost);
}

static bool is_late(void *data)
{
	return wait_now_us() > *(const uint64_t *)data;
}

/* It ends between two rounds, with those before. */
static void test_stop(void **state)
{
	struct workload *workload = *state;
	uint64_t when = wait_now_us() + 30000;
	const struct wait_stop stop = { .fd = -1, .is_asked = is_late, .data = &when };
	struct wake_job job = {
		.gap_ns = 10 * MILLISECOND,
		.state = WAKE_ANY_STATE,
		.wanted = MOST,
		.most = MOST,
	};
	size_t count;

	find_cpus(&job.cpu, &job.waker_cpu);
	assert_int_equal(workload->ops->wake_rounds(workload, &job, &stop, rounds, &count), 0);
	print_message("%zu rounds\n", count);
	assert_true(count < MOST);
}

/* The kernel may lack it (CONFIG_PROC_CHILDREN). */
static const char *children_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	return path;
}

/* Calls something with each process of the rounds, and *data. */
static void for_children(void (*function)(pid_t pid, void *data), void *data)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	char *rest;

	if (fileio_read(children_path(), 0, &text, &length))
		return;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		function((pid_t)strtol(word, NULL, 10), data);
}

static void kill_one(pid_t pid, void *data)
{
	kill(pid, SIGKILL);
	*(bool *)data = true;
}

/* Asks for no stop, as the next one. */
static bool kill_children(void *data)
{
	for_children(kill_one, data);
	return false;
}

/* As the kernel does when the CPU goes offline, once it has been pinned. */
static void move_one(pid_t pid, void *data)
{
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set) || CPU_COUNT(&set) != 1)
		return;
	CPU_ZERO(&set);
	CPU_SET(*(const uint32_t *)data, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

static bool move_children(void *data)
{
	for_children(move_one, data);
	return false;
}

/* If a process of the rounds dies, the caller goes on, and can put back. */
static void test_killed(void **state)
{
	struct workload *workload = *state;
	bool is_killed = false;
	const struct wait_stop stop = { .fd = -1, .is_asked = kill_children, .data = &is_killed };
	struct wake_job job = {
		.gap_ns = 10 * MILLISECOND,
		.state = WAKE_ANY_STATE,
		.wanted = MOST,
		.most = MOST,
	};
	size_t count = 7;
	int err;

	find_cpus(&job.cpu, &job.waker_cpu);
	err = workload->ops->wake_rounds(workload, &job, &stop, rounds, &count);
	if (!is_killed)
		skip();
	assert_int_equal(err, -ECHILD);
	assert_int_equal(count, 7);
}

/* Rounds on another CPU tell nothing of this one. */
static void test_moved(void **state)
{
	struct workload *workload = *state;
	uint32_t other;
	const struct wait_stop stop = { .fd = -1, .is_asked = move_children, .data = &other };
	struct wake_job job = {
		.gap_ns = 10 * MILLISECOND,
		.state = WAKE_ANY_STATE,
		.wanted = MOST,
		.most = MOST,
	};
	size_t count = 7;

	if (!find_cpus(&job.cpu, &other) || access(children_path(), F_OK))
		skip();
	assert_int_equal(workload->ops->wake_rounds(workload, &job, &stop, rounds, &count),
			 -EINVAL);
	assert_int_equal(count, 7);
}

struct halt {
	uint32_t cpu;
	unsigned int calls;
	bool is_done;
};

/* The sleeper is the process of the measured CPU. */
static void halt_one(pid_t pid, void *data)
{
	struct halt *halt = data;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(pid, sizeof(set), &set) || CPU_COUNT(&set) != 1 ||
	    !CPU_ISSET(halt->cpu, &set))
		return;
	halt->is_done = kill(pid, SIGSTOP) == 0;
}

static bool halt_sleeper(void *data)
{
	struct halt *halt = data;

	if (!halt->is_done && ++halt->calls > 5)
		for_children(halt_one, data);
	return false;
}

/* A sleeper that does not answer is not waited for: its round is lost, those before are kept. */
static void test_no_answer(void **state)
{
	struct workload *workload = *state;
	struct halt halt = { 0 };
	const struct wait_stop stop = { .fd = -1, .is_asked = halt_sleeper, .data = &halt };
	struct wake_job job = {
		.by_futex = true,
		.gap_ns = 10 * MILLISECOND,
		.state = WAKE_ANY_STATE,
		.wanted = MOST,
		.most = MOST,
	};
	uint64_t begin;
	size_t count;

	if (!find_cpus(&job.cpu, &job.waker_cpu) || access(children_path(), F_OK))
		skip();
	halt.cpu = job.cpu;
	alarm(60);
	begin = workload->ops->now_ns(workload);
	assert_int_equal(workload->ops->wake_rounds(workload, &job, &stop, rounds, &count), 0);
	alarm(0);
	print_message("%zu rounds in %" PRIu64 " ms\n", count,
		      (workload->ops->now_ns(workload) - begin) / MILLISECOND);
	assert_true(halt.is_done);
	assert_true(count >= 1 && count < MOST);
	assert_true(rounds[count - 1].was_lost);
}

static void test_wrong(void **state)
{
	struct workload *workload = *state;
	struct wake_job job = {
		.cpu = 8191,
		.gap_ns = MILLISECOND,
		.wanted = 1,
		.most = 1,
	};
	size_t count = 7;

	assert_int_equal(workload->ops->wake_rounds(workload, &job, NULL, rounds, &count), -EINVAL);
	job.cpu = sched_getcpu() < 0 ? 0 : (uint32_t)sched_getcpu();
	job.states = WAKE_STATES + 1;
	assert_int_equal(workload->ops->wake_rounds(workload, &job, NULL, rounds, &count), -EINVAL);
	assert_int_equal(count, 7);
}

/* Which rounds count for state 2 of three. */
static void test_counts(void **state)
{
	const struct wake_job job = { .state = 2, .states = 3 };
	const struct wake_job any = { .state = WAKE_ANY_STATE, .states = 3 }, none = { 0 };
	static const struct {
		struct wake_round round;
		bool counts, counts_for_any, counts_without;
	} vectors[] = {
		{ { .usage = { 0, 0, 1 } }, true, true, true },
		{ { .usage = { 0, 1, 0 } }, false, true, true },
		{ { .usage = { 0, 0, 0 } }, false, false, true },
		{ { .usage = { 0, 0, 2 } }, false, false, true },
		{ { .usage = { 1, 0, 1 } }, false, false, true },
		{ { .usage = { 0, 0, 1 }, .rejected = { 1 } }, false, false, true },
		{ { .usage = { 0, 0, 1 }, .was_late = true }, false, false, false },
		{ { .usage = { 0, 0, 1 }, .was_lost = true }, false, false, false },
		{ { .usage = { 0, 0, 1 }, .waker_was_delayed = true }, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		print_message("row %zu\n", i);
		assert_int_equal(wake_round_counts(&job, &vectors[i].round), vectors[i].counts);
		assert_int_equal(wake_round_counts(&any, &vectors[i].round),
				 vectors[i].counts_for_any);
		assert_int_equal(wake_round_counts(&none, &vectors[i].round),
				 vectors[i].counts_without);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timer), TEST(test_futex),
		TEST(test_stop),  TEST(test_killed),
		TEST(test_moved), TEST(test_no_answer),
		TEST(test_wrong), cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
