// SPDX-License-Identifier: GPL-2.0-only
/* What the follower tells as it happens: each line names its power domain (commands.md, "Daemon").
 */
#include "daemon/talk.h"

#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/wait.h"
#include "plan/subject.h"
#include "platform/describe.h"

#define US_PER_S 1000000

void talk(const struct follower_options *options, enum follower_weight weight, const char *format,
	  ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text && options->repeats &&
	    !repeats_is_due(options->repeats, text, wait_now_us() / US_PER_S))
		return;
	options->say(options->data, weight, text ?: "out of memory");
}

void talk_of(const struct follower_options *options, enum follower_weight weight,
	     const struct power_domain *domain, const char *format, ...)
{
	const struct plan_subject subject = domains_subject(domain);
	_cleanup_free_ char *text = NULL, *place = subject_name_place(&subject);
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	talk(options, weight, "%s: %s", place ?: "a power domain", text ?: "out of memory");
}

/* The CPUs of the domain that are in one set and not in the other, in words. */
static char *list_moved(const struct power_domain *domain, const struct cpuset *in,
			const struct cpuset *not_in)
{
	_cleanup_cpuset_ struct cpuset moved = { 0 };

	if (cpuset_copy(&moved, in))
		return NULL;
	cpuset_remove_all(&moved, not_in);
	cpuset_keep(&moved, &domain->cpus);
	return cpuset_is_empty(&moved) ? strdup("none") : cpuset_format_ranges(&moved);
}

void talk_of_moved(const struct follower_options *options, const struct power_domain *domain,
		   uint32_t level, const struct cpuset *before, const struct cpuset *after)
{
	_cleanup_free_ char *up = list_moved(domain, after, before);
	_cleanup_free_ char *down = list_moved(domain, before, after);

	talk_of(options, FOLLOWER_INFO, domain,
		"performance level %u: CPUs brought online: %s, taken offline: %s", level, up ?: "",
		down ?: "");
}

void talk_of_notes(const struct follower_options *options, struct platform *platform,
		   const struct plan *plan, const struct run_outcome *outcome)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		const struct run_failure *note = &outcome->notes[i];
		const struct plan_step *step = &steps[note->step];
		_cleanup_free_ char *name = describe_step(step);

		talk(options, FOLLOWER_WARNING, "%s: %s; it is tried again later",
		     name ?: step->what, describe_cause(platform, step, note).text);
	}
}

void talk_of_unreadable(const struct follower_options *options, const struct view *view)
{
	for (size_t i = 0; i < view->n_domains; i++) {
		const struct platform_pp_query *query = &view->pp[i];

		if (query->error)
			talk_of(options, FOLLOWER_WARNING, query->domain,
				"its performance level cannot be read: %s; it is tried again later",
				channel_error_text(query->error));
	}
}
