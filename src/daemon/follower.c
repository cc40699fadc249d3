// SPDX-License-Identifier: GPL-2.0-only
/*
 * One scan: the levels are read; a domain whose level is not the record's is followed under the
 * machine's lock, CPUs first, and the record is written when that is done (commands.md, "Daemon").
 * Of a plan that fails in part the rest is done all the same: a CPU that refuses is reported, and
 * tried again later. CPUs that were offline before we came stay so.
 *
 * What is about to be done is in the record, renamed into place, before the first write: a daemon
 * that is killed at any moment leaves either no CPU taken or a record that names those it took, and
 * the next one gives them back. Nothing is synced, as the record holds for one boot only.
 */
#include "daemon/follower.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "daemon/talk.h"
#include "machine/cpu_map.h"
#include "machine/lock.h"
#include "machine/run_directory.h"
#include "platform/follow.h"

#define MOST_ROUNDS  16 /* of one scan, while levels go on changing */
#define LOCK_WAIT_MS 200 /* until it is asked again whether to stop */

/* How much the map of CPUs has: CPUs with a known place, and those with a known core again. */
static size_t count_mapped(const struct topology *topology)
{
	size_t count = 0;

	cpuset_foreach (cpu, &topology->placed)
		count += topology->places[cpu].has_physical_cpu ? 2 : 1;
	return count;
}

/* Writes the map of CPUs, by which offline CPUs are found again, before any CPU goes. */
static int keep_map(struct follower *follower)
{
	const struct topology *topology = &follower->machine->topology;
	size_t n_mapped = count_mapped(topology);
	int err = 0;

	if (n_mapped != follower->n_mapped)
		err = cpu_map_write(follower->host->files, follower->host->run_directory, topology);
	if (err)
		talk(&follower->options, FOLLOWER_ERROR,
		     "the map of CPUs in %s cannot be written: %s", follower->host->run_directory,
		     run_directory_problem(err));
	else
		follower->n_mapped = n_mapped;
	return err;
}

static int update_machine(struct follower *follower, bool *ret_moved)
{
	_cleanup_free_ char *message = NULL;
	int err = machine_update(follower->host, &follower->machine, ret_moved, &message);

	if (err) {
		talk(&follower->options, FOLLOWER_ERROR, "%s", message ?: strerror(-err));
		return err;
	}
	/*
	 * Kernels give every CPU but CPU 0 an online file (hardware.md, section 5), so that the
	 * files are not checked one by one before the first CPU is moved. If one is missing,
	 * writing it fails, which is reported.
	 */
	if (cpuset_is_empty(&follower->machine->switchable))
		err = cpuset_copy(&follower->machine->switchable,
				  &follower->machine->topology.present);
	cpuset_remove(&follower->machine->switchable, 0);
	return err;
}

static int open_view(struct follower *follower, struct view *view)
{
	_cleanup_free_ char *message = NULL;
	int err = view_open(follower->machine, &follower->options.platform, &follower->record,
			    follower->named, view, &message);

	if (err)
		talk(&follower->options, FOLLOWER_ERROR, "%s", message ?: strerror(-err));
	return err ?: keep_map(follower);
}

/* Reads again what may have changed between the scan and taking the lock. */
static int renew_view(struct follower *follower, struct view *view)
{
	bool is_moved = false;
	int err = update_machine(follower, &is_moved);

	if (err || !is_moved)
		return err ?: view_ask_again(view);
	view_done(view);
	return open_view(follower, view);
}

/* Takes domains that are not in the record as known at their present levels. */
static int add_unknown(struct follower *follower, const struct view *view, bool *ret_added)
{
	for (size_t i = 0; i < view->n_domains; i++) {
		const struct platform_pp_query *query = &view->pp[i];
		int err;

		if (!view_can_follow(query) || record_find(&follower->record, query->domain))
			continue;
		err = record_add(&follower->record, query->domain, query->pp.current_level);
		if (err)
			return err;
		*ret_added = true;
	}
	return 0;
}

static bool has_changed(const struct follower *follower, const struct platform_pp_query *query)
{
	const struct record_domain *entry = record_find(&follower->record, query->domain);

	return view_can_follow(query) && entry &&
	       ((entry->is_pending && follower->retries) ||
		entry->level != query->pp.current_level);
}

