// SPDX-License-Identifier: GPL-2.0-only
/* The notes of writes to the turbo-ratio-limit MSR, in a temporary run directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "fake_files.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/trl_note.h"

#define OPEN UINT64_MAX

static struct fake_files kernel;
static char *directory;

static void assert_note(uint32_t package, uint64_t wanted_written, uint64_t wanted_read)
{
	uint64_t written, read_back;

	assert_int_equal(trl_note_read(&kernel.files, directory, package, &written, &read_back), 0);
	assert_int_equal(written, wanted_written);
	assert_int_equal(read_back, wanted_read);
}

static int read_error(uint32_t package)
{
	uint64_t written, read_back;

	return trl_note_read(&kernel.files, directory, package, &written, &read_back);
}

static void test_write(void **state)
{
	_cleanup_free_ char *path = temporary_path(directory, "trl.json");

	(void)state;
	assert_int_equal(read_error(0), -ENOENT);
	assert_int_equal(trl_note_write(&kernel.files, directory, 0, OPEN, 0x2a), 0);
	assert_int_equal(trl_note_write(&kernel.files, directory, UINT32_MAX, 1, 2), 0);
	assert_note(0, OPEN, 0x2a);
	assert_note(UINT32_MAX, 1, 2);
	assert_int_equal(read_error(1), -ENOENT);
	assert_int_equal(temporary_mode(path), 0644);
	fake_files_set(&kernel, "2b\n", "/proc/sys/kernel/random/boot_id");
	assert_int_equal(read_error(0), -ESTALE);
	assert_int_equal(trl_note_write(&kernel.files, directory, 1, 3, 4), 0);
	assert_int_equal(read_error(0), -ENOENT);
	assert_note(1, 3, 4);
}

static void test_damaged(void **state)
{
#define HEAD \
	"{\"format\": \"intel-speed-select turbo-ratio limits\", \"version\": 1, \"boot\": \"1a\", "
	static const char *const texts[] = {
		"",
		HEAD "\"packages\": []}",
		HEAD "\"packages\": {\"0\": 1}}",
		HEAD "\"packages\": {\"0\": {\"written\": \"0x1\", \"read\": \"1\"}}}",
		HEAD "\"packages\": {\"0\": {\"written\": \"0x1\", \"read\": 1}}}",
	};
	_cleanup_free_ char *path = temporary_path(directory, "trl.json");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		unlink(path);
		temporary_write(path, texts[i], 0644);
		assert_int_equal(read_error(0), -EBADMSG);
		assert_int_equal(trl_note_write(&kernel.files, directory, 0, 5, 6), 0);
		assert_note(0, 5, 6);
	}
}

/* Updates by a transaction whose changes, of the limits of package 0 (0x10 to 0x20) and of a level
 * whose undoing restores limits of 0x30 in package 1, have these effects. */
static void update(struct transaction_effect limits, enum transaction_state level)
{
	const struct change_undo undo = { .target = limits_target(1, 0), .value.number = 0x30 };
	struct change changes[] = {
		{ .location.package = 0,
		  .target = limits_target(0, 0),
		  .value.number = 0x20,
		  .old_value.number = 0x10,
		  .has_old_value = true },
		{ .location.package = 1, .undo = &undo, .n_undo = 1 },
	};
	struct transaction_effect effects[] = { limits, { .state = level } };
	const struct change_list list = { .changes = changes, .n_changes = 2 };
	const struct transaction_outcome outcome = { .effects = effects, .n_effects = 2 };

	assert_int_equal(trl_note_update(&kernel.files, directory, &list, &outcome), 0);
}

static void test_update(void **state)
{
	const struct transaction_effect none = { 0 }, undone = { .state = TRANSACTION_UNDONE },
					stays = { .state = TRANSACTION_NOT_UNDONE },
					made = { .state = TRANSACTION_MADE, .read_back = 0x1f };

	(void)state;
	update(none, TRANSACTION_MADE);
	assert_int_equal(read_error(0), -ENOENT);
	assert_int_equal(read_error(1), -ENOENT);
	update(made, TRANSACTION_MADE);
	assert_note(0, 0x20, 0x1f);
	assert_int_equal(read_error(1), -ENOENT);
	/* it is not as after the earlier write */
	update(undone, TRANSACTION_UNDONE);
	assert_note(0, 0x10, 0x10);
	assert_note(1, 0x30, 0x30);
	/* it is */
	assert_int_equal(trl_note_write(&kernel.files, directory, 0, OPEN, 0x10), 0);
	assert_int_equal(trl_note_write(&kernel.files, directory, 1, OPEN, 0x30), 0);
	update(undone, TRANSACTION_UNDONE);
	assert_note(0, OPEN, 0x10);
	assert_note(1, OPEN, 0x30);
	update(stays, TRANSACTION_NOT_MADE);
	assert_note(0, 0x20, 0x20);
}

static int set_up(void **state)
{
	(void)state;
	fake_files_init(&kernel);
	fake_files_set(&kernel, "1a\n", "/proc/sys/kernel/random/boot_id");
	directory = temporary_make();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	temporary_remove(directory);
	fake_files_done(&kernel);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_update, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
