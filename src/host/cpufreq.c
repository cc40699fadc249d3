// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of cpuN/cpufreq and of intel_pstate, and the values that users give for them. A
 * file that a kernel or a driver does not have is no failure; a CPU without limits has no policy
 * (hardware.md, section 7; sysfs.md, "cpufreq policy"). */
#include "host/cpufreq.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define KHZ_PER_RATIO 100000
#define KHZ_PER_MHZ   1000
#define MAX_EPB       15
#define MAX_EPP       255

/* A file, and the member for its text or number. */
struct member {
	const char *name;
	size_t offset;
	uint32_t unit_khz; /* of a number */
};

#define POLICY(file, member) .name = (file), .offset = offsetof(struct cpufreq_policy, member)

static const struct member policy_texts[] = {
	{ POLICY("cpufreq/scaling_driver", driver) },
	{ POLICY("cpufreq/scaling_governor", governor) },
	{ POLICY("cpufreq/scaling_available_governors", governors) },
	{ POLICY("cpufreq/energy_performance_preference", epp) },
	{ POLICY("cpufreq/energy_performance_available_preferences", epps) },
	{ POLICY("power/energy_perf_bias", epb) },
};

/* Of two files for one member the first one that is known counts. */
static const struct member policy_frequencies[] = {
	{ POLICY("cpufreq/scaling_min_freq", min_khz), .unit_khz = 1 },
	{ POLICY("cpufreq/scaling_max_freq", max_khz), .unit_khz = 1 },
	{ POLICY("cpufreq/cpuinfo_min_freq", lowest_khz), .unit_khz = 1 },
	{ POLICY("cpufreq/cpuinfo_max_freq", highest_khz), .unit_khz = 1 },
	{ POLICY("cpufreq/scaling_cur_freq", current_khz), .unit_khz = 1 },
	{ POLICY("cpufreq/base_frequency", base_khz), .unit_khz = 1 },
	{ POLICY("acpi_cppc/nominal_freq", base_khz), .unit_khz = KHZ_PER_MHZ },
};

#define MACHINE(file, member) .name = (file), .offset = offsetof(struct cpufreq_machine, member)

static const struct member machine_texts[] = {
	{ MACHINE(FILES_CPUS "/intel_pstate/status", status) },
	{ MACHINE(CPUFREQ_NO_TURBO, no_turbo) },
	{ MACHINE(CPUFREQ_MIN_PERF_PCT, min_perf_pct) },
	{ MACHINE(FILES_CPUS "/intel_pstate/max_perf_pct", max_perf_pct) },
	{ MACHINE(FILES_CPUS "/intel_pstate/hwp_dynamic_boost", hwp_dynamic_boost) },
	{ MACHINE(CPUFREQ_BOOST, boost) },
};

static char **text_of(void *record, const struct member *member)
{
	return (char **)(void *)((char *)record + member->offset);
}

int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio)
{
	char path[FILES_CPU_PATH_SIZE];
	uint64_t khz;
	int err;

	files_format_cpu_path(path, cpu, "cpufreq/base_frequency");
	err = files_read_number(files, path, &khz);
	if (err)
		return err;
	*ret_ratio = (uint32_t)(khz / KHZ_PER_RATIO);
	return 0;
}

/* Is there no such file, or is its value not available? */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENXIO || err == -ENODEV || err == -EOPNOTSUPP ||
	       err == -EACCES || err == -EIO || err == -EAGAIN;
}

/* Reads a text that may be absent, into *text which is NULL. */
static int read_text(struct files *files, const char *path, char **text)
{
	int err = files_read_line(files, path, text);

	return is_absent(err) ? 0 : err;
}

/* Reads a frequency that may be absent, into *khz which is 0. */
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

static int read_values(struct files *files, uint32_t cpu, struct cpufreq_policy *policy)
{
	char path[FILES_CPU_PATH_SIZE];
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(policy_texts); i++) {
		files_format_cpu_path(path, cpu, "%s", policy_texts[i].name);
		err = read_text(files, path, text_of(policy, &policy_texts[i]));
		if (err)
			return err;
	}
	for (size_t i = 0; i < ARRAY_SIZE(policy_frequencies); i++) {
		const struct member *member = &policy_frequencies[i];
		uint32_t *khz = (uint32_t *)(void *)((char *)policy + member->offset);

		if (*khz)
			continue;
		files_format_cpu_path(path, cpu, "%s", member->name);
		err = read_khz(files, path, member->unit_khz, khz);
		if (err)
			return err;
	}
	return 0;
}

