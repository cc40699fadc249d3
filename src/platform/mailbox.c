// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of operations of mailbox parts, with the smallest of them: SST-PP as a whole and the
 * turbo ratios of a level (hardware.md, section 3).
 */
#include "platform/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "platform/limits.h"
#include "platform/words.h"

static const struct platform_trl_name instruction_set_names[] = {
	{ .name = "sse", .infix = "" },
	{ .name = "avx2", .infix = "avx2-" },
	{ .name = "avx512", .infix = "avx512-" },
};

static const struct platform_trl_name numbered_names[] = {
	{ .name = "level-0", .infix = "level-0-" }, { .name = "level-1", .infix = "level-1-" },
	{ .name = "level-2", .infix = "level-2-" }, { .name = "level-3", .infix = "level-3-" },
	{ .name = "level-4", .infix = "level-4-" },
};

static void name_trl_levels(struct platform *platform)
{
	if (platform->machine->identity.generation == GENERATION_EMERALD_RAPIDS) {
		platform->trl_names = numbered_names;
		platform->n_trl_levels = ARRAY_SIZE(numbered_names);
	} else {
		platform->trl_names = instruction_set_names;
		platform->n_trl_levels = ARRAY_SIZE(instruction_set_names);
	}
}

bool mailbox_is_skylake(const struct platform *platform)
{
	return platform->machine->identity.generation == GENERATION_SKYLAKE;
}

struct isst_mbox_command mailbox_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
					 uint32_t parameter, uint32_t data)
{
	return (struct isst_mbox_command){
		.logical_cpu = cpu,
		.command = command,
		.sub_command = sub_command,
		.parameter = parameter,
		.req_data = data,
	};
}

/* GET_LEVELS_INFO that the firmware refuses means: no SST-PP. Other failures are failures. */
static void take_levels_info(struct platform_pp_query *query, uint32_t answer, int err)
{
	query->error = err == -ENXIO ? 0 : err;
	if (err == -ENXIO)
		query->pp = (struct sst_pp){ .locked = true };
	else if (!err)
		query->pp = word_decode_levels_info(answer);
}

static int mailbox_read_pp(struct platform *platform, struct platform_pp_query *queries,
			   size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands = calloc(count, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(count, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = mailbox_command(queries[i].domain->cpu, WORD_CONFIG_TDP,
					      WORD_GET_LEVELS_INFO, 0, 0);
	err = channel_mailbox(&platform->channel, commands, errors, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		take_levels_info(&queries[i], commands[i].resp_data, errors[i]);
	return 0;
}

/* Both halves of GET_TURBO_LIMIT_RATIOS, which hold the ratios as the MSR does. */
static int mailbox_read_level_trl(struct platform *platform, const struct power_domain *domain,
				  uint32_t level, uint64_t *ret_trl)
{
	struct isst_mbox_command halves[2];
	int errors[2] = { 0 };
	int err;

	for (uint32_t half = 0; half < 2; half++)
		halves[half] =
			mailbox_command(domain->cpu, WORD_CONFIG_TDP, WORD_GET_TURBO_LIMIT_RATIOS,
					0, level | (half ? WORD_UPPER_HALF : 0));
	err = channel_mailbox(&platform->channel, halves, errors, 2);
	err = err ?: errors[0] ?: errors[1];
	if (!err)
		*ret_trl = (uint64_t)halves[1].resp_data << 32 | halves[0].resp_data;
	return err;
}

static const struct platform_ops mailbox_ops = {
	.read_pp = mailbox_read_pp,
	.read_levels = mailbox_read_levels,
	.refine_level = mailbox_refine_level,
	.read_core_power = mailbox_read_core_power,
	.read_clos = mailbox_read_clos,
	.read_assoc = mailbox_read_assoc,
	.read_trl = limits_read,
	.read_level_trl = mailbox_read_level_trl,
	.plan_level = mailbox_plan_level,
	.plan_features = mailbox_plan_features,
	.plan_core_power = mailbox_plan_core_power,
	.plan_clos = mailbox_plan_clos,
	.plan_assoc = mailbox_plan_assoc,
	.plan_trl = limits_plan,
};

void mailbox_init(struct platform *platform)
{
	platform->ops = &mailbox_ops;
	platform->only_ordered = mailbox_is_skylake(platform);
	platform->guards_core_power = true;
	name_trl_levels(platform);
}
