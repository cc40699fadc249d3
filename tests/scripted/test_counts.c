// SPDX-License-Identifier: GPL-2.0-only
/* What commands ask of large machines: requests to the driver, commands to the mailbox, files read.
 * Nothing is asked twice, whatever the number of packages, dies and CPUs; and a machine far beyond
 * today's is served in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "program_run.h"

#define SECONDS_AT_MOST 20 /* of this process, with sanitizers */

/* 8 packages, 960 CPUs. */
static const struct fake_shape large = { .packages = 8, .dies = 1, .cores = 60, .model = 0x8f };

/* 64 packages of 32 dies, 8,192 CPUs. */
static const struct fake_shape huge = { .packages = 64, .dies = 32, .cores = 2, .model = 0x8f };

struct limits {
	const char *command;
	size_t mailbox_requests; /* at most; requests are of 64 commands */
	size_t mailbox_commands; /* exactly */
	size_t mmio_commands;
	size_t msr_commands;
};

static void open_shape(struct fake_machine *machine, const struct fake_shape *shape)
{
	fake_machine_init(machine, shape);
	fake_machine_add_rules(machine, ice_lake_rules, n_ice_lake_rules);
}

/* Each domain is one question, however many CPUs of it are asked for. */
static void check_repeats(const struct fake_machine *machine, const char *command)
{
	static const uint32_t requests[] = { ISST_IF_MBOX_COMMAND, ISST_IF_MSR_COMMAND,
					     ISST_IF_IO_CMD };

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		struct entry repeat;

		if (record_log_find_repeat(&machine->log, requests[i], fake_machine_domain, machine,
					   &repeat))
			fail_msg(
				"%s: request 0x%x, command 0x%x/0x%x with 0x%x and 0x%llx twice to "
				"domain %u",
				command, requests[i], repeat.command, repeat.sub_command,
				repeat.place, (unsigned long long)repeat.data, repeat.cpu);
	}
}

/* Every CPU is asked about once, in full requests; files are read by die and not by CPU. */
static void check_opening(const struct fake_machine *machine)
{
	size_t n_cpus = fake_machine_cpus(machine);
	size_t n_dies = machine->shape.packages * machine->shape.dies;

	assert_int_equal(record_log_entries(&machine->log, ISST_IF_GET_PHY_ID), n_cpus);
	assert_int_equal(record_log_requests(&machine->log, ISST_IF_GET_PHY_ID),
			 (n_cpus + 63) / 64);
	assert_int_equal(record_log_requests(&machine->log, ISST_IF_GET_PLATFORM_INFO), 1);
	/* /proc/cpuinfo, three lists, the boot id, two ids and two lists a die. */
	assert_in_range(machine->n_reads, 1, 5 + 4 * n_dies);
}

static void check_limits(const struct fake_machine *machine, const struct limits *limits)
{
	const struct record_log *log = &machine->log;

	assert_in_range(record_log_requests(log, ISST_IF_MBOX_COMMAND), 0,
			limits->mailbox_requests);
	assert_int_equal(record_log_entries(log, ISST_IF_MBOX_COMMAND), limits->mailbox_commands);
	assert_int_equal(record_log_entries(log, ISST_IF_IO_CMD), limits->mmio_commands);
	assert_int_equal(record_log_entries(log, ISST_IF_MSR_COMMAND), limits->msr_commands);
	check_repeats(machine, limits->command);
	check_opening(machine);
}

/* Levels 0 and 2 of a domain: 3 words of support and 14 of figures each (two halves of the core
 * mask, three turbo-ratio levels in halves), 5 and 9 of the features of level 0, and SST-CP. */
#define WORDS_OF_INFO (1 + 3 + 2 * 13 + 5 + 9 + 1)

