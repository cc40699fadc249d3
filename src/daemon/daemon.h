/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows performance levels that a management controller changes (commands.md, "Daemon"): the loop
 * around the follower, and the functions of a service. */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "sst/platform.h"

struct daemon_options {
	struct platform_options platform;
	bool cgroup;
	bool cpu0_workaround;
	uint32_t interval_s; /* time between two scans; 0: a scan at each event */
	int argc; /* the command line, for the log of changes */
	char *const *argv;
	void (*ready)(void *data); /* called when all is open and the first scan is over */
	void (*log)(void *data, int priority, const char *line); /* priority: of syslog(3) */
	void *data;
};

/* Runs until SIGTERM or SIGINT; SIGHUP starts a scan at once. Returns 0. If it fails before it is
 * ready, logs the error and returns a negative errno: -ENOTSUP if no level changes on this machine,
 * or it sends no events; or an error of opening the machine or a descriptor. */
int daemon_run(struct host *host, const struct daemon_options *options);

/* Forks. In the child, returns 0, with *ret_fd for background_ready(). In the parent, waits until
 * the child is ready or has ended, and returns 1, with *ret_status the parent's exit status: 0, or
 * the child's (1 if a signal ended the child). On failure, returns a negative errno. */
int background_start(int *ret_fd, int *ret_status);

/* Lets the parent end with status 0, and continues in the root directory and without a terminal:
 * all streams are /dev/null. Failures are ignored. */
void background_ready(int fd);

/* Sends a message such as "READY=1" or "STATUS=..." to the service manager, over the socket of
 * NOTIFY_SOCKET (sd_notify(3)). Returns 0, also without a service manager; -EINVAL if the socket's
 * name is not usable; -EAGAIN if the manager reads nothing for a second; or another negative errno
 * of sending. */
int notify_send(const char *message);

/* Returns how often, in us, the service manager expects "WATCHDOG=1" from us; 0: never. */
uint64_t notify_watchdog_us(void);

/* Returns true if stderr is the systemd journal, as JOURNAL_STREAM shows (systemd.exec(5)). */
bool notify_stderr_is_journal(void);

#endif
