// SPDX-License-Identifier: GPL-2.0-only
/* isst_lab: hardware with Speed Select inside a virtual machine. Loaded before the kernel's own
 * drivers, with the machine as a blob in a file; it stays until power-off (pv_ops is not put
 * back). */
#include <linux/fs.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "lab.h"

static char *blob = "/lab/blob";
module_param(blob, charp, 0444);

static char *images = "/lab/registers";
module_param(images, charp, 0444);

struct lab lab = { .lock = __SPIN_LOCK_UNLOCKED(lab.lock) };

struct punit lab_punit(u32 domain)
{
	return (struct punit){ .fuses = &lab.domains[domain].fuses,
			       .state = &lab.states[domain],
			       .package = &lab.packages[lab.domains[domain].package] };
}

int lab_find_domain(u32 package, u32 punit)
{
	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		if (lab.domains[i].package == package && lab.domains[i].punit == punit)
			return (int)i;
	}
	return -1;
}

u32 lab_core_of(u32 cpu)
{
	return lab.cpus[cpu].physical_cpu >> (lab.blob->api_version == 1 ? 1 : 3) & 0xff;
}

u32 lab_base_khz(u32 cpu)
{
	const struct lab_cpu *lab_cpu = &lab.cpus[cpu];
	const struct lab_domain *domain = &lab.domains[lab_cpu->domain];
	const struct punit_state *state = &lab.states[lab_cpu->domain];
	const struct punit_level *level = punit_find_level(&domain->fuses, state->current_level);
	u32 core = lab_core_of(cpu);

	if (!domain->has_sst || !level)
		return lab_cpu->high_priority ? lab.blob->high_priority_base_khz
					      : lab.blob->base_khz;
	if (!state->base_freq_on || !level->has_base_freq)
		return level->base_ratio_sse * 100000;
	return (level->base_freq.core_mask >> core & 1 ? level->base_freq.high_ratio
						       : level->base_freq.low_ratio) *
	       100000;
}

static void end_faults_locked(void)
{
	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		lab.domains[i].fuses.locked = lab.fused[i].locked;
		lab.domains[i].fuses.allowed_level_mask = lab.fused[i].allowed_level_mask;
	}
	lab.response = (struct punit_response){};
	lab.hwp_off = false;
	lab.n_orders = 0;
}

void lab_end_faults(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lab.lock, flags);
	end_faults_locked();
	lab_tpmi_show();
	spin_unlock_irqrestore(&lab.lock, flags);
}

void lab_reset(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lab.lock, flags);
	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		lab.states[i] = lab.domains[i].initial;
		lab.level_errors[i] = 0;
	}
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		lab.packages[i] = lab.blob->msrs;
		lab.uncore[i] =
			lab.blob->uncore_max_khz / 100000 | lab.blob->uncore_min_khz / 100000 << 8;
	}
	end_faults_locked();
	lab.no_turbo = lab.blob->no_turbo;
	lab_mmio_show();
	lab_tpmi_reset();
	spin_unlock_irqrestore(&lab.lock, flags);
}

static int take_blob(void *data, size_t length)
{
	lab.blob = data;
	if (length < sizeof(*lab.blob) || lab.blob->magic != LAB_BLOB_MAGIC ||
	    lab.blob->size != length || lab.blob->n_packages > LAB_MAX_PACKAGES ||
	    lab.blob->n_cpus < num_present_cpus()) {
		pr_err("isst_lab: %s does not describe this machine\n", blob);
		return -EINVAL;
	}
	lab.domains = (struct lab_domain *)(lab.blob + 1);
	lab.cpus = (struct lab_cpu *)(lab.domains + lab.blob->n_domains);
	lab.states = kvcalloc(lab.blob->n_domains, sizeof(*lab.states), GFP_KERNEL);
	lab.fused = kvcalloc(lab.blob->n_domains, sizeof(*lab.fused), GFP_KERNEL);
	lab.level_errors = kvcalloc(lab.blob->n_domains, sizeof(*lab.level_errors), GFP_KERNEL);
	if (!lab.states || !lab.fused || !lab.level_errors)
		return -ENOMEM;
	for (u32 i = 0; i < lab.blob->n_domains; i++)
		lab.fused[i] = lab.domains[i].fuses;
	return 0;
}

/* The registers of a real machine, if there is a file of them. */
static int take_images(void)
{
	void *data = NULL;
	ssize_t length =
		kernel_read_file_from_path(images, 0, &data, 4 << 20, NULL, READING_FIRMWARE);

	if (length == -ENOENT)
		return 0;
	if (length < 0)
		return (int)length;
	if ((size_t)length != lab.blob->n_packages * LAB_TPMI_SIZE) {
		pr_err("isst_lab: %s does not describe this machine\n", images);
		return -EINVAL;
	}
	lab.images = data;
	return 0;
}

static int __init lab_init(void)
{
	static int (*const parts[])(void) = { lab_msr_init,  lab_firmware_init, lab_mailbox_init,
					      lab_tpmi_init, lab_cpufreq_init,  lab_control_init };
	void *data = NULL;
	ssize_t length;
	int err;

	length = kernel_read_file_from_path(blob, 0, &data, 4 << 20, NULL, READING_FIRMWARE);
	if (length < 0)
		return (int)length;
	err = take_blob(data, (size_t)length) ?: take_images();
	if (err)
		return err;
	lab_reset();
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !err; i++)
		err = parts[i]();
	if (err)
		panic("isst_lab: a part could not be made: %d", err);
	return 0;
}
module_init(lab_init);

MODULE_DESCRIPTION("Hardware with Speed Select for tests");
MODULE_LICENSE("GPL");
