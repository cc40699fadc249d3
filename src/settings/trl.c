// SPDX-License-Identifier: GPL-2.0-only
/* Plans turbo-ratio limits, one MSR a package (hardware.md, sections 2 and 3): requested limits,
 * and limits that older kernels overwrite when CPUs come online. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/kernel.h"
#include "settings/sst.h"
#include "sst/limits.h"
#include "sst/trl_note.h"

#define CHECK_TRIES 5 /* a change can take effect a little later */

/* Only a CPU can write the MSR of its package. */
static bool is_writable(const struct setting_request *request)
{
	return !request->error && request->domain->cpu != CPUSET_NONE;
}

static bool has_later_request(const struct setting_request *requests, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (is_writable(&requests[i]) &&
		    requests[i].domain->package == requests[index].domain->package)
			return true;
	}
	return false;
}

/* Reads the limits of the current level of one domain. Returns 0, -ENOMEM, or another negative
 * errno of reading. */
static int read_level_limits(struct platform *platform, const struct setting_request *request,
			     uint64_t *ret_limits)
{
	struct platform_pp_query query = { .domain = request->domain };
	int err;

	if (request->pp) {
		query.pp = *request->pp;
	} else {
		err = platform->ops->read_pp(platform, &query, 1);
		if (err || query.error)
			return err ?: query.error;
	}
	return platform->ops->read_level_trl(platform, request->domain, query.pp.current_level,
					     ret_limits);
}

/* Finds the ratios that the levels of a package's domains allow: the lowest of each bucket; 0 if
 * one domain cannot be read. Returns 0 or -ENOMEM. */
static int find_level_limits(struct platform *platform, const struct setting_request *requests,
			     size_t count, uint32_t package, uint64_t *ret_limits)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < count && lowest; i++) {
		uint64_t limits = requests[i].value.trl.ratios;
		int err = 0;

		if (!is_writable(&requests[i]) || requests[i].domain->package != package)
			continue;
		if (!requests[i].value.trl.is_of_level)
			err = read_level_limits(platform, &requests[i], &limits);
		if (err == -ENOMEM)
			return err;
		lowest = err ? 0 : limits_find_lower(lowest, limits);
	}
	*ret_limits = lowest;
	return 0;
}

/* Finds the change of the level of a package, or of domain if it is not NULL. Returns its undo that
 * restores the limits, and sets *ret_level; or NULL. */
static const struct change_undo *find_level_change(const struct change_list *changes,
						   uint32_t package,
						   const struct power_domain *domain,
						   uint32_t *ret_level)
{
	for (size_t i = 0; i < changes->n_changes; i++) {
		const struct change *change = &changes->changes[i];
		const struct location *location = &change->location;

		if (location->package != package ||
		    (domain &&
		     (location->die != domain->die || location->power_domain != domain->id)))
			continue;
		for (size_t j = 0; j < change->n_undo; j++) {
			if (!limits_is_target(&change->undo[j].target))
				continue;
			*ret_level = (uint32_t)change->value.number;
			return &change->undo[j];
		}
	}
	return NULL;
}

/* Returns the limits of a package before a change of its level, which may be made already; without
 * such a change, the limits that were read. */
static struct target_value find_value_before(const struct change_list *changes,
					     const struct platform_query *read)
{
	uint32_t level;
	const struct change_undo *undo =
		find_level_change(changes, read->domain->package, NULL, &level);

	return undo ? undo->value : read->value;
}

/* Does an earlier change of the plan reset the limits of a package? */
static bool is_reset_before(const struct setting_request *requests, size_t count, uint32_t package)
{
	for (size_t i = 0; i < count; i++) {
		if (requests[i].always && requests[i].domain->package == package)
			return true;
	}
	return false;
}

/* Returns the word of documents for limits, or NULL. level_limits: of the level; 0: unknown. */
static const char *find_word(uint64_t limits, uint64_t level_limits)
{
	if (limits == UINT64_MAX)
		return "open";
	return level_limits && limits == level_limits ? "level" : NULL;
}

static int plan_package(const struct setting_environment *environment,
			const struct setting_request *requests, size_t count,
			const struct platform_query *read, uint64_t ratios)
{
	struct target_value old;
	uint64_t level_limits;
	int err;

	if (read->error || (read->value.number == ratios &&
			    !is_reset_before(requests, count, read->domain->package)))
		return 0;
	err = find_level_limits(environment->platform, requests, count, read->domain->package,
				&level_limits);
	if (err)
		return err;
	old = find_value_before(environment->changes, read);
	return change_list_add(environment->changes,
			       &(struct change){
				       .location = domains_location(read->domain),
				       .what = "turbo-ratio limits",
				       .subject = subject_of(SETTING_TRL),
				       .target = limits_target(read->domain->cpu, level_limits),
				       .value = { .number = ratios },
				       .old_value = old,
				       .word = find_word(ratios, level_limits),
				       .old_word = find_word(old.number, level_limits),
				       .has_old_value = true,
				       .tries = CHECK_TRIES,
				       /* firmware may lower them until SST-TF is undone */
				       .undo_turn = CHANGE_UNDONE_AFTER,
			       });
}

