// SPDX-License-Identifier: GPL-2.0-only
/* measure wake on a machine of texts: which states are forced and in which order, and what becomes
 * of rounds that a script answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/host.h"
#include "host/run_directory.h"
#include "figures.h"

#define US 1000

static struct fake_files kernel;
static struct buffer order; /* of the jobs: "POLL:100 C1:100 " */
static struct host host;
static struct machine machine;
static const uint32_t gaps[] = { 100, 1000 };

/* What the script answers in a round of a job; NULL: state asked for, 1 us times the round. */
static void (*answer)(const struct wake_job *job, size_t round, struct wake_round *to);
static int rounds_error;
static uint64_t clock_ns;

static uint64_t fake_now(struct workload *workload)
{
	(void)workload;
	return clock_ns;
}

static bool fake_wait(struct workload *workload, uint64_t ns, const struct wait_stop *stop)
{
	(void)workload;
	(void)stop;
	clock_ns += ns;
	return false;
}

/* The idle states of both threads of the core must be those of the job. */
static void assert_forced(const struct wake_job *job)
{
	for (uint32_t cpu = 1; cpu <= 3; cpu += 2) {
		for (uint32_t i = 0; i < job->states && job->state != WAKE_ANY_STATE; i++) {
			const struct file_path path =
				files_cpu_path(cpu, "cpuidle/state%u/disable", i);

			assert_string_equal(fake_files_text(&kernel, path.text),
					    i == job->state ? "0" : "1");
		}
	}
}

static int fake_rounds(struct workload *workload, const struct wake_job *job,
		       const struct wait_stop *stop, struct wake_round *rounds, size_t *ret_count)
{
	_cleanup_free_ char *text = text_format("%d:%d ", (int)job->state, (int)(job->gap_ns / US));
	size_t count = 0, counted = 0;

	(void)workload;
	(void)stop;
	if (rounds_error)
		return rounds_error;
	assert_forced(job);
	buffer_append_string(&order, text);
	while (counted < job->wanted && count < job->most) {
		struct wake_round *round = &rounds[count];

		*round = (struct wake_round){ .latency_ns = (count + 1) * US };
		if (job->states && job->state != WAKE_ANY_STATE)
			round->usage[job->state] = 1;
		if (answer)
			answer(job, job->first_round + count, round);
		counted += wake_round_counts(job, round);
		count++;
	}
	*ret_count = count;
	return 0;
}

static const struct workload_ops ops = {
	.now_ns = fake_now,
	.wait_ns = fake_wait,
	.wake_rounds = fake_rounds,
};
static struct workload workload = { .ops = &ops };

static void set_state(uint32_t cpu, uint32_t state, const char *name, const char *latency)
{
	static const char *const zeros[] = { "disable", "usage", "time", "residency", "rejected" };

	fake_files_set(&kernel, name, FILES_CPUS "/cpu%u/cpuidle/state%u/name", cpu, state);
	fake_files_set(&kernel, latency, FILES_CPUS "/cpu%u/cpuidle/state%u/latency", cpu, state);
	for (size_t i = 0; i < ARRAY_SIZE(zeros); i++)
		fake_files_set(&kernel, "0\n", FILES_CPUS "/cpu%u/cpuidle/state%u/%s", cpu, state,
			       zeros[i]);
}

static int begin(void **state)
{
	(void)state;
	answer = NULL;
	rounds_error = 0;
	fake_files_init(&kernel);
	for (uint32_t cpu = 1; cpu <= 3; cpu += 2) {
		set_state(cpu, 0, "POLL", "0\n");
		set_state(cpu, 1, "C1", "2\n");
		set_state(cpu, 2, "C6", "100\n");
	}
	fake_files_set(&kernel, "1,3\n", FILES_CPUS "/cpu1/topology/thread_siblings_list");
	fake_files_set(&kernel, "0\n", FILES_CPUS "/cpu1/power/pm_qos_resume_latency_us");
	host = (struct host){ .files = &kernel.files, .workload = &workload };
	machine = (struct machine){ .host = &host };
	return cpuset_add_range(&machine.topology.online, 0, 3);
}

static int end(void **state)
{
	(void)state;
	fake_files_done(&kernel);
	buffer_done(&order);
	cpuset_done(&machine.topology.online);
	return 0;
}

static struct wake_plan open_plan(const char *names)
{
	struct wake_plan plan = {
		.machine = &machine,
		.cpu = 1,
		.forces = true,
		.gaps_us = gaps,
		.n_gaps = ARRAY_SIZE(gaps),
		.samples = 100,
	};
	char *wrong = NULL;

