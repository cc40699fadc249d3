/* SPDX-License-Identifier: GPL-2.0-only */
/* What intel_pstate has for the whole machine: its mode, and its limits in percent (sysfs.md,
 * "intel_pstate"). */
#ifndef SETTINGS_PSTATE_H
#define SETTINGS_PSTATE_H

#include "settings/settings.h"

/* Plans requests for the mode (value.text). A change of mode makes the kernel reset turbo, the
 * limits in percent, HWP boost, and governor, preference and frequency limits of every CPU: undoing
 * it writes all of them again, for the CPUs that are online now. Each has as error what reading
 * failed with. Returns 0 or -ENOMEM. */
int pstate_plan_mode(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count);

/* The change of mode in a list; NULL: there is none. */
const struct change *pstate_find_change(const struct change_list *changes);

/* Does the list have a change that is not made yet? After it, values can be read as usual. */
bool pstate_is_pending(const struct machine *machine, const struct change_list *changes);

/* Notes on the last change, of a governor, that it changes the energy preference, too: that is kept
 * at performance under the performance governor of active mode, and comes back with another one.
 * What is read failing counts as no preference. Returns 0 or -ENOMEM. */
int pstate_note_preference(const struct setting_environment *environment,
			   const struct setting_request *request);

/* Plans requests for the limits in percent (value.number), in an order that keeps the lower limit
 * at or below the upper one. Requests have the same member always. Returns 0 or -ENOMEM. */
int pstate_plan_percents(const struct setting_environment *environment,
			 struct setting_request *requests, size_t count);

#endif
