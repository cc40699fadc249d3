// SPDX-License-Identifier: GPL-2.0-only
/* Shares one descriptor of the device. If a command opened the device again between its writes,
 * this could fail, and the command could not undo the writes. A lost descriptor is opened again,
 * but only to undo writes. */
#include "host/device.h"

#include <errno.h>
#include <stdlib.h>

#include "isst_abi.h"

struct shared_device {
	struct transport transport;
	struct host *host;
	struct transport *inner; /* NULL: the device was lost and could not be opened again */
	unsigned int n_users;
};

struct kept_device {
	struct channel channel;
};

static int shared_request(struct transport *transport, uint32_t request, void *argument)
{
	const struct shared_device *device = (const struct shared_device *)transport;

	return device->inner ? transport_request(device->inner, request, argument) : -ENODEV;
}

static bool shared_is_lost(struct transport *transport)
{
	struct isst_if_platform_info info;

	return shared_request(transport, ISST_IF_GET_PLATFORM_INFO, &info) < 0;
}

static int shared_reopen(struct transport *transport)
{
	struct shared_device *device = (struct shared_device *)transport;

	transport_close(&device->inner);
	return device->host->ops->open_device(device->host, &device->inner);
}

static void shared_close(struct transport *transport)
{
	struct shared_device *device = (struct shared_device *)transport;

	if (--device->n_users > 0)
		return;
	device->host->device = NULL;
	transport_close(&device->inner);
	free(device);
}

static const struct transport_ops shared_ops = {
	.request = shared_request,
	.is_lost = shared_is_lost,
	.reopen = shared_reopen,
	.close = shared_close,
};

int device_open(struct host *host, struct transport **ret_transport)
{
	struct shared_device *device = host->device;
	int err;

	if (!device) {
		device = calloc(1, sizeof(*device));
		if (!device)
			return -ENOMEM;
		err = host->ops->open_device(host, &device->inner);
		if (err) {
			free(device);
			return err;
		}
		device->transport.ops = &shared_ops;
		device->host = host;
		host->device = device;
	}
	device->n_users++;
	*ret_transport = &device->transport;
	return 0;
}

int device_keep(struct kept_device **kept, struct host *host, const struct channel *channel)
{
	struct kept_device *made;
	int err;

	if (*kept)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->channel = *channel;
	/* these may be freed earlier */
	made->channel.progress = NULL;
	made->channel.answers = NULL;
	err = device_open(host, &made->channel.transport);
	if (err) {
		free(made);
		return err;
	}
	*kept = made;
	return 0;
}

const struct channel *device_channel(const struct kept_device *kept)
{
	return kept ? &kept->channel : NULL;
}

void device_release(struct kept_device **kept)
{
	if (*kept)
		transport_close(&(*kept)->channel.transport);
	free(*kept);
	*kept = NULL;
}
