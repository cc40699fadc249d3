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
	bool is_optional; /* without a row a row about all others of its package names that */
	char *name; /* "package-0 powerdomain-1" */
};

/* A row of a table, and the CPUs that it is about, or the indexes of its places. */
struct summary_row {
	json_t *members;
	struct cpuset of;
};

/* A table: rows that are equal are one. */
struct summary_rows {
	struct summary_row *list;
	size_t count;
	struct summary_place *places; /* NULL: rows are of CPUs */
	size_t n_places;
};

/* Adds a row, whose members are taken over (NULL: no memory), of a CPU or of the place with that
 * index. Returns 0 or -ENOMEM. */
int summary_add_row(struct summary_rows *rows, uint32_t of, json_t *members);

/* Adds the next place; its name is taken over (NULL: no memory). Returns 0 or -ENOMEM. */
int summary_add_place(struct summary_rows *rows, uint32_t package, char *name);

/* The table as a new list: each row has "places", by their names, of packages if it is about all
 * places of one; or "cpus" and "count". */
json_t *summary_rows_to_json(const struct summary_rows *rows);

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
