/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes that several features show: SST-BF and SST-TF of a level (output.md). */
#ifndef FEATURES_RECORDS_H
#define FEATURES_RECORDS_H

#include "output/output.h"
#include "platform/platform.h"

#define RECORDS_ALL UINT32_MAX

/* speed-select-base-freq-properties. */
void records_put_base_freq(struct output *output, const struct sst_base_freq *base_freq);

/*
 * speed-select-turbo-freq-properties: bucket (0 to 7) or RECORDS_ALL, with the frequencies of one
 * turbo-ratio level (0 to platform->n_trl_levels - 1) or RECORDS_ALL; all clip frequencies.
 */
void records_put_turbo_freq(struct output *output, const struct platform *platform,
			    const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			    uint32_t trl_level);

#endif
