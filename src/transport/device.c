// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's character device. It is opened once, read-only: setting asks for CAP_SYS_ADMIN, not
 * for write access (hardware.md, section 2).
 */
#include "transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"

/* The C libraries do not agree on the type of a request. */
#ifdef __GLIBC__
#define AS_REQUEST(number) ((unsigned long)(number))
#else
#define AS_REQUEST(number) ((int)(number))
#endif

struct device {
	struct transport transport;
	int fd;
};

static int device_request(struct transport *transport, uint32_t request, void *argument)
{
	struct device *device = (struct device *)transport;
	int result = ioctl(device->fd, AS_REQUEST(request), argument);

	return result < 0 ? -errno : result;
}

static void device_close(struct transport *transport)
{
	struct device *device = (struct device *)transport;

	close(device->fd);
	free(device);
}

static const struct transport_ops device_ops = {
	.request = device_request,
	.close = device_close,
};

int transport_open_device(const char *path, struct transport **ret_transport)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct device *device;

	if (fd < 0)
		return -errno;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->transport.ops = &device_ops;
	device->fd = steal_fd(&fd);
	*ret_transport = &device->transport;
	return 0;
}
