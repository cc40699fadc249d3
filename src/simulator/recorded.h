/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the model of a recorded machine from the answers of its driver and from its files. A figure
 * that is not recorded is 0 or the simulator's default. */
#ifndef SIMULATOR_RECORDED_H
#define SIMULATOR_RECORDED_H

#include "simulator/platform_file.h"
#include "simulator/recording.h"

/* Fills a platform that has only a recording, before recording_place(). Refuses a recording that no
 * machine can have. */
void recorded_fill(struct json_reader *reader, struct sim_platform *platform);

/* Finds packages, power domains and CPUs, calls recording_place(), and fills Speed Select
 * (recorded_places.c). The interface must be known. */
void recorded_find_places(struct json_reader *reader, struct sim_platform *platform);

/* Fills MSRs and Speed Select, and adds the cores that levels name (recorded_sst.c). To be called
 * after recording_place(). */
void recorded_fill_sst(struct json_reader *reader, struct sim_platform *platform);

#endif
