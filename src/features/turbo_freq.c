// SPDX-License-Identifier: GPL-2.0-only
/* turbo-freq, SST-TF: higher turbo frequencies for some cores (commands.md, "turbo-freq"). */
#include "features/features.h"

#include <errno.h>

#include "features/core_power.h"
#include "features/levels.h"
#include "run/unread.h"
#include "settings/scaling.h"

/* The options; each command has some of them. */
struct arguments {
	struct option_number level;
	struct option_number bucket;
	struct option_number trl_level;
	struct option_number trl;
	bool automatic;
};

static uint32_t bucket_of(const struct arguments *arguments)
{
	return arguments->bucket.given ? (uint32_t)arguments->bucket.value : LEVELS_ALL;
}

static void show(struct context *context, const struct target *target,
		 const struct platform_level_query *query, const struct arguments *arguments)
{
	const struct sst_turbo_freq *turbo_freq = &query->info.turbo_freq;
	uint32_t bucket = bucket_of(arguments), n_buckets = 0;
	/* An IO die has no buckets, but still shows its clip frequencies. */
	bool has_cpus = !cpuset_is_empty(&query->domain->cpus);

	if (!query->info.turbo_freq_supported) {
		context_lack(context, target, "turbo-freq is not supported at level %u",
			     query->level);
		return;
	}
	/* The first bucket without cores ends the buckets. */
	while (n_buckets < SST_BUCKETS && turbo_freq->buckets.core_counts[n_buckets])
		n_buckets++;
	if (bucket != LEVELS_ALL && has_cpus && bucket >= n_buckets) {
		context_lack(context, target, "bucket %u of level %u has no cores", bucket,
			     query->level);
		return;
	}
	_cleanup_scope_ struct output_scope scope = levels_enter(context, target);

	levels_put_turbo_freq(context->output, context->platform, turbo_freq, bucket,
			      levels_trl_of(&arguments->trl_level, LEVELS_ALL));
}

/* Adds to *total the cores, or modules, that a level enables in a domain. Returns 1, 0 if their
 * number is unknown, or -ENOMEM. */
static int count_domain(struct context *context, const struct levels *levels,
			const struct power_domain *domain, const struct platform_level_query *level,
			size_t *total)
{
	const struct topology *topology = &context->machine->topology;
	const struct platform_level_query *query = NULL;
	struct platform_level_query other = {
		.domain = domain,
		.level = level->level,
		.pp_enabled = true,
	};
	const struct target *target = context_find_target(context, domain);
	bool is_known;
	int err = 0;

	if (target && levels->pp[target->domain].pp.enabled) {
		query = levels_of_domain(levels, target->domain);
	} else if (!target && domain->cpu != CPUSET_NONE) {
		query = &other;
		err = context->platform->ops->read_levels(context->platform, PLATFORM_CPUS, &other,
							  1);
	}
	is_known = !err && query && !query->error && query->info.has_enabled_cpus;
	if (is_known)
		*total += domains_count_cores(topology, &query->info.enabled_cpus,
					      level->info.turbo_freq.counts_modules);
	sst_level_done(&other.info);
	return err ? err : is_known;
}

static void put_notes(struct context *context, const struct platform_level_query *query,
		      uint32_t bucket, size_t total)
{
	const struct sst_turbo_freq *turbo_freq = &query->info.turbo_freq;
	const uint32_t *wanted = turbo_freq->buckets.core_counts;

	for (uint32_t i = 0; i < SST_BUCKETS && wanted[i] > 0; i++) {
		if (wanted[i] > total && (bucket == LEVELS_ALL || bucket == i))
			output_text_note(
				context->output,
				"package-%u: bucket %u of level %u asks for %u high-priority "
				"%s, and the package has %zu enabled",
				query->domain->package, i, query->level, wanted[i],
				turbo_freq->counts_modules ? "modules" : "cores", total);
	}
}

static bool has_buckets(const struct platform_level_query *query)
{
	return query && query->info.turbo_freq.buckets.core_counts[0];
}

/* Returns true if an earlier domain of the command has the same package, and buckets. */
static bool is_later_of_package(const struct context *context, const struct levels *levels,
				size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (context->targets.domains[i]->package ==
			    context->targets.domains[index]->package &&
		    has_buckets(levels_of_domain(levels, i)))
			return true;
	}
	return false;
}

/* Notes each bucket (only bucket, or LEVELS_ALL) that has more high-priority cores, or modules,
 * than the package has enabled at that level; none if their number is unknown. Buckets count the
 * complete package (hardware.md, section 4), which may have more power domains than the command.
 * Returns 0 or -ENOMEM. */
static int note_large_buckets(struct context *context, const struct levels *levels, uint32_t bucket)
{
	const struct domain_list *list = &context->platform->domains;

	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);
		size_t total = 0;
		int result = 1;

		if (!has_buckets(query) || query->error || is_later_of_package(context, levels, i))
			continue;
		for (size_t j = 0; j < list->n_domains && result > 0; j++) {
			const struct power_domain *domain = &list->domains[j];

			if (domain->package == query->domain->package &&
			    !cpuset_is_empty(&domain->cpus))
				result = count_domain(context, levels, domain, query, &total);
		}
		if (result < 0)
			return result;
		if (result > 0)
			put_notes(context, query, bucket, total);
	}
	return 0;
}

