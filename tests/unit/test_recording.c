// SPDX-License-Identifier: GPL-2.0-only
/* Replay of a recording: what was recorded is answered, bits that nothing decodes too, until the
 * model changes; then what changed is the model's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "platform_texts.h"
#include "simulated_device.h"
#include "simulator/sysfs/sysfs.h"

#define CPUS "/sys/devices/system/cpu"

struct bench {
	struct simulated_device device;
	struct files *files;
};

/* What is recorded of the machine guide; CPU 5 has another governor than the others. */
static const char recorded[] =
	"{\"capability\": true, \"requests\": ["
	/* level 0, whose 205 W the model has too; bit 15 is not decoded */
	"\"mbox: logical_cpu:0 command:0x7f sub_command:0x3 parameter:0x0 req_data:0x0 "
	"resp_data:0x1a80cd\","
	"\"mbox: logical_cpu:0 command:0x7f sub_command:0x4 parameter:0x0 req_data:0x0 "
	"resp_data:0x0 error:ENXIO\","
	/* CLOS 1 of package 1, with bits of a word that the model keeps whole */
	"\"mmio read: logical_cpu:14 reg:0xc value:0xff0000\","
	/* CLOS is off; bit 9 is not decoded */
	"\"mbox: logical_cpu:0 command:0xd0 sub_command:0x2 parameter:0x0 req_data:0x0 "
	"resp_data:0x200\","
	"\"msr read: logical_cpu:0 msr:0x1ae data:0x1122334455667788\"],"
	"\"files\": {"
	"\"/proc/cmdline\": \"isolcpus=1\","
	"\"/sys/devices/system/cpu/intel_pstate/status\": \"active\","
	"\"/sys/devices/system/cpu/intel_pstate/no_turbo\": {\"error\": \"EACCES\"},"
	"\"/sys/devices/system/cpu/intel_pstate/hwp_dynamic_boost\": {\"error\": \"ENOENT\"},"
	"\"/sys/devices/system/cpu/nohz_full\": {\"exact\": \" (null)\"},"
	"\"/sys/devices/system/cpu/isolated\": {\"hex\": \"00ff0a\"},"
	"\"/sys/devices/system/cpu/intel_uncore_frequency\": [\"package_00_die_00\"],"
	"\"/sys/devices/system/cpu/cpu#/cpufreq/scaling_cur_freq\": {\"0-55\": \"1234567\"},"
	"\"/sys/devices/system/cpu/cpu#/cpufreq/scaling_governor\": "
	"{\"0-4,6-55\": \"powersave\", \"5\": \"performance\"},"
	"\"/sys/fs/cgroup\": [\"1-0-0\", \"cgroup.controllers\", \"group-1\"],"
	"\"/sys/fs/cgroup/cgroup.subtree_control\": \"cpuset cpu\","
	"\"/sys/fs/cgroup/1-0-0/cpuset.cpus\": \"20\","
	"\"/sys/fs/cgroup/1-0-0/cpuset.cpus.partition\": \"member\""
	"}}";

static void open_bench(struct bench *bench)
{
	json_t *json = platform_texts_load("guide");

	platform_texts_edit(json, "recorded", recorded);
	simulated_free(bench->device.platform);
	bench->device.platform = platform_texts_make(json);
	json_decref(json);
	assert_int_equal(simulated_device_open(&bench->device, NULL), 0);
	assert_int_equal(sysfs_open(bench->device.state, bench->device.faults, &bench->files), 0);
}

static int set_up(void **test)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return -1;
	bench->device.platform = simulated_new();
	bench->device.directory = simulated_make_directory();
	*test = bench;
	open_bench(bench);
	return 0;
}

static int tear_down(void **test)
{
	struct bench *bench = *test;

	sysfs_close(bench->files);
	return simulated_device_tear_down(test);
}

static uint32_t ask(const struct bench *bench, uint32_t cpu, uint16_t command, uint16_t sub_command,
		    uint32_t data)
{
	struct isst_if_mbox_cmd word = simulated_device_command(cpu, command, sub_command, 0, data);

	assert_int_equal(simulated_device_mailbox(&bench->device, &word), 1);
	assert_int_equal(word.logical_cpu, cpu);
	return word.resp_data;
}

static void expect_file(struct bench *bench, const char *path, int error, const char *text)
{
	_cleanup_free_ char *found = NULL;
	size_t length = 0;
	int err = bench->files->ops->read(bench->files, path, 0, &found, &length);

	assert_int_equal(err, error);
	if (!error)
		assert_string_equal(found, text);
}

