// SPDX-License-Identifier: GPL-2.0-only
/* Whole command lines on a fake machine with CPUs that are offline, with and without a CPU map, and
 * with cores that the driver does not tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/run_directory.h"
#include "host/topology.h"
#include "host/machine.h"
#include "program_run.h"

/* Stores the map of a machine all of whose CPUs are online, in a new directory; without the core of
 * one CPU, if there is one of that number. */
static char *store_map_without_core(struct fake_machine *machine, uint32_t without)
{
	char *directory = strdup("./isst-test-XXXXXX");
	_cleanup_free_ char *message = NULL;
	struct machine *opened = NULL;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(machine_open(&machine->host, &opened, &message), 0);
	cpuset_foreach (cpu, &opened->topology.placed) {
		opened->topology.places[cpu].physical_cpu = fake_machine_physical(machine, cpu);
		opened->topology.places[cpu].has_physical_cpu = cpu != without;
	}
	assert_int_equal(cpu_map_write(&machine->files, directory, &opened->topology), 0);
	machine_close(&opened);
	machine->host.run_directory = directory;
	return directory;
}

static char *store_map(struct fake_machine *machine)
{
	return store_map_without_core(machine, CPUSET_NONE);
}

static void remove_map(char *directory)
{
	_cleanup_free_ char *path = NULL;

	assert_true(asprintf(&path, "%s/cpu-map.json", directory) > 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	free(directory);
}

/* CPU 3 is offline: it is counted and listed if a map has its place. */
static void offline_cpu(void **state)
{
	struct fake_machine machine;
	char *directory;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	directory = store_map(&machine);
	cpuset_remove(&machine.online, 3);
	_cleanup_program_run_ struct program_run with =
		program_run(&machine, "intel-speed-select perf-profile info -l 0");

	machine.host.run_directory = "/proc/nonexistent";
	_cleanup_program_run_ struct program_run without =
		program_run(&machine, "intel-speed-select perf-profile info -l 0");

	assert_int_equal(with.status, 0);
	program_assert_lacks(with.err, "Information");
	assert_int_equal(program_run_count(with.err, "        cpu-count:4\n"), 2);
	program_assert_holds(with.err, "enable-cpu-list:2,3,6,7\n");
	assert_int_equal(without.status, 0);
	program_assert_holds(without.err, "CPUs 3 are offline, and no map of this boot has ");
	program_assert_holds(without.err, "        cpu-count:3\n");
	program_assert_holds(without.err, "enable-cpu-list:2,6,7\n");
	remove_map(directory);
	fake_machine_done(&machine);
}

/* CPU 3 goes offline by hand after a command that only reads: it is counted and listed. The next
 * one takes no lock. */
static void offline_after_reading(void **state)
{
	char *directory = strdup("./isst-test-XXXXXX");
	_cleanup_free_ char *holder = NULL, *path = NULL;
	struct lock *lock = NULL;
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	assert_non_null(mkdtemp(directory));
	machine.host.run_directory = directory;
	_cleanup_program_run_ struct program_run first =
		program_run(&machine, "intel-speed-select perf-profile get-config-levels");
	cpuset_remove(&machine.online, 3);
	assert_int_equal(lock_take(directory, 0, NULL, &lock, &holder), 0);
	_cleanup_program_run_ struct program_run second =
		program_run(&machine, "intel-speed-select perf-profile info -l 0");

	assert_int_equal(first.status, 0);
	assert_int_equal(second.status, 0);
	program_assert_lacks(second.err, "Information");
	assert_int_equal(program_run_count(second.err, "        cpu-count:4\n"), 2);
	program_assert_holds(second.err, "enable-cpu-list:2,3,6,7\n");
	lock_release(&lock);
	assert_true(asprintf(&path, "%s/lock", directory) > 0);
	assert_int_equal(unlink(path), 0);
	remove_map(directory);
	fake_machine_done(&machine);
}

/* All CPUs of package 1 are offline: with a map it is known and named, without one it is not
 * there. */
static void offline_package(void **state)
{
	static const uint32_t cpus[] = { 2, 3, 6, 7 };
	struct fake_machine machine;
	char *directory;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	directory = store_map(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		cpuset_remove(&machine.online, cpus[i]);
	_cleanup_program_run_ struct program_run with =
		program_run(&machine, "intel-speed-select perf-profile get-config-levels");
	_cleanup_program_run_ struct program_run json =
		program_run(&machine, "intel-speed-select -f json perf-profile get-config-levels");

	assert_int_equal(with.status, 0);
	program_assert_holds(with.err,
			     "all CPUs of package-1 die-0 are offline: it is not shown; ");
	program_assert_lacks(with.err, " package-1\n");
	program_assert_holds(json.err, "\"Information:0\"");
	json_decref(program_run_json(json.err));
	/* An offline CPU is never asked for its core: the driver's answer may be of another. */
	assert_int_equal(record_log_entries(&machine.log, ISST_IF_GET_PHY_ID), 4);
	remove_map(directory);
	fake_machine_done(&machine);
}

static void unknown_cores(void **state)
{
	const struct fake_rule unknown = { .request = ISST_IF_GET_PHY_ID,
					   .package = FAKE_PACKAGE(1),
					   .answer = UINT32_MAX };
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, &unknown);
	_cleanup_program_run_ struct program_run level =
		program_run(&machine, "intel-speed-select perf-profile info -l 0");
	_cleanup_program_run_ struct program_run assoc =
		program_run(&machine, "intel-speed-select -c 2 core-power get-assoc");

	assert_int_equal(level.status, 1);
	program_assert_holds(level.err,
			     "Error: package-1 die-0 cpu-2: CPUs 2-3,6-7 are missing from lists: ");
	program_assert_lacks(level.err, "enable-cpu-list:none\n");
	program_assert_lacks(level.err, " package-1\n");
	program_assert_holds(level.err, "enable-cpu-list:0,1,4,5\n");
	assert_int_equal(assoc.status, 1);
	program_assert_holds(assoc.err, "Error: package-1 die-0 cpu-2: association to a CLOS: ");
	fake_machine_done(&machine);
}

/* One CPU whose core is refused is missing from lists; the reason decides the exit status. */
static void refused_core(void **state)
{
	const struct fake_rule refused = { .request = ISST_IF_GET_PHY_ID,
					   .package = FAKE_PACKAGE(1),
					   .error = -EPERM };
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, &refused);
	_cleanup_program_run_ struct program_run both =
		program_run(&machine, "intel-speed-select base-freq info -l 0");
	_cleanup_program_run_ struct program_run one =
		program_run(&machine, "intel-speed-select -c 2 base-freq info -l 0");
	_cleanup_program_run_ struct program_run assoc =
		program_run(&machine, "intel-speed-select -c 2 core-power get-assoc");

	assert_int_equal(both.status, 1);
	program_assert_holds(both.err, " package-0\n");
	assert_int_equal(one.status, 4);
	program_assert_holds(one.err, "not permitted (EPERM)");
	assert_int_equal(assoc.status, 4);
	fake_machine_done(&machine);
}

