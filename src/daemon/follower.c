// SPDX-License-Identifier: GPL-2.0-only
/* A scan reads the levels. Under the machine's lock, it follows each domain whose level differs
 * from the record, CPUs first, and then writes the record (commands.md, "Daemon"). If a part of a
 * plan fails, the rest is still carried out; the failure is logged, and the part is tried again
 * later. CPUs that were offline before stay offline.
 *
 * Before the first write, the record names the CPUs that may go offline. If the daemon is killed,
 * the next daemon brings these CPUs online again. The record is not synced, because it is valid for
 * one boot only.
 *
 * Each scan opens the device, because the driver of an open device cannot be unloaded. If events
 * name CPUs, only the domains of these CPUs are queried (hardware.md, section 8). */
#include "daemon/follower.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "choose/priority.h"
#include "change/transaction.h"
#include "host/change_log.h"
#include "host/topology.h"
#include "host/target.h"
#include "host/machine.h"
#include "host/run_directory.h"
#include "settings/follow.h"
#include "settings/journaled.h"
#include "state/recovery.h"

#define MOST_ROUNDS   16 /* of one scan, while levels keep changing */
#define LOCK_CHECK_MS 200 /* interval of checks for a stop */

/* The present platform, the levels of its power domains, and the results of a scan. */
struct scan {
	struct platform *platform;
	struct platform_pp_query *pp; /* of the queried domains */
	size_t n_asked;
	struct platform_level_query *levels; /* of the domains that are followed */
	size_t n_levels;
	struct follow_domain *domains; /* the domains whose level could be read */
	size_t n_domains;
	struct cpuset returning; /* offline CPUs that the daemon took offline */
	struct cpuset before; /* CPUs that were online before the writes */
	size_t n_written;
	bool is_left; /* part of a plan could not be carried out */
	bool is_pending; /* something of a domain is left for later */
};

static void close_platform(struct scan *scan)
{
	free(steal(scan->pp));
	scan->n_asked = 0;
	platform_close(&scan->platform);
}

static void scan_done(struct scan *scan)
{
	for (size_t i = 0; i < scan->n_levels; i++)
		sst_level_done(&scan->levels[i].info);
	follow_domains_done(scan->domains, scan->n_domains);
	free(scan->levels);
	free(scan->domains);
	cpuset_done(&scan->returning);
	cpuset_done(&scan->before);
	close_platform(scan);
}

/* Reads the levels of all power domains if no CPUs are named, or if a named CPU is in no domain.
 * Otherwise, reads those of domains that have a named CPU, are not in the record, or are
 * incomplete. */
static int ask_levels(const struct follower *follower, struct scan *scan)
{
	const struct domain_list *list = &scan->platform->domains;
	const struct cpuset *named = follower->named;
	bool asks_all = !named;

	scan->pp = calloc(list->n_domains ?: 1, sizeof(*scan->pp));
	if (!scan->pp)
		return -ENOMEM;
	if (named) {
		cpuset_foreach (cpu, named)
			asks_all = asks_all || !domains_find(list, cpu);
	}
	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];
		const struct record_domain *entry = record_find(&follower->record, domain);

		if (asks_all || !entry || entry->is_pending ||
		    cpuset_intersects(named, &domain->cpus))
			scan->pp[scan->n_asked++].domain = domain;
	}
	return scan->platform->ops->read_pp(scan->platform, scan->pp, scan->n_asked);
}

/* Logs that a file of the run directory ("the record") cannot be used ("written"). Returns err. */
static int log_problem(struct follower *follower, const char *what, const char *done, int err)
{
	if (err)
		log_line(&follower->log, LOG_ERR, NULL, "%s in %s cannot be %s: %s", what,
			 follower->host->run_directory, done, run_directory_problem(err));
	return err;
}

/* Writes the map of CPUs before any CPU goes offline. The map has the locations of offline CPUs. */
static int keep_map(struct follower *follower)
{
	const struct topology *topology = &follower->machine->topology;
	size_t n_mapped = cpu_map_count(topology);
	int err;

	if (n_mapped == follower->n_mapped)
		return 0;
	err = cpu_map_write(follower->host->files, follower->host->run_directory, topology);
	if (!err)
		follower->n_mapped = n_mapped;
	return log_problem(follower, "the map of CPUs", "written", err);
}

/* Removes the record of fast cores, which is not valid for the new level. If this fails, nothing is
 * written. The many lists beside the record are removed after the CPUs were switched. */
