// SPDX-License-Identifier: GPL-2.0-only
/* PMUs as their files describe them, garbled in turn, and perf_event_open(2) itself: software
 * events, and the PMU msr if this machine has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "fake_files.h"
#include "instruments/perf.h"

static int setup(void **state)
{
	static struct fake_files fake;

	fake_files_init(&fake);
	fake_files_set(&fake, "15\n", PERF_PMUS "/power/type");
	fake_files_set(&fake, "config:0-7\n", PERF_PMUS "/power/format/event");
	fake_files_set(&fake, "config:8-15,32-35\n", PERF_PMUS "/power/format/umask");
	fake_files_set(&fake, "config1:0-63\n", PERF_PMUS "/power/format/extra");
	fake_files_set(&fake, "config2:21\n", PERF_PMUS "/power/format/flag");
	fake_files_set(&fake, "event=0x02\n", PERF_PMUS "/power/events/energy-pkg");
	fake_files_set(&fake, "2.3283064365386962890625e-10\n",
		       PERF_PMUS "/power/events/energy-pkg.scale");
	fake_files_set(&fake, "0,16\n", PERF_PMUS "/power/cpumask");
	*state = &fake;
	return 0;
}

static int teardown(void **state)
{
	fake_files_done(*state);
	return 0;
}

static void test_named_event(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct fake_files *fake = *state;
	struct perf_event event = { 0 };

	assert_int_equal(perf_find_event(&fake->files, "power", "energy-pkg", &event), 0);
	assert_int_equal(event.type, 15);
	assert_int_equal(event.config[0], 2);
	assert_true(event.scale == 0x1p-32);
	assert_int_equal(perf_find_event(&fake->files, "power", "energy-ram", &event), -ENOENT);
	assert_int_equal(perf_find_event(&fake->files, "msr", "tsc", &event), -ENOENT);
	assert_int_equal(perf_read_cpumask(&fake->files, "power", &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), 2);
	assert_int_equal(perf_read_cpumask(&fake->files, "msr", &cpus), -ENOENT);
}

static void test_formats(void **state)
{
	static const struct {
		const char *terms;
		int err;
		uint64_t config[3];
	} rows[] = {
		{ "event=0xec", 0, { 0xec } },
		{ "event=236", 0, { 0xec } },
		{ "event=0xec,umask=0x10", 0, { 0x10ec } },
		{ "umask=0xf01,event=1", 0, { UINT64_C(0xf00000101) } },
		{ "umask=0xff01", -EINVAL, { 0 } }, /* no room */
		{ "event=0x100", -EINVAL, { 0 } },
		{ "extra=0xffffffffffffffff,flag", 0, { 0, UINT64_MAX, 1 << 21 } },
		{ "flag=2", -EINVAL, { 0 } },
		{ "config=0x4f", 0, { 0x4f } },
		{ "config1=3", 0, { 0, 3 } },
		{ "config9=3", -EINVAL, { 0 } },
		{ "other=1", -EINVAL, { 0 } },
		{ "event=", -EINVAL, { 0 } },
		{ "event=0x", -EINVAL, { 0 } },
		{ "event=-1", -EINVAL, { 0 } },
		{ "event=1,", -EINVAL, { 0 } },
		{ "", -EINVAL, { 0 } },
		{ "=1", -EINVAL, { 0 } },
		{ "../type=1", -EINVAL, { 0 } },
	};
	struct fake_files *fake = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event event = { 0 };
		int err = perf_make_event(&fake->files, "power", rows[i].terms, &event);

		if (err != rows[i].err ||
		    memcmp(event.config, rows[i].config, sizeof(event.config)) != 0)
			fail_msg("%s: %d", rows[i].terms, err);
	}
}

