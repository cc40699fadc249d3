// SPDX-License-Identifier: GPL-2.0-only
/* Finds one change of Speed Select for each package with CPUs that a limit of turbo limits.
 * Predicts all CPUs of the package after the change, to show what others lose. */
#include "features/measure/why_turbo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "run/context.h"
#include "sst/values.h"

#define LOW_CLOS  3 /* for CPUs that turbo-freq enable --auto does not name */
#define LEFT_CLOS 2 /* for CPUs that give up their priority */

enum change_kind { CHANGE_RATIOS, CHANGE_ENABLE, CHANGE_JOIN, CHANGE_LEAVE, CHANGE_TURBO_ON };

/* A change of one package. */
struct plan {
	const struct explanation *explanation;
	uint32_t package;
	enum change_kind kind;
	uint64_t trl; /* CHANGE_RATIOS */
	struct cpuset limited; /* measured CPUs that turbo limits, or that need turbo on */
	struct cpuset asked; /* all measured CPUs */
	struct cpuset online; /* all online CPUs of the package */
	struct cpuset high; /* CPUs of the package in CLOS 0 and 1 */
	struct cpuset cpus; /* of the command */
	struct cpuset moved; /* cpus and the siblings of their cores */
	struct cpuset lowered;
	uint32_t now_khz, then_khz; /* the highest of lowered CPUs */
	bool helps; /* some limited CPUs are raised */
	bool harms; /* some limited CPUs are lowered */
};

struct plans {
	struct plan *list;
	size_t count;
	bool any_helps;
};

static void plan_done(struct plan *plan)
{
	cpuset_done(&plan->limited);
	cpuset_done(&plan->asked);
	cpuset_done(&plan->online);
	cpuset_done(&plan->high);
	cpuset_done(&plan->cpus);
	cpuset_done(&plan->moved);
	cpuset_done(&plan->lowered);
}

void turbo_changes_done(struct turbo_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->list[i].command);
		cpuset_done(&changes->list[i].lowered);
		cpuset_done(&changes->list[i].packages);
	}
	free(changes->list);
}

bool turbo_limits(const char *limited_by)
{
	static const char *const names[] = { "turbo-ratio-limit", "high-priority-cores",
					     "turbo-freq-bucket", "turbo-freq-clip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(limited_by, names[i]) == 0)
			return true;
	}
	return false;
}

static bool is_turbo_off(const char *limited_by)
{
	return strcmp(limited_by, "no_turbo") == 0;
}

static const struct turbo_change *find_change(const struct turbo_changes *changes, uint32_t package)
{
	for (size_t i = 0; i < changes->count; i++) {
		if (cpuset_has(&changes->list[i].packages, package))
			return &changes->list[i];
	}
	return NULL;
}

const struct turbo_change *turbo_changes_get(const struct turbo_changes *changes,
					     const char *limited_by, uint32_t package)
{
	return turbo_limits(limited_by) || is_turbo_off(limited_by) ? find_change(changes, package)
								    : NULL;
}

/* The limits of a measured CPU; NULL: it is not measured. */
static const struct why_limits *find_limits(const struct explanation *explanation, uint32_t number)
{
	for (size_t i = 0; i < explanation->n_cpus; i++) {
		if (explanation->cpus[i].cpu->cpu == number)
			return &explanation->limits[i];
	}
	return NULL;
}

/* Counts the cores of CPUs; or their modules, if the buckets of SST-TF count modules. */
static size_t count_units(const struct plan *plan, const struct sst_level *level,
			  const struct cpuset *cpus)
{
	const struct measurement *measurement = plan->explanation->measurement;
	const struct domain_list *list = &measurement->expected.platform->domains;
	size_t count = 0;

	for (size_t i = 0; i < list->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset of_domain = { 0 };

		if (list->domains[i].package != plan->package ||
		    cpuset_copy(&of_domain, &list->domains[i].cpus))
			continue;
		cpuset_keep(&of_domain, cpus);
		count += domains_count_cores(&measurement->context->machine->topology, &of_domain,
					     level->turbo_freq.counts_modules);
	}
	return count;
}

