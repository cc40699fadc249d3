/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the table of settings: each has its rows and their operations in a file. */
#ifndef SETTINGS_FAMILIES_H
#define SETTINGS_FAMILIES_H

#include "settings/view.h"

/* In the order of enum setting_id. */
extern const struct setting cpuidle_settings[];

#endif
