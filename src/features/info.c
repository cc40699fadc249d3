// SPDX-License-Identifier: GPL-2.0-only
/*
 * --info: what the platform and its driver support (commands.md, "--info"). The first power domain
 * decides; where another differs a note says so. Without a platform it is what works all the same.
 */
#include "features/features.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "features/info_machine.h"
#include "features/levels.h"
#include "plan/subject.h"

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
	output_sentence(output, sentence, name, number);
}

static void put_platform(struct output *output, const struct isst_platform_info *info)
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
	output_sentence(output, sentence, name, fact_word(fact));
}

static void put_level_change(struct output *output, const struct facts *facts)
{
	char sentence[80], number[16];

	snprintf(number, sizeof(number), "%u", facts->highest_level);
	if (facts->locked) {
		output_sentence(output, "TDP level change control is locked", "level-change",
				"locked");
		return;
	}
	snprintf(sentence, sizeof(sentence), "TDP level change control is unlocked, max level: %s",
		 number);
	output_sentence(output, sentence, "level-change", "unlocked");
	output_sentence(output, NULL, "max-level", number);
}

static void put_facts(struct output *output, const struct facts *facts)
{
	put_feature(output, "SST-PP", "perf-profile", facts->perf_profile);
	if (facts->perf_profile == FACT_NO)
		output_sentence(output, "Only performance level 0 (base level) is present", NULL,
				NULL);
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

static struct facts gather(const struct levels *levels,
			   const struct platform_core_power_query *core_power, size_t domain)
{
	const struct sst_pp *pp = &levels->pp[domain].pp;
	struct facts facts = {
		.perf_profile = pp->enabled ? FACT_YES : FACT_NO,
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

	struct plan_subject subject = domains_subject(domain);
	_cleanup_free_ char *place = subject_name_place(&subject);

	output_note(context->output, "%s differs from what is shown in %s", place ?: "", what);
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
		struct facts facts = gather(levels, core_power, target->domain);

		if (report_failures(context, levels, target))
			continue;
		if (context->tally.done == 0) {
			shown = facts;
			put_facts(context->output, &shown);
		} else {
			compare(context, target, &shown, &facts);
		}
		context_count_done(context);
	}
}

static int run(struct context *context, const void *arguments)
{
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	(void)arguments;
	if (!context->platform)
		return info_machine_put(context);
	err = levels_read(context, LEVELS_ALL, PLATFORM_SUPPORT, &levels);
	err = err ?: levels_read_core_power(context, &core_power);
	if (err)
		return err;
	put_platform(context->output, &context->platform->info);
	show(context, &levels, core_power);
	return 0;
}

const struct command info_command = {
	.name = "--info",
	.summary = "Show what this platform and its driver support",
	.flags = COMMAND_NOT_FOR_IO | COMMAND_ASKS_SST,
	.run = run,
};
