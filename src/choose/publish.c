// SPDX-License-Identifier: GPL-2.0-only
/* Finds the fast cores in the present state, why they are fast, and their expected frequency. If
 * something cannot be read, this does not guess: nothing is published. */
#include "choose/priority.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/change_log.h"
#include "host/cpufreq.h"

#define NODES      "/sys/devices/system/node"
#define MOST_WAITS 5 /* base_frequency follows a level within 10 ms */
#define WAIT_US    4000

/* What is read of the machine. */
struct finder {
	struct platform *platform;
	const struct topology *topology;
	struct expected expected; /* of domains with an online CPU */
	uint32_t *nodes; /* by CPU */
	bool turbo_is_off;
	uint32_t max_percent; /* of intel_pstate; 0: no limit */
	unsigned int n_waits; /* number of waits for base_frequency */
	struct priority *priority;
	char **ret_message;
};

static void finder_done(struct finder *finder)
{
	expected_done(&finder->expected);
	free(finder->nodes);
}

/* Sets the message; returns err. */
static int fail(struct finder *finder, const struct power_domain *domain, const char *what, int err)
{
	if (err != -ENOMEM)
		*finder->ret_message =
			platform_describe_failure(finder->platform, domain, what, err);
	return err;
}

/* Notes the node of each CPU. A kernel without NUMA has none. */
static int read_nodes(struct finder *finder)
{
	struct files *files = finder->platform->machine->host->files;
	uint32_t end = cpuset_last(&finder->topology->present) + 1;
	_cleanup_(files_free_names) char **names = NULL;
	int err;

	finder->nodes = calloc(end, sizeof(*finder->nodes));
	if (!finder->nodes)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < end; cpu++)
		finder->nodes[cpu] = PRIORITY_UNKNOWN;
	err = files_list(files, NODES, &names);
	for (size_t i = 0; !err && names[i]; i++) {
		const char *number = strncmp(names[i], "node", 4) == 0 ? names[i] + 4 : "";
		_cleanup_free_ char *path = text_format(NODES "/%s/cpulist", names[i]);
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		uint64_t node;

		if (number_parse(number, 0, CPUSET_MAX_CPU, &node))
			continue;
		err = path ? files_read_cpus(files, path, &cpus) : -ENOMEM;
		cpuset_keep(&cpus, &finder->topology->present);
		cpuset_foreach (cpu, &cpus)
			finder->nodes[cpu] = (uint32_t)node;
		err = err == -ENOMEM ? err : 0;
	}
	return err == -ENOMEM ? err : 0;
}

static int read_machine(struct finder *finder)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	int err = cpufreq_read_machine(finder->platform->machine->host->files, &machine);

	if (err && err != -ENOMEM)
		*finder->ret_message =
			text_format("cpufreq of the whole machine: %s", strerror(-err));
	if (err)
		return err;
	finder->turbo_is_off = cpufreq_turbo_is_off(&machine);
	finder->max_percent = cpufreq_parse_percent(machine.max_perf_pct);
	return 0;
}

static struct priority_package *find_package(struct priority *priority, uint32_t number)
{
	struct priority_package *package;

	for (size_t i = 0; i < priority->n_packages; i++) {
		if (priority->packages[i].package == number)
			return &priority->packages[i];
	}
	package = array_add(&priority->packages, &priority->n_packages, sizeof(*package));
	if (package) {
		package->package = number;
		package->level = PRIORITY_UNKNOWN;
		package->fast.cpu = package->other.cpu = PRIORITY_UNKNOWN;
	}
	return package;
}

/* Returns true if an online core of the package is in CLOS 2 or 3. */
static bool has_low(const struct finder *finder, uint32_t package)
{
	for (size_t i = 0; i < finder->expected.n_assocs; i++) {
		const struct platform_query *assoc = &finder->expected.assocs[i];

		if (!assoc->error && assoc->value.number > FREQUENCY_HIGHEST_CLOS &&
		    finder->topology->places[assoc->cpu].package == package)
			return true;
	}
	return false;
}

