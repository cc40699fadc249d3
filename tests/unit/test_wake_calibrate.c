// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel's table of idle states should have, of rounds and watts that are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "measure/results.h"

enum { STATES = 3, GAPS = 2, ROUNDS = 600 };

static char names[STATES][8] = { "POLL", "C1", "C6" };
static const uint32_t gaps[GAPS] = { 200, 50 };

struct bench {
	struct cpuidle_state states[STATES];
	struct wake_cell cells[STATES * GAPS];
	uint64_t latencies[STATES * GAPS][ROUNDS];
	struct cpuset package;
	struct wake_plan plan;
	struct texts texts;
	struct wake_cpu cpu;
};

/* The rounds of a state and gap take 1 ns to ROUNDS ns more than so many; all blocks have the same
 * power, but for a little. */
static void fill(struct bench *bench, uint32_t state, size_t gap, uint64_t ns, double watts)
{
	struct wake_cell *cell = &bench->cells[state * GAPS + gap];

	for (size_t i = 0; i < ROUNDS; i++)
		bench->latencies[state * GAPS + gap][i] = ns + ROUNDS - i;
	cell->by_state[state] = (struct wake_samples){
		.latencies_ns = bench->latencies[state * GAPS + gap],
		.count = ROUNDS,
	};
	for (size_t i = 0; i < WAKE_BLOCKS; i++)
		cell->blocks[i] = (struct wake_block){ .was_run = watts > 0,
						       .watts = watts + (double)(i % 2) / 10 };
}

static struct bench *make(void)
{
	static struct bench bench;

	memset(&bench, 0, sizeof(bench));
	bench.states[0] = (struct cpuidle_state){ .name = names[0] };
	bench.states[1] = (struct cpuidle_state){
		.name = names[1], .number = 1, .latency_us = 1, .residency_us = 1
	};
	bench.states[2] = (struct cpuidle_state){
		.name = names[2], .number = 2, .latency_us = 170, .residency_us = 600
	};
	bench.plan = (struct wake_plan){
		.forces = true,
		.gaps_us = gaps,
		.n_gaps = GAPS,
		.of_package = &bench.package,
		.idle = { .states = bench.states, .n_states = STATES },
		.is_measured = { true, true, true },
		.cells = bench.cells,
	};
	for (size_t gap = 0; gap < GAPS; gap++) {
		fill(&bench, 0, gap, 2000, 100);
		fill(&bench, 1, gap, 3000, 60);
	}
	fill(&bench, 2, 0, 250000, 40); /* after 200 us it saves power, after 50 it does not */
	fill(&bench, 2, 1, 260000, 60);
	return &bench;
}

static void done(struct bench *bench)
{
	json_free_fields(wake_cpu_fields, &bench->cpu);
	texts_done(&bench->texts);
}

/* p99 of 1200 latencies is the 1188th: of C6 those after 50 us are the larger half, whose 588th is
 * 260,588 ns. */
static void test_table(void **state)
{
	struct bench *bench = make();

	(void)state;
	assert_int_equal(wake_calibrate(&bench->plan, &bench->texts, &bench->cpu), 0);
	assert_int_equal(bench->cpu.n_calibration, 2);
	assert_string_equal(bench->cpu.calibration[0].state, "C1");
	assert_true(bench->cpu.calibration[0].exit_us.value == 4);
	assert_true(bench->cpu.calibration[0].break_even_us.value == 50);
	assert_true(bench->cpu.calibration[1].exit_us.value == 261);
	assert_true(bench->cpu.calibration[1].break_even_us.value == 200);
	assert_true(bench->cpu.calibration[1].kernel_residency_us.value == 600);
	/* no sleep that is shorter than waking up */
	assert_string_equal(bench->cpu.idle_table, "intel_idle.table=C1:4:50,C6:261:261");
	done(bench);
}

static void test_unknown(void **state)
{
	struct bench *bench = make();

	(void)state;
	bench->plan.of_package = NULL;
	bench->plan.is_measured[1] = false;
	bench->cells[2 * GAPS].by_state[2].count = 0;
	bench->cells[2 * GAPS + 1].by_state[2].count = 500; /* 5 rounds above p99 */
	assert_int_equal(wake_calibrate(&bench->plan, &bench->texts, &bench->cpu), 0);
	assert_int_equal(bench->cpu.n_calibration, 1);
	assert_false(figure_is_known(&bench->cpu.calibration[0].exit_us));
	assert_string_equal(figure_why(&bench->cpu.calibration[0].exit_us),
			    "500 rounds are too few");
	assert_string_equal(figure_why(&bench->cpu.calibration[0].break_even_us),
			    "only --allow-all measures the power of a state");
	assert_null(bench->cpu.idle_table);
	done(bench);
	bench = make();
	for (size_t gap = 0; gap < GAPS; gap++)
		fill(bench, 2, gap, 250000, 0);
	bench->plan.is_measured[0] = bench->plan.is_measured[1] = true;
	assert_int_equal(wake_calibrate(&bench->plan, &bench->texts, &bench->cpu), 0);
	assert_string_equal(figure_why(&bench->cpu.calibration[1].break_even_us),
			    "the power of the package is unknown");
	done(bench);
	bench = make();
	bench->plan.is_measured[0] = false;
	for (size_t gap = 0; gap < GAPS; gap++)
		fill(bench, 2, gap, 250000, 60);
	assert_int_equal(wake_calibrate(&bench->plan, &bench->texts, &bench->cpu), 0);
	assert_string_equal(figure_why(&bench->cpu.calibration[0].break_even_us),
			    "no shallower state was measured");
	assert_string_equal(figure_why(&bench->cpu.calibration[1].break_even_us),
			    "with no gap it uses less power than the shallower one");
	done(bench);
}

static void test_kernels(void **state)
{
	(void)state;
	assert_null(wake_find_table_reason("intel_idle", "7.0.1"));
	assert_string_equal(wake_find_table_reason("intel_idle", "6.18.5"),
			    "Linux 7.0 and later accept it");
	assert_string_equal(wake_find_table_reason("acpi_idle", "7.0"),
			    "only the idle driver intel_idle accepts a table");
	assert_non_null(wake_find_table_reason(NULL, "7.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
