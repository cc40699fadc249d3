// SPDX-License-Identifier: GPL-2.0-only
/* Runs a command while something is measured: the process waits until its counters are open, then
 * becomes the command (measure.md, "run"). */
#include "measure/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "instruments/perf.h"
#include "measure/results.h"

#define END_US 5000000 /* time that a command has to end after SIGTERM */

static volatile sig_atomic_t forward_to;

static void forward(int number)
{
	const int error = errno;

	if (forward_to > 0)
		kill((pid_t)forward_to, number);
	errno = error;
}

/* The signals that are passed on to the command, which gets SIGINT from the terminal itself. */
static const int signal_numbers[] = { SIGTERM, SIGHUP, SIGINT };

static void take_signals(struct command_process *command)
{
	forward_to = command->pid;
	for (size_t i = 0; i < ARRAY_SIZE(signal_numbers); i++) {
		struct sigaction action = {
			.sa_handler = signal_numbers[i] == SIGINT ? SIG_IGN : forward,
			.sa_flags = SA_RESTART,
		};

		sigaction(signal_numbers[i], NULL, &command->before[i]);
		/* as with nohup(1), an ignored signal stays ignored */
		if (command->before[i].sa_handler != SIG_IGN)
			sigaction(signal_numbers[i], &action, NULL);
	}
	command->has_signals = true;
}

static void give_signals_back(struct command_process *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(signal_numbers) && command->has_signals; i++)
		sigaction(signal_numbers[i], &command->before[i], NULL);
	command->has_signals = false;
	forward_to = 0;
}

/* In the new process: waits, then executes the command, or reports why it cannot. If the caller
 * records signals, it ignores SIGPIPE and SIGXFSZ, but the command must not. The kernel kills the
 * command if the caller is killed, so that nothing runs on with the settings of a trial. */
