// SPDX-License-Identifier: GPL-2.0-only
/* Runs loads on the machine that the program runs on: a pinned thread for each CPU, or two pinned
 * processes with two pipes between them (measure.md, "Sources, rights, traps"). */
#include "instruments/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "base/wait.h"

#define STACK_BYTES (256 << 10)

/* The length of a batch in cycles. The clock is read between two batches, which takes about a
 * thousandth of a batch. After wide instructions, the core keeps their frequency for 0.67 ms; the
 * batches of the chains are then shorter than this time. */
#define CHAIN_CYCLES       1000000
#define SHORT_CHAIN_CYCLES 200000
#define WIDE_TURNS         20000

#define CHAIN_LENGTH    64 /* instructions in a turn of the loop */
#define MULTIPLY_CYCLES 3 /* for each multiplication */

struct load {
	struct load_figures figures; /* protected by lock */
	pthread_mutex_t lock;
	pthread_t thread;
	atomic_bool ends;
	sem_t *started;
	int error; /* of pinning the thread, a negative errno */
};

struct pipe_load {
	uint32_t cpus[2];
	pid_t pids[2]; /* 0: none */
	_Atomic uint64_t *operations; /* in memory that is shared with the processes */
};

struct real_workload {
	struct workload workload;
	struct load **loads;
	size_t n_loads;
	struct pipe_load *pipes;
	size_t n_pipes;
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t real_now_ns(struct workload *workload)
{
	(void)workload;
	return read_clock(CLOCK_MONOTONIC_RAW);
}

static bool real_wait_ns(struct workload *workload, uint64_t ns, const struct wait_stop *stop)
{
	(void)workload;
	return wait_us_or_stop(stop, ns / NS_PER_US + (ns % NS_PER_US != 0));
}

int workload_pin(pid_t pid, uint32_t cpu)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	_cleanup_free_ cpu_set_t *set = calloc(1, size);

	if (!set)
		return -ENOMEM;
	CPU_SET_S(cpu, size, set);
	return sched_setaffinity(pid, size, set) ? -errno : 0;
}

#if defined(__x86_64__)

#define HAS_CHAINS true

/* Each instruction uses the result of the one before. The chain adds registers, because new cores
 * combine additions of immediate numbers. */
static void multiply(uint64_t turns)
{
	uint32_t value = 3;

	__asm__ volatile(".p2align 6\n"
			 "1:\n"
			 ".rept 64\n"
			 "imull %0, %0\n"
			 ".endr\n"
			 "decq %1\n"
			 "jnz 1b\n"
			 : "+r"(value), "+r"(turns)::"cc");
}

static void add(uint64_t turns)
{
	uint64_t value = 3;

	__asm__ volatile(".p2align 6\n"
			 "1:\n"
			 ".rept 64\n"
			 "addq %0, %0\n"
			 ".endr\n"
			 "decq %1\n"
			 "jnz 1b\n"
			 : "+r"(value), "+r"(turns)::"cc");
}

/* Eight independent sums, x = b - a x, whose bits change each time. */
#define WIDE_LOOP(wide)                                          \
	"vbroadcastss (%1), %%" wide "8\n"                       \
	"vbroadcastss 4(%1), %%" wide "9\n"                      \
	".irp n,0,1,2,3,4,5,6,7\n"                               \
	"vbroadcastss 8(%1), %%" wide "\\n\n"                    \
	".endr\n"                                                \
	".p2align 6\n"                                           \
	"1:\n"                                                   \
	".rept 8\n"                                              \
	".irp n,0,1,2,3,4,5,6,7\n"                               \
	"vfnmadd213ps %%" wide "9, %%" wide "8, %%" wide "\\n\n" \
	".endr\n"                                                \
	".endr\n"                                                \
	"decq %0\n"                                              \
	"jnz 1b\n"                                               \
	"vzeroupper\n"

#define WIDE_CLOBBERS                                                                           \
	"cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
		"xmm9"

