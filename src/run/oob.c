// SPDX-License-Identifier: GPL-2.0-only
/* Checks what --oob needs before the daemon's loop begins, and writes the daemon's lines
 * (commands.md, "Daemon"): to stderr, with priorities if that is the journal (sd-daemon(3)). */
#include "run/app.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "daemon/daemon.h"
#include "host/host.h"
#include "host/run_directory.h"
#include "output/output.h"
#include "settings/cgroup.h"

/* Where the lines go: to stderr, or, in the background, to syslog. */
struct logger {
	bool in_background;
	bool uses_syslog;
	int ready_fd;
	const struct globals *globals;
	struct files *files;
};

static void log_daemon_line(void *data, int priority, const char *text)
{
	const struct logger *logger = data;
	_cleanup_buffer_ struct buffer line = { 0 };

	buffer_append_clean(&line, text);
	if (logger->uses_syslog)
		syslog(priority, "%s", buffer_text(&line));
	else if (notify_stderr_is_journal())
		fprintf(stderr, "<%d>%s\n", priority, buffer_text(&line));
	else
		fprintf(stderr, "%s%s\n",
			priority == LOG_ERR       ? "Error: "
			: priority == LOG_WARNING ? "Warning: "
						  : "",
			buffer_text(&line));
}

static void finish_start(void *data)
{
	struct logger *logger = data;
	bool has_groups = logger->globals->cgroup || logger->globals->cpu0_workaround ||
			  cgroup_has_groups(logger->files) != 0;

	if (capability_drop_others(has_groups))
		log_daemon_line(logger, LOG_WARNING,
				"capabilities that are not needed are kept: they cannot "
				"be given up");
	if (!logger->in_background) {
		log_daemon_line(logger, LOG_INFO, "OOB mode is enabled");
		return;
	}
	log_daemon_line(logger, LOG_INFO, "OOB mode is enabled and will run as daemon");
	unsetenv("TZ"); /* else syslog() reads the file that TZ names */
	unsetenv("TZDIR");
	openlog("intel-speed-select", LOG_PID, LOG_DAEMON);
	logger->uses_syslog = true;
	background_ready(logger->ready_fd);
}

/* Locks the process file, and runs the daemon. */
static enum status run_alone(const struct globals *globals, struct host *host,
			     struct output *output, struct logger *logger)
{
	const struct daemon_options options = {
		.platform = {
			.channel.tries = (unsigned int)globals->tries.value,
			.channel.pause_ms = (unsigned int)globals->pause_ms.value,
			.trace = globals->debug ? stdout : NULL,
		},
		.cgroup = globals->cgroup,
		.cpu0_workaround = globals->cpu0_workaround,
		.interval_s = (uint32_t)globals->interval_s.value, /* 0: not given */
		.argc = globals->argc,
		.argv = globals->argv,
		.ready = finish_start,
		.log = log_daemon_line,
		.data = logger,
	};
	_cleanup_lock_ struct lock *lock = NULL;
	pid_t pid = 0;
	int err = lock_take_pid_file(host->run_directory, DAEMON_NAME, &lock, &pid);

	if (err == -EBUSY) {
		if (pid)
			output_error(output, "--oob runs already: process %ld", (long)pid);
		else
			output_error(output, "--oob runs already");
		return STATUS_BUSY;
	}
	if (err) {
		output_error(output, "the process file in %s cannot be locked: %s",
			     host->run_directory, run_directory_problem(err));
		return status_from_errno(err);
	}
	err = daemon_run(host, &options);
	return err ? status_from_errno(err) : STATUS_DONE;
}

enum status oob_run(const struct globals *globals, struct host *host, struct output *output)
{
	struct logger logger = {
		.in_background =
			!globals->no_daemon && !globals->debug && !globals->interval_s.given,
		.globals = globals,
		.files = host->files,
	};
	int err, status = 0;

	if (sink_check(output_sink(output))) {
		/* output_finish() reports why */
		output_note(output, "--oob does not start, since its errors could not be written");
		return STATUS_REFUSED;
	}
	if (host->ops->has_capability(host) <= 0) {
		output_error(output, "--oob needs the capability CAP_SYS_ADMIN, which this process "
				     "does not have");
		return STATUS_NOT_PERMITTED;
	}
	err = logger.in_background ? background_start(&logger.ready_fd, &status) : 0;
	if (err > 0 && status) /* the child wrote why it cannot begin, or was killed */
		output_leave_to_other(output);
	if (err > 0)
		return (enum status)status;
	if (err) {
		output_error(output, "it cannot go into the background: %s", strerror(-err));
		return STATUS_REFUSED;
	}
	return run_alone(globals, host, output, &logger);
}
