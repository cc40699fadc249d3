/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated machine's files for tests, and scenarios of reads and writes as tables. */
#ifndef UNIT_SYSFS_MACHINE_H
#define UNIT_SYSFS_MACHINE_H

#include "host/files.h"
#include "simulator/faults.h"

struct sysfs_machine {
	struct sim_platform *platform;
	char *directory;
	struct sim_state *state;
	struct sim_faults *faults;
	struct files *files;
};

/* One step of a scenario. A path without a leading slash is below /sys/devices/system/cpu. If there
 * is a text to write, writing it must return err. If there is a text to read, the file must contain
 * it, and a newline. If there is neither, reading must return err. */
struct sysfs_step {
	const char *path;
	const char *write;
	int err;
	const char *read;
};

/* The path of a platform file, below the directory in PLATFORM_FILES; the caller frees it. */
char *sysfs_machine_platform_path(const char *platform);

/* Reads the platform file of that name. The test may change it before sysfs_machine_start(), which
 * takes the text of faults.json, or NULL. */
void sysfs_machine_load(struct sysfs_machine *machine, const char *platform);
void sysfs_machine_start(struct sysfs_machine *machine, const char *faults);

/* Does both, without faults. */
void sysfs_machine_open(struct sysfs_machine *machine, const char *platform);
void sysfs_machine_close(struct sysfs_machine *machine);

/* Runs count steps; a failure names the step. */
void sysfs_machine_run(struct sysfs_machine *machine, const struct sysfs_step *steps, size_t count);

/* Runs count steps on a machine of their own, without faults. */
void sysfs_machine_play(const char *platform, const struct sysfs_step *steps, size_t count);

/* Reads a file whole; the caller frees the text. */
char *sysfs_machine_read(struct sysfs_machine *machine, const char *path);

/* Checks the names in a directory; names has a blank between them. */
void sysfs_machine_assert_list(struct sysfs_machine *machine, const char *path, const char *names);

#endif