static size_t count_changed(const struct follower *follower, const struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->n_domains; i++)
		count += has_changed(follower, &view->pp[i]);
	return count;
}

/* Domains to follow, with their levels and their entries in the record. */
struct work {
	struct platform_level_query *levels;
	struct follow_domain *domains; /* those whose level could be read */
	struct record_domain **entries;
	size_t count;
	size_t n_domains;
	struct cpuset returning; /* offline CPUs that we took */
	struct cpuset before; /* CPUs that are online before */
};

static void work_done(struct work *work)
{
	for (size_t i = 0; i < work->count; i++)
		sst_level_done(&work->levels[i].info);
	free(work->levels);
	free(work->domains);
	free(work->entries);
	cpuset_done(&work->returning);
	cpuset_done(&work->before);
}

static int gather(const struct follower *follower, const struct view *view, struct work *work)
{
	size_t most = count_changed(follower, view) ?: 1;

	work->levels = calloc(most, sizeof(*work->levels));
	work->domains = calloc(most, sizeof(*work->domains));
	work->entries = calloc(most, sizeof(*work->entries));
	if (!work->levels || !work->domains || !work->entries)
		return -ENOMEM;
	for (size_t i = 0; i < view->n_domains; i++) {
		const struct platform_pp_query *query = &view->pp[i];

		if (!has_changed(follower, query))
			continue;
		work->entries[work->count] = record_find(&follower->record, query->domain);
		work->levels[work->count++] = (struct platform_level_query){
			.domain = query->domain,
			.level = query->pp.current_level,
			.pp_enabled = true,
		};
	}
	return view->platform->ops->read_levels(view->platform, PLATFORM_LEVEL, work->levels,
						work->count);
}

/* Reports the level. With a new one, failures are reported even if they repeat earlier lines. */
static void report_level(struct follower *follower, const struct platform_level_query *query,
			 const struct record_domain *entry)
{
	if (query->level != entry->level) {
		follower->is_new_level = true;
		repeats_forget(&follower->repeats);
		talk_of(&follower->options, FOLLOWER_INFO, query->domain,
			"performance level %u, was %u: following", query->level, entry->level);
	} else {
		talk_of(&follower->options, FOLLOWER_INFO, query->domain,
			"performance level %u: trying again what was left", query->level);
	}
}

/* Which of them can be followed: those whose level could be read. The others stay for later. */
static void list_domains(struct follower *follower, struct work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct platform_level_query *query = &work->levels[i];

		if (query->error) {
			talk_of(&follower->options, FOLLOWER_WARNING, query->domain,
				"performance level %u cannot be read: %s", query->level,
				strerror(-query->error));
			continue;
		}
		report_level(follower, query, work->entries[i]);
		work->domains[work->n_domains++] = (struct follow_domain){
			.domain = query->domain,
			.level = &query->info,
			.level_number = query->level,
			.cpu = CPUSET_NONE,
		};
	}
}

static int write_record(struct follower *follower)
{
	int err = record_write(follower->host->files, follower->host->run_directory,
			       &follower->record);

	if (err)
		talk(&follower->options, FOLLOWER_ERROR, "the record in %s cannot be written: %s",
		     follower->host->run_directory, run_directory_problem(err));
	return err;
}

/* Reports CPUs that stay online although the level does not enable them. */
static int report_kept(const struct follower *follower, const struct view *view,
		       const struct plan *plan, const struct follow_domain *domain,
		       const struct follow_options *options)
{
	_cleanup_cpuset_ struct cpuset kept = { 0 };
	int err = follow_find_kept(view->platform, plan, domain, options, &kept);

	cpuset_foreach (cpu, &kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(view->platform, cpu, domain->level_number);

		talk_of(&follower->options, FOLLOWER_WARNING, domain->domain, "%s",
			text ?: "out of memory");
	}
	return err == -ENOMEM ? err : 0;
}

/* Reports what cannot be followed of a domain, and why. */
static void report_domain(const struct follower *follower, struct follow_domain *domain)
{
	if (domain->error)
		talk_of(&follower->options, FOLLOWER_WARNING, domain->domain, "%s: %s",
			domain->what, strerror(-domain->error));
	if (domain->uncore_note)
		talk_of(&follower->options, FOLLOWER_INFO, domain->domain,
			"performance level %u: %s", domain->level_number, domain->uncore_note);
}

