// SPDX-License-Identifier: GPL-2.0-only
/* The table of facts, and the functions that read them: isolation and interrupts, siblings,
 * frequency, idle states, uncore, heat, the kernel and its processes (record.md, "check"). */
#include "profile/fact.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "host/uncore.h"
#include "instruments/throttle.h"

#define COMMAND_LINE   "/proc/cmdline"
#define IRQ            "/proc/irq"
#define KERNEL_VERSION "/proc/sys/kernel/version"
#define SPLIT_LOCK     "/proc/sys/kernel/split_lock_mitigate"
#define SHOWN_IRQS     3

/* Sets the same reason for all CPUs. */
static int fail_all(struct inspection *inspection, struct reading *readings, int err,
		    const char *path)
{
	size_t count = cpuset_count(inspection->cpus);

	for (size_t i = 0; i < count && err != -ENOMEM; i++) {
		if (reading_fail(inspection, &readings[i], err, path))
			return -ENOMEM;
	}
	return err == -ENOMEM ? err : 0;
}

/* Adds the CPUs of a parameter, if it is given. */
static int add_parameter_cpus(struct inspection *inspection, const char *name, struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *text = NULL;
	int err = inspection_find_parameter(inspection, name, &text);

	if (!err && text)
		err = inspection_parse_cpus(
			text, cpuset_last(&inspection->state->machine->topology.possible), &cpus);
	return err ? err : cpuset_add_all(set, &cpus);
}

/* Isolation. */

static int read_isolated(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	if (inspection->isolated_problem)
		reading->reason = inspection->isolated_problem;
	else
		reading_take_flag(reading, cpuset_has(inspection->isolated, cpu));
	return 0;
}

/* nohz_full includes rcu_nocbs. */
static int read_rcu_nocbs(struct inspection *inspection, struct reading *readings)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = add_parameter_cpus(inspection, "rcu_nocbs", &cpus);
	size_t i = 0;

	if (!err)
		err = add_parameter_cpus(inspection, "nohz_full", &cpus);
	if (err)
		return fail_all(inspection, readings, err, COMMAND_LINE);
	cpuset_foreach (cpu, inspection->cpus)
		reading_take_flag(&readings[i++], cpuset_has(&cpus, cpu));
	return 0;
}

/* Interrupts. */

/* Reads a hexadecimal mask: the highest word first, commas between words. Returns 0, -EINVAL or
 * -ENOMEM. */
static int parse_mask(const char *text, struct cpuset *ret_set)
{
	size_t length = strlen(text);
	uint32_t bit = 0;

	if (length == 0)
		return -EINVAL;
	for (size_t i = length; i-- > 0;) {
		const char digit[] = { text[i], '\0' };
		const char *at = digit;
		uint64_t value;

		if (text[i] == ',')
			continue;
		if (number_parse_digits(&at, 16, &value))
			return -EINVAL;
		for (uint32_t j = 0; j < 4; j++) {
			if (value >> j & 1 && cpuset_add(ret_set, bit + j))
				return -ENOMEM;
		}
		bit += 4;
	}
	return 0;
}

static int read_irq_default(struct inspection *inspection, struct reading *readings)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(inspection_files(inspection), IRQ "/default_smp_affinity", &text);
	size_t i = 0;

	if (!err)
		err = parse_mask(text, &cpus);
	if (err)
		return fail_all(inspection, readings, err, IRQ "/default_smp_affinity");
	cpuset_foreach (cpu, inspection->cpus)
		reading_take_flag(&readings[i++], cpuset_has(&cpus, cpu));
	return 0;
}

/* The interrupts that go to CPUs that are checked. */
struct interrupts {
	size_t *counts; /* by position of the CPU */
	struct buffer *names; /* of the first ones */
};

/* Finds the first handler of an interrupt: a directory in the interrupt's directory. Without a
 * handler, the interrupt never happens. A new text: "24 nvme0q1"; NULL: none, or no memory. */
