// SPDX-License-Identifier: GPL-2.0-only
/* machine summary: reads everything once and makes one tree of it, which is shown as JSON or as a
 * screen of text (record.md, "summary"). What cannot be read is listed, and the rest is shown. */
#include "features/machine_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "features/machine.h"
#include "host/run_directory.h"
#include "output/screen.h"
#include "sst/limits.h"
#include "sst/values.h"

/* What was read, and the tree that is made of it. */
struct summary {
	struct context *context;
	json_t *tree;
	struct cpuset cores; /* the first thread of each core with an online CPU */
	struct levels levels; /* of the domains of the context, all of them */
	struct platform_core_power_query *core_power; /* by domain */
	struct platform_query *clos; /* by domain, then CLOS */
	struct platform_query *assocs; /* of every online CPU */
	size_t n_assocs;
	struct platform_query *trl; /* by domain: of its package */
};

static void summary_done(struct summary *summary)
{
	json_decref(summary->tree);
	cpuset_done(&summary->cores);
	levels_done(&summary->levels);
	free(summary->core_power);
	free(summary->clos);
	free(summary->assocs);
	free(summary->trl);
}

static json_t *number_or_null(uint64_t number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

/* A number of an object; 0: it is not known, or there is none. */
struct figure {
	const char *name;
	uint64_t number;
};

static void add_figures(json_t *object, const struct figure *figures, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, figures[i].name, number_or_null(figures[i].number));
}

static json_t *cpus_to_json(const struct cpuset *cpus)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	return json_string(list ?: "");
}

/* Lists that something could not be read, and why. */
static void __attribute__((format(printf, 3, 4)))
add_unread(struct summary *summary, int err, const char *format, ...)
{
	struct target_cause cause = platform_find_cause(summary->context->platform, err);
	json_t *list = json_object_get(summary->tree, "not-read"), *item;
	_cleanup_free_ char *what = NULL, *text = NULL;
	va_list args;
	size_t i;

	va_start(args, format);
	what = text_format_list(format, args);
	va_end(args);
	text = text_format("%s: %s", what ?: "", cause.text ?: channel_error_text(err));
	report_add(&summary->context->report, report_kind_of(cause.error), NULL);
	json_array_foreach (list, i, item) {
		if (strcmp(json_string_value(item), text ?: "") == 0)
			return;
	}
	json_array_append_new(list, json_string(text ?: what ?: ""));
}

/* Adds a row about a domain to rows. One that is equal to an earlier row is added to that one's
 * "places", indexes of domains. row, a new object, is taken over. */
static void add_row(json_t *rows, size_t domain, json_t *row)
{
	json_t *earlier, *value;
	const char *key;
	size_t i;

	json_array_foreach (rows, i, earlier) {
		bool is_equal = true;

		json_object_foreach (row, key, value)
			is_equal = is_equal && json_equal(value, json_object_get(earlier, key));
		if (!is_equal)
			continue;
		json_array_append_new(json_object_get(earlier, "places"),
				      json_integer((json_int_t)domain));
		json_decref(row);
		return;
	}
	value = json_pack("{s:[I]}", "places", (json_int_t)domain);
	json_object_update_new(value, row);
	json_array_append_new(rows, value);
}

static bool has_index(const json_t *indexes, size_t domain)
{
	const json_t *index;
	size_t i;

	json_array_foreach (indexes, i, index) {
		if ((size_t)json_integer_value(index) == domain)
			return true;
	}
	return false;
}

/* Does a row hold for all domains of a package? */
static bool has_package(const struct context *context, const json_t *indexes, uint32_t package)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		if (context->domains[i]->package == package && !has_index(indexes, i))
			return false;
	}
	return true;
}

