// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of cpuN/cpufreq and of intel_pstate, and the values that users give for them. A
 * missing file is no failure: the kernel or the driver may not have it. A CPU without limits has no
 * policy (hardware.md, section 7; sysfs.md, "cpufreq policy"). */
#include "host/cpufreq.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"

#define MAX_EPB 15
#define MAX_EPP 255

/* Returns true if the error means that the policy has no such value; see is_needed in files.h. */
static bool is_absent(int err)
{
	return files_is_absent(err) || err == -EACCES || err == -EIO;
}

#define POLICY(file, member) FILE_MEMBER(file, struct cpufreq_policy, member)

static const struct file_member policy_list[] = {
	{ POLICY("cpufreq/scaling_driver", driver) },
	{ POLICY("cpufreq/scaling_governor", governor) },
	{ POLICY(CPUFREQ_GOVERNORS, governors) },
	{ POLICY(CPUFREQ_EPP, epp) },
	{ POLICY(CPUFREQ_EPPS, epps) },
	{ POLICY(CPUFREQ_EPB, epb) },
	{ POLICY("cpufreq/scaling_min_freq", min_khz), .is_needed = true },
	{ POLICY("cpufreq/scaling_max_freq", max_khz), .is_needed = true },
	{ POLICY("cpufreq/cpuinfo_min_freq", lowest_khz), .is_needed = true },
	{ POLICY("cpufreq/cpuinfo_max_freq", highest_khz), .is_needed = true },
	{ POLICY("cpufreq/scaling_cur_freq", current_khz), .varies = true },
	{ POLICY("cpufreq/base_frequency", base_khz), .is_needed = true },
	{ POLICY(CPUFREQ_NOMINAL, base_khz), .unit = KHZ_PER_MHZ },
};

static_assert(ARRAY_SIZE(policy_list) <= FILES_MOST_MEMBERS, "");

const struct file_members cpufreq_policy_files = { .list = policy_list,
						   .count = ARRAY_SIZE(policy_list),
						   .is_absent = is_absent,
						   .unread = offsetof(struct cpufreq_policy,
								      unread) };

#define MACHINE(file, member) FILE_MEMBER(file, struct cpufreq_machine, member)

static const struct file_member machine_list[] = {
	{ MACHINE(CPUFREQ_PSTATE_STATUS, status) },
	{ MACHINE(CPUFREQ_NO_TURBO, no_turbo), .is_needed = true },
	{ MACHINE(CPUFREQ_MIN_PERF_PCT, min_perf_pct), .is_needed = true },
	{ MACHINE(CPUFREQ_MAX_PERF_PCT, max_perf_pct), .is_needed = true },
	{ MACHINE(CPUFREQ_HWP_BOOST, hwp_dynamic_boost) },
	{ MACHINE(CPUFREQ_BOOST, boost), .is_needed = true },
};

const struct file_members cpufreq_machine_files = { .list = machine_list,
						    .count = ARRAY_SIZE(machine_list),
						    .is_absent = is_absent,
						    .unread = offsetof(struct cpufreq_machine,
								       unread) };

int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio)
{
	uint64_t khz;
	int err =
		files_read_number(files, files_cpu_path(cpu, "cpufreq/base_frequency").text, &khz);

	if (err)
		return err;
	*ret_ratio = (uint32_t)(khz / KHZ_PER_RATIO);
	return 0;
}

/* The kernel separates the CPUs with blanks. */
int cpufreq_read_policy_cpus(struct files *files, uint32_t cpu, struct cpuset *cpus)
{
	_cleanup_free_ char *text = NULL;
	uint64_t number;
	char *rest;
	int err = files_read_line(files, files_cpu_path(cpu, "cpufreq/related_cpus").text, &text);

	if (err)
		return files_is_absent(err) ? 0 : err;
	if (!number_parse(text, 0, UINT32_MAX, &number) && number == cpu)
		return 0;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (number_parse(word, 0, CPUSET_MAX_CPU, &number))
			return -EINVAL;
		err = cpuset_add(cpus, (uint32_t)number);
		if (err)
			return err;
	}
	return 0;
}

int cpufreq_list_policies(struct files *files, struct cpuset *cpus)
{
	static const char prefix[] = "policy";
	char **names = NULL;
	int err = files_list(files, CPUFREQ_POLICIES, &names);

	for (char **name = names; name && *name && !err; name++) {
		uint64_t number;

		if (strncmp(*name, prefix, strlen(prefix)) == 0 &&
		    !number_parse(*name + strlen(prefix), 0, CPUSET_MAX_CPU, &number))
			err = cpuset_add(cpus, (uint32_t)number);
	}
	files_free_names(&names);
	return err;
}

