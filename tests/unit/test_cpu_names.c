// SPDX-License-Identifier: GPL-2.0-only
/* Named sets of CPUs: what the parser takes and refuses, and which CPUs a text means on a machine
 * of two packages with offline CPUs (commands.md, "Named sets of CPUs"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_topology.h"
#include "base/cleanup.h"
#include "settings/cpu_names.h"

#define NODE    "/sys/devices/system/node/node"
#define DEVICE  "/sys/bus/pci/devices/0000:3b:00.0/local_cpulist"
#define BEYOND  "1048576"
#define UNKNOWN "a number, a range or a set was expected"

struct parse_case {
	const char *text;
	int err;
	const char *problem; /* words of it */
	size_t member;
	bool is_plain;
	const char *address; /* of the only member */
};

static const struct parse_case parse_cases[] = {
	{ .text = "0", .is_plain = true },
	{ .text = "1,2,4..6,8-10", .is_plain = true },
	{ .text = "", .err = -EINVAL, .problem = "the list is empty" },
	{ .text = "1,,2", .err = -EINVAL, .problem = "a number was expected" },
	{ .text = "0x1", .err = -EINVAL, .problem = "only numbers" },
	{ .text = BEYOND, .err = -ERANGE, .problem = "the CPU number is too large" },
	{ .text = "all" },
	{ .text = "online,!0" },
	{ .text = "online,^0-3" },
	{ .text = "!0,online" },
	{ .text = "package:0,package:1-2,die:0:1,die:0-1:2-3,node:0" },
	{ .text = "isolated,nohz-full,base-freq,clos:0,clos:1-3" },
	{ .text = "siblings:0-3,siblings:8,core:0..3,9" },
	{ .text = "near:0000:3b:00.0", .address = "0000:3b:00.0" },
	{ .text = "near:3B:00.0", .address = "0000:3b:00.0" },
	{ .text = "near:3b:1f.7", .address = "0000:3b:1f.7" },
	{ .text = "near:10000:0:0.0", .address = "10000:00:00.0" },
	{ .text = "!0", .err = -EINVAL, .problem = "as in online,!0" },
	{ .text = "!all,^package:0", .err = -EINVAL, .problem = "as in online,!0" },
	{ .text = "al", .err = -EINVAL, .problem = UNKNOWN },
	{ .text = "ALL", .err = -EINVAL, .problem = UNKNOWN },
	{ .text = "0,al", .err = -EINVAL, .problem = UNKNOWN, .member = 2 },
	{ .text = "all,", .err = -EINVAL, .problem = UNKNOWN, .member = 2 },
	{ .text = ",all", .err = -EINVAL, .problem = UNKNOWN, .member = 1 },
	{ .text = "all,!", .err = -EINVAL, .problem = UNKNOWN, .member = 2 },
	{ .text = "all,!!0", .err = -EINVAL, .problem = UNKNOWN, .member = 2 },
	{ .text = "all, 0", .err = -EINVAL, .problem = UNKNOWN, .member = 2 },
	{ .text = "all,!1x", .err = -EINVAL, .problem = "only numbers", .member = 2 },
	{ .text = "all,3-1", .err = -EINVAL, .problem = "lower to the higher", .member = 2 },
	{ .text = "all," BEYOND, .err = -ERANGE, .problem = "too large", .member = 2 },
	{ .text = "all:0", .err = -EINVAL, .problem = "nothing may follow all" },
	{ .text = "isolated:", .err = -EINVAL, .problem = "nothing may follow isolated" },
	{ .text = "package", .err = -EINVAL, .problem = "package:0-1" },
	{ .text = "package:", .err = -EINVAL, .problem = "package:0-1" },
	{ .text = "package:x", .err = -EINVAL, .problem = "package:0-1" },
	{ .text = "package:1-0", .err = -EINVAL, .problem = "lower to the higher" },
	{ .text = "package:0:1", .err = -EINVAL, .problem = "package:0-1" },
	{ .text = "die:0", .err = -EINVAL, .problem = "die:0:1" },
	{ .text = "die:0:", .err = -EINVAL, .problem = "die:0:1" },
	{ .text = "die:0:1:2", .err = -EINVAL, .problem = "die:0:1" },
	{ .text = "clos:4", .err = -ERANGE, .problem = "from 0 to 3" },
	{ .text = "clos:0-4", .err = -ERANGE, .problem = "from 0 to 3" },
	{ .text = "near:", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:3b:00", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:3b:20.0", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:3b:00.8", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:0000:3b:00.0.0", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:100000000:3b:00.0", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "near:../../x", .err = -EINVAL, .problem = "PCI address" },
	{ .text = "siblings:", .err = -EINVAL, .problem = "siblings:0-3,siblings:8" },
	{ .text = "core:all", .err = -EINVAL, .problem = "core:0-3,core:8" },
};

static void test_parse(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(parse_cases); i++) {
		const struct parse_case *it = &parse_cases[i];
		_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
		struct cpu_names_problem problem = { 0 };
		int err = cpu_names_parse(it->text, &names, &problem);

		if (err != it->err)
			fail_msg("\"%s\": %d, not %d", it->text, err, it->err);
		if (it->problem &&
		    (!strstr(problem.expected, it->problem) || problem.member != it->member))
			fail_msg("\"%s\": member %zu: %s", it->text, problem.member,
				 problem.expected);
		if (!err && it->is_plain != (names.count == 0))
			fail_msg("\"%s\": %zu members", it->text, names.count);
		if (!err && it->address)
			assert_string_equal(names.list[0].address, it->address);
		assert_int_equal(cpu_names_is_empty(&names), err != 0);
	}
}

