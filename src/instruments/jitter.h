/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures in each cycle how late a timer wakes a thread, on CPUs of the machine that the program
 * runs on (measure.md, "jitter"). */
#ifndef INSTRUMENTS_JITTER_H
#define INSTRUMENTS_JITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jitter;

#define JITTER_BINS  17 /* below 1 us, 1 to 2 us, 2 to 5 us, ..., 100 ms and more */
#define JITTER_WORST 10 /* cases that are kept */

#define JITTER_FINE 1024 /* latencies are counted with a resolution of 1 in 32, up to 68 s */

/* A thread ends after this number of late cycles in a row: it would use its CPU completely. */
#define JITTER_MOST_LATE 1000

/* A cycle whose thread ran late. */
struct jitter_case {
	uint64_t latency_ns;
	uint64_t at_ns; /* since the start, in CLOCK_MONOTONIC */
};

/* The figures of a thread. */
struct jitter_figures {
	uint32_t cpu;
	bool is_realtime; /* it runs in SCHED_FIFO */
	bool gave_up; /* after JITTER_MOST_LATE late cycles */
	bool was_moved; /* its CPU went offline; only earlier cycles are counted */
	uint64_t cycles;
	uint64_t overruns; /* cycles that were skipped because an earlier cycle ran too late */
	uint64_t total_ns, least_ns, most_ns; /* of the latencies */
	uint64_t bins[JITTER_BINS];
	uint32_t fine[JITTER_FINE]; /* the same latencies, for quantiles */
	struct jitter_case worst[JITTER_WORST]; /* the highest latency first */
	size_t n_worst;
	uint64_t *latencies_ns; /* the first most_latencies latencies, in the order measured */
	size_t n_latencies, most_latencies;
};

/* Adds a latency to the figures. */
void jitter_add(struct jitter_figures *figures, uint64_t latency_ns, uint64_t at_ns);

/* Returns a quantile of the latencies: of_10000 of 10,000 (1 to 9,999) are not above it. It is
 * rounded up by at most 1 part in 32. UINT64_MAX: there are too few cycles; 10 latencies must be
 * above it. */
uint64_t jitter_quantile_ns(const struct jitter_figures *figures, unsigned int of_10000);

/* Returns the upper end of a bin, which is outside the bin, in ns; UINT64_MAX for the last bin. */
uint64_t jitter_bin_end_ns(size_t bin);

/* Returns when the next cycle is due, after a cycle that was due at due_ns and ended at now_ns: the
 * next multiple of the interval that is not past. Adds the skipped cycles to *overruns. */
uint64_t jitter_next_ns(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns, uint64_t *overruns);

/* Starts a pinned thread on each of the CPUs, in SCHED_FIFO if that is allowed. Each thread sleeps
 * until each multiple of the interval, and keeps up to most_latencies latencies. Returns 0; -EINVAL
 * or -EPERM if a CPU, *ret_cpu, is offline or not allowed for this process; -EAGAIN; -ENOMEM. */
int jitter_start(const uint32_t *cpus, size_t n_cpus, uint64_t interval_ns, size_t most_latencies,
		 struct jitter **ret_jitter, uint32_t *ret_cpu);

/* Returns the nanoseconds since the start, from which at_ns of a case counts. */
uint64_t jitter_elapsed_ns(const struct jitter *jitter);

/* Has a thread given up? */
bool jitter_has_given_up(const struct jitter *jitter);

/* Ends the threads, and returns an array with the figures of each CPU, in the order of the CPUs. It
 * is valid until jitter_free(). NULL: no memory. */
const struct jitter_figures *jitter_stop(struct jitter *jitter);

/* Ends the threads, frees *jitter, which may be NULL, and sets it to NULL. */
void jitter_free(struct jitter **jitter);

#endif
