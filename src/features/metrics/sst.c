// SPDX-License-Identifier: GPL-2.0-only
/* metrics of Speed Select: figures of each power domain with an online CPU, and of its package. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/metrics/metrics.h"
#include "instruments/limit_reasons.h"
#include "settings/scaling.h"
#include "sst/expected.h"
#include "sst/values.h"

/* A power domain while its samples are added. */
struct domain {
	struct metrics *metrics;
	const struct expected *expected;
	size_t index;
	struct exposition_number package, id;
};

#define ADD(domain, metric, value, ...)                                                          \
	exposition_add(&(domain)->metrics->exposition, (metric), (value), "package",             \
		       (domain)->package.text, "power_domain", (domain)->id.text, ##__VA_ARGS__, \
		       NULL)

/* Without ids, power domains are the dies of a package. */
static struct domain domain_of(struct metrics *metrics, const struct expected *expected,
			       size_t index)
{
	const struct power_domain *domain = expected->pp[index].domain;

	return (struct domain){
		.metrics = metrics,
		.expected = expected,
		.index = index,
		.package = exposition_number(domain->package),
		.id = exposition_number(domain->has_id ? domain->id : domain->die),
	};
}

/* Counts the cores with an online CPU of a domain; only those in among, unless that is NULL. */
static int count_cores(const struct domain *domain, const struct cpuset *among, size_t *ret_count)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };

	if (cpuset_copy(&cores, &domain->metrics->cores))
		return -ENOMEM;
	cpuset_keep(&cores, &domain->expected->pp[domain->index].domain->cpus);
	if (among)
		cpuset_keep(&cores, among);
	*ret_count = cpuset_count(&cores);
	return 0;
}

static void add_base(const struct domain *domain)
{
	const struct sst_level *level = &domain->expected->levels[domain->index].info;

	if (level->base_freq_supported && level->base_freq_on) {
		ADD(domain, METRIC_BASE, level->base_freq.high_mhz * HZ_PER_MHZ, "class", "high");
		ADD(domain, METRIC_BASE, level->base_freq.low_mhz * HZ_PER_MHZ, "class", "low");
	} else if (level->base_mhz) {
		ADD(domain, METRIC_BASE, level->base_mhz * HZ_PER_MHZ, "class", "all");
	}
}

/* Adds the level and the features that are on. Returns 0, or the errno of an unknown part. */
static int add_switches(const struct domain *domain)
{
	const struct platform_pp_query *pp = &domain->expected->pp[domain->index];
	const struct platform_level_query *level = &domain->expected->levels[domain->index];
	const struct platform_core_power_query *power =
		&domain->expected->core_power[domain->index];
	const struct sst_core_power *core_power = &power->core_power;

	if (!pp->error) {
		ADD(domain, METRIC_LEVEL, pp->pp.current_level);
		ADD(domain, METRIC_LEVEL_LOCKED, pp->pp.enabled && pp->pp.locked);
	}
	if (!level->error && level->info.base_freq_supported)
		ADD(domain, METRIC_FEATURE, level->info.base_freq_on, "feature", "base-freq");
	if (!level->error && level->info.turbo_freq_supported)
		ADD(domain, METRIC_FEATURE, level->info.turbo_freq_on, "feature", "turbo-freq");
	if (!level->error)
		add_base(domain);
	if (!power->error && core_power->supported) {
		ADD(domain, METRIC_FEATURE, core_power->clos_enabled, "feature", "core-power");
		if (core_power->clos_enabled)
			ADD(domain, METRIC_ORDERED, core_power->ordered);
	}
	return pp->error ?: level->error ?: power->error;
}

static void add_clos_limits(const struct domain *domain, const struct platform_query *query,
			    const char *number)
{
	const struct sst_clos clos = value_to_clos(&query->value);

	ADD(domain, METRIC_CLOS_MIN, clos.min_mhz * HZ_PER_MHZ, "clos", number);
	if (!clos.unlimited)
		ADD(domain, METRIC_CLOS_MAX, clos.max_mhz * HZ_PER_MHZ, "clos", number);
}

