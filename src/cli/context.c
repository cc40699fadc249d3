// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets (commands.md, "Where a command runs") and the tally of what became of them ("Exit
 * status"): one that failed beside one that was shown makes 1; a thing that all lack makes 3.
 */
#include "cli/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/subject.h"

/* The index of the domain in context->domains, which it joins where it is new. */
static size_t domain_index(struct context *context, const struct power_domain *domain)
{
	for (size_t i = context->n_domains; i > 0; i--) {
		if (context->domains[i - 1] == domain)
			return i - 1;
	}
	context->domains[context->n_domains] = domain;
	return context->n_domains++;
}

static void add_target(struct context *context, uint32_t cpu, const struct power_domain *domain)
{
	context->targets[context->n_targets++] = (struct target){
		.cpu = cpu,
		.domain = domain_index(context, domain),
	};
}

static bool is_usable(const struct context *context, uint32_t cpu)
{
	const struct topology *topology = &context->machine->topology;

	return cpuset_has(&topology->online, cpu) || cpuset_has(&topology->coming, cpu);
}

/* Scripts for the kernel tree's tool list offline CPUs too: it leaves them out. */
static int leave_out_offline(struct context *context, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = 0;

	cpuset_foreach (cpu, cpus) {
		if (!err && cpuset_has(&context->machine->topology.present, cpu) &&
		    !is_usable(context, cpu))
			err = cpuset_add(&offline, cpu);
	}
	if (err || cpuset_is_empty(&offline) || cpuset_equal(&offline, cpus))
		return err;
	list = cpuset_format_ranges(&offline);
	output_warning(context->output, "CPUs %s of --cpu are offline, and are left out",
		       list ?: "");
	cpuset_remove_all(cpus, &offline);
	return 0;
}

/* Refuses the CPUs of the list that the machine lacks or that are offline. */
static void check_cpus(struct context *context, const struct cpuset *cpus)
{
	const struct topology *topology = &context->machine->topology;

	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(&topology->present, cpu)) {
			context_refuse_usage(context,
					     "--cpu %u: this machine has no such CPU; the "
					     "highest is %u",
					     cpu, cpuset_last(&topology->present));
			return;
		}
		if (!is_usable(context, cpu)) {
			context_refuse_usage(context, "--cpu %u: this CPU is offline", cpu);
			return;
		}
	}
}

/*
 * In a rehearsal: is this CPU left out, as it cannot be read, or its domain cannot be asked, before
 * it is online?
 */
static bool is_put_off(const struct context *context, uint32_t cpu)
{
	const struct topology *topology = &context->machine->topology;
	const struct power_domain *domain;

	if (!context->rehearses || topology_can_ask(topology, cpu))
		return false;
	domain = domains_find(&context->platform->domains, cpu);
	return !context->writes || !domain || domain->cpu == CPUSET_NONE;
}

static int target_cpus(struct context *context, const struct cpuset *given)
{
	const struct domain_list *list = &context->platform->domains;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = cpuset_copy(&cpus, given);

	if (!err && !context->strict)
		err = leave_out_offline(context, &cpus);
	if (err)
		return err;
	check_cpus(context, &cpus);
	if (context->tally.usage)
		return 0;
	cpuset_foreach (cpu, &cpus) {
		const struct power_domain *domain = domains_find(list, cpu);

		if (is_put_off(context, cpu))
			continue;
		if (domain)
			add_target(context, cpu, domain);
		else
			context_fail(context, NULL,
				     context->machine->topology.places[cpu].core_error ?: -ENODATA,
				     "the power domain of cpu-%u is not known", cpu);
	}
	return 0;
}

static void leave_domain_out(struct context *context, const struct power_domain *domain)
{
	if (context->writes)
		context_leave_out(context,
				  "all CPUs of package-%u die-%u are offline: it is not set, and "
				  "keeps the settings that it has",
				  domain->package, domain->die);
	else
		output_note(context->output,
			    "all CPUs of package-%u die-%u are offline: it is not shown; "
			    "--all-cpus-online brings them online first",
			    domain->package, domain->die);
}

