// SPDX-License-Identifier: GPL-2.0-only
/* Reads SST-PP and SST-CP of mailbox parts (hardware.md, section 3), and holds their table of
 * operations. */
#include "sst/mailbox/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
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

static struct write_target find_target(const struct platform *platform, enum platform_target what,
				       const struct power_domain *domain, uint32_t index)
{
	return mailbox_target(mailbox_is_skylake(platform), what, domain->cpu, index);
}

/* If firmware refuses GET_LEVELS_INFO, there is no SST-PP. */
static int read_pp(struct platform *platform, struct platform_pp_query *queries, size_t count)
{
	_cleanup_free_ struct platform_query *reads = calloc(count ?: 1, sizeof(*reads));
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		reads[i].target =
			find_target(platform, PLATFORM_TARGET_LEVEL, queries[i].domain, 0);
	err = platform_read(platform, reads, count);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = reads[i].error == -ENXIO ? 0 : reads[i].error;
		if (reads[i].error == -ENXIO)
			queries[i].pp = (struct sst_pp){ .locked = true };
		else if (!reads[i].error)
			queries[i].pp = word_decode_levels_info(reads[i].value.other_bits);
	}
	return err;
}

/* Reads both halves of GET_TURBO_LIMIT_RATIOS, in which the ratios have the format of the MSR. */
static int read_level_trl(struct platform *platform, const struct power_domain *domain,
			  uint32_t level, uint64_t *ret_trl)
{
	struct isst_if_mbox_cmd halves[2];
	int errors[2], err;

	for (uint32_t half = 0; half < 2; half++)
		halves[half] =
			mailbox_command(domain->cpu, WORD_CONFIG_TDP, WORD_GET_TURBO_LIMIT_RATIOS,
					level | (half ? WORD_UPPER_HALF : 0));
	err = channel_send(&platform->channel, ISST_IF_MBOX_COMMAND, halves, errors, 2);
	if (err || errors[0] || errors[1])
		return err ?: errors[0] ?: errors[1];
	*ret_trl = (uint64_t)halves[1].resp_data << 32 | halves[0].resp_data;
	return 0;
}

/* Reads READ_PM_CONFIG of all domains, then PM_QOS_CONFIG; for planning, both of each domain. If a
 * part does not answer READ_PM_CONFIG, its switch is unknown. */
static int read_core_power(struct platform *platform, enum platform_core_power_part part,
			   struct platform_core_power_query *queries, size_t count)
{
	size_t step = part == PLATFORM_SWITCHES ? 2 : 1;
	size_t first_qos = part == PLATFORM_SWITCHES ? 1 : count;
	_cleanup_free_ struct platform_query *reads = calloc(2 * count ?: 1, sizeof(*reads));
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = queries[i].domain;

		reads[step * i].target =
			find_target(platform, PLATFORM_TARGET_CORE_POWER, domain, 0);
		reads[first_qos + step * i].target =
			find_target(platform, PLATFORM_TARGET_CLOS_SWITCH, domain, 0);
	}
	err = platform_read(platform, reads, part == PLATFORM_CORE_POWER ? count : 2 * count);
	for (size_t i = 0; i < count && !err; i++) {
		struct platform_core_power_query *query = &queries[i];
		const struct platform_query *pm = &reads[step * i];
		const struct platform_query *qos = &reads[first_qos + step * i];

		query->core_power = (struct sst_core_power){
			.supported = pm->value.other_bits,
			.enabled = pm->value.numbers[VALUE_ENABLED],
			.clos_enabled = qos->value.numbers[VALUE_ENABLED],
			.ordered = qos->value.numbers[VALUE_ORDERED],
		};
		query->switches[0] = pm->value;
		query->switches[1] = qos->value;
		query->is_unknown =
			part == PLATFORM_SWITCHES && (pm->error == -ENXIO || pm->error == -EINVAL);
		query->error = query->is_unknown ? qos->error : pm->error ?: qos->error;
	}
	return err;
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

static const struct platform_ops mailbox_ops = {
	.read_pp = read_pp,
	.read_levels = mailbox_read_levels,
	.refine_level = mailbox_refine_level,
	.read_core_power = read_core_power,
	.read_level_trl = read_level_trl,
	.read_features = read_features,
	.target = find_target,
};

void mailbox_init(struct platform *platform)
{
	static const char *const instruction_sets[] = { "sse", "avx2", "avx512" };
	bool has_numbers = platform->machine->identity.generation == GENERATION_EMERALD_RAPIDS;

	platform->ops = &mailbox_ops;
	platform->has_levels = true;
	platform->has_clos = true;
	platform->lacks_proportional = mailbox_is_skylake(platform);
	platform->guards_core_power = true;
	platform->has_level_lock = true;
	platform->trl_names = has_numbers ? platform_trl_numbers : instruction_sets;
	platform->n_trl_levels = has_numbers ? 5 : ARRAY_SIZE(instruction_sets);
}
