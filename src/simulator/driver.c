// SPDX-License-Identifier: GPL-2.0-only
/* The simulated driver: sends requests to the machine's back ends, and has the mailbox, MMIO and
 * MSR back ends (hardware.md, section 2). A request is a list of entries. The first entry that
 * fails ends the request; its error is returned only if no entry was completed. Each entry takes
 * the lock of the state, as the kernel's driver takes its mutex. */
#include "simulator/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "simulator/activity.h"
#include "simulator/power.h"
#include "simulator/recording.h"

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

/* A request with entries: a u32 count, then the entries. */
struct entry_request {
	uint32_t number;
	size_t first_offset;
	size_t entry_size;
	enum sim_fault_point point;
	/* Describes the entry in *event, and checks what the driver checks first. */
	int (*check)(const struct driver *driver, const void *entry, struct sim_fault_event *event);
	/* Answers the entry; the lock is held. */
	int (*run)(struct driver *driver, void *entry, const struct sim_fault_effect *effect);
};

/* The sub-commands, from first to last, that the driver passes to the hardware. With the guarded
 * parameter a sub-command needs CAP_SYS_ADMIN. */
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

static bool has_punit(const struct driver *driver, uint32_t cpu)
{
	const struct sim_platform *platform = driver->state->platform;

	return cpu < platform->n_cpus && platform->domains[platform->cpus[cpu].domain].has_sst;
}

static struct punit punit_of(struct driver *driver, uint32_t cpu)
{
	return state_punit(driver->state, driver->state->platform->cpus[cpu].domain);
}

static int check_phy_id(const struct driver *driver, const void *entry,
			struct sim_fault_event *event)
{
	event->cpu = ((const struct isst_if_cpu_map *)entry)->logical_cpu;
	return event->cpu < driver->state->platform->n_cpus ? 0 : -EINVAL;
}

static int answer_phy_id(const struct driver *driver, uint32_t cpu, struct isst_if_cpu_map *map)
{
	map->physical_cpu = driver->state->platform->cpus[cpu].physical_cpu;
	return 0;
}

static int check_mailbox(const struct driver *driver, const void *entry,
			 struct sim_fault_event *event)
{
	const struct isst_if_mbox_cmd *command = entry;
	const struct listed_command *listed = listed_commands;
	const struct listed_command *end = listed + ARRAY_SIZE(listed_commands);

