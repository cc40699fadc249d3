/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares the parts of metrics: the families, and the sources of their samples
 * (docs/spec/fleet.md, "Metrics"). */
#ifndef FEATURES_METRICS_METRICS_H
#define FEATURES_METRICS_METRICS_H

#include "output/exposition.h"
#include "run/context.h"
#include "settings/locations.h"

enum metric {
	METRIC_BUILD_INFO,
	METRIC_LEVEL,
	METRIC_LEVEL_LOCKED,
	METRIC_FEATURE,
	METRIC_ORDERED,
	METRIC_CLOS_CORES,
	METRIC_CLOS_MIN,
	METRIC_CLOS_MAX,
	METRIC_HIGH_CAPACITY,
	METRIC_HIGH_USED,
	METRIC_BUCKET_CORES,
	METRIC_BUCKET,
	METRIC_ONLINE_CORES,
	METRIC_BASE,
	METRIC_SCALING,
	METRIC_UNCORE,
	METRIC_UNCORE_LIMIT,
	METRIC_THROTTLE_EVENTS,
	METRIC_THROTTLE_SECONDS,
	METRIC_ENERGY,
	METRIC_POWER_LIMIT,
	METRIC_LIMIT_REASON,
	METRIC_DRIFT,
	METRIC_DRIFT_SETTINGS,
	METRIC_CHANGE_TIME,
	METRIC_CHANGE_SUCCESS,
	METRIC_SOURCE_UP,
	METRIC_DURATION,
	METRIC_CORE_CLOS,
	METRIC_CORE_THROTTLE,
	N_METRICS
};

/* One collection. */
struct metrics {
	struct context *context;
	struct host *host;
	struct exposition exposition; /* of N_METRICS families */
	struct state_machine
		state; /* caches the driver's answers, so that no request is sent twice */
	struct cpuset cores; /* the first online CPU of each core */
	bool per_core;
	bool limit_reasons;
	bool reports; /* report what cannot be read */
	char *problem; /* why the present source cannot be read; NULL: see its errno */
};

/* Sources. Each adds its samples. Returns 0; -ENOENT if the machine has no such source; another
 * negative errno if it, or part of it, cannot be read; -ENOMEM. */
int metrics_collect_sst(struct metrics *metrics);
int metrics_collect_limit_reasons(struct metrics *metrics);
int metrics_collect_throttling(struct metrics *metrics);
int metrics_collect_power(struct metrics *metrics);

#endif
