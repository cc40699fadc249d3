// SPDX-License-Identifier: GPL-2.0-only
/* The simulated driver: the requests that the machine's back ends answer, and the mailbox, MMIO and
 * MSR back ends (hardware.md, section 2). A request is a list of entries; the first entry that
 * fails ends it, and its error is returned only if no entry was completed. Each entry takes the
 * lock of the state, as the kernel's driver holds its mutex. */
#include "simulator/driver.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "isst_abi.h"

#define MODEL_SKYLAKE_X  0x55
#define MODEL_ICE_LAKE_X 0x6a
#define MODEL_ICE_LAKE_D 0x6c

#define MMIO_FIRST     0x04
#define MMIO_LAST_3451 0xd0 /* device of Ice Lake */
#define MMIO_LAST_3251 0x11c

#define MSR_PHYSICAL_CPU            0x54
#define MSR_TURBO_RATIO_LIMIT       0x1ad
#define MSR_TURBO_RATIO_LIMIT_CORES 0x1ae
#define MSR_SECONDARY_TURBO_LIMIT   0x1af
#define MSR_TDP_CONTROL             0x64b
#define MSR_TDP_CONTROL_LOCK        (1ULL << 31)

/* A request with entries: a u32 count, then that many. */
struct entry_request {
	uint32_t number;
	size_t first_offset;
	size_t entry_size;
	int (*run)(struct driver *driver, void *entry);
};

/* Sub-commands from first to last that the driver passes on; with the guarded parameter they need
 * CAP_SYS_ADMIN. */
struct listed_command {
	uint16_t command;
	uint16_t first_sub_command;
	uint16_t last_sub_command;
	bool is_guarded;
	uint32_t guarded_parameter;
};

static const struct listed_command listed_commands[] = {
	{ 0x7f, 0x00, 0x01, false, 0 }, { 0x7f, 0x02, 0x02, true, 0 },
	{ 0x7f, 0x03, 0x07, false, 0 }, { 0x7f, 0x08, 0x08, true, 0 },
	{ 0x7f, 0x09, 0x0c, false, 0 }, { 0x7f, 0x10, 0x12, false, 0 },
	{ 0x7f, 0x20, 0x23, false, 0 }, { 0xd0, 0x00, 0x03, true, 8 },
	{ 0x94, 0x03, 0x03, false, 0 }, { 0x95, 0x03, 0x03, true, 3 },
};

/* The CPU of that number, or NULL. */
static const struct sim_cpu *find_cpu(const struct driver *driver, uint32_t cpu)
{
	const struct sim_platform *platform = driver->state->platform;

	return cpu < platform->n_cpus ? &platform->cpus[cpu] : NULL;
}

static bool has_punit(const struct driver *driver, uint32_t cpu)
{
	const struct sim_cpu *found = find_cpu(driver, cpu);

	return found && driver->state->platform->domains[found->domain].has_sst;
}

static int run_phy_id(struct driver *driver, void *entry)
{
	struct isst_if_cpu_map *id = entry;
	const struct sim_cpu *cpu = find_cpu(driver, id->logical_cpu);
	const struct sim_fault_event event = { .point = SIM_FAULT_PHY_ID, .cpu = id->logical_cpu };
	int err;

	if (!cpu)
		return -EINVAL;
	err = faults_apply(driver->faults, &event).error;
	if (!err)
		id->physical_cpu = cpu->physical_cpu;
	return err;
}

static const struct listed_command *find_listed(const struct isst_if_mbox_cmd *command)
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

