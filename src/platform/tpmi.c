// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of operations of TPMI parts, with the smallest of them: SST-PP as a whole, SST-CP and
 * the parameters of a CLOS (hardware.md, section 4). Every structure is zero before it is sent, and
 * no request is sent twice.
 */
#include "platform/tpmi.h"

#include <errno.h>

#include "base/cleanup.h"
#include "platform/limits.h"
#include "platform/tpmi_clos.h"
#include "platform/words.h"

static const struct platform_trl_name trl_names[] = {
	{ .name = "level-0", .infix = "level-0-" }, { .name = "level-1", .infix = "level-1-" },
	{ .name = "level-2", .infix = "level-2-" }, { .name = "level-3", .infix = "level-3-" },
	{ .name = "level-4", .infix = "level-4-" }, { .name = "level-5", .infix = "level-5-" },
};

int tpmi_request(const struct platform *platform, const struct power_domain *domain,
		 uint32_t request, void *argument)
{
	int err;

	if (!domain->is_served)
		return -ENODEV;
	err = channel_request(&platform->channel, request, argument);
	return err < 0 ? err : 0;
}

const struct tpmi_levels *tpmi_read_levels_of(struct platform *platform,
					      const struct power_domain *domain, bool fresh)
{
	struct tpmi_levels *levels = &platform->tpmi->levels[domain - platform->domains.domains];

	if (levels->known && !fresh)
		return levels;
	*levels = (struct tpmi_levels){
		.known = true,
		.levels = { .socket_id = (__u8)domain->package,
			    .power_domain_id = (__u8)domain->id },
	};
	levels->error = tpmi_request(platform, domain, ISST_PERF_LEVELS, &levels->levels);
	return levels;
}

bool tpmi_has_level(const struct isst_perf_levels *levels, uint32_t level)
{
	if (!levels->enabled)
		return level == 0;
	return level <= SST_MAX_LEVEL && levels->level_mask & 1U << level;
}

bool tpmi_has_feature(const struct platform *platform, const struct isst_perf_levels *levels,
		      uint32_t level, uint8_t feature)
{
	uint8_t support =
		feature == ISST_FEATURE_BF ? levels->sst_bf_support : levels->sst_tf_support;

	if (platform->info.api_version < ISST_API_TPMI_MASKS)
		return support;
	return level <= SST_MAX_LEVEL && support & 1U << level;
}

/* SST-PP changes behind our back, so asking for it always asks the driver. */
static int read_pp(struct platform *platform, struct platform_pp_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tpmi_levels *answer =
			tpmi_read_levels_of(platform, queries[i].domain, true);
		const struct isst_perf_levels *levels = &answer->levels;

		queries[i].error = answer->error;
		if (answer->error)
			continue;
		queries[i].pp = (struct sst_pp){
			.enabled = levels->enabled,
			.locked = levels->locked,
			.version = levels->feature_rev,
			.highest_level = levels->max_level,
			.current_level = levels->current_level,
		};
	}
	return 0;
}

const struct tpmi_state *tpmi_read_state_of(struct platform *platform,
					    const struct power_domain *domain, bool fresh)
{
	struct tpmi_state *state = &platform->tpmi->states[domain - platform->domains.domains];

	if (state->known && !fresh)
		return state;
	*state = (struct tpmi_state){
		.known = true,
		.state = { .socket_id = (__u8)domain->package,
			   .power_domain_id = (__u8)domain->id },
	};
	state->error = tpmi_request(platform, domain, ISST_CORE_POWER_STATE, &state->state);
	return state;
}

/* One switch stands for both that other parts have. */
static int read_core_power(struct platform *platform, bool with_clos,
			   struct platform_core_power_query *queries, size_t count)
{
	(void)with_clos;
	for (size_t i = 0; i < count; i++) {
		const struct tpmi_state *state =
			tpmi_read_state_of(platform, queries[i].domain, true);

		queries[i].error = state->error;
		if (!state->error)
			queries[i].core_power = tpmi_clos_decode_state(&state->state);
	}
	return 0;
}

int tpmi_read_param(const struct platform *platform, const struct power_domain *domain,
		    uint32_t clos, struct isst_clos_param *ret_param)
{
	struct isst_clos_param param = {
		.socket_id = (__u8)domain->package,
		.power_domain_id = (__u8)domain->id,
		.clos = (__u8)clos,
	};
	int err = tpmi_request(platform, domain, ISST_CLOS_PARAM, &param);

	if (!err)
		*ret_param = param;
	return err;
}

/* There is no EPP and no desired frequency. */
static int read_clos(struct platform *platform, struct platform_clos_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct isst_clos_param param = { 0 };

		queries[i].error =
			tpmi_read_param(platform, queries[i].domain, queries[i].clos, &param);
		queries[i].info = (struct sst_clos){
			.weight = param.prop_prio,
			.min_mhz = param.min_freq_mhz,
			.max_mhz = param.max_freq_mhz,
			.unlimited = param.max_freq_mhz >= word_ratio_mhz(WORD_RATIO_UNLIMITED),
		};
	}
	return 0;
}

static const struct platform_ops tpmi_ops = {
	.read_pp = read_pp,
	.read_levels = tpmi_read_levels,
	.read_core_power = read_core_power,
	.read_clos = read_clos,
	.read_assoc = tpmi_read_assoc,
	.read_trl = limits_read,
	.read_level_trl = tpmi_read_level_trl,
	.plan_level = tpmi_plan_level,
	.plan_features = tpmi_plan_features,
	.plan_core_power = tpmi_plan_core_power,
	.plan_clos = tpmi_plan_clos,
	.plan_assoc = tpmi_plan_assoc,
	.plan_trl = limits_plan,
	.find_cause = tpmi_find_cause,
};

void tpmi_init(struct platform *platform)
{
	platform->ops = &tpmi_ops;
	platform->shows_power_domains = true;
	platform->has_only_weights = true;
	platform->shares_clos = true;
	platform->trl_names = trl_names;
	platform->n_trl_levels = ARRAY_SIZE(trl_names);
}
