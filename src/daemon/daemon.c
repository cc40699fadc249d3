// SPDX-License-Identifier: GPL-2.0-only
/*
 * One loop over descriptors: signals, the timer of the looks, the timer of a retry and of the
 * watchdog (commands.md, "Daemon"). A look that could not be finished is repeated after pauses that
 * grow from one second to a minute. Signals are blocked, and read from their descriptor: also
 * between two writes, so that stopping never waits for more than one.
 */
#include "daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "base/cleanup.h"
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
	int look_fd; /* timer of the looks */
	int retry_fd; /* timer of a retry */
	int watchdog_fd; /* timer of the watchdog, or -1 */
	uint32_t pause_s; /* of the next retry */
	bool is_stopping;
	bool must_look;
};

/* Takes the signals that have come. */
static void take_signals(struct daemon *daemon)
{
	struct signalfd_siginfo info;

	while (read(daemon->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			daemon->must_look = true;
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

static int open_signals(struct daemon *daemon)
{
	sigset_t set;

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
	err = err ?: open_timer(daemon, &daemon->look_fd);
	err = err ?: open_timer(daemon, &daemon->retry_fd);
	err = err ?: open_watchdog(daemon);
	return err
		       ?: set_timer(daemon->look_fd,
				    (uint64_t)daemon->options->interval_s * US_PER_S, true);
}

static void daemon_done(struct daemon *daemon)
{
	follower_done(&daemon->follower);
	cleanup_close(&daemon->watchdog_fd);
	cleanup_close(&daemon->retry_fd);
	cleanup_close(&daemon->look_fd);
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

/* Looks; what is left, or failed, is tried again later. Returns the error of the look. */
static int look(struct daemon *daemon)
{
	bool is_pending = false;
	int err;

	daemon->must_look = false;
	err = follower_look(&daemon->follower, &is_pending);
	if (err || is_pending) {
		set_timer(daemon->retry_fd, (uint64_t)daemon->pause_s * US_PER_S, false);
		daemon->pause_s =
			daemon->pause_s * 2 < MOST_PAUSE_S ? daemon->pause_s * 2 : MOST_PAUSE_S;
	} else {
		set_timer(daemon->retry_fd, 0, false);
		daemon->pause_s = FIRST_PAUSE_S;
	}
	tell_status(daemon);
	return err;
}

/* Takes what a descriptor has for us. */
static void take(struct daemon *daemon, int fd)
{
	uint64_t times;

	if (fd == daemon->signal_fd) {
		take_signals(daemon);
		return;
	}
	if (read(fd, &times, sizeof(times)) != sizeof(times))
		return;
	if (fd == daemon->watchdog_fd)
		notify_send("WATCHDOG=1");
	else
		daemon->must_look = true;
}

static void run_loop(struct daemon *daemon)
{
	while (!daemon->is_stopping) {
		struct epoll_event event;

		if (daemon->must_look)
			look(daemon);
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
		.look_fd = -1,
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
	err = err ?: follower_init(&daemon.follower, host, &follower_options);
	err = err ?: look(&daemon);
	if (err)
		return err;
	if (options->ready)
		options->ready(options->data);
	notify_send("READY=1");
	run_loop(&daemon);
	notify_send("STOPPING=1");
	return 0;
}
