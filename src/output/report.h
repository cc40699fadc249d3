/* SPDX-License-Identifier: GPL-2.0-only */
/* The problems, warnings and notes of a command, in one list. The exit status is computed from it
 * (commands.md, "Exit status"). */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include <stdarg.h>

#include "output/output.h"

enum status {
	STATUS_DONE = 0,
	STATUS_REFUSED = 1, /* the hardware or the kernel refused all or a part */
	STATUS_USAGE = 2,
	STATUS_UNSUPPORTED = 3, /* this machine or level lacks it, or no driver is loaded */
	STATUS_NOT_PERMITTED = 4,
	STATUS_BUSY = 5, /* another instance is setting the machine */
	STATUS_DIFFERS = 6 /* all was read, and a check found a difference */
};

/* Returns the status for a negative errno from opening a machine or writing results. */
enum status status_from_errno(int err);

/* Notes and warnings are not problems. */
enum report_kind {
	REPORT_NOTE,
	REPORT_WARNING,
	REPORT_REFUSED, /* the hardware, the kernel or this program refuses */
	REPORT_NOT_PERMITTED,
	REPORT_UNSUPPORTED, /* the machine or the level lacks it */
	REPORT_USAGE /* a mistake in the command line */
};

/* output.md puts a message among the results at the point where it was found. So an entry is put
 * into the output at once. Entries of a trial run are held until it is known whether that fails. */
struct report {
	struct output *output;
	unsigned int kinds; /* of the entries so far: a bit for each enum report_kind */
	size_t n_results; /* targets whose results are shown */
	bool has_differences; /* a check found differences */
	bool drops_notes; /* notes were shown before */
	bool is_held;
	struct report_entry *held;
	size_t n_held;
};

/* Adds an entry "place: text: cause"; place and cause may be NULL. An entry without a format only
 * counts for the status. An entry that is lost for lack of memory counts as refused. */
void report_add_list(struct report *report, enum report_kind kind, const char *place,
		     const char *cause, const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));
void report_add(struct report *report, enum report_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the kind of problem for a negative errno of the platform or of a file. */
enum report_kind report_kind_of(int err);

/* Is there an entry of this kind? */
bool report_has(const struct report *report, enum report_kind kind);

/* Is there a problem of any kind? Then nothing may be written. */
bool report_has_problem(const struct report *report);

/* Adds the problems, but not the notes and warnings, that another report holds. */
void report_add_held(struct report *report, const struct report *other);

/* Returns the text of the first problem that is held, or NULL. */
const char *report_first_problem(const struct report *report);

/* Computes the exit status: a problem beside a result, or a refusal, gives STATUS_REFUSED. */
enum status report_status(const struct report *report);

/* Ends a trial run: shows the entries or not, and empties the report. */
void report_release(struct report *report, bool show);

/* Frees the entries and empties the report. */
void report_done(struct report *report);

#endif
