// SPDX-License-Identifier: GPL-2.0-only
/* Writes kernel files one value at a time and reads them back, and makes and removes directories. A
 * table gives the meaning of the kernel's errors for each file (sysfs.md). */
#include "host/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/powercap.h"

static int run_file(struct target_io *io, const struct write_target *target,
		    struct target_value *value, bool writes)
{
	char *text;
	int err;

	if (writes) /* a change without a text is only for display */
		return value->text ? files_write(io->files, target->path, value->text) : -EINVAL;
	err = files_read_line(io->files, target->path, &text);
	if (!err)
		*value = (struct target_value){ .text = text };
	return err;
}

/* Formats a value of a power-limit file for users. Returns a new text; NULL: no memory. */
static char *format_power(const struct write_target *target, uint64_t number)
{
	char text[NUMBER_MHZ_SIZE];

	if (target->data == FILE_LOCKED_NUMBER)
		return text_format("%" PRIu64, number);
	number_format_mhz((uint32_t)(target->data == FILE_POWER_WINDOW ? number : uw_to_mw(number)),
			  text);
	return text_format("%s %s", text, target->data == FILE_POWER_WINDOW ? "ms" : "W");
}

/* Compares a number that BIOS may lock and hardware may round. before: see struct target_ops. */
static int compare_locked(const struct write_target *target, const char *found, const char *wanted,
			  const struct target_value *before, char **ret_reason)
{
	_cleanup_free_ char *text = NULL;
	uint64_t number, expected;

	if (number_parse_file(found, &number) || number_parse_file(wanted, &expected)) {
		*ret_reason = text_format("reads \"%s\"", found);
		return -EIO;
	}
	if (number == expected)
		return 0;
	text = format_power(target, number);
	if (before && target->data != FILE_LOCKED_NUMBER &&
	    (target->data == FILE_POWER_WINDOW ? power_window_is_rounded(number, expected)
					       : power_limit_is_rounded(number, expected))) {
		*ret_reason = text_format("the hardware rounds it to %s", text ?: found);
		return *ret_reason ? 0 : -ENOMEM;
	}
	*ret_reason = text_format(before && strcmp(found, before->text) == 0
					  ? "locked by BIOS: it still reads %s"
					  : "the kernel made it %s",
				  text ?: found);
	return -EIO;
}

static int compare_file(const struct write_target *target, const struct target_value *found,
			const struct target_value *wanted, const struct target_value *before,
			char **ret_reason)
{
	size_t length = strlen(wanted->text);
	uint64_t number, expected;

	(void)before;
	*ret_reason = NULL;
	if (target->data >= FILE_LOCKED_NUMBER)
		return compare_locked(target, found->text, wanted->text, before, ret_reason);
	if (target->data == FILE_NUMBER && !number_parse_file(wanted->text, &expected)) {
		if (number_parse_file(found->text, &number))
			*ret_reason = text_format("reads \"%s\"", found->text);
		else if (number == expected)
			return 0;
		else
			*ret_reason = text_format("the kernel made it %" PRIu64, number);
		return -EIO;
	}
	while (length > 0 && strchr(" \t\n", wanted->text[length - 1]))
		length--;
	if (strlen(found->text) == length && strncmp(found->text, wanted->text, length) == 0)
		return 0;
	*ret_reason = strdup(*found->text ? found->text : "it is empty");
	return -EIO;
}

static char *format_text(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return strdup(value->text ?: "");
}

static char *format_path(const struct write_target *target, const struct target_value *value)
{
	(void)value;
	return strdup(target->path);
}

static struct target_cause find_cause(const struct write_target *target,
				      const struct target_value *value, int error,
				      struct host *host, const struct channel *channel)
{
	(void)value;
	(void)host;
	(void)channel;
	return file_target_cause(target->path, error);
}

static const struct target_ops file_ops = {
	.run = run_file,
	.compare = compare_file,
	.format = format_text,
	.format_place = format_path,
	.find_cause = find_cause,
};

struct write_target file_target(const char *path, enum file_content content)
{
	return (struct write_target){
		.ops = &file_ops,
		.path = path,
		.data = content,
		.is_not_read_back = content == FILE_ANY,
	};
}

/* Only writes: a directory is not read back. */
static int run_directory(struct target_io *io, const struct write_target *target,
			 struct target_value *value, bool writes)
{
	(void)writes;
	return files_change_directory(io->files, target->path, value->number);
}

static char *format_directory(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return strdup(value->number ? "present" : "absent");
}

