/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can change in a simulated machine: one mapped file in the state directory, shared by all
 * processes that simulate it. Whoever looks at it or changes it holds its lock meanwhile.
 */
#ifndef SIMULATOR_STATE_H
#define SIMULATOR_STATE_H

#include "simulator/platform_file.h"

#define SIM_MAX_FAULTS 256
#define SIM_EPP_NAMED  256

/* One logical CPU's settings, as its sysfs files hold them. */
struct sim_cpu_state {
	uint8_t online;
	uint8_t governor; /* index into sim_cpufreq.governors */
	uint8_t other_governor; /* while intel_pstate is not in the platform's mode */
	uint8_t epb;
	uint16_t epp; /* 0-255: raw; SIM_EPP_NAMED + n: sim_cpufreq.epps[n] */
	uint32_t scaling_min_khz; /* as requested: files show it clamped */
	uint32_t scaling_max_khz;
	uint32_t setspeed_khz; /* of the userspace governor; 0: none set */
	uint32_t idle_disabled; /* bit per idle state, at most 10 in the kernel */
	int32_t resume_latency_us; /* -1: "n/a"; 0: no limit */
};

struct sim_uncore_state {
	uint32_t min_khz;
	uint32_t max_khz;
	uint32_t initial_min_khz; /* as initial_*_freq_khz show them; 0: the platform's */
	uint32_t initial_max_khz;
	uint32_t package_min_khz; /* last written for the whole package (TPMI); 0: nothing */
	uint32_t package_max_khz;
	uint8_t elc_low; /* thresholds of efficiency latency control: 7 bits, 127 is all */
	uint8_t elc_high;
	uint8_t elc_high_enable;
	uint8_t elc_floor; /* in 100 MHz */
};

/* Settings of the whole machine. */
struct sim_machine_state {
	uint8_t no_turbo;
	uint8_t min_perf_pct;
	uint8_t max_perf_pct;
	uint8_t hwp_dynamic_boost;
	uint8_t pstate_mode; /* enum sysfs_pstate_mode; 0: as the platform's driver says */
	uint8_t idle_governor; /* 0: the platform's; n: number n - 1 of the others */
	uint8_t umwait_c02;
	uint32_t umwait_max_time;
	char boot_id[40];
	uint64_t faults_digest; /* of the orders that the counts below belong to */
};

struct sim_state {
	const struct sim_platform *platform;
	int directory_fd;
	char *directory;
	int fd;
	void *map;
	size_t map_size;
	/* All below point into the map. */
	struct sim_machine_state *machine;
	struct punit_state *punits; /* by domain */
	struct punit_package *packages; /* by package */
	struct sim_cpu_state *cpus; /* by logical CPU */
	struct sim_uncore_state *uncore; /* by domain */
	uint32_t *fault_counts; /* matches so far, by order; SIM_MAX_FAULTS of them */
};

/*
 * Opens the state of a platform in directory, made as needed (mode 0700). A directory that is a
 * link, belongs to someone else or may be written by others is refused.
 * Returns 0; or a negative errno with *ret_message a new line: -EINVAL where the state belongs to
 * another platform text, -EPERM for a directory that cannot be trusted, others from the file
 * system.
 */
int state_open(const struct sim_platform *platform, const char *directory, bool reset,
	       struct sim_state **ret_state, char **ret_message);

/* Lets the state go, which stays in its directory; NULL is fine. */
void state_close(struct sim_state *state);

/* Waits for the lock. Returns 0 or a negative errno of flock(). */
int state_lock(struct sim_state *state);

/* Lets the lock go. */
void state_unlock(struct sim_state *state);

/* The PUNIT of a domain, ready for punit_mailbox() and the like; the lock must be held. */
struct punit state_punit(struct sim_state *state, size_t domain);

#endif
