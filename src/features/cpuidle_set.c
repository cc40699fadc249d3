// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuidle set (sysfs.md, "cpuidle", "umwait", "PM QoS"; commands.md, "Safety of every setting
 * command"). Whatever is asked of idle states becomes one switch for each state of each CPU; what
 * stands as wanted is not written.
 */
#include "features/cpuidle_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/frequency_word.h"
#include "features/idle_choice.h"
#include "features/machine_reading.h"
#include "features/machine_setting.h"
#include "features/setting.h"
#include "plan/file_step.h"
#include "plan/subject.h"

#define CPU_ROOT        "/sys/devices/system/cpu"
#define GOVERNOR        CPU_ROOT "/cpuidle/current_governor"
#define ENABLE_C02      CPU_ROOT "/umwait_control/enable_c02"
#define MAX_TIME        CPU_ROOT "/umwait_control/max_time"
#define MAX_QOS_LATENCY (INT32_MAX - 1)

enum { PATH_SIZE = 112, NUMBER_SIZE = 24, SWITCH_ON = 0, TIME_UNIT = 4 };

/* A run of the command. */
struct job {
	struct context *context;
	const struct cpuidle_set_arguments *arguments;
	struct idle_choice choice;
	const char *qos_text; /* what is written for qos_latency */
	struct machine_reading reading;
};

static bool sets_states(const struct cpuidle_set_arguments *arguments)
{
	return arguments->enable || arguments->disable || arguments->deepest ||
	       arguments->max_latency_us.given;
}

static bool sets_cpus(const struct cpuidle_set_arguments *arguments)
{
	return sets_states(arguments) || arguments->qos_latency;
}

static bool sets_machine(const struct cpuidle_set_arguments *arguments)
{
	return arguments->governor || arguments->c02.given || arguments->umwait_max_time.given;
}

/* Adds a step; what cannot be read becomes an error in the output. Returns 0 or -ENOMEM. */
static int add(struct job *job, const struct file_step *step)
{
	int err = file_step_add(job->context->plan, job->context->machine->host->files, step);

	if (!err || err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		context_lack(job->context, NULL, "%s: this machine has no %s", step->what,
			     step->path);
	else
		context_fail(job->context, NULL, err, "%s", step->what);
	return 0;
}

static int plan_state(struct job *job, uint32_t cpu, const struct cpuidle_state *state,
		      bool disabled)
{
	_cleanup_free_ char *what = NULL;
	char path[PATH_SIZE];

	if (disabled == (state->disabled != 0))
		return 0; /* as it was just read */
	if (asprintf(&what, "disable of %s", state->name) < 0) {
		what = NULL;
		return -ENOMEM;
	}
	snprintf(path, sizeof(path), CPU_ROOT "/cpu%" PRIu32 "/cpuidle/state%" PRIu32 "/disable",
		 cpu, state->number);
	return add(job, &(struct file_step){
				.subject = subject_of_cpu(job->context->machine, cpu),
				.path = path,
				.what = what,
				.text = disabled ? "1" : "0",
				.check = PLAN_CHECK_NUMBER,
			});
}

static int refuse_name(struct job *job, uint32_t cpu, const struct cpuidle_cpu *idle,
		       const char *wrong)
{
	_cleanup_free_ char *names = idle_choice_names(idle);

	if (!names)
		return -ENOMEM;
	context_refuse_usage(job->context, "\"%s\" is no idle state of cpu-%" PRIu32 "; it has %s",
			     wrong, cpu, names);
	return 0;
}

static int plan_states(struct job *job, uint32_t cpu, const struct cpuidle_cpu *idle)
{
	_cleanup_free_ bool *disabled = calloc(idle->n_states, sizeof(*disabled));
	_cleanup_free_ char *wrong = NULL;
	int err;

	if (!disabled)
		return -ENOMEM;
	err = idle_choice_apply(&job->choice, idle, disabled, &wrong);
	if (err == -ENOENT)
		return refuse_name(job, cpu, idle, wrong);
	for (size_t i = 0; i < idle->n_states && !err; i++)
		err = plan_state(job, cpu, &idle->states[i], disabled[i]);
	return err;
}

static int plan_qos(struct job *job, uint32_t cpu)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), CPU_ROOT "/cpu%" PRIu32 "/power/pm_qos_resume_latency_us",
		 cpu);
	return add(job, &(struct file_step){
				.subject = subject_of_cpu(job->context->machine, cpu),
				.path = path,
				.what = "pm_qos_resume_latency_us",
				.text = job->qos_text,
				.check = PLAN_CHECK_TEXT,
			});
}

static int plan_cpus(struct job *job)
{
	size_t position = 0;
	int err = sets_states(job->arguments)
			  ? machine_reading_idle(job->context, false, &job->reading)
			  : 0;

	cpuset_foreach (cpu, job->context->cpus) {
		if (err || setting_is_refused(job->context))
			break;
		if (sets_states(job->arguments)) {
			const struct cpuidle_cpu *idle = job->reading.records[position++];

			/* NULL: still to come online, and never online so far */
			err = idle ? plan_states(job, cpu, idle) : 0;
		}
		if (job->arguments->qos_latency)
			err = err ?: plan_qos(job, cpu);
	}
	return err;
}

