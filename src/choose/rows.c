// SPDX-License-Identifier: GPL-2.0-only
/* Finds the possible settings: each performance level with no feature, SST-BF, each bucket of
 * SST-TF, and both. Finds the cores that would be fast, or why a row does not meet the request, and
 * ranks the rows (docs/spec/choose.md, "machine choose"). */
#include "choose/choose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

const char choose_rule[] =
	"The present setting is the first row if it meets the request: it gives the cores the "
	"frequency of --mhz or, without --mhz, that of the best row. The other rows are ordered "
	"by these criteria, each for rows that are equal by those before it: the highest turbo "
	"frequency of the cores (with --mhz, all rows that reach it are equal); the most cores "
	"online; the highest turbo frequency of the slowest other core; the highest base "
	"frequency of the cores; no change of the level; the lowest TDP; the fewest other cores "
	"that get less than now; the same level in all packages; the highest base frequency of "
	"the other cores; the highest turbo frequency of the cores, also with --mhz; the lowest "
	"level; the smallest bucket. Rows that take cores offline are listed only with "
	"--allow-offline.";

/* What is known of one row while it is made. */
struct attempt {
	const struct choose_facts *facts;
	const struct choose_request *request;
	const struct choose_row *now;
	struct choose_row *row;
	bool *is_eligible; /* by package */
	struct choose_room cores;
	size_t *smaller; /* capacity by package of the bucket before; 0: none */
};

static void attempt_done(struct attempt *attempt)
{
	free(attempt->is_eligible);
	free(attempt->smaller);
	choose_room_done(&attempt->cores);
}

int choose_row_init(const struct choose_facts *facts, struct choose_row *row)
{
	row->is_chosen = calloc(facts->n_cores + 1, sizeof(*row->is_chosen));
	row->is_set = calloc(facts->n_packages + 1, sizeof(*row->is_set));
	row->core_mhz = calloc(facts->n_cores + 1, sizeof(*row->core_mhz));
	return row->is_chosen && row->is_set && row->core_mhz ? 0 : -ENOMEM;
}

void choose_row_done(struct choose_row *row)
{
	free(row->reason);
	free(row->is_chosen);
	free(row->is_set);
	free(row->core_mhz);
	cpuset_done(&row->online);
	cpuset_done(&row->cpus);
}

void choice_done(struct choice *choice)
{
	for (size_t i = 0; i < choice->n_rows; i++)
		choose_row_done(&choice->rows[i]);
	choose_row_done(&choice->now);
	free(choice->rows);
	*choice = (struct choice){ 0 };
}