static char *find_handler(struct inspection *inspection, const char *number)
{
	static const char *const own[] = {
		"affinity_hint", "effective_affinity", "effective_affinity_list",
		"node",          "smp_affinity",       "smp_affinity_list",
		"spurious"
	};
	_cleanup_free_ char *path = text_format(IRQ "/%s", number);
	_cleanup_(files_free_names) char **names = NULL;

	if (!path || files_list(inspection_files(inspection), path, &names))
		return NULL;
	for (char **name = names; *name; name++) {
		bool is_own = false;

		for (size_t i = 0; i < ARRAY_SIZE(own); i++)
			is_own |= strcmp(own[i], *name) == 0;
		if (!is_own)
			return text_format("%s %s", number, *name);
	}
	return NULL;
}

/* Adds one interrupt; leaves out interrupts that disappear meanwhile. */
static int add_interrupt(struct inspection *inspection, const char *number,
			 struct interrupts *interrupts)
{
	static const char *const lists[] = { "effective_affinity_list", "smp_affinity_list" };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *handler = NULL;
	size_t position = 0;
	int err = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(lists) && err == -ENOENT; i++) {
		_cleanup_free_ char *path = text_format(IRQ "/%s/%s", number, lists[i]);

		err = path ? files_read_cpus(inspection_files(inspection), path, &cpus) : -ENOMEM;
	}
	if (err == -ENOENT || err == -EINVAL || !cpuset_intersects(&cpus, inspection->cpus))
		return err == -ENOENT || err == -EINVAL ? 0 : err;
	handler = find_handler(inspection, number);
	if (!handler)
		return 0;
	cpuset_foreach (cpu, inspection->cpus) {
		struct buffer *names = &interrupts->names[position];
		size_t *count = &interrupts->counts[position++];

		if (!cpuset_has(&cpus, cpu))
			continue;
		if (*count < SHOWN_IRQS) {
			buffer_append_string(names, *count ? ", " : "");
			buffer_append_string(names, handler);
		} else if (*count == SHOWN_IRQS) {
			buffer_append_string(names, ", ...");
		}
		(*count)++;
	}
	return 0;
}

static int put_interrupts(struct inspection *inspection, const struct interrupts *interrupts,
			  struct reading *readings)
{
	size_t count = cpuset_count(inspection->cpus);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		reading_take_number(&readings[i], interrupts->counts[i]);
		if (interrupts->counts[i])
			err = reading_detail(inspection, &readings[i], "%s",
					     buffer_text(&interrupts->names[i]));
	}
	return err;
}

static int read_irqs(struct inspection *inspection, struct reading *readings)
{
	size_t n_cpus = cpuset_count(inspection->cpus);
	struct interrupts interrupts = {
		calloc(n_cpus ?: 1, sizeof(*interrupts.counts)),
		calloc(n_cpus ?: 1, sizeof(*interrupts.names)),
	};
	_cleanup_(files_free_names) char **names = NULL;
	int err = interrupts.counts && interrupts.names ? 0 : -ENOMEM;
	size_t n_numbers = 0;

	if (!err)
		err = files_list(inspection_files(inspection), IRQ, &names);
	for (char **name = names; !err && *name; name++) {
		if (number_parse(*name, 0, UINT64_MAX, &(uint64_t){ 0 }))
			continue;
		n_numbers++;
		err = add_interrupt(inspection, *name, &interrupts);
	}
	if (!err && !n_numbers)
		err = -ENOENT;
	err = err ? fail_all(inspection, readings, err, IRQ)
		  : put_interrupts(inspection, &interrupts, readings);
	for (size_t i = 0; i < n_cpus && interrupts.names; i++)
		buffer_done(&interrupts.names[i]);
	free(interrupts.counts);
	free(interrupts.names);
	return err;
}

/* Threads of a core. */

static int read_siblings(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	const struct file_path path = files_cpu_path(cpu, "topology/thread_siblings_list");
	_cleanup_cpuset_ struct cpuset others = { 0 };
	int err = files_read_cpus(inspection_files(inspection), path.text, &others);

	if (err)
		return reading_fail(inspection, reading, err, path.text);
	cpuset_keep(&others, &inspection->state->machine->topology.online);
	cpuset_remove_all(&others, inspection->cpus);
	cpuset_remove_all(&others, inspection->isolated);
	if (!cpuset_is_empty(&others) && inspection->isolated_problem)
		reading->reason = inspection->isolated_problem;
	else
		reading_take_flag(reading, !cpuset_is_empty(&others));
	return 0;
}

