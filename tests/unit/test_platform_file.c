// SPDX-License-Identifier: GPL-2.0-only
/* What the platform files that come with the program say, and how CPUs are numbered. */
#include <errno.h>

#include "base/cleanup.h"
#include "platform_texts.h"

static const struct {
	const char *name;
	enum sim_interface interface;
	uint16_t api_version;
	size_t n_packages;
	size_t n_domains;
	size_t n_cpus;
	bool cpufreq, cpuidle, umwait;
	enum sim_uncore_layout uncore;
} MACHINES[] = {
	{ "arl-285k-1s", SIM_INTERFACE_NONE, 0, 1, 1, 24, true, true, true, SIM_UNCORE_LEGACY },
	{ "clx-6230n-2s", SIM_INTERFACE_NONE, 0, 2, 2, 80, true, true, false, SIM_UNCORE_LEGACY },
	{ "cpx-5318h-2s", SIM_INTERFACE_MAILBOX, 1, 2, 2, 72, true, true, false,
	  SIM_UNCORE_LEGACY },
	{ "cwf-6990e-2s", SIM_INTERFACE_TPMI, 3, 2, 10, 576, true, true, true, SIM_UNCORE_TPMI },
	{ "emr-8592-2s", SIM_INTERFACE_MAILBOX, 1, 2, 2, 256, true, true, true, SIM_UNCORE_LEGACY },
	{ "gnr-6776p-2s", SIM_INTERFACE_TPMI, 3, 2, 8, 256, true, true, true, SIM_UNCORE_TPMI },
	{ "gnr-6776p-pct-2s", SIM_INTERFACE_TPMI, 3, 2, 8, 256, true, true, false,
	  SIM_UNCORE_TPMI },
	{ "gnr-6980p-2s", SIM_INTERFACE_TPMI, 3, 2, 10, 512, true, true, true, SIM_UNCORE_TPMI },
	{ "gnr-split-2s", SIM_INTERFACE_TPMI, 3, 2, 8, 64, true, true, true, SIM_UNCORE_TPMI },
	{ "guide", SIM_INTERFACE_MAILBOX, 1, 2, 2, 56, true, true, true, SIM_UNCORE_LEGACY },
	{ "icx-8360y-2s", SIM_INTERFACE_MAILBOX, 1, 2, 2, 144, true, true, true,
	  SIM_UNCORE_LEGACY },
	{ "spr-6438n-2s", SIM_INTERFACE_MAILBOX, 1, 2, 2, 128, true, true, true,
	  SIM_UNCORE_LEGACY },
	{ "spr-8460h-4s", SIM_INTERFACE_MAILBOX, 1, 4, 4, 320, true, true, true,
	  SIM_UNCORE_LEGACY },
	{ "srf-6746e-2s", SIM_INTERFACE_TPMI, 3, 2, 6, 224, true, true, true, SIM_UNCORE_TPMI },
};

static struct sim_platform *load(const char *name)
{
	char *text = platform_texts_read(name);
	struct sim_platform *platform = platform_texts_parse(text);

	free(text);
	return platform;
}

static void test_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MACHINES); i++) {
		struct sim_platform *platform = load(MACHINES[i].name);

		assert_string_equal(platform->name, MACHINES[i].name);
		assert_int_equal(platform->interface, MACHINES[i].interface);
		assert_int_equal(platform->api_version, MACHINES[i].api_version);
		assert_int_equal(platform->n_packages, MACHINES[i].n_packages);
		assert_int_equal(platform->n_domains, MACHINES[i].n_domains);
		assert_int_equal(platform->n_cpus, MACHINES[i].n_cpus);
		assert_int_equal(platform->has_cpufreq, MACHINES[i].cpufreq);
		assert_int_equal(platform->has_cpuidle, MACHINES[i].cpuidle);
		assert_int_equal(platform->has_umwait, MACHINES[i].umwait);
		assert_int_equal(platform->uncore, MACHINES[i].uncore);
		platform_file_free(platform);
	}
}

