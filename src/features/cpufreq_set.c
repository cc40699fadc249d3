// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpufreq set (sysfs.md, "cpufreq policy", "intel_pstate", "EPB"; commands.md, "Safety of every
 * setting command"). What the kernel would silently turn into something else is refused before the
 * first write; the order is turbo, governors, energy hints, limits. A policy of several CPUs is set
 * once.
 */
#include "features/cpufreq_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/frequency_word.h"
#include "features/machine_reading.h"
#include "features/machine_setting.h"
#include "features/setting.h"
#include "machine/cpufreq.h"
#include "plan/file_step.h"
#include "plan/scaling.h"
#include "plan/subject.h"

#define CPU_ROOT    "/sys/devices/system/cpu"
#define NO_TURBO    CPU_ROOT "/intel_pstate/no_turbo"
#define MIN_PERCENT CPU_ROOT "/intel_pstate/min_perf_pct"
#define BOOST       CPU_ROOT "/cpufreq/boost"

enum { PATH_SIZE = 112, SWITCH_ON = 0 };

const char *const cpufreq_set_switch_words[] = { "on", "off", NULL };

/* A run of the command. */
struct job {
	struct context *context;
	const struct cpufreq_set_arguments *arguments;
	struct machine_reading reading;
};

/* One CPU that is set: the first of its policy among those of the command. */
struct policy_job {
	struct job *job;
	const struct cpufreq_policy *policy;
	uint32_t cpu;
};

static bool sets_limits(const struct cpufreq_set_arguments *arguments)
{
	return arguments->min || arguments->max || arguments->lock;
}

static bool sets_cpus(const struct cpufreq_set_arguments *arguments)
{
	return sets_limits(arguments) || arguments->governor || arguments->epp || arguments->epb;
}

static struct files *files_of(const struct job *job)
{
	return job->context->machine->host->files;
}

static void write_path(const struct policy_job *at, const char *directory, const char *name,
		       char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, CPU_ROOT "/cpu%" PRIu32 "/%s/%s", at->cpu, directory, name);
}

/* Adds the write of a file of one CPU; its path and subject are filled in here. */
static int add_file(const struct policy_job *at, const char *directory, struct file_step step)
{
	char path[PATH_SIZE];
	int err;

	write_path(at, directory, step.what, path);
	step.subject = subject_of_cpu(at->job->context->machine, at->cpu);
	step.path = path;
	err = file_step_add(at->job->context->plan, files_of(at->job), &step);
	if (!err || err == -ENOMEM)
		return err;
	context_fail(at->job->context, NULL, file_step_cause(path, err).error,
		     "cpu-%" PRIu32 ": %s", at->cpu, step.what);
	return 0;
}

static int plan_governor(const struct policy_job *at)
{
	const char *governor = at->job->arguments->governor;

	if (!frequency_word_is_in(governor, at->policy->governors)) {
		context_refuse_usage(at->job->context,
				     "--governor %s: cpu-%" PRIu32 " has no such governor; it has "
				     "%s",
				     governor, at->cpu, at->policy->governors ?: "none");
		return 0;
	}
	return add_file(at, "cpufreq",
			(struct file_step){
				.what = "scaling_governor",
				.text = governor,
				.old_text = at->policy->governor,
				.check = PLAN_CHECK_TEXT,
			});
}

/* The kernel refuses any other preference then. */
static bool is_held_at_performance(const struct policy_job *at)
{
	const char *governor = at->job->arguments->governor ?: at->policy->governor;

	return at->policy->driver && strcmp(at->policy->driver, "intel_pstate") == 0 && governor &&
	       strcmp(governor, "performance") == 0;
}

static bool is_preference(const struct policy_job *at, const char *epp)
{
	uint64_t raw;

	return frequency_word_is_in(epp, at->policy->epps) || !number_parse(epp, 0, 255, &raw);
}

static int plan_preference(const struct policy_job *at)
{
	const char *epp = at->job->arguments->epp, *name = frequency_word_preference_name(epp);
	struct context *context = at->job->context;
	bool is_default = strcmp(epp, "default") == 0;

	if (!at->policy->epp) {
		context_lack(context, NULL,
			     "cpu-%" PRIu32 ": it has no energy performance preference", at->cpu);
		return 0;
	}
	if (!is_preference(at, epp)) {
		context_refuse_usage(context,
				     "--epp %s: a number from 0 to 255 or one of %s was "
				     "expected",
				     epp, at->policy->epps ?: "none");
		return 0;
	}
	if (is_held_at_performance(at) && strcmp(name ?: epp, "performance") != 0) {
		context_refuse(context, NULL,
			       "cpu-%" PRIu32 ": --epp %s: under the performance governor the "
			       "kernel keeps the preference at performance (EBUSY); give "
			       "--governor powersave too",
			       at->cpu, epp);
		return 0;
	}
	if (is_held_at_performance(at))
		return 0; /* it is there by itself, and could not be taken back */
	return add_file(at, "cpufreq",
			(struct file_step){
				.what = "energy_performance_preference",
				.text = epp,
				.other_text = name,
				.old_text = at->policy->epp,
				.check = is_default ? PLAN_CHECK_NONE : PLAN_CHECK_TEXT,
				.always = at->job->arguments->governor,
			});
}

