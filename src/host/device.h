/* SPDX-License-Identifier: GPL-2.0-only */
/* The Speed Select device of a host. It is open only once, for any number of users. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "host/channel.h"
#include "host/host.h"

/* Opens the device, or shares it if it is open. The device is closed with the last transport.
 * Returns 0, -ENOMEM, or an error of host_ops.open_device. */
int device_open(struct host *host, struct transport **ret_transport);

/* The device, open from the first write to the end of undoing (docs/spec/state.md, "Apply"). */
struct kept_device;

/* Keeps the channel's device open; does nothing if *kept is not NULL. Returns as device_open(). */
int device_keep(struct kept_device **kept, struct host *host, const struct channel *channel);

/* Returns the channel to the device, without progress and cache; NULL: no device is kept. */
const struct channel *device_channel(const struct kept_device *kept);

/* Frees *kept, which may be NULL, and sets it to NULL. */
void device_release(struct kept_device **kept);

#endif
