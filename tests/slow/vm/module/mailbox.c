// SPDX-License-Identifier: GPL-2.0-only
/* The mailbox of each package, as a PCI function or as two MSRs, and its MMIO window (hardware.md,
 * section 3; vm-lab.md). The interface register: bit 31 run and busy, 29:16 parameter, 15:8
 * sub-command, 7:0 command, and completion code in the answer. */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "lab.h"
#include "pci.h"

#define BUS_MMIO    0x20
#define BUS_MAILBOX 0x21

#define DEVICE_MAILBOX_ICX 0x3459
#define DEVICE_MAILBOX     0x3259
#define DEVICE_MMIO_ICX    0x3451
#define DEVICE_MMIO        0x3251
#define DEVICE_DUMMY       0x0001

#define MODEL_ICE_LAKE_X 0x6a
#define MODEL_ICE_LAKE_D 0x6c

#define CONFIG_DATA      0xa0
#define CONFIG_INTERFACE 0xa4
#define CONFIG_WINDOW_HI 0xd0
#define CONFIG_WINDOW_LO 0xfc

#define RUN      (1U << 31)
#define MMIO_END 0x120

struct mailbox {
	u32 data;
	u32 interface;
	bool is_stuck;
	void __iomem *window;
	u32 shown[MMIO_END / 4]; /* what the window held when it was last in step */
};

static struct mailbox mailboxes[LAB_MAX_PACKAGES];

/* The first domain of the package: mailbox parts have one PUNIT. */
static u32 first_domain(u32 package)
{
	u32 domain = 0;

	while (domain < lab.blob->n_domains && lab.domains[domain].package != package)
		domain++;
	return domain;
}

/* Counts the command against the orders; the one that applies, or NULL. */
static const struct lab_order *meet_order(u32 package, u32 number, u32 data)
{
	const struct lab_order *met = NULL;

	for (u32 i = 0; i < lab.n_orders; i++) {
		struct lab_order *order = &lab.orders[i];

		if ((number & order->mask) != (order->number & order->mask) ||
		    (order->data >= 0 && order->data != data) ||
		    (order->cpu_package >= 0 && order->cpu_package != package))
			continue;
		if (order->skip) {
			order->skip--;
		} else if (order->times) {
			order->times -= order->times != U32_MAX;
			met = met ? met : order;
		}
	}
	return met;
}

int lab_mailbox_command(u32 package, u32 interface, u32 *data)
{
	struct lab_order fault = {};
	const struct lab_order *order;
	struct punit punit;
	unsigned long flags;
	u32 answer = 0;
	int code;

	spin_lock_irqsave(&lab.lock, flags);
	lab.n_commands++;
	order = meet_order(package, (interface & 0xff) << 8 | (interface >> 8 & 0xff), *data);
	if (order)
		fault = *order;
	punit = lab_punit(first_domain(package));
	if (fault.busy) {
		code = -EBUSY;
	} else if (fault.code || fault.dropped) {
		code = fault.code;
	} else {
		code = punit_mailbox(&punit, interface & 0xff, interface >> 8 & 0xff,
				     interface >> 16 & 0x3fff, *data, &answer);
		if (code == PUNIT_SUCCESS)
			*data = answer;
		lab_mmio_show();
	}
	spin_unlock_irqrestore(&lab.lock, flags);
	if (fault.delay_us)
		udelay(min(fault.delay_us, 20000U));
	return code;
}

u32 lab_mailbox_read_interface(u32 package)
{
	return mailboxes[package].interface;
}

u32 lab_mailbox_read_data(u32 package)
{
	return mailboxes[package].data;
}

void lab_mailbox_write_data(u32 package, u32 value)
{
	mailboxes[package].data = value;
}

void lab_mailbox_write_interface(u32 package, u32 value)
{
	struct mailbox *mailbox = &mailboxes[package];
	int code;

	if (!(value & RUN) || mailbox->is_stuck)
		return;
	code = lab_mailbox_command(package, value, &mailbox->data);
	mailbox->is_stuck = code < 0;
	mailbox->interface = code < 0 ? value : (u32)code;
}

