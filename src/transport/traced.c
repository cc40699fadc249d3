// SPDX-License-Identifier: GPL-2.0-only
/*
 * A transport that writes down what passes through it (-d): a line for each command of a request,
 * with its answer. What a request means is not its business.
 */
#include "transport/transport.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "transport/trace_tpmi.h"

struct traced {
	struct transport transport;
	struct transport *inner;
	FILE *to;
};

static void trace_platform_info(FILE *to, const struct isst_platform_info *info)
{
	fprintf(to, "platform info: api_version:%u driver_version:%u max_cmds_per_ioctl:%u ",
		info->api_version, info->driver_version, info->max_cmds_per_ioctl);
	fprintf(to, "mbox_supported:%u mmio_supported:%u\n", info->mbox_supported,
		info->mmio_supported);
}

static void trace_phy_ids(FILE *to, const struct isst_phy_ids *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_phy_id *id = &ids->entries[i];

		fprintf(to, "phys id: logical_cpu:%u physical_cpu:0x%x\n", id->logical_cpu,
			id->physical_cpu);
	}
}

static void trace_io(FILE *to, const struct isst_io_commands *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_io_command *command = &commands->entries[i];

		fprintf(to, "mmio %s: logical_cpu:%u reg:0x%x value:0x%x\n",
			command->read_write ? "write" : "read", command->logical_cpu, command->reg,
			command->value);
	}
}

static void trace_mbox(FILE *to, const struct isst_mbox_commands *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_mbox_command *command = &commands->entries[i];

		fprintf(to, "mbox: logical_cpu:%u command:0x%x sub_command:0x%x parameter:0x%x ",
			command->logical_cpu, command->command, command->sub_command,
			command->parameter);
		fprintf(to, "req_data:0x%x resp_data:0x%x\n", command->req_data,
			command->resp_data);
	}
}

static void trace_msr(FILE *to, const struct isst_msr_commands *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct isst_msr_command *command = &commands->entries[i];

		fprintf(to, "msr %s: logical_cpu:%u msr:0x%llx data:0x%llx\n",
			command->read_write ? "write" : "read", command->logical_cpu,
			(unsigned long long)command->msr, (unsigned long long)command->data);
	}
}

/* count commands were completed. */
static void trace_commands(FILE *to, uint32_t request, const void *argument, uint32_t count)
{
	switch (request) {
	case ISST_GET_PLATFORM_INFO:
		trace_platform_info(to, argument);
		break;
	case ISST_GET_PHY_ID:
		trace_phy_ids(to, argument, count);
		break;
	case ISST_IO_CMD:
		trace_io(to, argument, count);
		break;
	case ISST_MBOX_COMMAND:
		trace_mbox(to, argument, count);
		break;
	case ISST_MSR_COMMAND:
		trace_msr(to, argument, count);
		break;
	}
}

static int traced_request(struct transport *transport, uint32_t request, void *argument)
{
	struct traced *traced = (struct traced *)transport;
	int result = transport_request(traced->inner, request, argument);

	if (result < 0)
		fprintf(traced->to, "request 0x%" PRIx32 ": %s\n", request, strerror(-result));
	else if (!trace_tpmi_request(traced->to, request, argument))
		trace_commands(traced->to, request, argument, (uint32_t)result);
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
