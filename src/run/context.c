// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the targets of a command (commands.md, "Where a command runs"), and names them in
 * messages. */
#include "run/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/machine.h"

#define UNPLACED "CPUs %s are offline, and no map of this boot has their locations: %s"

/* Returns true if the CPUs of a power domain share a target. */
static bool shares_targets(const struct context *context)
{
	return context->request->strict && !output_is_json(context->output) &&
	       !context->request->globals->each && command_is_of_domains(context->request->command);
}

/* Returns 0 or -ENOMEM. */
static int add_target(struct context *context, uint32_t cpu, const struct power_domain *domain)
{
	size_t index = context->targets.n_domains;

	while (index > 0 && context->targets.domains[index - 1] != domain)
		index--;
	if (index > 0 && shares_targets(context)) { /* then each domain has one target */
		struct target *target = &context->targets.list[index - 1];

		return cpuset_add(&target->cpus, target->cpu) ?: cpuset_add(&target->cpus, cpu);
	}
	if (index == 0) {
		context->targets.domains[context->targets.n_domains++] = domain;
		index = context->targets.n_domains;
	}
	context->targets.list[context->targets.n++] =
		(struct target){ .cpu = cpu, .domain = index - 1 };
	return 0;
}

static void free_targets(struct targets *targets)
{
	for (size_t i = 0; i < targets->n; i++)
		cpuset_done(&targets->list[i].cpus);
	free(steal(targets->list));
	free(steal(targets->domains));
	free(steal(targets->states));
	targets->n = targets->n_domains = 0;
}

/* Leaves out offline CPUs, as the kernel tree's tool does, since its scripts list offline CPUs. */
static int leave_out_offline(struct context *context, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	const struct topology *topology = &context->machine->topology;
	_cleanup_free_ char *after = NULL;
	int err = cpuset_copy(&offline, cpus);

	if (err)
		return err;
	cpuset_keep(&offline, &topology->present);
	cpuset_remove_all(&offline, &topology->online);
	cpuset_remove_all(&offline, &topology->pending);
	if (cpuset_is_empty(&offline) || cpuset_equal(&offline, cpus))
		return 0;
	after = text_format(" of %s are offline, and are left out",
			    context->request->globals->cpus.name);
	context_report_cpus(context, REPORT_WARNING, "CPUs ", &offline, after ?: "");
	cpuset_remove_all(cpus, &offline);
	return 0;
}

static void check_cpus(struct context *context, const struct cpuset *cpus)
{
	const struct topology *topology = &context->machine->topology;
	const char *option = context->request->globals->cpus.name;

	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(&topology->present, cpu)) {
			context_refuse_usage(context,
					     "%s %u: this machine has no such CPU; the "
					     "highest is %u",
					     option, cpu, cpuset_last(&topology->present));
			return;
		}
		if (!cpuset_has(&topology->online, cpu) && !cpuset_has(&topology->pending, cpu)) {
			context_refuse_usage(context, "%s %u: this CPU is offline", option, cpu);
			return;
		}
	}
}

/* Returns true if a trial run leaves this CPU out: the CPU, or its domain (NULL: unknown), can be
 * read only when the CPU is online. */
static bool is_put_off(const struct context *context, const struct power_domain *domain,
		       uint32_t cpu)
{
	return context->is_trial && !topology_can_ask(&context->machine->topology, cpu) &&
	       (!context->request->writes || !domain || domain->cpu == CPUSET_NONE);
}

static int target_cpus(struct context *context, const struct cpuset *given)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = cpuset_copy(&cpus, given);

	if (!err && !context->request->strict)
		err = leave_out_offline(context, &cpus);
	if (err)
		return err;
	check_cpus(context, &cpus);
	if (report_has(&context->report, REPORT_USAGE))
		return 0;
	cpuset_foreach (cpu, &cpus) {
		const struct power_domain *domain = domains_find(&context->platform->domains, cpu);

		if (is_put_off(context, domain, cpu))
			continue;
		if (domain && add_target(context, cpu, domain))
			return -ENOMEM;
		if (!domain)
			context_fail(context, NULL,
				     context->machine->topology.places[cpu].core_error ?: -ENODATA,
				     "the power domain of cpu-%u is unknown", cpu);
	}
	return 0;
}

/* Reports that a part of the machine is left out, with the remedies. The text names the part and
 * the consequence. It is a note with --known-cpus-only, a problem if strict, else a warning. */
