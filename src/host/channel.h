/* SPDX-License-Identifier: GPL-2.0-only */
/* Any number of commands to the driver, sent in batches: the driver's limit is kept, a batch that
 * stopped in the middle is gone on with, and what the mailbox was too busy for is tried again
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
	unsigned int pause_ms; /* between mailbox commands; above 0: one command a request */
	/* Called after each request with the number of commands of its round that are done; may be
	 * NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *progress_data;
	bool stop_at_error; /* for writes: after a command that failed nothing is sent */
	/* Asked before each request. When it is set, the rest is not sent and has -EINTR. */
	const struct wait_stop *stop; /* or NULL: the program is never asked to stop */
	void *buffer; /* channel_buffer_size() bytes to use instead of new memory; or NULL */
	/* The cache of answers to earlier requests; NULL: every request goes to the driver, which
	 * is required for values that are written. */
	struct answers *answers;
};

/* Sends one request without entries, whose structure is size bytes at argument. Returns 0; -EINTR
 * without sending it when the program is asked to stop; or the driver's negative errno. */
int channel_request(const struct channel *channel, uint32_t request, void *argument, size_t size);

/* At least the size of a command of any of the driver's requests. */
#define CHANNEL_COMMAND_SIZE 24

/* How much memory a request of at most max_commands commands takes. */
size_t channel_buffer_size(unsigned int max_commands);

/* Sends commands[0..count-1] of a request with entries (GET_PHY_ID, IO_CMD, MBOX_COMMAND or
 * MSR_COMMAND, and its struct isst_if_cpu_map, _io_reg, _mbox_cmd or _msr_cmd) in order, and fills
 * the answers in. errors[i] is 0 if commands[i] was done, else its negative errno: -ENXIO (firmware
 * refused, or an offline CPU), -EINVAL (not for this driver or CPU), -EBUSY, -EINTR (after the last
 * try, or the program is asked to stop), -EPERM, -ENOTTY (no such back end: then every command that
 * was left has it). Later commands are sent whatever happened to earlier ones; with stop_at_error
 * they are not, and have -ECANCELED. Returns 0; or, with nothing sent, -EINVAL for another request,
 * or -ENOMEM (never with a buffer and without answers). */
int channel_send(const struct channel *channel, uint32_t request, void *commands, int *errors,
		 size_t count);

/* What a negative errno of a command means, in words for a message (static text). */
const char *channel_error_text(int err);

#endif
