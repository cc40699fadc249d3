// SPDX-License-Identifier: GPL-2.0-only
/* A machine is read as a whole, or a message names the part that could not be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_topology.h"
#include "host/machine.h"

static const struct fake_topology four_cpus = {
	.present = "0-3\n",
	.online = "0-3\n",
	.possible = "0-3\n",
	.dies = { { .cpus = "0-1" }, { .cpus = "2-3", .package = 1, .die = 1 } },
};

static void make_files(struct fake_files *fake)
{
	fake_files_init(fake);
	fake_files_set(fake, "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n",
		       "/proc/cpuinfo");
	fake_topology_add(fake, &four_cpus);
}

static void test_open(void **test)
{
	struct machine *machine = NULL;
	struct fake_files fake;
	struct host host = { .files = &fake.files };
	char *message = NULL;

	(void)test;
	make_files(&fake);
	assert_int_equal(machine_open(&host, &machine, &message), 0);
	assert_null(message);
	assert_ptr_equal(machine->host, &host);
	assert_int_equal(machine->identity.generation, GENERATION_SAPPHIRE_RAPIDS);
	assert_int_equal(machine->topology.places[3].package, 1);
	machine_close(&machine);
	assert_null(machine);
	machine_close(&machine);
	fake_files_done(&fake);
}

static void test_errors(void **test)
{
	static const struct {
		const char *path;
		int err;
		const char *words;
	} cases[] = {
		{ .path = "/proc/cpuinfo", .err = -EACCES, .words = "/proc/cpuinfo" },
		{ .path = FAKE_CPU_ROOT "/present", .err = -ENOENT, .words = "topology" },
		{ .path = FAKE_CPU_ROOT "/cpu2/topology/die_id", .err = -EIO, .words = "topology" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *message = NULL;
		struct machine *machine = NULL;
		struct fake_files fake;
		struct host host = { .files = &fake.files };

		make_files(&fake);
		fake_files_fail(&fake, cases[i].path, cases[i].err);
		assert_int_equal(machine_open(&host, &machine, &message), cases[i].err);
		assert_null(machine);
		assert_non_null(strstr(message, cases[i].words));
		assert_non_null(strstr(message, strerror(-cases[i].err)));
		fake_files_done(&fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
