// SPDX-License-Identifier: GPL-2.0-only
/* The log of changes, in a temporary run directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake_files.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "host/change_log.h"
#include "host/host.h"
#include "host/run_directory.h"

static struct fake_files kernel;
static char program[] = "isst";
static char last_line[8192];

static void keep_line(struct host *host, const char *line)
{
	(void)host;
	snprintf(last_line, sizeof(last_line), "%s", line);
}

static const struct host_ops logging = { .log_change = keep_line };
static const struct host_ops silent = { 0 };

/* Adds an entry with that command; the note must begin with wanted, or be none (NULL). */
static void add(const char *directory, const struct host_ops *ops, char *const *argv,
		const char *wanted)
{
	struct host host = { .ops = ops, .files = &kernel.files, .run_directory = directory };
	struct change_log_entry entry = { .argv = argv, .status = 1, .n_changes = 7 };
	_cleanup_free_ char *note = NULL;

	while (argv[entry.argc])
		entry.argc++;
	note = change_log_add(&host, &entry);
	if (!wanted)
		assert_null(note);
	else if (strstr(note ?: "", wanted) == NULL)
		fail_msg("the note is %s", note ?: "none");
}

static json_t *load(const char *directory)
{
	_cleanup_free_ char *path = temporary_path(directory, "changes.json");
	json_t *root = json_load_file(path, 0, NULL);

	assert_non_null(root);
	return root;
}

static const char *word_of(json_t *root, size_t entry, size_t word)
{
	json_t *object = json_array_get(json_object_get(root, "entries"), entry);

	return json_string_value(json_array_get(json_object_get(object, "command"), word));
}

static void test_entry(void **state)
{
	char option[] = "-o", file[] = "a b\n\xff", *argv[] = { program, option, file, NULL };
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "changes.json"), *line = NULL;
	_cleanup_json_ json_t *root = NULL;
	json_int_t uptime, uid, login, changes;
	const char *time, *format;
	json_t *words;
	mode_t mask = umask(077);
	int status, version;

	(void)state;
	fake_files_set(&kernel, "1000\n", "/proc/self/loginuid");
	add(directory, &logging, argv, NULL);
	umask(mask);
	assert_int_equal(temporary_mode(path), 0644);
	root = load(directory);
	assert_int_equal(json_unpack(root,
				     "{s:s, s:i, s:[{s:s, s:I, s:o, s:I, s:I, s:i, s:I !} !] !}",
				     "format", &format, "version", &version, "entries", "time",
				     &time, "uptime-s", &uptime, "command", &words, "uid", &uid,
				     "login-uid", &login, "status", &status, "changes", &changes),
			 0);
	assert_string_equal(format, "intel-speed-select changes");
	assert_int_equal(strlen(time), strlen("2026-01-02T03:04:05Z"));
	assert_int_equal(time[19], 'Z');
	assert_true(uptime > 0);
	assert_int_equal(json_array_size(words), 3);
	assert_string_equal(word_of(root, 0, 2), "a b??");
	assert_int_equal(uid, getuid());
	assert_int_equal(login, 1000);
	assert_int_equal(status, 1);
	assert_int_equal(changes, 7);
	assert_true(asprintf(&line, "status 1, 7 writes, uid %u, login-uid 1000: isst -o a b??",
			     getuid()) > 0);
	assert_string_equal(last_line, line);
	temporary_remove(directory);
}

static void test_no_login(void **state)
{
	static const char *const texts[] = { NULL, "4294967295\n", "none\n" };
	char *argv[] = { program, NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *directory = temporary_make();
		_cleanup_json_ json_t *root = NULL;

		fake_files_remove(&kernel, "/proc/self/loginuid");
		if (texts[i])
			fake_files_set(&kernel, texts[i], "/proc/self/loginuid");
		add(directory, &silent, argv, NULL);
		root = load(directory);
		assert_true(json_is_null(json_object_get(
			json_array_get(json_object_get(root, "entries"), 0), "login-uid")));
		temporary_remove(directory);
	}
}

