/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host: where a machine's files, device and run directory are. Chosen once in main: the machine
 * that we run on, or the simulator. Nothing above can tell which.
 */
#ifndef MACHINE_HOST_H
#define MACHINE_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/files.h"
#include "transport/transport.h"

struct host;

struct host_ops {
	/* Opens the Speed Select device. Returns 0 or a negative errno as transport_open_device. */
	int (*open_device)(struct host *host, struct transport **ret_transport);
	/* Has the process CAP_SYS_ADMIN effective? Returns 1, 0, or a negative errno. */
	int (*has_capability)(struct host *host);
	void (*close)(struct host *host);
};

struct host {
	const struct host_ops *ops;
	struct files *files;
	const char *run_directory; /* for the CPU map and the lock; may not exist yet */
	bool has_kernel; /* the kernel that we run on is this machine's: its events are, too */
};

/* A machine that can be named, and what it is. */
struct host_choice {
	char *name;
	char *description;
};

/* In ascending order of the names. */
struct host_choices {
	struct host_choice *list;
	size_t count;
};

#define _cleanup_host_         __attribute__((cleanup(host_close)))
#define _cleanup_host_choices_ __attribute__((cleanup(host_choices_done)))

/* Frees the list and what it holds, and leaves an empty one. */
void host_choices_done(struct host_choices *choices);

/* The machine that we run on. Returns 0 or -ENOMEM. */
int host_open_real(struct host **ret_host);

/* Opens the host's Speed Select device; as ops->open_device. */
static inline int host_open_device(struct host *host, struct transport **ret_transport)
{
	return host->ops->open_device(host, ret_transport);
}

/* Closes and frees *host, which may be NULL, and leaves NULL. */
static inline void host_close(struct host **host)
{
	if (*host)
		(*host)->ops->close(*host);
	*host = NULL;
}

#endif
