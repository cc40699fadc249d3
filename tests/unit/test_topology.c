// SPDX-License-Identifier: GPL-2.0-only
/* Packages and dies out of sysfs: shapes of machines, old kernels, races with hotplug, nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_topology.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "host/topology.h"

#define LARGE_PACKAGES         64U
#define LARGE_CPUS_PER_PACKAGE 128U

#define CPU4 FAKE_CPU_ROOT "/cpu4/topology/"

static int set_up(void **test)
{
	struct fake_files *fake = malloc(sizeof(*fake));

	assert_non_null(fake);
	fake_files_init(fake);
	*test = fake;
	return 0;
}

static int tear_down(void **test)
{
	fake_files_done(*test);
	free(*test);
	return 0;
}

static void assert_set(const struct cpuset *set, const char *list)
{
	_cleanup_cpuset_ struct cpuset wanted = { 0 };

	assert_int_equal(cpulist_parse(list, &wanted), 0);
	assert_true(cpuset_equal(set, &wanted));
}

/* Every CPU of placed is in the package and die of the description. */
static void assert_places(const struct topology *topology, const struct fake_topology *wanted,
			  const char *placed)
{
	assert_set(&topology->placed, placed);
	for (size_t i = 0; i < FAKE_DIES && wanted->dies[i].cpus; i++) {
		const struct fake_die *die = &wanted->dies[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		assert_int_equal(cpulist_parse(die->cpus, &cpus), 0);
		cpuset_keep(&cpus, &topology->placed);
		cpuset_foreach (cpu, &cpus) {
			assert_int_equal(topology->places[cpu].package, die->package);
			assert_int_equal(topology->places[cpu].die,
					 wanted->no_die_id ? 0 : die->die);
			assert_false(topology->places[cpu].has_physical_cpu);
		}
	}
}

struct shape_case {
	const char *what;
	struct fake_topology topology;
	size_t n_reads; /* without smt/control, which is read if CPUs are offline */
	size_t mask_words;
	bool dies_differ;
};

static const struct shape_case shape_cases[] = {
	{ .what = "one CPU",
	  .topology = { .present = "0\n",
			.online = "0\n",
			.possible = "0\n",
			.dies = { { .cpus = "0" } } },
	  .n_reads = 7,
	  .mask_words = 1,
	  .dies_differ = true },
	{ .what = "siblings last",
	  .topology = { .present = "0-15\n",
			.online = "0-15\n",
			.possible = "0-31\n",
			.dies = { { .cpus = "0-3,8-11" }, { .cpus = "4-7,12-15", .package = 1 } } },
	  .n_reads = 11,
	  .mask_words = 1 },
	{ .what = "siblings adjacent",
	  .topology = { .present = "0-15\n",
			.online = "0-15\n",
			.possible = "0-32\n",
			.dies = { { .cpus = "0-7" }, { .cpus = "8-15", .package = 1 } } },
	  .n_reads = 11,
	  .mask_words = 2 },
	{ .what = "packages interleaved",
	  .topology = { .present = "0-7\n",
			.online = "0-7\n",
			.possible = "0-7\n",
			.dies = { { .cpus = "0,2,4,6" }, { .cpus = "1,3,5,7", .package = 1 } } },
	  .n_reads = 11,
	  .mask_words = 1 },
	{ .what = "dies unique over the system",
	  .topology = { .present = "0-7\n",
			.online = "0-7\n",
			.possible = "0-63\n",
			.dies = { { .cpus = "0-3" }, { .cpus = "4-7", .package = 1, .die = 1 } } },
	  .n_reads = 11,
	  .mask_words = 2,
	  .dies_differ = true },
	{ .what = "two dies a package, numbered from 0 in each",
	  .topology = { .present = "0-7\n",
			.online = "0-7\n",
			.possible = "0-7\n",
			.dies = { { .cpus = "0-1" },
				  { .cpus = "2-3", .die = 1 },
				  { .cpus = "4-5", .package = 1 },
				  { .cpus = "6-7", .package = 1, .die = 1 } } },
	  .n_reads = 15,
	  .mask_words = 1 },
	{ .what = "two dies a package, unique and interleaved",
	  .topology = { .present = "0-7\n",
			.online = "0-7\n",
			.possible = "0-7\n",
			.dies = { { .cpus = "0,4", .die = 10 },
				  { .cpus = "2,6", .die = 11 },
				  { .cpus = "1,5", .package = 3, .die = 12 },
				  { .cpus = "3,7", .package = 3, .die = 13 } } },
	  .n_reads = 15,
	  .mask_words = 1,
	  .dies_differ = true },
	{ .what = "a kernel without dies",
	  .topology = { .present = "0-7\n",
			.online = "0-7\n",
			.possible = "0-7\n",
			.dies = { { .cpus = "0-3" }, { .cpus = "4-7", .package = 1 } },
			.no_die_id = true },
	  .n_reads = 3 + 2 * 4, /* one more to see that the CPU is still there */
	  .mask_words = 1 },
	{ .what = "a kernel without lists of packages",
	  .topology = { .present = "0-3\n",
			.online = "0-3\n",
			.possible = "0-3\n",
			.dies = { { .cpus = "0-1" }, { .cpus = "2-3", .package = 1, .die = 1 } },
			.no_package_list = true },
	  .n_reads = 3 + 4 * 5,
	  .mask_words = 1,
	  .dies_differ = true },
	{ .what = "a kernel without any lists",
	  .topology = { .present = "0-3\n",
			.online = "0-3\n",
			.possible = "0-3\n",
			.dies = { { .cpus = "0-1" }, { .cpus = "2-3", .package = 1, .die = 1 } },
			.no_package_list = true,
			.no_die_list = true },
	  .n_reads = 3 + 4 * 6,
	  .mask_words = 1,
	  .dies_differ = true },
	{ .what = "offline CPUs, a whole die of them",
	  .topology = { .present = "0-7\n",
			.online = "0-2,6\n",
			.possible = "0-95\n",
			.dies = { { .cpus = "0-1" },
				  { .cpus = "2-3", .die = 1 },
				  { .cpus = "4-5", .package = 1, .die = 2 },
				  { .cpus = "6-7", .package = 1, .die = 3 } } },
	  .n_reads = 13,
	  .mask_words = 3,
	  .dies_differ = true },
	{ .what = "holes among the CPUs, CPU 0 offline",
	  .topology = { .present = "0,4-5,100\n",
			.online = "4-5,100\n",
			.possible = "0-127\n",
			.dies = { { .cpus = "0,4" },
				  { .cpus = "5,100", .package = 7, .die = 4 } } },
	  .n_reads = 11,
	  .mask_words = 4,
	  .dies_differ = true },
};

static void test_shapes(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(shape_cases); i++) {
		const struct shape_case *shape = &shape_cases[i];
		struct topology topology = { 0 };
		struct fake_files fake;

		print_message("%s\n", shape->what);
		fake_files_init(&fake);
		fake_topology_add(&fake, &shape->topology);
		assert_int_equal(topology_read(&fake.files, &topology), 0);
		assert_set(&topology.online, shape->topology.online);
		assert_set(&topology.present, shape->topology.present);
		assert_places(&topology, &shape->topology, shape->topology.online);
		assert_int_equal(fake.n_reads, shape->n_reads + !cpuset_equal(&topology.present,
									      &topology.online));
		assert_int_equal(topology_mask_words(&topology), shape->mask_words);
		assert_int_equal(topology_dies_differ(&topology), shape->dies_differ);
		topology_done(&topology);
		assert_null(topology.places);
		fake_files_done(&fake);
	}
}

