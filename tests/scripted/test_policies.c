// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq policies that several CPUs share (sysfs.md, "cpufreq policy"): set once, and reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/cleanup.h"
#include "program_run.h"

#define SHARING 2 /* CPUs 0 and 1 */

static void set_file(struct fake_machine *machine, uint32_t cpu, const char *name, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, name);
	fake_machine_set_file(machine, path, text, 0);
}

/* An Ice Lake with a driver that has one policy for two CPUs, as acpi-cpufreq can. */
static void open_sharing(struct fake_machine *machine)
{
	static const char *const files[][2] = {
		{ "scaling_driver", "acpi-cpufreq\n" },
		{ "scaling_governor", "ondemand\n" },
		{ "scaling_available_governors", "ondemand performance\n" },
		{ "scaling_min_freq", "800000\n" },
		{ "scaling_max_freq", "3000000\n" },
		{ "cpuinfo_min_freq", "800000\n" },
		{ "cpuinfo_max_freq", "3000000\n" },
		{ "related_cpus", "0 1\n" },
	};

	program_open_ice_lake(machine, NULL);
	for (uint32_t cpu = 0; cpu < SHARING; cpu++) {
		for (size_t i = 0; i < ARRAY_SIZE(files); i++)
			set_file(machine, cpu, files[i][0], files[i][1]);
	}
}

static void test_set_once(void **state)
{
	struct fake_machine machine;

	(void)state;
	open_sharing(&machine);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "isst --dry-run -c 0,1 cpufreq set --max 2000 "
				      "--governor performance");

	assert_int_equal(run.status, 0);
	program_assert_holds(run.out, "cpu0/cpufreq/scaling_max_freq scaling_max_freq: "
				      "3000000 -> 2000000\n");
	program_assert_holds(run.out, "cpu0/cpufreq/scaling_governor scaling_governor: "
				      "ondemand -> performance\n");
	assert_int_equal(program_run_count(run.out, "->"), 2);
	program_assert_lacks(run.err, "share");
	fake_machine_done(&machine);
}

static void test_companions(void **state)
{
	struct fake_machine machine;

	(void)state;
	open_sharing(&machine);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "isst --dry-run -c 1 cpufreq set --max 2000");

	assert_int_equal(run.status, 0);
	assert_int_equal(program_run_count(run.out, "->"), 1);
	program_assert_holds(run.out, "cpu1/cpufreq/scaling_max_freq");
	program_assert_holds(run.err, "CPUs 0 share a cpufreq policy with those that are set: "
				      "governor, energy preference and limits apply to them, "
				      "too\n");
	fake_machine_done(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_once),
		cmocka_unit_test(test_companions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
