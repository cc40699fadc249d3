// SPDX-License-Identifier: GPL-2.0-only
/* Every item of the installed profiles on trees of files in which it is ok, in which it differs,
 * and in which it cannot be read; the last test checks that no item was forgotten. CPUs 2 and 3 of
 * the guide's machine are checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <limits.h>

#include "base/cleanup.h"
#include "profile/check.h"
#include "state_bench.h"
#include "temporary.h"

#define CPU      FILES_CPUS "/cpu#/"
#define UNCORE   FILES_CPUS "/intel_uncore_frequency/package_00_die_00/"
#define CLOCK    "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define PAGES    "/sys/kernel/mm/transparent_hugepage/enabled"
#define KERNEL   "/proc/sys/kernel/"
#define MOST     4
#define PROFILES 3

static const char *const profile_names[PROFILES] = { "realtime", "latency", "throughput" };

/* A file in place of the machine's; # stands for any number. */
struct file {
	const char *path;
	const char *text; /* NULL: reading and listing it ends in err */
	int err;
};

/* What Speed Select is set to. */
enum sst { SST_DEFAULT, SST_NONE, SST_CLOS_3, SST_CORE_POWER, SST_TURBO_FREQ, SST_OLD_DRIVER };

/* A tree, and what an item is in it: o (ok), d (differs) or u (unknown) in each of the three
 * profiles; - where it is not part of the profile. found is part of the text of its value or
 * reason. */
struct trial {
	const char *item;
	const char *verdicts;
	const char *found;
	struct file files[MOST];
	enum sst sst;
};

/* Of a machine that shows its processes. */
#define PROCESSES                            \
	{                                    \
		"/proc/1/comm", "systemd", 0 \
	}

/* A package with a long-term power limit in uW. */
#define PACKAGE_ZONE "/sys/class/powercap/intel-rapl:0"
#define ZONE(uw)                                                       \
	{ PACKAGE_ZONE "/name", "package-0", 0 },                      \
		{ PACKAGE_ZONE "/constraint_0_name", "long_term", 0 }, \
	{                                                              \
		PACKAGE_ZONE "/constraint_0_power_limit_uw", uw, 0     \
	}

