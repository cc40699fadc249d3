/* SPDX-License-Identifier: GPL-2.0-only */
/* Becoming the only process that sets the machine: the capability, the lock, and what an earlier
 * holder of it left (commands.md, "Safety of every setting command"; journal.md, "Recovery").
 * Problems are reported. */
#ifndef RUN_WRITER_H
#define RUN_WRITER_H

#include "host/run_directory.h"
#include "run/context.h"

/* Begins to set: checks the capability, takes the lock, and undoes what an earlier command left
 * half done. Returns STATUS_DONE with the lock (NULL: the run directory is not ours to write to);
 * or the status that the command ends with. */
enum status writer_begin(struct context *context, struct lock **ret_lock);

/* Takes the lock alone. Returns as above. */
enum status writer_take_lock(struct context *context, struct lock **ret_lock);

/* With the lock: undoes the last transaction if it has not ended, of this process too. Returns
 * STATUS_DONE, also if there is none, or STATUS_REFUSED. */
enum status writer_recover(struct context *context);

/* For a command that only reads: notes what others are changing, or left half done. A dry run of a
 * setting command then reads the machine as it will be when that is undone; if that is unknown, a
 * problem is reported. */
void writer_note_others(struct context *context);

/* In a dry run: is all known that was read of that state? If not, reports that once, so that no
 * plan is shown. */
bool writer_knows_state(struct context *context);

/* The program was asked to stop before it carried anything out, or between two stages: reports
 * that, and returns STATUS_REFUSED. */
enum status writer_end_stopped(struct context *context, bool has_written);

#endif
