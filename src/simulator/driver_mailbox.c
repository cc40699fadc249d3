// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mailbox commands as the driver passes them on: those on its list only, some for CAP_SYS_ADMIN
 * only (hardware.md, section 2). What it checks, it checks before the firmware hears of the
 * command.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "simulator/driver_commands.h"

#define MODEL_SKYLAKE_X 0x55

#define COMMAND_CONFIG_TDP 0x7f
#define COMMAND_READ_PM    0x94
#define COMMAND_WRITE_PM   0x95
#define COMMAND_CLOS       0xd0

/* Sub-commands from first to last; where guarded, those with this very parameter need privilege. */
struct listed_command {
	uint16_t command;
	uint16_t first_sub_command;
	uint16_t last_sub_command;
	bool is_guarded;
	uint32_t guarded_parameter;
};

static const struct listed_command listed_commands[] = {
	{ .command = COMMAND_CONFIG_TDP, .first_sub_command = 0x00, .last_sub_command = 0x01 },
	{ .command = COMMAND_CONFIG_TDP,
	  .first_sub_command = 0x02,
	  .last_sub_command = 0x02,
	  .is_guarded = true,
	  .guarded_parameter = 0 },
	{ .command = COMMAND_CONFIG_TDP, .first_sub_command = 0x03, .last_sub_command = 0x07 },
	{ .command = COMMAND_CONFIG_TDP,
	  .first_sub_command = 0x08,
	  .last_sub_command = 0x08,
	  .is_guarded = true,
	  .guarded_parameter = 0 },
	{ .command = COMMAND_CONFIG_TDP, .first_sub_command = 0x09, .last_sub_command = 0x0c },
	{ .command = COMMAND_CONFIG_TDP, .first_sub_command = 0x10, .last_sub_command = 0x12 },
	{ .command = COMMAND_CONFIG_TDP, .first_sub_command = 0x20, .last_sub_command = 0x23 },
	{ .command = COMMAND_CLOS,
	  .first_sub_command = 0x00,
	  .last_sub_command = 0x03,
	  .is_guarded = true,
	  .guarded_parameter = 8 },
	{ .command = COMMAND_READ_PM, .first_sub_command = 0x03, .last_sub_command = 0x03 },
	{ .command = COMMAND_WRITE_PM,
	  .first_sub_command = 0x03,
	  .last_sub_command = 0x03,
	  .is_guarded = true,
	  .guarded_parameter = 3 },
};

static const struct listed_command *find_listed(const struct isst_mbox_command *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(listed_commands); i++) {
		const struct listed_command *listed = &listed_commands[i];

		if (listed->command == command->command &&
		    command->sub_command >= listed->first_sub_command &&
		    command->sub_command <= listed->last_sub_command)
			return listed;
	}
	return NULL;
}

/* The Skylake generation's mailbox is a pair of MSRs, out of reach while the CPU is offline. */
static bool is_msr_mailbox(const struct sim_platform *platform)
{
	return !platform->mmio && platform->cpu.model == MODEL_SKYLAKE_X;
}

static int check_command(const struct driver *driver, const struct isst_mbox_command *command)
{
	const struct listed_command *listed = find_listed(command);
	const struct sim_cpu *cpu = driver_find_cpu(driver, command->logical_cpu);

	if (!listed)
		return -EINVAL;
	if (listed->is_guarded && command->parameter == listed->guarded_parameter &&
	    faults_deny_capability(driver->faults))
		return -EPERM;
	if (!cpu || !driver->state->platform->domains[cpu->domain].has_sst)
		return -EINVAL;
	return 0;
}

/* The firmware's part; the lock is held. A command that is ignored is answered with 0. */
static int ask_firmware(struct driver *driver, struct isst_mbox_command *command,
			const struct sim_fault_effect *effect)
{
	const struct sim_platform *platform = driver->state->platform;
	struct punit punit =
		state_punit(driver->state, platform->cpus[command->logical_cpu].domain);
	uint8_t code;

	if (is_msr_mailbox(platform) && !driver->state->cpus[command->logical_cpu].online)
		return -ENXIO;
	if (effect->ignored) {
		command->resp_data = 0;
		return 0;
	}
	code = punit_mailbox(&punit, (uint8_t)command->command, (uint8_t)command->sub_command,
			     command->parameter, command->req_data ^ (uint32_t)effect->flip,
			     &command->resp_data);
	return code == PUNIT_SUCCESS ? 0 : -ENXIO;
}

int driver_mailbox_command(struct driver *driver, void *entry)
{
	struct isst_mbox_command *command = entry;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_MAILBOX,
		.cpu = command->logical_cpu,
		.number = (uint64_t)command->command << 8 | command->sub_command,
		.parameter = command->parameter,
		.data = command->req_data,
	};
	struct sim_fault_effect effect;
	int err = check_command(driver, command);

	if (err)
		return err;
	effect = driver_meet_faults(driver, &event);
	if (effect.error)
		return effect.error;
	if (effect.completion_code)
		return -ENXIO;
	err = state_lock(driver->state);
	if (err)
		return err;
	err = ask_firmware(driver, command, &effect);
	state_unlock(driver->state);
	return err;
}