/* Frequency. */

static const char *const limit_needs[] = { "cpufreq.min-mhz", "cpufreq.max-mhz", NULL };

static int read_locked(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	struct reading min = { 0 };
	char low[NUMBER_MHZ_SIZE], high[NUMBER_MHZ_SIZE];

	if (reading_of_cpu(inspection, setting_find("cpufreq.min-mhz"), cpu, &min) ||
	    reading_of_cpu(inspection, setting_find("cpufreq.max-mhz"), cpu, reading))
		return -ENOMEM;
	if (min.reason)
		*reading = min;
	if (reading->reason)
		return 0;
	number_format_mhz((uint32_t)min.value.number, low);
	number_format_mhz((uint32_t)reading->value.number, high);
	reading_take_flag(reading, min.value.number == reading->value.number);
	return reading->value.number
		       ? reading_detail(inspection, reading, "%s MHz", high)
		       : reading_detail(inspection, reading, "%s to %s MHz", low, high);
}

static const char *const turbo_needs[] = { "cpufreq.max-mhz", "cpufreq.turbo", NULL };

/* May the CPU run above its base frequency? */
static int read_turbo_used(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	const struct file_path path = files_cpu_path(cpu, "cpufreq/base_frequency");
	char high[NUMBER_MHZ_SIZE];
	uint64_t base_khz;
	int err = reading_of_setting(inspection, setting_find("cpufreq.turbo"), 0, reading);

	if (err || reading->reason || !reading->value.number)
		return err;
	err = reading_of_cpu(inspection, setting_find("cpufreq.max-mhz"), cpu, reading);
	if (err || reading->reason)
		return err;
	err = files_read_number(inspection_files(inspection), path.text, &base_khz);
	if (err)
		return reading_fail(inspection, reading, err, path.text);
	number_format_mhz((uint32_t)reading->value.number, high);
	reading_take_flag(reading, reading->value.number > base_khz);
	return reading_detail(inspection, reading, "up to %s MHz, base %" PRIu64 " MHz", high,
			      base_khz / KHZ_PER_MHZ);
}

/* Idle states. */

/* The deepest state that a CPU can enter: enabled, and within its latency limit; NULL: none. */
static const struct cpuidle_state *find_deepest(const struct cpuidle_cpu *cpu, bool *ret_is_limited)
{
	const struct cpuidle_state *deepest = NULL;
	const char *text = cpu->resume_latency;
	uint64_t limit_us = UINT64_MAX, number;

	*ret_is_limited = false;
	if (text && strcmp(text, "n/a") == 0)
		limit_us = 0;
	else if (text && !number_parse_file(text, &number) && number > 0)
		limit_us = number;
	for (size_t i = 0; i < cpu->n_states; i++) {
		const struct cpuidle_state *state = &cpu->states[i];

		if (state->disabled || (deepest && state->latency_us < deepest->latency_us))
			continue;
		if (state->latency_us > limit_us)
			*ret_is_limited = true;
		else
			deepest = state;
	}
	return deepest;
}

static int take_deepest(struct inspection *inspection, const struct cpuidle_cpu *cpu,
			struct reading *reading)
{
	bool is_limited;
	const struct cpuidle_state *deepest = find_deepest(cpu, &is_limited);

	reading_take_number(reading, deepest ? deepest->latency_us : 0);
	return reading_detail(inspection, reading, "%s%s", deepest ? deepest->name : "none",
			      is_limited ? ", by a latency limit" : "");
}

/* Does the CPU have a deeper state than the states that it can enter? */
static int take_cut(struct inspection *inspection, const struct cpuidle_cpu *cpu,
		    struct reading *reading)
{
	bool is_limited;
	const struct cpuidle_state *deepest = find_deepest(cpu, &is_limited), *cut = deepest;

	for (size_t i = 0; i < cpu->n_states; i++) {
		if (!cut || cpu->states[i].latency_us > cut->latency_us)
			cut = &cpu->states[i];
	}
	reading_take_flag(reading, cut != deepest);
	return reading_detail(inspection, reading, "%s%s", cut == deepest ? "" : "not ",
			      cut ? cut->name : "none");
}

