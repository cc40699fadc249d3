/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that are reached by mailbox, MMIO and MSRs: API version 1 (hardware.md, section 3). */
#ifndef SST_MAILBOX_MAILBOX_H
#define SST_MAILBOX_MAILBOX_H

#include "sst/platform.h"
#include "sst/values.h"

/* Gives the platform the operations of mailbox parts and the properties of this part. */
void mailbox_init(struct platform *platform);

/* Returns true for the Skylake generation, which sets CLOS by mailbox commands. */
bool mailbox_is_skylake(const struct platform *platform);

/* Returns a mailbox command to the domain of cpu. */
struct isst_if_mbox_cmd mailbox_command(uint32_t cpu, uint16_t command, uint16_t sub_command,
					uint32_t data);

/* Returns a target in the power domain of cpu, which is online. The Skylake generation writes CLOS
 * parameters and associations by mailbox commands, others write them by MMIO. */
struct write_target mailbox_target(bool is_skylake, enum platform_target what, uint32_t cpu,
				   uint32_t index);

/* Operations of struct platform_ops that have a file of their own. */
int mailbox_read_levels(struct platform *platform, unsigned int parts,
			struct platform_level_query *queries, size_t count);
int mailbox_refine_level(struct platform *platform, struct platform_level_query *query,
			 uint32_t cpu);

#endif
