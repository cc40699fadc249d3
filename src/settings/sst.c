// SPDX-License-Identifier: GPL-2.0-only
/* Plans changes of the performance level, SST-BF, SST-TF, SST-CP, CLOS parameters and associations
 * (hardware.md, sections 3 and 4). The code of each generation supplies the targets and its own
 * reads. */
#include "settings/sst.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/powercap.h"
#include "settings/families.h"
#include "sst/limits.h"
#include "sst/values.h"

#define SETTLE_US   10000 /* until cpufreq shows new base frequencies */
#define CHECK_TRIES 5 /* a change can take effect a little later */

/* Adds a change of a target from old to value, unless they are the same. */
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

/* Checks if a domain has CLOS, on a platform that shares them; an IO die can lack them. Returns 1,
 * 0, or a negative errno of reading. */
static int has_clos(struct platform *platform, const struct power_domain *domain)
{
	struct platform_core_power_query query = { .domain = domain };
	int err;

	if (!cpuset_is_empty(&domain->cpus))
		return true;
	err = platform->ops->read_core_power(platform, PLATFORM_SWITCHES, &query, 1);
	return err ?: query.error ?: query.core_power.supported;
}

/* Fails the request if it is unknown which domains of the package have SST-CP. Nothing is set in
 * the package then. */
static void check_package(struct platform *platform, uint32_t package,
			  struct setting_request *request)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains && platform->shares_clos; i++) {
		const struct power_domain *domain = &list->domains[i];
		int err = domain->is_served && domain->package == package
				  ? has_clos(platform, domain)
				  : 0;

		if (err >= 0)
			continue;
		request->error = err;
		request->failed = "core-power status";
		request->failed_domain = domain;
		return;
	}
}

/* The present state of the domain of a request. */
struct domain_state {
	struct sst_pp pp;
	bool base_freq_on;
	bool turbo_freq_on;
	bool is_done; /* there is nothing to change, or an error */
	const struct platform_query *limits; /* of the package; NULL: it has no online CPU */
};

/* Reads the current level of each domain whose request does not have it. */
static int read_pp(struct platform *platform, struct setting_request *requests,
		   struct domain_state *states, size_t count)
{
	_cleanup_free_ struct platform_pp_query *queries = calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!requests[i].pp)
			queries[n_queries++].domain = requests[i].domain;
	}
	err = platform->ops->read_pp(platform, queries, n_queries);
	for (size_t i = 0; i < count && !err; i++) {
		if (requests[i].pp) {
			states[i].pp = *requests[i].pp;
			continue;
		}
		states[i].pp = queries[next].pp;
		requests[i].error = queries[next++].error;
		states[i].is_done = requests[i].error;
	}
	return err;
}

/* Reads which features are on in the domains that have something to change. */
static int read_features(struct platform *platform, struct setting_request *requests,
			 struct domain_state *states, size_t count)
{
	_cleanup_free_ struct platform_level_query *queries = calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!states[i].is_done && !requests[i].current)
			queries[n_queries++] = (struct platform_level_query){
				.domain = requests[i].domain,
				.level = states[i].pp.current_level,
			};
	}
	err = platform->ops->read_features(platform, queries, n_queries);
	for (size_t i = 0; i < count && !err; i++) {
		const struct sst_level *level;

		if (states[i].is_done)
			continue;
		level = requests[i].current ?: &queries[next].info;
		states[i].base_freq_on = level->base_freq_on;
		states[i].turbo_freq_on = level->turbo_freq_on;
		if (requests[i].current)
			continue;
		requests[i].error = queries[next++].error;
		states[i].is_done = requests[i].error;
	}
	return err;
}

/* Finds a domain of the same package with a CPU that can read MSRs, if possible the same domain; or
 * NULL. */
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
static bool are_limits_hidden(const struct platform_query *limits)
{
	return !limits || limits->error == -EIO || limits->error == -ENOTTY;
}

/* Reads the MSRs of each package in which a level changes, once. In reads, the turbo-ratio limits
 * follow the lock, if this platform has it. */
static int read_msrs(const struct platform *platform, struct setting_request *requests,
		     struct domain_state *states, size_t count, struct platform_query *reads)
{
	size_t n_reads = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain =
			states[i].is_done ? NULL : find_online(platform, requests[i].domain);
		const struct platform_query *first;

