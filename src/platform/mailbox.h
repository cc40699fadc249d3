/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that are reached by mailbox, MMIO and MSRs: API version 1 (hardware.md, section 3). */
#ifndef PLATFORM_MAILBOX_H
#define PLATFORM_MAILBOX_H

#include "platform/platform.h"

/* Gives the platform the operations of mailbox parts and what this part is like. */
void mailbox_init(struct platform *platform);

/* Is this the Skylake generation, which has CLOS by mailbox? */
bool mailbox_is_skylake(const struct platform *platform);

/* A read of one word: of the domain that cpu is in. */
struct isst_mbox_command mailbox_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
					 uint32_t parameter, uint32_t data);

/* Operations of the table that have a file of their own; see struct platform_ops. */
int mailbox_read_levels(struct platform *platform, unsigned int parts,
			struct platform_level_query *queries, size_t count);
int mailbox_refine_level(struct platform *platform, struct platform_level_query *query,
			 uint32_t cpu);
int mailbox_read_core_power(struct platform *platform, bool with_clos,
			    struct platform_core_power_query *queries, size_t count);
int mailbox_read_clos(struct platform *platform, struct platform_clos_query *queries, size_t count);
int mailbox_read_assoc(struct platform *platform, struct platform_assoc_query *queries,
		       size_t count);
int mailbox_plan_level(struct platform *platform, struct plan *plan,
		       struct platform_level_wish *wishes, size_t count);
int mailbox_plan_features(struct platform *platform, struct plan *plan,
			  struct platform_feature_wish *wishes, size_t count);
int mailbox_plan_core_power(struct platform *platform, struct plan *plan,
			    struct platform_core_power_wish *wishes, size_t count);
int mailbox_plan_clos(struct platform *platform, struct plan *plan,
		      struct platform_clos_wish *wishes, size_t count);
int mailbox_plan_assoc(struct platform *platform, struct plan *plan,
		       struct platform_assoc_wish *wishes, size_t count);

#endif
