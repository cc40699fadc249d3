/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of equal CPUs of a measurement, with the sums of their figures. Tables and pictures show
 * each group in one row (measure.md, "run"). */
#ifndef MEASURE_MEASURED_GROUPS_H
#define MEASURE_MEASURED_GROUPS_H

#include "measure/results.h"

/* CPUs of one package, class, load and prediction. */
struct measured_group {
	const struct run_cpu *first; /* belongs to the window that was grouped */
	uint32_t package;
	const char *class, *load; /* or NULL */
	struct cpuset cpus;
	struct figure busy_percent; /* mean of n_busy CPUs; missing with a reason if n_busy is 0 */
	size_t n_busy;
	/* Only CPUs that were busy. mhz is the sum of frequency x share, weight the sum of the
	 * shares. */
	bool has_mhz;
	double mhz, weight, low_mhz, high_mhz;
	const char *top; /* the most frequent top idle state of these CPUs; or NULL */
	size_t n_top;
};

struct measured_groups {
	struct measured_group *list; /* in the order of their first CPUs */
	size_t count;
};

extern const struct json_field measured_group_fields[];

#define _cleanup_measured_groups_ __attribute__((cleanup(measured_groups_done)))

/* Groups the CPUs of a window. If each is true, every CPU is a group. Returns 0 or -ENOMEM. */
int measured_groups_make(const struct run_window *window, bool each,
			 struct measured_groups *ret_groups);
void measured_groups_done(struct measured_groups *groups);

#endif
