/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock, and what runs on CPUs during a measurement: loads, a pipe between two processes,
 * rounds of sleeping and waking. The implementations are the real machine, and a model with its own
 * clock, on which nothing sleeps (measure.md). */
#ifndef INSTRUMENTS_WORKLOAD_H
#define INSTRUMENTS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpuset.h"

struct workload;
struct wait_stop;

enum load_kind {
	LOAD_SCALAR, /* dependent chains of 32-bit multiplications and 64-bit additions */
	LOAD_AVX2, /* 256-bit multiplications and additions, and the chains between them */
	LOAD_AVX512, /* the same with 512 bits */
	LOAD_TDP, /* fills the power limit at the base frequency; only in models */
	LOAD_PIPE, /* one side of workload_ops.start_pipe */
	LOAD_KINDS
};

/* The work of a load since its start; it only grows. In a chain, each instruction waits for the one
 * before it, so the number of instructions determines the number of cycles. */
struct load_figures {
	uint32_t cpu;
	enum load_kind kind;
	uint64_t cpu_ns; /* CPU time of its thread, without the time that a hypervisor used */
	uint64_t multiply_cycles, multiply_ns; /* one chain: cycles, and CPU time */
	uint64_t add_cycles, add_ns; /* the other chain */
	bool has_chains; /* only on x86-64, and not for the pipe */
	uint64_t operations; /* pipe: round trips, equal on both CPUs */
};

/* The figures of all loads, in ascending order of the CPUs. */
struct load_readings {
	struct load_figures *list;
	size_t count;
	uint64_t now_ns; /* when they were read */
};

#define WAKE_STATES 10 /* a CPU has at most this number of idle states */
#define WAKE_ANY_STATE \
	UINT32_MAX /* no state is requested: the kernel chooses one that it may use */

/* What to do in one block of rounds (measure.md, "wake", 4 to 8). */
struct wake_job {
	bool by_futex; /* a second thread wakes; otherwise a timer does */
	uint32_t cpu; /* the CPU that sleeps and is measured */
	uint32_t waker_cpu; /* by_futex: a CPU of another core */
	uint64_t gap_ns; /* from the start of sleep until the wake-up */
	uint32_t state; /* the number of the idle state that is requested, or WAKE_ANY_STATE */
	/* The CPU has the idle states 0 to states - 1; at most WAKE_STATES. 0: the kernel shows no
	 * idle states; every round without a problem then counts. */
	uint32_t states;
	bool has_rejected; /* the states have files "rejected" */
	uint64_t first_round; /* the number of the first recorded round, for this state and gap */
	size_t unrecorded; /* number of rounds before the first recorded round */
	size_t wanted; /* the block ends when this number of rounds count (wake_round_counts()) */
	size_t most; /* or after this number of rounds; the array of rounds has this size */
};

/* The result of one round. */
struct wake_round {
	uint64_t latency_ns; /* from the due time until the thread ran */
	uint32_t usage[WAKE_STATES]; /* how often each idle state was entered */
	uint32_t rejected[WAKE_STATES]; /* how often the hardware refused each idle state */
	bool was_late; /* timer: due before the thread could sleep; futex: it did not sleep yet */
	bool was_lost; /* futex: no answer within the gap and 100 ms */
	bool waker_was_delayed; /* futex: the second thread woke the first long after the gap */
};

