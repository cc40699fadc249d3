// SPDX-License-Identifier: GPL-2.0-only
/* What must hold before a setting command reads or writes anything: a place for the results, the
 * capability, and the lock, under which the machine is read (commands.md, "Safety of every setting
 * command"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "program_run.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

#define SETS  "isst turbo-mode disable"
#define READS "isst perf-profile get-lock-status"

struct vector {
	const char *name;
	const char *command;
	bool is_locked;
	bool lacks_capability;
	int status;
	const char *says; /* on stderr */
	bool reads; /* of the machine */
};

static const struct vector vectors[] = {
	{ "another sets", SETS, true, false, 5, "another instance is setting this machine", false },
	{ "no capability", SETS, false, true, 4, "CAP_SYS_ADMIN", false },
	{ "no place for results", "isst -o /nonexistent/file turbo-mode disable", false, false, 1,
	  "cannot be written to /nonexistent/file", false },
	{ "dry run beside another", "isst --dry-run core-power enable -p 1", true, false, 0, "",
	  true },
	{ "dry run without capability", "isst --dry-run core-power enable -p 1", false, true, 0, "",
	  true },
	{ "reading beside another", READS, true, false, 0, "", true },
	{ "reading without capability", READS, false, true, 0, "", true },
	{ "all online beside another", "isst -a perf-profile get-lock-status", true, false, 5,
	  "another instance", false },
};

static void run_vector(const struct vector *vector, const char *directory)
{
	_cleanup_lock_ struct lock *lock = NULL;
	_cleanup_free_ char *holder = NULL;
	struct fake_machine machine;

	print_message("%s\n", vector->name);
	program_open_ice_lake(&machine, NULL);
	machine.host.run_directory = directory;
	machine.lacks_capability = vector->lacks_capability;
	if (vector->is_locked)
		assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), 0);

	_cleanup_program_run_ struct program_run run = program_run(&machine, vector->command);

	assert_int_equal(run.status, vector->status);
	program_assert_holds(run.err, vector->says);
	assert_int_equal(machine.n_reads > 0, vector->reads);
	assert_int_equal(machine.log.n_records > 0, vector->reads);
	fake_machine_done(&machine);
}

static void test_conditions(void **state)
{
	char directory[] = "./isst-test-XXXXXX";
	_cleanup_free_ char *path = NULL, *map = NULL;

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		run_vector(&vectors[i], directory);
	assert_true(asprintf(&path, "%s/lock", directory) > 0);
	assert_true(asprintf(&map, "%s/cpu-map.json", directory) > 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(map), 0);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_conditions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
