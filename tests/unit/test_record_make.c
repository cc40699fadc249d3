// SPDX-License-Identifier: GPL-2.0-only
/* Whole recordings of simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "fake_files.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/run_directory.h"
#include "record/parts.h"
#include "record/record.h"
#include "simulator/simulator.h"
#include "temporary.h"

#define LEVEL_OPEN   "\"locked\": false"
#define LEVEL_LOCKED "\"locked\": true "
#define BOOT_ID      "/proc/sys/kernel/random/boot_id"

/* Makes a platform file below directory: the guide's, with a locked level. Returns its path. */
static char *make_platform(const char *directory)
{
	_cleanup_free_ char *from = text_format("%s/guide.json", getenv("PLATFORM_FILES"));
	_cleanup_free_ char *text = NULL;
	char *path = temporary_path(directory, "platform.json"), *at;
	size_t length;

	assert_int_equal(fileio_read(from, 0, &text, &length), 0);
	at = strstr(text, LEVEL_OPEN);
	assert_non_null(at);
	memcpy(at, LEVEL_LOCKED, strlen(LEVEL_LOCKED));
	temporary_write(path, text, 0644);
	return path;
}

/* The lock of a level is kept, and the boot of the map of offline CPUs is not. */
static void test_kept(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *platform = make_platform(directory);
	_cleanup_free_ char *state_directory = temporary_path(directory, "state");
	_cleanup_free_ char *run = temporary_path(state_directory, "run");
	_cleanup_free_ char *map = temporary_path(run, "cpu-map.json");
	_cleanup_free_ char *message = NULL, *text = NULL, *boot_id = NULL, *map_text = NULL;
	_cleanup_host_ struct host *host = NULL;
	_cleanup_json_ json_t *recording = NULL;
	struct record_remarks remarks;
	const json_t *member;

	(void)state;
	assert_int_equal(mkdir(state_directory, 0700), 0);
	assert_int_equal(simulator_open(platform, state_directory, false, &host, &message), 0);
	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(files_read_line(host->files, BOOT_ID, &boot_id), 0);
	map_text = text_format("{\"boot\": \"%s\"}", boot_id);
	temporary_write(map, map_text, 0644);
	assert_int_equal(
		record_make(host, &(struct record_options){ 0 }, &text, &remarks, &message), 0);
	assert_null(strstr(text, boot_id));
	recording = json_loads(text, 0, NULL);
	assert_non_null(recording);
	member = json_object_get(json_object_get(recording, "recorded"), "cpu_map");
	assert_non_null(strstr(json_string_value(member), "00000000-0000"));
	member = json_object_get(recording, "sst");
	member = json_is_array(member) ? json_array_get(member, 0) : member;
	assert_true(json_is_true(json_object_get(member, "locked")));
	record_remarks_done(&remarks);
	temporary_remove(directory);
}

#define MAC_NAME "enx0a1b2c3d4e5f"

/* Files of a machine that say whose it is, each with what the recording must not hold, and what it
 * holds in its place. */
static const struct {
	const char *path;
	const char *text;
	const char *secret;
	const char *kept; /* NULL: nothing */
} planted[] = {
	{ "/proc/irq/24/" MAC_NAME "/x", "", MAC_NAME, "handler-1" },
	{ "/proc/irq/25/eth-tenant-TxRx-0/x", "", "tenant", "handler-1" },
	{ "/proc/irq/26/nvme0q3/x", "", NULL, "nvme0q3" },
	{ "/proc/irq/27/nvme-acme0q3/x", "", "acme", "handler-1" },
	{ "/proc/irq/28/mlx5_comp7@pci:0000:3b:00.0/x", "", "3b", "mlx5_comp7@pci:0000:00:00.0" },
	{ "/proc/irq/29/ens1f0-Tx-0/x", "", "ens1f0", "handler-1" },
	{ "/sys/fs/cgroup/tenant-b/cpuset.cpus", "0\n", "tenant", "group-" },
	{ "/sys/fs/cgroup/io.acme.slice/cpuset.cpus", "0\n", "acme", NULL },
	{ "/sys/fs/cgroup/0-0-0/acme-child/cpuset.cpus", "0\n", "acme", NULL },
	{ "/sys/fs/cgroup/0-0-0/cpuset.cpus", "0\n", NULL, "cpuset.cpus" },
	{ "/sys/class/hwmon/hwmon0/name", "coretemp\n", NULL, "coretemp" },
	{ "/sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n", NULL, "Package id 0" },
	{ "/sys/class/hwmon/hwmon1/name", "enp2s0_phy\n", "enp2s0", "other" },
	{ "/sys/class/hwmon/hwmon1/temp1_label", "drive S3R1AL4711\n", "S3R1AL", NULL },
	{ "/proc/cpuinfo", "processor\t: 0\n\nserial\t: 4711-0815\n", "4711-0815", "processor" },
	{ "/proc/cmdline", "root=UUID=b0071d ro isolcpus=2 ip=192.0.2.7:node17 -- acme\n", "node17",
	  "isolcpus=2" },
	{ "/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC alice@node17 Mon Jan 1\n", "alice",
	  "PREEMPT_DYNAMIC" },
};

static void test_planted(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *text = NULL;
	const struct record_options options = { 0 };
	struct fake_files kernel;
	struct kernel_files found;

	(void)state;
	fake_files_init(&kernel);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++)
		fake_files_set(&kernel, planted[i].text, "%s", planted[i].path);
	assert_int_equal(cpuset_add(&cpus, 0), 0);
	assert_int_equal(kernel_files_read(&kernel.files, &cpus, &options, &found), 0);
	text = json_dumps(found.object, 0);
	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++) {
		if (planted[i].secret && strstr(text, planted[i].secret))
			fail_msg("%s: %s is in %s", planted[i].path, planted[i].secret, text);
		if (planted[i].kept && !strstr(text, planted[i].kept))
			fail_msg("%s: %s is not in %s", planted[i].path, planted[i].kept, text);
	}
	kernel_files_done(&found);
	fake_files_done(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