static void eight_packages(void **state)
{
	static const struct limits rows[] = {
		{ "isst perf-profile get-config-levels", 1, 8, 0, 0 },
		{ "isst -c 0-959 perf-profile get-lock-status", 1, 8, 0, 0 },
		/* 8 levels do not exist: each ends a request early. */
		{ "isst perf-profile info", 8 * WORDS_OF_INFO / 64 + 4 + 2 * 8, 8 * WORDS_OF_INFO,
		  0, 8 },
		{ "isst -c 0-959 perf-profile info -l 0", 8, 8 * (1 + 1 + 13 + 5 + 9 + 1), 0, 8 },
		{ "isst base-freq info -l 0", 3, 8 * (1 + 1 + 5), 0, 0 },
		/* The core mask determines whether the buckets can be filled. */
		{ "isst turbo-freq info -l 0", 4, 8 * (1 + 1 + 9 + 2), 0, 0 },
		{ "isst --info", 3 + 2 * 8, 8 * (1 + 3 + 1), 0, 0 },
		{ "isst core-power info", 1, 16, 0, 0 },
		{ "isst core-power get-config --clos 1", 0, 0, 8, 0 },
		{ "isst -c 0-959 core-power get-assoc", 0, 0, 480, 0 },
		{ "isst turbo-mode get-trl", 0, 0, 0, 8 },
	};
	struct fake_machine machine;

	(void)state;
	open_shape(&machine, &large);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_program_run_ struct program_run run =
			program_run(&machine, rows[i].command);

		assert_int_equal(run.status, 0);
		assert_string_equal(run.err, "");
		check_limits(&machine, &rows[i]);
	}
	fake_machine_done(&machine);
}

/* With a limit of one command a request, nothing else changes. */
static void one_command_a_request(void **state)
{
	struct fake_machine machine;

	(void)state;
	open_shape(&machine, &large);
	machine.info.max_cmds_per_ioctl = 1;
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "isst perf-profile info");

	assert_int_equal(run.status, 0);
	assert_int_equal(record_log_largest(&machine.log, ISST_IF_MBOX_COMMAND), 1);
	assert_int_equal(record_log_requests(&machine.log, ISST_IF_MBOX_COMMAND),
			 8 * WORDS_OF_INFO);
	check_repeats(&machine, "one by one");
	fake_machine_done(&machine);
}

static double used_s(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Nothing is sized by a guess: no die, package or CPU is lost, and none costs more than another. */
static void sixty_four_packages(void **state)
{
	static const struct {
		const char *command;
		const char *shown;
		size_t times;
	} rows[] = {
		{ "isst --each perf-profile get-config-levels", "get-config-levels:2\n", 2048 },
		{ "isst --each perf-profile info", "perf-profile-level-2\n", 2048 },
		{ "isst core-power get-assoc --each", "clos:2\n", 8192 },
		{ "isst --info", "(feature turbo-freq) is supported\n", 1 },
		{ "isst -f json base-freq info -l 0", "\"high-priority-cpu-list\"", 2048 },
	};
	struct fake_machine machine;

	(void)state;
	open_shape(&machine, &huge);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double begin = used_s();
		_cleanup_program_run_ struct program_run run =
			program_run(&machine, rows[i].command);

		assert_int_equal(run.status, 0);
		assert_true(used_s() - begin < SECONDS_AT_MOST);
		assert_string_equal(run.err, "");
		assert_int_equal(program_run_count(run.out, rows[i].shown), rows[i].times);
		check_repeats(&machine, rows[i].command);
		check_opening(&machine);
	}
	fake_machine_done(&machine);
}

/* The last CPUs of all, each in the domain that it belongs to. */
static void last_cpus(void **state)
{
	struct fake_machine machine;

	(void)state;
	open_shape(&machine, &huge);
	_cleanup_program_run_ struct program_run run =
		program_run(&machine, "isst --each -c 8190,8191 perf-profile info -l 0");

	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, " package-63\n  die-31\n    cpu-8190\n"));
	assert_non_null(strstr(run.out, " package-63\n  die-31\n    cpu-8191\n"));
	assert_non_null(strstr(run.out, "enable-cpu-list:4094,4095,8190,8191\n"));
	assert_non_null(strstr(run.out, "enable-cpu-mask:c0000000,00000000,"));
	_cleanup_program_run_ struct program_run beyond =
		program_run(&machine, "isst -c 8192 perf-profile info -l 0");

	assert_int_equal(beyond.status, 2);
	fake_machine_done(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_packages),
		cmocka_unit_test(one_command_a_request),
		cmocka_unit_test(sixty_four_packages),
		cmocka_unit_test(last_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