	assert_int_equal(wake_plan_open(&plan, names, &wrong), 0);
	return plan;
}

static void run(struct wake_plan *plan)
{
	_cleanup_free_ char *problem = NULL;

	assert_int_equal(wake_run(plan, NULL, &problem), 0);
	assert_null(problem);
}

/* The rows as JSON. */
static json_t *rows_of(const struct wake_plan *plan)
{
	_cleanup_texts_ struct texts texts = { 0 };
	struct wake_cpu cpu = { 0 };
	json_t *object, *rows;

	assert_int_equal(wake_make_rows(plan, &texts, &cpu), 0);
	object = json_write_fields(wake_cpu_fields, &cpu);
	rows = json_incref(json_object_get(object, "rows"));
	json_decref(object);
	json_free_fields(wake_cpu_fields, &cpu);
	return rows;
}

static json_int_t number(const json_t *rows, size_t row, const char *key)
{
	return json_integer_value(json_object_get(json_array_get(rows, row), key));
}

static const char *text(const json_t *rows, size_t row, const char *key)
{
	return json_string_value(json_object_get(json_array_get(rows, row), key));
}

static double real(const json_t *rows, size_t row, const char *key)
{
	const json_t *value = json_object_get(json_array_get(rows, row), key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

/* Ten blocks; in each all states and gaps take turns. */
static void test_order(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);
	_cleanup_change_list_ struct change_list changes = { 0 };
	_cleanup_cpuset_ struct cpuset listed = { 0 };
	static const char block[] = "0:100 0:1000 1:100 1:1000 2:100 2:1000 ";
	_cleanup_json_ json_t *rows = NULL;

	(void)state;
	assert_int_equal(wake_count_states(&plan), 3);
	assert_int_equal(wake_plan_changes(&plan, &listed, &changes), 0);
	assert_int_equal(changes.n_changes, 6);
	run(&plan);
	assert_int_equal(order.length, 10 * strlen(block));
	for (size_t i = 0; i < 10; i++)
		assert_memory_equal(buffer_text(&order) + i * strlen(block), block, strlen(block));
	rows = rows_of(&plan);
	assert_int_equal(json_array_size(rows), 6);
	assert_string_equal(text(rows, 5, "state"), "C6");
	assert_int_equal(number(rows, 5, "gap-us"), 1000);
	assert_int_equal(number(rows, 5, "rounds"), 100);
	assert_int_equal(number(rows, 5, "exit-latency-us"), 100);
	/* ten times 1 to 10 us */
	assert_true(real(rows, 5, "p50-us") == 5 && real(rows, 5, "p90-us") == 9);
	/* the same in each of the ten blocks */
	assert_true(real(rows, 5, "p50-low-us") == 5 && real(rows, 5, "p50-high-us") == 5);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 5), "p99-us")));
	assert_string_equal(text(rows, 5, "p99-us-reason"), "100 rounds are too few");
	assert_true(real(rows, 5, "max-us") == 10 && real(rows, 5, "share-percent") == 100);
	assert_true(json_is_true(json_object_get(json_array_get(rows, 2), "slow")));
	assert_true(json_is_false(json_object_get(json_array_get(rows, 5), "slow")));
}

/* Rows sort the latencies; what is saved is in the order measured. */
static void test_samples(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan("C6");
	_cleanup_json_ json_t *rows = NULL, *lists = NULL;
	const json_t *list, *ns;
	size_t needed, i;

	(void)state;
	run(&plan);
	rows = rows_of(&plan);
	assert_ptr_equal(wake_find_deepest(&plan, 1000, &needed), NULL);
	assert_int_equal(needed, 1000); /* 100 rounds have no p99 */
	lists = wake_make_samples(&plan);
	assert_int_equal(json_array_size(lists), 2);
	json_array_foreach (lists, i, list) {
		assert_int_equal(number(lists, i, "cpu"), 1);
		assert_int_equal(number(lists, i, "gap-us"), gaps[i]);
		assert_string_equal(text(lists, i, "state"), "C6");
		ns = json_object_get(list, "ns");
		assert_int_equal(json_array_size(ns), 100);
		for (size_t j = 0; j < 100; j++)
			assert_int_equal(json_integer_value(json_array_get(ns, j)),
					 (json_int_t)(j % 10 + 1) * US);
	}
}

