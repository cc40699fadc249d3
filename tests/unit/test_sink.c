// SPDX-License-Identifier: GPL-2.0-only
/* The file that results go to: replaced or written directly, links followed, whole or not at
 * all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "capture.h"
#include "output/output.h"
#include "temporary.h"

static int set_up(void **test)
{
	*test = temporary_make();
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

static void test_choose(void **test)
{
	static const struct {
		const char *path;
		bool to_stdout;
		enum sink_kind kind;
	} cases[] = {
		{ .path = NULL, .to_stdout = false, .kind = SINK_STDERR },
		{ .path = NULL, .to_stdout = true, .kind = SINK_STDOUT },
		{ .path = "-", .to_stdout = false, .kind = SINK_STDOUT },
		{ .path = "-", .to_stdout = true, .kind = SINK_STDOUT },
		{ .path = "file", .to_stdout = true, .kind = SINK_PATH },
		{ .path = "./-", .to_stdout = false, .kind = SINK_PATH },
		{ .path = "-o", .to_stdout = false, .kind = SINK_PATH },
		{ .path = "", .to_stdout = false, .kind = SINK_PATH },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sink sink = sink_choose(cases[i].path, cases[i].to_stdout);

		assert_int_equal(sink.kind, cases[i].kind);
		if (sink.kind == SINK_PATH)
			assert_ptr_equal(sink.path, cases[i].path);
	}
}

static int write_to(const char *directory, const char *name, const char *text)
{
	_cleanup_free_ char *path = temporary_path(directory, name);
	struct sink sink = { .kind = SINK_PATH, .path = path };

	return sink_write(&sink, text, strlen(text));
}

static void assert_file(const char *directory, const char *name, const char *text)
{
	_cleanup_free_ char *path = temporary_path(directory, name);

	temporary_assert_text(path, text);
}

static void test_files(void **test)
{
	_cleanup_free_ char *old = temporary_path(*test, "old");
	_cleanup_free_ char *new_path = temporary_path(*test, "new");
	mode_t mask = umask(027);
	int err;

	temporary_write(old, "what was there, longer than the rest", 0604);
	err = write_to(*test, "new", "results\n");
	umask(mask);
	assert_int_equal(err, 0);
	assert_int_equal(write_to(*test, "old", "results\n"), 0);
	temporary_assert_text(old, "results\n");
	temporary_assert_text(new_path, "results\n");
	assert_int_equal(temporary_mode(old), 0604);
	assert_int_equal(temporary_mode(new_path), 0640);
	assert_int_equal(temporary_count(*test), 2);
	assert_int_equal(write_to(*test, "old", ""), 0);
	temporary_assert_text(old, "");
}

struct link_case {
	const char *target; /* a leading @ means the directory of the test */
	const char *written; /* the file that must hold the results */
};

static void make_link(const char *directory, const char *target, const char *name)
{
	_cleanup_free_ char *path = temporary_path(directory, name), *whole = NULL;

	assert_true(asprintf(&whole, "%s%s", *target == '@' ? directory : "",
			     target + (*target == '@')) > 0);
	assert_int_equal(symlink(whole, path), 0);
}

/* The link remains a link, and its target is replaced or created. */
static void test_links(void **test)
{
	static const struct link_case cases[] = {
		{ .target = "old", .written = "old" },
		{ .target = "@/old", .written = "old" },
		{ .target = "below/old", .written = "below/old" },
		{ .target = "below/up", .written = "old" },
		{ .target = "missing", .written = "missing" },
		{ .target = "@/missing", .written = "missing" },
		{ .target = "below/missing", .written = "below/missing" },
		{ .target = "below/dangling", .written = "new" },
		{ .target = "below/dangling-whole", .written = "new" },
	};
	_cleanup_free_ char *below = temporary_path(*test, "below");
	_cleanup_free_ char *link = temporary_path(*test, "link");
	_cleanup_free_ char *old = temporary_path(*test, "old");
	_cleanup_free_ char *below_old = temporary_path(*test, "below/old");

	assert_int_equal(mkdir(below, 0755), 0);
	temporary_write(old, "old", 0600);
	temporary_write(below_old, "old", 0600);
	make_link(*test, "../old", "below/up");
	make_link(*test, "../further", "below/dangling");
	make_link(*test, "@/further", "below/dangling-whole");
	make_link(*test, "new", "further");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *written = temporary_path(*test, cases[i].written);
		struct stat about;

		print_message("%s\n", cases[i].target);
		make_link(*test, cases[i].target, "link");
		assert_int_equal(write_to(*test, "link", "results"), 0);
		assert_int_equal(lstat(link, &about), 0);
		assert_true(S_ISLNK(about.st_mode));
		assert_int_equal(lstat(written, &about), 0);
		assert_true(S_ISREG(about.st_mode));
		assert_file(*test, cases[i].written, "results");
		assert_int_equal(unlink(link), 0);
		assert_int_equal(unlink(written), 0);
		if (strstr(cases[i].written, "old"))
			temporary_write(written, "old", 0600);
	}
}

