// SPDX-License-Identifier: GPL-2.0-only
/* One table has the members of the driver's structures. It is used to format and to parse lines. */
#include "host/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "base/number.h"
#include "isst_abi.h"

#define ENTRIES(structure, entry) \
	.entries_offset = offsetof(struct structure, entries), .entry_size = sizeof(struct entry)
#define SIZE(structure) .entry_size = sizeof(struct structure)

#define DOMAIN "socket_id:1! power_domain_id:1! "

/* The members of each structure, in order and with natural alignment. A member has a name, ":", its
 * size in bytes, "h" if it is shown in hex, "!" if it defines the request, "x" and the number of
 * elements for a table, and "@" and its offset if it is not in order. A member without a name is
 * not shown. */
static const struct structure {
	uint32_t request;
	const char *name;
	const char *members;
	/* The entries of a request with several entries; else 0 and the size of the structure. */
	size_t entries_offset;
	size_t entry_size;
	bool has_access; /* the first member, 4 bytes: 1 writes */
	bool has_get_set; /* the first byte, get_set: 1 writes */
	bool sets; /* the request always writes */
} structures[] = {
	{ ISST_IF_GET_PLATFORM_INFO, "platform info",
	  .members = "api_version:2 driver_version:2 max_cmds_per_ioctl:2 mbox_supported:1 "
		     "mmio_supported:1",
	  SIZE(isst_if_platform_info) },
	{ ISST_IF_GET_PHY_ID, "phys id", .members = "logical_cpu:4! physical_cpu:4h",
	  ENTRIES(isst_if_cpu_maps, isst_if_cpu_map) },
	{ ISST_IF_IO_CMD, "mmio", .members = ":4 logical_cpu:4! reg:4h! value:4h",
	  ENTRIES(isst_if_io_regs, isst_if_io_reg), .has_access = true },
	{ ISST_IF_MBOX_COMMAND, "mbox",
	  .members = "logical_cpu:4! command:2h!@16 sub_command:2h! parameter:4h!@4 req_data:4h! "
		     "resp_data:4h",
	  ENTRIES(isst_if_mbox_cmds, isst_if_mbox_cmd) },
	{ ISST_IF_MSR_COMMAND, "msr", .members = ":4 logical_cpu:4! msr:8h! data:8h",
	  ENTRIES(isst_if_msr_cmds, isst_if_msr_cmd), .has_access = true },
	{ ISST_IF_CLOS_ASSOC, "tpmi assoc", .members = DOMAIN "core:2! clos:2",
	  ENTRIES(isst_if_clos_assoc_cmds, isst_if_clos_assoc) },
	{ ISST_IF_COUNT_TPMI_INSTANCES, "tpmi instances",
	  .members = "socket_id:1! count:1 valid_mask:2", SIZE(isst_tpmi_instance_count) },
	{ ISST_IF_CORE_POWER_STATE, "tpmi core-power state",
	  .members = "get_set:1 " DOMAIN "enable:1 supported:1 priority_type:1",
	  SIZE(isst_core_power), .has_get_set = true },
	{ ISST_IF_CLOS_PARAM, "tpmi clos",
	  .members = "get_set:1 " DOMAIN "clos:1! min_freq_mhz:2 max_freq_mhz:2 prop_prio:1",
	  SIZE(isst_clos_param), .has_get_set = true },
	{ ISST_IF_PERF_LEVELS, "tpmi levels",
	  .members = DOMAIN
	  "max_level:1 feature_rev:1 level_mask:1 current_level:1 feature_state:1 locked:1 "
	  "enabled:1 sst_tf_support:1 sst_bf_support:1",
	  SIZE(isst_perf_level_info) },
	{ ISST_IF_PERF_SET_LEVEL, "tpmi set level", .members = DOMAIN "level:1!",
	  SIZE(isst_perf_level_control), .sets = true },
	{ ISST_IF_PERF_SET_FEATURE, "tpmi set feature", .members = DOMAIN "feature:1!",
	  SIZE(isst_perf_feature_control), .sets = true },
	{ ISST_IF_GET_PERF_LEVEL_INFO, "tpmi level",
	  .members = DOMAIN
	  "level:2! tdp_ratio:2 base_freq_mhz:2 base_freq_avx2_mhz:2 base_freq_avx512_mhz:2 "
	  "base_freq_amx_mhz:2 thermal_design_power_w:2 tjunction_max_c:2 "
	  "max_memory_freq_mhz:2 cooling_type:2 p0_freq_mhz:2 p1_freq_mhz:2 pn_freq_mhz:2 "
	  "pm_freq_mhz:2 p0_fabric_freq_mhz:2 p1_fabric_freq_mhz:2 pn_fabric_freq_mhz:2 "
	  "pm_fabric_freq_mhz:2 max_buckets:2 max_trl_levels:2 bucket_core_counts:2x8 "
	  "trl_freq_mhz:2x48",
	  SIZE(isst_perf_level_data_info) },
	{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, "tpmi level cores",
	  .members = DOMAIN "level:1! :1 mask:8", SIZE(isst_perf_level_cpu_mask) },
	{ ISST_IF_GET_BASE_FREQ_INFO, "tpmi base-freq",
	  .members = DOMAIN "level:2! high_base_freq_mhz:2 low_base_freq_mhz:2 tjunction_max_c:2 "
			    "thermal_design_power_w:2",
	  SIZE(isst_base_freq_info) },
	{ ISST_IF_GET_BASE_FREQ_CPU_MASK, "tpmi base-freq cores",
	  .members = DOMAIN "level:1! :1 mask:8", SIZE(isst_perf_level_cpu_mask) },
	{ ISST_IF_GET_TURBO_FREQ_INFO, "tpmi turbo-freq",
	  .members = DOMAIN
	  "level:2! max_clip_freqs:2 max_buckets:2 max_trl_levels:2 lp_clip_freq_mhz:2x6 "
	  "bucket_core_counts:2x8 trl_freq_mhz:2x48",
	  SIZE(isst_turbo_freq_info) },
	{ ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, "tpmi fabrics",
	  .members = DOMAIN "level:2! max_fabrics:2 p0_fabric_freq_mhz:2x8 p1_fabric_freq_mhz:2x8 "
			    "pm_fabric_freq_mhz:2x8",
	  SIZE(isst_perf_level_fabric_info) },
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

/* Reads the number at *text, and moves *text behind it. */
static size_t scan_number(const char **text)
{
	uint64_t number = 0;

	number_parse_digits(text, 10, &number);
	return (size_t)number;
}

/* Returns true if the character is at *text, and then moves *text behind it. */
static bool scan_character(const char **text, char character)
{
	bool is_there = **text == character;

	*text += is_there;
	return is_there;
}

static void write_number(uint8_t *place, size_t size, uint64_t value)
{
	const uint8_t bits_8 = (uint8_t)value;
	const uint16_t bits_16 = (uint16_t)value;
	const uint32_t bits_32 = (uint32_t)value;

	memcpy(place,
	       size == 1   ? (const void *)&bits_8
	       : size == 2 ? (const void *)&bits_16
	       : size == 4 ? (const void *)&bits_32
			   : (const void *)&value,
	       size);
}

struct setting {
	const char *name;
	size_t name_length; /* 0: it is not shown */
	size_t offset;
	size_t size; /* of an element */
	size_t count;
	bool is_hex;
	bool is_key;
};

/* Reads the member at *at, and moves *at behind it. *end is the offset after the previous member.
 * Returns false after the last member. */
static bool next_member(const char **at, size_t *end, struct setting *member)
{
	if (!**at)
		return false;
	*member = (struct setting){ .name = *at, .name_length = strcspn(*at, ":") };
	*at += member->name_length + 1;
	member->size = scan_number(at);
	member->is_hex = scan_character(at, 'h');
	member->is_key = scan_character(at, '!');
	member->count = scan_character(at, 'x') ? scan_number(at) : 1;
	member->offset = (*end + member->size - 1) / member->size * member->size;
	if (scan_character(at, '@'))
		member->offset = scan_number(at);
	*end = member->offset + member->count * member->size;
	scan_character(at, ' ');
	return true;
}

static const struct structure *find_structure(uint32_t request)
{
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++) {
		if (structures[i].request == request)
			return &structures[i];
	}
	return NULL;
}

