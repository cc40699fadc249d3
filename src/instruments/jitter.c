// SPDX-License-Identifier: GPL-2.0-only
/* Runs threads that sleep until each multiple of an interval, and measures how late they run. A
 * thread that is always late ends after a while, because it has priority over all others on its
 * CPU. */
#include "instruments/jitter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "base/wait.h"
#include "instruments/workload.h"

#define RANK     80 /* priority in SCHED_FIFO */
#define DELAY_NS 10000000 /* from starting the threads until the first cycle */
#define STACK    (64 << 10)

#define MOST_CPUS 8192

#define FINE_POWER  5
#define FINE_STEPS  (1U << FINE_POWER) /* fine bins for each power of two */
#define WHOLE       10000U
#define LEAST_ABOVE 10 /* a quantile needs this number of latencies above it */

struct thread {
	struct jitter_figures figures;
	pthread_t thread;
	bool is_started;
	struct jitter *jitter;
};

struct jitter {
	uint64_t start_ns, interval_ns;
	atomic_bool ends, has_given_up;
	size_t n_threads;
	struct jitter_figures *figures; /* made when all threads have ended */
	struct thread threads[];
};

uint64_t jitter_bin_end_ns(size_t bin)
{
	static const uint64_t steps[] = { 1, 2, 5 };
	uint64_t end = 1000;

	if (bin + 1 >= JITTER_BINS)
		return UINT64_MAX;
	for (size_t i = 0; i < bin / ARRAY_SIZE(steps); i++)
		end *= 10;
	return end * steps[bin % ARRAY_SIZE(steps)];
}

static size_t find_bin(uint64_t ns)
{
	size_t bin = 0;

	while (ns >= jitter_bin_end_ns(bin) && bin + 1 < JITTER_BINS)
		bin++;
	return bin;
}

/* Fine bins: one for each latency below 32 ns, then 32 for each power of two. */
static size_t find_fine(uint64_t ns)
{
	const unsigned int power = ns < FINE_STEPS ? 0 : 63 - (unsigned int)__builtin_clzll(ns);
	const size_t bin =
		ns < FINE_STEPS ? ns
				: (power - FINE_POWER) * FINE_STEPS + (ns >> (power - FINE_POWER));

	return bin < JITTER_FINE ? bin : JITTER_FINE - 1;
}

/* The highest latency of a fine bin. */
static uint64_t fine_end_ns(size_t bin)
{
	const size_t shift = bin < FINE_STEPS ? 0 : bin / FINE_STEPS - 1;

	return ((uint64_t)(bin - shift * FINE_STEPS + 1) << shift) - 1;
}

uint64_t jitter_quantile_ns(const struct jitter_figures *figures, unsigned int of_10000)
{
	const uint64_t above = figures->cycles * (WHOLE - of_10000) / WHOLE;
	uint64_t left = figures->cycles;

	if (above < LEAST_ABOVE)
		return UINT64_MAX;
	for (size_t bin = 0; bin < JITTER_FINE; bin++) {
		left -= figures->fine[bin];
		if (left <= above)
			return fine_end_ns(bin) < figures->most_ns ? fine_end_ns(bin)
								   : figures->most_ns;
	}
	return figures->most_ns;
}

/* Keeps the cases with the highest latencies, in descending order. */
static void keep_worst(struct jitter_figures *figures, struct jitter_case new)
{
	size_t at = figures->n_worst;

	while (at > 0 && figures->worst[at - 1].latency_ns < new.latency_ns)
		at--;
	if (at == JITTER_WORST)
		return;
	if (figures->n_worst < JITTER_WORST)
		figures->n_worst++;
	memmove(&figures->worst[at + 1], &figures->worst[at],
		(figures->n_worst - 1 - at) * sizeof(new));
	figures->worst[at] = new;
}

void jitter_add(struct jitter_figures *figures, uint64_t latency_ns, uint64_t at_ns)
{
	if (figures->cycles == 0 || latency_ns < figures->least_ns)
		figures->least_ns = latency_ns;
	if (latency_ns > figures->most_ns)
		figures->most_ns = latency_ns;
	if (figures->n_latencies < figures->most_latencies)
		figures->latencies_ns[figures->n_latencies++] = latency_ns;
	figures->cycles++;
	figures->total_ns += latency_ns;
	figures->bins[find_bin(latency_ns)]++;
	figures->fine[find_fine(latency_ns)]++;
	keep_worst(figures, (struct jitter_case){ latency_ns, at_ns });
}

uint64_t jitter_next_ns(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns_, uint64_t *overruns)
{
	uint64_t next = due_ns + interval_ns, skipped = 0;

	if (now_ns_ > next)
		skipped = (now_ns_ - next + interval_ns - 1) / interval_ns;
	*overruns += skipped;
	return next + skipped * interval_ns;
}