/* Eight CPUs, siblings last: CPU n + 4 is the second thread of the core of CPU n. */
static const struct thread_case {
	const char *what;
	const char *control; /* smt/control */
	const char *online;
	const char *mapped; /* offline CPUs whose places, with the cores, are known */
	const char *threads;
	const char *unplaced;
} thread_cases[] = {
	{ "SMT on", "on\n", "0-3", "", "", "4-7" },
	{ "not supported", "notsupported\n", "0-3", "", "", "4-7" },
	{ "not supported, with a map", "notsupported\n", "0-3", "4-7", "", "" },
	{ "all first threads online", "off\n", "0-3", "", "4-7", "" },
	{ "all online CPUs even", "forceoff\n", "0,2,4,6", "", "1,3,5,7", "" },
	{ "a first thread offline", "off\n", "0-1,3", "", "4-7", "2" },
	{ "both ways of numbering fit", "off\n", "0,2", "", "", "1,3-7" },
	{ "no way of numbering fits", "off\n", "0,5", "", "", "1-4,6-7" },
	{ "all mapped", "off\n", "0-3", "4-7", "4-7", "" },
	{ "all mapped, a core offline", "off\n", "0-2", "3-7", "4-7", "" },
	{ "all mapped, SMT on", "on\n", "0-2", "3-7", "", "" },
	{ "some mapped", "off\n", "0-2", "3,7", "4-7", "" },
};

