// SPDX-License-Identifier: GPL-2.0-only
/* Writing to cpufreq and intel_pstate, and the base frequency that follows the PUNIT. */
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

static const struct sysfs_step limit_steps[] = {
	{ "cpu1/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu1/cpufreq/scaling_max_freq", "2147483647", 0, "3200000" },
	{ "cpu1/cpufreq/scaling_max_freq", "0", 0, "800000" },
	{ "cpu1/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	/* a minimum above the maximum is lowered, and comes back when there is room */
	{ "cpu1/cpufreq/scaling_min_freq", "2800000", 0, "2000000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3000000", 0, "3000000" },
	{ "cpu1/cpufreq/scaling_min_freq", NULL, 0, "2800000" },
	{ "cpu1/cpufreq/scaling_min_freq", "9999999", 0, "3000000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3200000", 0, "3200000" },
	{ "cpu1/cpufreq/scaling_min_freq", NULL, 0, "3200000" },
	{ "cpu1/cpufreq/scaling_min_freq", "100", 0, "800000" },
	{ "cpu1/cpufreq/scaling_max_freq", "2.4GHz", -EINVAL, "3200000" },
	{ "cpu1/cpufreq/scaling_max_freq", "-1", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", "2147483648", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", "4294967295", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", "18446744073709551616", -ERANGE, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", "abc", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", " 1", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu1/cpufreq/scaling_max_freq", "", 0, "2000000" },
	/* one policy per CPU */
	{ "cpu2/cpufreq/scaling_max_freq", NULL, 0, "3200000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3100000", 0, NULL },
	{ "cpu1/cpufreq/scaling_max_freq", NULL, 0, "3100000" },
	{ "cpu1/cpufreq/scaling_cur_freq", NULL, 0, "2600000" },
	{ "cpu1/cpufreq/scaling_max_freq", "2000000", 0, NULL },
	{ "cpu1/cpufreq/scaling_cur_freq", NULL, 0, "2000000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3200000", 0, NULL },
	{ "cpu1/cpufreq/scaling_min_freq", "3000000", 0, NULL },
	{ "cpu1/cpufreq/scaling_cur_freq", NULL, 0, "3000000" },
	{ "cpu1/cpufreq/affected_cpus", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/base_frequency", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/cpuinfo_max_freq", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/cpuinfo_min_freq", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/energy_performance_available_preferences", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/related_cpus", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/scaling_available_governors", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/scaling_cur_freq", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/scaling_driver", "1", -EACCES, NULL },
	{ "cpu1/cpufreq/scaling_driver", "", -EACCES, NULL },
};

static const struct sysfs_step governor_steps[] = {
	{ "cpu1/cpufreq/energy_performance_preference", "performance", 0, "performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "power", 0, "power" },
	{ "cpu1/cpufreq/energy_performance_preference", "128", 0, "balance_performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "0", 0, "performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "192", 0, "balance_power" },
	{ "cpu1/cpufreq/energy_performance_preference", "255", 0, "power" },
	{ "cpu1/cpufreq/energy_performance_preference", "100", 0, "100" },
	{ "cpu1/cpufreq/energy_performance_preference", "256", -EINVAL, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "-1", -EINVAL, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "fast", -EINVAL, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "Power", -EINVAL, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "default", 0, "balance_performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "100", 0, NULL },
	/* the performance governor sets the preference */
	{ "cpu1/cpufreq/scaling_governor", "performance", 0, "performance" },
	{ "cpu1/cpufreq/energy_performance_preference", NULL, 0, "performance" },
	{ "cpu1/cpufreq/scaling_cur_freq", NULL, 0, "3200000" },
	{ "cpu1/cpufreq/energy_performance_preference", "power", -EBUSY, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "128", -EBUSY, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "default", -EBUSY, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "nonsense", -EINVAL, NULL },
	{ "cpu1/cpufreq/scaling_governor", "powersave", 0, "powersave" },
	{ "cpu1/cpufreq/energy_performance_preference", NULL, 0, "100" },
	{ "cpu1/cpufreq/scaling_governor", "performance", 0, NULL },
	{ "cpu1/cpufreq/energy_performance_preference", "0", 0, "performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "performance", 0, "performance" },
	{ "cpu1/cpufreq/scaling_governor", "powersave", 0, "powersave" },
	{ "cpu1/cpufreq/energy_performance_preference", NULL, 0, "performance" },
	{ "cpu1/cpufreq/scaling_governor", "ondemand", -EINVAL, "powersave" },
	{ "cpu1/cpufreq/scaling_governor", "userspace", -EINVAL, NULL },
	{ "cpu2/cpufreq/scaling_governor", NULL, 0, "powersave" },
};

static const struct sysfs_step pstate_steps[] = {
	{ "intel_pstate/no_turbo", "1", 0, "1" },
	{ "intel_pstate/no_turbo", "0", 0, "0" },
	{ "intel_pstate/no_turbo", "abc", -EINVAL, "0" },
	{ "intel_pstate/no_turbo", "", 0, "0" },
	{ "intel_pstate/no_turbo", "0", 0, "0" },
	/* limits in percent are clamped: from the lowest frequency, and by each other */
	{ "intel_pstate/min_perf_pct", NULL, 0, "25" },
	{ "intel_pstate/max_perf_pct", "50", 0, "50" },
	{ "intel_pstate/min_perf_pct", "70", 0, "50" },
	{ "intel_pstate/min_perf_pct", "40", 0, "40" },
	{ "intel_pstate/max_perf_pct", "30", 0, "40" },
	{ "intel_pstate/max_perf_pct", "101", 0, "100" },
	{ "intel_pstate/min_perf_pct", "0", 0, "25" },
	{ "intel_pstate/min_perf_pct", "fast", -EINVAL, "25" },
	{ "intel_pstate/max_perf_pct", "-1", -EINVAL, "100" },
	/* without turbo a limit is at most the base frequency; what was asked for comes back */
	{ "intel_pstate/no_turbo", "1", 0, "1" },
	{ "cpu1/cpufreq/scaling_max_freq", NULL, 0, "2600000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3000000", 0, "2600000" },
	{ "cpu1/cpufreq/scaling_min_freq", "2900000", 0, "2600000" },
	{ "cpu1/cpufreq/scaling_max_freq", "2500000", 0, "2500000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3000000", 0, "2600000" },
	{ "cpu1/cpufreq/cpuinfo_max_freq", NULL, 0, "3200000" },
	{ "intel_pstate/no_turbo", "0", 0, "0" },
	{ "cpu1/cpufreq/scaling_max_freq", NULL, 0, "3000000" },
	{ "cpu1/cpufreq/scaling_min_freq", NULL, 0, "2900000" },
	{ "cpu1/cpufreq/scaling_max_freq", "3200000", 0, NULL },
	{ "cpu1/cpufreq/scaling_min_freq", "800000", 0, NULL },
	/* without turbo the lower one is at most the base frequency */
	{ "intel_pstate/min_perf_pct", "90", 0, "90" },
	{ "intel_pstate/no_turbo", "1", 0, "1" },
	{ "intel_pstate/min_perf_pct", NULL, 0, "81" },
	{ "intel_pstate/no_turbo", "0", 0, "0" },
	{ "intel_pstate/min_perf_pct", NULL, 0, "81" },
	{ "intel_pstate/hwp_dynamic_boost", "1", 0, "1" },
	{ "intel_pstate/hwp_dynamic_boost", "7", 0, "1" },
	{ "intel_pstate/hwp_dynamic_boost", "on", -EINVAL, "1" },
	{ "intel_pstate/hwp_dynamic_boost", "0", 0, "0" },
	{ "intel_pstate/status", "on", -EINVAL, "active" },
	{ "intel_pstate/status", "Passive", -EINVAL, "active" },
	{ "intel_pstate/status", "off", -EBUSY, "active" },
};

/* Each change of mode makes the policies anew. */
static const struct sysfs_step mode_steps[] = {
	{ "intel_pstate/no_turbo", "1", 0, "1" },
	{ "intel_pstate/hwp_dynamic_boost", "1", 0, "1" },
	{ "intel_pstate/max_perf_pct", "80", 0, "80" },
	{ "cpu1/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu1/cpufreq/scaling_min_freq", "2000000", 0, "2000000" },
	{ "cpu1/cpufreq/energy_performance_preference", "power", 0, "power" },
	{ "cpu1/cpufreq/scaling_governor", "performance", 0, "performance" },
	{ "intel_pstate/status", "active", 0, "active" },
	{ "cpu1/cpufreq/scaling_governor", NULL, 0, "performance" },
	{ "intel_pstate/status", "passive", 0, "passive" },
	{ "intel_pstate/no_turbo", NULL, 0, "0" },
	{ "intel_pstate/max_perf_pct", NULL, 0, "100" },
	{ "intel_pstate/hwp_dynamic_boost", NULL, -ENOENT, NULL },
	{ "intel_pstate/hwp_dynamic_boost", "1", -ENOENT, NULL },
	{ "cpu1/cpufreq/scaling_driver", NULL, 0, "intel_cpufreq" },
	{ "cpu1/cpufreq/scaling_available_governors", NULL, 0,
	  "conservative ondemand userspace powersave performance schedutil " },
	{ "cpu1/cpufreq/scaling_governor", NULL, 0, "schedutil" },
	{ "cpu1/cpufreq/scaling_max_freq", NULL, 0, "3200000" },
	{ "cpu1/cpufreq/scaling_min_freq", NULL, 0, "800000" },
	{ "cpu1/cpufreq/energy_performance_preference", NULL, 0, "balance_performance" },
	{ "cpu1/cpufreq/scaling_governor", "ondemand", 0, "ondemand" },
	{ "intel_pstate/status", "active", 0, "active" },
	{ "intel_pstate/hwp_dynamic_boost", NULL, 0, "0" },
	{ "cpu1/cpufreq/scaling_driver", NULL, 0, "intel_pstate" },
	{ "cpu1/cpufreq/scaling_available_governors", NULL, 0, "performance powersave" },
	{ "cpu1/cpufreq/scaling_governor", NULL, 0, "powersave" },
	{ "cpu1/cpufreq/scaling_governor", "ondemand", -EINVAL, "powersave" },
};

static const struct sysfs_step passive_steps[] = {
	{ "intel_pstate/status", NULL, 0, "passive" },
	{ "intel_pstate/hwp_dynamic_boost", NULL, -ENOENT, NULL },
	{ "cpu1/cpufreq/scaling_driver", NULL, 0, "intel_cpufreq" },
	{ "cpu1/cpufreq/scaling_available_governors", NULL, 0, "performance powersave " },
	/* no governor sets the preference in passive mode */
	{ "cpu1/cpufreq/scaling_governor", "performance", 0, "performance" },
	{ "cpu1/cpufreq/energy_performance_preference", "power", 0, "power" },
	{ "cpu1/cpufreq/energy_performance_preference", "128", 0, "balance_performance" },
	{ "intel_pstate/status", "active", 0, "active" },
	{ "cpu1/cpufreq/scaling_driver", NULL, 0, "intel_pstate" },
	{ "cpu1/cpufreq/scaling_governor", NULL, 0, "powersave" },
	{ "cpu1/cpufreq/scaling_available_governors", NULL, 0, "performance powersave" },
};

static void test_limits(void **test)
{
	(void)test;
	sysfs_machine_play("guide", limit_steps, ARRAY_SIZE(limit_steps));
}

static void test_governors(void **test)
{
	(void)test;
	sysfs_machine_play("guide", governor_steps, ARRAY_SIZE(governor_steps));
}

static void test_pstate(void **test)
{
	(void)test;
	sysfs_machine_play("guide", pstate_steps, ARRAY_SIZE(pstate_steps));
}

static void test_modes(void **test)
{
	(void)test;
	sysfs_machine_play("guide", mode_steps, ARRAY_SIZE(mode_steps));
}

static void test_passive_mode(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->cpufreq.driver = "intel_cpufreq";
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, passive_steps, ARRAY_SIZE(passive_steps));
	sysfs_machine_close(&machine);
}

static void test_without_hwp(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "intel_pstate/no_turbo", NULL, 0, "0" },
		{ "cpu0/cpufreq/base_frequency", NULL, -ENOENT, NULL },
		{ "cpu0/cpufreq/energy_performance_preference", NULL, -ENOENT, NULL },
		{ "cpu0/cpufreq/energy_performance_available_preferences", NULL, -ENOENT, NULL },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "gnr-6980p-2s");
	sysfs_machine_start(&machine, "{ \"hwp_off\": true }");
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
}

/* BIOS has switched turbo off if the highest frequency is the base frequency. */
static void test_turbo_off_in_bios(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "intel_pstate/no_turbo", NULL, 0, "1" },
		{ "intel_pstate/no_turbo", "0", -EPERM, "1" },
		{ "intel_pstate/no_turbo", "1", 0, "1" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->cpufreq.max_khz = machine.platform->cpufreq.base_khz;
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
}

static void test_other_driver(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "intel_pstate/status", NULL, -ENOENT, NULL },
		{ "cpu0/cpufreq/scaling_driver", NULL, 0, "acpi-cpufreq" },
		{ "cpu0/cpufreq/scaling_available_governors", NULL, 0, "performance powersave " },
		{ "cpu0/cpufreq/base_frequency", NULL, -ENOENT, NULL },
		{ "cpu0/cpufreq/energy_performance_preference", NULL, -ENOENT, NULL },
		{ "cpufreq/boost", NULL, 0, "1" },
		{ "cpufreq/boost", "0", 0, "0" },
		{ "cpufreq/boost", "1", 0, "1" },
		{ "cpufreq/boost", "2", -EINVAL, "1" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->cpufreq.driver = "acpi-cpufreq";
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
}

struct base_vector {
	const char *platform;
	size_t domain;
	uint8_t level;
	bool base_freq_on;
	const char *path;
	const char *khz;
};

/* guide: cores 5, 6, 8 and 13 are the high-priority ones; gnr has CPU 43 in its second domain. */
static const struct base_vector base_vectors[] = {
	{ "guide", 0, 0, false, "cpu5/cpufreq/base_frequency", "2600000" },
	{ "guide", 0, 0, true, "cpu5/cpufreq/base_frequency", "3000000" },
	{ "guide", 0, 0, true, "cpu4/cpufreq/base_frequency", "2400000" },
	{ "guide", 0, 0, true, "cpu33/cpufreq/base_frequency", "3000000" },
	{ "guide", 0, 0, true, "cpu19/cpufreq/base_frequency", "2600000" },
	{ "guide", 1, 0, true, "cpu19/cpufreq/base_frequency", "3000000" },
	{ "guide", 0, 4, false, "cpu0/cpufreq/base_frequency", "2800000" },
	{ "guide", 0, 4, true, "cpu0/cpufreq/base_frequency", "2800000" },
	{ "guide", 1, 4, false, "cpu0/cpufreq/base_frequency", "2600000" },
	{ "emr-8592-2s", 0, 0, false, "cpu0/cpufreq/base_frequency", "1900000" },
	{ "gnr-6980p-2s", 0, 0, false, "cpu43/cpufreq/base_frequency", "2000000" },
};

static void test_base_frequency(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(base_vectors); i++) {
		const struct base_vector *vector = &base_vectors[i];
		const struct sysfs_step step = { vector->path, NULL, 0, vector->khz };
		struct sysfs_machine machine;

		sysfs_machine_open(&machine, vector->platform);
		machine.state->punits[vector->domain].current_level = vector->level;
		machine.state->punits[vector->domain].base_freq_on = vector->base_freq_on;
		sysfs_machine_run(&machine, &step, 1);
		sysfs_machine_close(&machine);
	}
}