/* Finds the CPUs of cores that have a CPU in plan->cpus: a core has one CLOS. */
static int find_moved(struct plan *plan)
{
	const struct topology *topology =
		&plan->explanation->measurement->context->machine->topology;

	cpuset_done(&plan->moved);
	cpuset_foreach (cpu, &plan->online) {
		if (measurement_has_unit(topology, &plan->cpus, cpu) &&
		    cpuset_add(&plan->moved, cpu))
			return -ENOMEM;
	}
	return 0;
}

/* Returns true if a CPU of the command is in this power domain. */
static bool has_command_domain(const struct plan *plan, size_t domain)
{
	cpuset_foreach (cpu, &plan->cpus) {
		if (measurement_find_domain(plan->explanation->measurement, cpu) == domain)
			return true;
	}
	return false;
}

/* Changes the inputs of a CPU to those after the change. */
static void change_inputs(const struct plan *plan, uint32_t cpu, size_t domain,
			  struct frequency_inputs *inputs)
{
	const struct expected *expected = &plan->explanation->measurement->expected;
	const bool is_moved = cpuset_has(&plan->moved, cpu);
	const struct platform_query *clos;

	inputs->is_planned = plan->kind != CHANGE_RATIOS;
	if (plan->kind == CHANGE_RATIOS) {
		inputs->trl = plan->trl;
	} else if (plan->kind == CHANGE_TURBO_ON) {
		inputs->turbo_off = false;
		if (inputs->max_khz >= inputs->base_khz) /* turbo off hides a higher maximum */
			inputs->max_khz = 0;
	} else if (plan->kind == CHANGE_ENABLE) {
		inputs->trl = FREQUENCY_TRL_OPEN;
		inputs->turbo_freq_on = inputs->turbo_freq_on || has_command_domain(plan, domain);
		inputs->has_clos = true;
		inputs->clos = is_moved ? 0 : LOW_CLOS;
		inputs->clos_min_mhz = inputs->clos_max_mhz = 0; /* --auto removes both */
	} else if (is_moved) {
		inputs->clos = plan->kind == CHANGE_JOIN ? 0 : LEFT_CLOS;
		clos = &expected->clos[domain * SST_CLOS_COUNT + inputs->clos];
		inputs->clos_max_mhz = clos->error ? 0 : value_to_clos(&clos->value).max_mhz;
		inputs->clos_min_mhz = clos->error ? 0 : value_to_clos(&clos->value).min_mhz;
	}
}

/* Numbers of busy cores with high priority: least are busy now, most are all that have it. */
struct priorities {
	size_t least, most;
	size_t moved; /* cores of the command: all, or those that join or leave */
};

static size_t count_then(const struct plan *plan, const struct priorities *priorities, size_t now)
{
	switch (plan->kind) {
	case CHANGE_RATIOS:
	case CHANGE_TURBO_ON:
		break;
	case CHANGE_ENABLE:
		return priorities->moved;
	case CHANGE_JOIN:
		return now + priorities->moved;
	case CHANGE_LEAVE:
		return now > priorities->moved ? now - priorities->moved : 0;
	}
	return now;
}

static int count_priorities(struct plan *plan, const struct sst_level *level,
			    struct priorities *ret_priorities)
{
	_cleanup_cpuset_ struct cpuset busy = { 0 }, moved = { 0 };
	int err = cpuset_copy(&busy, &plan->high);

	if (!err)
		err = cpuset_copy(&moved, &plan->moved);
	if (err)
		return err;
	cpuset_keep(&busy, &plan->explanation->active);
	if (plan->kind == CHANGE_JOIN)
		cpuset_remove_all(&moved, &plan->high);
	*ret_priorities = (struct priorities){
		.least = count_units(plan, level, &busy),
		.most = count_units(plan, level, &plan->high),
		.moved = count_units(plan, level, &moved),
	};
	return 0;
}

