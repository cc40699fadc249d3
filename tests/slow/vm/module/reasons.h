/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the hardware limits frequencies (reasons.c). */
#ifndef LAB_REASONS_H
#define LAB_REASONS_H

#define LAB_REASONS_SIZE 32 /* bytes of the registers of a power domain */

/* The registers of a domain, by its index, are to be there; -1: a hole. Returns 0 or -ENOSPC. */
int lab_reasons_add(int domain, void __iomem *at);

/* The registers of a domain of a real machine: every core has the reasons that were read last.
 * Returns 0 or -ENOSPC. */
int lab_reasons_add_recorded(void __iomem *at);

/* As at power-on: no reasons. lab.lock is held. */
void lab_reasons_reset(void);

/* Answers what a driver asked through the mailboxes. lab.lock is held. */
void lab_reasons_sync(void);

/* An order, "cpu CPU MASK" or "domain PACKAGE POWER-DOMAIN MASK": reasons appear. Returns 0,
 * -EINVAL or -ENODEV. lab.lock is not held. */
int lab_reasons_order(const char *text);

#endif
