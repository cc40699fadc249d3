// SPDX-License-Identifier: GPL-2.0-only
/* The daemon's record: written, read back, refused if it is not usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "settings/record.h"
#include "fake_files.h"
#include "temporary.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static const struct power_domain domains[] = {
	{ .package = 0, .die = 0 },
	{ .package = 1, .die = 0 },
	{ .package = 1, .die = 3 },
	{ .package = 0, .die = 1, .has_id = true, .id = 4 },
};

static void write_record(const char *directory)
{
	_cleanup_record_ struct record record = { 0 };
	struct fake_files files;

	fake_files_init(&files);
	fake_files_set(&files, "boot-1\n", BOOT_ID);
	for (uint32_t i = 0; i < ARRAY_SIZE(domains); i++)
		assert_int_equal(record_add(&record, &domains[i], i), 0);
	record.domains[1].is_pending = true;
	for (uint32_t cpu = 3; cpu < 200; cpu += 2)
		assert_int_equal(cpuset_add(&record.domains[2].taken, cpu), 0);
	assert_int_equal(record_write(&files.files, directory, &record), 0);
	fake_files_done(&files);
}

static int read_record(const char *boot, const char *directory, struct record *ret_record)
{
	struct fake_files files;
	int err;

	fake_files_init(&files);
	fake_files_set(&files, boot, BOOT_ID);
	err = record_read(&files.files, directory, ret_record);
	fake_files_done(&files);
	return err;
}

static void test_round_trip(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "run");
	_cleanup_record_ struct record record = { 0 };

	(void)state;
	write_record(below);
	assert_int_equal(read_record("boot-1\n", below, &record), 0);
	assert_int_equal(record.n_domains, ARRAY_SIZE(domains));
	for (uint32_t i = 0; i < ARRAY_SIZE(domains); i++) {
		const struct record_domain *entry = record_find(&record, &domains[i]);

		assert_non_null(entry);
		assert_int_equal(entry->level, i);
		assert_int_equal(entry->is_pending, i == 1);
		assert_int_equal(cpuset_count(&entry->taken), i == 2 ? 99 : 0);
	}
	assert_true(cpuset_has(&record.domains[2].taken, 199));
	assert_false(cpuset_has(&record.domains[2].taken, 4));
	temporary_remove(directory);
}

/* On TPMI parts the id names a domain, else the die does. */
static void test_find(void **state)
{
	_cleanup_record_ struct record record = { 0 };
	const struct power_domain other_die = { .package = 1, .die = 1 };
	const struct power_domain same_id = { .package = 0, .die = 7, .has_id = true, .id = 4 };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(domains); i++)
		assert_int_equal(record_add(&record, &domains[i], i), 0);
	assert_null(record_find(&record, &other_die));
	assert_ptr_equal(record_find(&record, &same_id), &record.domains[3]);
}

static void test_other_boot(void **state)
{
	char *directory = temporary_make();
	struct record record;

	(void)state;
	assert_int_equal(read_record("boot-1\n", directory, &record), -ENOENT);
	write_record(directory);
	assert_int_equal(read_record("boot-2\n", directory, &record), -ESTALE);
	temporary_remove(directory);
}

#define HEAD \
	"{\"format\": \"intel-speed-select oob record\", \"version\": 1, \"boot\": \"boot-1\", "
#define FIGURES "\"package\": 0, \"die\": 0, \"power_domain\": 0, "

