/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of kernel files for tests: what they hold, and what becomes of a simulated machine. */
#ifndef UNIT_PLANNED_H
#define UNIT_PLANNED_H

#include "host/machine.h"
#include "change/change.h"
#include "host/target.h"
#include "sysfs_machine.h"

struct planned {
	struct sysfs_machine simulated; /* not with planned_open_files() */
	struct host host;
	struct machine machine; /* identity is not filled */
	struct change_list plan;
};

enum planned_kind { PLANNED_FILE, PLANNED_MAKE, PLANNED_REMOVE };

/* A step as it must be. A path without a leading slash is below /sys/devices/system/cpu. */
struct planned_step {
	enum planned_kind kind;
	const char *path;
	const char *text;
	const char *old_text;
	enum file_content content;
	const char *announcement;
};

/* A simulated machine of that platform, with faults (or NULL), and an empty plan. */
void planned_open(struct planned *planned, const char *platform, const char *faults);
/* The same with files of the test's own, and without a topology. */
void planned_open_files(struct planned *planned, struct files *files);
void planned_close(struct planned *planned);

/* Reads the topology again and starts with an empty plan. */
void planned_renew(struct planned *planned);

/* The plan must have exactly these steps. */
void planned_assert(struct planned *planned, const struct planned_step *steps, size_t count);

/* How many steps the plan has. */
size_t planned_count(const struct planned *planned);

/* Carries the plan out. It must fail with error (0: not at all), for a reason that has these words
 * in it (NULL: any); after a failure nothing may be left that could not be undone. */
void planned_run(struct planned *planned, int error, const char *reason);

#endif
