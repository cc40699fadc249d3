// SPDX-License-Identifier: GPL-2.0-only
/* Power limits and energy of packages by the names of zones, and the core types of hybrid machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/core_types.h"
#include "instruments/powercap.h"

static void set_limit(struct fake_files *fake, const char *zone, int number, const char *name,
		      const char *uw)
{
	fake_files_set(fake, name, POWERCAP "/%s/constraint_%d_name", zone, number);
	fake_files_set(fake, uw, POWERCAP "/%s/constraint_%d_power_limit_uw", zone, number);
}

static void test_none(void **state)
{
	struct power_zones zones = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(power_zones_read(&fake.files, false, &zones), -ENOENT);
	fake_files_set(&fake, "psys\n", POWERCAP "/intel-rapl:0/name");
	assert_int_equal(power_zones_read(&fake.files, false, &zones), -ENOENT);
	assert_null(zones.list);
	fake_files_done(&fake);
}

/* The numbers are not those of the packages; a part of a zone and a second interface to the same
 * limits are no zones of packages, and constraints have names. */
static void test_names(void **state)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "package-10\n", POWERCAP "/intel-rapl:0/name");
	set_limit(&fake, "intel-rapl:0", 0, "short_term\n", "300000000\n");
	set_limit(&fake, "intel-rapl:0", 1, "long_term\n", "250500000\n");
	set_limit(&fake, "intel-rapl:0", 2, "peak_power\n", "400000000\n");
	fake_files_set(&fake, "0\n", POWERCAP "/intel-rapl:0/enabled");
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:0:0/name");
	fake_files_set(&fake, "psys\n", POWERCAP "/intel-rapl:1/name");
	fake_files_set(&fake, "package-2\n", POWERCAP "/intel-rapl:2/name");
	fake_files_set(&fake, "package-0\n", POWERCAP "/intel-rapl-mmio:0/name");
	assert_int_equal(power_zones_read(&fake.files, false, &zones), 0);
	assert_int_equal(zones.count, 2);
	assert_string_equal(zones.list[0].name, "package-2");
	assert_false(zones.list[0].enabled.is_known);
	assert_true(zones.list[0].constraints[POWER_LONG_TERM].limit_uw == 0);
	assert_string_equal(zones.list[1].name, "package-10");
	assert_true(zones.list[1].constraints[POWER_LONG_TERM].limit_uw == 250500000);
	assert_true(zones.list[1].constraints[POWER_SHORT_TERM].limit_uw == 300000000);
	assert_true(zones.list[1].constraints[POWER_PEAK].limit_uw == 400000000);
	assert_true(zones.list[1].enabled.is_known);
	assert_int_equal(zones.list[1].enabled.value, 0);
	fake_files_done(&fake);
}

/* All zones, with what else is known of their limits. Where TPMI has a zone, that of MSRs is the
 * other one, as MMIO always is. */
static void test_details(void **state)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	const struct power_zone *zone;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "psys\n", POWERCAP "/intel-rapl:0/name");
	fake_files_set(&fake, "package-0-die-1\n", POWERCAP "/intel-rapl:1/name");
	set_limit(&fake, "intel-rapl:1", 1, "long_term\n", "250500000\n");
	fake_files_set(&fake, "27983872\n", POWERCAP "/intel-rapl:1/constraint_1_time_window_us");
	fake_files_set(&fake, "350000000\n", POWERCAP "/intel-rapl:1/constraint_1_max_power_uw");
	set_limit(&fake, "intel-rapl:1", 0, "short_term\n", "garbled\n");
	fake_files_set(&fake, "0\n", POWERCAP "/intel-rapl:1/constraint_0_max_power_uw");
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:1:0/name");
	fake_files_set(&fake, "package-0-die-1\n", POWERCAP "/intel-rapl-mmio:0/name");
	fake_files_set(&fake, "package-3\n", POWERCAP "/intel-rapl:2/name");
	fake_files_set(&fake, "package-3\n", POWERCAP "/intel-rapl-tpmi:0/name");
	assert_int_equal(power_zones_read(&fake.files, true, &zones), 0);
	assert_int_equal(zones.count, 6);
	zone = power_zones_find(&zones, POWER_PACKAGE, NULL);
	assert_string_equal(zone->zone, "intel-rapl:1");
	assert_true(zone->has_die && zone->die == 1 && zone->package == 0);
	assert_true(zone->constraints[POWER_LONG_TERM].window_us == 27983872);
	assert_true(zone->constraints[POWER_LONG_TERM].max_uw == 350000000);
	assert_true(zone->constraints[POWER_LONG_TERM].min_uw == 0);
	assert_true(zone->constraints[POWER_SHORT_TERM].exists);
	assert_int_equal(zone->constraints[POWER_SHORT_TERM].error, -EINVAL);
	assert_true(zone->constraints[POWER_SHORT_TERM].max_uw == 0);
	assert_false(zone->constraints[POWER_PEAK].exists);
	assert_string_equal(power_zones_find(&zones, POWER_DRAM, zone)->zone, "intel-rapl:1:0");
	assert_string_equal(power_zones_find(&zones, POWER_PSYS, NULL)->zone, "intel-rapl:0");
	assert_true(zones.list[1].is_other); /* beside package-0-die-1 */
	assert_string_equal(zones.list[1].zone, "intel-rapl-mmio:0");
	assert_string_equal(zones.list[2].zone, "intel-rapl-tpmi:0");
	assert_false(zones.list[2].is_other);
	assert_true(zones.list[3].is_other);
	fake_files_done(&fake);
}

