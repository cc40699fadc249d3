// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the settings of mailbox parts by mailbox commands and MMIO registers
 * (hardware.md, sections 2 and 3). */
#include "sst/mailbox/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sst/mailbox/words.h"

/* A setting that is one word: how it is sent, and what the word means. */
struct word_target {
	struct target_ops ops; /* first: what a target points to */
	/* by mailbox; a register is the target's index */
	uint16_t command;
	uint16_t write;
	uint16_t read;
	uint32_t write_flag; /* in the parameter of the command that writes */
	bool is_at_level; /* the target's index is a level, the data of the command that reads;
			     else it is the parameter of both */
	uint32_t (*encode)(const struct target_value *value);
	struct target_value (*decode)(uint32_t word);
};

static const struct word_target *word_target_of(const struct write_target *target)
{
	return (const struct word_target *)target->ops;
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
		command.parameter |= word->write_flag;
		command.req_data = word->encode(value);
	} else if (word->is_at_level) {
		command.req_data = target->index;
	}
	return command;
}

static void run_mailbox(struct target_io *io, struct target_request *requests, size_t count,
			bool writes)
{
	struct isst_if_mbox_cmd *commands = io->commands;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		commands[i] = make_command(requests[i].target, &requests[i].value, writes);
	err = channel_mailbox(&io->channel, commands, io->errors, count);
	for (size_t i = 0; i < count; i++) {
		requests[i].error = err ?: io->errors[i];
		if (!writes && !requests[i].error)
			requests[i].value =
				word_target_of(requests[i].target)->decode(commands[i].resp_data);
	}
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
			.value = writes ? word_target_of(target)->encode(&requests[i].value) : 0,
		};
	}
	err = channel_mmio(&io->channel, commands, io->errors, count);
	for (size_t i = 0; i < count; i++) {
		requests[i].error = err ?: io->errors[i];
		if (!writes && !requests[i].error)
			requests[i].value =
				word_target_of(requests[i].target)->decode(commands[i].value);
	}
}

static char *format_mailbox_place(const struct write_target *target,
				  const struct target_value *value)
{
	struct isst_if_mbox_cmd command = make_command(target, value, true);
	char parameter[32] = "", *text;

	if (command.parameter)
		snprintf(parameter, sizeof(parameter), " parameter 0x%x", command.parameter);
	if (asprintf(&text, "cpu-%u mailbox 0x%02x/0x%02x%s", target->cpu, command.command,
		     command.sub_command, parameter) < 0)
		return NULL;
	return text;
}

static char *format_mmio_place(const struct write_target *target, const struct target_value *value)
{
	char *text;

	(void)value;
	return asprintf(&text, "cpu-%u mmio 0x%02x", target->cpu, target->index) < 0 ? NULL : text;
}

static bool is_uncertain(int error)
{
	return error == -EBUSY;
}

static uint32_t encode_level(const struct target_value *value)
{
	return (uint32_t)value->number;
}

static struct target_value decode_level(uint32_t word)
{
	return (struct target_value){ .number = word_decode_levels_info(word).current_level };
}

static uint32_t encode_features(const struct target_value *value)
{
	return word_encode_control(value->numbers[VALUE_BASE_FREQ],
				   value->numbers[VALUE_TURBO_FREQ]);
}

static struct target_value decode_features(uint32_t word)
{
	return value_of_features(word & word_encode_control(true, false),
				 word & word_encode_control(false, true));
}

static uint32_t encode_core_power(const struct target_value *value)
{
	return word_encode_pm_config(value->number);
}

static struct target_value decode_core_power(uint32_t word)
{
	struct sst_core_power state = { 0 };
	struct target_value value = { 0 };

	word_decode_pm_config(word, &state);
	value.numbers[VALUE_ENABLED] = state.enabled;
	value.numbers[VALUE_OTHER_BITS] = state.supported;
	return value;
}

static uint32_t encode_clos_switch(const struct target_value *value)
{
	return word_encode_qos_config((uint32_t)value->numbers[VALUE_OTHER_BITS],
				      value->numbers[VALUE_ENABLED], value->numbers[VALUE_ORDERED]);
}