static void read_thread_case(const struct thread_case *row, struct cpu_place *places,
			     struct topology *topology)
{
	topology->places = places;
	assert_int_equal(cpulist_parse("0-7", &topology->present), 0);
	assert_int_equal(cpulist_parse(row->online, &topology->online), 0);
	if (*row->mapped)
		assert_int_equal(cpulist_parse(row->mapped, &topology->placed), 0);
	assert_int_equal(cpuset_add_all(&topology->placed, &topology->online), 0);
	cpuset_foreach (cpu, &topology->placed)
		places[cpu] = (struct cpu_place){
			.has_physical_cpu = true,
			.physical_cpu = (cpu % 4) << 1 | cpu / 4,
			.core = cpu % 4,
		};
}

static void test_second_threads(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(thread_cases); i++) {
		const struct thread_case *row = &thread_cases[i];
		_cleanup_cpuset_ struct cpuset threads = { 0 }, unplaced = { 0 };
		struct cpu_place *places = calloc(8, sizeof(*places));
		struct topology topology = { 0 };
		struct fake_files fake;
		bool is_moved;

		print_message("%s\n", row->what);
		fake_files_init(&fake);
		fake_files_set(&fake, row->control, FAKE_CPU_ROOT "/smt/control");
		fake_files_set(&fake, row->online, FAKE_CPU_ROOT "/online");
		assert_non_null(places);
		read_thread_case(row, places, &topology);
		assert_int_equal(topology_update(&fake.files, &topology, &is_moved), 0);
		assert_int_equal(topology_find_threads(&topology, &threads), 0);
		assert_set(&threads, row->threads);
		assert_int_equal(topology_find_unplaced(&topology, &unplaced), 0);
		assert_set(&unplaced, row->unplaced);
		topology_done(&topology);
		fake_files_done(&fake);
	}
}

struct core_case {
	const char *what;
	const char *online;
	uint32_t threads; /* of a core of the kernel: CPUs n and n + 4, or one */
	uint32_t places; /* the driver numbers so many cores in turn; 2: modules of CPUs 0-3, 4-7 */
	const char *cores;
};

static const struct core_case core_cases[] = {
	{ "two threads", "0-7", 2, 4, "0-3" },
	{ "of the first core, the second thread", "1-7", 2, 4, "1-4" },
	{ "of each core, one", "0-3", 2, 4, "0-3" },
	{ "modules", "0-7", 1, 2, "0-7" },
	{ "one CPU of the first module", "0,4-7", 1, 2, "0,4-7" },
	{ "one CPU of each module", "3,6", 1, 2, "3,6" },
};