bool requests_find_layout(uint32_t request, struct request_layout *ret_layout)
{
	const struct structure *structure = find_structure(request);

	if (!structure)
		return false;
	*ret_layout = (struct request_layout){
		.request = request,
		.entries_offset = structure->entries_offset,
		.entry_size = structure->entry_size,
		.header_size = structure->entries_offset,
		.has_short_count = request == ISST_IF_CLOS_ASSOC,
	};
	return true;
}

size_t requests_count(const struct request_layout *layout, const void *argument)
{
	if (!layout->header_size)
		return 1;
	return (size_t)read_number(argument, layout->has_short_count ? 2 : 4);
}

/* Returns true if a mailbox command writes (hardware.md, section 3). A bit of the parameter shows
 * this for CLOS commands. */
static bool mailbox_sets(const struct isst_if_mbox_cmd *command)
{
	switch (command->command << 8 | command->sub_command) {
	case 0xd000:
	case 0xd001:
	case 0xd002:
		return command->parameter & 0x100;
	case 0x9403:
	case 0x7f00:
	case 0x7f01:
		return false;
	}
	return command->command != 0x7f || command->sub_command == 0x02 ||
	       command->sub_command == 0x08;
}

bool requests_sets(uint32_t request, const void *argument, size_t index)
{
	const struct structure *structure = find_structure(request);
	const struct isst_if_clos_assoc_cmds *assocs = argument;
	const char *entry;

	if (!structure)
		return true;
	entry = (const char *)argument + structure->entries_offset + index * structure->entry_size;
	if (request == ISST_IF_CLOS_ASSOC)
		return assocs->get_set;
	if (request == ISST_IF_MBOX_COMMAND)
		return mailbox_sets((const struct isst_if_mbox_cmd *)(const void *)entry);
	return structure->sets || (structure->has_access && read_number(entry, 4)) ||
	       (structure->has_get_set && *entry);
}

