// SPDX-License-Identifier: GPL-2.0-only
/* perf-profile compare: shows a table of the performance levels for each group of equal packages,
 * with a column for each level (docs/spec/choose.md, "perf-profile compare"). Text and JSON are
 * made of the same cells. */
#include "features/perf_profile_compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/levels.h"
#include "host/run_directory.h"
#include "output/output.h"

static void comparison_free(struct level_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_packages; i++)
		cpuset_done(&comparison->packages[i].equal);
	free(comparison->packages);
}

static struct level_row *add_row(struct level_comparison *comparison, enum level_row_kind kind,
				 const char *label, const char *name)
{
	struct level_row *row = &comparison->rows[comparison->n_rows++];

	*row = (struct level_row){ .kind = kind, .label = label, .name = name };
	return row;
}

static void add_fields(struct level_comparison *comparison, enum level_row_kind kind,
		       unsigned int groups)
{
	level_fields_foreach (field, groups)
		add_row(comparison, kind, field->label, field->key)->field = field;
}

static void add_frequencies(struct level_comparison *comparison, enum level_row_kind kind,
			    const char *name, unsigned int n_buckets)
{
	for (unsigned int i = 0; i < n_buckets * comparison->platform->n_trl_levels; i++) {
		struct level_row *row = add_row(comparison, kind, NULL, name);

		row->bucket = i % n_buckets;
		row->trl_level = i / n_buckets;
	}
}

static void make_rows(struct level_comparison *comparison)
{
	add_row(comparison, LEVEL_ROW_CURRENT, "current", "current");
	add_row(comparison, LEVEL_ROW_ALLOWED, "allowed", "allowed");
	add_row(comparison, LEVEL_ROW_CPUS, "CPUs", "cpus");
	add_row(comparison, LEVEL_ROW_CORES, "cores", "cores");
	add_row(comparison, LEVEL_ROW_MODULES, "modules", "modules");
	add_fields(comparison, LEVEL_ROW_FIGURE, LEVEL_FREQUENCY);
	add_row(comparison, LEVEL_ROW_BASE_FREQ_CPUS, "SST-BF high CPUs", "high-cpus");
	add_row(comparison, LEVEL_ROW_BASE_FREQ_CORES, "SST-BF high cores", "high-cores");
	add_fields(comparison, LEVEL_ROW_BASE_FREQ, LEVEL_BASE_FREQ);
	add_frequencies(comparison, LEVEL_ROW_TURBO_FREQ, "buckets", SST_BUCKETS);
	add_frequencies(comparison, LEVEL_ROW_CLIP, "clip-mhz", 1);
	add_frequencies(comparison, LEVEL_ROW_TURBO, "turbo-ratio-limits", SST_BUCKETS);
	add_fields(comparison, LEVEL_ROW_FIGURE, LEVEL_ANY & ~(LEVEL_FREQUENCY | LEVEL_BASE_FREQ));
}

static void add_sum(struct level_cell *cell, size_t value)
{
	cell->is_known = true;
	cell->low = cell->high = cell->low + (uint32_t)value;
}

/* Extends the cell by a figure of one more domain. */
static void add_figure(struct level_cell *cell, uint32_t value, uint32_t cores)
{
	if (!value)
		return;
	if (!cell->is_known || value < cell->low)
		cell->low = value;
	if (!cell->is_known || value > cell->high)
		cell->high = value;
	if (!cell->is_known || cores < cell->cores_low)
		cell->cores_low = cores;
	if (!cell->is_known || cores > cell->cores_high)
		cell->cores_high = cores;
	cell->is_known = true;
}

/* Adds a bucket of SST-TF; the first bucket without cores ends them. */
static void add_turbo_freq(struct level_cell *cell, const struct level_row *row,
			   const struct sst_turbo *buckets)
{
	for (unsigned int i = 0; i <= row->bucket; i++) {
		if (!buckets->core_counts[i])
			return;
	}
	add_figure(cell, buckets->mhz[row->trl_level][row->bucket],
		   buckets->core_counts[row->bucket]);
}

/* Adds the number of cores of some CPUs, or of modules, or of CPUs, as the kind of the row
 * requires. Without core ids (Cascade Lake-N) cores are unknown. */
