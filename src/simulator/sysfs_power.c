// SPDX-License-Identifier: GPL-2.0-only
/* Idle states, energy bias, wake-up latency limits and umwait (sysfs.md, "cpuidle", "EPB", "PM
 * QoS", "umwait"). CPUs of a simulated machine never idle: the counts of their idle states stay 0.
 * An offline CPU keeps its settings, but has no file for its energy bias. */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define MAX_EPB              15
#define MAX_LATENCY_US       (INT32_MAX - 1)
#define NO_LATENCY_ALLOWED   (-1) /* reads "n/a" */
#define UMWAIT_TIME_LOW_BITS 3U

static const char *const usual_governors[] = { "ladder", "menu", "teo" };

/* The idle driver and its governor. */

static bool has_idle(struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpuidle;
}

SYSFS_TEXT(get_idle_driver, sysfs_platform(place)->idle_driver);

static const char *get_idle_governor(const struct sysfs_place *place)
{
	uint8_t choice = sysfs_machine(place)->idle_governor;

	if (choice == 0 || choice > ARRAY_SIZE(usual_governors))
		return sysfs_platform(place)->idle_governor;
	return usual_governors[choice - 1];
}

static int store_idle_governor(const struct sysfs_place *place, const char *text)
{
	for (uint8_t i = 0; i < ARRAY_SIZE(usual_governors); i++) {
		if (strcmp(text, usual_governors[i]) == 0) {
			sysfs_machine(place)->idle_governor = i + 1;
			return 0;
		}
	}
	if (strcmp(text, sysfs_platform(place)->idle_governor) != 0)
		return -EINVAL;
	sysfs_machine(place)->idle_governor = 0;
	return 0;
}

static int append_idle_governors(const struct sysfs_place *place, struct buffer *to)
{
	const char *own = sysfs_platform(place)->idle_governor;
	bool is_usual = false;

	for (size_t i = 0; i < ARRAY_SIZE(usual_governors); i++) {
		sysfs_append(to, "%s%s", i ? " " : "", usual_governors[i]);
		is_usual |= strcmp(usual_governors[i], own) == 0;
	}
	if (!is_usual)
		sysfs_append(to, " %s", own);
	return 0;
}

static const struct sysfs_attribute idle_attributes[] = {
	{ .name = "available_governors", .append = append_idle_governors },
	{ .name = "current_driver", .text = get_idle_driver },
	{ .name = "current_governor", .text = get_idle_governor, .store = store_idle_governor },
	{ .name = "current_governor_ro", .text = get_idle_governor },
	{ 0 },
};

/* An idle state of a CPU. */

static bool has_idle_of_cpu(struct sysfs_place *place)
{
	return sysfs_has_cpu(place) && has_idle(place);
}

static bool has_idle_state(struct sysfs_place *place)
{
	return has_idle_of_cpu(place) && place->numbers[1] < sysfs_platform(place)->n_idle_states;
}

static int list_idle_states(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; i < sysfs_platform(place)->n_idle_states; i++)
		sysfs_append(names, "state%zu\n", i);
	return 0;
}

static const struct sim_idle_state *idle_state(const struct sysfs_place *place)
{
	return &sysfs_platform(place)->idle_states[place->numbers[1]];
}

static const char *text_or_null(const char *text)
{
	return *text ? text : "<null>";
}

SYSFS_TEXT(get_name, text_or_null(idle_state(place)->name));
SYSFS_TEXT(get_desc, text_or_null(idle_state(place)->desc));
SYSFS_NUMBER(get_latency, idle_state(place)->latency_us);
SYSFS_NUMBER(get_residency, idle_state(place)->residency_us);
SYSFS_TEXT(get_default_status, idle_state(place)->disabled ? "disabled" : "enabled");

SYSFS_NUMBER(get_disable, sysfs_cpu_state(place)->idle_disabled >> place->numbers[1] & 1);

static int set_disable(const struct sysfs_place *place, uint32_t value)
{
	uint32_t bit = 1U << place->numbers[1];

	if (faults_settings(place->faults)->missing_capability)
		return -EPERM;
	if (value)
		sysfs_cpu_state(place)->idle_disabled |= bit;
	else
		sysfs_cpu_state(place)->idle_disabled &= ~bit;
	return 0;
}

