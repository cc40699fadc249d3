/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends any number of commands to the driver in batches, which keep the driver's limit. If a batch
 * stops in the middle, a new batch sends the rest. If the mailbox is busy, a command is tried again
 * (hardware.md, section 2; commands.md, -p and -r). */
#ifndef HOST_CHANNEL_H
#define HOST_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "isst_abi.h"
#include "base/wait.h"
#include "host/answers.h"
#include "host/transport.h"

struct channel {
	struct transport *transport;
	unsigned int max_commands; /* in one request, at least 1 */
	unsigned int tries; /* of one command, at least 1 */
	unsigned int pause_ms; /* between mailbox commands; if above 0, a request has one command */
	/* Called after each request: `done` of the `total` commands to send are done; may be NULL.
	 */
	void (*progress)(void *data, size_t done, size_t total);
	void *progress_data;
	bool stop_at_error; /* for writes: sends nothing after a command that failed */
	/* Checked before each request. If it is set, the remaining commands are not sent and get
	 * -EINTR. */
	const struct wait_stop *stop; /* NULL: sending never stops */
	void *buffer; /* channel_buffer_size() bytes to use instead of new memory; or NULL */
	/* The cache of answers to earlier requests. NULL: every request goes to the driver. Must be
	 * NULL for requests that write. */
	struct answers *answers;
};

/* Sends one request without entries. Its structure is at argument and has size bytes. Returns 0;
 * -EINTR if stop is set, without sending the request; -ENOMEM; or the driver's negative errno. */
int channel_request(const struct channel *channel, uint32_t request, void *argument, size_t size);

/* The size in bytes of the largest command of the driver's requests. */
#define CHANNEL_COMMAND_SIZE 24

/* Returns the number of bytes that a request of at most max_commands commands needs. */
size_t channel_buffer_size(unsigned int max_commands);

/* Sends commands[0..count-1] of a request with entries, in order, and stores the answers in
 * commands. request is GET_PHY_ID, IO_CMD, MBOX_COMMAND or MSR_COMMAND; a command is its struct
 * isst_if_cpu_map, _io_reg, _mbox_cmd or _msr_cmd. errors[i] is 0 if commands[i] was done, else its
 * negative errno: -ENXIO (firmware refused it, or the CPU is offline), -EINVAL (not for this driver
 * or CPU), -EBUSY, -EINTR (after the last try, or if stop is set), -EPERM, -ENOTTY (no such back
 * end: all remaining commands get this error). After a failed command, later commands are sent;
 * with stop_at_error, they are not sent and get -ECANCELED. Returns 0; or, if nothing was sent,
 * -EINVAL for another request, or -ENOMEM (never with a buffer and without answers). */
int channel_send(const struct channel *channel, uint32_t request, void *commands, int *errors,
		 size_t count);

/* Returns the meaning of a command's negative errno, for a message (static text). */
const char *channel_error_text(int err);

#endif