static void test_needs_sst(void **test)
{
	static const struct {
		const char *text;
		const char *member;
	} cases[] = {
		{ "0-3", NULL },
		{ "all,!isolated", NULL },
		{ "all,!clos:1,base-freq", "clos:1" },
		{ "0,base-freq", "base-freq" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
		struct cpu_names_problem problem;
		const struct cpu_name *found;

		assert_int_equal(cpu_names_parse(cases[i].text, &names, &problem), 0);
		found = cpu_names_find_sst(&names);
		assert_int_equal(!found, !cases[i].member);
		if (found)
			assert_string_equal(found->text, cases[i].member);
	}
}

/* Two packages of four cores with two threads, two dies in package 0. CPUs 3 and 11, a core, and
 * CPU 12, a second thread, are offline; 13 is offline and without a known place. */
static const struct fake_topology machine = {
	.present = "0-15\n",
	.online = "0-2,4-10,14-15\n",
	.possible = "0-31\n",
	.dies = { { .cpus = "0-1,8-9" },
		  { .cpus = "2-3,10-11", .die = 1 },
		  { .cpus = "4-7,12-15", .package = 1 } },
};

struct bench {
	struct fake_files fake;
	struct topology topology;
};

static void set_up_bench(struct bench *bench)
{
	static const char offline_places[] = { 3, 11, 12 };

	fake_files_init(&bench->fake);
	fake_topology_add(&bench->fake, &machine);
	assert_int_equal(topology_read(&bench->fake.files, &bench->topology), 0);
	for (size_t i = 0; i < ARRAY_SIZE(offline_places); i++) {
		uint32_t cpu = (uint32_t)offline_places[i];

		bench->topology.places[cpu].package = cpu == 12;
		bench->topology.places[cpu].die = cpu != 12;
		assert_int_equal(cpuset_add(&bench->topology.placed, cpu), 0);
	}
	cpuset_foreach (cpu, &bench->topology.placed) {
		bench->topology.places[cpu].has_physical_cpu = true;
		bench->topology.places[cpu].core = cpu % 8;
	}
	cpuset_foreach (cpu, &bench->topology.online) {
		uint32_t low = cpu % 8, high = low + 8;
		bool is_pair = cpuset_has(&bench->topology.online, low) &&
			       cpuset_has(&bench->topology.online, high);
		_cleanup_free_ char *list =
			is_pair ? text_format("%u,%u\n", low, high) : text_format("%u\n", cpu);

		assert_non_null(list);
		fake_files_set(&bench->fake, list, "%s",
			       files_cpu_path(cpu, "topology/thread_siblings_list").text);
	}
	fake_files_set(&bench->fake, "0-2,8-10\n", NODE "0/cpulist");
	fake_files_set(&bench->fake, "4-7,14-15\n", NODE "1/cpulist");
	fake_files_set(&bench->fake, "\n", NODE "2/cpulist");
	fake_files_set(&bench->fake, "2,10\n", DEVICE);
	fake_files_set(&bench->fake, "1,3\n", "/sys/devices/system/cpu/isolated");
	fake_files_set(&bench->fake, "9\n", "/sys/fs/cgroup/cpuset.cpus.isolated");
	fake_files_set(&bench->fake, "          (null)\n", "/sys/devices/system/cpu/nohz_full");
}

static int add_list(const char *list, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset more = { 0 };

	assert_int_equal(cpulist_parse(list, &more), 0);
	return cpuset_add_all(cpus, &more);
}

/* CLOS 1 has CPUs; CLOS 2 cannot be read. */
static int add_clos(void *data, uint32_t clos, struct cpuset *cpus, char **ret_message)
{
	(void)data;
	if (clos == 2)
		*ret_message = strdup("the firmware is busy");
	return clos == 2 ? -EBUSY : add_list(clos == 1 ? "0,3,8,11" : "", cpus);
}

static int add_base_freq(void *data, struct cpuset *cpus, char **ret_message)
{
	(void)data;
	(void)cpus;
	*ret_message = strdup("no driver");
	return -ENOTSUP;
}

struct resolve_case {
	const char *text;
	const char *cpus;
	const char *left_out; /* NULL: none */
	int err;
	const char *message;
};

static void check_resolved(const struct resolve_case *cases, size_t count, const char *will_be)
{
	struct bench bench = { 0 };
	_cleanup_cpuset_ struct cpuset later = { 0 };
	struct cpu_names_environment environment = {
		.files = &bench.fake.files,
		.topology = &bench.topology,
		.online = will_be ? &later : &bench.topology.online,
		.add_clos = add_clos,
		.add_base_freq = add_base_freq,
	};

	set_up_bench(&bench);
	if (will_be)
		assert_int_equal(cpulist_parse(will_be, &later), 0);
	for (size_t i = 0; i < count; i++) {
		const struct resolve_case *it = &cases[i];
		_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
		_cleanup_cpuset_ struct cpuset cpus = { 0 }, left_out = { 0 };
		_cleanup_free_ char *message = NULL, *found = NULL, *found_out = NULL;
		struct cpu_names_problem problem;
		int err;

		assert_int_equal(cpu_names_parse(it->text, &names, &problem), 0);
		err = cpu_names_resolve(&names, &environment, &cpus, &left_out, &message);
		found = cpuset_format_ranges(&cpus);
		found_out = cpuset_format_ranges(&left_out);
		if (err != it->err || strcmp(found, it->cpus ?: "") != 0 ||
		    strcmp(found_out, it->left_out ?: "") != 0)
			fail_msg("%s: %d, %s, without %s", it->text, err, found, found_out);
		if (strcmp(message ?: "", it->message ?: "") != 0)
			fail_msg("%s: %s", it->text, message ?: "no message");
	}
	topology_done(&bench.topology);
	fake_files_done(&bench.fake);
}

static void test_now(void **test)
{
	static const struct resolve_case cases[] = {
		{ .text = "0,3", .cpus = "0,3" },
		{ .text = "all", .cpus = "0-2,4-10,14-15", .left_out = "3,11-13" },
		{ .text = "online", .cpus = "0-2,4-10,14-15" },
		{ .text = "package:0", .cpus = "0-2,8-10", .left_out = "3,11" },
		{ .text = "package:0-1", .cpus = "0-2,4-10,14-15", .left_out = "3,11-12" },
		{ .text = "die:0:0", .cpus = "0-1,8-9" },
		{ .text = "die:0:0-1", .cpus = "0-2,8-10", .left_out = "3,11" },
		{ .text = "node:0", .cpus = "0-2,8-10" },
		{ .text = "node:1-2", .cpus = "4-7,14-15" },
		{ .text = "near:3b:00.0", .cpus = "2,10" },
		{ .text = "isolated", .cpus = "1,9", .left_out = "3" },
		{ .text = "clos:0-1", .cpus = "0,8", .left_out = "3,11" },
		{ .text = "siblings:0-1,siblings:10", .cpus = "0-2,8-10" },
		{ .text = "siblings:4", .cpus = "4", .left_out = "12" },
		{ .text = "core:0-2,core:8-10", .cpus = "0-2" },
		{ .text = "core:14", .cpus = "6" },
		/* removals, wherever they are */
		{ .text = "online,!package:1,!0", .cpus = "1-2,8-10" },
		{ .text = "!4-7,^0,0,package:1", .cpus = "14-15", .left_out = "12" },
		{ .text = "all,!package:0,!12-13", .cpus = "4-7,14-15" },
		{ .text = "online,!siblings:3,!isolated,!nohz-full", .cpus = "0,2,4-8,10,14-15" },
		{ .text = "online,!core:0-2", .cpus = "4-10,14-15" },
		/* numbers stay, for the caller to refuse them */
		{ .text = "package:1,3", .cpus = "3-7,14-15", .left_out = "12" },
		{ .text = "package:1,12", .cpus = "4-7,12,14-15" },
		{ .text = "online,siblings:3,core:99", .cpus = "0-10,14-15,99" },
		{ .text = "online,!99", .cpus = "0-2,4-10,14-15,99" },
		{ .text = "online,!siblings:99", .cpus = "0-2,4-10,14-15,99" },
		/* failures */
		{ .text = "nohz-full",
		  .err = -ENODATA,
		  .message = "nohz-full: no CPU is in this set" },
		{ .text = "node:2", .err = -ENODATA, .message = "node:2: no CPU is in this set" },
		{ .text = "0,!all", .err = -ENODATA, .message = "0,!all: no CPU is in this set" },
		{ .text = "die:0:1,!2,!10",
		  .err = -ENODATA,
		  .message = "die:0:1,!2,!10: all CPUs of this set are offline" },
		{ .text = "package:0-2",
		  .err = -ENOENT,
		  .message = "package:0-2: no CPU of this machine is known to be in package 2" },
		{ .text = "all,!die:1:1",
		  .err = -ENOENT,
		  .message = "die:1:1: no CPU of this machine is known to be in package 1, die 1" },
		{ .text = "node:3",
		  .err = -ENOENT,
		  .message = "node:3: this machine has no NUMA node 3 (" NODE "3/cpulist)" },
		{ .text = "near:01:00.0",
		  .err = -ENOENT,
		  .message = "near:01:00.0: this machine has no PCI device 0000:01:00.0 "
			     "(/sys/bus/pci/devices/0000:01:00.0/local_cpulist)" },
		{ .text = "clos:0-3", .err = -EBUSY, .message = "clos:0-3: the firmware is busy" },
		{ .text = "0,!base-freq", .err = -ENOTSUP, .message = "base-freq: no driver" },
	};

	(void)test;
	check_resolved(cases, ARRAY_SIZE(cases), NULL);
}

/* All CPUs but one count as online: those that are offline now are found by their places. */
static void test_later(void **test)
{
	static const struct resolve_case cases[] = {
		{ .text = "all", .cpus = "0-12,14-15", .left_out = "13" },
		{ .text = "package:1", .cpus = "4-7,12,14-15" },
		{ .text = "node:0", .cpus = "0-3,8-11" },
		{ .text = "node:1", .cpus = "4-7,12,14-15" },
		{ .text = "near:3b:00.0", .cpus = "2-3,10-11" },
		{ .text = "isolated", .cpus = "1,3,9" },
		{ .text = "siblings:3-4", .cpus = "3-4,11-12" },
		{ .text = "core:11-12", .cpus = "3-4" },
		{ .text = "clos:1", .cpus = "0,3,8,11" },
		{ .text = "siblings:13", .cpus = "13" },
	};

	(void)test;
	check_resolved(cases, ARRAY_SIZE(cases), "0-12,14-15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_needs_sst),
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
