/* SPDX-License-Identifier: GPL-2.0-only */
/* The host: a machine's files, device and run directory. main chooses the host: the machine that
 * the program runs on, or the simulator. Other code does not know which of the two it is. */
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
	/* Logs a line about a change (TZ is not set). NULL: changes are not logged. */
	void (*log_change)(struct host *host, const char *line);
	void (*close)(struct host *host);
};

/* The member of results that names the model (output.md, "Simulated machines"). */
#define HOST_MODEL_MEMBER "simulated"

/* The model that replaces hardware. All zero: there is none. */
struct host_model {
	const char *name; /* "guide", or "recording of PROCESSOR, DATE" */
	const char *title; /* the line that text results begin with */
	bool is_recorded; /* its values were read from hardware */
	const char *date; /* the date of this recording, "2026-11-24"; NULL: unknown */
	const char *estimates; /* which of its figures are estimates; or NULL */
};

struct host {
	const struct host_ops *ops;
	struct host_model model;
	char *command; /* host_command(); NULL: "isst" */
	struct files *files;
	struct shared_device *device; /* NULL: not open */
	/* The instruments that measure the machine (instruments/instruments.h). NULL: not open. */
	struct perf *perf;
	struct workload *workload;
	/* Closes the instruments. NULL: there are none. */
	void (*close_instruments)(struct host *host);
	const char *run_directory; /* for the CPU map and the lock; may not exist yet */
	/* The state document of the site (state.md, "Document"); may not exist */
	const char *state_file;
	bool has_kernel; /* the running kernel is this machine's kernel, and has its events */
};

/* A machine that a user can name, and its description. */
struct host_choice {
	char *name;
	char *description;
};

/* The machines, in ascending order of their names. */
struct host_choices {
	struct host_choice *list;
	size_t count;
};

#define _cleanup_host_         __attribute__((cleanup(host_close)))
#define _cleanup_host_choices_ __attribute__((cleanup(host_choices_done)))

/* Frees the list and its contents, and leaves an empty list. */
void host_choices_done(struct host_choices *choices);

/* Opens the machine that the program runs on, without its instruments. Returns 0 or -ENOMEM. */
int host_open_real(struct host **ret_host);

/* Closes and frees *host, which may be NULL, and sets it to NULL. */
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

/* Returns the start of a command line for this machine: "isst", and for a machine other than
 * hardware the options that name it. */
static inline const char *host_command(const struct host *host)
{
	return host->command ?: "isst";
}

/* Completes the command lines in a text: after each "isst", adds the options that name a machine
 * other than hardware. host NULL: hardware. Takes ownership of the text. Returns this text or a new
 * text; NULL: text is NULL, or no memory. */
char *host_complete_commands(const struct host *host, char *text);

/* Is CAP_SYS_ADMIN effective for this process? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

/* Drops every capability of this process permanently, except CAP_SYS_ADMIN. If the process is not
 * root, also keeps CAP_DAC_OVERRIDE to write the kernel's files. With keeps_files, root keeps it,
 * too, to make and remove control groups: /sys/fs/cgroup has mode 0555. Returns 0 or a negative
 * errno. */
int capability_drop_others(bool keeps_files);

#endif