int sst_plan_trl(const struct setting_environment *environment, struct setting_request *requests,
		 size_t count)
{
	struct platform *platform = environment->platform;
	_cleanup_free_ struct platform_query *reads = calloc(count ?: 1, sizeof(*reads));
	_cleanup_free_ uint64_t *ratios = calloc(count ?: 1, sizeof(*ratios));
	size_t n_reads = 0;
	int err;

	if (!reads || !ratios)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!requests[i].value.trl.is_of_level)
			continue;
		err = read_level_limits(platform, &requests[i], &requests[i].value.trl.ratios);
		if (err == -ENOMEM)
			return err;
		requests[i].error = err;
		requests[i].failed = err ? "turbo-ratio limits of the level" : NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_writable(&requests[i]) || has_later_request(requests, i, count))
			continue;
		ratios[n_reads] = requests[i].value.trl.ratios;
		reads[n_reads++] = limits_query(requests[i].domain, SST_MSR_TURBO_RATIO_LIMIT);
	}
	err = platform_read(platform, reads, n_reads);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (is_writable(&requests[i]))
			requests[i].error =
				limits_find_package(reads, n_reads, requests[i].domain->package)
					->error;
	}
	for (size_t i = 0; i < n_reads && !err; i++)
		err = plan_package(environment, requests, count, &reads[i], ratios[i]);
	return err;
}

/* Returns true if the kernel can repeat writes of limits through its device. */
static bool replays_limits(const struct machine *machine)
{
	_cleanup_free_ char *release = NULL;

	files_read_line(machine->host->files, KERNEL_RELEASE, &release);
	return kernel_has_defect(release, KERNEL_REPLAYS_LIMITS);
}

/* Returns true if the changes bring a CPU online that is in the package, or in an unknown one. */
static bool comes_online(const struct change_list *changes, uint32_t package)
{
	for (size_t i = 0; i < changes->n_changes; i++) {
		const struct change *change = &changes->changes[i];
		uint32_t of = change->location.package;

		if (strcmp(change->what, "online") == 0 && *change->value.text == '1' &&
		    (of == package || of == LOCATION_NO_PACKAGE))
			return true;
	}
	return false;
}

/* Returns true if there is a note of a write to the package's MSR, which the kernel repeats. */
static bool is_noted(const struct machine *machine, uint32_t package)
{
	uint64_t written, read_back;

	return trl_note_read(machine->host->files, machine->host->run_directory, package, &written,
			     &read_back) == 0;
}

/* Finds the packages whose limits are set again. Fills ret_reads with their domains. */
static size_t find_replayed(const struct setting_environment *environment,
			    const struct cpuset *others, struct platform_query *ret_reads)
{
	const struct domain_list *domains = &environment->platform->domains;
	size_t count = 0;

	for (size_t i = 0; i < domains->n_domains; i++) {
		const struct power_domain *domain = &domains->domains[i];

		if (domain->cpu != CPUSET_NONE &&
		    !(others && cpuset_has(others, domain->package)) &&
		    comes_online(environment->changes, domain->package) &&
		    is_noted(environment->machine, domain->package))
			ret_reads[count++].domain = domain;
	}
	return count > 0 && replays_limits(environment->machine) ? count : 0;
}

int sst_plan_trl_again(const struct setting_environment *environment, const struct cpuset *others)
{
	size_t n_domains = environment->platform->domains.n_domains ?: 1, count;
	_cleanup_free_ struct setting_request *requests = calloc(n_domains, sizeof(*requests));
	_cleanup_free_ struct platform_query *reads = calloc(n_domains, sizeof(*reads));
	_cleanup_free_ struct sst_pp *levels = calloc(n_domains, sizeof(*levels));
	int err;

	if (!requests || !reads || !levels)
		return -ENOMEM;
	count = find_replayed(environment, others, reads);
	if (count == 0)
		return 0;
	err = limits_read(environment->platform, reads, count);
	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = reads[i].domain;
		struct setting_request *request = &requests[i];
		uint32_t level;

		*request = (struct setting_request){
			.setting = SETTING_TRL,
			.domain = domain,
			.value.trl.ratios = reads[i].value.number,
			.always = true,
			.error = reads[i].error,
		};
		request->value.trl.is_of_level =
			find_level_change(environment->changes, domain->package, NULL, &level);
		if (find_level_change(environment->changes, domain->package, domain, &level)) {
			levels[i].current_level = level;
			request->pp = &levels[i];
		}
	}
	return err ?: sst_plan_trl(environment, requests, count);
}
