// SPDX-License-Identifier: GPL-2.0-only
/* A VSEC device for each package, or for each partition of it, whose BAR holds TPMI features: info,
 * control, SST, uncore (hardware.md, section 4, "The registers behind these ioctls"; vm-lab.md),
 * RAPL (power.c) and PLR (reasons.c).
 * Memory traps nobody: lab_tpmi_sync() is called where a driver enters or sleeps, finds what was
 * written, hands it to the PUNIT model and shows what came of it.
 * With the registers of a real machine (lab.images) there is no model: what a driver writes stays
 * as it is, and firmware answers by the two mailboxes alone, that of control and that of PLR. */
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "lab.h"
#include "pci.h"
#include "power.h"
#include "reasons.h"

#define BUS_VSEC    0x30
#define DEVICE_VSEC 0x09a7

#define EXPRESS_CAPABILITY 0x40
#define DVSEC              0x100
#define DVSEC_ID_TPMI      66

#define FEATURE_POWER   0x00
#define FEATURE_UNCORE  0x02
#define FEATURE_SST     0x05
#define FEATURE_REASONS 0x0c
#define FEATURE_CONTROL 0x80
#define FEATURE_INFO    0x81

#define AT_INFO    0x1000
#define AT_CONTROL 0x2000
#define AT_SST     0x4000
#define AT_UNCORE  0x10000
#define AT_POWER   0x18000
#define AT_REASONS 0x1c000

#define SST_SIZE       (REGISTERS_COUNT * 8)
#define MAX_PARTITIONS 4 /* of a package */
#define MAX_INSTANCES  16
#define NOT_THERE      (~0ULL)

#define UNCORE_SIZE     32
#define UNCORE_WORD     2 /* of the cluster, in quadwords */
#define UNCORE_VERSION  2 /* with efficiency latency control */
#define AGENTS_OF_CORES (7ULL << 23) /* core, cache, memory */
#define AGENTS_OF_IO    (1ULL << 26)

#define CONTROL_RUN     1ULL
#define CONTROL_OWNER   (3ULL << 4)
#define CONTROL_IN_BAND (1ULL << 4)
#define CONTROL_DONE    (1ULL << 6)
#define CONTROL_RESULT  (0x40ULL << 8)

/* A package has one device, or one for each partition. */
struct tpmi_device {
	u32 package;
	u32 partition;
	void __iomem *bar;
	void __iomem *control;
	u32 n_instances; /* that the model answers for */
	int domains[MAX_INSTANCES]; /* by instance; -1: a hole */
	u64 *shown; /* SST registers as they were last shown, instance by instance */
};

static struct tpmi_device devices[LAB_MAX_PACKAGES * MAX_PARTITIONS];
static u32 n_devices;

static struct registers find_registers(int domain)
{
	return (struct registers){ .punit = lab_punit(domain),
				   .level_error = &lab.level_errors[domain] };
}

/* Shows the registers of one instance. */
static void show_instance(struct tpmi_device *device, u32 instance)
{
	void __iomem *block = device->bar + AT_SST + instance * SST_SIZE;
	u64 *shown = device->shown + instance * REGISTERS_COUNT;
	struct registers registers = find_registers(device->domains[instance]);

	for (u32 i = 0; i < REGISTERS_COUNT; i++) {
		shown[i] = registers_read(&registers, i);
		writeq(shown[i], block + i * 8);
	}
}

