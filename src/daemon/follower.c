// SPDX-License-Identifier: GPL-2.0-only
/* One scan: reads the levels; follows a domain whose level is not the record's under the machine's
 * lock, CPUs first; then writes the record (commands.md, "Daemon"). If part of a plan fails, the
 * rest is carried out all the same: a CPU that refuses is reported, and tried again later. CPUs
 * that were offline before stay so.
 *
 * The record says what is about to be done before the first write: a daemon that is killed at any
 * moment leaves either no CPU taken or a record that names those it took, and the next one brings
 * them back. The record is not synced, as it holds for one boot only.
 *
 * The device is opened for each scan: drivers come and go, and one that is open cannot be unloaded.
 * Events name CPUs, and only their domains are asked then (hardware.md, section 8). */
#include "daemon/follower.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/cleanup.h"
#include "change/transaction.h"
#include "host/cpu_map.h"
#include "host/file_target.h"
#include "host/location.h"
#include "host/run_directory.h"
#include "settings/follow.h"

#define MOST_ROUNDS   16 /* of one scan, while levels go on changing */
#define LOCK_CHECK_MS 200 /* until it is asked again whether to stop */

/* The machine as it is at one scan, and the levels of its power domains. */
struct view {
	struct platform *platform;
	struct platform_pp_query *pp; /* of the domains that were asked */
	size_t n_domains;
};

static void view_done(struct view *view)
{
	free(view->pp);
	platform_close(&view->platform);
	*view = (struct view){ 0 };
}

/* Is each of the CPUs in some domain? */
static bool are_placed(const struct cpuset *cpus, const struct domain_list *list)
{
	cpuset_foreach (cpu, cpus) {
		size_t i = 0;

		while (i < list->n_domains && !cpuset_has(&list->domains[i].cpus, cpu))
			i++;
		if (i == list->n_domains)
			return false;
	}
	return true;
}

static bool is_wanted(const struct power_domain *domain, const struct record *record,
		      const struct cpuset *named)
{
	const struct record_domain *entry = record_find(record, domain);

	return !named || !entry || entry->is_pending || cpuset_intersects(named, &domain->cpus);
}

/* Asks the power domains for their levels: all of them if named is NULL, or names a CPU that is in
 * none of them; else those that have a named CPU, that are not in the record, or of which something
 * is left to do. */
static int ask_levels(struct view *view, const struct record *record, const struct cpuset *named)
{
	const struct domain_list *list = &view->platform->domains;

	view->pp = calloc(list->n_domains ?: 1, sizeof(*view->pp));
	if (!view->pp)
		return -ENOMEM;
	if (named && !are_placed(named, list))
		named = NULL;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (is_wanted(&list->domains[i], record, named))
			view->pp[view->n_domains++].domain = &list->domains[i];
	}
	return view->platform->ops->read_pp(view->platform, view->pp, view->n_domains);
}

/* Asks the same power domains again. */
static int view_ask_again(struct view *view)
{
	for (size_t i = 0; i < view->n_domains; i++)
		view->pp[i] = (struct platform_pp_query){ .domain = view->pp[i].domain };
	return view->platform->ops->read_pp(view->platform, view->pp, view->n_domains);
}

/* Has the domain CPUs to move, and is its level known? */
static bool can_follow(const struct platform_pp_query *query)
{
	return !cpuset_is_empty(&query->domain->cpus) && !query->error && query->pp.enabled;
}

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
	const char *directory = follower->host->run_directory;
	size_t n_mapped = count_mapped(topology);
	int err;

	if (n_mapped == follower->n_mapped)
		return 0;
	err = cpu_map_write(follower->host->files, directory, topology);
	if (err) {
		log_line(&follower->log, LOG_ERR, "the map of CPUs in %s cannot be written: %s",
			 directory, run_directory_problem(err));
		return err;
	}
	follower->n_mapped = n_mapped;
	return 0;
}

