// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turbo-ratio limits: MSR 0x1AD, one a package, on mailbox and TPMI parts alike (hardware.md,
 * sections 2 and 3). When set it is not read back: it may read limited by the level.
 */
#include "platform/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
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

static int add_limits(struct plan *plan, const struct msr_read *read, uint64_t trl)
{
	char old_text[24], new_text[24];

	if (read->value == trl)
		return 0;
	snprintf(old_text, sizeof(old_text), "0x%" PRIx64, read->value);
	snprintf(new_text, sizeof(new_text), "0x%" PRIx64, trl);
	return plan_add(plan, &(struct plan_step){
				      .subject = domains_subject(read->domain),
				      .what = "turbo-ratio limits",
				      .write = limits_write_msr(read->domain->cpu, read->msr, trl),
				      .old_value = read->value,
				      .old_text = old_text,
				      .new_text = new_text,
			      });
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
			err = add_limits(plan, &reads[i], wanted[i]);
	}
	return err;
}