/* The core masks of a TPMI part apply to the CPUs that GET_PHY_ID places on those cores. */
static void test_base_frequency_of_high_cores(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "gnr-6776p-2s");
	for (uint32_t cpu = 0; cpu < 64; cpu++) {
		const struct sim_domain *domain = &machine.platform->domains[cpu / 32];
		const struct punit_level *level = punit_find_level(&domain->fuses, 1);
		char path[64], khz[32];
		const struct sysfs_step step = { path, NULL, 0, khz };

		assert_true(level && level->has_base_freq);
		machine.state->punits[cpu / 32].current_level = 1;
		machine.state->punits[cpu / 32].base_freq_on = 1;
		snprintf(path, sizeof(path), "cpu%u/cpufreq/base_frequency", cpu);
		snprintf(khz, sizeof(khz), "%u00000",
			 level->base_freq.core_mask >> cpu % 32 & 1 ? level->base_freq.high_ratio
								    : level->base_freq.low_ratio);
		sysfs_machine_run(&machine, &step, 1);
	}
	sysfs_machine_close(&machine);
}

/* The CPUs of a policy share its files; each core type has its own range. */
static const struct sysfs_step shared_steps[] = {
	{ "cpu7/cpufreq/related_cpus", NULL, 0, "7" },
	{ "cpu9/cpufreq/related_cpus", NULL, 0, "8 9 10 11" },
	{ "cpu7/cpufreq/cpuinfo_max_freq", NULL, 0, "5700000" },
	{ "cpu9/cpufreq/cpuinfo_max_freq", NULL, 0, "4600000" },
	{ "cpu9/cpufreq/scaling_max_freq", NULL, 0, "4600000" },
	{ "cpu9/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu8/cpufreq/scaling_max_freq", NULL, 0, "2000000" },
	{ "cpu11/cpufreq/scaling_max_freq", NULL, 0, "2000000" },
	{ "cpu12/cpufreq/scaling_max_freq", NULL, 0, "4600000" },
	{ "cpu11/cpufreq/scaling_governor", "performance", 0, NULL },
	{ "cpu8/cpufreq/scaling_governor", NULL, 0, "performance" },
	{ "cpu12/cpufreq/scaling_governor", NULL, 0, "schedutil" },
	/* it is active as long as one of its CPUs is online */
	{ "cpu8/online", "0", 0, NULL },
	{ "cpu9/cpufreq/affected_cpus", NULL, 0, "9 10 11" },
	{ "cpu9/cpufreq/related_cpus", NULL, 0, "8 9 10 11" },
	{ "cpu8/cpufreq/scaling_max_freq", "3000000", 0, NULL },
	{ "cpu9/cpufreq/scaling_max_freq", NULL, 0, "3000000" },
	{ "cpu9/online", "0", 0, NULL },
	{ "cpu10/online", "0", 0, NULL },
	{ "cpu11/online", "0", 0, NULL },
	{ "cpu9/cpufreq/scaling_max_freq", NULL, -EBUSY, NULL },
	{ "cpu11/online", "1", 0, NULL },
	{ "cpu9/cpufreq/affected_cpus", NULL, 0, "11" },
};