/* Every tenth round goes wrong, in each of the ways in turn. */
static void go_wrong(const struct wake_job *job, size_t round, struct wake_round *to)
{
	switch (round) {
	case 5:
		to->usage[job->state] = 0;
		break;
	case 15:
		to->usage[job->state] = 2;
		break;
	case 25:
		to->usage[job->state] = 0;
		to->usage[(job->state + 1) % 3] = 1;
		break;
	case 35:
		to->rejected[job->state] = 1;
		break;
	case 45:
		to->was_late = true;
		break;
	case 55:
		to->was_lost = true;
		to->latency_ns = 200000000;
		break;
	case 65:
		to->waker_was_delayed = true;
		break;
	}
}

static void test_kinds(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan("C1");
	_cleanup_json_ json_t *rows = NULL;
	const json_t *excluded;

	(void)state;
	answer = go_wrong;
	run(&plan);
	rows = rows_of(&plan);
	/* one round of another state is below 1 % of 107 */
	assert_int_equal(json_array_size(rows), 2);
	assert_int_equal(number(rows, 0, "rounds"), 100);
	assert_int_equal(number(rows, 0, "recorded"), 107);
	assert_true(real(rows, 0, "max-us") == 11);
	excluded = json_object_get(json_array_get(rows, 0), "excluded");
	assert_int_equal(json_object_size(excluded), 7);
	for (enum wake_kind kind = WAKE_COUNTS + 1; kind < WAKE_KINDS; kind++)
		assert_int_equal(
			json_integer_value(json_object_get(excluded, wake_kind_names[kind])), 1);
}

/* Half of the rounds enter C1 where C6 is forced: the hardware or the kernel chose otherwise. */
static void enter_other(const struct wake_job *job, size_t round, struct wake_round *to)
{
	if (job->state == 2 && round % 2 == 0) {
		to->usage[2] = 0;
		to->usage[1] = 1;
	}
}

static void test_other_state(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan("C1,C6");
	_cleanup_json_ json_t *rows = NULL;

	(void)state;
	answer = enter_other;
	run(&plan);
	rows = rows_of(&plan);
	assert_int_equal(json_array_size(rows), 6);
	assert_string_equal(text(rows, 2, "state"), "C1");
	assert_string_equal(text(rows, 2, "requested"), "C6");
	assert_int_equal(number(rows, 2, "gap-us"), 100);
	assert_string_equal(text(rows, 3, "state"), "C6");
	assert_null(text(rows, 3, "requested"));
	assert_int_equal(number(rows, 3, "rounds"), 100);
	assert_true(real(rows, 3, "share-percent") < 51);
}

/* The limit of wake-up latency excludes states; a name that no state has is refused. */
static void test_choice(void **state)
{
	struct wake_plan wrong_plan = { .machine = &machine,
					.cpu = 1,
					.forces = true,
					.gaps_us = gaps,
					.n_gaps = 1,
					.samples = 10 };
	_cleanup_free_ char *wrong = NULL;
	_cleanup_json_ json_t *rows = NULL;

	(void)state;
	fake_files_set(&kernel, "50\n", FILES_CPUS "/cpu1/power/pm_qos_resume_latency_us");
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);
	assert_int_equal(wake_count_states(&plan), 2);
	run(&plan);
	rows = rows_of(&plan);
	assert_int_equal(json_array_size(rows), 5);
	assert_string_equal(text(rows, 4, "state"), "C6");
	assert_string_equal(text(rows, 4, "p50-us-reason"), "latency limit 50 us");
	assert_int_equal(wake_plan_open(&wrong_plan, "C1,C7", &wrong), -ENOENT);
	assert_string_equal(wrong, "C7");
	wake_plan_done(&wrong_plan);
}

/* Without idle states the kernel chooses, and there is one row for each gap. */
static void test_no_states(void **state)
{
	_cleanup_json_ json_t *rows = NULL;

	(void)state;
	fake_files_remove(&kernel, FILES_CPUS "/cpu1/cpuidle");
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);
	assert_false(plan.forces);
	run(&plan);
	rows = rows_of(&plan);
	assert_int_equal(json_array_size(rows), 2);
	assert_string_equal(text(rows, 0, "state"), "no idle states");
	assert_int_equal(number(rows, 0, "rounds"), 100);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "exit-latency-us")));
}

/* Latencies of a state are its exit latency and up to a tenth more. */
static void take_exit_latency(const struct wake_job *job, size_t round, struct wake_round *to)
{
	static const uint64_t exit_us[] = { 0, 2, 100 };

	to->latency_ns = exit_us[job->state] * US * (1000 + round % 100) / 1000 + US;
}

