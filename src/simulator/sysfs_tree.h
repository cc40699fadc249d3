/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated kernel's files as tables: what attributes a directory has, how each is shown and
 * stored, and which directories are below. Inside the simulator only.
 */
#ifndef SIMULATOR_SYSFS_TREE_H
#define SIMULATOR_SYSFS_TREE_H

#include "simulator/faults.h"
#include "simulator/sysfs_names.h"

/* Which of the like directories a path has led to; only what the path names is set. */
struct sysfs_place {
	struct sim_state *state; /* locked */
	const struct sim_faults *faults;
	size_t limit; /* no reader wants more bytes than that; 0: all */
	uint32_t cpu; /* also the number of a cpufreq policy */
	uint32_t package;
	uint32_t idle_state;
	size_t domain;
};

struct sysfs_attribute {
	const char *name; /* NULL ends a table */
	/* Writes the value without its last newline. Returns 0 or a negative errno. */
	int (*show)(const struct sysfs_place *place, FILE *to);
	/* Takes a text that is not empty. Returns 0 or a negative errno. NULL: mode 0444. */
	int (*store)(const struct sysfs_place *place, const char *text);
	bool (*exists)(const struct sysfs_place *place); /* NULL: always */
};

struct sysfs_directory {
	const char *name; /* NULL: find and list know the names */
	bool (*exists)(const struct sysfs_place *place); /* with a name; NULL: always */
	/* Does name lead there? Then it sets its place. */
	bool (*find)(struct sysfs_place *place, const char *name);
	/* Adds the names. Returns 0 or -ENOMEM. */
	int (*list)(const struct sysfs_place *place, struct sysfs_names *names);
	/* Can the attributes be used now? Returns 0 or a negative errno. NULL: always. */
	int (*ready)(const struct sysfs_place *place);
	const struct sysfs_attribute *attributes; /* or NULL */
	const struct sysfs_directory *const *children; /* NULL ends them; or NULL */
};

/*
 * Reads a file by absolute path. Returns 0; -ENOENT, -EISDIR and -ENOTDIR as open() does; what the
 * attribute says; -ENOMEM.
 */
int sysfs_tree_read(struct sysfs_place *place, const char *path, FILE *to);

/* Writes one. Returns the same, and -EACCES where it can only be read. */
int sysfs_tree_write(struct sysfs_place *place, const char *path, const char *text);

/* Adds the names in a directory. Returns 0, -ENOENT, -ENOTDIR or -ENOMEM. */
int sysfs_tree_list(struct sysfs_place *place, const char *path, struct sysfs_names *names);

/* Is there such a file or directory? */
bool sysfs_tree_exists(struct sysfs_place *place, const char *path);

/* The parts of the tree, one per file. */
extern const struct sysfs_directory sysfs_proc; /* /proc */
extern const struct sysfs_directory sysfs_cpu; /* /sys/devices/system/cpu */
extern const struct sysfs_directory sysfs_cpufreq; /* cpu/cpufreq */
extern const struct sysfs_directory sysfs_cpufreq_of_cpu; /* cpu/cpuN/cpufreq */
extern const struct sysfs_directory sysfs_pstate; /* cpu/intel_pstate */
extern const struct sysfs_directory sysfs_idle; /* cpu/cpuidle */
extern const struct sysfs_directory sysfs_idle_of_cpu; /* cpu/cpuN/cpuidle */
extern const struct sysfs_directory sysfs_power_of_cpu; /* cpu/cpuN/power */
extern const struct sysfs_directory sysfs_power_umwait; /* cpu/umwait_control */
extern const struct sysfs_directory sysfs_uncore; /* cpu/intel_uncore_frequency */

/* The platform of the machine. */
static inline const struct sim_platform *sysfs_platform(const struct sysfs_place *place)
{
	return place->state->platform;
}

/* The state of the CPU that the path has led to. */
static inline struct sim_cpu_state *sysfs_cpu_state(const struct sysfs_place *place)
{
	return &place->state->cpus[place->cpu];
}

/* The CPU's PUNIT core id, from what GET_PHY_ID answers for it. */
uint32_t sysfs_cpu_punit_core(const struct sim_platform *platform, uint32_t cpu);

/* Is any of the domain's CPUs online? */
bool sysfs_cpu_any_online(const struct sim_state *state, size_t domain);

/*
 * The domain's first CPU is about to come online again: the uncore driver looks at the limits anew
 * and takes them for the initial ones.
 */
void sysfs_uncore_resample(struct sim_state *state, size_t domain);

#endif
