// SPDX-License-Identifier: GPL-2.0-only
/* A transport that logs all requests (-d): a line for each command of a request, with its answer,
 * or for the members of a TPMI structure (hardware.md, sections 2 and 4). */
#include "host/transport.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "isst_abi.h"

struct traced {
	struct transport transport;
	struct transport *inner;
	FILE *to;
};

#define DOMAIN "socket_id:1 power_domain_id:1 "

/* The members of each TPMI structure, in order and with natural alignment: name, ":", size in
 * bytes, and for a table "x" and the number of its elements. Without a name: not shown. */
static const struct {
	uint32_t request;
	const char *name;
	const char *members;
} structures[] = {
	{ ISST_IF_COUNT_TPMI_INSTANCES, "instances", "socket_id:1 count:1 valid_mask:2" },
	{ ISST_IF_CORE_POWER_STATE, "core-power state",
	  "get_set:1 " DOMAIN "enable:1 supported:1 priority_type:1" },
	{ ISST_IF_CLOS_PARAM, "clos",
	  "get_set:1 " DOMAIN "clos:1 min_freq_mhz:2 max_freq_mhz:2 prop_prio:1" },
	{ ISST_IF_PERF_LEVELS, "levels",
	  DOMAIN "max_level:1 feature_rev:1 level_mask:1 current_level:1 feature_state:1 locked:1 "
		 "enabled:1 sst_tf_support:1 sst_bf_support:1" },
	{ ISST_IF_PERF_SET_LEVEL, "set level", DOMAIN "level:1" },
	{ ISST_IF_PERF_SET_FEATURE, "set feature", DOMAIN "feature:1" },
	{ ISST_IF_GET_PERF_LEVEL_INFO, "level",
	  DOMAIN "level:2 tdp_ratio:2 base_freq_mhz:2 base_freq_avx2_mhz:2 base_freq_avx512_mhz:2 "
		 "base_freq_amx_mhz:2 thermal_design_power_w:2 tjunction_max_c:2 "
		 "max_memory_freq_mhz:2 cooling_type:2 p0_freq_mhz:2 p1_freq_mhz:2 pn_freq_mhz:2 "
		 "pm_freq_mhz:2 p0_fabric_freq_mhz:2 p1_fabric_freq_mhz:2 pn_fabric_freq_mhz:2 "
		 "pm_fabric_freq_mhz:2 max_buckets:2 max_trl_levels:2 bucket_core_counts:2x8 "
		 "trl_freq_mhz:2x48" },
	{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, "level cores", DOMAIN "level:1 :1 mask:8" },
	{ ISST_IF_GET_BASE_FREQ_INFO, "base-freq",
	  DOMAIN "level:2 high_base_freq_mhz:2 low_base_freq_mhz:2 tjunction_max_c:2 "
		 "thermal_design_power_w:2" },
	{ ISST_IF_GET_BASE_FREQ_CPU_MASK, "base-freq cores", DOMAIN "level:1 :1 mask:8" },
	{ ISST_IF_GET_TURBO_FREQ_INFO, "turbo-freq",
	  DOMAIN "level:2 max_clip_freqs:2 max_buckets:2 max_trl_levels:2 lp_clip_freq_mhz:2x6 "
		 "bucket_core_counts:2x8 trl_freq_mhz:2x48" },
	{ ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, "fabrics",
	  DOMAIN "level:2 max_fabrics:2 p0_fabric_freq_mhz:2x8 p1_fabric_freq_mhz:2x8 "
		 "pm_fabric_freq_mhz:2x8" },
};

static uint64_t read_number(const char *place, size_t size)
{
	union {
		uint8_t small;
		uint16_t medium;
		uint64_t large;
	} number;

	memcpy(&number, place, size);
	return size == 1 ? number.small : size == 2 ? number.medium : number.large;
}

/* The digits at *text, which move it on. */
static size_t scan_digits(const char **text)
{
	size_t number = 0;

	for (; isdigit((unsigned char)**text); (*text)++)
		number = number * 10 + (size_t)(**text - '0');
	return number;
}

static void trace_members(FILE *to, const char *members, const char *structure)
{
	size_t offset = 0;

	for (const char *at = members; *at; at += *at == ' ') {
		const char *name = at;
		int length = (int)strcspn(at, ":");
		size_t size, count = 1;

		at += length + 1;
		size = scan_digits(&at);
		if (*at == 'x') {
			at++;
			count = scan_digits(&at);
		}
		offset = (offset + size - 1) / size * size;
		if (length)
			fprintf(to, " %.*s", length, name);
		for (size_t i = 0; i < count && length; i++)
			fprintf(to, "%s%" PRIu64, i ? "," : ":",
				read_number(structure + offset + i * size, size));
		offset += count * size;
	}
}