static void target_domains(struct context *context, bool with_io)
{
	const struct domain_list *list = &context->platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];

		if (domain->cpu != CPUSET_NONE)
			add_target(context, domain->cpu, domain);
		else if (context->platform->shows_power_domains && with_io)
			add_target(context, CPUSET_NONE, domain);
		else if (!context->platform->shows_power_domains && !context->rehearses)
			leave_domain_out(context, domain);
	}
}

int context_choose_targets(struct context *context, const struct cpuset *cpus, bool with_io)
{
	size_t n_domains = context->platform->domains.n_domains;
	size_t most = cpus ? cpuset_count(cpus) : n_domains;

	context->targets = calloc(most ?: 1, sizeof(*context->targets));
	context->domains = calloc(n_domains ?: 1, sizeof(*context->domains));
	context->is_passed_over = calloc(n_domains ?: 1, sizeof(*context->is_passed_over));
	context->is_settled = calloc(n_domains ?: 1, sizeof(*context->is_settled));
	if (!context->targets || !context->domains || !context->is_passed_over ||
	    !context->is_settled)
		return -ENOMEM;
	if (cpus)
		return target_cpus(context, cpus);
	target_domains(context, with_io);
	return 0;
}

int context_choose_cpus(struct context *context, const struct cpuset *cpus)
{
	if (cpus)
		check_cpus(context, cpus);
	context->cpus = cpus ?: &context->machine->topology.online;
	return context->rehearses && !context->writes ? context_leave_coming_out(context) : 0;
}

int context_leave_coming_out(struct context *context)
{
	_cleanup_cpuset_ struct cpuset left = { 0 };
	int err = cpuset_copy(&left, context->cpus);

	if (err)
		return err;
	cpuset_remove_all(&left, &context->machine->topology.coming);
	cpuset_done(&context->asked_cpus);
	context->asked_cpus = left;
	left = (struct cpuset){ 0 };
	context->cpus = &context->asked_cpus;
	return 0;
}

void context_leave_out(struct context *context, const char *format, ...)
{
	_cleanup_free_ char *words = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	if (context->known_cpus_only)
		output_note(context->output, "%s", words ?: "");
	else if (context->strict)
		context_refuse(context, NULL,
			       "%s; --all-cpus-online brings them online first, "
			       "--known-cpus-only goes on without them",
			       words ?: "");
	else
		output_warning(context->output, "%s; --all-cpus-online brings them online first",
			       words ?: "");
}

bool context_is_stopped(const struct context *context)
{
	return wait_is_stopped(context->environment.stop);
}

const struct target *context_find_target(const struct context *context, size_t domain)
{
	for (size_t i = 0; i < context->n_targets; i++) {
		if (context->targets[i].domain == domain)
			return &context->targets[i];
	}
	return NULL;
}

void context_drop_domain(struct context *context, size_t domain)
{
	size_t kept = 0;

	for (size_t i = 0; i < context->n_targets; i++) {
		if (context->targets[i].domain != domain)
			context->targets[kept++] = context->targets[i];
	}
	context->n_targets = kept;
}

void context_done(struct context *context)
{
	free(context->targets);
	free(context->domains);
	free(context->is_passed_over);
	free(context->is_settled);
	cpuset_done(&context->asked_cpus);
	context->n_targets = 0;
	context->n_domains = 0;
	context->targets = NULL;
	context->domains = NULL;
	context->is_passed_over = NULL;
	context->is_settled = NULL;
}

bool context_is_passed_over(const struct context *context, size_t domain)
{
	return context->is_passed_over[domain];
}

bool context_is_left_out(const struct context *context, size_t domain)
{
	return context->is_passed_over[domain] || context->is_settled[domain];
}

