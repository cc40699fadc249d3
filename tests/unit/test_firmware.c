// SPDX-License-Identifier: GPL-2.0-only
/* What the firmware of a simulated machine allows its busy cores. Each expectation is calculated by
 * hand from the platform file and measure.md ("One predictor", "The simulator moves"); comments
 * have the calculation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulator/activity.h"
#include "sysfs_machine.h"

#define OPEN UINT64_MAX /* MSR 0x1AD, with SST-TF on */

/* Settings of every power domain, and what runs. */
struct settings {
	enum sim_turbo_counts counts;
	uint8_t level;
	bool base_freq, turbo_freq, clos, no_turbo;
	const char *low; /* CPUs whose cores are in CLOS 3; the others are in CLOS 0 */
	uint32_t clos_3; /* maximum << 8 | minimum, as ratios; 0: open */
	uint64_t trl; /* MSR 0x1AD; 0: as it was */
	uint32_t scaling_max_khz; /* of all CPUs; 0: as it was */
	uint8_t max_percent; /* 0: as it was */
	uint32_t idle_disabled; /* of all CPUs, or of the CPUs in `spinning` if there are any */
	const char *spinning;
	enum load_kind kind;
	const char *busy; /* NULL: nothing runs */
};

struct row {
	const char *what;
	const char *platform;
	struct settings settings;
	struct {
		const char *cpus;
		uint8_t ratio;
	} expected[3];
	uint64_t power_mw; /* of package 0; 0: not looked at */
	int limits; /* of the CPUs of expected[0]; -1: not looked at */
};

#define SPIN_IN_POLL (~1U)
#define SPIN_IN_C02  (~2U)
#define ANY          (-1)

