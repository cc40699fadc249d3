/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be written on TPMI parts (hardware.md, section 4). Values are those of sst/values.h. */
#ifndef SST_TPMI_TARGETS_H
#define SST_TPMI_TARGETS_H

#include "sst/tpmi/tpmi.h"
#include "sst/values.h"

/* Each is of a power domain. */

struct write_target tpmi_level_target(const struct power_domain *domain);

/* SST-BF and SST-TF at the current level, whichever it is. */
struct write_target tpmi_features_target(const struct power_domain *domain, uint32_t level);

/* SST-CP, which is CLOS here, and its priority type. */
struct write_target tpmi_core_power_target(const struct power_domain *domain);

/* The parameters of a CLOS, which have no EPP and no desired frequency. */
struct write_target tpmi_clos_target(const struct platform *platform,
				     const struct power_domain *domain, uint32_t clos);

/* The association of a core. */
struct write_target tpmi_association_target(const struct platform *platform,
					    const struct power_domain *domain, uint32_t cpu,
					    uint32_t core);

#endif