		if (!domain)
			continue;
		first = limits_find_package(reads, n_reads, domain->package);
		if (!first) {
			first = &reads[n_reads];
			if (platform->has_level_lock)
				reads[n_reads++] = limits_query(domain, SST_MSR_TDP_CONTROL);
			reads[n_reads++] = limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT);
		}
		states[i].limits = first + platform->has_level_lock;
	}
	err = platform_read(platform, reads, n_reads);
	for (size_t i = 0; i < count && !err; i++) {
		const struct platform_query *limits = states[i].limits, *lock;

		if (states[i].is_done || !limits)
			continue;
		lock = platform->has_level_lock ? limits - 1 : NULL;
		if (lock && lock->error)
			requests[i].error = lock->error;
		else if (!are_limits_hidden(limits) && limits->error)
			requests[i].error = limits->error;
		else if (lock && lock->value.number & SST_MSR_TDP_CONTROL_LOCKED)
			requests[i].error = -EROFS;
		states[i].is_done = requests[i].error;
	}
	return err;
}

/* A change of level switches SST-BF and SST-TF off and resets the turbo-ratio limits, so undoing
 * restores them after the level. */
static int add_level(const struct setting_environment *environment,
		     const struct domain_state *state, const struct setting_request *request,
		     bool is_last)
{
	const struct platform *platform = environment->platform;
	const struct power_domain *domain = request->domain;
	struct change change = {
		.location = domains_location(domain),
		.what = "performance level",
		.subject = subject_of(SETTING_LEVEL),
		.target = platform->ops->target(platform, PLATFORM_TARGET_LEVEL, domain, 0),
		.tries = CHECK_TRIES,
		.settle_us = is_last ? SETTLE_US : 0,
	};
	const struct target_value old = { .number = state->pp.current_level };
	const struct target_value value = { .number = request->value.number };
	struct change_undo undo[3] = { { .target = change.target, .value = old } };
	size_t n_undo = 1;

	if (state->base_freq_on || state->turbo_freq_on)
		undo[n_undo++] = (struct change_undo){
			.subject = subject_of(SETTING_BASE_FREQ),
			.target = platform->ops->target(platform, PLATFORM_TARGET_FEATURES, domain,
							state->pp.current_level),
			.value = value_of_features(state->base_freq_on, state->turbo_freq_on),
			.is_checked = true,
		};
	if (!are_limits_hidden(state->limits))
		undo[n_undo++] = (struct change_undo){
			.subject = subject_of(SETTING_TRL),
			.target = limits_target(find_online(platform, domain)->cpu, 0),
			.value = state->limits->value,
			.is_checked = true,
		};
	change.undo = undo;
	change.n_undo = n_undo;
	return add_change(environment->changes, &change, &old, &value);
}

int sst_plan_level(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count)
{
	struct platform *platform = environment->platform;
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	_cleanup_free_ struct platform_query *reads = calloc(2 * count ?: 1, sizeof(*reads));
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	size_t last = count;
	int err;

	if (!states || !reads)
		return -ENOMEM;
	err = read_pp(platform, requests, states, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct domain_state *state = &states[i];

		if (state->is_done)
			continue;
		state->is_done = state->pp.current_level == requests[i].value.number;
		if (!state->is_done && state->pp.locked) {
			requests[i].error = -EROFS;
			state->is_done = true;
		}
	}
	err = read_features(platform, requests, states, count);
	if (err)
		return err;
	err = read_msrs(platform, requests, states, count, reads);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		last = states[i].is_done ? last : i;
	if (last < count)
		err = power_zones_read(environment->machine->host->files, false, &zones);
	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (states[i].is_done)
			continue;
		err = add_level(environment, &states[i], &requests[i], i == last);
		if (!err)
			err = power_note_level(environment, requests[i].domain, &zones);
		if (err)
			return err;
	}
	return 0;
}

static bool is_requested(const struct setting_request *requests, size_t count,
			 const struct power_domain *domain)
{
	for (size_t i = 0; i < count; i++) {
		if (requests[i].domain == domain)
			return true;
	}
	return false;
}

