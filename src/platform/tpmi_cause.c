// SPDX-License-Identifier: GPL-2.0-only
/*
 * The likely cause of a TPMI request that failed (hardware.md, section 4): errno is always ENOTTY,
 * so what is known to make requests fail is looked at, the surest first. Of a level that is not
 * allowed user space sees nothing: that is what is left.
 */
#include "platform/tpmi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/plan.h"

#define PSTATE_STATUS "/sys/devices/system/cpu/intel_pstate/status"

static struct platform_cause cause(int error, const char *text)
{
	return (struct platform_cause){ .error = error, .text = text };
}

static const struct power_domain *find_domain(const struct platform *platform,
					      const struct plan_write *write)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].package == write->package &&
		    list->domains[i].id == write->power_domain)
			return &list->domains[i];
	}
	return NULL;
}

/* intel_pstate without HWP shows no base_frequency (sysfs.md, "cpufreq policy"). */
static bool has_base_frequency(const struct platform *platform)
{
	uint32_t cpu = cpuset_next(&platform->machine->topology.online, 0);
	uint64_t khz;
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/base_frequency", cpu);
	return files_read_number(platform->machine->host->files, path, &khz) != -ENOENT;
}

/* Is HWP off, as far as can be seen? The words for it, or NULL. */
static const char *find_hwp_problem(const struct platform *platform)
{
	_cleanup_free_ char *status = NULL;
	int err = files_read_line(platform->machine->host->files, PSTATE_STATUS, &status);

	if (err == -ENOENT || (!err && strcmp(status, "off") == 0))
		return "the driver refuses it, probably because HWP is off: intel_pstate does not "
		       "drive this machine";
	if (!err && !has_base_frequency(platform))
		return "the driver refuses it, probably because HWP is off (is no_hwp on the "
		       "kernel's command line?)";
	return NULL;
}

static struct platform_cause find_level_cause(struct platform *platform,
					      const struct plan_write *write)
{
	const struct power_domain *domain = find_domain(platform, write);
	const struct tpmi_levels *answer =
		domain ? tpmi_read_levels_of(platform, domain, true) : NULL;
	uint32_t level = (uint32_t)write->value;

	if (!answer || answer->error)
		return cause(-EIO, "the driver refuses it, and does not tell the level any more");
	if (answer->levels.locked)
		return cause(-EROFS, "the performance level is locked by BIOS");
	if (!tpmi_has_level(&answer->levels, level))
		return cause(-ENOENT, "there is no such performance level");
	if (answer->levels.current_level == level)
		return cause(-EALREADY, "the level is current already; another program set it?");
	return cause(-EOPNOTSUPP, "the level is probably not allowed: BIOS or firmware does not "
				  "let software switch to it, or does not follow");
}

static struct platform_cause find_write_cause(struct platform *platform,
					      const struct plan_write *write)
{
	struct host *host = platform->machine->host;
	bool needs_hwp = write->address != ISST_CLOS_PARAM && write->address != ISST_CLOS_ASSOC;
	const char *problem = needs_hwp ? find_hwp_problem(platform) : NULL;

	if (host->ops->has_capability(host) == 0)
		return cause(-EPERM, "not permitted: CAP_SYS_ADMIN is not effective");
	if (problem)
		return cause(-EOPNOTSUPP, problem);
	if (write->address == ISST_PERF_SET_LEVEL)
		return find_level_cause(platform, write);
	return cause(-EIO, needs_hwp
				   ? "the driver refuses it and tells no reason; firmware does not "
				     "follow, BIOS has locked it, or HWP is off"
				   : "the driver refuses it and tells no reason; firmware does not "
				     "follow, or BIOS has locked it");
}

struct platform_cause tpmi_find_cause(struct platform *platform, const struct plan_write *write,
				      int error)
{
	if (error == -ENODEV)
		return cause(error, "the driver has no instance for this power domain");
	if (error != -ENOTTY || (write && write->kind != PLAN_TPMI))
		return cause(error, NULL);
	if (write)
		return find_write_cause(platform, write);
	return cause(error, "the driver does not answer: it is too old for this request, its "
			    "module is not loaded, or the power domain has nothing of the kind");
}
