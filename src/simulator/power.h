/* SPDX-License-Identifier: GPL-2.0-only */
/* The power zones of a simulated machine, and what their limits become when they are written
 * (docs/spec/power.md). */
#ifndef SIMULATOR_POWER_H
#define SIMULATOR_POWER_H

#include "simulator/state.h"

/* Makes the zones that a platform file describes: those of the packages, with DRAM if it has
 * limits; that of the platform, which is registered after package 0; and those of MMIO. Returns
 * whether there was memory. */
bool sim_power_make(struct sim_platform *platform);

/* The same for a recording. */
bool sim_power_fill(struct sim_platform *platform);

/* The limit that a register holds after it was given one, in uW: a multiple of the unit. */
uint64_t sim_power_round_uw(const struct sim_platform *platform, uint64_t uw);

/* The window that it holds, in us: (1 + f / 4) * 2^y units, rounded down. */
uint32_t sim_power_round_us(const struct sim_platform *platform, uint64_t us);

/* The power limit of a package in mW, by the enabled long-term limits of all its zones: those of
 * dies together. 0: none is known. */
uint32_t sim_power_limit_mw(const struct sim_state *state, uint32_t package);

/* The level of a power domain of a package, which now has this TDP, is another one: firmware makes
 * it the long-term limit, if it does so on the platform. */
void sim_power_follow_level(struct sim_state *state, uint32_t package, uint32_t tdp_mw);

/* Is the management controller's cap below that limit and the TDP (in mW, 0: unknown)? */
bool sim_power_is_capped(const struct sim_state *state, uint32_t package, uint32_t tdp_mw);

#endif
