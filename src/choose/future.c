// SPDX-License-Identifier: GPL-2.0-only
/* Finds the frequencies that a setting would give: builds the state after the setting and passes it
 * to the predictor, as cpufreq explain does for the present state. */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "sst/values.h"

/* The state after a row is set. The facts own the data that its arrays point to. */
struct future {
	const struct choose_facts *facts;
	const struct choose_row *row;
	struct platform platform; /* as now, except for the online CPUs of its machine */
	struct machine machine;
	struct expected expected;
};

static void future_done(struct future *future)
{
	free(future->expected.levels);
	free(future->expected.core_power);
	free(future->expected.trl);
	free(future->expected.clos);
	free(future->expected.assocs);
	free(future->expected.counts);
}

/* Returns a copy of an array; NULL: no memory. */
static void *copy_array(const void *array, size_t count, size_t size)
{
	void *copy = calloc(count ?: 1, size);

	return copy && count ? memcpy(copy, array, count * size) : copy;
}

/* Returns true if no turbo-ratio limit is below that of the level: state apply treats them as open
 * and does not write them. */
static bool counts_as_open(const struct platform_query *trl, uint64_t of_level)
{
	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		if (sst_byte(trl->value.number, i) < sst_byte(of_level, i))
			return false;
	}
	return true;
}

/* Sets a domain as the row does. */
static void set_domain(struct future *future, size_t index)
{
	const struct choose_row *row = future->row;
	struct expected *expected = &future->expected;
	const struct platform_level_query *level =
		choose_find_level(future->facts, index, row->level);
	bool had_turbo_freq = expected->levels[index].info.turbo_freq_on;
	bool moves = expected->levels[index].level != row->level;
	struct platform *platform = future->facts->platform;
	struct platform_query *trl = &expected->trl[index];
	const struct sst_clos clos = { .unlimited = true };
	uint64_t of_level = 0;

	expected->levels[index] = *level;
	expected->levels[index].info.base_freq_on = row->feature & CHOOSE_BASE_FREQ;
	expected->levels[index].info.turbo_freq_on = row->feature & CHOOSE_TURBO_FREQ;
	expected->core_power[index].core_power.clos_enabled = row->feature != CHOOSE_NO_FEATURE;
	if (row->feature != CHOOSE_NO_FEATURE)
		expected->core_power[index].error = 0;
	for (size_t i = 0; i < SST_CLOS_COUNT; i++) {
		struct platform_query *query = &expected->clos[index * SST_CLOS_COUNT + i];

		query->error = 0;
		query->value = value_of_clos(&clos);
	}
	if (!had_turbo_freq && !moves && !(row->feature & CHOOSE_TURBO_FREQ))
		return;
	trl->error = platform->ops->read_level_trl(platform, future->facts->domains[index],
						   row->level, &of_level);
	if (!(row->feature & CHOOSE_TURBO_FREQ))
		trl->value.number = of_level;
	else if (!had_turbo_freq || moves || !counts_as_open(trl, of_level))
		trl->value.number = FREQUENCY_TRL_OPEN;
}

/* Sets the power domains without an online CPU like their packages: the sums include their
 * turbo-ratio limits. */
static void set_siblings(struct future *future)
{
	const struct choose_facts *facts = future->facts;
	const struct expected *now = &facts->expected;
	const size_t end = now->n_domains + now->n_siblings;

	for (size_t i = now->n_domains; i < end; i++) {
		const struct platform_level_query *then =
			expected_find_level(now, i, future->row->level);

		for (size_t j = 0; j < facts->n_packages; j++) {
			if (then && future->row->is_set[j] &&
			    facts->packages[j].number == then->domain->package)
				future->expected.levels[i] = *then;
		}
	}
}

/* Copies turbo-ratio limits within each package, which has only one register. */
static void share_limits(struct future *future)
{
	const struct choose_facts *facts = future->facts;

	for (size_t i = 0; i < facts->n_packages; i++) {
		const struct choose_package *package = &facts->packages[i];

		for (size_t j = 1; j < package->n_domains; j++) {
			size_t domain = package->first + j;

			future->expected.trl[domain].error =
				future->expected.trl[package->first].error;
			future->expected.trl[domain].value =
				future->expected.trl[package->first].value;
		}
	}
}