static const struct {
	const char *name;
	uint32_t cpu, package, domain, core_id, physical_cpu;
} PLACES[] = {
	{ "clx-6230n-2s", 79, 1, 1, 19, 19 << 3 | 1 },
	{ "cpx-5318h-2s", 5, 0, 0, 8, 16 },
	{ "cpx-5318h-2s", 17, 0, 0, 27, 54 },
	{ "cpx-5318h-2s", 18, 1, 1, 0, 0 },
	{ "cpx-5318h-2s", 41, 0, 0, 8, 17 },
	{ "cwf-6990e-2s", 100, 0, 1, 132, 2056 },
	{ "cwf-6990e-2s", 575, 1, 7, 351, 4283 },
	{ "emr-8592-2s", 127, 1, 1, 63, 126 },
	{ "emr-8592-2s", 255, 1, 1, 63, 127 },
	{ "gnr-6776p-2s", 32, 0, 1, 64, 2048 },
	{ "gnr-6776p-2s", 64, 1, 4, 0, 0 },
	{ "gnr-6776p-2s", 255, 1, 5, 95, 2297 },
	{ "gnr-6980p-2s", 42, 0, 0, 42, 336 },
	{ "gnr-6980p-2s", 43, 0, 1, 64, 2048 },
	{ "gnr-6980p-2s", 86, 0, 2, 128, 4096 },
	{ "gnr-6980p-2s", 128, 1, 5, 0, 0 },
	{ "gnr-6980p-2s", 171, 1, 6, 64, 2048 },
	{ "gnr-6980p-2s", 256, 0, 0, 0, 1 },
	{ "gnr-6980p-2s", 511, 1, 7, 169, 4425 },
	{ "gnr-split-2s", 8, 0, 2, 64, 2048 },
	{ "guide", 0, 0, 0, 0, 0 },
	{ "guide", 13, 0, 0, 13, 26 },
	{ "guide", 14, 1, 1, 0, 0 },
	{ "guide", 28, 0, 0, 0, 1 },
	{ "guide", 55, 1, 1, 13, 27 },
	{ "icx-8360y-2s", 143, 1, 1, 35, 71 },
	{ "spr-6438n-2s", 64, 0, 0, 0, 1 },
	{ "spr-8460h-4s", 159, 3, 3, 39, 78 },
	{ "spr-8460h-4s", 319, 3, 3, 39, 79 },
	{ "srf-6746e-2s", 5, 0, 0, 5, 9 },
	{ "srf-6746e-2s", 111, 0, 0, 111, 219 },
	{ "srf-6746e-2s", 112, 1, 3, 0, 0 },
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
		struct sim_platform *platform = load(PLACES[i].name);
		const struct sim_cpu *cpu = &platform->cpus[PLACES[i].cpu];

		if (cpu->package != PLACES[i].package || cpu->domain != PLACES[i].domain ||
		    cpu->core_id != PLACES[i].core_id ||
		    cpu->physical_cpu != PLACES[i].physical_cpu)
			fail_msg("%s, CPU %u: package %u, domain %u, core_id %u, physical %u",
				 PLACES[i].name, PLACES[i].cpu, cpu->package, cpu->domain,
				 cpu->core_id, cpu->physical_cpu);
		platform_file_free(platform);
	}
}

/* Every CPU is in its domain's set and in no other; no two have the same ids. */
static void test_sets(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MACHINES); i++) {
		struct sim_platform *platform = load(MACHINES[i].name);
		size_t n_cpus = 0;

		for (size_t domain = 0; domain < platform->n_domains; domain++) {
			cpuset_foreach (cpu, &platform->domains[domain].cpus)
				assert_int_equal(platform->cpus[cpu].domain, domain);
			n_cpus += cpuset_count(&platform->domains[domain].cpus);
		}
		assert_int_equal(n_cpus, platform->n_cpus);
		for (size_t a = 0; a < n_cpus; a++) {
			for (size_t b = 0; b < a; b++)
				assert_false(platform->cpus[a].package ==
						     platform->cpus[b].package &&
					     platform->cpus[a].physical_cpu ==
						     platform->cpus[b].physical_cpu);
		}
		platform_file_free(platform);
	}
}