/* What cannot be read is told apart from what is missing, and takes no other zone away. */
static void test_unread(void **state)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	const struct power_zone *zone;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "package-0\n", POWERCAP "/intel-rapl:0/name");
	fake_files_fail(&fake, POWERCAP "/intel-rapl:0/constraint_0_name", -EIO);
	set_limit(&fake, "intel-rapl:0", 1, "short_term\n", "300000000\n");
	fake_files_fail(&fake, POWERCAP "/intel-rapl:0/constraint_1_time_window_us", -EACCES);
	set_limit(&fake, "intel-rapl:0", 2, "peak_power\n", "400000000\n");
	fake_files_fail(&fake, POWERCAP "/intel-rapl:0/constraint_2_time_window_us", -ENODATA);
	fake_files_fail(&fake, POWERCAP "/intel-rapl:0/enabled", -EACCES);
	fake_files_fail(&fake, POWERCAP "/intel-rapl:1/name", -EACCES);
	fake_files_fail(&fake, POWERCAP "/intel-rapl:2/name", -EIO);
	assert_int_equal(power_zones_read(&fake.files, true, &zones), -EACCES);
	assert_string_equal(zones.unread, POWERCAP "/intel-rapl:1/name");
	assert_int_equal(zones.count, 1);
	zone = &zones.list[0];
	assert_int_equal(zone->limits_error, -EIO);
	assert_int_equal(zone->enabled_error, -EACCES);
	assert_int_equal(zone->constraints[POWER_SHORT_TERM].window_error, -EACCES);
	assert_int_equal(zone->constraints[POWER_PEAK].window_error, 0);
	fake_files_done(&fake);
}

/* Two control types for one package are not added; parts are of the package of their zone. */
static void test_counters(void **state)
{
	static const struct power_counter expected[] = {
		{ NULL, POWER_PSYS, POWER_NO_PACKAGE, 5, 0 },
		{ NULL, POWER_PACKAGE, 10, 262143328849, 262143328850 },
		{ NULL, POWER_DRAM, 10, 17, 65712999613 },
	};
	static const char *const zones[] = { "intel-rapl:0", "intel-rapl:1", "intel-rapl:1:1" };
	_cleanup_power_counters_ struct power_counters counters = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(power_counters_read(&fake.files, &counters), -ENOENT);
	fake_files_set(&fake, "psys\n", POWERCAP "/intel-rapl:0/name");
	fake_files_set(&fake, "5\n", POWERCAP "/intel-rapl:0/energy_uj");
	fake_files_set(&fake, "package-10\n", POWERCAP "/intel-rapl:1/name");
	fake_files_set(&fake, "262143328849\n", POWERCAP "/intel-rapl:1/energy_uj");
	fake_files_set(&fake, "262143328850\n", POWERCAP "/intel-rapl:1/max_energy_range_uj");
	fake_files_set(&fake, "core\n", POWERCAP "/intel-rapl:1:0/name");
	fake_files_set(&fake, "1\n", POWERCAP "/intel-rapl:1:0/energy_uj");
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:1:1/name");
	fake_files_set(&fake, "17\n", POWERCAP "/intel-rapl:1:1/energy_uj");
	fake_files_set(&fake, "65712999613\n", POWERCAP "/intel-rapl:1:1/max_energy_range_uj");
	/* limits alone, as in a virtual machine */
	fake_files_set(&fake, "package-2\n", POWERCAP "/intel-rapl:2/name");
	fake_files_set(&fake, "package-10\n", POWERCAP "/intel-rapl-mmio:0/name");
	fake_files_set(&fake, "99\n", POWERCAP "/intel-rapl-mmio:0/energy_uj");
	assert_int_equal(power_counters_read(&fake.files, &counters), 0);
	assert_int_equal(counters.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < counters.count; i++) {
		const struct power_counter *counter = &counters.list[i];

		assert_string_equal(counter->zone, zones[i]);
		assert_int_equal(counter->kind, expected[i].kind);
		assert_int_equal(counter->package, expected[i].package);
		assert_true(counter->energy_uj == expected[i].energy_uj);
		assert_true(counter->range_uj == expected[i].range_uj);
	}
	power_counters_done(&counters);
	fake_files_set(&fake, "garbled\n", POWERCAP "/intel-rapl:1/energy_uj");
	assert_int_equal(power_counters_read(&fake.files, &counters), -EINVAL);
	assert_null(counters.list);
	fake_files_done(&fake);
}