static void test_target(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);
	size_t needed;

	(void)state;
	plan.samples = 1000;
	answer = take_exit_latency;
	run(&plan);
	assert_null(wake_find_deepest(&plan, 0, &needed));
	assert_int_equal(needed, 0);
	assert_string_equal(wake_find_deepest(&plan, 2, &needed)->name, "POLL");
	assert_string_equal(wake_find_deepest(&plan, 50, &needed)->name, "C1");
	assert_string_equal(wake_find_deepest(&plan, 111, &needed)->name, "C6");
	/* whether C6 meets it is unknown then */
	plan.cells[2 * plan.n_gaps].by_state[2].count = 999;
	assert_string_equal(wake_find_deepest(&plan, 111, &needed)->name, "C1");
	assert_int_equal(needed, 1000);
}

static void test_failures(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);
	_cleanup_free_ char *problem = NULL, *refused = NULL;

	(void)state;
	rounds_error = -ECHILD;
	assert_int_equal(wake_run(&plan, NULL, &problem), -ECHILD);
	assert_string_equal(problem, "the measurement ended early");
	fake_files_fail(&kernel, FILES_CPUS "/cpu3/cpuidle/state1/disable", -EPERM);
	assert_int_equal(wake_run(&plan, NULL, &refused), -EPERM);
	assert_string_equal(refused, FILES_CPUS "/cpu3/cpuidle/state1/disable cannot be set");
}

/* /proc/stat in ticks, or the time in idle states in us. */
static void test_busy(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan(NULL);

	(void)state;
	fake_files_set(&kernel, "cpu  1 1\ncpu1 10 0 10 1000 0 0 0 0 0 0\n", "/proc/stat");
	fake_files_set_next(&kernel, "/proc/stat", "cpu  1 1\ncpu1 14 0 12 1090 4 0 0 0 0 0\n");
	wake_look(&plan, 1, NULL);
	assert_true(plan.busy_percent > 5.99 && plan.busy_percent < 6.01);
	fake_files_remove(&kernel, "/proc/stat");
	fake_files_set_next(&kernel, FILES_CPUS "/cpu1/cpuidle/state2/time", "990000\n");
	plan.busy_percent = -1;
	wake_look(&plan, 1, NULL);
	assert_true(plan.busy_percent > 0.99 && plan.busy_percent < 1.01);
}

/* What is counted at the borders of a block, of the sources' figures. */
static void test_take_block(void **state)
{
	static const char window[] =
		"{\"seconds\": 0.5, \"cpus\": [{\"package\": 1, \"smi-count\": 2,"
		" \"stolen-percent\": 0.25, \"core-c1-percent\": 20.0, \"core-c6-percent\": 50.0,"
		" \"core-c7-percent\": 10.0, \"idle-states\": [{\"time-percent\": 1.0},"
		" {\"time-percent\": 90.0}]}], \"packages\": [{\"package\": 0, \"watts\": 5.0},"
		" {\"package\": 1, \"watts\": 7.5}]}";
	static const struct {
		const char *name;
		double happened;
	} vectors[] = {
		{ "C1", 80 },      { "C1E", 80 },  { "C1_ACPI", 80 }, { "C2", 60 },
		{ "C2_ACPI", 60 }, { "C3", 60 },   { "C3_ACPI", 60 }, { "C6", 60 },
		{ "C6P", 60 },     { "C7s", 10 },  { "C8", 10 },      { "C10", 10 },
		{ "POLL", -1 },    { "C0.1", -1 }, { "C0.2", -1 },    { "", -1 },
		{ "IDLE", 60 },
	};
	_cleanup_json_ json_t *object = json_loads(window, 0, NULL);
	_cleanup_run_window_ struct run_window whole = { 0 };
	struct wake_block block;

	(void)state;
	assert_true(window_read(object, &whole));
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct cpuidle_state idle = { .number = 1,
					      .name = (char *)(uintptr_t)vectors[i].name };

		print_message("row %zu\n", i);
		wake_take_block(&whole, &idle, &block);
		assert_true(block.was_run && block.seconds > 0.49 && block.seconds < 0.51);
		assert_true(block.happened_percent == vectors[i].happened);
		assert_true(block.asked_percent == 90 && block.smis == 2);
		assert_true(block.stolen_percent == 0.25 && block.watts == 7.5);
	}
	wake_take_block(&whole, NULL, &block);
	assert_true(block.happened_percent == -1 && block.asked_percent == -1);
}

