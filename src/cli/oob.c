// SPDX-License-Identifier: GPL-2.0-only
/*
 * What --oob checks before the daemon's loop begins, and the lines that it writes meanwhile
 * (commands.md, "Daemon"): on stderr, with priorities where that is the journal (sd-daemon(3)).
 */
#include "cli/oob.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/cleanup.h"
#include "daemon/daemon.h"
#include "daemon/pid_file.h"
#include "output/output.h"

static int priority_of(enum follower_weight weight)
{
	switch (weight) {
	case FOLLOWER_ERROR:
		return LOG_ERR;
	case FOLLOWER_WARNING:
		return LOG_WARNING;
	case FOLLOWER_INFO:
		break;
	}
	return LOG_INFO;
}

static void say(void *data, enum follower_weight weight, const char *text)
{
	(void)data;
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>%s\n", priority_of(weight), text);
	else
		fprintf(stderr, "%s\n", text);
}

static void tell_ready(void *data)
{
	(void)data;
	say(NULL, FOLLOWER_INFO, "OOB mode is enabled");
}

static enum status refuse_second(struct output *output, pid_t pid)
{
	if (pid)
		output_error(output, "--oob runs already: process %ld", (long)pid);
	else
		output_error(output, "--oob runs already");
	return STATUS_BUSY;
}

static enum status follow(const struct globals *globals, struct host *host)
{
	const struct daemon_options options = {
		.platform = {
			.tries = globals->tries.given ? (unsigned int)globals->tries.value :
							GLOBALS_DEFAULT_TRIES,
			.pause_ms = (unsigned int)globals->pause_ms.value,
			.trace = globals->debug ? stdout : NULL,
		},
		.cgroup = globals->cgroup,
		.cpu0_workaround = globals->cpu0_workaround,
		.interval_s = (uint32_t)globals->interval_s.value,
		.ready = tell_ready,
		.say = say,
	};
	int err = daemon_run(host, &options);

	return err ? status_from_errno(err) : STATUS_DONE;
}

enum status oob_run(const struct globals *globals, struct host *host, struct output *output)
{
	_cleanup_pid_file_ struct pid_file *file = NULL;
	pid_t pid = 0;
	int err;

	if (!globals->interval_s.given) {
		output_error(output,
			     "--oob without -w SECONDS would wait for events of the hardware "
			     "feedback interface, which this version does not; -w is the way");
		return STATUS_UNSUPPORTED;
	}
	if (host->ops->has_capability(host) <= 0) {
		output_error(output, "--oob needs the capability CAP_SYS_ADMIN, which this process "
				     "does not have");
		return STATUS_NOT_PERMITTED;
	}
	err = pid_file_take(host->run_directory, &file, &pid);
	if (err == -EBUSY)
		return refuse_second(output, pid);
	if (err) {
		output_error(output, "the process file in %s cannot be taken: %s",
			     host->run_directory, strerror(-err));
		return status_from_errno(err);
	}
	return follow(globals, host);
}
