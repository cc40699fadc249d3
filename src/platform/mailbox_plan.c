// SPDX-License-Identifier: GPL-2.0-only
/* The pieces of mailbox steps (hardware.md, sections 2 and 3). */
#include "platform/mailbox_plan.h"

struct plan_write mailbox_plan_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
				       uint32_t parameter, uint32_t data)
{
	return (struct plan_write){
		.kind = PLAN_MAILBOX,
		.cpu = cpu,
		.command = command,
		.sub_command = sub_command,
		.parameter = parameter,
		.value = data,
	};
}

struct plan_check mailbox_plan_check(struct plan_write read, uint32_t mask, uint32_t value,
				     uint32_t old_value, unsigned int tries)
{
	return (struct plan_check){
		.kind = PLAN_CHECK_WORD,
		.read = read,
		.mask = mask,
		.value = value & mask,
		.old_value = old_value & mask,
		.tries = tries,
	};
}