static void compute_wide(enum load_kind kind, uint64_t turns)
{
	static const float factors[] = { 1.0F, 1.7F, 0.3F };

	if (kind == LOAD_AVX2)
		__asm__ volatile(WIDE_LOOP("ymm") : "+r"(turns) : "r"(factors) : WIDE_CLOBBERS);
	else
		__asm__ volatile(WIDE_LOOP("zmm") : "+r"(turns) : "r"(factors) : WIDE_CLOBBERS);
}

static int real_check_load(struct workload *workload, enum load_kind kind)
{
	(void)workload;
	__builtin_cpu_init();
	switch (kind) {
	case LOAD_SCALAR:
		return 0;
	case LOAD_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
			       ? 0
			       : -EOPNOTSUPP;
	case LOAD_AVX512:
		return __builtin_cpu_supports("avx512f") ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

/* Returns true if instructions are translated (TCG of QEMU). TCG shows its name here, even if it
 * hides the hypervisor; a processor shows something else. */
static bool find_emulation(void)
{
	uint32_t eax, registers[3] = { 0 };

	__cpuid(0x40000000, eax, registers[0], registers[1], registers[2]);
	return memcmp(registers, "TCGTCGTCGTCG", sizeof(registers)) == 0;
}

#else

#define HAS_CHAINS false

/* A loop in C, whose number of cycles is unknown. */
static void multiply(uint64_t turns)
{
	volatile uint32_t value = 3;

	for (uint64_t i = 0; i < turns * CHAIN_LENGTH / 8; i++)
		value = value * value;
}

static void add(uint64_t turns)
{
	multiply(turns);
}

static void compute_wide(enum load_kind kind, uint64_t turns)
{
	(void)kind;
	multiply(turns);
}

static int real_check_load(struct workload *workload, enum load_kind kind)
{
	(void)workload;
	return kind == LOAD_SCALAR ? 0 : -EOPNOTSUPP;
}

static bool find_emulation(void)
{
	return false;
}

#endif

/* Runs a batch of each chain, and adds their cycles and times to the figures. */
static void run_batch(struct load *load, enum load_kind kind)
{
	const uint64_t cycles = kind == LOAD_SCALAR ? CHAIN_CYCLES : SHORT_CHAIN_CYCLES;
	const uint64_t multiplications = cycles / CHAIN_LENGTH / MULTIPLY_CYCLES;
	const uint64_t additions = cycles / CHAIN_LENGTH;
	uint64_t begin_ns, middle_ns, end_ns;

	if (kind != LOAD_SCALAR)
		compute_wide(kind, WIDE_TURNS);
	begin_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	multiply(multiplications);
	middle_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	add(additions);
	end_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);

	pthread_mutex_lock(&load->lock);
	load->figures.cpu_ns = end_ns;
	load->figures.multiply_cycles += multiplications * CHAIN_LENGTH * MULTIPLY_CYCLES;
	load->figures.multiply_ns += middle_ns - begin_ns;
	load->figures.add_cycles += additions * CHAIN_LENGTH;
	load->figures.add_ns += end_ns - middle_ns;
	pthread_mutex_unlock(&load->lock);
}

static void *run_load(void *data)
{
	struct load *load = data;
	const enum load_kind kind = load->figures.kind;

	load->error = workload_pin(0, load->figures.cpu);
	sem_post(load->started);
	while (!load->error && !atomic_load_explicit(&load->ends, memory_order_relaxed))
		run_batch(load, kind);
	return NULL;
}

/* Starts a thread with a small stack and all signals blocked, because the main thread handles them.
 * Returns 0 or a negative errno of pthread_create(). */
static int start_thread(pthread_t *ret_thread, void *(*function)(void *), void *data)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int err = pthread_attr_init(&attributes);

	if (err)
		return -err;
	sigfillset(&all);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(ret_thread, &attributes, function, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -err;
}

static int add_load(struct real_workload *real, enum load_kind kind, uint32_t cpu, sem_t *started)
{
	struct load **place = array_add(&real->loads, &real->n_loads, sizeof(*place));
	struct load *load;
	int err;

	if (!place)
		return -ENOMEM;
	load = calloc(1, sizeof(*load));
	if (!load) {
		real->n_loads--;
		return -ENOMEM;
	}
	load->figures.cpu = cpu;
	load->figures.kind = kind;
	load->figures.has_chains = HAS_CHAINS;
	load->started = started;
	pthread_mutex_init(&load->lock, NULL);
	err = start_thread(&load->thread, run_load, load);
	if (err) {
		pthread_mutex_destroy(&load->lock);
		free(load);
		real->n_loads--;
		return err;
	}
	*place = load;
	return 0;
}

static void end_loads(struct real_workload *real, size_t first)
{
	for (size_t i = first; i < real->n_loads; i++)
		atomic_store_explicit(&real->loads[i]->ends, true, memory_order_relaxed);
	for (size_t i = first; i < real->n_loads; i++) {
		pthread_join(real->loads[i]->thread, NULL);
		pthread_mutex_destroy(&real->loads[i]->lock);
		free(real->loads[i]);
	}
	real->n_loads = first;
}

static bool is_loaded(const struct real_workload *real, uint32_t cpu)
{
	for (size_t i = 0; i < real->n_loads; i++) {
		if (real->loads[i]->figures.cpu == cpu)
			return true;
	}
	for (size_t i = 0; i < real->n_pipes; i++) {
		if (real->pipes[i].cpus[0] == cpu || real->pipes[i].cpus[1] == cpu)
			return true;
	}
	return false;
}

static int real_start_load(struct workload *workload, enum load_kind kind,
			   const struct cpuset *cpus, uint32_t *ret_cpu)
{
	struct real_workload *real = (struct real_workload *)workload;
	const size_t first = real->n_loads;
	sem_t started;
	int err = real_check_load(workload, kind);

	if (err)
		return err;
	sem_init(&started, 0, 0);
	cpuset_foreach (cpu, cpus) {
		*ret_cpu = cpu;
		err = is_loaded(real, cpu) ? -EBUSY : add_load(real, kind, cpu, &started);
		if (err)
			break;
	}
	for (size_t i = first; i < real->n_loads; i++) {
		while (sem_wait(&started) != 0)
			;
	}
	for (size_t i = first; i < real->n_loads && !err; i++) {
		err = real->loads[i]->error;
		*ret_cpu = real->loads[i]->figures.cpu;
	}
	if (err)
		end_loads(real, first);
	sem_destroy(&started);
	return err;
}

/* Runs one of the two processes. With operations, it sends a word, waits for its return, and
 * counts; otherwise, it sends each word back. Ends when the other end of a pipe is closed. */
static void pass_on(int from, int to, _Atomic uint64_t *operations)
{
	int word = 0;

	for (;;) {
		if (operations && write(to, &word, sizeof(word)) != sizeof(word))
			return;
		if (read(from, &word, sizeof(word)) != sizeof(word))
			return;
		if (operations)
			atomic_fetch_add_explicit(operations, 1, memory_order_relaxed);
		else if (write(to, &word, sizeof(word)) != sizeof(word))
			return;
	}
}

/* Starts one of the processes, with all signals blocked except SIGKILL. It ends with this process.
 * Returns its id or a negative errno. */
static pid_t start_process(uint32_t cpu, int from, int to, const int unused[2],
			   _Atomic uint64_t *operations)
{
	const pid_t parent = getpid();
	sigset_t all, before;
	pid_t pid;
	int err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		close(unused[0]);
		close(unused[1]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
			pass_on(from, to, operations);
		_exit(0);
	}
	err = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	err = workload_pin(pid, cpu);
	if (err) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return err;
	}
	return pid;
}

