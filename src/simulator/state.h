/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a simulated machine: everything that can change. It is in memory under a lock, and
 * in a file of the state directory, which all processes that simulate the machine share. Reading
 * and changing the state need the lock. */
#ifndef SIMULATOR_STATE_H
#define SIMULATOR_STATE_H

#include "simulator/platform_file.h"

/* The version of the file. Raise it when a structure in the file changes: here, in
 * simulator/punit.h or in simulator/platform_file.h. */
#define SIM_STATE_VERSION 13

#define SIM_MAX_FAULTS   256
#define SIM_EPP_NAMED    256
#define SIM_NO_LIMIT_KHZ INT32_MAX /* scaling_max_freq that was never written */

/* The directory, in the state directory, for the control groups that a recorded machine had. */
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
	uint32_t scaling_min_khz; /* as written; files show the clamped value */
	uint32_t scaling_max_khz;
	uint32_t highest_khz; /* as Linux knows it, unless SIM_FOLLOWS_ALWAYS */
	uint32_t guaranteed_khz; /* the last value, to detect a change */
	uint32_t idle_disabled; /* a bit for each idle state, at most 10 in the kernel */
	int32_t resume_latency_us; /* -1: "n/a"; 0: no limit */
};

enum sim_limit { SIM_LIMIT_MIN, SIM_LIMIT_MAX, SIM_LIMITS };

struct sim_uncore_state {
	uint32_t khz[SIM_LIMITS];
	uint32_t initial_khz[SIM_LIMITS]; /* as initial_*_freq_khz show them */
	uint32_t package_khz[SIM_LIMITS]; /* last written for the package (TPMI); 0: none */
	uint8_t elc_low; /* thresholds of efficiency latency control: 7 bits, 127 is 100 % */
	uint8_t elc_high;
	uint8_t elc_high_enable;
	uint8_t elc_floor; /* in 100 MHz */
};

/* The settings of the machine. */
struct sim_machine_state {
	uint8_t is_passive; /* the mode of intel_pstate */
	uint8_t no_turbo;
	uint8_t hwp_boost;
	uint8_t min_percent; /* files show at least the percentage of the lowest frequency */
	uint8_t max_percent;
	uint8_t idle_governor; /* 0: the platform's; n: usual_governors[n - 1] in cpu.c */
	uint8_t c1_demotion;
	uint8_t umwait_c02;
	uint32_t umwait_max_time;
	char boot_id[40];
	uint64_t faults_digest; /* of the orders that fault_counts is about */
};

/* The virtual clock, which never advances by itself. The counters below count what happens while it
 * advances. */
struct sim_clock {
	uint64_t now_ns;
};

/* Reasons that limited a CPU, in bits. */
#define SIM_LIMITED_BY_POWER 1 /* the power limit of the package lowered the ratio */
#define SIM_LIMITED_BY_CAP   4 /* the management controller's limit lowered the ratio */
#define SIM_LIMITED_BY_TURBO 2 /* a turbo-ratio limit or SST-TF was the cap */

struct sim_cpu_counters {
	uint64_t busy; /* nanoseconds x percent */
	uint64_t cycles; /* nanoseconds x percent x ratio */
	uint64_t core_c1_ns; /* for the first CPU of a core: time of the core in C1 */
	uint64_t core_c6_ns; /* time of the core in C6 */
	uint64_t throttled_ns;
	uint64_t limits; /* SIM_LIMITED_BY_* since the start */
};

/* The counters of one idle state of one CPU. */
struct sim_idle_counters {
	uint64_t idle_ns; /* idle time outside of wake rounds */
	uint64_t round_ns; /* idle time in wake rounds */
	uint64_t rounds;
};

struct sim_package_counters {
	uint64_t energy_uj;
	uint64_t energy_pj; /* the rest below a microjoule */
	uint64_t c6_ns; /* all cores were in C6 */
	uint64_t throttled_ns;
};

struct sim_load;
struct state_header;