/* Finds the limits of a CPU of the package, and the active cores. Returns 0; -ENODATA if they are
 * unknown; -ENOMEM. */
static int find_inputs(const struct plan *plan, uint32_t cpu, size_t domain,
		       struct why_limits *ret_limits)
{
	const struct measurement *measurement = plan->explanation->measurement;
	const struct why_limits *measured = find_limits(plan->explanation, cpu);
	struct why_limits limits = { .trl_level = 0 };
	int err = 0;

	if (domain == SIZE_MAX)
		return -ENODATA;
	if (measured) {
		limits = *measured;
	} else {
		limits.inputs = expected_of_cpu(&measurement->expected, domain, cpu).inputs;
		err = measurement_read_inputs(measurement, &measurement->cpufreq, cpu,
					      &limits.inputs, NULL);
	}
	if (!err)
		err = expected_count_active(&measurement->expected, domain,
					    &plan->explanation->active, &limits.activity);
	*ret_limits = limits;
	return err ? err : limits.inputs.level ? 0 : -ENODATA;
}

/* Adds a CPU that is lowered for some number of busy cores with high priority. */
static int take_lowered(struct plan *plan, uint32_t cpu, uint32_t now_khz, uint32_t then_khz)
{
	plan->now_khz = plan->now_khz > now_khz ? plan->now_khz : now_khz;
	plan->then_khz = plan->then_khz > then_khz ? plan->then_khz : then_khz;
	return cpuset_add(&plan->lowered, cpu);
}

/* Predicts a CPU now and after the change, for each number of busy cores with high priority. */
static int weigh_cpu(struct plan *plan, uint32_t cpu, const struct priorities *priorities)
{
	const size_t domain = measurement_find_domain(plan->explanation->measurement, cpu);
	const bool is_helped = cpuset_has(&plan->limited, cpu) &&
			       !(plan->kind == CHANGE_LEAVE && cpuset_has(&plan->moved, cpu));
	struct frequency_inputs inputs_then;
	struct why_limits limits;
	int err = find_inputs(plan, cpu, domain, &limits);

	if (err)
		return err == -ENODATA ? 0 : err;
	inputs_then = limits.inputs;
	change_inputs(plan, cpu, domain, &inputs_then);
	for (size_t busy = priorities->least; busy <= priorities->most && !err; busy++) {
		struct frequency_activity *activity = &limits.activity;
		struct frequency_prediction now, then;

		activity->high_units = busy;
		now = frequency_predict(&limits.inputs, limits.trl_level, activity);
		activity->high_units = count_then(plan, priorities, busy);
		then = frequency_predict(&inputs_then, limits.trl_level, activity);
		if (!now.cap_khz || !then.cap_khz) /* not known */
			continue;
		plan->helps = plan->helps || (is_helped && then.cap_khz > now.cap_khz);
		for (size_t i = 0; i < N_FREQUENCY_READINGS && !err; i++) {
			if (then.reading_khz[i] >= now.reading_khz[i])
				continue;
			plan->harms = plan->harms || is_helped;
			err = take_lowered(plan, cpu, now.reading_khz[i], then.reading_khz[i]);
		}
	}
	return err;
}

/* Predicts all CPUs of the package. Sets plan->lowered, and plan->helps if the change raises
 * limited CPUs and lowers none of them. Turbo may lower some: it is a setting of the machine. */
static int weigh(struct plan *plan, const struct sst_level *level)
{
	struct priorities priorities;
	int err = find_moved(plan);

	if (!err)
		err = count_priorities(plan, level, &priorities);
	cpuset_done(&plan->lowered);
	plan->now_khz = plan->then_khz = 0;
	plan->helps = plan->harms = false;
	cpuset_foreach (cpu, &plan->online) {
		if (err)
			return err;
		err = weigh_cpu(plan, cpu, &priorities);
	}
	plan->helps = plan->helps && (!plan->harms || plan->kind == CHANGE_TURBO_ON);
	return err;
}

