// SPDX-License-Identifier: GPL-2.0-only
/* The power zones of simulated machines: rounding, locks, what the kernel does not have, and what a
 * limit does to the work of a package. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "host/powercap.h"
#include "simulator/power.h"
#include "sysfs_machine.h"

#define ZONE "/sys/class/powercap/intel-rapl:0/"

/* Limits in uW and windows in us as registers hold them: calculated apart from the program, by
 * floor(value * 2^n) / 2^n and by the largest (1 + f / 4) * 2^y that is not above the value. */
static void test_rounding(void **state)
{
	static const struct {
		uint32_t bits;
		uint64_t uw, held;
	} limits[] = {
		{ 3, 450100000, 450000000 },     { 3, 205126000, 205125000 },
		{ 0, 205900000, 205000000 },     { 5, 205100000, 205093750 },
		{ 3, 125000, 125000 },           { 3, 124999, 0 },
		{ 3, 99999000000, 16383875000 }, /* 17 bits */
	};
	static const struct {
		uint32_t bits;
		uint64_t us;
		uint32_t held;
	} windows[] = {
		{ 10, 28000000, 27983872 },
		{ 10, 10000000, 9994240 },
		{ 10, 2440, 2440 },
		{ 10, 976, 976 },
		{ 10, 1, 976 },
		{ 0, 5500000, 5000000 },
	};
	struct sim_platform platform = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		platform.power_unit_bits = limits[i].bits;
		assert_int_equal(sim_power_round_uw(&platform, limits[i].uw), limits[i].held);
	}
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
		platform.time_unit_bits = windows[i].bits;
		assert_int_equal(sim_power_round_us(&platform, windows[i].us), windows[i].held);
	}
}

/* What the program takes for the same value, and what it does not. */
static void test_what_counts_as_rounded(void **state)
{
	static const struct {
		uint64_t is, wanted;
		bool is_rounded;
	} limits[] = {
		{ 450000000, 450100000, true },  { 205125000, 205126000, true },
		{ 205000000, 205900000, true },  { 206000000, 205900000, true },
		{ 205093750, 205100000, true },  { 205000000, 206000000, false },
		{ 205500000, 205000000, false }, { 205500000, 206000000, false },
		{ 205125000, 205300000, false }, { 400000000, 450000000, false },
	};
	static const struct {
		uint64_t is, wanted;
		bool is_rounded;
	} windows[] = {
		{ 27983872, 28000000, true }, { 9994240, 10000000, true },
		{ 976, 1000, true },          { 8000000, 9999999, true },
		{ 7000000, 10000000, false }, { 12500000, 10000000, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (power_limit_is_rounded(limits[i].is, limits[i].wanted) != limits[i].is_rounded)
			fail_msg("limit %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++)
		if (power_window_is_rounded(windows[i].is, windows[i].wanted) !=
		    windows[i].is_rounded)
			fail_msg("window %zu", i);
}

static void test_zones(void **state)
{
	static const struct sysfs_step steps[] = {
		{ ZONE "name", .read = "package-0" },
		{ ZONE "constraint_0_name", .read = "long_term" },
		{ ZONE "constraint_0_power_limit_uw", .read = "500000000" },
		{ ZONE "constraint_0_power_limit_uw", .write = "205126000" },
		{ ZONE "constraint_0_power_limit_uw", .read = "205125000" },
		{ ZONE "constraint_0_power_limit_uw", .write = "x", .err = -EINVAL },
		{ ZONE "constraint_1_time_window_us", .write = "5000" },
		{ ZONE "constraint_1_time_window_us", .read = "4880" },
		{ ZONE "constraint_0_max_power_uw", .err = -ENODATA },
		{ ZONE "constraint_0_min_power_uw", .err = -ENOENT },
		{ ZONE "constraint_2_name", .err = -ENOENT },
		{ ZONE "constraint_0_name", .write = "y", .err = -EACCES },
		{ ZONE "enabled", .write = "0" },
		{ ZONE "enabled", .read = "0" },
		{ "/sys/class/powercap/intel-rapl:2/constraint_0_power_limit_uw",
		  .read = "500000000" },
		{ "/sys/class/powercap/intel-rapl:1/name", .read = "psys" },
		{ "/sys/class/powercap/intel-rapl:3/name", .err = -ENOENT },
		{ "/sys/class/powercap/intel-rapl:0:0/name", .err = -ENOENT },
	};

	(void)state;
	sysfs_machine_play("gnr-6980p-2s", steps, ARRAY_SIZE(steps));
}

/* A zone that BIOS has locked reads as if it was off, takes nothing, and limits all the same. */
static void test_locked(void **state)
{
	static const struct sysfs_step steps[] = {
		{ ZONE "enabled", .read = "0" },
		{ ZONE "enabled", .write = "1", .err = -EACCES },
		{ ZONE "constraint_0_power_limit_uw", .write = "1000000", .err = -EACCES },
		{ ZONE "constraint_0_time_window_us", .write = "1000000", .err = -EACCES },
		{ ZONE "constraint_0_power_limit_uw", .read = "500000000" },
		{ ZONE "constraint_0_max_power_uw", .read = "550000000" },
		{ ZONE "constraint_0_min_power_uw", .read = "50000000" },
		{ "/sys/class/powercap/intel-rapl:0:0/name", .read = "dram" },
		{ "/sys/class/powercap/intel-rapl:0:0/constraint_0_power_limit_uw",
		  .read = "40000000" },
		{ "/sys/class/powercap/intel-rapl:0:0/energy_uj", .err = -ENOENT },
		{ "/sys/class/powercap/intel-rapl-mmio:1/name", .read = "package-1" },
	};
	struct sysfs_machine machine;

	(void)state;
	sysfs_machine_load(&machine, "gnr-6980p-2s");
	machine.platform->power_locked = true;
	machine.platform->power_max_w = 550;
	machine.platform->power_min_w = 50;
	machine.platform->dram_w = 40;
	machine.platform->mmio_w = 480;
	free(machine.platform->power_zones);
	machine.platform->power_zones = NULL;
	machine.platform->n_power_zones = 0;
	assert_true(sim_power_make(machine.platform));
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	assert_int_equal(sim_power_limit_mw(machine.state, 0), 480000); /* MMIO is lower */
	sysfs_machine_close(&machine);
}

/* A fault gives a directory other names; the last one has no end of a line. */
static void test_other_names(void **state)
{
	struct sysfs_machine machine;

	(void)state;
	sysfs_machine_load(&machine, "gnr-6980p-2s");
	sysfs_machine_start(&machine, "{\"orders\": [{\"at\": \"read\", \"path\": \"" POWERCAP
				      "\", \"bytes\": \"620a640a61\"}]}");
	sysfs_machine_assert_list(&machine, POWERCAP, "a b d");
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding),    cmocka_unit_test(test_what_counts_as_rounded),
		cmocka_unit_test(test_zones),       cmocka_unit_test(test_locked),
		cmocka_unit_test(test_other_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