static int refuse(struct choose_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets the reason why a row does not meet the request; the first reason is kept. Returns 0 or
 * -ENOMEM. */
static int refuse(struct choose_row *row, const char *format, ...)
{
	va_list args;

	if (row->reason)
		return 0;
	va_start(args, format);
	row->reason = text_format_list(format, args);
	va_end(args);
	return row->reason ? 0 : -ENOMEM;
}

bool choose_sets_domain(const struct choose_facts *facts, const struct choose_row *row,
			size_t domain)
{
	return row->is_set[choose_find_package(facts, domain) - facts->packages];
}

bool choose_is_base_freq_cpu(const struct choose_facts *facts, const struct choose_row *row,
			     size_t domain, uint32_t cpu)
{
	const struct platform_level_query *level = choose_find_level(facts, domain, row->level);

	return row->feature & CHOOSE_BASE_FREQ && level &&
	       cpuset_has(&level->info.base_freq.high_cpus, cpu);
}

bool choose_changes_package(const struct choose_facts *facts, const struct choose_row *row,
			    const struct choose_package *package)
{
	for (size_t i = 0; i < package->n_domains; i++) {
		if (facts->expected.levels[package->first + i].level != row->level)
			return true;
	}
	return false;
}

/* Counts the units that a bucket of a level holds in a package; 0: there is no such bucket. */
static size_t count_bucket(const struct choose_facts *facts, const struct choose_package *package,
			   uint32_t level, unsigned int bucket)
{
	size_t count = SIZE_MAX;

	for (size_t i = 0; i < package->n_domains; i++) {
		const struct platform_level_query *query =
			choose_find_level(facts, package->first + i, level);
		const uint32_t *counts;

		if (!query || !query->info.turbo_freq_supported)
			return 0;
		counts = query->info.turbo_freq.buckets.core_counts;
		for (unsigned int j = 0; j <= bucket; j++) {
			if (bucket >= SST_BUCKETS || !counts[j])
				return 0;
		}
		if (counts[bucket] < count)
			count = counts[bucket];
	}
	return count;
}

/* Returns true if the level has the feature in all domains of the package, as setting commands
 * require. */
static bool has_feature(const struct choose_facts *facts, const struct choose_package *package,
			uint32_t level, enum choose_feature feature, unsigned int bucket)
{
	for (size_t i = 0; i < package->n_domains; i++) {
		const struct platform_level_query *query =
			choose_find_level(facts, package->first + i, level);

		if (feature & CHOOSE_BASE_FREQ && !query->info.base_freq_supported)
			return false;
	}
	return !(feature & CHOOSE_TURBO_FREQ) || count_bucket(facts, package, level, bucket);
}

/* Returns true if the level has limits for the instruction set in all domains of the package. */
static bool has_frequencies(const struct attempt *attempt, const struct choose_package *package)
{
	unsigned int trl_level = attempt->request->trl_level;

	for (size_t i = 0; i < package->n_domains && trl_level > 0; i++) {
		const struct platform_level_query *level =
			choose_find_level(attempt->facts, package->first + i, attempt->row->level);

		if (!level->info.turbo.mhz[trl_level][0])
			return false;
	}
	return true;
}

static bool lacks_core_power(const struct attempt *attempt, const struct choose_package *package)
{
	for (size_t i = 0; i < package->n_domains; i++) {
		const struct platform_core_power_query *query =
			&attempt->facts->expected.core_power[package->first + i];

		if (query->error || !query->core_power.supported)
			return true;
	}
	return false;
}

uint32_t choose_find_tdp(const struct choose_facts *facts, const struct choose_package *package,
			 uint32_t level)
{
	uint32_t tdp_w = 0;

	for (size_t i = 0; i < package->n_domains; i++) {
		const struct platform_level_query *query =
			choose_find_level(facts, package->first + i, level);

		if (query && query->info.tdp_w > tdp_w)
			tdp_w = query->info.tdp_w;
	}
	return tdp_w;
}

/* Returns true if the driver does not report all cores of the package: setting commands fail then.
 */
static bool has_unknown_cores(const struct choose_facts *facts,
			      const struct choose_package *package)
{
	cpuset_foreach (cpu, &facts->platform->unknown_cores) {
		if (facts->topology->places[cpu].package == package->number)
			return true;
	}
	return false;
}

/* Returns true if the row changes the level of the package, and the level cannot be set. */
static bool is_locked(const struct attempt *attempt, const struct choose_package *package)
{
	if (!choose_changes_package(attempt->facts, attempt->row, package))
		return false;
	for (size_t i = 0; i < package->n_domains; i++) {
		const struct sst_pp *pp = &attempt->facts->expected.pp[package->first + i].pp;

		if (!pp->enabled || pp->locked)
			return true;
	}
	return false;
}

static bool has_level(const struct choose_facts *facts, const struct choose_package *package,
		      uint32_t level)
{
	for (size_t i = 0; i < package->n_domains; i++) {
		if (!choose_find_level(facts, package->first + i, level))
			return false;
	}
	return true;
}

/* Checks if the row can be set in a package; else sets the reason. */
static int check_package(struct attempt *attempt, const struct choose_package *package,
			 bool *ret_is_eligible)
{
	const struct choose_request *request = attempt->request;
	struct choose_row *row = attempt->row;
	uint32_t tdp_w = choose_find_tdp(attempt->facts, package, row->level);
	const struct platform *platform = attempt->facts->platform;

	*ret_is_eligible = false;
	if (!has_level(attempt->facts, package, row->level))
		return refuse(row, "package %u does not have the level", package->number);
	if (row->feature & CHOOSE_TURBO_FREQ && !platform->has_clos)
		return refuse(row, "this machine does not have it: everything is set in BIOS");
	if (!has_feature(attempt->facts, package, row->level, row->feature, row->bucket))
		return refuse(row, "the level does not have it");
	if (is_locked(attempt, package))
		return refuse(row, "the level cannot be changed: it is locked");
	if (row->feature != CHOOSE_NO_FEATURE && !platform->base_freq_by_cpufreq &&
	    lacks_core_power(attempt, package))
		return refuse(row, "it needs core-power, which is not supported");
	if (row->feature & CHOOSE_TURBO_FREQ && attempt->facts->turbo_is_off)
		return refuse(row, "turbo is off, and SST-TF needs it");
	if (!has_frequencies(attempt, package))
		return refuse(row, "the level reports no frequencies for the instruction set");
	if (request->watts && !tdp_w)
		return refuse(row, "its TDP is not reported");
	if (request->watts && tdp_w > request->watts)
		return refuse(row, "its TDP is %u W", tdp_w);
	if (has_unknown_cores(attempt->facts, package))
		return refuse(row, "package %u has CPUs whose cores are unknown", package->number);
	*ret_is_eligible = true;
	return 0;
}

/* Finds the CPUs that are online after the level is set in these packages. A new level takes CPUs
 * offline that it does not enable, and brings the others online. follows: also in packages that
 * already have the level. */
static int find_online(const struct choose_facts *facts, const bool *is_set, bool follows,
		       struct choose_row *row)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };

	if (cpuset_copy(&online, &facts->topology->online))
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct choose_package *package = choose_find_package(facts, i);
		const struct platform_level_query *level;
		_cleanup_cpuset_ struct cpuset enabled = { 0 }, known = { 0 };

		if (!is_set[package - facts->packages] ||
		    (!follows && !choose_changes_package(facts, row, package)))
			continue;
		level = choose_find_level(facts, i, row->level);
		if (cpuset_copy(&known, &facts->domains[i]->cpus) ||
		    cpuset_copy(&enabled, level->info.has_enabled_cpus ? &level->info.enabled_cpus
								       : &facts->domains[i]->cpus))
			return -ENOMEM;
		cpuset_remove_all(&known, &facts->threads);
		cpuset_keep(&enabled, &known);
		cpuset_remove_all(&online, &known);
		if (cpuset_add_all(&online, &enabled))
			return -ENOMEM;
	}
	cpuset_done(&row->online);
	row->online = steal(online);
	return 0;
}

