// SPDX-License-Identifier: GPL-2.0-only
/* The four functions of the channel behind one (transport/channel.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "channel_job.h"

const uint32_t channel_job_kinds[CHANNEL_JOB_KINDS] = { ISST_IF_GET_PHY_ID, ISST_IF_IO_CMD,
							ISST_IF_MBOX_COMMAND, ISST_IF_MSR_COMMAND };

struct entry channel_job_entry(uint32_t kind, size_t index)
{
	struct entry entry = { .cpu = (uint32_t)index, .answer = 0x1000 + index };

	if (kind == ISST_IF_IO_CMD)
		entry.place = 0x20;
	if (kind == ISST_IF_MSR_COMMAND)
		entry.place = 0x1ad;
	if (kind == ISST_IF_MBOX_COMMAND) {
		entry.command = 0x7f;
		entry.sub_command = 0x03;
		entry.place = 7;
		entry.data = index;
	}
	return entry;
}

struct channel_job channel_job_new(uint32_t kind, size_t count)
{
	struct channel_job job = {
		.kind = kind,
		.count = count,
		.errors = calloc(count + 1, sizeof(*job.errors)),
		.answers = calloc(count + 1, sizeof(*job.answers)),
	};

	assert_true(job.errors && job.answers);
	for (size_t i = 0; i < count; i++)
		job.errors[i] = 1; /* neither done nor failed */
	return job;
}

void channel_job_done(struct channel_job *job)
{
	free(job->errors);
	free(job->answers);
}

static void send_phy_ids(const struct channel *channel, struct channel_job *job)
{
	_cleanup_free_ struct isst_if_cpu_map *commands = calloc(job->count + 1, sizeof(*commands));

	assert_non_null(commands);
	for (size_t i = 0; i < job->count; i++)
		commands[i].logical_cpu = (uint32_t)i;
	assert_int_equal(
		channel_send(channel, ISST_IF_GET_PHY_ID, commands, job->errors, job->count), 0);
	for (size_t i = 0; i < job->count; i++)
		job->answers[i] = commands[i].physical_cpu;
}

static void send_mmio(const struct channel *channel, struct channel_job *job)
{
	_cleanup_free_ struct isst_if_io_reg *commands = calloc(job->count + 1, sizeof(*commands));

	assert_non_null(commands);
	for (size_t i = 0; i < job->count; i++)
		commands[i] = (struct isst_if_io_reg){ .logical_cpu = (uint32_t)i,
						       .reg = 0x20,
						       .read_write = job->write };
	assert_int_equal(channel_send(channel, ISST_IF_IO_CMD, commands, job->errors, job->count),
			 0);
	for (size_t i = 0; i < job->count; i++)
		job->answers[i] = commands[i].value;
}

static void send_mailbox(const struct channel *channel, struct channel_job *job)
{
	_cleanup_free_ struct isst_if_mbox_cmd *commands =
		calloc(job->count + 1, sizeof(*commands));

	assert_non_null(commands);
	for (size_t i = 0; i < job->count; i++)
		commands[i] = (struct isst_if_mbox_cmd){ .logical_cpu = (uint32_t)i,
							 .command = 0x7f,
							 .sub_command = 0x03,
							 .parameter = 7,
							 .req_data = (uint32_t)i };
	assert_int_equal(
		channel_send(channel, ISST_IF_MBOX_COMMAND, commands, job->errors, job->count), 0);
	for (size_t i = 0; i < job->count; i++)
		job->answers[i] = commands[i].resp_data;
}

static void send_msr(const struct channel *channel, struct channel_job *job)
{
	_cleanup_free_ struct isst_if_msr_cmd *commands = calloc(job->count + 1, sizeof(*commands));

	assert_non_null(commands);
	for (size_t i = 0; i < job->count; i++)
		commands[i] = (struct isst_if_msr_cmd){ .logical_cpu = (uint32_t)i,
							.msr = 0x1ad,
							.read_write = job->write };
	assert_int_equal(
		channel_send(channel, ISST_IF_MSR_COMMAND, commands, job->errors, job->count), 0);
	for (size_t i = 0; i < job->count; i++)
		job->answers[i] = commands[i].data;
}

void channel_job_send(const struct channel *channel, struct channel_job *job)
{
	switch (job->kind) {
	case ISST_IF_GET_PHY_ID:
		send_phy_ids(channel, job);
		break;
	case ISST_IF_IO_CMD:
		send_mmio(channel, job);
		break;
	case ISST_IF_MBOX_COMMAND:
		send_mailbox(channel, job);
		break;
	case ISST_IF_MSR_COMMAND:
		send_msr(channel, job);
		break;
	}
}
