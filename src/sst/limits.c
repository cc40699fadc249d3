// SPDX-License-Identifier: GPL-2.0-only
/* Reads and writes the turbo-ratio limits: MSR 0x1AD, one per package, also on TPMI parts
 * (hardware.md, sections 2 and 3). Firmware may limit a written value to the ratios of the level,
 * so the check uses these too. */
#include "sst/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "sst/values.h"

#define CHECK_TRIES     5 /* a change can take effect a little later */
#define TRY_DISTANCE_US 1000

static void run_msrs(struct target_io *io, struct target_request *requests, size_t count,
		     bool writes)
{
	struct isst_if_msr_cmd *commands = io->commands;
	int err;

	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_if_msr_cmd){
			.read_write = writes,
			.logical_cpu = requests[i].target->cpu,
			.msr = requests[i].target->index,
			.data = writes ? requests[i].value.number : 0,
		};
	err = channel_send(&io->channel, ISST_IF_MSR_COMMAND, commands, io->errors, count);
	for (size_t i = 0; i < count; i++) {
		requests[i].error = err ?: io->errors[i];
		if (!writes && !requests[i].error)
			requests[i].value = (struct target_value){ .number = commands[i].data };
	}
}

static char *format_limits(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return text_format("0x%" PRIx64, value->number);
}

static char *format_place(const struct write_target *target, const struct target_value *value)
{
	(void)value;
	return text_format("cpu-%u msr 0x%x", target->cpu, target->index);
}

uint64_t limits_find_lower(uint64_t left, uint64_t right)
{
	uint64_t lower = 0;

	for (unsigned int bucket = 0; bucket < SST_BUCKETS; bucket++) {
		uint64_t a = sst_byte(left, bucket), b = sst_byte(right, bucket);

		lower |= (a < b ? a : b) << 8 * bucket;
	}
	return lower;
}

/* Returns true if the value found shows that the write took effect and firmware limited it. Then no
 * ratio is above the written one, and none is below the level's limit of it. The value before shows
 * a lost write, unless the level limits the written value to it. */
static bool is_limited(uint64_t found, uint64_t written, uint64_t before, uint64_t level_limits)
{
	uint64_t by_level = limits_find_lower(written, level_limits);

	if (limits_find_lower(found, written) != found)
		return false;
	if (!level_limits)
		return found != before;
	return found == by_level ||
	       (found != before && limits_find_lower(by_level, found) == by_level);
}

static int compare_limits(const struct write_target *target, const struct target_value *found,
			  const struct target_value *wanted, const struct target_value *before,
			  char **ret_reason)
{
	uint64_t is = found->number, written = wanted->number, level_limits = target->data;
	bool by_level = level_limits && is == limits_find_lower(written, level_limits), in_force;

	*ret_reason = NULL;
	if (is == written)
		return 0;
	if (!before) {
		*ret_reason = text_format("reads 0x%" PRIx64 ", expected 0x%" PRIx64, is, written);
		return -EIO;
	}
	in_force = is_limited(is, written, before->number, level_limits);
	*ret_reason =
		text_format("0x%" PRIx64 " was written, 0x%" PRIx64 " is in force%s", written, is,
			    !in_force  ? ""
			    : by_level ? ": the level limits it"
				       : ": firmware limits it");
	return in_force ? 0 : -EIO;
}

/* Writes a value. Reads until the MSR differs from before, at most CHECK_TRIES times. */
static int write_and_read(struct target_io *io, const struct write_target *target, uint64_t value,
			  uint64_t before, uint64_t *ret_found)
{
	const struct target_value written = { .number = value };
	struct target_value found = { .number = before };
	int err = target_write(io, target, &written);

	for (int tries = CHECK_TRIES; !err && tries > 0 && found.number == before; tries--) {
		if (tries < CHECK_TRIES)
			wait_us_or_stop(NULL, TRY_DISTANCE_US);
		err = target_read(io, target, &found);
	}
	*ret_found = found.number;
	return err;
}

/* Confirms that firmware limits values: a value with one ratio below the limit does not change. */
static int confirm_limits(struct target_io *io, const struct write_target *target,
			  const struct target_value *wanted, struct target_value *found,
			  char **ret_reason)
{
	uint64_t limited = found->number, probe = limited;
	int err;

	*ret_reason = NULL;
	for (unsigned int bucket = 0; bucket < SST_BUCKETS && probe == limited; bucket++)
		probe -= sst_byte(limited, bucket) ? UINT64_C(1) << 8 * bucket : 0;
	err = write_and_read(io, target, probe, limited, &found->number);
	if (!err && found->number != probe) {
		*ret_reason = text_format(
			"0x%" PRIx64 " was written, 0x%" PRIx64 " is in force; after a write of "
			"0x%" PRIx64 " the register has 0x%" PRIx64 ": writes are lost or altered",
			wanted->number, limited, probe, found->number);
		return -EIO;
	}
	if (!err)
		err = write_and_read(io, target, wanted->number, probe, &found->number);
	return err
		       ?: compare_limits(target, found, wanted,
					 &(struct target_value){ .number = probe }, ret_reason);
}

static const struct target_ops msr_ops = {
	.batch = run_msrs,
	.compare = compare_limits,
	.confirm = confirm_limits,
	.format = format_limits,
	.format_place = format_place,
	.error_text = channel_error_text,
	.is_uncertain = value_is_uncertain,
	.needs_driver = true,
	.is_named_by_cpu = true,
};

struct write_target limits_target(uint32_t cpu, uint64_t level_limits)
{
	return (struct write_target){
		.ops = &msr_ops,
		.cpu = cpu,
		.index = SST_MSR_TURBO_RATIO_LIMIT,
		.data = level_limits,
	};
}

bool limits_is_target(const struct write_target *target)
{
	return target->ops == &msr_ops && target->index == SST_MSR_TURBO_RATIO_LIMIT;
}

struct platform_query limits_query(const struct power_domain *domain, uint32_t msr)
{
	struct platform_query query = { .domain = domain, .target = limits_target(domain->cpu, 0) };

	query.target.index = (uint16_t)msr;
	return query;
}

const struct platform_query *limits_find_package(const struct platform_query *reads, size_t count,
						 uint32_t package)
{
	for (size_t i = 0; i < count; i++) {
		if (reads[i].domain->package == package)
			return &reads[i];
	}
	return NULL;
}

int limits_read(const struct platform *platform, struct platform_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		queries[i] = limits_query(queries[i].domain, SST_MSR_TURBO_RATIO_LIMIT);
		queries[i].same = limits_find_package(queries, i, queries[i].domain->package);
	}
	return platform_read(platform, queries, count);
}
