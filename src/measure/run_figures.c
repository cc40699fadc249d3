// SPDX-License-Identifier: GPL-2.0-only
/* Makes the figures of a whole run of those of its CPUs and packages. */
#include "measure/run_figures.h"

#include <errno.h>

#include "measure/figure.h"

static const char *const names[RUN_FIGURES] = {
	[RUN_SECONDS] = "seconds",
	[RUN_USECS_PER_OP] = "usecs-per-op",
	[RUN_OPS_PER_SECOND] = "ops-per-second",
	[RUN_MHZ] = "mhz",
	[RUN_WATTS] = "watts",
	[RUN_JOULES] = "joules",
};

const char *run_figure_name(enum run_figure figure)
{
	return names[figure];
}

/* A figure of one part of the document. */
static int get_of(const json_t *part, const char *name, const char *without, double *ret_value,
		  const char **ret_reason)
{
	int err = figure_get(part, name, ret_value);

	if (err)
		*ret_reason = part ? figure_reason(part, name) ?: "it was not measured" : without;
	return err;
}

/* How much a CPU counts: an idle one has hardly a frequency. */
static double weigh(const json_t *cpu)
{
	double percent = 1;

	if (figure_get(cpu, "busy-percent", &percent))
		figure_get(cpu, "load-cpu-percent", &percent);
	return percent;
}

static int get_mhz(const json_t *document, double *ret_value, const char **ret_reason)
{
	double sum = 0, weights = 0, mhz;
	const char *reason = NULL;
	const json_t *cpu;
	size_t i;

	json_array_foreach (json_object_get(document, "cpus"), i, cpu) {
		if (figure_get(cpu, "mhz", &mhz)) {
			reason = reason ?: figure_reason(cpu, "mhz");
			continue;
		}
		sum += weigh(cpu) * mhz;
		weights += weigh(cpu);
	}
	if (weights > 0) {
		*ret_value = sum / weights;
		return 0;
	}
	if (figure_get(json_object_get(document, "process"), "mhz", ret_value) == 0)
		return 0;
	*ret_reason = figure_reason(json_object_get(document, "process"), "mhz")
			      ?: reason
			      ?: "no CPU was measured";
	return -ENODATA;
}

/* The sum over all packages: it is missing if one of them is. */
static int add_packages(const json_t *document, const char *name, double *ret_value,
			const char **ret_reason)
{
	const json_t *packages = json_object_get(document, "packages"), *package;
	double sum = 0, value;
	size_t i;

	*ret_reason = "no package was measured";
	if (json_array_size(packages) == 0)
		return -ENODATA;
	json_array_foreach (packages, i, package) {
		if (get_of(package, name, NULL, &value, ret_reason))
			return -ENODATA;
		sum += value;
	}
	*ret_value = sum;
	return 0;
}

int run_figure_get(const json_t *document, enum run_figure figure, double *ret_value,
		   const char **ret_reason)
{
	const char *reason = NULL;
	double value = 0;
	int err = -ENODATA;

	switch (figure) {
	case RUN_SECONDS:
		err = get_of(json_object_get(document, "process"), names[figure],
			     "only a command takes its own time", &value, &reason);
		break;
	case RUN_USECS_PER_OP:
	case RUN_OPS_PER_SECOND:
		err = get_of(json_object_get(document, "pipe"), names[figure], "there was no pipe",
			     &value, &reason);
		break;
	case RUN_MHZ:
		err = get_mhz(document, &value, &reason);
		break;
	case RUN_WATTS:
	case RUN_JOULES:
		err = add_packages(document, names[figure], &value, &reason);
		break;
	case RUN_FIGURES:
		break;
	}
	if (!err && value > 0) {
		*ret_value = value;
		return 0;
	}
	*ret_reason = err ? reason : "it was 0";
	return -ENODATA;
}