int sst_plan_feature(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count)
{
	struct platform *platform = environment->platform;
	_cleanup_free_ struct setting_request *reads = calloc(count ?: 1, sizeof(*reads));
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	size_t n_reads = 0;
	int err;

	if (!reads || !states)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!is_requested(reads, n_reads, requests[i].domain))
			reads[n_reads++] = requests[i];
	}
	err = read_pp(platform, reads, states, n_reads);
	if (err)
		return err;
	err = read_features(platform, reads, states, n_reads);
	for (size_t i = 0; i < n_reads && !err; i++) {
		const struct domain_state *state = &states[i];
		const struct power_domain *domain = reads[i].domain;
		const struct target_value old =
			value_of_features(state->base_freq_on, state->turbo_freq_on);
		struct target_value value = old;

		for (size_t j = 0; j < count; j++) {
			bool is_base_freq = requests[j].setting == SETTING_BASE_FREQ;

			if (requests[j].domain != domain)
				continue;
			requests[j].error = reads[i].error;
			value.numbers[is_base_freq ? VALUE_BASE_FREQ : VALUE_TURBO_FREQ] =
				requests[j].value.on;
		}
		if (state->is_done)
			continue;
		err = add_change(
			environment->changes,
			&(struct change){
				.location = domains_location(domain),
				.what = "SST-BF and SST-TF",
				.subject = subject_of(SETTING_BASE_FREQ),
				.target = platform->ops->target(platform, PLATFORM_TARGET_FEATURES,
								domain, state->pp.current_level),
				.tries = CHECK_TRIES,
			},
			&old, &value);
	}
	return err;
}

/* Adds the changes of a domain's switches. A switch whose state is unknown is written; a failure is
 * only a note. */
static int add_switches(const struct setting_environment *environment,
			const struct platform_core_power_query *query,
			const struct setting_request *request)
{
	const struct platform *platform = environment->platform;
	size_t n_switches = platform->shares_clos ? 1 : 2;

	for (size_t i = 0; i < n_switches; i++) {
		bool is_clos = i == 1, has_type = is_clos || platform->shares_clos;
		struct target_value value = query->switches[i];
		struct change change = {
			.location = domains_location(query->domain),
			.what = is_clos    ? "CLOS and its priority type"
				: has_type ? "SST-CP and its priority type"
					   : "SST-CP",
			.subject = subject_of_part(SETTING_CORE_POWER,
						   is_clos    ? SETTING_PART_CLOS
						   : has_type ? NULL
							      : SETTING_PART_PM_CONFIG),
			.target = platform->ops->target(platform,
							is_clos ? PLATFORM_TARGET_CLOS_SWITCH
								: PLATFORM_TARGET_CORE_POWER,
							query->domain, 0),
			.tries = CHECK_TRIES,
		};
		int err;

		value.numbers[VALUE_ENABLED] = request->value.core_power.on !=
					       (is_clos && request->value.core_power.clos_differs);
		if (has_type)
			value.numbers[VALUE_ORDERED] = request->value.core_power.ordered;
		if (query->is_unknown && !is_clos) {
			change.value = value;
			change.target.is_not_read_back = true;
			change.is_optional = true;
			change.not_undoable = true;
			err = change_list_add(environment->changes, &change);
		} else {
			err = add_change(environment->changes, &change, &query->switches[i],
					 &value);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Fails the requests of a package; a request that already has an error keeps it. */
static void fail_package(struct setting_request *requests, size_t count, uint32_t package, int err,
			 const struct power_domain *unread, const char *what)
{
	for (size_t i = 0; i < count; i++) {
		if (requests[i].domain->package != package)
			continue;
		requests[i].is_absent = false;
		if (requests[i].error)
			continue;
		requests[i].error = err;
		requests[i].failed = what;
		requests[i].failed_domain = unread != requests[i].domain ? unread : NULL;
	}
}

/* Checks if SST-CP of a package, with these domains, can be switched off: SST-TF needs it. The
 * caller has checked domains that have a request. If SST-TF of another domain is on, sets is_needed
 * in the package's requests. Then, or if SST-TF cannot be read, sets *ret_is_refused unless force;
 * the requests fail only if SST-TF cannot be read. Returns 0 or -ENOMEM. */
static int check_off(struct platform *platform, const struct platform_core_power_query *domains,
		     size_t n_domains, struct setting_request *requests, size_t count, bool force,
		     bool *ret_is_refused)
{
	uint32_t package = domains[0].domain->package;
	struct platform_level_query unread = { 0 };
	bool is_needed = false;

	for (size_t i = 0; i < n_domains; i++) {
		struct platform_level_query query = { .domain = domains[i].domain };
		int err;

		if (!domains[i].core_power.supported || is_requested(requests, count, query.domain))
			continue;
		err = platform->ops->read_features(platform, &query, 1);
		if (err)
			return err;
		if (query.error && !unread.domain)
			unread = query;
		is_needed = is_needed || (!query.error && query.info.turbo_freq_on);
	}
	for (size_t i = 0; i < count && is_needed; i++) {
		if (requests[i].domain->package == package)
			requests[i].is_needed = true;
	}
	*ret_is_refused = !force && (is_needed || unread.domain);
	if (*ret_is_refused && is_needed) /* SST-CP stays on, which is no failure */
		fail_package(requests, count, package, 0, NULL, NULL);
	else if (*ret_is_refused)
		fail_package(requests, count, package, unread.error, unread.domain,
			     "turbo-freq status");
	return 0;
}

/* Plans all served domains of the request's package that have SST-CP, also IO dies. */
static int plan_package(const struct setting_environment *environment,
			struct setting_request *requests, size_t count,
			const struct setting_request *request)
{
	struct platform *platform = environment->platform;
	const struct domain_list *list = &platform->domains;
	uint32_t package = request->domain->package;
	_cleanup_free_ struct platform_core_power_query *queries =
		calloc(list->n_domains ?: 1, sizeof(*queries));
	bool is_refused = false;
	size_t n_queries = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].is_served && list->domains[i].package == package)
			queries[n_queries++].domain = &list->domains[i];
	}
	err = platform->ops->read_core_power(platform, PLATFORM_SWITCHES, queries, n_queries);
	if (err)
		return err;
	/* A domain that cannot be read would stay unchanged while the others change. */
	for (size_t i = 0; i < n_queries; i++) {
		if (queries[i].error) {
			fail_package(requests, count, package, queries[i].error, queries[i].domain,
				     NULL);
			return 0;
		}
	}
	if (!request->value.core_power.on && n_queries)
		err = check_off(platform, queries, n_queries, requests, count,
				request->value.core_power.force, &is_refused);
	for (size_t i = 0; i < n_queries && !err && !is_refused; i++) {
		if (queries[i].core_power.supported)
			err = add_switches(environment, &queries[i], request);
	}
	return err;
}

