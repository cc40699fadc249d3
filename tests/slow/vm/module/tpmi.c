// SPDX-License-Identifier: GPL-2.0-only
/* A VSEC device for each package, whose BAR holds TPMI features: info, control, SST and uncore
 * (hardware.md, section 4, "The registers behind these ioctls"; vm-lab.md). Memory traps nobody:
 * lab_tpmi_sync() is called where a driver enters or sleeps, finds what was written, hands it to
 * the PUNIT model and shows what came of it. */
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "lab.h"
#include "pci.h"

#define BUS_VSEC    0x30
#define DEVICE_VSEC 0x09a7
#define BAR_SIZE    0x20000UL

#define EXPRESS_CAPABILITY 0x40
#define DVSEC              0x100
#define DVSEC_ID_TPMI      66

#define FEATURE_UNCORE  0x02
#define FEATURE_SST     0x05
#define FEATURE_CONTROL 0x80
#define FEATURE_INFO    0x81

#define AT_INFO    0x1000
#define AT_CONTROL 0x2000
#define AT_SST     0x4000
#define AT_UNCORE  0x10000

#define SST_SIZE    (REGISTERS_COUNT * 8)
#define UNCORE_SIZE 32
#define UNCORE_WORD 2 /* of the cluster, in quadwords */
#define NOT_THERE   (~0ULL)

#define CONTROL_RUN     1ULL
#define CONTROL_OWNER   (3ULL << 4)
#define CONTROL_IN_BAND (1ULL << 4)
#define CONTROL_DONE    (1ULL << 6)
#define CONTROL_RESULT  (0x40ULL << 8)

struct tpmi_package {
	void __iomem *bar;
	u32 n_instances;
	u64 *shown; /* SST registers as they were last shown, instance by instance */
};

static struct tpmi_package packages[LAB_MAX_PACKAGES];

static struct registers find_registers(int domain)
{
	return (struct registers){ .punit = lab_punit(domain),
				   .level_error = &lab.level_errors[domain] };
}

/* Shows the registers of one instance. */
static void show_instance(struct tpmi_package *package, u32 instance, int domain)
{
	void __iomem *block = package->bar + AT_SST + instance * SST_SIZE;
	u64 *shown = package->shown + instance * REGISTERS_COUNT;
	struct registers registers = find_registers(domain);

	for (u32 i = 0; i < REGISTERS_COUNT; i++) {
		shown[i] = registers_read(&registers, i);
		writeq(shown[i], block + i * 8);
	}
}

static void sync_instance(struct tpmi_package *package, u32 instance, int domain)
{
	void __iomem *block = package->bar + AT_SST + instance * SST_SIZE;
	u64 *shown = package->shown + instance * REGISTERS_COUNT;
	struct registers registers = find_registers(domain);

	for (u32 i = 0; i < REGISTERS_COUNT; i++) {
		u64 value = readq(block + i * 8);

		if (value != shown[i])
			registers_write(&registers, &lab.response, i, value);
	}
	show_instance(package, instance, domain);
}

/* The handshake in which a driver asks whether a feature is on, step by step. */
static void sync_control(void __iomem *control)
{
	u64 state = readq(control);
	u32 command = readl(control + 8), feature = readl(control + 12) >> 8 & 0xff;

	if (state & CONTROL_RUN) {
		writel(feature << 8 | (lab.write_blocked ? 1 << 4 : 0) | 1, control + 12);
		writel(0, control + 8);
		writeq((state & CONTROL_OWNER) | CONTROL_DONE | CONTROL_RESULT, control);
	} else if (command && !(state & CONTROL_OWNER)) {
		writeq(CONTROL_IN_BAND, control);
	}
}

static void for_each_instance(void (*act)(struct tpmi_package *, u32, int))
{
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		for (u32 j = 0; j < packages[i].n_instances; j++) {
			int domain = lab_find_domain(i, j);

			if (domain >= 0 && lab.domains[domain].has_sst)
				act(&packages[i], j, domain);
		}
	}
}

void lab_tpmi_show(void)
{
	for_each_instance(show_instance);
}

void lab_tpmi_sync(void)
{
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		if (packages[i].bar)
			sync_control(packages[i].bar + AT_CONTROL);
	}
	for_each_instance(sync_instance);
}

static u64 make_entry(u8 feature, u32 instances, u32 size, u32 at)
{
	return feature | (u64)instances << 8 | (u64)(size / 4) << 16 | (u64)(at / 1024) << 32 |
	       1ULL << 48;
}

