// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the settings of TPMI parts, each by a request of its own (hardware.md, section
 * 4). Every structure is zero before it is filled. Associations that follow each other go in one
 * request. */
#include "sst/tpmi/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A structure's members that name the power domain. */
#define OF_DOMAIN(target) \
	.socket_id = (__u8)(target)->package, .power_domain_id = (__u8)(target)->power_domain

static int send_request(struct target_io *io, uint32_t request, void *argument)
{
	int err = channel_request(&io->channel, request, argument);

	return err < 0 ? err : 0;
}

static int read_perf_levels(struct target_io *io, const struct write_target *target,
			    struct isst_perf_level_info *ret_levels)
{
	struct isst_perf_level_info levels = { OF_DOMAIN(target) };
	int err = send_request(io, ISST_IF_PERF_LEVELS, &levels);

	if (!err)
		*ret_levels = levels;
	return err;
}

static int write_level(struct target_io *io, const struct write_target *target,
		       const struct target_value *value)
{
	struct isst_perf_level_control level = { OF_DOMAIN(target), .level = (__u8)value->number };

	return send_request(io, ISST_IF_PERF_SET_LEVEL, &level);
}

static int read_level(struct target_io *io, const struct write_target *target,
		      struct target_value *ret_value)
{
	struct isst_perf_level_info levels = { 0 };
	int err = read_perf_levels(io, target, &levels);

	if (!err)
		*ret_value = (struct target_value){ .number = levels.current_level };
	return err;
}

static int write_features(struct target_io *io, const struct write_target *target,
			  const struct target_value *value)
{
	struct isst_perf_feature_control features = {
		OF_DOMAIN(target),
		.feature = (value->numbers[VALUE_BASE_FREQ] ? ISST_FEATURE_BF : 0) |
			   (value->numbers[VALUE_TURBO_FREQ] ? ISST_FEATURE_TF : 0),
	};

	return send_request(io, ISST_IF_PERF_SET_FEATURE, &features);
}

static int read_features(struct target_io *io, const struct write_target *target,
			 struct target_value *ret_value)
{
	struct isst_perf_level_info levels = { 0 };
	int err = read_perf_levels(io, target, &levels);

	if (!err)
		*ret_value = value_of_features(levels.feature_state & ISST_FEATURE_BF,
					       levels.feature_state & ISST_FEATURE_TF);
	return err;
}

static int write_core_power(struct target_io *io, const struct write_target *target,
			    const struct target_value *value)
{
	struct isst_core_power state = {
		.get_set = 1,
		OF_DOMAIN(target),
		.enable = value->numbers[VALUE_ENABLED] != 0,
		.priority_type = value->numbers[VALUE_ORDERED] != 0,
	};

	return send_request(io, ISST_IF_CORE_POWER_STATE, &state);
}

static int read_core_power(struct target_io *io, const struct write_target *target,
			   struct target_value *ret_value)
{
	struct isst_core_power state = { OF_DOMAIN(target) };
	int err = send_request(io, ISST_IF_CORE_POWER_STATE, &state);

	if (!err)
		*ret_value = value_of_core_power(state.enable, state.priority_type);
	return err;
}

static int write_clos(struct target_io *io, const struct write_target *target,
		      const struct target_value *value)
{
	struct isst_clos_param param = {
		.get_set = 1,
		OF_DOMAIN(target),
		.clos = (__u8)target->index,
		.min_freq_mhz = (__u16)value->numbers[VALUE_MIN_MHZ],
		.max_freq_mhz = (__u16)value->numbers[VALUE_MAX_MHZ],
		.prop_prio = (__u8)value->numbers[VALUE_WEIGHT],
	};

	return send_request(io, ISST_IF_CLOS_PARAM, &param);
}

static struct target_value decode_clos(const struct isst_clos_param *param)
{
	struct target_value value = { 0 };

	value.numbers[VALUE_WEIGHT] = param->prop_prio;
	value.numbers[VALUE_MIN_MHZ] = param->min_freq_mhz;
	value.numbers[VALUE_MAX_MHZ] = param->max_freq_mhz;
	return value;
}

static int read_clos(struct target_io *io, const struct write_target *target,
		     struct target_value *ret_value)
{
	struct isst_clos_param param = { OF_DOMAIN(target), .clos = (__u8)target->index };
	int err = send_request(io, ISST_IF_CLOS_PARAM, &param);

