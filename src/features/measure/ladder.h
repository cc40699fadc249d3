/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of measure ladder, which machine verify uses, too. */
#ifndef FEATURES_MEASURE_LADDER_H
#define FEATURES_MEASURE_LADDER_H

#include "features/measure/common.h"

/* The defaults. */
#define LADDER_SECONDS   2
#define LADDER_TOLERANCE 2

struct ladder {
	struct measurement measurement;
	enum load_kind kind;
	uint64_t seconds; /* of a step */
	bool clears_limits;
	/* For machine verify: a few steps; their groups also have the higher prediction. */
	bool is_short;
	uint32_t *order; /* a CPU of each core, in the order in which they become busy */
	size_t n_cores;
	size_t n_busy;
	size_t fits[N_FREQUENCY_READINGS]; /* CPUs whose frequency only this reading predicts */
	struct ladder_result result;
};

void ladder_done(struct ladder *ladder);

/* Measures the steps. The members up to is_short and the limits of the measurement must be set.
 * Returns 0, also after a problem, which is reported; or -ENOMEM. */
int ladder_measure(struct ladder *ladder);

/* Measures the short form for all CPUs with the scalar load. After a problem, which is reported,
 * *ret_result is unchanged. Returns 0 or -ENOMEM. */
int measure_ladder_short(struct context *context, struct ladder_result *ret_result);

#endif
