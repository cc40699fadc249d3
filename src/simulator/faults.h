/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults that a user orders: the file faults.json in the state directory names the requests and
 * files that misbehave, how, and how often. docs/simulator.md describes it. */
#ifndef SIMULATOR_FAULTS_H
#define SIMULATOR_FAULTS_H

#include "simulator/state.h"

struct sim_faults;

/* What the faults do to a request or a file access. */
struct sim_fault_effect {
	int error; /* 0 or a negative errno instead of the answer */
	uint8_t completion_code; /* firmware's, for mailbox commands; 0 none */
	uint32_t delay_us;
	bool ignored; /* success is reported, and nothing is done */
	uint64_t flip; /* bits that are inverted in the value that is written; in a file, of a
			  number */
	const char *bytes; /* in hex, what a file has instead; NULL: what it has */
};

/* Settings of the machine that the file orders. */
struct fault_settings {
	bool missing_capability; /* the process seems to lack CAP_SYS_ADMIN */
	struct cpuset throttled; /* CPUs that heat throttles while they are busy */
	uint32_t power_cap_w; /* of each package, by the management controller; 0: none */
	bool clamped_limits; /* MSR 0x1AD holds no more than the level's turbo ratios */
	/* The rest is about TPMI parts. */
	bool hwp_off;
	bool locked; /* the performance level */
	bool has_allowed_levels;
	uint64_t allowed_levels; /* those that software may switch to, a bit for each */
	bool blocked_writes; /* the driver refuses to set anything */
	bool ignored_writes; /* firmware ignores what is written */
	uint8_t slow_status; /* so many reads of a status show the value before */
};

/* The points at which a fault can be ordered. */
enum sim_fault_point {
	SIM_FAULT_OPEN, /* opening the device */
	SIM_FAULT_MAILBOX, /* command, sub-command, parameter, CPU */
	SIM_FAULT_MMIO, /* register, write or read, CPU */
	SIM_FAULT_MSR, /* MSR, write or read, CPU */
	SIM_FAULT_PHY_ID, /* CPU */
	SIM_FAULT_REQUEST, /* an ioctl as a whole, by number */
	SIM_FAULT_TPMI, /* a request on one power domain: ioctl number, write or read */
	SIM_FAULT_READ, /* a file, by path */
	SIM_FAULT_WRITE, /* a file, by path */
	SIM_FAULT_PERF /* opening an event of a PMU, by its type; CPU */
};

/* An event that orders are compared with. Numbers without a meaning at the point stay 0. */
struct sim_fault_event {
	enum sim_fault_point point;
	uint32_t cpu;
	uint64_t number; /* the command << 8 | sub-command, register, MSR or ioctl number, type */
	uint32_t parameter; /* TPMI: the package */
	uint32_t data; /* the request data of a mailbox command; TPMI: the power-domain id */
	bool write;
	const char *path;
};

/* Reads the orders, if there are any; counts start again when their text has changed. The lock of
 * the state must not be held. state stays the caller's and must outlive the faults.
 * Returns 0; -EINVAL with *ret_message a new line "FILE: MEMBER: what is wrong"; or another
 * negative errno with *ret_message "FILE: what is wrong"; or -ENOMEM. */
int faults_open(struct sim_state *state, struct sim_faults **ret_faults, char **ret_message);

/* Frees the faults; NULL is fine. */
void faults_close(struct sim_faults *faults);

/* Counts the event for every order that it matches, under the lock of the state, which must not be
 * held, and waits out the delays. Returns the effect: the first error and the first completion code
 * ordered, the sum of the delays, and the other effects of all; the error of the lock if it
 * fails. Nothing is ordered in faults that are NULL. */
struct sim_fault_effect faults_apply(struct sim_faults *faults,
				     const struct sim_fault_event *event);

/* All settings; valid as long as the faults. Those of NULL are that nothing is ordered. */
const struct fault_settings *faults_settings(const struct sim_faults *faults);

#endif