static const struct {
	const char *name;
	size_t domain;
	size_t index;
	uint8_t level;
	uint64_t cores;
	uint64_t high_priority; /* 0: the level has no SST-BF, or the domain no cores */
} LEVELS[] = {
	{ "cpx-5318h-2s", 1, 0, 0, 0x0f1f0f1f, 0x1010f },
	{ "emr-8592-2s", 0, 0, 0, UINT64_MAX, 0xff000000ff },
	{ "emr-8592-2s", 1, 1, 1, 0x00ffffffffffffff, 0xff000000ff },
	{ "gnr-6776p-2s", 4, 1, 1, 0x0fffffff, 0x0f0f },
	{ "gnr-6776p-2s", 2, 1, 1, 0, 0 },
	{ "gnr-6776p-pct-2s", 5, 1, 1, 0xffffffff, 0 },
	{ "gnr-6980p-2s", 5, 0, 0, 0x7ffffffffff, 0xab5a48c013 },
	{ "gnr-6980p-2s", 7, 0, 0, 0x3ffffffffff, 0xee3e02298 },
	{ "guide", 0, 0, 0, 0x3fff, 0x2160 },
	{ "guide", 1, 3, 3, 0x2faf, 0 },
	{ "icx-8360y-2s", 1, 0, 0, 0xfffffffff, 0x1228cd160 },
	{ "icx-8360y-2s", 0, 2, 4, 0xffc03ff, 0 },
	{ "srf-6746e-2s", 3, 0, 0, 0x0fffffff, 0 },
};

static void test_levels(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(LEVELS); i++) {
		struct sim_platform *platform = load(LEVELS[i].name);
		const struct sim_domain *domain = &platform->domains[LEVELS[i].domain];
		const struct punit_level *level = &domain->fuses.levels[LEVELS[i].index];

		assert_true(domain->has_sst);
		assert_in_range(LEVELS[i].index, 0, domain->fuses.n_levels - 1);
		assert_int_equal(level->level, LEVELS[i].level);
		if (level->core_mask != LEVELS[i].cores ||
		    level->base_freq.core_mask != LEVELS[i].high_priority)
			fail_msg("%s, level %u: %#jx, %#jx", LEVELS[i].name, level->level,
				 (uintmax_t)level->core_mask,
				 (uintmax_t)level->base_freq.core_mask);
		platform_file_free(platform);
	}
}

/* The highest uncore frequency that the current level reports is the one that the kernel has, of
 * dies with cores and of those without. */
static void test_uncore_agrees(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MACHINES); i++) {
		struct sim_platform *platform = load(MACHINES[i].name);

		for (size_t j = 0; j < platform->n_domains; j++) {
			const struct sim_domain *domain = &platform->domains[j];
			const struct punit_level *level =
				punit_find_level(&domain->fuses, domain->initial.current_level);
			uint32_t khz =
				cpuset_is_empty(&domain->cores) && platform->uncore_io_max_khz
					? platform->uncore_io_max_khz
					: platform->uncore_max_khz;

			if (level && level->uncore[0].max_ratio * 100000U != khz)
				fail_msg("%s, domain %zu: %u kHz", MACHINES[i].name, j, khz);
		}
		platform_file_free(platform);
	}
}

