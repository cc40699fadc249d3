/* SPDX-License-Identifier: GPL-2.0-only */
/* What "min", "base" and "max" mean as limits of uncores now (docs/spec/state.md, "Document"), for
 * commands that take these words, too. */
#ifndef STATE_UNCORE_WORDS_H
#define STATE_UNCORE_WORDS_H

#include "host/uncore.h"
#include "settings/file_change.h"
#include "sst/platform.h"

/* Finds the limits that the words mean for each unit; NULL: no word. platform may be NULL.
 * ret_ranges has room for all units; a limit that nothing reports is 0. Returns 0; or -ENOMEM. */
int uncore_words_find(const struct machine *machine, struct platform *platform,
		      const struct uncore_units *units, const char *min_word, const char *max_word,
		      struct khz_range *ret_ranges);

#endif