/* The higher ratio of the register and the level, for each bucket. */
static uint64_t raise_ratios(uint64_t trl, uint64_t of_level)
{
	uint64_t raised = 0;

	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		const uint64_t byte = UINT64_C(0xff) << (8 * i);

		raised |= (trl & byte) > (of_level & byte) ? trl & byte : of_level & byte;
	}
	return raised;
}

/* Returns true if a CPU of the plan's package has this limited_by. */
static bool is_any(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->explanation->n_cpus; i++) {
		const struct why_cpu *cpu = &plan->explanation->cpus[i];

		if (cpu->cpu->package == plan->package && strcmp(cpu->limited_by, name) == 0)
			return true;
	}
	return false;
}

/* Plans to raise turbo-ratio limits that are below those of the level; else to enable SST-TF. */
static int plan_ratios(struct plan *plan, const struct why_limits *limits)
{
	const struct sst_level *level = limits->inputs.level;
	int err = cpuset_copy(&plan->cpus, &plan->limited);

	plan->kind = CHANGE_RATIOS;
	plan->trl = raise_ratios(limits->inputs.trl, frequency_trl_of_level(level));
	if (!err && limits->inputs.has_trl)
		err = weigh(plan, level);
	if (err || plan->helps || !level->turbo_freq_supported)
		return err;
	plan->kind = CHANGE_ENABLE;
	err = cpuset_copy(&plan->cpus, &plan->asked);
	return err ? err : weigh(plan, level);
}

/* Plans high priority for CPUs that SST-TF clips, if the buckets have room for these and for all
 * CPUs with high priority, busy or not. */
static int plan_join(struct plan *plan, const struct why_limits *limits)
{
	const struct sst_level *level = limits->inputs.level;
	_cleanup_cpuset_ struct cpuset high = { 0 };
	int err = 0;

	plan->kind = CHANGE_JOIN;
	cpuset_done(&plan->cpus);
	for (size_t i = 0; i < plan->explanation->n_cpus && !err; i++) {
		const struct why_cpu *cpu = &plan->explanation->cpus[i];

		if (cpu->cpu->package == plan->package &&
		    strcmp(cpu->limited_by, "turbo-freq-clip") == 0)
			err = cpuset_add(&plan->cpus, cpu->cpu->cpu);
	}
	if (!err)
		err = find_moved(plan);
	if (!err)
		err = cpuset_copy(&high, &plan->high);
	if (!err)
		err = cpuset_add_all(&high, &plan->moved);
	if (err || count_units(plan, level, &high) > frequency_capacity(&level->turbo_freq.buckets))
		return err;
	return weigh(plan, level);
}

/* The number of cores with high priority in the next better bucket; 0: there is none. */
static size_t find_better_count(const struct why_limits *limits)
{
	const struct sst_turbo *buckets = &limits->inputs.level->turbo_freq.buckets;
	const uint32_t capacity = frequency_capacity(buckets);
	const unsigned int at =
		frequency_find_bucket(buckets->core_counts, limits->activity.high_units);

	if (limits->activity.high_units > capacity)
		return capacity;
	return at > 0 && at < SST_BUCKETS ? buckets->core_counts[at - 1] : 0;
}

/* Plans that busy cores give up their priority, the last cores of the package first. Measured cores
 * do so only if more cores have high priority than the buckets allow. */
