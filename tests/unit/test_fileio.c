// SPDX-License-Identifier: GPL-2.0-only
/* Whole files: reading and writing in pieces, errors on the way, making directories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
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

/* length letters, the same ones for the same length. */
static char *make_data(size_t length)
{
	char *data = malloc(length + 1);

	assert_non_null(data);
	for (size_t i = 0; i < length; i++)
		data[i] = (char)('a' + i % 23);
	data[length] = '\0';
	return data;
}

static void test_read_sizes(void **test)
{
	static const struct {
		size_t size, limit, length;
	} cases[] = {
		{ .size = 0, .length = 0 },
		{ .size = 1, .length = 1 },
		{ .size = 8190, .length = 8190 },
		{ .size = 8191, .length = 8191 },
		{ .size = 8192, .length = 8192 },
		{ .size = 8193, .length = 8193 },
		{ .size = 300000, .length = 300000 },
		{ .size = 0, .limit = 10, .length = 0 },
		{ .size = 9, .limit = 10, .length = 9 },
		{ .size = 10, .limit = 10, .length = 10 },
		{ .size = 11, .limit = 10, .length = 10 },
		{ .size = 11, .limit = 1, .length = 1 },
		{ .size = 300000, .limit = 8192, .length = 8192 },
		{ .size = 300000, .limit = 100000, .length = 100000 },
	};
	_cleanup_free_ char *path = temporary_path(*test, "file");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *data = make_data(cases[i].size), *text = NULL;
		size_t length = 0;

		temporary_write(path, data, 0644);
		assert_int_equal(fileio_read(path, cases[i].limit, &text, &length), 0);
		assert_int_equal(length, cases[i].length);
		assert_memory_equal(text, data, length);
		assert_int_equal(text[length], '\0');
		assert_int_equal(unlink(path), 0);
	}
}

/* Attributes come whole, too, around the size of a page and from a descriptor that has moved. */
static void test_read_attribute(void **test)
{
	static const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 300000 };
	_cleanup_free_ char *path = temporary_path(*test, "file");

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_free_ char *data = make_data(sizes[i]), *text = NULL, *again = NULL;
		_cleanup_close_ int fd = -1;
		size_t length = 77;

		temporary_write(path, data, 0644);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(fileio_read_attribute(fd, &text, &length), 0);
		assert_int_equal(length, sizes[i]);
		assert_string_equal(text, data);
		assert_int_equal(lseek(fd, 0, SEEK_END), sizes[i]);
		assert_int_equal(fileio_read_attribute(fd, &again, &length), 0);
		assert_string_equal(again, data);
		assert_int_equal(unlink(path), 0);
	}
}

/* What is kept of a file takes no more memory than the file is long. */
static void test_read_exact(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file"), *text = NULL, *attribute = NULL;
	_cleanup_close_ int fd = -1;
	size_t length;

	temporary_write(path, "800000\n", 0644);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fileio_read_fd(fd, 0, &text, &length), 0);
	assert_in_range(malloc_usable_size(text), 8, 64);
	assert_int_equal(fileio_read_attribute(fd, &attribute, &length), 0);
	assert_in_range(malloc_usable_size(attribute), 8, 64);
}

static void test_read_errors(void **test)
{
	_cleanup_free_ char *missing = temporary_path(*test, "missing");
	char *text = NULL;
	size_t length = 77;

	assert_int_equal(fileio_read(missing, 0, &text, &length), -ENOENT);
	assert_int_equal(fileio_read(*test, 0, &text, &length), -EISDIR);
	assert_int_equal(fileio_read_fd(-1, 0, &text, &length), -EBADF);
	assert_int_equal(fileio_read_attribute(-1, &text, &length), -EBADF);
	assert_null(text);
	assert_int_equal(length, 77);
}

/* Zero bytes are data: the length determines the end. */
static void test_read_zero_bytes(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file"), *text = NULL;
	size_t length;

	assert_int_equal(fileio_replace(path, 0600, "a\0b\0", 4), 0);
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	assert_int_equal(length, 4);
	assert_memory_equal(text, "a\0b\0", 5);
}

/* A source that hands out one piece a read(), as the kernel does page by page. */
static void test_read_pieces(void **test)
{
	static const char *const pieces[] = { "0-3,", "8-11", "\n" };
	_cleanup_free_ char *text = NULL;
	size_t length;
	int ends[2];

	(void)test;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		assert_int_equal(write(ends[1], pieces[i], strlen(pieces[i])), strlen(pieces[i]));
	close(ends[1]);
	assert_int_equal(fileio_read_fd(ends[0], 0, &text, &length), 0);
	close(ends[0]);
	assert_string_equal(text, "0-3,8-11\n");
	assert_int_equal(length, 9);
}

static volatile sig_atomic_t ticks;

static void count_tick(int signal_number)
{
	(void)signal_number;
	ticks++;
}

