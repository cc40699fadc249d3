// SPDX-License-Identifier: GPL-2.0-only
/* One loop sends the four requests that have entries, which differ only in numbers and sizes. A
 * short count shows at which command a batch stopped, but not the error. The next batch then begins
 * with this command and fails with its error (hardware.md, section 2). */
#include "host/channel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "host/requests.h"

size_t channel_buffer_size(unsigned int max_commands)
{
	/* The widest entries are those of the mailbox and of MSRs. */
	_Static_assert(sizeof(struct isst_if_msr_cmd) == CHANNEL_COMMAND_SIZE, "MSR");
	_Static_assert(sizeof(struct isst_if_mbox_cmd) == CHANNEL_COMMAND_SIZE, "mailbox");

	return offsetof(struct isst_if_msr_cmds, entries) + max_commands * CHANNEL_COMMAND_SIZE;
}

static int send_request(const struct channel *channel, uint32_t request, void *argument)
{
	int result;

	if (wait_is_stopped(channel->stop))
		return -EINTR;
	result = transport_request(channel->transport, request, argument);
	return result < 0 ? result : 0;
}

int channel_request(const struct channel *channel, uint32_t request, void *argument, size_t size)
{
	_cleanup_free_ void *asked = NULL;
	int err;

	if (!channel->answers)
		return send_request(channel, request, argument);
	if (answers_find(channel->answers, request, argument, size, &err))
		return err;
	asked = malloc(size);
	if (!asked)
		return -ENOMEM;
	memcpy(asked, argument, size);
	err = send_request(channel, request, argument);
	answers_keep(channel->answers, request, asked, argument, size, err);
	return err;
}

/* Sends count commands once. Returns how many were done, or the negative errno of the first one. */
static int send_batch(const struct channel *channel, const struct request_layout *kind,
		      char *buffer, char *commands, size_t count)
{
	uint32_t cmd_count = (uint32_t)count;
	int done = -EINTR;

	memset(buffer, 0, kind->entries_offset);
	memcpy(buffer, &cmd_count, sizeof(cmd_count));
	memcpy(buffer + kind->entries_offset, commands, count * kind->entry_size);
	if (!wait_is_stopped(channel->stop))
		done = transport_request(channel->transport, kind->request, buffer);
	if (done == 0)
		return -EIO; /* nothing done and no error: the driver never returns this */
	if (done > 0) {
		done = (size_t)done < count ? done : (int)count;
		memcpy(commands, buffer + kind->entries_offset, (size_t)done * kind->entry_size);
	}
	return done;
}

static void fail_all(int *errors, size_t count, int err)
{
	for (size_t i = 0; i < count; i++)
		errors[i] = err;
}

/* Stores the result of a batch: success for `done` commands, or the error of the first command. If
 * no more commands are sent after it, they get an error, too. Returns how many commands have a
 * result. */
static size_t note_outcome(const struct channel *channel, int *errors, size_t count, int done)
{
	if (done > 0) {
		fail_all(errors, (size_t)done, 0);
		return (size_t)done;
	}
	errors[0] = done;
	if (channel->stop_at_error)
		fail_all(errors + 1, count - 1, -ECANCELED);
	else if (done == -ENOTTY || (done == -EINTR && wait_is_stopped(channel->stop)))
		fail_all(errors + 1, count - 1, done);
	else
		return 1;
	return count;
}

/* Works as channel_send(), but sends all commands. */
static int send_all(const struct channel *channel, const struct request_layout *kind,
		    void *commands, int *errors, size_t count)
{
	bool one_by_one = kind->request == ISST_IF_MBOX_COMMAND && channel->pause_ms;
	size_t most = one_by_one ? 1 : channel->max_commands;
	_cleanup_free_ char *own = NULL;
	char *buffer = channel->buffer ?: (own = malloc(channel_buffer_size((unsigned int)most)));
	bool tried = false; /* the last batch stopped at the first command of this one */
	size_t next = 0;

	if (!buffer)
		return -ENOMEM;
	while (next < count) {
		size_t batch = count - next < most ? count - next : most;
		unsigned int tries = channel->tries - (tried && channel->tries > 1);
		int done;

		if (one_by_one && next > 0)
			wait_us_or_stop(channel->stop, channel->pause_ms * US_PER_MS);
		do
			done = send_batch(channel, kind, buffer,
					  (char *)commands + next * kind->entry_size, batch);
		while ((done == -EBUSY || done == -EINTR) && !wait_is_stopped(channel->stop) &&
		       --tries > 0);
		tried = done > 0 && (size_t)done < batch;
		next += note_outcome(channel, errors + next, count - next, done);
		if (channel->progress)
			channel->progress(channel->progress_data, next, count);
	}
	return 0;
}

/* Sends the commands whose answers are not cached, and caches their answers. */
static int send_unknown(const struct channel *channel, const struct request_layout *kind,
			char *commands, int *errors, size_t count)
{
	size_t size = kind->entry_size, n_unknown = 0;
	_cleanup_free_ char *unknown = malloc(count * size ?: 1);
	_cleanup_free_ size_t *places = malloc(count * sizeof(*places) ?: 1);
	_cleanup_free_ int *unknown_errors = malloc(count * sizeof(*unknown_errors) ?: 1);
	int err;

	if (!unknown || !places || !unknown_errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (answers_find(channel->answers, kind->request, commands + i * size, size,
				 &errors[i]))
			continue;
		memcpy(unknown + n_unknown * size, commands + i * size, size);
		places[n_unknown++] = i;
	}
	err = send_all(channel, kind, unknown, unknown_errors, n_unknown);
	for (size_t i = 0; i < n_unknown && !err; i++) {
		char *asked = commands + places[i] * size;

		answers_keep(channel->answers, kind->request, asked, unknown + i * size, size,
			     unknown_errors[i]);
		memcpy(asked, unknown + i * size, size);
		errors[places[i]] = unknown_errors[i];
	}
	return err;
}

int channel_send(const struct channel *channel, uint32_t request, void *commands, int *errors,
		 size_t count)
{
	struct request_layout kind;

	if (!requests_find_layout(request, &kind) || !kind.header_size || kind.has_short_count)
		return -EINVAL;
	return channel->answers ? send_unknown(channel, &kind, commands, errors, count)
				: send_all(channel, &kind, commands, errors, count);
}

const char *channel_error_text(int err)
{
	switch (err) {
	case -ENXIO:
		return "the firmware refused the request, or the CPU is offline (ENXIO)";
	case -EINVAL:
		return "the driver does not accept the request for this CPU (EINVAL)";
	case -EBUSY:
		return "it stayed busy (EBUSY); try again";
	case -EINTR:
		return "a signal interrupted the request (EINTR)";
	case -EPERM:
		return "not permitted (EPERM); CAP_SYS_ADMIN is needed";
	case -ENODATA:
		return "the kernel does not know it (ENODATA)";
	case -ENOTTY:
		return "the driver module for this request is not loaded (ENOTTY)";
	}
	return strerror(-err);
}