static void test_errors(void **test)
{
	static const struct {
		const char *name;
		int err;
	} cases[] = {
		{ .name = "directory", .err = -EISDIR },
		{ .name = "missing/file", .err = -ENOENT },
		{ .name = "file/below", .err = -ENOTDIR },
		{ .name = "loop", .err = -ELOOP },
		{ .name = "into-missing", .err = -ENOENT },
	};
	_cleanup_free_ char *directory = temporary_path(*test, "directory");
	_cleanup_free_ char *file = temporary_path(*test, "file");

	assert_int_equal(mkdir(directory, 0755), 0);
	temporary_write(file, "old", 0644);
	make_link(*test, "loop", "loop");
	make_link(*test, "missing/file", "into-missing");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = write_to(*test, cases[i].name, "results");

		if (err != cases[i].err)
			fail_msg("%s: %d, not %d", cases[i].name, err, cases[i].err);
	}
	assert_int_equal(temporary_count(*test), 4);
	temporary_assert_text(file, "old");
}

static void test_devices(void **test)
{
	struct sink full = { .kind = SINK_PATH, .path = "/dev/full" };
	struct sink null = { .kind = SINK_PATH, .path = "/dev/null" };
	struct stat about;

	(void)test;
	assert_int_equal(sink_write(&full, "results", 7), -ENOSPC);
	assert_int_equal(sink_write(&null, "results", 7), 0);
	assert_int_equal(stat("/dev/null", &about), 0);
	assert_true(S_ISCHR(about.st_mode));
}

static void test_named_pipe(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "pipe");
	char text[32] = "";
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(write_to(*test, "pipe", "results\n"), 0);
	assert_int_equal(read(reader, text, sizeof(text)), 8);
	close(reader);
	assert_string_equal(text, "results\n");
	assert_int_equal(temporary_count(*test), 1);
}

/* A disk that takes the beginning only: the old results stay. */
static void test_disk_full(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	_cleanup_free_ char *results = calloc(1, 50001);
	struct rlimit old, small;
	int err, err_new;

	memset(results, 'r', 50000);
	temporary_write(path, "old", 0644);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ .rlim_cur = 10000, .rlim_max = old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	err = write_to(*test, "file", results);
	err_new = write_to(*test, "new", results);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(err_new, -EFBIG);
	temporary_assert_text(path, "old");
	assert_int_equal(temporary_count(*test), 1);
}

/* What was printed before comes before the results. */
static void test_standard_streams(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "stream");
	struct sink to_stdout = { .kind = SINK_STDOUT }, to_stderr = { .kind = SINK_STDERR };
	struct capture capture = capture_start(STDOUT_FILENO, path);
	int err, err_stderr;

	printf("banner\n");
	err = sink_write(&to_stdout, "results\n", 8);
	capture_stop(&capture);
	capture = capture_start(STDERR_FILENO, path);
	err_stderr = sink_write(&to_stderr, "more\n", 5);
	capture_stop(&capture);
	assert_int_equal(err, 0);
	assert_int_equal(err_stderr, 0);
	temporary_assert_text(path, "banner\nresults\nmore\n");
}