bool choose_is_available(const struct choose_core *core, const struct sst_level *level,
			 const struct cpuset *online)
{
	for (size_t i = 0; i < core->n_cpus; i++) {
		if (cpuset_has(online, core->cpus[i]) &&
		    (!level->has_enabled_cpus || cpuset_has(&level->enabled_cpus, core->cpus[i])))
			return true;
	}
	return false;
}

/* Returns the units of a core in SST-TF buckets; if these count cores, a module has several. */
static size_t weigh(const struct attempt *attempt, const struct choose_core *core)
{
	const struct platform_level_query *level =
		choose_find_level(attempt->facts, core->domain, attempt->row->level);
	size_t count = 0;

	if (level->info.turbo_freq.counts_modules || core->n_cpus <= DOMAIN_THREADS)
		return 1;
	for (size_t i = 0; i < core->n_cpus; i++)
		count += cpuset_has(&attempt->row->online, core->cpus[i]);
	return count;
}

/* Finds the cores that can be chosen, and the capacity of each package. */
static void find_usable(struct attempt *attempt)
{
	const struct choose_facts *facts = attempt->facts;
	const struct choose_row *row = attempt->row;

	for (size_t i = 0; i < facts->n_packages; i++) {
		const struct choose_package *package = &facts->packages[i];
		bool is_turbo_freq = row->feature & CHOOSE_TURBO_FREQ && attempt->is_eligible[i];

		attempt->cores.capacity[i] =
			is_turbo_freq ? count_bucket(facts, package, row->level, row->bucket)
				      : SIZE_MAX;
		attempt->smaller[i] =
			is_turbo_freq && row->bucket > 0
				? count_bucket(facts, package, row->level, row->bucket - 1)
				: 0;
	}
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];
		size_t package =
			(size_t)(choose_find_package(facts, core->domain) - facts->packages);

		attempt->cores.is_usable[i] =
			core->is_candidate && attempt->is_eligible[package] &&
			choose_is_available(
				core, &choose_find_level(facts, core->domain, row->level)->info,
				&row->online) &&
			(!(row->feature & CHOOSE_BASE_FREQ) ||
			 choose_is_base_freq_cpu(facts, row, core->domain, core->cpus[0]));
		attempt->cores.weights[i] =
			attempt->is_eligible[package] && row->feature & CHOOSE_TURBO_FREQ
				? weigh(attempt, core)
				: 1;
	}
}

