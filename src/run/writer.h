/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes this process the only one that sets the machine: checks the capability, takes the lock, and
 * undoes what the last holder left (commands.md, "Safety of every setting command"; journal.md,
 * "Recovery"). Reports problems. */
#ifndef RUN_WRITER_H
#define RUN_WRITER_H

#include "host/run_directory.h"
#include "run/context.h"

/* Begins setting: checks the capability, takes the lock, and undoes what an earlier command left
 * half done. Returns STATUS_DONE with the lock (NULL: this user may not write to the run
 * directory); or the status with which the command ends. */
enum status writer_begin(struct context *context, struct lock **ret_lock);

/* Only takes the lock. Returns as writer_begin(). */
enum status writer_take_lock(struct context *context, struct lock **ret_lock);

/* Undoes the last transaction if it has not ended, also one of this process. Needs the lock.
 * Returns STATUS_DONE, also if there is none, or STATUS_REFUSED. */
enum status writer_recover(struct context *context);

/* For a command that only reads: notes changes that others are making, or left half done. A dry run
 * of a setting command then reads the machine in the state after these are undone; if that state is
 * unknown, a problem is reported. */
void writer_note_others(struct context *context);

/* Returns false if a dry run has read something that is unknown in the state after undoing. Reports
 * this once, so that no plan is shown. */
bool writer_knows_state(struct context *context);

/* Reports that a stop was requested before anything was carried out, or between two stages. Returns
 * STATUS_REFUSED. */
enum status writer_end_stopped(struct context *context, bool has_written);

#endif
