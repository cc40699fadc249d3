/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the kernel's performance monitoring units (PMUs). The operations are those of
 * perf_event_open(2). The kernel implements them, or a model. The machine's files show which PMUs
 * exist (measure.md, "Sources, rights, traps"). */
#ifndef INSTRUMENTS_PERF_H
#define INSTRUMENTS_PERF_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/files.h"

#define PERF_PMUS "/sys/bus/event_source/devices"

struct perf;
struct perf_event_attr; /* of linux/perf_event.h */

struct perf_ops {
	/* Opens an event as perf_event_open(2) does: pid -1 and a CPU, or a process and CPU -1;
	 * group is the handle of the group's leader, or -1; flags has PERF_FLAG_FD_CLOEXEC.
	 * Returns a handle of 0 or more, or the negative errno of perf_event_open(2): -EACCES or
	 * -EPERM without the right, -EMFILE at the limit of open files, -ENOENT, -EINVAL,
	 * -ENODEV... */
	int (*open)(struct perf *perf, const struct perf_event_attr *attr, pid_t pid, int cpu,
		    int group, unsigned long flags);
	/* Reads a leader as read(2) does, in the form of read_format in its attr. Returns the
	 * number of bytes (0: the event is in an error state and does not count any more), or a
	 * negative errno. */
	ssize_t (*read)(struct perf *perf, int handle, void *buffer, size_t size);
	void (*close)(struct perf *perf, int handle);
};

/* Implementations begin with this structure. */
struct perf {
	const struct perf_ops *ops;
};

/* Uses the events of the running kernel. */
void perf_init_real(struct perf *ret_perf);

/* An event as the files of its PMU describe it. */
struct perf_event {
	uint32_t type; /* of the PMU */
	uint64_t config[3]; /* config, config1, config2 */
	double scale; /* the factor from a count to the event's unit; 0: none is given */
};

/* Finds an event of a PMU by name: PMU/type, PMU/events/NAME through PMU/format/, and NAME.scale.
 * Returns 0; -ENOENT if there is no such PMU or event; -EINVAL if a file is garbled, or the format
 * has no such term or no room for its value; another negative errno of reading; -ENOMEM. */
int perf_find_event(struct files *files, const char *pmu, const char *name,
		    struct perf_event *ret_event);

/* Makes an event of a PMU from a config in the PMU's format, such as "event=0xec,umask=0x10".
 * Returns as perf_find_event(). */
int perf_make_event(struct files *files, const char *pmu, const char *config,
		    struct perf_event *ret_event);

/* Reads PMU/cpumask: the CPUs on which a PMU counts for their package, die or core. Returns 0;
 * -ENOENT if the PMU has no such file and counts on every CPU; another negative errno of reading;
 * -EINVAL or -ERANGE; -ENOMEM. ret_cpus must be empty. */
int perf_read_cpumask(struct files *files, const char *pmu, struct cpuset *ret_cpus);

#define PERF_GROUP_MAX 8

/* The result of one read of a group, at the same moment for all its events. */
struct perf_counts {
	uint64_t enabled_ns;
	uint64_t running_ns; /* if less than enabled_ns, the group shared the hardware */
	uint64_t values[PERF_GROUP_MAX]; /* in the order in which the events were opened */
};

/* Opens an event that counts on a CPU (0 or more) for all processes. All bits of its attr are 0,
 * except size, type, config and read_format. leader is a handle, or -1: the event leads a group.
 * Returns a handle, or a negative errno as perf_ops.open. */
int perf_open_cpu(struct perf *perf, const struct perf_event *event, uint32_t cpu, int leader);

/* Opens an event that counts for a process and its children, from the next execve(). Each handle
 * must be read separately. Returns as perf_open_cpu(). */
int perf_open_process(struct perf *perf, const struct perf_event *event, pid_t pid);

/* Reads a group of n events (1 to PERF_GROUP_MAX) through its leader. Returns 0; -ENODATA if the
 * group is in an error state; -EIO if the answer has not n events; another negative errno. */
int perf_read_group(struct perf *perf, int leader, size_t n, struct perf_counts *ret_counts);

/* Reads a handle of perf_open_process() in the same way. The count is values[0]. */
int perf_read_process(struct perf *perf, int handle, struct perf_counts *ret_counts);

/* Closes *handle if it is 0 or more, and sets it to -1. */
void perf_close(struct perf *perf, int *handle);

#endif
