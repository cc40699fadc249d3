// SPDX-License-Identifier: GPL-2.0-only
/* MSRs that QEMU does not have (vm-lab.md, "MSRs"): modules read them through pv_ops, which is
 * replaced before the others are loaded; the kernel's own code is caught by probes. */
#include <linux/kprobes.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <linux/ktime.h>
#include <asm/paravirt_types.h>

#include "lab.h"

#define MSR_PHYSICAL_CPU_1    0x53
#define MSR_PHYSICAL_CPU      0x54
#define MSR_MAILBOX_INTERFACE 0xb0
#define MSR_MAILBOX_DATA      0xb1
#define MSR_BUS_NUMBER        0x128
#define MSR_TURBO_LIMIT       0x1ad
#define MSR_TURBO_CORES       0x1ae
#define MSR_UNCORE_LIMIT      0x620
#define MSR_UNCORE_STATUS     0x621
#define MSR_TDP_CONTROL       0x64b
#define MSR_HWP_ENABLE        0x770
#define MSR_RAPL_UNIT         0x606
#define MSR_PACKAGE_LIMIT     0x610
#define MSR_PACKAGE_ENERGY    0x611
#define MSR_PACKAGE_INFO      0x614
#define MSR_DRAM_LIMIT        0x618
#define MSR_DRAM_ENERGY       0x619

/* 1/8 W, 2^-14 J, 2^-10 s. */
#define RAPL_UNITS (3 | 14 << 8 | 10 << 16)
/* 205 W for a second and 246 W, 40 W of DRAM; on, and package limits with clamping. */
#define PACKAGE_LIMIT (205ULL * 8 | 3 << 15 | 10 << 17 | (246ULL * 8 | 3 << 15) << 32)
#define DRAM_LIMIT    (40ULL * 8 | 1 << 15 | 10 << 17)
#define PACKAGE_INFO  (205ULL * 8 | 100ULL * 8 << 16 | 400ULL * 8 << 32)

static u64 package_limits[LAB_MAX_PACKAGES] = {
	[0 ... LAB_MAX_PACKAGES - 1] = PACKAGE_LIMIT,
};
static u64 dram_limits[LAB_MAX_PACKAGES] = {
	[0 ... LAB_MAX_PACKAGES - 1] = DRAM_LIMIT,
};

#define BUSES (0x21 << 8 | 0x20) /* mailbox.c's */

/* Since Linux 6.16 these functions take and return a whole u64. */
#define HAS_WHOLE_VALUES (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0))

static struct pv_cpu_ops real;

static bool has_msr_mailbox(void)
{
	return lab.blob->interface == LAB_MAILBOX && lab.domains[0].fuses.clos_by_mailbox;
}

/* Reads an MSR of this CPU. Returns whether it is one of ours. */
static bool lab_read(unsigned int msr, u64 *ret_value)
{
	const struct lab_cpu *cpu = &lab.cpus[raw_smp_processor_id()];
	const struct punit_package *package = &lab.packages[cpu->package];

	switch (msr) {
	case MSR_PHYSICAL_CPU_1:
	case MSR_PHYSICAL_CPU:
		*ret_value = cpu->physical_cpu;
		return true;
	case MSR_BUS_NUMBER:
		*ret_value = BUSES;
		return true;
	case MSR_TURBO_LIMIT:
		*ret_value = package->turbo_ratio_limit;
		return true;
	case MSR_TURBO_CORES:
		*ret_value = package->turbo_ratio_limit_cores;
		return true;
	case MSR_UNCORE_LIMIT:
		*ret_value = lab.uncore[cpu->package];
		return true;
	case MSR_UNCORE_STATUS:
		*ret_value = lab.uncore[cpu->package] & 0x7f;
		return true;
	case MSR_TDP_CONTROL:
		*ret_value = lab.domains[cpu->domain].fuses.locked ? 1ULL << 31 : 0;
		return true;
	case MSR_HWP_ENABLE:
		*ret_value = !lab.hwp_off;
		return true;
	case MSR_RAPL_UNIT:
		*ret_value = RAPL_UNITS;
		return true;
	case MSR_PACKAGE_LIMIT:
		*ret_value = package_limits[cpu->package];
		return true;
	case MSR_DRAM_LIMIT:
		*ret_value = dram_limits[cpu->package];
		return true;
	case MSR_PACKAGE_INFO:
		*ret_value = PACKAGE_INFO;
		return true;
	case MSR_PACKAGE_ENERGY: /* 3.7 W: drivers look whether it moves */
	case MSR_DRAM_ENERGY:
		*ret_value = (u32)(ktime_get() >> 14);
		return true;
	case MSR_MAILBOX_INTERFACE:
		*ret_value = lab_mailbox_read_interface(cpu->package);
		return has_msr_mailbox();
	case MSR_MAILBOX_DATA:
		*ret_value = lab_mailbox_read_data(cpu->package);
		return has_msr_mailbox();
	}
	return false;
}