static void refuse_bias(struct context *context, const char *epb)
{
	context_refuse_usage(context,
			     "--epb %s: a number from 0 to 15, performance, "
			     "balance-performance, normal, balance-power or power was "
			     "expected",
			     epb);
}

static int plan_bias(const struct policy_job *at)
{
	const char *epb = at->job->arguments->epb;
	char text[16];
	uint32_t bias;

	if (!at->policy->epb) {
		context_lack(at->job->context, NULL, "cpu-%" PRIu32 ": it has no energy bias",
			     at->cpu);
		return 0;
	}
	if (frequency_word_parse_bias(epb, &bias)) {
		refuse_bias(at->job->context, epb);
		return 0;
	}
	snprintf(text, sizeof(text), "%" PRIu32, bias);
	return add_file(at, "power",
			(struct file_step){
				.what = "energy_perf_bias",
				.text = text,
				.old_text = at->policy->epb,
				.check = PLAN_CHECK_NUMBER,
			});
}

/* Reads one limit. Returns whether it may be set; else it was refused. */
static bool read_limit(const struct policy_job *at, const char *option, const char *text,
		       uint32_t *ret_khz)
{
	char mhz[MACHINE_READING_MHZ_SIZE];
	int err = frequency_word_parse(text, at->policy, ret_khz);

	if (err == -EINVAL)
		context_refuse_usage(at->job->context, "%s %s: MHz, min, base or max was expected",
				     option, text);
	else if (err == -ENODATA)
		context_lack(at->job->context, NULL,
			     "cpu-%" PRIu32 ": cpufreq tells no %s frequency", at->cpu, text);
	else if (err == -ERANGE) {
		machine_reading_format_mhz(*ret_khz, mhz);
		context_refuse_usage(at->job->context,
				     "%s %s: cpu-%" PRIu32 " can do no such frequency, and the "
				     "kernel would make it %s MHz",
				     option, text, at->cpu, mhz);
	}
	return !err;
}

/* What --min alone cannot be, and what --max alone does besides. */
static bool check_single(const struct policy_job *at, uint32_t min_khz, uint32_t max_khz)
{
	const struct cpufreq_set_arguments *arguments = at->job->arguments;
	char min[MACHINE_READING_MHZ_SIZE], max[MACHINE_READING_MHZ_SIZE];

	if (min_khz <= max_khz)
		return true;
	machine_reading_format_mhz(min_khz, min);
	machine_reading_format_mhz(max_khz, max);
	if (arguments->min && arguments->max)
		context_refuse_usage(at->job->context,
				     "--min %s MHz is above --max %s MHz on cpu-%" PRIu32, min, max,
				     at->cpu);
	else if (arguments->min)
		context_refuse(at->job->context, NULL,
			       "cpu-%" PRIu32 ": --min %s MHz is above its maximum, and the kernel "
			       "would make it %s MHz; give --max too",
			       at->cpu, min, max);
	else
		context_refuse(at->job->context, NULL,
			       "cpu-%" PRIu32 ": --max %s MHz is below its minimum, and the kernel "
			       "would lower that from %s MHz with it; give --min too",
			       at->cpu, max, min);
	return false;
}

static bool is_frequency_word(const char *text)
{
	return strcmp(text, "min") == 0 || strcmp(text, "base") == 0 || strcmp(text, "max") == 0;
}

/*
 * Puts the limits of the options into *range; one that is not given stays as it is there, and so
 * does a word unless with_words. Returns false if they are refused, which is reported.
 */
static bool read_limits(const struct policy_job *at, bool with_words, struct scaling_range *range)
{
	const struct cpufreq_set_arguments *arguments = at->job->arguments;
	const char *min = arguments->lock ?: arguments->min;
	const char *max = arguments->lock ?: arguments->max;

	if (min && (with_words || !is_frequency_word(min)) &&
	    !read_limit(at, arguments->lock ? "--lock" : "--min", min, &range->min_khz))
		return false;
	if (max && (with_words || !is_frequency_word(max)) &&
	    !read_limit(at, arguments->lock ? "--lock" : "--max", max, &range->max_khz))
		return false;
	return check_single(at, range->min_khz, range->max_khz);
}