static int add_machine(struct job *job, const char *path, const char *text,
		       enum plan_check_kind check)
{
	return add(job, &(struct file_step){
				.subject = { .package = PLAN_NO_PACKAGE, .cpu = PLAN_NO_CPU },
				.path = path,
				.what = strrchr(path, '/') + 1,
				.text = text,
				.check = check,
			});
}

static int plan_governor(struct job *job)
{
	const char *governor = job->arguments->governor;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	int err = cpuidle_read_machine(job->context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err || !machine.governors) {
		context_lack(job->context, NULL,
			     "--governor: this kernel does not tell its cpuidle governors");
		return 0;
	}
	if (!frequency_word_is_in(governor, machine.governors)) {
		context_refuse_usage(job->context,
				     "--governor %s: this kernel has no such cpuidle governor; it "
				     "has %s",
				     governor, machine.governors);
		return 0;
	}
	return add_machine(job, GOVERNOR, governor, PLAN_CHECK_TEXT);
}

static int plan_machine(struct job *job)
{
	const struct cpuidle_set_arguments *arguments = job->arguments;
	char max_time[NUMBER_SIZE];
	int err = arguments->governor ? plan_governor(job) : 0;

	if (arguments->c02.given)
		err = err
			      ?: add_machine(job, ENABLE_C02,
					     arguments->c02.index == SWITCH_ON ? "1" : "0",
					     PLAN_CHECK_NUMBER);
	snprintf(max_time, sizeof(max_time), "%" PRIu64, arguments->umwait_max_time.value);
	if (arguments->umwait_max_time.given)
		err = err ?: add_machine(job, MAX_TIME, max_time, PLAN_CHECK_NUMBER);
	return err;
}

/* What is written to pm_qos_resume_latency_us, where 0 means that there is no limit. */
static bool choose_qos(struct job *job)
{
	const char *wanted = job->arguments->qos_latency;
	uint64_t latency_us;

	job->qos_text = wanted;
	if (!wanted)
		return true;
	if (strcmp(wanted, "none") == 0) {
		job->qos_text = "0";
		return true;
	}
	if (number_parse(wanted, 0, MAX_QOS_LATENCY, &latency_us)) {
		context_refuse_usage(job->context,
				     "--qos-latency %s: none or a number from 0 to %d was expected",
				     wanted, MAX_QOS_LATENCY);
		return false;
	}
	if (latency_us == 0)
		job->qos_text = "n/a";
	return true;
}

static bool check_usage(struct job *job)
{
	const struct cpuidle_set_arguments *arguments = job->arguments;
	struct context *context = job->context;
	_cleanup_free_ char *conflict = idle_choice_find_conflict(&job->choice);

	if (!sets_cpus(arguments) && !sets_machine(arguments))
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (arguments->deepest && arguments->max_latency_us.given)
		context_refuse_usage(context,
				     "--deepest and --max-latency say two things about the "
				     "same states");
	else if (conflict)
		context_refuse_usage(context, "%s stands in --enable and in --disable", conflict);
	else if (arguments->umwait_max_time.value % TIME_UNIT)
		context_refuse_usage(context,
				     "--umwait-max-time %" PRIu64 ": the kernel takes multiples of "
				     "4 only",
				     arguments->umwait_max_time.value);
	else if (context->cpus_given && !sets_cpus(arguments))
		output_note(context->output,
			    "what is set is of the whole machine, whatever --cpu says");
	return !context->tally.usage;
}

/* Governors that make something else of a state that is disabled (sysfs.md; seen with 6.18). */
static const struct {
	const char *governor;
	const char *note;
} governor_notes[] = {
	{ "haltpoll",
	  "the governor haltpoll enters idle states that are disabled all the same; with "
	  "--governor menu it does not happen" },
	{ "ladder", "under the governor ladder a disabled idle state hides all deeper ones" },
};

static int note_governor(const struct job *job)
{
	const struct cpuidle_set_arguments *arguments = job->arguments;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	const char *governor;
	int err;

	if (!sets_states(arguments) || setting_is_refused(job->context))
		return 0;
	err = cpuidle_read_machine(job->context->machine->host->files, &machine);
	governor = arguments->governor ?: machine.governor;
	for (size_t i = 0; i < ARRAY_SIZE(governor_notes) && governor; i++) {
		if (strcmp(governor, governor_notes[i].governor) == 0)
			output_note(job->context->output, "%s", governor_notes[i].note);
	}
	return err == -ENOMEM ? err : 0;
}

static int run(struct job *job)
{
	const struct machine_setting setting = {
		.node = "cpuidle",
		.of_cpus = sets_cpus(job->arguments),
		.of_machine = sets_machine(job->arguments),
	};
	bool is_set;
	int err = plan_machine(job);

	if (!err && setting.of_cpus && !setting_is_refused(job->context))
		err = plan_cpus(job);
	err = err ?: note_governor(job);
	return err ?: machine_setting_finish(job->context, &setting, &is_set);
}

int cpuidle_set(struct context *context, const void *arguments_pointer)
{
	const struct cpuidle_set_arguments *arguments = arguments_pointer;
	struct job job = {
		.context = context,
		.arguments = arguments,
		.choice = { .enable = arguments->enable,
			    .disable = arguments->disable,
			    .deepest = arguments->deepest,
			    .has_max_latency = arguments->max_latency_us.given,
			    .max_latency_us = arguments->max_latency_us.value },
	};
	int err;

	if (!check_usage(&job) || !choose_qos(&job))
		return 0;
	err = run(&job);
	machine_reading_done(&job.reading);
	return err;
}
