/* SPDX-License-Identifier: GPL-2.0-only */
/* The model of a recorded machine, made of what its driver answered and its files had. A figure
 * that is not recorded is 0 or what the simulator has for every machine. */
#ifndef SIMULATOR_RECORDED_H
#define SIMULATOR_RECORDED_H

#include "simulator/platform_file.h"
#include "simulator/recording.h"

/* Fills all of a platform that has nothing but a recording, which is not placed yet. A recording of
 * what cannot be a machine is refused. */
void recorded_fill(struct json_reader *reader, struct sim_platform *platform);

/* Finds packages, power domains and CPUs, places the requests, and fills Speed Select
 * (recorded_places.c). The interface is known. */
void recorded_find_places(struct json_reader *reader, struct sim_platform *platform);

/* Fills MSRs and Speed Select, and adds the cores that levels name (recorded_sst.c). The requests
 * are placed. */
void recorded_fill_sst(struct json_reader *reader, struct sim_platform *platform);

#endif
