// SPDX-License-Identifier: GPL-2.0-only
/* The virtual clock of a simulated machine, by what measuring uses: loads, events of PMUs, files.
 * What the counters show is what the model gives in the present settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "instruments/perf.h"
#include "simulated.h"
#include "simulator/power.h"
#include "simulator/clock.h"
#include "simulator/pmu.h"
#include "sysfs_machine.h"

#define SECOND 1000000000ULL

struct bench {
	struct sysfs_machine machine;
	struct workload *workload;
	struct perf *perf;
};

static void start(struct bench *bench, const char *faults)
{
	sysfs_machine_start(&bench->machine, faults);
	assert_return_code(
		clock_open(bench->machine.state, bench->machine.faults, &bench->workload), 0);
	assert_return_code(pmu_open(bench->machine.state, bench->machine.faults, &bench->perf), 0);
}

static void open_bench(struct bench *bench, const char *platform)
{
	sysfs_machine_load(&bench->machine, platform);
	start(bench, NULL);
}

static void close_bench(struct bench *bench)
{
	clock_close(bench->workload);
	pmu_close(bench->perf);
	sysfs_machine_close(&bench->machine);
}

static void load(struct bench *bench, enum load_kind kind, const char *list)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	uint32_t cpu;

	assert_return_code(cpulist_parse(list, &cpus), 0);
	assert_return_code(bench->workload->ops->start_load(bench->workload, kind, &cpus, &cpu), 0);
}

static void wait_for(struct bench *bench, uint64_t ns)
{
	assert_false(bench->workload->ops->wait_ns(bench->workload, ns, NULL));
}

static uint64_t read_number(struct bench *bench, const char *path)
{
	_cleanup_free_ char *text = sysfs_machine_read(&bench->machine, path);
	uint64_t number;

	assert_return_code(number_parse_file(text, &number), 0);
	return number;
}

/* Settings of Speed Select in every power domain. */
static void set_all(struct bench *bench, uint8_t base_freq, uint8_t turbo_freq, uint8_t clos,
		    uint8_t ordered)
{
	struct sim_state *state = bench->machine.state;

	for (size_t i = 0; i < state->platform->n_domains; i++) {
		struct punit_state *punit = &state->punits[i];

		punit->base_freq_on = base_freq;
		punit->turbo_freq_on = turbo_freq;
		punit->cp_enabled = punit->clos_enabled = clos;
		punit->clos_ordered = ordered;
		state->packages[i].turbo_ratio_limit = turbo_freq ? UINT64_MAX : 0x1f1f1f1f1f1f1f20;
	}
}

/* Puts cores of package 0 below `first_low` into CLOS 0, and the others into CLOS 3. */
static void set_clos(struct bench *bench, size_t first_low, size_t end, uint8_t minimum,
		     uint8_t weight)
{
	struct punit_state *punit = &bench->machine.state->punits[0];

	for (size_t core = 0; core < end; core++)
		punit->association[core] = core < first_low ? 0 : 3;
	punit->clos[3] = 0xffU << 16 | (uint32_t)minimum << 8 | (uint32_t)weight << 4;
}

struct expectation {
	uint64_t power_mw; /* of package 0 */
	uint32_t mhz[14]; /* of CPUs 0 to 13; 0: idle */
};

