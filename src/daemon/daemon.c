// SPDX-License-Identifier: GPL-2.0-only
/* One loop waits for descriptors: signals, events or the timer of scans, and the timers of retries
 * and of the watchdog (commands.md, "Daemon"). If events are lost, or their socket fails, all power
 * domains are scanned. What a scan leaves undone is tried again only after a pause, which grows
 * from one second to a minute; other scans do not try it. Signals are blocked, and read from a
 * descriptor, also between two writes: stopping waits for one write at most. */
#include "daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "daemon/events.h"
#include "daemon/follower.h"

#define FIRST_PAUSE_S 1
#define MOST_PAUSE_S  60
#define USE_POLLING   "--poll-interval SECONDS lets --oob poll instead"

enum source {
	SOURCE_SIGNALS,
	SOURCE_SCAN, /* timer of the scans, or -1 */
	SOURCE_EVENTS, /* or -1: not listening */
	SOURCE_RETRY, /* timer of a retry */
	SOURCE_WATCHDOG, /* its timer, or -1 */
	N_SOURCES
};

struct daemon {
	const struct daemon_options *options;
	struct follower follower;
	struct pollfd sources[N_SOURCES];
	struct events *events; /* or NULL */
	uint32_t pause_s; /* before the next retry */
	bool is_stopping;
	bool must_scan; /* scan every power domain */
	bool must_retry; /* the next scan retries what was left undone */
	bool retry_is_set; /* the timer of the next retry runs */
	struct cpuset named; /* CPUs that events named since the last scan */
};

/* Reads the pending signals. Returns true if the daemon must stop. */
static bool take_signals(void *data)
{
	struct daemon *daemon = data;
	struct signalfd_siginfo info;

	while (read(daemon->sources[SOURCE_SIGNALS].fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			daemon->must_scan = daemon->must_retry = true;
		else
			daemon->is_stopping = true;
	}
	return daemon->is_stopping;
}

static void log_text(const struct daemon *daemon, int priority, const char *text)
{
	daemon->options->log(daemon->options->data, priority, text);
}

/* Starts a timer of us microseconds, which may repeat; 0: stops the timer. */
static int set_timer(struct daemon *daemon, enum source source, uint64_t us, bool repeats)
{
	const struct timespec time = { .tv_sec = (time_t)(us / US_PER_S),
				       .tv_nsec = (long)(us % US_PER_S * NS_PER_US) };
	const struct itimerspec setting = {
		.it_value = time,
		.it_interval = repeats ? time : (struct timespec){ 0 },
	};

	return timerfd_settime(daemon->sources[source].fd, 0, &setting, NULL) < 0 ? -errno : 0;
}

/* Opens a timer that expires every us microseconds; 0: it is not started. */
static int open_timer(struct daemon *daemon, enum source source, uint64_t us)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	daemon->sources[source].fd = fd;
	return us ? set_timer(daemon, source, us, true) : 0;
}

/* Opens the descriptors of signals, retries and the watchdog. Ignores SIGPIPE and SIGXFSZ: the
 * daemon goes on if a reader of its lines ends, or at a limit on file sizes. */
static int open_descriptors(struct daemon *daemon)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t watchdog_us = notify_watchdog_us();
	sigset_t set;
	int fd, err;

	if (sigaction(SIGPIPE, &ignore, NULL) < 0 || sigaction(SIGXFSZ, &ignore, NULL) < 0)
		return -errno;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	daemon->sources[SOURCE_SIGNALS].fd = fd;
	err = open_timer(daemon, SOURCE_RETRY, 0);
	if (err || !watchdog_us)
		return err;
	return open_timer(daemon, SOURCE_WATCHDOG, watchdog_us / 2 ?: 1);
}

/* Opens the source that starts a scan: a timer, or the kernel's events. If this machine does not
 * report level changes by events, logs the reason and returns -ENOTSUP. */
