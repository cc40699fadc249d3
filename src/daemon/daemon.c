// SPDX-License-Identifier: GPL-2.0-only
/*
 * One loop over descriptors: signals, events or the timer of the scans, the timer of a retry and of
 * the watchdog (commands.md, "Daemon"). Events that were lost, and a socket that is of no use any
 * more, are reasons to scan everything. What a scan left is tried again after pauses that grow from
 * one second to a minute, and only then, however often it scans. Signals are blocked, and read
 * from their descriptor: also between two writes, so that stopping never waits for more than one.
 */
#include "daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "base/cleanup.h"
#include "daemon/events.h"
#include "daemon/notify.h"

#define FIRST_PAUSE_S 1
#define MOST_PAUSE_S  60
#define NS_PER_US     1000
#define US_PER_S      1000000

struct daemon {
	const struct daemon_options *options;
	struct follower follower;
	int epoll_fd;
	int signal_fd;
	int scan_fd; /* timer of the scans, or -1 */
	struct events *events; /* or NULL */
	int retry_fd; /* timer of a retry */
	int watchdog_fd; /* timer of the watchdog, or -1 */
	uint32_t pause_s; /* of the next retry */
	bool is_stopping;
	bool must_scan; /* every power domain */
	bool must_retry; /* with the next scan: what was left */
	bool retry_is_set; /* the timer of the next retry runs */
	struct cpuset named; /* by events since the last scan */
};

