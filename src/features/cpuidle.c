// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuidle: idle states of any machine, their use, umwait and the limit of wake-up latency
 * (sysfs.md, "cpuidle", "umwait", "PM QoS"). Shares are of the time since boot, or of the interval
 * as it was measured; the kernel counts a stay when it ends.
 */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/wait.h"
#include "cli/context.h"
#include "features/cpu_groups.h"
#include "features/cpufreq_set.h"
#include "features/cpuidle_set.h"
#include "features/machine_reading.h"
#include "machine/cpuidle.h"

#define US_PER_S 1000000

struct info_arguments {
	bool each;
	bool usage;
	struct option_number interval_s;
};

/* What the counts are to be shown with. */
struct usage {
	bool shown;
	uint64_t elapsed_us; /* 0: not known */
};

static bool are_equal(const void *left, const void *right)
{
	return cpuidle_cpu_equal(left, right, false);
}

static bool are_equal_in_use(const void *left, const void *right)
{
	return cpuidle_cpu_equal(left, right, true);
}

static void put_usage(struct output *output, const struct cpuidle_state *state,
		      const struct usage *usage)
{
	output_value(output, "entries", "%" PRIu64, state->usage);
	output_value(output, "time(us)", "%" PRIu64, state->time_us);
	if (usage->elapsed_us)
		output_value(output, "share(%)", "%.2f",
			     100.0 * (double)state->time_us / (double)usage->elapsed_us);
}

static void put_state(struct output *output, const struct cpuidle_state *state,
		      const struct usage *usage)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "state-%" PRIu32, state->number);

	output_value(output, "name", "%s", state->name);
	if (state->desc)
		output_value(output, "description", "%s", state->desc);
	output_value(output, "exit-latency(us)", "%" PRIu64, state->latency_us);
	output_value(output, "target-residency(us)", "%" PRIu64, state->residency_us);
	output_value(output, "status", "%s", state->disabled ? "disabled" : "enabled");
	if (state->default_status)
		output_value(output, "default", "%s", state->default_status);
	if (usage->shown)
		put_usage(output, state, usage);
}

/* The words that cpuidle set --qos-latency takes. */
static const char *qos_word(const char *text)
{
	if (strcmp(text, "0") == 0)
		return "none";
	return strcmp(text, "n/a") == 0 ? "0" : text;
}

static void put_group(struct output *output, const struct cpu_group *group,
		      const struct usage *usage)
{
	const struct cpuidle_cpu *cpu = group->record;
	struct output_place place = cpu_groups_place(group);
	_cleanup_scope_ struct output_scope outer = output_enter_place(output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(output, "cpuidle");

	if (cpu->resume_latency)
		output_value(output, "qos-latency(us)", "%s", qos_word(cpu->resume_latency));
	for (size_t i = 0; i < cpu->n_states; i++)
		put_state(output, &cpu->states[i], usage);
}

static void put_word(struct output *output, const char *name, const char *value)
{
	if (value)
		output_value(output, name, "%s", value);
}

static int put_machine(struct context *context)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	int err = cpuidle_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err) {
		context_fail(context, NULL, err, "cpuidle of the whole machine");
		return 0;
	}
	_cleanup_scope_ struct output_scope outer = output_enter(context->output, "machine");
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "cpuidle");
	put_word(context->output, "driver", machine.driver);
	put_word(context->output, "governor", machine.governor);
	put_word(context->output, "available-governors", machine.governors);
	if (machine.enable_c02)
		output_value(context->output, "c02", "%s",
			     strcmp(machine.enable_c02, "0") == 0 ? "disabled" : "enabled");
	put_word(context->output, "umwait-max-time", machine.max_time);
	return 0;
}

/* Reads again after the interval; what is left in the reading is what happened meanwhile. */
static int read_interval(struct context *context, uint64_t interval_s,
			 struct machine_reading *reading, struct usage *usage)
{
	_cleanup_machine_reading_ struct machine_reading before = *reading;
	uint64_t start_us = wait_now_us();
	int err;

	*reading = (struct machine_reading){ 0 };
	if (!context->rehearses)
		wait_us_or_stop(context->environment.stop, interval_s * US_PER_S);
	err = machine_reading_idle(context, true, reading);
	usage->elapsed_us = wait_now_us() - start_us;
	for (size_t i = 0; i < before.count && !err; i++) {
		struct cpuidle_cpu *cpu = (struct cpuidle_cpu *)reading->storage + i;

		if (!before.records[i] || !reading->records[i])
			reading->records[i] = NULL;
		else
			cpuidle_subtract(cpu, before.records[i]);
	}
	return err;
}