/* A core of the driver may be a module of several: what counts is the kernel's list. */
static void test_cores(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(core_cases); i++) {
		const struct core_case *row = &core_cases[i];
		_cleanup_cpuset_ struct cpuset cores = { 0 };
		struct topology topology = { .places = calloc(8, sizeof(*topology.places)) };
		struct fake_files fake;

		print_message("%s\n", row->what);
		fake_files_init(&fake);
		assert_non_null(topology.places);
		assert_int_equal(cpulist_parse(row->online, &topology.online), 0);
		for (uint32_t cpu = 0; cpu < 8; cpu++) {
			char list[16];

			snprintf(list, sizeof(list), row->threads == 2 ? "%u,%u\n" : "%u\n",
				 row->threads == 2 ? cpu % 4 : cpu, cpu % 4 + 4);
			fake_files_set(&fake, list,
				       FAKE_CPU_ROOT "/cpu%u/topology/thread_siblings_list", cpu);
			topology.places[cpu] = (struct cpu_place){
				.has_physical_cpu = true,
				.physical_cpu = cpu,
				.core = row->places == 2 ? cpu / 4 : cpu % row->places,
			};
		}
		assert_int_equal(topology_find_cores(&fake.files, &topology, &cores), 0);
		assert_set(&cores, row->cores);
		topology_done(&topology);
		fake_files_done(&fake);
	}
}

struct unknown_case {
	const char *what;
	const char *package; /* of CPUs 0 and 1; CPUs 2 and 3 are of 36 */
	const char *die; /* of all CPUs; NULL: no file */
	const char *package_list; /* NULL: each CPU's has itself alone */
};

static const struct unknown_case unknown_cases[] = {
	{ "package known, die not", "36\n", "-1\n", "0-3\n" },
	{ "package known, no dies", "36\n", NULL, "0-3\n" },
	{ "neither known", "-1\n", "-1\n", "0-1\n" },
	{ "neither known, each CPU alone in its lists", "-1\n", "-1\n", NULL },
	{ "package unknown, no dies", "-1\n", NULL, "0-1\n" },
};

/* Firmware that reports no package or die: the kernel shows -1, which counts as 0. */
static void test_unknown_ids(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(unknown_cases); i++) {
		const struct unknown_case *unknown = &unknown_cases[i];
		bool is_known = strcmp(unknown->package, "36\n") == 0;
		struct topology topology = { 0 };
		struct fake_files fake;

		print_message("%s\n", unknown->what);
		fake_files_init(&fake);
		fake_files_set(&fake, "0-3\n", FAKE_CPU_ROOT "/present");
		fake_files_set(&fake, "0-3\n", FAKE_CPU_ROOT "/online");
		fake_files_set(&fake, "0-3\n", FAKE_CPU_ROOT "/possible");
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			const char alone[] = { (char)('0' + cpu), '\n', '\0' };

			fake_files_set(&fake, cpu < 2 ? unknown->package : "36\n",
				       FAKE_CPU_ROOT "/cpu%u/topology/physical_package_id", cpu);
			fake_files_set(&fake,
				       !unknown->package_list ? alone
				       : is_known || cpu < 2  ? unknown->package_list
							      : "2-3\n",
				       FAKE_CPU_ROOT "/cpu%u/topology/package_cpus_list", cpu);
			if (unknown->die) {
				fake_files_set(&fake, unknown->die,
					       FAKE_CPU_ROOT "/cpu%u/topology/die_id", cpu);
				fake_files_set(&fake, alone,
					       FAKE_CPU_ROOT "/cpu%u/topology/die_cpus_list", cpu);
			}
		}
		assert_int_equal(topology_read(&fake.files, &topology), 0);
		assert_set(&topology.placed, "0-3");
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			assert_int_equal(topology.places[cpu].package,
					 is_known || cpu >= 2 ? 36 : 0);
			assert_int_equal(topology.places[cpu].die, 0);
		}
		topology_done(&topology);
		fake_files_done(&fake);
	}
}

