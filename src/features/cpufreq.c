// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq: drivers, governors, frequency limits and energy hints of any machine (sysfs.md, "cpufreq
 * policy", "intel_pstate", "EPB"). If the policy of a CPU disappears while it is read, only that
 * CPU has an error. A value that the kernel would silently change is refused before the first
 * write. A policy of several CPUs is set once. */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "features/cpufreq_explain.h"
#include "features/measure/common.h"
#include "features/levels.h"
#include "host/cpufreq.h"
#include "output/output.h"
#include "run/cpu_records.h"
#include "run/unread.h"

/* The options; each command has some of them. */
struct arguments {
	const char *min; /* MHz, or a word */
	const char *max;
	const char *lock;
	const char *governor;
	const char *epp;
	const char *epb;
	struct option_number turbo;
	struct option_number pstate; /* index into pstate_words */
	struct option_number hwp_boost;
	struct option_number min_percent;
	struct option_number max_percent;
};

static const char *const pstate_words[] = { "active", "passive", NULL };

/* Formats the current frequency of the CPUs of a group, a new text: "800", or "800-3200" if they
 * differ. NULL if it is unknown, or memory is short. */
static char *format_current(const struct cpu_group *group, const struct cpu_records *policies)
{
	const struct cpufreq_policy *policy = group->data;
	char lowest[NUMBER_MHZ_SIZE], highest[NUMBER_MHZ_SIZE];
	uint32_t lowest_khz = policy->current_khz, highest_khz = lowest_khz;

	cpuset_foreach (cpu, &group->cpus) {
		policy = cpu_records_find(policies, cpu);
		if (policy->current_khz < lowest_khz)
			lowest_khz = policy->current_khz;
		if (policy->current_khz > highest_khz)
			highest_khz = policy->current_khz;
	}
	if (!lowest_khz)
		return NULL;
	number_format_mhz(lowest_khz, lowest);
	number_format_mhz(highest_khz, highest);
	return lowest_khz == highest_khz ? strdup(lowest) : text_format("%s-%s", lowest, highest);
}

static void put_group(struct output *output, const struct cpu_group *group,
		      const struct cpu_records *policies)
{
	const struct cpufreq_policy *policy = group->data;
	_cleanup_free_ char *current = format_current(group, policies);
	struct output_place place = cpu_groups_place(group);
	_cleanup_scope_ struct output_scope scope = output_enter_place(output, &place, "cpufreq");

	output_known_text(output, "core-type", group->core_type);
	if (!cpuset_is_empty(&policy->cpus)) {
		_cleanup_free_ char *cpus = cpuset_format_ranges(&policy->cpus);

		output_known_text(output, "policy-cpus", cpus);
	}
	output_known_text(output, "driver", policy->driver);
	output_known_text(output, "governor", policy->governor);
	output_known_text(output, "available-governors", policy->governors);
	output_known_mhz(output, "minimum-frequency(MHz)", policy->min_khz);
	output_known_mhz(output, "maximum-frequency(MHz)", policy->max_khz);
	output_known_mhz(output, "lowest-possible-frequency(MHz)", policy->lowest_khz);
	output_known_mhz(output, "highest-possible-frequency(MHz)", policy->highest_khz);
	output_known_mhz(output, "base-frequency(MHz)", policy->base_khz);
	output_known_text(output, "current-frequency(MHz)", current);
	output_known_text(output, "energy-performance-preference", policy->epp);
	output_known_text(output, "available-energy-performance-preferences", policy->epps);
	output_known_text(output, "energy-performance-bias", policy->epb);
}

static int put_machine(struct context *context)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	struct output *output = context->output;
	int err = cpufreq_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	cpu_records_report_machine(context, &machine, err);
	if (err)
		return 0;
	if (!machine.status && !machine.no_turbo && !machine.boost)
		return 0;
	_cleanup_scope_ struct output_scope outer = output_enter(output, "machine");
	_cleanup_scope_ struct output_scope inner = output_enter(output, "cpufreq");
	output_known_text(output, "intel_pstate-status", machine.status);
	output_known_text(output, "no_turbo", machine.no_turbo);
	output_known_text(output, "min_perf_pct", machine.min_perf_pct);
	output_known_text(output, "max_perf_pct", machine.max_perf_pct);
	output_known_text(output, "hwp_dynamic_boost", machine.hwp_dynamic_boost);
	output_known_text(output, "boost", machine.boost);
	return 0;
}

