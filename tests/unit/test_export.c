// SPDX-License-Identifier: GPL-2.0-only
/* Documents of the state of simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "state/compare.h"
#include "state/export.h"
#include "state_bench.h"

static const struct export_options everything = { 0 };

/* Nothing may differ from a document that was just made. */
static void assert_matches(struct state_bench *bench, const struct document *document,
			   const char *text)
{
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_(report_done) struct report report = { .is_held = true };
	_cleanup_wanted_ struct wanted_state wanted = { 0 };
	_cleanup_comparison_ struct comparison comparison = { 0 };

	assert_int_equal(wanted_resolve(&wanted, document, &bench->state, &report), 0);
	if (report_has_problem(&report))
		fail_msg("not of this machine: %s", text);
	assert_int_equal(comparison_make(&wanted, false, &comparison), 0);
	assert_int_equal(comparison_write(&comparison, " -> ", &lines), 0);
	if (report_has_problem(&report) || comparison.count)
		fail_msg("%s differs from %s", buffer_text(&lines), text);
}

/* The document, which must be one that can be read, and that the machine matches. remarks NULL:
 * there must be none. */
static char *make(struct state_bench *bench, const struct export_options *options,
		  struct export_remarks *remarks)
{
	_cleanup_export_remarks_ struct export_remarks none = { 0 };
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *problem = NULL;
	char *text;
	FILE *stream;

	assert_int_equal(export_make(&bench->state, options, &text, remarks ?: &none), 0);
	if (none.count)
		fail_msg("%s (%d)", none.list[0].text, none.list[0].error);
	stream = fmemopen(text, strlen(text), "r");
	assert_non_null(stream);
	if (document_read(stream, "-", &document, &problem))
		fail_msg("%s in %s", problem, text);
	fclose(stream);
	assert_matches(bench, &document, text);
	return text;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("\"%s\" is not in %s", line, text);
}

static void assert_lacks(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is in %s", words, text);
}

static void assert_remark(const struct export_remarks *remarks, size_t index, int error,
			  const char *text)
{
	assert_true(index < remarks->count);
	assert_int_equal(remarks->list[index].error, error);
	assert_string_equal(remarks->list[index].text, text);
}

static void default_state(void **state)
{
	static const char expected[] =
		"{\n"
		"  \"format\": \"intel-speed-select-state\", \"version\": 1,\n"
		"  \"require\": {\"vendor\": \"GenuineIntel\", \"family\": 6, \"model\": 106, "
		"\"packages\": 2, \"cpus\": 56},\n"
		"  \"settings\": [\n"
		"    {\"for\": \"all\", \"perf-profile\": {\"level\": 0}},\n"
		"    {\"for\": \"all\", \"turbo-mode\": {\"trl\": \"level\"}},\n"
		"    {\"for\": \"all\", \"online\": \"follow-level\"},\n"
		"    {\"for\": \"all\", \"cpufreq\": {\"min-mhz\": \"min\", \"max-mhz\": \"max\", "
		"\"governor\": \"powersave\",\n"
		"      \"epp\": \"balance_performance\", \"epb\": 6}}";
	static const char *const only[] = {
		"perf-profile",    "turbo-mode",      "online",
		"cpufreq.min-mhz", "cpufreq.max-mhz", "cpufreq.governor",
		"cpufreq.epp",     "cpufreq.epb",     NULL,
	};
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	text = make(&bench, &(struct export_options){ .only = only }, NULL);
	assert_memory_equal(text, expected, strlen(expected));
	assert_string_equal(text + strlen(expected), "\n  ]\n}\n");
	state_bench_close(&bench);
}

