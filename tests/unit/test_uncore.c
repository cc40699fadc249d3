// SPDX-License-Identifier: GPL-2.0-only
/* Uncore ranges as a plan, in both layouts of directories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "settings/uncore.h"
#include "planned.h"

#define UNCORE "intel_uncore_frequency/"
#define DIE    UNCORE "package_01_die_00/"
#define MIN    "min_freq_khz"
#define MAX    "max_freq_khz"
#define NUMBER FILE_NUMBER

#define GRANITE_RAPIDS "gnr-6776p-2s"

enum { LIMITS = 2 };

static int plan_range(struct planned *planned, const struct uncore_range *range)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	int err = uncore_read_units(planned->machine.host->files, false, &units);

	return err ? err : uncore_plan_range(&planned->plan, &units, 0, range, &(bool){ false });
}

static bool has_unit(const struct planned *planned, const struct uncore_range *range)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	_cleanup_change_list_ struct change_list ignored = { 0 };
	bool has_unit = false;

	(void)uncore_read_units(planned->machine.host->files, false, &units);
	uncore_plan_range(&ignored, &units, 0, range, &has_unit);
	return has_unit;
}

/* The guide's dies go from 800000 to 2400000. */
static void test_legacy(void **test)
{
	static const struct {
		struct uncore_range range;
		const char *old_min;
		const char *old_max;
		struct planned_step steps[LIMITS];
	} vectors[] = {
		{ { 1, 0, 0, 800, 2400 }, "800000", "2400000", { { 0 } } },
		{ { 1, 0, 0, 800, 2200 },
		  "800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MAX, "2200000", "2400000", NUMBER, NULL } } },
		{ { 1, 0, 0, 1000, 2400 },
		  "800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MIN, "1000000", "800000", NUMBER, NULL } } },
		/* up: maximum first; down: minimum first */
		{ { 1, 0, 0, 1600, 2200 },
		  "800000",
		  "1200000",
		  { { PLANNED_FILE, DIE MAX, "2200000", "1200000", NUMBER, NULL },
		    { PLANNED_FILE, DIE MIN, "1600000", "800000", NUMBER, NULL } } },
		{ { 1, 0, 0, 800, 1200 },
		  "1600000",
		  "2200000",
		  { { PLANNED_FILE, DIE MIN, "800000", "1600000", NUMBER, NULL },
		    { PLANNED_FILE, DIE MAX, "1200000", "2200000", NUMBER, NULL } } },
		/* whole steps of 100 MHz: the kernel would cut them too */
		{ { 1, 0, 0, 899, 2199 },
		  "800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MAX, "2100000", "2400000", NUMBER, NULL } } },
		/* one bound is known: the other one stays */
		{ { 1, 0, 0, 0, 2000 },
		  "800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MAX, "2000000", "2400000", NUMBER, NULL } } },
		{ { 1, 0, 0, 1000, 0 },
		  "800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MIN, "1000000", "800000", NUMBER, NULL } } },
		/* unless the known one passes it */
		{ { 1, 0, 0, 0, 1600 },
		  "1800000",
		  "2400000",
		  { { PLANNED_FILE, DIE MIN, "1600000", "1800000", NUMBER, NULL },
		    { PLANNED_FILE, DIE MAX, "1600000", "2400000", NUMBER, NULL } } },
		{ { 1, 0, 0, 2000, 0 },
		  "800000",
		  "1600000",
		  { { PLANNED_FILE, DIE MIN, "1600000", "800000", NUMBER, NULL } } },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct sysfs_step before[] = {
			{ DIE MIN, vectors[i].old_min, 0, vectors[i].old_min },
			{ DIE MAX, vectors[i].old_max, 0, vectors[i].old_max },
		};
		struct planned planned;
		size_t count = 0;

		planned_open(&planned, "guide", NULL);
		sysfs_machine_run(&planned.simulated, before, ARRAY_SIZE(before));
		assert_int_equal(plan_range(&planned, &vectors[i].range), 0);
		while (count < LIMITS && vectors[i].steps[count].path)
			count++;
		planned_assert(&planned, vectors[i].steps, count);
		planned_run(&planned, 0, NULL);
		planned_renew(&planned);
		assert_int_equal(plan_range(&planned, &vectors[i].range), 0);
		planned_assert(&planned, NULL, 0);
		planned_close(&planned);
	}
}

/* The directories are numbered by domain, package by package; the die means nothing. */
static void test_tpmi(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, UNCORE "uncore01/" MAX, "2000000", "2200000", NUMBER, NULL },
		{ PLANNED_FILE, UNCORE "uncore01/" MIN, "1000000", "800000", NUMBER, NULL },
	};
	const struct uncore_range range = {
		.package = 0,
		.die = 7,
		.power_domain = 1,
		.min_mhz = 1000,
		.max_mhz = 2000,
	};
	const struct change *step;
	struct planned planned;

	(void)test;
	planned_open(&planned, GRANITE_RAPIDS, NULL);
	assert_int_equal(plan_range(&planned, &range), 0);
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	step = planned.plan.changes;
	assert_int_equal(step->location.package, 0);
	assert_int_equal(step->location.die, 7);
	assert_int_equal(step->location.cpu, LOCATION_NO_CPU);
	planned_run(&planned, 0, NULL);
	planned_renew(&planned);
	assert_int_equal(plan_range(&planned, &range), 0);
	planned_assert(&planned, NULL, 0);
	planned_close(&planned);
}

/* Every package and domain finds a directory of its own. */
static void test_tpmi_domains(void **test)
{
	struct planned planned;
	char **names = NULL;
	size_t n_clusters = 0, n_found = 0;

	(void)test;
	planned_open(&planned, GRANITE_RAPIDS, NULL);
	assert_int_equal(files_list(planned.host.files,
				    "/sys/devices/system/cpu/intel_uncore_frequency", &names),
			 0);
	for (size_t i = 0; names[i]; i++)
		n_clusters += strncmp(names[i], "uncore", 6) == 0;
	files_free_names(&names);
	for (uint32_t i = 0; i < 2 * 16; i++) {
		const struct uncore_range range = {
			.package = i / 16,
			.power_domain = i % 16,
			.min_mhz = 800,
			.max_mhz = 1500,
		};
		int err = plan_range(&planned, &range);

		assert_true(!err || err == -ENOENT);
		n_found += !err;
	}
	assert_true(n_clusters > 2);
	assert_int_equal(n_found, n_clusters);
	assert_int_equal(planned_count(&planned), n_clusters);
	planned_close(&planned);
}

static void test_nothing_to_do(void **test)
{
	static const struct {
		const char *platform;
		struct uncore_range range;
		int err;
	} vectors[] = {
		{ "guide", { 2, 0, 0, 800, 2000 }, -ENOENT },
		{ "guide", { 0, 1, 0, 800, 2000 }, -ENOENT },
		{ "guide", { 0, 0, 0, 0, 0 }, -ENOENT }, /* no bound is known */
		{ "guide", { 0, 0, 0, 800, 99 }, -ENOENT },
		{ "guide", { 0, 0, 0, 2000, 1900 }, -EINVAL },
		{ GRANITE_RAPIDS, { 2, 0, 0, 800, 2000 }, -ENOENT },
		{ GRANITE_RAPIDS, { 0, 0, 15, 800, 2000 }, -ENOENT },
	};
	struct planned planned;

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		planned_open(&planned, vectors[i].platform, NULL);
		assert_int_equal(plan_range(&planned, &vectors[i].range), vectors[i].err);
		planned_assert(&planned, NULL, 0);
		planned_close(&planned);
	}
}

/* A machine without the driver. */
static void test_has_directory(void **test)
{
	static const struct {
		const char *platform;
		struct uncore_range range;
		bool has;
	} vectors[] = {
		{ "guide", { 1, 0, 0, 0, 0 }, true },
		{ "guide", { 2, 0, 0, 0, 0 }, false },
		{ GRANITE_RAPIDS, { 1, 0, 4, 0, 0 }, true },
		{ GRANITE_RAPIDS, { 1, 0, 15, 0, 0 }, false },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct planned planned;

		planned_open(&planned, vectors[i].platform, NULL);
		assert_int_equal(has_unit(&planned, &vectors[i].range), vectors[i].has);
		planned_close(&planned);
	}
}

static void test_no_driver(void **test)
{
	const struct uncore_range range = { .min_mhz = 800, .max_mhz = 2000 };
	struct sysfs_machine simulated;
	struct planned planned;

	(void)test;
	sysfs_machine_load(&simulated, "guide");
	simulated.platform->uncore = SIM_UNCORE_NONE;
	sysfs_machine_start(&simulated, NULL);
	planned_open_files(&planned, simulated.files);
	planned.simulated = simulated;
	assert_int_equal(plan_range(&planned, &range), -ENOENT);
	assert_false(has_unit(&planned, &range));
	planned_assert(&planned, NULL, 0);
	planned_close(&planned);
}

static void test_failures(void **test)
{
	static const struct {
		const char *at;
		const char *file; /* below the uncore directory; a star matches no slash */
		const char *error;
		int plan_err;
		int run_err;
	} vectors[] = {
		{ "read", "*/package_id", "EACCES", -EACCES, 0 },
		{ "read", "*/domain_id", "EIO", -EIO, 0 },
		{ "read", "uncore01/min_freq_khz", "ENXIO", -ENXIO, 0 },
		{ "read", "uncore01/max_freq_khz", "ENXIO", -ENXIO, 0 },
		{ "write", "uncore01/max_freq_khz", "EPERM", 0, -EPERM },
		{ "write", "uncore01/min_freq_khz", "EINVAL", 0, -EINVAL },
	};
	const struct uncore_range range = { .power_domain = 1, .min_mhz = 1000, .max_mhz = 2000 };
	static const struct sysfs_step after[] = {
		{ UNCORE "uncore01/" MIN, NULL, 0, "800000" },
		{ UNCORE "uncore01/" MAX, NULL, 0, "2200000" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *faults = NULL;
		struct planned planned;

		assert_true(asprintf(&faults,
				     "{\"orders\": [{\"at\": \"%s\", \"path\": "
				     "\"/sys/devices/system/cpu/" UNCORE
				     "%s\", \"error\": \"%s\"}]}",
				     vectors[i].at, vectors[i].file, vectors[i].error) > 0);
		planned_open(&planned, GRANITE_RAPIDS, faults);
		assert_int_equal(plan_range(&planned, &range), vectors[i].plan_err);
		assert_int_equal(planned_count(&planned), vectors[i].plan_err ? 0 : 2);
		planned_run(&planned, vectors[i].run_err, NULL);
		if (!vectors[i].plan_err)
			sysfs_machine_run(&planned.simulated, after, ARRAY_SIZE(after));
		planned_close(&planned);
	}
}

/* The registers of a die whose CPUs are all offline are out of reach. */
static void test_offline_die(void **test)
{
	const struct uncore_range range = { .package = 1, .min_mhz = 800, .max_mhz = 2000 };
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	cpuset_foreach (cpu, &planned.machine.topology.online) {
		char path[32];
		const struct sysfs_step step = { path, "0", 0, NULL };

		snprintf(path, sizeof(path), "cpu%u/online", cpu);
		if (planned.machine.topology.places[cpu].package == 1)
			sysfs_machine_run(&planned.simulated, &step, 1);
	}
	assert_int_equal(plan_range(&planned, &range), -ENXIO);
	planned_assert(&planned, NULL, 0);
	planned_close(&planned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_legacy),       cmocka_unit_test(test_tpmi),
		cmocka_unit_test(test_tpmi_domains), cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_no_driver),    cmocka_unit_test(test_failures),
		cmocka_unit_test(test_offline_die),  cmocka_unit_test(test_has_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
