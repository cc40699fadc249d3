// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files are written one value at a time, and only where they hold another one; what their errors
 * stand for is a table (sysfs.md, all of it).
 */
#include "plan/file_step.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

/* Does the file hold what it is to hold? */
static bool holds(const struct file_step *step, const char *text)
{
	uint64_t number, wanted;

	if (step->always || step->check == PLAN_CHECK_NONE)
		return false;
	if (step->check == PLAN_CHECK_NUMBER && !number_parse_file(text, &number) &&
	    !number_parse_file(step->text, &wanted))
		return number == wanted;
	return strcmp(text, step->text) == 0 ||
	       (step->other_text && strcmp(text, step->other_text) == 0);
}

int file_step_add(struct plan *plan, struct files *files, const struct file_step *step)
{
	_cleanup_free_ char *text = NULL;
	int err = step->old_text ? 0 : files_read_line(files, step->path, &text);
	const char *old_text = step->old_text ?: text;

	if (err || holds(step, old_text))
		return err;
	return plan_add(
		plan,
		&(struct plan_step){
			.subject = step->subject,
			.what = step->what,
			.write = { .kind = PLAN_FILE, .path = step->path, .text = step->text },
			.old_text = old_text,
			.check = { .kind = step->check,
				   .read = { .text = step->other_text },
				   .tries = step->tries },
		});
}

int file_step_add_later(struct plan *plan, const struct file_step *step)
{
	return plan_add(plan, &(struct plan_step){
				      .subject = step->subject,
				      .what = step->what,
				      .write = { .kind = PLAN_FILE, .path = step->path },
				      .new_text = step->text,
			      });
}

/* A row of causes: of files whose path ends in `end` (NULL: any) and has `part` in it. */
struct row {
	const char *part;
	const char *end;
	int error;
	struct file_cause cause;
};

static const struct row rows[] = {
	{ "/cpufreq/",
	  "/energy_performance_preference",
	  -EBUSY,
	  { -EBUSY, "the kernel keeps it at performance under the performance governor, or the CPU "
		    "went offline" } },
	{ "/cpufreq/", NULL, -EBUSY, { -EBUSY, "the policy is inactive: the CPU went offline" } },
	{ "/cpufreq/", NULL, -ENOENT, { -ENODEV, "the CPU has no such cpufreq policy any more" } },
	{ "/intel_pstate/",
	  "/no_turbo",
	  -EPERM,
	  { -EROFS, "turbo is switched off in BIOS, and the kernel cannot switch it on" } },
	{ "/intel_pstate/", NULL, -EAGAIN, { -EAGAIN, "intel_pstate is off" } },
	{ "/cpufreq/", NULL, -EAGAIN, { -EAGAIN, "intel_pstate is off" } },
	{ "/intel_uncore_frequency/",
	  NULL,
	  -EPERM,
	  { -EROFS, "firmware or BIOS does not let the limit be written" } },
	{ "/intel_uncore_frequency/", NULL, -ENXIO, { -ENXIO, "no CPU of the die is online" } },
	{ "/intel_uncore_frequency/",
	  NULL,
	  -EINVAL,
	  { -EINVAL, "the kernel refuses the value: it is outside of the limits of the whole "
		     "package, or of what the register can hold" } },
	{ "/intel_uncore_frequency/",
	  NULL,
	  -ENODATA,
	  { -EOPNOTSUPP, "this part has no efficiency latency control" } },
	{ "/intel_uncore_frequency/",
	  NULL,
	  -EOPNOTSUPP,
	  { -EOPNOTSUPP, "this part has no efficiency latency control" } },
	{ "/umwait_control/",
	  "/max_time",
	  -EINVAL,
	  { -EINVAL, "the kernel takes multiples of 4 only" } },
};

static bool ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), end_length = strlen(end);

	return length >= end_length && strcmp(path + length - end_length, end) == 0;
}

struct file_cause file_step_cause(const char *path, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		if (row->error == error && strstr(path, row->part) &&
		    (!row->end || ends_in(path, row->end)))
			return row->cause;
	}
	return (struct file_cause){ .error = error };
}
