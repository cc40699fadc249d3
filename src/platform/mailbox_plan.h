/* SPDX-License-Identifier: GPL-2.0-only */
/* What the planning operations of mailbox parts make their steps of. */
#ifndef PLATFORM_MAILBOX_PLAN_H
#define PLATFORM_MAILBOX_PLAN_H

#include "plan/plan.h"
#include "platform/mailbox.h"

/* A mailbox command to the domain that cpu is in; and the writing of a whole MSR of its package. */
struct plan_write mailbox_plan_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
				       uint32_t parameter, uint32_t data);
struct plan_write mailbox_plan_msr(uint32_t cpu, uint32_t msr, uint64_t value);

/* A check of mask's bits, read back by a command or register; tries as in struct plan_check. */
struct plan_check mailbox_plan_check(struct plan_write read, uint32_t mask, uint32_t value,
				     uint32_t old_value, unsigned int tries);

/* A step is about that domain. */
struct plan_subject mailbox_plan_subject(const struct power_domain *domain);

/* One MSR of a package, to be read by its domain. */
struct msr_read {
	const struct power_domain *domain;
	uint32_t msr;
	uint64_t value;
	int error; /* a negative errno of channel.h, or 0 */
};

/* Reads all of them in batches. Returns 0 or -ENOMEM. */
int mailbox_plan_read_msrs(const struct platform *platform, struct msr_read *reads, size_t count);

#endif