static int make_plan(const struct follower *follower, const struct view *view, struct work *work,
		     unsigned int parts, struct plan *plan)
{
	const struct follow_options options = {
		.parts = parts,
		.cgroup = follower->options.cgroup,
		.cpu0_workaround = follower->options.cpu0_workaround,
		.returning = &work->returning,
	};
	const char *problem = NULL;
	int err = follow_plan(view->platform, plan, work->domains, work->n_domains, &options,
			      &problem);

	if (err)
		talk(&follower->options, FOLLOWER_ERROR, "CPUs cannot follow the level: %s",
		     problem ?: strerror(-err));
	for (size_t i = 0; i < work->n_domains; i++) {
		report_domain(follower, &work->domains[i]);
		if (!err && parts & FOLLOW_CPUS)
			err = report_kept(follower, view, plan, &work->domains[i], &options);
	}
	plan_make_optional(plan);
	return err;
}

/* The CPUs of each domain that are about to go are taken by us, whatever becomes of this process.
 */
static int announce(struct follower *follower, const struct view *view, const struct work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		struct record_domain *entry = work->entries[i];
		_cleanup_cpuset_ struct cpuset going = { 0 };
		int err;

		if (work->levels[i].error)
			continue;
		err = cpuset_copy(&going, &work->levels[i].domain->cpus);
		cpuset_remove_all(&going, &work->levels[i].info.enabled_cpus);
		cpuset_remove_all(&going, &view->platform->unknown_cores);
		cpuset_keep(&going, &follower->machine->topology.online);
		err = err ?: cpuset_add_all(&entry->taken, &going);
		if (err)
			return err;
		entry->is_pending = true;
	}
	return write_record(follower);
}

static struct wait_stop stop_of(const struct follower *follower)
{
	return (struct wait_stop){
		.fd = -1,
		.is_asked = follower->options.is_stopping,
		.data = follower->options.data,
	};
}

/*
 * Is something of the plan left to do? A group that is empty, and cannot be removed by a daemon
 * that isolates nothing and has given up the right to, is not.
 */
static bool is_left(const struct follower *follower, const struct plan *plan,
		    const struct run_outcome *outcome)
{
	bool isolates = follower->options.cgroup || follower->options.cpu0_workaround;
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		if (isolates || steps[outcome->notes[i].step].write.kind != PLAN_REMOVE_DIRECTORY)
			return true;
	}
	return outcome->failed;
}

/* Carries the plan out. Sets *pending where not all was done. Returns 0 or -ENOMEM. */
static int carry_out(struct follower *follower, const struct view *view, const struct plan *plan,
		     bool *pending)
{
	const struct wait_stop stop = stop_of(follower);
	const struct run_environment environment = {
		.channel = &view->platform->channel,
		.files = follower->host->files,
		.stop = &stop,
		.keeps = true,
	};
	struct run_outcome outcome = { 0 };
	int err = run_plan(plan, &environment, &outcome);

	if (err)
		return err;
	talk_of_notes(&follower->options, view->platform, plan, &outcome);
	*pending = *pending || is_left(follower, plan, &outcome);
	run_outcome_done(&outcome);
	return 0;
}

/* Which offline CPUs of the domain are our doing: online before, or taken earlier. */
static int find_taken(const struct work *work, size_t index, const struct cpuset *online,
		      struct cpuset *ret_taken)
{
	int err = cpuset_copy(ret_taken, &work->before);

	err = err ?: cpuset_add_all(ret_taken, &work->entries[index]->taken);
	cpuset_keep(ret_taken, &work->levels[index].domain->cpus);
	cpuset_remove_all(ret_taken, online);
	return err;
}

/* Does another control group have CPUs that are to be isolated? It may let them go. */
static bool is_isolation_taken(const struct work *work, size_t index)
{
	for (size_t i = 0; i < work->count; i++) {
		if (work->domains[i].domain == work->levels[index].domain)
			return work->domains[i].error == -EBUSY;
	}
	return false;
}

