// SPDX-License-Identifier: GPL-2.0-only
/* The machine: the simulator's parts put together, with the input between them and the program. */
#include "machine.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "simulator/driver.h"
#include "simulator/sysfs/sysfs.h"

/* Instead of the C library's: no other process has this state, and the locks took a tenth of the
 * time. */
int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	return 0;
}

struct distorted {
	struct transport transport;
	struct transport *driver;
	struct fuzz_machine *machine;
};

static int distorted_request(struct transport *transport, uint32_t request, void *argument)
{
	struct distorted *distorted = (struct distorted *)transport;
	struct fuzz_input *answers = distorted->machine->answers;
	int result = transport_request(distorted->driver, request, argument);

	return answers ? fuzz_answers_distort(answers, request, argument, result) : result;
}

static void distorted_close(struct transport *transport)
{
	transport_close(&((struct distorted *)transport)->driver);
	free(transport);
}

static int open_device(struct host *host, struct transport **ret_transport)
{
	static const struct transport_ops ops = {
		.request = distorted_request,
		.close = distorted_close,
	};
	struct fuzz_machine *machine = (struct fuzz_machine *)host;
	struct distorted *distorted = calloc(1, sizeof(*distorted));

	FUZZ_REQUIRE(distorted);
	FUZZ_REQUIRE(driver_open(machine->state, machine->faults, &distorted->driver) == 0);
	distorted->transport.ops = &ops;
	distorted->machine = machine;
	*ret_transport = &distorted->transport;
	return 0;
}

static int has_capability(struct host *host)
{
	(void)host;
	return 1;
}

/* The machine lives as long as the process. */
static void close_host(struct host *host)
{
	(void)host;
}

static struct fuzz_machine *machine_of(struct files *files)
{
	return (struct fuzz_machine *)((char *)files - offsetof(struct fuzz_machine, files));
}

static const int refusals[] = { -ENOENT, -EACCES, -EIO, -ENODEV, -EINVAL, -EBUSY, -EPERM, -EAGAIN };

/* A byte for each reading: below 128 nothing changes, below 144 it fails, else it has other
 * text. */
static int distorted_read(struct files *files, const char *path, size_t limit, char **ret_text,
			  size_t *ret_length)
{
	struct fuzz_machine *machine = machine_of(files);
	unsigned int control = machine->contents ? fuzz_byte(machine->contents) : 0;

	if (control < 0x80)
		return machine->sysfs->ops->read(machine->sysfs, path, limit, ret_text, ret_length);
	if (control < 0x90)
		return refusals[control % ARRAY_SIZE(refusals)];
	if (limit && control - 0x90 > limit)
		control = 0x90 + (unsigned int)limit;
	*ret_length =
		control - 0x90 < machine->contents->left ? control - 0x90 : machine->contents->left;
	*ret_text = fuzz_text(machine->contents, *ret_length);
	return 0;
}

static int pass_list(struct files *files, const char *path, char ***ret_names)
{
	return files_list(machine_of(files)->sysfs, path, ret_names);
}

/* What is run here reads, or plans and makes no write. */
static int refuse_write(struct files *files, const char *path, const char *text)
{
	(void)files;
	FUZZ_REQUIRE(!path && !text);
	return -EROFS;
}

static int refuse_directory(struct files *files, const char *path, bool makes)
{
	(void)makes;
	return refuse_write(files, path, NULL);
}

static void open_parts(struct fuzz_machine *machine, const char *name)
{
	_cleanup_free_ char *text = NULL, *directory = NULL;
	char *message = NULL;
	size_t length;

	text = fuzz_machine_text(name, &length);
	FUZZ_REQUIRE(platform_file_parse(name, text, length, &machine->platform, &message) == 0);
	FUZZ_REQUIRE(asprintf(&directory, "%s/%s", fuzz_directory(), name) > 0);
	FUZZ_REQUIRE(state_open(machine->platform, directory, true, &machine->state, &message) ==
		     0);
	FUZZ_REQUIRE(faults_open(machine->state, &machine->faults, &message) == 0);
	FUZZ_REQUIRE(sysfs_open(machine->state, machine->faults, &machine->sysfs) == 0);
	machine->snapshot = malloc(machine->state->size);
	FUZZ_REQUIRE(machine->snapshot);
	memcpy(machine->snapshot, machine->state->data, machine->state->size);
}

struct fuzz_machine *fuzz_machine_open(const char *name)
{
	static const struct host_ops host_ops = {
		.open_device = open_device,
		.has_capability = has_capability,
		.close = close_host,
	};
	static const struct files_ops files_ops = {
		.read = distorted_read,
		.write = refuse_write,
		.list = pass_list,
		.change_directory = refuse_directory,
	};
	struct fuzz_machine *machine = calloc(1, sizeof(*machine));

	FUZZ_REQUIRE(machine);
	open_parts(machine, name);
	machine->files.ops = &files_ops;
	machine->host = (struct host){
		.ops = &host_ops,
		.files = &machine->files,
		.run_directory = "/proc/nonexistent/run", /* which root cannot make, either */
	};
	return machine;
}

void fuzz_machine_restart(struct fuzz_machine *machine, struct fuzz_input *answers,
			  struct fuzz_input *contents)
{
	memcpy(machine->state->data, machine->snapshot, machine->state->size);
	machine->answers = answers;
	machine->contents = contents;
}
