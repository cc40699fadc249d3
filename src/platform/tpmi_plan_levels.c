// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning a change of the performance level, and of SST-BF and SST-TF at the current one
 * (hardware.md, section 4). The driver refuses the level that is current, and a change switches
 * both features off and sets the turbo-ratio limits anew, so taking it back restores them.
 */
#include "platform/tpmi.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "platform/limits.h"
#include "platform/words.h"
#include "plan/tpmi_words.h"

#define SETTLE_US   10000 /* until cpufreq shows new base frequencies */
#define CHECK_TRIES 5 /* a change takes effect a little later */

static struct plan_write make_write(const struct power_domain *domain, uint32_t request,
				    uint64_t value)
{
	return (struct plan_write){
		.kind = PLAN_TPMI,
		.address = request,
		.package = domain->package,
		.power_domain = domain->id,
		.value = value,
	};
}

/* Bits of PERF_LEVELS, read back. */
static struct plan_check make_check(const struct power_domain *domain, uint64_t mask,
				    uint64_t value, uint64_t old_value)
{
	return (struct plan_check){
		.kind = PLAN_CHECK_WORD,
		.read = make_write(domain, ISST_PERF_LEVELS, 0),
		.mask = mask,
		.value = value,
		.old_value = old_value,
		.tries = CHECK_TRIES,
	};
}

/* Some machines let nobody see the limits: then there is nothing to restore. */
static bool has_no_limits(const struct msr_read *limits)
{
	return !limits || limits->error == -EIO || limits->error == -ENOTTY;
}

static struct msr_read *find_limits(struct msr_read *reads, size_t count, uint32_t package)
{
	for (size_t i = 0; i < count; i++) {
		if (reads[i].domain->package == package)
			return &reads[i];
	}
	return NULL;
}

/* A domain of the package with a CPU to read MSRs by, or NULL. */
static const struct power_domain *find_online(const struct platform *platform, uint32_t package)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].package == package && list->domains[i].cpu != CPUSET_NONE)
			return &list->domains[i];
	}
	return NULL;
}

/* Does the wish change anything? What stands in the way becomes its error. */
static bool changes_level(struct platform *platform, struct platform_level_wish *wish)
{
	const struct tpmi_levels *answer;

	wish->error = 0;
	if (!wish->domain)
		return false;
	answer = tpmi_read_levels_of(platform, wish->domain, !wish->pp);
	wish->error = answer->error;
	if (wish->error || answer->levels.current_level == wish->level)
		return false;
	if (answer->levels.locked)
		wish->error = -EROFS;
	return !wish->error;
}

/* Reads the limits of every package where a level changes, once. */
static int read_limits(const struct platform *platform, struct platform_level_wish *wishes,
		       const bool *changes, size_t count, struct msr_read *reads,
		       size_t *ret_n_reads)
{
	size_t n_reads = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = NULL;

		if (changes[i] && !find_limits(reads, n_reads, wishes[i].domain->package))
			domain = find_online(platform, wishes[i].domain->package);
		if (domain)
			reads[n_reads++] = (struct msr_read){
				.domain = domain,
				.msr = WORD_MSR_TURBO_RATIO_LIMIT,
			};
	}
	err = limits_read_msrs(platform, reads, n_reads);
	*ret_n_reads = n_reads;
	return err;
}

/* What a level change resets, put back in this order, each read back beside the level. */
struct restoring {
	struct plan_write writes[3];
	struct plan_check checks[2];
	size_t n_writes;
	size_t n_checks;
};

static struct restoring make_restoring(const struct power_domain *domain,
				       const struct isst_perf_levels *levels,
				       const struct msr_read *limits)
{
	uint64_t features = tpmi_words_features(levels->feature_state);
	struct restoring restoring = {
		.writes = { make_write(domain, ISST_PERF_SET_LEVEL, levels->current_level) },
		.n_writes = 1,
	};

	if (levels->feature_state) {
		restoring.writes[restoring.n_writes++] =
			make_write(domain, ISST_PERF_SET_FEATURE, levels->feature_state);
		restoring.checks[restoring.n_checks++] =
			make_check(domain, TPMI_WORDS_FEATURES, features, features);
	}
	if (!has_no_limits(limits)) {
		uint32_t cpu = limits->domain->cpu;

		restoring.writes[restoring.n_writes++] =
			limits_write_msr(cpu, limits->msr, limits->value);
		restoring.checks[restoring.n_checks++] = (struct plan_check){
			.kind = PLAN_CHECK_WORD,
			.read = limits_write_msr(cpu, limits->msr, 0),
			.mask = UINT64_MAX,
			.value = limits->value,
			.tries = CHECK_TRIES,
		};
	}
	return restoring;
}

