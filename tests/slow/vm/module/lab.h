/* SPDX-License-Identifier: GPL-2.0-only */
/* Hardware with Speed Select inside a virtual machine, for the kernel's own drivers. Each file
 * makes one part of it; all parts ask the same PUNIT model (simulator/punit.h), under lab.lock. */
#ifndef LAB_H
#define LAB_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "blob.h"
#include "registers.h"

#define LAB_MAX_PACKAGES 8

/* Where the registers are: reserved memory, so much of it for each package. */
#define LAB_WINDOW      0x18000000UL
#define LAB_WINDOW_STEP 0x100000UL
#define LAB_TPMI_OFFSET 0x20000UL /* a multiple of the size of its BAR */
#define LAB_TPMI_SIZE   0x20000UL /* of the BAR */

/* A mailbox command that is to go wrong, ordered through the control file. */
struct lab_order {
	u32 number; /* command << 8 | sub-command */
	u32 mask; /* its bits that count */
	s64 data; /* -1: any */
	s64 cpu_package; /* -1: any */
	u32 skip;
	u32 times;
	u8 code; /* the completion code, or 0 */
	bool busy; /* the mailbox never gets ready for this command */
	bool dropped; /* success, but nothing happens */
	u32 delay_us;
};

struct lab {
	spinlock_t lock;
	struct lab_blob *blob;
	const u8 *images; /* of a real machine's BARs, by package; NULL: the model answers */
	struct lab_domain *domains;
	struct lab_cpu *cpus;
	struct punit_fuses *fused; /* by domain: as the blob has it, whatever was ordered since */
	struct punit_state *states; /* the same */
	struct punit_package packages[LAB_MAX_PACKAGES];
	u64 uncore[LAB_MAX_PACKAGES]; /* MSR 0x620 */
	u8 *level_errors; /* by domain: as the TPMI status shows them */
	struct punit_response response;
	bool hwp_off;
	bool write_blocked; /* what TPMI control reports to a driver that is bound afterwards */
	bool no_turbo;
	struct lab_order orders[16];
	u32 n_orders;
	u32 n_commands; /* mailbox commands so far, those for limit reasons too */
};

extern struct lab lab;

/* The PUNIT of a domain by its index. lab.lock is held while it is used. */
struct punit lab_punit(u32 domain);

/* The index of the first domain of a package with that power-domain id, or -1. */
int lab_find_domain(u32 package, u32 punit);

/* The core of a CPU, within its power domain. */
u32 lab_core_of(u32 cpu);

/* Everything as at power-on; orders are forgotten. */
void lab_reset(void);

/* Removes all faults, and resets the hardware to the platform file. */
void lab_end_faults(void);

/* Base frequency of a CPU at the level that its domain has now. */
u32 lab_base_khz(u32 cpu);

/* main.c's parts, each with a header of a few lines. 0 or a negative errno. */
int lab_control_init(void);
int lab_firmware_init(void);
int lab_msr_init(void);
int lab_mailbox_init(void);
int lab_tpmi_init(void);
int lab_cpufreq_init(void);

/* cpufreq.c: the policies forget what was set; base_frequency is there or not. May sleep. */
void lab_cpufreq_reset(void);
void lab_cpufreq_show_hwp(bool is_on);

/* idle.c: an order, "CPU STATE DELAY-MS REFUSED DEMOTED EARLY", the first of which registers the
 * idle driver; and the kernel without that driver, as at first. May sleep. 0 or a negative errno.
 */
int lab_idle_order(const char *text);
void lab_idle_reset(void);

/* One mailbox command of a package. Returns the completion code, or -EBUSY where the mailbox is to
 * stay busy. lab.lock is not held. */
int lab_mailbox_command(u32 package, u32 interface, u32 *data);

/* Puts the CLOS registers of MMIO windows and the registers of TPMI in step. lab.lock is held. */
void lab_mmio_sync(void);
void lab_tpmi_sync(void);

/* The registers are to show the model's state as it is now. lab.lock is held. */
void lab_mmio_show(void);
void lab_tpmi_show(void);

/* As at power-on: the registers that the model does not have, too. lab.lock is held. */
void lab_tpmi_reset(void);

/* A new ioctl begins: a mailbox that was left busy is free again. */
void lab_mailbox_release(void);

/* The two registers of the mailbox, by PCI or by MSRs. */
u32 lab_mailbox_read_interface(u32 package);
u32 lab_mailbox_read_data(u32 package);
void lab_mailbox_write_interface(u32 package, u32 value);
void lab_mailbox_write_data(u32 package, u32 value);

#endif
