// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncore set (sysfs.md, "uncore"; commands.md, "Safety of every setting command"). The kernel cuts
 * limits to 100 MHz and compares them with nothing: here they are whole, in order, and read back.
 */
#include "features/uncore_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/machine_setting.h"
#include "features/setting.h"
#include "plan/file_step.h"

#define MHZ_PER_STEP 100
#define KHZ_PER_MHZ  1000

enum { NUMBER_SIZE = 24, SWITCH_ON = 0 };

/* A run of the command. */
struct job {
	struct context *context;
	const struct uncore_set_arguments *arguments;
	struct uncore_units units;
	struct output_place *places;
	size_t n_places;
};

/* Is it the uncore of one of the CPUs of --cpu? Of a power domain only its package is known. */
static bool is_of_cpus(const struct context *context, const struct uncore_unit *unit)
{
	if (!context->cpus_given)
		return true;
	cpuset_foreach (cpu, context->cpus) {
		const struct cpu_place *place = &context->machine->topology.places[cpu];

		if (place->package == unit->package && (!unit->has_die || place->die == unit->die))
			return true;
	}
	return false;
}

static bool is_chosen(const struct context *context, const struct uncore_choice *choice,
		      const struct uncore_unit *unit)
{
	uint32_t domain = unit->is_cluster ? unit->domain : unit->die;

	return (!choice->package.given || choice->package.value == unit->package) &&
	       (!choice->domain.given || choice->domain.value == domain) &&
	       is_of_cpus(context, unit);
}

/* Keeps the chosen units, in their order. */
static void keep_chosen(const struct context *context, const struct uncore_choice *choice,
			struct uncore_units *units)
{
	size_t kept = 0;

	for (size_t i = 0; i < units->count; i++) {
		struct uncore_unit unit = units->units[i];

		if (!is_chosen(context, choice, &unit))
			continue;
		units->units[i] = units->units[kept];
		units->units[kept++] = unit;
	}
	uncore_units_cut(units, kept);
}

int uncore_choose_units(struct context *context, const struct uncore_choice *choice,
			struct uncore_units *ret_units)
{
	int err = uncore_read_units(context->machine->host->files, ret_units);

	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		context_lack(
			context, NULL,
			"this machine has no uncore frequencies: intel_uncore_frequency is not "
			"loaded, or has nothing to drive");
	else if (err)
		context_fail(context, NULL, err, "uncore frequencies");
	if (err)
		return 0;
	keep_chosen(context, choice, ret_units);
	if (ret_units->count == 0)
		context_refuse_usage(context, "there is no such package, power domain or die");
	return 0;
}

struct output_place uncore_place_unit(const struct uncore_unit *unit)
{
	return (struct output_place){
		.package = unit->package,
		.die = unit->has_die ? (int64_t)unit->die : OUTPUT_NOT_SHOWN,
		.power_domain = unit->is_cluster ? (int64_t)unit->domain : OUTPUT_NOT_SHOWN,
		.cpu = OUTPUT_NOT_SHOWN,
	};
}

static struct plan_subject subject_of(const struct uncore_unit *unit)
{
	return (struct plan_subject){
		.package = unit->package,
		.die = unit->die,
		.die_is_unknown = !unit->has_die,
		.has_power_domain = unit->is_cluster,
		.power_domain = unit->domain,
		.cpu = PLAN_NO_CPU,
	};
}