static int add_level(struct plan *plan, const struct platform_level_wish *wish,
		     const struct isst_perf_levels *levels, const struct msr_read *limits,
		     bool is_last)
{
	const struct power_domain *domain = wish->domain;
	struct restoring restoring = make_restoring(domain, levels, limits);
	uint32_t old = levels->current_level;
	char old_text[12], new_text[12];

	snprintf(old_text, sizeof(old_text), "%u", old);
	snprintf(new_text, sizeof(new_text), "%u", wish->level);
	return plan_add(plan,
			&(struct plan_step){
				.subject = domains_subject(domain),
				.what = "performance level",
				.write = make_write(domain, ISST_PERF_SET_LEVEL, wish->level),
				.old_value = old,
				.old_text = old_text,
				.new_text = new_text,
				.undo = restoring.writes,
				.n_undo = restoring.n_writes,
				.undo_checks = restoring.checks,
				.n_undo_checks = restoring.n_checks,
				.check = make_check(domain, TPMI_WORDS_LEVEL, wish->level, old),
				.settle_us = is_last ? SETTLE_US : 0,
			});
}

static int add_levels(struct platform *platform, struct plan *plan,
		      struct platform_level_wish *wishes, const bool *changes, size_t count,
		      struct msr_read *reads, size_t n_reads)
{
	size_t last = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		last = changes[i] ? i : last;
	for (size_t i = 0; i < count && !err; i++) {
		struct platform_level_wish *wish = &wishes[i];
		const struct msr_read *limits;

		if (!changes[i])
			continue;
		limits = find_limits(reads, n_reads, wish->domain->package);
		wish->error = has_no_limits(limits) ? 0 : limits->error;
		if (!wish->error)
			err = add_level(plan, wish,
					&tpmi_read_levels_of(platform, wish->domain, false)->levels,
					limits, i == last);
	}
	return err;
}

int tpmi_plan_level(struct platform *platform, struct plan *plan,
		    struct platform_level_wish *wishes, size_t count)
{
	_cleanup_free_ struct msr_read *reads = calloc(count ?: 1, sizeof(*reads));
	_cleanup_free_ bool *changes = calloc(count ?: 1, sizeof(*changes));
	size_t n_reads = 0;
	int err;

	if (!reads || !changes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		changes[i] = changes_level(platform, &wishes[i]);
	err = read_limits(platform, wishes, changes, count, reads, &n_reads);
	return err ?: add_levels(platform, plan, wishes, changes, count, reads, n_reads);
}

static uint8_t switch_feature(uint8_t features, uint8_t feature, enum platform_switch wanted)
{
	switch (wanted) {
	case PLATFORM_KEEP:
		return features;
	case PLATFORM_ON:
		return features | feature;
	case PLATFORM_OFF:
		return features & (uint8_t)~feature;
	}
	return features;
}

static void format_features(char text[32], uint8_t features)
{
	snprintf(text, 32, "SST-BF %s, SST-TF %s", features & ISST_FEATURE_BF ? "on" : "off",
		 features & ISST_FEATURE_TF ? "on" : "off");
}

/* Both features are given together, the one that is kept as it is. */
static int add_features(struct plan *plan, const struct platform_feature_wish *wish,
			const struct isst_perf_levels *levels)
{
	const struct power_domain *domain = wish->domain;
	uint8_t old = levels->feature_state & (ISST_FEATURE_BF | ISST_FEATURE_TF);
	uint8_t new = switch_feature(old, ISST_FEATURE_BF, wish->base_freq);
	char old_text[32], new_text[32];

	new = switch_feature(new, ISST_FEATURE_TF, wish->turbo_freq);
	if (new == old)
		return 0;
	format_features(old_text, old);
	format_features(new_text, new);
	return plan_add(plan, &(struct plan_step){
				      .subject = domains_subject(domain),
				      .what = "SST-BF and SST-TF",
				      .write = make_write(domain, ISST_PERF_SET_FEATURE, new),
				      .old_value = old,
				      .old_text = old_text,
				      .new_text = new_text,
				      .check = make_check(domain, TPMI_WORDS_FEATURES,
							  tpmi_words_features(new),
							  tpmi_words_features(old)),
			      });
}

int tpmi_plan_features(struct platform *platform, struct plan *plan,
		       struct platform_feature_wish *wishes, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		struct platform_feature_wish *wish = &wishes[i];
		const struct tpmi_levels *answer;

		if (!wish->domain)
			continue;
		answer = tpmi_read_levels_of(platform, wish->domain, !wish->pp);
		wish->error = answer->error;
		if (!wish->error)
			err = add_features(plan, wish, &answer->levels);
	}
	return err;
}
