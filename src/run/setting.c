// SPDX-License-Identifier: GPL-2.0-only
/* Runs the stages of a setting command after its handler: plans, reports errors in words, and shows
 * the changes or carries them out. If one change fails, no location has a success (commands.md,
 * "Safety of every setting command"). */
#include "run/setting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "host/topology.h"
#include "run/carry_out.h"
#include "run/cpu_records.h"
#include "run/result.h"
#include "run/unread.h"
#include "run/writer.h"
#include "settings/record.h"

/* Reports a request for SST-CP. A domain without SST-CP cannot switch it on; if --auto switches it
 * off, that is a note, since it is off already. */
static void report_core_power(struct context *context, const struct setting_request *request)
{
	const struct target *target = context_find_target(context, request->domain);
	size_t domain = target->domain;
	uint32_t package = request->domain->package;
	bool goes_off = !request->value.core_power.on && !request->value.core_power.force;
	const char *what = request->failed ?: setting_get(request->setting)->what;

	/* SST-TF in another domain of the package needs SST-CP: reported once for each package. */
	if (request->is_needed &&
	    (domain == 0 || context->targets.domains[domain - 1]->package != package)) {
		if (request->value.core_power.force)
			context_warn(context, NULL,
				     "core-power of package-%u is switched off although turbo-freq "
				     "is on in it: its cores then have no priorities",
				     package);
		else
			context_note(context, NULL,
				     "core-power of package-%u stays on: turbo-freq is on in "
				     "another power domain of it",
				     package);
	}
	if (request->error && request->failed_domain)
		context_fail(context, target, request->error, "%s of powerdomain-%u", what,
			     request->failed_domain->id);
	else if (request->error)
		context_fail(context, target, request->error, "%s", what);
	if (request->is_absent && goes_off && !cpuset_is_empty(&request->domain->cpus))
		context_note(context, target, "core-power is not supported, so it is off");
	else if (request->is_absent)
		context_lack(context, target, "core-power is not supported");
}

/* An option as the user typed it. */
struct option_name {
	char text[32];
};

/* Returns the option of a setting: the setting's name without the unit, as of
 * cpuidle.qos-latency-us. */
static struct option_name find_option(const struct setting *setting)
{
	static const char *const units[] = { "-us", "-mhz" };
	const char *name = strchr(setting->path, '.') + 1;
	size_t length = strlen(name);
	struct option_name option;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t end = strlen(units[i]);

		if (length > end && strcmp(name + length - end, units[i]) == 0)
			length -= end;
	}
	snprintf(option.text, sizeof(option.text), "--%.*s", (int)length, name);
	return option;
}

static void report_uncore(struct context *context, const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	const struct location location = uncore_location(request->uncore);
	_cleanup_free_ char *place = location_format(&location);

	if (request->error == -ENOENT || request->error == -ENODATA ||
	    request->error == -EOPNOTSUPP)
		context_lack(context, NULL, "%s: %s has no %s", find_option(setting).text,
			     place ?: request->uncore->name, setting->what);
	else
		context_fail(context, NULL, request->error, "%s: %s",
			     place ?: request->uncore->name, setting->what);
}

/* Reports a file of the machine or of a CPU. */
static void report_file(struct context *context, const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	const struct file_path path = setting_path(request);
	int err = file_target_cause(path.text, request->error).error;

	if (request->error == -ENOENT)
		context_lack(context, NULL, "%s: this machine has no %s", find_option(setting).text,
			     path.text);
	else if (setting->place >= PLACE_CORE)
		context_fail(context, NULL, err, "cpu-%u: %s", request->cpu, setting->what);
	else
		context_fail(context, NULL, err, "%s", setting->what);
}

