// SPDX-License-Identifier: GPL-2.0-only
/* The state file of a simulated machine, damaged: an input is a list of places (three bytes) and
 * what is there (one byte). Bit 0 of the first byte cuts the file; bit 1 damages the values alone,
 * and the program writes them, with a valid checksum: only it can make such a file. What is then
 * opened must not lead outside: all kernel files are read, and the device is asked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "machine.h"
#include "simulator/driver.h"
#include "simulator/sysfs/sysfs.h"

#define DEPTH          6
#define IDLE_GOVERNORS 4 /* the platform's and three usual ones */

/* Bits of the first byte. */
#define CUT    1
#define VALUES 2

/* Reads all below a directory. */
static void read_all(struct files *files, const char *directory, unsigned int depth)
{
	char **names = NULL;

	if (depth == DEPTH || files_list(files, directory, &names) < 0)
		return;
	for (size_t i = 0; names[i]; i++) {
		_cleanup_free_ char *path = NULL, *text = NULL;
		size_t length;

		FUZZ_REQUIRE(asprintf(&path, "%s/%s", directory, names[i]) > 0);
		if (files->ops->read(files, path, 0, &text, &length) < 0)
			read_all(files, path, depth + 1);
		else
			FUZZ_REQUIRE(strlen(text) == length);
	}
	files_free_names(&names);
}

static void ask_device(struct sim_state *state, struct sim_faults *faults)
{
	struct isst_if_mbox_cmds commands = {
		.cmd_count = 1,
		.entries = { { .command = 0x7f } },
	};
	struct transport *driver = NULL;

	FUZZ_REQUIRE(driver_open(state, faults, &driver) == 0);
	for (uint16_t sub_command = 0; sub_command <= 0x23; sub_command++) {
		commands.entries[0].sub_command = sub_command;
		for (uint32_t level = 0; level < 8; level++) {
			commands.entries[0].req_data = level;
			transport_request(driver, ISST_IF_MBOX_COMMAND, &commands);
		}
	}
	transport_close(&driver);
}

static void use(struct sim_state *state)
{
	struct sim_faults *faults = NULL;
	struct files *files = NULL;
	char *message = NULL;

	FUZZ_REQUIRE(faults_open(state, &faults, &message) == 0);
	FUZZ_REQUIRE(sysfs_open(state, faults, &files) == 0);
	read_all(files, "/sys/devices/system/cpu/cpu1", 0);
	read_all(files, "/sys/devices/system/cpu/intel_pstate", 0);
	read_all(files, "/sys/devices/system/cpu/intel_uncore_frequency", 0);
	read_all(files, "/sys/devices/system/cpu/cpuidle", 0);
	ask_device(state, faults);
	sysfs_close(files);
	faults_close(faults);
}

/* The program never writes another value of what is an index or a text. */
static void mend(struct sim_state *state)
{
	const struct sim_cpufreq *cpufreq = &state->platform->cpufreq;
	struct sim_machine_state *machine = state->machine;
	uint16_t n_governors = 0, n_epps = 0;

	while (cpufreq->governors[n_governors])
		n_governors++;
	while (cpufreq->epps[n_epps])
		n_epps++;
	for (size_t i = 0; i < state->platform->n_cpus; i++) {
		struct sim_cpu_state *cpu = &state->cpus[i];

		cpu->governor = (uint8_t)(cpu->governor % n_governors);
		cpu->epp = (uint16_t)(cpu->epp % (SIM_EPP_NAMED + n_epps));
	}
	machine->idle_governor %= IDLE_GOVERNORS;
	machine->boot_id[sizeof(machine->boot_id) - 1] = '\0';
}

static void damage(struct fuzz_input *input, char *bytes, size_t size)
{
	while (input->left) {
		size_t place = (size_t)fuzz_number(input, 3) % size;

		bytes[place] = (char)fuzz_byte(input);
	}
}

/* Damages the values of a new state; the program writes and checksums them. */
static void write_values(struct fuzz_input *input, const struct fuzz_machine *machine,
			 const char *directory)
{
	size_t header = (size_t)((char *)machine->state->machine - (char *)machine->state->data);
	size_t size = machine->state->size - header;
	struct sim_state *state = NULL;
	char *message = NULL;

	FUZZ_REQUIRE(state_open(machine->platform, directory, true, &state, &message) == 0);
	FUZZ_REQUIRE(state_lock(state) == 0);
	memcpy(state->machine, (const char *)machine->snapshot + header, size);
	damage(input, (char *)state->machine, size);
	mend(state);
	FUZZ_REQUIRE(state_commit(state) == 0);
	state_close(state);
}

/* Damages the file; cut: it also has only half its length. */
static void write_file(struct fuzz_input *input, const struct fuzz_machine *machine, bool cut,
		       const char *directory)
{
	size_t size = machine->state->size;
	_cleanup_free_ char *path = NULL, *bytes = malloc(size);

	FUZZ_REQUIRE(bytes);
	memcpy(bytes, machine->snapshot, size);
	damage(input, bytes, size);
	FUZZ_REQUIRE(asprintf(&path, "%s/state", directory) > 0);
	fuzz_write(path, bytes, cut ? size / 2 : size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_machine *machine;
	struct fuzz_input input = { .data = data, .left = size };
	uint8_t kind = fuzz_byte(&input);
	_cleanup_free_ char *directory = NULL, *message = NULL;
	struct sim_state *state = NULL;
	int err;

	if (!machine)
		machine = fuzz_machine_open("mailbox.json");
	FUZZ_REQUIRE(asprintf(&directory, "%s/damaged", fuzz_directory()) > 0);
	if (access(directory, F_OK) < 0) {
		FUZZ_REQUIRE(state_open(machine->platform, directory, true, &state, &message) == 0);
		state_close(state);
		state = NULL;
	}
	if (kind & VALUES)
		write_values(&input, machine, directory);
	else
		write_file(&input, machine, kind & CUT, directory);
	err = state_open(machine->platform, directory, false, &state, &message);
	FUZZ_REQUIRE(err == 0 || !(kind & VALUES));
	FUZZ_REQUIRE(err == 0 || (err == -EINVAL && message && !strchr(message, '\n')));
	if (!err)
		use(state);
	state_close(state);
	return 0;
}