/* JSON has a key for each CPU, so a group must not have a range. */
static bool is_equal_now(const void *left, const void *right)
{
	const struct cpufreq_policy *one = left, *other = right;

	return one->current_khz == other->current_khz && cpufreq_policy_equal(left, right);
}

static int info(struct context *context)
{
	_cleanup_cpu_records_ struct cpu_records policies = { 0 };
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	int err = cpu_records_read(context, NULL, &policies);

	err = err ?: cpu_records_report_unread(context, &policies, NULL);
	if (!err && report_status(&context->report) != STATUS_UNSUPPORTED)
		err = put_machine(context);
	if (err)
		return err;
	err = cpu_groups_make(&context->machine->topology, policies.list, policies.count,
			      context->request->globals->each   ? NULL
			      : output_is_json(context->output) ? is_equal_now
								: cpufreq_policy_equal,
			      &groups);
	for (size_t i = 0; i < groups.count && !err; i++) {
		put_group(context->output, &groups.groups[i], &policies);
		context->report.n_results++;
	}
	return err;
}

struct cpu_job {
	struct context *context;
	const struct arguments *arguments;
	const struct cpufreq_policy *policy;
	uint32_t cpu;
	const char *mode; /* the new mode of intel_pstate, if it changes first; or NULL */
};

static bool sets_limits(const struct arguments *arguments)
{
	return arguments->min || arguments->max || arguments->lock;
}

static bool sets_cpus(const struct arguments *arguments)
{
	return sets_limits(arguments) || arguments->governor || arguments->epp || arguments->epb;
}

static bool sets_machine(const struct arguments *arguments)
{
	return arguments->turbo.given || arguments->pstate.given || arguments->hwp_boost.given ||
	       arguments->min_percent.given || arguments->max_percent.given;
}

static const char *wanted_mode(const struct arguments *arguments)
{
	return arguments->pstate.given ? pstate_words[arguments->pstate.value] : NULL;
}

static bool is_mode(const char *mode, const char *name)
{
	return mode && strcmp(mode, name) == 0;
}

static bool check_usage(struct context *context, const struct arguments *arguments)
{
	const struct option_number *min = &arguments->min_percent, *max = &arguments->max_percent;

	if (arguments->lock && (arguments->min || arguments->max))
		context_refuse_usage(context, "--lock sets both limits: --min and --max cannot be "
					      "used with it");
	else if (arguments->hwp_boost.given && is_mode(wanted_mode(arguments), "passive"))
		context_refuse_usage(context, "--hwp-boost needs the active mode of intel_pstate: "
					      "it cannot be used with --pstate passive");
	else if (min->given && max->given && min->value > max->value)
		context_refuse_usage(context, "--min-pct %" PRIu64 " is above --max-pct %" PRIu64,
				     min->value, max->value);
	else if (!sets_cpus(arguments) && !sets_machine(arguments))
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (context->request->cpus && !sets_cpus(arguments))
		context_refuse_usage(context, "--cpu: these settings are of the whole machine");
	return !report_has(&context->report, REPORT_USAGE);
}

/* Reports a file of the CPU if it exists and cannot be read. Returns true in that case. */
static bool report_unread(const struct cpu_job *at, const char *file)
{
	int err = files_find_unread(&cpufreq_policy_files, &at->policy->unread, file);

	if (err)
		unread_report(at->context, err, "cpu-%u: %s", at->cpu, strrchr(file, '/') + 1);
	return err;
}

/* Adds a request for the CPU: request_setting(at, "cpufreq.governor", .value.text = governor). */
#define request_setting(at, path, ...) \
	context_request((at)->context, path, .cpu = (at)->cpu, .policy = (at)->policy, __VA_ARGS__)