/* Reads a CPU that has no idle states, because of a boot parameter or of the kernel. */
static int take_polling(struct inspection *inspection, struct reading *reading)
{
	_cleanup_free_ char *idle = NULL;
	int err = inspection_find_parameter(inspection, "idle", &idle);

	if (err == -ENOMEM)
		return err;
	if (err || !idle || strcmp(idle, "poll") != 0)
		return reading_refuse(inspection, reading, "this kernel shows no idle states");
	reading_take_number(reading, 0);
	return reading_detail(inspection, reading, "idle=poll");
}

static int read_idle(struct inspection *inspection, uint32_t cpu, struct reading *reading,
		     int (*take)(struct inspection *inspection, const struct cpuidle_cpu *cpu,
				 struct reading *reading))
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	int err = cpuidle_read_cpu(inspection_files(inspection), cpu, false, &idle);

	if (err == -ENOENT)
		return take_polling(inspection, reading);
	if (err)
		return reading_fail(inspection, reading, err, files_cpu_path(cpu, "cpuidle").text);
	return take(inspection, &idle, reading);
}

static int read_deepest(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	return read_idle(inspection, cpu, reading, take_deepest);
}

static int read_idle_cut(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	int err = read_idle(inspection, cpu, reading, take_cut);

	if (reading->value.kind == STATE_NUMBER)
		reading_take_flag(reading, true); /* idle=poll */
	return err;
}

/* Uncore. */