/* Reads the CPUs of a policy, which the kernel separates by blanks. The set stays empty for one CPU
 * alone: a set for each of many CPUs would take much memory. */
static int read_cpus(struct files *files, uint32_t cpu, struct cpuset *cpus)
{
	_cleanup_free_ char *text = NULL;
	char path[FILES_CPU_PATH_SIZE], *rest;
	uint64_t number;
	int err;

	files_format_cpu_path(path, cpu, "cpufreq/related_cpus");
	err = read_text(files, path, &text);
	if (err || !text || (!number_parse(text, 0, UINT32_MAX, &number) && number == cpu))
		return err;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (number_parse(word, 0, CPUSET_MAX_CPU, &number))
			return -EINVAL;
		err = cpuset_add(cpus, (uint32_t)number);
		if (err)
			return err;
	}
	return 0;
}

int cpufreq_read_policy(struct files *files, uint32_t cpu, struct cpufreq_policy *ret_policy)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = read_values(files, cpu, &policy);

	if (err)
		return err;
	err = read_cpus(files, cpu, &policy.cpus);
	if (err)
		return err;
	if (!policy.min_khz && !policy.max_khz)
		return -ENOENT;
	*ret_policy = policy;
	policy = (struct cpufreq_policy){ 0 };
	return 0;
}

void cpufreq_policy_done(struct cpufreq_policy *policy)
{
	for (size_t i = 0; i < ARRAY_SIZE(policy_texts); i++)
		free(*text_of(policy, &policy_texts[i]));
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

	for (size_t i = 0; i < ARRAY_SIZE(machine_texts); i++) {
		int err = read_text(files, machine_texts[i].name,
				    text_of(&machine, &machine_texts[i]));

		if (err)
			return err;
	}
	*ret_machine = machine;
	machine = (struct cpufreq_machine){ 0 };
	return 0;
}

void cpufreq_machine_done(struct cpufreq_machine *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machine_texts); i++)
		free(*text_of(machine, &machine_texts[i]));
	*machine = (struct cpufreq_machine){ 0 };
}

/* A frequency of the policy, if it is known. */
static int take_known(uint32_t khz, uint32_t *ret_khz)
{
	if (!khz)
		return -ENODATA;
	*ret_khz = khz;
	return 0;
}

int cpufreq_parse_limit(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz)
{
	uint64_t mhz;
	uint32_t khz;

	if (strcmp(text, "min") == 0)
		return take_known(policy->lowest_khz, ret_khz);
	if (strcmp(text, "base") == 0)
		return take_known(policy->base_khz, ret_khz);
	if (strcmp(text, "max") == 0)
		return take_known(policy->highest_khz, ret_khz);
	if (number_parse_mhz(text, 1, INT32_MAX / KHZ_PER_MHZ, &mhz))
		return -EINVAL;
	khz = (uint32_t)mhz * KHZ_PER_MHZ;
	*ret_khz = khz;
	if (policy->lowest_khz && khz < policy->lowest_khz)
		*ret_khz = policy->lowest_khz;
	else if (policy->highest_khz && khz > policy->highest_khz)
		*ret_khz = policy->highest_khz;
	return *ret_khz == khz ? 0 : -ERANGE;
}

int cpufreq_parse_epb(const char *text, uint32_t *ret_epb)
{
	static const struct {
		const char *name;
		uint32_t epb;
	} names[] = {
		{ "performance", 0 }, { "balance-performance", 4 },
		{ "normal", 6 },      { "balance-power", 8 },
		{ "power", 15 },
	};
	uint64_t epb;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i].name) == 0) {
			*ret_epb = names[i].epb;
			return 0;
		}
	}
	if (number_parse(text, 0, MAX_EPB, &epb))
		return -EINVAL;
	*ret_epb = (uint32_t)epb;
	return 0;
}

const char *cpufreq_find_epp_name(const char *text)
{
	uint64_t raw;

	if (number_parse(text, 0, MAX_EPP, &raw))
		return NULL;
	switch (raw) {
	case 0:
		return "performance";
	case 128:
		return "balance_performance";
	case 192:
		return "balance_power";
	case 255:
		return "power";
	}
	return NULL;
}
