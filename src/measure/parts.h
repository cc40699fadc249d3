/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the sources: counters of PMUs, files, and the figures made from both. */
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include <sys/resource.h>

#include "instruments/perf.h"
#include "host/uncore.h"
#include "measure/sources.h"

/* PMUs. Each PMU has its own groups of counters. */
enum pmu_kind { PMU_MSR, PMU_CORE, PMU_MODULE, PMU_PACKAGE, PMU_POWER, PMU_USER_IDLE, PMU_KINDS };

/* The events of PMU_MSR, in this order; a machine may have only the first one. */
enum { MSR_TSC, MSR_APERF, MSR_MPERF, MSR_SMI, MSR_EVENTS };

struct pmu {
	struct perf_event events[PERF_GROUP_MAX];
	char *names[PERF_GROUP_MAX]; /* "tsc" */
	bool has[PERF_GROUP_MAX]; /* the machine has a valid event */
	const char *reasons[PERF_GROUP_MAX]; /* why an event is missing or not open */
	size_t n_events; /* 0: see missing */
	bool has_mask;
	struct cpuset mask; /* the PMU counts only on these CPUs */
	const char *missing; /* why the PMU is missing, or NULL */
};

struct group_reading {
	uint64_t now_ns;
	struct perf_counts counts;
	unsigned int n_lost; /* how often counts decreased so far */
	int error;
};

/* The events of a PMU on one CPU, which are read together. */
struct group {
	enum pmu_kind kind;
	uint32_t cpu;
	int handles[PERF_GROUP_MAX]; /* the first open one is the leader */
	size_t at[PERF_GROUP_MAX]; /* index of each open event in the counts */
	size_t n_open;
	int leader; /* handle of the leader, or -1 */
	const char *missing; /* why no event is open */
	struct group_reading reading; /* the last reading */
};

#define NO_GROUP SIZE_MAX

/* One CPU that is measured. */
struct cpu_source {
	uint32_t cpu, package;
	bool is_pinned; /* a thread on this CPU uses its counters */
	size_t groups[PMU_KINDS]; /* or NO_GROUP */
};

/* A powercap zone of a package, and the energy that it used so far. */
struct energy_zone {
	char *path; /* the file energy_uj */
	uint64_t range_uj; /* the counter wraps after this value */
	uint64_t last_uj, total_uj;
	const char *missing;
};

#define MAX_ZONES 8 /* of a package: dies */

struct package_source {
	uint32_t package;
	uint32_t first_cpu; /* an online CPU */
	size_t groups[PMU_KINDS];
	struct energy_zone zones[MAX_ZONES], dram_zones[MAX_ZONES];
	size_t n_zones, n_dram_zones;
	const char *zones_missing; /* why the sum is unknown: the package of a zone is unknown */
	char *degrees_path;
	const char *degrees_missing;
};

/* Idle states of CPUs of one core type have the same names. */
struct idle_names {
	char **names;
	size_t count;
};

/* An idle state of a CPU at the last reading. */
struct idle_past {
	uint64_t usage, time_us;
	bool is_known;
	bool is_still; /* both equal those of the reading before */
};

struct sources {
	struct sources_options options;
	struct rlimit open_files; /* the limit before it was raised */
	bool has_more_files; /* the limit is raised */
	struct files *files;
	struct perf *perf;
	struct workload *workload;
	struct pmu pmus[PMU_KINDS];
	struct group *groups;
	size_t n_groups;
	struct cpu_source *cpus;
	size_t n_cpus;
	struct package_source *packages;
	size_t n_packages;
	struct idle_names idle; /* of the first CPU */
	struct idle_past *idle_past; /* sorted by CPU, then by state */
	const char *idle_missing;
	bool lacks_idle_details; /* the kernel has no "above" and "below" */
	bool lacks_rejected;
	bool has_pmu_power; /* false: powercap gives these figures */
	const char *zones_missing;
	struct uncore_units uncore;
	const char *uncore_missing;
	char **limit_paths; /* the files of limit reasons, NULL-terminated */
	const char *limits_missing;
	struct texts texts; /* the texts of figures */
};

/* The files of an idle state that are read. */
enum { IDLE_USAGE, IDLE_TIME, IDLE_ABOVE, IDLE_BELOW, IDLE_REJECTED, IDLE_FILES };
extern const char *const sources_idle_files[IDLE_FILES];

/* The throttling files of a core or a package that are read, and the ends of their names. */
enum { THROTTLE_COUNT, THROTTLE_MS, THROTTLE_FILES };
extern const char *const sources_throttle_files[THROTTLE_FILES];

struct idle_reading {
	uint64_t counts[IDLE_FILES];
	int errors[IDLE_FILES]; /* a negative errno */
};

struct count_reading {
	uint64_t value;
	int error; /* a negative errno */
};

/* Totals of zones in uJ. now_ns is their own time, because other files are read before. */
struct energy_reading {
	uint64_t now_ns;
	struct count_reading package, dram;
};

/* The values that are read for a CPU. */
struct cpu_reading {
	struct idle_reading idle[WAKE_STATES];
	struct count_reading throttle[THROTTLE_FILES];
	struct count_reading stolen_ticks, ticks; /* from /proc/stat */
};

/* The values that are read for a package. */
struct package_reading {
	struct count_reading throttle[THROTTLE_FILES];
	struct energy_reading energy;
	struct count_reading degrees; /* in thousandths of a degree */
};

/* Why the hardware limits a CPU, or the CPUs of a power domain together. */
struct limit_reading {
	size_t file; /* an index into limit_paths */
	uint32_t cpu; /* CPUSET_NONE: all CPUs of the domain together */
	uint32_t package; /* LOCATION_NO_PACKAGE: unknown */
	char *reasons; /* words separated by blanks; "": none */
};

struct sources_reading {
	uint64_t now_ns;
	struct group_reading *groups;
	struct cpu_reading *cpus;
	struct package_reading *packages;
	struct count_reading *uncore_khz; /* one for each unit */
	struct limit_reading *limits;
	size_t n_limits;
	bool limits_are_clear; /* instead of limits: no reason was set */
	int limits_error; /* of the file with the index limits_file */
	size_t limits_file;
};

/* Stores a reason (printf form), each text once, and returns it. Records a lack of memory. */
const char *sources_keep(struct sources *sources, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Stores the reason why a file cannot be read: it is absent (-ENOENT), not allowed (-EACCES,
 * -EPERM), garbled (-EINVAL, -ERANGE), or another errno. */
const char *sources_keep_error(struct sources *sources, const char *path, int err);

/* Open, close and read the groups of counters of all CPUs. readings: one for each group. */
int sources_open_groups(struct sources *sources);
void sources_close_groups(struct sources *sources);
void sources_read_groups(struct sources *sources, struct group_reading *readings);

/* Reads only the counters of power, to notice if they decrease. */
void sources_watch_power(struct sources *sources);

/* Find the files, and read them. Return 0 or -ENOMEM. */
int sources_find_files(struct sources *sources);
int sources_read_files(struct sources *sources, struct sources_reading *reading);
void sources_free_files(struct sources *sources);

/* Returns false if files that interrupt the first CPU of the package must not be read, because that
 * CPU is isolated. */
bool sources_may_ask(const struct sources *sources, const struct package_source *package);

#endif
