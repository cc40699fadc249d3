/* SPDX-License-Identifier: GPL-2.0-only */
/* Associations of cores to a CLOS by CLOS_ASSOC (hardware.md, section 4). */
#ifndef TRANSPORT_ASSOC_H
#define TRANSPORT_ASSOC_H

#include "transport/channel.h"

/*
 * Sets, or else reads, entries[0..count-1] in order, as many in a request as the driver takes. The
 * driver tells of a request only that it failed: its entries are then sent one by one, which tells
 * them apart. errors[i] is 0 or the negative errno of entries[i]. With stop_at_error of the channel
 * those behind one that failed are not sent: they have -ECANCELED, but for those that were in one
 * request with it, and may have been done; these have its error.
 */
void assoc_run(const struct channel *channel, bool set, struct isst_clos_assoc *entries,
	       int *errors, size_t count);

#endif
