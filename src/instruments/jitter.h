/* SPDX-License-Identifier: GPL-2.0-only */
/* How late a timer wakes a thread, cycle after cycle, on CPUs of the machine that we run on
 * (measure.md, "jitter"). */
#ifndef INSTRUMENTS_JITTER_H
#define INSTRUMENTS_JITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jitter;

#define JITTER_BINS  17 /* below 1 us, 1 to 2 us, 2 to 5 us, ..., 100 ms and more */
#define JITTER_WORST 10 /* cases that are kept */

#define JITTER_FINE 1024 /* latencies are counted with a resolution of 1 in 32, up to 68 s */

/* After so many late cycles in a row a thread ends: it would use all of its CPU. */
#define JITTER_MOST_LATE 1000

/* A cycle whose thread ran late. */
struct jitter_case {
	uint64_t latency_ns;
	uint64_t at_ns; /* since the start, of CLOCK_MONOTONIC */
};

/* What a thread has seen. */
struct jitter_figures {
	uint32_t cpu;
	bool is_realtime; /* it runs in SCHED_FIFO */
	bool gave_up; /* JITTER_MOST_LATE */
	bool was_moved; /* its CPU went offline: only cycles before that are counted */
	uint64_t cycles;
	uint64_t overruns; /* cycles that were skipped, as the one before ran too late */
	uint64_t total_ns, least_ns, most_ns; /* of the latencies */
	uint64_t bins[JITTER_BINS];
	uint32_t fine[JITTER_FINE]; /* the same latencies, for quantiles */
	struct jitter_case worst[JITTER_WORST]; /* the latest one first */
	size_t n_worst;
	uint64_t *latencies_ns; /* in the order measured, the first most_latencies of them */
	size_t n_latencies, most_latencies;
};

/* Adds a latency to the figures. */
void jitter_add(struct jitter_figures *figures, uint64_t latency_ns, uint64_t at_ns);

/* A quantile of the latencies: so many of 10,000 (1 to 9,999) are not above it. It is rounded up by
 * at most 1 part in 32. UINT64_MAX: there are too few cycles, 10 would have to be above it. */
uint64_t jitter_quantile_ns(const struct jitter_figures *figures, unsigned int of_10000);

/* The upper end of a bin, in ns, which is not in it; UINT64_MAX: of the last. */
uint64_t jitter_bin_end_ns(size_t bin);

/* When a cycle is due after one that was due at due_ns and ended at now_ns: the next multiple of
 * the interval that is not past. *overruns grows by those that are skipped. */
uint64_t jitter_next_ns(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns, uint64_t *overruns);

/* Starts a pinned thread on each of the CPUs, in SCHED_FIFO if that is allowed, that sleeps until
 * each multiple of the interval, and keeps up to most_latencies latencies. Returns 0; -EINVAL or
 * -EPERM for a CPU that is offline or not allowed to us, which *ret_cpu then is; -EAGAIN; -ENOMEM.
 */
int jitter_start(const uint32_t *cpus, size_t n_cpus, uint64_t interval_ns, size_t most_latencies,
		 struct jitter **ret_jitter, uint32_t *ret_cpu);

/* Nanoseconds since the time that cases count from. */
uint64_t jitter_elapsed_ns(const struct jitter *jitter);

/* Has a thread given up? */
bool jitter_has_given_up(const struct jitter *jitter);

/* Ends the threads, and gives the figures of each CPU, in their order: an array that lives until
 * jitter_free(). */
const struct jitter_figures *jitter_stop(struct jitter *jitter);

/* Ends the threads, frees *jitter, which may be NULL, and leaves NULL. */
void jitter_free(struct jitter **jitter);

#endif
