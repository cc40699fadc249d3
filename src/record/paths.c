// SPDX-License-Identifier: GPL-2.0-only
/* The files and directories that commands read, in the order of reading. A new file of a reading
 * command needs a row here: tests/cli/record/contents.py compares the rows with what commands
 * open. */
#include "record/parts.h"

#include <fnmatch.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/boot_words.h"
#include "host/kernel.h"

#define CPU         FILES_CPUS "/cpu#"
#define CPUFREQ     CPU "/cpufreq"
#define IDLE_STATE  CPU "/cpuidle/state*"
#define TOPOLOGY    CPU "/topology"
#define UNCORE      FILES_CPUS "/intel_uncore_frequency"
#define AUXILIARY   "/sys/bus/auxiliary/devices"
#define CGROUP      "/sys/fs/cgroup"
#define IRQS        "/proc/irq"
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0"
#define NODES       "/sys/devices/system/node"
#define POWERCAP    "/sys/class/powercap"
#define ZONE        "/intel-rapl*:*/"
#define HWMON       "/sys/class/hwmon"
#define PCI         "/sys/bus/pci/devices"
#define MSR         FILES_MSRS "#" FILES_MSR
#define NO_BOOT_ID  "00000000-0000-0000-0000-000000000000\n"

/* Keeps the first CPU of /proc/cpuinfo, which stands for all CPUs; it has no serial number. */
static char *keep_first_stanza(const char *text)
{
	const char *end = strstr(text, "\n\n");

	return strndup(text, end ? (size_t)(end - text) + 1 : strlen(text));
}

static char *hide_boot_id(const char *text)
{
	(void)text;
	return strdup(NO_BOOT_ID);
}

/* Removes the time at which the kernel was built, and who built it. */
static char *keep_kind_of_kernel(const char *text)
{
	static const char *const kinds[] = { "SMP", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_RT",
					     "PREEMPT_LAZY" };
	size_t length = strcspn(text, " \n");
	const char *word = text + length;

	for (bool is_known = true; *word == ' ' && is_known; word = text + length) {
		size_t word_length = strcspn(word + 1, " \n");

		is_known = false;
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			is_known |= strlen(kinds[i]) == word_length &&
				    strncmp(word + 1, kinds[i], word_length) == 0;
		length += is_known ? 1 + word_length : 0;
	}
	return text_format("%.*s\n", (int)length, text);
}

/* Keeps the numbers of the kernel's release, without the name that its builder added. */
static char *keep_numbers(const char *text)
{
	size_t length = strspn(text, "0123456789.");

	return text_format("%.*s\n", (int)length, text);
}

/* Only sensors of packages are read. Others can have the name of an interface, or a label that
 * somebody chose. */
static char *keep_coretemp(const char *text)
{
	return strdup(strcmp(text, "coretemp\n") == 0 ? text : "other\n");
}

static char *keep_package_label(const char *text)
{
	return strdup(strncmp(text, "Package id ", strlen("Package id ")) == 0 ? text : "other\n");
}