static struct target_value decode_clos_switch(uint32_t word)
{
	struct sst_core_power state = { 0 };
	struct target_value value;

	word_decode_qos_config(word, &state);
	value = value_of_core_power(state.clos_enabled, state.ordered);
	value.numbers[VALUE_OTHER_BITS] = word & ~WORD_QOS_CONFIG_SETTINGS;
	return value;
}

static uint32_t encode_clos(const struct target_value *value)
{
	struct sst_clos clos = value_to_clos(value);

	return word_encode_clos(&clos);
}

struct target_value mailbox_decode_clos(uint32_t word)
{
	struct sst_clos clos = word_decode_clos(word);

	return value_of_clos(&clos);
}

static uint32_t encode_association(const struct target_value *value)
{
	return word_encode_association((uint32_t)value->numbers[VALUE_OTHER_BITS],
				       (uint32_t)value->number);
}

static struct target_value decode_association(uint32_t word)
{
	return value_of_association(word_decode_association(word), word);
}

#define BY_MAILBOX                                                                            \
	.batch = run_mailbox, .format_place = format_mailbox_place,                           \
	.error_text = channel_error_text, .is_uncertain = is_uncertain, .needs_driver = true, \
	.is_named_by_cpu = true

#define BY_MMIO                                                                                 \
	.batch = run_mmio, .format_place = format_mmio_place, .error_text = channel_error_text, \
	.is_uncertain = is_uncertain, .needs_driver = true, .is_named_by_cpu = true

static const struct word_target level = {
	.ops = { BY_MAILBOX, .format = value_format_number },
	.command = WORD_CONFIG_TDP,
	.write = WORD_SET_LEVEL,
	.read = WORD_GET_LEVELS_INFO,
	.encode = encode_level,
	.decode = decode_level,
};

static const struct word_target features = {
	.ops = { BY_MAILBOX, .format = value_format_features, .compare = value_compare_features },
	.command = WORD_CONFIG_TDP,
	.write = WORD_SET_TDP_CONTROL,
	.read = WORD_GET_TDP_CONTROL,
	.is_at_level = true,
	.encode = encode_features,
	.decode = decode_features,
};

static const struct word_target core_power = {
	.ops = { BY_MAILBOX, .format = value_format_switch, .compare = value_compare_switch },
	.command = WORD_READ_PM_CONFIG,
	.write = WORD_PM_FEATURE,
	.read = WORD_PM_FEATURE,
	.encode = encode_core_power,
	.decode = decode_core_power,
};

static const struct word_target clos_switch = {
	.ops = { BY_MAILBOX, .format = value_format_core_power,
		 .compare = value_compare_core_power },
	.command = WORD_CLOS,
	.write = WORD_CLOS_PM_QOS_CONFIG,
	.read = WORD_CLOS_PM_QOS_CONFIG,
	.write_flag = WORD_CLOS_WRITE,
	.encode = encode_clos_switch,
	.decode = decode_clos_switch,
};

static const struct word_target clos_by_mailbox = {
	.ops = { BY_MAILBOX, .format = value_format_clos },
	.command = WORD_CLOS,
	.write = WORD_CLOS_PM_CLOS,
	.read = WORD_CLOS_PM_CLOS,
	.write_flag = WORD_CLOS_WRITE,
	.encode = encode_clos,
	.decode = mailbox_decode_clos,
};

static const struct word_target clos_by_mmio = {
	.ops = { BY_MMIO, .format = value_format_clos },
	.encode = encode_clos,
	.decode = mailbox_decode_clos,
};

static const struct word_target association_by_mailbox = {
	.ops = { BY_MAILBOX, .format = value_format_association,
		 .compare = value_compare_association },
	.command = WORD_CLOS,
	.write = WORD_CLOS_PQR_ASSOC,
	.read = WORD_CLOS_PQR_ASSOC,
	.write_flag = WORD_CLOS_WRITE,
	.encode = encode_association,
	.decode = decode_association,
};

