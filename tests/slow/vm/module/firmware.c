// SPDX-License-Identifier: GPL-2.0-only
/* When firmware gets its turn. Registers in memory cannot trap, so they are looked at when an ioctl
 * begins and whenever something sleeps: the drivers sleep while they wait for firmware. */
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "lab.h"

#define ISST_MAGIC 0xfe

static void take_turn(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lab.lock, flags);
	lab_mmio_sync();
	lab_tpmi_sync();
	spin_unlock_irqrestore(&lab.lock, flags);
}

/* The probed function's argument is the caller's registers: the request is the second of them. */
static int enter_ioctl(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pt_regs *caller = (const struct pt_regs *)regs->di;

	if ((caller->si >> 8 & 0xff) == ISST_MAGIC) {
		lab_mailbox_release();
		take_turn();
	}
	return 0;
}

static int enter_sleep(struct kprobe *probe, struct pt_regs *regs)
{
	take_turn();
	return 0;
}

static struct kprobe probes[] = {
	{ .symbol_name = "__x64_sys_ioctl", .pre_handler = enter_ioctl },
	{ .symbol_name = "msleep", .pre_handler = enter_sleep },
	{ .symbol_name = "usleep_range_state", .pre_handler = enter_sleep },
};

int lab_firmware_init(void)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(probes) && !err; i++) {
		err = register_kprobe(&probes[i]);
		if (err)
			pr_err("isst_lab: no probe on %s: %d\n", probes[i].symbol_name, err);
	}
	return err;
}