static void become(char *const *argv, pid_t parent, int go, int failure, bool has_recorder,
		   const sigset_t *unblocked)
{
	char word;
	int error;

	/* a caller that has ended already causes no signal */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(COMMAND_FAILED);
	/* a signal that is passed on before the command begins must end this process */
	for (size_t i = 0; i < ARRAY_SIZE(signal_numbers); i++) {
		struct sigaction action;

		sigaction(signal_numbers[i], NULL, &action);
		if (action.sa_handler != SIG_IGN)
			signal(signal_numbers[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	if (has_recorder) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
	}

	if (read(go, &word, 1) != 1)
		_exit(COMMAND_FAILED);
	execvp(argv[0], argv);
	error = errno;
	_exit(write(failure, &error, sizeof(error)) == sizeof(error) ? COMMAND_NOT_RUN
								     : COMMAND_FAILED);
}

/* Makes a descriptor that is readable when one of two others is readable. Returns it, or -1. */
static int watch(int left, int right)
{
	const int descriptors[] = { left, right };
	int fd = left < 0 || right < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(descriptors); i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(fd, EPOLL_CTL_ADD, descriptors[i], &event)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

int command_prepare(char *const *argv, const struct wait_stop *stop,
		    const struct wait_stop *stop_before, struct command_process *ret_command)
{
	struct command_process command = {
		.ended = -1,
		.either = -1,
		.stop = stop,
		.stop_before = stop_before,
		.handles = { -1, -1, -1 },
	};
	const pid_t parent = getpid();
	sigset_t blocked, unblocked;
	int go[2], failure[2], err;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		err = -errno;
		close(go[0]);
		close(go[1]);
		return err;
	}
	/* signals stay blocked until the child has reset the handlers of this process */
	sigemptyset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(signal_numbers); i++)
		sigaddset(&blocked, signal_numbers[i]);
	sigprocmask(SIG_BLOCK, &blocked, &unblocked);
	command.pid = fork();
	err = command.pid < 0 ? -errno : 0;
	if (command.pid == 0) {
		close(go[1]);
		become(argv, parent, go[0], failure[1], stop || stop_before, &unblocked);
	}
	sigprocmask(SIG_SETMASK, &unblocked, NULL);
	close(go[0]);
	close(failure[1]);
	command.go = go[1];
	command.failure = failure[0];
	if (err) {
		close(go[1]);
		close(failure[0]);
		return err;
	}
	/* Kernels before 5.3 have no such descriptor: waits then poll the process. */
	command.ended = (int)syscall(SYS_pidfd_open, command.pid, 0U);
	command.either = stop ? watch(command.ended, stop->fd) : -1;
	*ret_command = command;
	return 0;
}

void command_count(struct host *host, struct command_process *command)
{
	static const char *const names[] = { "tsc", "aperf", "mperf" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event event;
		int err = perf_find_event(host->files, "msr", names[i], &event);
		int handle = err ? err : perf_open_process(host->perf, &event, command->pid);

		if (handle >= 0) {
			command->handles[i] = handle;
			continue;
		}
		command->refusal = err == -ENOENT ? "PMU msr has no events aperf and mperf"
				   : err          ? "PMU msr is garbled"
					 : "counters of a process need CAP_PERFMON, or sysctl "
					   "kernel.perf_event_paranoid=1";
		return;
	}
}

int command_run(struct command_process *command)
{
	ssize_t length;
	int error;

	if (!command->stop)
		take_signals(command);
	if (wait_is_stopped(command->stop) || wait_is_stopped(command->stop_before))
		return -EINTR;
	while (write(command->go, "", 1) < 0 && errno == EINTR)
		;
	/* The kernel closes the other end when the command begins. */
	do
		length = read(command->failure, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	return length == sizeof(error) ? -error : 0;
}

static bool has_ended(void *data)
{
	const struct command_process *command = data;
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)command->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid != 0;
}

static bool has_ended_or_stops(void *data)
{
	const struct command_process *command = data;

	return wait_is_stopped(command->stop) || has_ended(data);
}

struct wait_stop command_end_source(struct command_process *command)
{
	if (command->stop)
		return (struct wait_stop){
			.fd = command->either,
			.is_asked = has_ended_or_stops,
			.data = command,
		};
	return (struct wait_stop){ .fd = command->ended, .is_asked = has_ended, .data = command };
}

void command_end(struct command_process *command)
{
	const struct wait_stop end = { .fd = command->ended,
				       .is_asked = has_ended,
				       .data = command };

	kill(command->pid, SIGTERM);
	if (!wait_us_or_stop(&end, END_US))
		kill(command->pid, SIGKILL);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / US_PER_S;
}

/* Adds the frequency at which the command ran, in any process and on any CPU. */
static void add_mhz(struct host *host, const struct command_process *command,
		    struct run_process *object)
{
	struct perf_counts counts[3];

	if (command->refusal) {
		object->mhz = figure_make_missing(command->refusal);
		return;
	}
	if (command->handles[0] < 0)
		return; /* counters of CPUs are used */
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (perf_read_process(host->perf, command->handles[i], &counts[i])) {
			object->mhz =
				figure_make_missing("the counters of the command cannot be read");
			return;
		}
	}
	if (counts[0].running_ns == 0 || counts[2].values[0] == 0)
		object->mhz = figure_make_missing("the command was not on a CPU long enough");
	else
		object->mhz = figure_make(
			(double)counts[0].values[0] / (double)counts[0].running_ns * NS_PER_US *
				(double)counts[1].values[0] / (double)counts[2].values[0],
			1, "PMU msr of the command: tsc x aperf/mperf");
}

static void close_all(struct host *host, struct command_process *command)
{
	int *const descriptors[] = { &command->go, &command->failure, &command->ended,
				     &command->either };

	for (size_t i = 0; i < ARRAY_SIZE(command->handles); i++)
		perf_close(host->perf, &command->handles[i]);
	for (size_t i = 0; i < ARRAY_SIZE(descriptors); i++) {
		if (*descriptors[i] >= 0)
			close(*descriptors[i]);
		*descriptors[i] = -1;
	}
	give_signals_back(command);
}

int command_finish(struct host *host, struct command_process *command, int *ret_status,
		   struct run_process *ret_process)
{
	struct rusage usage = { 0 };
	int status, number;
	pid_t pid;

	do
		pid = wait4(command->pid, &status, 0, &usage);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return -errno;
	number = WIFSIGNALED(status) ? COMMAND_SIGNAL_OFFSET + WTERMSIG(status)
				     : WEXITSTATUS(status);
	*ret_process = (struct run_process){
		.exit = figure_make_count((uint64_t)number, NULL),
		.user_seconds = figure_make(seconds_of(&usage.ru_utime), 6, "rusage"),
		.system_seconds = figure_make(seconds_of(&usage.ru_stime), 6, "rusage"),
		.max_rss_kib = figure_make_count((uint64_t)usage.ru_maxrss, "rusage"),
	};
	add_mhz(host, command, ret_process);
	command->pid = 0;
	close_all(host, command);
	*ret_status = number;
	return 0;
}

void command_done(struct host *host, struct command_process *command)
{
	if (command->pid <= 0)
		return;
	kill(command->pid, SIGKILL);
	while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
		;
	command->pid = 0;
	close_all(host, command);
}