static int plan_leave(struct plan *plan, const struct why_limits *limits)
{
	const size_t wanted = find_better_count(limits);
	_cleanup_cpuset_ struct cpuset left = { 0 };
	const bool takes_asked = is_any(plan, "high-priority-cores");
	int err = cpuset_copy(&left, &plan->high);

	plan->kind = CHANGE_LEAVE;
	cpuset_done(&plan->cpus);
	cpuset_keep(&left, &plan->explanation->active);
	while (!err && wanted && count_units(plan, limits->inputs.level, &left) > wanted) {
		uint32_t last = CPUSET_NONE, last_asked = CPUSET_NONE;

		cpuset_foreach (cpu, &left) {
			if (cpuset_has(&plan->asked, cpu))
				last_asked = cpu;
			else
				last = cpu;
		}
		if (last == CPUSET_NONE && takes_asked)
			last = last_asked;
		if (last == CPUSET_NONE)
			return 0;
		cpuset_remove(&left, last);
		err = cpuset_add(&plan->cpus, last);
	}
	if (err || cpuset_is_empty(&plan->cpus))
		return err;
	return weigh(plan, limits->inputs.level);
}

/* Finds the change of a package. limits: those of a limited CPU. */
static int plan_change(struct plan *plan, const struct why_limits *limits)
{
	int err = 0;

	if (is_any(plan, "turbo-ratio-limit"))
		err = plan_ratios(plan, limits);
	if (!err && !plan->helps && is_any(plan, "turbo-freq-clip"))
		err = plan_join(plan, limits);
	if (!err && !plan->helps &&
	    (is_any(plan, "high-priority-cores") || is_any(plan, "turbo-freq-bucket")))
		err = plan_leave(plan, limits);
	return err;
}

/* Plans to switch turbo on. Turbo limits below the base frequency make CPUs slower. If the limits
 * are unknown, turbo may help. */
static int plan_turbo_on(struct plan *plan)
{
	const uint32_t cpu = cpuset_next(&plan->online, 0);
	struct why_limits limits = { .trl_level = 0 };
	int err = find_inputs(
		plan, cpu, measurement_find_domain(plan->explanation->measurement, cpu), &limits);

	plan->kind = CHANGE_TURBO_ON;
	plan->helps = !cpuset_is_empty(&plan->limited);
	if (err)
		return err == -ENODATA ? 0 : err;
	return weigh(plan, limits.inputs.level);
}

static char *format_command(const struct plan *plan, const char *cpus)
{
	switch (plan->kind) {
	case CHANGE_RATIOS:
		return text_format("isst -c %s turbo-mode set-trl -t 0x%016" PRIx64, cpus,
				   plan->trl);
	case CHANGE_ENABLE:
		return text_format("isst -c %s turbo-freq enable -a", cpus);
	case CHANGE_JOIN:
		return text_format("isst -c %s core-power assoc --clos 0", cpus);
	case CHANGE_LEAVE:
		return text_format("isst -c %s core-power assoc --clos %d", cpus, LEFT_CLOS);
	case CHANGE_TURBO_ON:
		return strdup("isst cpufreq set --turbo on");
	}
	return NULL;
}

static bool are_same(const struct plan *left, const struct plan *right)
{
	return left->kind == right->kind &&
	       (left->kind != CHANGE_RATIOS || left->trl == right->trl);
}

/* Makes one command for the first plan and all plans that are the same. */
static int add_change(const struct plan *plans, size_t count, struct turbo_changes *changes)
{
	struct turbo_change *change = array_add(&changes->list, &changes->count, sizeof(*change));
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = change ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		if (!are_same(&plans[0], &plans[i]))
			continue;
		err = cpuset_add(&change->packages, plans[i].package);
		if (!err)
			err = cpuset_add_all(&cpus, &plans[i].cpus);
		if (!err)
			err = cpuset_add_all(&change->lowered, &plans[i].lowered);
		if (plans[i].now_khz > change->now_khz)
			change->now_khz = plans[i].now_khz;
		if (plans[i].then_khz > change->then_khz)
			change->then_khz = plans[i].then_khz;
	}
	list = err ? NULL : cpuset_format_ranges(&cpus);
	if (list)
		change->command = format_command(&plans[0], list);
	return err ?: change->command ? 0 : -ENOMEM;
}