/* Replaces the indexes in the rows by names: of whole packages, or of domains. */
static void name_places(const struct context *context, json_t *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		json_t *indexes = json_object_get(row, "places"), *names = json_array();

		for (size_t j = 0; j < context->n_domains; j++) {
			const struct power_domain *domain = context->domains[j];
			bool is_whole = has_package(context, indexes, domain->package);
			bool is_first =
				j == 0 || context->domains[j - 1]->package != domain->package;
			struct location location = domains_location(domain);
			_cleanup_free_ char *name = NULL;

			if (!has_index(indexes, j) || (is_whole && !is_first))
				continue;
			location.die_is_unknown = domain->has_id;
			name = is_whole ? text_format("package-%u", domain->package)
					: location_format(&location);
			json_array_append_new(names, json_string(name ?: ""));
		}
		json_object_set_new(row, "places", names);
	}
}

/* Finds the first thread of each core that has an online CPU, by the lists of threads. */
static int find_cores(struct summary *summary)
{
	const struct topology *topology = &summary->context->machine->topology;
	_cleanup_cpuset_ struct cpuset found = { 0 };

	cpuset_foreach (cpu, &topology->online) {
		_cleanup_cpuset_ struct cpuset threads = { 0 };
		int err;

		if (cpuset_has(&found, cpu))
			continue;
		err = files_read_cpus(summary->context->machine->host->files,
				      files_cpu_path(cpu, "topology/thread_siblings_list").text,
				      &threads);
		if (err)
			return err;
		if (cpuset_add_all(&found, &threads) || cpuset_add(&summary->cores, cpu))
			return -ENOMEM;
	}
	return 0;
}

/* Counts the cores of CPUs of one domain, offline ones too where that is known. */
static size_t count_cores(const struct summary *summary, const struct cpuset *cpus)
{
	size_t count = 0;

	if (!summary->context->platform->is_clx_n)
		return domains_count_cores(&summary->context->machine->topology, cpus, false);
	cpuset_foreach (cpu, cpus)
		count += cpuset_has(&summary->cores, cpu);
	return count;
}

static size_t count_packages(const struct topology *topology)
{
	size_t count = 0;

	cpuset_foreach (cpu, &topology->placed) {
		bool is_new = true;

		cpuset_foreach (other, &topology->placed) {
			if (other == cpu)
				break;
			if (topology->places[other].package == topology->places[cpu].package) {
				is_new = false;
				break;
			}
		}
		count += is_new;
	}
	return count;
}

static int add_processor(struct summary *summary)
{
	const struct machine *machine = summary->context->machine;
	const struct identity *identity = &machine->identity;
	const struct topology *topology = &machine->topology;
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	int err = cpuset_copy(&offline, &topology->present);

	if (err)
		return err;
	cpuset_remove_all(&offline, &topology->online);
	err = find_cores(summary);
	if (err == -ENOMEM)
		return err;
	if (err)
		add_unread(summary, err, "cores");
	json_object_set_new(summary->tree, "processor",
			    json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", identity->model_name,
				      "vendor", identity->vendor, "family", identity->family,
				      "model", identity->model, "stepping", identity->stepping));
	json_object_set_new(summary->tree, "cpus",
			    json_pack("{s:I, s:o, s:I, s:I, s:o, s:o}", "packages",
				      (json_int_t)count_packages(topology), "cores",
				      number_or_null(cpuset_count(&summary->cores)), "cpus",
				      (json_int_t)cpuset_count(&topology->present), "online",
				      (json_int_t)cpuset_count(&topology->online), "online-cpus",
				      cpus_to_json(&topology->online), "offline-cpus",
				      cpus_to_json(&offline)));
	return 0;
}

