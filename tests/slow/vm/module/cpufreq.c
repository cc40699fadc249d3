// SPDX-License-Identifier: GPL-2.0-only
/* A cpufreq driver with the files of intel_pstate in active mode: intel_pstate itself gives up
 * without HWP in CPUID. Limits are kept, nothing changes frequency; base_frequency follows
 * level. */
#include <linux/cpu.h>
#include <linux/cpufreq.h>
#include <linux/kobject.h>
#include <linux/version.h>

#include "lab.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
static struct device *bus_get_dev_root(const struct bus_type *bus)
{
	return get_device(bus->dev_root);
}
#endif

static const char *const preferences[] = { "default", "performance", "balance_performance",
					   "balance_power", "power" };

static u8 preference_of[NR_CPUS];
static u32 max_percent, min_percent;
static struct kobject *directory;

static int verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int set_policy(struct cpufreq_policy *policy)
{
	return 0;
}

static int init_policy(struct cpufreq_policy *policy)
{
	policy->cpuinfo.min_freq = lab.blob->min_khz;
	policy->cpuinfo.max_freq = lab.blob->max_khz;
	policy->min = lab.blob->min_khz;
	policy->max = lab.blob->max_khz;
	policy->policy = CPUFREQ_POLICY_POWERSAVE;
	preference_of[policy->cpu] = 2;
	return 0;
}

static ssize_t show_base(struct cpufreq_policy *policy, char *to)
{
	return sprintf(to, "%u\n", lab_base_khz(policy->cpu));
}

static ssize_t show_preferences(struct cpufreq_policy *policy, char *to)
{
	ssize_t length = 0;

	for (size_t i = 0; i < ARRAY_SIZE(preferences); i++)
		length += sprintf(to + length, "%s ", preferences[i]);
	return length + sprintf(to + length, "\n");
}

static ssize_t show_preference(struct cpufreq_policy *policy, char *to)
{
	return sprintf(to, "%s\n", preferences[preference_of[policy->cpu]]);
}

static ssize_t store_preference(struct cpufreq_policy *policy, const char *from, size_t length)
{
	int index = sysfs_match_string(preferences, from);

	if (index < 0)
		return -EINVAL;
	if (policy->policy == CPUFREQ_POLICY_PERFORMANCE && index != 1)
		return -EBUSY;
	preference_of[policy->cpu] = (u8)index;
	return length;
}

static struct freq_attr base_attribute = __ATTR(base_frequency, 0444, show_base, NULL);
static struct freq_attr preferences_attribute =
	__ATTR(energy_performance_available_preferences, 0444, show_preferences, NULL);
static struct freq_attr preference_attribute =
	__ATTR(energy_performance_preference, 0644, show_preference, store_preference);
static struct freq_attr *attributes[] = { &base_attribute, &preferences_attribute,
					  &preference_attribute, NULL };

static struct cpufreq_driver driver = {
	.flags = CPUFREQ_CONST_LOOPS,
	.verify = verify,
	.setpolicy = set_policy,
	.init = init_policy,
	.attr = attributes,
};

static ssize_t show_status(struct kobject *object, struct kobj_attribute *attribute, char *to)
{
	return sprintf(to, "active\n");
}

static ssize_t show_no_turbo(struct kobject *object, struct kobj_attribute *attribute, char *to)
{
	return sprintf(to, "%u\n", lab.no_turbo);
}

static ssize_t store_no_turbo(struct kobject *object, struct kobj_attribute *attribute,
			      const char *from, size_t length)
{
	bool value;

	if (kstrtobool(from, &value))
		return -EINVAL;
	lab.no_turbo = value;
	return length;
}

static ssize_t show_percent(struct kobject *object, struct kobj_attribute *attribute, char *to)
{
	return sprintf(to, "%u\n", attribute->attr.name[1] == 'a' ? max_percent : min_percent);
}

static ssize_t store_percent(struct kobject *object, struct kobj_attribute *attribute,
			     const char *from, size_t length)
{
	u32 value;

	if (kstrtou32(from, 0, &value))
		return -EINVAL;
	value = min(value, 100U);
	if (attribute->attr.name[1] == 'a')
		max_percent = max(value, min_percent);
	else
		min_percent = min(value, max_percent);
	return length;
}

static struct kobj_attribute status_attribute = __ATTR(status, 0444, show_status, NULL);
static struct kobj_attribute no_turbo_attribute =
	__ATTR(no_turbo, 0644, show_no_turbo, store_no_turbo);
static struct kobj_attribute max_attribute =
	__ATTR(max_perf_pct, 0644, show_percent, store_percent);
static struct kobj_attribute min_attribute =
	__ATTR(min_perf_pct, 0644, show_percent, store_percent);
static const struct attribute *files[] = { &status_attribute.attr, &no_turbo_attribute.attr,
					   &max_attribute.attr, &min_attribute.attr, NULL };

/* intel_pstate without HWP has no base_frequency. */
void lab_cpufreq_show_hwp(bool is_on)
{
	static bool is_shown = true;

	if (!lab.blob->max_khz || is_on == is_shown)
		return;
	is_shown = is_on;
	for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct cpufreq_policy *policy = cpufreq_cpu_get(cpu);

		if (!policy)
			continue;
		if (!is_on)
			sysfs_remove_file(&policy->kobj, &base_attribute.attr);
		else if (sysfs_create_file(&policy->kobj, &base_attribute.attr))
			pr_err("isst_lab: base_frequency of CPU %u does not come back\n", cpu);
		cpufreq_cpu_put(policy);
	}
}

void lab_cpufreq_reset(void)
{
	if (!lab.blob->max_khz)
		return;
	for (u32 cpu = 0; cpu < NR_CPUS; cpu++)
		preference_of[cpu] = 2;
	max_percent = 100;
	min_percent = lab.blob->min_khz * 100 / lab.blob->max_khz;
}

int lab_cpufreq_init(void)
{
	struct device *root = bus_get_dev_root(&cpu_subsys);
	int err;

	if (!lab.blob->max_khz)
		return 0;
	lab_cpufreq_reset();
	strscpy(driver.name, lab.blob->cpufreq_driver, sizeof(driver.name));
	err = cpufreq_register_driver(&driver);
	if (err || strcmp(driver.name, "intel_pstate"))
		return err;
	directory = kobject_create_and_add("intel_pstate", &root->kobj);
	return directory ? sysfs_create_files(directory, files) : -ENOMEM;
}