/* Adds the features that are on in a domain to its package. */
static int add_domain(struct finder *finder, size_t index)
{
	const struct platform_level_query *query = &finder->expected.levels[index];
	const struct sst_level *level = &query->info;
	struct priority_package *package = find_package(finder->priority, query->domain->package);
	const bool is_first = index == 0 || query->domain->package != query[-1].domain->package;
	const struct platform_core_power_query *core_power = &finder->expected.core_power[index];
	const size_t used = finder->expected.counts[index].activity.high_units;

	if (!package)
		return -ENOMEM;
	if (is_first)
		package->has_low = has_low(finder, package->package);
	package->level =
		is_first || package->level == query->level ? query->level : PRIORITY_UNKNOWN;
	package->turbo_freq_on |= level->turbo_freq_on;
	package->base_freq_on |= level->base_freq_on;
	if (level->turbo_freq_supported) {
		const struct sst_turbo *buckets = &level->turbo_freq.buckets;

		if (frequency_capacity(buckets) > frequency_capacity(&package->buckets))
			package->buckets = *buckets;
		package->capacity = frequency_capacity_of(&package->buckets, used);
	}
	package->counts_modules |= level->turbo_freq.counts_modules;
	if (core_power->error || !core_power->core_power.clos_enabled)
		return 0;
	package->core_power_on = true;
	package->used = used;
	return 0;
}

/* Returns true if the core can be added to the group, whose CPUs stay ascending. */
static bool can_join(const struct priority_group *group, const struct priority_group *core)
{
	if (group->package != core->package || group->node != core->node ||
	    group->reasons != core->reasons || group->mhz != core->mhz ||
	    group->high_mhz != core->high_mhz || group->above_mhz != core->above_mhz ||
	    group->base_mhz != core->base_mhz || group->clos != core->clos ||
	    group->bucket != core->bucket || group->is_at_most != core->is_at_most)
		return false;
	for (size_t i = 0; i < PRIORITY_THREADS; i++) {
		uint32_t last = cpuset_last(&group->threads[i]);

		if ((last == CPUSET_NONE) != cpuset_is_empty(&core->threads[i]) ||
		    (last != CPUSET_NONE && last >= cpuset_next(&core->threads[i], 0)))
			return false;
	}
	return true;
}

/* Adds a core to the group of equal cores. Takes ownership of the core's sets. */
static int add_core(struct priority *priority, struct priority_group *core)
{
	struct priority_group *group = NULL;
	int err = 0;

	for (size_t i = 0; i < priority->n_groups && !group; i++) {
		if (can_join(&priority->groups[i], core))
			group = &priority->groups[i];
	}
	if (!group) {
		group = array_add(&priority->groups, &priority->n_groups, sizeof(*group));
		if (!group)
			return -ENOMEM;
		*group = *core;
		*core = (struct priority_group){ 0 };
		return 0;
	}
	for (size_t i = 0; i < PRIORITY_THREADS && !err; i++)
		err = cpuset_add_all(&group->threads[i], &core->threads[i]);
	return err;
}

static void group_done(struct priority_group *group)
{
	for (size_t i = 0; i < PRIORITY_THREADS; i++)
		cpuset_done(&group->threads[i]);
}

/* Returns the base frequency of a CPU; 0: none. Waits until it is what Speed Select has set, at
 * most MOST_WAITS times for all CPUs together. */
static uint32_t read_base(struct finder *finder, uint32_t cpu, uint32_t base_mhz)
{
	struct files *files = finder->platform->machine->host->files;
	uint64_t khz = 0;

	while (!files_read_number(files, files_cpu_path(cpu, "cpufreq/base_frequency").text,
				  &khz)) {
		if (khz == (uint64_t)base_mhz * KHZ_PER_MHZ || finder->n_waits == MOST_WAITS)
			return khz <= UINT32_MAX ? (uint32_t)khz : 0;
		finder->n_waits++;
		wait_us_or_stop(NULL, WAIT_US);
	}
	return 0;
}