/* Measures for a second, as commands do. */
static void assert_measured(struct bench *bench, const char *what,
			    const struct expectation *expected)
{
	struct files *files = bench->machine.files;
	struct perf_event tsc, aperf, mperf, energy;
	struct perf_counts counts;
	int power, leaders[14];

	assert_return_code(perf_find_event(files, "msr", "tsc", &tsc), 0);
	assert_return_code(perf_find_event(files, "msr", "aperf", &aperf), 0);
	assert_return_code(perf_find_event(files, "msr", "mperf", &mperf), 0);
	assert_return_code(perf_find_event(files, "power", "energy-pkg", &energy), 0);
	power = perf_open_cpu(bench->perf, &energy, 0, -1);
	assert_return_code(power, 0);
	for (uint32_t cpu = 0; cpu < ARRAY_SIZE(leaders); cpu++) {
		leaders[cpu] = perf_open_cpu(bench->perf, &tsc, cpu, -1);
		assert_return_code(leaders[cpu], 0);
		assert_return_code(perf_open_cpu(bench->perf, &aperf, cpu, leaders[cpu]), 0);
		assert_return_code(perf_open_cpu(bench->perf, &mperf, cpu, leaders[cpu]), 0);
	}
	wait_for(bench, SECOND);
	assert_return_code(perf_read_group(bench->perf, power, 1, &counts), 0);
	assert_int_equal(counts.enabled_ns, SECOND);
	if ((uint64_t)((double)counts.values[0] * energy.scale * 1000 + 0.001) !=
	    expected->power_mw)
		fail_msg("%s: %f W", what, (double)counts.values[0] * energy.scale);
	for (uint32_t cpu = 0; cpu < ARRAY_SIZE(leaders); cpu++) {
		uint64_t mhz = 0;

		assert_return_code(perf_read_group(bench->perf, leaders[cpu], 3, &counts), 0);
		assert_int_equal(counts.values[0], 2600 * (SECOND / 1000));
		if (counts.values[2])
			mhz = (2600 * counts.values[1] + counts.values[2] / 2) / counts.values[2];
		if (mhz != expected->mhz[cpu])
			fail_msg("%s: CPU %u has %llu MHz", what, cpu, (unsigned long long)mhz);
	}
	bench->workload->ops->stop_loads(bench->workload);
}

#define ALL(mhz)                                                                     \
	{                                                                            \
		mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz, mhz \
	}

/* The experiments of the kernel's guide, and sharing under the power limit. */
static void test_experiments(void **test)
{
	struct bench bench = { 0 };
	struct sim_state *state;

	(void)test;
	open_bench(&bench, "guide");
	state = bench.machine.state;
	state->machine->no_turbo = 1;
	assert_measured(&bench, "idle", &(struct expectation){ 61500, { 0 } });
	load(&bench, LOAD_SCALAR, "0-13");
	assert_measured(&bench, "scalar, turbo off", &(struct expectation){ 140425, ALL(2600) });
	state->punits[0].current_level = 4;
	load(&bench, LOAD_SCALAR, "0-3,5,7-11");
	assert_measured(&bench, "level 4",
			&(struct expectation){ 143560,
					       { 2800, 2800, 2800, 2800, 0, 2800, 0, 2800, 2800,
						 2800, 2800, 2800, 0, 0 } });
	state->punits[0].current_level = 0;
	set_all(&bench, 1, 0, 0, 0);
	load(&bench, LOAD_TDP, "0-13");
	assert_measured(&bench, "SST-BF",
			&(struct expectation){ 205102,
					       { 2400, 2400, 2400, 2400, 2400, 3000, 3000, 2400,
						 3000, 2400, 2400, 2400, 2400, 3000 } });
	state->machine->no_turbo = 0;
	set_all(&bench, 0, 0, 0, 0);
	load(&bench, LOAD_SCALAR, "0-13");
	assert_measured(&bench, "scalar, turbo on", &(struct expectation){ 195276, ALL(3100) });
	load(&bench, LOAD_SCALAR, "28-41"); /* their siblings */
	assert_measured(&bench, "siblings", &(struct expectation){ 195276, { 0 } });
	state->cpus[0].scaling_max_khz = 2000000; /* not of its sibling */
	state->cpus[1].scaling_max_khz = 2000000;
	load(&bench, LOAD_SCALAR, "0-1,28");
	assert_measured(&bench, "limits of threads",
			&(struct expectation){ 74576, { 3200, 2000 } });
	state->cpus[0].scaling_max_khz = state->cpus[1].scaling_max_khz = 3200000;
	load(&bench, LOAD_AVX512, "0-13");
	assert_measured(&bench, "avx512",
			&(struct expectation){ 206564,
					       { 2000, 1900, 1900, 1900, 1900, 1900, 1900, 1900,
						 1900, 1900, 1900, 1900, 1900, 1900 } });
	set_all(&bench, 0, 0, 1, 1);
	set_clos(&bench, 4, 14, 0, 0);
	load(&bench, LOAD_AVX512, "0-13");
	assert_measured(&bench, "ordered",
			&(struct expectation){ 206941,
					       { 2700, 2700, 2700, 2700, 1300, 1300, 1300, 1200,
						 1200, 1200, 1200, 1200, 1200, 1200 } });
	set_clos(&bench, 4, 14, 15, 0);
	load(&bench, LOAD_AVX512, "0-13");
	assert_measured(&bench, "a minimum",
			&(struct expectation){ 205195,
					       { 2500, 2500, 2500, 2500, 1500, 1500, 1500, 1500,
						 1500, 1500, 1500, 1500, 1500, 1500 } });
	set_all(&bench, 0, 0, 1, 0);
	set_clos(&bench, 4, 14, 0, 8);
	load(&bench, LOAD_AVX512, "0-13");
	assert_measured(&bench, "proportional",
			&(struct expectation){ 205204,
					       { 2400, 2400, 2400, 2400, 1600, 1600, 1600, 1600,
						 1600, 1600, 1600, 1600, 1600, 1600 } });
	set_all(&bench, 0, 1, 1, 1);
	set_clos(&bench, 0, 12, 0, 0);
	state->punits[0].association[12] = state->punits[0].association[13] = 0;
	load(&bench, LOAD_SCALAR, "0-13");
	assert_measured(&bench, "SST-TF",
			&(struct expectation){ 150170,
					       { 2600, 2600, 2600, 2600, 2600, 2600, 2600, 2600,
						 2600, 2600, 2600, 2600, 3200, 3200 } });
	close_bench(&bench);
}

