/* SPDX-License-Identifier: GPL-2.0-only */
/* What can change in a simulated machine: kept in memory under a lock, and in a file of the state
 * directory that all processes that simulate the machine share. Reading and changing it needs the
 * lock. */
#ifndef SIMULATOR_STATE_H
#define SIMULATOR_STATE_H

#include "simulator/platform_file.h"

/* Of the file: to be raised whenever a structure in it changes, here, in simulator/punit.h or in
 * simulator/power.h. */
#define SIM_STATE_VERSION 13

#define SIM_MAX_FAULTS   256
#define SIM_EPP_NAMED    256
#define SIM_NO_LIMIT_KHZ INT32_MAX /* of scaling_max_freq: no request */

/* The directory of the control groups that a recorded machine had, in the state directory. */
#define STATE_START_NAME "start"

/* The scaling driver of intel_pstate in its two modes. */
#define SIM_ACTIVE_DRIVER  "intel_pstate"
#define SIM_PASSIVE_DRIVER "intel_cpufreq"

/* One logical CPU's settings, as its sysfs files show them. */
struct sim_cpu_state {
	uint8_t online;
	uint8_t governor; /* index into sim_cpufreq.governors */
	uint8_t epb;
	uint16_t epp; /* 0-255: raw; SIM_EPP_NAMED + n: sim_cpufreq.epps[n] */
	uint32_t scaling_min_khz; /* as requested, at first none: files show it clamped */
	uint32_t scaling_max_khz;
	uint32_t highest_khz; /* that Linux knows, if it does not follow the hardware at once */
	uint32_t guaranteed_khz; /* by which it sees a change */
	uint32_t idle_disabled; /* bit per idle state, at most 10 in the kernel */
	int32_t resume_latency_us; /* -1: "n/a"; 0: no limit */
};

enum sim_limit { SIM_LIMIT_MIN, SIM_LIMIT_MAX, SIM_LIMITS };

struct sim_uncore_state {
	uint32_t khz[SIM_LIMITS];
	uint32_t initial_khz[SIM_LIMITS]; /* as initial_*_freq_khz show them */
	uint32_t package_khz[SIM_LIMITS]; /* last written for the whole package (TPMI); 0: none */
	uint8_t elc_low; /* thresholds of efficiency latency control: 7 bits, 127 is all */
	uint8_t elc_high;
	uint8_t elc_high_enable;
	uint8_t elc_floor; /* in 100 MHz */
};

/* Settings of the whole machine. */
struct sim_machine_state {
	uint8_t is_passive; /* intel_pstate */
	uint8_t no_turbo;
	uint8_t hwp_boost;
	uint8_t min_percent; /* below the lowest frequency it is shown as that */
	uint8_t max_percent;
	uint8_t idle_governor; /* 0: the platform's; n: number n - 1 of the others */
	uint8_t c1_demotion;
	uint8_t umwait_c02;
	uint32_t umwait_max_time;
	char boot_id[40];
	uint64_t faults_digest; /* of the orders that the counts below belong to */
};

/* The rest counts what happened while the virtual clock advanced: it never steps by itself. */
struct sim_clock {
	uint64_t now_ns;
};

/* Reasons that limited a CPU, in bits. */
#define SIM_LIMITED_BY_POWER 1 /* the power limit of the package took a ratio */
#define SIM_LIMITED_BY_CAP   4 /* the management controller's limit took a ratio */
#define SIM_LIMITED_BY_TURBO 2 /* a turbo-ratio limit or SST-TF is the cap */

struct sim_cpu_counters {
	uint64_t busy; /* nanoseconds x percent */
	uint64_t cycles; /* the same x ratio */
	uint64_t core_c1_ns; /* of the core, if this is its first CPU: no thread was above C1 */
	uint64_t core_c6_ns; /* or C6 */
	uint64_t throttled_ns;
	uint64_t limits; /* SIM_LIMITED_BY_* since the start */
};

/* Of an idle state of a CPU. */
struct sim_idle_counters {
	uint64_t idle_ns; /* of the time in which nothing happened */
	uint64_t round_ns; /* of sleeps that something ended, and how many they were */
	uint64_t rounds;
};

struct sim_package_counters {
	uint64_t energy_uj;
	uint64_t energy_pj; /* below a microjoule */
	uint64_t c6_ns; /* all cores were in C6 */
	uint64_t throttled_ns;
};

