// SPDX-License-Identifier: GPL-2.0-only
/* The largest machines that a platform file can describe, and what is one too many. */
#include "base/cleanup.h"
#include "platform_texts.h"

#define MAX_PACKAGES 64
#define MAX_DOMAINS  32

/* A list of n_packages equal packages: n_compute domains with those cores, then IO domains. */
static json_t *make_packages(size_t n_packages, size_t n_compute, size_t n_domains,
			     const char *cores)
{
	json_t *packages = json_array();

	for (size_t package = 0; package < n_packages; package++) {
		json_t *domains = json_array();

		for (size_t i = 0; i < n_domains; i++)
			json_array_append_new(domains,
					      json_pack("{s:I, s:I, s:s}", "die", (json_int_t)i,
							"punit", (json_int_t)i, "cores",
							i < n_compute ? cores : ""));
		json_array_append_new(packages, json_pack("{s:o}", "domains", domains));
	}
	return packages;
}

/* Gives every level of sst the same cores in all domains, and takes SST-BF away. */
static void set_level_cores(json_t *root, const char *cores)
{
	json_t *level;
	size_t i;

	json_array_foreach (platform_texts_at(root, "sst.levels"), i, level) {
		json_object_set_new(level, "cores", json_string(cores));
		json_object_set_new(level, "base_freq", json_null());
	}
}

static void test_most_mailbox_domains(void **state)
{
	json_t *json = platform_texts_load("guide");
	struct sim_platform *platform;

	(void)state;
	platform_texts_set(json, "topology.packages",
			   make_packages(MAX_PACKAGES, MAX_DOMAINS, MAX_DOMAINS, "3,63"));
	set_level_cores(json, "63");
	platform = platform_texts_make(json);
	assert_int_equal(platform->n_packages, MAX_PACKAGES);
	assert_int_equal(platform->n_domains, MAX_PACKAGES * MAX_DOMAINS);
	assert_int_equal(platform->n_cpus, 8192);
	assert_int_equal(platform->cpus[8191].package, MAX_PACKAGES - 1);
	assert_int_equal(platform->cpus[8191].domain, MAX_PACKAGES * MAX_DOMAINS - 1);
	assert_int_equal(platform->cpus[8191].core_id, 31 * 64 + 63);
	assert_int_equal(platform->cpus[8191].physical_cpu, 31 << 9 | 63 << 1 | 1);
	assert_int_equal(platform->domains[2047].fuses.levels[4].core_mask, UINT64_C(1) << 63);
	platform_file_free(platform);
	json_decref(json);
}

static void test_most_tpmi_domains(void **state)
{
	json_t *json = platform_texts_load("gnr-6980p-2s");
	struct sim_platform *platform;

	(void)state;
	platform_texts_set(json, "topology.packages", make_packages(MAX_PACKAGES, 14, 16, "0-3"));
	platform_texts_edit(json, "sst.levels[0].turbo.cores", "[1, 2, 3, 4, 5, 6, 7, 8]");
	platform_texts_edit(json, "topology.numbering", "\"packages-interleaved\"");
	set_level_cores(json, "0-3");
	platform = platform_texts_make(json);
	assert_int_equal(platform->n_domains, MAX_PACKAGES * 16);
	assert_int_equal(platform->n_cpus, 7168);
	for (uint32_t cpu = 0; cpu < 7168; cpu++)
		assert_int_equal(platform->cpus[cpu].package, cpu % MAX_PACKAGES);
	assert_int_equal(platform->domains[1021].fuses.levels[0].turbo_core_counts[7], 8);
	assert_true(platform->domains[1023].has_sst);
	platform_file_free(platform);
	json_decref(json);
}

/* TPMI parts have the level numbers of the others: the control word has 3 bits for them. */
static void test_highest_tpmi_level(void **state)
{
	json_t *json = platform_texts_load("gnr-6980p-2s");
	struct sim_platform *platform;

	(void)state;
	platform_texts_edit(json, "sst.levels[0].level", "7");
	platform_texts_edit(json, "sst.current_level", "7");
	platform_texts_edit(json, "sst.allowed_levels", "[7]");
	platform = platform_texts_make(json);
	assert_int_equal(platform->domains[0].fuses.levels[0].level, 7);
	assert_int_equal(platform->domains[0].fuses.allowed_level_mask, 1 << 7);
	assert_int_equal(platform->domains[0].initial.current_level, 7);
	platform_file_free(platform);
	json_decref(json);
}

/* 8 CPUs a module, one domain of 16 modules for each of 64 packages: 8,192 CPUs again. */
static void test_largest_modules(void **state)
{
	json_t *json = platform_texts_load("srf-6746e-2s");
	struct sim_platform *platform;

	(void)state;
	platform_texts_edit(json, "topology.cores_per_module", "8");
	platform_texts_set(json, "topology.packages", make_packages(MAX_PACKAGES, 1, 3, "0-15"));
	set_level_cores(json, "0-15");
	platform = platform_texts_make(json);
	assert_int_equal(platform->n_cpus, 8192);
	assert_int_equal(platform->cpus[8191].core_id, 127);
	assert_int_equal(platform->cpus[8191].physical_cpu, 15 << 3 | 7);
	platform_file_free(platform);
	json_decref(json);
}

static const struct {
	size_t n_packages;
	size_t n_domains;
	const char *cores;
	const char *path;
	const char *words;
} TOO_LARGE[] = {
	{ MAX_PACKAGES + 1, 1, "0-1", "topology.packages", "1 to 64 elements, not 65" },
	{ 1, MAX_DOMAINS + 1, "0-1", "topology.packages[0].domains", "1 to 32 elements, not 33" },
	{ MAX_PACKAGES, MAX_DOMAINS, "0-2", "topology.packages",
	  "12288 logical CPUs are too many, 8192 is the most" },
};

static void test_too_large(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TOO_LARGE); i++) {
		json_t *json = platform_texts_load("guide");

		platform_texts_set(json, "topology.packages",
				   make_packages(TOO_LARGE[i].n_packages, TOO_LARGE[i].n_domains,
						 TOO_LARGE[i].n_domains, TOO_LARGE[i].cores));
		platform_texts_check_refused(json, TOO_LARGE[i].path, TOO_LARGE[i].words);
		json_decref(json);
	}
}

static void check_count(const char *list, const char *words)
{
	json_t *json = platform_texts_load("guide"), *elements = platform_texts_at(json, list);

	while (json_array_size(elements) < 300)
		json_array_append(elements, json_array_get(elements, 0));
	platform_texts_check_refused(json, list, words);
	json_decref(json);
}

static void test_long_lists(void **state)
{
	(void)state;
	check_count("cpuidle.states", "1 to 10 elements, not 300");
	check_count("cpufreq.governors", "1 to 255 elements, not 300");
	check_count("cpufreq.epps", "1 to 255 elements, not 300");
	check_count("sst.levels", "1 to 8 elements, not 300");
	check_count("sst.allowed_levels", "0 to 8 elements, not 300");
	check_count("sst.levels[0].turbo.mhz", "1 to 6 elements, not 300");
	check_count("sst.levels[0].turbo_freq.mhz", "1 to 6 elements, not 300");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_mailbox_domains),
		cmocka_unit_test(test_most_tpmi_domains),
		cmocka_unit_test(test_highest_tpmi_level),
		cmocka_unit_test(test_largest_modules),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_long_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