/* Interrupts every call that waits, every few milliseconds; 0 stops that. */
static void interrupt_every(suseconds_t interval_us)
{
	struct sigaction action = { .sa_handler = count_tick }; /* no SA_RESTART */
	struct itimerval timer = { .it_interval.tv_usec = interval_us,
				   .it_value.tv_usec = interval_us };

	ticks = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void test_read_interrupted(void **test)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int ends[2], err;
	pid_t child;

	(void)test;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		usleep(60000);
		_exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
	}
	close(ends[1]);
	interrupt_every(5000);
	err = fileio_read_fd(ends[0], 0, &text, &length);
	interrupt_every(0);
	close(ends[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(err, 0);
	assert_string_equal(text, "late");
}

/* Counts the bytes of fd, slowly; the exit status shows whether the number is as expected. */
static void drain(int fd, size_t wanted)
{
	char piece[3000];
	size_t count = 0;
	ssize_t got;

	while ((got = read(fd, piece, sizeof(piece))) > 0) {
		count += (size_t)got;
		usleep(500);
	}
	_exit(got == 0 && count == wanted ? 0 : 1);
}

/* A pipe with these flags takes a part at a time, and a signal comes between. */
static void write_in_parts(int flags)
{
	size_t length = 400000;
	_cleanup_free_ char *data = make_data(length);
	int ends[2], err, status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[1]);
		drain(ends[0], length);
	}
	close(ends[0]);
	interrupt_every(3000);
	err = fileio_write_fd(ends[1], data, length);
	assert_true(ticks > 0);
	interrupt_every(0);
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(err, 0);
	assert_int_equal(status, 0);
}

static void test_write_in_parts(void **test)
{
	(void)test;
	write_in_parts(0);
}

/* As one that another program made so, and shares with us. */
static void test_write_without_blocking(void **test)
{
	(void)test;
	write_in_parts(O_NONBLOCK);
}

static void test_write_errors(void **test)
{
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int ends[2];

	(void)test;
	assert_true(full >= 0);
	assert_int_equal(fileio_write_fd(full, "text", 4), -ENOSPC);
	assert_int_equal(fileio_write_fd(full, "", 0), 0);
	assert_int_equal(fileio_write_fd(-1, "text", 4), -EBADF);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(fileio_write_fd(ends[1], "text", 4), -EPIPE);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
}

/* In a process with these streams closed: no file becomes one, and writing to them fails. */
static int guard_closed(const int *closed, size_t n_closed)
{
	for (size_t i = 0; i < n_closed; i++)
		close(closed[i]);
	if (fileio_guard_streams())
		return 1;
	for (size_t i = 0; i < n_closed; i++) {
		if (fcntl(closed[i], F_GETFD) < 0)
			return 2;
		if (closed[i] > 0 && fileio_write_fd(closed[i], "text", 4) != -EBADF)
			return 3;
	}
	return open("/dev/null", O_RDONLY | O_CLOEXEC) > STDERR_FILENO ? 0 : 4;
}