/* Zones of one control type, with those whose names say nothing. */
static void test_places(void **state)
{
	static const struct {
		const char *zone;
		bool is_part;
		int error;
		enum power_domain_kind kind;
		uint32_t package;
	} expected[] = {
		{ "intel-rapl:0", false, 0, POWER_PACKAGE, 1 },
		{ "intel-rapl:0:0", true, 0, POWER_DRAM, 1 },
		{ "intel-rapl:0:1", true, -EINVAL, POWER_PACKAGE, 0 },
		{ "intel-rapl:2", false, -EIO, POWER_PACKAGE, 0 },
	};
	_cleanup_power_zones_ struct power_zones places = { 0 }, other = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(power_zones_list(&fake.files, POWER_RAPL, &places), -ENOENT);
	fake_files_set(&fake, "package-1-die-0\n", POWERCAP "/intel-rapl:0/name");
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:0:0/name");
	fake_files_set(&fake, "\n", POWERCAP "/intel-rapl:0:1/name");
	fake_files_set(&fake, "package-1x\n", POWERCAP "/intel-rapl:1/name");
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:1:0/name");
	fake_files_set(&fake, "package-2\n", POWERCAP "/intel-rapl:2/name");
	fake_files_fail(&fake, POWERCAP "/intel-rapl:2/name", -EIO);
	fake_files_set(&fake, "dram\n", POWERCAP "/intel-rapl:2:0/name");
	fake_files_set(&fake, "package-0\n", POWERCAP "/intel-rapl-mmio:0/name");
	assert_int_equal(power_zones_list(&fake.files, POWER_RAPL, &places), 0);
	assert_int_equal(places.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < places.count; i++) {
		const struct power_zone *place = &places.list[i];

		print_message("row %zu\n", i);
		assert_string_equal(place->zone, expected[i].zone);
		assert_int_equal(place->is_part, expected[i].is_part);
		assert_int_equal(place->error, expected[i].error);
		if (!place->error) {
			assert_int_equal(place->kind, expected[i].kind);
			assert_int_equal(place->package, expected[i].package);
		}
	}
	assert_int_equal(power_zones_list(&fake.files, POWER_RAPL_MMIO, &other), 0);
	assert_int_equal(other.count, 1);
	assert_string_equal(other.list[0].zone, "intel-rapl-mmio:0");
	fake_files_done(&fake);
}

static void test_core_types(void **state)
{
	_cleanup_core_types_ struct core_types types = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(core_types_read(&fake.files, &types), 0);
	assert_null(core_types_name(&types, 0));
	fake_files_set(&fake, "0-3\n", "/sys/devices/cpu_core/cpus");
	fake_files_set(&fake, "4-7\n", "/sys/devices/cpu_atom/cpus");
	fake_files_set(&fake, "8\n", "/sys/devices/cpu_lowpower/cpus");
	assert_int_equal(core_types_read(&fake.files, &types), 0);
	assert_string_equal(core_types_name(&types, 3), "performance");
	assert_string_equal(core_types_name(&types, 4), "efficient");
	assert_string_equal(core_types_name(&types, 8), "low-power");
	assert_null(core_types_name(&types, 9));
	fake_files_done(&fake);
}

static void test_core_types_nonsense(void **state)
{
	_cleanup_core_types_ struct core_types types = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "all\n", "/sys/devices/cpu_atom/cpus");
	assert_int_equal(core_types_read(&fake.files, &types), -EINVAL);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),       cmocka_unit_test(test_names),
		cmocka_unit_test(test_details),    cmocka_unit_test(test_unread),
		cmocka_unit_test(test_counters),   cmocka_unit_test(test_places),
		cmocka_unit_test(test_core_types), cmocka_unit_test(test_core_types_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