static void test_pipe(void **test)
{
	_cleanup_load_readings_ struct load_readings readings = { 0 };
	struct bench bench = { 0 };
	uint32_t cpu;

	(void)test;
	open_bench(&bench, "guide");
	bench.machine.state->machine->no_turbo = 1;
	assert_int_equal(bench.workload->ops->start_pipe(bench.workload, 3, 3, &cpu), -EBUSY);
	assert_int_equal(bench.workload->ops->start_pipe(bench.workload, 3, 99, &cpu), -EINVAL);
	assert_int_equal(cpu, 99);
	assert_return_code(bench.workload->ops->start_pipe(bench.workload, 3, 4, &cpu), 0);
	assert_int_equal(bench.workload->ops->start_pipe(bench.workload, 5, 4, &cpu), -EBUSY);
	for (size_t i = 0; i < 10; i++)
		wait_for(&bench, SECOND / 10);
	assert_return_code(bench.workload->ops->read_loads(bench.workload, &readings), 0);
	assert_int_equal(readings.count, 2);
	assert_int_equal(readings.now_ns, SECOND);
	assert_int_equal(readings.list[0].cpu, 3);
	assert_int_equal(readings.list[1].cpu, 4);
	assert_int_equal(readings.list[0].cpu_ns, SECOND / 2);
	assert_false(readings.list[0].has_chains);
	/* 6102.923 ns an operation */
	assert_int_equal(readings.list[0].operations, 163855);
	assert_int_equal(readings.list[1].operations, 163855);
	close_bench(&bench);
}

/* The frequency by a load's own chains. */
static void test_chains(void **test)
{
	_cleanup_load_readings_ struct load_readings readings = { 0 };
	struct bench bench = { 0 };

	(void)test;
	open_bench(&bench, "guide");
	load(&bench, LOAD_SCALAR, "0");
	wait_for(&bench, SECOND);
	assert_return_code(bench.workload->ops->read_loads(bench.workload, &readings), 0);
	assert_int_equal(readings.count, 1);
	assert_true(readings.list[0].has_chains);
	assert_int_equal(readings.list[0].cpu_ns, SECOND);
	assert_int_equal(readings.list[0].multiply_ns, SECOND / 2);
	assert_int_equal(readings.list[0].multiply_cycles, 1600000000); /* of 0.5 s */
	assert_int_equal(readings.list[0].add_cycles, 1600000000);
	close_bench(&bench);
}