static void append_number(struct buffer *to, bool is_hex, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), is_hex ? "0x%" PRIx64 : "%" PRIu64, number);
	buffer_append_string(to, text);
}

static void append_entry(struct buffer *to, const struct structure *structure, bool sets,
			 bool has_get_set, const char *entry)
{
	const char *at = structure->members;
	struct setting member;
	size_t end = 0;

	buffer_append_string(to, structure->name);
	if (structure->has_access)
		buffer_append_string(to, sets ? " write" : " read");
	buffer_append_char(to, ':');
	if (has_get_set)
		buffer_append_string(to, sets ? " get_set:1" : " get_set:0");
	while (next_member(&at, &end, &member)) {
		if (!member.name_length)
			continue;
		buffer_append_char(to, ' ');
		buffer_append(to, member.name, member.name_length);
		for (size_t i = 0; i < member.count; i++) {
			buffer_append_char(to, i ? ',' : ':');
			append_number(to, member.is_hex,
				      read_number(entry + member.offset + i * member.size,
						  member.size));
		}
	}
}

void requests_append(struct buffer *to, uint32_t request, const void *argument, size_t index)
{
	const struct structure *structure = find_structure(request);

	if (structure)
		append_entry(to, structure, requests_sets(request, argument, index),
			     request == ISST_IF_CLOS_ASSOC,
			     (const char *)argument + structure->entries_offset +
				     index * structure->entry_size);
}

void requests_append_item(struct buffer *to, const struct request_item *item)
{
	const struct structure *structure = find_structure(item->request);
	const char *name = item->error ? error_name(item->error) : NULL;

	if (!structure)
		return;
	append_entry(to, structure, false, false, (const char *)item->bytes);
	if (item->error)
		buffer_append_string(to, " error:");
	if (name)
		buffer_append_string(to, name);
	else if (item->error)
		append_number(to, false, (uint64_t)-item->error);
}

/* Reads the numbers of a member at *text, and moves *text behind them. */
static int parse_member(const struct setting *member, const char **text, uint8_t *bytes)
{
	for (size_t i = 0; i < member->count; i++) {
		bool is_hex = strncmp(*text + 1, "0x", 2) == 0;
		uint64_t number;
		int err;

		if (**text != (i ? ',' : ':'))
			return -EINVAL;
		*text += is_hex ? 3 : 1;
		err = number_parse_digits(text, is_hex ? 16 : 10, &number);
		if (err || (member->size < 8 && number >> 8 * member->size))
			return -EINVAL;
		write_number(bytes + member->offset + i * member->size, member->size, number);
	}
	return 0;
}