static uint32_t clos_of_core(const struct future *future, size_t core, uint32_t cpu)
{
	bool is_high = future->row->feature == CHOOSE_BASE_FREQ
			       ? choose_is_base_freq_cpu(future->facts, future->row,
							 future->facts->cores[core].domain, cpu)
			       : future->row->is_chosen[core];

	return is_high ? 0 : SST_CLOS_COUNT - 1;
}

static int compare_assocs(const void *left, const void *right)
{
	const struct platform_query *one = left, *other = right;

	return number_compare(one->cpu, other->cpu);
}

/* Notes the CLOS of each CPU: that of the row in packages that it sets, else the present CLOS. */
static int set_assocs(struct future *future)
{
	const struct choose_facts *facts = future->facts;
	const struct cpuset *online = &future->row->online;
	struct expected *expected = &future->expected;
	size_t room = cpuset_count(online) + facts->expected.n_assocs + 1;

	expected->assocs = calloc(room, sizeof(*expected->assocs));
	if (!expected->assocs)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];

		if (!choose_sets_domain(facts, future->row, core->domain) ||
		    future->row->feature == CHOOSE_NO_FEATURE)
			continue;
		for (size_t j = 0; j < core->n_cpus; j++) {
			if (cpuset_has(online, core->cpus[j]))
				expected->assocs[expected->n_assocs++] = (struct platform_query){
					.cpu = core->cpus[j],
					.value.number = clos_of_core(future, i, core->cpus[j]),
				};
		}
	}
	for (size_t i = 0; i < facts->expected.n_assocs; i++) {
		const struct platform_query *assoc = &facts->expected.assocs[i];
		uint32_t number = facts->topology->places[assoc->cpu].package;

		for (size_t j = 0; j < facts->n_packages; j++) {
			if (facts->packages[j].number == number && !future->row->is_set[j])
				expected->assocs[expected->n_assocs++] = *assoc;
		}
	}
	qsort(expected->assocs, expected->n_assocs, sizeof(*expected->assocs), compare_assocs);
	return 0;
}

static int future_init(struct future *future)
{
	const struct expected *now = &future->facts->expected;
	struct expected *expected = &future->expected;
	size_t n_domains = now->n_domains;

	future->platform = *future->facts->platform;
	future->machine = *future->platform.machine;
	future->machine.topology.online = future->row->online;
	future->platform.machine = &future->machine;
	*expected = (struct expected){
		.platform = &future->platform,
		.n_domains = n_domains,
		.pp = now->pp,
		.n_siblings = now->n_siblings,
		.levels =
			copy_array(now->levels, n_domains + now->n_siblings, sizeof(*now->levels)),
		.core_power = copy_array(now->core_power, n_domains, sizeof(*now->core_power)),
		.trl = copy_array(now->trl, n_domains, sizeof(*now->trl)),
		.clos = copy_array(now->clos, n_domains * SST_CLOS_COUNT, sizeof(*now->clos)),
		.counts = calloc(n_domains ?: 1, sizeof(*now->counts)),
	};
	int err;

	if (!expected->levels || !expected->core_power || !expected->trl || !expected->clos ||
	    !expected->counts)
		return -ENOMEM;
	for (size_t i = 0; i < n_domains; i++) {
		if (choose_sets_domain(future->facts, future->row, i))
			set_domain(future, i);
	}
	set_siblings(future);
	share_limits(future);
	err = set_assocs(future);
	return err ?: expected_count(expected);
}

/* Returns true if the row changes the highest possible frequency of a CPU, which depends on the
 * level, SST-TF, and with SST-TF on the CLOS. Else Linux keeps it (measure.md, "One predictor"). */
static bool moves_highest(const struct choose_facts *facts, const struct choose_row *row,
			  const struct choose_core *core, uint32_t cpu,
			  const struct frequency_inputs *then)
{
	const struct frequency_inputs now =
		expected_of_cpu(&facts->expected, core->domain, cpu).inputs;

	return facts->expected.levels[core->domain].level != row->level ||
	       now.turbo_freq_on != then->turbo_freq_on ||
	       (then->turbo_freq_on && (!now.has_clos || now.clos != then->clos));
}