/* What is online is present and possible, and CPU lists of lists count for online CPUs only. */
static void test_lists_that_disagree(void **test)
{
	static const struct fake_topology described = { .present = "0-3\n",
							.online = "0-5\n",
							.possible = "0-1\n",
							.dies = { { .cpus = "0-5" } } };
	struct fake_files *fake = *test;
	struct topology topology;

	fake_topology_add(fake, &described);
	fake_files_set(fake, "1-2,70\n", FAKE_CPU_ROOT "/cpu0/topology/package_cpus_list");
	assert_int_equal(topology_read(&fake->files, &topology), 0);
	assert_set(&topology.present, "0-5");
	assert_set(&topology.possible, "0-5");
	assert_places(&topology, &described, "0-5");
	topology_done(&topology);
}

static const struct fake_topology two_by_two = {
	.present = "0-7\n",
	.online = "0-7\n",
	.possible = "0-7\n",
	.dies = { { .cpus = "0-1" },
		  { .cpus = "2-3", .die = 1 },
		  { .cpus = "4-5", .package = 1, .die = 2 },
		  { .cpus = "6-7", .package = 1, .die = 3 } },
};

/* CPU 4, the first of its package, goes offline after this file was read. */
static void test_goes_offline_between_reads(void **test)
{
	static const char *const moments[] = {
		FAKE_CPU_ROOT "/online",
		FAKE_CPU_ROOT "/cpu0/topology/package_cpus_list",
		CPU4 "physical_package_id",
		CPU4 "package_cpus_list",
		CPU4 "die_id",
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
		struct topology topology = { 0 };
		struct fake_files fake;

		print_message("after %s\n", moments[i]);
		fake_files_init(&fake);
		fake_topology_add(&fake, &two_by_two);
		fake_files_remove_after(&fake, moments[i], CPU4);
		fake_files_set_next(&fake, FAKE_CPU_ROOT "/online", "0-3,5-7\n");
		assert_int_equal(topology_read(&fake.files, &topology), 0);
		assert_places(&topology, &two_by_two, "0-3,5-7");
		assert_set(&topology.online, "0-3,5-7");
		assert_set(&topology.present, "0-7");
		topology_done(&topology);
		fake_files_done(&fake);
	}
}

/* A file that was opened in time cannot be read any more once its CPU is gone. */
static void test_goes_offline_while_read(void **test)
{
	static const char *const names[] = { "physical_package_id", "package_cpus_list", "die_id",
					     "die_cpus_list" };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = NULL;
		struct topology topology = { 0 };
		struct fake_files fake;

		assert_true(asprintf(&path, CPU4 "%s", names[i]) > 0);
		print_message("%s\n", path);
		fake_files_init(&fake);
		fake_topology_add(&fake, &two_by_two);
		fake_files_remove(&fake, CPU4);
		for (size_t before = 0; before < i; before++) {
			fake_files_set(&fake,
				       before == 1   ? "4-7\n"
				       : before == 2 ? "2\n"
						     : "1\n",
				       CPU4 "%s", names[before]);
		}
		if (i > 0)
			fake_files_remove_after(&fake, CPU4 "physical_package_id",
						CPU4 "physical_package_id");
		fake_files_fail(&fake, path, -ENODEV);
		fake_files_set_next(&fake, FAKE_CPU_ROOT "/online", "0-3,5-7\n");
		assert_int_equal(topology_read(&fake.files, &topology), 0);
		assert_places(&topology, &two_by_two, "0-3,5-7");
		topology_done(&topology);
		fake_files_done(&fake);
	}
}

