/* SPDX-License-Identifier: GPL-2.0-only */
/* Joins locations with equal nodes, which text shows as one (output.md, "Terse results"). */
#ifndef OUTPUT_FOLD_H
#define OUTPUT_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpuset.h"
#include "output/output.h"

/* The nodes of one location, or of several that are joined. */
struct fold_entry {
	struct output_place place; /* the first location; its CPUs are in cpus */
	/* The numbers of all joined locations. A set is empty for a single location, or without
	 * numbers; but cpus has the CPUs of a single location with several. */
	struct cpuset packages, dies, power_domains, cpus;
	char *nodes; /* the lines of the nodes */
	bool is_joined; /* it was joined with an earlier entry */
};

struct fold {
	struct fold_entry *entries;
	size_t count;
};

void fold_done(struct fold *fold);

/* Adds a location and copies its nodes. Returns 0 or -ENOMEM. */
int fold_add(struct fold *fold, const struct output_place *place, const char *nodes);

/* Joins locations with equal nodes: the first entry stays, the others are marked. The numbers of an
 * entry name only locations that are joined in it. dies_differ: dies of different packages have
 * different numbers. Returns 0 or -ENOMEM. */
int fold_join(struct fold *fold, bool dies_differ);

#endif
