/* SPDX-License-Identifier: GPL-2.0-only */
/* PCI functions made of nothing but a configuration space in memory. */
#ifndef LAB_PCI_H
#define LAB_PCI_H

#include <linux/types.h>

#define LAB_PCI_DOMAIN 0x10 /* of package 0 */

struct lab_function {
	u8 devfn;
	u8 config[4096] __aligned(4);
	u64 bar_size; /* of BAR 0, 64 bits wide; 0: none */
	u32 package;
	/* Registers that do something; true where they took care of it. */
	bool (*read)(struct lab_function *function, int where, u32 *value);
	bool (*write)(struct lab_function *function, int where, u32 value);
};

/* Fills in the ids and the class; devices of several functions say so. */
void lab_pci_fill(struct lab_function *function, u8 devfn, u16 device, u32 package, bool is_multi);

/* Sets a 16- or 32-bit word of the configuration space. */
void lab_pci_set16(struct lab_function *function, int where, u16 value);
void lab_pci_set32(struct lab_function *function, int where, u32 value);

/* Makes a root bus with those functions, in the private PCI domain of their package. */
int lab_pci_add_bus(u32 package, u8 bus, struct lab_function **functions, size_t n_functions);

#endif