static const struct trial trials[] = {
	{ "isolated", "o-d", "true", .files = { { FILES_CPUS "/isolated", "2-3", 0 } } },
	{ "isolated", "d-o", "false", .files = { { FILES_CPUS "/isolated", "7", 0 } } },
	{ "isolated", "d-d", "true", .files = { { FILES_CPUS "/isolated", "3", 0 } } },
	{ "isolated", "u-u", "denied", .files = { { FILES_CPUS "/isolated", NULL, -EACCES } } },

	{ "nohz-full", "o--", "1-3", .files = { { FILES_CPUS "/nohz_full", "1-3", 0 } } },
	{ "nohz-full", "d--", "", .files = { { FILES_CPUS "/nohz_full", "   (null)", 0 } } },
	{ "nohz-full", "d--", "2", .files = { { FILES_CPUS "/nohz_full", "2", 0 } } },
	{ "nohz-full", "u--", "not a list", .files = { { FILES_CPUS "/nohz_full", "2-x", 0 } } },
	{ "nohz-full", "u--", "exist", .files = { { FILES_CPUS "/nohz_full", NULL, -ENOENT } } },

	{ "rcu-nocbs", "o--", "true", .files = { { "/proc/cmdline", "ro rcu_nocbs=2-3", 0 } } },
	{ "rcu-nocbs", "o--", "true",
	  .files = { { "/proc/cmdline", "ro nohz-full=1-N quiet", 0 } } },
	{ "rcu-nocbs", "d--", "false", .files = { { "/proc/cmdline", "ro quiet", 0 } } },
	{ "rcu-nocbs", "d--", "false", .files = { { "/proc/cmdline", "ro -- rcu_nocbs=all", 0 } } },
	{ "rcu-nocbs", "u--", "Invalid", .files = { { "/proc/cmdline", "rcu_nocbs=2-", 0 } } },
	{ "rcu-nocbs", "u--", "denied", .files = { { "/proc/cmdline", NULL, -EACCES } } },

	{ "irq-default", "o--", "false",
	  .files = { { "/proc/irq/default_smp_affinity", "ffffff,fffffff3", 0 } } },
	{ "irq-default", "d--", "true", .files = { { "/proc/irq/default_smp_affinity", "4", 0 } } },
	{ "irq-default", "u--", "Invalid",
	  .files = { { "/proc/irq/default_smp_affinity", "g", 0 } } },
	{ "irq-default", "u--", "denied",
	  .files = { { "/proc/irq/default_smp_affinity", NULL, -EACCES } } },

	{ "irqs", "oo-", "0", .files = { { "/proc/irq/#/effective_affinity_list", "0", 0 } } },
	{ "irqs", "dd-", "1 (26 nvme0q3)", .files = { { 0 } } },
	{ "irqs", "dd-", "8 (24 nvme0q1, 25 nvme0q2, 26 nvme0q3, ...)",
	  .files = { { "/proc/irq/#/effective_affinity_list", NULL, -ENOENT },
		     { "/proc/irq/#/smp_affinity_list", "2-3", 0 } } },
	/* without a handler they never happen */
	{ "irqs", "oo-", "0", .files = { { "/proc/irq/#", NULL, -ENOENT } } },
	{ "irqs", "uu-", "denied", .files = { { "/proc/irq", NULL, -EACCES } } },
	{ "irqs", "uu-", "denied",
	  .files = { { "/proc/irq/#/effective_affinity_list", NULL, -EACCES } } },

	{ "sibling-works", "oo-", "false",
	  .files = { { CPU "topology/thread_siblings_list", "2-3", 0 } } },
	{ "sibling-works", "oo-", "false", .files = { { FILES_CPUS "/isolated", "30-31", 0 } } },
	{ "sibling-works", "dd-", "true", .files = { { 0 } } },
	{ "sibling-works", "uu-", "denied",
	  .files = { { CPU "topology/thread_siblings_list", NULL, -EACCES } } },

	{ "sibling-works", "uu-", "denied",
	  .files = { { FILES_CPUS "/isolated", NULL, -EACCES } } },

	{ "governor", "oo-", "performance",
	  .files = { { CPU "cpufreq/scaling_governor", "performance", 0 } } },
	{ "governor", "dd-", "powersave", .files = { { 0 } } },
	{ "governor", "uu-", "denied",
	  .files = { { CPU "cpufreq/scaling_governor", NULL, -EACCES } } },

	{ "frequency-locked", "o--", "true (2600 MHz)",
	  .files = { { CPU "cpufreq/scaling_min_freq", "2600000", 0 },
		     { CPU "cpufreq/scaling_max_freq", "2600000", 0 } } },
	{ "frequency-locked", "d--", "false (800 to 3200 MHz)", .files = { { 0 } } },
	{ "frequency-locked", "u--", "denied",
	  .files = { { CPU "cpufreq/scaling_min_freq", NULL, -EACCES } } },
	{ "frequency-locked", "u--", "denied",
	  .files = { { CPU "cpufreq/scaling_max_freq", NULL, -EACCES } } },

	{ "turbo-used", "o--", "false",
	  .files = { { CPU "cpufreq/scaling_max_freq", "2600000", 0 } } },
	{ "turbo-used", "o--", "false",
	  .files = { { FILES_CPUS "/intel_pstate/no_turbo", "1", 0 } } },
	{ "turbo-used", "d--", "true (up to 3200 MHz, base 2600 MHz)", .files = { { 0 } } },
	{ "turbo-used", "u--", "exist",
	  .files = { { CPU "cpufreq/base_frequency", NULL, -ENOENT } } },
	{ "turbo-used", "u--", "denied",
	  .files = { { FILES_CPUS "/intel_pstate/no_turbo", NULL, -EACCES } } },

	{ "epp", "ooo", "performance",
	  .files = { { CPU "cpufreq/energy_performance_preference", "performance", 0 } } },
	{ "epp", "doo", "128",
	  .files = { { CPU "cpufreq/energy_performance_preference", "128", 0 } } },
	{ "epp", "ddd", "power",
	  .files = { { CPU "cpufreq/energy_performance_preference", "power", 0 } } },
	{ "epp", "uuu", "exist",
	  .files = { { CPU "cpufreq/energy_performance_preference", NULL, -ENOENT } } },

	{ "idle-states", "oo-", "1 (C1)",
	  .files = { { CPU "cpuidle/state2/disable", "1", 0 },
		     { CPU "cpuidle/state3/disable", "1", 0 } } },
	{ "idle-states", "do-", "4 (C1E)", .files = { { CPU "cpuidle/state3/disable", "1", 0 } } },
	{ "idle-states", "do-", "4 (C1E, by a latency limit)",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "10", 0 } } },
	{ "idle-states", "oo-", "0 (POLL, by a latency limit)",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "n/a", 0 } } },
	{ "idle-states", "dd-", "170 (C6)", .files = { { 0 } } },
	{ "idle-states", "oo-", "0 (idle=poll)",
	  .files = { { CPU "cpuidle/state#/name", NULL, -ENOENT },
		     { "/proc/cmdline", "idle=poll", 0 } } },
	{ "idle-states", "uu-", "no idle states",
	  .files = { { CPU "cpuidle/state#/name", NULL, -ENOENT } } },
	{ "idle-states", "uu-", "denied",
	  .files = { { CPU "cpuidle/state1/disable", NULL, -EACCES } } },

	{ "deep-idle", "--o", "false (C6)", .files = { { 0 } } },
	{ "deep-idle", "--d", "true (not C6)",
	  .files = { { CPU "cpuidle/state3/disable", "1", 0 } } },
	{ "deep-idle", "--o", "false (C6)", .files = { { CPU "cpuidle/state2/disable", "1", 0 } } },
	{ "deep-idle", "--d", "true (not C6)",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "10", 0 } } },
	{ "deep-idle", "--d", "true (idle=poll)",
	  .files = { { CPU "cpuidle/state#/name", NULL, -ENOENT },
		     { "/proc/cmdline", "idle=poll", 0 } } },
	{ "deep-idle", "--u", "no idle states",
	  .files = { { CPU "cpuidle/state#/name", NULL, -ENOENT } } },

	{ "latency-limit", "ood", "2",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "2", 0 } } },
	{ "latency-limit", "ood", "0",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "n/a", 0 } } },
	{ "latency-limit", "ddo", "none",
	  .files = { { CPU "power/pm_qos_resume_latency_us", "0", 0 } } },
	{ "latency-limit", "uuu", "exist",
	  .files = { { CPU "power/pm_qos_resume_latency_us", NULL, -ENOENT } } },

	{ "c1-demotion", "od-", "false",
	  .files = { { FILES_CPUS "/cpuidle/intel_c1_demotion", "0", 0 } } },
	{ "c1-demotion", "do-", "true",
	  .files = { { FILES_CPUS "/cpuidle/intel_c1_demotion", "1", 0 } } },
	{ "c1-demotion", "uu-", "exist", .files = { { 0 } } },

	{ "uncore-locked", "oo-", "true", .files = { { UNCORE "min_freq_khz", "2400000", 0 } } },
	{ "uncore-locked", "dd-", "false (800 to 2400 MHz)", .files = { { 0 } } },
	{ "uncore-locked", "uu-", "denied", .files = { { UNCORE "min_freq_khz", NULL, -EACCES } } },
	{ "uncore-locked", "uu-", "exist",
	  .files = { { FILES_CPUS "/intel_uncore_frequency", NULL, -ENOENT } } },

	/* the TDP of level 0 is 205 W */
	{ "power-limit", "--o", "false (205 W, TDP 205 W)", .files = { ZONE("205000000") } },
	{ "power-limit", "--d", "true (204.875 W, TDP 205 W)", .files = { ZONE("204875000") } },
	{ "power-limit", "--u", "no power limits", .files = { { 0 } } },
	{ "power-limit", "--u", "denied", .files = { { "/sys/class/powercap", NULL, -EACCES } } },
	{ "power-limit", "--u", "TDP of the level is unknown", .files = { ZONE("205000000") },
	  .sst = SST_NONE },

	{ "core-power", "oo-", "true", .files = { { 0 } }, .sst = SST_CORE_POWER },
	{ "core-power", "dd-", "false", .files = { { 0 } } },
	{ "core-power", "uu-", "no driver", .files = { { 0 } }, .sst = SST_NONE },

	{ "clos", "oo-", "0", .files = { { 0 } } },
	{ "clos", "dd-", "3", .files = { { 0 } }, .sst = SST_CLOS_3 },
	{ "clos", "uu-", "no driver", .files = { { 0 } }, .sst = SST_NONE },

	{ "turbo-freq", "odo", "false", .files = { { 0 } } },
	{ "turbo-freq", "dod", "true", .files = { { 0 } }, .sst = SST_TURBO_FREQ },
	{ "turbo-freq", "uuu", "no driver", .files = { { 0 } }, .sst = SST_NONE },

	{ "clocksource", "ooo", "tsc", .files = { { CLOCK, "tsc", 0 } } },
	{ "clocksource", "ddd", "hpet", .files = { { CLOCK, "hpet", 0 } } },
	{ "clocksource", "uuu", "exist", .files = { { CLOCK, NULL, -ENOENT } } },

	{ "nmi-watchdog", "oo-", "0", .files = { { KERNEL "nmi_watchdog", "0", 0 } } },
	{ "nmi-watchdog", "dd-", "1", .files = { { KERNEL "nmi_watchdog", "1", 0 } } },
	{ "nmi-watchdog", "uu-", "exist", .files = { { KERNEL "nmi_watchdog", NULL, -ENOENT } } },

	{ "timer-migration", "o--", "0", .files = { { KERNEL "timer_migration", "0", 0 } } },
	{ "timer-migration", "d--", "1", .files = { { KERNEL "timer_migration", "1", 0 } } },
	{ "timer-migration", "u--", "denied",
	  .files = { { KERNEL "timer_migration", NULL, -EACCES } } },

	{ "preempt-rt", "o--", "true",
	  .files = { { KERNEL "version", "#1 SMP PREEMPT_RT Debian", 0 } } },
	{ "preempt-rt", "o--", "true", .files = { { "/sys/kernel/realtime", "1", 0 } } },
	{ "preempt-rt", "d--", "false",
	  .files = { { KERNEL "version", "#1 SMP PREEMPT_DYNAMIC", 0 } } },
	{ "preempt-rt", "u--", "exist", .files = { { KERNEL "version", NULL, -ENOENT } } },

	{ "split-lock", "o--", "mitigate", .files = { { KERNEL "split_lock_mitigate", "1", 0 } } },
	{ "split-lock", "o--", "fatal",
	  .files = { { "/proc/cmdline", "split_lock_detect=fatal", 0 } } },
	{ "split-lock", "o--", "ratelimit",
	  .files = { { "/proc/cmdline", "split_lock_detect=ratelimit:9", 0 } } },
	{ "split-lock", "d--", "off",
	  .files = { { "/proc/cmdline", "split_lock_detect=off", 0 } } },
	{ "split-lock", "d--", "warn", .files = { { KERNEL "split_lock_mitigate", "0", 0 } } },
	{ "split-lock", "u--", "exist",
	  .files = { { KERNEL "split_lock_mitigate", NULL, -ENOENT } } },
	{ "split-lock", "u--", "denied", .files = { { "/proc/cmdline", NULL, -EACCES } } },

	{ "huge-pages", "ooo", "madvise", .files = { { PAGES, "always [madvise] never", 0 } } },
	{ "huge-pages", "ddo", "always", .files = { { PAGES, "[always] madvise never", 0 } } },
	{ "huge-pages", "ood", "never", .files = { { PAGES, "always madvise [never]", 0 } } },
	{ "huge-pages", "uuu", "exist", .files = { { PAGES, NULL, -ENOENT } } },
	{ "huge-pages", "uuu", "Invalid", .files = { { PAGES, "always", 0 } } },

	{ "tuned", "oo-", "false", .files = { PROCESSES } },
	{ "tuned", "dd-", "true", .files = { PROCESSES, { "/proc/77/comm", "tuned", 0 } } },
	{ "tuned", "uu-", "shows no processes", .files = { { 0 } } },
	{ "tuned", "uu-", "other users", .files = { { "/proc/77/comm", "bash", 0 } } },
	{ "tuned", "uu-", "other users",
	  .files = { { "/proc/1/comm", NULL, -EACCES }, { "/proc/77/comm", "bash", 0 } } },
	{ "tuned", "uu-", "denied", .files = { { "/proc", NULL, -EACCES } } },
	{ "power-profiles-daemon", "oo-", "false", .files = { PROCESSES } },
	{ "power-profiles-daemon", "dd-", "true",
	  .files = { PROCESSES, { "/proc/77/comm", "power-profiles-", 0 } } },
	{ "power-profiles-daemon", "uu-", "shows no processes", .files = { { 0 } } },
	{ "thermald", "oo-", "false", .files = { PROCESSES } },
	{ "thermald", "dd-", "true", .files = { PROCESSES, { "/proc/77/comm", "thermald", 0 } } },
	{ "thermald", "uu-", "shows no processes", .files = { { 0 } } },
	{ "irqbalance", "o--", "false", .files = { PROCESSES } },
	{ "irqbalance", "d--", "true",
	  .files = { PROCESSES, { "/proc/77/comm", "irqbalance", 0 } } },
	{ "irqbalance", "u--", "shows no processes", .files = { { 0 } } },

	{ "throttled", "ooo", "0", .files = { { 0 } } },
	{ "throttled", "ddd", "5 (core 2, package 3)",
	  .files = { { CPU "thermal_throttle/core_throttle_count", "2", 0 },
		     { CPU "thermal_throttle/package_throttle_count", "3", 0 } } },
	{ "throttled", "uuu", "exist",
	  .files = { { CPU "thermal_throttle/package_throttle_count", NULL, -ENOENT } } },

	{ "kernel", "ooo", "6.12.0", .files = { { KERNEL "osrelease", "6.12.0", 0 } } },
	{ "kernel", "ddd", "5.15.0-91", .files = { { KERNEL "osrelease", "5.15.0-91", 0 } } },
	{ "kernel", "uuu", "denied", .files = { { KERNEL "osrelease", NULL, -EACCES } } },

	{ "sst-driver", "ooo", "1 (API version 1)", .files = { { 0 } } },
	{ "sst-driver", "ddd", "0", .files = { { 0 } }, .sst = SST_OLD_DRIVER },
	{ "sst-driver", "uuu", "no driver", .files = { { 0 } }, .sst = SST_NONE },

	{ "frequency-driver", "ooo", "intel_pstate", .files = { { 0 } } },
	{ "frequency-driver", "ddd", "acpi-cpufreq",
	  .files = { { CPU "cpufreq/scaling_driver", "acpi-cpufreq", 0 } } },
	{ "frequency-driver", "uuu", "exist",
	  .files = { { CPU "cpufreq/scaling_driver", NULL, -ENOENT } } },

	{ "turbo", "-oo", "true", .files = { { FILES_CPUS "/intel_pstate/no_turbo", "0", 0 } } },
	{ "turbo", "-dd", "false", .files = { { FILES_CPUS "/intel_pstate/no_turbo", "1", 0 } } },
	{ "turbo", "-uu", "denied",
	  .files = { { FILES_CPUS "/intel_pstate/no_turbo", NULL, -EACCES } } },

	{ "limit-percent", "--o", "100",
	  .files = { { FILES_CPUS "/intel_pstate/max_perf_pct", "100", 0 } } },
	{ "limit-percent", "--d", "80",
	  .files = { { FILES_CPUS "/intel_pstate/max_perf_pct", "80", 0 } } },
	{ "limit-percent", "--u", "exist",
	  .files = { { FILES_CPUS "/intel_pstate/max_perf_pct", NULL, -ENOENT } } },
};