static void add_count(struct level_cell *cell, enum level_row_kind kind,
		      const struct topology *topology, const struct power_domain *domain,
		      const struct cpuset *cpus)
{
	uint32_t first = cpuset_next(&domain->cpus, 0);
	bool has_cores = first != CPUSET_NONE && topology->places[first].has_physical_cpu;
	bool counts_cpus = kind == LEVEL_ROW_CPUS || kind == LEVEL_ROW_BASE_FREQ_CPUS;

	if (has_cores == counts_cpus)
		return;
	add_sum(cell, counts_cpus ? cpuset_count(cpus)
				  : domains_count_cores(topology, cpus, kind == LEVEL_ROW_MODULES));
}

/* Adds what a row shows of one domain. The figures of a feature that it does not have are 0. */
static void add_domain(struct level_cell *cell, const struct level_row *row,
		       const struct topology *topology, const struct platform_level_query *query,
		       const struct sst_pp *pp)
{
	const struct sst_level *level = &query->info;
	bool is_current = pp->current_level == query->level;

	switch (row->kind) {
	case LEVEL_ROW_FIGURE:
	case LEVEL_ROW_BASE_FREQ:
		add_figure(cell, level_field_get(row->field, level), 0);
		break;
	case LEVEL_ROW_CPUS:
	case LEVEL_ROW_CORES:
	case LEVEL_ROW_MODULES: /* without SST-PP all are enabled */
		add_count(cell, row->kind, topology, query->domain,
			  level->has_enabled_cpus ? &level->enabled_cpus : &query->domain->cpus);
		break;
	case LEVEL_ROW_BASE_FREQ_CPUS:
	case LEVEL_ROW_BASE_FREQ_CORES:
		if (level->base_freq_supported)
			add_count(cell, row->kind, topology, query->domain,
				  &level->base_freq.high_cpus);
		break;
	case LEVEL_ROW_TURBO_FREQ:
		add_turbo_freq(cell, row, &level->turbo_freq.buckets);
		break;
	case LEVEL_ROW_CLIP:
		add_figure(cell, level->turbo_freq.clip_mhz[row->trl_level], 0);
		break;
	case LEVEL_ROW_TURBO:
		add_figure(cell, level->turbo.mhz[row->trl_level][row->bucket],
			   level->turbo.core_counts[row->bucket]);
		break;
	case LEVEL_ROW_ALLOWED:
		add_figure(cell, is_current || (pp->enabled && !pp->locked) ? 2 : 1, 0);
		break;
	case LEVEL_ROW_CURRENT:
		add_figure(cell, is_current ? 2 : 1, 0);
		break;
	}
}

/* Returns the package of a domain, and adds it if it is new. NULL: no memory. */
static struct level_package *find_package(struct level_comparison *comparison, uint32_t number)
{
	struct level_package *package;

	for (size_t i = 0; i < comparison->n_packages; i++) {
		if (comparison->packages[i].package == number)
			return &comparison->packages[i];
	}
	package = array_add(&comparison->packages, &comparison->n_packages, sizeof(*package));
	if (package)
		package->package = number;
	return package;
}

/* Returns the column of a level, and adds it if it is new. Columns stay ascending. */
static struct level_column *find_column(struct level_package *package, uint32_t level)
{
	struct level_column *column = package->columns, *end = column + package->n_levels;

	while (column < end && column->level < level)
		column++;
	if (column == end || column->level != level) {
		memmove(column + 1, column, (size_t)(end - column) * sizeof(*column));
		*column = (struct level_column){ .level = level };
		package->n_levels++;
	}
	return column;
}

static int add_level(struct level_comparison *comparison, const struct platform_level_query *query,
		     const struct sst_pp *pp)
{
	struct level_package *package = find_package(comparison, query->domain->package);
	struct level_column *column;

	if (!package)
		return -ENOMEM;
	column = find_column(package, query->level);
	column->has_base_freq |= query->info.base_freq_supported;
	column->has_turbo_freq |= query->info.turbo_freq_supported;
	package->counts_modules |= query->info.turbo_freq.counts_modules;
	for (size_t i = 0; i < comparison->n_rows; i++)
		add_domain(&column->cells[i], &comparison->rows[i],
			   &comparison->platform->machine->topology, query, pp);
	return 0;
}

/* Adds the requested levels of one target's domain, and reports levels that cannot be shown.
 * Reports a level that does not exist only if no domain has it. */