/* A map entry without a core, of a CPU that is offline. */
static void map_without_core(void **state)
{
	struct fake_machine machine;
	char *directory;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	directory = store_map_without_core(&machine, 3);
	cpuset_remove(&machine.online, 3);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "intel-speed-select perf-profile info -l 0");

	assert_int_equal(run.status, 1);
	program_assert_holds(run.err,
			     "Error: package-1 die-0 cpu-2: CPUs 3 are missing from lists: ");
	program_assert_holds(run.err, "enable-cpu-list:2,6,7\n");
	remove_map(directory);
	fake_machine_done(&machine);
}

/* Every command that runs by domain names the CPUs without a known place. */
static void offline_package_without_map(void **state)
{
	static const uint32_t cpus[] = { 2, 3, 6, 7 };
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		cpuset_remove(&machine.online, cpus[i]);
	_cleanup_program_run_ struct program_run all =
		program_run(&machine, "intel-speed-select perf-profile get-config-levels");
	_cleanup_program_run_ struct program_run one =
		program_run(&machine, "intel-speed-select -c 0 perf-profile get-config-levels");

	assert_int_equal(all.status, 0);
	program_assert_holds(all.err,
			     "Information: CPUs 2-3,6-7 are offline, and no map of this boot ");
	assert_int_equal(one.status, 0);
	program_assert_lacks(one.err, "Information");
	fake_machine_done(&machine);
}

/* Whether SMT is off is read once, and only if CPUs are offline. */
static void smt_is_read_once(void **state)
{
	static const char control[] = "/sys/devices/system/cpu/smt/control";
	static const struct {
		const char *command;
		bool is_offline;
		size_t reads;
	} rows[] = {
		{ "isst perf-profile get-config-levels", false, 0 },
		{ "isst perf-profile get-config-levels", true, 1 },
		{ "isst --dry-run -a perf-profile set-config-level -l 2 -o", false, 0 },
		{ "isst --dry-run -a perf-profile set-config-level -l 2 -o", true, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_machine machine;

		program_open_ice_lake(&machine, NULL);
		fake_machine_set_file(&machine, control, "off\n", 0);
		for (uint32_t cpu = 4; cpu < 8 && rows[i].is_offline; cpu++)
			cpuset_remove(&machine.online, cpu);
		_cleanup_program_run_ struct program_run run =
			program_run(&machine, rows[i].command);

		if (fake_machine_reads_of(&machine, control) != rows[i].reads)
			fail_msg("row %zu, %s: %zu reads\n%s", i, rows[i].command,
				 fake_machine_reads_of(&machine, control), run.err);
		fake_machine_done(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offline_cpu),      cmocka_unit_test(offline_after_reading),
		cmocka_unit_test(offline_package),  cmocka_unit_test(offline_package_without_map),
		cmocka_unit_test(unknown_cores),    cmocka_unit_test(refused_core),
		cmocka_unit_test(map_without_core), cmocka_unit_test(smt_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
