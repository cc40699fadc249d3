/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans the settings of Speed Select, in the same way for every generation. */
#ifndef SETTINGS_SST_H
#define SETTINGS_SST_H

#include "settings/request.h"

/* Each function plans requests of one setting, as settings_plan() does. It reads the present values
 * of all requests together, and adds a change if the value differs. A request that could not be
 * read has an error (a negative errno of channel.h) and no change. All return 0 or -ENOMEM. */

/* The performance level (value.number); undoing restores what a change of level resets. The last
 * change waits until Linux shows the new base frequencies. At most one request per domain. Error
 * -EROFS: the level is locked. */
int sst_plan_level(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* SST-BF and SST-TF at the current level (value.on), at most one request of each per domain. Both
 * are one change; a feature without a request stays unchanged. */
int sst_plan_feature(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count);

/* SST-CP and CLOS, with that priority type (value.core_power). At most one request per domain. If
 * the platform shares_clos, the last request of a package sets all its domains, here and for
 * parameters. It sets none if a domain cannot be read, or if SST-TF is on in a domain without a
 * request (is_needed). */
int sst_plan_core_power(const struct setting_environment *environment,
			struct setting_request *requests, size_t count);

/* The parameters of a CLOS (value.clos). One request per domain and CLOS at most. If the platform
 * shares_clos and SST-CP of a domain without CPUs cannot be read, the requests of its package fail,
 * also for associations. */
int sst_plan_clos(const struct setting_environment *environment, struct setting_request *requests,
		  size_t count);

/* The CLOS of the core of a CPU (value.number); a core is written once, by its first request. */
int sst_plan_assoc(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* The turbo-ratio limits of the domain's package (value.trl); a package is written once, by its
 * last request. A domain without an online CPU is ignored. */
int sst_plan_trl(const struct setting_environment *environment, struct setting_request *requests,
		 size_t count);

/* Plans the turbo-ratio limits once more for each package in which the changes so far bring CPUs
 * online: the present limits, or those of the level that these changes set. Kernels before 6.16
 * repeat the last write through the device then (hardware.md, section 2). Only for packages with a
 * note of such a write (sst/trl_note.h) and an online CPU, except those in others (NULL: none).
 * Skips limits that cannot be read. Call this after the last CPU comes online. Returns 0 or
 * -ENOMEM. */
int sst_plan_trl_again(const struct setting_environment *environment, const struct cpuset *others);

#endif