static void test_guard_streams(void **test)
{
	static const struct {
		int closed[3];
		size_t n_closed;
	} cases[] = {
		{ .n_closed = 0 },
		{ .closed = { 0 }, .n_closed = 1 },
		{ .closed = { 1 }, .n_closed = 1 },
		{ .closed = { 2 }, .n_closed = 1 },
		{ .closed = { 0, 2 }, .n_closed = 2 },
		{ .closed = { 0, 1, 2 }, .n_closed = 3 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0)
			_exit(guard_closed(cases[i].closed, cases[i].n_closed));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

static void test_read_only_directory(void **test)
{
	int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err, err_new, err_directory;

	assert_true(back >= 0);
	assert_int_equal(chdir(*test), 0);
	temporary_write("file", "old", 0666);
	assert_int_equal(chmod(".", 0555), 0);
	temporary_drop_rights();
	err = fileio_replace("file", 0644, "new", 3);
	err_new = fileio_replace("other", 0644, "new", 3);
	err_directory = fileio_make_directories("a/b", 0755);
	temporary_regain_rights();
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(err, -EACCES);
	assert_int_equal(err_new, -EACCES);
	assert_int_equal(err_directory, -EACCES);
	temporary_assert_text("file", "old");
	assert_int_equal(temporary_count("."), 1);
	assert_int_equal(fchdir(back), 0);
	close(back);
}

/* A file that is too large is not read in part. */
static void test_read_whole(void **test)
{
	static const struct {
		size_t length, limit;
		int err;
	} cases[] = {
		{ .length = 0, .limit = 0 },
		{ .length = 1, .limit = 0, .err = -EFBIG },
		{ .length = 8191, .limit = 8192 },
		{ .length = 8192, .limit = 8192 },
		{ .length = 8193, .limit = 8192, .err = -EFBIG },
		{ .length = 100000, .limit = 8192, .err = -EFBIG },
	};
	_cleanup_free_ char *path = temporary_path(*test, "file");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *data = make_data(cases[i].length), *text = NULL;
		size_t length = 42;
		int err;

		temporary_write(path, data, 0644);
		err = fileio_read_trusted(path, cases[i].limit, &text, &length);
		assert_int_equal(err, cases[i].err);
		assert_int_equal(length, err ? 42 : cases[i].length);
		if (err)
			assert_null(text);
		else
			assert_string_equal(text, data);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_read_trusted(void **test)
{
	static const struct {
		mode_t mode;
		int err;
	} cases[] = {
		{ .mode = 0644 },
		{ .mode = 0400 },
		{ .mode = 0664, .err = -EPERM },
		{ .mode = 0646, .err = -EPERM },
		{ .mode = S_IFDIR | 0755, .err = -EPERM },
		{ .mode = S_IFIFO | 0644, .err = -EPERM },
		{ .mode = S_IFLNK | 0644, .err = -ELOOP },
	};
	_cleanup_free_ char *path = temporary_path(*test, "file");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;
		size_t length;

		if (S_ISDIR(cases[i].mode))
			assert_int_equal(mkdir(path, 0755), 0);
		else if (S_ISFIFO(cases[i].mode))
			assert_int_equal(mkfifo(path, 0644), 0);
		else if (S_ISLNK(cases[i].mode))
			assert_int_equal(symlink("/etc/passwd", path), 0);
		else
			temporary_write(path, "text", cases[i].mode);
		assert_int_equal(fileio_read_trusted(path, 10, &text, &length), cases[i].err);
		assert_int_equal(remove(path), 0);
	}
}

/* Reads what a child writes to a FIFO, each piece some milliseconds after the one before; no child:
 * no process writes. */
static void check_fifo(const char *path, const char *const *pieces, const char *expected)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	size_t length;
	pid_t child = *pieces ? fork() : 0;

	if (*pieces && child == 0) {
		usleep(50000);
		fd = open(path, O_WRONLY);
		for (; *pieces; pieces++) {
			usleep(50000);
			if (write(fd, *pieces, strlen(*pieces)) < 0)
				_exit(1);
		}
		_exit(0);
	}
	fd = fileio_open_named(path);
	assert_true(fd >= 0);
	assert_int_equal(fileio_read_whole(fd, 100, &text, &length), 0);
	assert_string_equal(text, expected);
	if (child > 0)
		assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_open_named(void **test)
{
	static const char *const late[] = { "a do", "cu", "ment", NULL };
	_cleanup_free_ char *path = temporary_path(*test, "fifo");
	_cleanup_free_ char *file = temporary_path(*test, "file");
	_cleanup_close_ int fd = -1;

	assert_int_equal(fileio_open_named(file), -ENOENT);
	temporary_write(file, "text", 0644);
	fd = fileio_open_named(file);
	assert_true(fd >= 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_fifo(path, late, "a document");
	alarm(30); /* a FIFO that nobody opens does not block */
	check_fifo(path, &late[3], "");
	alarm(0);
}

static void test_make_directories(void **test)
{
	static const struct {
		const char *name;
		int err;
	} cases[] = {
		{ .name = "one" },
		{ .name = "one" },
		{ .name = "a/b/c/d" },
		{ .name = "a/b/e/" },
		{ .name = "a//f" },
		{ .name = "link/g" },
		{ .name = "link" },
		{ .name = "file", .err = -ENOTDIR },
		{ .name = "file/below", .err = -ENOTDIR },
		{ .name = "file/below/that", .err = -ENOTDIR },
		{ .name = "dangling", .err = -ENOENT },
		{ .name = "dangling/below", .err = -ENOENT },
	};
	_cleanup_free_ char *file = temporary_path(*test, "file");
	_cleanup_free_ char *link = temporary_path(*test, "link");
	_cleanup_free_ char *dangling = temporary_path(*test, "dangling");

	temporary_write(file, "text", 0644);
	assert_int_equal(symlink("one", link), 0);
	assert_int_equal(symlink("nowhere", dangling), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = temporary_path(*test, cases[i].name);
		struct stat about;
		int err = fileio_make_directories(path, 0755);

		if (err != cases[i].err)
			fail_msg("%s: %d, not %d", cases[i].name, err, cases[i].err);
		if (!err)
			assert_true(stat(path, &about) == 0 && S_ISDIR(about.st_mode));
	}
	assert_int_equal(fileio_make_directories("/", 0755), 0);
	assert_int_equal(fileio_make_directories("", 0755), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_sizes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_attribute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_zero_bytes, set_up, tear_down),
		cmocka_unit_test(test_read_pieces),
		cmocka_unit_test(test_read_interrupted),
		cmocka_unit_test(test_write_in_parts),
		cmocka_unit_test(test_write_without_blocking),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_guard_streams),
		cmocka_unit_test_setup_teardown(test_read_only_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_trusted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_open_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_make_directories, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
