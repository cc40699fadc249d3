// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of cpuN/cpufreq, all in kHz (hardware.md, section 7; sysfs.md, "cpufreq policy"). A
 * file that a kernel or a driver does not have is no failure; that a policy is there at all is told
 * by its limits.
 */
#include "machine/cpufreq.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define CPU_ROOT      "/sys/devices/system/cpu"
#define KHZ_PER_RATIO 100000
#define KHZ_PER_MHZ   1000

enum { PATH_SIZE = 112 };

int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio)
{
	char path[PATH_SIZE];
	uint64_t khz;
	int err;

	snprintf(path, sizeof(path), CPU_ROOT "/cpu%u/cpufreq/base_frequency", cpu);
	err = files_read_number(files, path, &khz);
	if (!err)
		*ret_ratio = (uint32_t)(khz / KHZ_PER_RATIO);
	return err;
}

/* Is it that the kernel has no such file, or does not tell what is in it? */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENXIO || err == -ENODEV || err == -EOPNOTSUPP ||
	       err == -EACCES || err == -EIO || err == -EAGAIN;
}

/* Reads a text that may be missing, into *text which is NULL. */
static int read_text(struct files *files, const char *path, char **text)
{
	int err = files_read_line(files, path, text);

	return is_absent(err) ? 0 : err;
}

/* Reads a number of units that may be missing, into *khz which is 0. */
static int read_khz(struct files *files, const char *path, uint32_t unit_khz, uint32_t *khz)
{
	uint64_t value;
	int err = files_read_number(files, path, &value);

	if (err)
		return is_absent(err) ? 0 : err;
	if (value > UINT32_MAX / unit_khz)
		return -EINVAL;
	*khz = (uint32_t)value * unit_khz;
	return 0;
}

/* One file of a policy, below cpuN, and the member that it fills. */
struct text_file {
	const char *name;
	char **text;
};

struct khz_file {
	const char *name;
	uint32_t *khz;
	uint32_t unit_khz;
};

static int read_texts(struct files *files, uint32_t cpu, struct cpufreq_policy *policy)
{
	const struct text_file texts[] = {
		{ "cpufreq/scaling_driver", &policy->driver },
		{ "cpufreq/scaling_governor", &policy->governor },
		{ "cpufreq/scaling_available_governors", &policy->governors },
		{ "cpufreq/energy_performance_preference", &policy->epp },
		{ "cpufreq/energy_performance_available_preferences", &policy->epps },
		{ "power/energy_perf_bias", &policy->epb },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts) && !err; i++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), CPU_ROOT "/cpu%u/%s", cpu, texts[i].name);
		err = read_text(files, path, texts[i].text);
	}
	return err;
}

static int read_frequencies(struct files *files, uint32_t cpu, struct cpufreq_policy *policy)
{
	const struct khz_file frequencies[] = {
		{ "cpufreq/scaling_min_freq", &policy->min_khz, 1 },
		{ "cpufreq/scaling_max_freq", &policy->max_khz, 1 },
		{ "cpufreq/cpuinfo_min_freq", &policy->lowest_khz, 1 },
		{ "cpufreq/cpuinfo_max_freq", &policy->highest_khz, 1 },
		{ "cpufreq/scaling_cur_freq", &policy->current_khz, 1 },
		{ "cpufreq/base_frequency", &policy->base_khz, 1 },
		{ "acpi_cppc/nominal_freq", &policy->base_khz, KHZ_PER_MHZ },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(frequencies) && !err; i++) {
		const struct khz_file *file = &frequencies[i];
		char path[PATH_SIZE];

		if (*file->khz)
			continue;
		snprintf(path, sizeof(path), CPU_ROOT "/cpu%u/%s", cpu, file->name);
		err = read_khz(files, path, file->unit_khz, file->khz);
	}
	return err;
}

/* Is it the number of that CPU, and nothing else? A set for each of many CPUs takes much memory. */
static bool is_alone(const char *text, uint32_t cpu)
{
	uint64_t number;

	return !number_parse(text, 0, UINT32_MAX, &number) && number == cpu;
}

/* The kernel writes these CPUs with blanks between; a list has commas. */
static int read_cpus(struct files *files, uint32_t cpu, struct cpuset *cpus)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_SIZE], *rest, *word;
	int err;

	snprintf(path, sizeof(path), CPU_ROOT "/cpu%u/cpufreq/related_cpus", cpu);
	err = read_text(files, path, &text);
	if (err || !text || is_alone(text, cpu))
		return err;
	for (word = strtok_r(text, " \n", &rest); word && !err; word = strtok_r(NULL, " \n", &rest))
		err = cpuset_add(cpus, (uint32_t)strtoul(word, NULL, 10));
	return err == -ERANGE ? -EINVAL : err;
}

int cpufreq_read_policy(struct files *files, uint32_t cpu, struct cpufreq_policy *ret_policy)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = read_texts(files, cpu, &policy);

	err = err ?: read_frequencies(files, cpu, &policy);
	err = err ?: read_cpus(files, cpu, &policy.cpus);
	if (!err && !policy.min_khz && !policy.max_khz)
		err = -ENOENT;
	if (err)
		return err;
	*ret_policy = policy;
	policy = (struct cpufreq_policy){ 0 };
	return 0;
}

void cpufreq_policy_done(struct cpufreq_policy *policy)
{
	free(policy->driver);
	free(policy->governor);
	free(policy->governors);
	free(policy->epp);
	free(policy->epps);
	free(policy->epb);
	cpuset_done(&policy->cpus);
	*policy = (struct cpufreq_policy){ 0 };
}

static bool text_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

bool cpufreq_policy_equal(const struct cpufreq_policy *left, const struct cpufreq_policy *right)
{
	return left->min_khz == right->min_khz && left->max_khz == right->max_khz &&
	       left->lowest_khz == right->lowest_khz && left->highest_khz == right->highest_khz &&
	       left->base_khz == right->base_khz && text_equal(left->driver, right->driver) &&
	       text_equal(left->governor, right->governor) && text_equal(left->epp, right->epp) &&
	       text_equal(left->epb, right->epb) && text_equal(left->governors, right->governors) &&
	       text_equal(left->epps, right->epps);
}

int cpufreq_read_machine(struct files *files, struct cpufreq_machine *ret_machine)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	const struct text_file texts[] = {
		{ CPU_ROOT "/intel_pstate/status", &machine.status },
		{ CPU_ROOT "/intel_pstate/no_turbo", &machine.no_turbo },
		{ CPU_ROOT "/intel_pstate/min_perf_pct", &machine.min_perf_pct },
		{ CPU_ROOT "/intel_pstate/max_perf_pct", &machine.max_perf_pct },
		{ CPU_ROOT "/intel_pstate/hwp_dynamic_boost", &machine.hwp_dynamic_boost },
		{ CPU_ROOT "/cpufreq/boost", &machine.boost },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = read_text(files, texts[i].name, texts[i].text);
	if (err)
		return err;
	*ret_machine = machine;
	machine = (struct cpufreq_machine){ 0 };
	return 0;
}

void cpufreq_machine_done(struct cpufreq_machine *machine)
{
	free(machine->status);
	free(machine->no_turbo);
	free(machine->min_perf_pct);
	free(machine->max_perf_pct);
	free(machine->hwp_dynamic_boost);
	free(machine->boost);
	*machine = (struct cpufreq_machine){ 0 };
}