/* A block of C1 or C6 with that figures. */
static void set_blocks(struct wake_plan *plan, uint32_t state, double happened, double watts)
{
	for (size_t i = 0; i < WAKE_BLOCKS; i++)
		plan->cells[state * plan->n_gaps].blocks[i] = (struct wake_block){
			.was_run = true,
			.seconds = 1,
			.asked_percent = 80,
			.happened_percent = happened,
			.smis = -1,
			.stolen_percent = i == 9 ? 0.5 : 0,
			.watts = watts + (double)(i % 2),
		};
}

/* The last round of each block is late. */
static void be_late(const struct wake_job *job, size_t round, struct wake_round *to)
{
	(void)job;
	if (round % 10 == 9)
		to->latency_ns = 50 * US;
}

/* Demotion, power and outliers are shown where they are known. */
static void test_blocks(void **state)
{
	_cleanup_wake_plan_ struct wake_plan plan = open_plan("C1,C6");
	const struct cpuset isolated = { 0 };
	_cleanup_json_ json_t *rows = NULL;
	const json_t *outliers;

	(void)state;
	answer = be_late;
	run(&plan);
	plan.isolated = &isolated;
	plan.of_package = &machine.topology.online;
	set_blocks(&plan, 1, 60, 100);
	set_blocks(&plan, 2, 90, 100.2);
	plan.cells[plan.n_gaps].blocks[3].smis = 1;
	rows = rows_of(&plan);
	/* C1 and C6 after 100 us are rows 0 and 2; of 1000 us nothing is known */
	assert_true(real(rows, 0, "demoted-percent") == 25);
	assert_true(real(rows, 2, "demoted-percent") == 0);
	assert_string_equal(text(rows, 1, "demoted-percent-reason"),
			    "the core does not count this state");
	assert_true(real(rows, 0, "watts") == 100.5);
	/* 2.262 x 0.527 / sqrt(10) */
	assert_true(real(rows, 0, "watts-low") == 100.12 && real(rows, 0, "watts-high") == 100.88);
	assert_true(json_is_false(json_object_get(json_array_get(rows, 0), "no-gain")));
	assert_true(json_is_true(json_object_get(json_array_get(rows, 2), "no-gain")));
	assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "watts")));
	outliers = json_object_get(json_array_get(rows, 0), "outliers");
	assert_int_equal(json_array_size(outliers), 2);
	assert_int_equal(number(outliers, 0, "block"), 4);
	assert_int_equal(number(outliers, 0, "smi-count"), 1);
	assert_int_equal(number(outliers, 1, "block"), 10);
	assert_true(json_is_null(json_object_get(json_array_get(outliers, 1), "smi-count")));
	assert_true(real(outliers, 1, "stolen-percent") == 0.5);
	assert_true(real(outliers, 1, "max-us") == 50);
	/* what uses less power has a gain */
	set_blocks(&plan, 2, 90, 98);
	json_decref(rows);
	rows = rows_of(&plan);
	assert_true(json_is_false(json_object_get(json_array_get(rows, 2), "no-gain")));
}

/* A program that holds /dev/cpu_dma_latency limits states, too, and the lower limit counts; states
 * are forced on the whole package if it is given. */
static void test_limits(void **state)
{
	struct wake_plan plan = { .machine = &machine,
				  .cpu = 1,
				  .forces = true,
				  .gaps_us = gaps,
				  .n_gaps = 1,
				  .samples = 10,
				  .of_package = &machine.topology.online,
				  .held_latency_us = { true, 60 } };
	_cleanup_json_ json_t *rows = NULL;
	char *wrong = NULL;

	(void)state;
	fake_files_set(&kernel, "70\n", FILES_CPUS "/cpu1/power/pm_qos_resume_latency_us");
	assert_int_equal(wake_plan_open(&plan, NULL, &wrong), 0);
	assert_int_equal(wake_find_limit(&plan), 60);
	assert_int_equal(wake_count_states(&plan), 2);
	assert_int_equal(cpuset_count(&plan.threads), 2);
	assert_int_equal(cpuset_count(&plan.forced), 4);
	rows = rows_of(&plan);
	assert_string_equal(text(rows, 2, "p50-us-reason"), "latency limit 60 us");
	plan.held_latency_us.is_known = false;
	assert_int_equal(wake_find_limit(&plan), 70);
	wake_plan_done(&plan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),    TEST(test_kinds),     TEST(test_other_state),
		TEST(test_choice),   TEST(test_no_states), TEST(test_target),
		TEST(test_failures), TEST(test_busy),      TEST(test_samples),
		TEST(test_blocks),   TEST(test_limits),    TEST(test_take_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
