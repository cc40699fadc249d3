// SPDX-License-Identifier: GPL-2.0-only
/* PCI root buses with functions that exist only here: pci_scan_root_bus() takes any pair of
 * accessors. Each package has a PCI domain and a NUMA node of its own. */
#include "pci.h"

#include <linux/pci.h>
#include <linux/slab.h>

#include "lab.h"

struct lab_bus {
	struct pci_sysdata sysdata; /* the first: the bus's sysdata points here */
	struct resource memory;
	struct lab_function **functions;
	size_t n_functions;
};

static struct lab_function *find_function(struct pci_bus *bus, unsigned int devfn)
{
	struct lab_bus *lab_bus = container_of(bus->sysdata, struct lab_bus, sysdata);

	for (size_t i = 0; i < lab_bus->n_functions; i++) {
		if (lab_bus->functions[i]->devfn == devfn)
			return lab_bus->functions[i];
	}
	return NULL;
}

static u32 load(const struct lab_function *function, int where)
{
	return le32_to_cpup((const __le32 *)(function->config + where));
}

static int read_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *ret_value)
{
	struct lab_function *function = find_function(bus, devfn);
	u32 value = ~0U;

	if (function && (size_t)where < sizeof(function->config)) {
		if (!function->read || !function->read(function, where & ~3, &value))
			value = load(function, where & ~3);
		value >>= 8 * (where & 3);
	}
	*ret_value = size == 4 ? value : value & ((1U << (8 * size)) - 1);
	return PCIBIOS_SUCCESSFUL;
}

/* What a write leaves in a BAR: its size is told by bits that stay 0, its kind by bits 3:0. */
static u32 mask_bar(const struct lab_function *function, int where, u32 value)
{
	u64 mask = function->bar_size ? ~(function->bar_size - 1) : 0;

	if (where == PCI_BASE_ADDRESS_0)
		return (value & (u32)mask) |
		       (function->bar_size ? PCI_BASE_ADDRESS_MEM_TYPE_64 : 0);
	if (where == PCI_BASE_ADDRESS_1)
		return value & (u32)(mask >> 32);
	return 0;
}

static int write_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct lab_function *function = find_function(bus, devfn);
	int aligned = where & ~3, shift = 8 * (where & 3);
	u32 mask = size == 4 ? ~0U : ((1U << (8 * size)) - 1) << shift;

	if (!function || (size_t)where >= sizeof(function->config))
		return PCIBIOS_DEVICE_NOT_FOUND;
	value = (load(function, aligned) & ~mask) | (value << shift & mask);
	if (function->write && function->write(function, aligned, value))
		return PCIBIOS_SUCCESSFUL;
	if (aligned >= PCI_BASE_ADDRESS_0 && aligned <= PCI_BASE_ADDRESS_5)
		value = mask_bar(function, aligned, value);
	else if (aligned != PCI_COMMAND && aligned < 0x40)
		return PCIBIOS_SUCCESSFUL;
	lab_pci_set32(function, aligned, value);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops lab_pci_ops = { .read = read_config, .write = write_config };

void lab_pci_set16(struct lab_function *function, int where, u16 value)
{
	*(__le16 *)(function->config + where) = cpu_to_le16(value);
}

void lab_pci_set32(struct lab_function *function, int where, u32 value)
{
	*(__le32 *)(function->config + where) = cpu_to_le32(value);
}

void lab_pci_fill(struct lab_function *function, u8 devfn, u16 device, u32 package, bool is_multi)
{
	function->devfn = devfn;
	function->package = package;
	lab_pci_set16(function, PCI_VENDOR_ID, PCI_VENDOR_ID_INTEL);
	lab_pci_set16(function, PCI_DEVICE_ID, device);
	lab_pci_set16(function, PCI_CLASS_DEVICE, PCI_CLASS_SYSTEM_OTHER);
	function->config[PCI_HEADER_TYPE] = is_multi ? 0x80 : 0;
}

/* Drivers map BAR 0 only where it has its place among the resources. */
static void claim_bars(struct pci_bus *bus)
{
	struct pci_dev *device;

	list_for_each_entry(device, &bus->devices, bus_list)
	{
		if (pci_resource_len(device, 0) && pci_claim_resource(device, 0))
			pr_err("isst_lab: BAR 0 of %s has no place\n", pci_name(device));
	}
}

int lab_pci_add_bus(u32 package, u8 bus_number, struct lab_function **functions, size_t n_functions)
{
	struct lab_bus *lab_bus = kzalloc(sizeof(*lab_bus), GFP_KERNEL);
	LIST_HEAD(resources);
	struct pci_bus *bus;

	if (!lab_bus)
		return -ENOMEM;
	lab_bus->functions = functions;
	lab_bus->n_functions = n_functions;
	lab_bus->sysdata.domain = LAB_PCI_DOMAIN + package;
	lab_bus->sysdata.node = package;
	lab_bus->memory = (struct resource)DEFINE_RES_MEM_NAMED(
		LAB_WINDOW + package * LAB_WINDOW_STEP, LAB_WINDOW_STEP, "isst_lab");
	pci_add_resource(&resources, &lab_bus->memory);
	bus = pci_scan_root_bus(NULL, bus_number, &lab_pci_ops, &lab_bus->sysdata, &resources);
	if (!bus)
		return -ENODEV;
	claim_bars(bus);
	pci_bus_add_devices(bus);
	return 0;
}
