// SPDX-License-Identifier: GPL-2.0-only
/* What the change journal says of writes to the turbo-ratio-limit MSR, in a temporary run
 * directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "change/journal.h"
#include "host/run_directory.h"
#include "sst/trl_note.h"

static struct fake_files kernel;
static char *directory;

/* A transaction that writes the limits of a package (now: NULL: it changes the level, which resets
 * them). outcome: NULL: it has not ended. */
static void transact(const char *place, const char *was, const char *now, const char *outcome,
		     const char *more)
{
	static char program[] = "isst";
	static char *const command[] = { program };
	static const struct journal_transaction ours = { .argc = 1, .argv = command };
	const bool is_read = more && strstr(more, "\"read\"");
	const struct journal_outcome end = { .outcome = outcome,
					     .left = is_read ? NULL : more,
					     .read = is_read ? more : NULL };
	_cleanup_journal_ struct journal *journal = NULL;
	const struct cpuset none = { 0 };
	_cleanup_free_ char *changes = NULL;

	assert_true(asprintf(&changes,
			     "[{\"for\":\"%s\",\"setting\":\"turbo-mode.trl\",\"was\":\"%s\","
			     "\"now\":%s%s%s}]",
			     place, was, now ? "\"" : "null", now ?: "", now ? "\"" : "") > 0);
	assert_int_equal(journal_open(&kernel.files, directory, &none, &journal), 0);
	assert_int_equal(journal_begin(journal, &kernel.files, &ours, changes), 0);
	if (outcome)
		assert_int_equal(journal_end(journal, &end), 0);
}

static int read_note(uint32_t package, uint64_t *ret_written, uint64_t *ret_read_back)
{
	return trl_note_read(&kernel.files, directory, package, ret_written, ret_read_back);
}

static void assert_note(uint32_t package, uint64_t wanted_written, uint64_t wanted_read)
{
	uint64_t written, read_back;

	assert_int_equal(read_note(package, &written, &read_back), 0);
	assert_int_equal(written, wanted_written);
	assert_int_equal(read_back, wanted_read);
}

static void assert_none(uint32_t package, int error)
{
	uint64_t written, read_back;

	assert_int_equal(read_note(package, &written, &read_back), error);
}

#define A "0x0000000000000010"
#define B "0x0000000000000030"
#define READ \
	"[{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\",\"read\":\"0x0000000000000020\"}]"
#define LEFT "[{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\"}]"

static void test_write(void **state)
{
	(void)state;
	assert_none(0, -ENOENT);
	transact("package-0", A, B, "done", READ);
	assert_note(0, 0x30, 0x20);
	assert_none(1, -ENOENT);
	transact("package-1", A, B, "done", NULL);
	assert_note(1, 0x30, 0x30);
	assert_note(0, 0x30, 0x20);
	fake_files_set(&kernel, "2b\n", "/proc/sys/kernel/random/boot_id");
	assert_none(0, -ESTALE);
}

/* A change of the level resets limits, and writes none; undoing it writes the old ones. */
static void test_level(void **state)
{
	(void)state;
	transact("package-0", A, NULL, "done", NULL);
	assert_none(0, -ENOENT);
	transact("package-0", A, NULL, "undone", NULL);
	assert_note(0, 0x10, 0x10);
}

/* Undoing writes the old value; one that firmware had made of an earlier write stays known as
 * that. */
static void test_undone(void **state)
{
	(void)state;
	transact("package-0", A, B, "undone", NULL);
	assert_note(0, 0x10, 0x10);
	transact("package-0", A, B, "done", READ);
	transact("package-0", "0x0000000000000020", A, "undone", NULL);
	assert_note(0, 0x30, 0x20);
	transact("package-0", "0x0000000000000040", A, "undone", NULL);
	assert_note(0, 0x40, 0x40);
	transact("package-0", "0x0000000000000040", B, "mixed", LEFT);
	assert_note(0, 0x30, 0x30);
}

static void test_not_ended(void **state)
{
	(void)state;
	transact("package-0", A, B, NULL, NULL);
	assert_note(0, 0x30, 0x30);
}

static int set_up(void **state)
{
	(void)state;
	directory = temporary_make();
	fake_files_init(&kernel);
	fake_files_set(&kernel, "1a\n", "/proc/sys/kernel/random/boot_id");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_files_done(&kernel);
	temporary_remove(directory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_level, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_ended, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
