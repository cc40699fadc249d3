/* SPDX-License-Identifier: GPL-2.0-only */
/* The orders in faults.json, read and checked (docs/simulator.md, "Ordering faults"). */
#ifndef SIMULATOR_FAULT_ORDERS_H
#define SIMULATOR_FAULT_ORDERS_H

#include "simulator/faults.h"

#define FAULT_TIMES_ALWAYS UINT32_MAX

enum fault_access { FAULT_ACCESS_ANY, FAULT_ACCESS_READ, FAULT_ACCESS_WRITE };

/* Which events, which of them in turn, and what happens to them. */
struct fault_order {
	enum sim_fault_point point;
	uint64_t number;
	uint64_t number_mask; /* the bits of an event's number that count; 0: any number */
	bool has_cpu;
	uint32_t cpu;
	bool has_parameter;
	uint32_t parameter;
	bool has_data;
	uint32_t data;
	enum fault_access access;
	char *path; /* fnmatch() pattern; NULL: any path */
	uint32_t skip; /* the first matches that pass */
	uint32_t times; /* the matches after them that suffer, or FAULT_TIMES_ALWAYS */
	struct sim_fault_effect effect;
};

struct fault_orders {
	struct fault_settings settings;
	size_t n_orders;
	struct fault_order *orders; /* in the file's order */
};

/*
 * Reads the text of a faults.json; file_name is for messages only, n_cpus is the number of CPUs
 * that the machine has. Fills ret_orders, to be released with fault_orders_done(). Returns 0;
 * -EINVAL with *ret_message a new line "FILE:LINE: MEMBER: what is wrong"; or -ENOMEM.
 */
int fault_orders_parse(const char *file_name, const char *text, size_t length, size_t n_cpus,
		       struct fault_orders *ret_orders, char **ret_message);

/* Frees what orders holds, not orders itself. */
void fault_orders_done(struct fault_orders *orders);

#endif