static void test_guide_figures(void **state)
{
	struct sim_platform *platform = load("guide");
	const struct punit_fuses *fuses = &platform->domains[1].fuses;
	const struct punit_level *level = &fuses->levels[0];

	(void)state;
	assert_int_equal(fuses->n_levels, 5);
	assert_int_equal(fuses->allowed_level_mask, 0x1f);
	assert_true(fuses->pp_enabled && fuses->cp_supported);
	assert_false(fuses->locked || fuses->clos_by_mailbox);
	assert_int_equal(level->tdp_w, 205);
	assert_int_equal(level->tdp_ratio, 26);
	assert_int_equal(level->base_ratio_sse, 26);
	assert_int_equal(level->base_ratio_avx2, 22);
	assert_int_equal(level->base_ratio_avx512, 19);
	assert_int_equal(level->base_ratio_amx, 0);
	assert_int_equal(level->tjunction_max_c, 100);
	assert_int_equal(level->uncore[0].max_ratio, 24);
	assert_int_equal(level->uncore[0].base_ratio, 14);
	assert_int_equal(level->uncore[0].min_ratio, 8);
	assert_false(level->has_uncore1);
	assert_int_equal(level->power_max_w, 205);
	assert_int_equal(level->n_turbo_rows, 3);
	assert_int_equal(level->turbo_core_counts[7], 16);
	assert_int_equal(level->turbo_ratios[0][0], 32);
	assert_int_equal(level->turbo_ratios[2][7], 27);
	assert_true(level->has_base_freq && level->has_turbo_freq);
	assert_int_equal(level->base_freq.high_ratio, 30);
	assert_int_equal(level->base_freq.low_ratio, 24);
	assert_int_equal(level->base_freq.tjunction_c, 125);
	assert_int_equal(level->base_freq.tdp_w, 205);
	assert_int_equal(level->turbo_freq.core_counts[2], 6);
	assert_int_equal(level->turbo_freq.n_rows, 3);
	assert_int_equal(level->turbo_freq.ratios[2][1], 29);
	assert_int_equal(level->turbo_freq.n_clips, 3);
	assert_int_equal(level->turbo_freq.clip_ratios[2], 21);
	assert_false(fuses->levels[1].has_base_freq);
	platform_file_free(platform);
}