static int update_machine(struct follower *follower, bool *ret_moved)
{
	_cleanup_free_ char *message = NULL;
	int err = machine_update(follower->host, &follower->machine, ret_moved, &message);

	if (err) {
		log_line(&follower->log, LOG_ERR, "%s", message ?: strerror(-err));
		return err;
	}
	/* Kernels give every CPU but CPU 0 an online file (hardware.md, section 5), so that the
	 * files are not checked one by one before the first CPU is moved. If one is missing,
	 * writing it fails, which is reported. */
	if (!cpuset_is_empty(&follower->machine->switchable))
		return 0;
	err = cpuset_copy(&follower->machine->switchable, &follower->machine->topology.present);
	cpuset_remove(&follower->machine->switchable, 0);
	return err;
}

/* Opens the device and asks for the levels. Returns 0; or a negative errno, logged: the driver
 * cannot be opened or asked, -ENOTSUP if no level can change, -ENOMEM. */
static int open_view(struct follower *follower, struct view *view)
{
	_cleanup_free_ char *message = NULL;
	int err = platform_open(follower->machine, &follower->options.platform, &view->platform,
				&message);

	if (!err && view->platform->is_clx_n) {
		message = strdup("on this platform everything is set in BIOS: no level changes");
		err = -ENOTSUP;
	}
	if (!err)
		err = ask_levels(view, &follower->record, follower->named);
	if (err) {
		log_line(&follower->log, LOG_ERR, "%s", message ?: strerror(-err));
		return err;
	}
	return keep_map(follower);
}

/* Reads again what may have changed between the scan and taking the lock. */
static int renew_view(struct follower *follower, struct view *view)
{
	bool is_moved = false;
	int err = update_machine(follower, &is_moved);

	if (err)
		return err;
	if (!is_moved)
		return view_ask_again(view);
	view_done(view);
	return open_view(follower, view);
}

/* Takes domains that are not in the record as known at their present levels. */
static int add_unknown(struct follower *follower, const struct view *view, bool *ret_added)
{
	for (size_t i = 0; i < view->n_domains; i++) {
		const struct platform_pp_query *query = &view->pp[i];
		int err;

		if (!can_follow(query) || record_find(&follower->record, query->domain))
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

	return can_follow(query) && entry &&
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
	follow_domains_done(work->domains, work->n_domains);
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
		log_forget(&follower->log);
		log_domain(&follower->log, LOG_INFO, query->domain,
			   "performance level %u, was %u: following", query->level, entry->level);
	} else {
		log_domain(&follower->log, LOG_INFO, query->domain,
			   "performance level %u: trying again what was left", query->level);
	}
}