static void sync_instance(struct tpmi_device *device, u32 instance)
{
	void __iomem *block = device->bar + AT_SST + instance * SST_SIZE;
	u64 *shown = device->shown + instance * REGISTERS_COUNT;
	struct registers registers = find_registers(device->domains[instance]);

	for (u32 i = 0; i < REGISTERS_COUNT; i++) {
		u64 value = readq(block + i * 8);

		/* where BIOS blocks writing, a driver that writes all the same changes nothing */
		if (value != shown[i] && !lab.write_blocked)
			registers_write(&registers, &lab.response, i, value);
	}
	show_instance(device, instance);
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

static void for_each_instance(void (*act)(struct tpmi_device *, u32))
{
	for (u32 i = 0; i < n_devices; i++) {
		for (u32 j = 0; j < devices[i].n_instances; j++) {
			int domain = devices[i].domains[j];

			if (domain >= 0 && lab.domains[domain].has_sst)
				act(&devices[i], j);
		}
	}
}

static void put_uncore(const struct tpmi_device *device, void __iomem *block)
{
	u64 min = lab.blob->uncore_min_khz / 100000;

	for (u32 i = 0; i < device->n_instances; i++) {
		void __iomem *at = block + i * UNCORE_SIZE, *cluster = at + UNCORE_WORD * 8;
		bool has_cpus = device->domains[i] >= 0 && lab.domains[device->domains[i]].has_cpus;
		u64 max = (has_cpus ? lab.blob->uncore_max_khz : lab.blob->uncore_io_max_khz) /
			  100000;

		writeq(device->domains[i] >= 0 ? UNCORE_VERSION | 1 << 8 : NOT_THERE, at);
		writeq(UNCORE_WORD, at + 8);
		writeq(max | (has_cpus ? AGENTS_OF_CORES : AGENTS_OF_IO), cluster);
		writeq(max << 8 | min << 15 | min << 22, cluster + 8);
	}
}

void lab_tpmi_show(void)
{
	for_each_instance(show_instance);
}

/* The registers as the real machine had them. */
static void put_image(const struct tpmi_device *device)
{
	memcpy_toio(device->bar, lab.images + device->package * LAB_TPMI_SIZE, LAB_TPMI_SIZE);
}

void lab_tpmi_reset(void)
{
	for (u32 i = 0; i < n_devices; i++) {
		if (lab.images)
			put_image(&devices[i]);
		else
			put_uncore(&devices[i], devices[i].bar + AT_UNCORE);
	}
	lab_power_reset();
	lab_reasons_reset();
	lab_tpmi_show();
}

void lab_tpmi_sync(void)
{
	for (u32 i = 0; i < n_devices; i++)
		sync_control(devices[i].control);
	for_each_instance(sync_instance);
	lab_reasons_sync();
}

static u64 make_entry(u8 feature, u32 instances, u32 size, u32 at)
{
	return feature | (u64)instances << 8 | (u64)(size / 4) << 16 | (u64)(at / 1024) << 32 |
	       1ULL << 48;
}

static void put_info(const struct tpmi_device *device, void __iomem *info)
{
	u64 dies = 0;

	for (u32 i = 0; i < device->n_instances; i++) {
		int domain = device->domains[i];

		if (domain >= 0 && lab.domains[domain].has_cpus)
			dies |= 1ULL << lab.domains[domain].punit;
	}
	writeq(2, info);
	writeq((u64)device->partition << 3 | (u64)BUS_VSEC << 8 | (u64)device->package << 16 |
		       (u64)(LAB_PCI_DOMAIN + device->package) << 24 |
		       (u64)device->partition << 32 | dies << 34,
	       info + 8);
}

/* Fills in the table of features. Returns how many there are. */
static u32 put_table(const struct tpmi_device *device)
{
	const u32 n = device->n_instances;
	const u64 entries[] = {
		make_entry(FEATURE_INFO, 1, 16, AT_INFO),
		make_entry(FEATURE_CONTROL, 1, 16, AT_CONTROL),
		make_entry(FEATURE_SST, n, SST_SIZE, AT_SST),
		make_entry(FEATURE_UNCORE, n, UNCORE_SIZE, AT_UNCORE),
		make_entry(FEATURE_REASONS, n, LAB_REASONS_SIZE, AT_REASONS),
		/* the last, as one device of a package has it */
		make_entry(FEATURE_POWER, 1, lab_power_size(device->package), AT_POWER),
	};
	const u32 count = ARRAY_SIZE(entries) - (device->partition > 0);

	for (u32 i = 0; i < count; i++)
		writeq(entries[i], device->bar + i * 8);
	return count;
}

static int put_features(const struct tpmi_device *device)
{
	void __iomem *bar = device->bar;
	int err = 0;

	put_info(device, bar + AT_INFO);
	for (u32 i = 0; i < device->n_instances; i++)
		writeq(NOT_THERE, bar + AT_SST + i * SST_SIZE);
	put_uncore(device, bar + AT_UNCORE);
	for (u32 i = 0; i < device->n_instances && !err; i++)
		err = lab_reasons_add(device->domains[i], bar + AT_REASONS + i * LAB_REASONS_SIZE);
	if (device->partition == 0)
		lab_power_add(device->package, bar + AT_POWER);
	return err;
}

static void fill_config(struct lab_function *vsec, u64 base, u32 n_features)
{
	lab_pci_set16(vsec, PCI_STATUS, PCI_STATUS_CAP_LIST);
	vsec->config[PCI_CAPABILITY_LIST] = EXPRESS_CAPABILITY;
	vsec->config[EXPRESS_CAPABILITY] = PCI_CAP_ID_EXP;
	lab_pci_set16(vsec, EXPRESS_CAPABILITY + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_RC_END << 4);
	vsec->bar_size = LAB_TPMI_SIZE;
	lab_pci_set32(vsec, PCI_BASE_ADDRESS_0, (u32)base | PCI_BASE_ADDRESS_MEM_TYPE_64);
	lab_pci_set32(vsec, PCI_BASE_ADDRESS_1, base >> 32);
	lab_pci_set32(vsec, DVSEC, PCI_EXT_CAP_ID_DVSEC | 1 << 16);
	lab_pci_set32(vsec, DVSEC + 4, PCI_VENDOR_ID_INTEL | 1 << 16 | 16 << 20);
	lab_pci_set32(vsec, DVSEC + 8, DVSEC_ID_TPMI | n_features << 16 | 2 << 24);
	lab_pci_set32(vsec, DVSEC + 12, 0);
}

/* The domains of a device by instance. A package of one device has them at their ids, with holes;
 * in a partitioned package they follow one another. */
static void find_domains(struct tpmi_device *device, bool is_partitioned)
{
	memset(device->domains, -1, sizeof(device->domains));
	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		const struct lab_domain *domain = &lab.domains[i];
		u32 instance = is_partitioned ? device->n_instances : domain->punit;

		if (domain->package != device->package || domain->partition != device->partition ||
		    instance >= MAX_INSTANCES)
			continue;
		device->domains[instance] = (int)i;
		device->n_instances = max(device->n_instances, instance + 1);
	}
}

