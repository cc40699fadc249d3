/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be written on mailbox parts (hardware.md, section 3). Values are those of sst/values.h.
 */
#ifndef SST_MAILBOX_TARGETS_H
#define SST_MAILBOX_TARGETS_H

#include "sst/mailbox/mailbox.h"
#include "sst/values.h"

/* Each is of the power domain that cpu, which is online, is in. */

struct write_target mailbox_level_target(uint32_t cpu);

/* SST-BF and SST-TF at the current level, which is that one. */
struct write_target mailbox_features_target(uint32_t cpu, uint32_t level);

/* SST-CP: a switch. */
struct write_target mailbox_core_power_target(uint32_t cpu);

/* CLOS and its priority type: the value of SST-CP, and other bits. */
struct write_target mailbox_clos_switch_target(uint32_t cpu);

/* The parameters of a CLOS, or the association of a core, with other bits: by mailbox on the
 * Skylake generation, else by MMIO. */
struct write_target mailbox_clos_target(uint32_t cpu, uint32_t clos, bool is_skylake);
struct write_target mailbox_association_target(uint32_t cpu, uint32_t core, bool is_skylake);

/* The value of a PM_CLOS word. */
struct target_value mailbox_decode_clos(uint32_t word);

#endif