struct sim_state {
	const struct sim_platform *platform;
	/* For a recorded machine: the state at its start, which is only in memory and needs no
	 * lock. Else NULL. */
	struct sim_state *start;
	int directory_fd; /* locked while the state is used */
	char *directory;
	int fd; /* of the file that the data is from, to detect its replacement */
	size_t size;
	void *data;
	void *saved; /* a copy of the data in the file */
	/* The pointers below point into the data. */
	struct state_header *header;
	struct sim_machine_state *machine;
	struct punit_state *punits; /* by domain */
	struct punit_package *packages; /* by package */
	struct sim_cpu_state *cpus; /* by logical CPU */
	struct sim_uncore_state *uncore; /* by domain */
	struct sim_power_state *power; /* by power zone of the platform */
	uint32_t power_cap_w; /* of faults.json; not in the data */
	uint32_t *fault_counts; /* number of matches, by order; SIM_MAX_FAULTS entries */
	/* The counters below are in the file only after the clock has advanced. */
	struct sim_clock *clock;
	struct sim_cpu_counters *cpu_counters; /* by logical CPU */
	struct sim_idle_counters *idle; /* by logical CPU, then by idle state of the platform */
	struct sim_package_counters *package_counters; /* by package */
	size_t settings_size; /* of the data before the counters */
	/* The loads of this process, by logical CPU (simulator/activity.h); not in the data. NULL:
	 * none. */
	const struct sim_load *loads;
};

/* Opens the state of a platform in directory, which is made if needed (mode 0700). A directory that
 * is a link, belongs to another user or may be written by others is refused.
 * Returns 0; or a negative errno, and *ret_message is a new line: -EINVAL for a damaged state or
 * one of another platform text, -EPERM for a directory or file that cannot be trusted, others from
 * the file system. */
int state_open(const struct sim_platform *platform, const char *directory, bool reset,
	       struct sim_state **ret_state, char **ret_message);

/* Frees the state, which stays in its directory; NULL is fine. */
void state_close(struct sim_state *state);

/* Waits for the lock, and reads the file if another process has changed it. Returns 0; or, without
 * the lock, a negative errno: of flock() or of reading, -EINVAL for a damaged file. */
int state_lock(struct sim_state *state);

/* Releases the lock. The caller has changed nothing. */
void state_unlock(struct sim_state *state);

/* Replaces the file if the state has changed, and releases the lock. Returns 0; or a negative
 * errno, and the changes are undone. */
int state_commit(struct sim_state *state);

/* Ends a request: state_commit(), or only state_unlock() if the request only reads. That saves the
 * comparison of the state, which is large on thousands of CPUs. err: the result of the request.
 * Returns the error of state_commit(), else err. */
int state_end_request(struct sim_state *state, bool only_reads, int err);

/* The PUNIT of a domain, ready for punit_mailbox() and the like; the lock must be held. */
struct punit state_punit(struct sim_state *state, size_t domain);

/* Makes the message "DIRECTORY/NAME: PROBLEM" (name may be NULL; problem NULL: the text of err).
 * Returns err, or -ENOMEM with *ret_message untouched. */
int state_complain(char **ret_message, int err, const char *directory, const char *name,
		   const char *problem);

/* The state directory (state_directory.c). */

/* Opens the directory at path. Makes missing directories (mode 0700). *ret_path is a new string,
 * the path without slashes at its end. Returns 0; or a negative errno, and *ret_message is a new
 * line. -EPERM: the directory is a link, belongs to another user or may be written by others; or
 * the path goes through a link of another user, or through another user's directory in a directory
 * that everybody may write to. Others: of mkdir() and open(). */
int state_directory_open(const char *path, char **ret_path, int *ret_fd, char **ret_message);

/* Removes everything that the simulator made in the directory; the user's faults.json stays.
 * Follows no link. Returns 0 or a negative errno. */
int state_directory_empty(int directory_fd);

/* Removes a file, a link, or a directory with its content. Returns 0, also if name does not exist;
 * or a negative errno. */
int state_directory_remove(int directory_fd, const char *name);

/* Finds the default directory: one for each user and platform name or, if platform is a path, file.
 * platform is the user's argument, name the name in the file. *ret_path is a new string. Returns 0;
 * -ENOENT if the user has no home directory; -ENOMEM; or the errno of realpath(). */
int state_directory_find(const char *platform, const char *name, char **ret_path);

#endif
