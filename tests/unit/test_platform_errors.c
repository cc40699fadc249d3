// SPDX-License-Identifier: GPL-2.0-only
/* Platform files with a value that contradicts something: the message has its line and member.
 * Lines come from a dump with a marker in the member's place, not from the code under test. */
#include <errno.h>

#include "base/cleanup.h"
#include "platform_texts.h"

#define MAILBOX "guide"
#define TPMI    "gnr-6980p-2s"
#define MODULES "srf-6746e-2s"
#define BIOS    "clx-6230n-2s"

struct edit {
	const char *path;
	const char *value;
};

/* Edits that contradict each other, the file or the hardware; path is the member to blame. */
static const struct mutation {
	const char *platform;
	struct edit edits[3];
	const char *path;
	const char *words;
} MUTATIONS[] = {
	{ MAILBOX, { { "schema", "2" } }, "schema", "must be 1, not 2" },
	{ MAILBOX, { { "name", "\"\"" } }, "name", "must not be empty" },
	{ MAILBOX, { { "name", "\"../up\"" } }, "name", "only letters" },
	{ MAILBOX, { { "name", "\".up\"" } }, "name", "begin with a dot" },
	{ MAILBOX, { { "description", "\"a\\nb\"" } }, "description", "control characters" },
	{ MAILBOX, { { "cpu.family", "271" } }, "cpu.family", "from 0 to 270, not 271" },
	{ MAILBOX, { { "cpu.model", "-1" } }, "cpu.model", "not -1" },
	{ MAILBOX, { { "cpu.stepping", "16" } }, "cpu.stepping", "not 16" },
	{ MAILBOX, { { "cpu.stepping", "6.0" } }, "cpu.stepping", "whole number" },
	{ MAILBOX, { { "cpu.model_name", "\"\"" } }, "cpu.model_name", "empty" },
	/* the interface */
	{ MAILBOX,
	  { { "interface.kind", "\"pci\"" } },
	  "interface.kind",
	  "one of \"none\", \"mailbox\", \"tpmi\", not \"pci\"" },
	{ MAILBOX, { { "interface.api_version", "2" } }, "interface.api_version", "must be 1" },
	{ MAILBOX, { { "interface.api_version", "4" } }, "interface.api_version", "must be 1" },
	{ TPMI, { { "interface.api_version", "1" } }, "interface.api_version", "from 2" },
	{ TPMI, { { "interface.mbox", "1" } }, "interface.mbox", "must be 0" },
	{ TPMI, { { "interface.mmio", "1" } }, "interface.mmio", "must be 0" },
	{ MAILBOX, { { "interface.mmio", "2" } }, "interface.mmio", "from 0 to 1" },
	{ MAILBOX,
	  { { "interface.max_cmds_per_ioctl", "0" } },
	  "interface.max_cmds_per_ioctl",
	  "from 1" },
	{ BIOS, { { "interface.api_version", "1" } }, "interface.api_version", "must be 0" },
	{ BIOS, { { "interface.mbox", "1" } }, "interface.mbox", "must be 0" },
	/* the topology */
	{ MAILBOX,
	  { { "topology.threads_per_core", "3" } },
	  "topology.threads_per_core",
	  "from 1 to 2" },
	{ MODULES,
	  { { "topology.cores_per_module", "9" } },
	  "topology.cores_per_module",
	  "from 1 to 8" },
	{ MODULES,
	  { { "topology.threads_per_core", "2" } },
	  "topology.cores_per_module",
	  "one thread" },
	{ MAILBOX,
	  { { "topology.threads_per_core", "1" }, { "topology.cores_per_module", "2" } },
	  "topology.cores_per_module",
	  "no modules" },
	{ MAILBOX, { { "topology.numbering", "\"random\"" } }, "topology.numbering", "one of" },
	{ MAILBOX, { { "topology.packages", "[]" } }, "topology.packages", "not 0" },
	{ MAILBOX,
	  { { "topology.packages[1].domains", "[]" } },
	  "topology.packages[1].domains",
	  "not 0" },
	{ MAILBOX,
	  { { "topology.packages[1].domains[0].punit", "32" } },
	  "topology.packages[1].domains[0].punit",
	  "from 0 to 31" },
	{ TPMI,
	  { { "topology.packages[1].domains[2].punit", "1" } },
	  "topology.packages[1].domains[2].punit",
	  "another domain" },
	{ TPMI, { { "topology.packages[0].domains[1].punit", "16" } }, "sst", "ids up to 15" },
	{ TPMI, { { "topology.packages[0].domains[4].punit", "16" } }, "io_sst", "ids up to 15" },
	{ MAILBOX,
	  { { "topology.packages[0].domains[0].cores", "\"\"" } },
	  "topology.packages[0].domains[0].cores",
	  "without cores" },
	{ BIOS,
	  { { "topology.packages[1].domains[0].cores", "\"\"" } },
	  "topology.packages[1].domains",
	  "no domain of this package" },
	{ TPMI,
	  { { "topology.packages[0].domains[0].cores", "\"0-64\"" } },
	  "topology.packages[0].domains[0].cores",
	  "above 63" },
	{ MAILBOX,
	  { { "topology.packages[0].domains[0].cores", "\"0-256\"" } },
	  "topology.packages[0].domains[0].cores",
	  "above 255" },
	{ MAILBOX,
	  { { "topology.packages[0].domains[0].cores", "\"0-9999999\"" } },
	  "topology.packages[0].domains[0].cores",
	  "above 255" },
	{ MAILBOX,
	  { { "topology.packages[0].domains[0].cores", "\"3-1\"" } },
	  "topology.packages[0].domains[0].cores",
	  "a list such as" },
	{ MAILBOX,
	  { { "topology.packages[0].domains[0].cores", "\"all\"" } },
	  "topology.packages[0].domains[0].cores",
	  "not \"all\"" },
	/* cpufreq and its like */
	{ MAILBOX, { { "cpufreq.min_khz", "3300000" } }, "cpufreq.min_khz", "above max_khz" },
	{ MAILBOX, { { "cpufreq.max_khz", "25500001" } }, "cpufreq.max_khz", "25500000" },
	{ MAILBOX,
	  { { "cpufreq.base_khz", "3300000" } },
	  "cpufreq.base_khz",
	  "from 800000 to 3200000" },
	{ MAILBOX,
	  { { "cpufreq.governor", "\"ondemand\"" } },
	  "cpufreq.governor",
	  "one of \"performance\", \"powersave\"" },
	{ MAILBOX, { { "cpufreq.governors", "[]" } }, "cpufreq.governors", "not 0" },
	{ MAILBOX,
	  { { "cpufreq.governors[1]", "\"performance\"" } },
	  "cpufreq.governors[1]",
	  "already" },
	{ MAILBOX,
	  { { "cpufreq.governors[0]", "\"per formance\"" } },
	  "cpufreq.governors[0]",
	  "one word" },
	{ MAILBOX, { { "cpufreq.epp", "\"fast\"" } }, "cpufreq.epp", "one of \"default\"" },
	{ MAILBOX, { { "cpufreq.epb", "16" } }, "cpufreq.epb", "from 0 to 15" },
	{ MAILBOX, { { "cpufreq.no_turbo", "2" } }, "cpufreq.no_turbo", "from 0 to 1" },
	{ BIOS,
	  { { "cpufreq.high_priority.cpus", "\"0-3,80\"" } },
	  "cpufreq.high_priority.cpus",
	  "from 0 to 79, not 80" },
	{ BIOS,
	  { { "cpufreq.high_priority.cpus", "\"\"" } },
	  "cpufreq.high_priority.cpus",
	  "empty" },
	{ BIOS,
	  { { "cpufreq.high_priority.base_khz", "3600000" } },
	  "cpufreq.high_priority.base_khz",
	  "not 3600000" },
	{ MAILBOX,
	  { { "cpufreq.high_priority", "{\"cpus\": \"0-3\", \"base_khz\": 2700000}" } },
	  "cpufreq.high_priority",
	  "sst gives" },
	{ MAILBOX, { { "cpuidle.states", "[]" } }, "cpuidle.states", "not 0" },
	{ MAILBOX,
	  { { "cpuidle.states[2].disable", "2" } },
	  "cpuidle.states[2].disable",
	  "0 to 1" },
	{ MAILBOX, { { "cpuidle.states[1].name", "\"\"" } }, "cpuidle.states[1].name", "empty" },
	{ MAILBOX, { { "umwait.max_time", "100001" } }, "umwait.max_time", "multiple of 4" },
	{ MAILBOX, { { "umwait.max_time", "4294967296" } }, "umwait.max_time", "4294967295" },
	{ MAILBOX, { { "uncore.layout", "\"new\"" } }, "uncore.layout", "one of" },
	{ MAILBOX, { { "uncore.min_khz", "2500000" } }, "uncore.min_khz", "above max_khz" },
	{ MAILBOX, { { "uncore.min_khz", "850000" } }, "uncore.min_khz", "multiple of 100000" },
	{ MAILBOX, { { "uncore.max_khz", "12800000" } }, "uncore.max_khz", "12700000" },
	{ TPMI,
	  { { "uncore.layout", "\"legacy\"" } },
	  "uncore.layout",
	  "package 0 has more on die 0" },
	{ MAILBOX,
	  { { "msr.turbo_ratio_limit", "[1, 2]" } },
	  "msr.turbo_ratio_limit",
	  "must have 8 elements, not 2" },
	{ MAILBOX, { { "msr.turbo_ratio_limit[3]", "256" } }, "msr.turbo_ratio_limit[3]", "255" },
	{ MAILBOX, { { "msr", "null" } }, "msr", "SST" },
	{ MAILBOX,
	  { { "msr.turbo_ratio_limit_cores[7]", "15" } },
	  "sst.levels[0].turbo.cores",
	  "msr.turbo_ratio_limit_cores" },
	/* SST as a whole */
	{ BIOS, { { "sst", "{}" } }, "sst", "null" },
	{ MAILBOX, { { "io_sst", "{}" } }, "io_sst", "null" },
	{ BIOS, { { "io_sst", "{}" } }, "io_sst", "null" },
	{ MAILBOX, { { "sst.version", "256" } }, "sst.version", "255" },
	{ MAILBOX, { { "sst.current_level", "5" } }, "sst.current_level", "level 5 is not listed" },
	{ MAILBOX, { { "sst.current_level", "8" } }, "sst.current_level", "from 0 to 7" },
	{ MAILBOX,
	  { { "sst.allowed_levels[1]", "6" } },
	  "sst.allowed_levels",
	  "level 6 is not listed" },
	{ MAILBOX, { { "sst.allowed_levels[1]", "2" } }, "sst.allowed_levels[2]", "already" },
	{ MAILBOX, { { "sst.unanswered", "[10, 64]" } }, "sst.unanswered[1]", "from 0 to 63" },
	{ MAILBOX, { { "sst.unanswered", "[10, 10]" } }, "sst.unanswered[1]", "already" },
	{ TPMI, { { "sst.unanswered", "[10]" } }, "sst.unanswered", "no mailbox" },
	{ MAILBOX, { { "sst.core_power.priority", "2" } }, "sst.core_power.priority", "0 to 1" },
	{ MAILBOX,
	  { { "sst.core_power.supported", "false" }, { "sst.core_power.enabled", "true" } },
	  "sst.core_power.enabled",
	  "not supported" },
	{ MAILBOX,
	  { { "sst.core_power.supported", "false" }, { "sst.core_power.clos_enabled", "true" } },
	  "sst.core_power.clos_enabled",
	  "not supported" },
	{ TPMI, { { "sst.core_power.enabled", "true" } }, "sst.core_power.clos_enabled", "same" },
	{ MAILBOX, { { "sst.clos", "[{}, {}, {}]" } }, "sst.clos", "must have 4 elements, not 3" },
	{ MAILBOX, { { "sst.clos[1].epp", "16" } }, "sst.clos[1].epp", "15" },
	{ MAILBOX, { { "sst.clos[1].weight", "16" } }, "sst.clos[1].weight", "15" },
	{ MAILBOX,
	  { { "sst.clos[3].min_mhz", "2000" }, { "sst.clos[3].max_mhz", "1900" } },
	  "sst.clos[3].min_mhz",
	  "2000 is above max_mhz" },
	{ MAILBOX,
	  { { "sst.clos[3].desired_mhz", "2050" } },
	  "sst.clos[3].desired_mhz",
	  "multiple of 100 MHz, not 2050" },
	{ MAILBOX, { { "sst.clos[3].max_mhz", "25600" } }, "sst.clos[3].max_mhz", "25500" },
	/* levels */
	{ MAILBOX, { { "sst.levels", "[]" } }, "sst.levels", "not 0" },
	{ MAILBOX, { { "sst.levels[2].level", "1" } }, "sst.levels[2].level", "listed already" },
	{ MAILBOX, { { "sst.levels[2].level", "8" } }, "sst.levels[2].level", "from 0 to 7" },
	{ TPMI, { { "sst.levels[0].level", "8" } }, "sst.levels[0].level", "from 0 to 7" },
	{ MAILBOX,
	  { { "sst.levels[1].cores", "\"0-3,40\"" } },
	  "sst.levels[1].cores",
	  "core 40 is not in domain 0 of package 0" },
	{ MAILBOX,
	  { { "topology.packages[1].domains[0].cores", "\"0-12\"" } },
	  "sst.levels[0].cores",
	  "core 13 is not in domain 0 of package 1" },
	{ TPMI,
	  { { "sst.levels[0].cores[5]", "\"42\"" } },
	  "sst.levels[0].cores[5]",
	  "core 42 is not in domain 2 of package 1" },
	{ MAILBOX, { { "sst.levels[1].cores", "\"\"" } }, "sst.levels[1].cores", "have cores" },
	{ MAILBOX, { { "sst.levels[1].cores", "\"64\"" } }, "sst.levels[1].cores", "above 63" },
	{ MAILBOX,
	  { { "sst.levels[1].cores", "[\"0\", \"1\", \"2\"]" } },
	  "sst.levels[1].cores",
	  "must have 2 elements, not 3" },
	{ MAILBOX, { { "sst.levels[1].cores", "[\"0\", 1]" } }, "sst.levels[1].cores[1]", "text" },
	{ MAILBOX, { { "sst.levels[1].cores", "[0, 1]" } }, "sst.levels[1].cores", "text" },
	{ MAILBOX,
	  { { "sst.levels[1].cores", "[]" } },
	  "sst.levels[1].cores",
	  "2 elements, not 0" },
	{ TPMI,
	  { { "io_sst.levels[0].cores", "\"0\"" } },
	  "io_sst.levels[0].cores",
	  "core 0 is not in domain 3 of package 0" },
	{ TPMI,
	  { { "io_sst.levels[0].cores", "[\"\"]" } },
	  "io_sst.levels[0].cores",
	  "must have 4 elements, not 1" },
	{ MAILBOX, { { "sst.levels[0].tdp_w", "32768" } }, "sst.levels[0].tdp_w", "32767" },
	{ TPMI,
	  { { "sst.levels[0].tdp_w", "4096" } },
	  "sst.levels[0].tdp_w",
	  "0 to 4095, not 4096" },
	{ MAILBOX, { { "sst.levels[0].tdp_ratio", "256" } }, "sst.levels[0].tdp_ratio", "255" },
	{ TPMI,
	  { { "sst.levels[0].tdp_ratio", "21" } },
	  "sst.levels[0].tdp_ratio",
	  "must be 20, not 21" },
	{ MAILBOX,
	  { { "sst.levels[0].base_mhz.sse", "2650" } },
	  "sst.levels[0].base_mhz.sse",
	  "multiple of 100 MHz" },
	{ MAILBOX,
	  { { "sst.levels[0].base_mhz.amx", "25600" } },
	  "sst.levels[0].base_mhz.amx",
	  "25500" },
	{ MAILBOX,
	  { { "sst.levels[0].uncore_mhz.min", "2500" } },
	  "sst.levels[0].uncore_mhz.min",
	  "above max" },
	{ MAILBOX,
	  { { "sst.levels[0].uncore_mhz.base", "2500" } },
	  "sst.levels[0].uncore_mhz.base",
	  "above max" },
	{ MAILBOX,
	  { { "sst.version", "2" },
	    { "sst.levels[0].uncore1_mhz", "{\"max\": 100, \"base\": 100, \"min\": 100}" } },
	  "sst.levels[0].uncore1_mhz",
	  "second fabric" },
	{ TPMI,
	  { { "sst.levels[0].uncore1_mhz", "{\"max\": 100, \"base\": 100, \"min\": 100}" } },
	  "sst.levels[0].uncore1_mhz",
	  "version 2" },
	{ TPMI,
	  { { "sst.version", "2" },
	    { "sst.levels[0].uncore1_mhz", "{\"max\": 900, \"base\": 800, \"min\": 1000}" } },
	  "sst.levels[0].uncore1_mhz.min",
	  "above max" },
	{ MAILBOX,
	  { { "sst.levels[0].memory", "256" } },
	  "sst.levels[0].memory",
	  "0 to 255, not 256" },
	{ TPMI, { { "sst.levels[0].memory", "8850" } }, "sst.levels[0].memory", "of 100 MHz" },
	{ TPMI, { { "sst.levels[0].memory", "12800" } }, "sst.levels[0].memory", "12700" },
	{ MAILBOX,
	  { { "sst.levels[0].power_w.min", "206" } },
	  "sst.levels[0].power_w.min",
	  "above max" },
	{ MAILBOX, { { "sst.levels[0].cooling_type", "4" } }, "sst.levels[0].cooling_type", "3" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo.cores[7]", "17" } },
	  "sst.levels[0].turbo.cores",
	  "same as msr" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo.cores", "[[2, 4, 6, 8, 10, 12, 14, 16], "
					   "[2, 4, 6, 8, 10, 12, 14, 16]]" } },
	  "sst.levels[0].turbo.cores",
	  "must have 8 elements, not 2" },
	{ TPMI,
	  { { "sst.levels[0].turbo.cores[6]", "[1, 2, 3, 4, 5, 6, 7, 8]" } },
	  "sst.levels[0].turbo.cores",
	  "6 elements, not 7" },
	{ TPMI,
	  { { "sst.levels[0].turbo.cores[4]", "[1, 2]" } },
	  "sst.levels[0].turbo.cores[4]",
	  "8 elements" },
	{ MAILBOX, { { "sst.levels[0].turbo.mhz", "[]" } }, "sst.levels[0].turbo.mhz", "1 to 6" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo.mhz[1][2]", "25600" } },
	  "sst.levels[0].turbo.mhz[1][2]",
	  "25500" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo.mhz[1]", "[3200]" } },
	  "sst.levels[0].turbo.mhz[1]",
	  "8 elements, not 1" },
	{ MAILBOX,
	  { { "sst.levels[0].base_freq.cores", "\"14\"" } },
	  "sst.levels[0].base_freq.cores",
	  "core 14 is not in domain 0 of package 0" },
	{ MAILBOX,
	  { { "sst.levels[0].cores", "\"0-12\"" } },
	  "sst.levels[0].base_freq.cores",
	  "core 13 is not among" },
	{ MAILBOX,
	  { { "sst.levels[0].base_freq.low_mhz", "3100" } },
	  "sst.levels[0].base_freq.low_mhz",
	  "3100 is above high_mhz" },
	{ TPMI,
	  { { "sst.levels[0].base_freq.tdp_w", "5000" } },
	  "sst.levels[0].base_freq.tdp_w",
	  "0 to 4095, not 5000" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo_freq.clip_mhz", "[]" } },
	  "sst.levels[0].turbo_freq.clip_mhz",
	  "1 to 6" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo_freq.clip_mhz[2]", "2150" } },
	  "sst.levels[0].turbo_freq.clip_mhz[2]",
	  "100 MHz" },
	{ MAILBOX,
	  { { "sst.levels[0].turbo_freq.cores[0]", "256" } },
	  "sst.levels[0].turbo_freq.cores[0]",
	  "255" },
};