static int open_source(struct daemon *daemon, struct host *host)
{
	_cleanup_(machine_close) struct machine *machine = NULL;
	_cleanup_free_ char *message = NULL;
	const char *problem = NULL;
	int err;

	if (daemon->options->interval_s)
		return open_timer(daemon, SOURCE_SCAN,
				  (uint64_t)daemon->options->interval_s * US_PER_S);
	err = machine_open(host, &machine, &message);
	if (err) {
		log_text(daemon, LOG_ERR, message ?: strerror(-err));
		return err;
	}
	if (machine->identity.generation == GENERATION_SKYLAKE ||
	    machine->identity.generation == GENERATION_ICE_LAKE)
		problem = "this generation does not report level changes by events; " USE_POLLING;
	else if (!machine->identity.hfi)
		problem =
			"this CPU has no hardware feedback interface (hfi in /proc/cpuinfo); " USE_POLLING;
	else if (!host->has_kernel)
		problem = "no kernel sends events for this machine; " USE_POLLING;
	err = problem ? -ENOTSUP : events_open(&daemon->events);
	if (err == -ENOTSUP && !problem)
		problem = "this kernel has no thermal netlink family (it comes with 5.18 and "
			  "CONFIG_INTEL_HFI_THERMAL); " USE_POLLING;
	if (err)
		log_text(daemon, LOG_ERR, problem ?: events_problem(err));
	return err;
}

static void daemon_done(struct daemon *daemon)
{
	follower_done(&daemon->follower);
	cpuset_done(&daemon->named);
	daemon->sources[SOURCE_EVENTS].fd = -1; /* libnl closes it */
	events_close(&daemon->events);
	for (size_t i = 0; i < N_SOURCES; i++)
		cleanup_close(&daemon->sources[i].fd);
}

/* Scans all power domains, or the domains that events have named. What is left undone or failed,
 * also a lost socket of events, is tried again after a growing pause. Returns the error of the
 * scan. */
static int scan(struct daemon *daemon)
{
	bool lacks_events = !daemon->options->interval_s && !daemon->events, is_left = false;
	_cleanup_cpuset_ struct cpuset named = daemon->named;
	_cleanup_free_ char *levels = NULL, *message = NULL;
	int err;

	if (lacks_events && events_open(&daemon->events) == 0) {
		log_text(daemon, LOG_INFO, "listening to events again");
		lacks_events = false;
	}
	daemon->named = (struct cpuset){ 0 };
	err = follower_scan(&daemon->follower, daemon->must_scan ? NULL : &named,
			    daemon->must_retry, &is_left);
	is_left = is_left || err || lacks_events;
	if (daemon->follower.is_new_level) {
		daemon->pause_s = FIRST_PAUSE_S;
		daemon->retry_is_set = false;
	}
	if (is_left && !daemon->retry_is_set) {
		daemon->retry_is_set = true;
		set_timer(daemon, SOURCE_RETRY, (uint64_t)daemon->pause_s * US_PER_S, false);
		daemon->pause_s *= 2;
		if (daemon->pause_s > MOST_PAUSE_S)
			daemon->pause_s = MOST_PAUSE_S;
	} else if (!is_left && daemon->must_scan) {
		set_timer(daemon, SOURCE_RETRY, 0, false);
		daemon->retry_is_set = false;
		daemon->pause_s = FIRST_PAUSE_S;
	}
	daemon->must_scan = daemon->must_retry = false;
	levels = follower_describe(&daemon->follower);
	message = levels ? text_format("STATUS=%s", levels) : NULL;
	if (message)
		notify_send(message);
	return err;
}

/* A burst of events causes one scan. Events that arrive during the scan cause the next scan. */
static void take_events(struct daemon *daemon)
{
	int err = events_take(daemon->events, &daemon->named);

	if (!err)
		return;
	daemon->must_scan = true;
	if (err == -ENOBUFS) {
		log_text(daemon, LOG_WARNING, "events were lost; rescanning all power domains");
	} else if (err == -EBADMSG) {
		log_text(daemon, LOG_WARNING,
			 "an event could not be decoded; rescanning all power domains");
	} else {
		log_text(daemon, LOG_ERR,
			 "the kernel's events cannot be received any more; rescanning all power "
			 "domains and opening the socket again");
		events_close(&daemon->events);
	}
}