/* A default state is short, its lines are too, and it is the same text each time. */
static void sizes(void **state)
{
	static const char *const platforms[] = {
		"clx-6230n-2s",     "cpx-5318h-2s", "emr-8592-2s",  "gnr-6776p-2s",
		"gnr-6776p-pct-2s", "gnr-6980p-2s", "guide",        "icx-8360y-2s",
		"spr-6438n-2s",     "spr-8460h-4s", "srf-6746e-2s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++) {
		_cleanup_free_ char *text = NULL, *again = NULL;
		struct state_bench bench;
		size_t n_lines = 0;

		state_bench_open(&bench, platforms[i], NULL);
		text = make(&bench, &everything, NULL);
		state_bench_renew(&bench);
		again = make(&bench, &everything, NULL);
		assert_string_equal(text, again);
		for (const char *line = text; *line; line = strchr(line, '\n') + 1, n_lines++) {
			if (strcspn(line, "\n") > 100)
				fail_msg("%s: a line is too long: %s", platforms[i], line);
		}
		if (n_lines >= 40)
			fail_msg("%s: %zu lines", platforms[i], n_lines);
		state_bench_close(&bench);
	}
}

static void changed_state(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "icx-8360y-2s", NULL);
	const struct power_domain *domain = &bench.platform->domains.domains[1];
	const struct setting_request requests[] = {
		{ SETTING_CLOS, domain,
		  .value.clos = { .id = 2, .parameters = { .min_mhz = 1200, .max_mhz = 2000 } } },
		{ SETTING_CORE_POWER, domain, .value.core_power = { .on = true, .ordered = true } },
		{ SETTING_ASSOC, .cpu = 36, .value.number = 2 },
		{ SETTING_TRL, domain, .value.trl.ratios = UINT64_MAX },
		{ SETTING_TRL, .domain = domain - 1, .value.trl.ratios = 0x1111111111111111 },
	};
	state_bench_set(&bench, requests, ARRAY_SIZE(requests));
	state_bench_write(&bench, "cpu2/cpufreq/scaling_governor", "performance");
	state_bench_write(&bench, "cpu3/cpufreq/scaling_min_freq", "2000000");
	state_bench_write(&bench, "cpu0/cpuidle/state3/disable", "1");
	state_bench_write(&bench, "cpu143/online", "0");
	state_bench_renew(&bench);
	text = make(&bench, &everything, NULL);
	assert_has(text, "{\"for\": \"package-0\", \"turbo-mode\": {\"trl\": "
			 "\"0x1111111111111111\"}}");
	assert_has(text, "{\"for\": \"package-1\", \"turbo-mode\": {\"trl\": \"open\"}}");
	assert_has(text, "{\"for\": \"package-1\", \"core-power\": {\"enabled\": true, "
			 "\"priority\": \"ordered\",\n"
			 "      \"clos\": {\"2\": {\"min-mhz\": 1200, \"max-mhz\": 2000}}}}");
	assert_has(text, "{\"for\": \"cpu 36,108\", \"core-power\": {\"assoc\": 2}}");
	/* without a map of CPUs it is not known which package has CPU 143 */
	assert_has(text, "{\"for\": \"all\", \"online\": \"follow-level\"}");
	assert_has(text, "{\"for\": \"cpu 143\", \"online\": false}");
	assert_has(text, "{\"for\": \"cpu 3\", \"cpufreq\": {\"min-mhz\": 2000}}");
	assert_has(text, "{\"for\": \"cpu 2\", \"cpufreq\": {\"governor\": \"performance\"}}");
	assert_has(text, "{\"for\": \"cpu 0-1,3-142\", \"cpufreq\": {\"governor\": \"powersave\", "
			 "\"epp\":");
	assert_has(text, "{\"for\": \"cpu 0\", \"cpuidle\": {\"states\": {\"C6\": false}}}");
	state_bench_close(&bench);
}

/* A domain where a CPU of the level is offline: its CPUs by number. */
static void offline_cpu(void **state)
{
	static const char *const only[] = { "online", NULL };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "icx-8360y-2s", NULL);
	assert_int_equal(cpu_map_write(bench.host->files, bench.host->run_directory,
				       &bench.machine->topology),
			 0);
	state_bench_write(&bench, "cpu143/online", "0");
	state_bench_renew(&bench);
	text = make(&bench, &(struct export_options){ .only = only }, NULL);
	assert_has(text, "{\"for\": \"package-0\", \"online\": \"follow-level\"}");
	assert_has(text, "{\"for\": \"cpu 36-71,108-142\", \"online\": true}");
	assert_has(text, "{\"for\": \"cpu 143\", \"online\": false}");
	state_bench_close(&bench);
}