/* Notes the base frequency of the first fast and of the first other CPU of each package. */
static void add_witness(struct finder *finder, const struct priority_group *core)
{
	struct priority_package *package = find_package(finder->priority, core->package);
	struct priority_witness *witness;

	if (!package)
		return;
	witness = core->reasons ? &package->fast : &package->other;
	if (witness->cpu != PRIORITY_UNKNOWN)
		return;
	witness->cpu = cpuset_next(&core->threads[0], 0);
	witness->base_khz = read_base(finder, witness->cpu, core->base_mhz);
}

/* Compares the frequency of a high-priority core with and without SST-TF. */
static void compare_turbo_freq(struct priority_package *package, struct expected_cpu facts,
			       const struct frequency_prediction *prediction)
{
	facts.inputs.turbo_freq_on = false;
	package->turbo_freq_helps = package->turbo_freq_helps ||
				    prediction->cap_by == FREQUENCY_NO_LIMIT ||
				    prediction->cap_khz > expected_predict(&facts, 0).cap_khz;
	package->turbo_mhz = prediction->cap_khz / KHZ_PER_MHZ;
	package->turbo_by = prediction->cap_by;
}

/* Reads a limit of cpufreq; 0: there is none. */
static int read_limit(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz)
{
	int err = cpufreq_read_khz(files, cpu, name, ret_khz);

	return err == -ENOENT ? 0 : err;
}

/* Reads the limits of cpufreq into the inputs, and predicts. The kernel keeps the upper limit at or
 * below the highest frequency (sysfs.md, "cpufreq policy"). The latter is read only if it can
 * count, never while turbo is off, so setting commands read one file less per fast core. */
static int predict_within_limits(struct files *files, uint32_t cpu, struct expected_cpu *facts,
				 struct frequency_prediction *ret_prediction)
{
	struct frequency_inputs *inputs = &facts->inputs;
	const bool has_percent = inputs->max_percent && inputs->max_percent != 100;
	int err = read_limit(files, cpu, "scaling_max_freq", &inputs->max_khz);

	if (err)
		return err;
	inputs->highest_khz = inputs->turbo_off ? 0 : inputs->max_khz;
	*ret_prediction = expected_predict(facts, FREQUENCY_SSE);
	if (!has_percent && ret_prediction->high_khz &&
	    (inputs->turbo_off || ret_prediction->high_khz < inputs->max_khz))
		return 0;
	err = read_limit(files, cpu, "cpuinfo_max_freq", &inputs->highest_khz);
	if (!err)
		*ret_prediction = expected_predict(facts, FREQUENCY_SSE);
	return err;
}

/* Finds the reasons of Speed Select why a core is fast. */
static unsigned int find_reasons(const struct priority_package *package,
				 const struct frequency_inputs *inputs,
				 const struct frequency_prediction *prediction)
{
	unsigned int reasons = 0;

	if (inputs->is_base_freq_core)
		reasons |= PRIORITY_OF_BASE_FREQ;
	if (prediction->bucket < SST_BUCKETS)
		reasons |= PRIORITY_OF_TURBO_FREQ;
	if (inputs->has_clos && inputs->clos <= FREQUENCY_HIGHEST_CLOS && package->has_low)
		reasons |= PRIORITY_OF_CLOS;
	return reasons;
}

/* Fills in what is known of a core, from its first CPU. */
static int describe_core(struct finder *finder, size_t index, uint32_t cpu,
			 struct priority_group *core)
{
	struct expected_cpu facts = expected_of_cpu(&finder->expected, index, cpu);
	const struct frequency_inputs *inputs = &facts.inputs;
	struct priority_package *package = find_package(finder->priority, core->package);
	struct files *files = finder->platform->machine->host->files;
	struct frequency_prediction prediction;
	int err = 0;

