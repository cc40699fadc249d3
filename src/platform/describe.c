// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words for what a run did not do (commands.md, "Safety of every setting command"): the place, what
 * was to be set, and the cause: what was found instead, or what the errno means where it was.
 */
#include "platform/describe.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/file_step.h"
#include "plan/hotplug.h"
#include "plan/subject.h"

static bool is_file(const struct plan_step *step)
{
	return step->write.kind == PLAN_FILE || step->write.kind == PLAN_MAKE_DIRECTORY ||
	       step->write.kind == PLAN_REMOVE_DIRECTORY;
}

/* Is it a CPU that the kernel was to take online or offline? */
static bool is_hotplug(const struct plan_step *step)
{
	const char *name = step->write.kind == PLAN_FILE ? strrchr(step->write.path, '/') : NULL;

	return name && strcmp(name, "/online") == 0;
}

static struct platform_cause describe_file(const struct plan_step *step, int error)
{
	struct file_cause cause = file_step_cause(step->write.path, error);

	return (struct platform_cause){
		.error = cause.error,
		.text = cause.text ?: strerror(-error),
	};
}

struct platform_cause describe_cause(struct platform *platform, const struct plan_step *step,
				     const struct run_failure *failure)
{
	struct platform_cause cause = { .error = failure->error, .text = failure->reason };

	if (cause.text)
		return cause;
	if (is_hotplug(step))
		cause.text = hotplug_error_text(failure->error);
	else if (is_file(step))
		cause = describe_file(step, failure->error);
	else
		cause = platform_find_cause(platform, &step->write, failure->error);
	cause.text = cause.text ?: channel_error_text(failure->error);
	return cause;
}

char *describe_step(const struct plan_step *step)
{
	const struct plan_subject *subject = &step->subject;
	_cleanup_free_ char *place = subject_name_place(subject), *cpu = NULL;
	bool has_place = place && *place, has_cpu = subject->cpu != PLAN_NO_CPU;
	char *name;

	if (has_cpu && asprintf(&cpu, "%scpu-%" PRIu32, has_place ? " " : "", subject->cpu) < 0)
		cpu = NULL;
	if (asprintf(&name, "%s%s%s%s", place ?: "", cpu ?: "", has_place || has_cpu ? ": " : "",
		     step->what) < 0)
		return NULL;
	return name;
}