/* Reports a setting of a CPU that is not the value of one file. */
static void report_cpu(struct context *context, const struct setting_request *request)
{
	const char *what = setting_get(request->setting)->what;
	const struct target *target = NULL;

	for (size_t i = 0; i < context->targets.n && !target; i++) {
		if (context->targets.list[i].cpu == request->cpu)
			target = &context->targets.list[i];
	}
	if (target && request->failed && request->error == -ENOENT && !request->is_optional)
		context_lack(context, target, "cpufreq has no %s", request->failed);
	else if (target)
		context_fail(context, target, request->error, "%s%s", request->failed ?: what,
			     request->failed ? " of cpufreq" : "");
	else
		context_fail(context, NULL, request->error, "cpu-%u: %s", request->cpu, what);
}

/* Returns true if another request reports the domain in which this request failed. */
static bool is_repeated(const struct setting_list *list, size_t index)
{
	const struct power_domain *failed = list->requests[index].failed_domain;

	for (size_t i = 0; i < list->count; i++) {
		const struct setting_request *other = &list->requests[i];

		if (i < index && other->failed_domain == failed)
			return true;
		if (setting_get(other->setting)->flags & SETTING_IN_PARTS && other->error &&
		    other->domain->package == failed->package)
			return true;
	}
	return false;
}

static void report_domain(struct context *context, const struct setting_request *request)
{
	const struct location location = domains_location(request->failed_domain);
	_cleanup_free_ char *place = location_format(&location);

	context_fail(context, NULL, request->error, "%s: %s", place ?: "a power domain",
		     request->failed);
}

/* Returns true if a file of the machine could not be read. */
static bool is_machine_unknown(const struct setting_request *request)
{
	return request->error && setting_is_machine_file(request->failed);
}

static void report_request(struct context *context, const struct setting_list *list, size_t index)
{
	const struct setting_request *request = &list->requests[index];
	const struct setting *setting = setting_get(request->setting);
	/* the one setting of the machine that is not the value of one file */
	bool is_turbo = setting->place == PLACE_MACHINE && !setting->file;

	if (setting->flags & SETTING_IN_PARTS)
		report_core_power(context, request);
	else if (!request->error)
		return;
	else if (is_machine_unknown(request))
		unread_report(context, request->error, "%s", request->failed);
	else if (request->failed_domain && is_repeated(list, index))
		return;
	else if (request->failed_domain)
		report_domain(context, request);
	else if (setting_is_of_domains(setting))
		context_fail(context, context_find_target(context, request->domain), request->error,
			     "%s", request->failed ?: setting->what);
	else if (is_turbo && request->error == -ENOENT)
		context_lack(context, NULL,
			     "turbo cannot be switched here: there is neither no_turbo of "
			     "intel_pstate nor boost of cpufreq");
	else if (is_turbo)
		context_fail(context, NULL, request->error, "%s", request->failed);
	else if (request->uncore)
		report_uncore(context, request);
	else if (setting->file)
		report_file(context, request);
	else
		report_cpu(context, request);
}

static int plan_settings(struct context *context)
{
	struct setting_list *list = &context->plan.wanted.settings;
	const struct setting_environment environment = {
		.platform = context->platform,
		.machine = context->machine,
		.changes = &context->plan.changes,
	};
	int err = settings_plan(list, &environment);

	if (err)
		return err;
	for (size_t i = 0; i < list->count; i++) {
		const struct setting_request *request = &list->requests[i];
		const struct setting *setting = setting_get(request->setting);

		report_request(context, list, i);
		/* The other CPUs or uncores lack the same. */
		if (is_machine_unknown(request) ||
		    (request->error && setting->file && setting->place != PLACE_MACHINE))
			break;
	}
	setting_list_done(list);
	return 0;
}

/* Reports what one domain cannot follow. The command is refused before any write if CPUs would stay
 * online that the level does not enable: the level's frequencies apply to its own CPUs only. */