/* CPUs on which nothing runs take the deepest state that may be entered. */
static void test_idle(void **test)
{
	struct bench bench = { 0 };
	struct sim_state *state;
	struct perf_event c6, package_c6;
	struct perf_counts counts;
	int core, package;

	(void)test;
	open_bench(&bench, "guide");
	state = bench.machine.state;
	assert_return_code(perf_find_event(bench.machine.files, "cstate_core", "c6-residency", &c6),
			   0);
	assert_return_code(
		perf_find_event(bench.machine.files, "cstate_pkg", "c6-residency", &package_c6), 0);
	core = perf_open_cpu(bench.perf, &c6, 1, -1);
	package = perf_open_cpu(bench.perf, &package_c6, 14, -1);
	assert_return_code(core, 0);
	assert_return_code(package, 0);
	wait_for(&bench, SECOND);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state3/usage"),
			 250);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state3/time"),
			 1000000);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state2/usage"),
			 0);
	assert_return_code(perf_read_group(bench.perf, core, 1, &counts), 0);
	assert_int_equal(counts.values[0], 2600000000);
	assert_return_code(perf_read_group(bench.perf, package, 1, &counts), 0);
	assert_int_equal(counts.values[0], 2600000000);
	state->cpus[1].idle_disabled = 1 << 3;
	state->cpus[15].resume_latency_us = 3; /* of package 1 */
	wait_for(&bench, SECOND + 3000000);
	wait_for(&bench, 1000000);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state2/usage"),
			 251);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu15/cpuidle/state1/time"),
			 1004000);
	assert_return_code(perf_read_group(bench.perf, core, 1, &counts), 0);
	assert_int_equal(counts.values[0], 2600000000);
	assert_return_code(perf_read_group(bench.perf, package, 1, &counts), 0);
	assert_int_equal(counts.values[0], 2600000000);
	close_bench(&bench);
}

static int open_named(struct bench *bench, const char *pmu, const char *name, uint32_t cpu)
{
	struct perf_event event;
	int handle;

	assert_return_code(perf_find_event(bench->machine.files, pmu, name, &event), 0);
	handle = perf_open_cpu(bench->perf, &event, cpu, -1);
	assert_return_code(handle, 0);
	return handle;
}

static uint64_t read_event(struct bench *bench, int handle)
{
	struct perf_counts counts;

	assert_return_code(perf_read_group(bench->perf, handle, 1, &counts), 0);
	return counts.values[0];
}

/* A core that polls has the clocks of a busy one: 3200 MHz of 2600, and its part of the power; what
 * it has not is time in C1 or C6. The kernel counts the time as idle. */
static void test_spinning(void **test)
{
	struct bench bench = { 0 };
	int mperf, aperf, c1, c6, package_c6, energy;

	(void)test;
	open_bench(&bench, "guide");
	bench.machine.state->cpus[1].idle_disabled = ~1U;
	mperf = open_named(&bench, "msr", "mperf", 1);
	aperf = open_named(&bench, "msr", "aperf", 1);
	c1 = open_named(&bench, "cstate_core", "c1-residency", 1);
	c6 = open_named(&bench, "cstate_core", "c6-residency", 1);
	package_c6 = open_named(&bench, "cstate_pkg", "c6-residency", 0);
	energy = open_named(&bench, "power", "energy-pkg", 0);
	wait_for(&bench, SECOND);
	assert_int_equal(read_event(&bench, mperf), 2600000000);
	assert_int_equal(read_event(&bench, aperf), 3200000000);
	assert_int_equal(read_event(&bench, c1), 0);
	assert_int_equal(read_event(&bench, c6), 0);
	assert_int_equal(read_event(&bench, package_c6), 0);
	/* 65.704 J (test_firmware.c) in units of 2^-32 J */
	assert_int_equal(read_event(&bench, energy), (65704000ULL << 32) / 1000000);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state0/time"),
			 1000000);
	assert_int_equal(bench.machine.state->cpu_counters[29].busy, 0); /* its sibling sleeps */
	close_bench(&bench);
}

