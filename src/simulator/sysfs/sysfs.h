/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's files of a simulated machine, which behave as in the kernel (sysfs.md). Tables list
 * each directory that can be read or listed, and its files with the functions that read and write
 * them. */
#ifndef SIMULATOR_SYSFS_SYSFS_H
#define SIMULATOR_SYSFS_SYSFS_H

#include "base/buffer.h"
#include "host/files.h"
#include "simulator/faults.h"

/* The kernel's paths. The tests compare all paths with those that commands read. */
#define SYSFS_CPUS "/sys/devices/system/cpu"
#define SYSFS_PMUS "/sys/bus/event_source/devices"

/* Makes *ret_files. state and faults stay the caller's and must outlive it. Returns 0 or
 * -ENOMEM. */
int sysfs_open(struct sim_state *state, struct sim_faults *faults, struct files **ret_files);

/* Frees the files; NULL is fine. */
void sysfs_close(struct files *files);

/* Sets a state, which has the values of the platform file, to the recorded values of all files that
 * can be written, except which CPUs are online. */
void sysfs_take_recorded(struct sim_state *state);

/* The declarations below are for the tables in simulator/sysfs/. */

/* One access to a file or directory. */
struct sysfs_place {
	struct sim_state *state; /* locked */
	const struct sim_platform *platform;
	const struct sim_faults *faults;
	const struct sysfs_directory *directory;
	const struct sysfs_attribute *attribute; /* that is read or written */
	size_t limit; /* the most bytes that the reader wants; 0: all */
	uint32_t numbers[2]; /* the numbers in the path, in their order */
	const char *name; /* the part of the path that a * matches */
	/* set by the directory's find() */
	uint32_t cpu;
	size_t domain; /* index into the platform's domains */
	size_t end_domain; /* after the last domain of an uncore directory */
	bool is_package; /* an uncore directory of all domains of a package */
};

/* A file. One of fixed, number, text and append gives the content without the final newline. set or
 * store gets a text that is written; a file with neither has mode 0444. */
struct sysfs_attribute {
	const char *name; /* NULL ends a table */
	int argument; /* for the functions */
	const char *fixed;
	uint64_t (*number)(const struct sysfs_place *place);
	const char *(*text)(const struct sysfs_place *place);
	int (*append)(const struct sysfs_place *place, struct buffer *to);
	/* Sets a decimal number up to max (0: of 32 bits); a higher number is -EINVAL. Commands
	 * write no other form of number. Returns 0 or a negative errno. */
	int (*set)(const struct sysfs_place *place, uint32_t value);
	uint32_t max;
	/* Stores a text that is not empty. Returns 0 or a negative errno. */
	int (*store)(const struct sysfs_place *place, const char *text);
	bool (*exists)(const struct sysfs_place *place); /* NULL: always */
};

struct sysfs_directory {
	/* NULL ends a table. "#" is a decimal number, "##" a number of at least two digits, "*" at
	 * the end any name. */
	const char *path;
	int argument; /* for the functions */
	/* Finds the CPU, package or domain that the numbers in the path name, and sets cpu and the
	 * domains of place. Returns false if it does not exist. NULL: nothing to find. */
	bool (*find)(struct sysfs_place *place);
	bool (*exists)(const struct sysfs_place *place); /* NULL: always */
	/* Appends the names that match a last part with * or several numbers, a newline after each.
	 * Returns 0 or a negative errno. NULL: the last part is a plain name or has one number;
	 * then all numbers are tried. */
	int (*list)(const struct sysfs_place *place, struct buffer *names);
	/* Can the files be used now? Returns 0 or a negative errno. NULL: always. */
	int (*ready)(const struct sysfs_place *place);
	const struct sysfs_attribute *attributes; /* or NULL */
	/* Make a directory in this directory, or remove this directory. Return 0 or a negative
	 * errno. NULL: not permitted. */
	int (*make)(const struct sysfs_place *place, const char *name);
	int (*remove)(const struct sysfs_place *place);
};