const struct record_path record_paths[] = {
	{ .path = "/proc/cpuinfo", .filter = keep_first_stanza },
	{ .path = "/proc/cmdline", .flags = PATH_IS_PRIVATE, .filter = boot_words_keep },
	{ .path = "/proc/uptime", .flags = PATH_VARIES },
	{ .path = "/proc/cgroups", .flags = PATH_VARIES },
	{ .path = KERNEL_RELEASE, .share_filter = keep_numbers },
	{ .path = "/proc/sys/kernel/random/boot_id", .filter = hide_boot_id },
	{ .path = "/proc/sys/kernel/version", .filter = keep_kind_of_kernel },
	{ .path = "/proc/sys/kernel/nmi_watchdog" },
	{ .path = "/proc/sys/kernel/perf_event_paranoid" },
	{ .path = "/proc/sys/kernel/split_lock_mitigate" },
	{ .path = "/proc/sys/kernel/timer_migration" },
	{ .path = "/proc/irq/default_smp_affinity" },
	{ .path = IRQS, .flags = PATH_IS_DIRECTORY | PATH_ONLY_LISTS | PATH_VARIES },
	{ .path = IRQS "/[0-9]*", .flags = PATH_IS_DIRECTORY | PATH_VARIES },
	{ .path = IRQS "/[0-9]*/effective_affinity_list", .flags = PATH_VARIES },
	{ .path = IRQS "/[0-9]*/smp_affinity_list", .flags = PATH_VARIES },
	{ .path = CLOCKSOURCE "/available_clocksource" },
	{ .path = CLOCKSOURCE "/current_clocksource" },
	{ .path = "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ .path = "/sys/kernel/realtime" },
	{ .path = FILES_CPUS "/present" },
	{ .path = FILES_CPUS "/possible" },
	{ .path = FILES_CPUS "/online" },
	{ .path = FILES_CPUS "/offline" },
	{ .path = FILES_CPUS "/isolated" },
	{ .path = FILES_CPUS "/nohz_full" },
	{ .path = FILES_CPUS "/smt/control" },
	{ .path = FILES_CPUS "/cpufreq", .flags = PATH_IS_DIRECTORY },
	{ .path = FILES_CPUS "/cpufreq/boost" },
	{ .path = FILES_CPUS "/intel_pstate/status" },
	{ .path = FILES_CPUS "/intel_pstate/no_turbo" },
	{ .path = FILES_CPUS "/intel_pstate/min_perf_pct" },
	{ .path = FILES_CPUS "/intel_pstate/max_perf_pct" },
	{ .path = FILES_CPUS "/intel_pstate/hwp_dynamic_boost" },
	{ .path = FILES_CPUS "/cpuidle/current_driver" },
	{ .path = FILES_CPUS "/cpuidle/current_governor" },
	{ .path = FILES_CPUS "/cpuidle/current_governor_ro" },
	{ .path = FILES_CPUS "/cpuidle/available_governors" },
	{ .path = FILES_CPUS "/cpuidle/intel_c1_demotion" },
	{ .path = FILES_CPUS "/umwait_control/enable_c02" },
	{ .path = FILES_CPUS "/umwait_control/max_time" },
	{ .path = UNCORE, PATH_IS_DIRECTORY },
	{ .path = UNCORE "/*/package_id" },
	{ .path = UNCORE "/*/domain_id" },
	{ .path = UNCORE "/*/fabric_cluster_id" },
	{ .path = UNCORE "/*/die_id" },
	{ .path = UNCORE "/*/agent_types" },
	{ .path = UNCORE "/*/instance_id" },
	{ .path = UNCORE "/*/min_freq_khz" },
	{ .path = UNCORE "/*/max_freq_khz" },
	{ .path = UNCORE "/*/initial_min_freq_khz" },
	{ .path = UNCORE "/*/initial_max_freq_khz" },
	{ .path = UNCORE "/*/current_freq_khz", .flags = PATH_VARIES },
	{ .path = UNCORE "/*/elc_low_threshold_percent" },
	{ .path = UNCORE "/*/elc_high_threshold_percent" },
	{ .path = UNCORE "/*/elc_high_threshold_enable" },
	{ .path = UNCORE "/*/elc_floor_freq_khz" },
	{ .path = CPU "/online" },
	{ .path = TOPOLOGY "/physical_package_id" },
	{ .path = TOPOLOGY "/die_id" },
	{ .path = TOPOLOGY "/core_id" },
	{ .path = TOPOLOGY "/package_cpus_list" },
	{ .path = TOPOLOGY "/die_cpus_list" },
	{ .path = TOPOLOGY "/core_cpus_list" },
	{ .path = TOPOLOGY "/thread_siblings_list" },
	{ .path = TOPOLOGY "/cluster_cpus_list" },
	{ .path = CPUFREQ "/affected_cpus" },
	{ .path = CPUFREQ "/related_cpus" },
	{ .path = CPUFREQ "/scaling_driver" },
	{ .path = CPUFREQ "/scaling_governor" },
	{ .path = CPUFREQ "/scaling_available_governors" },
	{ .path = CPUFREQ "/scaling_min_freq" },
	{ .path = CPUFREQ "/scaling_max_freq" },
	{ .path = CPUFREQ "/scaling_cur_freq", .flags = PATH_VARIES },
	{ .path = CPUFREQ "/cpuinfo_min_freq" },
	{ .path = CPUFREQ "/cpuinfo_max_freq" },
	{ .path = CPUFREQ "/base_frequency" },
	{ .path = CPUFREQ "/energy_performance_preference" },
	{ .path = CPUFREQ "/energy_performance_available_preferences" },
	{ .path = CPU "/acpi_cppc/highest_perf" },
	{ .path = CPU "/acpi_cppc/nominal_freq" },
	{ .path = CPU "/power/energy_perf_bias" },
	{ .path = CPU "/power/pm_qos_resume_latency_us" },
	{ .path = CPU "/thermal_throttle/core_throttle_count", .flags = PATH_VARIES },
	{ .path = CPU "/thermal_throttle/core_throttle_total_time_ms", .flags = PATH_VARIES },
	{ .path = CPU "/thermal_throttle/package_throttle_count", .flags = PATH_VARIES },
	{ .path = CPU "/thermal_throttle/package_throttle_total_time_ms", .flags = PATH_VARIES },
	{ .path = CPU "/cpuidle", .flags = PATH_IS_DIRECTORY },
	{ .path = IDLE_STATE "/name", .flags = PATH_OF_DRIVER },
	{ .path = IDLE_STATE "/desc", .flags = PATH_OF_DRIVER },
	{ .path = IDLE_STATE "/default_status", .flags = PATH_OF_DRIVER },
	{ .path = IDLE_STATE "/latency", .flags = PATH_OF_DRIVER },
	{ .path = IDLE_STATE "/residency", .flags = PATH_OF_DRIVER },
	{ .path = IDLE_STATE "/disable" },
	{ .path = IDLE_STATE "/usage", .flags = PATH_VARIES },
	{ .path = IDLE_STATE "/time", .flags = PATH_VARIES },
	{ .path = IDLE_STATE "/above", .flags = PATH_VARIES },
	{ .path = IDLE_STATE "/below", .flags = PATH_VARIES },
	{ .path = IDLE_STATE "/rejected", .flags = PATH_VARIES },
	{ .path = MSR "ce", .flags = PATH_OF_DEVICE },
	{ .path = MSR "1ad", .flags = PATH_OF_DEVICE },
	{ .path = MSR "1ae", .flags = PATH_OF_DEVICE },
	{ .path = MSR "606", .flags = PATH_OF_DEVICE },
	{ .path = MSR "614", .flags = PATH_OF_DEVICE },
	{ .path = MSR "620", .flags = PATH_OF_DEVICE },
	{ .path = MSR "771", .flags = PATH_OF_DEVICE },
	{ .path = POWERCAP, .flags = PATH_IS_DIRECTORY | PATH_ONLY_LISTS },
	{ .path = POWERCAP ZONE "name" },
	{ .path = POWERCAP ZONE "enabled" },
	{ .path = POWERCAP ZONE "energy_uj", .flags = PATH_VARIES },
	{ .path = POWERCAP ZONE "max_energy_range_uj" },
	{ .path = POWERCAP ZONE "constraint_0_name" },
	{ .path = POWERCAP ZONE "constraint_0_power_limit_uw" },
	{ .path = POWERCAP ZONE "constraint_0_time_window_us" },
	{ .path = POWERCAP ZONE "constraint_0_max_power_uw" },
	{ .path = POWERCAP ZONE "constraint_0_min_power_uw" },
	{ .path = POWERCAP ZONE "constraint_1_name" },
	{ .path = POWERCAP ZONE "constraint_1_power_limit_uw" },
	{ .path = POWERCAP ZONE "constraint_1_time_window_us" },
	{ .path = POWERCAP ZONE "constraint_1_max_power_uw" },
	{ .path = POWERCAP ZONE "constraint_1_min_power_uw" },
	{ .path = POWERCAP ZONE "constraint_2_name" },
	{ .path = POWERCAP ZONE "constraint_2_power_limit_uw" },
	{ .path = POWERCAP ZONE "constraint_2_time_window_us" },
	{ .path = POWERCAP ZONE "constraint_2_max_power_uw" },
	{ .path = POWERCAP ZONE "constraint_2_min_power_uw" },
	{ .path = HWMON, .flags = PATH_IS_DIRECTORY | PATH_ONLY_LISTS },
	{ .path = HWMON "/hwmon*/name", .filter = keep_coretemp },
	{ .path = HWMON "/hwmon*/temp1_label", .filter = keep_package_label },
	{ .path = HWMON "/hwmon*/temp1_input", .flags = PATH_VARIES },
	{ .path = "/sys/devices/cpu_core/cpus" },
	{ .path = "/sys/devices/cpu_atom/cpus" },
	{ .path = "/sys/devices/cpu_lowpower/cpus" },
	{ .path = NODES, PATH_IS_DIRECTORY | PATH_ONLY_LISTS },
	{ .path = NODES "/node*/cpulist" },
	{ .path = AUXILIARY, PATH_IS_DIRECTORY | PATH_ONLY_LISTS },
	{ .path = AUXILIARY "/intel_vsec.tpmi-sst.*/driver", .flags = PATH_IS_DIRECTORY },
	{ .path = AUXILIARY "/intel_vsec.tpmi-sst.*/../../local_cpulist" },
	{ .path = CGROUP, PATH_IS_DIRECTORY },
	{ .path = CGROUP "/[0-9]*-[0-9]*-[0-9]*", .flags = PATH_IS_DIRECTORY },
	{ .path = CGROUP "/cgroup.controllers" },
	{ .path = CGROUP "/cgroup.subtree_control" },
	{ .path = CGROUP "/cpuset.cpus.isolated" },
	{ .path = CGROUP "/*/cpuset.cpus" },
	{ .path = CGROUP "/*/cpuset.cpus.partition" },
	{ .path = PCI, PATH_IS_DIRECTORY | PATH_NEEDS_PCI },
	{ .path = PCI "/*/local_cpulist", .flags = PATH_NEEDS_PCI },
};

const size_t n_record_paths = ARRAY_SIZE(record_paths);

const struct record_path *record_find_path(const char *path)
{
	for (size_t i = 0; i < n_record_paths; i++) {
		if (fnmatch(record_paths[i].path, path, FNM_PATHNAME) == 0)
			return &record_paths[i];
	}
	return NULL;
}