static void run_cycles(struct thread *thread)
{
	const struct jitter *jitter = thread->jitter;
	struct jitter_figures *figures = &thread->figures;
	uint64_t ignored = 0;
	/* the first cycle after the start of the thread */
	uint64_t due =
		jitter_next_ns(jitter->start_ns, jitter->interval_ns, wait_now_ns(), &ignored);
	unsigned int late = 0;

	while (!atomic_load_explicit(&jitter->ends, memory_order_relaxed)) {
		const struct timespec until = {
			.tv_sec = (time_t)(due / NS_PER_S),
			.tv_nsec = (long)(due % NS_PER_S),
		};
		uint64_t now, before = figures->overruns;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		now = wait_now_ns();
		/* The kernel moves a thread whose CPU goes offline. */
		figures->was_moved = (uint32_t)sched_getcpu() != figures->cpu;
		if (figures->was_moved)
			return;
		jitter_add(figures, now > due ? now - due : 0, due - jitter->start_ns);
		due = jitter_next_ns(due, jitter->interval_ns, wait_now_ns(), &figures->overruns);
		late = figures->overruns > before ? late + 1 : 0;
		figures->gave_up = late == JITTER_MOST_LATE;
		if (figures->gave_up)
			return;
	}
}

static void *run(void *data)
{
	const struct sched_param rank = { .sched_priority = RANK };
	struct thread *thread = data;

	prctl(PR_SET_TIMERSLACK, 1);
	thread->figures.is_realtime = pthread_setschedparam(pthread_self(), SCHED_FIFO, &rank) == 0;
	run_cycles(thread);
	if (thread->figures.gave_up)
		atomic_store(&thread->jitter->has_given_up, true);
	return NULL;
}

/* Starts a thread on its CPU, and pins the calling thread to it, too. Returns 0 or a negative
 * errno. */
static int start_thread(struct thread *thread)
{
	pthread_attr_t attributes;
	int err = workload_pin(0, thread->figures.cpu);

	if (err)
		return err;
	err = pthread_attr_init(&attributes);
	if (err)
		return -err;
	pthread_attr_setstacksize(&attributes, STACK);
	err = pthread_create(&thread->thread, &attributes, run, thread);
	pthread_attr_destroy(&attributes);
	thread->is_started = !err;
	return -err;
}

static int start_all(struct jitter *jitter, const uint32_t *cpus, size_t n_cpus,
		     size_t most_latencies, uint32_t *ret_cpu)
{
	for (size_t i = 0; i < n_cpus; i++) {
		struct thread *thread = &jitter->threads[jitter->n_threads++];
		struct jitter_figures *figures = &thread->figures;
		int err;

		*thread = (struct thread){ .figures.cpu = cpus[i], .jitter = jitter };
		if (most_latencies)
			figures->latencies_ns =
				calloc(most_latencies, sizeof(*figures->latencies_ns));
		if (most_latencies && !figures->latencies_ns)
			return -ENOMEM;
		figures->most_latencies = most_latencies;
		err = start_thread(thread);
		if (err) {
			*ret_cpu = cpus[i];
			return err;
		}
	}
	return 0;
}

int jitter_start(const uint32_t *cpus, size_t n_cpus, uint64_t interval_ns, size_t most_latencies,
		 struct jitter **ret_jitter, uint32_t *ret_cpu)
{
	struct jitter *jitter = calloc(1, sizeof(*jitter) + n_cpus * sizeof(jitter->threads[0]));
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *before = CPU_ALLOC(MOST_CPUS);
	int err = -ENOMEM;

	if (jitter && before && sched_getaffinity(0, size, before) == 0) {
		jitter->interval_ns = interval_ns;
		jitter->start_ns = wait_now_ns() + DELAY_NS;
		mlockall(MCL_CURRENT | MCL_FUTURE);
		err = start_all(jitter, cpus, n_cpus, most_latencies, ret_cpu);
		sched_setaffinity(0, size, before);
	}
	CPU_FREE(before);
	if (err)
		jitter_free(&jitter);
	else
		*ret_jitter = jitter;
	return err;
}

uint64_t jitter_elapsed_ns(const struct jitter *jitter)
{
	uint64_t now = wait_now_ns();

	return now > jitter->start_ns ? now - jitter->start_ns : 0;
}

bool jitter_has_given_up(const struct jitter *jitter)
{
	return atomic_load(&jitter->has_given_up);
}

static void end_threads(struct jitter *jitter)
{
	atomic_store(&jitter->ends, true);
	for (size_t i = 0; i < jitter->n_threads; i++) {
		if (jitter->threads[i].is_started)
			pthread_join(jitter->threads[i].thread, NULL);
		jitter->threads[i].is_started = false;
	}
	munlockall();
}

const struct jitter_figures *jitter_stop(struct jitter *jitter)
{
	end_threads(jitter);
	if (!jitter->figures)
		jitter->figures = calloc(jitter->n_threads + 1, sizeof(*jitter->figures));
	for (size_t i = 0; i < jitter->n_threads && jitter->figures; i++)
		jitter->figures[i] = jitter->threads[i].figures;
	return jitter->figures;
}

void jitter_free(struct jitter **jitter)
{
	if (*jitter) {
		end_threads(*jitter);
		for (size_t i = 0; i < (*jitter)->n_threads; i++)
			free((*jitter)->threads[i].figures.latencies_ns);
		free((*jitter)->figures);
		free(*jitter);
	}
	*jitter = NULL;
}