static void put_info(u32 index, void __iomem *info)
{
	u64 dies = 0;

	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		if (lab.domains[i].package == index && lab.domains[i].has_cpus)
			dies |= 1ULL << lab.domains[i].punit;
	}
	writeq(2, info);
	writeq((u64)BUS_VSEC << 8 | (u64)index << 16 | (u64)(LAB_PCI_DOMAIN + index) << 24 |
		       dies << 34,
	       info + 8);
}

static void put_uncore(u32 index, void __iomem *block)
{
	u64 max = lab.blob->uncore_max_khz / 100000, min = lab.blob->uncore_min_khz / 100000;

	for (u32 i = 0; i < packages[index].n_instances; i++) {
		bool is_there = lab_find_domain(index, i) >= 0;
		void __iomem *at = block + i * UNCORE_SIZE;

		writeq(is_there ? 1 | 1 << 8 : NOT_THERE, at);
		writeq(UNCORE_WORD, at + 8);
		writeq(max, at + UNCORE_WORD * 8);
		writeq(max << 8 | min << 15, at + UNCORE_WORD * 8 + 8);
	}
}

static void put_tables(u32 index)
{
	struct tpmi_package *package = &packages[index];
	void __iomem *bar = package->bar;

	writeq(make_entry(FEATURE_INFO, 1, 16, AT_INFO), bar);
	writeq(make_entry(FEATURE_CONTROL, 1, 16, AT_CONTROL), bar + 8);
	writeq(make_entry(FEATURE_SST, package->n_instances, SST_SIZE, AT_SST), bar + 16);
	writeq(make_entry(FEATURE_UNCORE, package->n_instances, UNCORE_SIZE, AT_UNCORE), bar + 24);
	put_info(index, bar + AT_INFO);
	for (u32 i = 0; i < package->n_instances; i++)
		writeq(NOT_THERE, bar + AT_SST + i * SST_SIZE);
	put_uncore(index, bar + AT_UNCORE);
}

static void fill_config(struct lab_function *vsec, u64 base)
{
	lab_pci_set16(vsec, PCI_STATUS, PCI_STATUS_CAP_LIST);
	vsec->config[PCI_CAPABILITY_LIST] = EXPRESS_CAPABILITY;
	vsec->config[EXPRESS_CAPABILITY] = PCI_CAP_ID_EXP;
	lab_pci_set16(vsec, EXPRESS_CAPABILITY + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_RC_END << 4);
	vsec->bar_size = BAR_SIZE;
	lab_pci_set32(vsec, PCI_BASE_ADDRESS_0, (u32)base | PCI_BASE_ADDRESS_MEM_TYPE_64);
	lab_pci_set32(vsec, PCI_BASE_ADDRESS_1, base >> 32);
	lab_pci_set32(vsec, DVSEC, PCI_EXT_CAP_ID_DVSEC | 1 << 16);
	lab_pci_set32(vsec, DVSEC + 4, PCI_VENDOR_ID_INTEL | 1 << 16 | 16 << 20);
	lab_pci_set32(vsec, DVSEC + 8, DVSEC_ID_TPMI | 4 << 16 | 2 << 24);
	lab_pci_set32(vsec, DVSEC + 12, 0);
}

static int add_package(u32 index)
{
	struct lab_function **functions = kcalloc(1, sizeof(*functions), GFP_KERNEL);
	struct lab_function *vsec = kzalloc(sizeof(*vsec), GFP_KERNEL);
	u64 base = LAB_WINDOW + index * LAB_WINDOW_STEP + LAB_TPMI_OFFSET;
	struct tpmi_package *package = &packages[index];

	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		if (lab.domains[i].package == index)
			package->n_instances = max(package->n_instances, lab.domains[i].punit + 1);
	}
	package->shown = kcalloc(package->n_instances, SST_SIZE, GFP_KERNEL);
	package->bar = ioremap(base, BAR_SIZE);
	if (!functions || !vsec || !package->shown || !package->bar)
		return -ENOMEM;
	memset_io(package->bar, 0, BAR_SIZE);
	put_tables(index);
	lab_pci_fill(vsec, PCI_DEVFN(0, 0), DEVICE_VSEC, index, false);
	fill_config(vsec, base);
	functions[0] = vsec;
	lab_tpmi_show();
	return lab_pci_add_bus(index, BUS_VSEC, functions, 1);
}

int lab_tpmi_init(void)
{
	int err = 0;

	if (lab.blob->interface != LAB_TPMI)
		return 0;
	for (u32 i = 0; i < lab.blob->n_packages && !err; i++)
		err = add_package(i);
	return err;
}