static int withdraw_priority(struct follower *follower)
{
	_cleanup_free_ char *message = NULL;
	int err = follower->is_withdrawn ? 0 : priority_withdraw_record(follower->host, &message);

	follower->is_withdrawn = !err;
	if (err)
		log_line(&follower->log, LOG_ERR, NULL, "%s", message ?: strerror(-err));
	return err;
}

/* Publishes which cores are fast. Needs the lock. */
static void publish_priority(struct follower *follower)
{
	_cleanup_free_ char *message = NULL;
	int err = priority_publish(follower->host, NULL, NULL, &message);

	follower->is_withdrawn = false;
	follower->has_published = true;
	if (err && err != -ENOTSUP)
		log_line(&follower->log, LOG_INFO, NULL,
			 "which cores are fast is not published: %s", message ?: strerror(-err));
}

static int write_record(struct follower *follower)
{
	int err = record_write(follower->host->files, follower->host->run_directory,
			       &follower->record);

	follower->is_unsaved = err;
	follower->version = record_find_version(follower->host->run_directory);
	return log_problem(follower, "the record", "written", err);
}

/* Reads the record again, because a command that follows a level changes it. Without a valid file,
 * keeps the record in memory. Returns 0 or -ENOMEM. */
static int reload_record(struct follower *follower)
{
	struct record_version version = record_find_version(follower->host->run_directory);
	struct record record;
	int err;

	if (follower->is_unsaved || memcmp(&version, &follower->version, sizeof(version)) == 0)
		return 0;
	follower->version = version;
	err = record_read(follower->host->files, follower->host->run_directory, &record);
	if (err)
		return err == -ENOMEM ? err : 0;
	record_done(&follower->record);
	follower->record = record;
	return 0;
}

static int update_machine(struct follower *follower, bool *ret_moved)
{
	_cleanup_free_ char *message = NULL;
	int err = machine_update(follower->host, &follower->machine, ret_moved, &message);

	if (err) {
		log_line(&follower->log, LOG_ERR, NULL, "%s", message ?: strerror(-err));
		return err;
	}
	/* Kernels have an online file for every CPU but CPU 0 (hardware.md, section 5), so these
	 * files are not checked one by one before the first CPU is switched. If a file is missing,
	 * its write fails and is logged. */
	if (!cpuset_is_empty(&follower->machine->switchable))
		return 0;
	err = cpuset_copy(&follower->machine->switchable, &follower->machine->topology.present);
	cpuset_remove(&follower->machine->switchable, 0);
	return err;
}

/* Opens the device and reads the levels. Returns 0; or a negative errno, which was logged: -ENOTSUP
 * if no level can change, -ENOMEM, or an error of opening or querying the driver. */
static int open_platform(struct follower *follower, struct scan *scan)
{
	_cleanup_free_ char *message = NULL;
	int err = platform_open(follower->machine, &follower->options->platform, &scan->platform,
				&message);

	if (!err && !scan->platform->has_levels) {
		message = strdup("on this platform everything is set in BIOS: no level changes");
		err = -ENOTSUP;
	}
	if (!err)
		err = ask_levels(follower, scan);
	if (err) {
		log_line(&follower->log, LOG_ERR, NULL, "%s", message ?: strerror(-err));
		return err;
	}
	return keep_map(follower);
}

/* Reads again what may have changed between the first reading and the lock. */
static int read_again(struct follower *follower, struct scan *scan)
{
	bool is_moved = false;
	int err = update_machine(follower, &is_moved);

	if (err)
		return err;
	if (is_moved) {
		close_platform(scan);
		return open_platform(follower, scan);
	}
	return scan->platform->ops->read_pp(scan->platform, scan->pp, scan->n_asked);
}

/* Returns true if the domain has CPUs to switch and its level is known. */
static bool can_follow(const struct platform_pp_query *query)
{
	return !cpuset_is_empty(&query->domain->cpus) && !query->error && query->pp.enabled;
}

/* Undoes incomplete changes of a process that was killed (journal.md, "Recovery"). Needs the lock,
 * and runs before any write. Returns 0, or -EIO if something could not be undone. */
