// SPDX-License-Identifier: GPL-2.0-only
/* Writing to the files of idle states, energy bias, wake-up latency, umwait and uncore. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "sysfs_machine.h"

static const struct sysfs_step idle_steps[] = {
	{ "cpu1/cpuidle/state2/disable", "1", 0, "1" },
	{ "cpu1/cpuidle/state2/disable", "256", 0, "1" },
	{ "cpu1/cpuidle/state2/disable", "2", 0, "1" },
	{ "cpu1/cpuidle/state2/disable", "1 ", -EINVAL, "1" },
	{ "cpu1/cpuidle/state2/disable", "-1", -EINVAL, NULL },
	{ "cpu1/cpuidle/state2/disable", "yes", -EINVAL, NULL },
	{ "cpu1/cpuidle/state2/disable", "4294967296", -ERANGE, "1" },
	{ "cpu1/cpuidle/state2/disable", "", 0, "1" },
	{ "cpu1/cpuidle/state1/disable", NULL, 0, "0" },
	{ "cpu2/cpuidle/state2/disable", NULL, 0, "0" },
	/* an offline CPU keeps it */
	{ "cpu1/online", "0", 0, NULL },
	{ "cpu1/cpuidle/state2/disable", NULL, 0, "1" },
	{ "cpu1/cpuidle/state2/disable", "0", 0, "0" },
	{ "cpu1/cpuidle/state2/disable", "1", 0, "1" },
	{ "cpu1/online", "1", 0, NULL },
	{ "cpu1/cpuidle/state2/disable", NULL, 0, "1" },
	{ "cpu1/cpuidle/state2/above", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/below", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/default_status", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/desc", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/latency", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/name", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/rejected", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/residency", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/time", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state2/usage", "1", -EACCES, NULL },
	{ "cpu1/cpuidle/state4/name", NULL, -ENOENT, NULL },
	{ "cpu1/cpuidle/state01/name", NULL, -ENOENT, NULL },
	{ "cpu1/cpuidle", NULL, -EISDIR, NULL },
	{ "cpuidle/current_governor", "teo", 0, "teo" },
	{ "cpuidle/current_governor_ro", NULL, 0, "teo" },
	{ "cpuidle/current_governor", "nonsense", -EINVAL, "teo" },
	{ "cpuidle/current_governor", "ladder", 0, "ladder" },
	{ "cpuidle/current_governor", "menu", 0, "menu" },
	{ "cpuidle/current_governor_ro", "menu", -EACCES, NULL },
	{ "cpuidle/current_driver", "x", -EACCES, NULL },
	{ "cpuidle/available_governors", "x", -EACCES, NULL },
};

