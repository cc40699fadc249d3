// SPDX-License-Identifier: GPL-2.0-only
/*
 * What writes: SET_TDP_CONTROL, SET_LEVEL, WRITE_PM_CONFIG, CLOS commands with bit 8 of their
 * parameter, register and MSR entries that say so (hardware.md, sections 2 and 3). A request whose
 * first entry writes is one that writes: reads and writes are never mixed in one.
 */
#include "trick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "requests.h"

#define STALL_US 300000

static struct {
	unsigned long n_writes;
	bool played;
} so_far;

static bool command_writes(const struct isst_mbox_command *command)
{
	switch (command->command) {
	case 0x7f:
		return command->sub_command == 0x02 || command->sub_command == 0x08;
	case 0x95:
		return true;
	case 0xd0:
		return command->parameter & 0x100;
	}
	return false;
}

static bool writes(uint32_t request, const void *argument)
{
	switch (request) {
	case ISST_MBOX_COMMAND:
		return command_writes(((const struct isst_mbox_commands *)argument)->entries);
	case ISST_IO_CMD:
		return ((const struct isst_io_commands *)argument)->entries[0].read_write;
	case ISST_MSR_COMMAND:
		return ((const struct isst_msr_commands *)argument)->entries[0].read_write;
	}
	return false;
}

static int error_of(const char *kind)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {
		{ "EBUSY", EBUSY }, { "EINTR", EINTR }, { "ENXIO", ENXIO },
		{ "EPERM", EPERM }, { "EIO", EIO },     { "ENOTTY", ENOTTY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (strcmp(kind, errors[i].name) == 0)
			return errors[i].error;
	}
	return 0;
}

/* Makes the first entry write something else. */
static void spoil(uint32_t request, void *argument)
{
	if (request == ISST_MBOX_COMMAND)
		((struct isst_mbox_commands *)argument)->entries[0].req_data ^= 0x00020006;
	else if (request == ISST_IO_CMD)
		((struct isst_io_commands *)argument)->entries[0].value ^= 0x00010100;
	else
		((struct isst_msr_commands *)argument)->entries[0].data ^= 0x0101;
}

static int entries_of(const void *argument)
{
	__u32 count;

	memcpy(&count, argument, sizeof(count));
	return (int)count;
}

static void set_entries(void *argument, int entries)
{
	__u32 count = (__u32)entries;

	memcpy(argument, &count, sizeof(count));
}

static int play(const char *kind, struct transport *transport, uint32_t request, void *argument,
		const char *log_file)
{
	int entries = entries_of(argument), r;

	if (error_of(kind))
		return -error_of(kind);
	if (strcmp(kind, "drop") == 0)
		return entries;
	if (strcmp(kind, "stall") == 0)
		usleep(STALL_US);
	if (strcmp(kind, "other") == 0)
		spoil(request, argument);
	if (strcmp(kind, "short") == 0 && entries > 1)
		set_entries(argument, entries / 2);
	r = requests_carry_out(transport, request, argument, log_file);
	set_entries(argument, entries);
	return strcmp(kind, "late") == 0 && r >= 0 ? -EINTR : r;
}

int trick_carry_out(struct transport *transport, uint32_t request, void *argument,
		    const char *trick, const char *log_file)
{
	unsigned long first = 0, times = 1;
	char kind[16];

	if (!trick || !writes(request, argument) ||
	    sscanf(trick, "%15[A-Za-z]@%lux%lu", kind, &first, &times) < 2)
		return requests_carry_out(transport, request, argument, log_file);
	so_far.n_writes++;
	if (so_far.n_writes < first || so_far.n_writes - first >= times)
		return requests_carry_out(transport, request, argument, log_file);
	so_far.played = true;
	return play(kind, transport, request, argument, log_file);
}

bool trick_was_played(void)
{
	return so_far.played;
}
