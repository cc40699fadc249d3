// SPDX-License-Identifier: GPL-2.0-only
/* The map of CPUs: what is read from it, which maps are refused, and whose maps are accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "fake_topology.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/fileio.h"
#include "host/topology.h"

#define BOOT_ID     "/proc/sys/kernel/random/boot_id"
#define BOOT        "11111111-2222-3333-4444-555555555555"
#define OTHER_OWNER 4321

/* A machine with some CPUs online, and the run directory. */
struct world {
	struct fake_files fake;
	struct topology topology;
	char *directory;
	char *map;
};

/* Reads the machine again with these CPUs online. The physical_cpu of each is its number. */
static void read_machine(struct world *world, const char *online)
{
	struct fake_topology machine = {
		.present = "0-7\n",
		.online = online,
		.possible = "0-7\n",
		.dies = { { .cpus = "0-1" },
			  { .cpus = "2-3", .die = 1 },
			  { .cpus = "4-5", .package = 1, .die = 2 },
			  { .cpus = "6-7", .package = 1, .die = 3 } },
	};

	topology_done(&world->topology);
	fake_files_remove(&world->fake, FAKE_CPU_ROOT);
	fake_topology_add(&world->fake, &machine);
	assert_int_equal(topology_read(&world->fake.files, &world->topology), 0);
	cpuset_foreach (cpu, &world->topology.online) {
		world->topology.places[cpu].physical_cpu = cpu;
		world->topology.places[cpu].has_physical_cpu = true;
	}
}

static int set_up(void **test)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->directory = temporary_make();
	world->map = temporary_path(world->directory, "cpu-map.json");
	fake_files_init(&world->fake);
	fake_files_set(&world->fake, BOOT "\n", BOOT_ID);
	read_machine(world, "0-3\n");
	*test = world;
	return 0;
}

static int tear_down(void **test)
{
	struct world *world = *test;

	topology_done(&world->topology);
	fake_files_done(&world->fake);
	temporary_remove(world->directory);
	free(world->map);
	free(world);
	return 0;
}

static int apply(struct world *world)
{
	return cpu_map_apply(&world->fake.files, world->directory, &world->topology);
}

static void assert_placed(const struct world *world, const char *list)
{
	_cleanup_cpuset_ struct cpuset wanted = { 0 };

	assert_int_equal(cpulist_parse(list, &wanted), 0);
	assert_true(cpuset_equal(&world->topology.placed, &wanted));
}

static void test_round_trip(void **test)
{
	static const uint32_t dies[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
	_cleanup_free_ char *below = NULL, *map = NULL;
	struct world *world = *test;

	below = temporary_path(world->directory, "run/below");
	map = temporary_path(below, "cpu-map.json");
	read_machine(world, "0-7\n");
	world->topology.places[6].has_physical_cpu = false;
	assert_int_equal(cpu_map_write(&world->fake.files, below, &world->topology), 0);
	assert_int_equal(temporary_mode(map) & 022, 0);
	assert_int_equal(temporary_count(below), 1);
	read_machine(world, "0,2\n");
	assert_int_equal(cpu_map_apply(&world->fake.files, below, &world->topology), 0);
	assert_placed(world, "0-7");
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		const struct cpu_place *place = &world->topology.places[cpu];

		assert_int_equal(place->package, cpu / 4);
		assert_int_equal(place->die, dies[cpu]);
		assert_int_equal(place->has_physical_cpu, cpu != 6);
		if (place->has_physical_cpu)
			assert_int_equal(place->physical_cpu, cpu);
	}
	assert_int_equal(cpuset_count(&world->topology.online), 2);
}

/* A map that was applied can be written again: what it knew is not lost. */
static void test_written_again(void **test)
{
	struct world *world = *test;

	read_machine(world, "0-7\n");
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	read_machine(world, "0-3\n");
	assert_int_equal(apply(world), 0);
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	read_machine(world, "4\n");
	assert_int_equal(apply(world), 0);
	assert_placed(world, "0-7");
	assert_int_equal(world->topology.places[7].physical_cpu, 7);
}

