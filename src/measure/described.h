/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of the machine in a saved measurement, other than its settings (measure.md,
 * "report"). */
#ifndef MEASURE_DESCRIBED_H
#define MEASURE_DESCRIBED_H

#include "base/json_fields.h"

/* Properties of the machine. */
struct measured_machine {
	json_t *c1_demotion; /* true, false, or null with a reason */
	const char *c1_reason;
	const char *kernel, *kernel_reason; /* exactly one is set */
	const char *program; /* its version */
	const char *processor; /* NULL: unknown */
	struct texts texts;
};

/* A CPU that was online. */
struct described_cpu {
	uint32_t cpu, package, die;
	struct figure power_domain, core; /* if they are known */
	const char *class;
	struct figure clos; /* with SST-CP */
	const char *priority; /* "high", "low", "none" */
};

struct described_limit {
	const char *limit; /* frequency_limit_name() */
	struct figure mhz, high_mhz; /* high_mhz: for the other reading of turbo-ratio limits */
};

/* The limits of one CPU of a class and a package, for SSE code with all cores active. */
struct described_limits {
	uint32_t cpu, package;
	const char *class;
	struct figure mhz;
	const char *bound_by;
	struct described_limit *steps, *guaranteed;
	size_t n_steps, n_guaranteed;
	struct figure high_mhz, active_cores_at_most;
};

struct described_machine {
	json_t *levels; /* an array like that of perf-profile compare; or NULL */
	struct described_limits *limits;
	size_t n_limits;
	struct described_cpu *cpus;
	size_t n_cpus;
};

extern const struct json_field measured_machine_fields[], described_limits_fields[],
	described_machine_fields[];

#endif
