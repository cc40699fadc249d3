/* SPDX-License-Identifier: GPL-2.0-only */
/* perf-profile compare: shows performance levels side by side. perf_profile_compare.c makes the
 * cells, perf_profile_table.c the text. */
#ifndef FEATURES_PERF_PROFILE_COMPARE_H
#define FEATURES_PERF_PROFILE_COMPARE_H

#include "run/context.h"
#include "sst/expected.h"
#include "sst/level_fields.h"

struct perf_profile_compare_arguments {
	const char *levels; /* a list, "0,3"; NULL: all */
};

/* Handler, as struct command describes it (docs/spec/choose.md, "perf-profile compare"). */
int perf_profile_compare(struct context *context);

/* Adds an object to the array groups for each group of equal packages, with their levels, as in
 * "groups" of the command's JSON. expected was read with_others. Leaves out levels that could not
 * be read. Returns 0 or -ENOMEM. */
int perf_profile_compare_expected(const struct expected *expected, json_t *groups);

#define LEVEL_COLUMNS (SST_MAX_LEVEL + 1)

/* What a row shows of a power domain, and how the domains of a package are combined. */
enum level_row_kind {
	LEVEL_ROW_FIGURE, /* a field */
	LEVEL_ROW_CPUS, /* if the cores are unknown */
	LEVEL_ROW_CORES,
	LEVEL_ROW_MODULES, /* if PUNIT cores are modules */
	LEVEL_ROW_BASE_FREQ, /* a field of SST-BF */
	LEVEL_ROW_BASE_FREQ_CPUS, /* if the cores are unknown */
	LEVEL_ROW_BASE_FREQ_CORES,
	LEVEL_ROW_TURBO_FREQ, /* a bucket */
	LEVEL_ROW_CLIP,
	LEVEL_ROW_TURBO, /* a bucket of the turbo-ratio limits */
	LEVEL_ROW_ALLOWED,
	LEVEL_ROW_CURRENT
};

struct level_row {
	enum level_row_kind kind;
	const char *label; /* of text */
	const char *name; /* of JSON */
	const struct level_field *field; /* of a figure */
	unsigned int bucket, trl_level; /* of a frequency */
};

/* A value of one level of a package; its domains can differ. */
struct level_cell {
	bool is_known;
	uint32_t low, high;
	uint32_t cores_low, cores_high; /* core counts of a bucket */
};

/* Counts, fields, and for each turbo-ratio level the buckets of SST-TF and of turbo, and a clip. */
#define LEVEL_MOST_ROWS (8 + LEVEL_MOST_FIELDS + SST_TRL_LEVELS * (2 * SST_BUCKETS + 1))

/* A level of a package. */
struct level_column {
	uint32_t level;
	bool has_base_freq, has_turbo_freq; /* in at least one domain */
	struct level_cell cells[LEVEL_MOST_ROWS];
};

/* The levels of one package. */
struct level_package {
	uint32_t package;
	struct level_column columns[LEVEL_COLUMNS];
	size_t n_levels;
	bool counts_modules; /* buckets of SST-TF count modules */
	struct cpuset equal; /* packages that share this one's table */
	bool is_shown; /* the first of the equal packages */
};

struct level_comparison {
	struct level_row rows[LEVEL_MOST_ROWS];
	size_t n_rows;
	struct level_package *packages;
	size_t n_packages;
	const struct platform *platform;
};

/* Returns what the buckets of SST-TF, or of the turbo-ratio limits, count: "cores of the package",
 * "modules of a power domain"; static text. */
const char *level_unit(const struct level_comparison *comparison,
		       const struct level_package *package, enum level_row_kind kind);

/* Returns true if a row has the same value in two cells. */
bool level_cells_are_equal(const struct level_cell *left, const struct level_cell *right);

/* Returns true if a package does not need a row: that of modules if each module has one core, or
 * that of a bucket if it repeats the one before. */
bool level_row_is_needless(const struct level_comparison *comparison,
			   const struct level_package *package, size_t row);

/* Appends the table of equal packages, in lines of at most 80 columns, and below the table the rows
 * that are equal in all levels. For a single level, appends a list. */
void level_table_append(const struct level_comparison *comparison,
			const struct level_package *package, struct buffer *to);

#endif