static int add_target(struct context *context, const struct levels *levels,
		      const struct cpuset *asked, const struct target *target,
		      struct level_comparison *comparison)
{
	const struct platform_pp_query *pp = &levels->pp[target->domain];
	struct platform *platform = context->platform;

	if (levels_report_pp(context, target, pp))
		return 0;
	for (size_t i = levels->first[target->domain]; i < levels->first[target->domain + 1]; i++) {
		struct platform_level_query *query = &levels->queries[i];
		int err = 0;

		if (query->error == -ENOENT ||
		    (!cpuset_is_empty(asked) && !cpuset_has(asked, query->level)) ||
		    levels_report(context, target, query))
			continue;
		if (platform->ops->refine_level)
			err = platform->ops->refine_level(platform, query, target->cpu);
		if (err)
			context_fail(context, target, err, "base_frequency of cpufreq");
		else
			err = add_level(comparison, query, &pp->pp);
		if (err == -ENOMEM)
			return err;
		context->report.n_results += !err;
	}
	return 0;
}

/* Returns true if PUNIT cores are modules, which have a row besides that of cores. */
static bool has_modules(const struct level_comparison *comparison,
			const struct level_package *package)
{
	for (size_t i = 0; i < comparison->n_rows; i++) {
		if (comparison->rows[i].kind == LEVEL_ROW_MODULES)
			return !level_row_is_needless(comparison, package, i);
	}
	return false;
}

const char *level_unit(const struct level_comparison *comparison,
		       const struct level_package *package, enum level_row_kind kind)
{
	if (kind == LEVEL_ROW_TURBO && comparison->platform->domains.by_id)
		return has_modules(comparison, package) ? "modules of a power domain"
							: "cores of a power domain";
	return kind == LEVEL_ROW_TURBO_FREQ && package->counts_modules ? "modules of the package"
								       : "cores of the package";
}

bool level_cells_are_equal(const struct level_cell *left, const struct level_cell *right)
{
	return left->is_known == right->is_known && left->low == right->low &&
	       left->high == right->high && left->cores_low == right->cores_low &&
	       left->cores_high == right->cores_high;
}

bool level_row_is_needless(const struct level_comparison *comparison,
			   const struct level_package *package, size_t row)
{
	const struct level_row *about = &comparison->rows[row];
	bool repeats = about->kind == LEVEL_ROW_MODULES || about->bucket > 0, is_known = false;

	for (size_t i = 0; i < package->n_levels; i++) {
		const struct level_cell *cell = &package->columns[i].cells[row];

		is_known = is_known || cell->is_known;
		repeats = repeats && level_cells_are_equal(cell, cell - 1);
	}
	return !is_known || repeats;
}

static bool are_equal(const struct level_comparison *comparison, const struct level_package *left,
		      const struct level_package *right)
{
	for (size_t i = 0; i < left->n_levels && i < right->n_levels; i++) {
		if (left->columns[i].level != right->columns[i].level)
			return false;
		for (size_t j = 0; j < comparison->n_rows; j++) {
			if (!level_cells_are_equal(&left->columns[i].cells[j],
						   &right->columns[i].cells[j]))
				return false;
		}
	}
	return left->n_levels == right->n_levels;
}

static int group_packages(struct level_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_packages; i++) {
		struct level_package *package = &comparison->packages[i], *first = package;

		for (size_t j = i; j > 0; j--) {
			if (comparison->packages[j - 1].is_shown &&
			    are_equal(comparison, &comparison->packages[j - 1], package))
				first = &comparison->packages[j - 1];
		}
		first->is_shown = true;
		if (cpuset_add(&first->equal, package->package))
			return -ENOMEM;
	}
	return 0;
}

/* Sets a number, and a second one if the domains of the package differ. */
static void set_number(json_t *object, const char *name, const struct level_cell *cell,
		       uint32_t low, uint32_t high)
{
	_cleanup_free_ char *highest = text_format("%s-highest", name);

	json_object_set_new(object, name, cell->is_known ? json_integer(low) : json_null());
	if (low != high && highest)
		json_object_set_new(object, highest, json_integer(high));
}