static int recover(struct follower *follower)
{
	_cleanup_journal_ struct journal *journal = NULL;
	_cleanup_recovery_ struct recovery recovery = { 0 };
	_cleanup_free_ char *message = NULL;
	int err = recovery_run(follower->host, &journal, &recovery, &message);

	if (err)
		log_line(&follower->log, LOG_ERR, NULL, "%s", message ?: strerror(-err));
	if (recovery.undone)
		log_line(&follower->log, LOG_INFO, NULL, "undone: command %s: %zu change%s: %s",
			 recovery.owner, recovery.n_undone, recovery.n_undone == 1 ? "" : "s",
			 recovery.undone);
	if (recovery.changed)
		log_line(&follower->log, LOG_INFO, NULL, RECOVERY_CHANGED_TEXT, recovery.owner,
			 recovery.changed);
	if (recovery.failed)
		log_line(&follower->log, LOG_ERR, NULL, "not undone of %s: %s", recovery.owner,
			 recovery.failed);
	return err ?: recovery.failed ? -EIO : 0;
}

/* Waits for the machine's lock without a limit. Returns 0, also if this user may not lock. */
static int take_lock(struct follower *follower, struct lock **ret_lock)
{
	const char *directory = follower->host->run_directory;
	bool is_told = false;
	int err;

	do {
		_cleanup_free_ char *holder = NULL;

		err = lock_take(directory, LOCK_CHECK_MS, &follower->stop, ret_lock, &holder);
		if (err == -EBUSY && !is_told)
			log_line(&follower->log, LOG_INFO, NULL, "waiting for another instance: %s",
				 holder ?: "another process");
		is_told = true;
	} while ((err == -EBUSY || err == -EINTR) && !wait_is_stopped(&follower->stop));
	if (err != -EBUSY && err != -EINTR)
		log_problem(follower, "the lock", "taken", err);
	return !err ? recover(follower) : err == -EACCES ? 0 : err;
}

static bool is_unknown(const struct follower *follower, const struct platform_pp_query *query)
{
	return can_follow(query) && !record_find(&follower->record, query->domain);
}

/* Adds domains that are not in the record, with their present levels. Takes the lock, because a
 * command may add them at the same time. */
static int add_unknown(struct follower *follower, const struct scan *scan)
{
	_cleanup_lock_ struct lock *lock = NULL;
	_cleanup_journal_ struct journal *journal = NULL;
	size_t n_unknown = 0;
	int err;

	for (size_t i = 0; i < scan->n_asked; i++)
		n_unknown += is_unknown(follower, &scan->pp[i]);
	if (n_unknown == 0)
		return 0;
	err = take_lock(follower, &lock);
	if (err)
		return err;
	/* made before an event, which then waits less; the first write reports an error */
	journal_open(follower->host->files, follower->host->run_directory,
		     &follower->machine->topology.online, &journal);
	err = reload_record(follower);
	for (size_t i = 0; i < scan->n_asked && !err; i++) {
		const struct platform_pp_query *query = &scan->pp[i];

		if (is_unknown(follower, query))
			err = record_add(&follower->record, query->domain, query->pp.current_level);
	}
	return err ?: write_record(follower);
}

/* Logs the power domains that did not answer, if their number changed. */
static void check_answers(struct follower *follower, struct scan *scan)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->n_asked; i++)
		count += scan->pp[i].error != 0;
	scan->is_pending = count > 0;
	if (!count && follower->named) /* the other domains were not queried */
		return;
	for (size_t i = 0; i < scan->n_asked && count != follower->n_unreadable; i++) {
		const struct platform_pp_query *query = &scan->pp[i];

		if (query->error)
			log_line(&follower->log, LOG_WARNING, query->domain,
				 "its performance level cannot be read: %s; it is tried again "
				 "later",
				 channel_error_text(query->error));
	}
	if (!count && follower->n_unreadable)
		log_line(&follower->log, LOG_INFO, NULL, "every power domain answers again");
	follower->n_unreadable = count;
}

static bool has_changed(const struct follower *follower, const struct platform_pp_query *query)
{
	const struct record_domain *entry = record_find(&follower->record, query->domain);

	return can_follow(query) && entry &&
	       ((entry->is_pending && follower->retries) ||
		entry->level != query->pp.current_level);
}

static size_t count_changed(const struct follower *follower, const struct scan *scan)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->n_asked; i++)
		count += has_changed(follower, &scan->pp[i]);
	return count;
}

/* Reads the levels of the changed domains. Stores which CPUs are online now, and which offline CPUs
 * may be brought online again. */
