/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds in the change journal what was written to the turbo-ratio-limit MSR of each package in this
 * boot, and what was read afterwards. Firmware may limit a written value, so a value in force is
 * recognized only by the written one. Kernels before 6.16 write an old value again when CPUs come
 * online (hardware.md, section 2). */
#ifndef SST_TRL_NOTE_H
#define SST_TRL_NOTE_H

#include <stdint.h>

#include "host/files.h"

/* Finds the last value written to the MSR of a package in this boot, also by an undo, and the value
 * read back (the written one if that is unknown). Returns 0; -ENOENT if no write is known; or an
 * error of journal_reader_open() or journal_reader_next(). */
int trl_note_read(struct files *files, const char *run_directory, uint32_t package,
		  uint64_t *ret_written, uint64_t *ret_read_back);

#endif