static int plan_limits(const struct policy_job *at)
{
	const struct scaling_range old = { at->policy->min_khz, at->policy->max_khz };
	struct scaling_range wanted = old;
	int err;

	if (!read_limits(at, true, &wanted))
		return 0;
	err = scaling_plan_change(at->job->context->plan, at->job->context->machine, at->cpu, &old,
				  &wanted);
	if (!err || err == -ENOMEM)
		return err;
	context_fail(at->job->context, NULL, err, "cpu-%" PRIu32 ": limits of cpufreq", at->cpu);
	return 0;
}

/* Does a lower CPU of the command stand for this one's policy? */
static bool is_follower(const struct job *job, const struct cpufreq_policy *policy, uint32_t cpu)
{
	uint32_t first = cpuset_next(&policy->cpus, 0);

	while (first != CPUSET_NONE && first < cpu && !cpuset_has(job->context->cpus, first))
		first = cpuset_next(&policy->cpus, first + 1);
	return first < cpu;
}

/* Goes through the CPUs until one is refused. by_policy: only the first CPU of each policy. */
static int for_each(struct job *job, bool by_policy, int (*plan)(const struct policy_job *at))
{
	size_t position = 0;
	int err = 0;

	cpuset_foreach (cpu, job->context->cpus) {
		struct policy_job at = { job, job->reading.records[position++], cpu };

		if (err || setting_is_refused(job->context))
			break;
		if (!by_policy || !is_follower(job, at.policy, cpu))
			err = plan(&at);
	}
	return err;
}

/* Notes the CPUs that are set because they share a policy with others. */
static int note_companions(struct job *job)
{
	_cleanup_cpuset_ struct cpuset others = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = 0;

	for (size_t i = 0; i < job->reading.count && !err; i++) {
		const struct cpufreq_policy *policy = job->reading.records[i];

		err = cpuset_add_all(&others, &policy->cpus);
	}
	if (err)
		return err;
	cpuset_remove_all(&others, job->context->cpus);
	if (cpuset_is_empty(&others))
		return 0;
	list = cpuset_format_ranges(&others);
	output_note(job->context->output,
		    "CPUs %s share a policy with those that are set, and get the same", list ?: "");
	return 0;
}

/* Adds a step of a CPU that is still to come online, whose files cannot be read yet. */
static int add_coming(const struct policy_job *at, const char *directory, const char *name,
		      const char *text)
{
	char path[PATH_SIZE];

	write_path(at, directory, name, path);
	return file_step_add_later(
		at->job->context->plan,
		&(struct file_step){
			.subject = subject_of_cpu(at->job->context->machine, at->cpu),
			.path = path,
			.what = name,
			.text = text,
		});
}

/* A limit: the frequency, or the file that the word stands for. */
static int add_coming_limit(const struct policy_job *at, const char *name, const char *text)
{
	const char *file = strcmp(text, "min") == 0    ? "cpuinfo_min_freq"
			   : strcmp(text, "base") == 0 ? "base_frequency"
						       : "cpuinfo_max_freq";
	char khz_text[16];
	uint32_t khz;

	if (is_frequency_word(text))
		return add_coming(at, "cpufreq", name, file);
	if (frequency_word_parse(text, at->policy, &khz))
		return 0; /* refused before */
	snprintf(khz_text, sizeof(khz_text), "%" PRIu32, khz);
	return add_coming(at, "cpufreq", name, khz_text);
}

static int plan_coming(const struct policy_job *at)
{
	const struct cpufreq_set_arguments *arguments = at->job->arguments;
	const char *min = arguments->lock ?: arguments->min;
	const char *max = arguments->lock ?: arguments->max;
	int err = 0;

	if (arguments->governor)
		err = add_coming(at, "cpufreq", "scaling_governor", arguments->governor);
	if (!err && arguments->epp)
		err = add_coming(at, "cpufreq", "energy_performance_preference", arguments->epp);
	if (!err && arguments->epb)
		err = add_coming(at, "power", "energy_perf_bias", arguments->epb);
	if (!err && max)
		err = add_coming_limit(at, "scaling_max_freq", max);
	if (!err && min)
		err = add_coming_limit(at, "scaling_min_freq", min);
	return err;
}

