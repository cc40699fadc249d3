// SPDX-License-Identifier: GPL-2.0-only
/*
 * One look: the levels are read; a domain whose level is not the record's is followed under the
 * machine's lock, and the record is written when that is done (commands.md, "Daemon"). Of a plan
 * that fails in part the rest is done all the same: a CPU that refuses is told, and tried again
 * later. CPUs that were offline before we came stay so.
 */
#include "daemon/follower.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/cpu_map.h"
#include "machine/lock.h"
#include "plan/run.h"
#include "plan/subject.h"
#include "platform/describe.h"
#include "platform/follow.h"

#define MOST_ROUNDS  16 /* of one look, while levels go on changing */
#define LOCK_WAIT_MS 200 /* until it is asked again whether to stop */

/* The machine as it is now, and what its power domains tell. */
struct view {
	struct machine *machine;
	struct platform *platform;
	struct platform_pp_query *pp;
	size_t n_domains;
};

static void __attribute__((format(printf, 3, 4)))
say(const struct follower *follower, enum follower_weight weight, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	follower->options.say(follower->options.data, weight, text ?: "out of memory");
}

/* The same, of a power domain, which is named in front. */
static void __attribute__((format(printf, 4, 5)))
say_of(const struct follower *follower, enum follower_weight weight,
       const struct power_domain *domain, const char *format, ...)
{
	const struct plan_subject subject = domains_subject(domain);
	_cleanup_free_ char *text = NULL, *place = subject_name_place(&subject);
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	say(follower, weight, "%s: %s", place ?: "a power domain", text ?: "out of memory");
}

static void view_done(struct view *view)
{
	free(view->pp);
	platform_close(&view->platform);
	machine_close(&view->machine);
	*view = (struct view){ 0 };
}

#define _cleanup_view_ __attribute__((cleanup(view_done)))

static int ask_levels(struct view *view)
{
	const struct domain_list *list = &view->platform->domains;

	view->n_domains = list->n_domains;
	view->pp = calloc(list->n_domains ?: 1, sizeof(*view->pp));
	if (!view->pp)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++)
		view->pp[i].domain = &list->domains[i];
	return view->platform->ops->read_pp(view->platform, view->pp, view->n_domains);
}

/* Has the domain CPUs to move, and somebody to ask about its level? */
static bool can_follow(const struct platform_pp_query *query)
{
	return !cpuset_is_empty(&query->domain->cpus) && !query->error && query->pp.enabled;
}

static int open_view(const struct follower *follower, struct view *view)
{
	_cleanup_free_ char *message = NULL;
	int err = machine_open(follower->host, &view->machine, &message);

	err = err
		      ?: platform_open(view->machine, &follower->options.platform, &view->platform,
				       &message);
	if (!err && view->platform->bios_fixed) {
		message = strdup("on this platform everything is set in BIOS: no level changes");
		err = -ENOTSUP;
	}
	err = err ?: ask_levels(view);
	if (err) {
		say(follower, FOLLOWER_ERROR, "%s", message ?: strerror(-err));
		view_done(view);
	}
	return err;
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
	       (entry->is_pending || entry->level != query->pp.current_level);
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
	struct follow_domain *domains;
	struct record_domain **entries;
	size_t count;
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

/* Which of them can be followed: those whose level could be read. The others stay for later. */
static size_t list_domains(const struct follower *follower, struct work *work)
{
	size_t count = 0;

	for (size_t i = 0; i < work->count; i++) {
		const struct platform_level_query *query = &work->levels[i];

		if (query->error) {
			say_of(follower, FOLLOWER_WARNING, query->domain,
			       "performance level %u cannot be read: %s", query->level,
			       strerror(-query->error));
			continue;
		}
		if (query->level != work->entries[i]->level)
			say_of(follower, FOLLOWER_INFO, query->domain,
			       "performance level %u, was %u: following", query->level,
			       work->entries[i]->level);
		else
			say_of(follower, FOLLOWER_INFO, query->domain,
			       "performance level %u: trying again what was left", query->level);
		work->domains[count++] = (struct follow_domain){
			.domain = query->domain,
			.level = &query->info,
			.cpu = CPUSET_NONE,
		};
	}
	return count;
}

static int make_plan(const struct follower *follower, const struct view *view, struct work *work,
		     struct plan *plan)
{
	const struct follow_options options = {
		.cgroup = follower->options.cgroup,
		.cpu0_workaround = follower->options.cpu0_workaround,
		.returning = &work->returning,
	};
	const char *problem = NULL;
	size_t count = list_domains(follower, work);
	int err = cpuset_copy(&work->before, &view->machine->topology.online);

	for (size_t i = 0; i < work->count && !err; i++)
		err = cpuset_add_all(&work->returning, &work->entries[i]->taken);
	err = err ?: follow_plan(view->platform, plan, work->domains, count, &options, &problem);
	if (err)
		say(follower, FOLLOWER_ERROR, "CPUs cannot follow the level: %s",
		    problem ?: strerror(-err));
	for (size_t i = 0; i < count; i++) {
		if (work->domains[i].error)
			say_of(follower, FOLLOWER_WARNING, work->domains[i].domain, "%s: %s",
			       work->domains[i].what, strerror(-work->domains[i].error));
	}
	plan_make_optional(plan);
	return err;
}

static bool is_stopping(void *data)
{
	const struct follower *follower = data;

	return follower->options.is_stopping(follower->options.data);
}

static void tell_notes(const struct follower *follower, struct platform *platform,
		       const struct plan *plan, const struct run_outcome *outcome)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		const struct run_failure *note = &outcome->notes[i];
		const struct plan_step *step = &steps[note->step];
		_cleanup_free_ char *name = describe_step(step);

		say(follower, FOLLOWER_WARNING, "%s: %s; it is tried again later",
		    name ?: step->what, describe_cause(platform, step, note).text);
	}
}

