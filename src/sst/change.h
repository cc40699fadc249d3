/* SPDX-License-Identifier: GPL-2.0-only */
/* Planning changes of Speed Select, the same for every generation. Each function reads the present
 * values, for all its requests together, and adds the changes that differ to a list. Requests of a
 * domain begin with it; a request without a domain is ignored. A request whose error is not 0, a
 * negative errno of channel.h, could not be read and has no changes. What the caller has read
 * already is not read again. All return 0 or -ENOMEM. */
#ifndef SST_CHANGE_H
#define SST_CHANGE_H

#include "change/change.h"
#include "sst/platform.h"

enum platform_switch { PLATFORM_KEEP, PLATFORM_ON, PLATFORM_OFF };

/* Changes the performance level; undoing restores what a change of level resets. After the last
 * change there is a wait until Linux shows the new base frequencies. Each domain once. */
struct platform_level_request {
	const struct power_domain *domain;
	uint32_t level;
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const struct sst_level *current; /* the current level, the same */
	int error; /* also -EROFS: the level is locked */
};

int sst_plan_level(struct platform *platform, struct change_list *list,
		   struct platform_level_request *requests, size_t count);

/* Switches SST-BF and SST-TF at the current level. Each domain once. */
struct platform_feature_request {
	const struct power_domain *domain;
	enum platform_switch base_freq;
	enum platform_switch turbo_freq;
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const struct sst_level *current; /* the current level, the same */
	int error;
};

int sst_plan_features(struct platform *platform, struct change_list *list,
		      struct platform_feature_request *requests, size_t count);

/* Switches SST-CP and CLOS on or off, with that priority type. Each domain once. If the platform
 * shares_clos, the last request of a package sets all its domains, here and for parameters. */
struct platform_core_power_request {
	const struct power_domain *domain;
	bool on;
	bool ordered;
	bool force; /* also if SST-TF is on in another domain of the package */
	struct sst_core_power found; /* answered: as it was read */
	bool turbo_freq_on; /* answered: SST-TF is on in another domain of the package */
	const struct power_domain *unread; /* answered: the domain that error is of, or NULL */
	const char *unread_what; /* answered: what could not be read of it */
	/* Also -EUSERS: not switched off, because SST-TF is on in a domain of the package that no
	 * request is for. */
	int error;
};

int sst_plan_core_power(struct platform *platform, struct change_list *list,
			struct platform_core_power_request *requests, size_t count);

/* Sets the parameters of a CLOS. Each CLOS of a domain once. */
struct platform_clos_request {
	const struct power_domain *domain;
	uint32_t clos; /* 0 to 3 */
	struct sst_clos wanted; /* MHz, rounded down to 100; unlimited for the highest */
	bool keep_desired; /* the desired frequency stays */
	int error;
};

int sst_plan_clos(struct platform *platform, struct change_list *list,
		  struct platform_clos_request *requests, size_t count);

/* Puts the core of a CPU into a CLOS; a core is written once, by its first request. */
struct platform_assoc_request {
	uint32_t cpu;
	uint32_t clos; /* 0 to 3 */
	int error; /* also of core_list_error() */
};

int sst_plan_assoc(struct platform *platform, struct change_list *list,
		   struct platform_assoc_request *requests, size_t count);

/* Sets the turbo-ratio limits of the domain's package; a package is written once, by its last
 * request. A domain without an online CPU is ignored. */
struct platform_trl_request {
	const struct power_domain *domain;
	uint64_t trl; /* eight ratios of 8 bits */
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const uint64_t *level_trl; /* the current level's limits, the same */
	int error;
};

int sst_plan_trl(struct platform *platform, struct change_list *list,
		 struct platform_trl_request *requests, size_t count);

#endif