static int refuse_room(struct attempt *attempt, size_t room)
{
	size_t n_cores = attempt->request->n_cores;
	const char *among = attempt->request->candidates ? " among the candidates" : "";

	if (attempt->row->feature & CHOOSE_TURBO_FREQ)
		return refuse(attempt->row, "it holds %zu %score%s%s, counted per package, not %zu",
			      room, attempt->row->feature == CHOOSE_BOTH ? "high-priority " : "",
			      room == 1 ? "" : "s", among, n_cores);
	if (attempt->row->feature == CHOOSE_BASE_FREQ)
		return refuse(attempt->row, "it has %zu high-priority core%s%s, not %zu", room,
			      room == 1 ? "" : "s", among, n_cores);
	return refuse(attempt->row, "%zu core%s%s online at this level, not %zu", room,
		      room == 1 ? "" : "s", among, n_cores);
}

/* Returns true if the bucket before also holds the cores in all packages; SST-TF then uses it. */
static bool is_of_smaller_bucket(const struct attempt *attempt, size_t most)
{
	const struct choose_row *row = attempt->row;
	bool is_smaller = row->feature & CHOOSE_TURBO_FREQ && row->bucket > 0;

	for (size_t i = 0; i < attempt->facts->n_packages; i++) {
		if (row->is_set[i] && most > attempt->smaller[i])
			is_smaller = false;
	}
	return is_smaller;
}

/* Chooses the cores of the row, if there are enough. */
static int place(struct attempt *attempt)
{
	const struct choose_facts *facts = attempt->facts;
	struct choose_row *row = attempt->row;
	size_t room, most;
	int err = find_online(facts, attempt->is_eligible, false, row);

	if (err)
		return err;
	find_usable(attempt);
	err = choose_place(facts, attempt->request, &attempt->cores, row, &room, &most);
	if (err == -ENOSPC)
		return refuse_room(attempt, room);
	if (err)
		return err;
	if (is_of_smaller_bucket(attempt, most))
		return refuse(row, "bucket %u holds these cores, too", row->bucket - 1);
	for (size_t i = 0; i < facts->n_packages; i++) {
		uint32_t tdp_w = choose_find_tdp(facts, &facts->packages[i], row->level);

		if (row->is_set[i] && tdp_w > row->tdp_w)
			row->tdp_w = tdp_w;
		if (row->is_set[i] && choose_changes_package(facts, row, &facts->packages[i]))
			row->changes_level = true;
	}
	err = find_online(facts, row->is_set, row->changes_level, row);
	return err ?: choose_add_cpus(facts, row);
}

/* Checks that the frequencies are those requested; else sets the reason. */
static int check_frequencies(struct attempt *attempt)
{
	const struct choose_request *request = attempt->request;
	struct choose_row *row = attempt->row;

	if (request->mhz && row->high_mhz < request->mhz)
		return row->high_mhz ? refuse(row, "the cores get %u MHz", row->high_mhz)
				     : refuse(row, "its frequency is not reported");
	if (request->others_mhz && row->cores_online > request->n_cores &&
	    row->others_mhz < request->others_mhz)
		return row->others_mhz ? refuse(row, "the others get %u MHz", row->others_mhz)
				       : refuse(row, "the frequency of others is not reported");
	return 0;
}

uint32_t choose_first_online(const struct choose_core *core, const struct cpuset *online)
{
	for (size_t i = 0; i < core->n_cpus; i++) {
		if (cpuset_has(online, core->cpus[i]))
			return core->cpus[i];
	}
	return CPUSET_NONE;
}

int choose_add_cpus(const struct choose_facts *facts, struct choose_row *row)
{
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];

		for (size_t j = 0; j < core->n_cpus && row->is_chosen[i]; j++) {
			if (cpuset_has(&row->online, core->cpus[j]) &&
			    cpuset_add(&row->cpus, core->cpus[j]))
				return -ENOMEM;
		}
	}
	return 0;
}

static bool is_online(const struct choose_core *core, const struct cpuset *online)
{
	return choose_first_online(core, online) != CPUSET_NONE;
}