/* A CPU that stays in the list of online ones without a topology is a fault, not a CPU offline. */
static void test_online_without_topology(void **test)
{
	struct topology topology = { 0 };
	struct fake_files fake;

	(void)test;
	fake_files_init(&fake);
	fake_topology_add(&fake, &two_by_two);
	fake_files_remove(&fake, CPU4);
	assert_int_equal(topology_read(&fake.files, &topology), -ENOENT);
	fake_files_done(&fake);
}

struct error_case {
	const char *path;
	const char *text;
	int read_err; /* where text is NULL */
	int err;
};

static const struct error_case error_cases[] = {
	{ .path = "/present", .read_err = -ENOENT, .err = -ENOENT },
	{ .path = "/present", .read_err = -EACCES, .err = -EACCES },
	{ .path = "/present", .text = "\n", .err = -EINVAL },
	{ .path = "/present", .text = "0-\n", .err = -EINVAL },
	{ .path = "/present", .text = "0-9999999\n", .err = -ERANGE },
	{ .path = "/online", .read_err = -ENOENT, .err = -ENOENT },
	{ .path = "/online", .text = "", .err = -EINVAL },
	{ .path = "/online", .text = "all\n", .err = -EINVAL },
	{ .path = "/possible", .read_err = -EIO, .err = -EIO },
	{ .path = "/possible", .text = "7-0\n", .err = -EINVAL },
	{ .path = "/cpu0/topology/physical_package_id", .read_err = -EACCES, .err = -EACCES },
	{ .path = "/cpu0/topology/physical_package_id", .text = "-2\n", .err = -EINVAL },
	{ .path = "/cpu0/topology/physical_package_id", .text = "-1 -1\n", .err = -EINVAL },
	{ .path = "/cpu0/topology/physical_package_id", .text = "\n", .err = -EINVAL },
	{ .path = "/cpu0/topology/physical_package_id", .text = "0 1\n", .err = -EINVAL },
	{ .path = "/cpu0/topology/physical_package_id", .text = "4294967296\n", .err = -EINVAL },
	{ .path = "/cpu4/topology/package_cpus_list", .text = "4-7;\n", .err = -EINVAL },
	{ .path = "/cpu4/topology/package_cpus_list", .read_err = -EIO, .err = -EIO },
	{ .path = "/cpu2/topology/die_id", .text = "one\n", .err = -EINVAL },
	{ .path = "/cpu2/topology/die_id", .text = "--1\n", .err = -EINVAL },
	{ .path = "/cpu2/topology/die_id", .read_err = -EIO, .err = -EIO },
	{ .path = "/cpu6/topology/die_cpus_list", .text = "6-7,\n", .err = -EINVAL },
	{ .path = "/cpu6/topology/die_cpus_list", .read_err = -ENOMEM, .err = -ENOMEM },
};

static void test_errors(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(error_cases); i++) {
		const struct error_case *wrong = &error_cases[i];
		_cleanup_free_ char *path = NULL;
		struct topology topology = { 0 };
		struct fake_files fake;
		int err;

		assert_true(asprintf(&path, FAKE_CPU_ROOT "%s", wrong->path) > 0);
		fake_files_init(&fake);
		fake_topology_add(&fake, &two_by_two);
		if (wrong->text) {
			fake_files_remove(&fake, path);
			fake_files_set(&fake, wrong->text, "%s", path);
		} else {
			fake_files_fail(&fake, path, wrong->read_err);
		}
		err = topology_read(&fake.files, &topology);
		if (err != wrong->err)
			fail_msg("case %zu, %s: %d, not %d", i, path, err, wrong->err);
		assert_null(topology.places);
		assert_null(topology.present.words);
		fake_files_done(&fake);
	}
}