/* Fills in the cpufreq limit of a core: the lowest limit of its CPUs that are online after the row
 * is set. A row opens the limits of the packages that it sets. */
static void limit_core(const struct choose_facts *facts, const struct choose_row *row,
		       const struct choose_core *core, struct frequency_inputs *inputs)
{
	bool is_set = choose_sets_domain(facts, row, core->domain);

	inputs->max_percent = facts->max_percent;
	inputs->turbo_off = facts->turbo_is_off;
	for (size_t i = 0; i < core->n_cpus; i++) {
		uint32_t cpu = core->cpus[i], max_khz = facts->max_mhz[cpu] * KHZ_PER_MHZ;

		if (!cpuset_has(&row->online, cpu))
			continue;
		inputs->highest_khz = facts->highest_mhz[cpu] * KHZ_PER_MHZ;
		if (!is_set && (!inputs->max_khz || max_khz < inputs->max_khz))
			inputs->max_khz = max_khz;
	}
}

/* Includes a core in the lowest frequencies of the chosen cores, or of the other cores. */
static void add_core(struct choose_row *row, size_t *count, bool is_chosen,
		     const struct frequency_prediction *prediction)
{
	const uint32_t *khz = prediction->khz;
	uint32_t *turbo_mhz = is_chosen ? &row->high_mhz : &row->others_mhz;
	uint32_t *base_mhz = is_chosen ? &row->guaranteed_mhz : &row->others_guaranteed_mhz;
	uint32_t mhz = prediction->cap_khz / KHZ_PER_MHZ;
	uint32_t base = (khz[FREQUENCY_BASE_FREQ_BASE]
				 ?: khz[FREQUENCY_LEVEL_BASE]
				 ?: khz[FREQUENCY_CPUFREQ_BASE]) /
			KHZ_PER_MHZ;

	if (*count == 0 || mhz < *turbo_mhz)
		*turbo_mhz = mhz;
	if (*count == 0 || base < *base_mhz)
		*base_mhz = base;
	++*count;
	row->cores_online++;
}

/* Finds the limits of a CPU if cpufreq shows SST-BF. */
static struct expected_cpu find_by_cpufreq(const struct choose_facts *facts, size_t domain,
					   uint32_t cpu)
{
	const struct sst_base_freq *base_freq = &facts->expected.levels[domain].info.base_freq;
	bool is_high = cpuset_has(&base_freq->high_cpus, cpu);

	return (struct expected_cpu){
		.inputs.base_khz =
			(is_high ? base_freq->high_mhz : base_freq->low_mhz) * KHZ_PER_MHZ,
	};
}

int choose_predict(const struct choose_facts *facts, unsigned int trl_level, struct choose_row *row)
{
	_cleanup_(future_done) struct future future = { .facts = facts, .row = row };
	size_t n_chosen = 0, n_others = 0;
	const bool by_cpufreq = facts->platform->base_freq_by_cpufreq;
	int err = by_cpufreq ? 0 : future_init(&future);

	row->high_mhz = row->guaranteed_mhz = 0;
	row->others_mhz = row->others_guaranteed_mhz = 0;
	row->cores_online = 0;
	for (size_t i = 0; i < facts->n_cores && !err; i++) {
		const struct choose_core *core = &facts->cores[i];
		uint32_t cpu = choose_first_online(core, &row->online);
		struct frequency_prediction prediction;
		struct expected_cpu expected;

		if (cpu == CPUSET_NONE)
			continue;
		expected = by_cpufreq ? find_by_cpufreq(facts, core->domain, cpu)
				      : expected_of_cpu(&future.expected, core->domain, cpu);
		expected.inputs.is_planned = !by_cpufreq &&
					     choose_sets_domain(facts, row, core->domain) &&
					     moves_highest(facts, row, core, cpu, &expected.inputs);
		limit_core(facts, row, core, &expected.inputs);
		prediction = expected_predict(&expected, trl_level);
		row->core_mhz[i] = prediction.cap_khz / KHZ_PER_MHZ;
		add_core(row, row->is_chosen[i] ? &n_chosen : &n_others, row->is_chosen[i],
			 &prediction);
	}
	return err;
}
