// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads targets of any type, in batches if the type supports them. Writes need no new
 * memory after target_io_init(). */
#include "host/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

int target_io_init(struct target_io *io, const struct channel *channel, struct files *files,
		   size_t most)
{
	struct target_io made = {
		.files = files,
		.commands = calloc(most ?: 1, CHANNEL_COMMAND_SIZE),
		.errors = calloc(most ?: 1, sizeof(*made.errors)),
	};

	if (channel) {
		made.channel = *channel;
		made.channel.progress = NULL;
		made.channel.buffer = malloc(channel_buffer_size(channel->max_commands));
	}
	*io = made;
	if (made.commands && made.errors && (made.channel.buffer || !channel))
		return 0;
	target_io_done(io);
	return -ENOMEM;
}

void target_io_done(struct target_io *io)
{
	free(io->commands);
	free(io->errors);
	free(io->channel.buffer);
	*io = (struct target_io){ 0 };
}

bool target_is_like(const struct write_target *left, const struct write_target *right)
{
	return left->ops->batch ? left->ops->batch == right->ops->batch : left->ops == right->ops;
}

/* Runs the requests of a type without batches, one at a time. */
static void run_singly(struct target_io *io, struct target_request *requests, size_t count,
		       bool writes)
{
	bool is_stopped = false;

	for (size_t i = 0; i < count; i++) {
		struct target_request *request = &requests[i];
		const struct target_ops *ops = request->target->ops;

		if (is_stopped)
			request->error = -ECANCELED;
		else
			request->error = ops->run(io, request->target, &request->value, writes);
		is_stopped = writes && request->error;
	}
}

void target_run(struct target_io *io, struct target_request *requests, size_t count, bool writes)
{
	size_t first = 0;

	io->channel.stop_at_error = writes;
	if (writes) {
		answers_end(io->channel.answers);
		io->channel.answers = NULL;
	}
	while (first < count) {
		const struct write_target *target = requests[first].target;
		size_t equal = 1;

		while (first + equal < count &&
		       target_is_like(requests[first + equal].target, target))
			equal++;
		if (target->ops->needs_driver && !io->channel.transport) {
			for (size_t i = 0; i < equal; i++)
				requests[first + i].error = -ENODEV;
		} else if (target->ops->batch) {
			target->ops->batch(io, &requests[first], equal, writes);
		} else {
			run_singly(io, &requests[first], equal, writes);
		}
		first += equal;
	}
}

int target_write(struct target_io *io, const struct write_target *target,
		 const struct target_value *value)
{
	struct target_request request = { .target = target, .value = *value };

	target_run(io, &request, 1, true);
	return request.error;
}

int target_read(struct target_io *io, const struct write_target *target,
		struct target_value *ret_value)
{
	struct target_request request = { .target = target };

	target_run(io, &request, 1, false);
	if (!request.error)
		*ret_value = request.value;
	return request.error;
}

void target_value_done(struct target_value *value)
{
	free((void *)(uintptr_t)value->text);
	*value = (struct target_value){ 0 };
}

bool target_value_equal(const struct target_value *left, const struct target_value *right)
{
	if (!left->text != !right->text || (left->text && strcmp(left->text, right->text) != 0))
		return false;
	return memcmp(left->numbers, right->numbers, sizeof(left->numbers)) == 0;
}

int target_compare(const struct write_target *target, const struct target_value *found,
		   const struct target_value *wanted, const struct target_value *before,
		   char **ret_reason)
{
	_cleanup_free_ char *is = NULL, *should_be = NULL;

	*ret_reason = NULL;
	if (target->ops->compare)
		return target->ops->compare(target, found, wanted, before, ret_reason);
	if (target_value_equal(found, wanted))
		return 0;
	is = target->ops->format(target, found);
	should_be = target->ops->format(target, wanted);
	if (is && should_be)
		*ret_reason = text_format("it is %s, expected %s", is, should_be);
	return -EIO;
}

struct target_cause target_find_cause(const struct write_target *target,
				      const struct target_value *value, int error,
				      struct host *host, const struct channel *channel)
{
	struct target_cause cause = { .error = error };

	if (target->ops->find_cause)
		cause = target->ops->find_cause(target, value, error, host, channel);
	cause.text = cause.text ?: target_error_text(target, error);
	return cause;
}

const char *target_error_text(const struct write_target *target, int error)
{
	return target->ops->error_text ? target->ops->error_text(error) : strerror(-error);
}