/* The features of a device as the model has them. Sets how many there are. */
static int make_features(struct tpmi_device *device, bool is_partitioned, u32 *ret_count)
{
	find_domains(device, is_partitioned);
	device->shown = kcalloc(device->n_instances, SST_SIZE, GFP_KERNEL);
	if (!device->shown)
		return -ENOMEM;
	device->control = device->bar + AT_CONTROL;
	*ret_count = put_table(device);
	return put_features(device);
}

/* The features of a device as a real machine has them; those that do something are found by their
 * table. Sets how many there are. */
static int take_features(struct tpmi_device *device, u32 *ret_count)
{
	u64 entry;

	put_image(device);
	for (*ret_count = 0; (entry = readq(device->bar + *ret_count * 8)); ++*ret_count) {
		const u32 n = entry >> 8 & 0xff, size = (entry >> 16 & 0xffff) * 4;
		void __iomem *at = device->bar + (entry >> 32 & 0xffff) * 1024;
		int err = 0;

		if ((entry & 0xff) == FEATURE_CONTROL)
			device->control = at;
		for (u32 i = 0; (entry & 0xff) == FEATURE_REASONS && i < n && !err; i++)
			err = lab_reasons_add_recorded(at + i * size);
		if (err)
			return err;
	}
	return device->control ? 0 : -EINVAL;
}

static int add_device(u32 package, u32 partition, bool is_partitioned,
		      struct lab_function **ret_function)
{
	struct lab_function *vsec = kzalloc(sizeof(*vsec), GFP_KERNEL);
	u64 base = LAB_WINDOW + package * LAB_WINDOW_STEP + LAB_TPMI_OFFSET +
		   partition * LAB_TPMI_SIZE;
	struct tpmi_device *device = &devices[n_devices];
	u32 n_features;
	int err;

	*device = (struct tpmi_device){ .package = package,
					.partition = partition,
					.bar = ioremap(base, LAB_TPMI_SIZE) };
	if (!vsec || !device->bar)
		return -ENOMEM;
	memset_io(device->bar, 0, LAB_TPMI_SIZE);
	err = lab.images ? take_features(device, &n_features)
			 : make_features(device, is_partitioned, &n_features);
	if (err)
		return err;
	n_devices++;
	lab_pci_fill(vsec, PCI_DEVFN(partition, 0), DEVICE_VSEC, package, false);
	fill_config(vsec, base, n_features);
	*ret_function = vsec;
	return 0;
}

static int add_package(u32 package)
{
	struct lab_function **functions = kcalloc(MAX_PARTITIONS, sizeof(*functions), GFP_KERNEL);
	u32 n_partitions = 0;
	int err = functions ? 0 : -ENOMEM;

	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		if (lab.domains[i].package == package)
			n_partitions = max(n_partitions, lab.domains[i].partition + 1);
	}
	for (u32 i = 0; i < n_partitions && !err; i++)
		err = add_device(package, i, n_partitions > 1, &functions[i]);
	lab_tpmi_show();
	return err ?: lab_pci_add_bus(package, BUS_VSEC, functions, n_partitions);
}

int lab_tpmi_init(void)
{
	int err = 0;

	if (lab.blob->interface != LAB_TPMI)
		return 0;
	lab_power_init();
	for (u32 i = 0; i < lab.blob->n_packages && !err; i++)
		err = add_package(i);
	return err;
}