/* Does a request set all domains of its package? */
static bool is_of_package(const struct platform *platform, const struct setting_request *request)
{
	return platform->shares_clos && !request->is_alone;
}

static bool has_later_request(const struct setting_request *requests, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (requests[i].domain->package == requests[index].domain->package)
			return true;
	}
	return false;
}

int sst_plan_core_power(const struct setting_environment *environment,
			struct setting_request *requests, size_t count)
{
	struct platform *platform = environment->platform;
	_cleanup_free_ struct platform_core_power_query *found = calloc(count ?: 1, sizeof(*found));
	int err;

	if (!found)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		found[i].domain = requests[i].domain;
	err = platform->ops->read_core_power(platform, PLATFORM_SWITCHES, found, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		requests[i].error = found[i].error;
		requests[i].is_absent = !found[i].error && !found[i].core_power.supported;
	}
	for (size_t i = 0; i < count && !err; i++) {
		if (!is_of_package(platform, &requests[i]))
			err = requests[i].error || (platform->shares_clos && requests[i].is_absent)
				      ? 0
				      : add_switches(environment, &found[i], &requests[i]);
		else if (!has_later_request(requests, i, count))
			err = plan_package(environment, requests, count, &requests[i]);
	}
	for (size_t i = 0; i < count; i++)
		requests[i].is_needed = requests[i].is_needed && found[i].core_power.enabled;
	return err;
}

static bool is_same_clos(const struct platform *platform, const struct setting_request *left,
			 const struct setting_request *right)
{
	if (left->value.clos.id != right->value.clos.id)
		return false;
	return is_of_package(platform, left) ? left->domain->package == right->domain->package
					     : left == right;
}