	if (!package)
		return -ENOMEM;
	if (facts.assoc_error)
		return fail(finder, finder->expected.pp[index].domain, "association to a CLOS",
			    facts.assoc_error);
	if (facts.clos_error)
		return fail(finder, finder->expected.pp[index].domain, "parameters of a CLOS",
			    facts.clos_error);
	facts.inputs.turbo_off = finder->turbo_is_off;
	facts.inputs.max_percent = finder->max_percent;
	prediction = expected_predict(&facts, FREQUENCY_SSE);
	core->reasons = find_reasons(package, inputs, &prediction);
	core->is_at_most = !core->reasons && prediction.cap_khz;
	if (!core->is_at_most)
		err = predict_within_limits(files, cpu, &facts, &prediction);
	if (err)
		return fail(finder, finder->expected.pp[index].domain, "cpufreq limits", err);
	expected_check_highest(files, cpu, &prediction);
	core->clos = inputs->has_clos ? inputs->clos : PRIORITY_UNKNOWN;
	core->bucket = prediction.bucket < SST_BUCKETS ? prediction.bucket : PRIORITY_UNKNOWN;
	core->base_mhz =
		(prediction.khz[FREQUENCY_BASE_FREQ_BASE] ?: prediction.khz[FREQUENCY_LEVEL_BASE]) /
		KHZ_PER_MHZ;
	core->mhz = prediction.cap_khz / KHZ_PER_MHZ;
	core->high_mhz =
		prediction.high_khz > prediction.cap_khz ? prediction.high_khz / KHZ_PER_MHZ : 0;
	core->above_mhz = prediction.above_highest_khz / KHZ_PER_MHZ;
	if (core->bucket != PRIORITY_UNKNOWN)
		compare_turbo_freq(package, facts, &prediction);
	return 0;
}

/* Adds the core of a domain that has these online CPUs. */
static int add_threads(struct finder *finder, size_t index, const struct domain_core *threads)
{
	_cleanup_(group_done) struct priority_group core = {
		.package = finder->expected.pp[index].domain->package,
		.node = finder->nodes[threads->cpus[0]],
	};
	int err = describe_core(finder, index, threads->cpus[0], &core);

	for (size_t i = 0; i < threads->n_cpus && !err; i++)
		err = cpuset_add(&core.threads[i], threads->cpus[i]);
	if (err)
		return err;
	add_witness(finder, &core);
	return add_core(finder->priority, &core);
}

static int add_cores(struct finder *finder, size_t index)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };
	_cleanup_free_ struct domain_core *cores = NULL;
	size_t n_cores = 0;
	int err = cpuset_copy(&online, &finder->expected.pp[index].domain->cpus);

	if (!err) {
		cpuset_keep(&online, &finder->topology->online);
		err = domains_list_cores(finder->topology, &online, &cores, &n_cores);
	}
	for (size_t i = 0; i < n_cores && !err; i++)
		err = add_threads(finder, index, &cores[i]);
	return err;
}

static int find_sst(struct finder *finder)
{
	const struct expected *expected = &finder->expected;
	int err = expected_read_online(finder->platform, false, &finder->expected);
	const char *what;

	for (size_t i = 0; i < expected->n_domains && !err; i++) {
		err = expected_check(expected, i, &what);
		err = err ? fail(finder, expected->pp[i].domain, what, err) : add_domain(finder, i);
	}
	for (size_t i = 0; i < expected->n_domains && !err; i++)
		err = add_cores(finder, i);
	return err;
}