/* The driver checks this before firmware gets the command. */
static int check_command(const struct driver *driver, const struct isst_if_mbox_cmd *command)
{
	const struct listed_command *listed = find_listed(command);

	if (!listed)
		return -EINVAL;
	if (listed->is_guarded && command->parameter == listed->guarded_parameter &&
	    faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	return has_punit(driver, command->logical_cpu) ? 0 : -EINVAL;
}

/* The Skylake generation's mailbox is a pair of MSRs, out of reach while the CPU is offline. */
static bool is_msr_mailbox(const struct sim_platform *platform)
{
	return !platform->mmio && platform->cpu.model == MODEL_SKYLAKE_X;
}

/* Firmware's part; the lock is held. An ignored command is answered with 0. */
static int ask_firmware(struct driver *driver, struct isst_if_mbox_cmd *command,
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

static int run_mailbox(struct driver *driver, void *entry)
{
	struct isst_if_mbox_cmd *command = entry;
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
	effect = faults_apply(driver->faults, &event);
	if (effect.error)
		return effect.error;
	if (effect.completion_code)
		return -ENXIO;
	err = state_lock(driver->state);
	if (err)
		return err;
	err = ask_firmware(driver, command, &effect);
	return state_commit(driver->state) ?: err;
}

static bool is_mmio_register(const struct sim_platform *platform, uint32_t reg)
{
	bool is_3451 =
		platform->cpu.model == MODEL_ICE_LAKE_X || platform->cpu.model == MODEL_ICE_LAKE_D;

	return reg % 4 == 0 && reg >= MMIO_FIRST &&
	       reg <= (is_3451 ? MMIO_LAST_3451 : MMIO_LAST_3251);
}

static int run_mmio(struct driver *driver, void *entry)
{
	struct isst_if_io_reg *command = entry;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_MMIO,
		.cpu = command->logical_cpu,
		.number = command->reg,
		.write = command->read_write != 0,
	};
	struct sim_fault_effect effect;
	struct punit punit;
	int err;

	if (!is_mmio_register(driver->state->platform, command->reg))
		return -EINVAL;
	if (event.write && faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	if (!has_punit(driver, command->logical_cpu))
		return -EINVAL;
	effect = faults_apply(driver->faults, &event);
	if (effect.error || effect.ignored)
		return effect.error;
	err = state_lock(driver->state);
	if (err)
		return err;
	punit = state_punit(driver->state, find_cpu(driver, command->logical_cpu)->domain);
	if (event.write)
		punit_mmio_write(&punit, command->reg, command->value ^ (uint32_t)effect.flip);
	else
		command->value = punit_mmio_read(&punit, command->reg);
	return state_commit(driver->state);
}

static bool is_listed_msr(uint64_t msr)
{
	return msr == MSR_PHYSICAL_CPU || msr == MSR_TURBO_RATIO_LIMIT ||
	       msr == MSR_TURBO_RATIO_LIMIT_CORES || msr == MSR_SECONDARY_TURBO_LIMIT ||
	       msr == MSR_TDP_CONTROL;
}

/* The package's value of an MSR that can be written, or NULL. */
static uint64_t *find_stored_msr(struct sim_state *state, const struct sim_cpu *cpu, uint64_t msr)
{
	struct punit_package *package = &state->packages[cpu->package];

	if (!state->platform->has_msrs)
		return NULL;
	if (msr == MSR_TURBO_RATIO_LIMIT)
		return &package->turbo_ratio_limit;
	if (msr == MSR_TURBO_RATIO_LIMIT_CORES)
		return &package->turbo_ratio_limit_cores;
	return NULL;
}

static void write_msr(struct driver *driver, const struct sim_cpu *cpu, uint64_t msr,
		      uint64_t value, uint64_t *stored)
{
	struct punit punit = state_punit(driver->state, cpu->domain);
	bool is_clamped =
		msr == MSR_TURBO_RATIO_LIMIT && faults_settings(driver->faults)->clamped_limits;

	*stored = is_clamped ? punit_clamp_limits(&punit, value) : value;
}

/* The lock is held. The kernel returns EIO for an access that the CPU refuses. */
static int access_msr(struct driver *driver, struct isst_if_msr_cmd *command,
		      const struct sim_fault_effect *effect)
{
	const struct sim_cpu *cpu = find_cpu(driver, command->logical_cpu);
	const struct sim_domain *domain = &driver->state->platform->domains[cpu->domain];
	uint64_t *stored = find_stored_msr(driver->state, cpu, command->msr);

	if (!driver->state->cpus[command->logical_cpu].online)
		return -ENXIO;
	if (stored && command->read_write && effect->ignored)
		return 0;
	if (stored && command->read_write)
		write_msr(driver, cpu, command->msr, command->data ^ effect->flip, stored);
	else if (stored)
		command->data = *stored;
	else if (command->msr == MSR_TDP_CONTROL && !command->read_write)
		command->data = domain->fuses.locked ? MSR_TDP_CONTROL_LOCK : 0;
	else if (command->msr == MSR_PHYSICAL_CPU && !command->read_write)
		command->data = cpu->physical_cpu;
	else
		return -EIO;
	return 0;
}

static int run_msr(struct driver *driver, void *entry)
{
	struct isst_if_msr_cmd *command = entry;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_MSR,
		.cpu = command->logical_cpu,
		.number = command->msr,
		.write = command->read_write != 0,
	};
	struct sim_fault_effect effect;
	int err;

	if (!is_listed_msr(command->msr))
		return -EINVAL;
	if (event.write && faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	if (!find_cpu(driver, command->logical_cpu))
		return -EINVAL;
	effect = faults_apply(driver->faults, &event);
	if (effect.error)
		return effect.error;
	err = state_lock(driver->state);
	if (err)
		return err;
	err = access_msr(driver, command, &effect);
	return state_commit(driver->state) ?: err;
}

static const struct entry_request entry_requests[] = {
	{ ISST_IF_GET_PHY_ID, offsetof(struct isst_if_cpu_maps, entries),
	  sizeof(struct isst_if_cpu_map), run_phy_id },
	{ ISST_IF_IO_CMD, offsetof(struct isst_if_io_regs, entries), sizeof(struct isst_if_io_reg),
	  run_mmio },
	{ ISST_IF_MBOX_COMMAND, offsetof(struct isst_if_mbox_cmds, entries),
	  sizeof(struct isst_if_mbox_cmd), run_mailbox },
	{ ISST_IF_MSR_COMMAND, offsetof(struct isst_if_msr_cmds, entries),
	  sizeof(struct isst_if_msr_cmd), run_msr },
};

/* The common driver answers physical ids and MSRs, whichever the back end. */
static bool is_answered(const struct sim_platform *platform, uint32_t number)
{
	bool has_mailbox = platform->interface == SIM_INTERFACE_MAILBOX;

	if (number == ISST_IF_MBOX_COMMAND)
		return has_mailbox && platform->mbox;
	return number != ISST_IF_IO_CMD || (has_mailbox && platform->mmio);
}

static const struct entry_request *find_entry_request(const struct sim_platform *platform,
						      uint32_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(entry_requests); i++) {
		if (entry_requests[i].number == number && is_answered(platform, number))
			return &entry_requests[i];
	}
	return NULL;
}

static int run_entries(struct driver *driver, const struct entry_request *request, void *argument)
{
	uint32_t count = *(const uint32_t *)argument;
	char *entry = (char *)argument + request->first_offset;

	if (count < 1 || count > driver->state->platform->max_cmds_per_ioctl)
		return -EINVAL;
	for (uint32_t done = 0; done < count; done++) {
		int err = request->run(driver, entry + done * request->entry_size);

		if (err)
			return done ? (int)done : err;
	}
	return (int)count;
}

static void get_platform_info(const struct sim_platform *platform, void *argument)
{
	*(struct isst_if_platform_info *)argument = (struct isst_if_platform_info){
		.api_version = platform->api_version,
		.driver_version = platform->driver_version,
		.max_cmds_per_ioctl = platform->max_cmds_per_ioctl,
		.mbox_supported = platform->mbox,
		.mmio_supported = platform->mmio,
	};
}

static int driver_request(struct transport *transport, uint32_t number, void *argument)
{
	struct driver *driver = (struct driver *)transport;
	const struct sim_platform *platform = driver->state->platform;
	const struct entry_request *request = find_entry_request(platform, number);
	const struct sim_fault_event event = { .point = SIM_FAULT_REQUEST, .number = number };
	int err = faults_apply(driver->faults, &event).error;

	if (err)
		return err;
	if (request)
		return run_entries(driver, request, argument);
	if (driver_tpmi_answers(platform, number))
		return driver_tpmi_request(driver, number, argument);
	if (number != ISST_IF_GET_PLATFORM_INFO)
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
	int err;

	if (state->platform->interface == SIM_INTERFACE_NONE)
		return -ENOENT;
	driver = calloc(1, sizeof(*driver));
	if (!driver)
		return -ENOMEM;
	*driver = (struct driver){ { .ops = &driver_ops }, state, faults };
	err = faults_apply(driver->faults, &event).error;
	if (err) {
		free(driver);
		return err;
	}
	*ret_transport = &driver->transport;
	return 0;
}
