// SPDX-License-Identifier: GPL-2.0-only
/* Plans changes of the performance level, SST-BF, SST-TF, SST-CP, CLOS parameters and associations
 * (hardware.md, sections 3 and 4). A generation supplies the targets and what only it can read. */
#include "sst/change.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/values.h"

#define SETTLE_US   10000 /* until cpufreq shows new base frequencies */
#define CHECK_TRIES 5 /* a change can take effect a little later */

/* Adds a change of a target from old to value, which differ; read back once. */
static int add_change(struct change_list *list, struct change *change,
		      const struct target_value *old, const struct target_value *value)
{
	if (target_value_equal(old, value))
		return 0;
	change->old_value = *old;
	change->has_old_value = true;
	change->value = *value;
	return change_list_add(list, change);
}

/* What a domain is at. */
struct domain_state {
	const struct power_domain *domain; /* NULL: no request */
	const struct sst_pp *known_pp;
	const struct sst_level *known_level;
	struct sst_pp pp;
	bool base_freq_on;
	bool turbo_freq_on;
	bool is_done; /* nothing is to be changed, or it cannot be: error */
	int error;
	struct msr_read *lock; /* of the package; NULL: there is none */
	struct msr_read *limits; /* of the package; NULL: no CPU of it is online */
};

/* Reads the current level of the domains that it is unknown of. */
static int read_pp(struct platform *platform, struct domain_state *states, size_t count)
{
	_cleanup_free_ struct platform_pp_query *queries = calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (states[i].domain && !states[i].known_pp)
			queries[n_queries++].domain = states[i].domain;
	}
	err = n_queries ? platform->ops->read_pp(platform, queries, n_queries) : 0;
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (states[i].known_pp) {
			states[i].pp = *states[i].known_pp;
		} else if (states[i].domain) {
			states[i].pp = queries[next].pp;
			states[i].error = queries[next++].error;
		}
		states[i].is_done = !states[i].domain || states[i].error;
	}
	return 0;
}

/* Reads which features are on in the domains that have something to change. */
static int read_features(struct platform *platform, struct domain_state *states, size_t count)
{
	_cleanup_free_ struct platform_features_query *queries =
		calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!states[i].is_done && !states[i].known_level)
			queries[n_queries++] = (struct platform_features_query){
				.domain = states[i].domain,
				.level = states[i].pp.current_level,
			};
	}
	err = platform->ops->read_features(platform, queries, n_queries);
	for (size_t i = 0; i < count && !err; i++) {
		if (states[i].is_done)
			continue;
		if (states[i].known_level) {
			states[i].base_freq_on = states[i].known_level->base_freq_on;
			states[i].turbo_freq_on = states[i].known_level->turbo_freq_on;
			continue;
		}
		states[i].base_freq_on = queries[next].base_freq_on;
		states[i].turbo_freq_on = queries[next].turbo_freq_on;
		states[i].error = queries[next++].error;
		states[i].is_done = states[i].error;
	}
	return err;
}

/* A domain of the same package with a CPU to read MSRs by, itself if it can be; or NULL. */
static const struct power_domain *find_online(const struct platform *platform,
					      const struct power_domain *domain)
{
	const struct domain_list *list = &platform->domains;

	if (domain->cpu != CPUSET_NONE)
		return domain;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].package == domain->package &&
		    list->domains[i].cpu != CPUSET_NONE)
			return &list->domains[i];
	}
	return NULL;
}

/* Some machines do not show the limits: then there is nothing to restore. */
static bool are_limits_hidden(const struct msr_read *limits)
{
	return !limits || limits->error == -EIO || limits->error == -ENOTTY;
}

/* Reads the MSRs of each package in which a level changes, once: the lock, if this platform has it,
 * and the turbo-ratio limits. */
static int read_msrs(const struct platform *platform, struct domain_state *states, size_t count,
		     struct msr_read *reads)
{
	size_t n_reads = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain =
			states[i].is_done ? NULL : find_online(platform, states[i].domain);