static const struct row rows[] = {
	/* gnr-6980p-2s: domains of 43, 43 and 42 cores, CPUs 0-42, 43-85, 86-127; their tables
	 * 21 26 30 32 36 38 40 43, twice, and 22 26 30 32 36 38 40 42 for 39 38 36 35 34 33 32 32;
	 * their sums 64 78 90 96 108 114 120 128. */
	{ "14 in each of three dies: 14 <= 21, and 42 <= 64",
	  "gnr-6980p-2s",
	  { .busy = "0-13,43-56,86-99" },
	  { { "0-13,43-56,86-99", 39 } },
	  0,
	  0 },
	{ "the same by power domain",
	  "gnr-6980p-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0-13,43-56,86-99" },
	  { { "0-13,43-56,86-99", 39 } },
	  0,
	  0 },
	{ "30 in one die: 30 <= 64",
	  "gnr-6980p-2s",
	  { .busy = "0-29,43" },
	  { { "0-29", 39 }, { "43", 39 } },
	  0,
	  0 },
	{ "30 in one die: above 26, at most 30",
	  "gnr-6980p-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0-29,43" },
	  { { "0-29", 36 }, { "43", 39 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "all 128",
	  "gnr-6980p-2s",
	  { .busy = "0-127" },
	  { { "0-127", 32 } },
	  /* a: 933 x 128 x 20^3 = 955,392,000 over 10 c t^3: 25.2, 22.3, 22.8, 23.2, 22.5, 23.3,
	   * 24.3, 22.8: 22; U = 22 x 128 x 32768 = 92,274,688; Ufull = 100 x 128 x 8000 =
	   * 102,400,000; 150,000 + 350,000 x 0.90112 */
	  465392,
	  SIM_LIMITED_BY_TURBO },
	/* cwf-6990e-2s: three domains of 24 modules of 4 cores, CPUs 0-95, 96-191, 192-287; their
	 * tables 6 12 18 24 for 32 30 29 28, their sums 18 36 54 72. */
	{ "7 modules of one die: at most 18",
	  "cwf-6990e-2s",
	  { .busy = "0,4,8,12,16,20,24" },
	  { { "0,4,8,12,16,20,24", 32 } },
	  0,
	  0 },
	{ "7 modules of one die: above 6, at most 12",
	  "cwf-6990e-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0,4,8,12,16,20,24,96" },
	  { { "0,4,8,12,16,20,24", 30 }, { "96", 32 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "24 cores in 6 modules",
	  "cwf-6990e-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0-23" },
	  { { "0-23", 32 } },
	  0,
	  0 },
	{ "19 modules of one die: 19 <= 36",
	  "cwf-6990e-2s",
	  { .busy = "0-75" },
	  { { "0-75", 30 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "19 modules of one die: above 18",
	  "cwf-6990e-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0-75" },
	  { { "0-75", 28 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "a base for AVX2 of 0 is that for SSE",
	  "cwf-6990e-2s",
	  { .level = 1, .no_turbo = true, .kind = LOAD_AVX2, .busy = "0" },
	  { { "0", 17 } },
	  0,
	  0 },
	/* gnr-6776p-2s: two domains of 32 cores, CPUs 0-31 and 32-63, siblings 128-191; tables
	 * 16 20 22 24 26 28 30 32 for 39 38 36 35 34 33 32 32. */
	{ "64 scalar cores stay below the TDP",
	  "gnr-6776p-2s",
	  { .busy = "0-63" },
	  { { "0-63", 32 } },
	  /* a: 933 x 64 x 21^3 = 552,992,832 over 10 c t^3: 29.1, 25.2, 26.9, 26.9, 27.1, 27.5,
	   * 28.1, 26.4: 25; U = 25 x 64 x 32768 = 52,428,800; Ufull = 100 x 64 x 9261 =
	   * 59,270,400; 90,000 + 210,000 x 0.884569 */
	  275759,
	  SIM_LIMITED_BY_TURBO },
	{ "20 scalar cores stay below the TDP",
	  "gnr-6776p-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN, .busy = "0-19" },
	  { { "0-19", 38 } },
	  /* 25 x 20 x 38^3 = 27,436,000 */
	  187208,
	  SIM_LIMITED_BY_TURBO },
	{ "a load of AVX-512 has the table avx512-heavy",
	  "gnr-6776p-2s",
	  { .kind = LOAD_AVX512, .busy = "0" },
	  { { "0", 36 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "also on Emerald Rapids",
	  "emr-8592-2s",
	  { .kind = LOAD_AVX512, .busy = "0" },
	  { { "0", 34 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "other mailbox parts have three tables",
	  "spr-6438n-2s",
	  { .kind = LOAD_AVX512, .busy = "0" },
	  { { "0", 31 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "turbo off: the base for AVX-512",
	  "gnr-6776p-2s",
	  { .no_turbo = true, .kind = LOAD_AVX512, .busy = "0" },
	  { { "0", 15 } },
	  0,
	  0 },
	/* gnr-6776p-pct-2s at level 1: SST-TF 8 at 4600, 16 at 3900, 32 at 3400; clip 2300 */
	{ "8 high-priority cores have 4600",
	  "gnr-6776p-pct-2s",
	  { .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .low = "4-31,36-63",
	    .busy = "0-3,32-35,4-31" },
	  { { "0-3,32-35", 46 }, { "4-31", 23 } },
	  0,
	  ANY },
	{ "siblings are the same core",
	  "gnr-6776p-pct-2s",
	  { .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .low = "4-31,36-63",
	    .busy = "0-3,32-35,128-131" },
	  { { "0-3,32-35,128-131", 46 } },
	  0,
	  ANY },
	{ "9 have the next bucket",
	  "gnr-6776p-pct-2s",
	  { .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .low = "5-31,36-63",
	    .busy = "0-4,32-35,63" },
	  { { "0-4,32-35", 39 }, { "63", 23 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "only busy ones count",
	  "gnr-6776p-pct-2s",
	  { .level = 1, .turbo_freq = true, .clos = true, .trl = OPEN, .busy = "0-7" },
	  { { "0-7", 46 } },
	  0,
	  ANY },
	{ "33 have the turbo-ratio limit of 33 cores: at most 40",
	  "gnr-6776p-pct-2s",
	  { .level = 1, .turbo_freq = true, .clos = true, .trl = OPEN, .busy = "0-16,32-47" },
	  { { "0-16,32-47", 38 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "33 by power domain: 17 and 16",
	  "gnr-6776p-pct-2s",
	  { .counts = SIM_COUNTS_POWER_DOMAIN,
	    .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .busy = "0-16,32-47" },
	  { { "0-16", 38 }, { "32-47", 39 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "without SST-CP there are no priorities",
	  "gnr-6776p-pct-2s",
	  { .level = 1, .turbo_freq = true, .trl = OPEN, .busy = "0-7" },
	  { { "0-7", 39 } },
	  0,
	  0 },
	{ "MSR 0x1AD that is not opened limits SST-TF",
	  "gnr-6776p-pct-2s",
	  { .level = 1, .turbo_freq = true, .clos = true, .busy = "0-7" },
	  { { "0-7", 39 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "with AVX-512: 4300",
	  "gnr-6776p-pct-2s",
	  { .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .low = "8-31",
	    .kind = LOAD_AVX512,
	    .busy = "0,8" },
	  { { "0", 43 }, { "8", 17 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "turbo off",
	  "gnr-6776p-pct-2s",
	  { .level = 1,
	    .turbo_freq = true,
	    .clos = true,
	    .trl = OPEN,
	    .no_turbo = true,
	    .busy = "0-7" },
	  { { "0-7", 23 } },
	  0,
	  0 },
	/* guide: 14 cores, siblings 28-41; counts 2 4 ... 16 for 32 31 ... 31; SST-BF 3000 on
	 * cores 5, 6, 8, 13, else 2400; base for AVX2 2200 */
	{ "SST-BF, turbo off, SSE",
	  "guide",
	  { .base_freq = true, .no_turbo = true, .busy = "4-6" },
	  { { "4", 24 }, { "5-6", 30 } },
	  0,
	  0 },
	{ "SST-BF, turbo off: at most the base for AVX2",
	  "guide",
	  { .base_freq = true, .no_turbo = true, .kind = LOAD_AVX2, .busy = "4-6" },
	  { { "4-6", 22 } },
	  0,
	  0 },
	{ "SST-BF with turbo is no limit",
	  "guide",
	  { .base_freq = true, .busy = "4-6" },
	  { { "4-6", 31 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "MSR 0x1AD below the table",
	  "guide",
	  { .trl = 0x1d1d1d1d1d1d1d1e, .busy = "0-2" },
	  { { "0-2", 29 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "MSR 0x1AD above the table",
	  "guide",
	  { .trl = OPEN, .busy = "0-2" },
	  { { "0-2", 31 } },
	  0,
	  SIM_LIMITED_BY_TURBO },
	{ "the maximum of a CLOS",
	  "guide",
	  { .clos = true, .low = "0-1", .clos_3 = 0x1908, .busy = "0-2" },
	  { { "0-1", 25 }, { "2", 31 } },
	  0,
	  0 },
	{ "the upper limit of Linux",
	  "guide",
	  { .scaling_max_khz = 1999000, .busy = "0-2" },
	  { { "0-2", 19 } },
	  0,
	  0 },
	{ "max_perf_pct: half of 3200",
	  "guide",
	  { .max_percent = 50, .busy = "0-2" },
	  { { "0-2", 16 } },
	  0,
	  0 },
	{ "level 4",
	  "guide",
	  { .level = 4, .no_turbo = true, .busy = "0-3,5,7-11" },
	  { { "0-3,5,7-11", 28 }, { "4", 0 } },
	  /* a: 933 x 10 x 28^3 = 204,812,160 over 10 c t^3 with c at most 10: 312, 171, 114, 85,
	   * 68.7: 68; U = 68 x 10 x 21952 = 14,927,360; Ufull = 21,952,000; 55,500 + 129,500 x
	   * 0.68 */
	  143560,
	  0 },
	/* C0: the core of CPUs 0 and 28 is active; a is 22 of scalar's 55 (POLL) */
	{ "a core that polls",
	  "guide",
	  { .idle_disabled = SPIN_IN_POLL, .spinning = "0,28" },
	  { { "0,28", 32 }, { "1", 0 } },
	  /* U = 22 x 32768 = 720,896; Ufull = 24,606,400; 61,500 + 143,500 x 0.0292971 */
	  65704,
	  0 },
	{ "a core that polls is active beside two that work",
	  "guide",
	  { .idle_disabled = SPIN_IN_POLL, .spinning = "5", .busy = "0-1" },
	  { { "0-1,5", 31 } },
	  /* (2 x 55 + 22) x 29791 = 3,932,412 */
	  84433,
	  SIM_LIMITED_BY_TURBO },
	{ "a load counts, not that its sibling polls",
	  "guide",
	  { .idle_disabled = SPIN_IN_POLL, .spinning = "28", .busy = "0" },
	  { { "0,28", 32 } },
	  /* 55 x 32768 = 1,802,240 */
	  72010,
	  0 },
	/* gnr-6776p-2s: 25 percent of 25 is 6 */
	{ "a core that waits in C0.2",
	  "gnr-6776p-2s",
	  { .idle_disabled = SPIN_IN_C02, .spinning = "0,128" },
	  { { "0,128", 39 }, { "1", 0 } },
	  /* U = 6 x 59319 = 355,914; 90,000 + 210,000 x 355,914 / 59,270,400 */
	  91261,
	  0 },
};

static void parse(const char *list, struct cpuset *ret_cpus)
{
	if (list)
		assert_return_code(cpulist_parse(list, ret_cpus), 0);
}

static void apply_to_domain(struct sim_state *state, size_t domain, const struct settings *settings,
			    const struct cpuset *low)
{
	const struct sim_platform *platform = state->platform;
	struct punit_state *punit = &state->punits[domain];

	punit->current_level = settings->level;
	punit->base_freq_on = settings->base_freq;
	punit->turbo_freq_on = settings->turbo_freq;
	punit->cp_enabled = punit->clos_enabled = settings->clos;
	if (settings->clos_3)
		punit->clos[3] = settings->clos_3 << 8;
	cpuset_foreach (cpu, low) {
		if (platform->cpus[cpu].domain == domain)
			punit->association[platform_file_core(platform, cpu)] = 3;
	}
}

static void apply(struct sim_state *state, const struct settings *settings)
{
	const struct sim_platform *platform = state->platform;
	_cleanup_cpuset_ struct cpuset low = { 0 }, spinning = { 0 };

	parse(settings->low, &low);
	parse(settings->spinning, &spinning);
	state->machine->no_turbo = settings->no_turbo;
	if (settings->max_percent)
		state->machine->max_percent = settings->max_percent;
	for (size_t i = 0; i < platform->n_domains; i++)
		apply_to_domain(state, i, settings, &low);
	for (size_t i = 0; i < platform->n_packages && settings->trl; i++)
		state->packages[i].turbo_ratio_limit = settings->trl;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (settings->scaling_max_khz)
			state->cpus[cpu].scaling_max_khz = settings->scaling_max_khz;
		if (cpuset_has(&spinning, cpu))
			state->cpus[cpu].idle_disabled = settings->idle_disabled;
	}
}

static void check(const struct row *row, const struct sim_activity *activity)
{
	if (row->power_mw && activity->packages[0].power_mw != row->power_mw)
		fail_msg("%s: %llu mW", row->what,
			 (unsigned long long)activity->packages[0].power_mw);
	for (size_t i = 0; i < ARRAY_SIZE(row->expected) && row->expected[i].cpus; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		parse(row->expected[i].cpus, &cpus);
		cpuset_foreach (cpu, &cpus) {
			const struct sim_cpu_activity *found = &activity->cpus[cpu];

			if (found->ratio != row->expected[i].ratio)
				fail_msg("%s: CPU %u has ratio %u", row->what, cpu, found->ratio);
			if (i == 0 && row->limits != ANY && found->limits != row->limits)
				fail_msg("%s: CPU %u is limited by %#x", row->what, cpu,
					 found->limits);
		}
	}
}

static void test_rows(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_activity_ struct sim_activity activity = { 0 };
		_cleanup_cpuset_ struct cpuset busy = { 0 };
		_cleanup_free_ struct sim_load *loads = NULL;
		struct sysfs_machine machine = { 0 };

		sysfs_machine_load(&machine, rows[i].platform);
		machine.platform->turbo_counts = rows[i].settings.counts;
		sysfs_machine_start(&machine, NULL);
		apply(machine.state, &rows[i].settings);
		loads = calloc(machine.platform->n_cpus, sizeof(*loads));
		assert_non_null(loads);
		parse(rows[i].settings.busy, &busy);
		cpuset_foreach (cpu, &busy) {
			loads[cpu].is_busy = true;
			loads[cpu].figures.kind = rows[i].settings.kind;
		}
		machine.state->loads = loads;
		assert_return_code(activity_find(machine.state, &activity), 0);
		check(&rows[i], &activity);
		machine.state->loads = NULL;
		sysfs_machine_close(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
