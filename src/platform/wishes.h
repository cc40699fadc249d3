/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wishes, for the planning operations of platform.h: each operation reads what is there now, for
 * all its wishes together, and adds the steps that they take to a plan; none where nothing would
 * change. Wishes of a domain begin with it. Where error is not 0, a negative errno of channel.h,
 * what is there could not be read and the wish has no steps. What was read before can be handed in,
 * so that nothing is asked twice. A wish without a domain is none.
 */
#ifndef PLATFORM_WISHES_H
#define PLATFORM_WISHES_H

#include "platform/domains.h"
#include "platform/sst.h"

enum platform_switch { PLATFORM_KEEP, PLATFORM_ON, PLATFORM_OFF };

/*
 * Change the performance level; what a change resets is part of undoing it. After the last change
 * the plan waits until Linux shows the new base frequencies. Each domain once.
 */
struct platform_level_wish {
	const struct power_domain *domain;
	uint32_t level;
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const struct sst_level *current; /* the current level, the same */
	int error; /* also -EROFS: the level is locked */
};

/* Switch SST-BF and SST-TF at the current level. Each domain once. */
struct platform_feature_wish {
	const struct power_domain *domain;
	enum platform_switch base_freq;
	enum platform_switch turbo_freq;
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const struct sst_level *current; /* the current level, the same */
	int error;
};

/*
 * Switch SST-CP and CLOS on or off, with that priority type. Each domain once. Where the platform
 * shares_clos the last wish of a package holds for all its domains, here and for parameters.
 */
struct platform_core_power_wish {
	const struct power_domain *domain;
	bool on;
	bool ordered;
	bool force; /* also while SST-TF is on in another domain of the package */
	struct sst_core_power found; /* answered: as it was read */
	bool turbo_freq_on; /* answered: SST-TF is on in another domain of the package */
	const struct power_domain *unread; /* answered: the one whose state error is of, or NULL */
	/* Also -EUSERS: not off, as SST-TF is on in a domain of the package that is not wished for.
	 */
	int error;
};

/* Set the parameters of a CLOS; desired as it is where keep_desired. Each CLOS of a domain once. */
struct platform_clos_wish {
	const struct power_domain *domain;
	uint32_t clos; /* 0 to 3 */
	struct sst_clos wanted; /* MHz, rounded down to 100; unlimited for the highest */
	bool keep_desired;
	int error;
};

/* Put the core of a CPU into a CLOS; a core is written once, by its first wish. */
struct platform_assoc_wish {
	uint32_t cpu;
	uint32_t clos; /* 0 to 3 */
	int error; /* also -ENODATA: the driver tells no core for this CPU */
};

/*
 * Set the turbo-ratio limits of the domain's package; a package is written once, by its last wish.
 * Domains without an online CPU have none.
 */
struct platform_trl_wish {
	const struct power_domain *domain;
	uint64_t trl;
	const struct sst_pp *pp; /* as read before; NULL: to be read */
	const uint64_t *level_trl; /* the current level's limits, the same */
	int error;
};

#endif
