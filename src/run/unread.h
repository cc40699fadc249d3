/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of CPUs that exist but cannot be read, with all CPUs for which this is true (sysfs.md,
 * "EPB"). */
#ifndef RUN_UNREAD_H
#define RUN_UNREAD_H

#include "base/cpuset.h"
#include "host/files.h"
#include "run/context.h"

/* CPUs that have the same unread files for the same reasons. */
struct unread_cpus {
	struct files_unread unread;
	struct cpuset cpus;
};

struct unread_list {
	struct unread_cpus *list;
	size_t count;
};

#define _cleanup_unread_list_ __attribute__((cleanup(unread_list_done)))

/* Adds the unread files of a CPU, if there are any. Returns 0 or -ENOMEM. */
int unread_list_add(struct unread_list *list, const struct files_unread *unread, uint32_t cpu);
void unread_list_done(struct unread_list *list);

/* Formats the CPUs and the files that are unread for a reason of files_next_unread(): "CPUs 0-3:
 * energy_perf_bias". Returns a new text; NULL: memory is short. */
char *unread_format(const struct unread_cpus *cpus, const struct file_members *members, int error);

/* Reports files that cannot be read because of error. Takes their names in printf form. */
void unread_report(struct context *context, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
