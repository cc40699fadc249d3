/* SPDX-License-Identifier: GPL-2.0-only */
/* The members `sst` and `io_sst` of a platform file. */
#ifndef SIMULATOR_PLATFORM_FILE_SST_H
#define SIMULATOR_PLATFORM_FILE_SST_H

#include "simulator/member.h"
#include "simulator/platform_file.h"

/*
 * Reads `sst` (or with io, `io_sst`), which is not null, into the fuses and the initial state of
 * every compute (IO) domain. All else of platform is known by then. What is wrong stays in the
 * member's reader.
 */
void platform_file_sst_read(const struct member *sst, struct sim_platform *platform, bool io);

#endif