static __attribute__((format(printf, 2, 3))) void leave_out(struct context *context,
							    const char *format, ...)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	va_list args;

	va_start(args, format);
	buffer_append_format(&text, format, args);
	va_end(args);
	if (context->request->globals->known_cpus_only)
		context_note(context, NULL, "%s", buffer_text(&text));
	else if (context->request->strict)
		context_refuse(context, NULL,
			       "%s; --all-cpus-online brings them online first, --known-cpus-only "
			       "continues without them",
			       buffer_text(&text));
	else
		context_warn(context, NULL, "%s; --all-cpus-online brings them online first",
			     buffer_text(&text));
}

static int target_domains(struct context *context, bool with_io)
{
	const struct domain_list *list = &context->platform->domains;
	bool shows_power_domains = context->platform->shows_power_domains;
	int err = 0;

	for (size_t i = 0; i < list->n_domains && !err; i++) {
		const struct power_domain *domain = &list->domains[i];

		if (domain->cpu != CPUSET_NONE || (shows_power_domains && with_io))
			err = add_target(context, domain->cpu, domain);
		else if (shows_power_domains || context->is_trial)
			continue;
		else if (context->request->writes)
			leave_out(context,
				  "all CPUs of package-%u die-%u are offline: it is not "
				  "set, and keeps the settings that it has",
				  domain->package, domain->die);
		else
			context_note(context, NULL,
				     "all CPUs of package-%u die-%u are offline: it is not shown; "
				     "--all-cpus-online brings them online first",
				     domain->package, domain->die);
	}
	return err;
}

int context_choose_targets(struct context *context, const struct cpuset *cpus, bool with_io)
{
	size_t n_domains = context->platform->domains.n_domains;
	size_t most = cpus ? cpuset_count(cpus) : n_domains;

	free_targets(&context->targets);
	context->targets.list = calloc(most ?: 1, sizeof(*context->targets.list));
	context->targets.domains = calloc(n_domains ?: 1, sizeof(*context->targets.domains));
	context->targets.states = calloc(n_domains ?: 1, sizeof(*context->targets.states));
	if (!context->targets.list || !context->targets.domains || !context->targets.states)
		return -ENOMEM;
	if (cpus)
		return target_cpus(context, cpus);
	return target_domains(context, with_io);
}

int context_choose_cpus(struct context *context, const struct cpuset *cpus)
{
	if (cpus)
		check_cpus(context, cpus);
	context->targets.cpus = cpus ?: &context->machine->topology.online;
	return context->is_trial && !context->request->writes ? context_leave_pending_out(context)
							      : 0;
}

int context_leave_pending_out(struct context *context)
{
	int err = cpuset_copy(&context->targets.own_cpus, context->targets.cpus);

	if (err)
		return err;
	cpuset_remove_all(&context->targets.own_cpus, &context->machine->topology.pending);
	context->targets.cpus = &context->targets.own_cpus;
	return 0;
}

bool context_is_stopped(const struct context *context)
{
	return wait_is_stopped(context->plan.execution.environment.stop);
}

const struct target *context_find_target(const struct context *context,
					 const struct power_domain *domain)
{
	for (size_t i = 0; i < context->targets.n; i++) {
		if (context->targets.domains[context->targets.list[i].domain] == domain)
			return &context->targets.list[i];
	}
	return NULL;
}

void context_drop_domain(struct context *context, size_t domain)
{
	size_t kept = 0;

	for (size_t i = 0; i < context->targets.n; i++) {
		if (context->targets.list[i].domain != domain)
			context->targets.list[kept++] = context->targets.list[i];
	}
	context->targets.n = kept;
}

void *context_keep(struct context *context, size_t size, void (*done)(void *data))
{
	context->plan.wanted.data = calloc(1, size);
	context->plan.wanted.data_done = done;
	return context->plan.wanted.data;
}

void context_done(struct context *context)
{
	setting_list_done(&context->plan.wanted.settings);
	if (context->plan.wanted.data)
		context->plan.wanted.data_done(context->plan.wanted.data);
	free(context->plan.wanted.data);
	context->plan.wanted = (struct wanted){ 0 };
	free_targets(&context->targets);
	cpuset_done(&context->targets.own_cpus);
	cpuset_done(&context->targets.named_cpus);
	context->targets.requested_cpus = NULL;
}

void *context_new_queries(const struct context *context, size_t query_size)
{
	char *queries = calloc(context->targets.n_domains ?: 1, query_size);

	for (size_t i = 0; i < context->targets.n_domains && queries; i++)
		memcpy(queries + i * query_size, &context->targets.domains[i],
		       sizeof(context->targets.domains[i]));
	return queries;
}

struct output_place context_place(const struct context *context, const struct target *target)
{
	const struct power_domain *domain = context->targets.domains[target->domain];
	const bool is_shared = !cpuset_is_empty(&target->cpus);

