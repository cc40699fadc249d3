/* SPDX-License-Identifier: GPL-2.0-only */
/* Buckets of SST-TF that no machine of this shape can fill. */
#ifndef FEATURES_BUCKET_NOTE_H
#define FEATURES_BUCKET_NOTE_H

#include "cli/context.h"
#include "features/levels.h"

/*
 * Remarks on each bucket (bucket alone, or RECORDS_ALL) of a package that asks for more
 * high-priority cores, or modules, than the whole package has enabled at that level (commands.md,
 * "turbo-freq (SST-TF)"). levels are those of the context, read with PLATFORM_TURBO_FREQ and
 * PLATFORM_CPUS; what the package's other domains enable is read here. If that is not known there
 * is no remark. Returns 0 or -ENOMEM.
 */
int bucket_note_put(struct context *context, const struct levels *levels, uint32_t level,
		    uint32_t bucket);

#endif
