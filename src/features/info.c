// SPDX-License-Identifier: GPL-2.0-only
/* --info: what the platform and its driver support (commands.md, "--info"). The first power domain
 * decides; if another one differs a note says so. Without Speed Select: why, and which features of
 * Linux the machine has. */
#include "features/features.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "host/location.h"
#include "host/uncore.h"

enum fact { FACT_NO, FACT_YES, FACT_UNKNOWN };

/* The facts of one domain. */
struct facts {
	enum fact perf_profile;
	bool locked;
	uint32_t highest_level;
	enum fact turbo_freq;
	enum fact base_freq;
	enum fact core_power;
};

static const char *fact_word(enum fact fact)
{
	switch (fact) {
	case FACT_NO:
		return "not supported";
	case FACT_YES:
		return "supported";
	case FACT_UNKNOWN:
		return "unknown";
	}
	return "unknown";
}

static void put_driver(struct output *output, const char *label, const char *name,
		       unsigned int value)
{
	char sentence[64], number[16];

	snprintf(sentence, sizeof(sentence), "Platform: %s : %u", label, value);
	snprintf(number, sizeof(number), "%u", value);
	output_fact(output, sentence, name, number);
}

static void put_platform(struct output *output, const struct isst_if_platform_info *info)
{
	put_driver(output, "API version", "api-version", info->api_version);
	put_driver(output, "Driver version", "driver-version", info->driver_version);
	put_driver(output, "mbox supported", "mbox-supported", info->mbox_supported);
	put_driver(output, "mmio supported", "mmio-supported", info->mmio_supported);
}

static void put_feature(struct output *output, const char *technology, const char *name,
			enum fact fact)
{
	char sentence[96];

	snprintf(sentence, sizeof(sentence), "Intel(R) %s (feature %s) %s%s", technology, name,
		 fact == FACT_UNKNOWN ? "status is " : "is ", fact_word(fact));
	output_fact(output, sentence, name, fact_word(fact));
}

static void put_level_change(struct output *output, const struct facts *facts)
{
	char sentence[80], number[16];

	snprintf(number, sizeof(number), "%u", facts->highest_level);
	if (facts->locked) {
		output_fact(output, "TDP level change control is locked", "level-change", "locked");
		return;
	}
	snprintf(sentence, sizeof(sentence), "TDP level change control is unlocked, max level: %s",
		 number);
	output_fact(output, sentence, "level-change", "unlocked");
	output_fact(output, NULL, "max-level", number);
}

static void put_facts(struct output *output, const struct facts *facts)
{
	put_feature(output, "SST-PP", "perf-profile", facts->perf_profile);
	if (facts->perf_profile == FACT_NO)
		output_fact(output, "Only performance level 0 (base level) is present", NULL, NULL);
	put_level_change(output, facts);
	put_feature(output, "SST-TF", "turbo-freq", facts->turbo_freq);
	put_feature(output, "SST-BF", "base-freq", facts->base_freq);
	put_feature(output, "SST-CP", "core-power", facts->core_power);
}

/* SST-TF and SST-BF count as supported when any level has them. */
static void gather_levels(const struct levels *levels, size_t domain, struct facts *facts)
{
	for (size_t i = levels->first[domain]; i < levels->first[domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (query->error)
			continue;
		if (query->info.turbo_freq_supported)
			facts->turbo_freq = FACT_YES;
		if (query->info.base_freq_supported)
			facts->base_freq = FACT_YES;
	}
}

static struct facts gather(const struct context *context, const struct levels *levels,
			   const struct platform_core_power_query *core_power, size_t domain)
{
	const struct sst_pp *pp = &levels->pp[domain].pp;
	struct facts facts = {
		.perf_profile = pp->enabled && !context->platform->is_clx_n ? FACT_YES : FACT_NO,
		.locked = pp->locked,
		.highest_level = pp->highest_level,
		.core_power = core_power[domain].error                  ? FACT_UNKNOWN
			      : core_power[domain].core_power.supported ? FACT_YES
									: FACT_NO,
	};

	gather_levels(levels, domain, &facts);
	return facts;
}

static void note_difference(struct context *context, const struct target *target, const char *what)
{
	const struct power_domain *domain = context->domains[target->domain];

	struct location location = domains_location(domain);
	_cleanup_free_ char *place = location_format(&location);

	context_note(context, NULL, "%s differs from what is shown in %s", place ?: "", what);
}

/* Notes what another domain has otherwise. */
static void compare(struct context *context, const struct target *target, const struct facts *shown,
		    const struct facts *facts)
{
	const struct {
		bool differs;
		const char *what;
	} rows[] = {
		{ shown->perf_profile != facts->perf_profile, "perf-profile" },
		{ shown->locked != facts->locked, "level-change" },
		{ shown->highest_level != facts->highest_level, "max-level" },
		{ shown->turbo_freq != facts->turbo_freq, "turbo-freq" },
		{ shown->base_freq != facts->base_freq, "base-freq" },
		{ shown->core_power != facts->core_power, "core-power" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].differs)
			note_difference(context, target, rows[i].what);
	}
}

