// SPDX-License-Identifier: GPL-2.0-only
/* --info: shows what the platform and its driver support (commands.md, "--info"). The values are
 * those of the first power domain; a note reports if another one differs. Without Speed Select, it
 * shows the reason, and the features of Linux that the machine has. */
#include "features/features.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "host/machine.h"
#include "host/powercap.h"
#include "host/uncore.h"

/* The facts of one domain; static texts. */
struct facts {
	const char *perf_profile;
	bool locked;
	uint32_t highest_level;
	const char *turbo_freq;
	const char *base_freq;
	const char *core_power;
};

static const char yes[] = "supported", no[] = "not supported", unknown[] = "unknown";

static void put_platform(struct output *output, const struct isst_if_platform_info *info)
{
	const struct {
		const char *label, *name;
		unsigned int value;
	} rows[] = {
		{ "API version", "api-version", info->api_version },
		{ "Driver version", "driver-version", info->driver_version },
		{ "mbox supported", "mbox-supported", info->mbox_supported },
		{ "mmio supported", "mmio-supported", info->mmio_supported },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char number[16];

		snprintf(number, sizeof(number), "%u", rows[i].value);
		output_sentence(output, "Platform: %s : %s", rows[i].label, number);
		output_member(output, rows[i].name, number);
	}
}

static void put_feature(struct output *output, const char *technology, const char *name,
			const char *fact)
{
	output_sentence(output, "Intel(R) %s (feature %s) %s%s", technology, name,
			fact == unknown ? "status is " : "is ", fact);
	output_member(output, name, fact);
}

static void put_facts(struct output *output, const struct facts *facts)
{
	char number[16];

	put_feature(output, "SST-PP", "perf-profile", facts->perf_profile);
	if (facts->perf_profile == no)
		output_sentence(output, "Only performance level 0 (base level) is present");
	snprintf(number, sizeof(number), "%u", facts->highest_level);
	if (facts->locked)
		output_sentence(output, "TDP level change control is locked");
	else
		output_sentence(output, "TDP level change control is unlocked, max level: %s",
				number);
	output_member(output, "level-change", facts->locked ? "locked" : "unlocked");
	if (!facts->locked)
		output_member(output, "max-level", number);
	put_feature(output, "SST-TF", "turbo-freq", facts->turbo_freq);
	put_feature(output, "SST-BF", "base-freq", facts->base_freq);
	put_feature(output, "SST-CP", "core-power", facts->core_power);
}

/* SST-TF and SST-BF count as supported when any level has them. */
static struct facts gather(const struct context *context, const struct levels *levels,
			   const struct platform_core_power_query *core_power, size_t domain)
{
	const struct sst_pp *pp = &levels->pp[domain].pp;
	struct facts facts = {
		.perf_profile = pp->enabled && context->platform->has_levels ? yes : no,
		.locked = pp->locked,
		.highest_level = pp->highest_level,
		.turbo_freq = no,
		.base_freq = no,
		.core_power = core_power[domain].error                  ? unknown
			      : core_power[domain].core_power.supported ? yes
									: no,
	};

	for (size_t i = levels->first[domain]; i < levels->first[domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (!query->error && query->info.turbo_freq_supported)
			facts.turbo_freq = yes;
		if (!query->error && query->info.base_freq_supported)
			facts.base_freq = yes;
	}
	return facts;
}

static void compare(struct context *context, const struct target *target, const struct facts *shown,
		    const struct facts *facts)
{
	const struct location location = domains_location(context->targets.domains[target->domain]);
	_cleanup_free_ char *place = location_format(&location);
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
			context_note(context, NULL, "%s differs from what is shown in %s",
				     place ?: "", rows[i].what);
	}
}

static void show(struct context *context, const struct levels *levels,
		 const struct platform_core_power_query *core_power)
{
	struct facts shown = { 0 };

	for (size_t i = 0; i < context->targets.n; i++) {
		const struct target *target = &context->targets.list[i];
		struct facts facts = gather(context, levels, core_power, target->domain);
		bool failed = levels_report_pp(context, target, &levels->pp[target->domain]);

		for (size_t j = levels->first[target->domain];
		     j < levels->first[target->domain + 1]; j++) {
			const struct platform_level_query *query = &levels->queries[j];

			if (query->error && query->error != -ENOENT)
				failed |= levels_report(context, target, query);
		}
		if (failed)
			continue;
		if (context->report.n_results == 0) {
			shown = facts;
			put_facts(context->output, &shown);
		} else {
			compare(context, target, &shown, &facts);
		}
		context->report.n_results++;
	}
}

struct linux_feature {
	const char *name;
	const char *driver; /* NULL: the feature is not available */
	const char *governor; /* or NULL */
	const char *rest; /* text after the governor, or NULL */
	const char *rest_label, *rest_name; /* its label in text; its member in JSON */
};

