/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares the parts of machine summary: the data read, the JSON tree made of it, and its text
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
	struct expected_cpu expected; /* its inputs include the limits of cpufreq */
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

/* Adds what could not be read to "not-read": a name in printf form, and the reason err, a negative
 * errno. */
void summary_add_unread(struct summary *summary, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A number, or null for 0; a frequency in MHz, or null. New references. */
json_t *summary_number(uint64_t number);
json_t *summary_mhz(uint32_t khz);

/* A location that rows of a table are about. */
struct summary_place {
	uint32_t package;
	bool is_optional; /* if no row is about it, a row about the others names the package */
	char *name; /* "package-0 powerdomain-1" */
};

/* A row of a table, with its CPUs or the indexes of its places. */
struct summary_row {
	json_t *members;
	struct cpuset of;
};

/* A table, in which rows that are equal are one row. */
struct summary_rows {
	struct summary_row *list;
	size_t count;
	struct summary_place *places; /* NULL: rows are of CPUs */
	size_t n_places;
};

/* Adds a row of a CPU or of a place (an index), and takes ownership of members (NULL: no memory).
 * Returns 0 or -ENOMEM. */
int summary_add_row(struct summary_rows *rows, uint32_t of, json_t *members);

/* Adds the next place, and takes ownership of name (NULL: no memory). Returns 0 or -ENOMEM. */
int summary_add_place(struct summary_rows *rows, uint32_t package, char *name);

/* Returns the table as a new list. Each row has "cpus" and "count", or "places": their names, or
 * the name of a package if the row is about all its places. */
json_t *summary_rows_to_json(const struct summary_rows *rows);

void summary_rows_done(struct summary_rows *rows);
#define _cleanup_summary_rows_ __attribute__((cleanup(summary_rows_done)))

/* Read Speed Select, and add "speed-select", "levels" and "clos". Returns 0 or -ENOMEM. */
int summary_read_sst(struct summary *summary);
int summary_add_sst(struct summary *summary);

/* Adds "findings". Returns 0 or -ENOMEM. */
int summary_add_findings(struct summary *summary);

/* Returns the text of the tree of host for a screen of width columns, a new text; NULL: no memory.
 */
char *summary_format(const json_t *tree, unsigned int width, const struct host *host);

#endif
