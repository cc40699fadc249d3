// SPDX-License-Identifier: GPL-2.0-only
/* cpuidle: idle states of any machine, their usage, umwait and the limit of wake-up latency
 * (sysfs.md, "cpuidle", "umwait", "PM QoS"). Shares are of the time since boot, or of the measured
 * interval; the kernel counts the time in a state when the CPU leaves it. */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/cpuidle.h"
#include "instruments/workload.h"
#include "run/cpu_records.h"

#define MAX_QOS_LATENCY (INT32_MAX - 1)
#define TIME_UNIT       4 /* of umwait */

/* The options; each command has some of them. */
struct arguments {
	bool usage;
	struct option_number interval_s;
	const char *enable; /* names, separated by commas */
	const char *disable;
	const char *deepest;
	struct option_number max_latency_us;
	const char *qos_latency; /* us, none or 0 */
	const char *governor;
	struct option_number c1_demotion;
	struct option_number c02;
	struct option_number umwait_max_time;
};

struct usage {
	bool shown;
	uint64_t elapsed_us; /* 0: unknown, without shares */
};

static bool are_equal(const void *left, const void *right)
{
	return cpuidle_cpu_equal(left, right, false);
}

static bool are_equal_in_use(const void *left, const void *right)
{
	return cpuidle_cpu_equal(left, right, true);
}

static void put_state(struct output *output, const struct cpuidle_state *state,
		      const struct usage *usage)
{
	_cleanup_scope_ struct output_scope scope = output_enter(output, "state-%u", state->number);

	output_known_text(output, "name", state->name);
	output_known_text(output, "description", state->desc);
	output_number(output, "exit-latency(us)", state->latency_us, "");
	output_number(output, "target-residency(us)", state->residency_us, "");
	output_known_text(output, "status", state->disabled ? "disabled" : "enabled");
	output_known_text(output, "default", state->default_status);
	if (!usage->shown)
		return;
	output_number(output, "entries", state->usage, "");
	output_number(output, "time(us)", state->time_us, "");
	if (usage->elapsed_us)
		output_value(output, "share(%)", "%.2f",
			     100.0 * (double)state->time_us / (double)usage->elapsed_us);
}

static void put_group(struct output *output, const struct cpu_group *group,
		      const struct usage *usage)
{
	const struct cpuidle_cpu *cpu = group->data;
	struct output_place place = cpu_groups_place(group);
	_cleanup_scope_ struct output_scope scope = output_enter_place(output, &place, "cpuidle");

	output_known_text(output, "core-type", group->core_type);
	if (cpu->resume_latency)
		output_value(output, "qos-latency(us)", "%s",
			     cpuidle_latency_word(cpu->resume_latency));
	for (size_t i = 0; i < cpu->n_states; i++)
		put_state(output, &cpu->states[i], usage);
}

static void put_switch(struct output *output, const char *name, const char *text)
{
	if (text)
		output_value(output, name, "%s", strcmp(text, "0") == 0 ? "disabled" : "enabled");
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
	output_known_text(context->output, "driver", machine.driver);
	output_known_text(context->output, "governor", machine.governor);
	output_known_text(context->output, "available-governors", machine.governors);
	put_switch(context->output, "c1-demotion", machine.c1_demotion);
	put_switch(context->output, "c02", machine.enable_c02);
	output_known_text(context->output, "umwait-max-time", machine.max_time);
	return 0;
}

/* Reads again after the interval, and stores the usage in the interval in *reading. */
static int read_interval(struct context *context, uint64_t interval_s, struct cpu_records *reading,
			 struct usage *usage)
{
	_cleanup_cpu_records_ struct cpu_records before = *reading;
	struct workload *workload = context->machine->host->workload;
	uint64_t start_ns = workload->ops->now_ns(workload);
	int err;