/* A machine, with the files of a trial in front of its own. */
struct tree {
	struct files files;
	struct files *inner;
	const struct file *list;
};

static bool is_path(const char *pattern, const char *path)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#' && *path++ != *pattern)
			return false;
		for (; *pattern == '#' && isdigit((unsigned char)*path); path++)
			;
	}
	return *path == '\0';
}

static const struct file *find_file(const struct tree *tree, const char *path)
{
	for (size_t i = 0; i < MOST; i++) {
		if (tree->list[i].path && is_path(tree->list[i].path, path))
			return &tree->list[i];
	}
	return NULL;
}

static int read_file(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct tree *tree = (struct tree *)files;
	const struct file *file = find_file(tree, path);

	if (!file)
		return tree->inner->ops->read(tree->inner, path, limit, ret_text, ret_length);
	if (!file->text)
		return file->err;
	*ret_text = strdup(file->text);
	*ret_length = strlen(file->text);
	return 0;
}

static int write_file(struct files *files, const char *path, const char *text)
{
	return files_write(((struct tree *)files)->inner, path, text);
}

static bool has_name(char **names, const char *name)
{
	for (; *names; names++) {
		if (strcmp(*names, name) == 0)
			return true;
	}
	return false;
}

/* A directory has what the trial has in it, too. */
static int list_directory(struct files *files, const char *path, char ***ret_names)
{
	struct tree *tree = (struct tree *)files;
	const struct file *file = find_file(tree, path);
	size_t length = strlen(path), count = 0;
	int err = file ? file->err : files_list(tree->inner, path, ret_names);

	if (file && err)
		return err;
	if (err)
		*ret_names = calloc(1, sizeof(**ret_names));
	while ((*ret_names)[count])
		count++;
	*ret_names = realloc(*ret_names, (count + MOST + 1) * sizeof(**ret_names));
	for (size_t i = 0; i < MOST; i++) {
		const char *added = tree->list[i].path;
		_cleanup_free_ char *name = NULL;

		if (!added || strchr(added, '#') || strncmp(added, path, length) != 0 ||
		    added[length] != '/')
			continue;
		name = strndup(added + length + 1, strcspn(added + length + 1, "/"));
		if (has_name(*ret_names, name))
			continue;
		(*ret_names)[count++] = steal(name);
		(*ret_names)[count] = NULL;
	}
	if (!err || count)
		return 0;
	files_free_names(ret_names);
	return err;
}

