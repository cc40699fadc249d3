// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the problems, warnings and notes of a command in one list, puts them into words for the
 * output, and makes the exit status from them (commands.md, "Exit status"). */
#include "run/report.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"

enum status status_from_errno(int err)
{
	switch (err) {
	case -ENOTSUP:
		return STATUS_UNSUPPORTED;
	case -EACCES:
	case -EPERM:
		return STATUS_NOT_PERMITTED;
	}
	return STATUS_REFUSED;
}

enum report_kind report_kind_of(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return REPORT_NOT_PERMITTED;
	case -ENOTTY:
	case -ENODEV:
		return REPORT_UNSUPPORTED;
	}
	return REPORT_REFUSED;
}

static bool is_problem(enum report_kind kind)
{
	return kind != REPORT_NOTE && kind != REPORT_WARNING;
}

static void put(struct output *output, const struct report_entry *entry)
{
	if (!entry->text)
		return;
	if (entry->kind == REPORT_NOTE)
		output_note(output, "%s", entry->text);
	else if (entry->kind == REPORT_WARNING)
		output_warning(output, "%s", entry->text);
	else
		output_error(output, "%s", entry->text);
}

static char *format_entry(const char *place, const char *cause, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));
static char *format_entry(const char *place, const char *cause, const char *format, va_list args)
{
	struct buffer text = { 0 };
	size_t length;

	if (place) {
		buffer_append_string(&text, place);
		buffer_append_string(&text, ": ");
	}
	buffer_append_format(&text, format, args);
	if (cause) {
		buffer_append_string(&text, ": ");
		buffer_append_string(&text, cause);
	}
	return buffer_steal(&text, &length);
}

/* Appends an entry and shows it; takes the text over. */
static void append(struct report *report, struct report_entry entry)
{
	struct report_entry *longer =
		reallocarray(report->list, report->count + 1, sizeof(*report->list));

	if (!report->is_held)
		put(report->output, &entry);
	if (!longer) {
		free(entry.text);
		report->has_lost = true;
		return;
	}
	report->list = longer;
	longer[report->count++] = entry;
}

void report_count(struct report *report, enum report_kind kind)
{
	append(report, (struct report_entry){ .kind = kind });
}

void report_add_list(struct report *report, enum report_kind kind, const char *place,
		     const char *cause, const char *format, va_list args)
{
	struct report_entry entry = {
		.kind = kind,
		.text = format_entry(place, cause, format, args),
	};

	report->has_lost = report->has_lost || !entry.text;
	append(report, entry);
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
	for (size_t i = 0; i < report->count; i++) {
		if (report->list[i].kind == kind)
			return true;
	}
	return false;
}

bool report_has_problem(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (is_problem(report->list[i].kind))
			return true;
	}
	return report->has_lost;
}

enum status report_status(const struct report *report)
{
	bool is_unsupported = report_has(report, REPORT_UNSUPPORTED);
	bool is_not_permitted = report_has(report, REPORT_NOT_PERMITTED);

	if (report_has(report, REPORT_USAGE))
		return STATUS_USAGE;
	if (report_has(report, REPORT_REFUSED) || report->has_lost)
		return STATUS_REFUSED;
	if (report->n_results && (is_unsupported || is_not_permitted))
		return STATUS_REFUSED;
	if (is_not_permitted)
		return STATUS_NOT_PERMITTED;
	return is_unsupported ? STATUS_UNSUPPORTED : STATUS_DONE;
}

void report_release(struct report *report, bool show)
{
	report->is_held = false;
	for (size_t i = 0; i < report->count && show; i++)
		put(report->output, &report->list[i]);
	report_done(report);
}

void report_done(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->list[i].text);
	free(report->list);
	report->list = NULL;
	report->count = 0;
	report->n_results = 0;
	report->has_lost = false;
}
