// SPDX-License-Identifier: GPL-2.0-only
/* The device of simulated_device.h: opened as main would open it, with its state in a directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulated_device.h"

int simulated_device_set_up(void **test)
{
	struct simulated_device *device = calloc(1, sizeof(*device));

	if (!device)
		return -1;
	device->platform = simulated_new();
	device->directory = simulated_make_directory();
	*test = device;
	return 0;
}

int simulated_device_tear_down(void **test)
{
	struct simulated_device *device = *test;

	transport_close(&device->transport);
	faults_close(device->faults);
	state_close(device->state);
	simulated_free(device->platform);
	simulated_remove_directory(device->directory);
	free(device);
	return 0;
}

/* Opens the machine as the test has made it, with these faults (NULL: none). Returns the result. */
int simulated_device_open(struct simulated_device *device, const char *faults)
{
	_cleanup_free_ char *message = NULL;

	if (faults)
		simulated_write(device->directory, "faults.json", faults);
	assert_int_equal(
		state_open(device->platform, device->directory, true, &device->state, &message), 0);
	assert_int_equal(faults_open(device->state, &device->faults, &message), 0);
	return driver_open(device->state, device->faults, &device->transport);
}

struct isst_if_mbox_cmd simulated_device_command(uint32_t cpu, uint16_t command,
						 uint16_t sub_command, uint32_t parameter,
						 uint32_t data)
{
	return (struct isst_if_mbox_cmd){
		.logical_cpu = cpu,
		.parameter = parameter,
		.req_data = data,
		.resp_data = SIMULATED_UNTOUCHED,
		.command = command,
		.sub_command = sub_command,
	};
}

int simulated_device_mailbox(const struct simulated_device *device,
			     struct isst_if_mbox_cmd *command)
{
	struct isst_if_mbox_cmds batch = { .cmd_count = 1, .entries = { *command } };
	int result = transport_request(device->transport, ISST_IF_MBOX_COMMAND, &batch);

	*command = batch.entries[0];
	return result;
}

int simulated_device_mmio(const struct simulated_device *device, bool write, uint32_t cpu,
			  uint32_t reg, uint32_t *value)
{
	struct isst_if_io_regs batch = { .req_count = 1,
					 .entries = { { .read_write = write,
							.logical_cpu = cpu,
							.reg = reg,
							.value = *value } } };
	int result = transport_request(device->transport, ISST_IF_IO_CMD, &batch);

	*value = batch.entries[0].value;
	return result;
}

int simulated_device_msr(const struct simulated_device *device, bool write, uint32_t cpu,
			 uint64_t msr, uint64_t *data)
{
	struct isst_if_msr_cmds batch = {
		.cmd_count = 1,
		.entries = { { .read_write = write,
			       .logical_cpu = cpu,
			       .msr = msr,
			       .data = *data } },
	};
	int result = transport_request(device->transport, ISST_IF_MSR_COMMAND, &batch);

	*data = batch.entries[0].data;
	return result;
}