/* Written while the driver cannot be asked, and no map was applied: what it knew is not lost. */
static void test_known_stays(void **test)
{
	struct world *world = *test;

	read_machine(world, "0-7\n");
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	read_machine(world, "0-3\n");
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		world->topology.places[cpu].has_physical_cpu = false;
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	assert_placed(world, "0-3");
	read_machine(world, "4\n");
	assert_int_equal(apply(world), 0);
	assert_placed(world, "0-7");
	assert_int_equal(world->topology.places[7].physical_cpu, 7);
	assert_true(world->topology.places[0].has_physical_cpu);
	assert_int_equal(world->topology.places[1].physical_cpu, 1);
}

/* Whether writing a map adds something is known by its beginning. */
static void test_has(void **test)
{
	struct world *world = *test;
	struct files *files = &world->fake.files;

	read_machine(world, "0-3\n");
	world->topology.places[0].has_physical_cpu = false;
	assert_false(cpu_map_has(files, world->directory, &world->topology));
	assert_int_equal(cpu_map_write(files, world->directory, &world->topology), 0);
	assert_true(cpu_map_has(files, world->directory, &world->topology));
	world->topology.places[0].has_physical_cpu = true;
	assert_false(cpu_map_has(files, world->directory, &world->topology));
	read_machine(world, "0-7\n");
	assert_false(cpu_map_has(files, world->directory, &world->topology));
	assert_int_equal(cpu_map_write(files, world->directory, &world->topology), 0);
	assert_true(cpu_map_has(files, world->directory, &world->topology));
	assert_int_equal(chmod(world->map, 0666), 0);
	assert_false(cpu_map_has(files, world->directory, &world->topology));
	assert_int_equal(chmod(world->map, 0644), 0);
	fake_files_set(&world->fake, "99999999-2222-3333-4444-555555555555\n", BOOT_ID);
	assert_false(cpu_map_has(files, world->directory, &world->topology));
}

/* A core that the driver does not report now is known by the map. */
static void test_core_of_map(void **test)
{
	struct world *world = *test;

	read_machine(world, "0-7\n");
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	read_machine(world, "0-3\n");
	world->topology.places[2].has_physical_cpu = false;
	assert_int_equal(apply(world), 0);
	assert_true(world->topology.places[2].has_physical_cpu);
	assert_int_equal(world->topology.places[2].physical_cpu, 2);
}

static void test_other_boot(void **test)
{
	struct world *world = *test;

	read_machine(world, "0-7\n");
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	read_machine(world, "0-3\n");
	fake_files_set(&world->fake, "99999999-2222-3333-4444-555555555555\n", BOOT_ID);
	assert_int_equal(apply(world), -ESTALE);
	assert_placed(world, "0-3");
	fake_files_fail(&world->fake, BOOT_ID, -EACCES);
	assert_int_equal(apply(world), -EACCES);
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology),
			 -EACCES);
	assert_placed(world, "0-3");
}

struct map_case {
	const char *text;
	int err;
	const char *placed; /* where it is applied */
};