static int info(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	const struct platform *platform = context->platform;
	const struct option_number *word = &arguments->trl_level;
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	if (word->given && levels_trl_of(word, 0) >= platform->n_trl_levels) {
		context_lack(context, NULL, "%s %s: this machine's turbo-ratio levels are %s to %s",
			     word->name, levels_trl_words[word->value], platform->trl_names[0],
			     platform->trl_names[platform->n_trl_levels - 1]);
		return 0;
	}
	err = levels_read(context, &arguments->level, PLATFORM_TURBO_FREQ | PLATFORM_CPUS, &levels);
	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	for (size_t i = 0; i < context->targets.n; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_level_query *query = levels_get(context, &levels, target);

		if (query)
			show(context, target, query, arguments);
	}
	err = levels_note_others(context, &levels, "turbo-freq.enabled");
	return err ?: note_large_buckets(context, &levels, bucket_of(arguments));
}

#define TRL_OPEN UINT64_MAX /* all ones: no limit other than that of SST-TF */

/* Requests the turbo-ratio limits: those given, or all open, or (off) those of the level. A domain
 * without an online CPU has no MSR to write; without SST-TF, its limits were never opened. */
static void request_limits(struct context *context, const struct levels *levels,
			   const struct option_number *trl, bool on)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (context->targets.states[i] != DOMAIN_SET ||
		    context->targets.domains[i]->cpu == CPUSET_NONE ||
		    !query->info.turbo_freq_supported)
			continue;
		context_request(context, "turbo-mode.trl", .domain = context->targets.domains[i],
				.pp = &levels->pp[i].pp,
				.value.trl = {
					.is_of_level = !on && !trl->given,
					.ratios = trl->given ? trl->value : TRL_OPEN,
				});
	}
}

/* Requests a note, after SST-TF is on, if it makes no core faster. */
static int request_note(struct context *context)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		if (context->targets.states[i] == DOMAIN_SET &&
		    cpuset_add(&context->plan.execution.turbo_freq_packages,
			       context->targets.domains[i]->package))
			return -ENOMEM;
	}
	return 0;
}

/* Gives the CPUs of --cpu high priority; their siblings have it too, since a core has one CLOS. */
static int request_priorities(struct context *context)
{
	_cleanup_cpuset_ struct cpuset high = { 0 };

	if (!context->request->cpus)
		context_warn(context, NULL, "no CPU has high priority; use --cpu LIST");
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		if (context->targets.states[i] == DOMAIN_SET)
			core_power_request_clos(context, i, 0, 0);
	}
	for (size_t i = 0; i < context->targets.n && context->request->cpus; i++) {
		if (cpuset_add(&high, context->targets.list[i].cpu))
			return -ENOMEM;
	}
	return core_power_request_priorities(context, &high, true);
}

static int set(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	bool on = context->request->command->variant == VARIANT_ENABLE;
	const struct levels *levels = NULL;
	bool is_off = false;
	int err = 0;

	if (on && arguments->automatic && !context->request->cpus && context->request->strict) {
		context_refuse_usage(context,
				     "turbo-freq enable --auto needs --cpu LIST, the CPUs that are "
				     "to have high priority");
		return 0;
	}
	if (on)
		err = scaling_read_turbo(context->machine->host->files, &is_off);
	if (err)
		unread_report(context, err, "%s", CPUFREQ_NO_TURBO);
	else if (is_off)
		context_refuse(
			context, NULL,
			"turbo is off (intel_pstate/no_turbo is 1), and turbo-freq needs it");
	err = levels_prepare_switch(context, "turbo-freq.enabled", on, arguments->automatic,
				    PLATFORM_SUPPORT, &levels);
	if (err || !levels)
		return err;
	levels_request(context, levels, "turbo-freq.enabled", .value.on = on);
	request_limits(context, levels, &arguments->trl, on);
	if (on || arguments->automatic)
		levels_request(context, NULL, "core-power.enabled",
			       .value.core_power = { .on = on, .ordered = on });
	context->plan.wanted.has_auto_result = on && arguments->automatic;
	if (on && !context->request->globals->dry_run)
		err = request_note(context);
	return !err && on && arguments->automatic ? request_priorities(context) : err;
}

static const struct option info_options[] = {
	{ LEVELS_OPTION(struct arguments) },
	{ 'b', "bucket", "BUCKET", "Only this bucket, 0 to 7",
	  OPTION_NUMBER(struct arguments, bucket, 0, SST_BUCKETS - 1), .from_upstream = true },
	{ 'r', "trl-type", "TYPE", "Only one turbo-ratio level: " LEVELS_TRL_VALUE,
	  OPTION_WORD(struct arguments, trl_level, levels_trl_words), .from_upstream = true },
	{ 0 },
};

static const struct option set_options[] = {
	{ 't', "trl", "TRL", "The turbo-ratio limits to set: 0x and 16 hex digits",
	  OPTION_HEX(struct arguments, trl), .from_upstream = true },
	{ 'a', "auto", NULL, "Set priorities to match: high for --cpu, low for the others",
	  OPTION_FLAG(struct arguments, automatic), .from_upstream = true },
	{ 0 },
};

const struct command turbo_freq_commands[] = {
	{ "info", "Show buckets of high-priority cores, bucket and clip frequencies", 0,
	  info_options, sizeof(struct arguments), .run = info },
	{ "enable", "Give high-priority cores the higher turbo frequencies", COMMAND_WRITES,
	  set_options, sizeof(struct arguments), .run = set, .variant = VARIANT_ENABLE,
	  .keeps_files = "no_turbo" },
	{ "disable", "Give all cores the same turbo frequencies", COMMAND_WRITES, set_options,
	  sizeof(struct arguments), .run = set, .variant = VARIANT_DISABLE },
	{ 0 },
};