static bool report_failures(struct context *context, const struct levels *levels,
			    const struct target *target)
{
	bool failed = levels_report_pp(context, target, &levels->pp[target->domain]);

	for (size_t i = levels->first[target->domain]; i < levels->first[target->domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (query->error && query->error != -ENOENT)
			failed |= levels_report(context, target, query);
	}
	return failed;
}

static void show(struct context *context, const struct levels *levels,
		 const struct platform_core_power_query *core_power)
{
	struct facts shown = { 0 };

	for (size_t i = 0; i < context->n_targets; i++) {
		const struct target *target = &context->targets[i];
		struct facts facts = gather(context, levels, core_power, target->domain);

		if (report_failures(context, levels, target))
			continue;
		if (context->report.n_results == 0) {
			shown = facts;
			put_facts(context->output, &shown);
		} else {
			compare(context, target, &shown, &facts);
		}
		context_count_done(context);
	}
}

/* A feature of Linux: a sentence in text, two members in JSON. */
struct linux_feature {
	const char *name; /* "cpufreq" */
	const char *driver; /* NULL: it is not available */
	const char *governor; /* or NULL */
	const char *rest; /* what else, or NULL */
};

/* Puts a fact whose sentence is in printf form. Returns 0 or -ENOMEM. */
static int __attribute__((format(printf, 4, 5)))
put_sentence(struct output *output, const char *name, const char *value, const char *format, ...)
{
	_cleanup_free_ char *sentence = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&sentence, format, args);
	va_end(args);
	if (length < 0) {
		sentence = NULL;
		return -ENOMEM;
	}
	output_fact(output, sentence, name, value);
	return 0;
}

static int put_linux_feature(struct output *output, const struct linux_feature *feature)
{
	char name[32];
	int err;

	if (!feature->driver)
		return put_sentence(output, feature->name, "not supported",
				    "%s (feature %s) is not available", feature->name,
				    feature->name);
	err = put_sentence(output, feature->name, "supported",
			   "%s (feature %s) is there: driver %s%s%s%s%s", feature->name,
			   feature->name, feature->driver, feature->governor ? ", governor " : "",
			   feature->governor ?: "", feature->rest ? ", " : "", feature->rest ?: "");
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s-driver", feature->name);
	output_fact(output, NULL, name, feature->driver);
	return 0;
}

static void put_member(struct output *output, const char *name, const char *value)
{
	if (value)
		output_fact(output, NULL, name, value);
}

static int put_cpufreq(struct context *context, uint32_t cpu)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = cpufreq_read_policy(context->machine->host->files, cpu, &policy);
	const struct linux_feature feature = {
		.name = "cpufreq",
		.driver = err ? NULL : policy.driver ?: "unknown",
		.governor = policy.governor,
	};

	if (err == -ENOMEM)
		return err;
	err = put_linux_feature(context->output, &feature);
	put_member(context->output, "cpufreq-governor", policy.governor);
	return err;
}

static int put_cpuidle(struct context *context, uint32_t cpu)
{
	struct files *files = context->machine->host->files;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	_cleanup_free_ char *names = NULL, *states = NULL;
	int err = cpuidle_read_cpu(files, cpu, false, &idle);
	struct linux_feature feature = { .name = "cpuidle" };

	if (err == -ENOMEM)
		return err;
	if (err)
		return put_linux_feature(context->output, &feature);
	err = cpuidle_read_machine(files, &machine);
	names = cpuidle_format_names(&idle);
	if (err == -ENOMEM || !names || asprintf(&states, "idle states %s", names) < 0) {
		states = NULL;
		return -ENOMEM;
	}
	feature.driver = machine.driver ?: "unknown";
	feature.governor = machine.governor;
	feature.rest = states;
	err = put_linux_feature(context->output, &feature);
	put_member(context->output, "cpuidle-governor", machine.governor);
	put_member(context->output, "cpuidle-states", names);
	return err;
}

static int put_uncore(struct context *context)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	struct linux_feature feature = { .name = "uncore" };
	char count[32];
	int err = uncore_read_units(context->machine->host->files, false, &units);

	if (err == -ENOMEM)
		return err;
	if (err && err != -EACCES)
		return put_linux_feature(context->output, &feature);
	feature.driver = "intel_uncore_frequency";
	if (!err) {
		snprintf(count, sizeof(count), "%zu %s", units.count,
			 units.units[0].is_cluster ? "clusters" : "dies");
		feature.rest = count;
	}
	err = put_linux_feature(context->output, &feature);
	put_member(context->output, "uncore-units", feature.rest);
	return err;
}

/* What a machine without Speed Select has (sysfs.md): a sentence for each feature that works there.
 * The first online CPU stands for all. */
static int put_linux_features(struct context *context)
{
	uint32_t cpu = cpuset_next(context->cpus, 0);
	int err;

	if (context->platform_error != -ENOTSUP) {
		report_add(&context->report, report_kind_of(context->platform_error), "%s",
			   context->lacks_platform);
		return 0;
	}
	err = put_sentence(context->output, "speed-select", "not supported",
			   "Intel(R) Speed Select Technology cannot be used here: %s",
			   context->lacks_platform);
	if (err)
		return err;
	output_fact(context->output, NULL, "reason", context->lacks_platform);
	err = put_cpufreq(context, cpu);
	if (err)
		return err;
	err = put_cpuidle(context, cpu);
	return err ? err : put_uncore(context);
}

static int run(struct context *context, const void *arguments)
{
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	(void)arguments;
	if (!context->platform)
		return put_linux_features(context);
	err = levels_read(context, NULL, PLATFORM_SUPPORT, &levels);
	if (err)
		return err;
	err = core_power_read(context, false, &core_power);
	if (err)
		return err;
	if (context->platform->is_clx_n)
		output_fact(context->output, "Platform: everything is set in BIOS", "set-in-bios",
			    "yes");
	else
		put_platform(context->output, &context->platform->info);
	show(context, &levels, core_power);
	return 0;
}

const struct command info_command = {
	.name = "--info",
	.summary = "Show what this platform and its driver support",
	.flags = COMMAND_NOT_FOR_IO | COMMAND_ASKS_SST | COMMAND_ON_CLX_N,
	.run = run,
};
