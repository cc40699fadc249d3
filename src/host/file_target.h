/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel files and directories as targets of writes (sysfs.md). */
#ifndef HOST_FILE_TARGET_H
#define HOST_FILE_TARGET_H

#include "host/target.h"

/* How a file is compared with what was written to it. */
enum file_content {
	FILE_ANY, /* not at all: the kernel may show another value */
	FILE_NUMBER, /* as a number; as a text if one of the two is none */
	FILE_TEXT
};

/* A file. Its value is a text. path must live as long as the target. */
struct write_target file_target(const char *path, enum file_content content);

/* A directory, which is made or removed. Its value is number: 1 present, 0 absent. */
struct write_target directory_target(const char *path);

/* Is it a directory? */
bool target_is_directory(const struct write_target *target);

/* The probable cause of a negative errno of writing or reading the file at path. */
struct target_cause file_target_cause(const char *path, int error);

#endif
