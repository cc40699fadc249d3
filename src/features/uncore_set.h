/* SPDX-License-Identifier: GPL-2.0-only */
/* uncore set, its arguments, and which dies and power domains a command is about. */
#ifndef FEATURES_UNCORE_SET_H
#define FEATURES_UNCORE_SET_H

#include "cli/context.h"
#include "cli/option.h"
#include "machine/uncore.h"

/* Which of a machine's units a command acts on. */
struct uncore_choice {
	struct option_number package;
	struct option_number domain; /* the power domain, or the die */
};

struct uncore_set_arguments {
	struct option_number min_mhz;
	struct option_number max_mhz;
	struct option_number elc_low_percent;
	struct option_number elc_high_percent;
	struct option_word elc_high;
	struct option_number elc_floor_mhz;
	struct option_number package;
	struct option_number domain;
};

/*
 * Reads the units that are chosen: of the packages (and, where they are dies, of the dies) of the
 * CPUs of --cpu, of one package, of one power domain or die. What the machine lacks becomes an
 * error in the output, with no units. Returns 0 or -ENOMEM.
 */
int uncore_choose_units(struct context *context, const struct uncore_choice *choice,
			struct uncore_units *ret_units);

/* Where a unit belongs in the output. */
struct output_place uncore_place_unit(const struct uncore_unit *unit);

/* Handler, as struct command describes it. */
int uncore_set(struct context *context, const void *arguments);

#endif
