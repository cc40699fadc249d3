/* SPDX-License-Identifier: GPL-2.0-only */
/* Planning the settings of Speed Select, the same for every generation. */
#ifndef SETTINGS_SST_H
#define SETTINGS_SST_H

#include "settings/request.h"

/* Each plans requests of one setting, as settings_plan() does: reads the present values, for all
 * requests together, and adds the changes that differ. A request whose error is not 0 then, a
 * negative errno of channel.h, could not be read and has no change. All return 0 or -ENOMEM. */

/* The performance level (value.number); undoing restores what a change of level resets. After the
 * last change there is a wait until Linux shows the new base frequencies. Each domain once. Error
 * -EROFS: the level is locked. */
int sst_plan_level(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* SST-BF and SST-TF at the current level (value.on), each of a domain once: both are one change.
 * One without a request stays as it is. */
int sst_plan_feature(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count);

/* SST-CP and CLOS, with that priority type (value.core_power). Each domain once. If the platform
 * shares_clos, the last request of a package sets all its domains, here and for parameters, unless
 * one of them cannot be read, or SST-TF is on in one that no request is for (is_needed). */
int sst_plan_core_power(const struct setting_environment *environment,
			struct setting_request *requests, size_t count);

/* The parameters of a CLOS (value.clos). Each CLOS of a domain once. If the platform shares_clos
 * and SST-CP of a domain without CPUs cannot be read, the requests of its package fail;
 * associations too. */
int sst_plan_clos(const struct setting_environment *environment, struct setting_request *requests,
		  size_t count);

/* The CLOS of the core of a CPU (value.number); a core is written once, by its first request. */
int sst_plan_assoc(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* The turbo-ratio limits of the domain's package (value.trl); a package is written once, by its
 * last request. A domain without an online CPU is ignored. */
int sst_plan_trl(const struct setting_environment *environment, struct setting_request *requests,
		 size_t count);

/* The turbo-ratio limits of each package of which the changes so far bring CPUs online, once more,
 * as they are before these or as the changes leave them: kernels before 6.16 set those again that
 * were last written through the device (hardware.md, section 2). Only of packages with a note of
 * such a write (sst/trl_note.h) and an online CPU, and not of those in others (NULL: none). Limits
 * that cannot be read are left alone. To be called after the last CPU came online. Returns 0 or
 * -ENOMEM. */
int sst_plan_trl_again(const struct setting_environment *environment, const struct cpuset *others);

#endif
