/* SPDX-License-Identifier: GPL-2.0-only */
/* What was written to the turbo-ratio-limit MSR of each package in this boot, and what it read
 * afterwards, from the change journal. Firmware may limit what is written, so that a value in force
 * is recognized only by what was written; and kernels before 6.16 write an old value again when
 * CPUs come online (hardware.md, section 2). */
#ifndef SST_TRL_NOTE_H
#define SST_TRL_NOTE_H

#include <stdint.h>

#include "host/files.h"

/* Returns 0 with what was written last to the MSR of a package in this boot, undoing included, and
 * what was read back (what was written if that is unknown); -ENOENT if no write is known; or as
 * journal_reader_open() and journal_reader_next(). */
int trl_note_read(struct files *files, const char *run_directory, uint32_t package,
		  uint64_t *ret_written, uint64_t *ret_read_back);

#endif
