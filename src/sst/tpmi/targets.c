// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the settings of TPMI parts, each by a request of its own (hardware.md, section
 * 4), and finds the likely cause of a failure. Every structure is zero before it is filled.
 * Associations that follow each other go in one request. */
#include "sst/tpmi/tpmi.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/host.h"

/* A structure's members that name the power domain. */
#define OF_DOMAIN(target) \
	.socket_id = (__u8)(target)->package, .power_domain_id = (__u8)(target)->power_domain

static int read_levels(struct target_io *io, const struct write_target *target,
		       struct isst_perf_level_info *levels)
{
	*levels = (struct isst_perf_level_info){ OF_DOMAIN(target) };
	return channel_request(&io->channel, ISST_IF_PERF_LEVELS, levels, sizeof(*levels));
}

static int run_level(struct target_io *io, const struct write_target *target,
		     struct target_value *value, bool writes)
{
	struct isst_perf_level_control level = { OF_DOMAIN(target), .level = (__u8)value->number };
	struct isst_perf_level_info levels;
	int err;

	if (writes)
		return channel_request(&io->channel, ISST_IF_PERF_SET_LEVEL, &level, sizeof(level));
	err = read_levels(io, target, &levels);
	if (!err)
		*value = (struct target_value){ .number = levels.current_level };
	return err;
}

static int run_features(struct target_io *io, const struct write_target *target,
			struct target_value *value, bool writes)
{
	struct isst_perf_feature_control features = {
		OF_DOMAIN(target),
		.feature = (value->numbers[VALUE_BASE_FREQ] ? ISST_FEATURE_BF : 0) |
			   (value->numbers[VALUE_TURBO_FREQ] ? ISST_FEATURE_TF : 0),
	};
	struct isst_perf_level_info levels;
	int err;

	if (writes)
		return channel_request(&io->channel, ISST_IF_PERF_SET_FEATURE, &features,
				       sizeof(features));
	err = read_levels(io, target, &levels);
	if (!err)
		*value = value_of_features(levels.feature_state & ISST_FEATURE_BF,
					   levels.feature_state & ISST_FEATURE_TF);
	return err;
}

static int run_core_power(struct target_io *io, const struct write_target *target,
			  struct target_value *value, bool writes)
{
	struct isst_core_power state = { .get_set = writes, OF_DOMAIN(target) };
	int err;

	if (writes) {
		state.enable = value->numbers[VALUE_ENABLED] != 0;
		state.priority_type = value->numbers[VALUE_ORDERED] != 0;
	}
	err = channel_request(&io->channel, ISST_IF_CORE_POWER_STATE, &state, sizeof(state));
	if (!err && !writes)
		*value = value_of_core_power(state.enable, state.priority_type);
	return err;
}

static int run_clos(struct target_io *io, const struct write_target *target,
		    struct target_value *value, bool writes)
{
	struct isst_clos_param param = {
		.get_set = writes,
		OF_DOMAIN(target),
		.clos = (__u8)target->index,
	};
	int err;

	if (writes) {
		param.min_freq_mhz = (__u16)value->numbers[VALUE_MIN_MHZ];
		param.max_freq_mhz = (__u16)value->numbers[VALUE_MAX_MHZ];
		param.prop_prio = (__u8)value->numbers[VALUE_WEIGHT];
	}
	err = channel_request(&io->channel, ISST_IF_CLOS_PARAM, &param, sizeof(param));
	if (err || writes)
		return err;
	*value = (struct target_value){ 0 };
	value->numbers[VALUE_WEIGHT] = param.prop_prio;
	value->numbers[VALUE_MIN_MHZ] = param.min_freq_mhz;
	value->numbers[VALUE_MAX_MHZ] = param.max_freq_mhz;
	return 0;
}

/* A request with room for as many entries as the driver takes. */
struct assoc_request {
	struct isst_if_clos_assoc_cmds head;
	struct isst_if_clos_assoc room[ISST_ENTRIES_PER_CALL];
};

static int send_entries(const struct channel *channel, bool set, struct isst_if_clos_assoc *entries,
			size_t count)
{
	struct assoc_request request = {
		.head = { .cmd_count = (__u16)count, .get_set = set, .punit_cpu_map = 1 },
	};
	char *place = (char *)&request + offsetof(struct isst_if_clos_assoc_cmds, entries);
	int err;

	memcpy(place, entries, count * sizeof(*entries));
	err = channel_request(channel, ISST_IF_CLOS_ASSOC, &request, sizeof(request));
	if (err)
		return err;
	memcpy(entries, place, count * sizeof(*entries));
	return 0;
}

