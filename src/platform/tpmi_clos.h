/* SPDX-License-Identifier: GPL-2.0-only */
/* SST-CP of TPMI parts: what a state means, and the associations of cores (hardware.md, section 4).
 */
#ifndef PLATFORM_TPMI_CLOS_H
#define PLATFORM_TPMI_CLOS_H

#include "platform/tpmi.h"

/* CORE_POWER_STATE as SST-CP. */
struct sst_core_power tpmi_clos_decode_state(const struct isst_core_power_state *state);

/* The PUNIT cores of some CPUs, each once. */
struct core_list {
	struct isst_clos_assoc *cores; /* in the order of their first CPUs; clos as it was read */
	int *errors; /* of reading each */
	size_t n_cores;
	size_t *core_of; /* by CPU of the list: index into cores, SIZE_MAX: its core is not known */
};

/*
 * Reads which CLOS the cores of cpus[0..count-1] are in, each core once. Returns 0 or -ENOMEM, with
 * *ret_list empty.
 */
int tpmi_clos_read_cores(struct platform *platform, const uint32_t *cpus, size_t count,
			 struct core_list *ret_list);
void tpmi_clos_done(struct core_list *list);

/* Why the association of cpus[index] could not be read, or 0. */
int tpmi_clos_error_of(const struct platform *platform, const struct core_list *list,
		       const uint32_t *cpus, size_t index);

#endif
