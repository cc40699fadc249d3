// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's registers: the 32-bit MMIO window of a PUNIT, and the MSRs that it lets through
 * (hardware.md, section 2 for who may and section 3 for what they hold). Writing either asks for
 * CAP_SYS_ADMIN.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "simulator/driver_commands.h"

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

static bool is_mmio_register(const struct sim_platform *platform, uint32_t reg)
{
	bool is_3451 =
		platform->cpu.model == MODEL_ICE_LAKE_X || platform->cpu.model == MODEL_ICE_LAKE_D;

	return reg % 4 == 0 && reg >= MMIO_FIRST &&
	       reg <= (is_3451 ? MMIO_LAST_3451 : MMIO_LAST_3251);
}

static int check_mmio(const struct driver *driver, const struct isst_io_command *command)
{
	const struct sim_platform *platform = driver->state->platform;
	const struct sim_cpu *cpu = driver_find_cpu(driver, command->logical_cpu);

	if (!is_mmio_register(platform, command->reg))
		return -EINVAL;
	if (command->read_write && faults_deny_capability(driver->faults))
		return -EPERM;
	if (!cpu || !platform->domains[cpu->domain].has_sst)
		return -EINVAL;
	return 0;
}

int driver_mmio_command(struct driver *driver, void *entry)
{
	struct isst_io_command *command = entry;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_MMIO,
		.cpu = command->logical_cpu,
		.number = command->reg,
		.write = command->read_write != 0,
	};
	struct sim_fault_effect effect;
	struct punit punit;
	int err = check_mmio(driver, command);

	if (err)
		return err;
	effect = driver_meet_faults(driver, &event);
	if (effect.error || effect.ignored)
		return effect.error;
	err = state_lock(driver->state);
	if (err)
		return err;
	punit = state_punit(driver->state, driver_find_cpu(driver, command->logical_cpu)->domain);
	if (command->read_write)
		punit_mmio_write(&punit, command->reg, command->value ^ (uint32_t)effect.flip);
	else
		command->value = punit_mmio_read(&punit, command->reg);
	state_unlock(driver->state);
	return 0;
}

static bool is_listed_msr(uint64_t msr)
{
	return msr == MSR_PHYSICAL_CPU || msr == MSR_TURBO_RATIO_LIMIT ||
	       msr == MSR_TURBO_RATIO_LIMIT_CORES || msr == MSR_SECONDARY_TURBO_LIMIT ||
	       msr == MSR_TDP_CONTROL;
}

/* The package's store of an MSR that keeps what is written to it, or NULL. */
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

/* What the package keeps of a value that is written; the lock is held. */
static uint64_t take_msr(struct driver *driver, const struct sim_cpu *cpu, uint64_t msr,
			 uint64_t value)
{
	struct punit punit = state_punit(driver->state, cpu->domain);

	if (msr != MSR_TURBO_RATIO_LIMIT || !faults_settings(driver->faults)->clamped_limits)
		return value;
	return punit_clamp_limits(&punit, value);
}

/* The lock is held. -EIO is what the kernel makes of an access that the CPU refuses. */
static int access_msr(struct driver *driver, struct isst_msr_command *command,
		      const struct sim_fault_effect *effect)
{
	const struct sim_cpu *cpu = driver_find_cpu(driver, command->logical_cpu);
	const struct sim_domain *domain = &driver->state->platform->domains[cpu->domain];
	uint64_t *stored = find_stored_msr(driver->state, cpu, command->msr);

	if (!driver->state->cpus[command->logical_cpu].online)
		return -ENXIO;
	if (stored && command->read_write && effect->ignored)
		return 0;
	if (stored && command->read_write)
		*stored = take_msr(driver, cpu, command->msr, command->data ^ effect->flip);
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

int driver_msr_command(struct driver *driver, void *entry)
{
	struct isst_msr_command *command = entry;
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
	if (command->read_write && faults_deny_capability(driver->faults))
		return -EPERM;
	if (!driver_find_cpu(driver, command->logical_cpu))
		return -EINVAL;
	effect = driver_meet_faults(driver, &event);
	err = effect.error ?: state_lock(driver->state);
	if (err)
		return err;
	err = access_msr(driver, command, &effect);
	state_unlock(driver->state);
	return err;
}
