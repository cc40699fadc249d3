// SPDX-License-Identifier: GPL-2.0-only
/* Orders of faults: taken, and then an event of each kind is applied; or refused with one line that
 * names the file. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine.h"
#include "simulator/faults.h"

static void apply_all(struct sim_faults *faults)
{
	for (int point = SIM_FAULT_OPEN; point <= SIM_FAULT_WRITE; point++) {
		const struct sim_fault_event event = {
			.point = (enum sim_fault_point)point,
			.number = 0x7f00,
			.path = point >= SIM_FAULT_READ ? "/proc/cpuinfo" : NULL,
		};

		FUZZ_REQUIRE(faults_apply(faults, &event).error <= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_machine *machine;
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *message = NULL, *path = NULL;
	struct sim_faults *faults = NULL;
	int err;

	if (!machine)
		machine = fuzz_machine_open("mailbox.json");
	FUZZ_REQUIRE(asprintf(&path, "%s/faults.json", machine->state->directory) > 0);
	fuzz_write(path, text, size);
	err = faults_open(machine->state, &faults, &message);
	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (message == NULL));
	if (message)
		FUZZ_REQUIRE(strstr(message, "faults.json:") && !strchr(message, '\n'));
	else
		apply_all(faults);
	faults_close(faults);
	return 0;
}