/* Adds cores, with the base frequencies of cpufreq and the threads that the kernel lists. */
static int add_cpufreq_cores(struct finder *finder, const struct power_domain *domain,
			     const struct sst_base_freq *base_freq)
{
	struct files *files = finder->platform->machine->host->files;
	_cleanup_cpuset_ struct cpuset left = { 0 };
	int err = cpuset_copy(&left, &domain->cpus);

	cpuset_keep(&left, &finder->topology->online);
	for (uint32_t cpu; !err && (cpu = cpuset_next(&left, 0)) != CPUSET_NONE;) {
		bool is_high = base_freq->high_mhz > base_freq->low_mhz &&
			       cpuset_has(&base_freq->high_cpus, cpu);
		_cleanup_(group_done) struct priority_group core = {
			.package = domain->package,
			.node = finder->nodes[cpu],
			.reasons = is_high ? PRIORITY_OF_BASE_FREQ : 0,
			.mhz = is_high ? base_freq->high_mhz : base_freq->low_mhz,
			.base_mhz = is_high ? base_freq->high_mhz : base_freq->low_mhz,
			.clos = PRIORITY_UNKNOWN,
			.bucket = PRIORITY_UNKNOWN,
		};
		_cleanup_cpuset_ struct cpuset threads = { 0 };
		size_t n_threads = 0;

		err = topology_add_core(files, cpu, &threads);
		cpuset_keep(&threads, &left);
		cpuset_foreach (thread, &threads) {
			if (!err && n_threads < PRIORITY_THREADS)
				err = cpuset_add(&core.threads[n_threads++], thread);
		}
		cpuset_remove_all(&left, &threads);
		add_witness(finder, &core);
		err = err ?: add_core(finder->priority, &core);
	}
	return err;
}

static int find_by_cpufreq(struct finder *finder)
{
	const struct domain_list *list = &finder->platform->domains;
	int err = 0;

	for (size_t i = 0; i < list->n_domains && !err; i++) {
		struct platform_level_query query = { .domain = &list->domains[i] };
		struct priority_package *package;

		if (query.domain->cpu == CPUSET_NONE)
			continue;
		package = find_package(finder->priority, query.domain->package);
		if (!package)
			return -ENOMEM;
		err = finder->platform->ops->read_levels(finder->platform, PLATFORM_BASE_FREQ,
							 &query, 1);
		if (!err && query.error)
			err = fail(finder, query.domain, query.failed, query.error);
		package->level = 0;
		package->base_freq_on = true;
		if (!err)
			err = add_cpufreq_cores(finder, query.domain, &query.info.base_freq);
		sst_level_done(&query.info);
	}
	return err;
}

/* Finds what a user should know. */
static void find_warnings(struct priority *priority)
{
	bool has_fast = false;

	for (size_t i = 0; i < priority->n_packages; i++) {
		const struct priority_package *package = &priority->packages[i];

		if (priority_exceeds_bucket(package))
			texts_take(&priority->warnings,
				   text_format("package %u: %zu %s have high priority, and the "
					       "largest bucket holds %zu",
					       package->package, package->used,
					       package->counts_modules ? "modules" : "cores",
					       (size_t)frequency_capacity(&package->buckets)));
	}
	for (size_t i = 0; i < priority->n_groups; i++)
		has_fast = has_fast || priority->groups[i].reasons;
	if (!has_fast)
		texts_take(&priority->warnings, strdup("no feature makes any core fast"));
}

int priority_find(struct platform *platform, struct priority *ret_priority, char **ret_message)
{
	struct priority priority = { 0 };
	_cleanup_(finder_done) struct finder finder = {
		.platform = platform,
		.topology = &platform->machine->topology,
		.priority = &priority,
		.ret_message = ret_message,
	};
	char now[CHANGE_LOG_TIME_SIZE];
	int err = read_nodes(&finder);

	*ret_message = NULL;
	if (!err)
		err = read_machine(&finder);
	if (!err)
		err = platform->base_freq_by_cpufreq ? find_by_cpufreq(&finder) : find_sst(&finder);
	change_log_format_now(now);
	priority.time = texts_take(&priority.texts, strdup(now));
	priority.program = VERSION;
	find_warnings(&priority);
	if (!err && (priority.texts.has_failed || priority.warnings.has_failed))
		err = -ENOMEM;
	if (err) {
		priority_done(&priority);
		return err;
	}
	*ret_priority = priority;
	return 0;
}
