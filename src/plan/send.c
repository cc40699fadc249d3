// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a plan's words to the driver's entries and back (hardware.md, section 2). Commands of every
 * kind take turns in one piece of memory, which is large enough for the largest call.
 */
#include "plan/send.h"

#include <errno.h>
#include <stdlib.h>

#include "plan/tpmi_words.h"

/* One command of any kind: how much room a command takes at most. */
union command {
	struct isst_mbox_command mailbox;
	struct isst_io_command io;
	struct isst_msr_command msr;
	struct isst_clos_assoc assoc;
};

int sender_init(struct sender *sender, const struct channel *channel, size_t most)
{
	struct sender made = {
		.has_channel = channel,
		.commands = calloc(most ?: 1, sizeof(union command)),
		.errors = calloc(most ?: 1, sizeof(*made.errors)),
	};

	if (channel) {
		made.channel = *channel;
		made.channel.progress = NULL;
		made.channel.buffer = made.buffer =
			malloc(channel_buffer_size(channel->max_commands));
	}
	*sender = made;
	if (made.commands && made.errors && (made.buffer || !channel))
		return 0;
	sender_done(sender);
	return -ENOMEM;
}

void sender_done(struct sender *sender)
{
	free(sender->commands);
	free(sender->errors);
	free(sender->buffer);
	*sender = (struct sender){ 0 };
}

static int send_mailbox(struct sender *sender, struct send_word *words, size_t count)
{
	struct isst_mbox_command *commands = sender->commands;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct plan_write *write = words[i].write;

		commands[i] = (struct isst_mbox_command){
			.logical_cpu = write->cpu,
			.command = write->command,
			.sub_command = write->sub_command,
			.parameter = write->parameter,
			.req_data = (uint32_t)words[i].value,
		};
	}
	err = channel_mailbox(&sender->channel, commands, sender->errors, count);
	for (size_t i = 0; i < count && !err; i++)
		words[i].value = commands[i].resp_data;
	return err;
}

static int send_mmio(struct sender *sender, struct send_word *words, size_t count)
{
	struct isst_io_command *commands = sender->commands;
	int err;

	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_io_command){
			.read_write = !words[i].reads,
			.logical_cpu = words[i].write->cpu,
			.reg = words[i].write->address,
			.value = words[i].reads ? 0 : (uint32_t)words[i].value,
		};
	err = channel_mmio(&sender->channel, commands, sender->errors, count);
	for (size_t i = 0; i < count && !err; i++)
		words[i].value = commands[i].value;
	return err;
}

static int send_msr(struct sender *sender, struct send_word *words, size_t count)
{
	struct isst_msr_command *commands = sender->commands;
	int err;

	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_msr_command){
			.read_write = !words[i].reads,
			.logical_cpu = words[i].write->cpu,
			.msr = words[i].write->address,
			.data = words[i].reads ? 0 : words[i].value,
		};
	err = channel_msr(&sender->channel, commands, sender->errors, count);
	for (size_t i = 0; i < count && !err; i++)
		words[i].value = commands[i].data;
	return err;
}

static int send_tpmi(struct sender *sender, struct send_word *words, size_t count)
{
	tpmi_words_send(&sender->channel, words, count, sender->commands, sender->errors);
	return 0;
}

/* Words of one kind, in one call. */
static int send_kind(struct sender *sender, struct send_word *words, size_t count)
{
	if (!sender->has_channel)
		return -ENODEV;
	switch (words[0].write->kind) {
	case PLAN_MAILBOX:
		return send_mailbox(sender, words, count);
	case PLAN_MMIO:
		return send_mmio(sender, words, count);
	case PLAN_MSR:
		return send_msr(sender, words, count);
	case PLAN_TPMI:
		return send_tpmi(sender, words, count);
	case PLAN_FILE:
	case PLAN_MAKE_DIRECTORY:
	case PLAN_REMOVE_DIRECTORY:
	case PLAN_SAY:
		break;
	}
	return -EINVAL;
}

void sender_send(struct sender *sender, struct send_word *words, size_t count, bool stop_at_error)
{
	size_t next = 0;

	sender->channel.stop_at_error = stop_at_error;
	while (next < count) {
		struct send_word *first = &words[next];
		size_t same = 1;
		int err;

		while (next + same < count && first[same].write->kind == first->write->kind)
			same++;
		err = send_kind(sender, first, same);
		for (size_t i = 0; i < same; i++)
			first[i].error = err ?: sender->errors[i];
		next += same;
	}
}