/* Returns the object of a name in parent. If it is new, adds it or, unless exists is set, null. */
static json_t *get_object(json_t *parent, const char *name, bool exists)
{
	json_t *object = json_object_get(parent, name);

	if (!object) {
		json_object_set_new(parent, name, exists ? json_object() : json_null());
		object = json_object_get(parent, name);
	}
	return object;
}

/* Returns the entry of a bucket in its array; buckets are added in order. */
static json_t *get_bucket(json_t *parent, const struct level_row *row,
			  const struct level_cell *cell)
{
	json_t *array = json_object_get(parent, row->name), *object;

	if (!array) {
		json_object_set_new(parent, row->name, json_array());
		array = json_object_get(parent, row->name);
	}
	object = json_array_get(array, row->bucket);
	if (!object && cell->is_known) {
		json_array_append_new(array, json_object());
		object = json_array_get(array, json_array_size(array) - 1);
		set_number(object, "cores", cell, cell->cores_low, cell->cores_high);
	}
	return object;
}

static void set_frequency(const struct level_comparison *comparison, json_t *object,
			  const char *name, const struct level_row *row,
			  const struct level_cell *cell)
{
	if (object && cell->is_known)
		set_number(get_object(object, name, true),
			   comparison->platform->trl_names[row->trl_level], cell, cell->low,
			   cell->high);
}

/* Adds a row of one level to its object. */
static void set_member(const struct level_comparison *comparison,
		       const struct level_package *package, const struct level_column *column,
		       size_t at, json_t *level)
{
	const struct level_row *row = &comparison->rows[at];
	const struct level_cell *cell = &column->cells[at];
	json_t *object = level; /* the object that has the member */

	if (row->kind >= LEVEL_ROW_BASE_FREQ && row->kind <= LEVEL_ROW_BASE_FREQ_CORES)
		object = get_object(level, "base-freq", column->has_base_freq);
	else if (row->kind == LEVEL_ROW_TURBO_FREQ || row->kind == LEVEL_ROW_CLIP)
		object = get_object(level, "turbo-freq", column->has_turbo_freq);
	if (!json_is_object(object))
		return;
	switch (row->kind) {
	case LEVEL_ROW_ALLOWED:
	case LEVEL_ROW_CURRENT: /* true if it is true in all domains */
		json_object_set_new(object, row->name, json_boolean(cell->low > 1));
		break;
	case LEVEL_ROW_CPUS:
	case LEVEL_ROW_MODULES: /* only if the table shows them */
	case LEVEL_ROW_BASE_FREQ_CPUS:
		if (cell->is_known && !level_row_is_needless(comparison, package, at))
			set_number(object, row->name, cell, cell->low, cell->high);
		break;
	case LEVEL_ROW_TURBO_FREQ:
	case LEVEL_ROW_TURBO:
		set_frequency(comparison, get_bucket(object, row, cell), "mhz", row, cell);
		break;
	case LEVEL_ROW_CLIP:
		set_frequency(comparison, object, row->name, row, cell);
		break;
	default:
		set_number(object, row->name, cell, cell->low, cell->high);
	}
}

static json_t *level_to_json(const struct level_comparison *comparison,
			     const struct level_package *package, const struct level_column *column)
{
	json_t *level = json_object();

	json_object_set_new(level, "level", json_integer(column->level));
	for (size_t i = 0; i < comparison->n_rows; i++)
		set_member(comparison, package, column, i, level);
	if (json_is_object(json_object_get(level, "turbo-freq"))) {
		json_t *turbo_freq = json_object_get(level, "turbo-freq");

		json_object_set_new(turbo_freq, "counted", json_string("per package"));
		json_object_set_new(
			turbo_freq, "unit",
			json_string(level_unit(comparison, package, LEVEL_ROW_TURBO_FREQ)));
	}
	if (json_object_get(level, "turbo-ratio-limits"))
		json_object_set_new(level, "turbo-ratio-limits-unit",
				    json_string(level_unit(comparison, package, LEVEL_ROW_TURBO)));
	return level;
}

static json_t *package_to_json(const struct level_comparison *comparison,
			       const struct level_package *package)
{
	json_t *levels = json_array(), *packages = json_array();

	cpuset_foreach (number, &package->equal)
		json_array_append_new(packages, json_integer(number));
	for (size_t i = 0; i < package->n_levels; i++)
		json_array_append_new(levels,
				      level_to_json(comparison, package, &package->columns[i]));
	return json_pack("{s:o, s:o}", "packages", packages, "levels", levels);
}