/* Adds the CLOS if CLOS is on. Returns 0, or the errno of an unknown part. */
static int add_clos(const struct domain *domain, const struct cpuset *associated)
{
	const struct expected *expected = domain->expected;
	const struct platform_core_power_query *power = &expected->core_power[domain->index];
	const struct cpuset *cpus = &expected->pp[domain->index].domain->cpus;
	int unread = 0;

	if (power->error || !power->core_power.clos_enabled)
		return 0;
	for (size_t i = 0; i < expected->n_assocs; i++) {
		if (expected->assocs[i].error && cpuset_has(cpus, expected->assocs[i].cpu))
			unread = expected->assocs[i].error;
	}
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++) {
		const struct platform_query *query =
			&expected->clos[domain->index * SST_CLOS_COUNT + clos];
		struct exposition_number number = exposition_number(clos);
		size_t cores = 0;
		int err = count_cores(domain, &associated[clos], &cores);

		if (err)
			return err;
		if (!unread)
			ADD(domain, METRIC_CLOS_CORES, (double)cores, "clos", number.text);
		if (query->error)
			unread = query->error;
		else
			add_clos_limits(domain, query, number.text);
	}
	return unread;
}

/* Adds what SST-TF counts per package, once, at the first domain of the package. */
static void add_package(const struct domain *domain)
{
	const struct expected *expected = domain->expected;
	const struct platform_level_query *level = &expected->levels[domain->index];
	const struct sst_turbo *buckets = &level->info.turbo_freq.buckets;
	const size_t used = expected->counts[domain->index].activity.high_units;
	struct exposition *exposition = &domain->metrics->exposition;
	const char *package = domain->package.text;

	if (domain->index > 0 && expected->pp[domain->index - 1].domain->package ==
					 expected->pp[domain->index].domain->package)
		return;
	if (level->error || !level->info.turbo_freq_supported)
		return;
	exposition_add(exposition, METRIC_HIGH_CAPACITY, frequency_capacity_of(buckets, used),
		       "package", package, NULL);
	exposition_add(exposition, METRIC_HIGH_USED, (double)used, "package", package, NULL);
	for (uint32_t i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++) {
		struct exposition_number number = exposition_number(i);

		exposition_add(exposition, METRIC_BUCKET_CORES, buckets->core_counts[i], "package",
			       package, "bucket", number.text, NULL);
		exposition_add(exposition, METRIC_BUCKET,
			       buckets->mhz[FREQUENCY_SSE][i] * HZ_PER_MHZ, "package", package,
			       "bucket", number.text, NULL);
	}
}

static int add_domain(const struct domain *domain, const struct cpuset *associated)
{
	size_t cores = 0;
	int err = count_cores(domain, NULL, &cores), unread;

	if (err)
		return err;
	ADD(domain, METRIC_ONLINE_CORES, (double)cores);
	unread = add_switches(domain);
	add_package(domain);
	return add_clos(domain, associated) ?: unread;
}

/* Adds the CLOS of each core. Cores are named by their lowest CPU, which is unique. */
static void add_cores(struct metrics *metrics, const struct expected *expected)
{
	const struct topology *topology = &metrics->context->machine->topology;

	for (size_t i = 0; i < expected->n_assocs; i++) {
		const struct platform_query *assoc = &expected->assocs[i];
		struct exposition_number package =
			exposition_number(topology->places[assoc->cpu].package);
		struct exposition_number core = exposition_number(assoc->cpu);

		if (!assoc->error && cpuset_has(&metrics->cores, assoc->cpu))
			exposition_add(&metrics->exposition, METRIC_CORE_CLOS,
				       (double)assoc->value.number, "package", package.text, "core",
				       core.text, NULL);
	}
}

int metrics_collect_sst(struct metrics *metrics)
{
	const struct context *context = metrics->context;
	_cleanup_expected_ struct expected expected = { 0 };
	struct cpuset associated[SST_CLOS_COUNT] = { 0 };
	int err, unread = 0;

	if (!context->platform)
		return context->platform_error == -ENOTSUP ? -ENOENT : context->platform_error;
	if (context->platform->base_freq_by_cpufreq && !scaling_is_available(context->machine))
		return -ENOENT;
	err = expected_read_online(context->platform, false, &expected);
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT && !err; clos++)
		err = expected_add_associated(&expected, clos, clos, &associated[clos]);
	for (size_t i = 0; i < expected.n_domains && err != -ENOMEM; i++) {
		const struct domain domain = domain_of(metrics, &expected, i);

		err = add_domain(&domain, associated);
		unread = err ?: unread;
	}
	if (err != -ENOMEM && metrics->per_core)
		add_cores(metrics, &expected);
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++)
		cpuset_done(&associated[clos]);
	return err == -ENOMEM ? err : unread;
}

