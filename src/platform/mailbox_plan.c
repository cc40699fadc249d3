// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pieces of mailbox steps, and the plan of the turbo-ratio limits: MSR 0x1AD, one a package
 * (hardware.md, sections 2 and 3). It is not read back: it may read limited by the level.
 */
#include "platform/mailbox_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "platform/words.h"

struct plan_write mailbox_plan_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
				       uint32_t parameter, uint32_t data)
{
	return (struct plan_write){
		.kind = PLAN_MAILBOX,
		.cpu = cpu,
		.command = command,
		.sub_command = sub_command,
		.parameter = parameter,
		.value = data,
	};
}

struct plan_write mailbox_plan_msr(uint32_t cpu, uint32_t msr, uint64_t value)
{
	return (struct plan_write){
		.kind = PLAN_MSR,
		.cpu = cpu,
		.address = msr,
		.value = value,
	};
}

struct plan_check mailbox_plan_check(struct plan_write read, uint32_t mask, uint32_t value,
				     uint32_t old_value, unsigned int tries)
{
	return (struct plan_check){
		.kind = PLAN_CHECK_WORD,
		.read = read,
		.mask = mask,
		.value = value & mask,
		.old_value = old_value & mask,
		.tries = tries,
	};
}

struct plan_subject mailbox_plan_subject(const struct power_domain *domain)
{
	return (struct plan_subject){
		.package = domain->package,
		.die = domain->die,
		.cpu = PLAN_NO_CPU,
	};
}

int mailbox_plan_read_msrs(const struct platform *platform, struct msr_read *reads, size_t count)
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

/* Is a later wish about the same package? */
static bool is_outdone(const struct platform_trl_wish *wishes, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (wishes[i].domain->package == wishes[index].domain->package)
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
				      .subject = mailbox_plan_subject(read->domain),
				      .what = "turbo-ratio limits",
				      .write = mailbox_plan_msr(read->domain->cpu, read->msr, trl),
				      .old_value = read->value,
				      .old_text = old_text,
				      .new_text = new_text,
			      });
}

/* All wishes of the package that the MSR is of. */
static void fail_wishes(struct platform_trl_wish *wishes, size_t count, const struct msr_read *read)
{
	for (size_t i = 0; i < count; i++) {
		if (wishes[i].domain->package == read->domain->package)
			wishes[i].error = read->error;
	}
}

int mailbox_plan_trl(struct platform *platform, struct plan *plan, struct platform_trl_wish *wishes,
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
		if (is_outdone(wishes, i, count))
			continue;
		wanted[n_reads] = wishes[i].trl;
		reads[n_reads++] = (struct msr_read){ .domain = wishes[i].domain,
						      .msr = WORD_MSR_TURBO_RATIO_LIMIT };
	}
	err = mailbox_plan_read_msrs(platform, reads, n_reads);
	for (size_t i = 0; i < n_reads && !err; i++) {
		if (reads[i].error)
			fail_wishes(wishes, count, &reads[i]);
		else
			err = add_limits(plan, &reads[i], wanted[i]);
	}
	return err;
}