		for (size_t j = 0; j < n_reads && domain; j++) {
			if (reads[j].domain->package == domain->package &&
			    reads[j].msr == SST_MSR_TURBO_RATIO_LIMIT)
				states[i].limits = &reads[j];
		}
		if (!domain || states[i].limits)
			continue;
		if (platform->has_level_lock)
			reads[n_reads++] =
				(struct msr_read){ .domain = domain, .msr = SST_MSR_TDP_CONTROL };
		states[i].limits = &reads[n_reads];
		reads[n_reads++] =
			(struct msr_read){ .domain = domain, .msr = SST_MSR_TURBO_RATIO_LIMIT };
	}
	err = limits_read_msrs(platform, reads, n_reads);
	for (size_t i = 0; i < count && !err; i++) {
		const struct msr_read *limits = states[i].limits;
		const struct msr_read *lock;

		if (states[i].is_done || !limits)
			continue;
		lock = platform->has_level_lock ? limits - 1 : NULL;
		states[i].error = lock ? lock->error : 0;
		if (!states[i].error && !are_limits_hidden(limits))
			states[i].error = limits->error;
		if (!states[i].error && lock && lock->value & SST_MSR_TDP_CONTROL_LOCKED)
			states[i].error = -EROFS;
		states[i].is_done = states[i].error;
	}
	return err;
}

/* A change of level switches SST-BF and SST-TF off and sets the turbo-ratio limits anew, so undoing
 * it restores them after the level. */
static int add_level(const struct platform *platform, struct change_list *list,
		     const struct domain_state *state, uint32_t level, bool is_last)
{
	const struct power_domain *domain = state->domain;
	struct change change = {
		.location = domains_location(domain),
		.what = "performance level",
		.target = platform->ops->level_target(domain),
		.tries = CHECK_TRIES,
		.settle_us = is_last ? SETTLE_US : 0,
	};
	const struct target_value old = { .number = state->pp.current_level };
	const struct target_value value = { .number = level };
	struct change_undo undo[3] = { { .target = change.target, .value = old } };
	size_t n_undo = 1;

	if (state->base_freq_on || state->turbo_freq_on)
		undo[n_undo++] = (struct change_undo){
			.target = platform->ops->features_target(domain, state->pp.current_level),
			.value = value_of_features(state->base_freq_on, state->turbo_freq_on),
			.is_checked = true,
		};
	if (!are_limits_hidden(state->limits))
		undo[n_undo++] = (struct change_undo){
			.target = limits_target(find_online(platform, domain)->cpu, 0),
			.value = { .number = state->limits->value },
			.is_checked = true,
		};
	change.undo = undo;
	change.n_undo = n_undo;
	return add_change(list, &change, &old, &value);
}

static int add_levels(const struct platform *platform, struct change_list *list,
		      const struct domain_state *states,
		      const struct platform_level_request *requests, size_t count)
{
	size_t last = 0;

	for (size_t i = 0; i < count; i++)
		last = states[i].is_done ? last : i;
	for (size_t i = 0; i < count; i++) {
		int err = states[i].is_done ? 0
					    : add_level(platform, list, &states[i],
							requests[i].level, i == last);

		if (err)
			return err;
	}
	return 0;
}

int sst_plan_level(struct platform *platform, struct change_list *list,
		   struct platform_level_request *requests, size_t count)
{
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	_cleanup_free_ struct msr_read *reads = calloc(2 * count ?: 1, sizeof(*reads));
	int err;

	if (!states || !reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		states[i] = (struct domain_state){ .domain = requests[i].domain,
						   .known_pp = requests[i].pp,
						   .known_level = requests[i].current };
	err = read_pp(platform, states, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct domain_state *state = &states[i];

		if (state->is_done)
			continue;
		state->is_done = state->pp.current_level == requests[i].level;
		if (!state->is_done && state->pp.locked) {
			state->error = -EROFS;
			state->is_done = true;
		}
	}
	err = read_features(platform, states, count);
	if (err)
		return err;
	err = read_msrs(platform, states, count, reads);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		requests[i].error = states[i].error;
	return add_levels(platform, list, states, requests, count);
}

static bool is_on_after(enum platform_switch wanted, bool is_on)
{
	return wanted == PLATFORM_KEEP ? is_on : wanted == PLATFORM_ON;
}

int sst_plan_features(struct platform *platform, struct change_list *list,
		      struct platform_feature_request *requests, size_t count)
{
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	int err;

	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		states[i] = (struct domain_state){ .domain = requests[i].domain,
						   .known_pp = requests[i].pp,
						   .known_level = requests[i].current };
	err = read_pp(platform, states, count);
	err = err ?: read_features(platform, states, count);
	for (size_t i = 0; i < count && !err; i++) {
		const struct domain_state *state = &states[i];
		struct target_value old, value;
		struct change change;

		requests[i].error = state->error;
		if (state->is_done)
			continue;
		old = value_of_features(state->base_freq_on, state->turbo_freq_on);
		value = value_of_features(is_on_after(requests[i].base_freq, state->base_freq_on),
					  is_on_after(requests[i].turbo_freq,
						      state->turbo_freq_on));
		change = (struct change){
			.location = domains_location(state->domain),
			.what = "SST-BF and SST-TF",
			.target = platform->ops->features_target(state->domain,
								 state->pp.current_level),
			.tries = CHECK_TRIES,
		};
		err = add_change(list, &change, &old, &value);
	}
	return err;
}

/* Adds the changes of a domain's switches. A switch whose state is unknown is tried: its failure is
 * a note. */
static int add_switches(struct change_list *list, const struct platform_switches_query *query,
			const struct platform_core_power_request *request)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct platform_switch_state *state = &query->switches[i];
		struct target_value value = state->value;
		struct change change = {
			.location = domains_location(query->domain),
			.what = state->what,
			.target = state->target,
			.tries = CHECK_TRIES,
		};
		int err;

