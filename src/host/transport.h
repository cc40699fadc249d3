/* SPDX-License-Identifier: GPL-2.0-only */
/* The connection to the Speed Select driver. It sends a request with its structure, as ioctl()
 * does. The kernel's device, the simulator, a tracer and the scripts of tests implement it. */
#ifndef HOST_TRANSPORT_H
#define HOST_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct transport;

struct transport_ops {
	/* Carries out request (an ISST_* number of isst_abi.h) on the structure at argument.
	 * Returns what ioctl() returns: the number of completed entries, 0 for a request without
	 * entries, or a negative errno (hardware.md, section 2). */
	int (*request)(struct transport *transport, uint32_t request, void *argument);
	/* Returns true if the driver does not answer any more. NULL: it always answers. */
	bool (*is_lost)(struct transport *transport);
	/* Opens a lost device again. Returns as transport_open_device(). */
	int (*reopen)(struct transport *transport);
	void (*close)(struct transport *transport);
};

/* Implementations begin with this structure. */
struct transport {
	const struct transport_ops *ops;
};

#define _cleanup_transport_ __attribute__((cleanup(transport_close)))

static inline int transport_request(struct transport *transport, uint32_t request, void *argument)
{
	return transport->ops->request(transport, request, argument);
}

/* As ops->is_lost; transport may be NULL. */
static inline bool transport_is_lost(struct transport *transport)
{
	return transport && transport->ops->is_lost && transport->ops->is_lost(transport);
}

/* Closes and frees *transport, which may be NULL, and sets it to NULL. */
static inline void transport_close(struct transport **transport)
{
	if (*transport)
		(*transport)->ops->close(*transport);
	*transport = NULL;
}

/* Opens the kernel's device for reading. Returns 0, -ENOMEM, or the negative errno of open():
 * -ENOENT (no driver), -EACCES, -EPERM... */
int transport_open_device(const char *path, struct transport **ret_transport);

/* Wraps inner and takes ownership of it. Writes every request and its answer as a line to `to`
 * (-d). Returns 0, or -ENOMEM (the caller then still owns inner). */
int transport_new_traced(struct transport *inner, FILE *to, struct transport **ret_transport);

#endif