void lab_mailbox_release(void)
{
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		if (mailboxes[i].is_stuck)
			mailboxes[i].interface = 0;
		mailboxes[i].is_stuck = false;
	}
}

static bool read_mailbox(struct lab_function *function, int where, u32 *value)
{
	if (where == CONFIG_DATA)
		*value = lab_mailbox_read_data(function->package);
	else if (where == CONFIG_INTERFACE)
		*value = lab_mailbox_read_interface(function->package);
	return where == CONFIG_DATA || where == CONFIG_INTERFACE;
}

static bool write_mailbox(struct lab_function *function, int where, u32 value)
{
	if (where == CONFIG_DATA)
		lab_mailbox_write_data(function->package, value);
	else if (where == CONFIG_INTERFACE)
		lab_mailbox_write_interface(function->package, value);
	return where == CONFIG_DATA || where == CONFIG_INTERFACE;
}

void lab_mmio_show(void)
{
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		struct mailbox *mailbox = &mailboxes[i];
		struct punit punit = lab_punit(first_domain(i));

		for (u32 reg = 0; mailbox->window && reg < MMIO_END; reg += 4) {
			mailbox->shown[reg / 4] = punit_mmio(&punit, reg, false, 0);
			writel(mailbox->shown[reg / 4], mailbox->window + reg);
		}
	}
}

/* Writes to memory are not trapped: a value that differs from the one shown was written. */
void lab_mmio_sync(void)
{
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		struct mailbox *mailbox = &mailboxes[i];
		struct punit punit = lab_punit(first_domain(i));

		for (u32 reg = 0; mailbox->window && reg < MMIO_END; reg += 4) {
			u32 value = readl(mailbox->window + reg);

			if (value != mailbox->shown[reg / 4])
				punit_mmio(&punit, reg, true, value);
		}
	}
	lab_mmio_show();
}

/* A bus with one slot: function 0 must be there for function 1 to be found. */
static int add_slot(u32 package, u8 bus, u8 slot, u16 device, struct lab_function *function)
{
	struct lab_function **functions = kcalloc(2, sizeof(*functions), GFP_KERNEL);
	struct lab_function *dummy = kzalloc(sizeof(*dummy), GFP_KERNEL);

	if (!functions || !dummy)
		return -ENOMEM;
	lab_pci_fill(dummy, PCI_DEVFN(slot, 0), DEVICE_DUMMY, package, true);
	lab_pci_fill(function, PCI_DEVFN(slot, 1), device, package, true);
	functions[0] = dummy;
	functions[1] = function;
	return lab_pci_add_bus(package, bus, functions, 2);
}

static int add_package(u32 package, bool is_icx)
{
	struct lab_function *mailbox = kzalloc(sizeof(*mailbox), GFP_KERNEL);
	struct lab_function *mmio = kzalloc(sizeof(*mmio), GFP_KERNEL);
	unsigned long base = LAB_WINDOW + package * LAB_WINDOW_STEP;
	int err;

	if (!mailbox || !mmio)
		return -ENOMEM;
	mailboxes[package].window = ioremap(base, PAGE_SIZE);
	if (!mailboxes[package].window)
		return -ENOMEM;
	mailbox->read = read_mailbox;
	mailbox->write = write_mailbox;
	lab_pci_set32(mmio, CONFIG_WINDOW_HI, base >> 23);
	lab_pci_set32(mmio, CONFIG_WINDOW_LO, base >> 12 & 0x7ff);
	err = add_slot(package, BUS_MAILBOX, 30, is_icx ? DEVICE_MAILBOX_ICX : DEVICE_MAILBOX,
		       mailbox);
	return err ?: add_slot(package, BUS_MMIO, 0, is_icx ? DEVICE_MMIO_ICX : DEVICE_MMIO, mmio);
}

int lab_mailbox_init(void)
{
	bool is_icx = lab.blob->model == MODEL_ICE_LAKE_X || lab.blob->model == MODEL_ICE_LAKE_D;
	int err = 0;

	if (lab.blob->interface != LAB_MAILBOX || lab.domains[0].fuses.clos_by_mailbox)
		return 0;
	for (u32 i = 0; i < lab.blob->n_packages && !err; i++)
		err = add_package(i, is_icx);
	return err;
}