/* What became of a domain. */
static int remember_domain(const struct follower *follower, const struct work *work, size_t index,
			   const struct cpuset *online, bool is_pending)
{
	struct record_domain *entry = work->entries[index];
	const struct platform_level_query *query = &work->levels[index];
	struct cpuset taken = { 0 };
	int err = find_taken(work, index, online, &taken);

	talk_of_moved(&follower->options, query->domain, query->level, &work->before, online);
	cpuset_done(&entry->taken);
	entry->taken = taken;
	entry->level = query->error ? entry->level : query->level;
	entry->is_pending = is_pending || query->error || is_isolation_taken(work, index);
	return err;
}

/* *ret_pending where something of a domain is left to do. */
static int remember(struct follower *follower, const struct work *work, bool is_pending,
		    bool *ret_pending)
{
	int err = 0;

	for (size_t i = 0; i < work->count && !err; i++) {
		err = remember_domain(follower, work, i, &follower->machine->topology.online,
				      is_pending);
		*ret_pending = *ret_pending || work->entries[i]->is_pending;
	}
	return err ?: write_record(follower);
}

/* Waits for the machine's lock as long as it takes. Returns 0, also where it may not be taken. */
static int take_lock(const struct follower *follower, struct lock **ret_lock)
{
	const char *directory = follower->host->run_directory;
	const struct wait_stop stop = stop_of(follower);
	bool is_told = false;
	int err;

	do {
		_cleanup_free_ char *holder = NULL;

		err = lock_take_within(directory, LOCK_WAIT_MS, &stop, ret_lock, &holder);
		if (err == -EBUSY && !is_told)
			talk(&follower->options, FOLLOWER_INFO, "waiting for another instance: %s",
			     holder ?: "its name is not known");
		is_told = true;
	} while ((err == -EBUSY || err == -EINTR) &&
		 !follower->options.is_stopping(follower->options.data));
	if (err && err != -EBUSY && err != -EINTR)
		talk(&follower->options, FOLLOWER_ERROR, "the lock in %s cannot be taken: %s",
		     directory, run_directory_problem(err));
	return err == -EACCES ? 0 : err;
}

/* Whether a level enables these CPUs is unknown: they are neither switched nor isolated. */
static void report_unknown_cores(const struct follower *follower, const struct view *view)
{
	const struct cpuset *unknown = &view->platform->unknown_cores;
	_cleanup_free_ char *list = cpuset_format_ranges(unknown);
	int err;

	if (cpuset_is_empty(unknown))
		return;
	err = follower->machine->topology.places[cpuset_next(unknown, 0)].core_error;
	talk(&follower->options, FOLLOWER_WARNING,
	     "CPUs %s stay as they are, since their cores are not known: %s", list ?: "",
	     strerror(-err));
}

/* CPUs come first: that they are those of the level is what matters most. */
static int move_cpus(struct follower *follower, const struct view *view, struct work *work,
		     bool *pending)
{
	_cleanup_plan_ struct plan *plan = NULL;
	int err = cpuset_copy(&work->before, &follower->machine->topology.online);

	for (size_t i = 0; i < work->count && !err; i++)
		err = cpuset_add_all(&work->returning, &work->entries[i]->taken);
	err = err ?: plan_new(&plan);
	err = err ?: make_plan(follower, view, work, FOLLOW_CPUS, plan);
	err = err ?: announce(follower, view, work);
	return err ?: carry_out(follower, view, plan, pending);
}

/* The view is of this machine: a CPU that it does not know waits for the next scan. */
static int find_online(struct follower *follower)
{
	bool is_moved;
	int err = topology_update(follower->host->files, &follower->machine->topology, &is_moved);

	if (err && err != -ESTALE)
		talk(&follower->options, FOLLOWER_ERROR,
		     "the CPUs that are online are not known: %s", strerror(-err));
	return err == -ESTALE ? 0 : err;
}

static int set_limits(struct follower *follower, const struct view *view, struct work *work,
		      bool *pending)
{
	_cleanup_plan_ struct plan *plan = NULL;
	int err = find_online(follower);

	err = err ?: plan_new(&plan);
	err = err ?: make_plan(follower, view, work, FOLLOW_UNCORE | FOLLOW_LIMITS, plan);
	return err ?: carry_out(follower, view, plan, pending);
}

