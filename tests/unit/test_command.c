// SPDX-License-Identifier: GPL-2.0-only
/* A command that is measured: its counters count for it and its children, its end and its failure
 * are told apart, and nothing of it is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/run_directory.h"
#include "instruments/perf.h"
#include "measure/command.h"
#include "figures.h"

#define PMU "/sys/bus/event_source/devices/msr/"

struct bench {
	struct fake_files files;
	struct perf perf;
	struct host host;
	pid_t pid; /* for which events were opened */
	int n_open, n_closed, refusal;
};

static struct bench *bench_of(struct perf *perf)
{
	return (struct bench *)(void *)((char *)perf - offsetof(struct bench, perf));
}

static int fake_open(struct perf *perf, const struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	struct bench *bench = bench_of(perf);

	assert_true(attr->inherit && attr->enable_on_exec && attr->disabled);
	assert_false(attr->exclude_kernel);
	assert_false(attr->read_format & PERF_FORMAT_GROUP); /* refused with inherit */
	assert_int_equal(cpu, -1);
	assert_int_equal(group, -1);
	assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
	bench->pid = pid;
	return bench->refusal ? bench->refusal : bench->n_open++;
}

/* In half a second on CPUs: 2600 MHz, 3120 while busy. */
static ssize_t fake_read(struct perf *perf, int handle, void *buffer, size_t size)
{
	static const uint64_t counts[] = { 1300000000, 1500000000, 1250000000 };
	const uint64_t words[] = { counts[handle], 2000000000, 500000000 };

	(void)perf;
	assert_int_equal(size, sizeof(words));
	memcpy(buffer, words, sizeof(words));
	return sizeof(words);
}

static void fake_close(struct perf *perf, int handle)
{
	(void)handle;
	bench_of(perf)->n_closed++;
}

static int setup(void **state)
{
	static const struct perf_ops ops = {
		.open = fake_open,
		.read = fake_read,
		.close = fake_close,
	};
	static struct bench bench;

	bench = (struct bench){ .perf.ops = &ops };
	fake_files_init(&bench.files);
	fake_files_set(&bench.files, "10\n", PMU "type");
	fake_files_set(&bench.files, "config:0-63\n", PMU "format/event");
	fake_files_set(&bench.files, "event=0x00\n", PMU "events/tsc");
	fake_files_set(&bench.files, "event=0x01\n", PMU "events/aperf");
	fake_files_set(&bench.files, "event=0x02\n", PMU "events/mperf");
	bench.host.files = &bench.files.files;
	bench.host.perf = &bench.perf;
	*state = &bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;
	struct sigaction action;

	assert_int_equal(bench->n_open, bench->n_closed);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
	assert_int_equal(errno, ECHILD);
	assert_int_equal(sigaction(SIGTERM, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_DFL);
	assert_int_equal(sigaction(SIGINT, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_DFL);
	fake_files_done(&bench->files);
	return 0;
}

/* Runs a line of a shell. Returns its object. */
static json_t *run(struct bench *bench, const char *line, bool counts, int *ret_status)
{
	char *argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			 (char *)(uintptr_t)line, NULL };
	struct command_process command;
	struct wait_stop end;
	struct run_process process = { 0 };

	assert_int_equal(command_prepare(argv, NULL, NULL, &command), 0);
	if (counts)
		command_count(&bench->host, &command);
	assert_int_equal(command_run(&command), 0);
	end = command_end_source(&command);
	assert_true(wait_us_or_stop(&end, 30000000));
	assert_int_equal(command_finish(&bench->host, &command, ret_status, &process), 0);
	command_done(&bench->host, &command); /* nothing is left to do */
	return json_write_fields(run_process_fields, &process);
}

static void test_counters(void **state)
{
	struct bench *bench = *state;
	int status = -1;
	_cleanup_json_ json_t *object = run(bench, "exit 5", true, &status);
	double mhz = 0, seconds;

	assert_int_equal(status, 5);
	assert_int_equal(json_integer_value(json_object_get(object, "command-exit")), 5);
	assert_int_equal(figure_get(object, "mhz", &mhz), 0);
	assert_true(mhz == 3120);
	assert_true(bench->pid > 0);
	assert_int_equal(figure_get(object, "user-seconds", &seconds), 0);
}

static void test_refused(void **state)
{
	struct bench *bench = *state;
	int status;
	json_t *object;

	bench->refusal = -EACCES;
	object = run(bench, "kill -TERM $$", true, &status);
	assert_int_equal(status, COMMAND_SIGNAL_OFFSET + SIGTERM);
	assert_non_null(strstr(figure_reason(object, "mhz"), "perf_event_paranoid"));
	json_decref(object);
	fake_files_remove(&bench->files, PMU "events/mperf");
	bench->refusal = 0;
	object = run(bench, ":", true, &status);
	assert_non_null(strstr(figure_reason(object, "mhz"), "aperf and mperf"));
	json_decref(object);
	object = run(bench, ":", false, &status);
	assert_null(json_object_get(object, "mhz")); /* counters of CPUs are used */
	json_decref(object);
}

static bool is_asked(void *data)
{
	return *(bool *)data;
}

/* A command that cannot run; one that a signal comes before; one that never was let run. */
static void test_not_run(void **state)
{
	char *argv[] = { (char *)(uintptr_t) "/nonexistent", NULL };
	bool is_stopped = true;
	const struct wait_stop before = { .fd = -1, .is_asked = is_asked, .data = &is_stopped };
	struct command_process command;
	struct bench *bench = *state;

	assert_int_equal(command_prepare(argv, NULL, NULL, &command), 0);
	assert_int_equal(command_run(&command), -ENOENT);
	command_done(&bench->host, &command);
	argv[0] = (char *)(uintptr_t) "/";
	assert_int_equal(command_prepare(argv, NULL, NULL, &command), 0);
	assert_int_equal(command_run(&command), -EACCES);
	command_done(&bench->host, &command);
	assert_int_equal(command_prepare(argv, NULL, &before, &command), 0);
	assert_int_equal(command_run(&command), -EINTR);
	command_done(&bench->host, &command);
	is_stopped = false;
	assert_int_equal(command_prepare(argv, NULL, &before, &command), 0);
	assert_int_equal(command_run(&command), -EACCES);
	command_done(&bench->host, &command);
	assert_int_equal(command_prepare(argv, NULL, NULL, &command), 0);
	command_count(&bench->host, &command);
	command_done(&bench->host, &command);
	assert_int_equal(bench->n_closed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_run, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