/* Sets the CPUs of a package. *ret_limits: of a CPU that turbo limits, or NULL. */
static int open_plan(const struct explanation *explanation, uint32_t package, struct plan *plan,
		     const struct why_limits **ret_limits)
{
	const struct measurement *measurement = explanation->measurement;
	const struct context *context = measurement->context;
	const struct expected *expected = &measurement->expected;
	int err = 0;

	*plan = (struct plan){ .explanation = explanation, .package = package };
	*ret_limits = NULL;
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const uint32_t number = context->targets.list[i].cpu;

		if (context->machine->topology.places[number].package == package)
			err = cpuset_add(&plan->online, number);
	}
	for (size_t i = 0; i < expected->n_assocs && !err; i++) {
		const struct platform_query *assoc = &expected->assocs[i];

		if (!assoc->error && assoc->value.number <= FREQUENCY_HIGHEST_CLOS &&
		    context->machine->topology.places[assoc->cpu].package == package)
			err = cpuset_add(&plan->high, assoc->cpu);
	}
	for (size_t i = 0; i < explanation->n_cpus && !err; i++) {
		const struct why_cpu *cpu = &explanation->cpus[i];
		const bool has_level = explanation->limits[i].inputs.level;

		if (cpu->cpu->package != package)
			continue;
		err = cpuset_add(&plan->asked, cpu->cpu->cpu);
		if (err || !(is_turbo_off(cpu->limited_by) ||
			     (turbo_limits(cpu->limited_by) && has_level)))
			continue;
		err = cpuset_add(&plan->limited, cpu->cpu->cpu);
		*ret_limits = *ret_limits ?: &explanation->limits[i];
	}
	return err;
}

/* Finds the packages with a measured CPU that turbo limits; if turbo is off, all packages. */
static int find_packages(const struct explanation *explanation, struct cpuset *packages,
			 bool *ret_is_off)
{
	const struct context *context = explanation->measurement->context;
	bool is_off = false;

	for (size_t i = 0; i < explanation->n_cpus; i++) {
		const struct why_cpu *cpu = &explanation->cpus[i];
		const bool counts = turbo_limits(cpu->limited_by) || is_turbo_off(cpu->limited_by);

		is_off = is_off || is_turbo_off(cpu->limited_by);
		if (counts && cpuset_add(packages, cpu->cpu->package))
			return -ENOMEM;
	}
	for (size_t i = 0; i < context->targets.n && is_off; i++) {
		if (cpuset_add(packages,
			       context->machine->topology.places[context->targets.list[i].cpu]
				       .package))
			return -ENOMEM;
	}
	*ret_is_off = is_off;
	return 0;
}

/* Adds the change of a package, if there is one. */
static int add_plan(const struct explanation *explanation, uint32_t package, bool is_off,
		    struct plans *plans)
{
	struct plan *plan = array_add(&plans->list, &plans->count, sizeof(*plan));
	const struct why_limits *limits;
	int err = plan ? open_plan(explanation, package, plan, &limits) : -ENOMEM;

	if (!plan)
		return err;
	if (!err && is_off)
		err = plan_turbo_on(plan);
	else if (!err && limits)
		err = plan_change(plan, limits);
	plans->any_helps = plans->any_helps || plan->helps;
	if (!plan->helps && !is_off) /* turbo on and its price are for all packages */
		plan_done(&plans->list[--plans->count]);
	return err;
}

static void plans_done(struct plans *plans)
{
	for (size_t i = 0; i < plans->count; i++)
		plan_done(&plans->list[i]);
	free(plans->list);
}

int turbo_changes_find(const struct explanation *explanation, struct turbo_changes *ret_changes)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	_cleanup_(plans_done) struct plans plans = { .list = NULL };
	bool is_off;
	int err = find_packages(explanation, &packages, &is_off);

	cpuset_foreach (package, &packages) {
		if (err)
			return err;
		err = add_plan(explanation, package, is_off, &plans);
	}
	for (size_t i = 0; i < plans.count && plans.any_helps && !err; i++) {
		if (!find_change(ret_changes, plans.list[i].package))
			err = add_change(&plans.list[i], plans.count - i, ret_changes);
	}
	return err;
}
