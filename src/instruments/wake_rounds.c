// SPDX-License-Identifier: GPL-2.0-only
/* Runs rounds of sleeping and waking on the machine that the program runs on (measure.md, "wake", 4
 * to 7). A process that is pinned to the measured CPU sleeps, and a timer or a second process wakes
 * it. The caller waits for both in any case. The processes share words, each in its own cache line:
 * the sleeper writes READY and ACK, and the waker writes SEQUENCE and DONE. */
#include "instruments/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "base/wait.h"
#include "host/files.h"

#define SLEEPER_RANK  80 /* priority in SCHED_FIFO */
#define SPIN_NS       UINT64_C(1000000) /* in a longer gap, the waker sleeps first */
#define EARLY_NS      UINT64_C(100000) /* the waker spins for this time at the end of a gap */
#define LOST_NS       UINT64_C(100000000) /* an answer that takes longer after the gap is lost */
#define PREPARE_NS    NS_PER_S /* time for the sleeper to prepare the first round */
#define DELAY_NS      UINT64_C(50000) /* most delay of the waker, plus a tenth of the gap */
#define LINE_BYTES    128 /* two cache lines are fetched at once */
#define STOP_CHECK_MS 10 /* interval of checks if stop has no descriptor */
#define END_MS        1000 /* a process that has not ended after this time plus the gap is killed */
#define MOST_NUMBER   24 /* bytes of a counter */

struct word {
	_Alignas(LINE_BYTES) _Atomic uint32_t value;
};

/* The memory that the processes of a block share. */
struct block {
	struct word ready, ack, sequence, done, stops;
	_Alignas(LINE_BYTES) int error; /* of the sleeper: a negative errno */
	size_t count; /* rounds that are recorded */
	bool is_realtime;
	_Alignas(LINE_BYTES) uint64_t woken_at_ns; /* written by the waker in each round */
	bool was_awake, was_delayed;
	bool has_no_answer; /* the sleeper took too long, and the waker ended */
	struct wake_round rounds[]; /* written by the sleeper */
};

/* Descriptors of the counters of the measured CPU's idle states. */
struct counters {
	int usage[WAKE_STATES];
	int rejected[WAKE_STATES];
};

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