static int put_cpus(struct context *context, const struct machine_reading *reading, bool each,
		    const struct usage *usage)
{
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	bool (*equal)(const void *, const void *) = usage->shown ? are_equal_in_use : are_equal;
	int err = cpu_groups_make(&context->machine->topology, context->cpus, reading->records,
				  each ? NULL : equal, &groups);

	for (size_t i = 0; i < groups.count && !err; i++) {
		put_group(context->output, &groups.groups[i], usage);
		context_count_done(context);
	}
	return err;
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	_cleanup_machine_reading_ struct machine_reading reading = { 0 };
	struct usage usage = { .shown = arguments->usage || arguments->interval_s.given };
	bool lacks;
	int err = machine_reading_idle(context, usage.shown, &reading);

	if (err)
		return err;
	lacks = context_status(context) == STATUS_UNSUPPORTED;
	if (arguments->interval_s.given && !lacks)
		err = read_interval(context, arguments->interval_s.value, &reading, &usage);
	else if (usage.shown &&
		 cpuidle_read_uptime(context->machine->host->files, &usage.elapsed_us))
		usage.elapsed_us = 0;
	if (!err && !lacks)
		err = put_machine(context);
	return err ?: put_cpus(context, &reading, arguments->each, &usage);
}

static const struct option info_options[] = {
	{ .name = "each",
	  .help = "Show every CPU on its own, also those that are alike",
	  OPTION_FLAG(struct info_arguments, each) },
	{ .name = "usage",
	  .help = "Show how often and how long each state was used, and its share of the time",
	  OPTION_FLAG(struct info_arguments, usage) },
	{ .name = "interval",
	  .value = "SECONDS",
	  .help = "The same, of so many seconds from now instead of since boot",
	  OPTION_NUMBER(struct info_arguments, interval_s, 1, 86400) },
	OPTIONS_END,
};

/* For completion, which does not ask the machine: what kernels have. */
static const char *const latency_words[] = { "none", "0", NULL };
static const char *const governor_words[] = { "menu", "teo", "ladder", "haltpoll", NULL };

static const struct option set_options[] = {
	{ .name = "enable",
	  .value = "NAMES",
	  .help = "Allow these idle states, comma between: C1,C1E",
	  OPTION_TEXT(struct cpuidle_set_arguments, enable) },
	{ .name = "disable",
	  .value = "NAMES",
	  .help = "Forbid these idle states",
	  OPTION_TEXT(struct cpuidle_set_arguments, disable) },
	{ .name = "deepest",
	  .value = "NAME",
	  .help = "Allow this idle state and all lighter ones, forbid all deeper ones",
	  OPTION_TEXT(struct cpuidle_set_arguments, deepest) },
	{ .name = "max-latency",
	  .value = "US",
	  .help = "Allow the idle states that can be left in so many microseconds, forbid all others",
	  OPTION_NUMBER(struct cpuidle_set_arguments, max_latency_us, 0, UINT32_MAX) },
	{ .name = "qos-latency",
	  .value = "US|none|0",
	  .words = latency_words,
	  .help = "The longest time to wake up; 0 allows no idle state that takes any",
	  OPTION_TEXT(struct cpuidle_set_arguments, qos_latency) },
	{ .name = "governor",
	  .value = "NAME",
	  .words = governor_words,
	  .help = "Governor of idle states, of the whole machine",
	  OPTION_TEXT(struct cpuidle_set_arguments, governor) },
	{ .name = "c02",
	  .value = "on|off",
	  .help = "Allow C0.2 to umwait and tpause, on the whole machine",
	  OPTION_WORD(struct cpuidle_set_arguments, c02, cpufreq_set_switch_words) },
	{ .name = "umwait-max-time",
	  .value = "N",
	  .help = "The longest umwait, in ticks of the TSC, a multiple of 4; 0: no limit",
	  OPTION_NUMBER(struct cpuidle_set_arguments, umwait_max_time, 0, UINT32_MAX) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show idle states, what they cost and how they are used",
	  .about =
		  "CPUs of a die that are alike are shown together. Without --cpu: all CPUs that are online.",
	  .flags = COMMAND_ANY_MACHINE,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "set",
	  .summary = "Allow and forbid idle states, set wake-up latency, governor and C0.2",
	  .about = "All or nothing, and read back. Without --cpu: all CPUs that are online.",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct cpuidle_set_arguments),
	  .run = cpuidle_set },
};

const struct feature cpuidle_feature = {
	.name = "cpuidle",
	.title = "Idle states, wake-up latency, C0.2; on any machine",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
