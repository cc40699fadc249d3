// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq policies that several CPUs share (sysfs.md, "cpufreq policy"): set once, and reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "output/report.h"
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

/* Checks a document that has other limits for CPU 1 than for CPU 0. Returns the status. */
static int check_document(struct fake_machine *machine)
{
	int fd = memfd_create("document", 0), status;
	char command[64];

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "{ \"format\": \"intel-speed-select-state\", \"version\": 1, "
				"\"settings\": ["
				"{ \"for\": \"cpu 0\", \"cpufreq\": { \"max-mhz\": 3000 } },"
				"{ \"for\": \"cpu 1\", \"cpufreq\": { \"max-mhz\": 2000 } }"
				"] }") > 0);
	snprintf(command, sizeof(command), "isst state check /proc/self/fd/%d", fd);
	_cleanup_program_run_ struct program_run run = program_run(machine, command);

	status = run.status;
	if (status == STATUS_USAGE)
		program_assert_holds(run.err, "other CPUs of the same location (");
	close(fd);
	return status;
}

/* One policy cannot have two limits. If each CPU has a directory of its own in cpufreq, each has a
 * policy of its own, and related_cpus is not read. */
static void test_documents(void **state)
{
	struct fake_machine machine;

	(void)state;
	open_sharing(&machine);
	assert_int_equal(check_document(&machine), STATUS_USAGE);
	fake_machine_set_file(&machine, "/sys/devices/system/cpu/cpufreq/policy0/related_cpus",
			      "0 1\n", 0);
	assert_int_equal(check_document(&machine), STATUS_USAGE);
	fake_machine_done(&machine);

	open_sharing(&machine);
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		char path[96];

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpufreq/policy%u/scaling_max_freq", cpu);
		fake_machine_set_file(&machine, path, "3000000\n", 0);
	}
	assert_int_equal(check_document(&machine), STATUS_DIFFERS);
	fake_machine_done(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_once),
		cmocka_unit_test(test_companions),
		cmocka_unit_test(test_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