	*reading = (struct cpu_records){ 0 };
	if (!context->is_trial)
		workload->ops->wait_ns(workload, interval_s * NS_PER_S,
				       context->plan.execution.environment.stop);
	err = cpu_records_read(context, &(struct cpuidle_reading){ .with_usage = true }, reading);
	usage->elapsed_us = (workload->ops->now_ns(workload) - start_ns) / NS_PER_US;
	if (err)
		return err;
	for (size_t i = 0; i < before.count; i++) {
		struct cpu_record *record = &reading->list[i];

		if (record->data && before.list[i].data)
			cpuidle_subtract(record->data, before.list[i].data);
		else
			record->is_left_out = true;
	}
	return 0;
}

static int info(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_cpu_records_ struct cpu_records reading = { 0 };
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	struct usage usage = { .shown = arguments->usage || arguments->interval_s.given };
	bool (*equal)(const void *, const void *) = usage.shown ? are_equal_in_use : are_equal;
	const struct cpuidle_reading request = { .with_usage = usage.shown };
	bool lacks;
	int err = cpu_records_read(context, &request, &reading);

	if (err)
		return err;
	lacks = report_status(&context->report) == STATUS_UNSUPPORTED;
	if (arguments->interval_s.given && !lacks)
		err = read_interval(context, arguments->interval_s.value, &reading, &usage);
	else if (usage.shown &&
		 cpuidle_read_uptime(context->machine->host->files, &usage.elapsed_us))
		usage.elapsed_us = 0;
	if (!err && !lacks)
		err = put_machine(context);
	if (err)
		return err;
	err = cpu_groups_make(&context->machine->topology, reading.list, reading.count,
			      context->request->globals->each ? NULL : equal, &groups);
	for (size_t i = 0; i < groups.count && !err; i++) {
		put_group(context->output, &groups.groups[i], &usage);
		/* freed here: with --each the output of a large machine also needs much memory */
		cpuidle_cpu_done(cpu_records_find(&reading, groups.groups[i].cpu));
		context->report.n_results++;
	}
	return err;
}

static bool sets_states(const struct arguments *arguments)
{
	return arguments->enable || arguments->disable || arguments->deepest ||
	       arguments->max_latency_us.given;
}

static bool sets_cpus(const struct arguments *arguments)
{
	return sets_states(arguments) || arguments->qos_latency;
}

static bool sets_machine(const struct arguments *arguments)
{
	return arguments->governor || arguments->c1_demotion.given || arguments->c02.given ||
	       arguments->umwait_max_time.given;
}

static bool check_usage(struct context *context, const struct arguments *arguments,
			const struct cpuidle_choice *choice)
{
	_cleanup_free_ char *conflict = cpuidle_find_conflict(choice);

	if (!sets_cpus(arguments) && !sets_machine(arguments))
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (arguments->deepest && arguments->max_latency_us.given)
		context_refuse_usage(context,
				     "--deepest and --max-latency select the same states; give "
				     "one");
	else if (conflict)
		context_refuse_usage(context, "%s is in --enable and in --disable", conflict);
	else if (arguments->umwait_max_time.value % TIME_UNIT)
		context_refuse_usage(context,
				     "--umwait-max-time %" PRIu64 ": the kernel accepts only "
				     "multiples of 4",
				     arguments->umwait_max_time.value);
	else if (context->request->cpus && !sets_cpus(arguments))
		context_refuse_usage(context, "--cpu: these settings are of the whole machine");
	return !report_has(&context->report, REPORT_USAGE);
}