static void test_kept(void **state)
{
	char *directory = temporary_make(), number[16];
	char *argv[] = { program, number, NULL };
	_cleanup_json_ json_t *root = NULL;

	(void)state;
	for (int i = 0; i < 103; i++) {
		snprintf(number, sizeof(number), "%d", i);
		add(directory, &silent, argv, NULL);
	}
	root = load(directory);
	assert_int_equal(json_array_size(json_object_get(root, "entries")), 100);
	assert_string_equal(word_of(root, 0, 1), "3");
	assert_string_equal(word_of(root, 99, 1), "102");
	temporary_remove(directory);
}

/* A command of any length makes an entry of a bounded one. */
static void test_long_command(void **state)
{
	char *directory = temporary_make(), lengthy[5000], option[] = "-c", feature[] = "cpufreq";
	char *argv[] = { program, option, lengthy, feature, NULL };
	_cleanup_json_ json_t *root = NULL;

	(void)state;
	memset(lengthy, '1', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	add(directory, &silent, argv, NULL);
	root = load(directory);
	assert_string_equal(word_of(root, 0, 2), "...");
	assert_null(word_of(root, 0, 3));
	temporary_remove(directory);
}

static void test_replaced(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *note;
	} rows[] = {
		{ "", 0644, "it is damaged" },
		{ "{}", 0644, "it is damaged" },
		{ "{\"format\": \"intel-speed-select changes\", \"version\": 1, \"entries\": 3}",
		  0644, "it is damaged" },
		{ "{\"format\": \"intel-speed-select changes\", \"version\": 1, \"boot\": \"a\", "
		  "\"entries\": []}",
		  0644, "it is damaged" },
		{ "{\"format\": \"intel-speed-select changes\", \"version\": 1, \"entries\": []}",
		  0666, "others may write to it" },
		{ "{\"format\": \"intel-speed-select changes\", \"version\": 1, \"entries\": []}",
		  0644, NULL },
	};
	char *argv[] = { program, NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path = temporary_path(directory, "changes.json");
		_cleanup_json_ json_t *root = NULL;

		assert_int_equal(chmod(directory, 0755), 0);
		temporary_write(path, rows[i].text, rows[i].mode);
		add(directory, &silent, argv, rows[i].note);
		root = load(directory);
		assert_string_equal(word_of(root, 0, 0), "isst");
		temporary_remove(directory);
	}
}

/* What is written last is read last; damage is no entry. */
static void test_read_last(void **state)
{
	char *directory = temporary_make();
	struct host host = { .ops = &silent, .files = &kernel.files, .run_directory = directory };
	_cleanup_free_ char *path = temporary_path(directory, "changes.json");
	char *argv[] = { program, NULL };
	int64_t time_s = -1, now_s = time(NULL);
	int status = -1;

	(void)state;
	assert_int_equal(change_log_read_last(&host, &time_s, &status), -ENOENT);
	add(directory, &silent, argv, NULL);
	assert_int_equal(change_log_read_last(&host, &time_s, &status), 0);
	assert_true(time_s >= now_s && time_s <= time(NULL));
	assert_int_equal(status, 1);
	assert_int_equal(unlink(path), 0);
	temporary_write(path,
			"{\"format\":\"intel-speed-select changes\",\"version\":1,"
			"\"entries\":[{\"time\":\"2026-01-31T23:59:59Z\",\"status\":0}]}",
			0644);
	assert_int_equal(change_log_read_last(&host, &time_s, &status), 0);
	assert_true(time_s == 1769903999);
	assert_int_equal(status, 0);
	assert_int_equal(unlink(path), 0);
	temporary_write(path,
			"{\"format\":\"intel-speed-select changes\",\"version\":1,"
			"\"entries\":[{\"time\":\"yesterday\",\"status\":0}]}",
			0644);
	assert_int_equal(change_log_read_last(&host, &time_s, &status), -EBADMSG);
	assert_int_equal(unlink(path), 0);
	temporary_write(path, "{", 0644);
	assert_int_equal(change_log_read_last(&host, &time_s, &status), -EBADMSG);
	temporary_remove(directory);
}

static void test_not_written(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "changes.json");
	char *argv[] = { program, NULL };

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	add(directory, &logging, argv, "this change is not recorded in");
	temporary_remove(directory);
}

static int set_up(void **state)
{
	(void)state;
	fake_files_init(&kernel);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_files_done(&kernel);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_entry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_login, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_command, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replaced, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_last, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_written, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
