// SPDX-License-Identifier: GPL-2.0-only
/* Machines made from the platform files of the source tree, each in a directory of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulated.h"
#include "simulator/sysfs/sysfs.h"
#include "sysfs_machine.h"

#define CPU_ROOT "/sys/devices/system/cpu"

char *sysfs_machine_platform_path(const char *platform)
{
	const char *directory = getenv("PLATFORM_FILES");
	char *path = NULL;

	assert_non_null(directory);
	assert_true(asprintf(&path, "%s/%s.json", directory, platform) > 0);
	return path;
}

void sysfs_machine_load(struct sysfs_machine *machine, const char *platform)
{
	_cleanup_free_ char *path = NULL, *text = NULL, *message = NULL;
	size_t length;

	*machine = (struct sysfs_machine){ 0 };
	path = sysfs_machine_platform_path(platform);
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	assert_int_equal(platform_file_parse(path, text, length, &machine->platform, &message), 0);
}

void sysfs_machine_start(struct sysfs_machine *machine, const char *faults)
{
	_cleanup_free_ char *message = NULL;

	machine->directory = simulated_make_directory();
	if (faults)
		simulated_write(machine->directory, "faults.json", faults);
	assert_int_equal(state_open(machine->platform, machine->directory, false, &machine->state,
				    &message),
			 0);
	assert_int_equal(faults_open(machine->state, &machine->faults, &message), 0);
	assert_int_equal(sysfs_open(machine->state, machine->faults, &machine->files), 0);
}

void sysfs_machine_open(struct sysfs_machine *machine, const char *platform)
{
	sysfs_machine_load(machine, platform);
	sysfs_machine_start(machine, NULL);
}

void sysfs_machine_close(struct sysfs_machine *machine)
{
	sysfs_close(machine->files);
	faults_close(machine->faults);
	state_close(machine->state);
	platform_file_free(machine->platform);
	simulated_remove_directory(machine->directory);
}

static char *whole_path(const char *path)
{
	char *whole = NULL;

	assert_true(asprintf(&whole, "%s%s", *path == '/' ? "" : CPU_ROOT "/", path) > 0);
	return whole;
}

char *sysfs_machine_read(struct sysfs_machine *machine, const char *path)
{
	_cleanup_free_ char *whole = whole_path(path);
	size_t length;
	char *text;

	assert_int_equal(machine->files->ops->read(machine->files, whole, 0, &text, &length), 0);
	assert_int_equal(length, strlen(text));
	return text;
}

static void check_read(struct sysfs_machine *machine, const struct sysfs_step *step, size_t number)
{
	_cleanup_free_ char *whole = whole_path(step->path), *text = NULL, *wanted = NULL;
	size_t length;
	int err = machine->files->ops->read(machine->files, whole, 0, &text, &length);

	if (!step->read) {
		if (err != step->err)
			fail_msg("step %zu: reading %s: %d, not %d", number, step->path, err,
				 step->err);
		return;
	}
	if (err)
		fail_msg("step %zu: reading %s: %d", number, step->path, err);
	assert_true(asprintf(&wanted, "%s\n", step->read) > 0);
	if (strcmp(text, wanted) != 0)
		fail_msg("step %zu: %s holds \"%s\", not \"%s\"", number, step->path, text, wanted);
}

void sysfs_machine_run(struct sysfs_machine *machine, const struct sysfs_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *whole = whole_path(steps[i].path);
		int err = 0;

		if (steps[i].write) {
			err = files_write(machine->files, whole, steps[i].write);
			if (err != steps[i].err)
				fail_msg("step %zu: writing \"%s\" to %s: %d, not %d", i,
					 steps[i].write, steps[i].path, err, steps[i].err);
		}
		if (!steps[i].write || steps[i].read)
			check_read(machine, &steps[i], i);
	}
}

void sysfs_machine_play(const char *platform, const struct sysfs_step *steps, size_t count)
{
	struct sysfs_machine machine;

	sysfs_machine_open(&machine, platform);
	sysfs_machine_run(&machine, steps, count);
	sysfs_machine_close(&machine);
}

void sysfs_machine_assert_list(struct sysfs_machine *machine, const char *path, const char *names)
{
	_cleanup_free_ char *whole = whole_path(path), *joined = NULL;
	char **found = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&joined, &length);

	assert_non_null(to);
	assert_int_equal(files_list(machine->files, whole, &found), 0);
	for (size_t i = 0; found[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", found[i]);
	files_free_names(&found);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(joined, names);
}