static int add(struct job *job, const struct uncore_unit *unit, const char *name, uint64_t value)
{
	_cleanup_free_ char *path = NULL;
	char text[NUMBER_SIZE];
	int err;

	if (asprintf(&path, "%s/%s", unit->path, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	err = file_step_add(job->context->plan, job->context->machine->host->files,
			    &(struct file_step){
				    .subject = subject_of(unit),
				    .path = path,
				    .what = name,
				    .text = text,
				    .check = PLAN_CHECK_NUMBER,
			    });
	if (!err || err == -ENOMEM)
		return err;
	if (err == -ENOENT || err == -ENODATA || err == -EOPNOTSUPP)
		context_lack(job->context, NULL, "%s: it has no %s", unit->name, name);
	else
		context_fail(job->context, NULL, err, "%s: %s", unit->name, name);
	return 0;
}

static uint32_t whole_khz(uint64_t mhz)
{
	return (uint32_t)(mhz / MHZ_PER_STEP * MHZ_PER_STEP * KHZ_PER_MHZ);
}

static bool check_order(struct job *job, const struct uncore_unit *unit, uint32_t min_khz,
			uint32_t max_khz)
{
	const struct uncore_set_arguments *arguments = job->arguments;

	if (min_khz <= max_khz)
		return true;
	context_refuse(job->context, NULL,
		       "%s: the lower limit, %" PRIu32 " MHz, would be above the upper one, "
		       "%" PRIu32 " MHz, which the kernel does not look at; give --%s too",
		       unit->name, min_khz / KHZ_PER_MHZ, max_khz / KHZ_PER_MHZ,
		       arguments->min_mhz.given ? "max" : "min");
	return false;
}

static int plan_limits(struct job *job, const struct uncore_unit *unit)
{
	const struct uncore_set_arguments *arguments = job->arguments;
	uint32_t min_khz = unit->min_khz, max_khz = unit->max_khz;
	bool max_first;
	int err = 0;

	/* All CPUs of the die are still to come online. */
	if (unit->error == -ENXIO && job->context->rehearses)
		return 0;
	if (unit->error) {
		struct file_cause cause = file_step_cause(unit->path, unit->error);

		context_refuse(job->context, NULL, "%s: %s", unit->name,
			       cause.text ?: strerror(-unit->error));
		return 0;
	}
	if (arguments->min_mhz.given)
		min_khz = whole_khz(arguments->min_mhz.value);
	if (arguments->max_mhz.given)
		max_khz = whole_khz(arguments->max_mhz.value);
	if (!check_order(job, unit, min_khz, max_khz))
		return 0;
	max_first = max_khz >= unit->min_khz;
	if (arguments->max_mhz.given && max_first)
		err = add(job, unit, "max_freq_khz", max_khz);
	if (arguments->min_mhz.given)
		err = err ?: add(job, unit, "min_freq_khz", min_khz);
	if (arguments->max_mhz.given && !max_first)
		err = err ?: add(job, unit, "max_freq_khz", max_khz);
	return err;
}

static int plan_elc(struct job *job, const struct uncore_unit *unit)
{
	const struct uncore_set_arguments *arguments = job->arguments;
	const struct {
		bool given;
		enum uncore_elc file;
		uint64_t value;
	} wishes[] = {
		{ arguments->elc_floor_mhz.given, UNCORE_ELC_FLOOR,
		  whole_khz(arguments->elc_floor_mhz.value) },
		{ arguments->elc_low_percent.given, UNCORE_ELC_LOW_THRESHOLD,
		  arguments->elc_low_percent.value },
		{ arguments->elc_high_percent.given, UNCORE_ELC_HIGH_THRESHOLD,
		  arguments->elc_high_percent.value },
		{ arguments->elc_high.given, UNCORE_ELC_HIGH_ENABLE,
		  arguments->elc_high.index == SWITCH_ON },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wishes) && !err; i++) {
		if (wishes[i].given)
			err = add(job, unit, uncore_elc_names[wishes[i].file], wishes[i].value);
	}
	return err;
}

static int plan_units(struct job *job)
{
	const struct uncore_set_arguments *arguments = job->arguments;
	int err = 0;

	for (size_t i = 0; i < job->units.count && !err; i++) {
		const struct uncore_unit *unit = &job->units.units[i];
		const struct uncore_unit *before = i ? unit - 1 : NULL;

		if (setting_is_refused(job->context))
			break;
		if (arguments->min_mhz.given || arguments->max_mhz.given)
			err = plan_limits(job, unit);
		err = err ?: plan_elc(job, unit);
		if (!before || before->package != unit->package || !unit->is_cluster ||
		    before->domain != unit->domain)
			job->places[job->n_places++] = uncore_place_unit(unit);
	}
	return err;
}

/* A limit that is no multiple of 100 MHz is cut, as the kernel would do it in silence. */
static void note_cut(struct context *context, const char *option, const struct option_number *mhz)
{
	if (mhz->given && mhz->value % MHZ_PER_STEP)
		output_note(context->output,
			    "%s %" PRIu64 ": rounded down to %" PRIu64 " MHz, the hardware has "
			    "steps of 100 MHz",
			    option, mhz->value, mhz->value / MHZ_PER_STEP * MHZ_PER_STEP);
}

static bool check_usage(struct context *context, const struct uncore_set_arguments *arguments)
{
	if (!arguments->min_mhz.given && !arguments->max_mhz.given &&
	    !arguments->elc_low_percent.given && !arguments->elc_high_percent.given &&
	    !arguments->elc_high.given && !arguments->elc_floor_mhz.given)
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (arguments->min_mhz.given && arguments->max_mhz.given &&
		 arguments->min_mhz.value > arguments->max_mhz.value)
		context_refuse_usage(context, "--min is above --max");
	else if (arguments->elc_low_percent.given && arguments->elc_high_percent.given &&
		 arguments->elc_low_percent.value > arguments->elc_high_percent.value)
		context_refuse_usage(context, "--elc-low-threshold is above --elc-high-threshold");
	note_cut(context, "--min", &arguments->min_mhz);
	note_cut(context, "--max", &arguments->max_mhz);
	note_cut(context, "--elc-floor", &arguments->elc_floor_mhz);
	return !context->tally.usage;
}

static int run(struct job *job)
{
	const struct uncore_choice choice = { job->arguments->package, job->arguments->domain };
	struct machine_setting setting = { .node = "uncore" };
	bool is_set;
	int err = uncore_choose_units(job->context, &choice, &job->units);

	if (err || setting_is_refused(job->context))
		return err;
	job->places = calloc(job->units.count, sizeof(*job->places));
	if (!job->places)
		return -ENOMEM;
	err = plan_units(job);
	setting.places = job->places;
	setting.n_places = job->n_places;
	return err ?: machine_setting_finish(job->context, &setting, &is_set);
}

int uncore_set(struct context *context, const void *arguments_pointer)
{
	struct job job = { .context = context, .arguments = arguments_pointer };
	int err;

	if (!check_usage(context, job.arguments))
		return 0;
	err = run(&job);
	free(job.places);
	uncore_units_done(&job.units);
	return err;
}
