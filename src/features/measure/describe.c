// SPDX-License-Identifier: GPL-2.0-only
/* Describes the machine for --save: its CPUs and their classes, its performance levels, and what
 * limits CPUs (measure.md, "report"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/perf_profile_compare.h"
#include "run/context.h"

/* The values of the machine for the description. */
struct description {
	const struct measurement *measurement;
	const struct topology *topology;
	const struct cpuset *measured;
	struct expected expected; /* with all levels; no domains if the platform has none */
	struct cpufreq_machine cpufreq;
	struct described_machine machine;
	struct texts texts; /* of the machine */
};

static void description_done(struct description *description)
{
	expected_done(&description->expected);
	cpufreq_machine_done(&description->cpufreq);
	json_free_fields(described_machine_fields, &description->machine);
	texts_done(&description->texts);
}

static int read_platform(struct description *description)
{
	struct platform *platform = description->measurement->context->platform;

	return platform && platform->has_levels
		       ? expected_read_online(platform, true, &description->expected)
		       : 0;
}

/* The Speed Select values of a CPU; all zero if there are none. */
static struct expected_cpu find_cpu(const struct description *description, uint32_t cpu)
{
	const struct expected *expected = &description->expected;

	for (size_t i = 0; i < expected->n_domains; i++) {
		if (cpuset_has(&expected->pp[i].domain->cpus, cpu))
			return expected_of_cpu(expected, i, cpu);
	}
	return (struct expected_cpu){ 0 };
}

/* The priority of a CPU: from its CLOS if SST-CP is on, else from SST-BF. */
static const char *find_priority(const struct frequency_inputs *inputs)
{
	if (inputs->has_clos)
		return inputs->clos <= FREQUENCY_HIGHEST_CLOS ? "high" : "low";
	if (inputs->base_freq_on)
		return inputs->is_base_freq_core ? "high" : "low";
	return "none";
}

/* Describes the CPUs that are online. */
static int describe_cpus(struct description *description)
{
	struct described_machine *machine = &description->machine;
	const struct cpuset *online = &description->topology->online;

	machine->cpus = calloc(cpuset_count(online) + 1, sizeof(*machine->cpus));
	if (!machine->cpus)
		return -ENOMEM;
	cpuset_foreach (cpu, online) {
		const struct expected_cpu known = find_cpu(description, cpu);
		const struct cpu_place *place = &description->topology->places[cpu];
		struct described_cpu *to = &machine->cpus[machine->n_cpus++];

		*to = (struct described_cpu){
			.cpu = cpu,
			.package = place->package,
			.die = place->die,
			.class = texts_take(&description->texts,
					    measurement_make_class(&known.inputs)),
			.priority = find_priority(&known.inputs),
		};
		if (place->has_power_domain)
			to->power_domain = figure_make_count(place->power_domain, NULL);
		if (place->has_physical_cpu)
			to->core = figure_make_count(place->core, NULL);
		if (known.inputs.has_clos)
			to->clos = figure_make_count(known.inputs.clos, NULL);
	}
	return 0;
}

static struct figure mhz_of(uint32_t khz)
{
	return figure_make_exact((double)khz / KHZ_PER_MHZ);
}

/* The limits of one kind; upper limits without effect (those of turbo while it is off) are left
 * out. */
static int describe_kind(const struct frequency_prediction *prediction, enum frequency_kind kind,
			 struct described_limit **ret_list, size_t *count)
{
	struct described_limit *list = calloc(N_FREQUENCY_LIMITS, sizeof(*list));

	*ret_list = list;
	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS && list; i++) {
		const uint32_t khz = prediction->khz[i];
		struct described_limit *to = &list[*count];

		if (frequency_limit_kind(i) != kind || !khz ||
		    (kind == FREQUENCY_UPPER && khz < prediction->cap_khz))
			continue;
		to->limit = frequency_limit_name(i);
		to->mhz = mhz_of(khz);
		if (i == FREQUENCY_TURBO_RATIO_LIMIT && prediction->high_trl_khz > khz)
			to->high_mhz = mhz_of(prediction->high_trl_khz);
		++*count;
	}
	return list ? 0 : -ENOMEM;
}

static int describe_limits_of(struct description *description, const struct described_cpu *cpu)
{
	const struct measurement *measurement = description->measurement;
	struct described_machine *machine = &description->machine;
	struct expected_cpu known = find_cpu(description, cpu->cpu);
	struct frequency_prediction prediction;
	struct described_limits *to;
	int err = measurement_read_inputs(measurement, &description->cpufreq, cpu->cpu,
					  &known.inputs, NULL);

	if (err)
		return -ENOMEM;
	prediction = expected_predict(&known, 0);
	if (prediction.cap_by == FREQUENCY_NO_LIMIT)
		return 0;
	to = array_add(&machine->limits, &machine->n_limits, sizeof(*to));
	if (!to)
		return -ENOMEM;
	*to = (struct described_limits){
		.cpu = cpu->cpu,
		.package = cpu->package,
		.class = cpu->class,
		.mhz = mhz_of(prediction.cap_khz),
		.bound_by = frequency_limit_name(prediction.cap_by),
	};
	if (prediction.high_khz > prediction.cap_khz)
		to->high_mhz = mhz_of(prediction.high_khz);
	if (known.inputs.level)
		to->active_cores_at_most = figure_make_count(known.counts.cores, NULL);
	err = describe_kind(&prediction, FREQUENCY_UPPER, &to->steps, &to->n_steps);
	return err ? err
		   : describe_kind(&prediction, FREQUENCY_GUARANTEED, &to->guaranteed,
				   &to->n_guaranteed);
}

/* Returns true if an earlier measured CPU has the same package and class. */
static bool has_equal(const struct description *description, size_t at)
{
	const struct described_cpu *cpu = &description->machine.cpus[at];

	for (size_t i = 0; i < at; i++) {
		const struct described_cpu *other = &description->machine.cpus[i];

		if (other->package == cpu->package && other->class == cpu->class &&
		    cpuset_has(description->measured, other->cpu))
			return true;
	}
	return false;
}

static int describe_limits(struct description *description)
{
	const struct described_machine *machine = &description->machine;
	int err = 0;

	for (size_t i = 0; i < machine->n_cpus && !err; i++) {
		if (cpuset_has(description->measured, machine->cpus[i].cpu) &&
		    !has_equal(description, i))
			err = describe_limits_of(description, &machine->cpus[i]);
	}
	return err;
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
	int err = read_platform(&description);

	description.machine.levels = json_array();
	if (!err &&
	    cpufreq_read_machine(context->machine->host->files, &description.cpufreq) == -ENOMEM)
		err = -ENOMEM;
	if (!err)
		err = describe_cpus(&description);
	if (!err)
		err = describe_limits(&description);
	if (!err && description.expected.platform)
		err = perf_profile_compare_expected(&description.expected,
						    description.machine.levels);
	if (err || description.texts.has_failed)
		return -ENOMEM;
	json_write_to(document, described_machine_fields, &description.machine);
	return 0;
}
