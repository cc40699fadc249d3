// SPDX-License-Identifier: GPL-2.0-only
/* The four requests with entries, read and answered in one form (hardware.md, section 2). */
#include "entry.h"

#include <string.h>

/* Where the entries of a request begin and how large each is; size 0: it has none. */
struct layout {
	size_t offset;
	size_t size;
};

static struct layout layout_of(uint32_t request)
{
	switch (request) {
	case ISST_IF_GET_PHY_ID:
		return (struct layout){ offsetof(struct isst_if_cpu_maps, entries),
					sizeof(struct isst_if_cpu_map) };
	case ISST_IF_IO_CMD:
		return (struct layout){ offsetof(struct isst_if_io_regs, entries),
					sizeof(struct isst_if_io_reg) };
	case ISST_IF_MBOX_COMMAND:
		return (struct layout){ offsetof(struct isst_if_mbox_cmds, entries),
					sizeof(struct isst_if_mbox_cmd) };
	case ISST_IF_MSR_COMMAND:
		return (struct layout){ offsetof(struct isst_if_msr_cmds, entries),
					sizeof(struct isst_if_msr_cmd) };
	}
	return (struct layout){ 0 };
}

size_t entry_count(uint32_t request, const void *argument)
{
	uint32_t count;

	if (layout_of(request).size == 0)
		return 0;
	memcpy(&count, argument, sizeof(count));
	return count;
}

/* A whole entry of any kind. */
union raw {
	struct isst_if_cpu_map phy_id;
	struct isst_if_io_reg io;
	struct isst_if_mbox_cmd mailbox;
	struct isst_if_msr_cmd msr;
};

static union raw read_raw(uint32_t request, const void *argument, size_t index)
{
	struct layout layout = layout_of(request);
	union raw raw = { 0 };

	memcpy(&raw, (const char *)argument + layout.offset + index * layout.size, layout.size);
	return raw;
}

struct entry entry_read(uint32_t request, const void *argument, size_t index)
{
	union raw raw = read_raw(request, argument, index);

	switch (request) {
	case ISST_IF_GET_PHY_ID:
		return (struct entry){ .cpu = raw.phy_id.logical_cpu,
				       .answer = raw.phy_id.physical_cpu };
	case ISST_IF_IO_CMD:
		return (struct entry){ .cpu = raw.io.logical_cpu,
				       .place = raw.io.reg,
				       .write = raw.io.read_write,
				       .data = raw.io.read_write ? raw.io.value : 0,
				       .answer = raw.io.value };
	case ISST_IF_MBOX_COMMAND:
		return (struct entry){ .cpu = raw.mailbox.logical_cpu,
				       .command = raw.mailbox.command,
				       .sub_command = raw.mailbox.sub_command,
				       .place = raw.mailbox.parameter,
				       .data = raw.mailbox.req_data,
				       .answer = raw.mailbox.resp_data };
	case ISST_IF_MSR_COMMAND:
		return (struct entry){ .cpu = raw.msr.logical_cpu,
				       .place = (uint32_t)raw.msr.msr,
				       .write = raw.msr.read_write,
				       .data = raw.msr.read_write ? raw.msr.data : 0,
				       .answer = raw.msr.data };
	}
	return (struct entry){ 0 };
}

void entry_answer(uint32_t request, void *argument, size_t index, uint64_t answer)
{
	struct layout layout = layout_of(request);
	union raw raw = read_raw(request, argument, index);

	if (request == ISST_IF_GET_PHY_ID)
		raw.phy_id.physical_cpu = (uint32_t)answer;
	else if (request == ISST_IF_IO_CMD && !raw.io.read_write)
		raw.io.value = (uint32_t)answer;
	else if (request == ISST_IF_MBOX_COMMAND)
		raw.mailbox.resp_data = (uint32_t)answer;
	else if (request == ISST_IF_MSR_COMMAND && !raw.msr.read_write)
		raw.msr.data = answer;
	memcpy((char *)argument + layout.offset + index * layout.size, &raw, layout.size);
}

bool entry_equal(const struct entry *left, const struct entry *right)
{
	return left->cpu == right->cpu && left->command == right->command &&
	       left->sub_command == right->sub_command && left->place == right->place &&
	       left->write == right->write && left->data == right->data;
}