static bool is_set_by(struct platform *platform, const struct power_domain *domain,
		      const struct setting_request *request)
{
	if (!is_of_package(platform, request))
		return domain == request->domain;
	return domain->is_served && domain->package == request->domain->package &&
	       has_clos(platform, domain) > 0;
}

/* Adds the change of a CLOS whose parameters were read. */
static int add_clos(const struct setting_environment *environment,
		    const struct setting_request *request, const struct platform_query *query,
		    uint32_t batch)
{
	struct sst_clos wanted = request->value.clos.parameters;
	struct change change = {
		.location = domains_location(query->domain),
		.target = query->target,
		.batch = batch,
	};
	struct target_value value;
	char what[16];

	if (request->value.clos.keep_desired)
		wanted.desired_mhz = value_to_clos(&query->value).desired_mhz;
	if (environment->platform->lacks_clos_epp)
		wanted.epp = wanted.desired_mhz = 0;
	value = value_of_clos(&wanted);
	snprintf(what, sizeof(what), "CLOS %u", query->index);
	change.what = what;
	change.subject = subject_of_part(SETTING_CLOS, strchr(what, ' ') + 1);
	return add_change(environment->changes, &change, &query->value, &value);
}

int sst_plan_clos(const struct setting_environment *environment, struct setting_request *requests,
		  size_t count)
{
	struct platform *platform = environment->platform;
	const struct domain_list *list = &platform->domains;
	size_t most = count * (platform->shares_clos ? list->n_domains : 1) ?: 1;
	_cleanup_free_ struct platform_query *queries = calloc(most, sizeof(*queries));
	_cleanup_free_ size_t *request_of = calloc(most, sizeof(*request_of));
	uint32_t batch = change_list_new_batch(environment->changes);
	size_t n_queries = 0;
	int err;

	if (!queries || !request_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct setting_request *request = &requests[i];
		bool is_last = true;

		request->error = request->domain->is_served ? 0 : -ENODEV;
		if (!request->error)
			check_package(platform, request->domain->package, request);
		for (size_t j = i + 1; j < count && is_last; j++)
			is_last = !is_same_clos(platform, &requests[j], request);
		for (size_t j = 0; j < list->n_domains && is_last && !request->error; j++) {
			if (!is_set_by(platform, &list->domains[j], request))
				continue;
			request_of[n_queries] = i;
			queries[n_queries++] = (struct platform_query){
				.domain = &list->domains[j],
				.index = request->value.clos.id,
			};
		}
	}
	err = platform_read_clos(platform, queries, n_queries);
	if (err)
		return err;
	for (size_t i = 0; i < n_queries; i++) {
		for (size_t j = 0; j < count && queries[i].error; j++) {
			if (is_same_clos(platform, &requests[j], &requests[request_of[i]]) &&
			    !requests[j].error)
				requests[j].error = queries[i].error;
		}
	}
	for (size_t i = 0; i < n_queries && !err; i++) {
		const struct setting_request *request = &requests[request_of[i]];

		if (!request->error)
			err = add_clos(environment, request, &queries[i], batch);
	}
	return err;
}

int sst_plan_assoc(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count)
{
	struct platform *platform = environment->platform;
	_cleanup_free_ struct platform_query *queries = calloc(count ?: 1, sizeof(*queries));
	uint32_t batch = change_list_new_batch(environment->changes);
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		queries[i].cpu = requests[i].cpu;
	err = platform_read_assoc(platform, queries, count);
	for (size_t i = 0; i < count && !err; i++) {
		const struct platform_query *query = &queries[i];
		struct target_value value = query->value;
		char what[40];
		struct change change = {
			.location = location_of_cpu(platform->machine, query->cpu),
			.what = what,
			.subject = subject_of(SETTING_ASSOC),
			.target = query->target,
			.batch = batch,
		};

		snprintf(what, sizeof(what), "association of core %u", query->index);
		value.number = requests[i].value.number;
		if (query->error && query->target.ops && requests[i].is_pending) {
			change.value = value;
			err = change_list_add(environment->changes, &change);
			continue;
		}
		requests[i].error = query->error;
		if (!query->error)
			check_package(platform, query->domain->package, &requests[i]);
		if (requests[i].error || query->same)
			continue;
		err = add_change(environment->changes, &change, &query->value, &value);
	}
	return err;
}
