// SPDX-License-Identifier: GPL-2.0-only
/* /proc, and the files of a machine without cpufreq, cpuidle, umwait and uncore. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "sysfs_machine.h"

static const char guide_stanza[] = "processor\t: 0\n"
				   "vendor_id\t: GenuineIntel\n"
				   "cpu family\t: 6\n"
				   "model\t\t: 106\n"
				   "model name\t: Intel(R) Xeon(R) Gold 6330N CPU @ 2.60GHz\n"
				   "stepping\t: 6\n"
				   "flags\t\t: fpu vme ";

static size_t count_stanzas(const char *text)
{
	size_t count = 0;

	for (; (text = strstr(text, "processor\t: ")); text++)
		count++;
	return count;
}

static void test_cpuinfo(void **test)
{
	static const struct sysfs_step offline[] = { { "cpu54/online", "0", 0, "0" } };
	_cleanup_free_ char *text = NULL, *start = NULL, *less = NULL;
	struct sysfs_machine machine;
	size_t length;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	text = sysfs_machine_read(&machine, "/proc/cpuinfo");
	assert_memory_equal(text, guide_stanza, strlen(guide_stanza));
	assert_non_null(strstr(text, "\n\nprocessor\t: 1\n"));
	assert_int_equal(count_stanzas(text), 56);
	assert_int_equal(
		machine.files->ops->read(machine.files, "/proc/cpuinfo", 4096, &start, &length), 0);
	assert_int_equal(length, 4096);
	assert_int_equal(strlen(start), 4096);
	assert_memory_equal(start, text, 4096);
	sysfs_machine_run(&machine, offline, ARRAY_SIZE(offline));
	less = sysfs_machine_read(&machine, "/proc/cpuinfo");
	assert_int_equal(count_stanzas(less), 55);
	assert_null(strstr(less, "processor\t: 54\n"));
	sysfs_machine_close(&machine);
}

static void test_flags(void **test)
{
	static const struct {
		const char *platform;
		bool hfi;
		bool waitpkg;
	} vectors[] = { { "guide", false, true },
			{ "clx-6230n-2s", false, false },
			{ "emr-8592-2s", true, true },
			{ "gnr-6980p-2s", true, true },
			{ "cwf-6990e-2s", false, true } };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *text = NULL;
		struct sysfs_machine machine;

		sysfs_machine_open(&machine, vectors[i].platform);
		text = sysfs_machine_read(&machine, "/proc/cpuinfo");
		assert_int_equal(strstr(text, " hfi") != NULL, vectors[i].hfi);
		assert_int_equal(strstr(text, " waitpkg") != NULL, vectors[i].waitpkg);
		assert_non_null(strstr(text, " hwp "));
		sysfs_machine_close(&machine);
	}
}

static void test_boot_id(void **test)
{
	_cleanup_free_ char *text = NULL;
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	text = sysfs_machine_read(&machine, "/proc/sys/kernel/random/boot_id");
	assert_int_equal(strlen(text), 37);
	assert_memory_equal(text, machine.state->machine->boot_id, 36);
	sysfs_machine_close(&machine);
}

static const struct sysfs_step bare_steps[] = {
	{ "cpufreq/boost", NULL, -ENOENT, NULL },
	{ "cpu0/cpufreq/scaling_driver", NULL, -ENOENT, NULL },
	{ "intel_pstate/status", NULL, -ENOENT, NULL },
	{ "cpu0/power/energy_perf_bias", NULL, -ENOENT, NULL },
	{ "cpu0/power/pm_qos_resume_latency_us", NULL, 0, "0" },
	{ "cpu0/cpuidle/state0/name", NULL, -ENOENT, NULL },
	{ "cpuidle/current_driver", NULL, -ENOENT, NULL },
	{ "umwait_control/max_time", NULL, -ENOENT, NULL },
	{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", NULL, -ENOENT, NULL },
};

static void test_bare_machine(void **test)
{
	_cleanup_free_ char *text = NULL;
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->has_cpufreq = false;
	machine.platform->has_cpuidle = false;
	machine.platform->has_umwait = false;
	machine.platform->uncore = SIM_UNCORE_NONE;
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, bare_steps, ARRAY_SIZE(bare_steps));
	sysfs_machine_assert_list(&machine, "cpu0", "power thermal_throttle topology");
	text = sysfs_machine_read(&machine, "/proc/cpuinfo");
	assert_null(strstr(text, " hwp"));
	sysfs_machine_close(&machine);
}

/* What no command writes: as the kernel has it on a server that nobody has tuned. */
static const struct sysfs_step kernel_steps[] = {
	{ "/proc/cmdline", NULL, 0, "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1 ro quiet" },
	{ "/proc/sys/kernel/osrelease", NULL, 0, "6.12" },
	{ "/proc/sys/kernel/nmi_watchdog", NULL, 0, "1" },
	{ "/proc/sys/kernel/nmi_watchdog", "0", -EACCES, NULL },
	{ "/proc/irq/default_smp_affinity", NULL, 0, "00ffffff,ffffffff" },
	{ "/proc/irq/26/effective_affinity_list", NULL, 0, "2" },
	{ "/proc/irq/26/nvme0q3", NULL, -EISDIR, NULL },
	{ "/proc/irq/26/nvme0q4", NULL, -ENOENT, NULL },
	{ "/proc/irq/32/effective_affinity_list", NULL, -ENOENT, NULL },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, 0, "tsc" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", NULL, 0, "[always] madvise never" },
	{ "cpu55/thermal_throttle/core_throttle_count", NULL, 0, "0" },
	{ "cpu55/online", "0", 0, NULL },
	{ "cpu55/thermal_throttle/core_throttle_count", NULL, -ENOENT, NULL },
};

static void test_kernel(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	sysfs_machine_run(&machine, kernel_steps, ARRAY_SIZE(kernel_steps));
	sysfs_machine_assert_list(&machine, "/proc/irq",
				  "24 25 26 27 28 29 30 31 default_smp_affinity");
	sysfs_machine_assert_list(&machine, "/proc/irq/26",
				  "effective_affinity_list nvme0q3 smp_affinity_list");
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpuinfo), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_boot_id), cmocka_unit_test(test_bare_machine),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
