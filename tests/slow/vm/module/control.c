// SPDX-License-Identifier: GPL-2.0-only
/* /proc/isst_lab: what a test tells the machine, one order a line; reading counts mailbox commands,
 * and rounds of the mailboxes of limit reasons.
 *
 *   reset                                  as at power-on
 *   level PACKAGE POWER-DOMAIN LEVEL       a management controller changes it; no event
 *   event CPU [COUNT]                      thermal netlink: capabilities changed, of COUNT CPUs
 *   mailbox NUMBER MASK DATA PACKAGE SKIP TIMES CODE BUSY DROP DELAY-US
 *                                          a fault; -1 for any data or package, TIMES -1 for ever
 *   power PACKAGE DOMAIN MW                package, memory or system uses so much from now on
 *   energy PACKAGE DOMAIN COUNT            what its energy counter shows, in 2^-14 J
 *   idle CPU STATE DELAY-MS REFUSED DEMOTED EARLY
 *                                          how a CPU enters an idle state: the delay after the
 *                                          interrupt that ends it; so many times make one that is
 *                                          refused, leads to the next shallower state, or ends
 *                                          at once (0: never)
 *   reasons cpu CPU MASK                   limit reasons of a core appear, of a power domain
 *   reasons domain PACKAGE POWER-DOMAIN MASK
 *   orders_done                            no fault any more; what is set stays
 *   locked N / allowed MASK / hwp_off N / ignored_writes N / blocked_writes N / slow_status N */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "lab.h"
#include "power.h"
#include "reasons.h"

/* The kernel's, exported; its header is not installed. */
struct thermal_genl_cpu_caps {
	int cpu;
	int performance;
	int efficiency;
};
int thermal_genl_cpu_capability_event(int count, struct thermal_genl_cpu_caps *caps);

/* Sets the level as the firmware does for every caller. */
static int set_level(const char *text)
{
	u32 package, id, level;
	unsigned long flags;
	struct punit punit;
	int domain, err = 0;

	if (sscanf(text, "%u %u %u", &package, &id, &level) != 3)
		return -EINVAL;
	domain = lab_find_domain(package, id);
	if (domain < 0 || level > 7)
		return -ENODEV;
	spin_lock_irqsave(&lab.lock, flags);
	punit = lab_punit(domain);
	if (!punit_set_level(&punit, (u8)level))
		err = -EIO;
	lab_mmio_show();
	lab_tpmi_show();
	spin_unlock_irqrestore(&lab.lock, flags);
	return err;
}

static int send_event(const char *text)
{
	struct thermal_genl_cpu_caps *caps;
	u32 cpu, count = 1;
	int err;

	if (sscanf(text, "%u %u", &cpu, &count) < 1 || !count || count > 64)
		return -EINVAL;
	caps = kcalloc(count, sizeof(*caps), GFP_KERNEL);
	if (!caps)
		return -ENOMEM;
	for (u32 i = 0; i < count; i++)
		caps[i] = (struct thermal_genl_cpu_caps){ .cpu = (int)(cpu + i),
							  .performance = 1023,
							  .efficiency = 1023 };
	err = thermal_genl_cpu_capability_event((int)count, caps);
	kfree(caps);
	return err == -ESRCH ? 0 : err; /* no listener */
}

static int add_order(const char *text)
{
	struct lab_order order = {};
	unsigned int code, busy, drop;
	long long data, package;
	unsigned long flags;
	int times;

	if (sscanf(text, "%x %x %lld %lld %u %d %u %u %u %u", &order.number, &order.mask, &data,
		   &package, &order.skip, &times, &code, &busy, &drop, &order.delay_us) != 10)
		return -EINVAL;
	order.data = data;
	order.cpu_package = package;
	order.times = times < 0 ? U32_MAX : times;
	order.code = (u8)code;
	order.busy = busy;
	order.dropped = drop;
	if (lab.n_orders == ARRAY_SIZE(lab.orders))
		return -ENOSPC;
	spin_lock_irqsave(&lab.lock, flags);
	lab.orders[lab.n_orders++] = order;
	spin_unlock_irqrestore(&lab.lock, flags);
	return 0;
}

static void change_fuses(int locked, int allowed)
{
	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		struct punit_fuses *fuses = &lab.domains[i].fuses;

		fuses->locked = locked < 0 ? fuses->locked : locked;
		fuses->allowed_level_mask = allowed < 0 ? fuses->allowed_level_mask : allowed;
	}
	lab_tpmi_show();
}

static int set_response(const char *name, u32 value)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&lab.lock, flags);
	if (!strcmp(name, "locked"))
		change_fuses((int)value, -1);
	else if (!strcmp(name, "allowed"))
		change_fuses(-1, (int)value);
	else if (!strcmp(name, "hwp_off"))
		lab.hwp_off = value;
	else if (!strcmp(name, "ignored_writes"))
		lab.response.ignores_writes = value;
	else if (!strcmp(name, "blocked_writes"))
		lab.write_blocked = value;
	else if (!strcmp(name, "slow_status"))
		lab.response.slow_reads = (u8)value;
	else
		err = -EINVAL;
	spin_unlock_irqrestore(&lab.lock, flags);
	return err;
}

static int obey(const char *line)
{
	char name[20];
	u32 value;

	if (!strcmp(line, "reset")) {
		lab_reset();
		lab_cpufreq_reset();
		lab_idle_reset();
		return 0;
	}
	if (!strcmp(line, "orders_done")) {
		lab_end_faults();
		return 0;
	}
	if (!strncmp(line, "level ", 6))
		return set_level(line + 6);
	if (!strncmp(line, "event ", 6))
		return send_event(line + 6);
	if (!strncmp(line, "idle ", 5))
		return lab_idle_order(line + 5);
	if (!strncmp(line, "mailbox ", 8))
		return add_order(line + 8);
	if (!strncmp(line, "power ", 6))
		return lab_power_order(line + 6, false);
	if (!strncmp(line, "energy ", 7))
		return lab_power_order(line + 7, true);
	if (!strncmp(line, "reasons ", 8))
		return lab_reasons_order(line + 8);
	if (sscanf(line, "lock %u", &value) == 1)
		return lab_power_lock(value);
	if (sscanf(line, "unit %u", &value) == 1) {
		lab_power_unit(value);
		return 0;
	}
	if (sscanf(line, "%19s %i", name, &value) == 2)
		return set_response(name, value);
	return -EINVAL;
}

static ssize_t write_control(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	char *text = memdup_user_nul(from, length), *rest = text, *line;
	int err = 0;

	if (IS_ERR(text))
		return PTR_ERR(text);
	while (!err && (line = strsep(&rest, "\n"))) {
		if (*line)
			err = obey(line);
	}
	lab_cpufreq_show_hwp(!lab.hwp_off);
	kfree(text);
	return err ?: (ssize_t)length;
}

static int show_control(struct seq_file *to, void *unused)
{
	seq_printf(to, "%u\n", READ_ONCE(lab.n_commands));
	return 0;
}

static int open_control(struct inode *inode, struct file *file)
{
	return single_open(file, show_control, NULL);
}

static const struct proc_ops operations = {
	.proc_open = open_control,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = write_control,
};

int lab_control_init(void)
{
	return proc_create("isst_lab", 0600, NULL, &operations) ? 0 : -ENOMEM;
}