struct workload_ops {
	/* Nanoseconds of a clock that only goes forward (CLOCK_MONOTONIC_RAW). */
	uint64_t (*now_ns)(struct workload *workload);
	/* Waits at least ns, or until stop (may be NULL) is set. Returns true if stop is set. */
	bool (*wait_ns)(struct workload *workload, uint64_t ns, const struct wait_stop *stop);
	/* Checks whether a load of a kind (not LOAD_PIPE) can run. Returns 0; -EOPNOTSUPP if the
	 * CPU does not have the instructions, or this machine cannot make the load. */
	int (*check_load)(struct workload *workload, enum load_kind kind);
	/* Starts a pinned load on each of the CPUs, in addition to earlier loads. The loads run
	 * when this returns. Returns 0; -EOPNOTSUPP as check_load; -EBUSY if a CPU already has a
	 * load; -EINVAL or -EPERM if a CPU is offline or not allowed for this process; -EAGAIN;
	 * -ENOMEM. After a failure, *ret_cpu is the CPU that failed, and this call has started no
	 * load. */
	int (*start_load)(struct workload *workload, enum load_kind kind, const struct cpuset *cpus,
			  uint32_t *ret_cpu);
	/* Starts two processes, pinned to two different CPUs, that send each other a word through
	 * pipes in turn. Returns as start_load. */
	int (*start_pipe)(struct workload *workload, uint32_t cpu_a, uint32_t cpu_b,
			  uint32_t *ret_cpu);
	/* Reads the figures of all loads. Returns 0; -ECHILD if a process of a pipe has ended;
	 * -ENOMEM. load_readings_done() frees the readings. */
	int (*read_loads)(struct workload *workload, struct load_readings *ret_readings);
	/* Ends all loads, and waits for their end. */
	void (*stop_loads)(struct workload *workload);
	/* Runs function(data) on a thread that is pinned to a CPU, and waits for its return.
	 * Returns 0; -EINVAL or -EPERM if the CPU is offline or not allowed for this process;
	 * -EAGAIN. */
	int (*run_on)(struct workload *workload, uint32_t cpu, void (*function)(void *data),
		      void *data);
	/* Runs a block of rounds. If stop (may be NULL) is set, ends early with the rounds so far.
	 * Returns 0 with the number of rounds; -EINVAL or -EPERM as run_on; another negative errno
	 * of the system. */
	int (*wake_rounds)(struct workload *workload, const struct wake_job *job,
			   const struct wait_stop *stop, struct wake_round *rounds,
			   size_t *ret_count);
};

/* Implementations begin with this structure. */
struct workload {
	const struct workload_ops *ops;
	bool runs_commands; /* commands that are started run on this machine */
	bool is_emulated; /* instructions take other times than on hardware */
	bool wakes_in_realtime; /* the last wake_rounds used SCHED_FIFO */
};

/* Opens the workload of the machine that the program runs on. workload_close_real() closes it.
 * Returns 0 or -ENOMEM. */
int workload_open_real(struct workload **ret_workload);

/* Ends the loads, frees *workload, which may be NULL, and sets it to NULL. */
void workload_close_real(struct workload **workload);

#define _cleanup_load_readings_ __attribute__((cleanup(load_readings_done)))

/* Frees the list and leaves an empty list. */
void load_readings_done(struct load_readings *readings);

/* Returns the figures of a CPU's load, or NULL. */
const struct load_figures *load_readings_find(const struct load_readings *readings, uint32_t cpu);

/* load_kind_name() returns the word of a load as users write it: "scalar". load_kind_parse() finds
 * the kind of a word, and returns 0 or -EINVAL. */
const char *load_kind_name(enum load_kind kind);
/* The words of loads; the entry of LOAD_PIPE is NULL and ends the array. */
extern const char *const load_kind_words[LOAD_KINDS];
int load_kind_parse(const char *word, enum load_kind *ret_kind);

/* Implements workload_ops.wake_rounds on the machine that the program runs on, with child
 * processes. Signals that stop the caller do not reach them. Also returns -ECHILD if a child
 * process was killed. */
int workload_run_wake_rounds(struct workload *workload, const struct wake_job *job,
			     const struct wait_stop *stop, struct wake_round *rounds,
			     size_t *ret_count);

/* Returns true if a round counts: it entered only the state of the job, once, without a problem
 * (measure.md, "wake", 8). */
bool wake_round_counts(const struct wake_job *job, const struct wake_round *round);

/* Pins a process, or the calling thread (pid 0), to a CPU of the machine that the program runs on
 * (measure.md, "wake", 5). Returns 0; -ENOMEM; or a negative errno of sched_setaffinity(): -EINVAL
 * if the CPU is offline or not allowed for this process, -EPERM, -ESRCH. */
int workload_pin(pid_t pid, uint32_t cpu);

#endif
