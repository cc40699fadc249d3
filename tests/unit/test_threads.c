// SPDX-License-Identifier: GPL-2.0-only
/* Threads as /proc shows them: names with blanks and parentheses, threads that end, groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/threads.h"

/* proc_pid_stat(5): field 39 is the CPU. */
#define STAT_OF(name, cpu)                                                        \
	"7 (" name ") R 1 7 7 0 -1 4194304 100 0 0 0 12 3 0 0 20 0 2 0 5000 1 2 " \
	"18446744073709551615 1 1 0 0 0 0 0 4096 65536 0 0 0 17 " cpu " 0 0 0 0 0 0 0 0 0 0 0\n"

static void set_thread(struct fake_files *fake, unsigned int process, unsigned int id,
		       const char *stat, const char *times)
{
	fake_files_set(fake, "", "/proc/%u/task/%u/comm", process, id);
	if (stat)
		fake_files_set(fake, stat, "/proc/%u/stat", id);
	if (times)
		fake_files_set(fake, times, "/proc/%u/schedstat", id);
}

static void test_process(void **state)
{
	_cleanup_threads_ struct threads threads = { 0 };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(threads_add(&fake.files, 7, &threads), -ENOENT);
	set_thread(&fake, 7, 9, STAT_OF("a) R 1 (b", "127"), "123456789012 5 6\n");
	set_thread(&fake, 7, 7, STAT_OF("sh", "3"), "5 0 1\n");
	set_thread(&fake, 7, 8, NULL, NULL); /* it has ended */
	assert_int_equal(threads_add(&fake.files, 7, &threads), 0);
	threads_sort(&threads);
	assert_int_equal(threads.count, 2);
	assert_int_equal(threads_find(&threads, 7)->cpu, 3);
	assert_int_equal(threads_find(&threads, 9)->cpu, 127);
	assert_true(threads_find(&threads, 9)->run_ns == 123456789012);
	assert_null(threads_find(&threads, 8));
	fake_files_set(&fake, "Name:\tsh\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\nMems:\t1\n",
		       "/proc/7/status");
	assert_int_equal(threads_read_allowed(&fake.files, 7, &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), 5);
	assert_true(cpuset_has(&cpus, 8));
	fake_files_set(&fake, "Name:\tsh\n", "/proc/7/status");
	assert_int_equal(threads_read_allowed(&fake.files, 7, &cpus), -EINVAL);
	fake_files_set(&fake, "7 (sh) R 1\n", "/proc/7/stat");
	assert_int_equal(threads_add(&fake.files, 7, &threads), -EINVAL);
	fake_files_done(&fake);
}

static void test_group(void **state)
{
	_cleanup_threads_ struct threads threads = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(threads_add_group(&fake.files, "/sys/fs/cgroup/jobs", &threads), -ENOENT);
	fake_files_set(&fake, "7\n50\n", "/sys/fs/cgroup/jobs/cgroup.procs");
	fake_files_set(&fake, "0-3\n", "/sys/fs/cgroup/jobs/cpuset.cpus");
	fake_files_set(&fake, "20\n", "/sys/fs/cgroup/jobs/below/cgroup.procs");
	fake_files_set(&fake, "", "/sys/fs/cgroup/jobs/empty/cgroup.procs");
	set_thread(&fake, 7, 7, STAT_OF("sh", "1"), "5 0 1\n");
	set_thread(&fake, 20, 20, STAT_OF("sh", "2"), "6 0 1\n");
	assert_int_equal(threads_add_group(&fake.files, "/sys/fs/cgroup/jobs", &threads), 0);
	threads_sort(&threads);
	assert_int_equal(threads.count, 2);
	assert_int_equal(threads_find(&threads, 20)->cpu, 2);
	fake_files_set(&fake, "x\n", "/sys/fs/cgroup/jobs/cgroup.procs");
	assert_int_equal(threads_add_group(&fake.files, "/sys/fs/cgroup/jobs", &threads), -EINVAL);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
