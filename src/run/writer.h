/* SPDX-License-Identifier: GPL-2.0-only */
/* Becoming the only process that sets the machine: the capability, the lock, and what an earlier
 * holder of it left (commands.md, "Safety of every setting command"; measure.md, "Borrowed
 * settings"). Problems are reported. */
#ifndef RUN_WRITER_H
#define RUN_WRITER_H

#include "host/run_directory.h"
#include "run/context.h"

/* Begins to set: checks the capability, takes the lock, notes that an earlier command was
 * interrupted while it was writing, and puts back what an interrupted measurement has borrowed.
 * Returns STATUS_DONE with the lock (NULL: the run directory is not ours to write to); or the
 * status that the command ends with. */
enum status writer_begin(struct context *context, struct lock **ret_lock);

/* Takes the lock alone. Returns as above. */
enum status writer_take_lock(struct context *context, struct lock **ret_lock);

/* For a command that only reads: notes what others left unfinished, or have borrowed. */
void writer_note_others(struct context *context);

/* Reports what became of borrowed settings (struct borrowed_outcome); err as borrowed_end(). */
struct borrowed_outcome;
void writer_report_borrowed(struct context *context, const struct borrowed_outcome *outcome,
			    int err);

/* The program was asked to stop before it carried anything out, or between two stages: reports
 * that, and returns STATUS_REFUSED. */
enum status writer_end_stopped(struct context *context, bool has_written);

#endif