static int change_directory(struct files *files, const char *path, bool makes)
{
	return files_change_directory(((struct tree *)files)->inner, path, makes);
}

static const struct files_ops tree_ops = { read_file,        write_file, list_directory,
					   change_directory, NULL,       NULL };

static void set_sst(struct state_bench *bench, enum sst sst)
{
	const struct power_domain *domain = &bench->platform->domains.domains[0];
	const struct setting_request requests[] = {
		{ .setting = SETTING_CORE_POWER, .domain = domain, .value.core_power.on = true },
		{ .setting = SETTING_TURBO_FREQ, .domain = domain, .value.on = true },
	};
	const struct setting_request assoc = {
		.setting = SETTING_ASSOC, .domain = domain, .cpu = 3, .value.number = 3
	};

	if (sst == SST_CORE_POWER)
		state_bench_set(bench, requests, 1);
	else if (sst == SST_TURBO_FREQ)
		state_bench_set(bench, requests, 2);
	else if (sst == SST_CLOS_3)
		state_bench_set(bench, &assoc, 1);
	else if (sst == SST_OLD_DRIVER)
		bench->platform->info.driver_version = 0;
}

static void read_profile(const char *name, struct profile *profile)
{
	const char *const directories[] = { getenv("PROFILE_FILES"), NULL };
	_cleanup_free_ char *problem = NULL;

	if (profile_read(name, directories, profile, &problem))
		fail_msg("%s", problem);
}

