/* SPDX-License-Identifier: GPL-2.0-only */
/* How the state file is laid out, and whether a file is one for this platform. */
#ifndef SIMULATOR_STATE_LAYOUT_H
#define SIMULATOR_STATE_LAYOUT_H

#include "simulator/state.h"

/* Offsets of the sections, in bytes from the start of the file, and the size of it all. */
struct state_layout {
	size_t machine;
	size_t punits;
	size_t packages;
	size_t cpus;
	size_t uncore;
	size_t fault_counts;
	size_t size;
};

/* Where each part of the state of such a machine is, and the size of all. */
struct state_layout state_layout_compute(const struct sim_platform *platform);

/* Points the sections of state into state->map. */
void state_layout_apply(const struct state_layout *layout, struct sim_state *state);

/* Writes the header of a new file at the start of its map. */
void state_layout_write_header(const struct sim_platform *platform, void *map);

/*
 * Judges an open state file before it is mapped. Returns 0; or, with *ret_problem words for the
 * message: -EPERM (others may write it), -EINVAL (truncated, no state file, of another version of
 * this program or of another platform text), or the negative errno of a failed read.
 */
int state_layout_check_file(const struct sim_platform *platform, int fd, const char **ret_problem);

/*
 * Judges the values in a mapped file that are used as indices, so that no damage to them leads
 * outside. Takes the lock. Returns 0; or -EINVAL or the negative errno of flock(), with
 * *ret_problem.
 */
int state_layout_check_content(struct sim_state *state, const char **ret_problem);

#endif
