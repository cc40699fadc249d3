// SPDX-License-Identifier: GPL-2.0-only
/* A transport that logs all requests (-d): a line for each command of a request, with its answer,
 * or for the members of a TPMI structure (hardware.md, sections 2 and 4). */
#include "host/transport.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "host/channel.h"

struct traced {
	struct transport transport;
	struct transport *inner;
	FILE *to;
};

#define DOMAIN "socket_id:1 power_domain_id:1 "

/* The members of each structure, in order and with natural alignment: name, ":", size in bytes, "h"
 * if it is shown in hex, for a table "x" and the number of its elements, "@" and its offset if it
 * is not in order. Without a name: not shown. */
static const struct {
	uint32_t request;
	const char *name;
	const char *members;
	/* Of a request with several entries of such members; else 0. */
	size_t entries_offset;
	size_t entry_size;
	bool has_access; /* the first member, 4 bytes: 1 writes */
} structures[] = {
	{ ISST_IF_GET_PLATFORM_INFO, "platform info",
	  .members = "api_version:2 driver_version:2 max_cmds_per_ioctl:2 mbox_supported:1 "
		     "mmio_supported:1" },
	{ ISST_IF_GET_PHY_ID, "phys id", .members = "logical_cpu:4 physical_cpu:4h",
	  CHANNEL_ENTRIES(isst_if_cpu_maps, isst_if_cpu_map) },
	{ ISST_IF_IO_CMD, "mmio", .members = ":4 logical_cpu:4 reg:4h value:4h",
	  CHANNEL_ENTRIES(isst_if_io_regs, isst_if_io_reg), .has_access = true },
	{ ISST_IF_MBOX_COMMAND, "mbox",
	  .members = "logical_cpu:4 command:2h@16 sub_command:2h parameter:4h@4 req_data:4h "
		     "resp_data:4h",
	  CHANNEL_ENTRIES(isst_if_mbox_cmds, isst_if_mbox_cmd) },
	{ ISST_IF_MSR_COMMAND, "msr", .members = ":4 logical_cpu:4 msr:8h data:8h",
	  CHANNEL_ENTRIES(isst_if_msr_cmds, isst_if_msr_cmd), .has_access = true },
	{ ISST_IF_CLOS_ASSOC, "tpmi assoc", .members = DOMAIN "core:2 clos:2",
	  CHANNEL_ENTRIES(isst_if_clos_assoc_cmds, isst_if_clos_assoc) },
	{ ISST_IF_COUNT_TPMI_INSTANCES, "tpmi instances",
	  .members = "socket_id:1 count:1 valid_mask:2" },
	{ ISST_IF_CORE_POWER_STATE, "tpmi core-power state",
	  .members = "get_set:1 " DOMAIN "enable:1 supported:1 priority_type:1" },
	{ ISST_IF_CLOS_PARAM, "tpmi clos",
	  .members = "get_set:1 " DOMAIN "clos:1 min_freq_mhz:2 max_freq_mhz:2 prop_prio:1" },
	{ ISST_IF_PERF_LEVELS, "tpmi levels",
	  .members = DOMAIN
	  "max_level:1 feature_rev:1 level_mask:1 current_level:1 feature_state:1 locked:1 "
	  "enabled:1 sst_tf_support:1 sst_bf_support:1" },
	{ ISST_IF_PERF_SET_LEVEL, "tpmi set level", .members = DOMAIN "level:1" },
	{ ISST_IF_PERF_SET_FEATURE, "tpmi set feature", .members = DOMAIN "feature:1" },
	{ ISST_IF_GET_PERF_LEVEL_INFO, "tpmi level",
	  .members = DOMAIN
	  "level:2 tdp_ratio:2 base_freq_mhz:2 base_freq_avx2_mhz:2 base_freq_avx512_mhz:2 "
	  "base_freq_amx_mhz:2 thermal_design_power_w:2 tjunction_max_c:2 "
	  "max_memory_freq_mhz:2 cooling_type:2 p0_freq_mhz:2 p1_freq_mhz:2 pn_freq_mhz:2 "
	  "pm_freq_mhz:2 p0_fabric_freq_mhz:2 p1_fabric_freq_mhz:2 pn_fabric_freq_mhz:2 "
	  "pm_fabric_freq_mhz:2 max_buckets:2 max_trl_levels:2 bucket_core_counts:2x8 "
	  "trl_freq_mhz:2x48" },
	{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, "tpmi level cores",
	  .members = DOMAIN "level:1 :1 mask:8" },
	{ ISST_IF_GET_BASE_FREQ_INFO, "tpmi base-freq",
	  .members = DOMAIN "level:2 high_base_freq_mhz:2 low_base_freq_mhz:2 tjunction_max_c:2 "
			    "thermal_design_power_w:2" },
	{ ISST_IF_GET_BASE_FREQ_CPU_MASK, "tpmi base-freq cores",
	  .members = DOMAIN "level:1 :1 mask:8" },
	{ ISST_IF_GET_TURBO_FREQ_INFO, "tpmi turbo-freq",
	  .members = DOMAIN
	  "level:2 max_clip_freqs:2 max_buckets:2 max_trl_levels:2 lp_clip_freq_mhz:2x6 "
	  "bucket_core_counts:2x8 trl_freq_mhz:2x48" },
	{ ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, "tpmi fabrics",
	  .members = DOMAIN "level:2 max_fabrics:2 p0_fabric_freq_mhz:2x8 p1_fabric_freq_mhz:2x8 "
			    "pm_fabric_freq_mhz:2x8" },
};

