/* SPDX-License-Identifier: GPL-2.0-only */
/* The run directory: lock, note of an unfinished command, map of CPUs, and the daemon's files. */
#ifndef MACHINE_RUN_DIRECTORY_H
#define MACHINE_RUN_DIRECTORY_H

/*
 * Makes the directory (mode 0755, those above it too) where it is missing. Returns 0; -ELOOP where
 * it is a link; -EPERM where it belongs to another user or others may write to it; -ENOTDIR; or the
 * errno of mkdir().
 */
int run_directory_make(const char *path);

/* What such an error means, or one of a file in the directory: a text that needs no release. */
const char *run_directory_problem(int err);

#endif
