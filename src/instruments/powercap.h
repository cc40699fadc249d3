/* SPDX-License-Identifier: GPL-2.0-only */
/* Energy of packages, of their DRAM and of the machine, from the kernel's powercap files (sysfs.md,
 * "powercap"). */
#ifndef INSTRUMENTS_POWERCAP_H
#define INSTRUMENTS_POWERCAP_H

#include "host/powercap.h"

/* The energy counter of a zone: a package, or a part of a package, which does not include DRAM. */
struct power_counter {
	char *zone; /* "intel-rapl:0", "intel-rapl:0:1"; constant during one boot */
	enum power_domain_kind kind;
	uint32_t package; /* POWER_NO_PACKAGE for POWER_PSYS */
	uint64_t energy_uj; /* starts again at 0 after range_uj */
	uint64_t range_uj; /* 0: unknown */
};

struct power_counters {
	struct power_counter *list; /* sorted by zone */
	size_t count;
};

#define _cleanup_power_counters_ __attribute__((cleanup(power_counters_done)))

/* Returns the energy in uJ between two readings of a counter, which starts again at 0 after
 * range_uj (0: unknown). Returns 0 if the counter started again and range_uj is unknown. */
uint64_t power_count_uj(uint64_t before_uj, uint64_t after_uj, uint64_t range_uj);

/* Reads the counters of packages, of their DRAM, and of the complete machine (psys). Returns 0;
 * -ENOENT if the kernel has none; -EACCES if only root may read them; another negative errno of
 * reading; -EINVAL; -ENOMEM. */
int power_counters_read(struct files *files, struct power_counters *ret_counters);
void power_counters_done(struct power_counters *counters);

#endif