static void request_governor(const struct cpu_job *at)
{
	const char *governor = at->arguments->governor;
	const char *governors = at->policy->governors ?: "none";

	/* The governors of passive mode are known only in that mode; the kernel refuses others. */
	if (at->mode)
		governors = is_mode(at->mode, "passive") ? governor : "performance powersave";
	else if (report_unread(at, CPUFREQ_GOVERNORS))
		return;
	if (files_has_word(governors, governor))
		request_setting(at, "cpufreq.governor", .value.text = governor);
	else if (at->mode)
		context_refuse_usage(at->context,
				     "--governor %s: --pstate active has no such governor; it has "
				     "%s%s",
				     governor, governors, option_suggest(governors, governor).text);
	else
		context_refuse_usage(at->context,
				     "--governor %s: cpu-%u has no such governor; it has %s%s",
				     governor, at->cpu, governors,
				     option_suggest(at->policy->governors, governor).text);
}

/* Returns true if the preference is fixed at performance: the kernel then refuses any other. */
static bool is_held_at_performance(const struct cpu_job *at)
{
	const char *governor = at->arguments->governor;

	if (at->mode) /* without --governor, the kernel's default counts, which is unknown */
		return is_mode(at->mode, "active") && is_mode(governor, "performance");
	return is_mode(at->policy->driver, "intel_pstate") &&
	       is_mode(governor ?: at->policy->governor, "performance");
}

static void request_preference(const struct cpu_job *at)
{
	const char *epp = at->arguments->epp, *name = cpufreq_find_epp_name(epp) ?: epp;
	struct context *context = at->context;
	uint64_t raw;
	const bool is_known =
		files_has_word(at->policy->epps, epp) || !number_parse(epp, 0, 255, &raw);

	if (report_unread(at, CPUFREQ_EPP) ||
	    (at->policy->epp && !is_known && report_unread(at, CPUFREQ_EPPS)))
		return;
	if (!at->policy->epp)
		context_lack(context, NULL, "cpu-%u: it has no energy performance preference",
			     at->cpu);
	else if (!is_known)
		context_refuse_usage(context,
				     "--epp %s: a number from 0 to 255 or one of %s was expected%s",
				     epp, at->policy->epps ?: "none",
				     option_suggest(at->policy->epps, epp).text);
	else if (is_held_at_performance(at) && strcmp(name, "performance") != 0)
		context_refuse(context, NULL,
			       "cpu-%u: --epp %s: under the performance governor the "
			       "kernel keeps the preference at performance (EBUSY); give "
			       "--governor powersave%s",
			       at->cpu, epp, at->arguments->governor ? "" : " too");
	else if (!is_held_at_performance(at)) /* else the kernel sets it, which cannot be undone */
		request_setting(at, "cpufreq.epp", .always = at->arguments->governor,
				.value.text = epp);
}

static void refuse_bias(struct context *context, const char *epb)
{
	context_refuse_usage(context,
			     "--epb %s: a number from 0 to 15, performance, "
			     "balance-performance, normal, balance-power or power was expected",
			     epb);
}

static void request_bias(const struct cpu_job *at)
{
	uint32_t epb;

	if (report_unread(at, CPUFREQ_EPB))
		return;
	if (!at->policy->epb)
		context_lack(at->context, NULL, "cpu-%u: it has no energy bias", at->cpu);
	else if (cpufreq_parse_epb(at->arguments->epb, &epb))
		refuse_bias(at->context, at->arguments->epb);
	else
		request_setting(at, "cpufreq.epb", .value.number = epb);
}

/* Reads one limit. Returns true if it may be set; else it was refused. */
static bool read_limit(const struct cpu_job *at, const char *option, const char *text,
		       uint32_t *ret_khz)
{
	char mhz[NUMBER_MHZ_SIZE];
	int err = cpufreq_parse_limit(text, at->policy, ret_khz);

	if (err == -EINVAL)
		context_refuse_usage(
			at->context,
			"%s %s: min, base, max or a frequency in MHz was expected, such as 2100, 2100MHz or 2.1GHz",
			option, text);
	else if (err == -ENODATA && !report_unread(at, CPUFREQ_NOMINAL))
		context_lack(at->context, NULL, "cpu-%u: cpufreq reports no %s frequency", at->cpu,
			     text);
	else if (err == -ERANGE) {
		number_format_mhz(*ret_khz, mhz);
		context_refuse_usage(at->context,
				     "%s %s: cpu-%u does not support this frequency; the "
				     "kernel would set %s MHz",
				     option, text, at->cpu, mhz);
	}
	return !err;
}