static void test_words(void **test)
{
	struct bench *bench = *test;
	struct isst_if_mbox_cmd refused = simulated_device_command(0, 0x7f, 0x04, 0, 0);

	assert_int_equal(ask(bench, 0, 0x7f, 0x03, 0), 0x1a80cd);
	/* any CPU of the same domain, but not of another one, nor another level */
	assert_int_equal(ask(bench, 41, 0x7f, 0x03, 0), 0x1a80cd);
	assert_int_equal(ask(bench, 14, 0x7f, 0x03, 0), 0x1a00cd);
	assert_int_equal(ask(bench, 0, 0x7f, 0x03, 1), 0x1a00c3);
	assert_int_equal(simulated_device_mailbox(&bench->device, &refused), -ENXIO);
}

static void test_word_that_changes(void **test)
{
	struct bench *bench = *test;
	struct isst_if_mbox_cmd enable = simulated_device_command(0, 0xd0, 0x02, 0x100, 0x6);

	assert_int_equal(ask(bench, 0, 0xd0, 0x02, 0), 0x200);
	assert_int_equal(simulated_device_mailbox(&bench->device, &enable), 1);
	assert_int_equal(ask(bench, 0, 0xd0, 0x02, 0), 0x206);
}

static void test_registers(void **test)
{
	struct bench *bench = *test;
	uint32_t value = 0, other = 0xaa0500;
	uint64_t data = 0;

	assert_int_equal(simulated_device_mmio(&bench->device, false, 20, 0xc, &value), 1);
	assert_int_equal(value, 0xff0000);
	assert_int_equal(simulated_device_mmio(&bench->device, true, 20, 0xc, &other), 1);
	assert_int_equal(simulated_device_mmio(&bench->device, false, 14, 0xc, &value), 1);
	assert_int_equal(value, 0xaa0500);
	/* an MSR is the same for the whole package */
	assert_int_equal(simulated_device_msr(&bench->device, false, 13, 0x1ae, &data), 1);
	assert_int_equal(data, 0x1122334455667788);
	assert_int_equal(simulated_device_msr(&bench->device, false, 14, 0x1ae, &data), 1);
	assert_int_equal(data, 0x100e0c0a08060402);
}

static void test_files(void **test)
{
	struct bench *bench = *test;

	expect_file(bench, "/proc/cmdline", 0, "isolcpus=1\n");
	expect_file(bench, CPUS "/intel_pstate/no_turbo", -EACCES, NULL);
	expect_file(bench, CPUS "/intel_pstate/hwp_dynamic_boost", -ENOENT, NULL);
	expect_file(bench, CPUS "/nohz_full", 0, " (null)");
	expect_file(bench, CPUS "/cpu7/cpufreq/scaling_cur_freq", 0, "1234567\n");
	expect_file(bench, CPUS "/cpu5/cpufreq/scaling_governor", 0, "performance\n");
	/* what was not recorded is the model's; what a recorded directory lacks is missing */
	expect_file(bench, CPUS "/intel_pstate/max_perf_pct", 0, "100\n");
	expect_file(bench, CPUS "/intel_uncore_frequency/package_00_die_00/max_freq_khz", 0,
		    "2400000\n");
	expect_file(bench, CPUS "/intel_uncore_frequency/package_01_die_00/max_freq_khz", -ENOENT,
		    NULL);
	expect_file(bench, CPUS "/intel_uncore_frequency", -EISDIR, NULL);
}

static void test_files_that_change(void **test)
{
	struct bench *bench = *test;
	const char *governor_of_5 = CPUS "/cpu5/cpufreq/scaling_governor";

	assert_int_equal(files_write(bench->files, governor_of_5, "powersave"), 0);
	expect_file(bench, governor_of_5, 0, "powersave\n");
	assert_int_equal(files_write(bench->files, governor_of_5, "performance"), 0);
	expect_file(bench, governor_of_5, 0, "performance\n");
	/* the present frequency follows the model once it changes there */
	assert_int_equal(
		files_write(bench->files, CPUS "/cpu7/cpufreq/scaling_governor", "performance"), 0);
	expect_file(bench, CPUS "/cpu7/cpufreq/scaling_cur_freq", 0, "3200000\n");
	/* a file that the machine does not have cannot be written */
	assert_int_equal(files_write(bench->files, CPUS "/intel_pstate/hwp_dynamic_boost", "1"),
			 -ENOENT);
}

static void expect_names(struct bench *bench, const char *path, const char *expected)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_buffer_ struct buffer list = { 0 };

	assert_int_equal(files_list(bench->files, path, &names), 0);
	for (char **name = names; *name; name++) {
		buffer_append_string(&list, *name);
		buffer_append_char(&list, ' ');
	}
	assert_string_equal(buffer_text(&list), expected);
}