/* Sets, or else reads, entries in order, as many in a request as the driver accepts. A failed
 * request does not show which entry failed, so its entries are then sent one by one. With
 * channel->stop_at_error this ends at the first failed entry. Entries left of its request keep the
 * error of the request and may have been done; later entries have -ECANCELED. */
static void run_entries(const struct channel *channel, bool set, struct isst_if_clos_assoc *entries,
			int *errors, size_t count)
{
	size_t most = channel->max_commands < ISST_ENTRIES_PER_CALL ? channel->max_commands
								    : ISST_ENTRIES_PER_CALL;
	bool stopped = false;

	for (size_t first = 0; first < count; first += most) {
		size_t n = count - first < most ? count - first : most;
		int err = stopped ? -ECANCELED : send_entries(channel, set, &entries[first], n);

		for (size_t i = first; i < first + n; i++)
			errors[i] = err;
		/* after a stop, the entries left keep the error of the request */
		for (size_t i = first; err && !stopped && n > 1 && i < first + n; i++) {
			errors[i] = send_entries(channel, set, &entries[i], 1);
			if (errors[i] && channel->stop_at_error)
				break;
		}
		stopped = stopped || (errors[first + n - 1] && channel->stop_at_error);
	}
}

/* Reads entries that were not read before, and keeps their answers. */
static int read_entries(const struct channel *channel, struct isst_if_clos_assoc *entries,
			int *errors, size_t count)
{
	const struct channel asking = { .transport = channel->transport,
					.stop = channel->stop,
					.max_commands = channel->max_commands };
	const size_t size = sizeof(*entries);
	_cleanup_free_ struct isst_if_clos_assoc *unknown = calloc(count ?: 1, size);
	_cleanup_free_ int *unknown_errors = calloc(count ?: 1, sizeof(*errors));
	size_t n = 0, at = 0;

	if (!unknown || !unknown_errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		errors[i] = 1;
		if (!answers_find(channel->answers, ISST_IF_CLOS_ASSOC, &entries[i], size,
				  &errors[i]))
			unknown[n++] = entries[i];
	}
	run_entries(&asking, false, unknown, unknown_errors, n);
	for (size_t i = 0; i < count; i++) {
		if (errors[i] <= 0)
			continue;
		answers_keep(channel->answers, ISST_IF_CLOS_ASSOC, &entries[i], &unknown[at], size,
			     unknown_errors[at]);
		entries[i] = unknown[at];
		errors[i] = unknown_errors[at++];
	}
	return 0;
}

static void run_associations(struct target_io *io, struct target_request *requests, size_t count,
			     bool writes)
{
	struct isst_if_clos_assoc *entries = io->commands;

	for (size_t i = 0; i < count; i++)
		entries[i] = (struct isst_if_clos_assoc){
			OF_DOMAIN(requests[i].target),
			.logical_cpu = (__u16)requests[i].target->index,
			.clos = writes ? (__u16)requests[i].value.number : 0,
		};
	if (writes || !io->channel.answers ||
	    read_entries(&io->channel, entries, io->errors, count))
		run_entries(&io->channel, writes, entries, io->errors, count);
	for (size_t i = 0; i < count; i++) {
		requests[i].error = io->errors[i];
		if (!writes && !requests[i].error)
			requests[i].value = (struct target_value){ .number = entries[i].clos };
	}
}

/* A setting and the request that writes it. */
struct tpmi_target {
	struct target_ops ops; /* first: what a target points to */
	const char *name;
	bool needs_hwp; /* the driver refuses the request without HWP */
};

static char *format_place(const struct write_target *target, const struct target_value *value)
{
	const struct tpmi_target *type = (const struct tpmi_target *)target->ops;

	(void)value;
	return text_format("package-%u powerdomain-%u ioctl %s", target->package,
			   target->power_domain, type->name);
}

/* The driver's errno is the same for every failure. */
static bool is_uncertain(int error)
{
	(void)error;
	return true;
}

static struct target_cause cause(int error, const char *text)
{
	return (struct target_cause){ .error = error, .text = text };
}