static const struct item_result *find_result(const struct profile_check *profile_check,
					     const char *item)
{
	for (size_t i = 0; i < profile_check->count; i++) {
		if (strcmp(profile_check->results[i].item->name, item) == 0)
			return &profile_check->results[i];
	}
	return NULL;
}

/* The value and the reason of a finding, in one text. */
static char *format_finding(const struct finding *finding)
{
	_cleanup_free_ char *value = state_value_format(&finding->reading.value);
	char *text;

	assert_true(asprintf(&text, "%s (%s) %s", value, finding->reading.detail ?: "",
			     finding->reading.reason ?: "") > 0);
	return text;
}

static void assert_found(const struct trial *trial, const char *name,
			 const struct item_result *result)
{
	_cleanup_free_ char *all = strdup("");

	for (size_t i = 0; i < result->n_findings; i++) {
		_cleanup_free_ char *before = all, *text = format_finding(&result->findings[i]);

		all = NULL;
		assert_true(asprintf(&all, "%s%s\n", before, text) > 0);
	}
	if (!strstr(all, trial->found))
		fail_msg("%s of %s: \"%s\" is not in \"%s\"", trial->item, name, trial->found, all);
}

typedef void check_function(const struct trial *trial, const char *name,
			    const struct profile_check *profile_check);

