/* SPDX-License-Identifier: GPL-2.0-only */
/* The topology files of a machine, made out of a short description of it. */
#ifndef UNIT_FAKE_TOPOLOGY_H
#define UNIT_FAKE_TOPOLOGY_H

#include <stdint.h>

#include "fake_files.h"

#define FAKE_CPU_ROOT "/sys/devices/system/cpu"
#define FAKE_DIES     8

/* The CPUs of one die, offline ones too. */
struct fake_die {
	const char *cpus;
	uint32_t package;
	uint32_t die;
};

/* Lists in the kernel's form. What the kernel is too old for is left out. */
struct fake_topology {
	const char *present;
	const char *online;
	const char *possible;
	struct fake_die dies[FAKE_DIES]; /* up to the first without CPUs */
	bool no_die_id;
	bool no_die_list;
	bool no_package_list;
};

/* Adds the files; like the kernel, lists and topology directories for online CPUs only. */
void fake_topology_add(struct fake_files *fake, const struct fake_topology *topology);

#endif
