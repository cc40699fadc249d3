// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's front: which request numbers the machine's back ends answer, and the entries of a
 * request one after the other (hardware.md, section 2). The first entry that fails ends a request:
 * its error shows only where no entry was completed.
 */
#include "simulator/driver.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "simulator/driver_tpmi.h"

/* A request with entries: a u32 count, then that many. */
struct entry_request {
	uint32_t number;
	size_t first_offset;
	size_t entry_size;
	int (*command)(struct driver *driver, void *entry);
	bool (*is_answered)(const struct sim_platform *platform);
};

static bool has_driver(const struct sim_platform *platform)
{
	return platform->interface != SIM_INTERFACE_NONE;
}

/* The common driver reaches MSRs, whichever the back end. */
static bool has_msr(const struct sim_platform *platform)
{
	return has_driver(platform);
}

static bool has_mailbox(const struct sim_platform *platform)
{
	return platform->interface == SIM_INTERFACE_MAILBOX && platform->mbox;
}

static bool has_mmio(const struct sim_platform *platform)
{
	return platform->interface == SIM_INTERFACE_MAILBOX && platform->mmio;
}

static const struct entry_request entry_requests[] = {
	{ .number = ISST_GET_PHY_ID,
	  .first_offset = offsetof(struct isst_phy_ids, entries),
	  .entry_size = sizeof(struct isst_phy_id),
	  .command = driver_phy_id_command,
	  .is_answered = has_driver },
	{ .number = ISST_IO_CMD,
	  .first_offset = offsetof(struct isst_io_commands, entries),
	  .entry_size = sizeof(struct isst_io_command),
	  .command = driver_mmio_command,
	  .is_answered = has_mmio },
	{ .number = ISST_MBOX_COMMAND,
	  .first_offset = offsetof(struct isst_mbox_commands, entries),
	  .entry_size = sizeof(struct isst_mbox_command),
	  .command = driver_mailbox_command,
	  .is_answered = has_mailbox },
	{ .number = ISST_MSR_COMMAND,
	  .first_offset = offsetof(struct isst_msr_commands, entries),
	  .entry_size = sizeof(struct isst_msr_command),
	  .command = driver_msr_command,
	  .is_answered = has_msr },
};

const struct sim_cpu *driver_find_cpu(const struct driver *driver, uint32_t cpu)
{
	const struct sim_platform *platform = driver->state->platform;

	return cpu < platform->n_cpus ? &platform->cpus[cpu] : NULL;
}

struct sim_fault_effect driver_meet_faults(struct driver *driver,
					   const struct sim_fault_event *event)
{
	struct sim_fault_effect effect = faults_meet(driver->faults, event);

	faults_wait(effect.delay_us);
	return effect;
}

int driver_phy_id_command(struct driver *driver, void *entry)
{
	struct isst_phy_id *id = entry;
	const struct sim_cpu *cpu = driver_find_cpu(driver, id->logical_cpu);
	const struct sim_fault_event event = { .point = SIM_FAULT_PHY_ID, .cpu = id->logical_cpu };
	int err;

	if (!cpu)
		return -EINVAL;
	err = driver_meet_faults(driver, &event).error;
	if (!err)
		id->physical_cpu = cpu->physical_cpu;
	return err;
}

static void get_platform_info(const struct sim_platform *platform, void *argument)
{
	*(struct isst_platform_info *)argument = (struct isst_platform_info){
		.api_version = platform->api_version,
		.driver_version = platform->driver_version,
		.max_cmds_per_ioctl = platform->max_cmds_per_ioctl,
		.mbox_supported = platform->mbox,
		.mmio_supported = platform->mmio,
	};
}

static int run_entries(struct driver *driver, const struct entry_request *request, void *argument)
{
	uint32_t count = *(const uint32_t *)argument;
	char *entry = (char *)argument + request->first_offset;

	if (count < 1 || count > driver->state->platform->max_cmds_per_ioctl)
		return -EINVAL;
	for (uint32_t done = 0; done < count; done++) {
		int err = request->command(driver, entry + done * request->entry_size);

		if (err)
			return done ? (int)done : err;
	}
	return (int)count;
}

static const struct entry_request *find_entry_request(const struct sim_platform *platform,
						      uint32_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(entry_requests); i++) {
		if (entry_requests[i].number == number && entry_requests[i].is_answered(platform))
			return &entry_requests[i];
	}
	return NULL;
}

static int driver_request(struct transport *transport, uint32_t number, void *argument)
{
	struct driver *driver = (struct driver *)transport;
	const struct sim_platform *platform = driver->state->platform;
	const struct entry_request *request = find_entry_request(platform, number);
	const struct sim_fault_event event = { .point = SIM_FAULT_REQUEST, .number = number };
	int err = driver_meet_faults(driver, &event).error;

	if (err)
		return err;
	if (request)
		return run_entries(driver, request, argument);
	if (driver_tpmi_answers(platform, number))
		return driver_tpmi_request(driver, number, argument);
	if (number != ISST_GET_PLATFORM_INFO)
		return -ENOTTY;
	get_platform_info(platform, argument);
	return 0;
}

static void driver_close(struct transport *transport)
{
	free(transport);
}

static const struct transport_ops driver_ops = {
	.request = driver_request,
	.close = driver_close,
};

int driver_open(struct sim_state *state, struct sim_faults *faults,
		struct transport **ret_transport)
{
	const struct sim_fault_event event = { .point = SIM_FAULT_OPEN };
	struct driver *driver;
	struct sim_fault_effect effect;

	if (!has_driver(state->platform))
		return -ENOENT;
	effect = faults_meet(faults, &event);
	faults_wait(effect.delay_us);
	if (effect.error)
		return effect.error;
	driver = calloc(1, sizeof(*driver));
	if (!driver)
		return -ENOMEM;
	driver->transport.ops = &driver_ops;
	driver->state = state;
	driver->faults = faults;
	*ret_transport = &driver->transport;
	return 0;
}