static void add_driver(struct summary *summary)
{
	const struct context *context = summary->context;
	const struct platform *platform = context->platform;
	const struct isst_if_platform_info *info = platform ? &platform->info : NULL;
	json_t *driver;

	if (!platform || platform->is_clx_n) {
		driver = json_pack("{s:n, s:n, s:n, s:s}", "interface", "api-version",
				   "driver-version", "reason",
				   platform ? "all of Speed Select is set in BIOS"
					    : context->lacks_platform ?: "no Speed Select");
	} else {
		driver = json_pack("{s:s, s:i, s:i, s:n}", "interface",
				   platform->shows_power_domains ? "tpmi" : "mailbox",
				   "api-version", info->api_version, "driver-version",
				   info->driver_version, "reason");
	}
	json_object_set_new(summary->tree, "driver", driver);
	if (!platform && context->platform_error != -ENOTSUP)
		add_unread(summary, context->platform_error, "Speed Select");
}

/* The highest frequency of a table of turbo frequencies, and that of all cores. */
static uint32_t turbo_of_cores(const struct sst_turbo *turbo, size_t cores)
{
	uint32_t mhz = 0;

	for (size_t i = 0; i < SST_BUCKETS && turbo->core_counts[i]; i++) {
		mhz = turbo->mhz[0][i];
		if (turbo->core_counts[i] >= cores)
			break;
	}
	return mhz;
}

static json_t *base_freq_to_json(const struct summary *summary, const struct sst_level *level)
{
	const struct sst_base_freq *base_freq = &level->base_freq;
	size_t cores = count_cores(summary, &base_freq->high_cpus);

	if (!level->base_freq_supported)
		return json_null();
	return json_pack("{s:I, s:o, s:o}", "high-priority-cores", (json_int_t)cores, "high-mhz",
			 number_or_null(base_freq->high_mhz), "low-mhz",
			 number_or_null(base_freq->low_mhz));
}

static json_t *turbo_freq_to_json(const struct sst_level *level)
{
	const struct sst_turbo_freq *turbo_freq = &level->turbo_freq;
	const struct sst_turbo *buckets = &turbo_freq->buckets;
	json_t *list;

	if (!level->turbo_freq_supported)
		return json_null();
	list = json_array();
	for (size_t i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++)
		json_array_append_new(list,
				      json_pack("{s:i, s:i}", "cores", buckets->core_counts[i],
						"mhz", buckets->mhz[0][i]));
	return json_pack("{s:o, s:b, s:o}", "buckets", list, "counts-modules",
			 turbo_freq->counts_modules, "low-priority-mhz",
			 number_or_null(turbo_freq->clip_mhz[0]));
}

static json_t *level_to_json(const struct summary *summary,
			     const struct platform_level_query *query, bool is_now)
{
	const struct sst_level *level = &query->info;
	size_t cores = count_cores(summary, &level->enabled_cpus);
	const struct figure figures[] = {
		{ "cores", cores },
		{ "base-mhz", level->base_mhz },
		{ "base-avx2-mhz", level->base_avx2_mhz },
		{ "base-avx512-mhz", level->base_avx512_mhz },
		{ "base-amx-mhz", level->base_amx_mhz },
		{ "turbo-mhz", turbo_of_cores(&level->turbo, 1) },
		{ "all-core-turbo-mhz", turbo_of_cores(&level->turbo, cores ?: 1) },
		{ "tdp-w", level->tdp_w },
		{ "tjunction-max-c", level->tjunction_max_c },
		{ "memory-mhz", level->memory_mhz },
		{ "uncore-min-mhz", level->uncore.min_mhz },
		{ "uncore-max-mhz", level->uncore.max_mhz },
	};
	json_t *row = json_pack("{s:i, s:b}", "level", query->level, "now", is_now);

	add_figures(row, figures, ARRAY_SIZE(figures));
	json_object_set_new(row, "base-freq", base_freq_to_json(summary, level));
	json_object_set_new(row, "turbo-freq", turbo_freq_to_json(level));
	return row;
}