/* Writes the limits of the options to *min_khz and *max_khz. Keeps the value if no limit is given
 * or, without with_words, if it is a word. Returns false if they are refused, which is reported. */
static bool read_limits(const struct cpu_job *at, bool with_words, uint32_t *min_khz,
			uint32_t *max_khz)
{
	const struct arguments *arguments = at->arguments;
	const char *min = arguments->lock ?: arguments->min;
	const char *max = arguments->lock ?: arguments->max;
	char min_text[NUMBER_MHZ_SIZE], max_text[NUMBER_MHZ_SIZE];

	if (min && (with_words || !cpufreq_find_frequency(min)) &&
	    !read_limit(at, arguments->lock ? "--lock" : "--min", min, min_khz))
		return false;
	if (max && (with_words || !cpufreq_find_frequency(max)) &&
	    !read_limit(at, arguments->lock ? "--lock" : "--max", max, max_khz))
		return false;
	if (*min_khz <= *max_khz)
		return true;
	/* The kernel would change the other limit as well. */
	number_format_mhz(*min_khz, min_text);
	number_format_mhz(*max_khz, max_text);
	if (arguments->min && arguments->max)
		context_refuse_usage(at->context, "--min %s MHz is above --max %s MHz on cpu-%u",
				     min_text, max_text, at->cpu);
	else if (arguments->min)
		context_refuse(at->context, NULL,
			       "cpu-%u: --min %s MHz is above its maximum, and the kernel "
			       "would make it %s MHz; give --max too",
			       at->cpu, min_text, max_text);
	else
		context_refuse(at->context, NULL,
			       "cpu-%u: --max %s MHz is below its minimum, and the kernel "
			       "would lower that from %s MHz with it; give --min too",
			       at->cpu, max_text, min_text);
	return false;
}

static void request_limits(const struct cpu_job *at)
{
	uint32_t min_khz = at->policy->min_khz, max_khz = at->policy->max_khz;

	if (read_limits(at, true, &min_khz, &max_khz))
		request_setting(at, "cpufreq.min-mhz",
				.value.range = { .min_khz = min_khz, .max_khz = max_khz });
}

/* Returns true if a lower CPU of the command is in the same policy. */
static bool is_follower(const struct cpu_job *at)
{
	uint32_t first = cpuset_next(&at->policy->cpus, 0);

	while (first != CPUSET_NONE && first < at->cpu &&
	       !cpuset_has(at->context->targets.cpus, first))
		first = cpuset_next(&at->policy->cpus, first + 1);
	return first < at->cpu;
}

/* Notes the CPUs that are set although the user did not name them. */
static int note_companions(struct context *context, const struct cpu_records *policies)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_cpuset_ struct cpuset others = { 0 };

	/* each CPU has its own energy bias */
	if (!arguments->governor && !arguments->epp && !arguments->lock && !arguments->min &&
	    !arguments->max)
		return 0;

	for (size_t i = 0; i < policies->count; i++) {
		const struct cpufreq_policy *policy = policies->list[i].data;

		if (cpuset_add_all(&others, &policy->cpus))
			return -ENOMEM;
	}
	cpuset_remove_all(&others, context->targets.cpus);
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &others,
			    " share a cpufreq policy with those that are set: governor, energy "
			    "preference and limits apply to them, too");
	return 0;
}

/* Adds the requests for a CPU that will come online: its files cannot be read, so what is planned
 * for it can only be shown. */
static void request_expected(const struct cpu_job *at)
{
	const struct arguments *arguments = at->arguments;
	const char *min = arguments->lock ?: arguments->min;
	const char *max = arguments->lock ?: arguments->max;
	uint32_t min_khz = 0, max_khz = UINT32_MAX, epb;

	if (!read_limits(at, false, &min_khz, &max_khz))
		return;
	if (arguments->governor)
		request_setting(at, "cpufreq.governor", .value.text = arguments->governor);
	if (arguments->epp)
		request_setting(at, "cpufreq.epp", .value.text = arguments->epp);
	if (arguments->epb && !cpufreq_parse_epb(arguments->epb, &epb))
		request_setting(at, "cpufreq.epb", .value.number = epb);
	if (min || max)
		request_setting(at, "cpufreq.min-mhz",
				.value.range = {
					.min_khz = min_khz,
					.max_khz = max_khz,
					.min_from = min ? cpufreq_find_frequency(min) : 0,
					.max_from = max ? cpufreq_find_frequency(max) : 0,
				});
}