static void test_shared(void **state)
{
	(void)state;
	sysfs_machine_play("arl-285k-1s", shared_steps, ARRAY_SIZE(shared_steps));
}

/* What cpuinfo_max_freq of CPU 0 reads at each step below, with each kernel. The hardware has 3900,
 * or with SST-TF, in CLOS 0, 4600 at level 1. */
struct follow_step {
	uint8_t level; /* 2100 or 2300 MHz guaranteed */
	bool turbo_freq, base_freq; /* SST-BF guarantees 2500 */
	const char *mode; /* of intel_pstate */
	const char *ratio;
	const char *khz[SIM_FOLLOWS_NEVER + 1];
};

static const struct follow_step follow_steps[] = {
	{ 0, false, false, "active", "39", { "3900000", "3900000", "3900000" } },
	{ 1, false, false, "active", "39", { "3900000", "3900000", "3900000" } },
	{ 1, true, false, "active", "46", { "4600000", "3900000", "3900000" } },
	{ 1, true, true, "active", "46", { "4600000", "4600000", "3900000" } },
	{ 1, true, true, "passive", "46", { "4600000", "4600000", "4600000" } },
	{ 1, false, true, "passive", "39", { "3900000", "4600000", "4600000" } },
	{ 1, false, true, "active", "39", { "3900000", "3900000", "3900000" } },
};

