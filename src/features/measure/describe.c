// SPDX-License-Identifier: GPL-2.0-only
/* Describes the machine for --save: its CPUs and their classes, its performance levels, and what
 * limits CPUs (measure.md, "report"). */
#include "features/measure/describe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/perf_profile_compare.h"
#include "host/run_directory.h"
#include "run/context.h"

/* What is read of the machine for it. */
struct description {
	const struct measurement *measurement;
	const struct topology *topology;
	const struct cpuset *measured;
	struct platform *platform; /* NULL: none that has levels */
	const struct power_domain **domains; /* with an online CPU */
	size_t n_domains;
	struct expected expected; /* of them, with all levels */
	struct cpufreq_machine cpufreq;
};

static void description_done(struct description *description)
{
	free(description->domains);
	expected_done(&description->expected);
	cpufreq_machine_done(&description->cpufreq);
}

static int read_platform(struct description *description)
{
	struct platform *platform = description->measurement->context->platform;
	const struct domain_list *list;

	if (!platform || !platform->has_levels)
		return 0;
	list = &platform->domains;
	description->platform = platform;
	description->domains = calloc(list->n_domains + 1, sizeof(*description->domains));
	if (!description->domains)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].cpu != CPUSET_NONE)
			description->domains[description->n_domains++] = &list->domains[i];
	}
	return expected_read(platform, description->domains, description->n_domains, true,
			     &description->expected);
}

/* What Speed Select says of a CPU; all zero if it says nothing. */
static struct expected_cpu find_cpu(const struct description *description, uint32_t cpu)
{
	for (size_t i = 0; i < description->n_domains; i++) {
		if (cpuset_has(&description->domains[i]->cpus, cpu))
			return expected_of_cpu(&description->expected, i, cpu);
	}
	return (struct expected_cpu){ 0 };
}

/* Whose requests come first: by CLOS if SST-CP is on, else by SST-BF. */
static const char *find_priority(const struct frequency_inputs *inputs)
{
	if (inputs->has_clos)
		return inputs->clos <= FREQUENCY_HIGHEST_CLOS ? "high" : "low";
	if (inputs->base_freq_on)
		return inputs->is_base_freq_core ? "high" : "low";
	return "none";
}

static json_t *describe_cpu(const struct description *description, uint32_t cpu)
{
	const struct expected_cpu known = find_cpu(description, cpu);
	const struct cpu_place *place = &description->topology->places[cpu];
	_cleanup_free_ char *class = measurement_make_class(&known.inputs);
	json_t *object = json_pack("{s:I, s:I, s:I}", "cpu", (json_int_t)cpu, "package",
				   (json_int_t)place->package, "die", (json_int_t)place->die);

	if (place->has_power_domain)
		json_object_set_new(object, "power-domain", json_integer(place->power_domain));
	if (place->has_physical_cpu)
		json_object_set_new(object, "core", json_integer(place->core));
	json_object_set_new(object, "class", json_string(class ?: ""));
	if (known.inputs.has_clos)
		json_object_set_new(object, "clos", json_integer(known.inputs.clos));
	json_object_set_new(object, "priority", json_string(find_priority(&known.inputs)));
	return object;
}

/* The CPUs that are online. */
static json_t *describe_cpus(const struct description *description)
{
	json_t *cpus = json_array();

	cpuset_foreach (cpu, &description->topology->online)
		json_array_append_new(cpus, describe_cpu(description, cpu));
	return cpus;
}

/* The limits of one kind; upper ones that do not bind (those of turbo while it is off) are left
 * out. */
static json_t *describe_kind(const struct frequency_prediction *prediction,
			     enum frequency_kind kind)
{
	json_t *list = json_array();

	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++) {
		const uint32_t khz = prediction->khz[i];
		json_t *step;

		if (frequency_limit_kind(i) != kind || !khz ||
		    (kind == FREQUENCY_UPPER && khz < prediction->cap_khz))
			continue;
		step = json_pack("{s:s, s:f}", "limit", frequency_limit_name(i), "mhz",
				 (double)khz / KHZ_PER_MHZ);
		if (i == FREQUENCY_TURBO_RATIO_LIMIT && prediction->high_trl_khz > khz)
			json_object_set_new(
				step, "high-mhz",
				json_real((double)prediction->high_trl_khz / KHZ_PER_MHZ));
		json_array_append_new(list, step);
	}
	return list;
}