		value.numbers[VALUE_ENABLED] = request->on;
		if (state->has_type)
			value.numbers[VALUE_ORDERED] = request->ordered;
		if (state->is_unknown) {
			change.value = value;
			change.target.is_not_read_back = true;
			change.is_optional = true;
			change.not_undoable = true;
			err = change_list_add(list, &change);
		} else {
			err = add_change(list, &change, &state->value, &value);
		}
		if (err)
			return err;
	}
	return 0;
}

static bool is_of_package(const struct power_domain *domain, uint32_t package)
{
	return domain && domain->package == package;
}

static bool is_requested(const struct platform_core_power_request *requests, size_t count,
			 const struct power_domain *domain)
{
	for (size_t i = 0; i < count; i++) {
		if (requests[i].domain == domain)
			return true;
	}
	return false;
}

/* A package whose domains share SST-CP. */
struct package_switches {
	struct platform_switches_query *queries; /* of all its served domains */
	size_t count;
};

/* Is SST-TF, which needs SST-CP, on in a domain of the package that no request is for? Returns
 * -ENOMEM, or 0 with *ret_unread a domain that this cannot be read of, or NULL. */
static int find_turbo_freq(struct platform *platform, const struct package_switches *package,
			   const struct platform_core_power_request *requests, size_t count,
			   bool *ret_is_on, struct platform_features_query *ret_unread)
{
	*ret_is_on = false;
	*ret_unread = (struct platform_features_query){ 0 };
	for (size_t i = 0; i < package->count; i++) {
		struct platform_features_query query = { .domain = package->queries[i].domain };
		int err;

		if (!package->queries[i].found.supported ||
		    is_requested(requests, count, query.domain))
			continue;
		err = platform->ops->read_features(platform, &query, 1);
		if (err)
			return err;
		if (query.error && !ret_unread->domain)
			*ret_unread = query;
		*ret_is_on = *ret_is_on || (!query.error && query.turbo_freq_on);
	}
	return 0;
}

/* Fails the requests of a package; those that have an error of their own keep it. */
static void fail_package(struct platform_core_power_request *requests, size_t count,
			 uint32_t package, int err, const struct power_domain *unread,
			 const char *what)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_of_package(requests[i].domain, package) || requests[i].error)
			continue;
		requests[i].error = err;
		requests[i].unread = unread;
		requests[i].unread_what = what;
	}
}

/* Checks that SST-CP of the package can be switched as requested. If not, fails its requests and
 * sets *ret_is_refused. Returns 0 or -ENOMEM. */