static int request_machine(struct context *context, const struct arguments *arguments)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	const char *governor = arguments->governor, *used;
	int err = 0;

	if (governor || sets_states(arguments))
		err = cpuidle_read_machine(context->machine->host->files, &machine);
	if (err == -ENOMEM)
		return err;
	if (governor && err)
		context_fail(context, NULL, err, "cpuidle of the whole machine");
	else if (governor && !machine.governors)
		context_lack(context, NULL,
			     "--governor: this kernel does not list its cpuidle governors");
	else if (governor && !files_has_word(machine.governors, governor))
		context_refuse_usage(context,
				     "--governor %s: this kernel has no such cpuidle governor; it "
				     "has %s",
				     governor, machine.governors);
	else if (governor)
		context_request(context, "cpuidle.governor", .value.text = governor);
	/* Notes on governors that enter or hide disabled idle states (sysfs.md; seen with 6.18). */
	used = governor ?: machine.governor ?: "";
	if (sets_states(arguments) && strcmp(used, "haltpoll") == 0)
		context->plan.wanted.note =
			"the governor haltpoll enters idle states that are disabled all the same; "
			"with --governor menu it does not happen";
	else if (sets_states(arguments) && strcmp(used, "ladder") == 0)
		context->plan.wanted.note =
			"under the governor ladder a disabled idle state hides all deeper ones";
	if (arguments->c1_demotion.given)
		context_request(context, "cpuidle.c1-demotion",
				.value.on = option_switch_is_on(&arguments->c1_demotion));
	if (arguments->c02.given)
		context_request(context, "cpuidle.c02",
				.value.on = option_switch_is_on(&arguments->c02));
	if (arguments->umwait_max_time.given)
		context_request(context, "cpuidle.umwait-max-time",
				.value.number = arguments->umwait_max_time.value);
	return 0;
}

/* Adds a request for each state of the CPU that changes. A name that no state has is refused. */
static int request_states(struct context *context, const struct cpuidle_choice *choice,
			  uint32_t cpu, const struct cpuidle_cpu *idle)
{
	_cleanup_free_ bool *disabled = calloc(idle->n_states, sizeof(*disabled));
	_cleanup_free_ char *wrong = NULL, *names = NULL;
	const char *option;
	int err = disabled ? cpuidle_choose(choice, idle, disabled, &option, &wrong) : -ENOMEM;

	if (err == -ENOENT) {
		names = cpuidle_format_names(idle);
		if (!names)
			return -ENOMEM;
		context_refuse_usage(context, "%s: unknown idle state \"%s\"; cpu-%u has %s%s",
				     option, wrong, cpu, names, option_suggest(names, wrong).text);
		return 0;
	}
	for (size_t i = 0; i < idle->n_states && !err; i++) {
		if (disabled[i] != (idle->states[i].disabled != 0))
			context_request(context, "cpuidle.states.NAME", .cpu = cpu,
					.idle_state = &idle->states[i],
					.is_disabled = idle->states[i].disabled,
					.value.on = !disabled[i]);
	}
	return err;
}

/* The data that the requests point to. */
struct kept {
	struct cpu_records idle;
	char latency[24]; /* as its file has it; "": not set */
};

static void kept_done(void *data)
{
	cpu_records_done(&((struct kept *)data)->idle);
}

static int request_cpus(struct context *context, const struct arguments *arguments,
			const struct cpuidle_choice *choice, struct kept *kept)
{
	struct cpu_records *idle = &kept->idle;
	size_t position = 0;
	int err = 0;

	if (sets_states(arguments))
		err = cpu_records_read(context, &(struct cpuidle_reading){ .choice = choice },
				       idle);
	if (err)
		return err;
	cpuset_foreach (cpu, context->targets.cpus) {
		/* NULL: the CPU will come online, and was never online before */
		const struct cpuidle_cpu *data = idle->count ? idle->list[position++].data : NULL;

		if (report_has_problem(&context->report))
			return 0;
		err = data ? request_states(context, choice, cpu, data) : 0;
		if (err)
			return err;
		if (*kept->latency)
			context_request(context, "cpuidle.qos-latency-us", .cpu = cpu,
					.value.text = kept->latency);
	}
	return 0;
}

/* Converts the option (NULL: not given) to the format of its file, in which 0 means no limit.
 * Returns false, and reports it, if it is wrong. */
static bool read_latency(struct context *context, const char *option, char text[24])
{
	uint64_t us = 0;

	if (!option)
		return true;
	if (strcmp(option, "none") != 0 &&
	    number_parse_time(option, false, 0, MAX_QOS_LATENCY, &us)) {
		context_refuse_usage(context,
				     "--qos-latency %s: none or a time from 0 to %dus was "
				     "expected, with its unit, such as 250us or 1ms",
				     option, MAX_QOS_LATENCY);
		return false;
	}
	if (strcmp(option, "none") != 0 && us == 0)
		strcpy(text, "n/a");
	else
		snprintf(text, 24, "%" PRIu64, us);
	return true;
}