static void handle(struct daemon *daemon, enum source source)
{
	uint64_t times;

	if (source == SOURCE_SIGNALS) {
		take_signals(daemon);
		return;
	}
	if (source == SOURCE_EVENTS) {
		take_events(daemon);
		return;
	}
	if (read(daemon->sources[source].fd, &times, sizeof(times)) != sizeof(times))
		return;
	if (source == SOURCE_WATCHDOG) {
		notify_send("WATCHDOG=1");
		return;
	}
	daemon->must_scan = true;
	if (source == SOURCE_RETRY) {
		daemon->must_retry = true;
		daemon->retry_is_set = false;
	}
}

static void wait_for_sources(struct daemon *daemon)
{
	daemon->sources[SOURCE_EVENTS].fd = daemon->events ? events_fd(daemon->events) : -1;
	if (poll(daemon->sources, N_SOURCES, -1) <= 0)
		return;
	for (int i = 0; i < N_SOURCES; i++) {
		if (daemon->sources[i].revents)
			handle(daemon, (enum source)i);
	}
}

static int start(struct daemon *daemon, struct host *host)
{
	const struct wait_stop stop = { .fd = -1, .is_asked = take_signals, .data = daemon };
	int err = open_descriptors(daemon);

	if (err) {
		log_text(daemon, LOG_ERR, strerror(-err));
		return err;
	}
	err = open_source(daemon, host);
	if (err)
		return err;
	err = follower_init(&daemon->follower, host, daemon->options, stop);
	if (err)
		return err;
	daemon->must_scan = daemon->must_retry = true;
	return scan(daemon);
}

int daemon_run(struct host *host, const struct daemon_options *options)
{
	_cleanup_(daemon_done) struct daemon daemon = {
		.options = options,
		.pause_s = FIRST_PAUSE_S,
	};
	int err;

	for (size_t i = 0; i < N_SOURCES; i++)
		daemon.sources[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	err = start(&daemon, host);
	if (err)
		return err;
	options->ready(options->data);
	notify_send("READY=1");
	while (!daemon.is_stopping) {
		if (daemon.must_scan || !cpuset_is_empty(&daemon.named))
			scan(&daemon);
		else
			wait_for_sources(&daemon);
	}
	notify_send("STOPPING=1");
	return 0;
}

int background_start(int *ret_fd, int *ret_status)
{
	int ends[2], status = 0;
	uint8_t byte;
	pid_t child, ended = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (child == 0) {
		close(ends[0]);
		setsid();
		*ret_fd = ends[1];
		return 0;
	}
	close(ends[1]);
	/* waits for a byte from the child, or for its end */
	if (read(ends[0], &byte, 1) != 1) {
		while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
			;
	}
	*ret_status = ended >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	close(ends[0]);
	return 1;
}

void background_ready(int fd)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* not earlier: a relative path of -o starts at the user's directory */
	int failed = chdir("/");
	ssize_t written = write(fd, "", 1);

	for (int stream = STDIN_FILENO; null >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(null, stream);
	(void)failed;
	(void)written; /* the parent may have ended */
	close(fd);
}

int notify_send(const char *message)
{
	const char *name = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = name ? strlen(name) : 0;
	const struct timeval patience = { .tv_sec = 1 }; /* for a manager that does not read */
	_cleanup_close_ int fd = -1;
	socklen_t size;

	if (!name)
		return 0;
	if ((*name != '/' && *name != '@') || length < 2 || length >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
	    sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, size) <
		    0)
		return -errno;
	return 0;
}

/* Returns the number in an environment variable, or 0. */
static uint64_t read_variable(const char *name)
{
	const char *text = secure_getenv(name);
	uint64_t value = 0;

	return text && number_parse(text, 0, INT64_MAX, &value) == 0 ? value : 0;
}

uint64_t notify_watchdog_us(void)
{
	uint64_t pid = read_variable("WATCHDOG_PID");

	return pid && pid != (uint64_t)getpid() ? 0 : read_variable("WATCHDOG_USEC");
}

bool notify_stderr_is_journal(void)
{
	const char *stream = secure_getenv("JOURNAL_STREAM");
	_cleanup_free_ char *ours = NULL;
	struct stat about;

	if (!stream || fstat(STDERR_FILENO, &about) < 0)
		return false;
	ours = text_format("%ju:%ju", (uintmax_t)about.st_dev, (uintmax_t)about.st_ino);
	return ours && strcmp(stream, ours) == 0;
}