/* Checks the trial's tree on a machine by one profile, with the CPUs of the list. */
static void check_on(struct state_bench *bench, const struct trial *trial, const char *name,
		     const char *list, check_function *check)
{
	_cleanup_profile_ struct profile profile = { 0 };
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, isolated = { 0 };
	_cleanup_free_ char *problem = NULL;
	struct files *inner = bench->host->files;
	struct tree tree = { { &tree_ops }, inner, trial->files };
	struct state_machine state;
	struct profile_check profile_check;

	read_profile(name, &profile);
	assert_int_equal(cpulist_parse(list, &cpus), 0);
	state_machine_done(&bench->state); /* one at a time has the answers of the driver */
	bench->host->files = &tree.files;
	assert_int_equal(state_machine_init(&state, bench->machine,
					    trial->sst == SST_NONE ? NULL : bench->platform, true),
			 0);
	assert_int_equal(inspection_find_isolated(bench->machine, &isolated, &problem), 0);
	struct inspection inspection = {
		.state = &state,
		.cpus = &cpus,
		.isolated = &isolated,
		.isolated_problem = problem,
		.lacks_platform = trial->sst == SST_NONE ? "no driver" : NULL,
	};

	assert_int_equal(profile_check_make(&profile, &inspection, "no CPUs", &profile_check), 0);
	check(trial, name, &profile_check);
	profile_check_done(&profile_check);
	inspection_done(&inspection);
	state_machine_done(&state);
	bench->host->files = inner;
}