	if (!err)
		*ret_value = decode_clos(&param);
	return err;
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
	err = channel_request(channel, ISST_IF_CLOS_ASSOC, &request);
	if (err < 0)
		return err;
	memcpy(entries, place, count * sizeof(*entries));
	return 0;
}

/* If it stops, the entries left keep the error of the request that they were in. */
static void send_singly(const struct channel *channel, bool set, struct isst_if_clos_assoc *entries,
			int *errors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		errors[i] = send_entries(channel, set, &entries[i], 1);
		if (errors[i] && channel->stop_at_error)
			return;
	}
}

/* Sets, or else reads, entries in order, as many in a request as the driver takes. A request that
 * fails does not say which entry did: its entries are then sent one by one. If
 * channel->stop_at_error, those after a failed one are not sent (-ECANCELED), but for those in one
 * request with it, which have its error and may have been done. */
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
		if (err && !stopped && n > 1)
			send_singly(channel, set, &entries[first], &errors[first], n);
		stopped = stopped || (errors[first + n - 1] && channel->stop_at_error);
	}
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
};

static char *format_place(const struct write_target *target, const struct target_value *value)
{
	const struct tpmi_target *type = (const struct tpmi_target *)target->ops;
	char *text;

	(void)value;
	if (asprintf(&text, "package-%u powerdomain-%u ioctl %s", target->package,
		     target->power_domain, type->name) < 0)
		return NULL;
	return text;
}

/* The driver's errno is the same for every failure. */
static bool is_uncertain(int error)
{
	(void)error;
	return true;
}

#define BY_TPMI                                                         \
	.format_place = format_place, .error_text = channel_error_text, \
	.is_uncertain = is_uncertain, .needs_driver = true

static const struct tpmi_target level_type = {
	.ops = { BY_TPMI, .write = write_level, .read = read_level, .format = value_format_number,
		 .find_cause = tpmi_find_level_cause },
	.name = "PERF_SET_LEVEL",
};

static const struct tpmi_target features_type = {
	.ops = { BY_TPMI, .write = write_features, .read = read_features,
		 .compare = value_compare_features, .format = value_format_features,
		 .find_cause = tpmi_find_write_cause },
	.name = "PERF_SET_FEATURE",
};

static const struct tpmi_target core_power_type = {
	.ops = { BY_TPMI, .write = write_core_power, .read = read_core_power,
		 .compare = value_compare_core_power, .format = value_format_core_power,
		 .find_cause = tpmi_find_write_cause },
	.name = "CORE_POWER_STATE",
};

static const struct tpmi_target clos_type = {
	.ops = { BY_TPMI, .write = write_clos, .read = read_clos, .format = value_format_short_clos,
		 .find_cause = tpmi_find_clos_cause },
	.name = "CLOS_PARAM",
};

static const struct tpmi_target association_type = {
	.ops = { BY_TPMI, .batch = run_associations, .compare = value_compare_association,
		 .format = value_format_association, .find_cause = tpmi_find_clos_cause },
	.name = "CLOS_ASSOC",
};

static struct write_target make_target(const struct tpmi_target *type,
				       const struct power_domain *domain, uint32_t index)
{
	return (struct write_target){
		.ops = &type->ops,
		.package = domain->package,
		.power_domain = domain->id,
		.index = index,
	};
}

struct write_target tpmi_level_target(const struct power_domain *domain)
{
	return make_target(&level_type, domain, 0);
}

struct write_target tpmi_features_target(const struct power_domain *domain, uint32_t level)
{
	(void)level;
	return make_target(&features_type, domain, 0);
}

struct write_target tpmi_core_power_target(const struct power_domain *domain)
{
	return make_target(&core_power_type, domain, 0);
}

struct write_target tpmi_clos_target(const struct platform *platform,
				     const struct power_domain *domain, uint32_t clos)
{
	(void)platform;
	return make_target(&clos_type, domain, clos);
}

struct write_target tpmi_association_target(const struct platform *platform,
					    const struct power_domain *domain, uint32_t cpu,
					    uint32_t core)
{
	(void)platform;
	(void)cpu;
	return make_target(&association_type, domain, core);
}