/* Returns a text if HWP is off as far as files show, else NULL. */
static const char *find_hwp_problem(struct files *files)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };
	_cleanup_free_ char *status = NULL;
	struct file_path path;
	uint64_t khz;
	int err = files_read_line(files, FILES_CPUS "/intel_pstate/status", &status);

	if (err == -ENOENT || (!err && strcmp(status, "off") == 0))
		return "the driver refuses it, probably because HWP is off: intel_pstate does not "
		       "drive this machine";
	if (err || files_read_cpus(files, FILES_CPUS "/online", &online))
		return NULL;
	/* intel_pstate without HWP shows no base_frequency (sysfs.md, "cpufreq policy") */
	path = files_cpu_path(cpuset_next(&online, 0), "cpufreq/base_frequency");
	if (files_read_number(files, path.text, &khz) == -ENOENT)
		return "the driver refuses it, probably because HWP is off (is no_hwp on the "
		       "kernel's command line?)";
	return NULL;
}

/* Finds in PERF_LEVELS why a level was not set. */
static struct target_cause find_level_cause(const struct write_target *target, uint64_t level,
					    const struct channel *channel)
{
	struct isst_perf_level_info levels = { OF_DOMAIN(target) };

	if (channel_request(channel, ISST_IF_PERF_LEVELS, &levels, sizeof(levels)))
		return cause(-EIO, "the driver refuses it, and does not report the level any more");
	if (levels.locked)
		return cause(-EROFS, "the performance level is locked by BIOS");
	if (!tpmi_has_level(&levels, (uint32_t)level))
		return cause(-ENOENT, "there is no such performance level");
	if (levels.current_level == level)
		return cause(-EALREADY, "the level is current already; another program set it?");
	return cause(-EOPNOTSUPP, "the level is probably not allowed: BIOS or firmware does not "
				  "let software switch to it, or does not follow");
}

/* errno is always ENOTTY, so this checks the known causes of a failure, the surest first
 * (hardware.md, section 4). User space cannot see which levels are allowed: that cause is last. */
static struct target_cause find_cause(const struct write_target *target,
				      const struct target_value *value, int error,
				      struct host *host, const struct channel *channel)
{
	const struct tpmi_target *type = (const struct tpmi_target *)target->ops;
	const char *problem = NULL;

	if (error != -ENOTTY)
		return tpmi_find_cause(error);
	if (host->ops->has_capability(host) == 0)
		return cause(-EPERM, "not permitted: CAP_SYS_ADMIN is not effective");
	if (type->needs_hwp)
		problem = find_hwp_problem(host->files);
	if (problem)
		return cause(-EOPNOTSUPP, problem);
	if (type->ops.run == run_level)
		return find_level_cause(target, value->number, channel);
	return cause(-EIO, type->needs_hwp
				   ? "the driver refuses it and gives no reason; firmware does "
				     "not follow, BIOS has locked it, or HWP is off"
				   : "the driver refuses it and gives no reason; firmware does "
				     "not follow, or BIOS has locked it");
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

#define BY_TPMI                                                         \
	.format_place = format_place, .error_text = channel_error_text, \
	.is_uncertain = is_uncertain, .find_cause = find_cause, .needs_driver = true

struct write_target tpmi_target(const struct platform *platform, enum platform_target what,
				const struct power_domain *domain, uint32_t index)
{
	static const struct tpmi_target types[] = {
		[PLATFORM_TARGET_LEVEL] = { { BY_TPMI, .run = run_level,
					      .format = value_format_number },
					    "PERF_SET_LEVEL",
					    .needs_hwp = true },
		[PLATFORM_TARGET_FEATURES] = { { BY_TPMI, .run = run_features,
						 .compare = value_compare_features,
						 .format = value_format_features },
					       "PERF_SET_FEATURE",
					       .needs_hwp = true },
		[PLATFORM_TARGET_CORE_POWER] = { { BY_TPMI, .run = run_core_power,
						   .compare = value_compare_core_power,
						   .format = value_format_core_power },
						 "CORE_POWER_STATE",
						 .needs_hwp = true },
		[PLATFORM_TARGET_CLOS] = { { BY_TPMI, .run = run_clos,
					     .format = value_format_short_clos },
					   "CLOS_PARAM",
					   .needs_hwp = false },
		[PLATFORM_TARGET_ASSOCIATION] = { { BY_TPMI, .batch = run_associations,
						    .format = value_format_association },
						  "CLOS_ASSOC",
						  .needs_hwp = false },
	};

	(void)platform;
	return (struct write_target){
		.ops = &types[what].ops,
		.package = domain->package,
		.power_domain = domain->id,
		.index = (uint16_t)index,
	};
}