/* Takes the signals that have come. */
static void take_signals(struct daemon *daemon)
{
	struct signalfd_siginfo info;

	while (read(daemon->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			daemon->must_scan = daemon->must_retry = true;
		else
			daemon->is_stopping = true;
	}
}

static bool is_stopping(void *data)
{
	struct daemon *daemon = data;

	take_signals(daemon);
	return daemon->is_stopping;
}

static void say(void *data, enum follower_weight weight, const char *text)
{
	const struct daemon *daemon = data;

	daemon->options->say(daemon->options->data, weight, text);
}

static int watch(struct daemon *daemon, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(daemon->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Sets a timer to go off after us, and again each us where it repeats; 0: not at all. */
static int set_timer(int fd, uint64_t us, bool repeats)
{
	const struct timespec time = { .tv_sec = (time_t)(us / US_PER_S),
				       .tv_nsec = (long)(us % US_PER_S * NS_PER_US) };
	const struct itimerspec setting = {
		.it_value = time,
		.it_interval = repeats ? time : (struct timespec){ 0 },
	};

	return timerfd_settime(fd, 0, &setting, NULL) < 0 ? -errno : 0;
}

static int open_timer(struct daemon *daemon, int *ret_fd)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return watch(daemon, fd);
}

/* A reader of its lines that goes away does not end it, nor does a limit on file sizes. */
static int open_signals(struct daemon *daemon)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	if (sigaction(SIGPIPE, &ignore, NULL) < 0 || sigaction(SIGXFSZ, &ignore, NULL) < 0)
		return -errno;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	daemon->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return daemon->signal_fd < 0 ? -errno : watch(daemon, daemon->signal_fd);
}

static int open_watchdog(struct daemon *daemon)
{
	uint64_t us = notify_watchdog_us();
	int err;

	if (!us)
		return 0;
	err = open_timer(daemon, &daemon->watchdog_fd);
	return err ?: set_timer(daemon->watchdog_fd, us / 2 ?: 1, true);
}

static int open_descriptors(struct daemon *daemon)
{
	int err;

	daemon->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (daemon->epoll_fd < 0)
		return -errno;
	err = open_signals(daemon);
	err = err ?: open_timer(daemon, &daemon->retry_fd);
	return err ?: open_watchdog(daemon);
}

static int listen_to_events(struct daemon *daemon)
{
	int err = events_open(&daemon->events);

	return err ?: watch(daemon, events_fd(daemon->events));
}

static int open_interval(struct daemon *daemon)
{
	int err = open_timer(daemon, &daemon->scan_fd);

	return err
		       ?: set_timer(daemon->scan_fd,
				    (uint64_t)daemon->options->interval_s * US_PER_S, true);
}

/* Can this machine tell of level changes by events? The words for why not, or NULL. */
static const char *find_event_problem(const struct machine *machine)
{
	switch (machine->identity.generation) {
	case GENERATION_SKYLAKE:
	case GENERATION_ICE_LAKE:
		return "this generation tells of no level change by events";
	case GENERATION_UNKNOWN:
	case GENERATION_OTHER_VENDOR:
	case GENERATION_CASCADE_LAKE:
	case GENERATION_CASCADE_LAKE_N:
	case GENERATION_SAPPHIRE_RAPIDS:
	case GENERATION_EMERALD_RAPIDS:
	case GENERATION_TPMI:
		break;
	}
	if (!machine->identity.hfi)
		return "this CPU has no hardware feedback interface (hfi in /proc/cpuinfo)";
	return machine->host->has_kernel ? NULL : "no kernel sends events for this machine";
}

static int check_events(struct daemon *daemon, struct host *host)
{
	_cleanup_free_ char *message = NULL, *words = NULL;
	struct machine *machine = NULL;
	const char *problem = NULL;
	int err = machine_open(host, &machine, &message);

	if (!err)
		problem = find_event_problem(machine);
	if (problem &&
	    asprintf(&words, "%s; --poll-interval SECONDS lets --oob poll instead", problem) < 0)
		words = NULL;
	if (err || problem)
		say(daemon, FOLLOWER_ERROR, message ?: words ?: problem ?: strerror(-err));
	machine_close(&machine);
	return err ?: problem ? -ENOTSUP : 0;
}

/* Opens what starts a scan: a timer, or the kernel's events. */
static int open_source(struct daemon *daemon, struct host *host)
{
	int err;

	if (daemon->options->interval_s)
		return open_interval(daemon);
	err = check_events(daemon, host);
	if (err)
		return err;
	err = listen_to_events(daemon);
	if (err == -ENOTSUP)
		say(daemon, FOLLOWER_ERROR,
		    "this kernel has no thermal netlink family (it comes with "
		    "5.18 and CONFIG_INTEL_HFI_THERMAL); --poll-interval SECONDS lets "
		    "--oob poll instead");
	else if (err)
		say(daemon, FOLLOWER_ERROR, events_problem(err));
	return err;
}

static void daemon_done(struct daemon *daemon)
{
	follower_done(&daemon->follower);
	cpuset_done(&daemon->named);
	events_close(&daemon->events);
	cleanup_close(&daemon->watchdog_fd);
	cleanup_close(&daemon->retry_fd);
	cleanup_close(&daemon->scan_fd);
	cleanup_close(&daemon->signal_fd);
	cleanup_close(&daemon->epoll_fd);
}

static void tell_status(const struct daemon *daemon)
{
	_cleanup_free_ char *levels = follower_describe(&daemon->follower), *words = NULL;

	if (levels && asprintf(&words, "STATUS=%s", levels) < 0)
		words = NULL;
	if (words)
		notify_send(words);
}

/* Listens again where the socket was lost. Returns whether it is there, if it is wanted. */
static bool is_listening(struct daemon *daemon)
{
	if (daemon->options->interval_s || daemon->events)
		return true;
	if (listen_to_events(daemon) == 0) {
		say(daemon, FOLLOWER_INFO, "listening to events again");
		return true;
	}
	events_close(&daemon->events);
	return false;
}

/* What is left is tried again after a pause, and that is longer each time. */
static void retry_later(struct daemon *daemon)
{
	if (daemon->retry_is_set)
		return;
	daemon->retry_is_set = true;
	set_timer(daemon->retry_fd, (uint64_t)daemon->pause_s * US_PER_S, false);
	daemon->pause_s = daemon->pause_s * 2 < MOST_PAUSE_S ? daemon->pause_s * 2 : MOST_PAUSE_S;
}

/*
 * Looks at everything, or at what events have named; what is left, or failed, is tried again later.
 * Returns the error of the scan.
 */
static int scan(struct daemon *daemon)
{
	bool is_deaf = !is_listening(daemon), is_left = false;
	_cleanup_cpuset_ struct cpuset named = daemon->named;
	int err;

	daemon->named = (struct cpuset){ 0 };
	err = follower_scan(&daemon->follower, daemon->must_scan ? NULL : &named,
			    daemon->must_retry, &is_left);
	if (daemon->follower.is_new_level) {
		daemon->pause_s = FIRST_PAUSE_S;
		daemon->retry_is_set = false;
	}
	if (err || is_deaf || is_left) {
		retry_later(daemon);
	} else if (daemon->must_scan) {
		set_timer(daemon->retry_fd, 0, false);
		daemon->retry_is_set = false;
		daemon->pause_s = FIRST_PAUSE_S;
	}
	daemon->must_scan = daemon->must_retry = false;
	tell_status(daemon);
	return err;
}

/* A burst of events is one reason to scan; events that come meanwhile are the next one. */
static void take_events(struct daemon *daemon)
{
	int err = events_take(daemon->events, &daemon->named);

	daemon->must_scan = daemon->must_scan || err;
	if (err == -ENOBUFS)
		say(daemon, FOLLOWER_WARNING, "events were lost: every power domain is looked at");
	if (err == -EBADMSG)
		say(daemon, FOLLOWER_WARNING,
		    "an event is not understood: every power domain is looked at");
	if (!err || err == -ENOBUFS || err == -EBADMSG)
		return;
	say(daemon, FOLLOWER_ERROR,
	    "the kernel's events cannot be heard any more: every power "
	    "domain is looked at, and listening is tried again");
	events_close(&daemon->events);
}

/* Takes what a descriptor has for us. */
static void take(struct daemon *daemon, int fd)
{
	uint64_t times;

	if (daemon->events && fd == events_fd(daemon->events)) {
		take_events(daemon);
		return;
	}
	if (fd == daemon->signal_fd) {
		take_signals(daemon);
		return;
	}
	if (read(fd, &times, sizeof(times)) != sizeof(times))
		return;
	if (fd == daemon->watchdog_fd) {
		notify_send("WATCHDOG=1");
		return;
	}
	daemon->must_scan = true;
	if (fd == daemon->retry_fd) {
		daemon->must_retry = true;
		daemon->retry_is_set = false;
	}
}

static void run_loop(struct daemon *daemon)
{
	while (!daemon->is_stopping) {
		struct epoll_event event;

		if (daemon->must_scan || !cpuset_is_empty(&daemon->named))
			scan(daemon);
		else if (epoll_wait(daemon->epoll_fd, &event, 1, -1) == 1)
			take(daemon, event.data.fd);
	}
}

int daemon_run(struct host *host, const struct daemon_options *options)
{
	_cleanup_(daemon_done) struct daemon daemon = {
		.options = options,
		.epoll_fd = -1,
		.signal_fd = -1,
		.scan_fd = -1,
		.retry_fd = -1,
		.watchdog_fd = -1,
		.pause_s = FIRST_PAUSE_S,
	};
	const struct follower_options follower_options = {
		.platform = options->platform,
		.cgroup = options->cgroup,
		.cpu0_workaround = options->cpu0_workaround,
		.say = say,
		.is_stopping = is_stopping,
		.data = &daemon,
	};
	int err = open_descriptors(&daemon);

	if (err)
		say(&daemon, FOLLOWER_ERROR, strerror(-err));
	err = err ?: open_source(&daemon, host);
	err = err ?: follower_init(&daemon.follower, host, &follower_options);
	daemon.must_scan = daemon.must_retry = true;
	err = err ?: scan(&daemon);
	if (err)
		return err;
	if (options->ready)
		options->ready(options->data);
	notify_send("READY=1");
	run_loop(&daemon);
	notify_send("STOPPING=1");
	return 0;
}
