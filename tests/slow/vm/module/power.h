/* SPDX-License-Identifier: GPL-2.0-only */
/* Energy counters and power limits of packages (power.c). */
#ifndef LAB_POWER_H
#define LAB_POWER_H

#include <linux/types.h>

/* Bytes that the registers of a package take. */
u32 lab_power_size(u32 package);

/* The registers of a package are to be there. */
void lab_power_add(u32 package, void __iomem *blocks);

/* As at power-on: no power, counters at 0. lab.lock is held. */
void lab_power_reset(void);

/* An order, "PACKAGE package|memory|system VALUE": power in mW; or what the counter shows, in
 * 2^-14 J. Returns 0, -EINVAL, or -ENODEV: no such counter. lab.lock is not held. */
int lab_power_order(const char *text, bool is_count);

/* BIOS locks the limits of a package: drivers look at their start. Returns 0 or -ENODEV. */
int lab_power_lock(u32 package);

/* Limits are in units of 1/2^bits W from now on, bits 0 to 15. */
void lab_power_unit(u32 bits);

void lab_power_init(void);

#endif
