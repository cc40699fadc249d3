/* SPDX-License-Identifier: GPL-2.0-only */
/* The host: a machine's files, device and run directory. Chosen once in main: the machine that the
 * program runs on, or the simulator. No caller knows which. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "host/files.h"
#include "host/transport.h"

struct host;
struct perf;
struct shared_device;
struct workload;

struct host_ops {
	/* Opens the Speed Select device, for device_open() of host/device.h. Returns 0 or a
	 * negative errno as transport_open_device. */
	int (*open_device)(struct host *host, struct transport **ret_transport);
	/* Is CAP_SYS_ADMIN effective for the process? Returns 1, 0, or a negative errno. */
	int (*has_capability)(struct host *host);
	/* Logs a line about a change that was made (TZ is not set). NULL: it goes to no log. */
	void (*log_change)(struct host *host, const char *line);
	void (*close)(struct host *host);
};

/* The member of results that names what gave them (output.md, "Simulated machines"). */
#define HOST_MODEL_MEMBER "simulated"

/* What answers in place of hardware; all zero: hardware does. */
struct host_model {
	const char *name; /* "guide", or "recording of PROCESSOR, DATE" */
	const char *title; /* the line that text results begin with */
	bool is_recorded; /* what is read there is real */
	const char *date; /* then: when hardware was recorded, "2026-11-24"; NULL: unknown */
	const char *estimates; /* what of its figures is one, or NULL */
};

struct host {
	const struct host_ops *ops;
	struct host_model model;
	char *command; /* host_command(); NULL: "isst" */
	struct files *files;
	struct shared_device *device; /* NULL: not open */
	/* What measures the machine: see instruments/instruments.h. NULL: not opened. */
	struct perf *perf;
	struct workload *workload;
	/* Closes those; NULL: there are none. */
	void (*close_instruments)(struct host *host);
	const char *run_directory; /* for the CPU map and the lock; may not exist yet */
	/* The state document of the site (state.md, "Document"); may not exist */
	const char *state_file;
	bool has_kernel; /* the kernel that we run on is this machine's, and so are its events */
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

/* The machine that we run on, without its instruments. Returns 0 or -ENOMEM. */
int host_open_real(struct host **ret_host);

/* Closes and frees *host, which may be NULL, and leaves NULL. */
static inline void host_close(struct host **host)
{
	if (*host && (*host)->close_instruments)
		(*host)->close_instruments(*host);
	if (*host) {
		free((*host)->command);
		(*host)->ops->close(*host);
	}
	*host = NULL;
}

/* How a command line for this machine begins: "isst", and the options that name a machine other
 * than hardware. */
static inline const char *host_command(const struct host *host)
{
	return host->command ?: "isst";
}

/* Makes command lines for this machine of those in a text: after each "isst" come the options that
 * name a machine other than hardware (NULL: it is). Takes ownership of the text, and returns it or
 * a new one; NULL is NULL or no memory. */
char *host_complete_commands(const struct host *host, char *text);

/* Is CAP_SYS_ADMIN effective for this process? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

/* Drops every capability of this process for good, except CAP_SYS_ADMIN. Also keeps
 * CAP_DAC_OVERRIDE if the process is not root, to write the kernel's files; or with keeps_files, to
 * make and remove control groups: /sys/fs/cgroup has mode 0555, so that root needs it, too. Returns
 * 0 or a negative errno. */
int capability_drop_others(bool keeps_files);

#endif
