// SPDX-License-Identifier: GPL-2.0-only
/* Checks the steps of measure ladder: a frequency counts only if the settings are its only possible
 * limit (measure.md, "jitter, ladder, explain"). */
#include "measure/ladder.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

/* PLR reasons that begin with this mean a lack of power. */
#define PLR_POWER     "POWER"
#define HALF_STEP_MHZ 50

struct ladder_limit *ladder_find_limit(const struct ladder_rules *rules, uint32_t package)
{
	for (size_t i = 0; i < rules->n_limits; i++) {
		if (rules->limits[i].package == package)
			return &rules->limits[i];
	}
	return NULL;
}

static bool has_power_reason(const struct limit_words *limits)
{
	for (size_t i = 0; i < limits->now.count; i++) {
		if (strncmp(limits->now.list[i], PLR_POWER, strlen(PLR_POWER)) == 0)
			return true;
	}
	return false;
}

bool ladder_power_is_limited(const struct run_window *window, const struct run_cpu *cpu,
			     const struct ladder_rules *rules)
{
	const struct run_package *package = run_window_package(window, cpu);
	const struct ladder_limit *limit = ladder_find_limit(rules, cpu->package);

	if (has_power_reason(&cpu->limits) || (package && has_power_reason(&package->limits)))
		return true;
	return limit && package && figure_is_known(&package->watts) &&
	       package->watts.value * 100 >= limit->watts * LADDER_POWER_PERCENT;
}

/* Why a CPU cannot be checked, except for power: a new text; NULL if it can be checked. */
static char *find_reason(const struct run_cpu *cpu)
{
	const struct figure *busy =
		figure_is_known(&cpu->busy_percent) ? &cpu->busy_percent : &cpu->load_cpu_percent;

	if (!figure_is_known(&cpu->predicted_mhz))
		return text_format("%s", cpu->predicted_mhz.about ?: "");
	if (!figure_is_known(&cpu->mhz))
		return text_format("%s", cpu->mhz.about ?: "");
	if (figure_is_known(busy) && busy->value < LADDER_BUSY_PERCENT)
		return text_format("a load had less than %.0f %% of its CPU", LADDER_BUSY_PERCENT);
	if (cpu->stolen_percent.value > LADDER_STOLEN_PERCENT)
		return text_format("a hypervisor took more than %.0f %% of a CPU",
				   LADDER_STOLEN_PERCENT);
	return NULL;
}

/* Adds a CPU to the group of its prediction. The group shows the figures of its slowest CPU. */
static int add_to_group(const struct run_cpu *cpu, struct ladder_step *step)
{
	struct ladder_group *group = NULL;

	for (size_t i = 0; i < step->n_groups && !group; i++) {
		const struct figure *promised = &step->groups[i].promised_mhz;

		if (promised->state == cpu->predicted_mhz.state &&
		    promised->value == cpu->predicted_mhz.value)
			group = &step->groups[i];
	}
	if (!group) {
		group = array_add(&step->groups, &step->n_groups, sizeof(*group));
		if (!group)
			return -ENOMEM;
		*group = (struct ladder_group){
			.promised_mhz = cpu->predicted_mhz,
			.measured_mhz = figure_make_missing(figure_why(&cpu->mhz)),
		};
	}
	if (figure_is_known(&cpu->mhz) && (!figure_is_known(&group->measured_mhz) ||
					   group->measured_mhz.value > cpu->mhz.value)) {
		group->measured_mhz = figure_make_exact(cpu->mhz.value);
		group->measured_source = cpu->mhz.about ?: cpu->mhz_source;
		group->slowest_cpu = figure_make_count(cpu->cpu, NULL);
	}
	return cpuset_add(&group->cpus, cpu->cpu);
}