static int describe_limits_of(const struct description *description, uint32_t cpu, json_t *limits)
{
	const struct measurement *measurement = description->measurement;
	struct expected_cpu known = find_cpu(description, cpu);
	_cleanup_free_ char *class = measurement_make_class(&known.inputs);
	struct frequency_prediction prediction;
	json_t *object;
	int err = measurement_read_inputs(measurement, &description->cpufreq, cpu, &known.inputs,
					  NULL);

	if (err || !class)
		return -ENOMEM;
	prediction = expected_predict(&known, 0);
	if (prediction.cap_by == FREQUENCY_NO_LIMIT)
		return 0;
	object = json_pack("{s:I, s:I, s:s, s:f, s:s, s:o, s:o}", "cpu", (json_int_t)cpu, "package",
			   (json_int_t)description->topology->places[cpu].package, "class", class,
			   "mhz", (double)prediction.cap_khz / KHZ_PER_MHZ, "bound-by",
			   frequency_limit_name(prediction.cap_by), "steps",
			   describe_kind(&prediction, FREQUENCY_UPPER), "guaranteed",
			   describe_kind(&prediction, FREQUENCY_GUARANTEED));
	if (prediction.high_khz > prediction.cap_khz)
		json_object_set_new(object, "high-mhz",
				    json_real((double)prediction.high_khz / KHZ_PER_MHZ));
	if (known.inputs.level)
		json_object_set_new(object, "active-cores-at-most",
				    json_integer((json_int_t)known.counts.cores));
	json_array_append_new(limits, object);
	return 0;
}

/* Is there a CPU of the same package and class in a list? */
static bool has_alike(const json_t *list, const json_t *cpu)
{
	static const char *const names[] = { "package", "class" };
	const json_t *other;
	size_t i;

	json_array_foreach (list, i, other) {
		bool is_alike = true;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			is_alike = is_alike && json_equal(json_object_get(other, names[j]),
							  json_object_get(cpu, names[j]));
		if (is_alike)
			return true;
	}
	return false;
}

static int describe_limits(const struct description *description, const json_t *cpus,
			   json_t *limits)
{
	_cleanup_json_ json_t *done = json_array();
	json_t *cpu;
	size_t i;

	json_array_foreach (cpus, i, cpu) {
		const uint32_t number = (uint32_t)json_integer_value(json_object_get(cpu, "cpu"));
		int err;

		if (!cpuset_has(description->measured, number) || has_alike(done, cpu))
			continue;
		json_array_append(done, cpu);
		err = describe_limits_of(description, number, limits);
		if (err)
			return err;
	}
	return 0;
}

int measurement_describe(const struct measurement *measurement, json_t *document)
{
	const struct context *context = measurement->context;
	_cleanup_(description_done) struct description description = {
		.measurement = measurement,
		.topology = &context->machine->topology,
		.measured = cpuset_is_empty(&measurement->cpus) ? context->targets.cpus
								: &measurement->cpus,
	};
	json_t *cpus, *levels = json_array(), *limits = json_array();
	int err;

	json_object_set_new(document, "levels", levels);
	json_object_set_new(document, "limits", limits);
	err = read_platform(&description);
	if (!err &&
	    cpufreq_read_machine(context->machine->host->files, &description.cpufreq) == -ENOMEM)
		err = -ENOMEM;
	if (err)
		return err;
	cpus = describe_cpus(&description);
	json_object_set_new(document, "machine", json_pack("{s:o}", "cpus", cpus));
	err = describe_limits(&description, cpus, limits);
	if (!err && description.platform)
		err = perf_profile_compare_expected(description.topology, &description.expected,
						    levels);
	return err;
}