static int parse_error(const char *text, int *ret_error)
{
	uint64_t number = 0;

	*ret_error = error_find(text, strlen(text));
	if (*ret_error)
		return 0;
	if (number_parse(text, 1, 4095, &number))
		return -EINVAL;
	*ret_error = -(int)number;
	return 0;
}

/* Returns the structure whose name begins the line, and moves *line to the blank after the name. */
static const struct structure *parse_name(const char **line)
{
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++) {
		const struct structure *structure = &structures[i];
		const char *end = structure->has_access ? " read:" : ":";
		size_t length = strlen(structure->name);

		if (strncmp(*line, structure->name, length) != 0 ||
		    strncmp(*line + length, end, strlen(end)) != 0 || structure->sets)
			continue;
		*line += length + strlen(end);
		return structure;
	}
	return NULL;
}

int requests_parse(const char *line, struct request_item *ret_item)
{
	const struct structure *structure = parse_name(&line);
	struct request_item item = { 0 };
	struct setting member;
	const char *at;
	size_t end = 0;

	if (!structure)
		return -EINVAL;
	item.request = structure->request;
	item.size = structure->entry_size;
	for (at = structure->members; next_member(&at, &end, &member);) {
		if (!member.name_length)
			continue;
		if (*line != ' ' || strncmp(line + 1, member.name, member.name_length) != 0)
			return -EINVAL;
		line += 1 + member.name_length;
		if (parse_member(&member, &line, item.bytes))
			return -EINVAL;
	}
	if (strncmp(line, " error:", strlen(" error:")) == 0) {
		if (parse_error(line + strlen(" error:"), &item.error))
			return -EINVAL;
	} else if (*line) {
		return -EINVAL;
	}
	*ret_item = item;
	return 0;
}

static bool has_name(const struct setting *member, const char *name)
{
	return strlen(name) == member->name_length &&
	       memcmp(member->name, name, member->name_length) == 0;
}

void requests_key(const struct request_item *item, bool without_cpu,
		  uint8_t ret_key[REQUESTS_MAX_SIZE], uint32_t *ret_cpu)
{
	const struct structure *structure = find_structure(item->request);
	const char *at = structure ? structure->members : "";
	struct setting member;
	size_t end = 0;

	memset(ret_key, 0, REQUESTS_MAX_SIZE);
	*ret_cpu = UINT32_MAX;
	while (next_member(&at, &end, &member)) {
		bool is_cpu = has_name(&member, "logical_cpu");

		if (is_cpu)
			*ret_cpu = (uint32_t)read_number((const char *)item->bytes + member.offset,
							 member.size);
		if (member.is_key && !(is_cpu && without_cpu))
			memcpy(ret_key + member.offset, item->bytes + member.offset, member.size);
	}
}

void requests_take_answer(struct request_item *item, const struct request_item *from)
{
	const struct structure *structure = find_structure(item->request);
	const char *at = structure ? structure->members : "";
	struct setting member;
	size_t end = 0;

	while (next_member(&at, &end, &member)) {
		if (member.name_length && !member.is_key)
			memcpy(item->bytes + member.offset, from->bytes + member.offset,
			       member.size * member.count);
	}
}

uint64_t requests_member(const struct request_item *item, const char *name)
{
	const struct structure *structure = find_structure(item->request);
	const char *at = structure ? structure->members : "";
	struct setting member;
	size_t end = 0;

	while (next_member(&at, &end, &member)) {
		if (has_name(&member, name))
			return read_number((const char *)item->bytes + member.offset, member.size);
	}
	return 0;
}

bool requests_next_member(const struct request_item *item, size_t *position,
			  struct request_member *ret_member)
{
	const struct structure *structure = find_structure(item->request);
	const char *at = structure ? structure->members : "";
	struct setting member;
	size_t end = 0, number = 0;

	while (next_member(&at, &end, &member)) {
		if (!member.name_length || number++ < *position)
			continue;
		(*position)++;
		*ret_member = (struct request_member){
			.name = member.name,
			.name_length = member.name_length,
			.is_key = member.is_key,
			.is_hex = member.is_hex,
			.count = member.count,
		};
		for (size_t i = 0; i < member.count; i++)
			ret_member->values[i] = read_number((const char *)item->bytes +
								    member.offset + i * member.size,
							    member.size);
		return true;
	}
	return false;
}

const char *requests_name(uint32_t request)
{
	const struct structure *structure = find_structure(request);

	return structure ? structure->name : NULL;
}