/* In which counter of a core the time in an idle state of a name is. */
static void test_state_names(void **test)
{
	static const struct {
		const char *name;
		bool is_c1;
		bool is_spinning;
	} names[] = {
		{ "C1", true, false },       { "C1E", true, false },   { "C1_ACPI", true, false },
		{ "C2", false, false },      { "C3", false, false },   { "C2_ACPI", false, false },
		{ "C3_ACPI", false, false }, { "C6", false, false },   { "C6S", false, false },
		{ "C6SP", false, false },    { "C7s", false, false },  { "C8", false, false },
		{ "C10", false, false },     { "S0i3", false, false }, { "C0.2", false, true },
		{ "C0.1", false, true },     { "POLL", false, true },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bench bench = { 0 };
		int c1, c6;

		sysfs_machine_load(&bench.machine, "guide");
		bench.machine.platform->idle_states[3].name = names[i].name;
		start(&bench, NULL);
		c1 = open_named(&bench, "cstate_core", "c1-residency", 1);
		c6 = open_named(&bench, "cstate_core", "c6-residency", 1);
		wait_for(&bench, SECOND);
		if (read_event(&bench, c1) != (names[i].is_c1 ? 2600000000 : 0) ||
		    read_event(&bench, c6) !=
			    (names[i].is_c1 || names[i].is_spinning ? 0 : 2600000000))
			fail_msg("%s", names[i].name);
		close_bench(&bench);
	}
}

/* Rounds of sleeping and waking advance the clock, and the counters of the state that is entered.
 */
static void test_rounds(void **test)
{
	struct wake_round rounds[50], again[50];
	struct wake_job job = {
		.cpu = 13,
		.gap_ns = 1000000,
		.state = 3,
		.states = 4,
		.unrecorded = 5,
		.wanted = 50,
		.most = 50,
	};
	struct bench bench = { 0 };
	size_t count;
	uint64_t total_ns = 0;

	(void)test;
	open_bench(&bench, "guide");
	assert_return_code(
		bench.workload->ops->wake_rounds(bench.workload, &job, NULL, rounds, &count), 0);
	assert_int_equal(count, 50);
	for (size_t i = 0; i < count; i++) {
		assert_true(wake_round_counts(&job, &rounds[i]));
		total_ns += rounds[i].latency_ns;
	}
	assert_in_range(total_ns / count, 172000, 400000);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu13/cpuidle/state3/usage"),
			 55);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu13/cpuidle/state3/time"),
			 55000);
	assert_true(bench.workload->ops->now_ns(bench.workload) > 55 * 1172000);
	assert_return_code(
		bench.workload->ops->wake_rounds(bench.workload, &job, NULL, again, &count), 0);
	assert_memory_equal(rounds, again, sizeof(rounds));
	/* too short for C6, which is the state that was asked for */
	job.gap_ns = 100000;
	assert_return_code(
		bench.workload->ops->wake_rounds(bench.workload, &job, NULL, again, &count), 0);
	assert_int_equal(count, 50);
	assert_int_equal(again[0].usage[2], 1);
	assert_false(wake_round_counts(&job, &again[0]));
	close_bench(&bench);
}

/* Many short steps count as much as a long one. */
static void test_remainders(void **test)
{
	struct bench bench = { 0 };

	(void)test;
	open_bench(&bench, "guide");
	load(&bench, LOAD_SCALAR, "0");
	for (size_t i = 0; i < 100; i++)
		wait_for(&bench, 1000001);
	assert_int_equal(bench.machine.state->clock->now_ns, 100000100);
	assert_int_equal(bench.machine.state->package_counters[1].energy_uj, 6150006);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state3/usage"),
			 25);
	assert_int_equal(read_number(&bench, "/sys/devices/system/cpu/cpu1/cpuidle/state3/time"),
			 100000);
	close_bench(&bench);
}

/* What the clock counts stays with the machine; what runs on it ends with the process. */
static void test_state_is_kept(void **test)
{
	struct bench bench = { 0 };
	struct sim_state *state = NULL;
	char *message = NULL;

	(void)test;
	open_bench(&bench, "guide");
	load(&bench, LOAD_SCALAR, "0-13");
	wait_for(&bench, SECOND);
	assert_return_code(state_open(bench.machine.platform, bench.machine.directory, false,
				      &state, &message),
			   0);
	assert_int_equal(state->clock->now_ns, SECOND);
	assert_int_equal(state->package_counters[0].energy_uj, 195276000);
	assert_int_equal(state->package_counters[1].energy_uj, 61500000);
	assert_int_equal(state->cpu_counters[0].busy, SECOND * 100);
	assert_int_equal(state->cpu_counters[0].limits, SIM_LIMITED_BY_TURBO);
	assert_null(state->loads);
	state_close(state);
	state = NULL;
	assert_return_code(state_open(bench.machine.platform, bench.machine.directory, true, &state,
				      &message),
			   0);
	assert_int_equal(state->clock->now_ns, 0);
	state_close(state);
	assert_int_equal(bench.workload->ops->now_ns(bench.workload), 0);
	close_bench(&bench);
}