static int check_package(struct platform *platform, const struct package_switches *package,
			 struct platform_core_power_request *requests, size_t count,
			 const struct platform_core_power_request *request, bool *ret_is_refused)
{
	uint32_t id = request->domain->package;
	struct platform_features_query unread;
	bool is_needed;
	int err;

	*ret_is_refused = true;
	/* A domain that cannot be read would stay as it is while the others change. */
	for (size_t i = 0; i < package->count; i++) {
		const struct platform_switches_query *query = &package->queries[i];

		if (query->error) {
			fail_package(requests, count, id, query->error, query->domain,
				     "core-power status");
			return 0;
		}
	}
	*ret_is_refused = false;
	if (request->on)
		return 0;
	err = find_turbo_freq(platform, package, requests, count, &is_needed, &unread);
	if (err)
		return err;
	for (size_t i = 0; i < count && is_needed; i++) {
		if (is_of_package(requests[i].domain, id))
			requests[i].turbo_freq_on = true;
	}
	*ret_is_refused = !request->force && (is_needed || unread.domain);
	if (*ret_is_refused && is_needed)
		fail_package(requests, count, id, -EUSERS, NULL, NULL);
	else if (*ret_is_refused)
		fail_package(requests, count, id, unread.error, unread.domain, "turbo-freq status");
	return 0;
}

/* Plans the package of a request: all its served domains that have SST-CP, IO dies too. */
static int plan_package(struct platform *platform, struct change_list *list,
			struct platform_core_power_request *requests, size_t count,
			const struct platform_core_power_request *request)
{
	const struct domain_list *domains = &platform->domains;
	_cleanup_free_ struct platform_switches_query *queries =
		calloc(domains->n_domains ?: 1, sizeof(*queries));
	struct package_switches package = { .queries = queries };
	bool is_refused;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < domains->n_domains; i++) {
		const struct power_domain *domain = &domains->domains[i];

		if (domain->is_served && is_of_package(domain, request->domain->package))
			queries[package.count++].domain = domain;
	}
	err = platform->ops->read_switches(platform, queries, package.count);
	if (err)
		return err;
	err = check_package(platform, &package, requests, count, request, &is_refused);
	for (size_t i = 0; i < package.count && !err && !is_refused; i++) {
		if (queries[i].found.supported)
			err = add_switches(list, &queries[i], request);
	}
	return err;
}

/* Does a later request set the same package? */
static bool is_overruled(const struct platform_core_power_request *requests, size_t index,
			 size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (is_of_package(requests[i].domain, requests[index].domain->package))
			return true;
	}
	return false;
}

int sst_plan_core_power(struct platform *platform, struct change_list *list,
			struct platform_core_power_request *requests, size_t count)
{
	_cleanup_free_ struct platform_switches_query *queries =
		calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (requests[i].domain)
			queries[n_queries++].domain = requests[i].domain;
	}
	err = platform->ops->read_switches(platform, queries, n_queries);
	for (size_t i = 0; i < count && !err; i++) {
		if (!requests[i].domain)
			continue;
		requests[i].found = queries[next].found;
		requests[i].error = queries[next].error;
		requests[i].unread = queries[next].error ? requests[i].domain : NULL;
		requests[i].unread_what = "core-power status";
		if (!platform->shares_clos && !requests[i].error)
			err = add_switches(list, &queries[next], &requests[i]);
		next++;
	}
	for (size_t i = 0; i < count && !err && platform->shares_clos; i++) {
		if (requests[i].domain && !is_overruled(requests, i, count))
			err = plan_package(platform, list, requests, count, &requests[i]);
	}
	return err;
}

/* The parameters of a CLOS in one domain. */
struct clos_work {
	struct target_request *reads;
	struct write_target *targets;
	const struct power_domain **domains;
	size_t *request_of;
	size_t count;
};

static bool is_same_clos(const struct platform *platform, const struct platform_clos_request *left,
			 const struct platform_clos_request *right)
{
	if (!left->domain || !right->domain || left->clos != right->clos)
		return false;
	return platform->shares_clos ? left->domain->package == right->domain->package
				     : left == right;
}

static void fail_clos(const struct platform *platform, struct platform_clos_request *requests,
		      size_t count, size_t index, int err)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same_clos(platform, &requests[i], &requests[index]))
			requests[i].error = err;
	}
}

/* Is the domain one of those that a request sets? */
static bool is_set_by(struct platform *platform, const struct power_domain *domain,
		      const struct platform_clos_request *request)
{
	if (!platform->shares_clos)
		return domain == request->domain;
	return domain->is_served && domain->package == request->domain->package &&
	       platform->ops->has_clos(platform, domain);
}

/* Lists the domains that a request sets. */
static void collect_clos(struct platform *platform, const struct platform_clos_request *requests,
			 size_t index, struct clos_work *work)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		size_t next = work->count;

		if (!is_set_by(platform, &list->domains[i], &requests[index]))
			continue;
		work->targets[next] = platform->ops->clos_target(platform, &list->domains[i],
								 requests[index].clos);
		work->reads[next].target = &work->targets[next];
		work->domains[next] = &list->domains[i];
		work->request_of[next] = index;
		work->count++;
	}
}

