/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine of files and counters in memory for the sources of a measurement. */
#ifndef UNIT_SOURCES_BENCH_H
#define UNIT_SOURCES_BENCH_H

#include <jansson.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fake_files.h"
#include "instruments/perf.h"
#include "instruments/workload.h"
#include "measure/sources.h"

#define SECOND   UINT64_C(1000000000)
#define MAX_OPEN 128
#define LOST_J   0x1p18
#define CPU      "/sys/devices/system/cpu/cpu%d/"
#define CPU0     "/sys/devices/system/cpu/cpu0/"
#define PMUS     "/sys/bus/event_source/devices/"
#define ZONES    "/sys/class/powercap/"
#define HEAT     "/sys/class/hwmon/"
#define UNCORE   "/sys/devices/system/cpu/intel_uncore_frequency/"
#define PLR      "/sys/kernel/debug/tpmi-0000:00:03.1/plr/"

enum { TYPE_MSR = 10, TYPE_POWER = 20, TYPE_CORE = 30, TYPE_PACKAGE = 31, TYPE_CPU = 4 };

struct opened {
	struct perf_event_attr attr;
	int cpu, group;
	uint32_t by; /* the CPU that opened it, as run_on() has it; CPUSET_NONE: any */
	bool is_closed;
};

/* Two packages of two cores with two threads: 0-3 and 4-7, cores {0,2} {1,3} {4,6} {5,7}. */
struct bench {
	struct fake_files files;
	struct perf perf;
	struct workload workload;
	struct host host;
	struct machine machine;
	struct cpuset cpus, isolated;
	uint64_t now_ns, pause_ns; /* the pause passes after counters of a CPU were read */
	uint32_t on; /* the CPU of the present run_on() */
	struct opened list[MAX_OPEN];
	int n_open, most_open, refusal;
	uint64_t lost_at_ns; /* from then on the counts of power lack LOST_J; 0: never */
	bool counts_nothing, answers_wrongly;
	ssize_t answer; /* then */
};

/* Makes and takes down the bench of a test: *state is a struct bench. */
int sources_bench_setup(void **state);
int sources_bench_teardown(void **state);

/* Measures a second; what "later" (or NULL) changes in between is up to the caller's files. */
json_t *sources_bench_measure(struct bench *bench, void (*later)(struct fake_files *files));

/* The figures between two readings. */
json_t *sources_bench_compare(struct sources *sources, const struct sources_reading *before,
			      const struct sources_reading *after);

/* A CPU or a package of a window, by its index. */
const json_t *cpu_of(const json_t *window, size_t at);
const json_t *package_of(const json_t *window, size_t at);

/* Requires a figure, within 0.002. */
void check_figure(const json_t *object, const char *name, double expected);

/* The parts of the bench, for others. */
void sources_bench_add_pmu(struct fake_files *files, const char *name, int type,
			   const char *format);
void sources_bench_add_event(struct fake_files *files, const char *pmu, const char *name,
			     int config);

#endif
