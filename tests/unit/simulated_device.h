/* SPDX-License-Identifier: GPL-2.0-only */
/* A small simulated machine with its device open, and one command at a time through it. */
#ifndef UNIT_SIMULATED_DEVICE_H
#define UNIT_SIMULATED_DEVICE_H

#include "isst_abi.h"
#include "simulated.h"
#include "simulator/driver.h"

/* The content of a batch or a command that was not answered. */
#define SIMULATED_UNTOUCHED 0xdeadbeef

struct simulated_device {
	struct sim_platform *platform;
	char *directory;
	struct sim_state *state;
	struct sim_faults *faults;
	struct transport *transport;
};

/* For cmocka: a machine that is not open yet, at *test. */
int simulated_device_set_up(void **test);
int simulated_device_tear_down(void **test);

#define SIMULATED_DEVICE_TEST(function)                                    \
	cmocka_unit_test_setup_teardown(function, simulated_device_set_up, \
					simulated_device_tear_down)

/* Opens the machine as the test has made it, with these faults (NULL: none). Returns the result. */
int simulated_device_open(struct simulated_device *device, const char *faults);

/* A mailbox command that is not answered yet. */
struct isst_if_mbox_cmd simulated_device_command(uint32_t cpu, uint16_t command,
						 uint16_t sub_command, uint32_t parameter,
						 uint32_t data);

/* A request with the one entry, which the answer is put into. They return the request's result. */
int simulated_device_mailbox(const struct simulated_device *device,
			     struct isst_if_mbox_cmd *command);
int simulated_device_mmio(const struct simulated_device *device, bool write, uint32_t cpu,
			  uint32_t reg, uint32_t *value);
int simulated_device_msr(const struct simulated_device *device, bool write, uint32_t cpu,
			 uint64_t msr, uint64_t *data);

#endif