	return (struct output_place){
		.package = domain->package,
		.die = domain->die_is_io ? OUTPUT_NO_ID : (int64_t)domain->die,
		.power_domain = domain->has_id ? (int64_t)domain->id : OUTPUT_NOT_SHOWN,
		.cpu = is_shared                    ? OUTPUT_NOT_SHOWN
		       : target->cpu == CPUSET_NONE ? OUTPUT_NO_ID
						    : (int64_t)target->cpu,
		.cpus = is_shared ? &target->cpus : NULL,
	};
}

struct output_scope context_enter(struct context *context, const struct target *target,
				  const char *name)
{
	struct output_place place = context_place(context, target);

	context->report.n_results++;
	return output_enter_place(context->output, &place, name);
}

struct output_place context_unit_place(const struct uncore_unit *unit)
{
	return (struct output_place){
		.package = unit->package,
		.die = unit->has_die ? (int64_t)unit->die : OUTPUT_NOT_SHOWN,
		.power_domain = unit->is_cluster ? (int64_t)unit->domain : OUTPUT_NOT_SHOWN,
		.cpu = OUTPUT_NOT_SHOWN,
	};
}

/* Adds an entry that begins with "package-0 die-0 cpu-0", and the power domain if it has an id. */
static void __attribute__((format(printf, 5, 0)))
add(struct context *context, const struct target *target, enum report_kind kind, const char *cause,
    const char *format, va_list args)
{
	_cleanup_free_ char *domain = NULL, *place = NULL, *cpus = NULL;
	bool is_problem = kind != REPORT_NOTE && kind != REPORT_WARNING;
	struct location location;

	if (target) {
		location = domains_location(context->targets.domains[target->domain]);
		domain = location_format(&location);
		if (!cpuset_is_empty(&target->cpus))
			cpus = cpuset_format_ranges(&target->cpus);
		place = cpus ? text_format("%s cpu-%s", domain ?: "", cpus)
			: target->cpu == CPUSET_NONE
				? text_format("%s cpu-None", domain ?: "")
				: text_format("%s cpu-%u", domain ?: "", target->cpu);
	}
	/* If a stop was requested, problems are a consequence of that. */
	if (is_problem && context_is_stopped(context))
		format = NULL;
	report_add_list(&context->report, kind, place, cause, format, args);
}

void context_report(struct context *context, const struct target *target, enum report_kind kind,
		    const char *format, ...)
{
	va_list args;

	if (kind == REPORT_UNSUPPORTED && target &&
	    cpuset_is_empty(&context->targets.domains[target->domain]->cpus)) {
		context->targets.states[target->domain] = DOMAIN_IGNORED;
		return;
	}
	va_start(args, format);
	add(context, target, kind, NULL, format, args);
	va_end(args);
}

void context_report_cpus(struct context *context, enum report_kind kind, const char *before,
			 const struct cpuset *cpus, const char *after)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	if (!cpuset_is_empty(cpus))
		context_report(context, NULL, kind, "%s%s%s", before, list ?: "", after);
}

void context_fail_cpus(struct context *context, const struct target *target, const char *before,
		       const struct cpuset *cpus, const char *after)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);
	uint32_t first = cpuset_next(cpus, 0);

	if (first != CPUSET_NONE)
		context_fail(context, target,
			     context->machine->topology.places[first].core_error ?: -ENODATA,
			     "%s%s%s", before, list ?: "", after);
}

void context_fail(struct context *context, const struct target *target, int err, const char *format,
		  ...)
{
	struct target_cause cause = platform_find_cause(context->platform, err);
	va_list args;

	va_start(args, format);
	add(context, target, report_kind_of(cause.error), cause.text, format, args);
	va_end(args);
}

void context_fail_unread(struct context *context, const char *what, int err)
{
	struct target_cause cause = platform_find_cause(context->platform, err);
	enum report_kind kind = report_kind_of(cause.error);

	context_report(context, NULL, kind == REPORT_UNSUPPORTED ? REPORT_REFUSED : kind, "%s: %s",
		       what, cause.text);
}

void context_fail_file(struct context *context, const char *path, int err)
{
	context_report(context, NULL, report_kind_of(err), "%s cannot be written: %s", path,
		       strerror(-err));
}

int context_report_unplaced(struct context *context, size_t many, const char *of_few,
			    const char *of_many)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = topology_find_unplaced(&context->machine->topology, &unplaced);

	if (err || cpuset_is_empty(&unplaced))
		return err;
	list = cpuset_format_ranges(&unplaced);
	if (cpuset_count(&unplaced) >= many)
		leave_out(context, UNPLACED, list ?: "", of_many);
	else
		context_note(context, NULL, UNPLACED "; --all-cpus-online brings them online first",
			     list ?: "", of_few);
	return 0;
}
