/* SPDX-License-Identifier: GPL-2.0-only */
/* The way to the Speed Select driver, with one operation: a request with its structure, as for
 * ioctl(). It is implemented by the kernel's device, the simulator, a tracer and the scripts of
 * tests. */
#ifndef HOST_TRANSPORT_H
#define HOST_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct transport;

struct transport_ops {
	/* Carries out request (an ISST_* number of isst_abi.h) on the structure at argument.
	 * Returns what ioctl() returns: for requests with entries the number completed, else 0; or
	 * a negative errno (hardware.md, section 2). */
	int (*request)(struct transport *transport, uint32_t request, void *argument);
	/* Has it stopped answering? NULL: it always answers. */
	bool (*is_lost)(struct transport *transport);
	/* Opens again what was lost. Returns as transport_open_device(). */
	int (*reopen)(struct transport *transport);
	void (*close)(struct transport *transport);
};

/* Implementations begin with this. */
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

/* Closes and frees *transport, which may be NULL, and leaves NULL. */
static inline void transport_close(struct transport **transport)
{
	if (*transport)
		(*transport)->ops->close(*transport);
	*transport = NULL;
}

/* Opens the kernel's device for reading, once for the whole run.
 * Returns 0 or the negative errno of open(): -ENOENT (no driver), -EACCES, -EPERM... */
int transport_open_device(const char *path, struct transport **ret_transport);

/* Wraps inner, which it then owns: every request and its answer becomes a line on to (-d).
 * Returns 0 or -ENOMEM (inner is then still the caller's). */
int transport_new_traced(struct transport *inner, FILE *to, struct transport **ret_transport);

#endif