	event->cpu = command->logical_cpu;
	event->number = (uint64_t)command->command << 8 | command->sub_command;
	event->parameter = command->parameter;
	event->data = command->req_data;
	while (listed < end && (listed->command != command->command ||
				command->sub_command < listed->first_sub_command ||
				command->sub_command > listed->last_sub_command))
		listed++;
	if (listed == end)
		return -EINVAL;
	if (listed->is_guarded && command->parameter == listed->guarded_parameter &&
	    faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	return has_punit(driver, command->logical_cpu) ? 0 : -EINVAL;
}

/* The mailbox of the Skylake generation is a pair of MSRs, which cannot be accessed while the CPU
 * is offline. An ignored command is answered with 0. */
static int run_mailbox(struct driver *driver, void *entry, const struct sim_fault_effect *effect)
{
	struct isst_if_mbox_cmd *command = entry;
	const struct sim_platform *platform = driver->state->platform;
	uint32_t package = platform->domains[platform->cpus[command->logical_cpu].domain].package;
	struct punit punit = punit_of(driver, command->logical_cpu);
	uint8_t code, level = punit.state->current_level;

	if (!platform->mmio && platform->cpu.model == MODEL_SKYLAKE_X &&
	    !driver->state->cpus[command->logical_cpu].online)
		return -ENXIO;
	if (effect->ignored) {
		command->resp_data = 0;
		return 0;
	}
	code = punit_mailbox(&punit, (uint8_t)command->command, (uint8_t)command->sub_command,
			     command->parameter, command->req_data ^ (uint32_t)effect->flip,
			     &command->resp_data);
	if (punit.state->current_level != level)
		sim_power_follow_level(driver->state, package,
				       activity_tdp_mw(driver->state, package));
	return code == PUNIT_SUCCESS ? 0 : -ENXIO;
}

static int check_mmio(const struct driver *driver, const void *entry, struct sim_fault_event *event)
{
	const struct isst_if_io_reg *command = entry;
	uint32_t model = driver->state->platform->cpu.model;
	bool is_3451 = model == MODEL_ICE_LAKE_X || model == MODEL_ICE_LAKE_D;

	event->cpu = command->logical_cpu;
	event->number = command->reg;
	event->write = command->read_write != 0;
	if (command->reg % 4 || command->reg < MMIO_FIRST ||
	    command->reg > (is_3451 ? MMIO_LAST_3451 : MMIO_LAST_3251))
		return -EINVAL;
	if (event->write && faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	return has_punit(driver, command->logical_cpu) ? 0 : -EINVAL;
}

static int run_mmio(struct driver *driver, void *entry, const struct sim_fault_effect *effect)
{
	struct isst_if_io_reg *command = entry;
	struct punit punit = punit_of(driver, command->logical_cpu);

	if (effect->ignored)
		return 0;
	if (command->read_write)
		punit_mmio(&punit, command->reg, true, command->value ^ (uint32_t)effect->flip);
	else
		command->value = punit_mmio(&punit, command->reg, false, 0);
	return 0;
}

static int check_msr(const struct driver *driver, const void *entry, struct sim_fault_event *event)
{
	const struct isst_if_msr_cmd *command = entry;

	event->cpu = command->logical_cpu;
	event->number = command->msr;
	event->write = command->read_write != 0;
	switch (command->msr) {
	case MSR_PHYSICAL_CPU:
	case MSR_TURBO_RATIO_LIMIT:
	case MSR_TURBO_RATIO_LIMIT_CORES:
	case MSR_SECONDARY_TURBO_LIMIT:
	case MSR_TDP_CONTROL:
		break;
	default:
		return -EINVAL;
	}
	if (event->write && faults_settings(driver->faults)->missing_capability)
		return -EPERM;
	return event->cpu < driver->state->platform->n_cpus ? 0 : -EINVAL;
}

/* The kernel returns EIO for an access that the CPU refuses. */
static int run_msr(struct driver *driver, void *entry, const struct sim_fault_effect *effect)
{
	struct isst_if_msr_cmd *command = entry;
	const struct sim_platform *platform = driver->state->platform;
	struct punit punit = punit_of(driver, command->logical_cpu);
	uint64_t value = command->data ^ effect->flip, *stored = NULL;

	if (!driver->state->cpus[command->logical_cpu].online)
		return -ENXIO;
	if (platform->has_msrs && command->msr == MSR_TURBO_RATIO_LIMIT)
		stored = &punit.package->turbo_ratio_limit;
	if (platform->has_msrs && command->msr == MSR_TURBO_RATIO_LIMIT_CORES)
		stored = &punit.package->turbo_ratio_limit_cores;
	if (command->msr == MSR_TURBO_RATIO_LIMIT &&
	    faults_settings(driver->faults)->clamped_limits)
		value = punit_clamp_limits(&punit, value);
	if (stored == &punit.package->turbo_ratio_limit && command->read_write && !effect->ignored)
		punit.package->written_limit = value;
	if (stored && command->read_write && !effect->ignored)
		*stored = value;
	else if (stored && !command->read_write)
		command->data = *stored;
	else if (command->msr == MSR_TDP_CONTROL && !command->read_write)
		command->data = punit.fuses->locked ? MSR_TDP_CONTROL_LOCK : 0;
	else if (command->msr == MSR_PHYSICAL_CPU && !command->read_write)
		command->data = platform->cpus[command->logical_cpu].physical_cpu;
	else if (!stored)
		return -EIO;
	return 0;
}

#define ENTRIES(requests, entry) offsetof(struct requests, entries), sizeof(struct entry)

static const struct entry_request entry_requests[] = {
	{ ISST_IF_GET_PHY_ID, ENTRIES(isst_if_cpu_maps, isst_if_cpu_map), SIM_FAULT_PHY_ID,
	  check_phy_id, NULL },
	{ ISST_IF_IO_CMD, ENTRIES(isst_if_io_regs, isst_if_io_reg), SIM_FAULT_MMIO, check_mmio,
	  run_mmio },
	{ ISST_IF_MBOX_COMMAND, ENTRIES(isst_if_mbox_cmds, isst_if_mbox_cmd), SIM_FAULT_MAILBOX,
	  check_mailbox, run_mailbox },
	{ ISST_IF_MSR_COMMAND, ENTRIES(isst_if_msr_cmds, isst_if_msr_cmd), SIM_FAULT_MSR, check_msr,
	  run_msr },
};

static int ask_model(struct driver *driver, const struct entry_request *request, void *entry)
{
	struct sim_fault_event event = { .point = request->point };
	int err = request->check(driver, entry, &event);
	struct sim_fault_effect effect;

	if (err)
		return err;
	effect = faults_apply(driver->faults, &event);
	if (effect.error)
		return effect.error;
	if (effect.completion_code)
		return -ENXIO;
	if (!request->run)
		return answer_phy_id(driver, event.cpu, entry);
	err = state_lock(driver->state);
	if (err)
		return err;
	err = request->run(driver, entry, &effect);
	return state_end_request(driver->state, request->run != run_mailbox && !event.write, err);
}

/* Answers an entry as the recorded machine does. The model at its start has no faults. */
static int replay_entry(struct driver *driver, const struct entry_request *request, void *entry)
{
	struct driver start_driver = { .state = driver->state->start };
	struct request_item now = { .request = request->number, .size = request->entry_size };
	struct request_item start;

	memcpy(now.bytes, entry, now.size);
	start = now;
	now.error = ask_model(driver, request, now.bytes);
	start.error = ask_model(&start_driver, request, start.bytes);
	recording_replay(driver->state->platform, &now, &start);
	memcpy(entry, now.bytes, now.size);
	return now.error;
}

static int run_entries(struct driver *driver, const struct entry_request *request, void *argument)
{
	uint32_t count = *(const uint32_t *)argument;
	char *entry = (char *)argument + request->first_offset;

	if (count < 1 || count > driver->state->platform->max_cmds_per_ioctl)
		return -EINVAL;
	for (uint32_t done = 0; done < count; done++) {
		char *one = entry + done * request->entry_size;
		bool replays =
			driver->state->start && !requests_sets(request->number, argument, done);
		int err = replays ? replay_entry(driver, request, one)
				  : ask_model(driver, request, one);

		if (err)
			return done ? (int)done : err;
	}
	return (int)count;
}

/* Answers a TPMI request as the recorded machine does. A request with several entries fails if one
 * of the entries failed on that machine. */
static int replay_tpmi(struct driver *driver, uint32_t number, void *argument)
{
	struct driver start_driver = { .state = driver->state->start };
	struct request_layout layout;
	_cleanup_free_ char *start = NULL;
	size_t count, size;
	int err, start_err;

	if (!requests_find_layout(number, &layout) || requests_sets(number, argument, 0))
		return driver_tpmi_request(driver, number, argument);
	count = requests_count(&layout, argument);
	if (count > ISST_ENTRIES_PER_CALL)
		return driver_tpmi_request(driver, number, argument);
	size = layout.header_size + count * layout.entry_size;
	start = malloc(size);
	if (!start)
		return -ENOMEM;
	memcpy(start, argument, size);
	err = driver_tpmi_request(driver, number, argument);
	start_err = driver_tpmi_request(&start_driver, number, start);
	for (size_t i = 0; i < count; i++) {
		size_t offset = layout.entries_offset + i * layout.entry_size;
		struct request_item now = { number, err, layout.entry_size, { 0 } };
		struct request_item at_start = { number, start_err, layout.entry_size, { 0 } };

		memcpy(now.bytes, (char *)argument + offset, now.size);
		memcpy(at_start.bytes, start + offset, at_start.size);
		recording_replay(driver->state->platform, &now, &at_start);
		memcpy((char *)argument + offset, now.bytes, now.size);
		if (now.error)
			return now.error;
		if (i + 1 == count)
			return 0;
	}
	return err;
}

static int driver_request(struct transport *transport, uint32_t number, void *argument)
{
	struct driver *driver = (struct driver *)transport;
	const struct sim_platform *platform = driver->state->platform;
	bool has_mailbox = platform->interface == SIM_INTERFACE_MAILBOX;
	const struct sim_fault_event event = { .point = SIM_FAULT_REQUEST, .number = number };
	int err = faults_apply(driver->faults, &event).error;

	if (err)
		return err;
	/* With every back end, the common driver answers physical ids (without the firmware) and
	 * MSRs. */
	for (size_t i = 0; i < ARRAY_SIZE(entry_requests); i++) {
		if (entry_requests[i].number == number &&
		    (number != ISST_IF_MBOX_COMMAND || (has_mailbox && platform->mbox)) &&
		    (number != ISST_IF_IO_CMD || (has_mailbox && platform->mmio)))
			return run_entries(driver, &entry_requests[i], argument);
	}
	if (number != ISST_IF_GET_PLATFORM_INFO)
		return platform->interface != SIM_INTERFACE_TPMI ? -ENOTTY
		       : driver->state->start ? replay_tpmi(driver, number, argument)
					      : driver_tpmi_request(driver, number, argument);
	*(struct isst_if_platform_info *)argument = (struct isst_if_platform_info){
		.api_version = platform->api_version,
		.driver_version = platform->driver_version,
		.max_cmds_per_ioctl = platform->max_cmds_per_ioctl,
		.mbox_supported = platform->mbox,
		.mmio_supported = platform->mmio,
	};
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

	err = recording_about(state->platform->recording)->open_error;
	if (err)
		return err;
	if (state->platform->interface == SIM_INTERFACE_NONE)
		return -ENOENT;
	err = faults_apply(faults, &event).error;
	if (err)
		return err;
	driver = malloc(sizeof(*driver));
	if (!driver)
		return -ENOMEM;
	*driver = (struct driver){ { .ops = &driver_ops }, state, faults };
	*ret_transport = &driver->transport;
	return 0;
}