/* CPUs 0 to 3 are online, in package 0, each with its number as physical_cpu. */
static const struct map_case entry_cases[] = {
	{ .text = "[]", .placed = "0-3" },
	{ .text = "[[4,1,2,4],[5,1,2,5]]", .placed = "0-5" },
	{ .text = "[[7,1,3,-1],[4,1,2,-1]]", .placed = "0-4,7" },
	{ .text = "[[0,0,0,0],[3,0,1,3],[6,1,3,6]]", .placed = "0-3,6" },
	{ .text = "[[0,0,0,-1],[4,1,2,4]]", .placed = "0-4" },
	{ .text = "[[4,1,2,1]]", .placed = "0-4" }, /* of another package */
	{ .text = "[[4,0,7,3]]", .placed = "0-4" }, /* of another die */
	{ .text = "[[4,4294967295,4294967295,4294967294]]", .placed = "0-4" },
	/* against what is online */
	{ .text = "[[4,1,2,4],[0,1,0,0]]", .err = -ESTALE },
	{ .text = "[[2,0,0,2]]", .err = -ESTALE },
	{ .text = "[[0,0,0,9]]", .err = -ESTALE },
	{ .text = "[[5,1,2,5],[4,0,0,1]]", .err = -ESTALE },
	{ .text = "[[4,0,1,3]]", .err = -ESTALE },
	{ .text = "[[4,1,2,4],[8,1,3,8]]", .err = -ESTALE },
	{ .text = "[[1048575,1,3,8]]", .err = -ESTALE },
	/* against itself */
	{ .text = "[[4,1,2,4],[5,1,2,4]]", .err = -ESTALE },
	{ .text = "[[4,1,2,4],[4,1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,4],[4,1,3,5]]", .err = -EBADMSG },
	{ .text = "[[0,0,0,0],[0,0,0,0]]", .err = -EBADMSG },
	/* no entries of ours */
	{ .text = "[[4,1,2]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,4,0]]", .err = -EBADMSG },
	{ .text = "[[]]", .err = -EBADMSG },
	{ .text = "[4]", .err = -EBADMSG },
	{ .text = "[{}]", .err = -EBADMSG },
	{ .text = "[null]", .err = -EBADMSG },
	{ .text = "[[-1,1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,-1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,1,-1,4]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,-2]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,null]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,\"4\"]]", .err = -EBADMSG },
	{ .text = "[[\"4\",1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4.0,1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,1,true,4]]", .err = -EBADMSG },
	{ .text = "[[1048576,1,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,4294967296,2,4]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,4294967296]]", .err = -EBADMSG },
	{ .text = "[[4,1,2,4294967295]]", .err = -EBADMSG }, /* a failed MSR is no core */
	{ .text = "[[4,1,2,4],[5]]", .err = -EBADMSG },
	{ .text = "{}", .err = -EBADMSG },
	{ .text = "null", .err = -EBADMSG },
	{ .text = "\"\"", .err = -EBADMSG },
};

/* Puts a map there, applies it and takes it away. */
static void check_map(struct world *world, const char *text, int wanted_err, const char *placed)
{
	int err;

	read_machine(world, "0-3\n");
	temporary_write(world->map, text, 0644);
	err = apply(world);
	if (err != wanted_err)
		fail_msg("%s: %d, not %d", text, err, wanted_err);
	assert_placed(world, err ? "0-3" : placed);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		assert_int_equal(world->topology.places[cpu].physical_cpu, cpu);
	assert_int_equal(unlink(world->map), 0);
}

static void test_entries(void **test)
{
	for (size_t i = 0; i < ARRAY_SIZE(entry_cases); i++) {
		_cleanup_free_ char *text = NULL;

		assert_true(asprintf(&text,
				     "{\"format\":\"intel-speed-select cpu map\",\"version\":1,"
				     "\"boot\":\"" BOOT "\",\"cpus\":%s}",
				     entry_cases[i].text) > 0);
		check_map(*test, text, entry_cases[i].err, entry_cases[i].placed);
	}
}

#define FORMAT "\"format\":\"intel-speed-select cpu map\""
#define CPUS   "\"cpus\":[[4,1,2,4]]"

static const struct map_case head_cases[] = {
	{ .text = "{" CPUS ",\"version\":1,\"boot\":\"" BOOT "\"," FORMAT "}", .placed = "0-4" },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":\"" BOOT "\"," CPUS ",\"more\":0}\n",
	  .placed = "0-4" },
	{ .text = "{" FORMAT ",\"version\":2,\"boot\":\"" BOOT "\"," CPUS "}", .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":\"1\",\"boot\":\"" BOOT "\"," CPUS "}",
	  .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"boot\":\"" BOOT "\"," CPUS "}", .err = -EBADMSG },
	{ .text = "{\"version\":1,\"boot\":\"" BOOT "\"," CPUS "}", .err = -EBADMSG },
	{ .text = "{\"format\":\"map\",\"version\":1,\"boot\":\"" BOOT "\"," CPUS "}",
	  .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":1," CPUS "}", .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":7," CPUS "}", .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":\"\"," CPUS "}", .err = -ESTALE },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":\"" BOOT "\"}", .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":\"" BOOT "\"," CPUS "," CPUS "}",
	  .err = -EBADMSG },
	{ .text = "{" FORMAT ",\"version\":1,\"boot\":\"" BOOT "\"," CPUS "}}", .err = -EBADMSG },
	{ .text = "[]", .err = -EBADMSG },
	{ .text = "", .err = -EBADMSG },
	{ .text = "cpu 0 package 0", .err = -EBADMSG },
};

