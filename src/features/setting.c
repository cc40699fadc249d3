// SPDX-License-Identifier: GPL-2.0-only
/* What all setting commands have in common: planning, with errors in words, and the end, which
 * shows the changes or carries them out and puts a result for each place. All or nothing: if one
 * change fails, no place has a success (commands.md, "Safety of every setting command"). */
#include "features/setting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/cpu_records.h"
#include "host/cpu_map.h"
#include "host/uncore.h"
#include "run/carry_out.h"
#include "run/online.h"
#include "settings/file_change.h"

bool setting_is_refused(const struct context *context)
{
	return report_has_problem(&context->report);
}

bool setting_is_done(const struct context *context)
{
	const struct execution *execution = &context->execution;

	return execution->is_over && !transaction_get_outcome(execution->transaction)->failed;
}

void setting_add_domains(const struct context *context, struct setting_list *list,
			 const struct levels *levels, struct setting_request request)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query =
			levels ? levels_of_domain(levels, i) : NULL;

		if (context_is_left_out(context, i))
			continue;
		request.domain = context->domains[i];
		request.pp = levels ? &levels->pp[i].pp : NULL;
		request.current = query && levels->are_current ? &query->info : NULL;
		setting_list_add(list, &request);
	}
}

static bool is_first_of_package(const struct context *context, size_t domain)
{
	return domain == 0 ||
	       context->domains[domain - 1]->package != context->domains[domain]->package;
}

/* SST-TF in another domain of the package needs SST-CP: once for each package. */
static void report_need(struct context *context, size_t domain, bool forced)
{
	uint32_t package = context->domains[domain]->package;

	if (!is_first_of_package(context, domain))
		return;
	if (forced)
		context_warn(context, NULL,
			     "core-power of package-%u goes off although turbo-freq is on in it: "
			     "its cores have no priorities then",
			     package);
	else
		context_note(context, NULL,
			     "core-power of package-%u stays on: turbo-freq is on in another power "
			     "domain of it",
			     package);
}

/* A domain without SST-CP cannot switch it on; for --auto it is off already, which is a note. */
static void report_core_power(struct context *context, size_t domain,
			      const struct setting_request *request)
{
	const struct target *target = context_find_target(context, domain);
	bool goes_off = !request->value.core_power.on && !request->value.core_power.force;
	const char *what = request->failed ?: setting_get(request->setting)->what;

	if (request->is_needed)
		report_need(context, domain, request->value.core_power.force);
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

static void report_uncore(struct context *context, const struct setting_request *request)
{
	const char *unit = request->uncore->name, *what = setting_get(request->setting)->what;

	if (request->error == -ENOENT || request->error == -ENODATA ||
	    request->error == -EOPNOTSUPP)
		context_lack(context, NULL, "%s: it has no %s", unit, what);
	else
		context_fail(context, NULL, request->error, "%s: %s", unit, what);
}

/* A setting of the machine or of a CPU. */
static void report_file(struct context *context, const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	char path[FILES_CPU_PATH_SIZE];

	setting_write_path(request, path);
	if (request->error == -ENOENT)
		context_lack(context, NULL, "%s: this machine has no %s", setting->what, path);
	else if (setting->scope == SETTING_OF_CPU)
		context_fail(context, NULL, file_target_cause(path, request->error).error,
			     "cpu-%" PRIu32 ": %s", request->cpu, setting->what);
	else
		context_fail(context, NULL, file_target_cause(path, request->error).error, "%s",
			     setting->what);
}

static const struct target *find_cpu(const struct context *context, uint32_t cpu)
{
	for (size_t i = 0; i < context->n_targets; i++) {
		if (context->targets[i].cpu == cpu)
			return &context->targets[i];
	}
	return NULL;
}

/* A setting of a CPU that is not the value of one file. */
static void report_cpu(struct context *context, const struct setting_request *request)
{
	const struct target *target = find_cpu(context, request->cpu);
	const char *what = setting_get(request->setting)->what;

	if (target && request->failed && request->error == -ENOENT && !request->is_optional)
		context_lack(context, target, "cpufreq has no %s", request->failed);
	else if (target && request->failed)
		context_fail(context, target, request->error, "%s of cpufreq", request->failed);
	else if (target)
		context_fail(context, target, request->error, "%s", what);
	else
		context_fail(context, NULL, request->error, "cpu-%" PRIu32 ": %s", request->cpu,
			     what);
}

static void report_domain(struct context *context, const struct setting_request *request)
{
	size_t domain = 0;

	while (context->domains[domain] != request->domain)
		domain++;
	if (request->setting == SETTING_CORE_POWER)
		report_core_power(context, domain, request);
	else if (request->error)
		context_fail(context, context_find_target(context, domain), request->error, "%s",
			     request->failed ?: setting_get(request->setting)->what);
}

static void report_turbo(struct context *context, const struct setting_request *request)
{
	if (request->error == -ENOENT)
		context_lack(context, NULL,
			     "turbo cannot be switched here: there is neither no_turbo of "
			     "intel_pstate nor boost of cpufreq");
	else
		context_fail(context, NULL, request->error, "%s", request->failed);
}

static void report_request(struct context *context, const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);

	if (setting->scope == SETTING_OF_DOMAIN)
		report_domain(context, request);
	else if (request->error && request->setting == SETTING_TURBO)
		report_turbo(context, request);
	else if (request->error && setting->scope == SETTING_OF_UNCORE)
		report_uncore(context, request);
	else if (request->error && setting->file)
		report_file(context, request);
	else if (request->error)
		report_cpu(context, request);
}