static int read_levels(const struct follower *follower, struct scan *scan)
{
	size_t most = count_changed(follower, scan) ?: 1;
	int err = cpuset_copy(&scan->before, &follower->machine->topology.online);

	scan->levels = calloc(most, sizeof(*scan->levels));
	scan->domains = calloc(most, sizeof(*scan->domains));
	if (err || !scan->levels || !scan->domains)
		return -ENOMEM;
	for (size_t i = 0; i < scan->n_asked; i++) {
		const struct platform_pp_query *query = &scan->pp[i];

		if (!has_changed(follower, query))
			continue;
		scan->levels[scan->n_levels++] = (struct platform_level_query){
			.domain = query->domain,
			.level = query->pp.current_level,
			.pp_enabled = true,
		};
		err = cpuset_add_all(&scan->returning,
				     &record_find(&follower->record, query->domain)->taken);
		if (err)
			return err;
	}
	return scan->platform->ops->read_levels(scan->platform, PLATFORM_LEVEL, scan->levels,
						scan->n_levels);
}

/* Lists and logs the domains whose level could be read: these can be followed. The others are left
 * for later. After a new level, failures are logged even if they repeat earlier lines. */
static void list_domains(struct follower *follower, struct scan *scan)
{
	const struct cpuset *unknown = &scan->platform->unknown_cores;
	_cleanup_free_ char *list = NULL;
	int err;

	for (size_t i = 0; i < scan->n_levels; i++) {
		const struct platform_level_query *query = &scan->levels[i];
		uint32_t before = record_find(&follower->record, query->domain)->level;

		if (query->error) {
			log_line(&follower->log, LOG_WARNING, query->domain,
				 "performance level %u cannot be read: %s", query->level,
				 strerror(-query->error));
			continue;
		}
		if (query->level != before) {
			follower->is_new_level = true;
			log_forget(&follower->log);
			log_line(&follower->log, LOG_INFO, query->domain,
				 "performance level %u, was %u: following", query->level, before);
		} else {
			log_line(&follower->log, LOG_INFO, query->domain,
				 "performance level %u: retrying what could not be set",
				 query->level);
		}
		scan->domains[scan->n_domains++] = (struct follow_domain){
			.domain = query->domain,
			.level = &query->info,
			.level_number = query->level,
			.cpu = CPUSET_NONE,
		};
	}
	/* A level may enable these CPUs or not: they are neither switched nor isolated. */
	if (cpuset_is_empty(unknown))
		return;
	list = cpuset_format_ranges(unknown);
	err = follower->machine->topology.places[cpuset_next(unknown, 0)].core_error;
	log_line(&follower->log, LOG_WARNING, NULL,
		 "CPUs %s stay as they are, since their cores are unknown: %s", list ?: "",
		 strerror(-err));
}

/* Logs what of a domain cannot be followed, and why. */
static void report_domain(struct follower *follower, const struct scan *scan,
			  const struct follow_domain *domain)
{
	if (domain->error)
		log_line(&follower->log, LOG_WARNING, domain->domain, "%s: %s", domain->what,
			 strerror(-domain->error));
	if (domain->uncore_note)
		log_line(&follower->log, LOG_INFO, domain->domain, "performance level %u: %s",
			 domain->level_number, domain->uncore_note);
	cpuset_foreach (cpu, &domain->kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(scan->platform, cpu, domain->level_number);

		log_line(&follower->log, LOG_WARNING, domain->domain, "%s",
			 text ?: "out of memory");
	}
}

/* Adds CPUs to the record before they go offline: if this process is killed, a later daemon knows
 * them. */