void *context_new_queries(const struct context *context, size_t query_size)
{
	char *queries = calloc(context->n_domains ?: 1, query_size);

	for (size_t i = 0; i < context->n_domains && queries; i++)
		memcpy(queries + i * query_size, &context->domains[i], sizeof(context->domains[i]));
	return queries;
}

struct output_place context_place(const struct context *context, const struct target *target)
{
	const struct power_domain *domain = context->domains[target->domain];

	return (struct output_place){
		.package = domain->package,
		.die = domain->die_is_io ? OUTPUT_NO_ID : (int64_t)domain->die,
		.power_domain = domain->has_id ? (int64_t)domain->id : OUTPUT_NOT_SHOWN,
		.cpu = target->cpu == CPUSET_NONE ? OUTPUT_NO_ID : (int64_t)target->cpu,
	};
}

void context_count_done(struct context *context)
{
	context->tally.done++;
}

/* "package-0 die-0 cpu-0", with the power domain where it has an id; NULL where memory is short. */
static char *name_target(const struct context *context, const struct target *target)
{
	const struct power_domain *domain = context->domains[target->domain];
	struct plan_subject subject = domains_subject(domain);
	_cleanup_free_ char *place = subject_name_place(&subject);
	char *name;
	int length = target->cpu == CPUSET_NONE
			     ? asprintf(&name, "%s cpu-None", place ?: "")
			     : asprintf(&name, "%s cpu-%u", place ?: "", target->cpu);

	return length < 0 ? NULL : name;
}

/* Puts "package-0 die-0 cpu-0: words: cause" out. */
static void __attribute__((format(printf, 4, 0)))
put_error(struct context *context, const struct target *target, const char *cause,
	  const char *format, va_list args)
{
	_cleanup_free_ char *words = NULL, *place = NULL;

	if (context_is_stopped(context))
		return;
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	if (target)
		place = name_target(context, target);
	output_error(context->output, "%s%s%s%s%s", place ?: "", place ? ": " : "",
		     words ?: "out of memory", cause ? ": " : "", cause ?: "");
}

void context_count_error(struct context *context, int err)
{
	if (err == -EPERM || err == -EACCES)
		context->tally.not_permitted++;
	else if (err == -ENOTTY || err == -ENODEV)
		context->tally.unsupported++;
	else
		context->tally.refused++;
}

void context_fail(struct context *context, const struct target *target, int err, const char *format,
		  ...)
{
	struct platform_cause cause = platform_find_cause(context->platform, NULL, err);
	va_list args;

	va_start(args, format);
	put_error(context, target, cause.text ?: channel_error_text(err), format, args);
	va_end(args);
	context_count_error(context, cause.error);
}

void context_lack(struct context *context, const struct target *target, const char *format, ...)
{
	va_list args;

	if (target && cpuset_is_empty(&context->domains[target->domain]->cpus)) {
		context->is_passed_over[target->domain] = true;
		return;
	}
	va_start(args, format);
	put_error(context, target, NULL, format, args);
	va_end(args);
	context->tally.unsupported++;
}

void context_refuse(struct context *context, const struct target *target, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(context, target, NULL, format, args);
	va_end(args);
	context->tally.refused++;
}

void context_refuse_usage(struct context *context, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(context, NULL, NULL, format, args);
	va_end(args);
	context->tally.usage++;
}

void context_note(struct context *context, const struct target *target, const char *format, ...)
{
	_cleanup_free_ char *words = NULL, *place = name_target(context, target);
	va_list args;

	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	output_note(context->output, "%s: %s", place ?: "", words ?: "out of memory");
}

enum status context_status(const struct context *context)
{
	const struct tally *tally = &context->tally;

	if (tally->usage)
		return STATUS_USAGE;
	if (tally->refused || (tally->done && (tally->unsupported || tally->not_permitted)))
		return STATUS_REFUSED;
	if (tally->not_permitted)
		return STATUS_NOT_PERMITTED;
	if (tally->unsupported)
		return STATUS_UNSUPPORTED;
	return STATUS_DONE;
}