static void follow(struct sysfs_machine *machine, const struct follow_step *step, int follows)
{
	const struct sysfs_step steps[] = {
		{ "intel_pstate/status", step->mode, 0, step->mode },
		{ "cpu5/power/energy_perf_bias", step->turbo_freq ? "7" : "8", 0, NULL },
		{ "cpu0/acpi_cppc/highest_perf", NULL, 0, step->ratio },
		{ "cpu0/cpufreq/cpuinfo_max_freq", NULL, 0, step->khz[follows] },
		{ "cpu0/cpufreq/scaling_max_freq", NULL, 0, step->khz[follows] },
		{ "cpu0/cpufreq/scaling_min_freq", NULL, 0, "800000" },
		{ "cpu1/acpi_cppc/highest_perf", NULL, 0, "39" }, /* in CLOS 3 */
		{ "cpu1/cpufreq/cpuinfo_max_freq", NULL, 0, "3900000" },
		{ "cpu2/cpufreq/scaling_max_freq", "3700000", 0, "3700000" },
	};
	struct punit_state *punit = &machine->state->punits[0];

	punit->current_level = step->level;
	punit->turbo_freq_on = step->turbo_freq;
	punit->base_freq_on = step->base_freq;
	punit->clos_enabled = true;
	punit->association[1] = 3;
	sysfs_machine_run(machine, steps, ARRAY_SIZE(steps));
}

