// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a machine without Speed Select has (sysfs.md): one sentence for each of the features that
 * work there. The first CPU that is online speaks for all.
 */
#include "features/info_machine.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/idle_choice.h"
#include "machine/cpufreq.h"
#include "machine/cpuidle.h"
#include "machine/uncore.h"

/* A sentence in text, two members in JSON. */
struct fact {
	const char *feature; /* "cpufreq" */
	const char *driver; /* NULL: it is not there */
	const char *governor;
	const char *rest; /* what else, or NULL */
};

static int put_fact(struct output *output, const struct fact *fact)
{
	_cleanup_free_ char *sentence = NULL, *name = NULL;
	int length;

	if (!fact->driver) {
		length = asprintf(&sentence, "%s (feature %s) is not there", fact->feature,
				  fact->feature);
		if (length < 0)
			sentence = NULL;
		output_sentence(output, sentence, fact->feature, "not supported");
		return length < 0 ? -ENOMEM : 0;
	}
	length = asprintf(&sentence, "%s (feature %s) is there: driver %s%s%s%s%s", fact->feature,
			  fact->feature, fact->driver, fact->governor ? ", governor " : "",
			  fact->governor ?: "", fact->rest ? ", " : "", fact->rest ?: "");
	if (length < 0) {
		sentence = NULL;
		return -ENOMEM;
	}
	output_sentence(output, sentence, fact->feature, "supported");
	if (asprintf(&name, "%s-driver", fact->feature) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	output_sentence(output, NULL, name, fact->driver);
	return 0;
}

static void put_member(struct output *output, const char *name, const char *value)
{
	if (value)
		output_sentence(output, NULL, name, value);
}

static int put_cpufreq(struct context *context, uint32_t cpu)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	int err = cpufreq_read_policy(context->machine->host->files, cpu, &policy);
	const struct fact fact = {
		.feature = "cpufreq",
		.driver = err ? NULL : policy.driver ?: "unknown",
		.governor = policy.governor,
	};

	if (err == -ENOMEM)
		return err;
	err = put_fact(context->output, &fact);
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
	struct fact fact = { .feature = "cpuidle" };

	if (err == -ENOMEM)
		return err;
	if (err)
		return put_fact(context->output, &fact);
	err = cpuidle_read_machine(files, &machine);
	names = idle_choice_names(&idle);
	if (err == -ENOMEM || !names || asprintf(&states, "idle states %s", names) < 0) {
		states = NULL;
		return -ENOMEM;
	}
	fact.driver = machine.driver ?: "unknown";
	fact.governor = machine.governor;
	fact.rest = states;
	err = put_fact(context->output, &fact);
	put_member(context->output, "cpuidle-governor", machine.governor);
	put_member(context->output, "cpuidle-states", names);
	return err;
}

static int put_uncore(struct context *context)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	_cleanup_free_ char *count = NULL;
	struct fact fact = { .feature = "uncore" };
	int err = uncore_read_units(context->machine->host->files, &units);

	if (err == -ENOMEM)
		return err;
	if (err && err != -EACCES)
		return put_fact(context->output, &fact);
	fact.driver = "intel_uncore_frequency";
	if (!err && asprintf(&count, "%zu %s", units.count,
			     units.units[0].is_cluster ? "clusters" : "dies") < 0) {
		count = NULL;
		return -ENOMEM;
	}
	fact.rest = count;
	err = put_fact(context->output, &fact);
	put_member(context->output, "uncore-units", count);
	return err;
}

int info_machine_put(struct context *context)
{
	uint32_t cpu = cpuset_next(context->cpus, 0);
	_cleanup_free_ char *sentence = NULL;
	int err;

	if (context->platform_error != -ENOTSUP) {
		output_error(context->output, "%s", context->lacks_platform);
		context_count_error(context, context->platform_error);
		return 0;
	}
	if (asprintf(&sentence, "Intel(R) Speed Select Technology cannot be used here: %s",
		     context->lacks_platform) < 0) {
		sentence = NULL;
		return -ENOMEM;
	}
	output_sentence(context->output, sentence, "speed-select", "not supported");
	output_sentence(context->output, NULL, "reason", context->lacks_platform);
	err = put_cpufreq(context, cpu);
	err = err ?: put_cpuidle(context, cpu);
	return err ?: put_uncore(context);
}
