/* SPDX-License-Identifier: GPL-2.0-only */
/* machine summary in its parts: what is read, the tree of JSON that is made of it, and its text
 * (record.md, "summary"). */
#ifndef FEATURES_MACHINE_SUMMARY_H
#define FEATURES_MACHINE_SUMMARY_H

#include <jansson.h>

#include "features/cpufreq_explain.h"
#include "host/core_types.h"
#include "run/context.h"
#include "sst/expected.h"

/* One online CPU. */
struct summary_cpu {
	uint32_t cpu;
	const struct cpufreq_policy *policy; /* NULL: it was not read, or there is none */
	size_t domain; /* its index in the domains of the context; n_domains: none */
	struct expected_cpu expected; /* the inputs have what cpufreq limits, too */
	struct frequency_prediction prediction; /* for SSE */
};

/* What was read, and the tree. */
struct summary {
	struct context *context;
	json_t *tree;
	struct cpuset cores; /* the first online thread of each core */
	struct core_types types;
	struct expected expected; /* of the domains of the context; none without Speed Select */
	struct cpufreq_machine cpufreq;
	struct cpufreq_policy *policies;
	size_t n_policies;
	struct summary_cpu *cpus; /* ascending */
	size_t n_cpus;
};

/* Adds what could not be read to "not-read", with the reason (a negative errno): a name in printf
 * form. */
void summary_add_unread(struct summary *summary, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A number, or null for 0; a frequency in MHz, or null. New references. */
json_t *summary_number(uint64_t number);
json_t *summary_mhz(uint32_t khz);

/* A place that rows of a table are about. */
struct summary_place {
	uint32_t package;
	bool is_left_out; /* rows about all others of its package name the package */
	char *name; /* "package-0 powerdomain-1" */
};

/* Rows that are equal are one. Those of places have their indexes until summary_name_places(). */
struct summary_rows {
	json_t *list;
	struct cpuset *cpus; /* of rows of CPUs, by row */
	size_t n_cpus;
};

/* Adds a row, which is taken over, of the place with that index, or of a CPU. Returns 0 or -ENOMEM.
 */
int summary_add_place(struct summary_rows *rows, size_t place, json_t *row);
int summary_add_cpu(struct summary_rows *rows, uint32_t cpu, json_t *row);

/* Is one of the rows about the place with that index? */
bool summary_has_place(const struct summary_rows *rows, size_t place);

/* Replaces the indexes by names, of packages if a row is about all places of one. Returns the list,
 * a new reference. */
json_t *summary_name_places(struct summary_rows *rows, const struct summary_place *places,
			    size_t n_places);
/* Adds the lists of CPUs to the rows, as "cpus" and "count". Returns the list, a new reference. */
json_t *summary_name_cpus(struct summary_rows *rows);

/* Puts a list, or NULL, in order; compare is as of qsort() and takes elements. Returns 0 or
 * -ENOMEM.
 */
int summary_sort(json_t *list, int (*compare)(const void *left, const void *right));

void summary_rows_done(struct summary_rows *rows);
#define _cleanup_summary_rows_ __attribute__((cleanup(summary_rows_done)))

/* Read Speed Select, and add "speed-select", "levels" and "clos". Returns 0 or -ENOMEM. */
int summary_read_sst(struct summary *summary);
int summary_add_sst(struct summary *summary);

/* Adds "findings". Returns 0 or -ENOMEM. */
int summary_add_findings(struct summary *summary);

/* Makes the text of the tree, which is that of host, for a screen of that many columns, as a new
 * text; NULL: no memory. */
char *summary_format(const json_t *tree, unsigned int width, const struct host *host);

#endif