static void test_heads(void **test)
{
	for (size_t i = 0; i < ARRAY_SIZE(head_cases); i++)
		check_map(*test, head_cases[i].text, head_cases[i].err, head_cases[i].placed);
}

/* A map is whole or it is none. */
static void test_truncated(void **test)
{
	_cleanup_free_ char *text = NULL;
	struct world *world = *test;
	size_t length;

	read_machine(world, "0-7\n");
	assert_int_equal(cpu_map_write(&world->fake.files, world->directory, &world->topology), 0);
	assert_int_equal(fileio_read(world->map, 0, &text, &length), 0);
	assert_int_equal(unlink(world->map), 0);
	check_map(world, text, 0, "0-7");
	while (length > 0) {
		text[--length] = '\0';
		check_map(world, text, -EBADMSG, NULL);
	}
}

static const char good_map[] = "{" FORMAT ",\"version\":1,\"boot\":\"" BOOT "\"," CPUS "}";

static void test_modes(void **test)
{
	static const struct {
		mode_t mode;
		int err;
	} cases[] = {
		{ .mode = 0644 },
		{ .mode = 0600 },
		{ .mode = 0444 },
		{ .mode = 0755 },
		{ .mode = 0664, .err = -EPERM },
		{ .mode = 0646, .err = -EPERM },
		{ .mode = 0666, .err = -EPERM },
		{ .mode = 0620, .err = -EPERM },
	};
	struct world *world = *test;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		read_machine(world, "0-3\n");
		temporary_write(world->map, good_map, cases[i].mode);
		assert_int_equal(apply(world), cases[i].err);
		assert_placed(world, cases[i].err ? "0-3" : "0-4");
		assert_int_equal(unlink(world->map), 0);
	}
}

/* What is in the map's place must be a file, and reading it must not hang. */
static void test_kinds(void **test)
{
	_cleanup_free_ char *target = NULL;
	struct world *world = *test;

	assert_int_equal(apply(world), -ENOENT);
	target = temporary_path(world->directory, "target");
	temporary_write(target, good_map, 0644);
	assert_int_equal(symlink("target", world->map), 0);
	assert_int_equal(apply(world), -ELOOP);
	assert_int_equal(unlink(world->map), 0);
	assert_int_equal(mkfifo(world->map, 0600), 0);
	assert_int_equal(apply(world), -EPERM);
	assert_int_equal(unlink(world->map), 0);
	assert_int_equal(mkdir(world->map, 0700), 0);
	assert_int_equal(apply(world), -EPERM);
	assert_placed(world, "0-3");
}

static void test_owners(void **test)
{
	struct world *world = *test;

	temporary_write(world->map, good_map, 0644);
	if (chown(world->map, OTHER_OWNER, OTHER_OWNER) < 0)
		return; /* only root may give files away */
	assert_int_equal(apply(world), -EPERM);
	assert_placed(world, "0-3");
	assert_int_equal(chown(world->map, 0, 0), 0);
	assert_int_equal(apply(world), 0);
	assert_placed(world, "0-4");
}

static void test_directories(void **test)
{
	_cleanup_free_ char *missing = NULL, *below_file = NULL, *file = NULL;
	struct world *world = *test;
	struct files *files = &world->fake.files;

	missing = temporary_path(world->directory, "missing");
	file = temporary_path(world->directory, "file");
	below_file = temporary_path(file, "below");
	temporary_write(file, "", 0644);
	assert_int_equal(cpu_map_apply(files, missing, &world->topology), -ENOENT);
	assert_int_equal(cpu_map_apply(files, below_file, &world->topology), -ENOTDIR);
	assert_int_equal(cpu_map_write(files, file, &world->topology), -ENOTDIR);
	assert_int_equal(cpu_map_write(files, below_file, &world->topology), -ENOTDIR);
	assert_int_equal(temporary_count(world->directory), 1);
	assert_int_equal(cpu_map_write(files, missing, &world->topology), 0);
	assert_int_equal(cpu_map_apply(files, missing, &world->topology), 0);
	assert_placed(world, "0-3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_written_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_known_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_has, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_core_of_map, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_boot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_entries, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_truncated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_modes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_directories, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
