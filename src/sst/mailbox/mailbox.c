// SPDX-License-Identifier: GPL-2.0-only
/* Reads SST-PP and SST-CP of mailbox parts (hardware.md, section 3), and holds their table of
 * operations. */
#include "sst/mailbox/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/mailbox/words.h"

bool mailbox_is_skylake(const struct platform *platform)
{
	return platform->machine->identity.generation == GENERATION_SKYLAKE;
}

struct isst_if_mbox_cmd mailbox_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
					uint32_t data)
{
	return (struct isst_if_mbox_cmd){
		.logical_cpu = cpu,
		.command = command,
		.sub_command = sub_command,
		.req_data = data,
	};
}

/* A GET_LEVELS_INFO that the firmware refuses means: no SST-PP. */
static int read_pp(struct platform *platform, struct platform_pp_query *queries, size_t count)
{
	_cleanup_free_ struct isst_if_mbox_cmd *commands = calloc(count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = mailbox_command(queries[i].domain->cpu, WORD_CONFIG_TDP,
					      WORD_GET_LEVELS_INFO, 0);
	err = channel_mailbox(&platform->channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = errors[i] == -ENXIO ? 0 : errors[i];
		if (errors[i] == -ENXIO)
			queries[i].pp = (struct sst_pp){ .locked = true };
		else if (!errors[i])
			queries[i].pp = word_decode_levels_info(commands[i].resp_data);
	}
	return err;
}

/* Both halves of GET_TURBO_LIMIT_RATIOS, which have the ratios as the MSR has them. */
static int read_level_trl(struct platform *platform, const struct power_domain *domain,
			  uint32_t level, uint64_t *ret_trl)
{
	struct isst_if_mbox_cmd halves[2];
	int errors[2], err;

	for (uint32_t half = 0; half < 2; half++)
		halves[half] =
			mailbox_command(domain->cpu, WORD_CONFIG_TDP, WORD_GET_TURBO_LIMIT_RATIOS,
					level | (half ? WORD_UPPER_HALF : 0));
	err = channel_mailbox(&platform->channel, halves, errors, 2);
	if (err || errors[0] || errors[1])
		return err ?: errors[0] ?: errors[1];
	*ret_trl = (uint64_t)halves[1].resp_data << 32 | halves[0].resp_data;
	return 0;
}

/* READ_PM_CONFIG and PM_QOS_CONFIG. */
static struct sst_core_power make_core_power(const struct target_value *pm,
					     const struct target_value *qos)
{
	return (struct sst_core_power){
		.supported = pm->numbers[VALUE_OTHER_BITS],
		.enabled = pm->numbers[VALUE_ENABLED],
		.clos_enabled = qos->numbers[VALUE_ENABLED],
		.ordered = qos->numbers[VALUE_ORDERED],
	};
}

/* One READ_PM_CONFIG per domain, then, with_clos, one PM_QOS_CONFIG per domain. */
static int read_core_power(struct platform *platform, bool with_clos,
			   struct platform_core_power_query *queries, size_t count)
{
	_cleanup_free_ struct isst_if_mbox_cmd *commands =
		calloc(2 * count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(2 * count ?: 1, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t cpu = queries[i].domain->cpu;

		commands[i] = mailbox_command(cpu, WORD_READ_PM_CONFIG, WORD_PM_FEATURE, 0);
		commands[count + i] = mailbox_command(cpu, WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG, 0);
	}
	err = channel_mailbox(&platform->channel, commands, errors, with_clos ? 2 * count : count);
	for (size_t i = 0; i < count && !err; i++) {
		struct target_value pm = word_decode(&word_pm_config, commands[i].resp_data);
		struct target_value qos =
			word_decode(&word_qos_config, commands[count + i].resp_data);

		queries[i].core_power = make_core_power(&pm, &qos);
		queries[i].error = errors[i] ?: errors[count + i];
	}
	return err;
}

static struct write_target find_target(const struct platform *platform, enum platform_target what,
				       const struct power_domain *domain, uint32_t index)
{
	return mailbox_target(mailbox_is_skylake(platform), what, domain->cpu, index);
}

static int read_features(struct platform *platform, struct platform_level_query *queries,
			 size_t count)
{
	int err = mailbox_read_levels(platform, PLATFORM_SUPPORT, queries, count);

	for (size_t i = 0; i < count && !err; i++) {
		if (queries[i].error == -ENOENT) /* the current level exists */
			queries[i].error = -ENXIO;
	}
	return err;
}

static int read_switches(struct platform *platform, struct platform_switches_query *queries,
			 size_t count)
{
	_cleanup_free_ struct target_request *reads = calloc(2 * count ?: 1, sizeof(*reads));
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct platform_switch_state *switches = queries[i].switches;
		const struct power_domain *domain = queries[i].domain;

		switches[0].what = "SST-CP";
		switches[0].target = find_target(platform, PLATFORM_TARGET_CORE_POWER, domain, 0);
		switches[1].what = "CLOS and its priority type";
		switches[1].target = find_target(platform, PLATFORM_TARGET_CLOS_SWITCH, domain, 0);
		switches[1].has_type = true;
		queries[i].count = 2;
		reads[2 * i].target = &switches[0].target;
		reads[2 * i + 1].target = &switches[1].target;
	}
	err = platform_read_targets(platform, reads, 2 * count);
	for (size_t i = 0; i < count && !err; i++) {
		const struct target_request *pm = &reads[2 * i], *qos = &reads[2 * i + 1];
		bool is_refused = pm->error == -ENXIO || pm->error == -EINVAL;

		queries[i].switches[0].value = pm->value;
		queries[i].switches[0].is_unknown = is_refused; /* not every part answers it */
		queries[i].switches[1].value = qos->value;
		queries[i].found = make_core_power(&pm->value, &qos->value);
		queries[i].error = qos->error ?: is_refused ? 0 : pm->error;
	}
	return err;
}

static const struct platform_ops mailbox_ops = {
	.read_pp = read_pp,
	.read_levels = mailbox_read_levels,
	.refine_level = mailbox_refine_level,
	.read_core_power = read_core_power,
	.read_trl = limits_read,
	.read_level_trl = read_level_trl,
	.read_features = read_features,
	.read_switches = read_switches,
	.target = find_target,
};

void mailbox_init(struct platform *platform)
{
	static const char *const instruction_sets[] = { "sse", "avx2", "avx512" };
	bool has_numbers = platform->machine->identity.generation == GENERATION_EMERALD_RAPIDS;

	platform->ops = &mailbox_ops;
	platform->lacks_proportional = mailbox_is_skylake(platform);
	platform->guards_core_power = true;
	platform->has_level_lock = true;
	platform->trl_names = has_numbers ? platform_trl_numbers : instruction_sets;
	platform->n_trl_levels = has_numbers ? 5 : ARRAY_SIZE(instruction_sets);
}