/* Adds the package of a CPU, if the step does not have it yet. */
static int add_package(const struct run_window *window, const struct run_cpu *cpu,
		       const struct ladder_rules *rules, struct ladder_step *step)
{
	const struct ladder_limit *limit = ladder_find_limit(rules, cpu->package);
	const struct run_package *package = run_window_package(window, cpu);
	struct ladder_package *to;

	for (size_t i = 0; i < step->n_packages; i++) {
		if (step->packages[i].package == cpu->package)
			return 0;
	}
	to = array_add(&step->packages, &step->n_packages, sizeof(*to));
	if (!to)
		return -ENOMEM;
	*to = (struct ladder_package){
		.package = cpu->package,
		.watts = package && package->watts.state != FIGURE_NONE
				 ? package->watts
				 : figure_make_missing("not measured"),
		.limit_watts =
			limit ? figure_make(limit->watts, 3, limit->source)
			      : figure_make_missing("neither powercap nor the level has one"),
	};
	if (!figure_is_known(&to->watts) && !to->watts.about)
		to->watts.about = "not measured";
	return 0;
}

static bool passes(const struct run_cpu *cpu, const struct ladder_rules *rules)
{
	return figure_is_known(&cpu->predicted_mhz) && figure_is_known(&cpu->mhz) &&
	       cpu->mhz.value * 100 >= cpu->predicted_mhz.value * (100 - rules->tolerance_percent);
}

/* Checks a busy CPU. Sets *has_failed if the CPU is slower than predicted. */
static int check_cpu(const struct run_window *window, const struct run_cpu *cpu,
		     const struct ladder_rules *rules, struct ladder_step *step, bool *has_failed)
{
	char *reason = find_reason(cpu);

	/* A power limit may reduce frequencies, but a CPU that reaches its prediction passes. */
	if (!reason && ladder_power_is_limited(window, cpu, rules)) {
		reason = text_format("power of package %u is at its limit", cpu->package);
		if (passes(cpu, rules)) {
			texts_take(&step->notes, reason);
			return 0;
		}
	}
	if (!reason) {
		*has_failed = *has_failed || !passes(cpu, rules);
		return 0;
	}
	texts_take(&step->reasons, reason);
	return cpuset_add(&step->not_checked, cpu->cpu);
}

int ladder_check(const struct run_window *window, const struct cpuset *busy,
		 const struct ladder_rules *rules, struct ladder_step *step)
{
	bool has_failed = false;
	uint64_t cores = 0;
	int err = 0;

	for (size_t i = 0; i < window->n_cpus && !err; i++) {
		const struct run_cpu *cpu = &window->cpus[i];

		if (!cpuset_has(busy, cpu->cpu))
			continue;
		cores++;
		err = add_to_group(cpu, step);
		if (!err)
			err = add_package(window, cpu, rules, step);
		if (!err)
			err = check_cpu(window, cpu, rules, step, &has_failed);
	}
	step->cores = figure_make_count(cores, NULL);
	step->result = has_failed ? "fail" : step->reasons.count > 0 ? "not-checked" : "pass";
	return err || step->reasons.has_failed || step->notes.has_failed ? -ENOMEM : 0;
}

const char *const ladder_readings[N_FREQUENCY_READINGS] = {
	[FREQUENCY_BY_DOMAIN] = "turbo counts by power domain",
	[FREQUENCY_BY_PACKAGE] = "turbo counts by package",
};

void ladder_find_counts(const struct run_window *window, const struct cpuset *busy,
			const struct ladder_rules *rules, size_t fits[N_FREQUENCY_READINGS])
{
	for (size_t i = 0; i < window->n_cpus; i++) {
		const struct run_cpu *cpu = &window->cpus[i];
		const struct figure *high = &cpu->predicted_high_mhz;
		const double low = cpu->predicted_mhz.value, mhz = cpu->mhz.value;
		enum frequency_reading higher = FREQUENCY_BY_PACKAGE;
		_cleanup_free_ char *reason = find_reason(cpu);

		if (!cpuset_has(busy, cpu->cpu) || !figure_is_known(high) || !high->about || reason)
			continue;
		if (strcmp(high->about, ladder_readings[FREQUENCY_BY_DOMAIN]) == 0)
			higher = FREQUENCY_BY_DOMAIN;
		/* a frequency above the lower prediction proves the higher reading */
		if (mhz > low + HALF_STEP_MHZ && mhz * 100 > low * (100 + rules->tolerance_percent))
			fits[higher]++;
		else if (passes(cpu, rules) && !ladder_power_is_limited(window, cpu, rules))
			fits[N_FREQUENCY_READINGS - 1 - higher]++;
	}
}
