/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a CPU takes to wake up from each of its idle states (measure.md, "wake"): which states
 * and gaps are measured, forcing a state, the rounds, and what they tell. */
#ifndef MEASURE_WAKE_H
#define MEASURE_WAKE_H

#include <jansson.h>

#include "host/cpuidle.h"
#include "host/machine.h"
#include "host/workload.h"
#include "measure/borrowed.h"

struct wait_stop;

#define WAKE_BLOCKS     10 /* in each of them all states and gaps take turns */
#define WAKE_MOST_GAPS  16
#define WAKE_UNRECORDED 20 /* rounds at the beginning of a block */

/* What became of a round (measure.md, "wake", 8). */
enum wake_kind {
	WAKE_COUNTS,
	WAKE_NOT_IDLE, /* no idle state was entered */
	WAKE_SEVERAL, /* more than one was */
	WAKE_OTHER_STATE, /* one was, and not that which is asked for */
	WAKE_REJECTED, /* the hardware refused a state */
	WAKE_NOT_ASLEEP, /* it was woken before it slept */
	WAKE_LOST, /* no answer in time */
	WAKE_WAKER_DELAYED, /* it was woken too late */
	WAKE_KINDS
};

/* Their names, "not-idle". */
extern const char *const wake_kind_names[WAKE_KINDS];

/* The kind of a round, as wake_round_counts(). */
enum wake_kind wake_classify(const struct wake_job *job, const struct wake_round *round);

/* The idle state that was entered by a round that entered one; or WAKE_ANY_STATE. */
uint32_t wake_find_state(const struct wake_job *job, const struct wake_round *round);

struct wake_samples {
	uint64_t *latencies_ns; /* in the order measured */
	uint64_t *sorted_ns; /* room for as many */
	size_t count;
};

/* The rounds of one state that was asked for, with one gap. */
struct wake_cell {
	size_t kinds[WAKE_KINDS];
	size_t recorded; /* all kinds */
	struct wake_samples by_state[WAKE_STATES]; /* of rounds that entered one state, and it */
};

/* What is measured, on one CPU. */
struct wake_plan {
	const struct machine *machine;
	uint32_t cpu;
	uint32_t waker_cpu; /* by futex */
	bool by_futex;
	bool forces; /* each state in turn; else the kernel chooses */
	const uint32_t *gaps_us; /* 1 and more */
	size_t n_gaps;
	size_t samples; /* for each state and gap; a multiple of WAKE_BLOCKS */
	/* Made by wake_plan_open(): */
	struct cpuset threads; /* of the core, online */
	struct cpuidle_cpu idle; /* without states: the kernel shows none */
	bool has_rejected;
	bool is_measured[WAKE_STATES]; /* without forces: unused */
	bool is_limited[WAKE_STATES]; /* the limit of wake-up latency excludes it */
	struct wake_cell *cells; /* by state, then gap; without forces one state */
	double busy_percent; /* in a look before; below 0: it is not known */
	uint64_t rounds; /* made so far */
};

#define _cleanup_wake_plan_ __attribute__((cleanup(wake_plan_done)))

/* Reads the idle states of plan->cpu, and chooses those of names (comma between; NULL: all). The
 * members before threads are the caller's. Returns 0; -ENOENT for a name that no state has, with
 * *ret_wrong a new text of it; a negative errno of reading; -ENOMEM. */
int wake_plan_open(struct wake_plan *plan, const char *names, char **ret_wrong);
void wake_plan_done(struct wake_plan *plan);

/* How many states are forced in turn; 1 without forcing. */
size_t wake_count_states(const struct wake_plan *plan);

/* About how long it takes, in seconds: all rounds, and twice that at most. */
uint64_t wake_estimate_s(const struct wake_plan *plan);

/* Adds the files that it will write, with what they hold: "disable" of each idle state of each
 * thread of the core. Returns 0, a negative errno of reading, or -ENOMEM. */
int wake_borrow(const struct wake_plan *plan, struct borrowed *borrowed);

/* Looks for a second how busy the CPU is, to plan->busy_percent. */
void wake_look(struct wake_plan *plan, const struct wait_stop *stop);

/* Enables one idle state on all threads of the core, disables the others, and reads back. Returns
 * 0; or a negative errno, -EIO if a file holds something else then, with *ret_path the file. */
int wake_force(const struct wake_plan *plan, uint32_t state, struct file_path *ret_path);

/* Runs the blocks; ends early when stop asks to. The files of wake_borrow() must be borrowed, and
 * are left as the last state needs them. Returns 0, or a negative errno with *ret_problem a new
 * text: what failed. */
int wake_run(struct wake_plan *plan, const struct wait_stop *stop, char **ret_problem);

/* The results: an array of objects, one for each state and gap, as docs/command-reference.md has
 * it. NULL: no memory. */
json_t *wake_make_rows(const struct wake_plan *plan);

/* Each recorded latency, in the order measured: an array of {"cpu", "state", "gap-us",
 * "asked-for", "ns": [...]}. NULL: no memory. */
json_t *wake_make_samples(const struct wake_plan *plan);

/* The deepest state that was measured with all gaps, whose p99 is at most target_us at the upper
 * end of its interval, and that at least 90 % of the rounds entered; NULL: none. */
const struct cpuidle_state *wake_find_deepest(const struct wake_plan *plan, uint64_t target_us);

#endif
