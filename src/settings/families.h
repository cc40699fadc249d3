/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the table of settings: each has its rows and their operations in a file. */
#ifndef SETTINGS_FAMILIES_H
#define SETTINGS_FAMILIES_H

#include "settings/file_change.h"
#include "settings/view.h"

/* In the order of enum setting_id. */
extern const struct setting cpuidle_settings[];
extern const struct setting uncore_settings[];

/* The limits of the uncore of a place as they are wanted; one that is not a frequency is 0. */
struct khz_range uncore_wanted_range(const struct state_rows *wanted, size_t place);

#endif
