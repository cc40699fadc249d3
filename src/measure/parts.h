/* SPDX-License-Identifier: GPL-2.0-only */
/* The sources in their parts: counters of PMUs, files, and the figures that are made of both. */
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include <sys/resource.h>

#include "instruments/perf.h"
#include "host/uncore.h"
#include "measure/sources.h"

/* PMUs, each of which is a group of its own. */
enum pmu_kind { PMU_MSR, PMU_CORE, PMU_MODULE, PMU_PACKAGE, PMU_POWER, PMU_USER_IDLE, PMU_KINDS };

/* The events of PMU_MSR, in this order; a machine may lack all but the first. */
enum { MSR_TSC, MSR_APERF, MSR_MPERF, MSR_SMI, MSR_EVENTS };

struct pmu {
	struct perf_event events[PERF_GROUP_MAX];
	char *names[PERF_GROUP_MAX]; /* "tsc" */
	bool has[PERF_GROUP_MAX]; /* the machine has it, and its files are in order */
	const char *reasons[PERF_GROUP_MAX]; /* why not; or why it could not be opened */
	size_t n_events; /* 0: it has none, see missing */
	bool has_mask;
	struct cpuset mask; /* it counts on these CPUs alone */
	const char *missing; /* why there is none, or NULL */
};

struct group_reading {
	uint64_t now_ns;
	struct perf_counts counts;
	unsigned int n_lost; /* how often counts went back so far */
	int error;
};

/* The events of a PMU on one CPU, which are read together. */
struct group {
	enum pmu_kind kind;
	uint32_t cpu;
	int handles[PERF_GROUP_MAX]; /* the first one that is open leads */
	size_t at[PERF_GROUP_MAX]; /* in what is read; of those that are open */
	size_t n_open;
	int leader; /* its handle, or -1 */
	const char *missing; /* why none is open */
	struct group_reading reading; /* the last one */
};

#define NO_GROUP SIZE_MAX

/* One CPU that is measured. */
struct cpu_source {
	uint32_t cpu, package;
	bool is_pinned; /* its counters are used on itself */
	size_t groups[PMU_KINDS]; /* or NO_GROUP */
};

/* A zone of power of a package (powercap), and what it used so far. */
struct energy_zone {
	char *path; /* of energy_uj */
	uint64_t range_uj; /* it counts up to this */
	uint64_t last_uj, total_uj;
	const char *missing;
};

#define MAX_ZONES 8 /* of a package: dies */

struct package_source {
	uint32_t package;
	uint32_t first_cpu; /* online */
	size_t groups[PMU_KINDS];
	struct energy_zone zones[MAX_ZONES], dram_zones[MAX_ZONES];
	size_t n_zones, n_dram_zones;
	const char *zones_missing; /* one may be among them whose name is unknown */
	char *degrees_path;
	const char *degrees_missing;
};

/* Idle states of CPUs of one core type have the same names. */
struct idle_names {
	char **names;
	size_t count;
};

/* An idle state of a CPU when it was read last. */
struct idle_past {
	uint64_t usage, time_us;
	bool is_known;
	bool is_still; /* both were the same the time before */
};

struct sources {
	struct sources_options options;
	struct rlimit open_files; /* as it was found */
	bool has_more_files; /* it is raised */
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
	struct idle_past *idle_past; /* by CPU, then by state */
	const char *idle_missing;
	bool lacks_idle_details; /* the kernel has no "above" and "below" */
	bool lacks_rejected;
	bool has_pmu_power; /* if not, powercap has the figures */
	const char *zones_missing;
	struct uncore_units uncore;
	const char *uncore_missing;
	char **limit_paths; /* of the files of limit reasons, NULL-terminated */
	const char *limits_missing;
	struct texts texts; /* that figures point to */
};

/* What is read of an idle state. */
enum { IDLE_USAGE, IDLE_TIME, IDLE_ABOVE, IDLE_BELOW, IDLE_REJECTED, IDLE_FILES };
extern const char *const sources_idle_files[IDLE_FILES];

/* What is read of the throttling of a core or a package, and the ends of the names of the files. */
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

/* Totals of zones in uJ. Other files are read before, so they have a time of their own. */
struct energy_reading {
	uint64_t now_ns;
	struct count_reading package, dram;
};

/* What is read of a CPU, */
struct cpu_reading {
	struct idle_reading idle[WAKE_STATES];
	struct count_reading throttle[THROTTLE_FILES];
	struct count_reading stolen_ticks, ticks; /* of /proc/stat */
};

/* and of a package. */
struct package_reading {
	struct count_reading throttle[THROTTLE_FILES];
	struct energy_reading energy;
	struct count_reading degrees; /* in thousandths */
};

/* Why the hardware limits a CPU, or the CPUs of a power domain together. */
struct limit_reading {
	size_t file; /* an index into limit_paths */
	uint32_t cpu; /* CPUSET_NONE: those of the domain together */
	uint32_t package; /* LOCATION_NO_PACKAGE: unknown */
	char *reasons; /* words with blanks between, "" for none */
};

struct sources_reading {
	uint64_t now_ns;
	struct group_reading *groups;
	struct cpu_reading *cpus;
	struct package_reading *packages;
	struct count_reading *uncore_khz; /* by unit */
	struct limit_reading *limits;
	size_t n_limits;
	bool limits_are_clear; /* instead: none was set */
	int limits_error; /* of the file limits_file, an index */
	size_t limits_file;
};

/* Keeps a reason (printf form); equal ones are one. Lack of memory is remembered. */
const char *sources_keep(struct sources *sources, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Keeps why a file cannot be read: it is absent (-ENOENT), not allowed (-EACCES, -EPERM), garbled
 * (-EINVAL, -ERANGE), or another errno. */
const char *sources_keep_error(struct sources *sources, const char *path, int err);

/* Opens and closes the groups of counters, and reads those of all CPUs into reading->groups. */
int sources_open_groups(struct sources *sources);
void sources_close_groups(struct sources *sources);
void sources_read_groups(struct sources *sources, struct group_reading *readings);

/* Reads the counters of power alone, to see whether they go back. */
void sources_watch_power(struct sources *sources);

/* Find the files, and read them. Return 0 or -ENOMEM. */
int sources_find_files(struct sources *sources);
int sources_read_files(struct sources *sources, struct sources_reading *reading);
void sources_free_files(struct sources *sources);

/* May files be read that ask the first CPU of the package? Not if that one must not be disturbed.
 */
bool sources_may_ask(const struct sources *sources, const struct package_source *package);

#endif
