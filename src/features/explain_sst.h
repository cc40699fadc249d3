/* SPDX-License-Identifier: GPL-2.0-only */
/* What Speed Select says of a CPU's frequency now. */
#ifndef FEATURES_EXPLAIN_SST_H
#define FEATURES_EXPLAIN_SST_H

#include "cli/context.h"
#include "features/frequency_limits.h"

/* What of it is not a frequency, for who reads the limits. */
struct explain_sst {
	bool has_level;
	uint32_t level;
	bool has_clos; /* CLOS are on, and this CPU's is known */
	uint32_t clos;
	size_t active_cores; /* of its power domain: those with an online CPU; 0: not asked */
	size_t high_priority_cores; /* of its package, where SST-TF is on */
};

/*
 * Reads what Speed Select says of the CPUs of context->cpus, in their order, and adds it to facts.
 * What cannot be read becomes an error in the output; what a platform lacks is left out. Does
 * nothing where there is no platform. Returns 0 or -ENOMEM.
 */
int explain_sst_read(struct context *context, struct frequency_facts *facts,
		     struct explain_sst *ssts);

#endif