/* Files of CPUs or uncores: what one of them lacks, the others lack as well. */
static bool is_alike(const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);

	return setting->file && setting->scope != SETTING_OF_MACHINE;
}

int setting_plan(struct context *context, struct setting_list *list)
{
	const struct setting_environment environment = {
		.platform = context->platform,
		.machine = context->machine,
		.changes = context->plan,
	};
	int err = settings_plan(list, &environment);

	if (err)
		return err;
	for (size_t i = 0; i < list->count; i++) {
		const struct setting_request *request = &list->requests[i];

		report_request(context, request);
		if (request->error && is_alike(request))
			break;
	}
	setting_list_done(list);
	return 0;
}

/* Shows the changes in a dry run. Returns whether they are to be carried out: not if something was
 * refused, and not in a trial run. */
static bool shall_carry_out(struct context *context)
{
	if (setting_is_refused(context) || context_is_stopped(context))
		return false;
	if (context->options->dry_run) {
		int err;

		if (context->is_trial)
			online_name_cpus(context);
		err = carry_out_show(context->output, context->plan, context->options->each);
		if (err)
			context_fail(context, NULL, err, "the changes cannot be shown");
	}
	return !context->options->dry_run && !context->is_trial;
}

/* What became of the command: whether a change failed, with which error, and where. */
struct outcome {
	bool failed;
	int error;
	struct location location;
};

static struct outcome get_outcome(const struct context *context,
				  const struct transaction_outcome *outcome)
{
	size_t count;
	const struct change *changes = change_list_get(context->plan, &count);

	if (!outcome->failed)
		return (struct outcome){ .location = { .cpu = LOCATION_NO_CPU } };
	return (struct outcome){
		.failed = true,
		.error = outcome->failure.error,
		.location = changes[outcome->failure.change].location,
	};
}

/* The result of a place: the error if the change that failed was there. Else, if one failed, its
 * own changes were rolled back. */
static int error_of(const struct outcome *outcome, bool is_there)
{
	if (!outcome->failed)
		return 0;
	return is_there ? outcome->error : -ECANCELED;
}

