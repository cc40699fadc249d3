/* SPDX-License-Identifier: GPL-2.0-only */
/* What cpufreq and cpuidle read of each CPU, and CPUs with equal values in groups: how large
 * machines are shown. */
#ifndef RUN_CPU_RECORDS_H
#define RUN_CPU_RECORDS_H

#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "run/context.h"

/* One CPU and what was read of it. */
struct cpu_record {
	uint32_t cpu;
	void *data; /* NULL: it could not be read, which was reported */
	int error; /* why, a negative errno */
	const char *core_type; /* of a hybrid machine; or NULL */
	bool is_left_out; /* of groups */
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

/* Reads struct cpufreq_policy or, if idle says how, struct cpuidle_cpu of each CPU of the context.
 * Each CPU that cannot be read becomes an error in the output; if no CPU has it, there is one error
 * for all. Returns 0 or -ENOMEM. */
int cpu_records_read(struct context *context, const struct cpuidle_reading *idle,
		     struct cpu_records *ret_records);

/* Reports the values of policies that are there and cannot be read, each with all of its CPUs.
 * only: not of CPUs of which that file is read; NULL: of all. Returns 0 or -ENOMEM. */
int cpu_records_report_unread(struct context *context, const struct cpu_records *policies,
			      const char *only);

/* Reports why cpufreq_read_machine() failed (err), or what it could not read (err is 0). */
void cpu_records_report_machine(struct context *context, const struct cpufreq_machine *machine,
				int err);

/* The data of a CPU, which must be one of the records. */
void *cpu_records_find(const struct cpu_records *records, uint32_t cpu);

/* CPUs of one die and one core type with equal values; one at least. */
struct cpu_group {
	uint32_t package;
	uint32_t die;
	uint32_t cpu; /* the first */
	struct cpuset cpus; /* all; empty for one alone: a set takes room for all CPUs below */
	const void *data; /* of its first CPU; the caller's */
	const char *core_type; /* of all of them; or NULL */
};

struct cpu_groups {
	struct cpu_group *groups; /* by package, die, first CPU */
	size_t count;
};

#define _cleanup_cpu_groups_ __attribute__((cleanup(cpu_groups_done)))

/* Groups CPUs, of which records has one each, ascending; those without data are left out. equal
 * compares the data of two CPUs of one die; NULL: each CPU is a group. Returns 0 or -ENOMEM. */
int cpu_groups_make(const struct topology *topology, const struct cpu_record *records, size_t count,
		    bool (*equal)(const void *, const void *), struct cpu_groups *ret_groups);
void cpu_groups_done(struct cpu_groups *groups);

/* The place of a group in the output; valid as long as the group. */
struct output_place cpu_groups_place(const struct cpu_group *group);

#endif