static void put_linux_feature(struct output *output, struct linux_feature feature)
{
	const char *name = feature.name, *governor = feature.governor, *rest = feature.rest;
	char member[32];

	output_member(output, name, feature.driver ? yes : no);
	if (!feature.driver) {
		output_sentence(output, "%s (feature %s) is not available", name, name);
		return;
	}
	output_sentence(output, "%s (feature %s) is available: driver %s%s%s%s%s", name, name,
			feature.driver, governor ? ", governor " : "", governor ?: "",
			rest ? feature.rest_label : "", rest ?: "");
	snprintf(member, sizeof(member), "%s-driver", name);
	output_member(output, member, feature.driver);
	snprintf(member, sizeof(member), "%s-governor", name);
	if (governor)
		output_member(output, member, governor);
	if (rest)
		output_member(output, feature.rest_name, rest);
}

static int put_cpufreq(struct context *context, uint32_t cpu)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = cpufreq_read_policy(context->machine->host->files, cpu,
				      &(struct cpufreq_reading){ 0 }, &policy);

	if (err == -ENOMEM)
		return err;
	put_linux_feature(context->output,
			  (struct linux_feature){ .name = "cpufreq",
						  .driver = err == -ENOENT
								    ? NULL
								    : policy.driver ?: unknown,
						  .governor = policy.governor });
	return 0;
}

static int put_cpuidle(struct context *context, uint32_t cpu)
{
	struct files *files = context->machine->host->files;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	_cleanup_free_ char *names = NULL;
	int err = cpuidle_read_cpu(files, cpu, false, &idle);

	if (err == -ENOMEM || (err != -ENOENT && cpuidle_read_machine(files, &machine) == -ENOMEM))
		return -ENOMEM;
	names = cpuidle_format_names(&idle);
	if (!names)
		return -ENOMEM;
	put_linux_feature(context->output,
			  (struct linux_feature){ .name = "cpuidle",
						  .driver = err == -ENOENT
								    ? NULL
								    : machine.driver ?: unknown,
						  .governor = machine.governor,
						  .rest_label = ", idle states ",
						  .rest_name = "cpuidle-states",
						  .rest = err ? NULL : names });
	return 0;
}

static int put_uncore(struct context *context)
{
	static const char driver[] = "intel_uncore_frequency";
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	int err = uncore_read_units(context->machine->host->files, false, &units);
	char count[32];

	if (err == -ENOMEM)
		return err;
	if (!err)
		snprintf(count, sizeof(count), "%zu %s", units.count,
			 units.units[0].is_cluster ? "clusters" : "dies");
	put_linux_feature(context->output,
			  (struct linux_feature){ .name = "uncore",
						  .driver = err == -ENOENT ? NULL : driver,
						  .rest_label = ", ",
						  .rest_name = "uncore-units",
						  .rest = err ? NULL : count });
	return 0;
}

static int put_power(struct context *context)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	int err = power_zones_read(context->machine->host->files, false, &zones);
	char count[32];

	if (err == -ENOMEM)
		return err;
	snprintf(count, sizeof(count), "%zu", zones.count);
	put_linux_feature(context->output,
			  (struct linux_feature){ .name = "power",
						  .driver = err == -ENOENT ? NULL : "powercap",
						  .rest_label = ", zones of packages: ",
						  .rest_name = "power-zones",
						  .rest = err ? NULL : count });
	return 0;
}

/* Puts what a machine without Speed Select has (sysfs.md): a sentence for each feature that works
 * there. The first online CPU represents all. */
static int put_linux_features(struct context *context)
{
	uint32_t cpu = cpuset_next(context->targets.cpus, 0);
	int err;

	if (context->platform_error != -ENOTSUP) {
		report_add(&context->report, report_kind_of(context->platform_error), "%s",
			   context->lacks_platform);
		return 0;
	}
	output_sentence(context->output, "Intel(R) Speed Select Technology cannot be used here: %s",
			context->lacks_platform);
	output_member(context->output, "speed-select", no);
	output_member(context->output, "reason", context->lacks_platform);
	err = put_cpufreq(context, cpu);
	if (err)
		return err;
	err = put_cpuidle(context, cpu);
	if (err)
		return err;
	err = put_uncore(context);
	if (err)
		return err;
	return put_power(context);
}

static int run(struct context *context)
{
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	if (!context->platform)
		return put_linux_features(context);
	err = levels_read(context, NULL, PLATFORM_SUPPORT, &levels);
	if (err)
		return err;
	err = core_power_read(context, false, &core_power);
	if (err)
		return err;
	if (context->platform->transport) {
		put_platform(context->output, &context->platform->info);
	} else {
		output_sentence(context->output, "Platform: everything is set in BIOS");
		output_member(context->output, "set-in-bios", "yes");
	}
	show(context, &levels, core_power);
	return 0;
}

const struct command info_command = {
	.name = "--info",
	.summary = "Show what this platform and its driver support",
	.flags = COMMAND_NOT_FOR_IO | COMMAND_ASKS_SST | COMMAND_WITHOUT_DRIVER,
	.run = run,
};