/* Puts "node: leaf: success", or the error, below the place (NULL: the machine). */
static void put_result(struct context *context, const struct output_place *place, const char *node,
		       const char *leaf, int err)
{
	_cleanup_scope_ struct output_scope outer =
		place ? output_enter_place(context->output, place)
		      : output_enter(context->output, "machine");
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "%s", node);

	if (err)
		output_value(context->output, leaf, "failed(error %d)", err);
	else
		output_value(context->output, leaf, "success");
}

static bool is_at_target(const struct context *context, const struct target *target,
			 const struct setting_result *result, const struct location *location)
{
	const struct power_domain *domain = context->domains[target->domain];

	if (result->by_cpu && location->cpu != LOCATION_NO_CPU)
		return location->cpu == target->cpu;
	return location->package == domain->package && location->die == domain->die &&
	       (!location->has_power_domain || location->power_domain == domain->id);
}

static void put_targets(struct context *context, const struct setting_result *result,
			const struct outcome *outcome)
{
	for (size_t i = 0; i < context->n_targets; i++) {
		const struct target *target = &context->targets[i];
		struct output_place place = context_place(context, target);
		int err;

		if (context_is_skipped(context, target->domain))
			continue;
		err = error_of(outcome, is_at_target(context, target, result, &outcome->location));
		put_result(context, &place, result->node, result->leaf, err);
		if (!err)
			context_count_done(context);
	}
}

/* The result of turbo-freq enable --auto is of no CPU in particular (output.md). */
static void put_auto_result(struct context *context, const struct setting_result *result, int err)
{
	const struct output_place nowhere = {
		.package = -1,
		.die = OUTPUT_NO_ID,
		.power_domain =
			context->platform->shows_power_domains ? OUTPUT_NO_ID : OUTPUT_NOT_SHOWN,
		.cpu = OUTPUT_NO_ID,
	};

	put_result(context, &nowhere, result->auto_node, result->leaf, err);
}

static bool are_equal(const void *left, const void *right)
{
	return *(const int *)left == *(const int *)right;
}

/* The CPU that failed has its error; the others, rolled back, share another result. */
static int put_cpus(struct context *context, const struct setting_result *result,
		    const struct outcome *outcome)
{
	int errors[] = { error_of(outcome, false), error_of(outcome, true) };
	_cleanup_free_ struct cpu_record *records = NULL;
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	size_t count = 0;
	int err;

	records = calloc(cpuset_count(context->cpus), sizeof(*records));
	if (!records)
		return -ENOMEM;
	cpuset_foreach (cpu, context->cpus)
		records[count++] = (struct cpu_record){
			.cpu = cpu,
			.data = &errors[outcome->location.cpu == cpu],
		};
	err = cpu_groups_make(&context->machine->topology, records, count, are_equal, &groups);
	if (err)
		return err;
	for (size_t i = 0; i < groups.count; i++) {
		struct output_place place = cpu_groups_place(&groups.groups[i]);

		put_result(context, &place, result->node, result->leaf,
			   *(const int *)groups.groups[i].data);
		if (!outcome->failed)
			context_count_done(context);
	}
	return 0;
}

/* Was the change that failed at this die or power domain? */
static bool is_at_place(const struct location *location, const struct output_place *place)
{
	if (location->package != (uint64_t)place->package)
		return false;
	if (place->power_domain != OUTPUT_NOT_SHOWN)
		return location->power_domain == (uint64_t)place->power_domain;
	return location->die == (uint64_t)place->die;
}

static int put_results(struct context *context, const struct setting_result *result,
		       const struct outcome *outcome)
{
	put_targets(context, result, outcome);
	if (result->auto_node)
		put_auto_result(context, result, outcome->error);
	if (result->of_machine) {
		put_result(context, NULL, result->node, result->leaf,
			   error_of(outcome, outcome->location.cpu == LOCATION_NO_CPU));
		if (!outcome->failed)
			context_count_done(context);
	}
	for (size_t i = 0; i < result->n_places; i++) {
		const struct output_place *place = &result->places[i];

		put_result(context, place, result->node, result->leaf,
			   error_of(outcome, is_at_place(&outcome->location, place)));
		if (!outcome->failed)
			context_count_done(context);
	}
	return result->of_cpus ? put_cpus(context, result, outcome) : 0;
}

