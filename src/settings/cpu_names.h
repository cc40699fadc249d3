/* SPDX-License-Identifier: GPL-2.0-only */
/* Named sets of CPUs, which -c and state documents accept besides numbers: "package:0,!isolated"
 * (commands.md, "Named sets of CPUs"). A text is parsed without a machine. The sets are resolved
 * later, for the machine as it is now or as it will be after a change. */
#ifndef SETTINGS_CPU_NAMES_H
#define SETTINGS_CPU_NAMES_H

#include "host/topology.h"

enum cpu_name_kind {
	CPU_NAME_NUMBERS, /* in the list: a removal by number */
	CPU_NAME_ALL,
	CPU_NAME_ONLINE,
	CPU_NAME_PACKAGE,
	CPU_NAME_DIE,
	CPU_NAME_NODE,
	CPU_NAME_ISOLATED,
	CPU_NAME_NOHZ_FULL,
	CPU_NAME_BASE_FREQ,
	CPU_NAME_CLOS,
	CPU_NAME_NEAR,
	CPU_NAME_SIBLINGS,
	CPU_NAME_CORE
};

/* One member of a text. */
struct cpu_name {
	enum cpu_name_kind kind;
	bool is_removed; /* it began with ! or ^ */
	uint32_t first, last; /* numbers of packages, nodes, CLOS or CPUs */
	uint32_t first_die, last_die; /* CPU_NAME_DIE: first and last are packages */
	char *address; /* CPU_NAME_NEAR: as sysfs writes it */
	char *text; /* as given, without ! or ^ */
};

struct cpu_names {
	struct cpuset numbers; /* the CPUs that are added by number */
	struct cpu_name *list; /* all other members, in the order of the text; none: a plain list */
	size_t count;
	char *text; /* the complete text; NULL: a plain list */
};

/* Why a text was refused. */
struct cpu_names_problem {
	const char *expected; /* what is wrong or was expected; static text */
	size_t member; /* the number of the wrong member, from 1; 0: the complete text */
	const char *at; /* the wrong member, in the text, and its length; or NULL */
	size_t length;
	bool is_unknown; /* it begins with a word that is none of cpu_names_words */
};

/* The words that a member can begin with. A word that needs a value ends with a colon.
 * NULL-terminated. */
extern const char *const cpu_names_words[];

/* Reads a list of CPUs: either only numbers and ranges, as cpulist_parse_user(), or a list with a
 * name or a removal. Returns 0; -EINVAL or -ERANGE with ret_problem; or -ENOMEM. */
int cpu_names_parse(const char *text, struct cpu_names *ret_names,
		    struct cpu_names_problem *ret_problem);
/* Frees all members and leaves names empty. */
void cpu_names_done(struct cpu_names *names);

/* Does the list name no CPU at all, as before parsing? */
static inline bool cpu_names_is_empty(const struct cpu_names *names)
{
	return names->count == 0 && cpuset_is_empty(&names->numbers);
}

/* Does the member need Speed Select? */
static inline bool cpu_name_needs_sst(const struct cpu_name *name)
{
	return name->kind == CPU_NAME_CLOS || name->kind == CPU_NAME_BASE_FREQ;
}

/* The first member that needs Speed Select, or NULL. */
const struct cpu_name *cpu_names_find_sst(const struct cpu_names *names);

/* Objects that resolving uses. */
struct cpu_names_environment {
	struct files *files; /* for nodes, isolated CPUs, PCI devices and thread siblings */
	const struct topology *topology;
	/* CPUs that count as online: now, or after a change. */
	const struct cpuset *online;
	/* Add the CPUs of a CLOS, or the SST-BF cores of the current level, also offline ones.
	 * Return 0; or a negative errno with the reason in *ret_message, a new text for the user
	 * (NULL: no memory). -ENOTSUP: there is no Speed Select. */
	int (*add_clos)(void *data, uint32_t clos, struct cpuset *cpus, char **ret_message);
	int (*add_base_freq)(void *data, struct cpuset *cpus, char **ret_message);
	void *data;
};

/* The isolated CPUs: by boot parameter, and by control groups. */
#define CPU_NAMES_ISOLATED           FILES_CPUS "/isolated"
#define CPU_NAMES_ISOLATED_BY_GROUPS "/sys/fs/cgroup/cpuset.cpus.isolated"

/* Adds the CPUs of a list file, which may be empty or unset, to cpus. Returns 0, or a negative
 * errno of reading with *ret_message a new text for the user (NULL: no memory). */
int cpu_names_read_list(struct files *files, const char *path, struct cpuset *cpus,
			char **ret_message);

/* Resolves the sets: all additions, then all removals. ret_cpus and ret_left_out must be empty.
 * *ret_cpus is the result. From named sets it has only CPUs that count as online. It has all CPUs
 * that are given by number, also in siblings: and core:, so that the caller can refuse CPUs that
 * are offline or that the machine lacks, as in a plain list. It also has removed numbers that the
 * machine lacks. *ret_left_out: offline CPUs of named sets. Returns 0; or, with *ret_message a new
 * text for the user: -ENODATA (the result is empty), -ENOENT (the machine has no such package, die,
 * node or PCI device), -ENOTSUP (no Speed Select), another negative errno of reading a set (of a
 * file or of the callback); or -ENOMEM without a message. */
int cpu_names_resolve(const struct cpu_names *names,
		      const struct cpu_names_environment *environment, struct cpuset *ret_cpus,
		      struct cpuset *ret_left_out, char **ret_message);

/* Resolves a list without sets of Speed Select for the CPUs that are online now, as
 * cpu_names_resolve(). A plain list is copied, and may be empty. */
int cpu_names_find(const struct cpu_names *names, struct files *files,
		   const struct topology *topology, struct cpuset *ret_cpus, char **ret_message);

#endif
