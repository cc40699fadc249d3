// SPDX-License-Identifier: GPL-2.0-only
/* Directories of uncore frequencies in both layouts: which count, their order, what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/uncore.h"

#define ROOT "/sys/devices/system/cpu/intel_uncore_frequency/"

static void set_limits(struct fake_files *fake, const char *name)
{
	fake_files_set(fake, "800000\n", ROOT "%s/min_freq_khz", name);
	fake_files_set(fake, "2200000\n", ROOT "%s/max_freq_khz", name);
}

static void set_cluster(struct fake_files *fake, const char *name, const char *const ids[3])
{
	set_limits(fake, name);
	fake_files_set(fake, ids[0], ROOT "%s/package_id", name);
	fake_files_set(fake, ids[1], ROOT "%s/domain_id", name);
	fake_files_set(fake, ids[2], ROOT "%s/fabric_cluster_id", name);
}

static void test_dies(void **state)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	_cleanup_free_ char *unread = NULL;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	set_limits(&fake, "package_10_die_00");
	set_limits(&fake, "package_02_die_01");
	set_limits(&fake, "package_02_die_00");
	set_limits(&fake, "package_xx_die_00");
	set_limits(&fake, "package_03");
	fake_files_fail(&fake, ROOT "package_02_die_01/min_freq_khz", -ENXIO);
	fake_files_set(&fake, "1100000\n", ROOT "package_10_die_00/current_freq_khz");
	fake_files_fail(&fake, ROOT "package_10_die_00/initial_min_freq_khz", -EIO);
	fake_files_set(&fake, "fast\n", ROOT "package_10_die_00/elc_floor_freq_khz");
	fake_files_fail(&fake, ROOT "package_10_die_00/agent_types", -ENODEV);
	assert_int_equal(uncore_read_units(&fake.files, true, &units), 0);
	assert_int_equal(units.count, 3);
	assert_string_equal(units.units[0].name, "package_02_die_00");
	assert_string_equal(units.units[1].name, "package_02_die_01");
	assert_string_equal(units.units[2].name, "package_10_die_00");
	assert_int_equal(units.units[0].error, 0);
	assert_int_equal(units.units[0].max_khz, 2200000);
	assert_int_equal(units.units[0].initial_max_khz.value, 0);
	assert_int_equal(units.units[1].error, -ENXIO);
	assert_int_equal(units.units[2].package, 10);
	assert_int_equal(units.units[2].current_khz.value, 1100000);
	assert_false(units.units[2].is_cluster);
	unread = files_format_unread(&uncore_detail_files, &units.units[2].unread, -EIO);
	assert_string_equal(unread, UNCORE_INITIAL_MIN);
	assert_int_equal(files_find_unread(&uncore_detail_files, &units.units[2].unread,
					   UNCORE_ELC_FLOOR),
			 -EINVAL);
	assert_int_equal(files_next_unread(&units.units[2].unread, -EINVAL), 0);
	assert_int_equal(files_next_unread(&units.units[0].unread, 0), 0);
	uncore_units_cut(&units, 1);
	assert_int_equal(units.count, 1);
	fake_files_done(&fake);
}

static void check_selector(const struct uncore_unit *unit, const char *expected)
{
	_cleanup_free_ char *text = uncore_format_selector(unit);

	assert_string_equal(text, expected);
}

/* Linux before 6.18 counts power domains within each TPMI device of a package. */
static void test_same_domains(void **state)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	set_cluster(&fake, "uncore00", (const char *const[]){ "0", "0", "0" });
	set_cluster(&fake, "uncore01", (const char *const[]){ "0", "1", "0" });
	set_cluster(&fake, "uncore02", (const char *const[]){ "0", "0", "0" });
	set_cluster(&fake, "uncore03", (const char *const[]){ "1", "0", "0" });
	set_cluster(&fake, "uncore04", (const char *const[]){ "1", "0", "1" });
	assert_int_equal(uncore_read_units(&fake.files, false, &units), 0);
	assert_int_equal(units.count, 5);
	for (size_t i = 0; i < 3; i++) {
		assert_true(units.units[i].domain_is_ambiguous);
		assert_false(uncore_is_of_domain(&units.units[i], units.units[i].domain));
	}
	check_selector(&units.units[0], "package-0 uncore-0");
	check_selector(&units.units[1], "package-0 uncore-2");
	check_selector(&units.units[2], "package-0 uncore-1");
	check_selector(&units.units[3], "package-1 powerdomain-0 cluster-0");
	for (size_t i = 3; i < 5; i++) {
		assert_true(uncore_is_of_domain(&units.units[i], 0));
		assert_false(uncore_is_of_domain(&units.units[i], 1));
	}
	fake_files_done(&fake);
}

static void test_clusters(void **state)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	set_limits(&fake, "package_00_die_00");
	set_cluster(&fake, "uncore00", (const char *const[]){ "1", "0", "0" });
	set_cluster(&fake, "uncore01", (const char *const[]){ "0", "2", "1" });
	set_cluster(&fake, "uncore02", (const char *const[]){ "0", "2", "0" });
	fake_files_set(&fake, "3\n", ROOT "uncore00/die_id");
	fake_files_set(&fake, "core cache\n", ROOT "uncore00/agent_types");
	fake_files_set(&fake, "2\n", ROOT "uncore00/instance_id");
	fake_files_set(&fake, "10\n", ROOT "uncore00/elc_low_threshold_percent");
	fake_files_set(&fake, "\033[2J90\n", ROOT "uncore00/elc_high_threshold_percent");
	fake_files_set(&fake, "4294967296\n", ROOT "uncore00/elc_high_threshold_enable");
	fake_files_set(&fake, "\033[2J\n", ROOT "uncore00/current_freq_khz");
	fake_files_fail(&fake, ROOT "uncore00/elc_floor_freq_khz", -ENODATA);
	assert_int_equal(uncore_read_units(&fake.files, true, &units), 0);
	assert_int_equal(units.count, 3);
	assert_string_equal(units.units[0].name, "uncore02");
	assert_string_equal(units.units[1].name, "uncore01");
	assert_string_equal(units.units[2].name, "uncore00");
	assert_true(units.units[0].is_cluster);
	assert_false(units.units[0].has_die);
	assert_true(units.units[2].has_die);
	assert_int_equal(units.units[2].die, 3);
	assert_true(units.units[2].elc_low_percent.is_known);
	assert_int_equal(units.units[2].elc_low_percent.value, 10);
	assert_false(units.units[2].elc_high_percent.is_known);
	assert_false(units.units[2].elc_high_enabled.is_known);
	assert_false(units.units[2].elc_floor_khz.is_known);
	assert_int_equal(units.units[2].current_khz.value, 0);
	assert_string_equal(units.units[2].agent_types, "core cache");
	assert_true(units.units[2].instance_id.is_known);
	assert_int_equal(units.units[2].instance_id.value, 2);
	assert_null(units.units[0].agent_types);
	assert_false(units.units[0].instance_id.is_known);
	fake_files_done(&fake);
}

static void test_failures(void **state)
{
	struct uncore_units units = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(uncore_read_units(&fake.files, true, &units), -ENOENT);
	set_limits(&fake, "other");
	assert_int_equal(uncore_read_units(&fake.files, true, &units), -ENOENT);
	set_cluster(&fake, "uncore00", (const char *const[]){ "1", "0", "0" });
	fake_files_fail(&fake, ROOT "uncore00/package_id", -EACCES);
	assert_int_equal(uncore_read_units(&fake.files, true, &units), -EACCES);
	assert_null(units.units);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dies),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_same_domains),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