/* Plans for the CPUs that are still to come online, and leaves the others to be planned. */
static int plan_all_coming(struct job *job)
{
	static const struct cpufreq_policy unknown = { 0 };
	static const struct scaling_range any = { 0, UINT32_MAX };
	struct context *context = job->context;
	uint32_t bias;
	int err = 0;

	if (job->arguments->epb && frequency_word_parse_bias(job->arguments->epb, &bias))
		refuse_bias(context, job->arguments->epb);
	cpuset_foreach (cpu, context->cpus) {
		const struct policy_job at = { job, &unknown, cpu };
		struct scaling_range limits = any;

		if (!cpuset_has(&context->machine->topology.coming, cpu))
			continue;
		if (!err && !setting_is_refused(context) && read_limits(&at, false, &limits))
			err = plan_coming(&at);
	}
	return err ?: context_leave_coming_out(context);
}

static int plan_cpus(struct job *job)
{
	const struct cpufreq_set_arguments *arguments = job->arguments;
	int err = job->context->rehearses ? plan_all_coming(job) : 0;

	if (err || setting_is_refused(job->context) || cpuset_is_empty(job->context->cpus))
		return err;
	err = machine_reading_policies(job->context, &job->reading);
	if (err || setting_is_refused(job->context))
		return err;
	err = note_companions(job);
	if (arguments->governor)
		err = err ?: for_each(job, true, plan_governor);
	if (arguments->epp)
		err = err ?: for_each(job, true, plan_preference);
	if (arguments->epb)
		err = err ?: for_each(job, false, plan_bias);
	if (sets_limits(arguments))
		err = err ?: for_each(job, true, plan_limits);
	return err;
}

/* Turbo is switched by intel_pstate or, with other drivers, by boost. */
static int plan_turbo(struct job *job)
{
	bool on = job->arguments->turbo.index == SWITCH_ON;
	struct file_step step = {
		.subject = { .package = PLAN_NO_PACKAGE, .cpu = PLAN_NO_CPU },
		.path = NO_TURBO,
		.what = "no_turbo",
		.text = on ? "0" : "1",
		.check = PLAN_CHECK_NUMBER,
	};
	int err = file_step_add(job->context->plan, files_of(job), &step);

	if (err == -ENOENT) {
		step.path = BOOST;
		step.what = "boost";
		step.text = on ? "1" : "0";
		err = file_step_add(job->context->plan, files_of(job), &step);
	}
	if (!err || err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		context_lack(job->context, NULL,
			     "turbo cannot be switched here: there is neither no_turbo of "
			     "intel_pstate nor boost of cpufreq");
	else
		context_fail(job->context, NULL, err, "%s", step.what);
	return 0;
}

static bool check_usage(struct context *context, const struct cpufreq_set_arguments *arguments)
{
	if (arguments->lock && (arguments->min || arguments->max))
		context_refuse_usage(context, "--lock sets both limits: --min and --max do not go "
					      "with it");
	else if (!sets_cpus(arguments) && !arguments->turbo.given)
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (context->cpus_given && !sets_cpus(arguments))
		output_note(context->output,
			    "--turbo is of the whole machine, whatever --cpu says");
	return !context->tally.usage;
}

/* Switching turbo off may lower what min_perf_pct was (sysfs.md, "intel_pstate"). */
static void note_percent(struct context *context, uint64_t before)
{
	uint64_t after;

	if (!files_read_number(context->machine->host->files, MIN_PERCENT, &after) &&
	    after != before)
		output_note(context->output,
			    "min_perf_pct: the kernel made it %" PRIu64 " with that, from %" PRIu64,
			    after, before);
}

static int run(struct job *job)
{
	const struct machine_setting setting = {
		.node = "cpufreq",
		.of_cpus = sets_cpus(job->arguments),
		.of_machine = job->arguments->turbo.given,
	};
	uint64_t percent;
	bool is_set, has_percent = !files_read_number(files_of(job), MIN_PERCENT, &percent);
	int err = job->arguments->turbo.given ? plan_turbo(job) : 0;

	if (!err && setting.of_cpus && !setting_is_refused(job->context))
		err = plan_cpus(job);
	err = err ?: machine_setting_finish(job->context, &setting, &is_set);
	if (!err && is_set && setting.of_machine && has_percent)
		note_percent(job->context, percent);
	return err;
}

int cpufreq_set(struct context *context, const void *arguments_pointer)
{
	struct job job = { .context = context, .arguments = arguments_pointer };
	int err;

	if (!check_usage(context, job.arguments))
		return 0;
	err = run(&job);
	machine_reading_done(&job.reading);
	return err;
}
