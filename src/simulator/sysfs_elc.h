/* SPDX-License-Identifier: GPL-2.0-only */
/* Efficiency latency control of a power domain's uncore (sysfs.md, "uncore"). */
#ifndef SIMULATOR_SYSFS_ELC_H
#define SIMULATOR_SYSFS_ELC_H

#include "simulator/sysfs_tree.h"

/*
 * The files elc_*, as struct sysfs_attribute describes show and store: thresholds in percent, a
 * switch, the floor in kHz. Storing returns 0, -EINVAL or -ERANGE.
 */
int sysfs_elc_show_low(const struct sysfs_place *place, FILE *to);
int sysfs_elc_store_low(const struct sysfs_place *place, const char *text);
int sysfs_elc_show_high(const struct sysfs_place *place, FILE *to);
int sysfs_elc_store_high(const struct sysfs_place *place, const char *text);
int sysfs_elc_show_high_enable(const struct sysfs_place *place, FILE *to);
int sysfs_elc_store_high_enable(const struct sysfs_place *place, const char *text);
int sysfs_elc_show_floor(const struct sysfs_place *place, FILE *to);
int sysfs_elc_store_floor(const struct sysfs_place *place, const char *text);

#endif