/* Limits that do not bind. */
static void add_powercap(struct sim_platform *platform)
{
	platform->has_powercap = true;
	platform->long_term_w = platform->short_term_w = 1000;
	assert_true(sim_power_make(platform));
}

/* Energy, temperature and limit reasons of a TPMI machine with powercap. */
static void test_files(void **test)
{
	_cleanup_free_ char *status = NULL, *io = NULL;
	struct bench bench = { 0 };
	uint64_t idle_uj;

	(void)test;
	sysfs_machine_load(&bench.machine, "gnr-6776p-2s");
	add_powercap(bench.machine.platform);
	start(&bench, NULL);
	wait_for(&bench, SECOND);
	idle_uj = read_number(&bench, "/sys/class/powercap/intel-rapl:0/energy_uj");
	assert_int_equal(idle_uj, 90000000); /* 30 percent of 300 W */
	assert_int_equal(read_number(&bench, "/sys/class/powercap/intel-rapl:1/energy_uj"),
			 2 * idle_uj); /* psys */
	assert_int_equal(read_number(&bench, "/sys/class/powercap/intel-rapl:2/energy_uj"),
			 idle_uj);
	assert_int_equal(read_number(&bench, "/sys/class/hwmon/hwmon0/temp1_input"), 56500);
	load(&bench, LOAD_AVX512, "0-63");
	wait_for(&bench, SECOND);
	assert_in_range(read_number(&bench, "/sys/class/powercap/intel-rapl:0/energy_uj"),
			idle_uj + 290000000, idle_uj + 303000000);
	assert_in_range(read_number(&bench, "/sys/class/hwmon/hwmon0/temp1_input"), 93000, 96000);
	assert_int_equal(read_number(&bench, "/sys/class/hwmon/hwmon1/temp1_input"), 56500);
	status = sysfs_machine_read(&bench.machine,
				    "/sys/kernel/debug/tpmi-0000:01:03.1/plr/domain0/status");
	assert_string_equal(strtok(status, "\n"), "cpus none");
	assert_string_equal(strtok(NULL, "\n"), "cpu64 none");
	free(status);
	status = sysfs_machine_read(&bench.machine,
				    "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status");
	assert_string_equal(strtok(status, "\n"), "cpus POWER");
	assert_string_equal(strtok(NULL, "\n"), "cpu0 FREQUENCY_PCS_TRL POWER_PKG_PL1_MSR_TPMI");
	free(status);
	/* they stay until somebody writes 0, and nothing else */
	wait_for(&bench, SECOND);
	assert_int_equal(files_write(bench.machine.files,
				     "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status", "1"),
			 -EINVAL);
	assert_int_equal(files_write(bench.machine.files,
				     "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status", "0"),
			 0);
	status = sysfs_machine_read(&bench.machine,
				    "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status");
	assert_string_equal(strtok(status, "\n"), "cpus none");
	assert_string_equal(strtok(NULL, "\n"), "cpu0 none");
	io = sysfs_machine_read(&bench.machine,
				"/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain3/status");
	assert_string_equal(io, "cpus none\n");
	close_bench(&bench);
}

