// SPDX-License-Identifier: GPL-2.0-only
/* Whole command lines on a fake machine, beside their exit status (test_dispatch.c): --info, the
 * trace of --debug, what --pause, --retry and the driver's limit change, results in a file, and
 * parts not built in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/topology.h"
#include "host/machine.h"
#include "program_run.h"

static void info_sentences(void **state)
{
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "intel-speed-select --info");

	assert_int_equal(run.status, 0);
	assert_string_equal(run.out, "Intel(R) Speed Select Technology\n"
				     "Executing on CPU model:106[0x6a]\n");
	assert_string_equal(run.err, "Platform: API version : 1\n"
				     "Platform: Driver version : 1\n"
				     "Platform: mbox supported : 1\n"
				     "Platform: mmio supported : 1\n"
				     "Intel(R) SST-PP (feature perf-profile) is supported\n"
				     "TDP level change control is unlocked, max level: 2\n"
				     "Intel(R) SST-TF (feature turbo-freq) is supported\n"
				     "Intel(R) SST-BF (feature base-freq) is supported\n"
				     "Intel(R) SST-CP (feature core-power) is supported\n");
	/* Both words of support for each level, and SST-CP: no figure of a level is asked for. */
	assert_int_equal(record_log_entries(&machine.log, ISST_IF_MBOX_COMMAND), 2 * (1 + 3 + 1));
	fake_machine_done(&machine);
}

static void info_members(void **state)
{
	static const char *const members[][2] = {
		{ "api-version", "1" },
		{ "driver-version", "1" },
		{ "mbox-supported", "1" },
		{ "mmio-supported", "1" },
		{ "perf-profile", "supported" },
		{ "level-change", "unlocked" },
		{ "max-level", "2" },
		{ "turbo-freq", "supported" },
		{ "base-freq", "supported" },
		{ "core-power", "unknown" },
	};
	const struct fake_rule refused = { .request = ISST_IF_MBOX_COMMAND,
					   .command = 0x94,
					   .sub_command = 0x03,
					   .error = -ENXIO };
	struct fake_machine machine;
	json_t *document;

	(void)state;
	program_open_ice_lake(&machine, &refused);
	_cleanup_program_run_ struct program_run json =
		program_run(&machine, "intel-speed-select -i -f json");
	_cleanup_program_run_ struct program_run text = program_run(&machine, "isst -i");

	assert_int_equal(json.status, 0);
	document = program_run_json(json.err);
	assert_int_equal(json_object_size(document), ARRAY_SIZE(members));
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		assert_string_equal(json_string_value(json_object_get(document, members[i][0])),
				    members[i][1]);
	json_decref(document);
	program_assert_holds(text.out, "Intel(R) SST-CP (feature core-power) status is unknown\n");
	assert_string_equal(text.err, "");
	fake_machine_done(&machine);
}

/* What is otherwise in another package, and the words of the note about it. */
static void info_of_unlike_packages(void **state)
{
	static const struct {
		struct fake_rule rule;
		const char *facts[2];
	} rows[] = {
		{ { .command = 0x7f, .sub_command = 0x00, .answer = 0x81000203 },
		  { "level-change" } },
		{ { .command = 0x7f, .sub_command = 0x00, .answer = 0x80000303 }, { "max-level" } },
		{ { .command = 0x7f, .sub_command = 0x00, .error = -ENXIO },
		  { "perf-profile", "max-level" } },
		{ { .command = 0x7f, .sub_command = 0x01, .answer = 1 }, { "base-freq" } },
		{ { .command = 0x7f, .sub_command = 0x01, .answer = 2 }, { "turbo-freq" } },
		{ { .command = 0x94, .sub_command = 0x03, .answer = 0 }, { "core-power" } },
		{ { .command = 0x94, .sub_command = 0x03, .error = -ENXIO }, { "core-power" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_rule rule = rows[i].rule;
		struct fake_machine machine;

		rule.request = ISST_IF_MBOX_COMMAND;
		rule.package = FAKE_PACKAGE(1);
		program_open_ice_lake(&machine, &rule);
		_cleanup_program_run_ struct program_run run =
			program_run(&machine, "intel-speed-select --info");

		assert_int_equal(run.status, 0);
		program_assert_holds(run.err, "(feature core-power) is supported\n");
		for (size_t j = 0; j < 2 && rows[i].facts[j]; j++) {
			char note[96];

			snprintf(note, sizeof(note),
				 "Information: package-1 die-0 differs from what is shown in %s\n",
				 rows[i].facts[j]);
			program_assert_holds(run.err, note);
		}
		fake_machine_done(&machine);
	}
}

/* The package that cannot be asked is an error; the other one is shown. */
static void info_of_a_broken_package(void **state)
{
	const struct fake_rule busy = { .request = ISST_IF_MBOX_COMMAND,
					.package = FAKE_PACKAGE(0),
					.command = 0x7f,
					.error = -EBUSY };
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, &busy);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "intel-speed-select --info");

	assert_int_equal(run.status, 1);
	program_assert_holds(run.err, "package-0 die-0 cpu-0: SST-PP status: it stayed busy");
	program_assert_holds(run.err, "Intel(R) SST-PP (feature perf-profile) is supported\n");
	program_assert_lacks(run.err, "differs");
	fake_machine_done(&machine);
}