int cpufreq_find_single_policies(struct files *files, const struct cpuset *present,
				 bool *ret_are_single)
{
	_cleanup_cpuset_ struct cpuset policies = { 0 };
	int err = cpufreq_list_policies(files, &policies);

	cpuset_keep(&policies, present);
	*ret_are_single = !err && cpuset_equal(&policies, present);
	return err == -ENOMEM ? err : 0;
}

static int copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? -ENOMEM : 0;
}

/* Copies the values that both policies have in common from the policy of another CPU. */
static int take_common(const struct cpufreq_policy *like, struct cpufreq_policy *policy)
{
	policy->lowest_khz = like->lowest_khz;
	if (copy_text(&policy->driver, like->driver) ||
	    copy_text(&policy->governors, like->governors))
		return -ENOMEM;
	return copy_text(&policy->epps, like->epps);
}

int cpufreq_read_policy(struct files *files, uint32_t cpu, const struct cpufreq_reading *reading,
			struct cpufreq_policy *ret_policy)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = reading->like ? take_common(reading->like, &policy) : 0;

	if (!err) /* skips the members that were copied */
		err = files_read_members(files, files_cpu_path(cpu, "%s", "").text,
					 &cpufreq_policy_files, reading->with_current, &policy);
	if (err) {
		*ret_policy = (struct cpufreq_policy){ .unread = policy.unread };
		return err;
	}
	*ret_policy = (struct cpufreq_policy){ 0 };
	if (!reading->are_single)
		err = cpufreq_read_policy_cpus(files, cpu, &policy.cpus);
	if (err)
		return err;
	if (!policy.min_khz && !policy.max_khz)
		return -ENOENT;
	*ret_policy = steal(policy);
	return 0;
}

void cpufreq_policy_done(struct cpufreq_policy *policy)
{
	files_free_members(&cpufreq_policy_files, policy);
	cpuset_done(&policy->cpus);
	*policy = (struct cpufreq_policy){ 0 };
}

bool cpufreq_policy_equal(const void *left, const void *right)
{
	const struct cpufreq_policy *left_policy = left, *right_policy = right;

	return cpuset_equal(&left_policy->cpus, &right_policy->cpus) &&
	       files_members_equal(&cpufreq_policy_files, left, right, false);
}

int cpufreq_read_machine(struct files *files, struct cpufreq_machine *ret_machine)
{
	int err = files_read_members(files, "", &cpufreq_machine_files, true, ret_machine);

	ret_machine->is_unread = err;
	return err;
}

void cpufreq_machine_done(struct cpufreq_machine *machine)
{
	files_free_members(&cpufreq_machine_files, machine);
}

bool cpufreq_turbo_is_off(const struct cpufreq_machine *machine)
{
	uint64_t no_turbo = 0;

	/* no_turbo of intel_pstate, or boost of other drivers; a garbled value is ignored */
	if (machine->no_turbo)
		return !number_parse(machine->no_turbo, 0, 1, &no_turbo) && no_turbo;
	return machine->boost && strcmp(machine->boost, "0") == 0;
}

int cpufreq_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz)
{
	uint64_t khz;
	int err = files_read_number(files, files_cpu_path(cpu, "cpufreq/%s", name).text, &khz);

	if (err)
		return err;
	if (khz > UINT32_MAX)
		return -ERANGE;
	*ret_khz = (uint32_t)khz;
	return 0;
}

uint32_t cpufreq_parse_percent(const char *text)
{
	uint64_t percent;

	return text && !number_parse_file(text, &percent) && percent <= 100 ? (uint32_t)percent : 0;
}

int cpufreq_parse_limit(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz)
{
	const uint32_t named[N_CPUFREQ_FREQUENCIES] = {
		[CPUFREQ_LOWEST] = policy->lowest_khz,
		[CPUFREQ_HIGHEST] = policy->highest_khz,
		[CPUFREQ_BASE] = policy->base_khz,
	};
	const enum cpufreq_frequency word = cpufreq_find_frequency(text);
	uint64_t mhz;
	uint32_t khz;

	if (word) {
		*ret_khz = named[word] ?: *ret_khz;
		return named[word] ? 0 : -ENODATA;
	}
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

/* Indexed by enum cpufreq_frequency. */
static const struct {
	const char *word;
	const char *file;
} frequencies[N_CPUFREQ_FREQUENCIES] = {
	[CPUFREQ_LOWEST] = { "min", "cpuinfo_min_freq" },
	[CPUFREQ_HIGHEST] = { "max", "cpuinfo_max_freq" },
	[CPUFREQ_BASE] = { "base", "base_frequency" },
};

const char *cpufreq_frequency_file(enum cpufreq_frequency which)
{
	return frequencies[which].file;
}

enum cpufreq_frequency cpufreq_find_frequency(const char *word)
{
	for (size_t i = 1; i < N_CPUFREQ_FREQUENCIES; i++) {
		if (strcmp(frequencies[i].word, word) == 0)
			return (enum cpufreq_frequency)i;
	}
	return CPUFREQ_NO_FREQUENCY;
}
