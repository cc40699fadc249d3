/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of intel_pstate for the complete machine: its mode, and its limits in percent (sysfs.md,
 * "intel_pstate"). */
#ifndef SETTINGS_PSTATE_H
#define SETTINGS_PSTATE_H

#include "settings/settings.h"

/* Plans requests for the mode (value.text). A change of mode makes the kernel reset turbo, the
 * limits in percent, HWP boost, and governor, preference and frequency limits of every CPU. Undoing
 * the change writes all of them again, for the CPUs that are online now. If reading fails, each
 * request has the error. Returns 0 or -ENOMEM. */
int pstate_plan_mode(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count);

/* The change of mode in a list; NULL: there is none. */
const struct change *pstate_find_change(const struct change_list *changes);

/* Returns true if the list has a change of mode that is not made yet. After the change, values can
 * be read as usual. */
bool pstate_is_pending(const struct machine *machine, const struct change_list *changes);

/* The last change sets a governor. Adds a note to it that the energy preference changes, too: in
 * active mode, the performance governor keeps the preference at performance, and another governor
 * restores it. An unreadable preference is ignored. Returns 0 or -ENOMEM. */
int pstate_note_preference(const struct setting_environment *environment,
			   const struct setting_request *request);

/* Plans requests for the limits in percent (value.number), in an order that keeps the lower limit
 * at or below the upper one. always must be the same in all requests. Returns 0 or -ENOMEM. */
int pstate_plan_percents(const struct setting_environment *environment,
			 struct setting_request *requests, size_t count);

#endif