/* In a trial run, adds the requests for CPUs that will come online; then leaves these CPUs out. */
static int request_all_expected(struct context *context, const struct arguments *arguments)
{
	static const struct cpufreq_policy unknown = { 0 };
	uint32_t epb;

	if (arguments->epb && cpufreq_parse_epb(arguments->epb, &epb))
		refuse_bias(context, arguments->epb);
	cpuset_foreach (cpu, context->targets.cpus) {
		const struct cpu_job at = { context, arguments, &unknown, cpu, NULL };

		if (cpuset_has(&context->machine->topology.pending, cpu) &&
		    !report_has_problem(&context->report))
			request_expected(&at);
	}
	return context_leave_pending_out(context);
}

/* Requests setting by setting, until one is refused: per policy (its first CPU), or per CPU (EPB).
 */
static void request_settings(struct context *context, const struct arguments *arguments,
			     const struct cpu_records *policies, const char *mode)
{
	const struct {
		bool is_given;
		bool by_policy;
		void (*request)(const struct cpu_job *at);
	} rows[] = {
		{ arguments->governor, true, request_governor },
		{ arguments->epp, true, request_preference },
		{ arguments->epb, false, request_bias },
		{ sets_limits(arguments), true, request_limits },
	};

	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		for (size_t i = 0; i < policies->count && rows[row].is_given; i++) {
			const struct cpu_job at = { context, arguments, policies->list[i].data,
						    policies->list[i].cpu, mode };

			if (report_has_problem(&context->report))
				return;
			if (!rows[row].by_policy || !is_follower(&at))
				rows[row].request(&at);
		}
	}
}

static int request_cpus(struct context *context, const struct arguments *arguments,
			const char *mode)
{
	struct cpu_records *policies = context_keep(context, sizeof(*policies), cpu_records_done);
	int err = policies ? 0 : -ENOMEM;

	if (!err && context->is_trial)
		err = request_all_expected(context, arguments);
	if (err || report_has_problem(&context->report) || cpuset_is_empty(context->targets.cpus))
		return err;
	err = cpu_records_read(context, NULL, policies);
	if (err || report_has_problem(&context->report))
		return err;
	err = note_companions(context, policies);
	if (!err)
		request_settings(context, arguments, policies, mode);
	return err;
}

/* Warns about settings that the kernel resets when the mode of intel_pstate changes. */
static void request_mode(struct context *context, const char *mode, bool changes)
{
	const struct topology *topology = &context->machine->topology;

	context_request(context, "cpufreq.pstate", .value.text = mode);
	if (changes)
		context->plan.wanted.warning =
			cpuset_count(&topology->online) < cpuset_count(&topology->present)
				? "with another mode of intel_pstate the kernel resets turbo, HWP "
				  "boost, the limits in percent, and governor, preference and "
				  "limits of every CPU that are not given; if the command is "
				  "undone, all but those of offline CPUs are restored"
				: "with another mode of intel_pstate the kernel resets turbo, HWP "
				  "boost, the limits in percent, and governor, preference and "
				  "limits of every CPU that are not given";
}

/* Checks one limit in percent: the kernel would keep it within the other limit. */
static void check_percent(struct context *context, const struct arguments *arguments,
			  const struct cpufreq_machine *machine)
{
	const struct option_number *min = &arguments->min_percent, *max = &arguments->max_percent;
	uint64_t other;

	if (min->given == max->given)
		return;
	if (min->given && machine->max_perf_pct &&
	    !number_parse_file(machine->max_perf_pct, &other) && min->value > other)
		context_refuse(context, NULL,
			       "--min-pct %" PRIu64 " is above max_perf_pct, %" PRIu64
			       ", and the kernel would make it that; give --max-pct too",
			       min->value, other);
	if (max->given && machine->min_perf_pct &&
	    !number_parse_file(machine->min_perf_pct, &other) && max->value < other)
		context_refuse(context, NULL,
			       "--max-pct %" PRIu64 " is below min_perf_pct, %" PRIu64
			       ", and the kernel would make it that; give --min-pct too",
			       max->value, other);
}