static char *format_directory_place(const struct write_target *target,
				    const struct target_value *value)
{
	return text_format("%s %s", value->number ? "mkdir" : "rmdir", target->path);
}

static bool has_directory_value(const struct target_value *value, int error)
{
	return error == (value->number ? -EEXIST : -ENOENT);
}

static const struct target_ops directory_ops = {
	.run = run_directory,
	.format = format_directory,
	.format_place = format_directory_place,
	.find_cause = find_cause,
	.has_value = has_directory_value,
};

struct write_target directory_target(const char *path)
{
	return (struct write_target){
		.ops = &directory_ops,
		.path = path,
		.is_not_read_back = true,
	};
}

bool target_is_directory(const struct write_target *target)
{
	return target->ops == &directory_ops;
}

#define LOCKED "locked by BIOS"

/* A cause of an error of files whose path ends in `end` (NULL: any end) and contains `part`. */
struct row {
	const char *part;
	const char *end;
	int error;
	int cause;
	const char *text;
};

static const struct row rows[] = {
	{ POWERCAP "/", NULL, -EACCES, -EROFS, LOCKED },
	{ POWERCAP "/", NULL, -EIO, -EROFS, LOCKED },
	{ POWERCAP "/", NULL, -ENODATA, -EROFS, LOCKED },
	{ POWERCAP "/", "/enabled", -ENOSYS, -EROFS, LOCKED },
	{ "/cpu/cpu", "/online", -EBUSY, -EBUSY,
	  "the kernel reports that it is busy: the last CPU of an isolated partition, one with "
	  "deadline tasks, or one with an interrupt that cannot move" },
	{ "/cpu/cpu", "/online", -EPERM, -EPERM,
	  "the kernel does not permit it, as it does not for second threads of cores "
	  "while SMT is off (smt/control)" },
	{ "/cpu/cpu", "/online", -EINVAL, -EINVAL, "the kernel refuses it" },
	{ "/cpu/cpu", "/online", -ENOENT, -ENOENT, "the kernel has no file to switch it by" },
	{ "/cpufreq/", "/energy_performance_preference", -EBUSY, -EBUSY,
	  "the kernel keeps it at performance under the performance governor, or the CPU "
	  "went offline" },
	{ "/cpufreq/", "/scaling_governor", -EINVAL, -EINVAL,
	  "the kernel has no such governor, or not in this mode of intel_pstate" },
	{ "/cpufreq/", NULL, -EBUSY, -EBUSY, "the policy is inactive: the CPU went offline" },
	{ "/cpufreq/", NULL, -ENOENT, -ENODEV, "the CPU has no such cpufreq policy any more" },
	{ "/intel_pstate/", "/no_turbo", -EPERM, -EROFS,
	  "turbo is switched off in BIOS, and the kernel cannot switch it on" },
	{ "/intel_pstate/", "/hwp_dynamic_boost", -ENOENT, -ENOENT,
	  "intel_pstate has it only in active mode, with HWP" },
	{ "/intel_pstate/", NULL, -EAGAIN, -EAGAIN, "intel_pstate is off" },
	{ "/cpufreq/", NULL, -EAGAIN, -EAGAIN, "intel_pstate is off" },
	{ "/intel_uncore_frequency/", NULL, -EPERM, -EROFS,
	  "firmware or BIOS does not let the limit be written" },
	{ "/intel_uncore_frequency/", NULL, -ENXIO, -ENXIO, "no CPU of the die is online" },
	{ "/intel_uncore_frequency/", NULL, -EINVAL, -EINVAL,
	  "the kernel refuses the value: it is outside of the limits of the whole "
	  "package, or of what the register can hold" },
	{ "/intel_uncore_frequency/", NULL, -ENODATA, -EOPNOTSUPP,
	  "this part has no efficiency latency control" },
	{ "/intel_uncore_frequency/", NULL, -EOPNOTSUPP, -EOPNOTSUPP,
	  "this part has no efficiency latency control" },
	{ "/umwait_control/", "/max_time", -EINVAL, -EINVAL,
	  "the kernel accepts only multiples of 4" },
};

struct target_cause file_target_cause(const char *path, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const char *end = row->end ? strrchr(path, '/') : NULL;

		if (row->error == error && strstr(path, row->part) &&
		    (!row->end || (end && strcmp(end, row->end) == 0)))
			return (struct target_cause){ .error = row->cause, .text = row->text };
	}
	return (struct target_cause){ .error = error };
}