/* The levels that each domain has. */
static void add_levels(struct summary *summary)
{
	const struct context *context = summary->context;
	const struct levels *levels = &summary->levels;
	json_t *rows = json_array();

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_pp_query *pp = &levels->pp[i];

		for (size_t j = levels->first[i]; j < levels->first[i + 1]; j++) {
			const struct platform_level_query *query = &levels->queries[j];

			if (query->error == -ENOENT)
				continue;
			if (query->error)
				add_unread(summary, query->error, "performance level %u",
					   query->level);
			else
				add_row(rows, i,
					level_to_json(summary, query,
						      query->level == pp->pp.current_level));
		}
	}
	name_places(context, rows);
	json_object_set_new(summary->tree, "levels", rows);
}

static const struct platform_level_query *find_current(const struct summary *summary, size_t domain)
{
	const struct levels *levels = &summary->levels;

	for (size_t i = levels->first[domain]; i < levels->first[domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (!query->error && query->level == levels->pp[domain].pp.current_level)
			return query;
	}
	return NULL;
}

/* What is switched on in each domain. */
static void add_features(struct summary *summary)
{
	const struct context *context = summary->context;
	json_t *rows = json_array();

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_pp_query *pp = &summary->levels.pp[i];
		const struct platform_level_query *query = find_current(summary, i);
		const struct platform_core_power_query *power = &summary->core_power[i];
		const struct sst_core_power *on = &power->core_power;
		json_t *row;

		if (pp->error)
			add_unread(summary, pp->error, "SST-PP");
		if (power->error)
			add_unread(summary, power->error, "SST-CP");
		if (pp->error)
			continue;
		row = json_pack("{s:i, s:b, s:n, s:n, s:n, s:n, s:n}", "level",
				pp->pp.current_level, "locked", pp->pp.enabled && pp->pp.locked,
				"base-freq", "turbo-freq", "core-power", "clos", "priority");
		if (query && query->info.base_freq_supported)
			json_object_set_new(row, "base-freq",
					    json_boolean(query->info.base_freq_on));
		if (query && query->info.turbo_freq_supported)
			json_object_set_new(row, "turbo-freq",
					    json_boolean(query->info.turbo_freq_on));
		if (!power->error && on->supported) {
			json_object_set_new(row, "core-power", json_boolean(on->enabled));
			json_object_set_new(row, "clos", json_boolean(on->clos_enabled));
			json_object_set_new(row, "priority",
					    json_string(on->ordered ? "ordered" : "proportional"));
		}
		add_row(rows, i, row);
	}
	name_places(context, rows);
	json_object_set_new(summary->tree, "speed-select", rows);
}

static int read_sst(struct summary *summary)
{
	struct context *context = summary->context;
	int err = context_choose_targets(context, NULL, false);

	if (err)
		return err;
	err = levels_read(context, NULL, PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ,
			  &summary->levels);
	return err ? err : core_power_read(context, true, &summary->core_power);
}

static int make_tree(struct summary *summary)
{
	int err = add_processor(summary);

	if (err)
		return err;
	add_driver(summary);
	if (!summary->context->platform)
		return 0;
	err = read_sst(summary);
	if (err)
		return err;
	add_levels(summary);
	add_features(summary);
	return 0;
}

/* Puts the tree into the output, which is JSON or one text. */
static int put_tree(struct context *context, json_t *tree)
{
	const struct machine_summary_arguments *arguments = context->options->arguments;
	unsigned int width = arguments->width.given ? (unsigned int)arguments->width.value
						    : screen_find_width(context->output);
	_cleanup_free_ char *text = NULL;
	json_t *value;
	const char *key;

	if (output_is_json(context->output)) {
		json_object_foreach (tree, key, value)
			output_json_member(context->output, key, json_incref(value));
		return 0;
	}
	text = machine_summary_format(tree, width);
	if (!text)
		return -ENOMEM;
	output_document(context->output, text);
	return 0;
}

int machine_summary(struct context *context)
{
	_cleanup_(summary_done) struct summary summary = {
		.context = context,
		.tree = json_pack("{s:[]}", "not-read"),
	};
	int err = summary.tree ? make_tree(&summary) : -ENOMEM;

	context->report.n_results++;
	return err ? err : put_tree(context, summary.tree);
}
