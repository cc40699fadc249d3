/* SPDX-License-Identifier: GPL-2.0-only */
/* Places with equal nodes, shown as one (output.md, "Terse results"). */
#ifndef OUTPUT_FOLD_H
#define OUTPUT_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpuset.h"
#include "output/output.h"

/* The nodes of one place, or of several that are joined. */
struct fold_entry {
	struct output_place place; /* the first one; its CPUs are in cpus */
	/* Those of all places that are joined; empty if there is one place, or no number. cpus are
	 * also those of one place that has several. */
	struct cpuset packages, dies, power_domains, cpus;
	char *nodes; /* their lines */
	bool is_joined; /* with an entry before it */
};

struct fold {
	struct fold_entry *entries;
	size_t count;
};

void fold_done(struct fold *fold);

/* Adds a place and copies its nodes. Returns 0 or -ENOMEM. */
int fold_add(struct fold *fold, const struct output_place *place, const char *nodes);

/* Joins places with equal nodes: the first entry stays, the others are marked. The numbers of an
 * entry name only places that are joined in it. dies_differ: no die of a package has the number of
 * one of another package. Returns 0 or -ENOMEM. */
int fold_join(struct fold *fold, bool dies_differ);

#endif