static const struct sysfs_step power_steps[] = {
	{ "cpu1/power/energy_perf_bias", "0", 0, "0" },
	{ "cpu1/power/energy_perf_bias", "15", 0, "15" },
	{ "cpu1/power/energy_perf_bias", "16", -EINVAL, "15" },
	{ "cpu1/power/energy_perf_bias", "-1", -EINVAL, NULL },
	{ "cpu1/power/energy_perf_bias", "balance_power", -EINVAL, NULL },
	{ "cpu1/power/energy_perf_bias", "99999999999999999999", -ERANGE, NULL },
	{ "cpu1/power/energy_perf_bias", "", 0, "15" },
	{ "cpu2/power/energy_perf_bias", NULL, 0, "6" },
	/* an offline CPU keeps it and has no such file */
	{ "cpu1/online", "0", 0, NULL },
	{ "cpu1/power/energy_perf_bias", NULL, -ENOENT, NULL },
	{ "cpu1/online", "1", 0, NULL },
	{ "cpu1/power/energy_perf_bias", NULL, 0, "15" },
	{ "cpu1/power/pm_qos_resume_latency_us", "100", 0, "100" },
	{ "cpu1/power/pm_qos_resume_latency_us", "n/a", 0, "n/a" },
	{ "cpu1/power/pm_qos_resume_latency_us", "0", 0, "0" },
	{ "cpu1/power/pm_qos_resume_latency_us", "2147483646", 0, "2147483646" },
	{ "cpu1/power/pm_qos_resume_latency_us", "2147483647", -EINVAL, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", "2147483648", -EINVAL, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", "-1", -EINVAL, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", "N/A", -EINVAL, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", "10us", -EINVAL, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", "ten", -EINVAL, "2147483646" },
	{ "cpu1/online", "0", 0, NULL },
	{ "cpu1/power/pm_qos_resume_latency_us", NULL, 0, "2147483646" },
	{ "cpu1/power/pm_qos_resume_latency_us", "5", 0, "5" },
};

static const struct sysfs_step umwait_steps[] = {
	{ "umwait_control/enable_c02", "0", 0, "0" },
	{ "umwait_control/enable_c02", "1", 0, "1" },
	{ "umwait_control/enable_c02", "2", -EINVAL, "1" },
	{ "umwait_control/max_time", "200000", 0, "200000" },
	{ "umwait_control/max_time", "0", 0, "0" },
	{ "umwait_control/max_time", "100", 0, "100" },
	{ "umwait_control/max_time", "101", -EINVAL, "100" },
	{ "umwait_control/max_time", "102", -EINVAL, NULL },
	{ "umwait_control/max_time", "4294967292", 0, "4294967292" },
	{ "umwait_control/max_time", "4294967296", -ERANGE, NULL },
	{ "umwait_control/max_time", "x", -EINVAL, NULL },
	{ "umwait_control/max_time", "", 0, "4294967292" },
};

static const struct sysfs_step legacy_steps[] = {
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "2000000", 0, "2000000" },
	{ "intel_uncore_frequency/package_00_die_00/current_freq_khz", NULL, 0, "2000000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "1999999", 0, "1900000" },
	/* the minimum may be above the maximum */
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "2300000", 0, "2300000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", NULL, 0, "1900000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "99999", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "0", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "12799999", 0, "12700000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "12800000", -EINVAL,
	  "12700000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "0x100000", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "-1", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "fast", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "4294967296", -ERANGE, NULL },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "99999", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "x", -EINVAL, NULL },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "", 0, "2300000" },
	{ "intel_uncore_frequency/package_00_die_00/initial_min_freq_khz", "1000000", -EACCES,
	  NULL },
	{ "intel_uncore_frequency/package_00_die_00/initial_max_freq_khz", "1000000", -EACCES,
	  NULL },
	{ "intel_uncore_frequency/package_00_die_00/current_freq_khz", "1000000", -EACCES, NULL },
	{ "intel_uncore_frequency/package_00_die_00/initial_max_freq_khz", NULL, 0, "2400000" },
	{ "intel_uncore_frequency/package_00_die_00/initial_min_freq_khz", NULL, 0, "800000" },
	{ "intel_uncore_frequency/package_01_die_00/max_freq_khz", NULL, 0, "2400000" },
};

static const struct sysfs_step tpmi_steps[] = {
	{ "intel_uncore_frequency/uncore00/max_freq_khz", "1550000", 0, "1500000" },
	{ "intel_uncore_frequency/uncore04/max_freq_khz", NULL, 0, "2500000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", NULL, 0, "2500000" },
	{ "intel_uncore_frequency/uncore00/min_freq_khz", "1800000", 0, "1800000" },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", NULL, 0, "800000" },
	/* the files of the package set all its domains */
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "2000000", 0, "2000000" },
	{ "intel_uncore_frequency/uncore00/max_freq_khz", NULL, 0, "2000000" },
	{ "intel_uncore_frequency/uncore04/max_freq_khz", NULL, 0, "2000000" },
	{ "intel_uncore_frequency/uncore05/max_freq_khz", NULL, 0, "2200000" },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "1000000", 0, "1000000" },
	{ "intel_uncore_frequency/uncore00/min_freq_khz", NULL, 0, "1000000" },
	/* and limit what the files of a domain accept */
	{ "intel_uncore_frequency/uncore00/max_freq_khz", "2100000", -EINVAL, "2000000" },
	{ "intel_uncore_frequency/uncore00/max_freq_khz", "2000000", 0, "2000000" },
	{ "intel_uncore_frequency/uncore00/min_freq_khz", "900000", -EINVAL, "1000000" },
	{ "intel_uncore_frequency/uncore00/min_freq_khz", "1100000", 0, "1100000" },
	{ "intel_uncore_frequency/uncore05/max_freq_khz", "2500000", 0, "2500000" },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", "99999", -EINVAL, "2000000" },
	{ "intel_uncore_frequency/package_00_die_00/min_freq_khz", "x", -EINVAL, NULL },
	{ "intel_uncore_frequency/uncore00/min_freq_khz", "12800000", -EINVAL, NULL },
	{ "intel_uncore_frequency/uncore00/domain_id", "1", -EACCES, NULL },
	{ "intel_uncore_frequency/package_00_die_00/initial_max_freq_khz", "1", -EACCES, NULL },
	{ "intel_uncore_frequency/uncore00/initial_max_freq_khz", NULL, 0, "2200000" },
	/* only clusters have efficiency latency control */
	{ "intel_uncore_frequency/uncore00/elc_floor_freq_khz", NULL, 0, "800000" },
	{ "intel_uncore_frequency/uncore00/elc_floor_freq_khz", "1299999", 0, "1200000" },
	{ "intel_uncore_frequency/uncore00/elc_floor_freq_khz", "12800000", -EINVAL, "1200000" },
	{ "intel_uncore_frequency/uncore01/elc_floor_freq_khz", NULL, 0, "800000" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "10", 0, "10" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "1", 0, "1" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "33", 0, "33" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "100", 0, "100" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "101", -EINVAL, "100" },
	{ "intel_uncore_frequency/uncore00/elc_low_threshold_percent", "-1", -EINVAL, "100" },
	{ "intel_uncore_frequency/uncore00/elc_high_threshold_percent", "95", 0, "95" },
	{ "intel_uncore_frequency/uncore00/elc_high_threshold_enable", "1", 0, "1" },
	{ "intel_uncore_frequency/uncore00/elc_high_threshold_enable", "2", -EINVAL, "1" },
	{ "intel_uncore_frequency/package_00_die_00/elc_floor_freq_khz", NULL, -ENOENT, NULL },
};

