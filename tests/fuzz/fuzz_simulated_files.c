// SPDX-License-Identifier: GPL-2.0-only
/* Writes to the kernel files of a simulated machine: lines in pairs, a path below /sys and what is
 * written there. Afterwards the file still reads as text. */
#include <string.h>

#include "base/cleanup.h"
#include "machine.h"

static void write_and_read(struct files *files, const char *path, const char *text)
{
	_cleanup_free_ char *found = NULL;
	size_t length;

	files_write(files, path, text);
	if (files->ops->read(files, path, 0, &found, &length) == 0)
		FUZZ_REQUIRE(strlen(found) == length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_machine *machine;
	struct fuzz_input input = { .data = data, .left = size };
	char *name;

	if (!machine)
		machine = fuzz_machine_open("tpmi.json");
	fuzz_machine_restart(machine, NULL, NULL);
	while ((name = fuzz_line(&input))) {
		_cleanup_free_ char *path = NULL, *text = fuzz_line(&input);

		FUZZ_REQUIRE(asprintf(&path, "/sys/%s", name) > 0);
		free(name);
		/* Groups are real directories, which would outlive the input. */
		if (text && !strstr(path, "cgroup"))
			write_and_read(machine->sysfs, path, text);
	}
	return 0;
}