static void report_follow(struct context *context, const struct follow_domain *domain,
			  bool is_first)
{
	const struct location location = domains_location(domain->domain);
	_cleanup_free_ char *place = location_format(&location);
	const struct target *target = context_find_target(context, domain->domain);

	if (domain->uncore_note)
		context_note(context, NULL, "%s: performance level %u: %s",
			     place ?: "a power domain", domain->level_number, domain->uncore_note);
	if (domain->error && setting_is_machine_file(domain->what)) {
		if (is_first)
			unread_report(context, domain->error, "%s", domain->what);
	} else if (domain->error && domain->cpu != CPUSET_NONE)
		context_fail(context, NULL, domain->error, "%s of cpu-%u", domain->what,
			     domain->cpu);
	else if (domain->error)
		context_fail(context, target, domain->error, "%s", domain->what);
	cpuset_foreach (cpu, &domain->kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(context->platform, cpu, domain->level_number);

		context_refuse(context, target, "%s", text ?: "out of memory");
	}
}

static int plan_follow(struct context *context)
{
	struct follow *follow = context->plan.wanted.follow;
	int err;

	follow->platform = context->platform;
	follow->changes = &context->plan.changes;
	follow->cgroup = context->request->globals->cgroup;
	follow->cpu0_workaround = context->request->globals->cpu0_workaround;
	err = follow_plan(follow);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOTSUP)
		context_lack(context, NULL, "%s", follow->problem);
	else if (err && follow->problem)
		unread_report(context, err, "%s", follow->problem);
	else if (err)
		context_fail(context, NULL, err, "online files of CPUs");
	for (size_t i = 0; i < follow->count; i++)
		report_follow(context, &follow->domains[i], i == 0);
	return 0;
}

int setting_report_unknown_places(struct context *context, const char *consequence)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset cores = { 0 };

	context->targets.has_reported_cpus = true;
	/* No level enables such a CPU, and no core gets its CLOS. In a trial run CPUs that are
	 * about to come online are ignored: they are checked when they are online. */
	cpuset_foreach (cpu, &context->platform->unknown_cores) {
		bool is_concerned = false;

		for (size_t i = 0; i < context->targets.n_domains && !is_concerned; i++)
			is_concerned = context->targets.domains[i]->package ==
				       topology->places[cpu].package;
		if (is_concerned && !cpuset_has(&topology->pending, cpu) && cpuset_add(&cores, cpu))
			return -ENOMEM;
	}
	context_fail_cpus(context, NULL, "the cores of CPUs ", &cores,
			  " are unknown, so that they cannot be set, and nothing is written");
	return context_report_unplaced(context, 0, NULL, consequence);
}

/* The outcome of a command: the error of a failed change, and its location. */
struct outcome {
	int error; /* 0: none failed */
	struct location location;
};

/* Returns the result of a location: the error if the failed change was there. After a failure
 * elsewhere, the changes of this location were rolled back. */
static int error_of(const struct outcome *outcome, bool is_there)
{
	return !outcome->error || is_there ? outcome->error : -ECANCELED;
}

/* Puts "feature: command: success", or the error, below the location (NULL: the machine). Adds
 * suffix to the feature. */
static void put_result(struct context *context, const struct output_place *place,
		       const char *suffix, int err)
{
	const char *name = context->request->name, *blank = strchrnul(name, ' ');
	const char *leaf = context->plan.wanted.leaf ?: *blank ? blank + 1 : name;
	_cleanup_scope_ struct output_scope outer =
		place ? output_enter_place(context->output, place, NULL)
		      : output_enter(context->output, "machine");
	_cleanup_scope_ struct output_scope inner =
		output_enter(context->output, "%.*s%s", (int)(blank - name), name, suffix);

	if (err) {
		output_value(context->output, leaf, "failed(error %d)", err);
		return;
	}
	output_value(context->output, leaf, "success");
	context->report.n_results++;
}