static int set(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	const struct cpuidle_choice choice = {
		.enable = arguments->enable,
		.disable = arguments->disable,
		.deepest = arguments->deepest,
		.has_max_latency = arguments->max_latency_us.given,
		.max_latency_us = arguments->max_latency_us.value,
	};
	struct kept *kept = context_keep(context, sizeof(*kept), kept_done);
	int err;

	if (!kept)
		return -ENOMEM;
	if (!check_usage(context, arguments, &choice) ||
	    !read_latency(context, arguments->qos_latency, kept->latency))
		return 0;
	context->plan.wanted.of_cpus = sets_cpus(arguments);
	context->plan.wanted.of_machine = sets_machine(arguments);
	err = request_machine(context, arguments);
	if (err || report_has_problem(&context->report) || !sets_cpus(arguments))
		return err;
	return request_cpus(context, arguments, &choice, kept);
}

static const struct option info_options[] = {
	{ 0, "usage", NULL,
	  "Show how often and how long each state was used, and its share of the time",
	  OPTION_FLAG(struct arguments, usage) },
	{ 0, "interval", "TIME", "Measure the use for this time (default: show it since boot)",
	  OPTION_SECONDS(struct arguments, interval_s, 1, 86400) },
	{ 0 },
};

/* Words that kernels have, for completion, which does not read the machine. */
static const char *const latency_words[] = { "none", "0", NULL };
static const char *const state_words[] = { "POLL", "C0.2", "C1", "C1E", "C6", "C6P", NULL };
static const char *const governor_words[] = { "menu", "teo", "ladder", "haltpoll", NULL };

static const struct option set_options[] = {
	{ 0, "enable", "NAMES", "Allow these idle states, separated by commas: C1,C1E",
	  OPTION_TEXT(struct arguments, enable), .words = state_words, .list = true },
	{ 0, "disable", "NAMES", "Forbid these idle states, separated by commas",
	  OPTION_TEXT(struct arguments, disable), .words = state_words, .list = true },
	{ 0, "deepest", "NAME",
	  "Allow this idle state and all lighter ones, forbid all deeper ones",
	  OPTION_TEXT(struct arguments, deepest), .words = state_words },
	{ 0, "max-latency", "TIME",
	  "Allow the idle states with an exit latency of at most this time, forbid all others",
	  OPTION_US(struct arguments, max_latency_us, 0, UINT32_MAX) },
	{ 0, "qos-latency", "TIME|none|0",
	  "Longest time to wake up; 0 allows only states that wake up at once",
	  OPTION_TEXT(struct arguments, qos_latency), .words = latency_words },
	{ 0, "governor", "NAME", "Governor of idle states, of the whole machine",
	  OPTION_TEXT(struct arguments, governor), .words = governor_words },
	{ 0, "c1-demotion", "on|off",
	  "Let the hardware enter C1 when a deeper state was requested, on the whole machine",
	  OPTION_WORD(struct arguments, c1_demotion, option_switch_words) },
	{ 0, "c02", "on|off", "Let umwait and tpause use C0.2, on the whole machine",
	  OPTION_WORD(struct arguments, c02, option_switch_words) },
	{ 0, "umwait-max-time", "N",
	  "The longest umwait, in ticks of the TSC, a multiple of 4; 0: no limit",
	  OPTION_NUMBER(struct arguments, umwait_max_time, 0, UINT32_MAX) },
	{ 0 },
};

const struct command cpuidle_commands[] = {
	{ "info", "Show idle states, what they cost and how they are used", COMMAND_ANY_MACHINE,
	  info_options, sizeof(struct arguments),
	  .about = "Equal CPUs are shown together. Without --cpu: all CPUs that are online.",
	  .run = info },
	{ "set",
	  "Allow and forbid idle states, set wake-up latency, governor, C1 demotion and C0.2",
	  COMMAND_ANY_MACHINE | COMMAND_WRITES, set_options, sizeof(struct arguments),
	  .about = "Sets all or nothing, and reads the values back. Without --cpu: all CPUs that "
		   "are online.",
	  .run = set },
	{ 0 },
};
