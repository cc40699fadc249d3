// SPDX-License-Identifier: GPL-2.0-only
/* Puts the problems, warnings and notes of a command into words for the output, and makes the exit
 * status from them (commands.md, "Exit status"). */
#include "output/report.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct report_entry {
	enum report_kind kind;
	char *text; /* with the location and the cause */
};

enum status status_from_errno(int err)
{
	if (err == -ENOTSUP)
		return STATUS_UNSUPPORTED;
	return err == -EACCES || err == -EPERM ? STATUS_NOT_PERMITTED : STATUS_REFUSED;
}

enum report_kind report_kind_of(int err)
{
	if (err == -EACCES || err == -EPERM)
		return REPORT_NOT_PERMITTED;
	return err == -ENOTTY || err == -ENODEV ? REPORT_UNSUPPORTED : REPORT_REFUSED;
}

static void put(struct output *output, enum report_kind kind, const char *text)
{
	if (kind == REPORT_NOTE)
		output_note(output, "%s", text);
	else if (kind == REPORT_WARNING)
		output_warning(output, "%s", text);
	else
		output_error(output, "%s", text);
}

void report_add_list(struct report *report, enum report_kind kind, const char *place,
		     const char *cause, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL, *line = NULL;
	struct report_entry *held;

	report->kinds |= 1U << kind;
	if (!format || (kind == REPORT_NOTE && report->drops_notes))
		return;
	text = text_format_list(format, args);
	if (text)
		line = text_format("%s%s%s%s%s", place ?: "", place ? ": " : "", text,
				   cause ? ": " : "", cause ?: "");
	if (line && !report->is_held) {
		put(report->output, kind, line);
		return;
	}
	held = line ? array_add(&report->held, &report->n_held, sizeof(*held)) : NULL;
	if (held)
		*held = (struct report_entry){ kind, steal(line) };
	else
		report->kinds |= 1U << REPORT_REFUSED;
}

void report_add(struct report *report, enum report_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_add_list(report, kind, NULL, NULL, format, args);
	va_end(args);
}

bool report_has(const struct report *report, enum report_kind kind)
{
	return report->kinds & (1U << kind);
}

bool report_has_problem(const struct report *report)
{
	return report->kinds & ~(1U << REPORT_NOTE | 1U << REPORT_WARNING);
}

void report_add_held(struct report *report, const struct report *other)
{
	for (size_t i = 0; i < other->n_held; i++) {
		if (other->held[i].kind > REPORT_WARNING)
			report_add(report, other->held[i].kind, "%s", other->held[i].text);
	}
}

const char *report_first_problem(const struct report *report)
{
	for (size_t i = 0; i < report->n_held; i++) {
		if (report->held[i].kind > REPORT_WARNING)
			return report->held[i].text;
	}
	return NULL;
}

enum status report_status(const struct report *report)
{
	bool is_unsupported = report_has(report, REPORT_UNSUPPORTED);
	bool is_not_permitted = report_has(report, REPORT_NOT_PERMITTED);

	if (report_has(report, REPORT_USAGE))
		return STATUS_USAGE;
	if (report_has(report, REPORT_REFUSED))
		return STATUS_REFUSED;
	if (report->n_results && (is_unsupported || is_not_permitted))
		return STATUS_REFUSED;
	if (is_not_permitted)
		return STATUS_NOT_PERMITTED;
	if (is_unsupported)
		return STATUS_UNSUPPORTED;
	return report->has_differences ? STATUS_DIFFERS : STATUS_DONE;
}

void report_release(struct report *report, bool show)
{
	report->is_held = false;
	for (size_t i = 0; i < report->n_held && show; i++)
		put(report->output, report->held[i].kind, report->held[i].text);
	report_done(report);
}

void report_done(struct report *report)
{
	for (size_t i = 0; i < report->n_held; i++)
		free(report->held[i].text);
	free(report->held);
	*report = (struct report){ .output = report->output, .is_held = report->is_held };
}