/* Adds requests for the machine. *ret_mode: the new mode of intel_pstate, if it changes. */
static int request_machine(struct context *context, const struct arguments *arguments,
			   const char **ret_mode)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	const char *mode = wanted_mode(arguments);
	bool goes_off = arguments->turbo.given && !option_switch_is_on(&arguments->turbo);
	bool changes = false;
	int err = cpufreq_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err)
		cpu_records_report_machine(context, &machine, err);
	goes_off = goes_off && !cpufreq_turbo_is_off(&machine);
	if (mode) {
		changes = machine.status && strcmp(machine.status, mode) != 0;
		request_mode(context, mode, changes);
		*ret_mode = changes ? mode : NULL;
	}
	if (arguments->turbo.given) {
		context_request(context, "cpufreq.turbo",
				.value.on = option_switch_is_on(&arguments->turbo));
		/* Turning turbo off may lower this (sysfs.md, "intel_pstate"). */
		if (!changes && !arguments->min_percent.given)
			context->plan.wanted.watched = CPUFREQ_MIN_PERF_PCT;
	}
	if (arguments->hwp_boost.given && !changes && is_mode(machine.status, "passive"))
		context_lack(context, NULL,
			     "--hwp-boost: this machine has no " CPUFREQ_HWP_BOOST
			     " in passive mode; give --pstate active too");
	else if (arguments->hwp_boost.given)
		context_request(context, "cpufreq.hwp-boost",
				.value.on = option_switch_is_on(&arguments->hwp_boost));
	if (!changes)
		check_percent(context, arguments, &machine);
	/* if turbo goes off, it may lower the minimum before the minimum is written */
	if (arguments->min_percent.given)
		context_request(context, "cpufreq.min-pct", .always = goes_off,
				.value.number = arguments->min_percent.value);
	if (arguments->max_percent.given)
		context_request(context, "cpufreq.max-pct", .always = goes_off,
				.value.number = arguments->max_percent.value);
	return 0;
}

static int set(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	struct wanted *wanted = &context->plan.wanted;
	const char *mode = NULL;
	int err = 0;

	if (!check_usage(context, arguments))
		return 0;
	wanted->of_cpus = sets_cpus(arguments);
	wanted->of_machine = sets_machine(arguments);
	if (sets_machine(arguments))
		err = request_machine(context, arguments, &mode);
	if (err || report_has_problem(&context->report) || !sets_cpus(arguments))
		return err;
	return request_cpus(context, arguments, mode);
}

/* Words that kernels have, for completion, which does not read the machine. */
static const char *const limit_words[] = { "min", "base", "max", NULL };
static const char *const governor_words[] = { "performance", "powersave", "schedutil",
					      "ondemand",    "userspace", "conservative",
					      NULL };
static const char *const epp_words[] = { "default",       "performance", "balance_performance",
					 "balance_power", "power",       NULL };
static const char *const epb_words[] = { "performance", "balance-performance",
					 "normal",      "balance-power",
					 "power",       NULL };

