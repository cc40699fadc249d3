// SPDX-License-Identifier: GPL-2.0-only
/* What "min" and "max" of an uncore mean: the level's figures, the limits at boot, those of the
 * driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "state/compare.h"
#include "change/journal.h"
#include "state_bench.h"
#include "temporary.h"

#define UNCORE "/sys/devices/system/cpu/intel_uncore_frequency/package_0%s_die_00/%s_freq_khz"

static void set_limit(struct state_bench *bench, const char *package, const char *limit,
		      const char *khz)
{
	char path[128];

	snprintf(path, sizeof(path), UNCORE, package, limit);
	state_bench_write(bench, path, khz);
	state_bench_renew(bench);
}

/* What differs from a document with both words on all uncores. */
static void assert_differences(struct state_bench *bench, const char *expected)
{
	static char text[] = "{ \"format\": \"intel-speed-select-state\", \"version\": 1, "
			     "\"settings\": [{ \"for\": \"all\", \"uncore\": "
			     "{ \"min-mhz\": \"min\", \"max-mhz\": \"max\" } }] }";
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_(report_done) struct report report = { .is_held = true };
	_cleanup_document_ struct document document = { 0 };
	_cleanup_wanted_ struct wanted_state wanted = { 0 };
	_cleanup_comparison_ struct comparison comparison = { 0 };
	_cleanup_free_ char *problem = NULL;
	FILE *stream = fmemopen(text, strlen(text), "r");

	assert_non_null(stream);
	assert_int_equal(document_read(stream, "-", &document, &problem), 0);
	fclose(stream);
	assert_int_equal(wanted_resolve(&wanted, &document, &bench->state, &report), 0);
	assert_int_equal(comparison_make(&wanted, false, &comparison), 0);
	assert_false(report_has_problem(&report));
	assert_int_equal(comparison_write(&comparison, " -> ", &lines), 0);
	assert_string_equal(buffer_text(&lines), expected);
}

/* The journal has that an upper limit was changed. */
static void record(struct state_bench *bench, const char *place, int was_mhz)
{
	static char program[] = "isst";
	static char *const command[] = { program };
	static const struct journal_transaction ours = { .argc = 1, .argv = command };
	static const struct journal_outcome done = { .outcome = JOURNAL_DONE };
	_cleanup_journal_ struct journal *journal = NULL;
	const struct cpuset none = { 0 };
	_cleanup_free_ char *changes = NULL;

	assert_true(asprintf(&changes,
			     "[{\"for\":\"%s\",\"setting\":\"uncore.max-mhz\",\"was\":%d,"
			     "\"now\":1000}]",
			     place, was_mhz) > 0);
	assert_int_equal(
		journal_open(bench->host->files, bench->host->run_directory, &none, &journal), 0);
	assert_int_equal(journal_begin(journal, bench->host->files, &ours, changes), 0);
	assert_int_equal(journal_end(journal, &done), 0);
}

/* SST-PP reports the range: what the journal has does not matter. */
static void by_level(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	record(&bench, "package-0 die-0", 2000);
	set_limit(&bench, "0", "max", "1500000");
	assert_differences(&bench, "package-0 die-0 uncore.max-mhz: 1500 -> 2400\n");
	state_bench_close(&bench);
}

/* Cascade Lake-N has no SST-PP: the driver has the limits that it found, and the journal what they
 * were before the first setting of the boot. */
static void by_journal(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "clx-6230n-2s", NULL);
	set_limit(&bench, "0", "max", "2000000");
	assert_differences(&bench, "package-0 die-0 uncore.max-mhz: 2000 -> 2400\n");
	record(&bench, "package-0 die-0", 2000);
	assert_differences(&bench, "");
	record(&bench, "package-0 die-0", 1800);
	set_limit(&bench, "0", "max", "1900000");
	set_limit(&bench, "1", "min", "1500000");
	assert_differences(&bench, "package-1 die-0 uncore.min-mhz: 1500 -> 1200\n"
				   "package-0 die-0 uncore.max-mhz: 1900 -> 2000\n");
	state_bench_close(&bench);
}

/* A journal that cannot be used. */
static void by_driver(void **state)
{
	_cleanup_free_ char *path = NULL;
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "clx-6230n-2s", NULL);
	set_limit(&bench, "0", "max", "2000000");
	assert_int_equal(run_directory_make(bench.host->run_directory), 0);
	path = temporary_path(bench.host->run_directory, JOURNAL_NAME);
	temporary_write(path, "damaged", 0644);
	assert_differences(&bench, "package-0 die-0 uncore.max-mhz: 2000 -> 2400\n");
	state_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_level),
		cmocka_unit_test(by_journal),
		cmocka_unit_test(by_driver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