static const struct word_target association_by_mmio = {
	.ops = { BY_MMIO, .format = value_format_association,
		 .compare = value_compare_association },
	.encode = encode_association,
	.decode = decode_association,
};

struct write_target mailbox_level_target(uint32_t cpu)
{
	return (struct write_target){ .ops = &level.ops, .cpu = cpu };
}

struct write_target mailbox_features_target(uint32_t cpu, uint32_t at_level)
{
	return (struct write_target){ .ops = &features.ops, .cpu = cpu, .index = at_level };
}

struct write_target mailbox_core_power_target(uint32_t cpu)
{
	return (struct write_target){ .ops = &core_power.ops, .cpu = cpu };
}

struct write_target mailbox_clos_switch_target(uint32_t cpu)
{
	return (struct write_target){ .ops = &clos_switch.ops, .cpu = cpu };
}

struct write_target mailbox_clos_target(uint32_t cpu, uint32_t clos, bool is_skylake)
{
	return (struct write_target){
		.ops = is_skylake ? &clos_by_mailbox.ops : &clos_by_mmio.ops,
		.cpu = cpu,
		.index = is_skylake ? clos : WORD_MMIO_PM_CLOS(clos),
	};
}

struct write_target mailbox_association_target(uint32_t cpu, uint32_t core, bool is_skylake)
{
	return (struct write_target){
		.ops = is_skylake ? &association_by_mailbox.ops : &association_by_mmio.ops,
		.cpu = cpu,
		.index = is_skylake ? core : WORD_MMIO_PQR_ASSOC(core),
	};
}

int mailbox_read_features(struct platform *platform, struct platform_features_query *queries,
			  size_t count)
{
	_cleanup_free_ struct write_target *targets = calloc(count ?: 1, sizeof(*targets));
	_cleanup_free_ struct target_request *reads = calloc(count ?: 1, sizeof(*reads));
	int err;

	if (!targets || !reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		targets[i] = mailbox_features_target(queries[i].domain->cpu, queries[i].level);
		reads[i].target = &targets[i];
	}
	err = platform_read_targets(platform, reads, count);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = reads[i].error;
		queries[i].base_freq_on = reads[i].value.numbers[VALUE_BASE_FREQ];
		queries[i].turbo_freq_on = reads[i].value.numbers[VALUE_TURBO_FREQ];
	}
	return err;
}

static void take_switches(struct platform_switches_query *query, const struct target_request *pm,
			  const struct target_request *qos)
{
	bool is_refused = pm->error == -ENXIO || pm->error == -EINVAL;

	query->switches[0].value = pm->value;
	query->switches[0].is_unknown = is_refused; /* not every part answers it */
	query->switches[1].value = qos->value;
	query->error = qos->error ?: is_refused ? 0 : pm->error;
	query->found = (struct sst_core_power){
		.supported = pm->value.numbers[VALUE_OTHER_BITS],
		.enabled = pm->value.numbers[VALUE_ENABLED],
		.clos_enabled = qos->value.numbers[VALUE_ENABLED],
		.ordered = qos->value.numbers[VALUE_ORDERED],
	};
}

int mailbox_read_switches(struct platform *platform, struct platform_switches_query *queries,
			  size_t count)
{
	_cleanup_free_ struct target_request *reads = calloc(2 * count ?: 1, sizeof(*reads));
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct platform_switch_state *switches = queries[i].switches;
		uint32_t cpu = queries[i].domain->cpu;

		switches[0].what = "SST-CP";
		switches[0].target = mailbox_core_power_target(cpu);
		switches[1].what = "CLOS and its priority type";
		switches[1].target = mailbox_clos_switch_target(cpu);
		switches[1].has_type = true;
		queries[i].count = 2;
		reads[2 * i].target = &switches[0].target;
		reads[2 * i + 1].target = &switches[1].target;
	}
	err = platform_read_targets(platform, reads, 2 * count);
	for (size_t i = 0; i < count && !err; i++)
		take_switches(&queries[i], &reads[2 * i], &reads[2 * i + 1]);
	return err;
}