/* The same on a machine of the trial's own. */
static void check_on_new(const struct trial *trial, const char *name, const char *list,
			 check_function *check)
{
	struct state_bench bench;

	state_bench_open(&bench, "guide", NULL);
	set_sst(&bench, trial->sst);
	check_on(&bench, trial, name, list, check);
	state_bench_close(&bench);
}

static char letter_of(enum verdict verdict)
{
	return verdict == VERDICT_OK ? 'o' : verdict == VERDICT_DIFFERS ? 'd' : 'u';
}

static void check_trial(const struct trial *trial, const char *name,
			const struct profile_check *profile_check)
{
	const struct item_result *result = find_result(profile_check, trial->item);
	char expected = '-';

	for (size_t i = 0; i < PROFILES; i++) {
		if (strcmp(profile_names[i], name) == 0)
			expected = trial->verdicts[i];
	}
	if (!result)
		fail_msg("%s has no item %s", name, trial->item);
	assert_found(trial, name, result);
	if (letter_of(result->verdict) != expected)
		fail_msg("%s of %s (%s): %c, not %c", trial->item, name, trial->found,
			 letter_of(result->verdict), expected);
}

static void every_item_in_its_trees(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(trials); i++) {
		for (size_t j = 0; j < PROFILES; j++) {
			if (trials[i].verdicts[j] == '-')
				continue;
			if (trials[i].sst > SST_NONE)
				check_on_new(&trials[i], profile_names[j], "2-3", check_trial);
			else
				check_on(&bench, &trials[i], profile_names[j], "2-3", check_trial);
		}
	}
	state_bench_close(&bench);
}

static void every_item_has_three_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < PROFILES; i++) {
		_cleanup_profile_ struct profile profile = { 0 };

		read_profile(profile_names[i], &profile);
		for (size_t j = 0; j < profile.n_items; j++) {
			char seen[UCHAR_MAX + 1] = { 0 };

			for (size_t k = 0; k < ARRAY_SIZE(trials); k++) {
				if (strcmp(trials[k].item, profile.items[j].name) == 0)
					seen[(unsigned char)trials[k].verdicts[i]] = 1;
			}
			if (!seen['o'] || !seen['d'] || !seen['u'])
				fail_msg("%s of %s has no tree in which it is %s",
					 profile.items[j].name, profile_names[i],
					 !seen['o']   ? "ok"
					 : !seen['d'] ? "different"
						      : "unreadable");
		}
	}
}

/* CPUs with the same value share a finding; what differs names its CPUs. */
static void check_groups(const struct trial *trial, const char *name,
			 const struct profile_check *profile_check)
{
	const struct item_result *result = find_result(profile_check, trial->item);
	_cleanup_free_ char *wrong = cpuset_format_ranges(&result->wrong);
	_cleanup_free_ char *first = cpuset_format_ranges(&result->findings[0].cpus);

	(void)name;
	assert_int_equal(result->n_findings, 2);
	assert_string_equal(first, "1,4");
	assert_string_equal(wrong, "2");
}

static void groups_of_cpus(void **state)
{
	static const struct trial trial = { "isolated", "d--", "",
					    .files = { { FILES_CPUS "/isolated", "1,4", 0 } } };

	(void)state;
	check_on_new(&trial, "realtime", "1-2,4", check_groups);
}