static void put_targets(struct context *context, const struct outcome *outcome)
{
	const struct location *location = &outcome->location;
	const struct output_place nowhere = {
		.package = -1,
		.die = OUTPUT_NO_ID,
		.power_domain = context->platform && context->platform->shows_power_domains
					? OUTPUT_NO_ID
					: OUTPUT_NOT_SHOWN,
		.cpu = OUTPUT_NO_ID,
	};

	/* targets that are set one by one do not share a failure */
	bool by_cpu = context->request->command->flags & (COMMAND_EACH_CPU | COMMAND_NEEDS_CPUS) &&
		      location->cpu != LOCATION_NO_CPU;

	for (size_t i = 0; i < context->targets.n; i++) {
		const struct target *target = &context->targets.list[i];
		struct output_place place = context_place(context, target);
		const struct power_domain *domain = context->targets.domains[target->domain];
		bool is_there = by_cpu ? location->cpu == target->cpu
				       : location->package == domain->package &&
						 location->die == domain->die &&
						 (!location->has_power_domain ||
						  location->power_domain == domain->id);

		if (context->targets.states[target->domain] != DOMAIN_IGNORED)
			put_result(context, &place, "", error_of(outcome, is_there));
	}
	if (context->plan.wanted.has_auto_result)
		put_result(context, &nowhere, " --auto", outcome->error);
}

static void put_units(struct context *context, const struct uncore_units *units,
		      const struct outcome *outcome)
{
	const struct location *at = &outcome->location;

	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		struct output_place place = context_unit_place(unit);
		bool is_there = at->package == unit->package &&
				(unit->is_cluster ? at->power_domain == unit->domain
						  : at->die == unit->die);

		if (i > 0 && unit->is_cluster && unit[-1].package == unit->package &&
		    unit[-1].domain == unit->domain)
			continue;
		put_result(context, &place, "", error_of(outcome, is_there));
	}
}

static bool are_equal(const void *left, const void *right)
{
	return *(const int *)left == *(const int *)right;
}

/* Puts the error of the CPU that failed. The other CPUs, which were rolled back, share a result. */
static int put_cpus(struct context *context, const struct outcome *outcome)
{
	int errors[] = { error_of(outcome, false), error_of(outcome, true) };
	_cleanup_free_ struct cpu_record *records = NULL;
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	size_t count = 0;
	int err;

	records = calloc(cpuset_count(context->targets.cpus), sizeof(*records));
	if (!records)
		return -ENOMEM;
	cpuset_foreach (cpu, context->targets.cpus)
		records[count++] = (struct cpu_record){
			.cpu = cpu,
			.data = &errors[outcome->location.cpu == cpu],
		};
	err = cpu_groups_make(&context->machine->topology, records, count, are_equal, &groups);
	for (size_t i = 0; i < groups.count && !err; i++) {
		struct output_place place = cpu_groups_place(&groups.groups[i]);

		put_result(context, &place, "", *(const int *)groups.groups[i].data);
	}
	return err;
}

/* Commands with documents show their results themselves. */
static bool has_results(const struct context *context)
{
	const struct wanted *wanted = &context->plan.wanted;

	return context->targets.n || wanted->of_machine || wanted->units || wanted->of_cpus;
}

static int put_results(struct context *context, const struct transaction_outcome *transaction)
{
	struct outcome outcome = { .location.cpu = LOCATION_NO_CPU };
	const struct wanted *wanted = &context->plan.wanted;

	if (transaction->failed)
		outcome = (struct outcome){
			.error = transaction->failure.error,
			.location =
				context->plan.changes.changes[transaction->failure.change].location,
		};
	if (context->request->strict && !output_is_json(context->output))
		return transaction->failed || !has_results(context) ? 0 : result_put(context);
	put_targets(context, &outcome);
	if (wanted->of_machine)
		put_result(context, NULL, "",
			   error_of(&outcome, outcome.location.cpu == LOCATION_NO_CPU));
	if (wanted->units)
		put_units(context, wanted->units, &outcome);
	return wanted->of_cpus ? put_cpus(context, &outcome) : 0;
}

int setting_note_levels(struct context *context, const struct follow_domain *domains, size_t count,
			const struct cpuset *before)
{
	const struct host *host = context->machine->host;
	int err = record_note_levels(host->files, host->run_directory, domains, count, before);

	if (err && err != -ENOMEM)
		context_note(context, NULL,
			     "the daemon's record in %s cannot be written (%s): a running daemon "
			     "follows the level again",
			     host->run_directory, run_directory_problem(err));
	return err == -ENOMEM ? err : 0;
}

