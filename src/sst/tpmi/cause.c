// SPDX-License-Identifier: GPL-2.0-only
/* The likely cause of a TPMI request that failed (hardware.md, section 4): errno is always ENOTTY,
 * so what is known to make requests fail is examined, the surest first. User space cannot see which
 * levels are allowed: that is what is left. */
#include "sst/tpmi/tpmi.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/host.h"

#define PSTATE_STATUS FILES_CPUS "/intel_pstate/status"

static struct target_cause cause(int error, const char *text)
{
	return (struct target_cause){ .error = error, .text = text };
}

/* intel_pstate without HWP shows no base_frequency (sysfs.md, "cpufreq policy"). */
static bool has_base_frequency(struct files *files)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };
	uint64_t khz;
	char path[FILES_CPU_PATH_SIZE];

	if (files_read_cpus(files, "/sys/devices/system/cpu/online", &online))
		return true;
	files_format_cpu_path(path, cpuset_next(&online, 0), "cpufreq/base_frequency");
	return files_read_number(files, path, &khz) != -ENOENT;
}

/* Is HWP off, as far as can be seen? The text for it, or NULL. */
static const char *find_hwp_problem(struct files *files)
{
	_cleanup_free_ char *status = NULL;
	int err = files_read_line(files, PSTATE_STATUS, &status);

	if (err == -ENOENT || (!err && strcmp(status, "off") == 0))
		return "the driver refuses it, probably because HWP is off: intel_pstate does not "
		       "drive this machine";
	if (!err && !has_base_frequency(files))
		return "the driver refuses it, probably because HWP is off (is no_hwp on the "
		       "kernel's command line?)";
	return NULL;
}

/* The causes that all writes have. Returns whether it is one of them. */
static bool find_common_cause(int error, bool needs_hwp, struct host *host,
			      struct target_cause *ret_cause)
{
	const char *problem = NULL;

	if (error == -ENODEV)
		*ret_cause = cause(error, "the driver has no instance for this power domain");
	else if (error != -ENOTTY)
		*ret_cause = cause(error, NULL);
	else if (host->ops->has_capability(host) == 0)
		*ret_cause = cause(-EPERM, "not permitted: CAP_SYS_ADMIN is not effective");
	else if (needs_hwp && (problem = find_hwp_problem(host->files)))
		*ret_cause = cause(-EOPNOTSUPP, problem);
	else
		return false;
	return true;
}

static struct target_cause find_refusal(int error, bool needs_hwp, struct host *host)
{
	struct target_cause found;

	if (find_common_cause(error, needs_hwp, host, &found))
		return found;
	return cause(-EIO, needs_hwp ? "the driver refuses it and gives no reason; firmware does "
				       "not follow, BIOS has locked it, or HWP is off"
				     : "the driver refuses it and gives no reason; firmware does "
				       "not follow, or BIOS has locked it");
}

struct target_cause tpmi_find_write_cause(const struct write_target *target,
					  const struct target_value *value, int error,
					  struct host *host, const struct channel *channel)
{
	(void)target;
	(void)value;
	(void)channel;
	return find_refusal(error, true, host);
}

struct target_cause tpmi_find_clos_cause(const struct write_target *target,
					 const struct target_value *value, int error,
					 struct host *host, const struct channel *channel)
{
	(void)target;
	(void)value;
	(void)channel;
	return find_refusal(error, false, host);
}

struct target_cause tpmi_find_level_cause(const struct write_target *target,
					  const struct target_value *value, int error,
					  struct host *host, const struct channel *channel)
{
	struct isst_perf_level_info levels = {
		.socket_id = (__u8)target->package,
		.power_domain_id = (__u8)target->power_domain,
	};
	struct target_cause found;

	if (find_common_cause(error, true, host, &found))
		return found;
	if (channel_request(channel, ISST_IF_PERF_LEVELS, &levels) < 0)
		return cause(-EIO, "the driver refuses it, and does not report the level any more");
	if (levels.locked)
		return cause(-EROFS, "the performance level is locked by BIOS");
	if (!tpmi_has_level(&levels, (uint32_t)value->number))
		return cause(-ENOENT, "there is no such performance level");
	if (levels.current_level == value->number)
		return cause(-EALREADY, "the level is current already; another program set it?");
	return cause(-EOPNOTSUPP, "the level is probably not allowed: BIOS or firmware does not "
				  "let software switch to it, or does not follow");
}

struct target_cause tpmi_find_cause(int error)
{
	if (error == -ENODEV)
		return cause(error, "the driver has no instance for this power domain");
	if (error != -ENOTTY)
		return cause(error, NULL);
	return cause(error, "the driver does not answer: it is too old for this request, its "
			    "module is not loaded, or the power domain has nothing of the kind");
}
