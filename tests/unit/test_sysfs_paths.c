// SPDX-License-Identifier: GPL-2.0-only
/* The simulator spells the paths of kernel files itself. Here its files are compared with those
 * that commands read, both ways: a file that no machine has, and one that nothing reads, are
 * mistakes of one of them unless they are listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fnmatch.h>

#include "base/cleanup.h"
#include "record/parts.h"
#include "sysfs_machine.h"

#define MAX_PATH 256
#define CPU_ROOT "/sys/devices/system/cpu/cpu"

/* Together they have every kind of file. */
static const char *const platforms[] = {
	"guide", "gnr-split-2s", "spr-6438n-2s", "arl-285k-1s", "gnr-6776p-pct-2s", "clx-6230n-2s",
};

/* What commands read and no simulated machine has. */
static const char *const not_simulated[] = {
	"/proc/cgroups",
	"/proc/uptime",
	"/sys/kernel/realtime",
	"/sys/devices/cpu_lowpower/cpus",
	"/sys/devices/system/cpu/cpu#/acpi_cppc/nominal_freq",
	"/sys/devices/system/cpu/cpu#/topology/cluster_cpus_list",
	"/sys/class/powercap/intel-rapl[*]:[*]/constraint_2_*",
	"/sys/class/powercap/intel-rapl[*]:[*]/constraint_?_m??_power_uw",
	"/sys/fs/cgroup/[[]0-9[]]*", /* there is none at first */
	"/sys/fs/cgroup/[*]/*",
	"/dev/cpu/#/msr@*",
};

/* What the simulator has beside: other names of files, and what the kernel has beside them. */
static const char *const not_recorded[] = {
	"/sys/bus/pci/devices/*/numa_node",
	"/sys/devices/system/cpu/cpufreq/policy*",
	"/sys/devices/system/cpu/cpu#/thermal_throttle/*_max_time_ms",
};

/* Directories whose files are compared. */
static const char *const roots[] = {
	"/proc/sys/kernel",
	"/proc/irq",
	"/sys/devices/system/cpu",
	"/sys/devices/system/node",
	"/sys/devices/system/clocksource/clocksource0",
	"/sys/kernel/mm/transparent_hugepage",
	"/sys/class/powercap",
	"/sys/class/hwmon",
	"/sys/bus/pci/devices",
	"/sys/fs/cgroup",
};

static bool is_listed(const char *const *list, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(list[i], path, 0) == 0)
			return true;
	}
	return false;
}

/* Does a machine have what a row names? rest is what path lacks of it. */
static bool has_path(struct files *files, const char *path, const char *rest)
{
	size_t length = strcspn(rest, "/");
	_cleanup_free_ char *part = strndup(rest, length), *text = NULL;
	_cleanup_(files_free_names) char **names = NULL;
	char next[MAX_PATH];
	size_t size;

	if (!*rest)
		return files->ops->read(files, path, 0, &text, &size) == 0 ||
		       files_list(files, path, &names) == 0;
	assert_non_null(part);
	if (part[length - 1] == '#')
		memcpy(part + length - 1, "1", 1);
	rest += length + (rest[length] == '/');
	if (!strchr(part, '*')) {
		snprintf(next, sizeof(next), "%s/%s", path, part);
		return has_path(files, next, rest);
	}
	if (files_list(files, path, &names))
		return false;
	for (size_t i = 0; names[i]; i++) {
		snprintf(next, sizeof(next), "%s/%s", path, names[i]);
		if (fnmatch(part, names[i], 0) == 0 && has_path(files, next, rest))
			return true;
	}
	return false;
}

static void test_what_commands_read(void **state)
{
	bool *is_found = calloc(n_record_paths, sizeof(*is_found));

	(void)state;
	assert_non_null(is_found);
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++) {
		struct sysfs_machine machine;

		sysfs_machine_open(&machine, platforms[i]);
		for (size_t j = 0; j < n_record_paths; j++)
			is_found[j] |= has_path(machine.files, "", record_paths[j].path + 1);
		sysfs_machine_close(&machine);
	}
	for (size_t j = 0; j < n_record_paths; j++) {
		bool is_known =
			is_listed(not_simulated, ARRAY_SIZE(not_simulated), record_paths[j].path);

		if (is_found[j] == is_known)
			fail_msg("%s: %s", record_paths[j].path,
				 is_known ? "is listed, and simulated" : "is not simulated");
	}
	free(is_found);
}

/* Compares a file, or all in a directory; of CPUs only the second one. */
static void compare_below(struct files *files, const char *path)
{
	_cleanup_(files_free_names) char **names = NULL;
	char row[MAX_PATH];
	bool is_cpu = strncmp(path, CPU_ROOT "1", strlen(CPU_ROOT "1")) == 0;

	if (files_list(files, path, &names) == 0) {
		for (size_t i = 0; names[i]; i++) {
			char next[MAX_PATH];

			snprintf(next, sizeof(next), "%s/%s", path, names[i]);
			if (strncmp(next, CPU_ROOT, strlen(CPU_ROOT)) != 0 ||
			    strncmp(next, CPU_ROOT "1/", strlen(CPU_ROOT "1/")) == 0 ||
			    strcmp(next, CPU_ROOT "1") == 0 ||
			    strspn(next + strlen(CPU_ROOT), "0123456789") == 0)
				compare_below(files, next);
		}
		return;
	}
	snprintf(row, sizeof(row), is_cpu ? CPU_ROOT "#%s" : "%s",
		 is_cpu ? path + strlen(CPU_ROOT "1") : path);
	if (!record_find_path(row) && !is_listed(not_recorded, ARRAY_SIZE(not_recorded), row))
		fail_msg("%s is simulated, and nothing reads it", row);
}

static void test_what_is_simulated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++) {
		struct sysfs_machine machine;

		sysfs_machine_open(&machine, platforms[i]);
		for (size_t j = 0; j < ARRAY_SIZE(roots); j++)
			compare_below(machine.files, roots[j]);
		sysfs_machine_close(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_commands_read),
		cmocka_unit_test(test_what_is_simulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
