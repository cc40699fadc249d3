/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a measurement that are equal, with the sums of their figures: what tables and pictures
 * show in one row (measure.md, "run"). */
#ifndef MEASURE_MEASURED_GROUPS_H
#define MEASURE_MEASURED_GROUPS_H

#include "measure/results.h"

/* CPUs of one package, class, load and prediction. */
struct measured_group {
	const struct run_cpu *first; /* belongs to what the groups were made of */
	uint32_t package;
	const char *class, *load; /* or NULL */
	struct cpuset cpus;
	struct figure busy_percent; /* the mean of n_busy of them; of none why it is missing */
	size_t n_busy;
	/* Of CPUs that were busy at all. mhz is the sum of frequency x share, weight that of the
	 * shares. */
	bool has_mhz;
	double mhz, weight, low_mhz, high_mhz;
	const char *top; /* the idle state of most CPUs, as far as it was counted; or NULL */
	size_t n_top;
};

struct measured_groups {
	struct measured_group *list; /* by their first CPUs, in the order of the measurement */
	size_t count;
};

extern const struct json_field measured_group_fields[];

#define _cleanup_measured_groups_ __attribute__((cleanup(measured_groups_done)))

/* Groups the CPUs of a window; each: every CPU is a group. Returns 0 or -ENOMEM. */
int measured_groups_make(const struct run_window *window, bool each,
			 struct measured_groups *ret_groups);
void measured_groups_done(struct measured_groups *groups);

#endif