/* Packages in place of numbers; nothing that only this machine has to be. */
static void portable(void **state)
{
	static const char *const only[] = { "cpufreq.epb", NULL };
	const struct export_options options = { .only = only, .is_portable = true };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	cpuset_foreach (cpu, &bench.machine->topology.online) {
		if (bench.machine->topology.places[cpu].package == 1)
			state_bench_write(&bench,
					  files_cpu_path(cpu, "power/energy_perf_bias").text, "0");
	}
	state_bench_write(&bench, "cpu15/power/energy_perf_bias", "7");
	text = make(&bench, &options, NULL);
	assert_string_equal(text,
			    "{\n"
			    "  \"format\": \"intel-speed-select-state\", \"version\": 1,\n"
			    "  \"require\": {\"packages\": 2, \"cpus\": 56},\n"
			    "  \"settings\": [\n"
			    "    {\"for\": \"package-0\", \"cpufreq\": {\"epb\": 6}},\n"
			    "    {\"for\": \"cpu 14,16-27,42-55\", \"cpufreq\": {\"epb\": 0}},\n"
			    "    {\"for\": \"cpu 15\", \"cpufreq\": {\"epb\": 7}}\n"
			    "  ]\n}\n");
	state_bench_close(&bench);
}

static void some_cpus(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	const struct export_options options = { .cpus = &cpus };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	assert_int_equal(cpuset_add_range(&cpus, 2, 3), 0);
	state_bench_open(&bench, "guide", NULL);
	text = make(&bench, &options, NULL);
	assert_has(text, "{\"for\": \"cpu 2-3\", \"core-power\": {\"assoc\": 0}}");
	assert_has(text, "{\"for\": \"cpu 2-3\", \"online\": true}");
	assert_lacks(text, "\"all\"");
	assert_lacks(text, "\"machine\"");
	assert_lacks(text, "uncore");
	state_bench_close(&bench);
}

/* What cannot be written down, or should not be. */
static void remarks(void **state)
{
	_cleanup_export_remarks_ struct export_remarks found = { 0 };
	static const char *const only[] = { "core-power.clos", "cpufreq.max-mhz", NULL };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	const struct power_domain *domain = &bench.platform->domains.domains[1];
	const struct setting_request requests[] = {
		{ SETTING_CLOS, domain, .value.clos = { .id = 1, .parameters = { 0 } } },
		{ SETTING_CLOS, domain,
		  .value.clos = { .id = 3, .parameters = { .min_mhz = 2000, .max_mhz = 1000 } } },
	};
	state_bench_set(&bench, requests, ARRAY_SIZE(requests));
	state_bench_write(&bench, "intel_pstate/no_turbo", "1");
	text = make(&bench, &(struct export_options){ .only = only }, &found);
	assert_int_equal(found.count, 3);
	assert_remark(&found, 0, 0,
		      "package-1 core-power.clos.1.max-mhz is 0, which no document can have; it is "
		      "left out");
	assert_remark(&found, 1, 0,
		      "package-1 die-0: the lower limit of CLOS 3 is above the upper one; both are "
		      "left out");
	assert_remark(&found, 2, 0,
		      "turbo is off, and the kernel shows upper frequency limits above the base "
		      "frequency as that: they are written as max");
	assert_has(text, "{\"for\": \"all\", \"cpufreq\": {\"max-mhz\": \"max\"}}");
	state_bench_close(&bench);
}

/* An MSR that cannot be read, and a file. */
static void unreadable(void **state)
{
	_cleanup_export_remarks_ struct export_remarks found = { 0 };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(
		&bench, "guide",
		"{\"orders\": [{\"at\": \"msr\", \"msr\": \"0x1ad\", \"error\": \"EIO\"}]}");
	text = make(&bench, &everything, &found);
	assert_int_equal(found.count, 1);
	assert_remark(&found, 0, -EIO, "all turbo-mode.trl");
	assert_lacks(text, "turbo-mode");
	state_bench_close(&bench);
}

