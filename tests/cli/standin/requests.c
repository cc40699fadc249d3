// SPDX-License-Identifier: GPL-2.0-only
/* The size of each request's structure and the log of requests. Layouts are those of isst_abi.h
 * (hardware.md, sections 2 and 4); a request with entries is as long as its count says. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "requests.h"

struct shape {
	size_t size; /* without entries */
	size_t entry_size; /* 0: no entries */
};

#define PLAIN(type)                         \
	{                                   \
		.size = sizeof(struct type) \
	}
#define LISTED(type)                                                 \
	{                                                            \
		.size = offsetof(struct type, entries),              \
		.entry_size = sizeof(((struct type *)0)->entries[0]) \
	}

/* By request number. */
static const struct shape shapes[] = {
	PLAIN(isst_if_platform_info),     LISTED(isst_if_cpu_maps),
	LISTED(isst_if_io_regs),          LISTED(isst_if_mbox_cmds),
	LISTED(isst_if_msr_cmds),         PLAIN(isst_tpmi_instance_count),
	PLAIN(isst_core_power),           PLAIN(isst_clos_param),
	LISTED(isst_if_clos_assoc_cmds),  PLAIN(isst_perf_level_info),
	PLAIN(isst_perf_level_control),   PLAIN(isst_perf_feature_control),
	PLAIN(isst_perf_level_data_info), PLAIN(isst_perf_level_cpu_mask),
	PLAIN(isst_base_freq_info),       PLAIN(isst_perf_level_cpu_mask),
	PLAIN(isst_turbo_freq_info),      PLAIN(isst_perf_level_fabric_info),
};

static uint32_t number_of(uint32_t request)
{
	return request & 0xff;
}

bool requests_is_ours(unsigned long request)
{
	return (request >> 8 & 0xff) == 0xfe && number_of((uint32_t)request) < ARRAY_SIZE(shapes);
}

/* The number of entries of a structure: its first member, of 32 bits or of 16. */
static size_t entry_count(uint32_t number, const void *argument)
{
	__u32 count = 0;

	if (number == number_of(ISST_IF_CLOS_ASSOC))
		memcpy(&count, argument, sizeof(__u16));
	else
		memcpy(&count, argument, sizeof(count));
	return count <= ISST_ENTRIES_PER_CALL ? count : 0;
}

static size_t size_of(uint32_t request, const void *argument)
{
	const struct shape *shape = &shapes[number_of(request)];

	if (!shape->entry_size)
		return shape->size;
	return shape->size + shape->entry_size * entry_count(number_of(request), argument);
}

static void write_hex(const void *data, size_t size, FILE *to)
{
	const unsigned char *bytes = data;

	fputc(' ', to);
	for (size_t i = 0; i < size; i++)
		fprintf(to, "%02x", bytes[i]);
}

int requests_carry_out(struct transport *transport, uint32_t request, void *argument,
		       const char *log_file)
{
	size_t size = size_of(request, argument);
	_cleanup_fclose_ FILE *log = NULL;
	_cleanup_free_ void *before = NULL;
	int r;

	if (!log_file)
		return transport_request(transport, request, argument);
	before = malloc(size);
	log = fopen(log_file, "ae");
	if (!before || !log)
		return -ENOMEM;
	memcpy(before, argument, size);
	r = transport_request(transport, request, argument);
	fprintf(log, "%u %d", number_of(request), r);
	write_hex(before, size, log);
	write_hex(argument, size, log);
	fputc('\n', log);
	return r;
}