static uint64_t read_number(const char *place, size_t size)
{
	union {
		uint8_t bits_8;
		uint16_t bits_16;
		uint32_t bits_32;
		uint64_t bits_64;
	} number;

	memcpy(&number, place, size);
	return size == 1   ? number.bits_8
	       : size == 2 ? number.bits_16
	       : size == 4 ? number.bits_32
			   : number.bits_64;
}

/* The number at *text, which is moved on. */
static size_t scan_number(const char **text)
{
	uint64_t number = 0;

	number_parse_digits(text, 10, &number);
	return (size_t)number;
}

/* Is that character at *text? If so, moves it on. */
static bool scan_character(const char **text, char character)
{
	bool is_there = **text == character;

	*text += is_there;
	return is_there;
}

static void trace_members(FILE *to, const char *members, const char *structure)
{
	size_t offset = 0;

	for (const char *at = members; *at; scan_character(&at, ' ')) {
		const char *name = at;
		int length = (int)strcspn(at, ":");
		size_t size, count;
		bool is_hex;

		at += length + 1;
		size = scan_number(&at);
		is_hex = scan_character(&at, 'h');
		count = scan_character(&at, 'x') ? scan_number(&at) : 1;
		offset = (offset + size - 1) / size * size;
		if (scan_character(&at, '@'))
			offset = scan_number(&at);
		if (length)
			fprintf(to, " %.*s", length, name);
		for (size_t i = 0; i < count && length; i++)
			fprintf(to, is_hex ? "%s0x%" PRIx64 : "%s%" PRIu64, i ? "," : ":",
				read_number(structure + offset + i * size, size));
		offset += count * size;
	}
}

/* count commands were completed. */
static void trace_request(FILE *to, uint32_t request, const char *argument, size_t count)
{
	const struct isst_if_clos_assoc_cmds *assocs = NULL;

	if (request == ISST_IF_CLOS_ASSOC) {
		assocs = (const void *)argument;
		count = assocs->cmd_count;
	}
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++) {
		size_t size = structures[i].entry_size;

		if (structures[i].request != request)
			continue;
		for (size_t j = 0; j < (size ? count : 1); j++) {
			const char *entry = argument + structures[i].entries_offset + j * size;

			fputs(structures[i].name, to);
			if (structures[i].has_access)
				fputs(read_number(entry, 4) ? " write" : " read", to);
			fputc(':', to);
			if (assocs)
				fprintf(to, " get_set:%u", assocs->get_set);
			trace_members(to, structures[i].members, entry);
			fputc('\n', to);
		}
	}
}

static int traced_request(struct transport *transport, uint32_t request, void *argument)
{
	struct traced *traced = (struct traced *)transport;
	int result = transport_request(traced->inner, request, argument);

	if (result < 0)
		fprintf(traced->to, "request 0x%" PRIx32 ": %s\n", request, strerror(-result));
	else
		trace_request(traced->to, request, argument, (size_t)result);
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