static int read_uncore_locked(struct inspection *inspection, struct reading *readings)
{
	const struct uncore_units *units = &inspection->state->units;

	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		struct reading *reading = &readings[i];
		int err;

		if (!inspection_has_package(inspection, unit->package))
			continue;
		if (unit->error) {
			err = reading_fail(inspection, reading, unit->error, unit->path);
		} else {
			reading_take_flag(reading, unit->min_khz == unit->max_khz);
			err = reading_detail(inspection, reading, "%u to %u MHz",
					     unit->min_khz / KHZ_PER_MHZ,
					     unit->max_khz / KHZ_PER_MHZ);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Heat. */

static int read_throttled(struct inspection *inspection, uint32_t cpu, struct reading *reading)
{
	uint64_t counts[THROTTLE_SCOPES] = { 0 };

	for (enum throttle_scope scope = 0; scope < THROTTLE_SCOPES; scope++) {
		int err = throttle_read_events(inspection_files(inspection), cpu, scope,
					       &counts[scope]);

		if (err)
			return reading_fail(inspection, reading, err,
					    throttle_events_path(cpu, scope).text);
	}
	reading_take_number(reading, counts[THROTTLE_CORE] + counts[THROTTLE_PACKAGE]);
	return reading->value.number
		       ? reading_detail(inspection, reading, "core %" PRIu64 ", package %" PRIu64,
					counts[THROTTLE_CORE], counts[THROTTLE_PACKAGE])
		       : 0;
}

/* The kernel. */

static int read_preempt_rt(struct inspection *inspection, struct reading *reading)
{
	_cleanup_free_ char *version = NULL;
	uint64_t number;
	int err = files_read_line(inspection_files(inspection), KERNEL_VERSION, &version);

	if (!err && (strstr(version, "PREEMPT_RT") || strstr(version, "PREEMPT RT"))) {
		reading_take_flag(reading, true);
		return 0;
	}
	/* a file of kernels with the patch */
	if (!files_read_number(inspection_files(inspection), "/sys/kernel/realtime", &number)) {
		reading_take_flag(reading, number != 0);
		return 0;
	}
	if (err)
		return reading_fail(inspection, reading, err, KERNEL_VERSION);
	reading_take_flag(reading, false);
	return 0;
}

static int read_split_lock(struct inspection *inspection, struct reading *reading)
{
	_cleanup_free_ char *parameter = NULL;
	uint64_t number;
	int err = inspection_find_parameter(inspection, "split_lock_detect", &parameter);

	if (err)
		return reading_fail(inspection, reading, err, COMMAND_LINE);
	if (parameter && strcmp(parameter, "off") == 0)
		reading_take_word(reading, "off");
	else if (parameter && strcmp(parameter, "fatal") == 0)
		reading_take_word(reading, "fatal");
	else if (parameter && strncmp(parameter, "ratelimit", strlen("ratelimit")) == 0)
		reading_take_word(reading, "ratelimit");
	if (reading->value.kind)
		return 0;
	err = files_read_number(inspection_files(inspection), SPLIT_LOCK, &number);
	if (err)
		return reading_fail(inspection, reading, err, SPLIT_LOCK);
	reading_take_word(reading, number ? "mitigate" : "warn");
	return 0;
}

static int read_driver_version(struct inspection *inspection, struct reading *reading)
{
	const struct platform *platform = inspection->state->platform;

	if (!platform || !platform->transport)
		return reading_refuse(inspection, reading, "%s",
				      inspection->lacks_platform
					      ?: "this machine has no Speed Select driver");
	reading_take_number(reading, platform->info.driver_version);
	return reading_detail(inspection, reading, "API version %u", platform->info.api_version);
}

static const char *const power_needs[] = { "power.pl1-w", "perf-profile.level", NULL };

const struct fact facts[] = {
	{ "isolated", "the scheduler leaves the CPU alone: isolcpus, or an isolated cpuset",
	  FACT_OF_CPU, STATE_BOOLEAN, .read_cpu = read_isolated },
	{ "rcu-nocbs", "RCU callbacks of the CPU run elsewhere: rcu_nocbs or nohz_full",
	  FACT_OF_CPU, STATE_BOOLEAN, .read = read_rcu_nocbs },
	{ "irq-default", "interrupts that are set up from now on may go to the CPU: irqaffinity",
	  FACT_OF_CPU, STATE_BOOLEAN, .read = read_irq_default },
	{ "irqs", "how many interrupts with a handler go to the CPU", FACT_OF_CPU, STATE_NUMBER,
	  .read = read_irqs },
	{ "sibling-works", "another thread of the core is online, not checked, and not isolated",
	  FACT_OF_CPU, STATE_BOOLEAN, .read_cpu = read_siblings },
	{ "frequency-locked", "the lower and the upper frequency limit are equal", FACT_OF_CPU,
	  STATE_BOOLEAN, .read_cpu = read_locked, .needs = limit_needs },
	{ "turbo-used", "turbo is on, and the upper limit is above the base frequency", FACT_OF_CPU,
	  STATE_BOOLEAN, .read_cpu = read_turbo_used, .needs = turbo_needs },
	{ "deepest-idle", "the exit latency of the deepest idle state that the CPU can enter",
	  FACT_OF_CPU, STATE_NUMBER, "us", .read_cpu = read_deepest },
	{ "idle-cut-off", "a deeper idle state than those that the CPU can enter exists",
	  FACT_OF_CPU, STATE_BOOLEAN, .read_cpu = read_idle_cut },
	{ "throttled", "how often core and package were slowed down by heat since boot",
	  FACT_OF_CPU, STATE_NUMBER, .read_cpu = read_throttled },
	{ "uncore-locked", "the lower and the upper limit of the uncore frequency are equal",
	  FACT_OF_UNCORE, STATE_BOOLEAN, .read = read_uncore_locked },
	{ "power-below-tdp",
	  "the long-term power limit of the package is below the TDP of its level", FACT_OF_CPU,
	  STATE_BOOLEAN, .read = fact_read_power_below_tdp, .needs = power_needs },
	{ "preempt-rt", "the kernel is built with PREEMPT_RT", FACT_OF_MACHINE, STATE_BOOLEAN,
	  .read = read_preempt_rt },
	{ "split-lock",
	  "what the kernel does at a split lock: off, warn, mitigate, ratelimit, fatal",
	  FACT_OF_MACHINE, STATE_WORD, .read = read_split_lock },
	{ "sst-driver", "the version of the Speed Select driver", FACT_OF_MACHINE, STATE_NUMBER,
	  .read = read_driver_version },
	{ 0 },
};

const struct fact *fact_find(const char *name)
{
	for (const struct fact *fact = facts; fact->name; fact++) {
		if (strcmp(fact->name, name) == 0)
			return fact;
	}
	return NULL;
}