/* Which of them can be followed: those whose level could be read. The others stay for later. */
static void list_domains(struct follower *follower, struct work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct platform_level_query *query = &work->levels[i];

		if (query->error) {
			log_domain(&follower->log, LOG_WARNING, query->domain,
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
		log_line(&follower->log, LOG_ERR, "the record in %s cannot be written: %s",
			 follower->host->run_directory, run_directory_problem(err));
	return err;
}

/* Reports what cannot be followed of a domain, and why. */
static void report_domain(struct follower *follower, const struct view *view,
			  const struct follow_domain *domain)
{
	if (domain->error)
		log_domain(&follower->log, LOG_WARNING, domain->domain, "%s: %s", domain->what,
			   strerror(-domain->error));
	if (domain->uncore_note)
		log_domain(&follower->log, LOG_INFO, domain->domain, "performance level %u: %s",
			   domain->level_number, domain->uncore_note);
	cpuset_foreach (cpu, &domain->kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(view->platform, cpu, domain->level_number);

		log_domain(&follower->log, LOG_WARNING, domain->domain, "%s",
			   text ?: "out of memory");
	}
}

static int make_plan(struct follower *follower, const struct view *view, struct work *work,
		     unsigned int parts, struct change_list *plan)
{
	struct follow follow = {
		.platform = view->platform,
		.changes = plan,
		.domains = work->domains,
		.count = work->n_domains,
		.parts = parts,
		.cgroup = follower->options.cgroup,
		.cpu0_workaround = follower->options.cpu0_workaround,
		.returning = &work->returning,
	};
	int err = follow_plan(&follow);

	if (err)
		log_line(&follower->log, LOG_ERR, "CPUs cannot follow the level: %s",
			 follow.problem ?: strerror(-err));
	for (size_t i = 0; i < work->n_domains; i++)
		report_domain(follower, view, &work->domains[i]);
	change_list_make_optional(plan);
	return err;
}

/* The CPUs of each domain that are about to go are taken by us, whatever becomes of this
 * process. */
static int announce(struct follower *follower, const struct view *view, const struct work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		struct record_domain *entry = work->entries[i];
		_cleanup_cpuset_ struct cpuset going = { 0 };
		int err;

		if (work->levels[i].error)
			continue;
		err = follow_add_disabled(view->platform, work->levels[i].domain,
					  &work->levels[i].info, &going);
		if (err)
			return err;
		cpuset_keep(&going, &follower->machine->topology.online);
		err = cpuset_add_all(&entry->taken, &going);
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
		.data = follower->options.stop_data,
	};
}

static bool is_removal(const struct change *change)
{
	return target_is_directory(&change->target) && !change->value.number;
}

/* Is something of the plan left to do? A group that is empty, and cannot be removed by a daemon
 * that isolates nothing and has given up the right to, is not. */
static bool is_left(const struct follower *follower, const struct change_list *plan,
		    const struct transaction_outcome *outcome)
{
	bool isolates = follower->options.cgroup || follower->options.cpu0_workaround;
	size_t count;
	const struct change *steps = change_list_get(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		if (isolates || !is_removal(&steps[outcome->notes[i].change]))
			return true;
	}
	return outcome->failed;
}

/* Reports the steps of a plan that failed alone. */
static void report_notes(struct follower *follower, const struct view *view,
			 const struct change_list *plan, const struct transaction_outcome *outcome)
{
	size_t count;
	const struct change *steps = change_list_get(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		const struct transaction_failure *note = &outcome->notes[i];
		const struct change *step = &steps[note->change];
		_cleanup_free_ char *name = change_format_name(step);

		log_line(&follower->log, LOG_WARNING, "%s: %s; it is tried again later",
			 name ?: step->what,
			 transaction_find_cause(step, note, follower->host,
						&view->platform->channel)
				 .text);
	}
}

/* Carries the plan out. Sets *pending if not all was done. Returns 0 or -ENOMEM. */
static int carry_out(struct follower *follower, const struct view *view,
		     const struct change_list *plan, bool *pending)
{
	const struct wait_stop stop = stop_of(follower);
	const struct transaction_environment environment = {
		.channel = &view->platform->channel,
		.files = follower->host->files,
		.stop = &stop,
		.keeps_changes = true,
	};
	struct transaction_outcome outcome = { 0 };
	int err = transaction_run(plan, &environment, &outcome);

	if (err)
		return err;
	report_notes(follower, view, plan, &outcome);
	*pending = *pending || is_left(follower, plan, &outcome);
	transaction_outcome_done(&outcome);
	return 0;
}

/* Which offline CPUs of the domain did we take offline: online before, or taken earlier. */
static int find_taken(const struct work *work, size_t index, const struct cpuset *online,
		      struct cpuset *ret_taken)
{
	int err = cpuset_copy(ret_taken, &work->before);

	if (err)
		return err;
	err = cpuset_add_all(ret_taken, &work->entries[index]->taken);
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

/* The CPUs of the domain that are in one set and not in the other, as a new text. */
static char *list_moved(const struct power_domain *domain, const struct cpuset *in,
			const struct cpuset *not_in)
{
	_cleanup_cpuset_ struct cpuset moved = { 0 };

	if (cpuset_copy(&moved, in))
		return NULL;
	cpuset_remove_all(&moved, not_in);
	cpuset_keep(&moved, &domain->cpus);
	return cpuset_is_empty(&moved) ? strdup("none") : cpuset_format_ranges(&moved);
}

/* Reports which CPUs of the domain came and went: what was online before, and is after. */
static void report_moved(struct follower *follower, const struct platform_level_query *query,
			 const struct cpuset *before, const struct cpuset *after)
{
	_cleanup_free_ char *up = list_moved(query->domain, after, before);
	_cleanup_free_ char *down = list_moved(query->domain, before, after);

	log_domain(&follower->log, LOG_INFO, query->domain,
		   "performance level %u: CPUs brought online: %s, taken offline: %s", query->level,
		   up ?: "", down ?: "");
}

/* Puts into the record what was done for a domain. */
static int remember_domain(struct follower *follower, const struct work *work, size_t index,
			   bool is_pending)
{
	const struct cpuset *online = &follower->machine->topology.online;
	struct record_domain *entry = work->entries[index];
	const struct platform_level_query *query = &work->levels[index];
	struct cpuset taken = { 0 };
	int err = find_taken(work, index, online, &taken);

	report_moved(follower, query, &work->before, online);
	cpuset_done(&entry->taken);
	entry->taken = taken;
	entry->level = query->error ? entry->level : query->level;
	entry->is_pending = is_pending || query->error || is_isolation_taken(work, index);
	return err;
}

/* *ret_pending if something of a domain is left to do. */
static int remember(struct follower *follower, const struct work *work, bool is_pending,
		    bool *ret_pending)
{
	for (size_t i = 0; i < work->count; i++) {
		int err = remember_domain(follower, work, i, is_pending);

		*ret_pending = *ret_pending || work->entries[i]->is_pending;
		if (err)
			return err;
	}
	return write_record(follower);
}

/* Waits for the machine's lock as long as necessary. Returns 0, also if it may not be taken. */
static int take_lock(struct follower *follower, struct lock **ret_lock)
{
	const char *directory = follower->host->run_directory;
	const struct wait_stop stop = stop_of(follower);
	bool is_told = false;
	int err;

	do {
		_cleanup_free_ char *holder = NULL;

		err = lock_take(directory, LOCK_CHECK_MS, &stop, ret_lock, &holder);
		if (err == -EBUSY && !is_told)
			log_line(&follower->log, LOG_INFO, "waiting for another instance: %s",
				 holder ?: "its name is not known");
		is_told = true;
	} while ((err == -EBUSY || err == -EINTR) &&
		 !follower->options.is_stopping(follower->options.stop_data));
	if (err && err != -EBUSY && err != -EINTR)
		log_line(&follower->log, LOG_ERR, "the lock in %s cannot be taken: %s", directory,
			 run_directory_problem(err));
	return err == -EACCES ? 0 : err;
}

/* Whether a level enables these CPUs is unknown: they are neither switched nor isolated. */
static void report_unknown_cores(struct follower *follower, const struct view *view)
{
	const struct cpuset *unknown = &view->platform->unknown_cores;
	_cleanup_free_ char *list = cpuset_format_ranges(unknown);
	int err;

	if (cpuset_is_empty(unknown))
		return;
	err = follower->machine->topology.places[cpuset_next(unknown, 0)].core_error;
	log_line(&follower->log, LOG_WARNING,
		 "CPUs %s stay as they are, since their cores are not known: %s", list ?: "",
		 strerror(-err));
}

/* Plans these parts (enum follow_part) and carries them out. The record says before the first write
 * what CPUs may go. */
static int follow_parts(struct follower *follower, const struct view *view, struct work *work,
			unsigned int parts, bool *pending)
{
	_cleanup_change_list_ struct change_list *plan = NULL;
	int err = change_list_new(&plan);

	if (err)
		return err;
	err = make_plan(follower, view, work, parts, plan);
	if (err)
		return err;
	if (parts & FOLLOW_CPUS) {
		err = announce(follower, view, work);
		if (err)
			return err;
	}
	return carry_out(follower, view, plan, pending);
}

/* CPUs come first: they matter most. */
static int move_cpus(struct follower *follower, const struct view *view, struct work *work,
		     bool *pending)
{
	int err = cpuset_copy(&work->before, &follower->machine->topology.online);

	for (size_t i = 0; i < work->count && !err; i++)
		err = cpuset_add_all(&work->returning, &work->entries[i]->taken);
	if (err)
		return err;
	return follow_parts(follower, view, work, FOLLOW_CPUS, pending);
}

/* The view is of this machine: a CPU that it does not know waits for the next scan. */
static int find_online(struct follower *follower)
{
	bool is_moved;
	int err = topology_update(follower->host->files, &follower->machine->topology, &is_moved);

	if (err && err != -ESTALE)
		log_line(&follower->log, LOG_ERR, "the CPUs that are online are not known: %s",
			 strerror(-err));
	return err == -ESTALE ? 0 : err;
}

/* Follows what has changed, as it is once the lock is ours. */
static int follow(struct follower *follower, struct view *view, bool *ret_pending)
{
	_cleanup_(work_done) struct work work = { 0 };
	_cleanup_lock_ struct lock *lock = NULL;
	bool is_pending = false;
	int err = take_lock(follower, &lock);

	if (err)
		return err;
	err = renew_view(follower, view);
	if (err)
		return err;
	err = gather(follower, view, &work);
	if (err)
		return err;
	list_domains(follower, &work);
	report_unknown_cores(follower, view);
	err = move_cpus(follower, view, &work, &is_pending);
	if (err)
		return err;
	err = find_online(follower);
	if (err)
		return err;
	err = follow_parts(follower, view, &work, FOLLOW_UNCORE | FOLLOW_LIMITS, &is_pending);
	if (err)
		return err;
	return remember(follower, &work, is_pending, ret_pending);
}

/* Reports the power domains that did not answer, if their number changed. */
static bool do_all_answer(struct follower *follower, const struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->n_domains; i++)
		count += view->pp[i].error != 0;
	if (!count && follower->named) /* of the others nothing is known */
		return true;
	for (size_t i = 0; i < view->n_domains && count != follower->n_unreadable; i++) {
		const struct platform_pp_query *query = &view->pp[i];

		if (query->error)
			log_domain(&follower->log, LOG_WARNING, query->domain,
				   "its performance level cannot be read: %s; it is tried again "
				   "later",
				   channel_error_text(query->error));
	}
	if (!count && follower->n_unreadable)
		log_line(&follower->log, LOG_INFO, "every power domain answers again");
	follower->n_unreadable = count;
	return count == 0;
}

/* Follows what has changed. Returns 1 if something had, 0, or a negative errno; *ret_pending if
 * something is left for later. */
static int follow_changes(struct follower *follower, bool *ret_pending)
{
	_cleanup_(view_done) struct view view = { 0 };
	bool added = false, is_moved = false;
	int err = update_machine(follower, &is_moved);

	if (err)
		return err;
	err = open_view(follower, &view);
	if (err)
		return err;
	err = add_unknown(follower, &view, &added);
	if (err)
		return err;
	if (added) {
		err = write_record(follower);
		if (err)
			return err;
	}
	if (!do_all_answer(follower, &view))
		*ret_pending = true;
	if (count_changed(follower, &view) == 0)
		return 0;
	return follow(follower, &view, ret_pending) ?: 1;
}

int follower_init(struct follower *follower, struct host *host,
		  const struct follower_options *options)
{
	int err;

	*follower = (struct follower){ .host = host, .options = *options };
	follower->log = (struct log){ .write = options->log, .data = options->log_data };
	err = record_read(host->files, host->run_directory, &follower->record);
	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		log_line(
			&follower->log, LOG_WARNING,
			"the record in %s is of no use (%s): the present levels are taken as known",
			host->run_directory,
			err == -ESTALE ? "it is of another boot" : run_directory_problem(err));
	return 0;
}

void follower_done(struct follower *follower)
{
	record_done(&follower->record);
	log_forget(&follower->log);
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

int follower_scan(struct follower *follower, const struct cpuset *named, bool retries,
		  bool *ret_pending)
{
	bool is_pending = false;
	int result = 1;

	follower->named = named;
	follower->retries = retries;
	follower->is_new_level = false;
	for (int round = 0; result > 0 && !is_pending; round++) {
		result = follow_changes(follower, &is_pending);
		is_pending = is_pending || round == MOST_ROUNDS;
	}
	follower->named = NULL;
	if (result < 0)
		return result;
	*ret_pending = is_pending || is_something_left(follower);
	if (!*ret_pending && !named)
		log_forget(&follower->log);
	return 0;
}

char *follower_describe(const struct follower *follower)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	size_t length;

	for (size_t i = 0; i < follower->record.n_domains; i++) {
		const struct record_domain *entry = &follower->record.domains[i];
		const struct location location = {
			.package = entry->package,
			.die = entry->die,
			.has_power_domain = entry->has_id,
			.power_domain = entry->power_domain,
		};
		_cleanup_free_ char *place = location_format(&location);

		if (!place)
			return NULL;
		buffer_append_string(&text, i ? ", " : "");
		buffer_append_string(&text, place);
		buffer_append_string(&text, ": level ");
		buffer_append_number(&text, entry->level);
		buffer_append_string(&text, entry->is_pending ? " (not all done)" : "");
	}
	return buffer_steal(&text, &length);
}