/* The form of map lines is matched by others; the trace goes where the results do not. */
static void debug_trace(void **state)
{
	static const char first[] =
		"map logical_cpu:0 core: 0 die:0 pkg:0 punit:0 punit_cpu:0 punit_core:0\n";
	static const char last[] =
		"map logical_cpu:7 core: 1 die:0 pkg:1 punit:0 punit_cpu:3 punit_core:1\n";
	static const char request[] = "mbox: logical_cpu:2 command:0x7f sub_command:0x0 "
				      "parameter:0x0 req_data:0x0 resp_data:0x80000203\n";
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	_cleanup_program_run_ struct program_run json =
		program_run(&machine, "intel-speed-select --debug --format json perf-profile info");
	_cleanup_program_run_ struct program_run modern =
		program_run(&machine, "isst -d perf-profile get-config-levels");
	_cleanup_program_run_ struct program_run out =
		program_run(&machine, "intel-speed-select -d -o - perf-profile get-config-levels");

	program_assert_holds(json.out, first);
	program_assert_holds(json.out, last);
	program_assert_holds(json.out, request);
	assert_int_equal(program_run_count(json.out, "map logical_cpu:"), 8);
	json_decref(program_run_json(json.err));
	program_assert_holds(modern.err, first);
	program_assert_holds(modern.err, request);
	program_assert_lacks(modern.out, "map");
	program_assert_holds(out.err, last);
	program_assert_lacks(out.out, "mbox");
	program_assert_holds(out.out, "get-config-levels:2\n");
	fake_machine_done(&machine);
}

/* How many tries a busy mailbox gets, in two packages. */
static void retries(void **state)
{
	static const struct {
		const char *command;
		size_t n_requests;
	} rows[] = {
		{ "intel-speed-select perf-profile get-config-levels", 6 },
		{ "intel-speed-select -r 1 perf-profile get-config-levels", 2 },
		{ "intel-speed-select --retry 100 perf-profile get-config-levels", 200 },
	};
	const struct fake_rule busy = { .request = ISST_IF_MBOX_COMMAND,
					.command = 0x7f,
					.error = -EBUSY };
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, &busy);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_program_run_ struct program_run run =
			program_run(&machine, rows[i].command);

		assert_int_equal(run.status, 1);
		assert_int_equal(record_log_requests(&machine.log, ISST_IF_MBOX_COMMAND),
				 rows[i].n_requests);
	}
	fake_machine_done(&machine);
}

