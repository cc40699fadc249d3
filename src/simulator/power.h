/* SPDX-License-Identifier: GPL-2.0-only */
/* The power zones of a simulated machine, and how they round the limits that are written
 * (docs/spec/power.md). */
#ifndef SIMULATOR_POWER_H
#define SIMULATOR_POWER_H

#include "simulator/state.h"

/* Makes the zones that a platform file describes: packages, with DRAM if it has limits; the
 * platform, which is registered after package 0; and MMIO. Returns false without memory. */
bool sim_power_make(struct sim_platform *platform);

/* Makes the zones of a recording. Returns false without memory. */
bool sim_power_fill(struct sim_platform *platform);

/* Rounds a limit in uW to a value that the register can hold: a multiple of the unit. */
uint64_t sim_power_round_uw(const struct sim_platform *platform, uint64_t uw);

/* Rounds a window in us down to a value that the register can hold: (1 + f / 4) * 2^y units. */
uint32_t sim_power_round_us(const struct sim_platform *platform, uint64_t us);

/* Returns the power limit of a package in mW: the sum of the enabled long-term limits of its zones
 * (a zone for each die), or the limit of MMIO if that is lower. 0: unknown. */
uint32_t sim_power_limit_mw(const struct sim_state *state, uint32_t package);

/* Handles a new level of a power domain. If the platform follows the level, firmware sets the
 * long-term limit of the package to the new TDP, tdp_mw. */
void sim_power_follow_level(struct sim_state *state, uint32_t package, uint32_t tdp_mw);

/* Returns true if the management controller's cap is below sim_power_limit_mw() and the TDP (in mW,
 * 0: unknown). */
bool sim_power_is_capped(const struct sim_state *state, uint32_t package, uint32_t tdp_mw);

#endif
