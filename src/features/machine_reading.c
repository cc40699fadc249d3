// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading CPU by CPU (sysfs.md, "cpufreq policy" and "cpuidle"). One that goes offline meanwhile
 * fails alone; the others are shown.
 */
#include "features/machine_reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/cpufreq.h"
#include "machine/cpuidle.h"

#define KHZ_PER_MHZ 1000

/* What is read, and how it is called in messages. */
struct kind {
	const char *name;
	size_t record_size;
	int (*read)(struct files *files, uint32_t cpu, void *record);
	void (*done)(void *record);
};

void machine_reading_done(struct machine_reading *reading)
{
	for (size_t i = 0; i < reading->count && reading->storage; i++)
		reading->done((char *)reading->storage + i * reading->record_size);
	free(reading->storage);
	free(reading->records);
	*reading = (struct machine_reading){ 0 };
}

/* Puts the error of one CPU out. */
static void report(struct context *context, const struct kind *kind, uint32_t cpu, int err)
{
	if (err == -EBUSY)
		context_refuse(context, NULL,
			       "cpu-%" PRIu32 ": its %s policy is inactive: the CPU went offline",
			       cpu, kind->name);
	else if (err == -ENOENT)
		context_lack(context, NULL, "cpu-%" PRIu32 ": it has no %s", cpu, kind->name);
	else
		context_fail(context, NULL, err, "cpu-%" PRIu32 ": %s", cpu, kind->name);
}

static int read_all(struct context *context, const struct kind *kind,
		    struct machine_reading *reading, int *errors)
{
	size_t position = 0;

	cpuset_foreach (cpu, context->cpus) {
		void *record = (char *)reading->storage + position * kind->record_size;

		errors[position] = kind->read(context->machine->host->files, cpu, record);
		if (errors[position] == -ENOMEM)
			return -ENOMEM;
		reading->records[position] = errors[position] ? NULL : record;
		position++;
	}
	return 0;
}

static void report_all(struct context *context, const struct kind *kind, int *errors, size_t count)
{
	const struct cpuset *coming = &context->machine->topology.coming;
	size_t position = 0, n_absent = 0;

	/* A CPU that is still to come online may not have it yet. */
	cpuset_foreach (cpu, context->cpus) {
		if (cpuset_has(coming, cpu))
			errors[position] = 0;
		n_absent += errors[position++] == -ENOENT;
	}
	if (n_absent == count) {
		context_lack(context, NULL, "this machine has no %s: no driver of it is loaded",
			     kind->name);
		return;
	}
	position = 0;
	cpuset_foreach (cpu, context->cpus) {
		if (errors[position])
			report(context, kind, cpu, errors[position]);
		position++;
	}
}

static int read_kind(struct context *context, const struct kind *kind,
		     struct machine_reading *ret_reading)
{
	size_t count = cpuset_count(context->cpus);
	_cleanup_machine_reading_ struct machine_reading reading = {
		.records = calloc(count, sizeof(*reading.records)),
		.storage = calloc(count, kind->record_size),
		.record_size = kind->record_size,
		.count = count,
		.done = kind->done,
	};
	_cleanup_free_ int *errors = calloc(count, sizeof(*errors));
	int err;

	if (!reading.records || !reading.storage || !errors)
		return -ENOMEM;
	err = read_all(context, kind, &reading, errors);
	if (err)
		return err;
	report_all(context, kind, errors, count);
	*ret_reading = reading;
	reading = (struct machine_reading){ 0 };
	return 0;
}

static int read_policy(struct files *files, uint32_t cpu, void *record)
{
	return cpufreq_read_policy(files, cpu, record);
}

static void free_policy(void *record)
{
	cpufreq_policy_done(record);
}

int machine_reading_policies(struct context *context, struct machine_reading *ret_reading)
{
	static const struct kind policies = {
		.name = "cpufreq",
		.record_size = sizeof(struct cpufreq_policy),
		.read = read_policy,
		.done = free_policy,
	};

	return read_kind(context, &policies, ret_reading);
}

static int read_idle(struct files *files, uint32_t cpu, void *record)
{
	return cpuidle_read_cpu(files, cpu, false, record);
}

static int read_idle_usage(struct files *files, uint32_t cpu, void *record)
{
	return cpuidle_read_cpu(files, cpu, true, record);
}

static void free_idle(void *record)
{
	cpuidle_cpu_done(record);
}

int machine_reading_idle(struct context *context, bool with_usage,
			 struct machine_reading *ret_reading)
{
	const struct kind idle = {
		.name = "cpuidle",
		.record_size = sizeof(struct cpuidle_cpu),
		.read = with_usage ? read_idle_usage : read_idle,
		.done = free_idle,
	};

	return read_kind(context, &idle, ret_reading);
}

void machine_reading_format_mhz(uint32_t khz, char text[MACHINE_READING_MHZ_SIZE])
{
	size_t length;

	if (khz % KHZ_PER_MHZ == 0) {
		snprintf(text, MACHINE_READING_MHZ_SIZE, "%" PRIu32, khz / KHZ_PER_MHZ);
		return;
	}
	snprintf(text, MACHINE_READING_MHZ_SIZE, "%" PRIu32 ".%03" PRIu32, khz / KHZ_PER_MHZ,
		 khz % KHZ_PER_MHZ);
	for (length = strlen(text); text[length - 1] == '0'; length--)
		text[length - 1] = '\0';
}
