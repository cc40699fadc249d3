// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turbo-ratio limits: MSR 0x1AD, one a package, on mailbox and TPMI parts alike (hardware.md,
 * sections 2 and 3). Firmware may limit what is written by the level, so the level's own ratios are
 * read too, to check it by.
 */
#include "platform/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "plan/check.h"
#include "platform/words.h"

struct plan_write limits_write_msr(uint32_t cpu, uint32_t msr, uint64_t value)
{
	return (struct plan_write){
		.kind = PLAN_MSR,
		.cpu = cpu,
		.address = msr,
		.value = value,
	};
}

int limits_read_msrs(const struct platform *platform, struct msr_read *reads, size_t count)
{
	_cleanup_free_ struct isst_msr_command *commands = calloc(count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_msr_command){
			.logical_cpu = reads[i].domain->cpu,
			.msr = reads[i].msr,
		};
	err = channel_msr(&platform->channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		reads[i].error = errors[i];
		reads[i].value = commands[i].data;
	}
	return err;
}

/* The read of a package that is among them, or NULL. */
static struct msr_read *find_package(struct msr_read *reads, size_t count, uint32_t package)
{
	for (size_t i = 0; i < count; i++) {
		if (reads[i].domain->package == package)
			return &reads[i];
	}
	return NULL;
}

int limits_read(struct platform *platform, struct platform_trl_query *queries, size_t count)
{
	_cleanup_free_ struct msr_read *reads = calloc(count ?: 1, sizeof(*reads));
	size_t n_reads = 0;
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!find_package(reads, n_reads, queries[i].domain->package))
			reads[n_reads++] = (struct msr_read){
				.domain = queries[i].domain,
				.msr = WORD_MSR_TURBO_RATIO_LIMIT,
			};
	}
	err = limits_read_msrs(platform, reads, n_reads);
	for (size_t i = 0; i < count && !err; i++) {
		const struct msr_read *read =
			find_package(reads, n_reads, queries[i].domain->package);

		queries[i].error = read->error;
		queries[i].trl = read->value;
	}
	return err;
}

/* Can the wish be granted by an MSR at all? */
static bool is_wish(const struct platform_trl_wish *wish)
{
	return wish->domain && wish->domain->cpu != CPUSET_NONE;
}

/* Is a later wish about the same package? */
static bool is_outdone(const struct platform_trl_wish *wishes, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (is_wish(&wishes[i]) &&
		    wishes[i].domain->package == wishes[index].domain->package)
			return true;
	}
	return false;
}

#define CHECK_TRIES 5

/* The ratios that the levels of a package's domains allow: the lowest of each bucket. */
struct level_limits {
	bool are_known;
	uint64_t limits;
};

/*
 * The limits of the current level of one domain. Returns 0, -ENOMEM, or the negative errno of what
 * cannot be read.
 */
static int read_level_limits(struct platform *platform, const struct platform_trl_wish *wish,
			     uint64_t *ret_limits)
{
	struct platform_pp_query query = { .domain = wish->domain };
	int err;

	if (wish->level_trl) {
		*ret_limits = *wish->level_trl;
		return 0;
	}
	if (wish->pp) {
		query.pp = *wish->pp;
	} else {
		err = platform->ops->read_pp(platform, &query, 1);
		err = err ?: query.error;
		if (err)
			return err;
	}
	return platform->ops->read_level_trl(platform, wish->domain, query.pp.current_level,
					     ret_limits);
}

/* The limits of a package. They are not known if those of one domain cannot be read. */
static int find_level_limits(struct platform *platform, const struct platform_trl_wish *wishes,
			     size_t count, uint32_t package, struct level_limits *ret_limits)
{
	struct level_limits found = { .are_known = true, .limits = UINT64_MAX };

	for (size_t i = 0; i < count && found.are_known; i++) {
		uint64_t limits = 0;
		int err;

		if (!is_wish(&wishes[i]) || wishes[i].domain->package != package)
			continue;
		err = read_level_limits(platform, &wishes[i], &limits);
		if (err == -ENOMEM)
			return err;
		found.are_known = !err;
		found.limits = check_lower_limits(found.limits, limits);
	}
	*ret_limits = found;
	return 0;
}

static int add_limits(struct plan *plan, const struct msr_read *read, uint64_t trl,
		      const struct level_limits *level)
{
	char old_text[24], new_text[24];

	snprintf(old_text, sizeof(old_text), "0x%" PRIx64, read->value);
	snprintf(new_text, sizeof(new_text), "0x%" PRIx64, trl);
	return plan_add(
		plan, &(struct plan_step){
			      .subject = domains_subject(read->domain),
			      .what = "turbo-ratio limits",
			      .write = limits_write_msr(read->domain->cpu, read->msr, trl),
			      .old_value = read->value,
			      .old_text = old_text,
			      .new_text = new_text,
			      .check = { .kind = PLAN_CHECK_LIMITS,
					 .read = limits_write_msr(read->domain->cpu, read->msr, 0),
					 .mask = UINT64_MAX,
					 .value = trl,
					 .old_value = read->value,
					 .has_level_limits = level->are_known,
					 .level_limits = level->limits,
					 .tries = CHECK_TRIES },
		      });
}

/* One package's limits, if they change. */
static int plan_package(struct platform *platform, struct plan *plan,
			const struct platform_trl_wish *wishes, size_t count,
			const struct msr_read *read, uint64_t trl)
{
	struct level_limits level;
	int err;

	if (read->value == trl)
		return 0;
	err = find_level_limits(platform, wishes, count, read->domain->package, &level);
	return err ?: add_limits(plan, read, trl, &level);
}

/* All wishes of the package that the MSR is of. */
static void fail_wishes(struct platform_trl_wish *wishes, size_t count, const struct msr_read *read)
{
	for (size_t i = 0; i < count; i++) {
		if (is_wish(&wishes[i]) && wishes[i].domain->package == read->domain->package)
			wishes[i].error = read->error;
	}
}

int limits_plan(struct platform *platform, struct plan *plan, struct platform_trl_wish *wishes,
		size_t count)
{
	_cleanup_free_ struct msr_read *reads = calloc(count ?: 1, sizeof(*reads));
	_cleanup_free_ uint64_t *wanted = calloc(count ?: 1, sizeof(*wanted));
	size_t n_reads = 0;
	int err;

	if (!reads || !wanted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		wishes[i].error = 0;
		if (!is_wish(&wishes[i]) || is_outdone(wishes, i, count))
			continue;
		wanted[n_reads] = wishes[i].trl;
		reads[n_reads++] = (struct msr_read){ .domain = wishes[i].domain,
						      .msr = WORD_MSR_TURBO_RATIO_LIMIT };
	}
	err = limits_read_msrs(platform, reads, n_reads);
	for (size_t i = 0; i < n_reads && !err; i++) {
		if (reads[i].error)
			fail_wishes(wishes, count, &reads[i]);
		else
			err = plan_package(platform, plan, wishes, count, &reads[i], wanted[i]);
	}
	return err;
}
