/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures how long a CPU takes to wake up from each of its idle states (measure.md, "wake"):
 * chooses states and gaps, forces states, runs rounds, and makes the results. */
#ifndef MEASURE_WAKE_H
#define MEASURE_WAKE_H

#include <jansson.h>

#include "host/cpuidle.h"
#include "host/machine.h"
#include "instruments/workload.h"
#include "change/change.h"

struct figure;
struct run_window;
struct texts;
struct wait_stop;
struct wake_cpu;
struct wake_row;

#define WAKE_BLOCKS     10 /* each block has all states and gaps in turn */
#define WAKE_MOST_GAPS  16
#define WAKE_UNRECORDED 20 /* rounds at the beginning of a block */
#define WAKE_OUTLIER    2 /* times p50: a larger latency needs an explanation */

/* The outcome of a round (measure.md, "wake", 8). */
enum wake_kind {
	WAKE_COUNTS,
	WAKE_NOT_IDLE, /* no idle state was entered */
	WAKE_SEVERAL, /* several idle states were entered */
	WAKE_OTHER_STATE, /* another idle state than the requested one was entered */
	WAKE_REJECTED, /* the hardware refused a state */
	WAKE_NOT_ASLEEP, /* the CPU was woken before it slept */
	WAKE_LOST, /* the CPU did not answer in time */
	WAKE_WAKER_DELAYED, /* the CPU was woken too late */
	WAKE_KINDS
};

/* The names of the kinds: "not-idle". */
extern const char *const wake_kind_names[WAKE_KINDS];

struct wake_samples {
	uint64_t *latencies_ns; /* in the order measured */
	uint64_t *sorted_ns; /* room for sorted latencies */
	size_t count;
	size_t ends[WAKE_BLOCKS]; /* count after each block */
};

/* What was counted while one block ran. Figures below 0 are unknown. */
struct wake_block {
	bool was_run;
	double seconds;
	double asked_percent; /* time in the forced state, counted by the kernel */
	double happened_percent; /* time in this or a deeper state, counted by the core */
	double smis; /* system management interrupts */
	double stolen_percent; /* time that a hypervisor took */
	double watts; /* of the package */
};

/* The rounds with one requested state and one gap. */
struct wake_cell {
	size_t kinds[WAKE_KINDS];
	size_t recorded; /* rounds of all kinds */
	struct wake_samples by_state[WAKE_STATES]; /* of rounds that entered only this state */
	struct wake_block blocks[WAKE_BLOCKS];
};

/* The power of the package in the blocks of a cell, with the 95 % interval of its mean. */
struct wake_watts {
	bool is_known;
	double mean, low, high;
};

struct wake_watch;

/* The measurement of one CPU. */
struct wake_plan {
	const struct machine *machine;
	uint32_t cpu;
	uint32_t waker_cpu; /* if by_futex */
	bool by_futex;
	bool forces; /* forces each state in turn; else the kernel chooses */
	const uint32_t *gaps_us; /* 1 and more */
	size_t n_gaps;
	size_t samples; /* for each state and gap; a multiple of WAKE_BLOCKS */
	/* The isolated CPUs of the machine; NULL: nothing is read at the borders of blocks. */
	const struct cpuset *isolated;
	/* All CPUs of the package: states are forced on them, too, so that the power of the package
	 * is that of the state. NULL: states are forced only on the core. */
	const struct cpuset *of_package;
	struct file_number held_latency_us; /* from /dev/cpu_dma_latency; or none */
	/* Called after each block of a state and a gap. NULL: it is not called. */
	void (*progress)(void *data);
	void *data;
	/* Set by wake_plan_open(): */
	struct cpuset threads; /* of the core, online */
	struct cpuset forced; /* CPUs on which states are forced */
	struct cpuidle_cpu idle; /* no states: the kernel shows none */
	bool has_rejected;
	bool is_measured[WAKE_STATES]; /* unused if forces is false */
	bool is_limited[WAKE_STATES]; /* the limit of wake-up latency excludes it */
	struct wake_cell *cells; /* by state, then gap; one state if forces is false */
	double busy_percent; /* measured before the rounds; below 0: unknown */
	uint64_t rounds; /* run so far */
	json_t *during; /* what was counted from the first block to the last; NULL: unknown */
};

#define _cleanup_wake_plan_ __attribute__((cleanup(wake_plan_done)))

/* Reads the idle states of plan->cpu, and chooses the states in names (separated by commas; NULL:
 * all). The caller sets the members before threads. Returns 0; -ENOENT if no state has one of the
 * names, with *ret_wrong a new text of that name; a negative errno of reading; -ENOMEM. */