static void end_pipe(struct pipe_load *load)
{
	for (size_t i = 0; i < ARRAY_SIZE(load->pids); i++) {
		if (load->pids[i] <= 0)
			continue;
		kill(load->pids[i], SIGKILL);
		while (waitpid(load->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
	munmap(load->operations, sizeof(*load->operations));
}

/* Starts both processes of a pipe. Returns 0; or a negative errno, with *ret_cpu the CPU whose
 * process could not be started. */
static int start_both(struct pipe_load *load, uint32_t *ret_cpu)
{
	int there[2], back[2];
	int err = 0;

	if (pipe2(there, O_CLOEXEC))
		return -errno;
	if (pipe2(back, O_CLOEXEC)) {
		err = -errno;
		close(there[0]);
		close(there[1]);
		return err;
	}
	for (size_t i = 0; i < 2 && !err; i++) {
		const int used_by_other[] = { i ? there[1] : there[0], i ? back[0] : back[1] };
		pid_t pid =
			start_process(load->cpus[i], i ? there[0] : back[0], i ? back[1] : there[1],
				      used_by_other, i ? NULL : load->operations);

		*ret_cpu = load->cpus[i];
		if (pid < 0)
			err = pid;
		else
			load->pids[i] = pid;
	}
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return err;
}

static int real_start_pipe(struct workload *workload, uint32_t cpu_a, uint32_t cpu_b,
			   uint32_t *ret_cpu)
{
	struct real_workload *real = (struct real_workload *)workload;
	struct pipe_load load = { .cpus = { cpu_a, cpu_b } }, *place;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(load.cpus); i++) {
		*ret_cpu = load.cpus[i];
		if (is_loaded(real, load.cpus[i]))
			return -EBUSY;
	}
	if (cpu_a == cpu_b)
		return -EBUSY;
	load.operations = mmap(NULL, sizeof(*load.operations), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load.operations == MAP_FAILED)
		return -errno;
	err = start_both(&load, ret_cpu);
	place = err ? NULL : array_add(&real->pipes, &real->n_pipes, sizeof(*place));
	if (!place) {
		end_pipe(&load);
		return err ? err : -ENOMEM;
	}
	*place = load;
	return 0;
}

/* Adds the figures of a pipe to the list. Returns 0, -ECHILD if one of its processes has ended, or
 * -ENOMEM. */
static int read_pipe(const struct pipe_load *load, struct load_readings *readings)
{
	for (size_t i = 0; i < ARRAY_SIZE(load->pids); i++) {
		struct load_figures *figures =
			array_add(&readings->list, &readings->count, sizeof(*figures));
		siginfo_t ended = { 0 };
		clockid_t clock;

		if (!figures)
			return -ENOMEM;
		/* The process keeps its id until end_pipe() waits for it. */
		if (waitid(P_PID, (id_t)load->pids[i], &ended, WEXITED | WNOHANG | WNOWAIT) ||
		    ended.si_pid || clock_getcpuclockid(load->pids[i], &clock))
			return -ECHILD;
		*figures = (struct load_figures){
			.cpu = load->cpus[i],
			.kind = LOAD_PIPE,
			.cpu_ns = read_clock(clock),
			.operations = atomic_load_explicit(load->operations, memory_order_relaxed),
		};
	}
	return 0;
}

static int compare_figures(const void *left, const void *right)
{
	return number_compare(((const struct load_figures *)left)->cpu,
			      ((const struct load_figures *)right)->cpu);
}

static int real_read_loads(struct workload *workload, struct load_readings *ret_readings)
{
	struct real_workload *real = (struct real_workload *)workload;
	_cleanup_load_readings_ struct load_readings readings = { 0 };

	readings.now_ns = real_now_ns(workload);
	for (size_t i = 0; i < real->n_loads; i++) {
		struct load_figures *figures =
			array_add(&readings.list, &readings.count, sizeof(*figures));

		if (!figures)
			return -ENOMEM;
		pthread_mutex_lock(&real->loads[i]->lock);
		*figures = real->loads[i]->figures;
		pthread_mutex_unlock(&real->loads[i]->lock);
	}
	for (size_t i = 0; i < real->n_pipes; i++) {
		int err = read_pipe(&real->pipes[i], &readings);

		if (err)
			return err;
	}
	if (readings.count > 1)
		qsort(readings.list, readings.count, sizeof(*readings.list), compare_figures);
	*ret_readings = steal(readings);
	return 0;
}

static void real_stop_loads(struct workload *workload)
{
	struct real_workload *real = (struct real_workload *)workload;

	end_loads(real, 0);
	for (size_t i = 0; i < real->n_pipes; i++)
		end_pipe(&real->pipes[i]);
	real->n_pipes = 0;
}

struct pinned_call {
	uint32_t cpu;
	void (*function)(void *data);
	void *data;
	int error;
};

static void *run_pinned(void *data)
{
	struct pinned_call *call = data;

	call->error = workload_pin(0, call->cpu);
	if (!call->error)
		call->function(call->data);
	return NULL;
}

static int real_run_on(struct workload *workload, uint32_t cpu, void (*function)(void *data),
		       void *data)
{
	struct pinned_call call = { .cpu = cpu, .function = function, .data = data };
	pthread_t thread;
	int err = start_thread(&thread, run_pinned, &call);

	(void)workload;
	if (err)
		return err;
	pthread_join(thread, NULL);
	return call.error;
}

static const struct workload_ops real_ops = {
	.now_ns = real_now_ns,
	.wait_ns = real_wait_ns,
	.check_load = real_check_load,
	.start_load = real_start_load,
	.start_pipe = real_start_pipe,
	.read_loads = real_read_loads,
	.stop_loads = real_stop_loads,
	.run_on = real_run_on,
	.wake_rounds = workload_run_wake_rounds,
};

int workload_open_real(struct workload **ret_workload)
{
	struct real_workload *real = calloc(1, sizeof(*real));

	if (!real)
		return -ENOMEM;
	real->workload.ops = &real_ops;
	real->workload.runs_commands = true;
	real->workload.is_emulated = find_emulation();
	*ret_workload = &real->workload;
	return 0;
}

void workload_close_real(struct workload **workload)
{
	struct real_workload *real = (struct real_workload *)*workload;

	if (!real)
		return;
	real_stop_loads(*workload);
	free(real->loads);
	free(real->pipes);
	free(real);
	*workload = NULL;
}

void load_readings_done(struct load_readings *readings)
{
	free(readings->list);
	*readings = (struct load_readings){ 0 };
}

const struct load_figures *load_readings_find(const struct load_readings *readings, uint32_t cpu)
{
	const struct load_figures wanted = { .cpu = cpu };

	if (!readings->count)
		return NULL;
	return bsearch(&wanted, readings->list, readings->count, sizeof(wanted), compare_figures);
}

const char *const load_kind_words[LOAD_KINDS] = {
	[LOAD_SCALAR] = "scalar",
	[LOAD_AVX2] = "avx2",
	[LOAD_AVX512] = "avx512",
	[LOAD_TDP] = "tdp",
};

const char *load_kind_name(enum load_kind kind)
{
	return load_kind_words[kind] ?: "pipe";
}

int load_kind_parse(const char *word, enum load_kind *ret_kind)
{
	for (enum load_kind kind = 0; kind < LOAD_PIPE; kind++) {
		if (strcmp(word, load_kind_words[kind]) == 0) {
			*ret_kind = kind;
			return 0;
		}
	}
	return -EINVAL;
}

bool wake_round_counts(const struct wake_job *job, const struct wake_round *round)
{
	uint64_t entered = 0, refused = 0;

	if (round->was_late || round->was_lost || round->waker_was_delayed)
		return false;
	for (uint32_t i = 0; i < job->states && i < WAKE_STATES; i++) {
		entered += round->usage[i];
		refused += round->rejected[i];
	}
	if (!job->states)
		return true;
	return entered == 1 && !refused &&
	       (job->state == WAKE_ANY_STATE ||
		(job->state < WAKE_STATES && round->usage[job->state] == 1));
}
