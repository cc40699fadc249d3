/* SPDX-License-Identifier: GPL-2.0-only */
/* Places with equal nodes, shown as one (output.md, "Terse results"). */
#ifndef OUTPUT_FOLD_H
#define OUTPUT_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpuset.h"
#include "output/output.h"

/* The nodes of one place, or of several: then each part that is a number has all of theirs. */
struct fold_entry {
	struct output_place place; /* the first; without cpus */
	struct cpuset packages, dies, power_domains, cpus; /* empty where a part has no number */
	char *nodes; /* their lines */
	bool is_taken; /* by an entry before it */
	bool is_in; /* while they are joined: with the first of them */
};

struct fold {
	struct fold_entry *entries;
	size_t count;
};

void fold_done(struct fold *fold);

/* Adds a place and copies its nodes. Returns 0 or -ENOMEM. */
int fold_add(struct fold *fold, const struct output_place *place, const char *nodes);

/* Makes places with equal nodes one entry, the first, and marks the others as taken: those of the
 * machine, or else of a package, or of a die. Places without equal nodes are not among those that
 * the numbers of an entry name. Returns 0 or -ENOMEM. */
int fold_join(struct fold *fold);

#endif