static void add_large_package(struct fake_files *fake, uint32_t package)
{
	uint32_t first = package * LARGE_CPUS_PER_PACKAGE;
	uint32_t last = first + LARGE_CPUS_PER_PACKAGE - 1;
	char list[32], number[16];

	snprintf(list, sizeof(list), "%u-%u\n", first, last);
	snprintf(number, sizeof(number), "%u\n", package);
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		fake_files_set(fake, number, FAKE_CPU_ROOT "/cpu%u/topology/physical_package_id",
			       cpu);
		fake_files_set(fake, "0\n", FAKE_CPU_ROOT "/cpu%u/topology/die_id", cpu);
		fake_files_set(fake, list, FAKE_CPU_ROOT "/cpu%u/topology/package_cpus_list", cpu);
		fake_files_set(fake, list, FAKE_CPU_ROOT "/cpu%u/topology/die_cpus_list", cpu);
	}
}

/* 8,192 CPUs cost four files a die, whatever the number of CPUs. */
static void test_large_machine(void **test)
{
	uint32_t n_cpus = LARGE_PACKAGES * LARGE_CPUS_PER_PACKAGE;
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	struct fake_files *fake = *test;
	struct topology topology;

	fake_files_set(fake, "0-8191\n", FAKE_CPU_ROOT "/present");
	fake_files_set(fake, "0-8191\n", FAKE_CPU_ROOT "/online");
	fake_files_set(fake, "0-8191\n", FAKE_CPU_ROOT "/possible");
	for (uint32_t package = 0; package < LARGE_PACKAGES; package++)
		add_large_package(fake, package);
	assert_int_equal(topology_read(&fake->files, &topology), 0);
	assert_int_equal(fake->n_reads, 3 + 4 * LARGE_PACKAGES);
	assert_int_equal(cpuset_count(&topology.placed), n_cpus);
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
		assert_int_equal(topology.places[cpu].package, cpu / LARGE_CPUS_PER_PACKAGE);
	assert_int_equal(topology_find_packages(&topology, &packages), 0);
	assert_set(&packages, "0-63");
	assert_int_equal(topology_mask_words(&topology), 256);
	topology_done(&topology);
}

/* CPUs come online or go offline; a CPU without a known place makes the topology be read again. */
static void test_update(void **test)
{
	static const struct fake_topology description = {
		.present = "0-7",
		.online = "0-5",
		.possible = "0-7",
		.dies = { { "0-3", 0, 0 }, { "4-7", 1, 0 } },
	};
	static const struct {
		const char *online;
		int err;
		bool is_moved;
		const char *after;
	} vectors[] = {
		{ "0-5\n", 0, false, "0-5" },        { "0-2,5\n", 0, true, "0-2,5" },
		{ "0-5\n", 0, true, "0-5" },         { "0-6\n", -ESTALE, false, "0-5" },
		{ "0-3,7\n", -ESTALE, true, "0-3" }, { "\n", -EINVAL, false, "0-3" },
		{ "zero\n", -EINVAL, false, "0-3" },
	};
	struct topology topology = { 0 };
	struct fake_files *fake = *test;

	fake_topology_add(fake, &description);
	assert_int_equal(topology_read(&fake->files, &topology), 0);
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		bool is_moved = false;

		fake_files_set(fake, vectors[i].online, FAKE_CPU_ROOT "/online");
		assert_int_equal(topology_update(&fake->files, &topology, &is_moved),
				 vectors[i].err);
		assert_int_equal(is_moved, vectors[i].is_moved);
		assert_set(&topology.online, vectors[i].after);
		assert_places(&topology, &description, "0-5");
	}
	topology_done(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_second_threads),
		cmocka_unit_test(test_cores),
		cmocka_unit_test(test_unknown_ids),
		cmocka_unit_test_setup_teardown(test_lists_that_disagree, set_up, tear_down),
		cmocka_unit_test(test_goes_offline_between_reads),
		cmocka_unit_test(test_goes_offline_while_read),
		cmocka_unit_test(test_online_without_topology),
		cmocka_unit_test(test_errors),
		cmocka_unit_test_setup_teardown(test_large_machine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_update, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