int wake_plan_open(struct wake_plan *plan, const char *names, char **ret_wrong);
void wake_plan_done(struct wake_plan *plan);

/* The lowest limit of wake-up latency that applies to the CPU, in us; UINT64_MAX: none. */
uint64_t wake_find_limit(const struct wake_plan *plan);

/* How many states are forced in turn; 1 without forcing. */
size_t wake_count_states(const struct wake_plan *plan);

/* About how long all rounds take, in seconds. They take at most twice as long. */
uint64_t wake_estimate_s(const struct wake_plan *plan);

/* Adds the changes that wake_run() will make, with the current values of the files: "disable" of
 * each idle state of each forced CPU that is not in *listed. Adds these CPUs to *listed. The new
 * values are unknown: each file gets both. Returns 0, a negative errno of reading, or -ENOMEM. */
int wake_plan_changes(const struct wake_plan *plan, struct cpuset *listed,
		      struct change_list *changes);

/* Restores the former values of the files of these changes. Returns 0, or the negative errno of the
 * first file that could not be restored. */
int wake_restore(struct files *files, const struct change_list *changes);

/* Measures for a second how busy the CPUs of all plans are, and sets their busy_percent. */
void wake_look(struct wake_plan *plans, size_t n_plans, const struct wait_stop *stop);

/* Runs the blocks; ends early if stop requests it. The changes of wake_plan_changes() must be
 * recorded. The files keep the values of the last state. Returns 0, or a negative errno with
 * *ret_problem a new text of what failed. */
int wake_run(struct wake_plan *plan, const struct wait_stop *stop, char **ret_problem);

/* Opens the counters that are read at the borders of blocks, and reads them. Returns 0 or
 * -ENOMEM. */
int wake_watch_open(const struct wake_plan *plan, struct wake_watch **ret_watch);

/* Closes the counters, frees *watch (which may be NULL), and sets it to NULL. */
void wake_watch_close(struct wake_watch **watch);
#define _cleanup_wake_watch_ __attribute__((cleanup(wake_watch_close)))

/* Read the counters before and after a block of a state (NULL: none is forced). A block may begin
 * at the end of the block before. Return 0 or -ENOMEM. */
int wake_watch_begin_block(struct wake_watch *watch);
int wake_watch_end_block(struct wake_watch *watch, const struct cpuidle_state *state,
			 struct wake_block *ret_block);

/* The figures of the CPU from opening to the end of the last block: a new reference; or NULL. */
json_t *wake_watch_during(struct wake_watch *watch);

/* Sets a block from the figures between its borders (sources_compare()). */
void wake_take_block(const struct run_window *window, const struct cpuidle_state *state,
		     struct wake_block *ret_block);

/* The share of the kernel's time in a forced state during which the core was in a lighter state. */
struct figure wake_find_demoted(const struct wake_plan *plan, const struct wake_cell *cell);

/* The power in the blocks of a cell. */
struct wake_watts wake_find_watts(const struct wake_cell *cell);

/* Finds the outliers of a row: the blocks with a latency above WAKE_OUTLIER times p50 in which the
 * firmware or a hypervisor took time. The samples are sorted. Returns 0 or -ENOMEM. */
int wake_find_outliers(const struct wake_cell *cell, const struct wake_samples *samples,
		       struct wake_row *row);

/* Adds the rows to a result, one for each state and gap; texts owns their texts. Returns 0 or
 * -ENOMEM. */
int wake_make_rows(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu);

/* Adds a histogram for each state, with the latencies of all gaps that counted. The first and the
 * last bin are not empty. Without idle states there is none. Returns 0 or -ENOMEM. */
int wake_make_histograms(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu);

/* Adds what the kernel's table should have for each state, and the boot parameter that sets it.
 * Returns 0 or -ENOMEM. */
int wake_calibrate(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu);

/* Why a kernel of this release with this idle driver (NULL: unknown) does not accept the boot
 * parameter: static text; or NULL. */
const char *wake_find_table_reason(const char *driver, const char *kernel);

/* Each recorded latency, in the order measured: an array of {"cpu", "state", "gap-us",
 * "requested", "ns": [...]}. NULL: no memory. */
json_t *wake_make_samples(const struct wake_plan *plan);

/* The deepest state that meets target_us, or NULL: all gaps were measured, p99 is at most target_us
 * at the upper end of its interval, and at least 90 % of the rounds entered the state. *ret_needed:
 * rounds of each state and gap that would show if a deeper state does, too; 0: none does. */
const struct cpuidle_state *wake_find_deepest(const struct wake_plan *plan, uint64_t target_us,
					      size_t *ret_needed);

#endif