static int announce(struct follower *follower, const struct scan *scan)
{
	for (size_t i = 0; i < scan->n_levels; i++) {
		const struct platform_level_query *query = &scan->levels[i];
		struct record_domain *entry = record_find(&follower->record, query->domain);
		_cleanup_cpuset_ struct cpuset going = { 0 };
		int err;

		if (query->error)
			continue;
		err = follow_add_disabled(scan->platform, query->domain, &query->info, &going);
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

/* Carries the plan out, and logs each optional change that failed. */
static int carry_out(struct follower *follower, struct scan *scan, const struct change_list *plan)
{
	_cleanup_(journaled_done) struct journaled journaled = {
		.host = follower->host,
		.topology = &follower->machine->topology,
		.transaction = { .argc = follower->options->argc,
				 .argv = follower->options->argv,
				 .forward = true },
	};
	const struct transaction_environment environment = {
		.channel = &scan->platform->channel,
		.files = follower->host->files,
		.stop = &follower->stop,
		.keeps_changes = true,
		.record = journaled_record,
		.record_data = &journaled,
	};
	_cleanup_free_ char *reason = NULL;
	bool isolates = follower->options->cgroup || follower->options->cpu0_workaround;
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	int err = transaction_run(plan, &environment, &outcome);

	if (!err && outcome.failed && outcome.failure.is_of_record) {
		log_line(&follower->log, LOG_ERR, NULL, "%s",
			 outcome.failure.reason ?: strerror(-outcome.failure.error));
		return outcome.failure.error;
	}
	if (!err)
		err = journaled_end(&journaled, plan, &outcome, false, &reason);
	if (err && reason)
		log_line(&follower->log, LOG_ERR, NULL, "%s", reason);
	if (err)
		return err;
	scan->is_left = scan->is_left || outcome.failed;
	scan->n_written += transaction_count_made(&outcome);
	for (size_t i = 0; i < outcome.n_notes; i++) {
		const struct transaction_failure *note = &outcome.notes[i];
		const struct change *change = &plan->changes[note->change];
		_cleanup_free_ char *name = change_format_name(change);

		log_line(&follower->log, LOG_WARNING, NULL, "%s: %s; it is tried again later",
			 name ?: change->what,
			 transaction_find_cause(change, note, follower->host, environment.channel)
				 .text);
		/* Without isolation, the daemon has given up the right to remove an empty group:
		 * this is not left to do. */
		if (isolates || !target_is_directory(&change->target) || change->value.number)
			scan->is_left = true;
	}
	return 0;
}

/* Plans these parts (enum follow_part) and carries them out. Before the first write, the record
 * names the CPUs that may go offline. */
static int follow_parts(struct follower *follower, struct scan *scan, unsigned int parts)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct follow follow = {
		.platform = scan->platform,
		.changes = &plan,
		.domains = scan->domains,
		.count = scan->n_domains,
		.parts = parts,
		.cgroup = follower->options->cgroup,
		.cpu0_workaround = follower->options->cpu0_workaround,
		.returning = &scan->returning,
	};
	int err = follow_plan(&follow);

	if (err == -ENOTSUP || (err && !follow.problem))
		log_line(&follower->log, LOG_ERR, NULL, "CPUs cannot follow the level: %s",
			 follow.problem ?: strerror(-err));
	else if (err)
		log_line(&follower->log, LOG_ERR, NULL, "CPUs cannot follow the level: %s: %s",
			 follow.problem, strerror(-err));
	for (size_t i = 0; i < scan->n_domains; i++)
		report_domain(follower, scan, &scan->domains[i]);
	if (!err && parts & FOLLOW_CPUS)
		err = announce(follower, scan);
	if (err)
		return err;
	for (size_t i = 0; i < plan.n_changes; i++)
		plan.changes[i].is_optional = true;
	return carry_out(follower, scan, &plan);
}

/* Returns the CPUs of the domain that are in one set but not in the other, as a new text. */
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

/* Stores the results in the record: the level of each domain, and its offline CPUs that the daemon
 * took offline, now or earlier. */
static int remember(struct follower *follower, struct scan *scan)
{
	const struct cpuset *online = &follower->machine->topology.online;

	for (size_t i = 0; i < scan->n_levels; i++) {
		const struct platform_level_query *query = &scan->levels[i];
		struct record_domain *entry = record_find(&follower->record, query->domain);
		_cleanup_free_ char *up = list_moved(query->domain, online, &scan->before);
		_cleanup_free_ char *down = list_moved(query->domain, &scan->before, online);

		log_line(&follower->log, LOG_INFO, query->domain,
			 "performance level %u: CPUs brought online: %s, taken offline: %s",
			 query->level, up ?: "", down ?: "");
		if (cpuset_add_all(&entry->taken, &scan->before))
			return -ENOMEM;
		cpuset_keep(&entry->taken, &query->domain->cpus);
		cpuset_remove_all(&entry->taken, online);
		entry->level = query->error ? entry->level : query->level;
		entry->is_pending = scan->is_left || query->error;
		scan->is_pending = scan->is_pending || entry->is_pending;
	}
	/* Another control group with CPUs to be isolated may release them later. */
	for (size_t i = 0; i < scan->n_domains; i++) {
		if (scan->domains[i].error != -EBUSY)
			continue;
		record_find(&follower->record, scan->domains[i].domain)->is_pending = true;
		scan->is_pending = true;
	}
	return write_record(follower);
}

static void log_changes(struct follower *follower, const struct scan *scan, int err)
{
	if (scan->n_written)
		change_log_send(follower->host, follower->options->argc, follower->options->argv,
				"status %d, %zu write%s", err || scan->is_left, scan->n_written,
				scan->n_written == 1 ? "" : "s");
}

/* Follows the changed levels, which are read again under the lock. CPUs come first: they matter
 * most. */
static int follow_locked(struct follower *follower, struct scan *scan)
{
	bool is_moved;
	int err = reload_record(follower);

	if (err)
		return err;
	err = read_again(follower, scan);
	if (err)
		return err;
	err = read_levels(follower, scan);
	if (err || scan->n_levels == 0) /* another instance followed meanwhile */
		return err;
	list_domains(follower, scan);
	err = withdraw_priority(follower);
	if (!err)
		err = follow_parts(follower, scan, FOLLOW_CPUS);
	if (err)
		return err;
	/* -ESTALE: a CPU that was unknown is online; it waits for the next scan. */
	err = topology_update(follower->host->files, &follower->machine->topology, &is_moved);
	if (err && err != -ESTALE) {
		log_line(&follower->log, LOG_ERR, NULL, "the CPUs that are online are unknown: %s",
			 strerror(-err));
		return err;
	}
	err = follow_parts(follower, scan, FOLLOW_UNCORE | FOLLOW_LIMITS);
	if (err)
		return err;
	return remember(follower, scan);
}

static int follow(struct follower *follower, struct scan *scan)
{
	_cleanup_lock_ struct lock *lock = NULL;
	int err = take_lock(follower, &lock);

	if (err)
		return err;
	err = follow_locked(follower, scan);
	log_changes(follower, scan, err);
	if (follower->is_withdrawn)
		publish_priority(follower);
	return err;
}

/* Publishes at the first scan of a boot, if nothing is published yet. */
static void publish_first(struct follower *follower)
{
	_cleanup_lock_ struct lock *lock = NULL;

	if (follower->has_published || take_lock(follower, &lock))
		return;
	follower->has_published = true;
	if (!priority_is_published(follower->host))
		publish_priority(follower);
}

/* Follows the levels that have changed. Returns 1 if a level had changed, 0, or a negative errno;
 * *ret_pending is true if something is left for later. */
static int follow_changes(struct follower *follower, bool *ret_pending)
{
	_cleanup_(scan_done) struct scan scan = { 0 };
	bool is_moved = false;
	int err = update_machine(follower, &is_moved);

	if (err)
		return err;
	err = open_platform(follower, &scan);
	if (err)
		return err;
	err = add_unknown(follower, &scan);
	if (err)
		return err;
	check_answers(follower, &scan);
	/* Otherwise, the record is reloaded with the lock. */
	if (count_changed(follower, &scan) == 0)
		err = reload_record(follower);
	if (!err && count_changed(follower, &scan) > 0)
		err = follow(follower, &scan) ?: 1;
	*ret_pending = scan.is_pending;
	return err;
}

int follower_init(struct follower *follower, struct host *host,
		  const struct daemon_options *options, struct wait_stop stop)
{
	int err;

	*follower = (struct follower){
		.host = host,
		.options = options,
		.stop = stop,
		.log = { .write = options->log, .data = options->data },
	};
	err = record_read(host->files, host->run_directory, &follower->record);
	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		log_line(&follower->log, LOG_WARNING, NULL,
			 "the record in %s cannot be used (%s): the current levels count as "
			 "followed",
			 host->run_directory,
			 err == -ESTALE ? "it was written in another boot"
					: run_directory_problem(err));
	return 0;
}

void follower_done(struct follower *follower)
{
	record_done(&follower->record);
	log_forget(&follower->log);
	machine_close(&follower->machine);
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
	if (result >= 0)
		publish_first(follower);
	files_rest(follower->host->files);
	if (result < 0)
		return result;
	for (size_t i = 0; i < follower->record.n_domains; i++)
		is_pending = is_pending || follower->record.domains[i].is_pending;
	*ret_pending = is_pending;
	if (!is_pending && !named)
		log_forget(&follower->log);
	return 0;
}

char *follower_describe(const struct follower *follower)
{
	char *text = strdup("");

	for (size_t i = 0; i < follower->record.n_domains && text; i++) {
		const struct record_domain *entry = &follower->record.domains[i];
		_cleanup_free_ char *before = text, *place = location_format(&entry->place);

		text = place ? text_format("%s%s%s: level %u%s", before, i ? ", " : "", place,
					   entry->level, entry->is_pending ? " (incomplete)" : "")
			     : NULL;
	}
	return text;
}
