// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the settings of mailbox parts by mailbox commands and MMIO registers
 * (hardware.md, sections 2 and 3). */
#include "sst/mailbox/mailbox.h"

#include <errno.h>

#include "base/buffer.h"
#include "sst/mailbox/words.h"

/* A setting that is one word: how it is sent, and the format of the word. */
struct word_target {
	struct target_ops ops; /* first: what a target points to */
	/* mailbox only; for MMIO, the index of the target is the register */
	uint16_t command;
	uint16_t write;
	uint16_t read;
	bool is_at_level; /* the index of the target is a level, sent as data of the read command;
			     else it is the parameter of both */
	const struct word_format *format; /* NULL: the level, in GET_LEVELS_INFO */
};

static const struct word_target *word_target_of(const struct write_target *target)
{
	return (const struct word_target *)target->ops;
}

static uint32_t encode(const struct write_target *target, const struct target_value *value)
{
	const struct word_format *format = word_target_of(target)->format;

	return format ? word_encode(format, value) : (uint32_t)value->number;
}

/* Stores the result of a command; word: the answer, if the command reads. */
static void take_answer(struct target_request *request, bool writes, int err, uint32_t word)
{
	const struct word_format *format = word_target_of(request->target)->format;

	request->error = err;
	if (writes || err)
		return;
	if (format)
		request->value = word_decode(format, word);
	else
		request->value = (struct target_value){
			.number = word_decode_levels_info(word).current_level,
			.other_bits = word,
		};
}

static struct isst_if_mbox_cmd make_command(const struct write_target *target,
					    const struct target_value *value, bool writes)
{
	const struct word_target *word = word_target_of(target);
	struct isst_if_mbox_cmd command = {
		.logical_cpu = target->cpu,
		.command = word->command,
		.sub_command = writes ? word->write : word->read,
		.parameter = word->is_at_level ? 0 : target->index,
	};

	if (writes && word->command == WORD_READ_PM_CONFIG)
		command.command = WORD_WRITE_PM_CONFIG;
	if (writes) {
		command.parameter |= word->command == WORD_CLOS ? WORD_CLOS_WRITE : 0;
		command.req_data = encode(target, value);
	} else if (word->is_at_level) {
		command.req_data = target->index;
	}
	return command;
}

static void run_mailbox(struct target_io *io, struct target_request *requests, size_t count,
			bool writes)
{
	struct isst_if_mbox_cmd *commands = io->commands;
	int err;

	for (size_t i = 0; i < count; i++)
		commands[i] = make_command(requests[i].target, &requests[i].value, writes);
	err = channel_send(&io->channel, ISST_IF_MBOX_COMMAND, commands, io->errors, count);
	for (size_t i = 0; i < count; i++)
		take_answer(&requests[i], writes, err ?: io->errors[i], commands[i].resp_data);
}

static void run_mmio(struct target_io *io, struct target_request *requests, size_t count,
		     bool writes)
{
	struct isst_if_io_reg *commands = io->commands;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct write_target *target = requests[i].target;

		commands[i] = (struct isst_if_io_reg){
			.read_write = writes,
			.logical_cpu = target->cpu,
			.reg = target->index,
			.value = writes ? encode(target, &requests[i].value) : 0,
		};
	}
	err = channel_send(&io->channel, ISST_IF_IO_CMD, commands, io->errors, count);
	for (size_t i = 0; i < count; i++)
		take_answer(&requests[i], writes, err ?: io->errors[i], commands[i].value);
}

static char *format_mailbox(const struct write_target *target, const struct target_value *value)
{
	struct isst_if_mbox_cmd command = make_command(target, value, true);

	if (!command.parameter)
		return text_format("cpu-%u mailbox 0x%02x/0x%02x", target->cpu, command.command,
				   command.sub_command);
	return text_format("cpu-%u mailbox 0x%02x/0x%02x parameter 0x%x", target->cpu,
			   command.command, command.sub_command, command.parameter);
}

static char *format_mmio(const struct write_target *target, const struct target_value *value)
{
	(void)value;
	return text_format("cpu-%u mmio 0x%02x", target->cpu, target->index);
}

#define BY(driver, format_function, compare_function)                                       \
	{                                                                                   \
		.batch = run_##driver, .format_place = format_##driver,                     \
		.error_text = channel_error_text, .is_uncertain = value_is_uncertain,       \
		.needs_driver = true, .is_named_by_cpu = true, .format = (format_function), \
		.compare = (compare_function),                                              \
	}

static const struct word_target by_mailbox[] = {
	[PLATFORM_TARGET_LEVEL] = { BY(mailbox, value_format_number, NULL), WORD_CONFIG_TDP,
				    WORD_SET_LEVEL, WORD_GET_LEVELS_INFO, .format = NULL },
	[PLATFORM_TARGET_FEATURES] = { BY(mailbox, value_format_features, value_compare_features),
				       WORD_CONFIG_TDP, WORD_SET_TDP_CONTROL, WORD_GET_TDP_CONTROL,
				       .is_at_level = true, .format = &word_control },
	[PLATFORM_TARGET_CORE_POWER] = { BY(mailbox, value_format_switch, NULL),
					 WORD_READ_PM_CONFIG, WORD_PM_FEATURE, WORD_PM_FEATURE,
					 .format = &word_pm_config },
	[PLATFORM_TARGET_CLOS_SWITCH] = { BY(mailbox, value_format_core_power,
					     value_compare_core_power),
					  WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG,
					  WORD_CLOS_PM_QOS_CONFIG, .format = &word_qos_config },
	[PLATFORM_TARGET_CLOS] = { BY(mailbox, value_format_clos, NULL), WORD_CLOS,
				   WORD_CLOS_PM_CLOS, WORD_CLOS_PM_CLOS, .format = &word_clos },
	[PLATFORM_TARGET_ASSOCIATION] = { BY(mailbox, value_format_association, NULL), WORD_CLOS,
					  WORD_CLOS_PQR_ASSOC, WORD_CLOS_PQR_ASSOC,
					  .format = &word_association },
};

static const struct word_target by_mmio[] = {
	[PLATFORM_TARGET_CLOS] = { BY(mmio, value_format_clos, NULL), .format = &word_clos },
	[PLATFORM_TARGET_ASSOCIATION] = { BY(mmio, value_format_association, NULL),
					  .format = &word_association },
};

struct write_target mailbox_target(bool is_skylake, enum platform_target what, uint32_t cpu,
				   uint32_t index)
{
	if (is_skylake || (what != PLATFORM_TARGET_CLOS && what != PLATFORM_TARGET_ASSOCIATION))
		return (struct write_target){ .ops = &by_mailbox[what].ops,
					      .cpu = cpu,
					      .index = (uint16_t)index };
	return (struct write_target){
		.ops = &by_mmio[what].ops,
		.cpu = cpu,
		.index = (uint16_t)(what == PLATFORM_TARGET_CLOS ? WORD_MMIO_PM_CLOS(index)
								 : WORD_MMIO_PQR_ASSOC(index)),
	};
}