static void test_guide_machine(void **state)
{
	struct sim_platform *platform = load("guide");

	(void)state;
	assert_int_equal(platform->cpu.family, 6);
	assert_int_equal(platform->cpu.model, 0x6a);
	assert_int_equal(platform->cpu.stepping, 6);
	assert_string_equal(platform->cpu.model_name, "Intel(R) Xeon(R) Gold 6330N CPU @ 2.60GHz");
	assert_false(platform->cpu.hfi || platform->cpu0_online_file);
	assert_true(platform->mbox && platform->mmio && platform->has_msrs);
	assert_int_equal(platform->driver_version, 1);
	assert_int_equal(platform->max_cmds_per_ioctl, 64);
	assert_int_equal(platform->msrs[0].turbo_ratio_limit, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(platform->msrs[0].turbo_ratio_limit_cores, 0x100e0c0a08060402);
	assert_string_equal(platform->cpufreq.driver, "intel_pstate");
	assert_string_equal(platform->cpufreq.governors[platform->cpufreq.governor], "powersave");
	assert_string_equal(platform->cpufreq.epps[platform->cpufreq.epp], "balance_performance");
	assert_null(platform->cpufreq.epps[5]);
	assert_int_equal(platform->cpufreq.base_khz, 2600000);
	assert_int_equal(platform->cpufreq.epb, 6);
	assert_int_equal(platform->n_idle_states, 4);
	assert_string_equal(platform->idle_states[2].name, "C1E");
	assert_string_equal(platform->idle_states[3].desc, "MWAIT 0x20");
	assert_int_equal(platform->idle_states[3].latency_us, 170);
	assert_int_equal(platform->idle_states[3].residency_us, 600);
	assert_true(platform->umwait_c02);
	assert_int_equal(platform->umwait_max_time, 100000);
	assert_int_equal(platform->uncore_min_khz, 800000);
	assert_int_equal(platform->uncore_max_khz, 2400000);
	platform_file_free(platform);
}

static void test_initial_state(void **state)
{
	struct sim_platform *platform;
	json_t *json = platform_texts_load("guide");
	const struct punit_state *initial;

	(void)state;
	platform_texts_edit(json, "sst.clos[2]",
			    "{\"epp\": 10, \"weight\": 7, \"min_mhz\": 800, \"max_mhz\": 3200, "
			    "\"desired_mhz\": 2600}");
	platform_texts_edit(json, "sst.core_power",
			    "{\"supported\": true, \"enabled\": true, \"clos_enabled\": false, "
			    "\"priority\": 1}");
	platform_texts_edit(json, "sst.current_level", "3");
	platform = platform_texts_make(json);
	initial = &platform->domains[1].initial;
	assert_int_equal(initial->current_level, 3);
	assert_int_equal(initial->clos[0], 0x00ff0000);
	assert_int_equal(initial->clos[2], 0x1a20087a);
	assert_int_equal(initial->cp_enabled, 1);
	assert_int_equal(initial->clos_enabled, 0);
	assert_int_equal(initial->clos_ordered, 1);
	assert_int_equal(initial->base_freq_on + initial->turbo_freq_on, 0);
	for (size_t i = 0; i < PUNIT_MAX_CORES; i++)
		assert_int_equal(initial->association[i], 0);
	platform_file_free(platform);
	json_decref(json);
}

static void test_skylake_generation(void **state)
{
	struct sim_platform *platform = load("cpx-5318h-2s");

	(void)state;
	assert_true(platform->domains[0].fuses.clos_by_mailbox);
	assert_false(platform->domains[0].fuses.pp_enabled);
	assert_true(platform->domains[0].fuses.locked);
	assert_int_equal(platform->domains[0].fuses.unanswered, 1 << 10 | 1 << 12);
	platform_file_free(platform);
}

static void test_fixed_in_bios(void **state)
{
	struct sim_platform *platform = load("clx-6230n-2s");

	(void)state;
	assert_false(platform->domains[0].has_sst || platform->has_msrs);
	assert_int_equal(platform->cpufreq.high_priority_base_khz, 2700000);
	assert_int_equal(cpuset_count(&platform->cpufreq.high_priority_cpus), 24);
	assert_true(cpuset_has(&platform->cpufreq.high_priority_cpus, 75));
	platform_file_free(platform);
}

static void test_tpmi_figures(void **state)
{
	struct sim_platform *platform = load("gnr-6980p-2s");
	const struct sim_domain *domains = platform->domains;

	(void)state;
	assert_int_equal(domains[2].fuses.levels[0].turbo_core_counts[7], 42);
	assert_int_equal(domains[5].fuses.levels[0].turbo_core_counts[7], 43);
	assert_int_equal(domains[5].fuses.levels[0].n_turbo_rows, 6);
	assert_int_equal(domains[5].fuses.levels[0].memory, 8800);
	assert_int_equal(domains[5].fuses.levels[0].turbo_freq.n_clips, 6);
	assert_int_equal(domains[3].punit, 3);
	assert_true(cpuset_is_empty(&domains[3].cores) && cpuset_is_empty(&domains[3].cpus));
	assert_int_equal(domains[3].fuses.levels[0].uncore[0].max_ratio, 25);
	assert_int_equal(domains[3].fuses.levels[0].n_turbo_rows, 1);
	assert_int_equal(domains[9].die, 1);
	platform_file_free(platform);
}

/* A mailbox machine of two packages without SST, two domains in the second. */
static json_t *make_uneven(const char *numbering, unsigned int threads)
{
	json_t *json = platform_texts_load("guide");

	platform_texts_edit(json, "sst", "null");
	platform_texts_edit(json, "topology.packages[0].domains[0].cores", "\"1,4\"");
	platform_texts_edit(json, "topology.packages[1].domains",
			    "[{\"die\": 0, \"punit\": 0, \"cores\": \"0\"}, "
			    "{\"die\": 1, \"punit\": 2, \"cores\": \"7-8\"}]");
	platform_texts_set(json, "topology.numbering", json_string(numbering));
	platform_texts_set(json, "topology.threads_per_core", json_integer(threads));
	return json;
}

static const struct {
	const char *numbering;
	unsigned int threads;
	/* By CPU: package << 16 | physical_cpu. */
	size_t n_cpus;
	uint32_t places[10];
} NUMBERINGS[] = {
	{ "siblings-last", 1, 5, { 2, 8, 0x10000, 0x1040e, 0x10410 } },
	{ "siblings-last",
	  2,
	  10,
	  { 2, 8, 0x10000, 0x1040e, 0x10410, 3, 9, 0x10001, 0x1040f, 0x10411 } },
	{ "siblings-adjacent",
	  2,
	  10,
	  { 2, 3, 8, 9, 0x10000, 0x10001, 0x1040e, 0x1040f, 0x10410, 0x10411 } },
	{ "packages-interleaved", 1, 5, { 2, 0x10000, 8, 0x1040e, 0x10410 } },
	{ "packages-interleaved",
	  2,
	  10,
	  { 2, 0x10000, 8, 0x1040e, 0x10410, 3, 0x10001, 9, 0x1040f, 0x10411 } },
};

static void test_numberings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(NUMBERINGS); i++) {
		json_t *json = make_uneven(NUMBERINGS[i].numbering, NUMBERINGS[i].threads);
		struct sim_platform *platform = platform_texts_make(json);

		assert_int_equal(platform->n_cpus, NUMBERINGS[i].n_cpus);
		for (size_t cpu = 0; cpu < platform->n_cpus; cpu++)
			assert_int_equal(platform->cpus[cpu].package << 16 |
						 platform->cpus[cpu].physical_cpu,
					 NUMBERINGS[i].places[cpu]);
		assert_false(platform->domains[0].has_sst);
		platform_file_free(platform);
		json_decref(json);
	}
}