static void test_highest_follows(void **test)
{
	(void)test;
	for (int follows = SIM_FOLLOWS_ALWAYS; follows <= SIM_FOLLOWS_NEVER; follows++) {
		struct sysfs_machine machine;

		sysfs_machine_load(&machine, "gnr-6776p-2s");
		machine.platform->highest_follows = (enum sim_highest_follows)follows;
		sysfs_machine_start(&machine, NULL);
		for (size_t i = 0; i < ARRAY_SIZE(follow_steps); i++)
			follow(&machine, &follow_steps[i], follows);
		sysfs_machine_close(&machine);
	}
}

/* The interrupt of an offline CPU is lost, and pending online does not read the register. */
static void test_highest_of_offline_cpu(void **test)
{
	static const struct sysfs_step off[] = {
		{ "cpu1/online", "0", 0, "0" },
		{ "cpu1/acpi_cppc/highest_perf", NULL, -EFAULT, NULL },
	};
	static const struct sysfs_step on[] = {
		{ "cpu5/power/energy_perf_bias", "7", 0, NULL },
		{ "cpu1/online", "1", 0, "1" },
		{ "cpu1/acpi_cppc/highest_perf", NULL, 0, "46" },
		{ "cpu1/cpufreq/cpuinfo_max_freq", NULL, 0, "3900000" },
		{ "cpu0/cpufreq/cpuinfo_max_freq", NULL, 0, "4600000" },
	};
	struct sysfs_machine machine;
	struct punit_state *punit;

	(void)test;
	sysfs_machine_load(&machine, "gnr-6776p-2s");
	machine.platform->highest_follows = SIM_FOLLOWS_WITH_GUARANTEED;
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, off, ARRAY_SIZE(off));
	punit = &machine.state->punits[0];
	punit->current_level = 1;
	punit->turbo_freq_on = punit->clos_enabled = true;
	sysfs_machine_run(&machine, on, ARRAY_SIZE(on));
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_governors),
		cmocka_unit_test(test_pstate),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_passive_mode),
		cmocka_unit_test(test_without_hwp),
		cmocka_unit_test(test_turbo_off_in_bios),
		cmocka_unit_test(test_other_driver),
		cmocka_unit_test(test_base_frequency),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_highest_follows),
		cmocka_unit_test(test_highest_of_offline_cpu),
		cmocka_unit_test(test_base_frequency_of_high_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