/* Counts the disadvantages of the row for the other cores. */
static void find_price(const struct attempt *attempt)
{
	const struct choose_facts *facts = attempt->facts;
	struct choose_row *row = attempt->row;

	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];
		uint32_t mhz = row->core_mhz[i], now_mhz = attempt->now->core_mhz[i];

		if (!is_online(core, &row->online))
			row->cores_lost += is_online(core, &attempt->now->online);
		else if (!row->is_chosen[i] && now_mhz) {
			row->others_slowed += mhz && mhz < now_mhz; /* 0: unknown */
			if (!row->others_now_mhz || now_mhz < row->others_now_mhz)
				row->others_now_mhz = now_mhz;
		}
	}
	for (size_t i = 0; i < facts->n_packages; i++) {
		if (!row->is_set[i] && choose_changes_package(facts, row, &facts->packages[i]))
			row->levels_differ = true;
	}
}

/* Makes a row: finds its cores and frequencies, or why it does not meet the request. */
static int make_row(struct attempt *attempt)
{
	const struct choose_facts *facts = attempt->facts;
	struct choose_row *row = attempt->row;
	char *problem = NULL;
	bool is_possible = false;
	int err = 0;

	if (choose_row_init(facts, row))
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_packages && !err; i++) {
		err = check_package(attempt, &facts->packages[i], &attempt->is_eligible[i]);
		is_possible = is_possible || attempt->is_eligible[i];
	}
	if (err || !is_possible)
		return err;
	free(steal(row->reason)); /* the reason is about a package that is left out */
	err = place(attempt);
	if (!err && !row->reason)
		err = choose_predict(facts, attempt->request->trl_level, row);
	if (!err && !row->reason)
		err = check_frequencies(attempt);
	if (!err && !row->reason)
		err = choose_check(facts, row, &problem);
	if (err)
		return err;
	if (problem)
		row->reason = problem;
	if (row->reason)
		return 0;
	find_price(attempt);
	row->is_withheld = row->cores_lost && !attempt->request->allow_offline;
	return row->is_withheld ? refuse(row,
					 "it takes %zu core%s offline; --allow-offline permits "
					 "this",
					 row->cores_lost, row->cores_lost == 1 ? "" : "s")
				: 0;
}

static int add_row(const struct choose_facts *facts, const struct choose_request *request,
		   struct choice *choice, uint32_t level, enum choose_feature feature,
		   unsigned int bucket)
{
	_cleanup_(attempt_done) struct attempt attempt = {
		.facts = facts,
		.request = request,
		.now = &choice->now,
		.is_eligible = calloc(facts->n_packages + 1, sizeof(*attempt.is_eligible)),
		.smaller = calloc(facts->n_packages + 1, sizeof(*attempt.smaller)),
		.row = array_add(&choice->rows, &choice->n_rows, sizeof(*attempt.row)),
	};

	if (!attempt.row)
		return -ENOMEM;
	attempt.row->level = level;
	attempt.row->feature = feature;
	attempt.row->bucket = bucket;
	if (!attempt.is_eligible || !attempt.smaller || choose_room_init(facts, &attempt.cores))
		return -ENOMEM;
	return make_row(&attempt);
}

/* Returns the largest number of units that a bucket holds in a package; 0: no package has it. */
static size_t find_largest(const struct choose_facts *facts, uint32_t level, unsigned int bucket)
{
	size_t largest = 0;

	for (size_t i = 0; i < facts->n_packages; i++) {
		size_t count = has_level(facts, &facts->packages[i], level)
				       ? count_bucket(facts, &facts->packages[i], level, bucket)
				       : 0;

		if (count > largest)
			largest = count;
	}
	return largest;
}

/* Returns true if a package has the level with SST-BF and SST-TF. */
static bool has_both(const struct choose_facts *facts, uint32_t level)
{
	for (size_t i = 0; i < facts->n_packages; i++) {
		if (has_level(facts, &facts->packages[i], level) &&
		    has_feature(facts, &facts->packages[i], level, CHOOSE_BOTH, 0))
			return true;
	}
	return false;
}

/* Adds the rows of the buckets of a level: a bucket as large as the one before adds no row. */
static int add_buckets(const struct choose_facts *facts, const struct choose_request *request,
		       struct choice *choice, uint32_t level, enum choose_feature feature)
{
	size_t largest = 0;
	int err = 0;