/* Adds the changes of the domains that were read. */
static int add_clos(struct platform *platform, struct change_list *list,
		    const struct platform_clos_request *requests, const struct clos_work *work)
{
	uint32_t batch = change_list_new_batch(list);

	for (size_t i = 0; i < work->count; i++) {
		const struct platform_clos_request *request = &requests[work->request_of[i]];
		const struct target_value *old = &work->reads[i].value;
		struct sst_clos wanted = request->wanted;
		struct target_value value;
		struct change change = {
			.location = domains_location(work->domains[i]),
			.target = work->targets[i],
			.batch = batch,
		};
		char what[16];
		int err;

		if (request->error)
			continue;
		if (request->keep_desired)
			wanted.desired_mhz = (uint32_t)old->numbers[VALUE_DESIRED_MHZ];
		if (platform->lacks_clos_epp)
			wanted.epp = wanted.desired_mhz = 0;
		value = value_of_clos(&wanted);
		snprintf(what, sizeof(what), "CLOS %u", request->clos);
		change.what = what;
		err = add_change(list, &change, old, &value);
		if (err)
			return err;
	}
	return 0;
}

int sst_plan_clos(struct platform *platform, struct change_list *list,
		  struct platform_clos_request *requests, size_t count)
{
	size_t most = count * (platform->shares_clos ? platform->domains.n_domains : 1) ?: 1;
	_cleanup_free_ struct target_request *reads = calloc(most, sizeof(*reads));
	_cleanup_free_ struct write_target *targets = calloc(most, sizeof(*targets));
	_cleanup_free_ const struct power_domain **domains = calloc(most, sizeof(*domains));
	_cleanup_free_ size_t *request_of = calloc(most, sizeof(*request_of));
	struct clos_work work = { reads, targets, domains, request_of, 0 };
	int err;

	if (!reads || !targets || !domains || !request_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		bool is_last = requests[i].domain;

		for (size_t j = i + 1; j < count && is_last; j++)
			is_last = !is_same_clos(platform, &requests[j], &requests[i]);
		if (!is_last)
			continue;
		fail_clos(platform, requests, count, i,
			  requests[i].domain->is_served ? 0 : -ENODEV);
		if (!requests[i].error)
			collect_clos(platform, requests, i, &work);
	}
	err = platform_read_targets(platform, reads, work.count);
	if (err)
		return err;
	for (size_t i = 0; i < work.count; i++) {
		if (reads[i].error && !requests[request_of[i]].error)
			fail_clos(platform, requests, count, request_of[i], reads[i].error);
	}
	return add_clos(platform, list, requests, &work);
}

static int add_association(const struct platform *platform, struct change_list *list,
			   const struct platform_assoc_request *request,
			   const struct domain_core *core, uint32_t batch)
{
	const struct target_value old = value_of_association(core->clos, core->word);
	const struct target_value value = value_of_association(request->clos, core->word);
	struct change change = {
		.location = location_of_cpu(platform->machine, request->cpu),
		.target = platform->ops->association_target(platform, core),
		.batch = batch,
	};
	char what[40];

	snprintf(what, sizeof(what), "association of core %u", core->id);
	change.what = what;
	return add_change(list, &change, &old, &value);
}

int sst_plan_assoc(struct platform *platform, struct change_list *list,
		   struct platform_assoc_request *requests, size_t count)
{
	_cleanup_core_list_ struct core_list cores = { 0 };
	_cleanup_free_ bool *is_planned = calloc(count ?: 1, sizeof(*is_planned));
	uint32_t batch = change_list_new_batch(list);
	int err = core_list_init(&platform->domains, &platform->machine->topology, count, &cores);

	if (err || !is_planned)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		core_list_add(&cores, requests[i].cpu);
	err = platform_read_cores(platform, cores.cores, cores.n_cores);
	for (size_t i = 0; i < count && !err; i++) {
		size_t core = cores.core_of[i];

		requests[i].error = core_list_error(&cores, i, requests[i].cpu);
		if (requests[i].error || is_planned[core])
			continue;
		is_planned[core] = true;
		err = add_association(platform, list, &requests[i], &cores.cores[core], batch);
	}
	return err;
}