static void test_throttling(void **test)
{
	struct bench bench = { 0 };

	(void)test;
	sysfs_machine_load(&bench.machine, "guide");
	start(&bench, "{ \"throttled\": \"1,14\" }");
	load(&bench, LOAD_SCALAR, "0-1");
	wait_for(&bench, SECOND);
	assert_int_equal(
		read_number(&bench,
			    "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count"),
		10);
	assert_int_equal(
		read_number(
			&bench,
			"/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_total_time_ms"),
		100);
	assert_int_equal(
		read_number(&bench,
			    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"),
		0);
	assert_int_equal(
		read_number(&bench,
			    "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"),
		10);
	assert_int_equal(
		read_number(
			&bench,
			"/sys/devices/system/cpu/cpu14/thermal_throttle/package_throttle_count"),
		0);
	close_bench(&bench);
}

static int open_event(struct bench *bench, struct perf_event_attr attr, pid_t pid, int cpu,
		      int group)
{
	attr.size = sizeof(attr);
	return bench->perf->ops->open(bench->perf, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel's errors. */
static void test_errors(void **test)
{
	const struct perf_event_attr tsc = { .type = SIM_PMU_MSR };
	struct perf_event_attr attr = tsc;
	struct bench bench = { 0 };
	uint64_t word[3];
	int leader, other;

	(void)test;
	open_bench(&bench, "guide");
	bench.machine.state->cpus[5].online = 0;
	leader = open_event(&bench, tsc, -1, 0, -1);
	other = open_event(&bench, tsc, -1, 0, leader);
	assert_true(leader >= 0 && other >= 0);
	assert_int_equal(open_event(&bench, tsc, -1, -1, -1), -EINVAL);
	assert_int_equal(open_event(&bench, tsc, -1, 5, -1), -ENODEV);
	assert_int_equal(open_event(&bench, tsc, -1, 99, -1), -ENODEV);
	assert_int_equal(open_event(&bench, tsc, 1, 0, -1), -ESRCH);
	assert_int_equal(open_event(&bench, tsc, -1, 0, 99), -EBADF);
	assert_int_equal(open_event(&bench, tsc, -1, 1, leader), -EINVAL);
	assert_int_equal(open_event(&bench, tsc, -1, 0, other), -EINVAL);
	attr.config = 99;
	assert_int_equal(open_event(&bench, attr, -1, 0, -1), -EINVAL);
	attr = tsc;
	attr.exclude_kernel = 1;
	assert_int_equal(open_event(&bench, attr, -1, 0, -1), -EINVAL);
	attr = tsc;
	attr.type = 999;
	assert_int_equal(open_event(&bench, attr, -1, 0, -1), -ENOENT);
	assert_int_equal(bench.perf->ops->read(bench.perf, leader, word, 4), -ENOSPC);
	assert_int_equal(bench.perf->ops->read(bench.perf, leader, word, sizeof(word)), 8);
	bench.perf->ops->close(bench.perf, leader);
	assert_int_equal(bench.perf->ops->read(bench.perf, leader, word, sizeof(word)), -EBADF);
	close_bench(&bench);
}

/* Opens three events of CPU 0, the first one the leader, whose read gives the number of each. */
static void open_group(struct bench *bench, int handles[3])
{
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;

	for (size_t i = 0; i < 3; i++) {
		handles[i] = open_event(bench,
					(struct perf_event_attr){ .type = SIM_PMU_MSR,
								  .read_format = format },
					-1, 0, i ? handles[0] : -1);
		assert_true(handles[i] >= 0);
	}
}

/* A group has its own open members in the order of opening, also when handles are used again. */
static void test_groups(void **test)
{
	struct bench bench = { 0 };
	int first[3], second[3], again[3];
	uint64_t words[7];

	(void)test;
	open_bench(&bench, "guide");
	open_group(&bench, first);
	open_group(&bench, second);
	for (size_t i = 0; i < 3; i++)
		assert_true(first[i] < second[0]);
	assert_int_equal(bench.perf->ops->read(bench.perf, second[0], words, sizeof(words)), 56);
	assert_int_equal(words[0], 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(words[2 * i + 2], second[i] + 1);
	bench.perf->ops->close(bench.perf, second[1]);
	assert_int_equal(bench.perf->ops->read(bench.perf, second[0], words, sizeof(words)), 40);
	assert_int_equal(words[0], 2);
	assert_int_equal(words[4], second[2] + 1);
	bench.perf->ops->close(bench.perf, second[0]);
	bench.perf->ops->close(bench.perf, second[2]);
	for (size_t i = 0; i < 3; i++)
		bench.perf->ops->close(bench.perf, first[i]);
	open_group(&bench, again);
	assert_int_equal(again[0], 0);
	assert_int_equal(bench.perf->ops->read(bench.perf, again[0], words, sizeof(words)), 56);
	assert_int_equal(words[0], 3);
	close_bench(&bench);
}

/* Energy counts on one CPU of each package; elsewhere it opens and reads 0. */
static void test_power_elsewhere(void **test)
{
	const struct perf_event_attr energy = { .type = SIM_PMU_POWER,
						.config = SIM_EVENT_ENERGY_PKG };
	struct bench bench = { 0 };
	uint64_t count = 1;
	int handle;

	(void)test;
	open_bench(&bench, "guide");
	sysfs_machine_run(
		&bench.machine,
		&(struct sysfs_step){ .path = "/sys/bus/event_source/devices/power/cpumask",
				      .read = "0,14" },
		1);
	handle = open_event(&bench, energy, -1, 1, -1);
	assert_true(handle >= 0);
	wait_for(&bench, SECOND);
	assert_int_equal(bench.perf->ops->read(bench.perf, handle, &count, sizeof(count)), 8);
	assert_int_equal(count, 0);
	close_bench(&bench);
}

/* Without the capability, by the kernel's setting; and with faults. */
static void test_rights(void **test)
{
	const struct perf_event_attr tsc = { .type = SIM_PMU_MSR };
	struct bench bench = { 0 };

	(void)test;
	sysfs_machine_load(&bench.machine, "guide");
	start(&bench, "{ \"missing_capability\": true }");
	assert_int_equal(open_event(&bench, tsc, -1, 0, -1), -EACCES);
	assert_int_equal(read_number(&bench, "/proc/sys/kernel/perf_event_paranoid"), 2);
	bench.machine.platform->sources.perf_event_paranoid = 0;
	assert_true(open_event(&bench, tsc, -1, 0, -1) >= 0);
	close_bench(&bench);
	memset(&bench, 0, sizeof(bench));
	sysfs_machine_load(&bench.machine, "guide");
	start(&bench, "{ \"orders\": [ { \"at\": \"perf\", \"cpu\": 1, \"error\": \"EBUSY\" } ] }");
	assert_int_equal(open_event(&bench, tsc, -1, 1, -1), -EBUSY);
	assert_true(open_event(&bench, tsc, -1, 0, -1) >= 0);
	close_bench(&bench);
}

/* Each source can be missing. */
static void test_missing(void **test)
{
	static const char *const paths[] = {
		"/sys/bus/event_source/devices/msr/type",
		"/sys/bus/event_source/devices/power/type",
		"/sys/bus/event_source/devices/cstate_core/type",
		"/sys/bus/event_source/devices/cstate_pkg/type",
		"/sys/bus/event_source/devices/cpu/type",
		"/sys/class/hwmon/hwmon0/temp1_input",
		"/sys/class/powercap/intel-rapl:0/energy_uj",
		"/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
		"/sys/devices/system/cpu/intel_uncore_frequency/uncore00/current_freq_khz",
		"/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status",
	};
	struct bench bench = { 0 };

	(void)test;
	sysfs_machine_load(&bench.machine, "gnr-6776p-2s");
	add_powercap(bench.machine.platform);
	start(&bench, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_free_ char *text = sysfs_machine_read(&bench.machine, paths[i]);

		assert_non_null(text);
	}
	bench.machine.platform->sources = (struct sim_sources){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		sysfs_machine_run(&bench.machine,
				  &(struct sysfs_step){ .path = paths[i], .err = -ENOENT }, 1);
	close_bench(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_experiments),     cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_chains),          cmocka_unit_test(test_idle),
		cmocka_unit_test(test_spinning),        cmocka_unit_test(test_state_names),
		cmocka_unit_test(test_rounds),          cmocka_unit_test(test_remainders),
		cmocka_unit_test(test_state_is_kept),   cmocka_unit_test(test_files),
		cmocka_unit_test(test_throttling),      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_power_elsewhere), cmocka_unit_test(test_rights),
		cmocka_unit_test(test_missing),         cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
