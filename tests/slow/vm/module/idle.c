// SPDX-License-Identifier: GPL-2.0-only
/* An idle driver with the states of intel_idle on Ice Lake: QEMU has only the instruction that
 * halts until an interrupt. Every state halts; what a test orders comes in addition. */
#include <linux/cpuidle.h>
#include <linux/percpu.h>
#include <linux/sched/idle.h>
#include <asm/irqflags.h>
#include <asm/tsc.h>

#include "lab.h"

/* What entering one state on one CPU does. */
struct idle_script {
	u32 delay_ms; /* from the interrupt that ends it until the CPU goes on */
	u32 refused, demoted, early; /* every so many times; 0: never */
	u32 entries;
};

static DEFINE_PER_CPU(struct idle_script[CPUIDLE_STATE_MAX], scripts);
static bool is_registered;

static bool is_due(const struct idle_script *script, u32 every)
{
	return every && script->entries % every == 0;
}

static void wait_ms(u32 ms)
{
	const u64 end = rdtsc() + (u64)ms * tsc_khz;

	while (ms && rdtsc() < end)
		cpu_relax();
}

/* Called with interrupts off, and returns so. Returns the state that was entered. */
static int enter(struct cpuidle_device *device, struct cpuidle_driver *driver, int index)
{
	struct idle_script *script = &per_cpu(scripts, device->cpu)[index];

	script->entries++;
	if (is_due(script, script->refused))
		return -EBUSY;
	if (is_due(script, script->early))
		return index;
	if (!current_clr_polling_and_test()) {
		raw_safe_halt();
		raw_local_irq_disable();
	}
	wait_ms(script->delay_ms);
	return is_due(script, script->demoted) ? index - 1 : index;
}

static struct cpuidle_driver driver = {
	.name = "intel_idle",
	.owner = THIS_MODULE,
	.states = {
		{}, /* POLL */
		{ .name = "C1", .desc = "MWAIT 0x00", .exit_latency = 1, .target_residency = 1,
		  .enter = enter },
		{ .name = "C1E", .desc = "MWAIT 0x01", .exit_latency = 4, .target_residency = 4,
		  .enter = enter },
		{ .name = "C6", .desc = "MWAIT 0x20", .exit_latency = 170, .target_residency = 600,
		  .enter = enter },
	},
	.state_count = 4,
};

int lab_idle_order(const char *text)
{
	struct idle_script script = {};
	u32 cpu, state;
	int err = 0;

	if (sscanf(text, "%u %u %u %u %u %u", &cpu, &state, &script.delay_ms, &script.refused,
		   &script.demoted, &script.early) != 6)
		return -EINVAL;
	if (!cpu_possible(cpu) || state == 0 || state >= (u32)driver.state_count)
		return -ENODEV;
	per_cpu(scripts, cpu)[state] = script;
	if (!is_registered) {
		cpuidle_poll_state_init(&driver);
		err = cpuidle_register(&driver, NULL);
		is_registered = !err;
	}
	return err;
}

void lab_idle_reset(void)
{
	unsigned int cpu;

	if (is_registered)
		cpuidle_unregister(&driver);
	is_registered = false;
	for_each_possible_cpu(cpu) memset(per_cpu(scripts, cpu), 0, sizeof(scripts));
}