static const struct option set_options[] = {
	{ 0, "min", "MHZ|min|base|max", "Lower frequency limit", OPTION_TEXT(struct arguments, min),
	  .words = limit_words },
	{ 0, "max", "MHZ|min|base|max", "Upper frequency limit", OPTION_TEXT(struct arguments, max),
	  .words = limit_words },
	{ 0, "lock", "MHZ|min|base|max", "Both frequency limits",
	  OPTION_TEXT(struct arguments, lock), .words = limit_words },
	{ 0, "governor", "NAME", "Governor", OPTION_TEXT(struct arguments, governor),
	  .words = governor_words },
	{ 0, "epp", "NAME|0-255", "Energy performance preference",
	  OPTION_TEXT(struct arguments, epp), .words = epp_words },
	{ 0, "epb", "NAME|0-15", "Energy performance bias", OPTION_TEXT(struct arguments, epb),
	  .words = epb_words },
	{ 0, "turbo", "on|off", "Turbo, of the whole machine",
	  OPTION_WORD(struct arguments, turbo, option_switch_words) },
	{ 0, "pstate", "active|passive", "Mode of intel_pstate, of the whole machine",
	  OPTION_WORD(struct arguments, pstate, pstate_words) },
	{ 0, "hwp-boost", "on|off",
	  "Raise the frequency after waits for input and output, on the whole machine",
	  OPTION_WORD(struct arguments, hwp_boost, option_switch_words) },
	{ 0, "min-pct", "PERCENT", "Lower limit of all CPUs, in percent of the highest frequency",
	  OPTION_NUMBER(struct arguments, min_percent, 0, 100) },
	{ 0, "max-pct", "PERCENT", "Upper limit of all CPUs, in percent of the highest frequency",
	  OPTION_NUMBER(struct arguments, max_percent, 0, 100) },
	{ 0 },
};

#define MAX_MEASURE_S 3600

static const struct option explain_options[] = {
	{ 0, "isa", LEVELS_TRL_VALUE, "Instruction set of the frequencies (default sse)",
	  OPTION_WORD(struct cpufreq_explain_arguments, isa, levels_trl_words) },
	{ 0, "measure", "TIME", "Measure for this time; show the frequencies and what limits them",
	  OPTION_SECONDS(struct cpufreq_explain_arguments, measure_s, 1, MAX_MEASURE_S) },
	{ 0, "load", "scalar|avx2|avx512|tdp",
	  "With --measure: keep the CPUs busy with these instructions",
	  OPTION_WORD(struct cpufreq_explain_arguments, load, load_kind_words) },
	{ 0, "clear-limits", NULL,
	  "With --measure: first clear the limit reasons, also for other programs",
	  OPTION_FLAG(struct cpufreq_explain_arguments, clear_limits) },
	{ 0, "all", NULL, "With --load: all CPUs that are online and not isolated",
	  OPTION_FLAG(struct cpufreq_explain_arguments, all) },
	{ 0 },
};

#define EXPLAIN_SUMMARY "List every limit of the frequency of CPUs, and name those that bind"
#define EXPLAIN_ABOUT \
	"Equal CPUs are shown together. Without --cpu: all CPUs that are online. Limits that depend on the number of active cores are those with all online cores active. The buckets of SST-TF are counted per package. With --measure it compares the measured frequencies with those that the settings allow, and shows what limits them, the evidence, and the setting to change."
#define EXPLAIN_FLAGS (COMMAND_ANY_MACHINE | COMMAND_ASKS_SST)

static const struct command measured_explain = {
	.name = "explain",
	.summary = EXPLAIN_SUMMARY,
	.flags = EXPLAIN_FLAGS | COMMAND_MEASURES | COMMAND_IS_NEW,
	.options = explain_options,
	.arguments_size = sizeof(struct cpufreq_explain_arguments),
	.about = EXPLAIN_ABOUT,
	.run = cpufreq_explain_measured,
};

const struct command cpufreq_commands[] = {
	{ "info", "Show driver, governor, frequency limits and energy hints of CPUs",
	  COMMAND_ANY_MACHINE, NULL, 0,
	  .about = "Equal CPUs are shown together. Without --cpu: all CPUs that are online.",
	  .run = info, .keeps_files = "base_frequency" },
	{ "set", "Set governor, frequency limits, energy hints, turbo, intel_pstate",
	  COMMAND_ANY_MACHINE | COMMAND_WRITES, set_options, sizeof(struct arguments),
	  .about = "Sets all or nothing, in a safe order, and reads the values back. Without "
		   "--cpu: all CPUs that are online.",
	  .run = set },
	{ "explain", EXPLAIN_SUMMARY, EXPLAIN_FLAGS, explain_options,
	  sizeof(struct cpufreq_explain_arguments), .about = EXPLAIN_ABOUT, .run = cpufreq_explain,
	  .measured = &measured_explain,
	  .measured_offset = offsetof(struct cpufreq_explain_arguments, measure_s),
	  .keeps_files = "base_frequency" },
	{ 0 },
};