static void test_damaged(void **state)
{
	static const struct {
		const char *text;
		int err;
	} vectors[] = {
		{ HEAD "\"domains\": []}", 0 },
		{ HEAD "\"domains\": [{" FIGURES
		       "\"level\": 7, \"pending\": false, \"taken\": \"\"}]}",
		  0 },
		{ "", -EBADMSG },
		{ "{", -EBADMSG },
		{ "[]", -EBADMSG },
		{ HEAD "\"domains\": {}}", -EBADMSG },
		{ HEAD "\"domains\": [], \"more\": 1}", -EBADMSG },
		{ HEAD "\"domains\": [{" FIGURES
		       "\"level\": 8, \"pending\": false, \"taken\": \"\"}]}",
		  -EBADMSG },
		{ HEAD "\"domains\": [{" FIGURES
		       "\"level\": -1, \"pending\": false, \"taken\": \"\"}]}",
		  -EBADMSG },
		{ HEAD "\"domains\": [{" FIGURES "\"level\": 1, \"pending\": 0, \"taken\": \"\"}]}",
		  -EBADMSG },
		{ HEAD "\"domains\": [{" FIGURES
		       "\"level\": 1, \"pending\": false, \"taken\": \"3-1\"}]}",
		  -EBADMSG },
		{ HEAD "\"domains\": [{\"level\": 1}]}", -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path = temporary_path(directory, "oob-record.json");
		_cleanup_record_ struct record record = { 0 };

		print_message("%s\n", vectors[i].text);
		temporary_write(path, vectors[i].text, 0644);
		assert_int_equal(read_record("boot-1\n", directory, &record), vectors[i].err);
		temporary_remove(directory);
	}
}

/* A record that others may write, or that is a link, is none. */
static void test_untrusted(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "oob-record.json");
	_cleanup_free_ char *target = temporary_path(directory, "target");
	struct record record;

	(void)state;
	write_record(directory);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(read_record("boot-1\n", directory, &record), -EPERM);
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(read_record("boot-1\n", directory, &record), -ELOOP);
	temporary_remove(directory);
}

/* A command notes levels in a record that exists, and in no other. */
static void test_note_levels(void **state)
{
	struct power_domain known = { .package = 1, .die = 3 }, added = { .package = 7 };
	const struct follow_domain followed[] = {
		{ .domain = &known, .level_number = 4 },
		{ .domain = &added, .level_number = 0 },
	};
	char *directory = temporary_make();
	_cleanup_record_ struct record record = { 0 };
	_cleanup_cpuset_ struct cpuset before = { 0 };
	struct record_version version;
	struct fake_files files;

	(void)state;
	fake_files_init(&files);
	fake_files_set(&files, "boot-1\n", BOOT_ID);
	fake_files_set(&files, "0-3,5\n", "/sys/devices/system/cpu/online");
	assert_int_equal(cpulist_parse("0-7,300", &before), 0);
	assert_int_equal(cpulist_parse("0-7,11,12", &known.cpus), 0);
	assert_int_equal(record_note_levels(&files.files, directory, followed, 2, &before), 0);
	assert_int_equal(record_read(&files.files, directory, &record), -ENOENT);
	write_record(directory);
	assert_int_equal(record_note_levels(&files.files, directory, followed, 2, &before), 0);
	assert_int_equal(record_read(&files.files, directory, &record), 0);
	assert_int_equal(record.n_domains, ARRAY_SIZE(domains) + 1);
	assert_int_equal(record_find(&record, &known)->level, 4);
	/* 11 was taken before, 4, 6 and 7 now */
	assert_int_equal(cpuset_count(&record_find(&record, &known)->taken), 4);
	assert_true(cpuset_has(&record_find(&record, &known)->taken, 11));
	assert_true(cpuset_has(&record_find(&record, &known)->taken, 6));
	assert_int_equal(record_find(&record, &added)->level, 0);
	assert_int_equal(record_find(&record, &domains[1])->level, 1);
	/* a record that has all that is not written again */
	version = record_find_version(directory);
	assert_int_equal(record_note_levels(&files.files, directory, followed, 2, &before), 0);
	assert_int_equal(record_find_version(directory).inode, version.inode);
	assert_int_equal(cpuset_add(&before, 12), 0);
	assert_int_equal(record_note_levels(&files.files, directory, followed, 2, &before), 0);
	assert_int_not_equal(record_find_version(directory).inode, version.inode);
	cpuset_done(&known.cpus);
	fake_files_done(&files);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_find),
		cmocka_unit_test(test_other_boot), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_untrusted),  cmocka_unit_test(test_note_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