static void test_directories(void **test)
{
	struct bench *bench = *test;

	expect_names(bench, "/sys/fs/cgroup", "1-0-0 cgroup.controllers group-1 ");
	assert_int_equal(files_change_directory(bench->files, "/sys/fs/cgroup/0-0-0", true), 0);
	expect_names(bench, "/sys/fs/cgroup", "0-0-0 1-0-0 cgroup.controllers group-1 ");
}

/* A group that was recorded can be changed and removed like any other. */
static void test_groups(void **test)
{
	struct bench *bench = *test;
	const char *cpus = "/sys/fs/cgroup/1-0-0/cpuset.cpus";

	expect_file(bench, cpus, 0, "20\n");
	assert_int_equal(files_write(bench->files, cpus, "21"), 0);
	expect_file(bench, cpus, 0, "21\n");
	assert_int_equal(files_change_directory(bench->files, "/sys/fs/cgroup/1-0-0", false), 0);
	expect_file(bench, cpus, -ENOENT, NULL);
	expect_names(bench, "/sys/fs/cgroup", "cgroup.controllers group-1 ");
}

static void test_bytes(void **test)
{
	struct bench *bench = *test;
	_cleanup_free_ char *text = NULL;
	size_t length;

	assert_int_equal(bench->files->ops->read(bench->files, CPUS "/isolated", 0, &text, &length),
			 0);
	assert_int_equal(length, 3);
	assert_memory_equal(text, "\0\xff\n", 3);
}

static void test_mistakes(void **test)
{
	static const struct {
		const char *path, *value, *refused, *words;
	} mistakes[] = {
		{ "recorded.open", "\"ENOTHING\"", "recorded.open",
		  "must be the name of an error" },
		{ "recorded.date", "\"2026-13-01\"", "recorded.date",
		  "must be a date like \"2026-11-24\"" },
		{ "recorded.date", "\"2026-2-03\"", "recorded.date",
		  "must be a date like \"2026-11-24\"" },
		{ "recorded.date", "\"2026-11-24T12:00:00Z\"", "recorded.date",
		  "must be a date like \"2026-11-24\"" },
		{ "recorded.requests[0]", "\"mbox: 1\"", "recorded.requests[0]",
		  "\"mbox: 1\" does not have the form of a request with its answer" },
		{ "recorded.requests[0]", "\"phys id: logical_cpu:56 physical_cpu:0x0\"",
		  "recorded.requests[0]", "the machine has no such CPU" },
		{ "recorded.files", "[]", "recorded.files", "must be an object" },
		{ "recorded.files", "{\"here\": \"1\"}", "recorded.files.here",
		  "must be an absolute path" },
		{ "recorded.files", "{\"/proc/cmdline\": 1}", "recorded.files./proc/cmdline",
		  "must be a string, a list of names, or an object with \"exact\", \"hex\" or "
		  "\"error\"" },
		{ "recorded.files", "{\"/proc/cmdline\": {\"hex\": \"0\"}}",
		  "recorded.files./proc/cmdline",
		  "must be a string, a list of names, or an object with \"exact\", \"hex\" or "
		  "\"error\"" },
		{ "recorded.files", "{\"/proc\": [\"a/b\"]}", "recorded.files./proc",
		  "a directory has a list of names" },
		{ "recorded.files", "{\"/sys/devices/system/cpu/cpu#/online\": \"1\"}",
		  "recorded.files./sys/devices/system/cpu/cpu#/online",
		  "must be an object with lists of CPUs" },
		{ "recorded.files", "{\"/sys/devices/system/cpu/cpu#/online\": {\"56\": \"1\"}}",
		  "recorded.files.56", "is not a list of CPUs of this machine" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		json_t *json = platform_texts_load("guide");

		platform_texts_edit(json, "recorded", recorded);
		platform_texts_edit(json, mistakes[i].path, mistakes[i].value);
		platform_texts_check_refused(json, mistakes[i].refused, mistakes[i].words);
		json_decref(json);
	}
}

static void test_no_rights(void **test)
{
	struct simulated_device *device = *test;
	json_t *json = platform_texts_load("guide");

	platform_texts_edit(json, "recorded", recorded);
	platform_texts_edit(json, "recorded.open", "\"EACCES\"");
	simulated_free(device->platform);
	device->platform = platform_texts_make(json);
	json_decref(json);
	assert_int_equal(simulated_device_open(device, NULL), -EACCES);
}

#define BENCH_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_words),
		BENCH_TEST(test_word_that_changes),
		BENCH_TEST(test_registers),
		BENCH_TEST(test_files),
		BENCH_TEST(test_files_that_change),
		BENCH_TEST(test_directories),
		BENCH_TEST(test_groups),
		BENCH_TEST(test_bytes),
		cmocka_unit_test(test_mistakes),
		SIMULATED_DEVICE_TEST(test_no_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