static int show(struct context *context, const struct level_comparison *comparison)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	json_t *groups = json_array();

	for (size_t i = 0; i < comparison->n_packages; i++) {
		const struct level_package *package = &comparison->packages[i];

		if (!package->is_shown)
			continue;
		level_table_append(comparison, package, &text);
		json_array_append_new(groups, package_to_json(comparison, package));
	}
	output_json_member(context->output, "groups", groups);
	if (!output_is_json(context->output))
		output_text(context->output, buffer_text(&text));
	return text.has_failed ? -ENOMEM : 0;
}

/* Reads the list of levels into asked, a set of numbers, and checks it. A level above the highest
 * of the machine is a usage error; a level that no domain has is one that the machine lacks. */
static int read_list(struct context *context, const struct levels *levels, const char *list,
		     struct cpuset *asked)
{
	const char *problem = "";
	uint32_t highest = 0;
	int err = cpulist_parse_user(list, asked, &problem);

	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < levels->n_queries; i++) {
		if (levels->queries[i].level > highest)
			highest = levels->queries[i].level;
	}
	if (err || cpuset_last(asked) > SST_MAX_LEVEL)
		context_refuse_usage(context,
				     "--levels %s: a list of numbers from 0 to %u was expected",
				     list, SST_MAX_LEVEL);
	else if (cpuset_last(asked) > highest)
		context_refuse_usage(context,
				     "--levels %s: the highest level of this machine is %u", list,
				     highest);
	if (report_has(&context->report, REPORT_USAGE))
		return 0;
	cpuset_foreach (level, asked) {
		bool is_there = false;

		for (size_t i = 0; i < levels->n_queries && !is_there; i++)
			is_there = levels->queries[i].level == level &&
				   levels->queries[i].error != -ENOENT;
		if (!is_there)
			context_lack(context, NULL, "performance level %u does not exist here",
				     level);
	}
	return 0;
}

int perf_profile_compare(struct context *context)
{
	const struct perf_profile_compare_arguments *arguments = context->request->arguments;
	_cleanup_(comparison_free) struct level_comparison comparison = {
		.platform = context->platform,
	};
	_cleanup_levels_ struct levels levels = { 0 };
	_cleanup_cpuset_ struct cpuset asked = { 0 };
	int err = levels_read(context, NULL,
			      PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ, &levels);

	if (!err && arguments->levels)
		err = read_list(context, &levels, arguments->levels, &asked);
	if (!err && report_has(&context->report, REPORT_USAGE))
		return 0;
	make_rows(&comparison);
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];

		/* several CPUs of one domain count as one */
		if (context_find_target(context, context->targets.domains[target->domain]) ==
		    target)
			err = add_target(context, &levels, &asked, target, &comparison);
	}
	if (!err)
		err = group_packages(&comparison);
	return err || comparison.n_packages == 0 ? err : show(context, &comparison);
}

/* Adds the levels of one domain that could be read; others has all levels except current ones. */
static int add_expected(const struct expected *expected, size_t domain,
			struct level_comparison *comparison)
{
	const struct platform_pp_query *pp = &expected->pp[domain];
	const struct platform_level_query *current = &expected->levels[domain];
	int err = 0;

	if (pp->error)
		return 0;
	if (!current->error)
		err = add_level(comparison, current, &pp->pp);
	for (size_t i = 0; i < expected->n_others && !err; i++) {
		const struct platform_level_query *other = &expected->others[i];

		if (other->domain == pp->domain && !other->error)
			err = add_level(comparison, other, &pp->pp);
	}
	return err;
}

int perf_profile_compare_expected(const struct expected *expected, json_t *groups)
{
	_cleanup_(comparison_free) struct level_comparison comparison = {
		.platform = expected->platform,
	};
	int err = 0;

	make_rows(&comparison);
	for (size_t i = 0; i < expected->n_domains && !err; i++)
		err = add_expected(expected, i, &comparison);
	if (!err)
		err = group_packages(&comparison);
	for (size_t i = 0; i < comparison.n_packages && !err; i++) {
		if (comparison.packages[i].is_shown)
			json_array_append_new(groups, package_to_json(&comparison,
								      &comparison.packages[i]));
	}
	return err;
}