static char *hostile_text; /* what the files of hostile() have in them */

static int read_hostile(struct files *files, const char *path, size_t limit, char **ret_text,
			size_t *ret_length)
{
	struct state_bench_files *recorded = (struct state_bench_files *)files;

	if (strstr(path, "scaling_governor") || strstr(path, "state1/name")) {
		*ret_text = strdup(hostile_text);
		*ret_length = strlen(hostile_text);
		return 0;
	}
	return recorded->inner->ops->read(recorded->inner, path, limit, ret_text, ret_length);
}

/* Names of idle states and governors as a broken driver could have them. */
static void hostile(void **state)
{
	static const struct {
		const char *text;
		const char *name; /* of the idle state in the document, or NULL */
		size_t n_remarks;
	} rows[] = {
		{ "a\"b\\c", "\"a\\\"b\\\\c\": true", 0 },
		{ "x\x1b[31m\ty", "\"x\\u001B[31m\\ty\": true", 1 },
		{ "a.b, c", "\"a.b, c\": true", 1 },
		{ "\xc2\x9b", "\"\\u009B\": true", 1 },
		{ "\xff\xfe", NULL, 2 },
	};
	static const char *const only[] = { "cpufreq.governor", "cpuidle.states", NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_export_remarks_ struct export_remarks found = { 0 };
		_cleanup_free_ char *text = NULL;
		struct files_ops ops;
		struct state_bench bench;

		state_bench_open(&bench, "guide", NULL);
		ops = *bench.recorded.files.ops;
		ops.read = read_hostile;
		bench.recorded.files.ops = &ops;
		hostile_text = strdup(rows[i].text);
		text = make(&bench, &(struct export_options){ .only = only }, &found);
		if (rows[i].name)
			assert_has(text, rows[i].name);
		assert_int_equal(found.count, rows[i].n_remarks);
		for (size_t j = 0; j < found.count; j++) {
			for (const char *at = found.list[j].text; *at; at++)
				assert_true(*at >= ' ' && *at <= '~');
		}
		state_bench_close(&bench);
		free(hostile_text);
	}
}

static void isolated(void **state)
{
	static const char *const only[] = { "online", NULL };
	const struct export_options options = { .only = only, .is_portable = true };
	_cleanup_free_ char *text = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	state_bench_write(&bench, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	assert_int_equal(files_change_directory(bench.host->files, "/sys/fs/cgroup/0-0-0", true),
			 0);
	state_bench_write(&bench, "/sys/fs/cgroup/0-0-0/cpuset.cpus", "0-1");
	state_bench_write(&bench, "/sys/fs/cgroup/0-0-0/cpuset.cpus.partition", "isolated");
	text = make(&bench, &options, NULL);
	assert_has(text, "{\"for\": \"cpu 0-1\", \"online\": false, \"offline-by\": \"cgroup\"}");
	assert_has(text, "{\"for\": \"package-1\", \"online\": \"follow-level\"}");
	state_bench_close(&bench);
}

static void names(void **state)
{
	static const char *const good[] = { "cpufreq", "cpufreq.epp", "core-power.clos", "online",
					    NULL };
	static const char *const bad[] = { "cpufreq", "cpufreq.ep", NULL };
	static const char *const empty[] = { "", NULL };

	(void)state;
	assert_null(setting_find_unknown(NULL));
	assert_null(setting_find_unknown(good));
	assert_string_equal(setting_find_unknown(bad), "cpufreq.ep");
	assert_string_equal(setting_find_unknown(empty), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_state), cmocka_unit_test(sizes),
		cmocka_unit_test(changed_state), cmocka_unit_test(offline_cpu),
		cmocka_unit_test(portable),      cmocka_unit_test(some_cpus),
		cmocka_unit_test(remarks),       cmocka_unit_test(unreadable),
		cmocka_unit_test(hostile),       cmocka_unit_test(isolated),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