static void trace_assocs(FILE *to, const struct isst_if_clos_assoc_cmds *assocs)
{
	const char *entries =
		(const char *)assocs + offsetof(struct isst_if_clos_assoc_cmds, entries);

	for (size_t i = 0; i < assocs->cmd_count; i++) {
		struct isst_if_clos_assoc entry;

		memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		fprintf(to,
			"tpmi assoc: get_set:%u socket_id:%u power_domain_id:%u core:%u clos:%u\n",
			assocs->get_set, entry.socket_id, entry.power_domain_id, entry.logical_cpu,
			entry.clos);
	}
}

static void trace_tpmi(FILE *to, uint32_t request, const void *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++) {
		if (structures[i].request != request)
			continue;
		fprintf(to, "tpmi %s:", structures[i].name);
		trace_members(to, structures[i].members, argument);
		fputc('\n', to);
	}
}

static void trace_platform_info(FILE *to, const struct isst_if_platform_info *info)
{
	fprintf(to, "platform info: api_version:%u driver_version:%u max_cmds_per_ioctl:%u ",
		info->api_version, info->driver_version, info->max_cmds_per_ioctl);
	fprintf(to, "mbox_supported:%u mmio_supported:%u\n", info->mbox_supported,
		info->mmio_supported);
}

static void trace_phy_ids(FILE *to, const struct isst_if_cpu_maps *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_if_cpu_map *id = &ids->entries[i];

		fprintf(to, "phys id: logical_cpu:%u physical_cpu:0x%x\n", id->logical_cpu,
			id->physical_cpu);
	}
}

static void trace_io(FILE *to, const struct isst_if_io_regs *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_if_io_reg *command = &commands->entries[i];

		fprintf(to, "mmio %s: logical_cpu:%u reg:0x%x value:0x%x\n",
			command->read_write ? "write" : "read", command->logical_cpu, command->reg,
			command->value);
	}
}

static void trace_mbox(FILE *to, const struct isst_if_mbox_cmds *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_if_mbox_cmd *command = &commands->entries[i];

		fprintf(to, "mbox: logical_cpu:%u command:0x%x sub_command:0x%x parameter:0x%x ",
			command->logical_cpu, command->command, command->sub_command,
			command->parameter);
		fprintf(to, "req_data:0x%x resp_data:0x%x\n", command->req_data,
			command->resp_data);
	}
}

static void trace_msr(FILE *to, const struct isst_if_msr_cmds *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_if_msr_cmd *command = &commands->entries[i];

		fprintf(to, "msr %s: logical_cpu:%u msr:0x%llx data:0x%llx\n",
			command->read_write ? "write" : "read", command->logical_cpu,
			(unsigned long long)command->msr, (unsigned long long)command->data);
	}
}

/* count commands were completed. */
static void trace_request(FILE *to, uint32_t request, const void *argument, uint32_t count)
{
	switch (request) {
	case ISST_IF_GET_PLATFORM_INFO:
		trace_platform_info(to, argument);
		break;
	case ISST_IF_GET_PHY_ID:
		trace_phy_ids(to, argument, count);
		break;
	case ISST_IF_IO_CMD:
		trace_io(to, argument, count);
		break;
	case ISST_IF_MBOX_COMMAND:
		trace_mbox(to, argument, count);
		break;
	case ISST_IF_MSR_COMMAND:
		trace_msr(to, argument, count);
		break;
	case ISST_IF_CLOS_ASSOC:
		trace_assocs(to, argument);
		break;
	default:
		trace_tpmi(to, request, argument);
	}
}

static int traced_request(struct transport *transport, uint32_t request, void *argument)
{
	struct traced *traced = (struct traced *)transport;
	int result = transport_request(traced->inner, request, argument);

	if (result < 0)
		fprintf(traced->to, "request 0x%" PRIx32 ": %s\n", request, strerror(-result));
	else
		trace_request(traced->to, request, argument, (uint32_t)result);
	return result;
}

static void traced_close(struct transport *transport)
{
	struct traced *traced = (struct traced *)transport;

	transport_close(&traced->inner);
	free(traced);
}

static const struct transport_ops traced_ops = {
	.request = traced_request,
	.close = traced_close,
};

int transport_new_traced(struct transport *inner, FILE *to, struct transport **ret_transport)
{
	struct traced *traced = calloc(1, sizeof(*traced));

	if (!traced)
		return -ENOMEM;
	traced->transport.ops = &traced_ops;
	traced->inner = inner;
	traced->to = to;
	*ret_transport = &traced->transport;
	return 0;
}