static int write_map(struct context *context)
{
	const struct host *host = context->machine->host;
	int err = cpu_map_write(host->files, host->run_directory, &context->machine->topology);

	if (err)
		context_fail(context, NULL, err, "the map of CPUs in %s", host->run_directory);
	return err;
}

static int carry_out(struct context *context, const struct setting_result *result)
{
	const struct transaction_outcome *transaction;
	struct outcome outcome;
	int err;

	if (result->takes_cpus_offline && write_map(context))
		return 0;
	err = carry_out_plan(context, &transaction);
	if (err)
		return err;
	outcome = get_outcome(context, transaction);
	return put_results(context, result, &outcome);
}

/* Is the CPU in a package that has a target? A CPU whose core is unknown may have no power domain.
 */
static bool is_concerned(const struct context *context, uint32_t cpu)
{
	const struct topology *topology = &context->machine->topology;

	for (size_t i = 0; i < context->n_domains; i++) {
		if (context->domains[i]->package == topology->places[cpu].package)
			return !cpuset_has(&topology->coming, cpu);
	}
	return false;
}

/* Refuses a command that sets single cores if the core of a CPU is unknown: no level enables that
 * CPU, and no core gets its CLOS. In a trial run CPUs that will come online are ignored: they are
 * checked when they are online. */
static int refuse_unknown_cores(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = 0;

	cpuset_foreach (cpu, &context->platform->unknown_cores) {
		if (!err && is_concerned(context, cpu))
			err = cpuset_add(&unknown, cpu);
	}
	if (err || cpuset_is_empty(&unknown))
		return err;
	list = cpuset_format_ranges(&unknown);
	context_fail(context, NULL, topology->places[cpuset_next(&unknown, 0)].core_error,
		     "the cores of CPUs %s are not known, so that they cannot be set, and nothing "
		     "is written",
		     list ?: "");
	return 0;
}

int setting_report_unplaced(struct context *context, const char *consequence)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = refuse_unknown_cores(context);

	if (!err)
		err = topology_find_unplaced(&context->machine->topology, &unplaced);
	context->has_reported_cpus = true;
	if (err || cpuset_is_empty(&unplaced))
		return err;
	list = cpuset_format_ranges(&unplaced);
	context_leave_out(context,
			  "CPUs %s are offline, and no map of this boot has their places: %s",
			  list ?: "", consequence);
	return 0;
}

/* Fewer CPUs than this are not a package: no part with Speed Select has so few. The size of other
 * packages says nothing, since those of one machine may differ. */
#define FEWEST_OF_PACKAGE 4

/* Reports CPUs without a known place to a command that sets whole domains: it misses at most a
 * package that has no other CPUs. */
static int report_package(struct context *context)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;
	int err;

	if (!context->platform || context->has_reported_cpus || context->options->cpus)
		return 0;
	err = topology_find_unplaced(&context->machine->topology, &unplaced);
	if (err || cpuset_is_empty(&unplaced))
		return err;
	list = cpuset_format_ranges(&unplaced);
	if (cpuset_count(&unplaced) >= FEWEST_OF_PACKAGE)
		context_leave_out(
			context,
			"CPUs %s are offline, and no map of this boot has their places: a "
			"package that has no other CPUs is not set, and keeps the "
			"settings that it has",
			list ?: "");
	else
		context_note(context, NULL,
			     "CPUs %s are offline, and no map of this boot has their places: they "
			     "are not set; --all-cpus-online brings them online first",
			     list ?: "");
	return 0;
}

int setting_finish(struct context *context, const struct setting_result *result)
{
	int err = report_package(context);

	if (err || !shall_carry_out(context))
		return err;
	return carry_out(context, result);
}
