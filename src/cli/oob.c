// SPDX-License-Identifier: GPL-2.0-only
/*
 * What --oob checks before the daemon's loop begins, and the lines that it writes meanwhile
 * (commands.md, "Daemon"): on stderr, with priorities where that is the journal (sd-daemon(3)).
 */
#include "cli/oob.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "daemon/background.h"
#include "daemon/daemon.h"
#include "daemon/notify.h"
#include "daemon/pid_file.h"
#include "machine/capability.h"
#include "machine/run_directory.h"
#include "output/output.h"
#include "plan/cgroup.h"

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

/* What stands in front of a line where there is no priority to tell. */
static const char *prefix_of(enum follower_weight weight)
{
	switch (weight) {
	case FOLLOWER_ERROR:
		return "Error: ";
	case FOLLOWER_WARNING:
		return "Warning: ";
	case FOLLOWER_INFO:
		break;
	}
	return "";
}

/* Where the lines go: to stderr, or, in the background, to syslog. */
struct speaker {
	bool in_background;
	bool uses_syslog;
	int ready_fd;
	const struct globals *globals;
	struct files *files;
};

static void say(void *data, enum follower_weight weight, const char *text)
{
	const struct speaker *speaker = data;
	_cleanup_buffer_ struct buffer line = { 0 };

	buffer_append_clean(&line, text);
	if (speaker->uses_syslog)
		syslog(priority_of(weight), "%s", buffer_text(&line));
	else if (notify_stderr_is_journal())
		fprintf(stderr, "<%d>%s\n", priority_of(weight), buffer_text(&line));
	else
		fprintf(stderr, "%s%s\n", prefix_of(weight), buffer_text(&line));
}

static void tell_ready(void *data)
{
	struct speaker *speaker = data;
	bool has_groups = speaker->globals->cgroup || speaker->globals->cpu0_workaround ||
			  cgroup_has_groups(speaker->files) != 0;
	int err = capability_drop_others(has_groups);

	if (err)
		say(speaker, FOLLOWER_WARNING,
		    "capabilities that are not needed are kept: they cannot "
		    "be given up");
	if (!speaker->in_background) {
		say(speaker, FOLLOWER_INFO, "OOB mode is enabled");
		return;
	}
	say(speaker, FOLLOWER_INFO, "OOB mode is enabled and will run as daemon");
	unsetenv("TZ"); /* syslog() would look for the zone where it says */
	unsetenv("TZDIR");
	openlog("intel-speed-select", LOG_PID, LOG_DAEMON);
	speaker->uses_syslog = true;
	background_ready(speaker->ready_fd);
}

static enum status refuse_second(struct output *output, pid_t pid)
{
	if (pid)
		output_error(output, "--oob runs already: process %ld", (long)pid);
	else
		output_error(output, "--oob runs already");
	return STATUS_BUSY;
}

static enum status follow(const struct globals *globals, struct host *host, struct speaker *speaker)
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
		.interval_s = globals->interval_s.given ? (uint32_t)globals->interval_s.value : 0,
		.ready = tell_ready,
		.say = say,
		.data = speaker,
	};
	int err = daemon_run(host, &options);

	return err ? status_from_errno(err) : STATUS_DONE;
}

/* Takes the process file, and follows. */
static enum status run_alone(const struct globals *globals, struct host *host,
			     struct output *output, struct speaker *speaker)
{
	_cleanup_pid_file_ struct pid_file *file = NULL;
	pid_t pid = 0;
	int err = pid_file_take(host->run_directory, &file, &pid);

	if (err == -EBUSY)
		return refuse_second(output, pid);
	if (err) {
		output_error(output, "the process file in %s cannot be taken: %s",
			     host->run_directory, run_directory_problem(err));
		return status_from_errno(err);
	}
	return follow(globals, host, speaker);
}

enum status oob_run(const struct globals *globals, struct host *host, struct output *output)
{
	struct speaker speaker = {
		.in_background =
			!globals->no_daemon && !globals->debug && !globals->interval_s.given,
		.globals = globals,
		.files = host->files,
	};
	int err, status = 0;

	if (output_check(output)) {
		/* output_finish() reports why */
		output_note(output, "--oob does not start, since there is no place for its errors");
		return STATUS_REFUSED;
	}
	if (host->ops->has_capability(host) <= 0) {
		output_error(output, "--oob needs the capability CAP_SYS_ADMIN, which this process "
				     "does not have");
		return STATUS_NOT_PERMITTED;
	}
	err = speaker.in_background ? background_start(&speaker.ready_fd, &status) : 0;
	if (err > 0)
		return (enum status)status;
	if (err) {
		output_error(output, "it cannot go into the background: %s", strerror(-err));
		return STATUS_REFUSED;
	}
	return run_alone(globals, host, output, &speaker);
}