static void test_garbled(void **state)
{
	static const struct {
		const char *name, *text;
		int fails, err;
	} rows[] = {
		{ "type", "garbage\n", 0, -EINVAL },
		{ "type", "4294967296\n", 0, -EINVAL },
		{ "type", "", 0, -EINVAL },
		{ "type", "", -EACCES, -EACCES },
		{ "format/event", "config:0-64\n", 0, -EINVAL },
		{ "format/event", "config:7-0\n", 0, -EINVAL },
		{ "format/event", "config:0-7;\n", 0, -EINVAL },
		{ "format/event", "config:\n", 0, -EINVAL },
		{ "format/event", "config3:0-7\n", 0, -EINVAL },
		{ "format/event", "", 0, -EINVAL },
		{ "format/event", "", -EIO, -EIO },
		{ "events/energy-pkg", "\n", 0, -EINVAL },
		{ "events/energy-pkg", "", -EIO, -EIO },
		{ "events/energy-pkg.scale", "garbage\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "0\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "-1\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "1,5\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "nan\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "inf\n", 0, -EINVAL },
		{ "events/energy-pkg.scale", "", -EACCES, -EACCES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *path = NULL;
		struct fake_files *fake;
		struct perf_event event;
		int err;

		teardown(state);
		setup(state);
		fake = *state;
		assert_true(asprintf(&path, PERF_PMUS "/power/%s", rows[i].name) > 0);
		assert_non_null(fake_files_text(fake, path)); /* sorts: a file is replaced */
		if (rows[i].fails)
			fake_files_fail(fake, path, rows[i].fails);
		else
			fake_files_set(fake, rows[i].text, "%s", path);
		err = perf_find_event(&fake->files, "power", "energy-pkg", &event);
		if (err != rows[i].err)
			fail_msg("%s %s: %d", rows[i].name, rows[i].text, err);
	}
}

/* Answers reads with this many bytes of these words. */
struct short_perf {
	struct perf perf;
	ssize_t length;
	uint64_t words[3];
};

static ssize_t short_read(struct perf *perf, int handle, void *buffer, size_t size)
{
	const struct short_perf *fake = (struct short_perf *)perf;

	(void)handle;
	memcpy(buffer, fake->words, size < sizeof(fake->words) ? size : sizeof(fake->words));
	return fake->length;
}

static void test_answers(void **state)
{
	static const struct perf_ops ops = { .read = short_read };
	struct short_perf fake = { .perf = { &ops }, .words = { 1, 20, 10 } };
	struct perf_counts counts;

	(void)state;
	fake.length = 32;
	assert_int_equal(perf_read_group(&fake.perf, 3, 1, &counts), 0);
	assert_int_equal(counts.enabled_ns, 20);
	assert_int_equal(counts.running_ns, 10);
	assert_int_equal(perf_read_group(&fake.perf, 3, 2, &counts), -EIO);
	fake.words[0] = 2;
	assert_int_equal(perf_read_group(&fake.perf, 3, 1, &counts), -EIO);
	fake.length = 0;
	assert_int_equal(perf_read_group(&fake.perf, 3, 1, &counts), -ENODATA);
	assert_int_equal(perf_read_process(&fake.perf, 3, &counts), -ENODATA);
	fake.length = -EBADF;
	assert_int_equal(perf_read_group(&fake.perf, 3, 1, &counts), -EBADF);
	fake.length = 24;
	assert_int_equal(perf_read_process(&fake.perf, 3, &counts), 0);
	assert_int_equal(counts.values[0], 2);
}

/* The kernel or a container may refuse events altogether. */
static bool is_refused(int handle)
{
	return handle == -EACCES || handle == -EPERM || handle == -ENOSYS;
}

static void test_software_event(void **state)
{
	const struct perf_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = { PERF_COUNT_SW_TASK_CLOCK },
	};
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event.type,
		.config = event.config[0],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_GROUP,
	};
	struct perf_counts first, second;
	struct perf perf;
	int handle;

	(void)state;
	perf_init_real(&perf);
	handle = perf.ops->open(&perf, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (is_refused(handle))
		skip();
	assert_true(handle >= 0);
	assert_int_equal(fcntl(handle, F_GETFD), FD_CLOEXEC);
	assert_int_equal(perf_read_group(&perf, handle, 1, &first), 0);
	for (volatile int i = 0; i < 1000000; i++)
		;
	assert_int_equal(perf_read_group(&perf, handle, 1, &second), 0);
	assert_true(second.values[0] > first.values[0]);
	assert_true(second.enabled_ns > first.enabled_ns);
	perf_close(&perf, &handle);
	assert_int_equal(handle, -1);

	handle = perf_open_process(&perf, &event, getpid());
	assert_true(handle >= 0);
	assert_int_equal(perf_read_process(&perf, handle, &first), 0);
	assert_int_equal(first.values[0], 0); /* this process starts no other program */
	perf_close(&perf, &handle);

	attr.type = UINT32_MAX;
	handle = perf.ops->open(&perf, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(handle < 0);
}

/* tsc counts as CLOCK_MONOTONIC_RAW does. */
static void test_tsc(void **state)
{
	struct files *files;
	struct perf_event event;
	struct perf_counts first, second;
	struct timespec pause = { 0, 20000000 };
	struct perf perf;
	int handle, err;

	(void)state;
	assert_int_equal(files_open_real(&files), 0);
	err = perf_find_event(files, "msr", "tsc", &event);
	files_close_real(&files);
	if (err == -ENOENT)
		skip();
	assert_int_equal(err, 0);
	perf_init_real(&perf);
	handle = perf_open_cpu(&perf, &event, 0, -1);
	if (is_refused(handle))
		skip();
	assert_true(handle >= 0);
	assert_int_equal(perf_read_group(&perf, handle, 1, &first), 0);
	nanosleep(&pause, NULL);
	assert_int_equal(perf_read_group(&perf, handle, 1, &second), 0);
	perf_close(&perf, &handle);
	assert_int_equal(second.running_ns, second.enabled_ns);
	/* 0.4 to 10 GHz */
	assert_in_range(second.values[0] - first.values[0],
			(second.enabled_ns - first.enabled_ns) / 10 * 4,
			(second.enabled_ns - first.enabled_ns) * 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named_event, setup, teardown),
		cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_garbled, setup, teardown),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_software_event),
		cmocka_unit_test(test_tsc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