	for (unsigned int bucket = 0; bucket < SST_BUCKETS && !err; bucket++) {
		size_t count = find_largest(facts, level, bucket);

		if (count > largest)
			err = add_row(facts, request, choice, level, feature, bucket);
		largest = count > largest ? count : largest;
	}
	if (!err && largest == 0)
		err = add_row(facts, request, choice, level, feature, SST_BUCKETS);
	return err;
}

static int add_level(const struct choose_facts *facts, const struct choose_request *request,
		     struct choice *choice, uint32_t level)
{
	int err = add_row(facts, request, choice, level, CHOOSE_NO_FEATURE, SST_BUCKETS);

	if (!err)
		err = add_row(facts, request, choice, level, CHOOSE_BASE_FREQ, SST_BUCKETS);
	if (!err)
		err = add_buckets(facts, request, choice, level, CHOOSE_TURBO_FREQ);
	if (!err && has_both(facts, level))
		err = add_buckets(facts, request, choice, level, CHOOSE_BOTH);
	return err;
}

/* Returns the number that rows are compared by at a rank: higher is better. */
static uint64_t merit(const struct choose_row *row, bool by_frequency, size_t rank)
{
	switch (rank) {
	case 0:
		return by_frequency ? row->high_mhz : 0;
	case 1:
		return row->cores_online;
	case 2:
		return row->others_mhz;
	case 3:
		return row->guaranteed_mhz;
	case 4:
		return !row->changes_level;
	case 5: /* a TDP that is unknown comes last */
		return row->tdp_w ? UINT32_MAX - row->tdp_w : 0;
	case 6:
		return SIZE_MAX - row->others_slowed;
	case 7:
		return !row->levels_differ;
	case 8:
		return row->others_guaranteed_mhz;
	case 9:
		return row->high_mhz;
	default:
		return 0;
	}
}

#define N_MERITS 10

/* Rows that meet the request come first, then those that are withheld. */
static unsigned int class_of(const struct choose_row *row)
{
	return row->is_withheld ? 1 : row->reason ? 2 : 0;
}

static bool is_better(const struct choose_row *left, const struct choose_row *right,
		      bool by_frequency)
{
	unsigned int class = class_of(left);

	if (class != class_of(right))
		return class < class_of(right);
	for (size_t i = 0; i < N_MERITS && class < 2; i++) {
		uint64_t one = merit(left, by_frequency, i), other = merit(right, by_frequency, i);

		if (one != other)
			return one > other;
	}
	return false;
}

/* Sorts by insertion: rows that are equal stay in the order of levels and buckets. */
static void rank_rows(struct choice *choice, bool by_frequency)
{
	for (size_t i = 1; i < choice->n_rows; i++) {
		struct choose_row row = choice->rows[i];
		size_t at = i;

		for (; at > 0 && is_better(&row, &choice->rows[at - 1], by_frequency); at--)
			choice->rows[at] = choice->rows[at - 1];
		choice->rows[at] = row;
	}
	for (size_t i = 0; i < choice->n_rows; i++) {
		choice->n_serving += !choice->rows[i].reason;
		choice->n_withheld += choice->rows[i].is_withheld;
	}
}

/* Adds the present setting as the first row, if it meets the request. */
static int add_present(const struct choose_facts *facts, const struct choose_request *request,
		       struct choice *choice)
{
	_cleanup_(choose_row_done) struct choose_row row = { 0 };
	bool serves = false;
	int err = choose_read_present(facts, request, &row);

	if (!err)
		err = choose_find_present(facts, request, choice->n_serving ? choice->rows : NULL,
					  &row, &serves);
	if (err || !serves)
		return err;
	if (!array_add(&choice->rows, &choice->n_rows, sizeof(*choice->rows)))
		return -ENOMEM;
	for (size_t i = choice->n_rows - 1; i > 0; i--)
		choice->rows[i] = choice->rows[i - 1];
	choice->rows[0] = steal(row);
	choice->n_serving++;
	return 0;
}

int choose_find(const struct choose_facts *facts, const struct choose_request *request,
		struct choice *choice)
{
	int err = choose_read_present(facts, request, &choice->now);

	for (uint32_t level = 0; level <= SST_MAX_LEVEL && !err; level++) {
		bool exists = false;

		for (size_t i = 0; i < facts->n_packages; i++)
			exists = exists || has_level(facts, &facts->packages[i], level);
		if (exists)
			err = add_level(facts, request, choice, level);
	}
	rank_rows(choice, !request->mhz);
	return err ?: add_present(facts, request, choice);
}