static const struct sysfs_attribute idle_state_attributes[] = {
	{ .name = "above", .fixed = "0" },
	{ .name = "below", .fixed = "0" },
	{ .name = "default_status", .text = get_default_status },
	{ .name = "desc", .text = get_desc },
	{ .name = "disable", .number = get_disable, .set = set_disable },
	{ .name = "latency", .number = get_latency },
	{ .name = "name", .text = get_name },
	{ .name = "rejected", .fixed = "0" },
	{ .name = "residency", .number = get_residency },
	{ .name = "time", .fixed = "0" },
	{ .name = "usage", .fixed = "0" },
	{ 0 },
};

/* Energy bias and wake-up latency limit of a CPU. */

static bool has_epb(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpufreq && sysfs_cpu_state(place)->online;
}

SYSFS_NUMBER(get_epb, sysfs_cpu_state(place)->epb);

static int set_epb(const struct sysfs_place *place, uint32_t value)
{
	sysfs_cpu_state(place)->epb = (uint8_t)value;
	return 0;
}

static int append_resume_latency(const struct sysfs_place *place, struct buffer *to)
{
	int32_t latency_us = sysfs_cpu_state(place)->resume_latency_us;

	if (latency_us == NO_LATENCY_ALLOWED)
		buffer_append_string(to, "n/a");
	else
		sysfs_append(to, "%d", latency_us);
	return 0;
}

static int store_resume_latency(const struct sysfs_place *place, const char *text)
{
	struct sim_cpu_state *cpu = sysfs_cpu_state(place);
	uint64_t latency_us;

	if (strcmp(text, "n/a") == 0)
		cpu->resume_latency_us = NO_LATENCY_ALLOWED;
	else if (number_parse(text, 0, MAX_LATENCY_US, &latency_us) < 0)
		return -EINVAL;
	else
		cpu->resume_latency_us = (int32_t)latency_us;
	return 0;
}

static const struct sysfs_attribute power_attributes[] = {
	{ .name = "energy_perf_bias",
	  .number = get_epb,
	  .set = set_epb,
	  .max = MAX_EPB,
	  .exists = has_epb },
	{ .name = "pm_qos_resume_latency_us",
	  .append = append_resume_latency,
	  .store = store_resume_latency },
	{ 0 },
};

/* umwait */

static bool has_umwait(struct sysfs_place *place)
{
	return sysfs_platform(place)->has_umwait;
}

SYSFS_NUMBER(get_enable_c02, sysfs_machine(place)->umwait_c02);

static int set_enable_c02(const struct sysfs_place *place, uint32_t value)
{
	sysfs_machine(place)->umwait_c02 = (uint8_t)value;
	return 0;
}

SYSFS_NUMBER(get_max_time, sysfs_machine(place)->umwait_max_time);

static int set_max_time(const struct sysfs_place *place, uint32_t value)
{
	if (value & UMWAIT_TIME_LOW_BITS)
		return -EINVAL;
	sysfs_machine(place)->umwait_max_time = value;
	return 0;
}

static const struct sysfs_attribute umwait_attributes[] = {
	{ .name = "enable_c02", .number = get_enable_c02, .set = set_enable_c02, .max = 1 },
	{ .name = "max_time", .number = get_max_time, .set = set_max_time },
	{ 0 },
};

const struct sysfs_directory sysfs_power[] = {
	{ .path = SYSFS_CPU_ROOT "/cpuidle", .exists = has_idle, .attributes = idle_attributes },
	{ .path = SYSFS_CPU_ROOT "/cpu#/cpuidle", .exists = has_idle_of_cpu },
	{ .path = SYSFS_CPU_ROOT "/cpu#/cpuidle/state#",
	  .exists = has_idle_state,
	  .list = list_idle_states,
	  .attributes = idle_state_attributes },
	{ .path = SYSFS_CPU_ROOT "/cpu#/power",
	  .exists = sysfs_has_cpu,
	  .attributes = power_attributes },
	{ .path = SYSFS_CPU_ROOT "/umwait_control",
	  .exists = has_umwait,
	  .attributes = umwait_attributes },
	{ 0 },
};
