/* SPDX-License-Identifier: GPL-2.0-only */
/* What was written to the turbo-ratio-limit MSR of each package in this boot, and what it read
 * afterwards: trl.json in the run directory. Firmware may limit what is written, so that a value in
 * force is recognized only by what was written; and kernels before 6.16 write an old value again
 * when CPUs come online (hardware.md, section 2). */
#ifndef SST_TRL_NOTE_H
#define SST_TRL_NOTE_H

#include <stdint.h>

#include "change/transaction.h"

/* Returns 0 with what was written to the MSR of a package in this boot and what was read back (what
 * was written if that is not known); -ENOENT if no write is noted; or as run_file_read(). */
int trl_note_read(struct files *files, const char *run_directory, uint32_t package,
		  uint64_t *ret_written, uint64_t *ret_read_back);

/* Notes a write. Needs the lock. Notes that cannot be read, or are of another boot, are dropped.
 * Returns as run_file_write(). */
int trl_note_write(struct files *files, const char *run_directory, uint32_t package,
		   uint64_t written, uint64_t read_back);

/* Notes the writes of a transaction that is over; nothing if it wrote to no such MSR. After one
 * that was undone the note of an earlier write is kept if the MSR reads as after that write; else
 * the restored value counts as written. Needs the lock. Returns as trl_note_write(). */
int trl_note_update(struct files *files, const char *run_directory,
		    const struct change_list *changes, const struct transaction_outcome *outcome);

#endif
