// SPDX-License-Identifier: GPL-2.0-only
/* What writes: SET_TDP_CONTROL, SET_LEVEL, WRITE_PM_CONFIG, CLOS commands with bit 8 of their
 * parameter, register and MSR entries and TPMI requests that say so (hardware.md, sections 2 to 4).
 * A request whose first entry writes is one that writes: reads and writes are never mixed in
 * one. */
#include "trick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "requests.h"

#define STALL_US    300000
#define ANY_REQUEST UINT32_MAX

static struct {
	unsigned long n_writes;
	bool played;
	bool is_lost;
} so_far;

static bool command_writes(const struct isst_if_mbox_cmd *command)
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
	case ISST_IF_PERF_SET_LEVEL:
	case ISST_IF_PERF_SET_FEATURE:
		return true;
	case ISST_IF_CORE_POWER_STATE:
		return ((const struct isst_core_power *)argument)->get_set;
	case ISST_IF_CLOS_PARAM:
		return ((const struct isst_clos_param *)argument)->get_set;
	case ISST_IF_CLOS_ASSOC:
		return ((const struct isst_if_clos_assoc_cmds *)argument)->get_set;
	case ISST_IF_MBOX_COMMAND:
		return command_writes(((const struct isst_if_mbox_cmds *)argument)->entries);
	case ISST_IF_IO_CMD:
		return ((const struct isst_if_io_regs *)argument)->entries[0].read_write;
	case ISST_IF_MSR_COMMAND:
		return ((const struct isst_if_msr_cmds *)argument)->entries[0].read_write;
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

/* Bits that mean something to the command, so that another value is another setting. */
static __u32 bits_of(const struct isst_if_mbox_cmd *command)
{
	return command->command == 0x95 ? 0x00010000 : 0x00020006;
}

/* Makes the first entry write something else. */
static void spoil(uint32_t request, void *argument)
{
	switch (request) {
	case ISST_IF_MBOX_COMMAND:
		((struct isst_if_mbox_cmds *)argument)->entries[0].req_data ^=
			bits_of(((struct isst_if_mbox_cmds *)argument)->entries);
		break;
	case ISST_IF_IO_CMD:
		((struct isst_if_io_regs *)argument)->entries[0].value ^= 0x00010100;
		break;
	case ISST_IF_MSR_COMMAND:
		((struct isst_if_msr_cmds *)argument)->entries[0].data ^= 0x0101;
		break;
	case ISST_IF_PERF_SET_LEVEL:
		((struct isst_perf_level_control *)argument)->level ^= 1;
		break;
	case ISST_IF_PERF_SET_FEATURE:
		((struct isst_perf_feature_control *)argument)->feature ^= ISST_FEATURE_TF;
		break;
	case ISST_IF_CORE_POWER_STATE:
		((struct isst_core_power *)argument)->enable ^= 1;
		break;
	case ISST_IF_CLOS_PARAM:
		((struct isst_clos_param *)argument)->prop_prio ^= 1;
		break;
	case ISST_IF_CLOS_ASSOC:
		((struct isst_if_clos_assoc_cmds *)argument)->entries[0].clos ^= 1;
		break;
	}
}

/* These requests return how many of their entries were done; TPMI's return 0. */
static bool counts_entries(uint32_t request)
{
	return request == ISST_IF_MBOX_COMMAND || request == ISST_IF_IO_CMD ||
	       request == ISST_IF_MSR_COMMAND;
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

/* Every error of TPMI is ENOTTY when it leaves the driver. */
static int fail(uint32_t request, int error)
{
	return counts_entries(request) ? -error : -ENOTTY;
}

static int play_short(struct transport *transport, uint32_t request, void *argument,
		      const char *log_file)
{
	int entries = entries_of(argument), r;

	if (!counts_entries(request) || entries < 2)
		return requests_carry_out(transport, request, argument, log_file);
	set_entries(argument, entries / 2);
	r = requests_carry_out(transport, request, argument, log_file);
	set_entries(argument, entries);
	return r;
}

static int play(const char *kind, struct transport *transport, uint32_t request, void *argument,
		const char *log_file)
{
	int r;

	if (error_of(kind))
		return fail(request, error_of(kind));
	if (strcmp(kind, "drop") == 0)
		return counts_entries(request) ? entries_of(argument) : 0;
	if (strcmp(kind, "short") == 0)
		return play_short(transport, request, argument, log_file);
	if (strcmp(kind, "stall") == 0)
		usleep(STALL_US);
	if (strcmp(kind, "other") == 0)
		spoil(request, argument);
	r = requests_carry_out(transport, request, argument, log_file);
	return strcmp(kind, "late") == 0 && r >= 0 ? fail(request, EINTR) : r;
}

int trick_carry_out(struct transport *transport, uint32_t request, void *argument,
		    const char *trick, const char *log_file)
{
	unsigned long first = 0, times = 1;
	unsigned int number = ANY_REQUEST;
	char kind[16];

	if (so_far.is_lost)
		return -ENODEV;
	if (!trick || !writes(request, argument) ||
	    sscanf(trick, "%15[A-Za-z]@%lux%lu/%u", kind, &first, &times, &number) < 2 ||
	    (number != ANY_REQUEST && number != (request & 0xff)))
		return requests_carry_out(transport, request, argument, log_file);
	so_far.n_writes++;
	if (so_far.n_writes < first || so_far.n_writes - first >= times)
		return requests_carry_out(transport, request, argument, log_file);
	so_far.played = true;
	if (strcmp(kind, "lost") == 0) {
		so_far.is_lost = true;
		return -ENODEV;
	}
	return play(kind, transport, request, argument, log_file);
}

void trick_open(void)
{
	so_far.is_lost = false;
}

bool trick_was_played(void)
{
	return so_far.played;
}
