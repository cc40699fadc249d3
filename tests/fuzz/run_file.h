/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of the run directory with the input in it, and kernel files of a small machine. */
#ifndef FUZZ_RUN_FILE_H
#define FUZZ_RUN_FILE_H

#include "fuzz.h"
#include "host/files.h"

/* The boot that the files are of, and that the kernel files tell. */
#define RUN_FILE_BOOT "0b007000-0000-4000-8000-000000000001"

/* Writes the file of that name; returns its directory, good for the process's life. */
const char *fuzz_run_file(const char *name, const uint8_t *data, size_t size);

/* Kernel files that tell the boot id, and nothing else. */
struct files *fuzz_run_files(void);

#endif