/* Carries the plan out. Returns 0, with *ret_pending where not all was done; or -ENOMEM. */
static int carry_out(struct follower *follower, const struct view *view, const struct plan *plan,
		     bool *ret_pending)
{
	const struct run_environment environment = {
		.channel = &view->platform->channel,
		.files = follower->host->files,
		.is_interrupted = is_stopping,
		.data = follower,
		.keeps = true,
	};
	struct run_outcome outcome = { 0 };
	int err = run_plan(plan, &environment, &outcome);

	if (err)
		return err;
	tell_notes(follower, view->platform, plan, &outcome);
	*ret_pending = outcome.n_notes > 0 || outcome.failed;
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

/* The CPUs of the domain that are in one set and not in the other, in words. */
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

static void tell_moved(const struct follower *follower, const struct work *work, size_t index,
		       const struct cpuset *online)
{
	const struct platform_level_query *query = &work->levels[index];
	_cleanup_free_ char *up = list_moved(query->domain, online, &work->before);
	_cleanup_free_ char *down = list_moved(query->domain, &work->before, online);

	say_of(follower, FOLLOWER_INFO, query->domain,
	       "performance level %u: CPUs brought online: %s, taken offline: %s", query->level,
	       up ?: "", down ?: "");
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

static int remember(struct follower *follower, const struct work *work, bool is_pending)
{
	_cleanup_free_ char *message = NULL;
	struct machine *after = NULL;
	int err = machine_open(follower->host, &after, &message);

	for (size_t i = 0; i < work->count && !err; i++) {
		struct record_domain *entry = work->entries[i];
		struct cpuset taken = { 0 };

		tell_moved(follower, work, i, &after->topology.online);
		err = find_taken(work, i, &after->topology.online, &taken);
		cpuset_done(&entry->taken);
		entry->taken = taken;
		entry->level = work->levels[i].error ? entry->level : work->levels[i].level;
		entry->is_pending =
			is_pending || work->levels[i].error || is_isolation_taken(work, i);
	}
	machine_close(&after);
	err = err
		      ?: record_write(follower->host->files, follower->host->run_directory,
				      &follower->record);
	if (err)
		say(follower, FOLLOWER_ERROR, "the record in %s cannot be written: %s",
		    follower->host->run_directory, message ?: strerror(-err));
	return err;
}

/* Waits for the machine's lock as long as it takes. Returns 0, also where it may not be taken. */
static int take_lock(const struct follower *follower, struct lock **ret_lock)
{
	const char *directory = follower->host->run_directory;
	bool is_told = false;
	int err;

	do {
		_cleanup_free_ char *holder = NULL;

		err = lock_take_within(directory, LOCK_WAIT_MS, ret_lock, &holder);
		if (err == -EBUSY && !is_told)
			say(follower, FOLLOWER_INFO, "waiting for another instance: %s",
			    holder ?: "its name is not known");
		is_told = true;
	} while ((err == -EBUSY || err == -EINTR) &&
		 !follower->options.is_stopping(follower->options.data));
	if (err && err != -EBUSY && err != -EINTR)
		say(follower, FOLLOWER_ERROR, "the lock in %s cannot be taken: %s", directory,
		    strerror(-err));
	return err == -EACCES ? 0 : err;
}

/* Follows what has changed, as it is once the lock is ours. */
static int follow(struct follower *follower, bool *ret_pending)
{
	_cleanup_(work_done) struct work work = { 0 };
	_cleanup_lock_ struct lock *lock = NULL;
	_cleanup_view_ struct view view = { 0 };
	_cleanup_plan_ struct plan *plan = NULL;
	bool is_pending = false;
	int err = take_lock(follower, &lock);

	err = err ?: open_view(follower, &view);
	err = err ?: gather(follower, &view, &work);
	err = err ?: plan_new(&plan);
	err = err ?: make_plan(follower, &view, &work, plan);
	err = err
		      ?: cpu_map_write(follower->host->files, follower->host->run_directory,
				       &view.machine->topology);
	err = err ?: carry_out(follower, &view, plan, &is_pending);
	err = err ?: remember(follower, &work, is_pending);
	*ret_pending = *ret_pending || is_pending;
	return err;
}

/* Returns 1 where something has to be followed, 0, or a negative errno. */
static int find_changes(struct follower *follower)
{
	_cleanup_view_ struct view view = { 0 };
	bool added = false;
	int err = open_view(follower, &view);

	err = err ?: add_unknown(follower, &view, &added);
	if (!err && added)
		err = record_write(follower->host->files, follower->host->run_directory,
				   &follower->record);
	return err ?: count_changed(follower, &view) > 0;
}

int follower_init(struct follower *follower, struct host *host,
		  const struct follower_options *options)
{
	int err;

	*follower = (struct follower){ .host = host, .options = *options };
	err = record_read(host->files, host->run_directory, &follower->record);
	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		say(follower, FOLLOWER_WARNING,
		    "the record in %s is of no use (%s): the present levels are taken as known",
		    host->run_directory, err == -ESTALE ? "it is of another boot" : strerror(-err));
	return 0;
}

void follower_done(struct follower *follower)
{
	record_done(&follower->record);
}

int follower_look(struct follower *follower, bool *ret_pending)
{
	bool is_pending = false;
	int result = find_changes(follower);

	for (int round = 0; result > 0 && !is_pending; round++) {
		int err = follow(follower, &is_pending);

		if (err)
			return err;
		is_pending = is_pending || round == MOST_ROUNDS;
		result = is_pending ? 0 : find_changes(follower);
	}
	if (result < 0)
		return result;
	*ret_pending = is_pending;
	return 0;
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