/* Writes an MSR of this CPU. Returns whether it is one of ours. */
static bool lab_write(unsigned int msr, u64 value)
{
	u32 package = lab.cpus[raw_smp_processor_id()].package;

	switch (msr) {
	case MSR_TURBO_LIMIT:
		lab.packages[package].turbo_ratio_limit = value;
		return true;
	case MSR_TURBO_CORES:
		lab.packages[package].turbo_ratio_limit_cores = value;
		return true;
	case MSR_UNCORE_LIMIT:
		lab.uncore[package] = value;
		return true;
	case MSR_PACKAGE_LIMIT:
		package_limits[package] = value;
		return true;
	case MSR_DRAM_LIMIT:
		dram_limits[package] = value;
		return true;
	case MSR_MAILBOX_INTERFACE:
		if (has_msr_mailbox())
			lab_mailbox_write_interface(package, (u32)value);
		return has_msr_mailbox();
	case MSR_MAILBOX_DATA:
		if (has_msr_mailbox())
			lab_mailbox_write_data(package, (u32)value);
		return has_msr_mailbox();
	}
	return false;
}

static u64 read_msr(unsigned int msr)
{
	u64 value;

	return lab_read(msr, &value) ? value : real.read_msr(msr);
}

#if HAS_WHOLE_VALUES
static int read_msr_safe(u32 msr, u64 *ret_value)
{
	return lab_read(msr, ret_value) ? 0 : real.read_msr_safe(msr, ret_value);
}

static void write_msr(u32 msr, u64 value)
{
	if (!lab_write(msr, value))
		real.write_msr(msr, value);
}

static int write_msr_safe(u32 msr, u64 value)
{
	return lab_write(msr, value) ? 0 : real.write_msr_safe(msr, value);
}
#else
static u64 read_msr_safe(unsigned int msr, int *err)
{
	u64 value;

	if (!lab_read(msr, &value))
		return real.read_msr_safe(msr, err);
	*err = 0;
	return value;
}

static void write_msr(unsigned int msr, unsigned int low, unsigned int high)
{
	if (!lab_write(msr, (u64)high << 32 | low))
		real.write_msr(msr, low, high);
}

static int write_msr_safe(unsigned int msr, unsigned int low, unsigned int high)
{
	return lab_write(msr, (u64)high << 32 | low) ? 0 : real.write_msr_safe(msr, low, high);
}
#endif

static void replace_operations(void)
{
	real = pv_ops.cpu;
	pv_ops.cpu.read_msr = read_msr;
	pv_ops.cpu.read_msr_safe = read_msr_safe;
	pv_ops.cpu.write_msr = write_msr;
	pv_ops.cpu.write_msr_safe = write_msr_safe;
}

/* What a probed function goes on with instead of running. */
static noinline notrace void lab_return(void)
{
}

static int return_from(struct pt_regs *regs, u64 value)
{
	regs->ax = value;
	regs->ip = (unsigned long)lab_return;
	return 1;
}

static int probe_read_safe(struct kprobe *probe, struct pt_regs *regs)
{
	u64 value;

	if (!lab_read((u32)regs->di, &value))
		return 0;
#if HAS_WHOLE_VALUES
	*(u64 *)regs->si = value;
	value = 0;
#else
	*(int *)regs->si = 0;
#endif
	return return_from(regs, value);
}

static int probe_write_safe(struct kprobe *probe, struct pt_regs *regs)
{
	u64 value = HAS_WHOLE_VALUES ? regs->si : (u64)(u32)regs->dx << 32 | (u32)regs->si;

	return lab_write((u32)regs->di, value) ? return_from(regs, 0) : 0;
}

static int probe_read_on_cpu(struct kprobe *probe, struct pt_regs *regs)
{
	struct msr_info *info = (struct msr_info *)regs->di;
	u64 value;

	if (info->msrs || !lab_read(info->msr_no, &value))
		return 0;
	info->reg.q = value;
	return return_from(regs, 0);
}

static int probe_write_on_cpu(struct kprobe *probe, struct pt_regs *regs)
{
	struct msr_info *info = (struct msr_info *)regs->di;

	return !info->msrs && lab_write(info->msr_no, info->reg.q) ? return_from(regs, 0) : 0;
}

/* With a post-handler a probe is not optimised into a jump, which could not return elsewhere. */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probes[] = {
	{ .symbol_name = "native_read_msr_safe", .pre_handler = probe_read_safe },
	{ .symbol_name = "native_write_msr_safe", .pre_handler = probe_write_safe },
	{ .symbol_name = "__rdmsr_on_cpu", .pre_handler = probe_read_on_cpu },
	{ .symbol_name = "__wrmsr_on_cpu", .pre_handler = probe_write_on_cpu },
};

int lab_msr_init(void)
{
	int err = 0;

	replace_operations();
	/* The TPMI driver of Linux 6.19 and later asks for the flag before it asks MSR 0x770. */
	set_cpu_cap(&boot_cpu_data, X86_FEATURE_HWP);
	for (size_t i = 0; i < ARRAY_SIZE(probes) && !err; i++) {
		probes[i].post_handler = after;
		err = register_kprobe(&probes[i]);
		if (err)
			pr_err("isst_lab: no probe on %s: %d\n", probes[i].symbol_name, err);
	}
	return err;
}