/* Two domains of 24 modules of four: their core_ids must not run into each other. */
static void test_module_numbering(void **state)
{
	static const char *const ORDERS[] = { "siblings-last", "siblings-adjacent",
					      "packages-interleaved" };
	static const uint32_t FIRST_OF_PACKAGE_1[] = { 192, 192, 4 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ORDERS); i++) {
		json_t *json = platform_texts_load("srf-6746e-2s");
		static const char DOMAINS[] = "[{\"die\": 0, \"punit\": 0, \"cores\": \"0-23\"}, "
					      "{\"die\": 0, \"punit\": 1, \"cores\": \"0-23\"}]";
		struct sim_platform *platform;

		platform_texts_edit(json, "sst", "null");
		platform_texts_edit(json, "io_sst", "null");
		platform_texts_edit(json, "topology.packages[0].domains", DOMAINS);
		platform_texts_edit(json, "topology.packages[1].domains", DOMAINS);
		platform_texts_set(json, "topology.numbering", json_string(ORDERS[i]));
		platform = platform_texts_make(json);
		assert_int_equal(platform->n_cpus, 384);
		assert_int_equal(platform->cpus[3].core_id, 3);
		assert_int_equal(platform->cpus[3].physical_cpu, 3);
		assert_int_equal(platform->cpus[FIRST_OF_PACKAGE_1[i]].package, 1);
		assert_int_equal(platform->cpus[FIRST_OF_PACKAGE_1[i]].core_id, 0);
		assert_int_equal(platform->cpus[383].core_id, 128 + 23 * 4 + 3);
		assert_int_equal(platform->cpus[383].physical_cpu, 1 << 11 | 23 << 3 | 3);
		platform_file_free(platform);
		json_decref(json);
	}
}

static void test_digest(void **state)
{
	char *text = platform_texts_read("guide"), *longer;
	struct sim_platform *platform = platform_texts_parse(text), *other;

	(void)state;
	assert_true(asprintf(&longer, "%s ", text) >= 0);
	other = platform_texts_parse(longer);
	assert_int_equal(platform->digest, digest_bytes(text, strlen(text)));
	assert_int_not_equal(platform->digest, other->digest);
	platform_file_free(platform);
	platform_file_free(other);
	platform_file_free(NULL);
	free(longer);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_uncore_agrees),
		cmocka_unit_test(test_guide_figures),
		cmocka_unit_test(test_guide_machine),
		cmocka_unit_test(test_initial_state),
		cmocka_unit_test(test_skylake_generation),
		cmocka_unit_test(test_fixed_in_bios),
		cmocka_unit_test(test_tpmi_figures),
		cmocka_unit_test(test_numberings),
		cmocka_unit_test(test_module_numbering),
		cmocka_unit_test(test_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
