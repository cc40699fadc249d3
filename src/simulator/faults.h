/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults that a user orders: faults.json in the state directory lists the requests and files that
 * misbehave, the faults, and how often they occur. docs/simulator.md describes the file. */
#ifndef SIMULATOR_FAULTS_H
#define SIMULATOR_FAULTS_H

#include "simulator/state.h"

struct sim_faults;

/* The effect of the faults on a request or a file access. */
struct sim_fault_effect {
	int error; /* 0 or a negative errno instead of the answer */
	uint8_t completion_code; /* of the firmware, for mailbox commands; 0: none */
	uint32_t delay_us;
	bool ignored; /* success is reported, and nothing is done */
	uint64_t flip; /* bits to invert in the written value; in a file: in the number */
	const char *bytes; /* the content of the file, in hex; NULL: unchanged */
};

/* The settings of the machine in faults.json. */
struct fault_settings {
	bool missing_capability; /* the process seems to lack CAP_SYS_ADMIN */
	struct cpuset throttled; /* CPUs that heat throttles while they are busy */
	uint32_t power_cap_w; /* the management controller's limit of each package; 0: none */
	bool clamped_limits; /* MSR 0x1AD holds no more than the level's turbo ratios */
	/* The members below are for TPMI parts. */
	bool hwp_off;
	bool locked; /* the level cannot be changed */
	bool has_allowed_levels;
	uint64_t allowed_levels; /* a bit for each level that software may switch to */
	bool blocked_writes; /* the driver refuses to set anything */
	bool ignored_writes; /* firmware ignores what is written */
	uint8_t slow_status; /* number of reads of a status that show the old value */
};

/* The points at which a fault can be ordered, and what an order can select there. */
enum sim_fault_point {
	SIM_FAULT_OPEN, /* opening the device */
	SIM_FAULT_MAILBOX, /* command, sub-command, parameter, CPU */
	SIM_FAULT_MMIO, /* register, write or read, CPU */
	SIM_FAULT_MSR, /* MSR, write or read, CPU */
	SIM_FAULT_PHY_ID, /* CPU */
	SIM_FAULT_REQUEST, /* a complete ioctl: its number */
	SIM_FAULT_TPMI, /* a request on one power domain: ioctl number, write or read */
	SIM_FAULT_READ, /* reading a file: its path */
	SIM_FAULT_WRITE, /* writing a file: its path */
	SIM_FAULT_PERF /* opening an event of a PMU: its type, CPU */
};

/* An event, to be compared with the orders. Numbers without a meaning at the point are 0. */
struct sim_fault_event {
	enum sim_fault_point point;
	uint32_t cpu;
	uint64_t number; /* command << 8 | sub-command, register, MSR, ioctl number, PMU type */
	uint32_t parameter; /* TPMI: the package */
	uint32_t data; /* the request data of a mailbox command; TPMI: the power-domain id */
	bool write;
	const char *path;
};

/* Reads the orders, if there are any. If the text has changed, all counts start again. The lock of
 * the state must not be held. state stays the caller's and must outlive the faults.
 * Returns 0; -EINVAL, and *ret_message is a new line "FILE: MEMBER: what is wrong"; another
 * negative errno, and *ret_message is "FILE: what is wrong"; or -ENOMEM. */
int faults_open(struct sim_state *state, struct sim_faults **ret_faults, char **ret_message);

/* Frees the faults; NULL is fine. */
void faults_close(struct sim_faults *faults);

/* Counts the event for every order that matches, and waits for the delays. The caller must not hold
 * the lock of the state, which this function takes. Returns the effect: the first error and the
 * first completion code, the sum of the delays, and the other effects of all orders; or the error
 * of the lock. faults may be NULL: no effect. */
struct sim_fault_effect faults_apply(struct sim_faults *faults,
				     const struct sim_fault_event *event);

/* Returns the settings, valid until faults_close(). For NULL, no setting is ordered. */
const struct fault_settings *faults_settings(const struct sim_faults *faults);

#endif