struct sim_load;
struct state_header;

struct sim_state {
	const struct sim_platform *platform;
	/* Of a recorded machine: the state at its start, which is not kept and needs no lock; else
	 * NULL. */
	struct sim_state *start;
	int directory_fd; /* locked while the state is used */
	char *directory;
	int fd; /* of the file that the data is from, to see when it is replaced */
	size_t size;
	void *data;
	void *saved; /* the data as it is in the file */
	/* All below point into the data. */
	struct state_header *header;
	struct sim_machine_state *machine;
	struct punit_state *punits; /* by domain */
	struct punit_package *packages; /* by package */
	struct sim_cpu_state *cpus; /* by logical CPU */
	struct sim_uncore_state *uncore; /* by domain */
	struct sim_power_state *power; /* by power zone of the platform */
	uint32_t power_cap_w; /* of faults.json; not in the data */
	uint32_t *fault_counts; /* matches so far, by order; SIM_MAX_FAULTS of them */
	/* These are in the file only after the clock has advanced. */
	struct sim_clock *clock;
	struct sim_cpu_counters *cpu_counters; /* by logical CPU */
	struct sim_idle_counters *idle; /* by logical CPU, then by idle state of the platform */
	struct sim_package_counters *package_counters; /* by package */
	size_t settings_size; /* of the data before them */
	/* What this process runs on the machine, by logical CPU (simulator/activity.h); not in the
	 * data, and NULL: nothing. */
	const struct sim_load *loads;
};

/* Opens the state of a platform in directory, made as needed (mode 0700). A directory that is a
 * link, belongs to another user or may be written by others is refused.
 * Returns 0; or a negative errno with *ret_message a new line: -EINVAL for a damaged state or one
 * of another platform text, -EPERM for a directory or file that cannot be trusted, others from the
 * file system. */
int state_open(const struct sim_platform *platform, const char *directory, bool reset,
	       struct sim_state **ret_state, char **ret_message);

/* Frees the state, which stays in its directory; NULL is fine. */
void state_close(struct sim_state *state);

/* Waits for the lock, and reads the file if another process has changed it. Returns 0; or, without
 * the lock, a negative errno of flock() or of reading, or -EINVAL for a damaged file. */
int state_lock(struct sim_state *state);

/* Releases the lock; nothing was changed. */
void state_unlock(struct sim_state *state);

/* Replaces the file if something was changed, and releases the lock. Returns 0; or a negative
 * errno, and then nothing is changed. */
int state_commit(struct sim_state *state);

/* The same after a request, which changes nothing if it only reads: then no state is compared, of
 * which machines of thousands of CPUs have much. err: of the request. Returns err or that of
 * state_commit(). */
int state_end_request(struct sim_state *state, bool only_reads, int err);

/* The PUNIT of a domain, ready for punit_mailbox() and the like; the lock must be held. */
struct punit state_punit(struct sim_state *state, size_t domain);

/* Makes the message "DIRECTORY/NAME: PROBLEM" (name may be NULL; a problem that is NULL is the text
 * of err). Returns err, or -ENOMEM with *ret_message untouched. */
int state_complain(char **ret_message, int err, const char *directory, const char *name,
		   const char *problem);

/* The state directory (state_directory.c). */

/* Opens the directory at path, made (mode 0700, those above it too) if it is missing.
 * *ret_path is a new string, the path without slashes at its end. Returns 0; or a negative errno
 * with *ret_message a new line: -EPERM for one that is a link, belongs to another user or may be
 * written by others, or to which a link of another user leads or, in a directory that everybody may
 * write to, a directory of one; those of mkdir() and open(). */
int state_directory_open(const char *path, char **ret_path, int *ret_fd, char **ret_message);

/* Removes all that the simulator made in the directory, and nothing else: the user's faults.json
 * stays. Follows no link. Returns 0 or a negative errno. */
int state_directory_empty(int directory_fd);

/* Removes a file, a link or a directory with all in it. Returns 0, also if there is nothing; or a
 * negative errno. */
int state_directory_remove(int directory_fd, const char *name);

/* The directory for a platform if the user names none: one per user, and per platform name or, if
 * platform is a path, file. platform is what the user gave, name the name in the file. *ret_path is
 * a new string. Returns 0; -ENOENT if the user has no home directory; -ENOMEM; or the errno of
 * realpath(). */
int state_directory_find(const char *platform, const char *name, char **ret_path);

#endif