/* The attributes of a directory with few files. */
#define SYSFS_FILES(...)                               \
	.attributes = (const struct sysfs_attribute[]) \
	{                                              \
		__VA_ARGS__,                           \
		{                                      \
			0                              \
		}                                      \
	}

/* The tables, one for each source file. */
extern const struct sysfs_directory sysfs_cpu[];
extern const struct sysfs_directory sysfs_cpufreq[];
extern const struct sysfs_directory sysfs_uncore[];
extern const struct sysfs_directory sysfs_powercap[];
extern const struct sysfs_directory sysfs_cgroup[];
extern const struct sysfs_directory sysfs_kernel[];
extern const struct sysfs_directory sysfs_pmu[];
extern const struct sysfs_directory sysfs_heat[];

/* Define a function for number, text, set or exists. Functions that read return an expression with
 * place. Functions that set assign an expression with value, the written number, to a variable of
 * the state. */
#define SYSFS_NUMBER(function, expression)                        \
	static uint64_t function(const struct sysfs_place *place) \
	{                                                         \
		return (expression);                              \
	}                                                         \
	struct sysfs_place /* takes the semicolon */
#define SYSFS_TEXT(function, expression)                             \
	static const char *function(const struct sysfs_place *place) \
	{                                                            \
		return (expression);                                 \
	}                                                            \
	struct sysfs_place
#define SYSFS_HAS(function, expression)                       \
	static bool function(const struct sysfs_place *place) \
	{                                                     \
		return (expression);                          \
	}                                                     \
	struct sysfs_place
#define SYSFS_SET(function, variable, made_of_value)                         \
	static int function(const struct sysfs_place *place, uint32_t value) \
	{                                                                    \
		(variable) = (__typeof__(variable))(made_of_value);          \
		return 0;                                                    \
	}                                                                    \
	struct sysfs_place

/* A file with a number that get_FUNCTION reads and set_FUNCTION writes. */
#define SYSFS_READ_WRITE(file, function, limit) \
	(file), .number = get_##function, .set = set_##function, .max = (limit)

/* Sets place->cpu to the first number in the path. Returns true if the machine has this CPU. */
bool sysfs_find_cpu(struct sysfs_place *place);

/* Return cpuinfo_max_freq and scaling_max_freq of a CPU. The platform must have cpufreq. The lock
 * of the state is held. */
uint32_t sysfs_highest_khz(const struct sim_state *state, uint32_t cpu);
uint32_t sysfs_scaling_max_khz(const struct sim_state *state, uint32_t cpu);

/* Returns true if Linux or BIOS has switched turbo off. */
bool sysfs_is_turbo_off(const struct sim_state *state);

/* Update the highest frequencies that Linux knows: of all CPUs, as when policies are made; or of
 * CPUs whose guaranteed frequency has changed, if the kernel gets an interrupt for that. */
void sysfs_take_highest(struct sim_state *state);
void sysfs_follow_highest(struct sim_state *state);

/* Returns the base frequency of a CPU at the present level or, without Speed Select, of the
 * platform file. The lock of the state is held. */
uint32_t sysfs_base_khz(const struct sim_state *state, uint32_t number);

/* Is any CPU of the power domain online? domain is an index into the platform's domains. */
bool sysfs_any_online(const struct sim_state *state, size_t domain);

/* Makes the control groups that a recorded machine had. */
void sysfs_cgroup_take_recorded(struct sim_state *state);

/* Makes the present uncore limits of a power domain the initial limits, as the driver does when the
 * first CPU of a die comes online. */
void sysfs_uncore_resample(struct sim_state *state, size_t domain);

/* The state of place->cpu. */
static inline struct sim_cpu_state *sysfs_cpu_state(const struct sysfs_place *place)
{
	return &place->state->cpus[place->cpu];
}

#endif
