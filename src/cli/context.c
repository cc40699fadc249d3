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

/* Refuses the CPUs of the list that the machine lacks or that are offline. */
static void check_cpus(struct context *context, const struct cpuset *cpus)
{
	const struct topology *topology = &context->machine->topology;

	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(&topology->present, cpu)) {
			context_refuse_usage(context,
					     "-c %u: this machine has no such CPU; the "
					     "highest is %u",
					     cpu, cpuset_last(&topology->present));
			return;
		}
		if (!cpuset_has(&topology->online, cpu)) {
			context_refuse_usage(context, "-c %u: this CPU is offline", cpu);
			return;
		}
	}
}

static void target_cpus(struct context *context, const struct cpuset *cpus)
{
	const struct domain_list *list = &context->platform->domains;

	check_cpus(context, cpus);
	if (context->tally.usage)
		return;
	cpuset_foreach (cpu, cpus)
		add_target(context, cpu, domains_find(list, cpu));
}

static void target_domains(struct context *context)
{
	const struct domain_list *list = &context->platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];

		if (domain->cpu != CPUSET_NONE)
			add_target(context, domain->cpu, domain);
		else
			output_note(context->output,
				    "package-%u die-%u is left out: all its CPUs are offline",
				    domain->package, domain->die);
	}
}

int context_choose_targets(struct context *context, const struct cpuset *cpus)
{
	size_t n_domains = context->platform->domains.n_domains;
	size_t most = cpus ? cpuset_count(cpus) : n_domains;

	context->targets = calloc(most ?: 1, sizeof(*context->targets));
	context->domains = calloc(n_domains ?: 1, sizeof(*context->domains));
	if (!context->targets || !context->domains)
		return -ENOMEM;
	if (cpus)
		target_cpus(context, cpus);
	else
		target_domains(context);
	return 0;
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
	context->targets = NULL;
	context->domains = NULL;
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
		.die = domain->die,
		.power_domain =
			context->platform->shows_power_domains ? (int64_t)domain->id : OUTPUT_NO_ID,
		.cpu = target->cpu,
	};
}

void context_count_done(struct context *context)
{
	context->tally.done++;
}

/* Puts "package-0 die-0 cpu-0: words: cause" out. */
static void __attribute__((format(printf, 4, 0)))
put_error(struct context *context, const struct target *target, const char *cause,
	  const char *format, va_list args)
{
	_cleanup_free_ char *words = NULL, *place = NULL;
	const char *separator = cause ? ": " : "";

	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	if (target) {
		const struct power_domain *domain = context->domains[target->domain];

		if (asprintf(&place, "package-%u die-%u cpu-%u: ", domain->package, domain->die,
			     target->cpu) < 0)
			place = NULL;
	}
	output_error(context->output, "%s%s%s%s", place ?: "", words ?: "out of memory", separator,
		     cause ?: "");
}

void context_fail(struct context *context, const struct target *target, int err, const char *format,
		  ...)
{
	va_list args;

	va_start(args, format);
	put_error(context, target, channel_error_text(err), format, args);
	va_end(args);
	if (err == -EPERM || err == -EACCES)
		context->tally.not_permitted++;
	else if (err == -ENOTTY)
		context->tally.unsupported++;
	else
		context->tally.refused++;
}

void context_lack(struct context *context, const struct target *target, const char *format, ...)
{
	va_list args;

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