static void test_idle(void **test)
{
	(void)test;
	sysfs_machine_play("guide", idle_steps, ARRAY_SIZE(idle_steps));
}

static void test_power(void **test)
{
	(void)test;
	sysfs_machine_play("guide", power_steps, ARRAY_SIZE(power_steps));
}

static void test_umwait(void **test)
{
	(void)test;
	sysfs_machine_play("guide", umwait_steps, ARRAY_SIZE(umwait_steps));
}

static void test_legacy_uncore(void **test)
{
	(void)test;
	sysfs_machine_play("guide", legacy_steps, ARRAY_SIZE(legacy_steps));
}

static void test_tpmi_uncore(void **test)
{
	(void)test;
	sysfs_machine_play("gnr-6980p-2s", tpmi_steps, ARRAY_SIZE(tpmi_steps));
}

#define UNCORE "intel_uncore_frequency/package_01_die_00/"

static void set_online(struct sim_state *state, size_t domain, bool online)
{
	cpuset_foreach (cpu, &state->platform->domains[domain].cpus)
		state->cpus[cpu].online = online;
}

/* A die without online CPUs cannot be reached; when one comes online, its limits become initial. */
static void test_uncore_without_cpus(void **test)
{
	static const struct sysfs_step set[] = { { UNCORE "max_freq_khz", "2000000", 0,
						   "2000000" } };
	static const struct sysfs_step away[] = {
		{ UNCORE "max_freq_khz", NULL, -ENXIO, NULL },
		{ UNCORE "min_freq_khz", NULL, -ENXIO, NULL },
		{ UNCORE "current_freq_khz", NULL, -ENXIO, NULL },
		{ UNCORE "max_freq_khz", "1500000", -ENXIO, NULL },
		{ UNCORE "min_freq_khz", "1500000", -ENXIO, NULL },
		{ UNCORE "initial_max_freq_khz", NULL, 0, "2400000" },
		{ "cpu14/online", "1", 0, "1" },
		{ UNCORE "max_freq_khz", NULL, 0, "2000000" },
		{ UNCORE "initial_max_freq_khz", NULL, 0, "2000000" },
		{ UNCORE "initial_min_freq_khz", NULL, 0, "800000" },
		{ UNCORE "max_freq_khz", "2400000", 0, "2400000" },
		{ "cpu15/online", "1", 0, "1" },
		{ UNCORE "initial_max_freq_khz", NULL, 0, "2000000" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	sysfs_machine_run(&machine, set, ARRAY_SIZE(set));
	set_online(machine.state, 1, false);
	sysfs_machine_run(&machine, away, ARRAY_SIZE(away));
	sysfs_machine_close(&machine);
}

static void test_c1_demotion(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "cpuidle/intel_c1_demotion", NULL, 0, "1" },
		{ "cpuidle/intel_c1_demotion", "0", 0, "0" },
		{ "cpuidle/intel_c1_demotion", "2", -EINVAL, "0" },
		{ "cpuidle/intel_c1_demotion", "1", 0, "1" },
	};
	static const struct sysfs_step without[] = {
		{ "cpuidle/intel_c1_demotion", NULL, -ENOENT, NULL },
		{ "cpuidle/intel_c1_demotion", "0", -ENOENT, NULL },
	};
	(void)test;
	sysfs_machine_play("gnr-6776p-2s", steps, ARRAY_SIZE(steps));
	sysfs_machine_play("guide", without, ARRAY_SIZE(without));
}

/* An idle state that the platform file disables at boot. */
static void test_idle_state_off_at_boot(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "cpu0/cpuidle/state1/default_status", NULL, 0, "disabled" },
		{ "cpu0/cpuidle/state1/disable", NULL, 0, "1" },
		{ "cpu0/cpuidle/state1/disable", "0", 0, "0" },
		{ "cpu0/cpuidle/state1/default_status", NULL, 0, "disabled" },
		{ "cpuidle/available_governors", NULL, 0, "ladder menu teo haltpoll" },
		{ "cpuidle/current_governor", "menu", 0, "menu" },
		{ "cpuidle/current_governor", "haltpoll", 0, "haltpoll" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->idle_states[1].disabled = true;
	machine.platform->idle_governor = "haltpoll";
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_umwait),
		cmocka_unit_test(test_c1_demotion),
		cmocka_unit_test(test_legacy_uncore),
		cmocka_unit_test(test_tpmi_uncore),
		cmocka_unit_test(test_uncore_without_cpus),
		cmocka_unit_test(test_idle_state_off_at_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
