/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of cpufreq and cpuidle of each CPU, and the groups of CPUs with equal values in which
 * large machines are shown. */
#ifndef RUN_CPU_RECORDS_H
#define RUN_CPU_RECORDS_H

#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "run/context.h"

/* One CPU and its data. */
struct cpu_record {
	uint32_t cpu;
	void *data; /* NULL: it could not be read, which was reported */
	int error; /* the reason, a negative errno */
	const char *core_type; /* of a hybrid machine; or NULL */
	bool is_left_out; /* groups leave it out */
};

/* The CPUs of a command, ascending. */
struct cpu_records {
	struct cpu_record *list;
	size_t count;
	void *storage;
	bool are_idle; /* the data is struct cpuidle_cpu; else struct cpufreq_policy */
};

#define _cleanup_cpu_records_ __attribute__((cleanup(cpu_records_done)))

/* Frees the records and leaves none. */
void cpu_records_done(void *pointer);

/* Reads a struct cpufreq_policy of each CPU of the context or, as idle specifies, a struct
 * cpuidle_cpu. Each CPU that cannot be read becomes an error in the output; if no CPU has such
 * data, there is one error for all. Returns 0 or -ENOMEM. */
int cpu_records_read(struct context *context, const struct cpuidle_reading *idle,
		     struct cpu_records *ret_records);

/* Reports the values of policies that exist but cannot be read, each with all of its CPUs. With
 * only, leaves out CPUs for which this file was read. Returns 0 or -ENOMEM. */
int cpu_records_report_unread(struct context *context, const struct cpu_records *policies,
			      const char *only);

/* Reports why cpufreq_read_machine() failed (err), or what it could not read (err is 0). */
void cpu_records_report_machine(struct context *context, const struct cpufreq_machine *machine,
				int err);

/* Returns the data of a CPU of the records. */
void *cpu_records_find(const struct cpu_records *records, uint32_t cpu);

/* One or more CPUs of one die and one core type with equal values. */
struct cpu_group {
	uint32_t package;
	uint32_t die;
	uint32_t cpu; /* the first */
	struct cpuset cpus; /* all; empty for one CPU: a set needs memory for all CPUs below */
	const void *data; /* of its first CPU; owned by the caller */
	const char *core_type; /* of all of them; or NULL */
};

struct cpu_groups {
	struct cpu_group *groups; /* by package, die, first CPU */
	size_t count;
};

#define _cleanup_cpu_groups_ __attribute__((cleanup(cpu_groups_done)))

/* Groups the CPUs of records, which are in ascending order. Leaves out records without data. equal
 * compares the data of two CPUs of one die; NULL: each CPU is a group. Returns 0 or -ENOMEM. */
int cpu_groups_make(const struct topology *topology, const struct cpu_record *records, size_t count,
		    bool (*equal)(const void *, const void *), struct cpu_groups *ret_groups);
void cpu_groups_done(struct cpu_groups *groups);

/* Returns the location of a group in the output; valid as long as the group. */
struct output_place cpu_groups_place(const struct cpu_group *group);

#endif