/* Limit reasons. */

/* Returns the power domain of the CPUs of a file; NULL: there are no CPUs, as in IO dies. */
static const struct power_domain *find_domain(const struct domain_list *list,
					      const struct limit_reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++) {
		for (size_t j = 0; j < list->n_domains; j++) {
			if (reasons->list[i].cpu != CPUSET_NONE &&
			    cpuset_has(&list->domains[j].cpus, reasons->list[i].cpu))
				return &list->domains[j];
		}
	}
	return NULL;
}

/* The reasons of a power domain: each word once, with a blank after it. */
struct active_reasons {
	const struct power_domain *domain;
	struct buffer words;
};

static void add_word(struct buffer *words, const char *word)
{
	if (!*word || files_has_word(buffer_text(words), word))
		return;
	buffer_append_string(words, word);
	buffer_append_char(words, ' ');
}

/* Adds the reasons in a file, of a CPU or of a power domain, to those of the domain and to all. */
static int take_reasons(struct metrics *metrics, const char *path, struct active_reasons *domain,
			struct buffer *all)
{
	const struct domain_list *list = &metrics->context->platform->domains;
	_cleanup_limit_reasons_ struct limit_reasons reasons = { 0 };
	int err = limit_reasons_read(metrics->host->files, path, &reasons);

	if (err)
		return err;
	domain->domain = find_domain(list, &reasons);
	for (size_t i = 0; i < reasons.count && domain->domain; i++) {
		char *rest = reasons.list[i].reasons;

		for (char *word; (word = strsep(&rest, " "));) {
			add_word(&domain->words, word);
			add_word(all, word);
		}
	}
	return domain->words.has_failed || all->has_failed ? -ENOMEM : 0;
}

/* Adds all reasons of the machine to a power domain: 1 if it has the reason, else 0. */
static void add_reasons(struct metrics *metrics, const struct active_reasons *domain,
			const char *all)
{
	struct exposition_number package, id;

	if (!domain->domain || domain->domain->cpu == CPUSET_NONE)
		return;
	package = exposition_number(domain->domain->package);
	id = exposition_number(domain->domain->has_id ? domain->domain->id : domain->domain->die);
	for (const char *word = all; *word; word += strcspn(word, " ") + 1) {
		_cleanup_free_ char *text = strndup(word, strcspn(word, " "));

		exposition_add(&metrics->exposition, METRIC_LIMIT_REASON,
			       text && files_has_word(buffer_text(&domain->words), text), "package",
			       package.text, "power_domain", id.text, "reason", text ?: "", NULL);
	}
}

static int collect_reasons(struct metrics *metrics, char *const *paths)
{
	struct active_reasons *domains;
	_cleanup_buffer_ struct buffer all = { 0 };
	size_t count = 0;
	int err = 0, unread = 0;

	while (paths[count])
		count++;
	domains = calloc(count, sizeof(*domains));
	if (!domains)
		return -ENOMEM;
	for (size_t i = 0; i < count && err != -ENOMEM; i++) {
		err = take_reasons(metrics, paths[i], &domains[i], &all);
		unread = err ?: unread;
	}
	for (size_t i = 0; i < count; i++) {
		if (err != -ENOMEM)
			add_reasons(metrics, &domains[i], buffer_text(&all));
		buffer_done(&domains[i].words);
	}
	free(domains);
	return err == -ENOMEM ? err : unread;
}

int metrics_collect_limit_reasons(struct metrics *metrics)
{
	const struct context *context = metrics->context;
	_cleanup_(files_free_names) char **paths = NULL;
	int err;

	if (!metrics->limit_reasons)
		return -ENOENT;
	if (!context->platform)
		return context->platform_error == -ENOTSUP ? -ENOENT : context->platform_error;
	err = limit_reasons_find(metrics->host->files, &paths);
	if (err)
		return err;
	if (!paths[0])
		return -ENOENT;
	return collect_reasons(metrics, paths);
}