static void sleep_until(uint64_t ns)
{
	const struct timespec until = time_of(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Leaves resources to the other thread of the core, and saves power. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void wait_while(struct word *word, uint32_t value)
{
	while (atomic_load(&word->value) == value)
		syscall(SYS_futex, &word->value, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* Waits at most most_ns while the word has this value. Returns true if the value has changed. */
static bool wait_while_for(struct word *word, uint32_t value, uint64_t most_ns)
{
	const uint64_t until_ns = wait_now_ns() + most_ns;
	const struct timespec until = time_of(until_ns);

	while (atomic_load(&word->value) == value) {
		if (wait_now_ns() >= until_ns)
			return false;
		syscall(SYS_futex, &word->value, FUTEX_WAIT_BITSET, value, &until, NULL,
			FUTEX_BITSET_MATCH_ANY);
	}
	return true;
}

/* Sets the word, and wakes the process that waits for it. Returns how many processes waited. */
static long set_word(struct word *word, uint32_t value)
{
	atomic_store(&word->value, value);
	return syscall(SYS_futex, &word->value, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int open_counter(uint32_t cpu, uint32_t state, const char *name)
{
	const struct file_path path = files_cpu_path(cpu, "cpuidle/state%u/%s", state, name);
	int fd = open(path.text, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_counters(struct counters *counters)
{
	for (size_t i = 0; i < WAKE_STATES; i++) {
		cleanup_close(&counters->usage[i]);
		cleanup_close(&counters->rejected[i]);
	}
}

static int open_counters(const struct wake_job *job, struct counters *counters)
{
	int err = 0;

	memset(counters, 0xff, sizeof(*counters)); /* -1 */
	for (uint32_t i = 0; i < job->states && !err; i++) {
		counters->usage[i] = open_counter(job->cpu, i, "usage");
		err = counters->usage[i] < 0 ? counters->usage[i] : 0;
		if (job->has_rejected && !err) {
			counters->rejected[i] = open_counter(job->cpu, i, "rejected");
			err = counters->rejected[i] < 0 ? counters->rejected[i] : 0;
		}
	}
	return err;
}

/* Reads counters as 32 bits, because differences are small. Counters that are not open are 0. */
static void read_counters(const int *fds, uint32_t states, uint32_t *values)
{
	for (uint32_t i = 0; i < states; i++) {
		char text[MOST_NUMBER + 1];
		ssize_t length = fds[i] < 0 ? 0 : pread(fds[i], text, MOST_NUMBER, 0);
		uint64_t value = 0;

		text[length < 0 ? 0 : length] = '\0';
		number_parse_file(text, &value);
		values[i] = (uint32_t)value;
	}
}

static void take_counts(const struct wake_job *job, const struct counters *counters,
			struct wake_round *round)
{
	read_counters(counters->usage, job->states, round->usage);
	read_counters(counters->rejected, job->states, round->rejected);
}

/* Stores how the counts changed since `before`. */
static void put_counts(const struct wake_job *job, const struct counters *counters,
		       const struct wake_round *before, struct wake_round *round)
{
	take_counts(job, counters, round);
	for (uint32_t i = 0; i < job->states; i++) {
		round->usage[i] -= before->usage[i];
		round->rejected[i] -= before->rejected[i];
	}
}

static void run_timer_round(const struct wake_job *job, const struct counters *counters,
			    struct wake_round *round)
{
	struct wake_round before;
	uint64_t due, woke;

	take_counts(job, counters, &before);
	due = wait_now_ns() + job->gap_ns;
	sleep_until(due);
	woke = wait_now_ns();
	put_counts(job, counters, &before, round);
	round->latency_ns = woke > due ? woke - due : 0;
}

static void run_futex_round(const struct wake_job *job, const struct counters *counters,
			    struct block *block, uint32_t number, struct wake_round *round)
{
	struct wake_round before;
	uint64_t woke;

	take_counts(job, counters, &before);
	set_word(&block->ready, number);
	wait_while(&block->sequence, number - 1);
	woke = wait_now_ns();
	put_counts(job, counters, &before, round);
	set_word(&block->ack, number);
	/* the waker stores its results of the round */
	wait_while(&block->done, number - 1);
	round->latency_ns = woke > block->woken_at_ns ? woke - block->woken_at_ns : 0;
	round->was_late = block->was_awake;
	round->was_lost = round->latency_ns > job->gap_ns + LOST_NS;
	round->waker_was_delayed = block->was_delayed;
}

/* Runs all rounds. Ignores failures of functions that this user may not call. */
static int sleep_and_wake(const struct wake_job *job, struct block *block)
{
	const struct sched_param rank = { .sched_priority = SLEEPER_RANK };
	struct counters counters;
	size_t counted = 0;
	uint32_t number = 0;
	int err = workload_pin(0, job->cpu);

	if (!err)
		err = open_counters(job, &counters);
	if (err)
		return err;
	prctl(PR_SET_TIMERSLACK, 1);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	block->is_realtime = syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &rank) == 0;
	while (counted < job->wanted && block->count < job->most &&
	       !atomic_load(&block->stops.value)) {
		struct wake_round *round = &block->rounds[block->count];

		number++;
		if (job->by_futex)
			run_futex_round(job, &counters, block, number, round);
		else
			run_timer_round(job, &counters, round);
		/* The kernel moves a process whose CPU goes offline. */
		if ((uint32_t)sched_getcpu() != job->cpu) {
			err = -EINVAL;
			break;
		}
		if (number <= job->unrecorded)
			continue;
		counted += wake_round_counts(job, round);
		block->count++;
	}
	close_counters(&counters);
	return err;
}

/* Returns how often the kernel interrupted the calling process to run another one. */
static long interruptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

static void wait_gap(uint64_t gap_ns, uint64_t until_ns)
{
	if (gap_ns > SPIN_NS)
		sleep_until(until_ns - EARLY_NS);
	while (wait_now_ns() < until_ns)
		relax();
}

/* Wakes the sleeper in each round, until this process is killed or the sleeper does not answer. */
static void wake_sleeper(const struct wake_job *job, struct block *block)
{
	const uint64_t most_ns = job->gap_ns + LOST_NS;
	uint32_t number = 0;

	workload_pin(0, job->waker_cpu);
	prctl(PR_SET_TIMERSLACK, 1);
	/* before the first round, the sleeper prepares itself */
	while (wait_while_for(&block->ready, number, number ? most_ns : most_ns + PREPARE_NS)) {
		uint64_t due = wait_now_ns() + job->gap_ns, at;
		long interrupted = interruptions();

		number++;
		wait_gap(job->gap_ns, due);
		at = wait_now_ns();
		block->woken_at_ns = at;
		block->was_awake = set_word(&block->sequence, number) == 0;
		block->was_delayed =
			at > due + DELAY_NS + job->gap_ns / 10 || interruptions() != interrupted;
		set_word(&block->done, number);
		wait_while_for(&block->ack, number - 1, most_ns);
	}
	block->has_no_answer = true;
}

/* Starts one of the processes. It has the write end of a pipe, which is closed when the process
 * ends. It ignores signals that stop the program, because the caller handles them. Returns its id
 * or a negative errno. */
static pid_t start_process(const struct wake_job *job, struct block *block, bool sleeps,
			   const int ends[2])
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0)
		return pid;
	close(ends[0]);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
		if (sleeps)
			block->error = sleep_and_wake(job, block);
		else
			wake_sleeper(job, block);
	}
	_exit(0);
}

/* A process of the block; -1 and 0: none. */
struct process {
	int fd; /* at end of file when the process has ended */
	pid_t pid;
};

static int start(const struct wake_job *job, struct block *block, bool sleeps,
		 struct process *process)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	process->pid = start_process(job, block, sleeps, ends);
	close(ends[1]);
	if (process->pid < 0) {
		close(ends[0]);
		return process->pid;
	}
	process->fd = ends[0];
	return 0;
}

/* Waits for the end of the process, and kills it first if kills. Returns true if it ended by itself
 * with status 0. */
static bool end_process(struct process *process, bool kills)
{
	int status = 0;

	if (process->pid <= 0)
		return true;
	if (kills)
		kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	cleanup_close(&process->fd);
	process->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Waits until one of the processes has ended. After stop is set, waits only for a limited time. */
static void wait_for_end(const struct wake_job *job, struct block *block,
			 const struct process *sleeper, const struct process *waker,
			 const struct wait_stop *stop)
{
	struct pollfd sources[] = {
		{ .fd = sleeper->fd, .events = POLLIN },
		{ .fd = waker->fd, .events = POLLIN },
		{ .fd = stop ? stop->fd : -1, .events = POLLIN },
	};
	const uint64_t grace_us = END_MS * US_PER_MS + job->gap_ns / NS_PER_US;
	uint64_t stopped_us = 0;

	for (;;) {
		bool is_polled = stopped_us || (stop && stop->fd < 0);
		int ready = poll(sources, ARRAY_SIZE(sources), is_polled ? STOP_CHECK_MS : -1);

		if (ready > 0 && (sources[0].revents || sources[1].revents))
			return;
		if (!stopped_us && wait_is_stopped(stop)) {
			atomic_store(&block->stops.value, 1);
			stopped_us = wait_now_us();
			sources[2].fd = -1;
		}
		if (stopped_us && wait_now_us() - stopped_us > grace_us)
			return;
	}
}

static int run_block(const struct wake_job *job, struct block *block, const struct wait_stop *stop,
		     bool *ret_whole)
{
	struct process sleeper = { .fd = -1 }, waker = { .fd = -1 };
	int err = start(job, block, true, &sleeper);
	bool has_ended, is_whole;

	if (!err && job->by_futex)
		err = start(job, block, false, &waker);
	if (!err)
		wait_for_end(job, block, &sleeper, &waker, stop);
	/* The sleeper has ended, or it is stuck, or its waker has ended. */
	has_ended = poll(&(struct pollfd){ .fd = sleeper.fd, .events = POLLIN }, 1, 0) > 0;
	is_whole = end_process(&sleeper, err || !has_ended) && has_ended;
	end_process(&waker, true);
	if (!has_ended && block->has_no_answer) {
		is_whole = true;
		if (block->count < job->most)
			block->rounds[block->count++] = (struct wake_round){ .was_lost = true };
	}
	*ret_whole = is_whole;
	return err ? err : block->error;
}

int workload_run_wake_rounds(struct workload *workload, const struct wake_job *job,
			     const struct wait_stop *stop, struct wake_round *rounds,
			     size_t *ret_count)
{
	size_t size = sizeof(struct block) + (job->most + 1) * sizeof(*rounds);
	struct block *block;
	bool is_whole;
	int err;

	if (job->states > WAKE_STATES)
		return -EINVAL;
	block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		     -1, 0);
	if (block == MAP_FAILED)
		return -errno;
	err = run_block(job, block, stop, &is_whole);
	if (!err && !is_whole && !wait_is_stopped(stop))
		err = -ECHILD;
	if (!err) {
		workload->wakes_in_realtime = block->is_realtime;
		*ret_count = block->count < job->most ? block->count : job->most;
		memcpy(rounds, block->rounds, *ret_count * sizeof(*rounds));
	}
	munmap(block, size);
	return err;
}