static void test_mutations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MUTATIONS); i++) {
		const struct mutation *mutation = &MUTATIONS[i];
		json_t *json = platform_texts_load(mutation->platform);

		for (size_t j = 0; j < ARRAY_SIZE(mutation->edits) && mutation->edits[j].path; j++)
			platform_texts_edit(json, mutation->edits[j].path,
					    mutation->edits[j].value);
		platform_texts_check_refused(json, mutation->path, mutation->words);
		json_decref(json);
	}
}

/* What is unusual and allowed. */
static const struct mutation ALLOWED[] = {
	{ .platform = TPMI, .edits = { { "interface.api_version", "4" } } },
	{ .platform = TPMI, .edits = { { "interface.api_version", "2" } } },
	{ .platform = TPMI, .edits = { { "io_sst", "null" } } },
	{ .platform = TPMI, .edits = { { "sst", "null" } } },
	{ .platform = TPMI,
	  .edits = { { "sst.version", "2" },
		     { "sst.levels[0].uncore1_mhz",
		       "{\"max\": 900, \"base\": 800, \"min\": 700}" } } },
	{ .platform = MAILBOX,
	  .edits = { { "cpufreq", "null" }, { "cpuidle", "null" }, { "umwait", "null" } } },
	{ .platform = MAILBOX, .edits = { { "uncore", "null" } } },
	{ .platform = MAILBOX, .edits = { { "sst", "null" }, { "msr", "null" } } },
	{ .platform = MAILBOX, .edits = { { "sst.allowed_levels", "[]" } } },
	{ .platform = MAILBOX, .edits = { { "sst.levels[0].cores", "[\"0-13\", \"0-13\"]" } } },
	{ .platform = MAILBOX, .edits = { { "topology.packages[0].domains[0].punit", "31" } } },
	{ .platform = MAILBOX,
	  .edits = { { "topology.packages[0].domains[0].cores", "\"0-255\"" } } },
	{ .platform = BIOS,
	  .edits = { { "msr", "{\"turbo_ratio_limit\": [1,2,3,4,5,6,7,8], "
			      "\"turbo_ratio_limit_cores\": [1,2,3,4,5,6,7,8]}" } } },
};

static void test_allowed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ALLOWED); i++) {
		const struct mutation *mutation = &ALLOWED[i];
		json_t *json = platform_texts_load(mutation->platform);

		for (size_t j = 0; j < ARRAY_SIZE(mutation->edits) && mutation->edits[j].path; j++)
			platform_texts_edit(json, mutation->edits[j].path,
					    mutation->edits[j].value);
		platform_file_free(platform_texts_make(json));
		json_decref(json);
	}
}

/* What the JSON library refuses by itself names the line. */
static void test_numbers_too_big(void **state)
{
	static const char text[] = "{\n \"schema\": 1,\n \"cpu\": {\n"
				   "  \"family\": 99999999999999999999\n }\n}";
	struct sim_platform *platform = NULL;
	char *message = NULL;

	(void)state;
	assert_int_equal(platform_file_parse("FILE", text, strlen(text), &platform, &message),
			 -EINVAL);
	assert_non_null(strstr(message, "FILE:4: "));
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_numbers_too_big),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