bool setting_keep_map(struct context *context)
{
	const struct host *host = context->machine->host;
	int err = cpu_map_write(host->files, host->run_directory, &context->machine->topology);

	if (err)
		context_fail(context, NULL, err, "writing the map of CPUs in %s",
			     host->run_directory);
	return !err;
}

static int carry_out(struct context *context)
{
	const struct wanted *wanted = &context->plan.wanted;
	const struct transaction_outcome *transaction;
	const struct host *host = context->machine->host;
	uint64_t before, after;
	bool is_watched =
		wanted->watched && !files_read_number(host->files, wanted->watched, &before);
	int err;

	if (!carry_out_can_begin(context) || (wanted->follow && !setting_keep_map(context)))
		return 0;
	err = carry_out_plan(context, true, &transaction);
	if (err)
		return err;
	if (wanted->follow && !transaction->failed)
		err = setting_note_levels(context, wanted->follow->domains, wanted->follow->count,
					  &context->machine->topology.online);
	err = err ?: put_results(context, transaction);
	if (!err && is_watched && !transaction->failed &&
	    !files_read_number(host->files, wanted->watched, &after) && after != before)
		context_note(context, NULL,
			     "%s: the kernel made it %" PRIu64 " with that, from %" PRIu64,
			     strrchr(wanted->watched, '/') + 1, after, before);
	return err;
}

/* Fewer CPUs than this are not a complete package: no part with Speed Select has so few. The size
 * of other packages is no guide, since the packages of a machine may differ. */
#define FEWEST_OF_PACKAGE 4

/* Reports CPUs without a known location if a command sets complete domains: it misses at most a
 * package that has no other CPUs. */
static int report_package(struct context *context)
{
	if (!context->platform || context->targets.has_reported_cpus || context->request->cpus)
		return 0;
	return context_report_unplaced(
		context, FEWEST_OF_PACKAGE, "they are not set",
		"a package that has no other CPUs is not set, and keeps the settings that it has");
}

/* Returns the lowest CPU that will be online in the domain of cpu. It names the domain in
 * requests. */
static uint32_t find_naming_cpu(const struct context *context, uint32_t cpu)
{
	const struct power_domain *domain = domains_find(&context->platform->domains, cpu);

	cpuset_foreach (other, &domain->cpus) {
		if (cpuset_has(&context->machine->topology.online, other))
			return other;
	}
	return cpu;
}

/* Before the changes of a trial run are shown, names each power domain by the CPU that will name it
 * when all CPUs are online. */
static void name_cpus(struct context *context)
{
	for (size_t i = 0; i < context->plan.changes.n_changes; i++) {
		struct change *change = &context->plan.changes.changes[i];
		uint32_t cpu = change->location.cpu;

		if (change->target.ops->is_named_by_cpu)
			change->target.cpu = cpu != LOCATION_NO_CPU
						     ? cpu
						     : find_naming_cpu(context, change->target.cpu);
	}
}

int setting_run(struct context *context)
{
	const struct wanted *wanted = &context->plan.wanted;
	int err = 0;

	if (wanted->follow)
		err = setting_report_unknown_places(
			context, "they stay offline, also those that the level enables");
	if (!err)
		err = plan_settings(context);
	if (!err && wanted->follow)
		err = plan_follow(context);
	if (err)
		return err;
	if (wanted->warning && context->plan.changes.n_changes)
		context_warn(context, NULL, "%s", wanted->warning);
	if (wanted->note && !report_has_problem(&context->report))
		context_note(context, NULL, "%s", wanted->note);
	err = report_package(context);
	if (err || report_has_problem(&context->report) || context_is_stopped(context))
		return err;
	if (!context->request->globals->dry_run)
		return context->is_trial ? 0 : carry_out(context);
	if (!writer_knows_state(context))
		return 0;
	if (context->is_trial)
		name_cpus(context);
	return carry_out_show(context->output, &context->plan.changes,
			      context->request->globals->each);
}