/* The reasons of CPUs differ in numbers alone. */
static void check_reasons(const struct trial *trial, const char *name,
			  const struct profile_check *profile_check)
{
	const struct item_result *result = find_result(profile_check, trial->item);

	(void)name;
	assert_int_equal(result->n_findings, 1);
	assert_int_equal(cpuset_count(&result->findings[0].cpus), 20);
}

static void reasons_of_cpus(void **state)
{
	static const struct trial trial = { "throttled", "u--", "",
					    .files = { { CPU "thermal_throttle/core_throttle_count",
							 NULL, -EACCES } } };

	(void)state;
	check_on_new(&trial, "realtime", "0-19", check_reasons);
}

static void check_no_cpus(const struct trial *trial, const char *name,
			  const struct profile_check *profile_check)
{
	const struct item_result *governor = find_result(profile_check, "governor");
	const struct item_result *clock = find_result(profile_check, "clocksource");

	(void)trial;
	(void)name;
	assert_int_equal(governor->verdict, VERDICT_UNKNOWN);
	assert_string_equal(governor->findings[0].reading.reason, "no CPUs");
	assert_int_equal(clock->verdict, VERDICT_OK);
}

static void no_cpus(void **state)
{
	static const struct trial trial = { 0 };

	(void)state;
	check_on_new(&trial, "realtime", "", check_no_cpus);
}

/* Frequencies are compared in kHz, versions by their parts, words are no numbers. */
static const char own_profile[] =
	"{\"format\": \"intel-speed-select-profile\", \"version\": 1, \"description\": \"d\", "
	"\"items\": ["
#define OWN(name, read, expect)                                                                 \
	"{\"name\": \"" name "\", \"read\": {" read "}, \"expect\": {" expect "}, \"effect\": " \
	"\"e\", \"remedy\": {\"other\": \"r\"}}"
	OWN("above", "\"setting\": \"cpufreq.max-mhz\"", "\"at-most\": 2400") "," OWN("below", "\"setting\": \"cpufreq.min-mhz\"", "\"at-least\": 2400") "," OWN(
		"equal", "\"setting\": \"cpufreq.max-mhz\"",
		"\"is\": 2400") "," OWN("limit", "\"setting\": \"cpufreq.max-mhz\"",
					"\"at-most\": 2401") "," OWN("newer",
								     "\"file\": \"/proc/sys/kernel/osrelease\"",
								     "\"at-least\": \"6.9\"") "," OWN("older",
												      "\"file\": \"/proc/sys/kernel/osrelease\"",
												      "\"at-most\": \"6.9\"") "," OWN("word",
																      "\"file\": \"/proc/sys/kernel/version\"",
																      "\"at-least\": 0") "," OWN("none",
																				 "\"setting\": \"cpuidle.qos-latency-us\"",
																				 "\"at-least\": 0") "," OWN("hex",
																							    "\"file\": \"/proc/sys/kernel/nmi_watchdog\"",
																							    "\"any-of\": [1, 16]") "]}";

static void check_numbers(const struct trial *trial, const char *name,
			  const struct profile_check *profile_check)
{
	static const char expected[] = "dddoodddo";

	(void)trial;
	(void)name;
	assert_int_equal(profile_check->count, strlen(expected));
	for (size_t i = 0; i < profile_check->count; i++) {
		if (letter_of(profile_check->results[i].verdict) != expected[i])
			fail_msg("%s: %c", profile_check->results[i].item->name,
				 letter_of(profile_check->results[i].verdict));
	}
}

static void numbers(void **state)
{
	static const struct trial trial = {
		.files = { { CPU "cpufreq/scaling_max_freq", "2400500", 0 },
			   { CPU "cpufreq/scaling_min_freq", "2399500", 0 },
			   { KERNEL "osrelease", "6.12.0-rt", 0 },
			   { KERNEL "nmi_watchdog", "0x10", 0 } },
	};
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "p.json");

	(void)state;
	temporary_write(path, own_profile, 0644);
	check_on_new(&trial, path, "2-3", check_numbers);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_in_its_trees),
		cmocka_unit_test(every_item_has_three_trees),
		cmocka_unit_test(groups_of_cpus),
		cmocka_unit_test(reasons_of_cpus),
		cmocka_unit_test(no_cpus),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