static void test_stream_errors(void **test)
{
	struct sink to_stdout = { .kind = SINK_STDOUT }, to_stderr = { .kind = SINK_STDERR };
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct capture capture = capture_start_fd(STDOUT_FILENO, full);
	int err = sink_write(&to_stdout, "results\n", 8), err_stderr;

	(void)test;
	capture_stop(&capture);
	capture = capture_start_fd(STDERR_FILENO, full);
	err_stderr = sink_write(&to_stderr, "results\n", 8);
	capture_stop(&capture);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(err_stderr, -ENOSPC);
}

/* /dev/stdout leads to a pipe that has no name, or to a file that has none any more. */
static void test_stream_by_name(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "deleted");
	struct sink sink = { .kind = SINK_PATH, .path = "/dev/stdout" };
	struct capture capture;
	char text[32] = "";
	int ends[2], err, deleted;
	bool is_stdout;

	assert_int_equal(pipe(ends), 0);
	capture = capture_start_fd(STDOUT_FILENO, ends[1]);
	is_stdout = sink_is_stream(&sink, stdout);
	err = sink_write(&sink, "results\n", 8);
	capture_stop(&capture);
	close(ends[1]);
	assert_int_equal(err, 0);
	assert_true(is_stdout);
	assert_int_equal(read(ends[0], text, sizeof(text)), 8);
	close(ends[0]);
	assert_string_equal(text, "results\n");

	deleted = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(unlink(path), 0);
	capture = capture_start_fd(STDOUT_FILENO, deleted);
	err = sink_write(&sink, "results\n", 8);
	capture_stop(&capture);
	assert_int_equal(err, 0);
	assert_int_equal(pread(deleted, text, sizeof(text), 0), 8);
	close(deleted);
	assert_int_equal(temporary_count(*test), 0);
}

static void test_is_stream(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	_cleanup_free_ char *other = temporary_path(*test, "other");
	_cleanup_free_ char *link = temporary_path(*test, "link");
	_cleanup_free_ char *missing = temporary_path(*test, "missing");
	struct capture capture;
	bool same, linked, unlike, absent, streams;

	temporary_write(other, "", 0644);
	make_link(*test, "file", "link");
	capture = capture_start(STDERR_FILENO, path);
	same = sink_is_stream(&(struct sink){ .kind = SINK_PATH, .path = path }, stderr);
	linked = sink_is_stream(&(struct sink){ .kind = SINK_PATH, .path = link }, stderr);
	unlike = sink_is_stream(&(struct sink){ .kind = SINK_PATH, .path = other }, stderr);
	absent = sink_is_stream(&(struct sink){ .kind = SINK_PATH, .path = missing }, stderr);
	streams = sink_is_stream(&(struct sink){ .kind = SINK_STDOUT }, stderr);
	capture_stop(&capture);
	assert_true(same);
	assert_true(linked);
	assert_false(unlike);
	assert_false(absent);
	assert_false(streams);
	assert_true(sink_is_stream(&(struct sink){ .kind = SINK_STDERR }, stderr));
	assert_true(sink_is_stream(&(struct sink){ .kind = SINK_STDOUT }, stdout));
}

static void test_is_file(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	_cleanup_free_ char *other = temporary_path(*test, "other");
	_cleanup_free_ char *link = temporary_path(*test, "link");
	_cleanup_free_ char *missing = temporary_path(*test, "missing");
	const struct sink to_link = { .kind = SINK_PATH, .path = link };
	const struct sink to_device = { .kind = SINK_PATH, .path = "/dev/null" };

	temporary_write(path, "", 0644);
	temporary_write(other, "", 0644);
	make_link(*test, "file", "link");
	assert_true(sink_is_file(&to_link, path));
	assert_true(sink_is_file(&to_link, link));
	assert_false(sink_is_file(&to_link, other));
	assert_false(sink_is_file(&to_link, missing));
	assert_false(sink_is_file(&to_device, "/dev/null"));
	assert_false(sink_is_file(&(struct sink){ .kind = SINK_STDOUT }, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choose),
		cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
		cmocka_unit_test(test_devices),
		cmocka_unit_test_setup_teardown(test_named_pipe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_disk_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_standard_streams, set_up, tear_down),
		cmocka_unit_test(test_stream_errors),
		cmocka_unit_test_setup_teardown(test_stream_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_stream, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_file, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
