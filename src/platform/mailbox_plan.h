/* SPDX-License-Identifier: GPL-2.0-only */
/* What the planning operations of mailbox parts make their steps of. */
#ifndef PLATFORM_MAILBOX_PLAN_H
#define PLATFORM_MAILBOX_PLAN_H

#include "plan/plan.h"
#include "platform/limits.h"
#include "platform/mailbox.h"

/* A mailbox command to the domain that cpu is in. */
struct plan_write mailbox_plan_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
				       uint32_t parameter, uint32_t data);

/* A check of mask's bits, read back by a command or register; tries as in struct plan_check. */
struct plan_check mailbox_plan_check(struct plan_write read, uint32_t mask, uint32_t value,
				     uint32_t old_value, unsigned int tries);

#endif