/* Follows what has changed, as it is once the lock is ours. */
static int follow(struct follower *follower, struct view *view, bool *ret_pending)
{
	_cleanup_(work_done) struct work work = { 0 };
	_cleanup_lock_ struct lock *lock = NULL;
	bool is_pending = false;
	int err = take_lock(follower, &lock);

	err = err ?: renew_view(follower, view);
	err = err ?: gather(follower, view, &work);
	if (err)
		return err;
	list_domains(follower, &work);
	report_unknown_cores(follower, view);
	err = move_cpus(follower, view, &work, &is_pending);
	err = err ?: set_limits(follower, view, &work, &is_pending);
	return err ?: remember(follower, &work, is_pending, ret_pending);
}

/* Do all answer that were asked? Those that do not are told when their number changes. */
static bool do_all_answer(struct follower *follower, const struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->n_domains; i++)
		count += view->pp[i].error != 0;
	if (!count && follower->named) /* of the others nothing is known */
		return true;
	if (count && count != follower->n_unreadable)
		talk_of_unreadable(&follower->options, view);
	else if (!count && follower->n_unreadable)
		talk(&follower->options, FOLLOWER_INFO, "every power domain answers again");
	follower->n_unreadable = count;
	return count == 0;
}

/*
 * Returns 1 where something has to be followed, 0, or a negative errno; *ret_pending where not all
 * of them answered.
 */
static int find_changes(struct follower *follower, struct view *view, bool *ret_pending)
{
	bool added = false, is_moved = false;
	int err = update_machine(follower, &is_moved);

	err = err ?: open_view(follower, view);
	err = err ?: add_unknown(follower, view, &added);
	if (!err && added)
		err = write_record(follower);
	if (!err && !do_all_answer(follower, view))
		*ret_pending = true;
	return err ?: count_changed(follower, view) > 0;
}

/* Follows what has changed, if anything. Returns as find_changes(). */
static int follow_changes(struct follower *follower, bool *ret_pending)
{
	_cleanup_view_ struct view view = { 0 };
	int result = find_changes(follower, &view, ret_pending);

	return result > 0 ? follow(follower, &view, ret_pending) ?: 1 : result;
}

int follower_init(struct follower *follower, struct host *host,
		  const struct follower_options *options)
{
	int err;

	*follower = (struct follower){ .host = host, .options = *options };
	follower->options.repeats = &follower->repeats;
	err = record_read(host->files, host->run_directory, &follower->record);
	if (err == -ENOMEM)
		return err;
	record_read_boot(host->files, &follower->record); /* else it is read when it is needed */
	if (err && err != -ENOENT)
		talk(&follower->options, FOLLOWER_WARNING,
		     "the record in %s is of no use (%s): the present levels are taken as known",
		     host->run_directory,
		     err == -ESTALE ? "it is of another boot" : run_directory_problem(err));
	return 0;
}

void follower_done(struct follower *follower)
{
	record_done(&follower->record);
	repeats_forget(&follower->repeats);
	machine_close(&follower->machine);
}

static bool is_something_left(const struct follower *follower)
{
	for (size_t i = 0; i < follower->record.n_domains; i++) {
		if (follower->record.domains[i].is_pending)
			return true;
	}
	return false;
}

/* Scans until nothing has changed meanwhile, or something is left for later. */
static int scan(struct follower *follower, bool *ret_pending)
{
	bool is_pending = false;
	int result = 1;

	for (int round = 0; result > 0 && !is_pending; round++) {
		result = follow_changes(follower, &is_pending);
		is_pending = is_pending || round == MOST_ROUNDS;
	}
	if (result < 0)
		return result;
	*ret_pending = is_pending || is_something_left(follower);
	return 0;
}

int follower_scan(struct follower *follower, const struct cpuset *named, bool retries,
		  bool *ret_pending)
{
	int err;

	follower->named = named;
	follower->retries = retries;
	follower->is_new_level = false;
	err = scan(follower, ret_pending);
	follower->named = NULL;
	if (!err && !*ret_pending && !named)
		repeats_forget(&follower->repeats);
	return err;
}

char *follower_describe(const struct follower *follower)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	for (size_t i = 0; i < follower->record.n_domains; i++) {
		const struct record_domain *entry = &follower->record.domains[i];

		fprintf(to, "%spackage-%u die-%u", i ? ", " : "", entry->package, entry->die);
		if (entry->has_id)
			fprintf(to, " powerdomain-%u", entry->power_domain);
		fprintf(to, ": level %u%s", entry->level,
			entry->is_pending ? " (not all done)" : "");
	}
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