/* How many commands go in one request, by the driver's limit and by -p. */
static void request_sizes(void **state)
{
	static const struct {
		const char *options;
		uint16_t limit;
		size_t mailbox, phy_ids;
	} rows[] = {
		{ "isst", 64, 2, 8 },     { "isst -p 1", 64, 1, 8 }, { "isst -p 0", 64, 2, 8 },
		{ "isst", 3, 2, 3 },      { "isst", 1, 1, 1 },       { "isst", 0, 1, 1 },
		{ "isst", 0xffff, 2, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *line = NULL;
		struct fake_machine machine;

		program_open_ice_lake(&machine, NULL);
		machine.info.max_cmds_per_ioctl = rows[i].limit;
		assert_true(asprintf(&line, "%s --each perf-profile get-config-levels",
				     rows[i].options) > 0);
		_cleanup_program_run_ struct program_run run = program_run(&machine, line);

		assert_int_equal(run.status, 0);
		assert_int_equal(program_run_count(run.out, "get-config-levels:2\n"), 2);
		assert_int_equal(record_log_largest(&machine.log, ISST_IF_MBOX_COMMAND),
				 rows[i].mailbox);
		assert_int_equal(record_log_largest(&machine.log, ISST_IF_GET_PHY_ID),
				 rows[i].phy_ids);
		fake_machine_done(&machine);
	}
}

/* Many CPUs of a domain: one question to the domain, one to each core. */
static void one_request_for_several_cpus(void **state)
{
	struct fake_machine machine;

	(void)state;
	program_open_ice_lake(&machine, NULL);
	_cleanup_program_run_ struct program_run levels =
		program_run(&machine, "isst -c 0,1,4,5 perf-profile get-config-levels --each");

	assert_int_equal(program_run_count(levels.out, "get-config-levels:2\n"), 4);
	assert_int_equal(record_log_entries(&machine.log, ISST_IF_MBOX_COMMAND), 1);
	_cleanup_program_run_ struct program_run assoc =
		program_run(&machine, "isst core-power get-assoc --each");

	assert_int_equal(program_run_count(assoc.out, "clos:2\n"), 8);
	assert_int_equal(record_log_entries(&machine.log, ISST_IF_IO_CMD), 4);
	assert_int_equal(record_log_requests(&machine.log, ISST_IF_IO_CMD), 1);
	fake_machine_done(&machine);
}

/* A file holds results alone; a usage error leaves it as it was. */
static void results_in_a_file(void **state)
{
	const struct fake_rule lacking = { .request = ISST_IF_MBOX_COMMAND,
					   .package = FAKE_PACKAGE(1),
					   .command = 0x7f,
					   .sub_command = 0x01,
					   .answer = 1 };
	_cleanup_free_ char *line = NULL, *usage = NULL, *text = NULL;
	char directory[] = "./isst-test-XXXXXX", path[40];
	struct fake_machine machine;
	size_t length;
	json_t *document;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/out", directory);
	assert_true(asprintf(&line, "isst -f json -o %s base-freq info -l 0", path) > 0);
	assert_true(asprintf(&usage, "isst -f json -o %s base-freq info -l 5", path) > 0);
	program_open_ice_lake(&machine, &lacking);
	_cleanup_program_run_ struct program_run refused = program_run(&machine, usage);

	assert_int_equal(refused.status, 2);
	assert_int_equal(access(path, F_OK), -1);
	_cleanup_program_run_ struct program_run run = program_run(&machine, line);

	assert_int_equal(run.status, 1);
	assert_string_equal(run.out, "");
	assert_string_equal(run.err, "Error: package-1 die-0 cpu-2: base-freq is not supported at "
				     "level 0\n");
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	document = program_run_json(text);
	assert_int_equal(json_object_size(document), 1);
	assert_non_null(json_object_get(document, "package-0:die-0:cpu-0"));
	json_decref(document);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	fake_machine_done(&machine);
}

static const struct {
	const char *line, *error;
} left_out[] = {
	{ "isst --oob", "Error: this program was built without its daemon\n" },
	{ "isst --oob -n -w 5", "Error: this program was built without its daemon\n" },
	{ "isst --simulate guide --info", "Error: this program was built without its simulator\n" },
	{ "isst --list-platforms", "Error: this program was built without its simulator\n" },
};

static void parts_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
		_cleanup_program_run_ struct program_run run = program_run_bare(left_out[i].line);

		assert_int_equal(run.status, 2);
		assert_string_equal(run.out, "");
		assert_string_equal(run.err, left_out[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_sentences),
		cmocka_unit_test(info_members),
		cmocka_unit_test(info_of_unlike_packages),
		cmocka_unit_test(info_of_a_broken_package),
		cmocka_unit_test(debug_trace),
		cmocka_unit_test(retries),
		cmocka_unit_test(request_sizes),
		cmocka_unit_test(one_request_for_several_cpus),
		cmocka_unit_test(results_in_a_file),
		cmocka_unit_test(parts_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
