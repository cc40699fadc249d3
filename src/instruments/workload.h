/* SPDX-License-Identifier: GPL-2.0-only */
/* Time, and what runs on CPUs while something is measured: loads, a pipe between two processes,
 * rounds of sleeping and waking. It is implemented by the real machine, or by a model with its own
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
	LOAD_TDP, /* what fills the power limit at the base frequency: of models only */
	LOAD_PIPE, /* one side of workload_ops.start_pipe */
	LOAD_KINDS
};

/* What a load has done since it was started; it only grows. A chain is instructions of which each
 * waits for the one before, so that the number of cycles follows from their number. */
struct load_figures {
	uint32_t cpu;
	enum load_kind kind;
	uint64_t cpu_ns; /* CPU time of its thread, without what a hypervisor took */
	uint64_t multiply_cycles, multiply_ns; /* one chain: cycles, and CPU time */
	uint64_t add_cycles, add_ns; /* the other chain */
	bool has_chains; /* not the pipe, and not another architecture than x86-64 */
	uint64_t operations; /* of the pipe: round trips, the same on both CPUs */
};

/* In ascending order of the CPUs. */
struct load_readings {
	struct load_figures *list;
	size_t count;
	uint64_t now_ns; /* when they were read */
};

#define WAKE_STATES 10 /* a CPU has at most that many idle states */
#define WAKE_ANY_STATE                                                             \
	UINT32_MAX /* none is requested: the kernel chooses among those it may use \
		    */

/* What to do in one block of rounds (measure.md, "wake", 4 to 8). */
struct wake_job {
	bool by_futex; /* a second thread wakes; otherwise a timer does */
	uint32_t cpu; /* that sleeps, and is measured */
	uint32_t waker_cpu; /* by_futex: not of the same core */
	uint64_t gap_ns; /* from when it sleeps until it is woken */
	uint32_t state; /* the number of the idle state that is requested, or WAKE_ANY_STATE */
	/* The CPU has states 0 to states - 1; at most WAKE_STATES. 0: it has no idle states that
	 * the kernel shows; then each round counts in which nothing went wrong. */
	uint32_t states;
	bool has_rejected; /* their files "rejected" exist */
	uint64_t first_round; /* the number of the first recorded round, for this state and gap */
	size_t unrecorded; /* rounds before that */
	size_t wanted; /* ends when that many rounds count (wake_round_counts()) */
	size_t most; /* or after that many; rounds has room for them */
};

/* What was seen in one round. */
struct wake_round {
	uint64_t latency_ns; /* from when it was due until it ran */
	uint32_t usage[WAKE_STATES]; /* of each idle state, how often it was entered */
	uint32_t rejected[WAKE_STATES]; /* the same: refused by the hardware */
	bool was_late; /* by timer: due before it could sleep. By futex: it was not asleep yet */
	bool was_lost; /* by futex: no answer within the gap and 100 ms */
	bool waker_was_delayed; /* by futex: the second thread woke it long after the gap */
};

struct workload_ops {
	/* Nanoseconds of a clock that only goes forward (CLOCK_MONOTONIC_RAW). */
	uint64_t (*now_ns)(struct workload *workload);
	/* Waits at least that long, or until stop (may be NULL) asks to end; returns whether it
	 * does. */
	bool (*wait_ns)(struct workload *workload, uint64_t ns, const struct wait_stop *stop);
	/* Can a load of a kind (not LOAD_PIPE) run on these CPUs? Returns 0; -EOPNOTSUPP if the
	 * CPU lacks the instructions, or this machine cannot make such a load. */
	int (*check_load)(struct workload *workload, enum load_kind kind);
	/* Starts such a load on each of the CPUs, pinned to it, beside what was started before. It
	 * runs when this returns. Returns 0; -EOPNOTSUPP as above; -EBUSY if a load of ours is on
	 * one of them; -EINVAL or -EPERM if a CPU is offline or not allowed to us, which *ret_cpu
	 * then is; -EAGAIN; -ENOMEM. After a failure none of these CPUs has a load. */
	int (*start_load)(struct workload *workload, enum load_kind kind, const struct cpuset *cpus,
			  uint32_t *ret_cpu);
	/* Starts two processes, pinned to two different CPUs, that send each other a word through
	 * pipes in turn. Returns as above. */
	int (*start_pipe)(struct workload *workload, uint32_t cpu_a, uint32_t cpu_b,
			  uint32_t *ret_cpu);
	/* Reads what all loads have done so far. Returns 0; -ECHILD if a process of ours has ended;
	 * -ENOMEM. Free with load_readings_done(). */
	int (*read_loads)(struct workload *workload, struct load_readings *ret_readings);
	/* Ends all loads, and waits until they have. */
	void (*stop_loads)(struct workload *workload);
	/* Runs function(data) on a thread that is pinned to a CPU, and waits until it returned.
	 * Returns 0; -EINVAL or -EPERM if the CPU is offline or not allowed to us; -EAGAIN. */
	int (*run_on)(struct workload *workload, uint32_t cpu, void (*function)(void *data),
		      void *data);
	/* Runs a block of rounds; ends early, with those so far, when stop (may be NULL) asks to.
	 * Returns 0 with the number of rounds; -EINVAL or -EPERM for a CPU as above; another
	 * negative errno of the system. */
	int (*wake_rounds)(struct workload *workload, const struct wake_job *job,
			   const struct wait_stop *stop, struct wake_round *rounds,
			   size_t *ret_count);
};

/* Implementations begin with this. */
struct workload {
	const struct workload_ops *ops;
	bool runs_commands; /* a command that is started runs on this machine */
	bool is_emulated; /* instructions take other times than on hardware */
	bool wakes_in_realtime; /* the last wake_rounds slept in SCHED_FIFO */
};

/* Loads on the machine that we run on. Close with workload_close_real(). Returns 0 or -ENOMEM. */
int workload_open_real(struct workload **ret_workload);

/* Ends the loads, frees *workload, which may be NULL, and leaves NULL. */
void workload_close_real(struct workload **workload);

#define _cleanup_load_readings_ __attribute__((cleanup(load_readings_done)))

/* Frees the list and leaves an empty one. */
void load_readings_done(struct load_readings *readings);

/* The load of a CPU, or NULL. */
const struct load_figures *load_readings_find(const struct load_readings *readings, uint32_t cpu);

/* The word of a load, as users write it: "scalar"; and the kind of a word. Returns 0 or -EINVAL. */
const char *load_kind_name(enum load_kind kind);
/* Those of loads, up to NULL in place of LOAD_PIPE. */
extern const char *const load_kind_words[LOAD_KINDS];
int load_kind_parse(const char *word, enum load_kind *ret_kind);

/* Rounds on the machine that we run on, as workload_ops.wake_rounds, by processes of our own. A
 * signal that stops the caller does not reach them; -ECHILD if one of them was killed. */
int workload_run_wake_rounds(struct workload *workload, const struct wake_job *job,
			     const struct wait_stop *stop, struct wake_round *rounds,
			     size_t *ret_count);

/* Does a round count: it entered the state of the job, once, and no other, and nothing went wrong
 * (measure.md, "wake", 8)? */
bool wake_round_counts(const struct wake_job *job, const struct wake_round *round);

/* Pins a process, or the calling thread (pid 0), to a CPU of the machine that we run on
 * (measure.md, "wake", 5). Returns 0; -ENOMEM; or a negative errno of sched_setaffinity(): -EINVAL
 * if the CPU is offline or not allowed to us, -EPERM, -ESRCH. */
int workload_pin(pid_t pid, uint32_t cpu);

#endif
